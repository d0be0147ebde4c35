"""Which mentions a detector learns from, is calibrated on and tested on; and in which order examples come.

Everything is drawn by image, so that no image stands on two sides. Examples of non-assertive mentions stand
in one line, of which a budget takes the front: what a small budget has, a larger one has, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from sheeplib import resample
from sheeplib.detectors.probes import APART
from sheeplib.errors import InputError, Problem
from sheeplib.mentions.statuses import SUBTYPES
from sheeplib.retraining.natural import Natural

Calibration = Literal["half", "held-out"]
FIT = 2 / 3  # share of the images that detectors learn from
BUDGETS = ("0", "natural", "10", "30", "max")
MOST = 100_000.0  # per cent: more examples than anybody has


@dataclass(frozen=True, eq=False)
class Split:
    """Truth values for each mention, by image.

    Parameters
    ----------
    fit : ndarray of bool
        Mentions to learn from.
    apart : ndarray of bool
        Those of them that the best epoch is chosen on.
    held_out : ndarray of bool
        Mentions to test on: all others.
    calibration : ndarray of bool
        Those of them whose concrete mentions give the threshold.
    """

    fit: np.ndarray
    apart: np.ndarray
    held_out: np.ndarray
    calibration: np.ndarray


def split(images: np.ndarray, seed: int, calibration: Calibration = "half") -> Split:
    """Draw images to learn from and to test on.

    Parameters
    ----------
    images : array, shape (n,)
        Image of each mention.
    seed : int
    calibration : {"half", "held-out"}
        Take the threshold from half of the held-out images, or from all of them, on which concrete mentions
        are then flagged as often as is allowed by construction.

    Returns
    -------
    Split
        It depends on which images there are, and not on the order of the mentions.

    Raises
    ------
    InputError
        If there are too few images for all parts, or there is no such way to calibrate.

    Source
    ------
    Two thirds to learn from are inferred, from the numbers of held-out mentions in NAME-Bench, Table 14; so
    is the calibration half, of which the paper says nothing.
    """
    if calibration not in get_args(Calibration):
        known = f"One of: {', '.join(get_args(Calibration))}"
        raise InputError(Problem("no such way to calibrate", known, field="calibration", value=calibration))
    names = np.asarray(images, dtype=str)
    known_images = np.unique(names)
    n_fit = round(FIT * len(known_images))
    n_apart, half = round(APART * n_fit), n_fit + (len(known_images) - n_fit) // 2
    if not 0 < n_apart < n_fit < half < len(known_images):
        what = f"{len(known_images)} images are too few to learn from, calibrate and test on"
        raise InputError(Problem(what, "Give mentions of more images"))
    drawn = resample.generator(seed, "retraining", "split").permutation(known_images)
    fit, apart = np.isin(names, drawn[:n_fit]), np.isin(names, drawn[:n_apart])
    return Split(fit, apart, ~fit, np.isin(names, drawn[n_fit:half]) if calibration == "half" else ~fit)


def line(subtypes: np.ndarray, candidates: np.ndarray, shares: Mapping[str, float], seed: int) -> np.ndarray:
    """Put the candidates in a line of which every front has subtypes as in nature, as nearly as can be.

    Parameters
    ----------
    subtypes : array of str, shape (n,)
        Subtype of each mention.
    candidates : ndarray of bool, shape (n,)
        Non-assertive mentions that may be drawn.
    shares : mapping of str to float
        Natural share of each subtype; those without candidates are left out.
    seed : int
        The order within a subtype depends on the seed and the subtype alone.

    Returns
    -------
    ndarray of int
        Rows of the candidates. Where a subtype has run out, the others go on.

    Source
    ------
    Inferred. NAME-Bench adds examples in natural shares; how they are drawn, it does not say.
    """
    rows, turns = [], []
    equal = not any(shares.get(name, 0) for name in set(subtypes[candidates]))
    for name in SUBTYPES:
        found = np.flatnonzero(candidates & (subtypes == name))
        rows.append(resample.generator(seed, "retraining", "line", name).permutation(found))
        # As seats go to parties (Sainte-Laguë): the next is of the subtype that has the most share for it.
        turns.append((1.0 if equal else shares.get(name, 0.0)) / (2 * np.arange(len(found)) + 1))
    return np.asarray(np.concatenate(rows)[np.argsort(-np.concatenate(turns), kind="stable")], dtype=np.int64)


def budget_size(
    budget: str,
    concrete: int,
    hallucinated: int,
    available: int,
    nature: Natural,
    count: int | None = None,
) -> int:
    """How many non-assertive examples a budget has.

    Parameters
    ----------
    budget : str
        `natural`, `max`, or a number: per cent of the hallucinations to learn from.
    concrete, hallucinated : int
        Mentions to learn from.
    available : int
        Non-assertive mentions that may be drawn.
    nature : Natural
    count : int, optional
        Number of examples that is natural; if not given, as many as make the share of non-assertive
        mentions to learn from what it is in all captions.

    Returns
    -------
    int
        Possibly more than are available.

    Raises
    ------
    InputError
        If the budget is none.

    Source
    ------
    NAME-Bench, Table 5. Its natural numbers (20 for LLaVA-1.5, 76 to 108 for the others) do not follow from
    the shares in its Table 1; the rule is inferred, and `count` takes a number instead.
    """
    if budget == "max":
        return available
    if budget == "natural":
        asserted = concrete + hallucinated
        return count if count is not None else round(nature.share / (1 - nature.share) * asserted)
    return round(percent(budget) / 100 * hallucinated)


def percent(budget: str) -> float:
    """A budget in per cent of the hallucinated examples.

    Parameters
    ----------
    budget : str
        A number in digits.

    Raises
    ------
    InputError
        If it is no number, or beyond what can be asked for.
    """
    try:
        share = float(budget)
    except ValueError:
        share = np.nan
    if not 0 <= share <= MOST:
        remedy = "Use natural, max, or per cent of the hallucinations, such as 30"
        raise InputError(Problem("no such budget", remedy, field="budgets", value=budget))
    return share

"""What the place in the caption alone explains, and mentions compared as if it explained nothing.

Captions tend to begin with what is seen and to end with what is guessed. A score that does nothing but grow
from word to word then finds hallucinations. To see what is left of a detector, concrete and hallucinated
mentions are compared that stand equally far from the beginning.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sheeplib.detectors.rankings import ratio
from sheeplib.errors import InputError, Problem

WIDTHS = (1, 2, 4)  # tokens of a bin, the first that leaves enough
ENOUGH = 0.5  # share of the rarer kind that a matched subset must hold
NEAR = 0.02  # how far from .5 the AUC of the position alone may be once it is matched


@dataclass(frozen=True)
class Match:
    """How well positions can be matched.

    Parameters
    ----------
    width : int
        Tokens of a bin.
    n : int
        Mentions of each of the two kinds in the matched subset.
    auc : float
        AUC of the position alone in it.
    reason : str
        Why the subset must not be used; empty if it may.
    """

    width: int
    n: int
    auc: float
    reason: str = ""


def match(position: ArrayLike, positive: ArrayLike) -> Match:
    """Choose the width of the bins, and see whether the subset will do.

    Parameters
    ----------
    position : array of int, (n,)
        Place of each mention in its caption, from 0.
    positive : array of bool, (n,)
        Whether it is a hallucination; all others are concrete.

    Returns
    -------
    Match

    Raises
    ------
    InputError
        If the numbers differ, or a position is negative.

    Source
    ------
    NAME-Bench, Table 13. Bins, their widths and the rule of acceptance (.50 plus or minus .02; the paper
    prints .50 and .51) are inferred.
    """
    places, marked = _checked(position, positive)
    ones = np.ones((1, len(places)))
    rarer = min(marked.sum(), (~marked).sum())
    for width in WIDTHS:
        weights = matched_weights(places, marked, ones, width)
        kept = round(float(weights[0, marked].sum()))
        if kept and (kept >= ENOUGH * rarer or width == WIDTHS[-1]):
            auc = float(weighted_auroc(places, marked, weights)[0])
            near = abs(auc - 0.5) <= NEAR
            why = (
                "" if near else f"matched by {width} tokens, the position alone still has an AUC of {auc:.2f}"
            )
            return Match(width, kept, auc, why)
    return Match(WIDTHS[-1], 0, np.nan, "no two mentions of both kinds stand at one place")


def matched_weights(position: ArrayLike, positive: ArrayLike, weights: np.ndarray, width: int) -> np.ndarray:
    """Weights under which both kinds stand at the same places.

    Of each bin, as many mentions of one kind are to count as of the other: the smaller number. Instead of
    drawing some of the larger kind again and again, each counts by the chance of being drawn, which is what
    the mean over very many draws comes to.

    Parameters
    ----------
    position, positive
        As for `match`.
    weights : ndarray, shape (resamples, n)
        How often each mention occurs.
    width : int
        Tokens of a bin.

    Returns
    -------
    ndarray, shape (resamples, n)

    Source
    ------
    NAME-Bench, Table 13; inferred, as `match`.
    """
    places, marked = _checked(position, positive)
    _, bins = np.unique(places // width, return_inverse=True)
    belongs = np.eye(bins.max(initial=-1) + 1)[bins]
    fine, wrong = weights @ (belongs * ~marked[:, None]), weights @ (belongs * marked[:, None])
    least = np.minimum(fine, wrong)
    shares = [np.divide(least, one, out=np.zeros_like(one), where=one > 0) for one in (fine, wrong)]
    return np.asarray(weights * np.where(marked, shares[1][:, bins], shares[0][:, bins]))


def weighted_auroc(score: ArrayLike, positive: ArrayLike, weights: np.ndarray) -> np.ndarray:
    """How often a marked mention scores above an unmarked one, in each resample; ties count half.

    Parameters
    ----------
    score : array of float, (n,)
    positive : array of bool, (n,)
    weights : ndarray, shape (resamples, n)
        How often each occurs, or how much it counts.

    Returns
    -------
    ndarray of float64, (resamples,)
        NaN where one of the kinds does not occur.
    """
    given, marked = np.asarray(score, dtype=np.float64), np.asarray(positive, dtype=bool)
    if not len(given):
        return np.full(len(weights), np.nan)
    order = np.argsort(given, kind="stable")
    firsts = np.flatnonzero(np.append(True, np.diff(given[order]) != 0))
    sorted_weights = weights[:, order].astype(np.float64)
    wrong = np.add.reduceat(sorted_weights * marked[order], firsts, axis=1)
    fine = np.add.reduceat(sorted_weights * ~marked[order], firsts, axis=1)
    wins = (wrong * (fine.cumsum(1) - fine / 2)).sum(1)
    return ratio(wins, wrong.sum(1) * fine.sum(1))


def _checked(position: ArrayLike, positive: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    places, marked = np.asarray(position, dtype=np.int64), np.asarray(positive, dtype=bool)
    if places.shape != marked.shape or (places < 0).any():
        what = "positions are whole numbers from 0, one for each mention"
        raise InputError(Problem(what, field="position", value=places.shape))
    return places, marked

"""Fit probes again and again, with more and more non-assertive examples, on any engine.

One task is one probe of one set of mentions on one split: all its budgets. What it gives is the scores of
all mentions, so that thresholds and rates are a matter of arithmetic afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from sheeplib import engine
from sheeplib.detectors import probes
from sheeplib.detectors.mention_sets import MentionSet
from sheeplib.detectors.probes import Probe
from sheeplib.errors import InputError, Problem
from sheeplib.retraining.draws import Calibration, Split, budget_size, line, split
from sheeplib.retraining.natural import Natural

Hedges = Literal["non-assertive", "claim"]
STATUSES = ("concrete", "hallucinated", "non-assertive")


class Condition(NamedTuple):
    """What a probe is trained with.

    Parameters
    ----------
    budget : str
        As for `draws.budget_size`.
    without : str
        Subtype of which no example is drawn; the others make up for it.
    hedges : {"non-assertive", "claim"}
        Whether a hedge is not assertive, or is a claim: concrete where the image shows the object, else
        hallucinated.
    """

    budget: str
    without: str = ""
    hedges: Hedges = "non-assertive"


class Options(NamedTuple):
    """Choices that the paper leaves open.

    Parameters
    ----------
    calibration : {"half", "held-out"}
        As for `draws.split`.
    alpha : float
        Share of concrete mentions that may be flagged.
    natural_count : int, optional
        As for `draws.budget_size`.
    """

    calibration: Calibration = "half"
    alpha: float = 0.1
    natural_count: int | None = None


class Fit(NamedTuple):
    """Rows to learn from, what they are, and which of them are kept apart."""

    rows: np.ndarray
    truth: np.ndarray
    apart: np.ndarray


@dataclass(frozen=True, eq=False)
class Task:
    """All fits of one probe on one split.

    Parameters
    ----------
    vectors : ndarray, shape (n, features)
    images : ndarray of str, shape (n,)
    probe : Probe
    seed : int
    fits : tuple of (Fit or None)
        None where a fit cannot be made.
    """

    vectors: np.ndarray
    images: np.ndarray
    probe: Probe
    seed: int
    fits: tuple[Fit | None, ...]


def work(task: Task) -> np.ndarray:
    """Scores of all mentions by each fit, float64 (fits, n); NaN where there is none."""
    scores = np.full((len(task.fits), len(task.vectors)), np.nan)
    for place, one in enumerate(task.fits):
        if one is not None:
            known, where = task.vectors[one.rows], task.images[one.rows]
            fitted = probes.fit(known, one.truth, task.probe, task.seed, where, one.apart)
            scores[place] = fitted.score(task.vectors)
    return scores


@dataclass(frozen=True, eq=False)
class Plan:
    """Splits and fits for one set of mentions.

    Parameters
    ----------
    mentions : MentionSet
        Concrete, hallucinated and non-assertive ones alone.
    nature : Natural
        What is natural for their captioner.
    seeds : tuple of int
        One split each.
    conditions : tuple of Condition
    options : Options
    """

    mentions: MentionSet
    nature: Natural
    seeds: tuple[int, ...]
    conditions: tuple[Condition, ...]
    options: Options

    def split(self, seed: int) -> Split:
        """Who learns, calibrates and tests."""
        return split(self.mentions.table["image"].to_numpy(str), seed, self.options.calibration)

    def statuses(self, hedges: Hedges) -> np.ndarray:
        """Status of each mention, of str; empty where a hedge would be a claim of unknown truth."""
        table = self.mentions.table
        status = table["status"].to_numpy(str)
        if hedges == "claim":
            hedged = (status == "non-assertive") & (self.subtypes == "hedged")
            present, known = table["present"].fillna(False).to_numpy(bool), table["present"].notna()
            claimed = np.where(known, np.where(present, "concrete", "hallucinated"), "")
            status = np.where(hedged, claimed, status)
        return status

    @property
    def subtypes(self) -> np.ndarray:
        """Subtype of each mention, of str; empty where it has none."""
        return self.mentions.table["subtype"].fillna("").to_numpy(str)

    def fits(self, seed: int) -> list[tuple[Fit | None, int, str]]:
        """For each condition what to learn from, the number of non-assertive examples, and what lacks."""
        drawn = self.split(seed)
        return [self._fit(condition, drawn, seed) for condition in self.conditions]

    def _fit(self, condition: Condition, drawn: Split, seed: int) -> tuple[Fit | None, int, str]:
        status, subtypes = self.statuses(condition.hedges), self.subtypes
        concrete, hallucinated = (drawn.fit & (status == name) for name in STATUSES[:2])
        candidates = drawn.fit & (status == "non-assertive") & (subtypes != condition.without)
        available = int(candidates.sum())
        wanted = budget_size(
            condition.budget, int(concrete.sum()), int(hallucinated.sum()), available, self.nature,
            self.options.natural_count,
        )  # fmt: skip
        if wanted > available:
            return None, wanted, f"only {available} of {wanted} non-assertive examples are there"
        examples = line(subtypes, candidates, self.nature.shares, seed)[:wanted]
        rows = np.concatenate([np.flatnonzero(concrete | hallucinated), examples])
        return Fit(rows, status[rows] == "hallucinated", drawn.apart[rows]), wanted, ""


@dataclass(frozen=True, eq=False)
class Scores:
    """What probes say of the mentions of one set.

    Parameters
    ----------
    plan : Plan
    by_probe : mapping of (str, int) to ndarray
        For each probe and seed, scores (conditions, n).
    examples : mapping of int to list of (int, str)
        For each seed and condition, the number of non-assertive examples, and why it could not be had.
    """

    plan: Plan
    by_probe: Mapping[tuple[str, int], np.ndarray]
    examples: Mapping[int, list[tuple[int, str]]]

    @property
    def probes(self) -> tuple[str, ...]:
        """Names of the probes."""
        return tuple(dict.fromkeys(name for name, _ in self.by_probe))

    def of(self, probe: str, seed: int, condition: Condition) -> np.ndarray:
        """Scores (n,) of all mentions."""
        return self.by_probe[probe, seed][self.plan.conditions.index(condition)]

    def select(self, conditions: Iterable[Condition], probes: Iterable[str]) -> Scores | None:
        """Those of these conditions and probes that are there; None if there are none."""
        wanted, names = set(conditions), set(probes)
        places = [place for place, one in enumerate(self.plan.conditions) if one in wanted]
        picked = {key: given[places] for key, given in self.by_probe.items() if key[0] in names}
        if not places or not picked:
            return None
        kept = replace(self.plan, conditions=tuple(self.plan.conditions[place] for place in places))
        told = {seed: [found[place] for place in places] for seed, found in self.examples.items()}
        return Scores(kept, picked, told)


def plan(
    mentions: MentionSet,
    nature: Natural,
    conditions: Iterable[Condition],
    seeds: Sequence[int],
    options: Options | None = None,
) -> Plan:
    """Leave out mentions that are excluded, and check what is left.

    Raises
    ------
    InputError
        If there are no seeds, no conditions, or a status is missing among the mentions.
    """
    kept = mentions.select(mentions.table["status"].isin(STATUSES))
    there = set(kept.table["status"])
    if absent := [name for name in STATUSES if name not in there]:
        raise InputError(Problem(f"no {absent[0]} mentions", "Give mentions of all three kinds"))
    wanted = tuple(dict.fromkeys(conditions))
    if not seeds or not wanted:
        raise InputError(Problem("nothing to train", "Give one seed and one budget, or more"))
    return Plan(kept, nature, tuple(seeds), wanted, options or Options())


def sweep(plans: Sequence[tuple[Plan, Sequence[str]]], executor: Executor | None = None) -> list[Scores]:
    """Train every probe of every plan.

    Parameters
    ----------
    plans : sequence of (Plan, sequence of str)
        Each with the names of its probes, of `probes.PROBES`.
    executor : Executor, optional
        From `sheeplib.engine.executor`; by default all is done in this process. The numbers are the same.

    Returns
    -------
    list of Scores
        In the order of the plans.

    Raises
    ------
    InputError
        If there is no such probe, or a set of mentions lacks what it reads.
    """
    tasks, owners = [], []
    drawn = {place: {seed: one.fits(seed) for seed in one.seeds} for place, (one, _) in enumerate(plans)}
    for place, (one, names) in enumerate(plans):
        images = one.mentions.table["image"].to_numpy(str)
        for name in names:
            vectors = features(one.mentions, name)
            for seed in one.seeds:
                fits = tuple(fit for fit, _, _ in drawn[place][seed])
                tasks.append(Task(vectors, images, probes.named(name), seed, fits))
                owners.append((place, name, seed))
    found: list[dict[tuple[str, int], np.ndarray]] = [{} for _ in plans]
    for index, scores in engine.results(work, tasks, executor or engine.Serial()):
        place, name, seed = owners[index]
        found[place][name, seed] = scores
    numbers = [
        {s: [(n, why) for _, n, why in fits] for s, fits in drawn[p].items()} for p in range(len(plans))
    ]
    ordered = [  # engines finish in any order
        {(name, seed): one[name, seed] for where, name, seed in owners if where == place}
        for place, one in enumerate(found)
    ]
    return [Scores(one, scores, n) for (one, _), scores, n in zip(plans, ordered, numbers, strict=True)]


def features(mentions: MentionSet, probe: str) -> np.ndarray:
    """What a probe reads, float32 (n, d).

    The position baseline reads the place in the caption and its logarithm.
    """
    name = probes.named(probe).vectors
    if name != "position":
        return mentions.vectors(name)
    place = pd.to_numeric(mentions.table["position"]).to_numpy(np.float32)
    return np.column_stack([place, np.log1p(place)])

"""How often each kind of mention is flagged, with intervals that allow for the choice of the threshold.

Images are resampled, the threshold is chosen anew in each resample, and rates are averaged over splits, all
of them on the same resampled images. Networks are not trained anew: what training adds to uncertainty, the
several splits show, and no interval holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from sheeplib import resample, tables
from sheeplib.errors import InputError, Problem
from sheeplib.mentions.statuses import SUBTYPES
from sheeplib.retraining.sweep import Condition, Hedges, Plan, Scores

KEYS = ("captioner", "evaluator", "detector", "budget", "without", "hedges", "filtered", "subtype")
PERCENT = 100


@dataclass(frozen=True, eq=False)
class Rates:
    """Numbers with their resamples.

    Parameters
    ----------
    table : DataFrame
        One row a number: `quantity`, `KEYS`, `n` (mentions that it rests on, mean over splits) and
        `reason`.
    draws : ndarray, shape (rows, 1 + resamples)
        The number itself, and what it is in each resample, in per cent. Rows of one column belong to the
        same resample, so that differences and means of numbers can be resampled, too.
    """

    table: pd.DataFrame
    draws: np.ndarray

    def __len__(self) -> int:
        return len(self.table)

    @property
    def values(self) -> np.ndarray:
        """The numbers, in per cent."""
        return self.draws[:, 0]

    def where(self, **keys: str | Sequence[str]) -> Rates:
        """The rows with these values in these columns."""
        chosen = np.ones(len(self), dtype=bool)
        for column, wanted in keys.items():
            names = [wanted] if isinstance(wanted, str) else list(wanted)
            chosen &= self.table[column].isin(names).to_numpy(bool)
        return Rates(self.table[chosen].reset_index(drop=True), self.draws[chosen])

    def mean(self, *over: str) -> Rates:
        """Means over the values of some columns, which are missing afterwards; the least `n` counts."""
        rest = ["quantity", *(name for name in KEYS if name not in over)]
        groups = self.table.groupby(rest, sort=False, dropna=False)
        code = groups.ngroup().to_numpy()
        rows = groups.agg(n=("n", "min"), reason=("reason", "first")).reset_index()
        draws = np.zeros((len(rows), self.draws.shape[1]))
        np.add.at(draws, code, self.draws)
        return numbers(rows.to_dict(orient="records"), draws / np.bincount(code)[:, None])

    def one(self) -> np.ndarray:
        """The only row: the number and its resamples.

        Raises
        ------
        InputError
            If there is none, or there are several.
        """
        if len(self) != 1:
            raise InputError(Problem("not one number", "Choose further, or take a mean", value=len(self)))
        return self.draws[0]

    def results(self, corpus: str, seed: int) -> pd.DataFrame:
        """Table `results` with the columns `KEYS`, and 95 % intervals."""
        found = [
            interval_row(draws, why) for draws, why in zip(self.draws, self.table["reason"], strict=True)
        ]
        values = pd.DataFrame(found, columns=["value", "low", "high", "resamples", "reason"])
        table = pd.concat([self.table.drop(columns="reason"), values], axis=1)
        return tables.validate(
            "results",
            table.assign(corpus=corpus, seed=seed, notebook=pd.NA).astype(
                {"reason": tables.TEXT, "resamples": "Int64"}
            ),
        )


def interval_row(draws: np.ndarray, reason: object = pd.NA) -> dict[str, object]:
    """Value, interval and reason of a number and its resamples."""
    found = resample.interval(draws[1:])
    if np.isnan(draws[0]):
        reason = reason if isinstance(reason, str) else "no mention of this kind is held out"
        return {"value": np.nan, "low": np.nan, "high": np.nan, "resamples": len(draws) - 1, "reason": reason}
    if found.undefined:
        reason = f"undefined in {found.undefined:.1%} of the resamples, which the interval leaves out"
    return {
        "value": draws[0], "low": found.low, "high": found.high, "resamples": len(draws) - 1,
        "reason": reason,
    }  # fmt: skip


def numbers(rows: Sequence[Mapping[str, object]], draws: np.ndarray) -> Rates:
    """Numbers with their keys; keys that are not given are missing."""
    kinds = {name: tables.TEXT for name in ("quantity", *KEYS, "reason")} | {"n": "Int64"}
    table = pd.DataFrame(list(rows)).reindex(columns=["quantity", *KEYS, "n", "reason"])
    return Rates(table.astype(kinds), draws)


def joined(parts: Iterable[Rates]) -> Rates:
    """Several tables of numbers as one."""
    found = list(parts)
    return Rates(
        pd.concat([part.table for part in found], ignore_index=True),
        np.concatenate([part.draws for part in found]),
    )


class Images:
    """Images that are resampled, and how often each occurs in each resample.

    Parameters
    ----------
    names : iterable of str
        Images of all mentions of a study, so that all its numbers rest on the same resamples.
    resamples : int
    seed : int
    """

    def __init__(self, names: Iterable[str], resamples: int, seed: int) -> None:
        if resamples < 1:
            raise InputError(Problem("no resamples", "Ask for one or more", value=resamples))
        self._names = pd.Index(sorted(set(names)))
        rng = resample.generator(seed, "retraining", "images")
        blocks = [block.astype(np.float32) for block in resample.weights(len(self._names), resamples, rng)]
        # The first row is the sample itself: a number is what it is in a resample that has each image once.
        self._weights = np.vstack([np.ones((1, len(self._names)), np.float32), *blocks])

    def weights(self, images: Sequence[str] | np.ndarray) -> np.ndarray:
        """How often each mention occurs, float32 (1 + resamples, mentions)."""
        return self._weights[:, self._names.get_indexer(pd.Index(images))]


def thresholds(scores: np.ndarray, weights: np.ndarray, alpha: float) -> np.ndarray:
    """The smallest score above which at most a share `alpha` lies, in each resample.

    Parameters
    ----------
    scores : ndarray, shape (n,)
        Of concrete mentions.
    weights : ndarray, shape (resamples, n)
        How often each of them occurs.
    alpha : float

    Returns
    -------
    ndarray, shape (resamples,)
        As `sheeplib.detectors.budgets.budget` gives it for the mentions of a resample; NaN where none of
        them occurs.
    """
    if not len(scores):
        return np.full(len(weights), np.nan)
    levels, place = np.unique(scores, return_inverse=True)
    order = np.argsort(place, kind="stable")
    firsts = np.searchsorted(place[order], np.arange(len(levels)))
    on_level = np.add.reduceat(weights[:, order], firsts, axis=1)  # weight on each level, lowest first
    total = on_level.sum(axis=1, keepdims=True)
    above = total - on_level.cumsum(axis=1)
    fine = above <= alpha * total * (1 + 1e-6)  # a tenth of ten is one, in floats of any size
    # a level that has no weight is no score of this resample
    found = np.where(fine & (on_level > 0), np.arange(len(levels)), len(levels)).min(axis=1)
    return np.where(total[:, 0] > 0, np.append(levels, np.nan)[found], np.nan)


def flag_rates(scores: np.ndarray, least: np.ndarray, cells: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Share of the mentions of each cell that score above the threshold, in each resample.

    Parameters
    ----------
    scores : ndarray, shape (n,)
    least : ndarray, shape (resamples,)
        Thresholds.
    cells : ndarray of bool, shape (n, c)
        Mentions of each cell.
    weights : ndarray, shape (resamples, n)

    Returns
    -------
    ndarray of float64, shape (c, resamples)
        NaN where no mention of a cell occurs, or there is no threshold.
    """
    members = cells.astype(np.float32)
    flagged = (weights * (scores > least[:, None])) @ members
    counted = weights @ members
    rates = np.divide(flagged, counted, out=np.full(counted.shape, np.nan, np.float32), where=counted > 0)
    rates[np.isnan(least)] = np.nan
    return rates.T.astype(np.float64)


def measured(scores: Scores, images: Images, filtered: np.ndarray | None = None) -> Rates:
    """Rates of every probe under every condition, means over splits.

    Parameters
    ----------
    scores : Scores
    images : Images
    filtered : ndarray of bool, shape (n,), optional
        Mentions that a text filter takes out before the detector: they are never flagged. The threshold
        stays that without the filter.

    Returns
    -------
    Rates
        Quantities `non_assertive_fpr` by subtype and for `all` of them (subtypes weighted by how often the
        captioner writes them), `hallucination_tpr`, and `concrete_fpr` of those held-out concrete mentions
        that gave no threshold (of all, where all did).
    """
    plan = scores.plan
    tests = {
        (seed, hedges): _test(plan, seed, hedges, images)
        for seed in plan.seeds
        for hedges in {condition.hedges for condition in plan.conditions}
    }
    rows: list[dict[str, object]] = []
    draws = []
    for place, condition in enumerate(plan.conditions):
        reasons = [scores.examples[seed][place][1] for seed in plan.seeds]
        chosen = [tests[seed, condition.hedges] for seed in plan.seeds]
        counts = np.mean([test.cells.sum(axis=0) for test in chosen], axis=0)
        for probe in scores.probes:
            given = [scores.of(probe, seed, condition) for seed in plan.seeds]
            rates = [test.rates(one, filtered) for test, one in zip(chosen, given, strict=True)]
            keys = {"captioner": plan.mentions.captioner, "evaluator": plan.mentions.evaluator}
            keys |= {"detector": probe, "budget": condition.budget, "without": condition.without}
            keys |= {"hedges": condition.hedges, "filtered": "without" if filtered is None else "with"}
            cells, found = _with_all(plan, condition.hedges, PERCENT * np.mean(rates, axis=0), counts)
            rows += [cell | keys | {"reason": max(reasons) or pd.NA} for cell in cells]
            draws.append(found)
    return numbers(rows, np.concatenate(draws))


def measured_untrained(
    plan: Plan, given: Mapping[str, np.ndarray], images: Images, filtered: np.ndarray | None = None
) -> Rates:
    """Rates of detectors that need no training, on the same splits; their budget is `none`.

    Parameters
    ----------
    plan : Plan
    given : mapping of str to ndarray
        Scores (n,) of the plan's mentions, by detector.
    images, filtered
        As for `measured`.
    """
    by_probe = {(name, seed): scores[None] for name, scores in given.items() for seed in plan.seeds}
    bare = replace(plan, conditions=(Condition("none"),))
    return measured(Scores(bare, by_probe, {seed: [(0, "")] for seed in plan.seeds}), images, filtered)


@dataclass(frozen=True, eq=False)
class _Test:
    """The held-out mentions of one split: which cells they are in, and how often each occurs."""

    held: np.ndarray  # rows of the set
    concrete: np.ndarray  # those whose scores give the threshold
    cells: np.ndarray
    weights: np.ndarray
    alpha: float

    def rates(self, scores: np.ndarray, filtered: np.ndarray | None) -> np.ndarray:
        """Rates (cells, resamples)."""
        given = scores[self.held]
        if np.isnan(given).any():
            return np.full((self.cells.shape[1], len(self.weights)), np.nan)
        least = thresholds(given[self.concrete], self.weights[:, self.concrete], self.alpha)
        if filtered is not None:
            given = np.where(filtered[self.held], -np.inf, given)
        return flag_rates(given, least, self.cells, self.weights)


def _test(plan: Plan, seed: int, hedges: Hedges, images: Images) -> _Test:
    drawn, status = plan.split(seed), plan.statuses(hedges)
    held = np.flatnonzero(drawn.held_out)
    status, subtypes, calibration = status[held], plan.subtypes[held], drawn.calibration[held]
    concrete = status == "concrete"
    rest = concrete & ~calibration if not calibration.all() else concrete
    cells = [(status == "non-assertive") & (subtypes == name) for name in SUBTYPES]
    weights = images.weights(plan.mentions.table["image"].to_numpy(str)[held])
    table = np.column_stack([*cells, status == "hallucinated", rest])
    return _Test(held, concrete & calibration, table, weights, plan.options.alpha)


def _with_all(
    plan: Plan, hedges: Hedges, rates: np.ndarray, counts: np.ndarray
) -> tuple[list[dict[str, object]], np.ndarray]:
    """What cells are, and their rates, after the rate of all non-assertive mentions."""
    shares = np.array([plan.nature.shares[name] for name in SUBTYPES])
    if hedges == "claim":
        shares[SUBTYPES.index("hedged")] = 0
    used, parts = shares > 0, rates[: len(SUBTYPES)]
    if used.any():
        every = (shares[used, None] / shares.sum() * parts[used]).sum(axis=0)
    else:
        every = np.full(rates.shape[1], np.nan)  # of none there is no share
    names = [("non_assertive_fpr", "all"), *(("non_assertive_fpr", name) for name in SUBTYPES)]
    names += [("hallucination_tpr", ""), ("concrete_fpr", "")]
    sizes = [counts[: len(SUBTYPES)][used].sum(), *counts]
    cells: list[dict[str, object]] = [
        {"quantity": quantity, "subtype": subtype, "n": round(float(count))}
        for (quantity, subtype), count in zip(names, sizes, strict=True)
    ]
    return cells, np.vstack([every, rates])

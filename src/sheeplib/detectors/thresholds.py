"""From scores to flags: thresholds that are chosen on calibration data, never on what is reported.

Scores rise with how likely a hallucination is; a score is flagged if it lies *above* the threshold. The
direction comes from what a score means, and is never learnt: a score that points the wrong way stays bad.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sheeplib.errors import InputError, Problem

Objective = Literal["f1", "capped_f1", "youden", "macro_f1"]
LEVELS = 100  # quantiles of each score that are tried where two thresholds are chosen together


@dataclass(frozen=True)
class Threshold:
    """Flag what scores above `values`, on any of the scores.

    Parameters
    ----------
    values : tuple of float
        One for each score; minus infinity flags everything, infinity nothing. Empty if there is none.
    objective : float
        What it reaches on the calibration data; NaN if there is none.
    reason : str
        Why there is none.
    """

    values: tuple[float, ...]
    objective: float = np.nan
    reason: str = ""

    def flags(self, scores: ArrayLike) -> np.ndarray:
        """Which are flagged.

        Parameters
        ----------
        scores : array (n,) or (n, S)
            Of the S scores that the threshold was chosen for.

        Returns
        -------
        ndarray of bool, (n,)

        Raises
        ------
        InputError
            If there is no threshold, or the number of scores is another.
        """
        table = as_table(scores)
        if self.reason:
            raise InputError(Problem(f"there is no threshold: {self.reason}"))
        if table.shape[1] != len(self.values):
            found = (table.shape[1], len(self.values))
            raise InputError(Problem("scores and thresholds differ in number", "Give one each", value=found))
        return np.asarray((table > self.values).any(axis=1))


def best(scores: ArrayLike, marked: ArrayLike, objective: Objective = "f1") -> Threshold:
    """The threshold that does best on calibration data, among all there are.

    Parameters
    ----------
    scores : array (n,)
        Higher where a hallucination is more likely.
    marked : array of bool, (n,)
        Whether it is one.
    objective : {"f1", "capped_f1", "youden", "macro_f1"}
        F1 of the marked; the same among thresholds that flag no more than is marked; recall plus
        specificity minus 1; mean of the F1 of marked and unmarked.

    Returns
    -------
    Threshold
        The largest score that is not flagged; minus infinity where flagging everything does best. Of
        equally good ones the highest, which flags least. None, with a reason, where scores are all the
        same or the data hold only one kind.

    Raises
    ------
    InputError
        If the numbers differ, a score is no number, or the objective is unknown.

    Source
    ------
    SHEEP, appendix C.4: "optimal threshold obtained from a calibration set"; for what it is optimal, the
    paper does not say. F1 is inferred. By Table 13 (see `sheeplib.detectors.implications`), 13 % of
    the tokens were flagged whatever the data, about as many as are marked in random answers; where a
    score says little, F1 flags nearly everything instead, and `capped_f1` comes closer.
    """
    table, truth, value = _checked(scores, marked, objective)
    if table.shape[1] != 1:
        raise InputError(Problem("several scores", "Use `best_pair` for two", value=table.shape[1]))
    if reason := _hopeless(table, truth):
        return Threshold((), reason=reason)
    levels, place = np.unique(table[:, 0], return_inverse=True)
    hits, size = _at_most(place, truth, len(levels)), _at_most(place, np.ones(len(truth)), len(levels))
    tp, fp = truth.sum() - hits, (len(truth) - truth.sum()) - (size - hits)
    # the first candidate flags everything; the highest score would flag nothing
    tp, fp = np.append(truth.sum(), tp[:-1]), np.append((~truth).sum(), fp[:-1])
    reached = value(tp, fp, truth.sum(), (~truth).sum())
    first = len(reached) - 1 - int(_best_first(reached[::-1]))
    return Threshold((float(np.append(-np.inf, levels)[first]),), float(reached[first]))


def best_pair(
    scores: ArrayLike, marked: ArrayLike, objective: Objective = "f1", levels: int = LEVELS
) -> Threshold:
    """Two thresholds at once, for flagging what exceeds either.

    Parameters
    ----------
    scores : array (n, 2)
    marked, objective
        As for `best`.
    levels : int
        Quantiles of each score that are tried, from the score that flags everything to the highest,
        which flags nothing: one score alone is among the choices.

    Returns
    -------
    Threshold
        Of equally good pairs the one that flags least.

    Raises
    ------
    InputError
        As for `best`.

    Source
    ------
    SHEEP, appendix C.4, has thresholds "for conflict and ignorance"; how the two combine, the paper does
    not say. Either of them, on a grid of quantiles, is inferred.
    """
    table, truth, value = _checked(scores, marked, objective)
    if table.shape[1] != 2 or levels < 2:
        what = "two scores and at least two levels are needed"
        raise InputError(Problem(what, value=(table.shape[1], levels)))
    if reason := _hopeless(table, truth):
        return Threshold((), reason=reason)
    grid = [_levels(column, levels) for column in table.T]
    # Place i of a score: the lowest level that it does not exceed; that level and those above miss it.
    places = [
        np.searchsorted(edges, column, side="left") for edges, column in zip(grid, table.T, strict=True)
    ]
    shape = len(grid[0]), len(grid[1])
    place = np.ravel_multi_index(places, shape)
    missed, size = (
        np.bincount(place, weights, np.prod(shape)).reshape(shape).cumsum(0).cumsum(1)
        for weights in (truth, np.ones(len(truth)))
    )
    tp, fp = truth.sum() - missed, (~truth).sum() - (size - missed)
    reached = value(tp, fp, truth.sum(), (~truth).sum())
    order = np.argsort((tp + fp).ravel(), kind="stable")
    found = order[_best_first(reached.ravel()[order])]
    chosen = np.unravel_index(found, shape)
    values = tuple(float(edges[at]) for edges, at in zip(grid, chosen, strict=True))
    return Threshold(values, float(reached[chosen]))


def cross_fitted(
    scores: ArrayLike,
    marked: ArrayLike,
    parts: Iterable[tuple[np.ndarray, np.ndarray]],
    fit: Callable[[np.ndarray, np.ndarray], Threshold] = best,
) -> tuple[np.ndarray, list[Threshold]]:
    """Flag each part of the rows with the threshold that does best on others.

    Parameters
    ----------
    scores : array (n,) or (n, S)
    marked : array of bool, (n,)
    parts : iterable of (ndarray of bool, ndarray of bool)
        Rows to choose a threshold on, and rows to flag with it; no row is in both.
    fit : callable
        Gives a threshold for scores and marks: `best` or `best_pair`, with their options.

    Returns
    -------
    flags : ndarray of bool, (n,)
        False for rows that are in no part to flag.
    thresholds : list of Threshold
        One a part.

    Raises
    ------
    InputError
        If a part gets no threshold, for the reason that `best` gives, or would flag what it learnt from.
    """
    table, truth = as_table(scores), np.asarray(marked, dtype=bool)
    flags, found = np.zeros(len(truth), dtype=bool), []
    for known, new in parts:
        if (known & new).any():
            raise InputError(Problem("a row is learnt from and flagged", "Give parts that do not overlap"))
        threshold = fit(table[known], truth[known])
        if threshold.reason:
            what = f"there is no threshold: {threshold.reason}"
            raise InputError(Problem(what, "Calibrate on other data"))
        flags[new] = threshold.flags(table[new])
        found.append(threshold)
    return flags, found


def curve(scores: ArrayLike, marked: ArrayLike) -> pd.DataFrame:
    """What each threshold would give: from flagging everything to flagging next to nothing.

    Parameters
    ----------
    scores, marked
        As for `best`.

    Returns
    -------
    DataFrame
        A row a threshold, from the lowest: `threshold`, `flagged` (share of all), `precision`, `recall`
        and the objectives.

    Raises
    ------
    InputError
        As for `best`.
    """
    table, truth, _ = _checked(scores, marked, "f1")
    levels, place = np.unique(table[:, 0], return_inverse=True)
    hits, size = _at_most(place, truth, len(levels)), _at_most(place, np.ones(len(truth)), len(levels))
    tp = np.append(truth.sum(), truth.sum() - hits[:-1])
    fp = np.append((~truth).sum(), (~truth).sum() - (size - hits)[:-1])
    columns = {
        "threshold": np.append(-np.inf, levels[:-1]),
        "flagged": (tp + fp) / max(len(truth), 1),
        "precision": _ratio(tp, tp + fp),
        "recall": _ratio(tp, np.full(len(tp), truth.sum())),
    }
    sizes = truth.sum(), (~truth).sum()
    return pd.DataFrame(columns | {name: value(tp, fp, *sizes) for name, value in OBJECTIVES.items()})


def _f1(tp: np.ndarray, fp: np.ndarray, positive: int, negative: int) -> np.ndarray:
    return _ratio(2 * tp, tp + fp + positive)


def _capped_f1(tp: np.ndarray, fp: np.ndarray, positive: int, negative: int) -> np.ndarray:
    return np.where(tp + fp <= positive, _f1(tp, fp, positive, negative), 0.0)


def _youden(tp: np.ndarray, fp: np.ndarray, positive: int, negative: int) -> np.ndarray:
    return _ratio(tp, np.full(np.shape(tp), positive)) - _ratio(fp, np.full(np.shape(fp), negative))


def _macro_f1(tp: np.ndarray, fp: np.ndarray, positive: int, negative: int) -> np.ndarray:
    tn, fn = negative - fp, positive - tp
    return (_f1(tp, fp, positive, negative) + _ratio(2 * tn, tn + fn + negative)) / 2


OBJECTIVES: Mapping[str, Callable[[np.ndarray, np.ndarray, int, int], np.ndarray]] = {
    "f1": _f1,
    "capped_f1": _capped_f1,
    "youden": _youden,
    "macro_f1": _macro_f1,
}


def _ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    return np.divide(above, below, out=np.zeros(np.shape(above)), where=np.asarray(below) > 0)


def _at_most(place: np.ndarray, weights: np.ndarray, count: int) -> np.ndarray:
    """Sum of weights of the rows at each level or below."""
    return np.bincount(place, weights, count).cumsum()


def _best_first(reached: np.ndarray) -> int:
    """The first value that is the highest, but for rounding."""
    return int((reached >= reached.max() - 1e-12).argmax())


def _levels(scores: np.ndarray, number: int) -> np.ndarray:
    """Candidates among a score's own values: quantiles, with minus infinity in place of the lowest."""
    found = np.quantile(scores, np.linspace(0, 1, number), method="inverted_cdf")
    return np.unique(np.append(-np.inf, found[1:]))


def as_table(scores: ArrayLike) -> np.ndarray:
    """Scores as float64 of shape (n, S); a missing one is refused."""
    given = np.asarray(scores, dtype=float)
    given = given[:, None] if given.ndim == 1 else given
    if given.ndim != 2 or np.isnan(given).any():
        raise InputError(Problem("scores must be numbers, a row each", "Leave out what has no score"))
    return given


def _checked(
    scores: ArrayLike, marked: ArrayLike, objective: str
) -> tuple[np.ndarray, np.ndarray, Callable[..., np.ndarray]]:
    if objective not in OBJECTIVES:
        known = ", ".join(get_args(Objective))
        raise InputError(Problem("unknown objective", f"Use one of {known}", value=objective))
    table, truth = as_table(scores), np.asarray(marked, dtype=bool)
    if truth.shape != (len(table),):
        raise InputError(Problem("scores and marks differ in number", value=(len(table), truth.shape)))
    return table, truth, OBJECTIVES[objective]


def _hopeless(table: np.ndarray, truth: np.ndarray) -> str:
    """Why no threshold can be chosen; empty if one can."""
    if not len(truth):
        return "there are no calibration data"
    if not truth.any() or truth.all():
        kind = "nothing" if not truth.any() else "everything"
        return f"{kind} in the calibration data is marked"
    if (table == table[0]).all():
        return "all scores of the calibration data are the same"
    return ""

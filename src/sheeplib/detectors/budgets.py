"""Thresholds that flag no more than a budget of what should not be flagged, ties and all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sheeplib.detectors.thresholds import as_table
from sheeplib.errors import InputError, Problem


@dataclass(frozen=True)
class Budget:
    """Flag as much as a budget allows of what should not be flagged.

    Parameters
    ----------
    value : float
        Flag what scores above it; minus infinity flags everything.
    rate : float
        Share of the calibration data that is flagged: less than the budget where scores are tied.
    ties : float
        Probability of flagging a score that equals `value`, with which the expected share is the budget.
    """

    value: float
    rate: float
    ties: float

    def flags(self, scores: ArrayLike, rng: np.random.Generator | None = None) -> np.ndarray:
        """Which are flagged: those above the value and, given a generator, some of those that equal it."""
        given = as_table(scores)[:, 0]
        found = given > self.value
        if rng is not None:
            found |= (given == self.value) & (rng.random(len(given)) < self.ties)
        return np.asarray(found)


def budget(scores: ArrayLike, alpha: float = 0.1) -> Budget:
    """The smallest threshold that flags at most a share `alpha` of what should not be flagged.

    Parameters
    ----------
    scores : array (n,)
        Of calibration data without hallucinations.
    alpha : float
        From 0 to 1.

    Returns
    -------
    Budget

    Raises
    ------
    InputError
        If there are no scores, one is no number, or `alpha` is no share.

    Source
    ------
    NAME-Bench: 10 % of the concrete mentions are flagged. What happens to ties is not said.
    """
    given = as_table(scores)
    if given.shape[1] != 1 or not len(given):
        raise InputError(Problem("no scores to choose a threshold on", "Give one or more"))
    if not 0 <= alpha <= 1:
        raise InputError(Problem("not a share", "Use a number from 0 to 1", field="alpha", value=alpha))
    ordered = np.sort(given[:, 0])[::-1]
    allowed = int(np.searchsorted(np.arange(1, len(ordered) + 1) / len(ordered), alpha, side="right"))
    if allowed == len(ordered):
        return Budget(-np.inf, 1.0, 0.0)
    value = float(ordered[allowed])
    above, tied = int((ordered > value).sum()), int((ordered == value).sum())
    return Budget(value, above / len(ordered), min(1.0, (alpha * len(ordered) - above) / tied))

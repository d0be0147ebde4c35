"""How well scores rank tokens: over all of them, within answers, and between answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sheeplib.agreement import Measure
from sheeplib.errors import InputError, Problem

FEW = 5  # answers with marked tokens, and without, that a comparison of answers takes
_FEW = f"fewer than {FEW} answers have marked tokens, or fewer have none"
BINS = 256  # levels of a score in resamples; a value rests on the scores themselves


@dataclass(frozen=True)
class Ranking:
    """An AUROC. Its value rests on the scores themselves, its resamples on `BINS` levels of them.

    Parameters
    ----------
    places : ndarray of int, shape (n,)
        Row of the corpus's items that each scored token, or answer, belongs to.
    positive : ndarray of bool, shape (n,)
        Whether it is wrong.
    score : ndarray of float, shape (n,)
        Higher for what is more likely wrong.
    n_items : int
        Items of the corpus.
    undefined : str
        Why there is no value, should there be none.
    least : int
        Fewest of either kind for a value: an AUROC that rests on one or two says nothing.
    """

    places: np.ndarray
    positive: np.ndarray
    score: np.ndarray
    n_items: int
    undefined: str
    least: int = 1

    @property
    def counted(self) -> np.ndarray:
        """Items that it rests on."""
        return np.bincount(self.places, minlength=self.n_items) > 0

    def of(self, members: np.ndarray) -> tuple[Measure, float]:
        """As a measure of these items alone, by levels, and its value without levels."""
        row = np.full(self.n_items, -1)
        row[members] = np.arange(len(members))
        chosen = row[self.places] >= 0
        places, positive, score = row[self.places[chosen]], self.positive[chosen], self.score[chosen]
        cell = (places * 2 + positive) * BINS + _levels(score)
        units = np.bincount(cell, minlength=len(members) * 2 * BINS).reshape(len(members), 2 * BINS)
        few = min(positive.sum(), (~positive).sum()) < self.least
        exact = np.nan if few else auroc(score, positive, np.zeros(len(score), dtype=int), 1)[0]
        measure = Measure(units.astype(float), self.counted[members], _of_levels, self.undefined)
        return measure, float(exact)


def _of_levels(sums: np.ndarray) -> np.ndarray:
    """AUROC from numbers of unmarked, then marked tokens on each level."""
    fine, marked = sums[..., :BINS], sums[..., BINS:]
    wins = (marked * (fine.cumsum(axis=-1) - fine / 2)).sum(axis=-1)
    return ratio(wins, marked.sum(axis=-1) * fine.sum(axis=-1))


def ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Quotient that is NaN, without a warning, where the denominator is zero."""
    return np.divide(above, below, out=np.full(np.shape(above), np.nan), where=np.asarray(below) > 0)


def rankings(
    places: np.ndarray, positive: np.ndarray, score: np.ndarray, n_items: int
) -> dict[str, Measure | Ranking]:
    """AUROC over all tokens, within answers, and between them.

    Parameters
    ----------
    places : ndarray of int, shape (tokens,)
        Row of the corpus's items that each token belongs to.
    positive : ndarray of bool, shape (tokens,)
        Whether the token is marked.
    score : ndarray of float, shape (tokens,)
        Higher for what is more likely wrong.
    n_items : int
        Items of the corpus.

    Returns
    -------
    dict of str to Measure or Ranking
        `auroc`; `auroc_within`, the mean over answers of which some tokens are marked and others are
        not; `auroc_between`, whether answers with marked tokens have the higher mean score.

    Raises
    ------
    InputError
        If a token has no score.
    """
    if np.isnan(score).any():
        raise InputError(Problem("a token has no score", "Leave it out, or give one", field="score"))
    present = np.unique(places)
    tokens = np.bincount(places, minlength=n_items)[present]
    means = np.bincount(places, score, minlength=n_items)[present] / tokens
    wrong = np.bincount(places, positive, minlength=n_items)[present] > 0
    apart = auroc(score, positive, places, n_items)
    mixed = ~np.isnan(apart)
    within = np.column_stack([np.where(mixed, apart, 0), mixed])
    partly = Measure(within, mixed, lambda s: ratio(s[..., 0], s[..., 1]), "no answer is marked in part")
    found: dict[str, Measure | Ranking] = {
        "auroc": Ranking(places, positive, score, n_items, "all tokens are marked, or none is"),
        "auroc_within": partly,
        "auroc_between": Ranking(present, wrong, means, n_items, _FEW, FEW),
    }
    return found


def auroc(score: np.ndarray, positive: np.ndarray, group: np.ndarray, n_groups: int) -> np.ndarray:
    """How often a marked token scores above an unmarked one of the same group; ties count half.

    Parameters
    ----------
    score : ndarray of float, shape (tokens,)
    positive : ndarray of bool, shape (tokens,)
    group : ndarray of int, shape (tokens,)
        From 0 to `n_groups - 1`.
    n_groups : int

    Returns
    -------
    ndarray of float, shape (n_groups,)
        NaN where a group has not both kinds.
    """
    order = np.lexsort((score, group))
    score, positive, group = score[order], positive[order], group[order]
    fresh = np.append(True, (np.diff(score) != 0) | (np.diff(group) != 0))[: len(score)]
    run = np.cumsum(fresh) - 1
    first = np.flatnonzero(fresh)
    middle = first + (np.diff(np.append(first, len(score))) + 1) / 2  # mean rank of a run, from 1
    sizes = np.bincount(group, minlength=n_groups)
    marked = np.bincount(group, positive, minlength=n_groups)
    ranks = np.bincount(
        group, positive * (middle[run] - (np.cumsum(sizes) - sizes)[group]), minlength=n_groups
    )
    return ratio(ranks - marked * (marked + 1) / 2, marked * (sizes - marked))


def _levels(score: np.ndarray) -> np.ndarray:
    """Scores as whole numbers below `BINS`, in order: the values themselves where they are few."""
    known, place, counts = np.unique(score, return_inverse=True, return_counts=True)
    if len(known) <= BINS:
        return place
    middle = (counts.cumsum() - counts / 2) / len(score)
    return (middle * BINS).astype(int)[place]

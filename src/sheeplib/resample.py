"""Bootstrap over units: resampling weights and intervals, in one place.

A statistic that is a function of sums over units needs no resampled data: with weights `w`, a row
per resample, `w @ contributions` gives the sums of all resamples in one matrix product.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from sheeplib.errors import InputError, Problem

BLOCK = 4_000_000  # weights held at once: 32 MB, whatever the number of units and resamples
FEW = 8  # units per kind from which drawing kinds is quicker than drawing units


class Interval(NamedTuple):
    """A percentile interval of resampled values, and the form in which SHEEP prints it.

    `mean` and `half_width` are the mean of the resamples and half the interval's width;
    `undefined` is the share of resamples in which the statistic has no value.
    """

    low: float
    high: float
    mean: float
    half_width: float
    undefined: float


def generator(seed: int, *names: object) -> np.random.Generator:
    """Make a random generator that depends on the seed and on what it is for.

    Each group of a table draws from a stream of its own, so that its interval does not depend on
    which other groups are asked for.

    Parameters
    ----------
    seed : int
        From 0 to 2**63 - 1, so that it can stand in a table.
    *names
        What the stream is for; compared as text.

    Raises
    ------
    InputError
        If the seed is not such a number.
    """
    if not isinstance(seed, int | np.integer) or not 0 <= seed < 2**63:
        raise InputError(Problem("not a seed", f"Use a whole number from 0 to {2**63 - 1}", value=seed))
    digest = hashlib.sha256("\x1f".join(map(str, names)).encode()).digest()
    return np.random.default_rng([seed, *np.frombuffer(digest, dtype=np.uint32)])


def weights(n_units: int, n_resamples: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Draw how often each unit occurs in each bootstrap resample.

    Parameters
    ----------
    n_units, n_resamples : int
        Number of units in the sample, and of resamples with replacement.
    rng : numpy.random.Generator
        Source of randomness.

    Yields
    ------
    ndarray, shape (block, n_units)
        Blocks of resamples, `n_resamples` rows in all; the split into blocks does not change the
        numbers. Each row sums to `n_units`.
    """
    for rows in _blocks(n_units, n_resamples):
        block = np.empty((rows, n_units))
        for row in block:
            row[:] = np.bincount(rng.integers(n_units, size=n_units), minlength=n_units)
        yield block


def _blocks(n_units: int, n_resamples: int) -> list[int]:
    """Sizes of the blocks that `n_resamples` resamples are drawn in."""
    rows = max(1, BLOCK // n_units)
    return [min(rows, n_resamples - first) for first in range(0, n_resamples, rows)]


def resample(
    contributions: np.ndarray,
    statistic: Callable[[np.ndarray], np.ndarray],
    n_resamples: int,
    rng: np.random.Generator,
    clusters: np.ndarray | None = None,
) -> np.ndarray:
    """Bootstrap a statistic of sums over units; the order of the units does not change the numbers.

    Parameters
    ----------
    contributions : ndarray, shape (units, columns)
        What each unit adds to each sum.
    statistic : callable
        Maps sums, shape (resamples, columns), to values, shape (resamples, ...).
    n_resamples : int
        One or more.
    rng : numpy.random.Generator
        Source of randomness.
    clusters : ndarray, shape (units,), optional
        Units of equal value are drawn together (such as the answers about one image), so the
        interval allows for their dependence. A unit without value is drawn by itself, as every
        unit is by default.

    Returns
    -------
    ndarray, shape (n_resamples, ...)

    Raises
    ------
    InputError
        If there is to be no resample at all.
    """
    if n_resamples < 1:
        raise InputError(Problem("no resamples", "Ask for one or more", value=n_resamples))
    if not len(contributions):
        return statistic(np.zeros((n_resamples, contributions.shape[1])))
    units = contributions if clusters is None else _united(contributions, clusters)
    # Units that add the same to every sum are interchangeable: they need no more than their number.
    kinds, sizes = np.unique(units, axis=0, return_counts=True)
    if FEW * len(kinds) <= len(units):
        shares, blocks = sizes / len(units), _blocks(len(kinds), n_resamples)
        draws: Iterable[np.ndarray] = (rng.multinomial(len(units), shares, size=rows) for rows in blocks)
    else:
        kinds = np.repeat(kinds, sizes, axis=0)
        draws = weights(len(units), n_resamples, rng)
    return np.concatenate([statistic(drawn @ kinds) for drawn in draws])


def _united(contributions: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    """Sums over the units of each cluster, which are then the units that are drawn."""
    codes, known = pd.factorize(clusters)
    alone = codes < 0
    codes[alone] = len(known) + np.arange(alone.sum())
    sums = np.zeros((codes.max() + 1, contributions.shape[1]))
    np.add.at(sums, codes, contributions)
    return sums


def interval(values: np.ndarray, level: float = 0.95) -> Interval:
    """Percentile interval of bootstrap values; resamples without a value (NaN) are left out.

    Parameters
    ----------
    values : ndarray, shape (resamples,)
    level : float
        Share of the resamples inside the interval; quantiles are linear.

    Source
    ------
    SHEEP, Tables 8 to 10: mean and half-width of the 95 % bootstrap interval.
    """
    defined = values[~np.isnan(values)]
    undefined = 1 - len(defined) / len(values) if len(values) else 1.0
    if not len(defined):
        return Interval(np.nan, np.nan, np.nan, np.nan, undefined)
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), float(defined.mean()), float(high - low) / 2, undefined)

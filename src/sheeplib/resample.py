"""Bootstrap over units: resampling weights and intervals, in one place.

A statistic that is a function of sums over units needs no resampled data: with weights `w`, a row
per resample, `w @ contributions` gives the sums of all resamples in one matrix product.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

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
    """A random generator that depends on the seed and on what it is for.

    Each group of a table draws from a stream of its own, so that its interval does not depend on
    which other groups are asked for.

    Parameters
    ----------
    seed : int
        Not negative.
    *names
        What the stream is for; compared as text.
    """
    digest = hashlib.sha256("\x1f".join(map(str, names)).encode()).digest()
    return np.random.default_rng([seed, *np.frombuffer(digest, dtype=np.uint32)])


def weights(
    n_units: int,
    n_resamples: int,
    rng: np.random.Generator,
    clusters: np.ndarray | None = None,
) -> Iterator[np.ndarray]:
    """Draw how often each unit occurs in each bootstrap resample.

    Parameters
    ----------
    n_units, n_resamples : int
        Number of units in the sample, and of resamples with replacement.
    rng : numpy.random.Generator
        Source of randomness.
    clusters : ndarray, shape (n_units,), optional
        Units of equal value are drawn together (such as the answers about one image), so the
        interval allows for their dependence. By default every unit is drawn by itself.

    Yields
    ------
    ndarray, shape (block, n_units)
        Blocks of resamples, `n_resamples` rows in all; the split into blocks does not change the
        numbers. Without clusters each row sums to `n_units`.
    """
    codes, kinds = (None, ()) if clusters is None else pd.factorize(clusters)
    n_drawn = n_units if codes is None else len(kinds)
    rows = max(1, BLOCK // max(n_units, 1))
    for first in range(0, n_resamples, rows):
        block = np.empty((min(rows, n_resamples - first), n_units))
        for row in block:
            drawn = rng.integers(n_drawn, size=n_drawn)
            times = np.bincount(drawn, minlength=n_drawn)
            row[:] = times if codes is None else times[codes]
        yield block


def resample(
    contributions: np.ndarray,
    statistic: Callable[[np.ndarray], np.ndarray],
    n_resamples: int,
    rng: np.random.Generator,
    clusters: np.ndarray | None = None,
) -> np.ndarray:
    """Bootstrap a statistic of sums over units.

    Parameters
    ----------
    contributions : ndarray, shape (units, columns)
        What each unit adds to each sum.
    statistic : callable
        Maps sums, shape (resamples, columns), to values, shape (resamples, ...).
    n_resamples, rng, clusters
        As in `weights`.

    Returns
    -------
    ndarray, shape (n_resamples, ...)
    """
    if not len(contributions):
        return statistic(np.zeros((n_resamples, contributions.shape[1])))
    if clusters is None:
        # Units that add the same to every sum are interchangeable: draw how many of each kind.
        kinds, sizes = np.unique(contributions, axis=0, return_counts=True)
        if FEW * len(kinds) <= len(contributions):
            drawn = rng.multinomial(sizes.sum(), sizes / sizes.sum(), size=n_resamples)
            return statistic(drawn @ kinds)
    blocks = weights(len(contributions), n_resamples, rng, clusters)
    return np.concatenate([statistic(block @ contributions) for block in blocks])


def interval(values: np.ndarray, level: float = 0.95) -> Interval:
    """Percentile interval of bootstrap values; resamples without a value (NaN) are left out.

    Parameters
    ----------
    values : ndarray, shape (resamples,)
    level : float
        Share of the resamples inside the interval.

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

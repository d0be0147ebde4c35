"""Rows of tables of what models can do: a number, its interval over images, and what it rests on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sheeplib.resample import generator, interval, resample

RESAMPLES = 1000
COLUMNS = ("model", "quantity", "language", "type", "value", "low", "high", "n")


def share(sums: np.ndarray) -> np.ndarray:
    """First over second column, (rows,); no number where the second is nothing."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(sums[:, 1] > 0, sums[:, 0] / sums[:, 1], np.nan)


def row(
    about: Sequence[Any],
    sums: np.ndarray,
    images: np.ndarray,
    n: int,
    bootstrap: tuple[int, int],
    statistic: Callable[[np.ndarray], np.ndarray] = share,
) -> dict[str, Any]:
    """One row.

    Parameters
    ----------
    about : sequence
        Model, quantity, language and type of question.
    sums : ndarray, (units, columns)
        What each unit adds.
    images : ndarray, (units,)
        What each unit is about; units about one image are drawn together.
    n : int
        Units that the number rests on.
    bootstrap : tuple of (int, int)
        Seed and number of resamples.
    statistic : callable
        From sums, (resamples, columns), to values, (resamples,).
    """
    seed, resamples = bootstrap
    drawn = resample(sums, statistic, resamples, generator(seed, "census", *about), images)
    low, high, *_ = interval(drawn)
    value = float(statistic(sums.sum(axis=0, keepdims=True))[0])
    return dict(zip(COLUMNS, (*about, value, low, high, n), strict=True))


def table(rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Rows as a table, each column with its type."""
    text = dict.fromkeys(("model", "quantity", "language", "type"), "string")
    numbers = dict.fromkeys(("value", "low", "high"), "float64")
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(text | numbers | {"n": "Int64"})

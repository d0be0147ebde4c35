"""Scores of a classifier as functions of sums over texts, and their intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from sheeplib import resample

VARIANTS = ("grouped", "ungrouped")
QUANTITIES = {
    "f1": "F1 of one origin",
    "accuracy": "Share of texts whose origin is told",
    "macro_f1": "F1, mean over origins",
    "majority": "Share of the commonest origin: the accuracy of always naming it",
    "f1_leakage": "F1 of one origin, ungrouped minus grouped",
    "accuracy_leakage": "Accuracy, ungrouped minus grouped",
    "macro_f1_leakage": "Mean F1, ungrouped minus grouped",
}


def labels(names: Sequence[str], variants: Sequence[str]) -> list[dict[str, object]]:
    """Quantity, origin and folds of each score: those of `values` in their order, then `majority`."""
    sides: list[tuple[str, object]] = [("", variant) for variant in variants]
    sides += [("_leakage", pd.NA)] if len(variants) == len(VARIANTS) else []
    kinds = [("f1", name) for name in names] + [("accuracy", pd.NA), ("macro_f1", pd.NA)]
    rows = [
        {"quantity": kind + suffix, "origin": name, "folds": side}
        for suffix, side in sides
        for kind, name in kinds
    ]
    return [*rows, {"quantity": "majority", "origin": pd.NA, "folds": pd.NA}]


def values(sums: np.ndarray, n_origins: int) -> np.ndarray:
    """Scores from counts of (true, told) pairs of origins.

    Parameters
    ----------
    sums : ndarray, shape (..., variants * origins * origins)
    n_origins : int

    Returns
    -------
    ndarray, shape (..., scores)
        F1 of each origin (2 hits / (true + told)), accuracy, mean F1; for each variant, then for the
        second less the first where there are two. NaN where an origin neither occurs nor is told.
    """
    counts = sums.reshape(*sums.shape[:-1], -1, n_origins, n_origins)
    hits = np.diagonal(counts, axis1=-2, axis2=-1)
    true, told = counts.sum(axis=-1), counts.sum(axis=-2)
    f1 = np.divide(2 * hits, true + told, out=np.full(hits.shape, np.nan), where=true + told > 0)
    whole = true.sum(axis=-1, keepdims=True)
    accuracy = hits.sum(axis=-1, keepdims=True) / whole
    scores = np.concatenate([f1, accuracy, f1.mean(axis=-1, keepdims=True)], axis=-1)
    sides = [scores[..., place, :] for place in range(scores.shape[-2])]
    sides += [sides[1] - sides[0]] if len(sides) == len(VARIANTS) else []
    return np.concatenate(sides, axis=-1)


def scored(
    cells: np.ndarray,
    names: Sequence[str],
    variants: Sequence[str],
    resamples: int,
    rng: np.random.Generator,
    clusters: np.ndarray,
) -> list[dict[str, object]]:
    """One row a score, all on the same resamples of clusters.

    Parameters
    ----------
    cells : ndarray, shape (texts, variants * origins * origins)
        A one for each variant, at the pair of origins that is true and told.
    """
    size = len(names)

    def true(sums: np.ndarray) -> np.ndarray:
        return sums[..., : size**2].reshape(*sums.shape[:-1], size, size).sum(axis=-1)

    there = true(cells.sum(axis=0))
    commonest = [there.argmax()]  # of all texts, also where a resample has more of another

    def statistic(sums: np.ndarray) -> np.ndarray:
        share = true(sums)[..., commonest] / true(sums).sum(axis=-1, keepdims=True)
        return np.concatenate([values(sums, size), share], axis=-1)

    point = statistic(cells.sum(axis=0))
    drawn = resample.resample(cells, statistic, resamples, rng, clusters)
    n_of = dict(zip(names, there.astype(int), strict=True))
    rows = []
    for place, row in enumerate(labels(names, variants)):
        found = resample.interval(drawn[:, place])
        reason: object = pd.NA
        if found.undefined:
            reason = f"undefined in {found.undefined:.1%} of the resamples, which the interval leaves out"
        n = len(cells) if pd.isna(row["origin"]) else n_of[str(row["origin"])]
        numbers = {"value": point[place], "low": found.low, "high": found.high, "n": n}
        rows.append(row | numbers | {"resamples": resamples, "reason": reason})
    return rows


def confusion(cells: np.ndarray, names: Sequence[str], variants: Sequence[str]) -> pd.DataFrame:
    """How often each origin was taken for each, one row a pair: `folds, origin, told, items`."""
    pairs = pd.MultiIndex.from_product([variants, names, names], names=["folds", "origin", "told"])
    return pd.DataFrame({"items": cells.sum(axis=0).astype(int)}, index=pairs).reset_index()

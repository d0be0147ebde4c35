"""Scores of items brought together: means per language, coverage, classification."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from sheeplib.scoring.marked import Marked

UNKNOWN = "und"  # ISO 639-2: undetermined


def summarise(frame: pd.DataFrame, references: Iterable[Marked] | None = None) -> dict[str, dict[str, Any]]:
    """Means over items per language.

    Parameters
    ----------
    frame : DataFrame
        From `score` or `score_mushroom`.
    references : iterable of Marked, optional
        All references, to tell how many of them were predicted.

    Returns
    -------
    dict of dict
        By language (`"und"` if unknown): `n` items scored; with references `n_gold` in the predicted
        splits, `n_pred` and `coverage` (share of them that was predicted); the means `cor, cor_lbl, iou`;
        `nan`, the items whose Cor is undefined, which makes the mean undefined; and `classification`
        (`accuracy, precision, recall, f1`) if every item has annotators.
    """
    known = None if references is None else list(references)
    languages = frame["language"].fillna(UNKNOWN)
    return {
        language: _summary(part, known) for language, part in frame.groupby(languages.rename("by"), sort=True)
    }


def _summary(part: pd.DataFrame, references: list[Marked] | None) -> dict[str, Any]:
    said: dict[str, Any] = {"n": len(part)}
    if references is not None:
        series = {_series(item) for item in part["item"]}
        languages = set(part["language"].fillna(UNKNOWN))
        gold = sum(
            (one.language or UNKNOWN) in languages and _series(one.item) in series for one in references
        )
        said |= {"n_gold": gold, "n_pred": len(part), "coverage": len(part) / gold}
    # of arrays, because means of pandas pass over NaN in silence
    said |= {name: float(part[name].to_numpy().mean()) for name in ("cor", "cor_lbl", "iou") if name in part}
    said["nan"] = int(part["cor"].isna().sum())
    if "positive" in part and part["positive"].notna().all():
        said["classification"] = classify(part["positive"].astype(bool), part["flagged"].astype(bool))
    return said


def _series(item: str) -> str:
    """Split and language of an identifier: all but its last part."""
    return item.rpartition("-")[0]


def classify(positive: pd.Series, flagged: pd.Series) -> dict[str, float]:
    """Accuracy, and precision, recall and F1 of the positive class; 0 where one is undefined.

    Parameters
    ----------
    positive, flagged : Series of bool, one row an item
        What the annotators' majority says, and what the prediction says.

    Returns
    -------
    dict of float
    """
    hits, right = int((positive & flagged).sum()), float((positive == flagged).mean())
    found, there = int(flagged.sum()), int(positive.sum())
    return {
        "accuracy": right,
        "precision": hits / found if found else 0.0,
        "recall": hits / there if there else 0.0,
        "f1": 2 * hits / (found + there) if found + there else 0.0,
    }

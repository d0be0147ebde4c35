"""THRONE's scores by class: precision and recall of what captions claim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

from sheeplib.corpora.coco import Objects
from sheeplib.errors import InputError, Problem
from sheeplib.mentions.throne import ABSENT, DISQUALIFIED, PRESENT, Vote, verdicts


def throne_scores(
    items: pd.DataFrame, votes: pd.DataFrame, objects: Objects, vote: Vote = "majority"
) -> dict[str, float]:
    """Score captions with THRONE, given the votes.

    Parameters
    ----------
    items : DataFrame
        Columns `item` and `image`: the captions that were asked about.
    votes : DataFrame
        As from `throne.ask_votes`.
    objects : Objects
    vote : {"majority", "unanimous"}

    Returns
    -------
    dict
        `captions`, `asked` (classes, over captions), `claimed`, `hallucinated` (claimed, and not shown) and
        `disqualified`; then `precision`, `recall`, `f1` and `f0.5`, averaged over classes.
    """
    said = votes.assign(verdict=verdicts(votes["yes"], votes["votes"], vote))
    rows, columns = list(items["item"]), list(objects.categories)
    columns += [concept for concept in dict.fromkeys(said["concept"]) if concept not in objects.categories]
    images = items["image"].map(lambda image: objects.shown.get(image, frozenset()))
    shown = np.array([[name in there for name in columns] for there in images], dtype=bool)
    claimed = claimed_table(said, rows, columns)
    counts = {
        "captions": len(rows),
        "asked": len(said),
        "claimed": int((claimed == 1).sum()),
        "hallucinated": int(((claimed == 1) & ~shown).sum()),
        "disqualified": int(np.isnan(claimed).sum()),
    }
    return counts | class_scores(claimed, shown.reshape(claimed.shape))


def class_scores(
    claimed: np.ndarray, shown: np.ndarray, by: Literal["class", "image"] = "class"
) -> dict[str, float]:
    """Precision, recall, F1 and F0.5 of the claimed classes, averaged over classes or over images.

    Parameters
    ----------
    claimed : ndarray, shape (images, classes)
        1 if a class is claimed, 0 if not, NaN if it is disqualified: such pairs count nowhere.
    shown : ndarray of bool, shape (images, classes)
    by : {"class", "image"}

    Returns
    -------
    dict
        `precision`, `recall`, `f1` and `f0.5`.

    Notes
    -----
    As in the released code, precision and recall are 0 where nothing is claimed or shown, and F is then
    undefined and left out of its average: so F rests on fewer classes or images than precision and recall.

    Raises
    ------
    InputError
        If the shapes differ, or `by` is neither.
    """
    if claimed.shape != shown.shape or claimed.ndim != 2:
        raise InputError("claimed and shown must be tables of the same images and classes")
    if by not in ("class", "image"):
        raise InputError(Problem("unknown average", "Use class or image", value=by))
    axis = 0 if by == "class" else 1
    counted = ~np.isnan(claimed)
    says, is_there = (claimed == 1), shown & counted
    right = (says & is_there).sum(axis=axis)
    precision = _ratio(right, says.sum(axis=axis), 0.0)
    recall = _ratio(right, is_there.sum(axis=axis), 0.0)
    scores = {"precision": _mean(precision), "recall": _mean(recall)}
    for name, beta in (("f1", 1.0), ("f0.5", 0.5)):
        below = beta**2 * precision + recall
        scores[name] = _mean(_ratio((1 + beta**2) * precision * recall, below, np.nan))
    return scores


def _ratio(above: np.ndarray, below: np.ndarray, otherwise: float) -> np.ndarray:
    return np.divide(above, below, out=np.full(np.shape(above), otherwise, dtype=float), where=below > 0)


def _mean(values: np.ndarray) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")


def claimed_table(verdict: pd.DataFrame, items: Sequence[str], concepts: Sequence[str]) -> np.ndarray:
    """Verdicts as `class_scores` takes them; what was not asked about is not claimed.

    Parameters
    ----------
    verdict : DataFrame
        Columns `item`, `concept` and `verdict`.
    items, concepts : sequence of str
        Rows and columns.

    Returns
    -------
    ndarray, shape (items, concepts)
    """
    table = np.zeros((len(items), len(concepts)))
    row = {item: place for place, item in enumerate(items)}
    column = {concept: place for place, concept in enumerate(concepts)}
    value = {PRESENT: 1.0, ABSENT: 0.0, DISQUALIFIED: np.nan}
    for item, concept, said in verdict[["item", "concept", "verdict"]].itertuples(index=False):
        table[row[item], column[concept]] = value[said]
    return table

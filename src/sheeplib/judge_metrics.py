"""Accuracy, precision, recall and F1 of letters, as functions of sums over items.

So the bootstrap over items is one matrix product (`sheeplib.resample`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from sheeplib.errors import InputError, Problem
from sheeplib.judge_gold import LETTERS, LabelSet
from sheeplib.ratings import UNKNOWN

QUANTITIES = {
    "accuracy": "Share of items whose letter at least one annotator gave as well",
    "precision": "Precision, mean over labels",
    "recall": "Recall, mean over labels",
    "f1": "F1, mean over labels",
    "invalid": "Share of answers in which no letter was found; they count as wrong",
}
N, RIGHT, INVALID, CLASSES = 0, 1, 2, 3  # columns of contributions; from the last on, three for each label
COLUMNS = CLASSES + 3 * len(LETTERS)


@dataclass(frozen=True)
class Rules:
    """What the paper leaves open; the defaults fit what it prints, as far as that tells.

    Parameters
    ----------
    labels : {"any", "first"}
        Labels that an annotator gives to an item: those of all spans, or of the first.
    gold : {"effective", "majority"}
        What precision and recall take for true. `effective`: the letter itself where at least one
        annotator gave it, else the majority of the annotators' first labels: this favours the judge, and
        two judges have two golds. `majority`: that majority in any case. Accuracy is the same for both.
    classes : {"occurring", "all"}
        Labels over which means are taken: those that occur among the group's letters or gold, as
        scikit-learn does unless told otherwise; or all six, where a label that does not occur counts as 0.
    empty : {"zero", "skip"}
        A label that no letter named has no precision, and one that is never true has no recall: they count
        as 0, as in scikit-learn, or are left out of the mean.

    Raises
    ------
    InputError
        If a choice is unknown.
    """

    labels: LabelSet = "any"
    gold: Literal["effective", "majority"] = "effective"
    classes: Literal["occurring", "all"] = "occurring"
    empty: Literal["zero", "skip"] = "zero"

    def __post_init__(self) -> None:
        choices = {
            "labels": get_args(LabelSet), "gold": ("effective", "majority"),
            "classes": ("occurring", "all"), "empty": ("zero", "skip"),
        }  # fmt: skip
        problems = [
            Problem("unknown choice", f"Use one of {', '.join(known)}", field=name, value=getattr(self, name))
            for name, known in choices.items()
            if getattr(self, name) not in known
        ]
        if problems:
            raise InputError(problems)


def contributions(said: np.ndarray, right: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """What each item adds to the sums that `metrics` is a function of.

    Parameters
    ----------
    said, gold : ndarray of int, shape (items,)
        Places of labels, A to F; `UNKNOWN` for a letter that is none.
    right : ndarray of bool, shape (items,)

    Returns
    -------
    ndarray, shape (items, 21)
        1, right, invalid; then for each label whether letter and gold are it, the letter is, the gold is.
    """
    labels = np.arange(len(LETTERS))
    named, true = said[:, None] == labels, gold[:, None] == labels
    return np.column_stack([np.ones(len(said)), right, said == UNKNOWN, named & true, named, true])


def metrics(sums: np.ndarray, rules: Rules | None = None) -> np.ndarray:
    """Scores from sums of contributions.

    Parameters
    ----------
    sums : ndarray, shape (..., 21)
    rules : Rules, optional
        `classes` and `empty` are looked at.

    Returns
    -------
    ndarray, shape (..., 5)
        In the order of `QUANTITIES`; NaN where there is no item.

    Notes
    -----
    A label's F1 is 2 TP / (letters + gold), and the mean is over labels, not the harmonic mean of mean
    precision and mean recall: those printed for human-written items, .576 and .508, would give .540, not
    the printed .499. The choices of `rules` are scikit-learn's by default.

    Source
    ------
    SHEEP 5.2, Tables 4 and 11. That means are over labels is inferred.
    """
    rules = rules or Rules()
    n = sums[..., N]
    true, named, gold = np.split(sums[..., CLASSES:], 3, axis=-1)
    counted = (named + gold > 0) if rules.classes == "occurring" else np.ones(named.shape, dtype=bool)
    counted = counted & (n[..., None] > 0)
    means = []
    for below in (named, gold, (named + gold) / 2):
        has = below > 0
        share = np.divide(true, below, out=np.zeros(true.shape), where=has)
        over = counted & (has | (rules.empty == "zero"))
        means.append(_quotient((share * over).sum(axis=-1), over.sum(axis=-1)))
    return np.stack([_quotient(sums[..., RIGHT], n), *means, _quotient(sums[..., INVALID], n)], axis=-1)


def _quotient(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    return np.divide(above, below, out=np.full(np.shape(above), np.nan), where=np.asarray(below) > 0)

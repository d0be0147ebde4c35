"""Where a text comes from: a person, or a model that answered questions of one data set or another."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from sheeplib import tables
from sheeplib.composition import available
from sheeplib.corpora import Corpus
from sheeplib.errors import InputError, Problem

HUMAN = "human"
# What each task tells apart, and the columns of items that it cannot do without.
TASKS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "3-way": ("people, and models' answers on either data set", ("strategy", "source")),
    "6-way": ("people, and each of the models", ("model",)),
    "source": ("the two data sets, whoever answers", ("source",)),
}
# The meadow has no questions of these data sets but makes its own, in the manner of either. This is the
# only place where the two meet: so that its numbers stand in the same rows as the paper's.
SOURCES: Mapping[str, str] = {"haloquest-like": "haloquest", "visage-like": "visage"}


def origins(corpus: Corpus, task: str) -> pd.Series:
    """The origin of each item, as one task sees it.

    Parameters
    ----------
    corpus : Corpus
    task : {"3-way", "6-way", "source"}
        `3-way`: `human`, and for answers by models the data set of the question, `haloquest` or `visage`.
        `6-way`: `human` or the model, however many there are. `source`: the data set, of all items.

    Returns
    -------
    Series of str, one row an item
        Missing where the corpus does not say.

    Raises
    ------
    InputError
        If the task is unknown.

    Source
    ------
    SHEEP 5.1, Table 3; `source` is our own, for releases that do not say who wrote an answer.
    """
    if task not in TASKS:
        raise InputError(Problem("unknown task", f"Use one of {', '.join(TASKS)}", value=task))
    items = corpus.items
    source = items["source"].replace(dict(SOURCES))
    if task == "source":
        return source.astype(tables.TEXT)
    human = items["strategy"].eq(HUMAN).fillna(False).astype(bool)
    others = items["model"] if task == "6-way" else source.where(items["strategy"].notna())
    return others.mask(human, HUMAN).astype(tables.TEXT)


def unavailable(corpus: Corpus, task: str) -> str | None:
    """Why a corpus cannot be used for a task, in words for the reader; None if it can."""
    found = origins(corpus, task).dropna().unique()
    for column in TASKS[task][1]:
        if not available(corpus, column):
            return corpus.lacks.get(column, f"{corpus.name} does not say the {column} of its items")
    if len(found) < 2:
        return corpus.lacks.get("model", f"all texts that have an origin come from one: {found[0]}")
    return None


def ordered(found: pd.Series) -> list[str]:
    """Origins by name, people last as in the paper."""
    return sorted(found.dropna().unique(), key=lambda origin: (origin == HUMAN, origin))

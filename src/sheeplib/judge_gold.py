"""The labels that annotators gave to an item: what a judge's one letter is held against.

With annotators, everything is known. A release that only says which share of them marked which characters
still tells part of it, and nothing is guessed of the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd

from sheeplib.composition import labelled
from sheeplib.corpora import Corpus
from sheeplib.errors import InputError, Problem
from sheeplib.ratings import UNKNOWN, Ratings
from sheeplib.tables import Label

LabelSet = Literal["any", "first"]
LETTERS = tuple(str(label) for label in Label)
NONE = LETTERS.index("F")
_ROUNDING = 0.01  # releases print shares with four digits; annotators are three or four


@dataclass(frozen=True)
class Given:
    """What annotators gave to each item; columns are the labels A to F.

    Parameters
    ----------
    given : ndarray of bool, shape (items, 6)
        Whether at least one annotator gave the label.
    known : ndarray of bool, shape (items, 6)
        Whether that is known.
    majority : ndarray of int, shape (items,)
        Place of the label that most annotators gave, by their first spans; `UNKNOWN` where it is not known.
    """

    given: np.ndarray
    known: np.ndarray
    majority: np.ndarray


def given_labels(corpus: Corpus, labels: LabelSet = "any") -> Given:
    """Find out which labels at least one annotator gave to each item.

    Parameters
    ----------
    corpus : Corpus
    labels : {"any", "first"}
        An annotator gives an item the labels of all spans (inferred), or that of the first span alone;
        F without spans.

    Returns
    -------
    Given
        In the order of the items. For items without annotators see the notes; unlabelled ones are unknown.

    Raises
    ------
    InputError
        If the choice is unknown, or ratings and spans do not belong together.

    Notes
    -----
    The majority is that of the annotators' first labels; of labels that equally many gave, it is the one
    that an annotator gave first, in the order of the ratings (inferred).

    From aggregated labels, where `prob` is the share of annotators, follows for `labels="any"`:

    - A to E were given exactly if some stretch carries the label;
    - F was given by all if there is no stretch at all;
    - F was given by nobody if the shares at one character, over all labels, add up to 1: then every
      annotator marked it. That takes for granted that nobody gave one character two labels. Where that
      happens shares can exceed 1; if they do so anywhere in the corpus, only single labels of share 1 count;
    - otherwise some annotator may have marked nothing, or each may have marked something else: unknown.

    Majorities are unknown, unless all gave F; so is nearly everything for `labels="first"`.

    Source
    ------
    SHEEP 5.2: an item counts as right if at least one annotator gave the label that was predicted.
    """
    if labels not in get_args(LabelSet):
        remedy = f"Use one of {', '.join(get_args(LabelSet))}"
        raise InputError(Problem("unknown choice", remedy, field="labels", value=labels))
    found = _from_labels(corpus, labels)
    if len(corpus.ratings):
        by_rating, rated = _from_ratings(corpus, labels)
        found = Given(
            np.where(rated[:, None], by_rating.given, found.given),
            np.where(rated[:, None], by_rating.known, found.known),
            np.where(rated, by_rating.majority, found.majority),
        )
    return found


def first_labels(ratings: Ratings) -> np.ndarray:
    """Place of the label of each rating's first span, F without spans; shape (ratings,)."""
    order = np.lexsort((ratings.order, ratings.of_rating))
    rating, place = np.unique(ratings.of_rating[order], return_index=True)
    first = np.full(len(ratings.marked), NONE)
    first[rating] = ratings.label[order][place]
    return first


def _from_ratings(corpus: Corpus, labels: LabelSet) -> tuple[Given, np.ndarray]:
    """What ratings say, and which items have any."""
    marks = Ratings(corpus)
    shape = (marks.n_items, len(LETTERS))
    first = first_labels(marks)
    named = first != UNKNOWN
    given = np.zeros(shape, dtype=bool)
    given[marks.of_item[named], first[named]] = True
    if labels == "any":
        sure = marks.label != UNKNOWN
        given[marks.of_item[marks.of_rating[sure]], marks.label[sure]] = True
    counts, seen = np.zeros(shape, dtype=int), np.full(shape, len(first))
    np.add.at(counts, (marks.of_item[named], first[named]), 1)
    np.minimum.at(seen, (marks.of_item[named], first[named]), np.flatnonzero(named))
    majority = np.argmax(counts * (len(first) + 1) - seen, axis=1)  # of ties, the one that was seen first
    majority[counts.sum(axis=1) == 0] = UNKNOWN
    rated = np.bincount(marks.of_item, minlength=marks.n_items) > 0
    return Given(given, np.repeat(rated[:, None], shape[1], axis=1), majority), rated


def _from_labels(corpus: Corpus, labels: LabelSet) -> Given:
    items = pd.Index(corpus.items["item"])
    marked = corpus.labels[corpus.labels["prob"] > 0].dropna(subset="label")
    row = items.get_indexer(marked["item"])
    shape = (len(items), len(LETTERS))
    given = np.zeros(shape, dtype=bool)
    given[row, pd.Index(LETTERS).get_indexer(marked["label"])] = True
    spoken = items.isin(labelled(corpus).items["item"])
    unmarked = spoken & ~items.isin(corpus.labels["item"])
    given[unmarked, NONE] = True
    known = np.zeros(shape, dtype=bool)
    known[unmarked] = True
    if labels == "any":
        known[spoken, :NONE] = True
        known[items.isin(_marked_by_all(marked)), NONE] = True
    return Given(given, known, np.where(unmarked, NONE, UNKNOWN))


def _marked_by_all(marked: pd.DataFrame) -> pd.Index:
    """Items in which every annotator marked something, as far as shares tell."""
    if marked.empty:
        return pd.Index([])
    steps = [marked.assign(at=marked["start"], step=marked["prob"])]
    steps += [marked.assign(at=marked["end"], step=-marked["prob"])]
    levels = pd.concat(steps).groupby(["item", "at"])["step"].sum().groupby(level="item").cumsum()
    top = levels.groupby(level="item").max()
    if (top > 1 + _ROUNDING).any():
        top = marked.groupby("item")["prob"].max()
    return top.index[top >= 1 - _ROUNDING]

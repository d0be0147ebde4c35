"""Ratings and spans of a corpus arranged by item, and what annotators of one item share."""

from __future__ import annotations

from itertools import combinations
from typing import Literal, get_args

import numpy as np
import pandas as pd

from sheeplib.corpora import Corpus
from sheeplib.errors import InputError, Problem
from sheeplib.tables import Label

EmptyPairs = Literal["exclude", "one", "zero"]
Policy = Literal["first", "longest"]
UNKNOWN = -1  # number of a label that is missing; two unknown labels never match


class Ratings:
    """The ratings of a corpus, arranged by item.

    Parameters
    ----------
    corpus : Corpus
        Needs `ratings` and `spans`.

    Raises
    ------
    InputError
        If a span belongs to no rating or covers nothing, a rating belongs to no item, or an item or
        rating stands twice.
    """

    def __init__(self, corpus: Corpus) -> None:
        ratings, spans = corpus.ratings, corpus.spans
        item = pd.Index(corpus.items["item"])
        self.n_items = len(item)
        rating = pd.MultiIndex.from_frame(ratings[["item", "annotator"]])
        for keys in (item, rating):
            if not keys.is_unique:
                twice = keys[keys.duplicated()][0]
                raise InputError(Problem("an item or rating stands twice", "Keep one of them", value=twice))
        if (spans["end"] <= spans["start"]).any():
            raise InputError(Problem("a span covers nothing", "Offsets are half-open: end > start"))
        self.of_item = item.get_indexer(ratings["item"])  # (ratings,)
        self.of_rating = rating.get_indexer(pd.MultiIndex.from_frame(spans[["item", "annotator"]]))
        for codes, table in ((self.of_item, ratings), (self.of_rating, spans)):
            if (codes < 0).any():
                lost = table[codes < 0].iloc[0]
                raise InputError(
                    Problem(
                        f"item {lost['item']}, annotator {lost['annotator']}: no such item or rating",
                        "Every rating needs its item, and every span its rating (ratings without spans too)",
                    )
                )
        self.start, self.end = spans["start"].to_numpy(), spans["end"].to_numpy()
        self.order = spans["order"].to_numpy()
        self.label = pd.Index([str(label) for label in Label]).get_indexer(spans["label"])  # or UNKNOWN
        self.marked = np.bincount(self.of_rating, minlength=len(ratings)) > 0  # (ratings,)

    def presence_counts(self) -> np.ndarray:
        """Annotators who marked nothing, and something; shape (items, 2)."""
        return self._count(self.marked.astype(int), 2)

    def label_counts(self, policy: Policy = "first", count_none: bool = True) -> np.ndarray:
        """Annotators by the label they gave to an item as a whole; shape (items, 6), order A to F.

        Parameters
        ----------
        policy : {"first", "longest"}
            An annotator's label is that of the first span as written, or of the longest span
            (ties: the earliest). Where that label is missing, the annotator does not count.
        count_none : bool
            Whether annotators without spans count with the value F (none), or not at all.
        """
        rank = self.order if policy == "first" else self.start
        length = np.zeros_like(self.start) if policy == "first" else self.start - self.end
        chosen = np.lexsort((self.order, rank, length, self.of_rating))
        rating, place = np.unique(self.of_rating[chosen], return_index=True)
        none = list(Label).index(Label.NONE)
        label = np.full(len(self.marked), none if count_none else UNKNOWN)
        label[rating] = self.label[chosen][place]
        return self._count(label, len(Label))

    def all_marked(self) -> np.ndarray:
        """Items that every one of their annotators marked; shape (items,), bool."""
        counts = self.presence_counts()
        return (counts[:, 0] == 0) & (counts[:, 1] > 0)

    def _count(self, value: np.ndarray, n_values: int) -> np.ndarray:
        known = value != UNKNOWN
        cells = self.of_item[known] * n_values + value[known]
        return np.bincount(cells, minlength=self.n_items * n_values).reshape(self.n_items, n_values)

    def span_overlaps(self, match_labels: bool, empty_pairs: EmptyPairs = "exclude") -> np.ndarray:
        """Overlap (intersection over union) of what two annotators marked, summed over pairs.

        Parameters
        ----------
        match_labels : bool
            Whether the intersection counts only characters that both marked with one label; the
            union is that of all marked characters either way.
        empty_pairs : {"exclude", "one", "zero"}
            What a pair counts that marked nothing at all. The paper does not say; excluding them
            is what its printed values allow.

        Returns
        -------
        ndarray, shape (2, items)
            Sum of the overlaps of all unordered pairs of an item's annotators, and their number.

        Source
        ------
        SHEEP 5.1, span agreement: intersection with or without the label.
        """
        if empty_pairs not in get_args(EmptyPairs):
            remedy = f"Use one of {', '.join(get_args(EmptyPairs))}"
            raise InputError(Problem("unknown choice", remedy, field="empty_pairs", value=empty_pairs))
        marks = self._marks()
        overlaps, pairs = np.zeros(self.n_items), np.zeros(self.n_items)
        ends = np.cumsum(np.bincount(self.of_item, minlength=self.n_items))
        by_item = np.split(np.argsort(self.of_item, kind="stable"), ends[:-1])
        for item, ratings in enumerate(by_item):
            for one, other in combinations(ratings, 2):
                union = (marks[one].all | marks[other].all).bit_count()
                if union:
                    overlaps[item] += marks[one].shared(marks[other], match_labels) / union
                elif empty_pairs == "exclude":
                    continue
                else:
                    overlaps[item] += empty_pairs == "one"
                pairs[item] += 1
        return np.stack([overlaps, pairs])

    def _marks(self) -> list[Marks]:
        marks = [Marks() for _ in self.marked]
        spans = zip(self.of_rating, self.start.tolist(), self.end.tolist(), self.label.tolist(), strict=True)
        for rating, start, end, label in spans:
            marks[rating].add(start, end, label)
        return marks


class Marks:
    """The characters that one annotator marked in one text, as bits of integers.

    Integers of any length give union, intersection and size of sets of characters in a few machine
    instructions, whatever the number of spans and however they overlap.
    """

    __slots__ = ("all", "by_label")

    def __init__(self) -> None:
        self.all = 0
        self.by_label: dict[int, int] = {}

    def add(self, start: int, end: int, label: int) -> None:
        """Mark the characters from `start` to before `end` with a label's number."""
        bits = (1 << end) - (1 << start)
        self.all |= bits
        self.by_label[label] = self.by_label.get(label, 0) | bits

    def shared(self, other: Marks, match_labels: bool) -> int:
        """Number of characters that both marked, with one label if `match_labels`."""
        if not match_labels:
            return (self.all & other.all).bit_count()
        both = 0
        for label in self.by_label.keys() & other.by_label.keys() - {UNKNOWN}:
            both |= self.by_label[label] & other.by_label[label]
        return both.bit_count()

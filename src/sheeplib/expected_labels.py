"""Do annotators give the label that was expected: by the judge that pre-selects, or by the writer?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from sheeplib import resample, tables
from sheeplib.corpora import Corpus
from sheeplib.errors import InputError, Problem
from sheeplib.judge_gold import LETTERS, NONE, LabelSet, first_labels
from sheeplib.ratings import UNKNOWN, Ratings

STRATEGIES = ("map", "random", "human")  # the panels of SHEEP, Figure 4, in its order
_SIZE = len(LETTERS)


def expected_labels(
    corpus: Corpus, labels: LabelSet = "first", *, resamples: int = 2000, seed: int = 2026
) -> pd.DataFrame:
    """How annotations distribute over labels, by the label that was expected of the item.

    Parameters
    ----------
    corpus : Corpus
        Expected labels are its column `prelabel`: the judge's letter, or the writer's label.
    labels : {"first", "any"}
        An annotation is the label of its first span (inferred), or counts once for each label that its
        spans have; without spans it is F.
    resamples, seed : int
        Bootstrap over items; the annotations of one item are drawn together.

    Returns
    -------
    DataFrame
        Table `results`: quantity `annotations_share`, by `strategy`, `expected` and `given`: of the
        annotations of items with the expected label, the share with the given one, with `n` annotations of
        such items. Every pair of letters has a row; where no item has the expected label, the value is
        missing. So is everything, with the reason, where a corpus lacks strategy, expected labels or
        annotators.

    Raises
    ------
    InputError
        If the choice is unknown, or ratings and spans do not belong together.

    Source
    ------
    SHEEP 5.1, Figure 4: "for all available annotations". The figure prints no numbers.
    """
    if labels not in ("first", "any"):
        raise InputError(Problem("unknown choice", "Use first or any", field="labels", value=labels))
    lacking = [
        corpus.lacks[name] for name in ("ratings", "kinds", "strategy", "prelabel") if name in corpus.lacks
    ]
    if not lacking and corpus.items[["strategy", "prelabel"]].isna().any(axis=1).all():
        lacking = ["no item has both a strategy and an expected label"]
    if lacking:
        return _results([{"value": np.nan, "n": 0, "reason": lacking[0]}], corpus, seed)
    counts = _counts(corpus, labels)  # (items, 6)
    rows: list[dict[str, object]] = []
    for strategy in STRATEGIES:
        chosen = (corpus.items["strategy"] == strategy) & corpus.items["prelabel"].notna()
        members = np.flatnonzero(chosen.fillna(False).to_numpy(dtype=bool))
        if len(members):
            expected = pd.Index(LETTERS).get_indexer(corpus.items["prelabel"].iloc[members])
            rng = resample.generator(seed, "expected_labels", strategy, labels)
            cells = _rows(expected, counts[members], resamples, rng)
            rows += [{"strategy": strategy, **row} for row in cells]
    return _results(rows, corpus, seed)


def _counts(corpus: Corpus, labels: LabelSet) -> np.ndarray:
    """Annotations of each item by label."""
    marks = Ratings(corpus)
    if labels == "first":
        label, rating = first_labels(marks), np.arange(len(marks.marked))
    else:
        nothing = np.flatnonzero(~marks.marked)
        pairs = np.stack([marks.of_rating, marks.label], axis=1)
        pairs = np.unique(
            np.vstack([pairs, np.stack([nothing, np.full_like(nothing, NONE)], axis=1)]), axis=0
        )
        rating, label = pairs.T
    named = label != UNKNOWN
    counts = np.zeros((marks.n_items, _SIZE))
    np.add.at(counts, (marks.of_item[rating[named]], label[named]), 1)
    return counts


def _rows(
    expected: np.ndarray, counts: np.ndarray, n_resamples: int, rng: np.random.Generator
) -> Iterator[dict[str, object]]:
    """Shares of one strategy, expected label by expected label."""
    units = (np.eye(_SIZE)[expected][:, :, None] * counts[:, None, :]).reshape(len(counts), -1)
    drawn = resample.resample(units, _shares, n_resamples, rng)
    sums = units.sum(axis=0)
    point = _shares(sums)
    whole = sums.reshape(_SIZE, _SIZE).sum(axis=1).astype(int)
    for row, expected_letter in enumerate(LETTERS):
        for column, given_letter in enumerate(LETTERS):
            found = resample.interval(drawn[:, row, column])
            cell = {"expected": expected_letter, "given": given_letter, "value": point[row, column]}
            why = pd.NA if whole[row] else "no item has this expected label"
            ends = {"low": found.low, "high": found.high, "n": whole[row], "resamples": n_resamples}
            yield cell | ends | {"reason": why}


def _shares(sums: np.ndarray) -> np.ndarray:
    square = sums.reshape(*sums.shape[:-1], _SIZE, _SIZE)
    whole = np.broadcast_to(square.sum(axis=-1, keepdims=True), square.shape)
    return np.divide(square, whole, out=np.full(square.shape, np.nan), where=whole > 0)


def _results(rows: list[dict[str, object]], corpus: Corpus, seed: int) -> pd.DataFrame:
    columns = ["strategy", "expected", "given", "value", "low", "high", "n", "resamples", "reason"]
    frame = pd.DataFrame(rows).reindex(columns=columns).assign(quantity="annotations_share")
    frame = frame.assign(corpus=corpus.name, seed=seed, notebook=pd.NA)
    text = dict.fromkeys(("strategy", "expected", "given", "reason"), "string")
    return tables.validate("results", frame.astype(text | {"resamples": "Int64"}))

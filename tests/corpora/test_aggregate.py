"""Aggregated labels against a count of annotators character by character."""

import re
from collections import defaultdict
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora_of import corpus_of
from sheeplib.corpora.aggregate import PAPER_DIGITS, aggregate_labels
from sheeplib.errors import InputError

LENGTH = 12


def aggregated_each(items, digits=None):
    """Rows of `labels` of each item, from its annotators' marks."""
    corpus = corpus_of({str(place): ratings for place, ratings in enumerate(items)}, length=LENGTH)
    labels = aggregate_labels(corpus.items, corpus.ratings, corpus.spans, digits)
    rows = [[] for _ in items]
    for row in labels.itertuples():
        rows[int(row.item)].append((row.start, row.end, row.prob, None if pd.isna(row.label) else row.label))
    return rows


def aggregated(ratings, digits=None):
    return aggregated_each([ratings], digits)[0]


@st.composite
def marks(draw):
    start = draw(st.integers(0, LENGTH - 1))
    return start, draw(st.integers(start + 1, LENGTH)), draw(st.sampled_from(["A", "C", "E", None]))


several = st.lists(st.lists(st.lists(marks(), max_size=6), min_size=1, max_size=5), min_size=1, max_size=8)
few = settings(max_examples=15, deadline=None)  # of several items each: most of the time goes into pandas


def count_characters(ratings):
    """The twin: how many annotators marked each character with each label."""
    counts = defaultdict(lambda: [0] * LENGTH)
    for rating in ratings:
        marked = {(label, place) for start, end, label in rating for place in range(start, end)}
        for label, place in marked:
            counts[label][place] += 1
    return counts


@few
@given(several)
def test_shares_equal_a_count_character_by_character(items):
    for ratings, rows in zip(items, aggregated_each(items), strict=True):
        counts = count_characters(ratings)
        found = defaultdict(lambda: [0] * LENGTH)
        for start, end, prob, label in rows:
            assert not any(found[label][start:end])  # runs of one label do not overlap
            found[label][start:end] = [prob] * (end - start)
        assert found == {
            label: [float(Fraction(count, len(ratings))) for count in shares]
            for label, shares in counts.items()
        }


@few
@given(several)
def test_runs_are_the_longest_and_ordered(items):
    for rows in aggregated_each(items):
        assert rows == sorted(rows, key=lambda row: (row[3] is None, row[3] or "", row[0]))
        for (_, end, prob, label), (start, _, following, other) in zip(rows, rows[1:], strict=False):
            assert label != other or end < start or prob != following


@few
@given(several)
def test_neither_the_order_of_annotators_nor_of_their_spans_matters(items):
    turned = [[rating[::-1] for rating in ratings[::-1]] for ratings in items]
    assert aggregated_each(turned) == aggregated_each(items)


def test_one_annotator_counts_once_however_often_they_mark():
    # the first marks 2:6 twice, 4:8 again, and 8:9, which touches: one run of one annotator in two
    assert aggregated([[(2, 6, "A"), (2, 6, "A"), (4, 8, "A"), (8, 9, "A")], []]) == [(2, 9, 0.5, "A")]


def test_characters_that_nobody_marked_are_in_no_run():
    assert aggregated([[(2, 4, "A"), (7, 9, "A")]]) == [(2, 4, 1.0, "A"), (7, 9, 1.0, "A")]


def test_labels_of_one_character_are_counted_apart():
    assert aggregated([[(0, 4, "B"), (2, 6, "A")]]) == [(2, 6, 1.0, "A"), (0, 4, 1.0, "B")]


def test_a_run_goes_on_where_one_annotator_takes_over_from_another():
    assert aggregated([[(0, 4, "A")], [(4, 8, "A")]]) == [(0, 8, 0.5, "A")]


def test_four_annotators_give_quarters():
    ratings = [[(0, 8, "A")], [(2, 8, "A")], [(4, 8, "A")], []]
    assert aggregated(ratings) == [(0, 2, 0.25, "A"), (2, 4, 0.5, "A"), (4, 8, 0.75, "A")]


def test_spans_without_kinds_come_last_and_keep_a_missing_label():
    corpus = corpus_of({"i": [[(0, 2, None), (1, 3, "E")]]})
    labels = aggregate_labels(corpus.items, corpus.ratings, corpus.spans)
    assert labels["label"].tolist() == ["E", pd.NA]
    assert str(labels["label"].dtype) == "string"


def test_probabilities_are_exact_unless_digits_are_asked_for():
    ratings = [[(0, 2, "A")], [(0, 1, "A")], []]
    assert [row[2] for row in aggregated(ratings)] == [2 / 3, 1 / 3]
    assert [row[2] for row in aggregated(ratings, PAPER_DIGITS)] == [0.6667, 0.3333]
    assert [row[2] for row in aggregated(ratings, 1)] == [0.7, 0.3]


def test_items_come_in_their_own_order_and_need_no_marks():
    corpus = corpus_of({"z": [[(0, 1, "A")]], "empty": [[], []], "unrated": [], "a": [[(0, 1, "B")], []]})
    labels = aggregate_labels(corpus.items, corpus.ratings, corpus.spans)
    assert list(zip(labels["item"], labels["prob"], strict=True)) == [("z", 1.0), ("a", 0.5)]


def test_nothing_gives_an_empty_table_with_its_columns():
    corpus = corpus_of({"i": [[]]})
    labels = aggregate_labels(corpus.items, corpus.ratings, corpus.spans)
    assert labels.empty
    assert labels.columns.tolist() == ["item", "start", "end", "prob", "label"]


def test_a_span_without_a_rating_is_refused():
    corpus = corpus_of({"i": [[], [(0, 1, "A")]]})
    with pytest.raises(InputError, match=re.escape("item i: annotator r1 has a span, but no rating")):
        aggregate_labels(corpus.items, corpus.ratings[corpus.ratings["annotator"] == "r0"], corpus.spans)

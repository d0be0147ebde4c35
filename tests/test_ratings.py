from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora_of import corpus_of, random_corpus
from sheeplib import InputError
from sheeplib.ratings import Ratings


def test_presence_counts_ratings_without_spans():
    ratings = Ratings(corpus_of({"a": [[], [(0, 1, "A")], []], "b": [[(0, 1, "A"), (3, 5, "B")]]}))
    assert ratings.presence_counts().tolist() == [[2, 1], [0, 1]]
    assert ratings.all_marked().tolist() == [False, True]
    assert Ratings(corpus_of({"a": [], "b": [[]]})).all_marked().tolist() == [False, False]


def test_first_is_the_order_as_written_and_longest_breaks_ties_by_start():
    marks = [(50, 60, "C"), (0, 10, "A"), (20, 25, "B")]
    ratings = Ratings(corpus_of({"a": [marks], "b": [[]]}))
    assert ratings.label_counts("first").tolist() == [[0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 1]]
    assert ratings.label_counts("longest").tolist() == [[1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1]]
    # of two equal places the one written first counts, however the table is sorted
    twice = corpus_of({"a": [[(0, 5, "A"), (0, 5, "B")]]})
    twice = replace(twice, spans=twice.spans.iloc[::-1])
    assert Ratings(twice).label_counts("longest").tolist() == [[1, 0, 0, 0, 0, 0]]
    assert ratings.label_counts("first", count_none=False).tolist() == [[0, 0, 1, 0, 0, 0], [0] * 6]


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_label_counts_equal_a_plain_loop(seed):
    corpus = random_corpus(np.random.default_rng(seed), 6, raters=(1, 2, 3, 4))
    spans = list(corpus.spans.itertuples())
    ratings = corpus.ratings.groupby("item")["annotator"].agg(list)
    for policy in ("first", "longest"):
        key = {"first": lambda s: s.order, "longest": lambda s: (s.start - s.end, s.start, s.order)}[policy]
        for item, found in zip(corpus.items["item"], Ratings(corpus).label_counts(policy), strict=True):
            expected = Counter()
            for annotator in ratings[item]:
                own = [s for s in spans if (s.item, s.annotator) == (item, annotator)]
                expected[min(own, key=key).label if own else "F"] += 1
            assert dict(zip("ABCDEF", found, strict=True)) == {label: expected[label] for label in "ABCDEF"}


def overlap(one, other, match_labels):
    """Characters one by one: the plain form of the definition."""
    chars = [
        {(place, label) for start, end, label in marks for place in range(start, end)}
        for marks in (one, other)
    ]
    places = [{place for place, _ in marked} for marked in chars]
    union = places[0] | places[1]
    shared = {place for place, _ in chars[0] & chars[1]} if match_labels else places[0] & places[1]
    return len(shared) / len(union) if union else None


@given(st.integers(0, 10_000), st.booleans(), st.sampled_from(["exclude", "one", "zero"]))
@settings(max_examples=60, deadline=None)
def test_span_overlaps_equal_character_sets(seed, match_labels, empty_pairs):
    corpus = random_corpus(np.random.default_rng(seed), 5, raters=(1, 2, 3, 4))
    found = Ratings(corpus).span_overlaps(match_labels, empty_pairs)
    spans = list(corpus.spans.itertuples())
    ratings = corpus.ratings.groupby("item")["annotator"].agg(list)
    for item, total, pairs in zip(corpus.items["item"], *found, strict=True):
        marks = [
            [(s.start, s.end, s.label) for s in spans if (s.item, s.annotator) == (item, annotator)]
            for annotator in ratings[item]
        ]
        values = [overlap(one, other, match_labels) for one, other in combinations(marks, 2)]
        values = [{"one": 1, "zero": 0}.get(empty_pairs) if value is None else value for value in values]
        values = [value for value in values if value is not None]
        assert (total, pairs) == (pytest.approx(sum(values)), len(values))


def test_span_overlap_by_hand():
    # Marked 0-10 (A) and 5-15 (B): 5 characters of 15 in common, none with one label.
    ratings = Ratings(corpus_of({"a": [[(0, 10, "A")], [(5, 15, "B")]]}))
    assert ratings.span_overlaps(False).tolist() == [[5 / 15], [1]]
    assert ratings.span_overlaps(True).tolist() == [[0.0], [1]]


def test_unknown_labels_never_match():
    ratings = Ratings(corpus_of({"a": [[(0, 10, None)], [(0, 10, None)]]}))
    assert ratings.span_overlaps(True)[0, 0] == 0.0
    assert ratings.span_overlaps(False)[0, 0] == 1.0


def test_rows_may_come_in_any_order():
    corpus = random_corpus(np.random.default_rng(4), 8)
    mixed = type(corpus)("test", corpus.items, corpus.ratings.sample(frac=1, random_state=1), corpus.spans)
    mixed = type(corpus)("test", mixed.items, mixed.ratings, corpus.spans.sample(frac=1, random_state=2))
    assert (Ratings(corpus).label_counts() == Ratings(mixed).label_counts()).all()
    assert Ratings(corpus).span_overlaps(True) == pytest.approx(Ratings(mixed).span_overlaps(True))


def test_a_label_that_is_missing_is_not_label_none():
    ratings = Ratings(corpus_of({"a": [[(0, 5, None), (7, 8, "A")], [], [(0, 1, "B")]]}))
    assert ratings.label_counts("first").tolist() == [[0, 1, 0, 0, 0, 1]]
    assert ratings.presence_counts().tolist() == [[1, 2]]


def test_what_stands_twice_or_covers_nothing_is_refused():
    corpus = corpus_of({"a": [[(2, 3, "A")], []]})
    for table in ("items", "ratings"):
        rows = getattr(corpus, table)
        with pytest.raises(InputError, match="stands twice .found .*a"):
            Ratings(replace(corpus, **{table: pd.concat([rows, rows])}))
    for end in (2, 1):
        with pytest.raises(InputError, match="covers nothing"):
            Ratings(replace(corpus, spans=corpus.spans.assign(end=end)))


def test_a_span_needs_its_rating():
    corpus = corpus_of({"a": [[(0, 1, "A")], []]})
    without = type(corpus)("test", corpus.items, corpus.ratings.iloc[1:], corpus.spans)
    with pytest.raises(InputError, match="item a, annotator r0"):
        Ratings(without)
    strange = corpus.ratings.assign(item=pd.array(["a", "b"], dtype="string"))
    with pytest.raises(InputError, match="item b"):
        Ratings(type(corpus)("test", corpus.items, strange, corpus.spans.iloc[:0]))

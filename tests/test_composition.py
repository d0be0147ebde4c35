from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from corpora_of import corpus_of
from sheeplib import composition

A, B = (0, 3, "A"), (5, 9, "B")
ITEMS = {"a": [[A], [A, B], []], "b": [[], [], []], "c": [[A] * 5, [B], []]}


def corpus():
    found = corpus_of(ITEMS, language=["en", "en", "zh"], strategy=["human", "random", "human"])
    labels = pd.DataFrame(
        {"item": ["a", "a", "c", "c"], "start": 0, "end": 3, "prob": 1 / 3, "label": ["A", "B", "A", "C"]}
    )
    labels.loc[3, "prob"] = 0.0  # a label that no annotator gave
    return replace(found, labels=labels.astype({"item": "string", "label": "string"}))


def test_columns_that_a_corpus_does_not_fill_in_are_left_out():
    assert composition.available(corpus(), ["strategy", "model", "language", "nonsense"]) == [
        "strategy",
        "language",
    ]


def test_items_are_counted_by_groups():
    counts = composition.item_counts(corpus(), ["strategy", "model", "language"])
    found = counts.set_index(["strategy", "language"])["value"].to_dict()
    assert found == {("human", "en"): 1, ("human", "zh"): 1, ("random", "en"): 1}
    assert composition.item_counts(corpus(), [])["value"].tolist() == [3]
    alone = composition.item_counts(corpus(), "language")
    assert alone.set_index("language")["value"].to_dict() == {"en": 2, "zh": 1}


def test_spans_are_counted_by_rating_and_five_or_more_are_one_class():
    found = composition.spans_per_rating(corpus())
    assert found["spans"].tolist() == ["1", "2", "0", "0", "0", "0", "5+", "1", "0"]


def test_shares_of_ratings_by_hand():
    table = composition.shares(
        corpus(), composition.spans_per_rating(corpus()), "spans", quantity="rating_share", resamples=10
    ).set_index("spans")
    # nine ratings: five without spans, two with one, one with two, one with five or more
    assert table["value"].to_dict() == pytest.approx({"0": 5 / 9, "1": 2 / 9, "2": 1 / 9, "5+": 1 / 9})
    assert (table["n"] == 9).all()


def test_labels_of_items_by_hand():
    observed = composition.labels_per_item(corpus())
    assert sorted(map(tuple, observed.to_numpy())) == [
        ("a", "A"),
        ("a", "B"),
        ("b", "F"),
        ("c", "A"),
    ]
    table = composition.shares(
        corpus(), observed, "label", ["language"], quantity="item_share", per="item", resamples=10
    ).set_index(["language", "label"])
    assert table.loc[("en", "A"), "value"] == 0.5 and table.loc[("en", "F"), "value"] == 0.5
    assert table.loc[("zh", "A"), "value"] == 1.0 and table.loc[("zh", "B"), "value"] == 0.0
    assert table.loc[("zh", "F"), "value"] == 0.0


def test_ratings_of_one_item_are_drawn_together():
    # Ten items, all ratings of an item alike: resampling items makes the share of a binomial
    # sample of 10, whose standard deviation is sqrt(.25 / 10) = .158, not that of 100 ratings (.05).
    items = {f"i{n}": [[A] if n % 2 else []] * 10 for n in range(10)}
    found = corpus_of(items)
    table = composition.shares(
        found, composition.spans_per_rating(found), "spans", quantity="rating_share", resamples=4000
    ).set_index("spans")
    assert table.loc["1", "high"] - table.loc["1", "low"] == pytest.approx(
        2 * 1.96 * np.sqrt(0.25 / 10), abs=0.1
    )


def test_unlabelled_items_are_not_taken_for_unmarked_ones():
    found = corpus()
    some = replace(found, items=found.items.assign(labelled=[True, False, True]))
    assert composition.labelled(some).items["item"].tolist() == ["a", "c"]
    assert "F" not in set(composition.labels_per_item(some)["label"])
    none = replace(found, lacks={"labels": "withheld"})
    assert len(composition.labels_per_item(none)) == 0
    table = composition.shares(
        composition.labelled(none),
        composition.labels_per_item(none),
        "label",
        quantity="q",
        per="item",
        resamples=5,
    )
    assert len(table) == 0

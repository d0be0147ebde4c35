"""Expected labels against annotators' labels."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from corpora_of import corpus_of
from sheeplib import load
from sheeplib.errors import InputError
from sheeplib.expected_labels import expected_labels

EXAMPLE = corpus_of(
    {
        "one": [[(0, 2, "A"), (3, 4, "B")], []],
        "two": [[(5, 6, "B"), (0, 2, "A")], [(0, 2, "A")], [(0, 1, "C"), (2, 3, "C")]],
        "three": [[], []],
        "map": [[(0, 1, "D")]],
        "unexpected": [[(0, 1, "E")]],
        "no strategy": [[(0, 1, "E")]],
    },
    strategy=["human"] * 3 + ["map", "random", None],
    prelabel=["A", "A", "F", "D", None, "E"],
)


def cell(results, strategy, expected, given):
    chosen = (results["strategy"] == strategy) & (results["expected"] == expected)
    return results[chosen & (results["given"] == given)].iloc[0]


def test_shares_by_hand():
    found = expected_labels(EXAMPLE, resamples=50)
    # Expected A, human: first labels A, F, B, A, C: five annotations.
    assert [cell(found, "human", "A", given)["value"] for given in "ABCDEF"] == [0.4, 0.2, 0.2, 0, 0, 0.2]
    assert cell(found, "human", "A", "B")["n"] == 5
    assert cell(found, "human", "F", "F")["value"] == 1 and cell(found, "human", "F", "F")["n"] == 2
    assert cell(found, "map", "D", "D")["value"] == 1
    assert np.isnan(cell(found, "human", "E", "A")["value"])
    assert cell(found, "human", "E", "A")["reason"] == "no item has this expected label"
    assert set(found["strategy"]) == {"map", "human"} and len(found) == 2 * 36


def test_every_label_of_an_annotation_counts_once_on_request():
    found = expected_labels(EXAMPLE, "any", resamples=50)
    # A, B; F; A, B; A; C (twice, counts once): seven labels
    values = [cell(found, "human", "A", given)["value"] for given in "ABCDEF"]
    assert values == pytest.approx([3 / 7, 2 / 7, 1 / 7, 0, 0, 1 / 7])
    with pytest.raises(InputError, match="unknown choice"):
        expected_labels(EXAMPLE, "longest")


def test_rows_add_up_and_intervals_hold_one_item_together():
    rng = np.random.default_rng(0)
    items = {f"i{n}": [[(0, 2, str(rng.choice(list("ABCDE"))))] for _ in range(3)] for n in range(40)}
    corpus = corpus_of(items, strategy=["random"] * 40, prelabel=rng.choice(list("ABC"), 40).tolist())
    found = expected_labels(corpus, resamples=200)
    sums = found.dropna(subset="value").groupby("expected")["value"].sum()
    assert sums.to_numpy() == pytest.approx(1) and set(sums.index) == set("ABC")
    known = found.dropna(subset="value")
    assert (known["low"] <= known["value"]).all() and (known["value"] <= known["high"]).all()
    pd.testing.assert_frame_equal(found, expected_labels(corpus, resamples=200))
    assert not expected_labels(corpus, resamples=200, seed=1)["low"].equals(found["low"])


def test_what_is_lacking_is_the_reason(shared):
    poor = replace(EXAMPLE, lacks={"prelabel": "nobody expected anything"})
    assert expected_labels(poor)["reason"].tolist() == ["nobody expected anything"]
    none = replace(EXAMPLE, items=EXAMPLE.items.assign(prelabel=pd.NA))
    assert expected_labels(none)["value"].isna().all()
    assert expected_labels(load("sheep", directory=shared / "sheep"))["value"].isna().all()


def test_the_papers_example_is_read_as_printed(shared):
    corpus = load("sheep", directory=shared / "sheep" / "figure1.json")
    found = expected_labels(corpus, resamples=20)
    # Figure 1: strategy random, the judge said B, all three annotators gave A first.
    assert cell(found, "random", "B", "A")["value"] == 1 and cell(found, "random", "B", "A")["n"] == 3

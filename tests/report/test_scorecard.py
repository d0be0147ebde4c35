from dataclasses import replace

import pandas as pd
import pytest

from corpora_of import corpus_of
from sheeplib import InputError
from sheeplib.published import published
from sheeplib.report import scorecard as card


def results(*rows):
    columns = {"n": 10, "corpus": "test", "seed": 1, "notebook": "02", "reason": pd.NA}
    return pd.DataFrame([{**columns, **row} for row in rows])


# SHEEP, Table 9: presence on human-written data is .5668.
HUMAN = {"quantity": "presence_alpha", "strategy": "human"}


def verdict(row):
    found = card.scorecard(results(row), [("sheep", 9)])
    hits = found[(found["quantity"] == "presence_alpha") & (found["groups"] == "strategy human")]
    assert len(hits) == 1
    return hits.iloc[0]


def test_every_printed_number_has_one_row():
    found = card.scorecard(
        results(HUMAN | {"value": 0.5, "low": 0.4, "high": 0.6}), [("sheep", 9), ("sheep", 10)]
    )
    assert len(found) == len(published("sheep", 9)) + len(published("sheep", 10)) == 15 + 63


def test_printed_value_inside_our_interval_is_within():
    row = verdict(HUMAN | {"value": 0.55, "low": 0.5, "high": 0.6})
    assert (row["verdict"], row["printed"]) == (card.WITHIN, 0.5668)
    assert row["difference"] == pytest.approx(0.55 - 0.5668)


@pytest.mark.parametrize(("low", "high"), [(0.57, 0.6), (0.5, 0.5667)])
def test_printed_value_outside_differs(low, high):
    assert verdict(HUMAN | {"value": 0.55, "low": low, "high": high})["verdict"] == card.DIFFERS


def test_other_groups_do_not_match():
    # The same strategy in one language is another number than the printed one.
    row = verdict(HUMAN | {"language": "en", "value": 0.55, "low": 0.5, "high": 0.6})
    assert (row["verdict"], row["why"]) == (card.NOT_COMPUTABLE, card.NO_CHAPTER)


def test_undefined_gives_its_reason():
    row = verdict(HUMAN | {"value": float("nan"), "reason": "annotators are withheld"})
    assert (row["verdict"], row["why"]) == (card.NOT_COMPUTABLE, "annotators are withheld")
    assert pd.isna(row["ours"])


def test_a_value_without_an_interval_gets_no_verdict_in_words_of_agreement():
    for missing in (float("nan"), None, pd.NA):
        row = verdict(HUMAN | {"value": 0.5668, "low": missing, "high": missing})
        assert row["verdict"] == card.NOT_COMPUTABLE and "no interval" in row["why"]


def test_results_for_one_table_stay_with_it():
    value = {
        "quantity": "label_alpha_first",
        "subset": "random+map",
        "language": "zh",
        "value": 0.4,
        "low": 0,
        "high": 1,
    }
    found = card.scorecard(results(value | {"paper": "sheep", "table": 8}), [("sheep", 8), ("sheep", 10)])
    hits = found[found["verdict"] == card.WITHIN]
    assert hits["table"].tolist() == [8]


def test_two_claims_to_one_number_are_refused():
    row = HUMAN | {"value": 0.5, "low": 0.4, "high": 0.6}
    with pytest.raises(InputError, match="two results for presence_alpha .strategy human"):
        card.scorecard(results(row, row), [("sheep", 9)])


def test_missing_groups_are_completed_with_the_reason():
    corpus = corpus_of({"a": [[], []]}, strategy=["human"])
    ours = results(HUMAN | {"value": 1.0, "low": 1.0, "high": 1.0})
    whole = card.complete(ours, [("sheep", 9), ("sheep", 10)], corpus)
    assert len(whole) == 15 + 63
    found = card.scorecard(whole, [("sheep", 9), ("sheep", 10)])
    why = found.set_index(["quantity", "groups"])["why"]
    assert why["span_iou", "strategy random"] == "test has no items with strategy random"
    # The corpus has one strategy only, so its languages are not those of the paper's random+map rows.
    assert (
        why["span_iou", "subset random+map, language zh"] == "test has no items with strategy map or random"
    )


def test_a_group_that_has_items_is_not_said_to_have_none():
    corpus = corpus_of({"a": [[]], "b": [[]]}, strategy=["random", "human"], language=["en", "zh"])
    assert card.why_absent(corpus, {"subset": "random+map", "language": "en"}) == (
        "the chapter did not compute it for this group"
    )
    assert card.why_absent(corpus, {"subset": "random+map", "language": "zh"}) == (
        "test has no items with subset random+map, language zh"
    )


def test_what_the_corpus_lacks_is_the_reason():
    corpus = replace(corpus_of({"a": [[], []]}), lacks={"strategy": "the release does not say it"})
    whole = card.complete(results(HUMAN | {"value": 1.0, "low": 1.0, "high": 1.0}), [("sheep", 9)], corpus)
    assert set(whole["reason"].dropna()) == {"the release does not say it"}


def test_a_page_shows_what_could_be_compared():
    row = HUMAN | {"value": 0.55, "low": 0.5, "high": 0.6}
    shown = card.readable(card.scorecard(results(row), [("sheep", 9)]))
    assert shown.to_dict("records") == [
        {
            "table": "sheep 9",
            "quantity": "presence_alpha",
            "groups": "strategy human",
            "printed": 0.5668,
            "ours": "0.550 [0.500, 0.600]",
            "verdict": card.WITHIN,
        }
    ]

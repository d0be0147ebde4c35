"""Numbers of the paper that a rerun lacks, and why; and what judges say most often."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from corpora_of import corpus_of
from sheeplib import load
from sheeplib.judge_letters import judges, letter_shares, long_letters, preselecting_judge
from sheeplib.judge_paper import beside_table
from sheeplib.judge_ranking import judge_ranking
from sheeplib.judge_scores import judge_scores
from sheeplib.report.scorecard import NOT_COMPUTABLE, scorecard

CORPUS = corpus_of(
    {f"i{n}": [[(0, 2, "A")] if n % 3 else []] * 2 for n in range(48)},
    strategy=["human"] * 16 + ["random"] * 16 + ["map"] * 16,
    split=["test"] * 48,
    model=[None] * 16 + ["daisy", "llava"] * 16,
    language=["en", "zh", "zh", "en"] * 12,
    prelabel=["A", "F"] * 24,
)
LETTERS = long_letters(
    pd.DataFrame({
        "item": CORPUS.items["item"], "owl": ["A", "F"] * 24, "owlet": ["A", "A", "F"] * 16,
        "jay": ["A", "F", "F"] * 16,
    })
)  # fmt: skip


def test_numbers_of_the_same_groups_are_compared_and_the_others_explained():
    ours = judge_scores(CORPUS, LETTERS, resamples=20)
    found = beside_table(ours, 11, CORPUS, "owl")
    card = scorecard(found, [("sheep", 4), ("sheep", 11)])
    compared = card[card["verdict"] != NOT_COMPUTABLE]
    # human and llava, each in all, en and zh: of Table 4 two quantities, of Table 11 four
    assert len(compared) == 2 * 3 * (2 + 4)
    reasons = set(card.loc[card["verdict"] == NOT_COMPUTABLE, "why"])
    assert "test has no answers by gemma3 among the items that were judged" in reasons
    assert "test has no such items in fr" in reasons
    owl = ours[(ours["judge"] == "owl") & (ours["quantity"] == "f1")]["value"]
    assert found[found["quantity"] == "f1"]["value"].dropna().tolist() == owl.dropna().tolist()


def test_rankings_are_compared_pooled():
    ours = judge_ranking(CORPUS, LETTERS, resamples=20)
    card = scorecard(beside_table(ours, 5, CORPUS), [("sheep", 5)])
    assert len(card) == 15
    known = card[card["verdict"] != NOT_COMPUTABLE]
    pooled = ours[(ours["quantity"] == "pearson_r") & ours["language"].isna()]
    assert known["ours"].tolist() == pooled.loc[pooled["other_origin"] == "llava", "value"].tolist()[:1]
    assert card["why"].dropna().str.contains("no answers by").all()


def test_where_nothing_can_be_computed_everything_says_why(shared):
    corpus = load("sheep", directory=shared / "sheep", languages=["en"])
    nobody = beside_table(judge_scores(corpus, LETTERS.head(0), resamples=20), 4, corpus)
    card = scorecard(nobody, [("sheep", 4)])
    assert (card["verdict"] == NOT_COMPUTABLE).all() and card["why"].str.contains("sheep judge").all()
    said = pd.DataFrame({"item": corpus.items["item"], "owl": "A"})
    some = beside_table(judge_scores(corpus, said, splits=None, resamples=20), 4, corpus, "owl")
    assert some["value"].notna().any()  # A is settled by the release's labels
    why = scorecard(some, [("sheep", 4)])["why"]
    assert why.str.contains("does not say which model").all()


def test_the_judge_that_preselected_is_found():
    assert preselecting_judge(CORPUS, LETTERS) == "owl"
    assert preselecting_judge(CORPUS, LETTERS[LETTERS["judge"] != "owl"]) is None
    assert preselecting_judge(replace(CORPUS, items=CORPUS.items.assign(strategy=pd.NA)), LETTERS) is None


def test_shares_of_letters_add_up_and_letters_never_given_are_zero():
    chosen = CORPUS.select(CORPUS.items["strategy"] == "random")
    found = letter_shares(chosen, LETTERS, "owl", resamples=50)
    assert found.groupby(["model", "language"])["value"].sum().to_numpy() == pytest.approx(1)
    assert found.groupby("letter").size().eq(4).all() and set(found["letter"]) == set("ABCDEF")
    assert found.loc[found["letter"] == "C", ["value", "low", "high"]].eq(0).all(axis=None)
    assert judges(LETTERS) == ["owl", "owlet", "jay"]
    invalid = LETTERS.assign(letter=LETTERS["letter"].where(np.arange(len(LETTERS)) % 2 == 0))
    part = letter_shares(chosen, invalid, "owl", ["language"], resamples=50)
    assert part.loc[part["letter"] == "A", "value"].eq(1).all()

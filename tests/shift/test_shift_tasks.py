import numpy as np
import pandas as pd
import pytest

from sheeplib import InputError
from sheeplib.published import published
from sheeplib.report import read_results, save_results, scorecard
from sheeplib.shift import Method, as_printed, origins, shift, unavailable
from texts_of import corpus_of, signed

WHO = corpus_of(
    ["a", "b", "c", "d"],
    strategy=["human", "random", "map", pd.NA],
    model=[pd.NA, "m1", "m2", "m1"],
    source=["haloquest-like", "visage", "haloquest", "visage-like"],
)


def test_each_task_sees_its_own_origins():
    def told(task):
        return origins(WHO, task).fillna("-").tolist()

    assert told("3-way") == ["human", "visage", "haloquest", "-"]
    assert told("6-way") == ["human", "m1", "m2", "m1"]
    assert told("source") == ["haloquest", "visage", "haloquest", "visage"]
    assert not any(unavailable(WHO, task) for task in ("3-way", "6-way", "source"))
    with pytest.raises(InputError, match="unknown task"):
        origins(WHO, "2-way")


def test_a_task_that_cannot_be_says_why():
    bare = corpus_of(["a", "b"], source=["visage", "visage"])
    assert unavailable(bare, "3-way") == "test does not say the strategy of its items"
    assert unavailable(bare, "6-way") == "test does not say the model of its items"
    assert unavailable(bare, "source") == "all texts that have an origin come from one: visage"


@pytest.fixture(scope="module")
def found():
    corpus = signed(np.random.default_rng(1), 90)
    return corpus, [
        shift(corpus, task, resamples=30, method=Method(characters=None)).results
        for task in ("3-way", "6-way")
    ]


def test_every_printed_number_has_a_row_with_a_value_or_a_reason(found):
    corpus, parts = found
    rows = as_printed(pd.concat(parts), corpus)
    assert len(rows) == len(published("sheep", 3)) == 36
    assert (rows["value"].notna() ^ rows["reason"].notna()).all()
    known = rows.dropna(subset="value")
    assert set(known["language"]) == {"en"}
    pairs = set(zip(known["task"], known["origin"], strict=True))
    assert pairs == {("3-way", o) for o in ("visage", "haloquest", "human")} | {("6-way", "human")}
    english = rows[(rows["language"] == "en") & rows["value"].isna()]
    assert "test has no items with model gemma3" in set(english["reason"])
    assert set(rows[rows["language"] == "fr"]["reason"]) == {"test has no items with language fr"}


def test_the_scorecard_sets_the_wanted_variant_beside_the_paper(found):
    corpus, parts = found
    ours = pd.concat(parts, ignore_index=True)
    for variant in ("grouped", "ungrouped"):
        rows = as_printed(ours, corpus, variant)
        card = scorecard.scorecard(pd.concat([ours, rows], ignore_index=True), [("sheep", 3)])
        compared = card[card["verdict"] != scorecard.NOT_COMPUTABLE]
        assert len(compared) == 4
        human = ours[(ours["task"] == "6-way") & ours["origin"].eq("human") & ours["folds"].eq(variant)]
        wanted = human.loc[human["quantity"] == "f1", "value"].item()
        assert compared[compared["groups"].str.contains("6-way")]["ours"].item() == wanted
        assert not card["why"].eq(scorecard.NO_CHAPTER).any()
    with pytest.raises(InputError, match="unknown variant"):
        as_printed(ours, corpus, "both")


def test_saved_results_are_compared_with_table_3(found, tmp_path):
    corpus, parts = found
    rows = as_printed(pd.concat(parts), corpus)
    save_results(pd.concat([*parts, rows], ignore_index=True), "03_shift", tmp_path)
    card = scorecard.scorecard(read_results(tmp_path), [("sheep", 3)])
    assert (card["verdict"] != scorecard.NOT_COMPUTABLE).sum() == 4
    assert card["ours"].dropna().tolist() == rows["value"].dropna().tolist()


def test_a_task_that_was_not_run_is_said_not_to_be(found):
    corpus, parts = found
    rows = as_printed(parts[0], corpus)
    assert set(rows[rows["task"] == "6-way"]["reason"]) == {"the 6-way task was not run so"}
    only = parts[0][parts[0]["folds"].eq("grouped").fillna(False)]
    assert set(as_printed(only, corpus)["reason"].dropna()) >= {"the 3-way task was not run so"}

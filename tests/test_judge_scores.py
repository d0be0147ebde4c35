"""Accuracy and macro scores of letters, against hand and brute force."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import precision_recall_fscore_support

from corpora_of import corpus_of, random_corpus
from released import without_annotators
from sheeplib.errors import InputError
from sheeplib.judge_gold import LETTERS, given_labels
from sheeplib.judge_metrics import QUANTITIES, Rules, contributions, metrics
from sheeplib.judge_scores import judge_scores, judged

EVERYTHING = {"strategies": None, "splits": None, "resamples": 50}


def wide(corpus, **letters):
    return pd.DataFrame({"item": corpus.items["item"], **letters})


def values(results, **group):
    for column, value in group.items():
        results = results[(results[column] == value).fillna(False)]
    assert not results.duplicated("quantity").any()
    return results.set_index("quantity")["value"]


EXAMPLE = corpus_of(
    {
        "one": [[(0, 2, "A"), (3, 4, "B")], []],  # A, B, F; firsts A, F: A
        "two": [[(0, 2, "A")], [(0, 2, "B")], [(0, 2, "B")]],  # A, B; majority B
        "three": [[], []],  # F
        "four": [[(0, 1, "C")]],  # C
    }
)


def test_four_items_by_hand():
    found = values(
        judge_scores(EXAMPLE, wide(EXAMPLE, owl=["B", "A", "A", None]), **EVERYTHING), language="all"
    )
    # Right: one (B is somebody's second span) and two (one of three gave A). three and four are wrong.
    # Effective gold: B, A, F, C against letters B, A, A, none. Labels A, B, C, F occur.
    # A: TP 1, letters 2, gold 1; B: 1, 1, 1; C: 0, 0, 1; F: 0, 0, 1.
    assert found["accuracy"] == 2 / 4 and found["invalid"] == 1 / 4
    assert found["precision"] == pytest.approx((1 / 2 + 1 + 0 + 0) / 4)
    assert found["recall"] == pytest.approx((1 + 1 + 0 + 0) / 4)
    assert found["f1"] == pytest.approx((2 / 3 + 1 + 0 + 0) / 4)


def test_choices_by_hand():
    letters = wide(EXAMPLE, owl=["B", "A", "A", None])

    def scored(**choice):
        return values(judge_scores(EXAMPLE, letters, rules=Rules(**choice), **EVERYTHING), language="all")

    # Gold by majority: A, B, F, C. Nothing is hit: A 0/2/1, B 0/1/1, C 0/0/1, F 0/0/1.
    by_majority = scored(gold="majority")
    assert by_majority["accuracy"] == 2 / 4 and by_majority["f1"] == by_majority["recall"] == 0
    # All six labels: D and E count as 0.
    assert scored(classes="all")["recall"] == pytest.approx(2 / 6)
    # Labels never named have no precision; every label that occurs is true once.
    assert scored(empty="skip")["precision"] == pytest.approx((1 / 2 + 1) / 2)
    assert scored(empty="skip")["recall"] == pytest.approx(2 / 4)
    # First spans alone: nobody's label of "one" is B.
    assert scored(labels="first")["accuracy"] == 1 / 4
    with pytest.raises(InputError, match="unknown choice"):
        Rules(gold="best", empty="none")


@pytest.mark.parametrize("gold", ["effective", "majority"])
@pytest.mark.parametrize("seed", range(5))
def test_scikit_learn_finds_the_same(seed, gold):
    rng = np.random.default_rng(seed)
    corpus = random_corpus(rng, 40)
    said = rng.choice(["A", "B", "D", "F", None], size=40)
    found = values(
        judge_scores(corpus, wide(corpus, owl=said), rules=Rules(gold=gold), **EVERYTHING), language="all"
    )
    given = given_labels(corpus)
    right = [letter is not None and given.given[i, LETTERS.index(letter)] for i, letter in enumerate(said)]
    true = [
        said[i] if right[i] and gold == "effective" else LETTERS[given.majority[i]] for i in range(len(said))
    ]
    shown = [letter or "-" for letter in said]
    labels = sorted({*true, *shown} - {"-"})
    expected = precision_recall_fscore_support(true, shown, labels=labels, average="macro", zero_division=0)
    assert found[["precision", "recall", "f1"]].tolist() == pytest.approx(expected[:3])
    assert found["accuracy"] == pytest.approx(np.mean(right))
    skipping = Rules(gold=gold, empty="skip")
    found = values(judge_scores(corpus, wide(corpus, owl=said), rules=skipping, **EVERYTHING), language="all")
    with np.errstate(all="ignore"):
        skipped = precision_recall_fscore_support(
            true, shown, labels=labels, average="macro", zero_division=np.nan
        )
    assert found[["precision", "recall", "f1"]].tolist() == pytest.approx(skipped[:3])


def test_the_bootstrap_is_that_of_items():
    rng = np.random.default_rng(3)
    said, right, gold = rng.integers(-1, 6, 30), rng.random(30) < 0.5, rng.integers(0, 6, 30)
    units = contributions(said, right, gold)
    drawn = rng.integers(30, size=30)
    assert np.allclose(metrics(units[drawn].sum(axis=0)), metrics(np.bincount(drawn, minlength=30) @ units))
    assert np.isnan(metrics(np.zeros(21))).all() and metrics(np.zeros((4, 21))).shape == (4, len(QUANTITIES))


GROUPED = corpus_of(
    {f"i{n}": [[(0, 2, "A")] if n % 2 else []] * 2 for n in range(12)},
    strategy=["human"] * 4 + ["random"] * 4 + ["map"] * 4,
    split=["test"] * 6 + ["train"] * 2 + ["test"] * 4,
    model=[None] * 4 + ["daisy", "clover"] * 4,
    language=["en", "zh"] * 6,
    image=["x"] * 12,
)


def test_by_default_random_and_human_items_of_the_test_split_enter():
    results = judge_scores(GROUPED, wide(GROUPED, owl=["A"] * 12), resamples=20)
    sizes = results[results["quantity"] == "accuracy"]
    groups = [tuple(row) for row in sizes[["language", "origin", "n"]].to_numpy()]
    assert groups == [
        ("all", "human", 4), ("all", "clover", 1), ("all", "daisy", 1),
        ("en", "human", 2), ("en", "clover", 0), ("en", "daisy", 1),
        ("zh", "human", 2), ("zh", "clover", 1), ("zh", "daisy", 0),
    ]  # fmt: skip
    empty = results[results["n"] == 0]
    assert empty["value"].isna().all() and empty["reason"].str.contains("gave none").all()
    all_in = judge_scores(
        GROUPED, wide(GROUPED, owl=["A"] * 12), splits=None, strategies=["map"], resamples=20
    )
    assert values(all_in, language="all", origin="daisy")["accuracy"] == 0  # map items i8 and i10 are clean


def test_a_cluster_counts_as_one():
    alone = judge_scores(GROUPED, wide(GROUPED, owl=["A"] * 12), resamples=200)
    tied = judge_scores(GROUPED, wide(GROUPED, owl=["A"] * 12), cluster="image", resamples=200)
    one, other = (
        frame[(frame["language"] == "all") & (frame["origin"] == "human")]
        .set_index("quantity")
        .loc["accuracy"]
        for frame in (alone, tied)
    )
    assert one["value"] == other["value"] == 0.5
    assert one["low"] < 0.5 < one["high"] and other["low"] == other["high"] == 0.5
    with pytest.raises(InputError, match="no column"):
        judge_scores(GROUPED, wide(GROUPED, owl=["A"] * 12), cluster="colour")


def test_groups_do_not_depend_on_each_other_nor_on_the_order_of_letters():
    said = list("ABCDEFABCDEF")
    table = wide(GROUPED, owl=said, owlet=said[::-1])
    first = judge_scores(GROUPED, table, resamples=100)
    again = judge_scores(GROUPED, table.sample(frac=1, random_state=1), resamples=100)
    pd.testing.assert_frame_equal(first, again)
    only = judge_scores(GROUPED, table, judges=["owlet"], resamples=100)
    pd.testing.assert_frame_equal(only, first[first["judge"] == "owlet"].reset_index(drop=True))
    whole = judge_scores(GROUPED, table, by_language=False, resamples=100)
    pd.testing.assert_frame_equal(whole, first[first["language"] == "all"].reset_index(drop=True))
    many = random_corpus(np.random.default_rng(0), 97)
    said = np.random.default_rng(1).choice(list("ABCDEF"), size=97)
    one, other = (judge_scores(many, wide(many, owl=said), resamples=99, seed=seed) for seed in (1, 2))
    assert one["value"].equals(other["value"]) and not one["low"].equals(other["low"])
    with pytest.raises(InputError, match="no letters of this judge"):
        judge_scores(GROUPED, table, judges=["jay"])


def test_judges_that_were_not_asked_or_said_nothing_have_no_score():
    part = pd.DataFrame({"item": ["i0", "i1", "elsewhere"], "judge": "owl", "letter": ["F", "A", "B"]})
    results = judge_scores(GROUPED, part, resamples=20)
    assert values(results, language="all", origin="human")["accuracy"] == 1
    assert results.loc[results["origin"] == "daisy", "value"].isna().all()
    silent = judge_scores(GROUPED, wide(GROUPED, owl=[None] * 12), resamples=20)
    assert silent["value"].isna().all() and silent["reason"].str.contains("gave none").all()
    nobody = judge_scores(GROUPED, part.head(0), resamples=20)
    assert nobody["value"].isna().all() and "sheep judge" in nobody["reason"].iloc[0]
    nothing = judge_scores(GROUPED, part, strategies=["dream"], resamples=20)
    assert nothing["value"].isna().all() and "dream" in nothing["reason"].iloc[0]


def test_without_annotators_accuracy_is_a_value_or_two_bounds():
    plain = without_annotators(EXAMPLE)
    sure = judge_scores(plain, wide(plain, owl=["B", "C", "F", "C"]), **EVERYTHING)
    # letters A to E are settled by the stretches, and "three" is F for all: right, wrong, right, right
    assert values(sure, language="all")["accuracy"] == 3 / 4
    reasons = sure.set_index("quantity")["reason"]
    assert "not known of 1 items" in reasons["f1"] and sure.set_index("quantity")["value"].isna()["recall"]
    unsure = judge_scores(plain, wide(plain, owl=["F", "F", "F", "F"]), **EVERYTHING).set_index("quantity")
    # one: open (only one of two marked); two: 3 of 3 marked: wrong; three: right; four: its only annotator
    assert pd.isna(unsure.loc["accuracy", "value"])
    assert "lies between 0.250 and 0.500" in unsure.loc["accuracy", "reason"]
    truth = values(judge_scores(EXAMPLE, wide(EXAMPLE, owl=["F"] * 4), **EVERYTHING), language="all")
    assert truth["accuracy"] == 0.5


@pytest.mark.parametrize("lacking", ["kinds", "labels"])
def test_a_corpus_without_kinds_or_labels_says_so(lacking):
    poor = replace(EXAMPLE, lacks={lacking: "not in this release"})
    results = judge_scores(poor, wide(EXAMPLE, owl=["A"] * 4), **EVERYTHING)
    assert results["value"].isna().all() and (results["reason"] == "not in this release").all()
    assert list(results["quantity"]) == list(QUANTITIES)


def test_items_of_unknown_origin_are_one_group():
    found = judged(EXAMPLE, wide(EXAMPLE, owl=["A"] * 4))
    assert found.asked.all() and found.items["origin"].isna().all()
    results = judge_scores(EXAMPLE, wide(EXAMPLE, owl=["A"] * 4), resamples=20)
    assert results["origin"].isna().all() and set(results["language"]) == {"all"}


def test_chance_is_chance_and_truth_is_right():
    rng = np.random.default_rng(11)
    firsts = rng.choice(list("ABCDEF"), size=600)
    items = {f"i{n}": [[] if label == "F" else [(0, 3, str(label))]] for n, label in enumerate(firsts)}
    corpus = corpus_of(items)
    letters = wide(corpus, perfect=firsts, blind=rng.permutation(firsts))
    results = judge_scores(corpus, letters, strategies=None, splits=None, resamples=500)
    perfect = values(results, judge="perfect")
    assert perfect[["accuracy", "precision", "recall", "f1"]].eq(1).all()
    blind = results[(results["judge"] == "blind") & (results["quantity"] == "accuracy")].iloc[0]
    assert blind["low"] < 1 / 6 < blind["high"]

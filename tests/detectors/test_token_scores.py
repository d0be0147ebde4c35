import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, precision_recall_fscore_support, roc_auc_score

from corpora_of import corpus_of
from sheeplib.detectors.rankings import BINS, auroc
from sheeplib.detectors.token_scores import token_scores
from sheeplib.errors import InputError


def judged(rng, items, tokens=40, labels="ABCDEF"):
    frame = pd.DataFrame({"item": np.repeat(list(items), tokens)})
    frame["gold"] = rng.choice(list(labels), size=len(frame))
    frame["predicted"] = np.where(
        rng.random(len(frame)) < 0.4, frame["gold"], rng.choice(list(labels), len(frame))
    )
    frame["score"] = rng.normal(size=len(frame)) + (frame["gold"] != "F")
    return frame


def corpus(n=12, **columns):
    return corpus_of({f"i{k}": [] for k in range(n)}, **columns)


def by_quantity(results):
    return results.set_index("quantity")


def test_binary_scores_of_a_table_counted_by_hand():
    # 3 found, 1 missed, 2 false alarms, 4 rightly left: accuracy 7/10, precision 3/5, recall 3/4, F1 6/9.
    pairs = [("A", "B")] * 3 + [("C", "F")] + [("F", "A")] * 2 + [("F", "F")] * 4
    frame = pd.DataFrame(pairs, columns=["gold", "predicted"]).assign(item="i0")
    found = by_quantity(token_scores(corpus(), frame, setup="binary", resamples=5))
    assert found["value"].to_dict() == pytest.approx(
        {"accuracy": 0.7, "precision": 0.6, "recall": 0.75, "f1": 2 / 3}
    )
    truths = frame.assign(gold=frame["gold"] != "F", predicted=frame["predicted"] != "F")
    assert by_quantity(token_scores(corpus(), truths, setup="binary", resamples=5)).equals(found)


def test_f1_of_the_paper_is_that_of_the_marked_tokens():
    # SHEEP, Table 12, random: precision .179725 and recall .671580 give F1 .283564.
    assert pytest.approx(0.283564, abs=1e-6) == 2 * 0.179725 * 0.671580 / (0.179725 + 0.671580)


@pytest.mark.parametrize("labels", ["ABCDEF", "ABF", "F"])
def test_multiclass_scores_are_those_of_scikit_learn(labels):
    frame = judged(np.random.default_rng(1), [f"i{k}" for k in range(12)], labels=labels)
    found = by_quantity(token_scores(corpus(), frame.drop(columns="score"), resamples=5))["value"]
    expected = precision_recall_fscore_support(
        frame["gold"], frame["predicted"], average="macro", zero_division=0
    )
    assert found[["precision", "recall", "f1"]].tolist() == pytest.approx(expected[:3])
    assert found["accuracy"] == pytest.approx(accuracy_score(frame["gold"], frame["predicted"]))


def test_auroc_over_all_within_and_between():
    rng = np.random.default_rng(2)
    frame = judged(rng, [f"i{k}" for k in range(12)], labels="AF")
    frame.loc[frame["item"].isin(["i3", "i4", "i5", "i6", "i7"]), "gold"] = "F"
    frame["score"] = frame["score"].round(1)  # ties
    found = by_quantity(token_scores(corpus(), frame, setup="binary", resamples=20))
    wrong = frame["gold"] != "F"
    assert found.loc["auroc", "value"] == pytest.approx(roc_auc_score(wrong, frame["score"]))
    parts = [
        roc_auc_score(p["gold"] != "F", p["score"])
        for _, p in frame.groupby("item")
        if (p["gold"] != "F").any()
    ]
    assert found.loc["auroc_within", "value"] == pytest.approx(np.mean(parts))
    assert found.loc["auroc_within", "n"] == len(parts) == 7
    items = frame.assign(wrong=wrong).groupby("item").agg(score=("score", "mean"), wrong=("wrong", "any"))
    assert found.loc["auroc_between", "value"] == pytest.approx(roc_auc_score(items["wrong"], items["score"]))


def test_a_comparison_with_one_or_two_answers_is_none():
    frame = judged(np.random.default_rng(2), [f"i{k}" for k in range(12)], labels="AF")
    for fine, defined in ((4, False), (5, True)):
        some = frame.assign(
            gold=frame["gold"].where(~frame["item"].isin([f"i{k}" for k in range(fine)]), "F")
        )
        row = by_quantity(token_scores(corpus(), some, setup="binary", resamples=20)).loc["auroc_between"]
        assert pd.notna(row["value"]) == pd.notna(row["low"]) == defined
        assert defined or row["reason"] == "fewer than 5 answers have marked tokens, or fewer have none"


def test_where_and_whether_come_apart():
    """A score that knows where but not whether, and one that knows whether but not where."""
    rng = np.random.default_rng(3)
    items = [f"i{k}" for k in range(80)]
    frame = pd.DataFrame({"item": np.repeat(items, 20), "place": np.tile(np.arange(20), 80)})
    wrong = frame["item"].isin(items[:40])
    frame["gold"] = np.where(wrong & (frame["place"] > 14), "A", "F")
    frame["predicted"] = "F"
    where = frame.assign(score=frame["place"] + rng.normal(size=len(frame)))
    whether = frame.assign(score=wrong + rng.normal(scale=0.1, size=len(frame)))
    one, other = (by_quantity(token_scores(corpus(80), f, resamples=20))["value"] for f in (where, whether))
    assert one["auroc_within"] > 0.95 and abs(one["auroc_between"] - 0.5) < 0.15
    assert other["auroc_between"] > 0.95 and abs(other["auroc_within"] - 0.5) < 0.1


def test_binned_scores_change_a_resample_by_little():
    rng = np.random.default_rng(4)
    frame = judged(rng, [f"i{k}" for k in range(30)], tokens=100, labels="AF")
    assert frame["score"].nunique() > BINS
    fine = token_scores(corpus(30), frame, resamples=200)
    rounded = frame.assign(score=np.round(frame["score"] * 20) / 20)  # few enough to be taken as they are
    assert rounded["score"].nunique() <= BINS
    coarse = token_scores(corpus(30), rounded, resamples=200)
    for name in ("low", "high"):
        ours, theirs = by_quantity(fine).loc["auroc", name], by_quantity(coarse).loc["auroc", name]
        assert ours == pytest.approx(theirs, abs=2e-3)


def test_the_interval_is_that_of_a_plain_bootstrap():
    rng = np.random.default_rng(5)
    frame = judged(rng, [f"i{k}" for k in range(40)], labels="AF")
    found = by_quantity(token_scores(corpus(40), frame, setup="binary", resamples=1000))
    parts = [part for _, part in frame.groupby("item")]
    drawn = []
    for _ in range(150):
        some = pd.concat([parts[k] for k in rng.integers(40, size=40)])
        drawn.append(roc_auc_score(some["gold"] != "F", some["score"]))
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert found.loc["auroc", "low"] == pytest.approx(low, abs=0.015)
    assert found.loc["auroc", "high"] == pytest.approx(high, abs=0.015)


def test_clusters_widen_intervals_and_groups_stand_alone():
    rng = np.random.default_rng(6)
    part = judged(rng, [f"i{k}" for k in range(10)])
    frame = pd.concat(
        [part.assign(item=[f"i{int(i[1:]) + 10 * copy}" for i in part["item"]]) for copy in range(3)]
    )
    texts = corpus(30, image=[str(k % 10) for k in range(30)], language=["en"] * 15 + ["zh"] * 15)
    apart, together = (
        by_quantity(token_scores(texts, frame, resamples=300, cluster=c)).loc["accuracy"]
        for c in (None, "image")
    )
    assert apart["value"] == together["value"]
    assert together["high"] - together["low"] > 1.3 * (
        apart["high"] - apart["low"]
    )  # sqrt(3) in the long run
    grouped = token_scores(texts, frame, "language", resamples=30)
    alone = token_scores(texts, frame[frame["item"].isin(texts.items["item"][:15])], "language", resamples=30)
    pd.testing.assert_frame_equal(
        grouped[grouped["language"] == "en"].reset_index(drop=True),
        alone[alone["language"] == "en"].reset_index(drop=True),
    )
    assert set(grouped["resamples"]) == {30}


def test_the_same_seed_gives_the_same_and_the_order_of_tokens_nothing():
    frame = judged(np.random.default_rng(7), [f"i{k}" for k in range(12)])
    one, again = (
        token_scores(corpus(), f, resamples=50) for f in (frame, frame.sample(frac=1, random_state=1))
    )
    pd.testing.assert_frame_equal(one, again, rtol=1e-12)


def test_labels_at_random_are_ranked_at_chance():
    rng = np.random.default_rng(8)
    frame = judged(rng, [f"i{k}" for k in range(12)], tokens=300, labels="AF")
    frame["gold"] = rng.permutation(frame["gold"])
    found = by_quantity(token_scores(corpus(), frame, setup="binary", resamples=200))
    assert found.loc["auroc", "low"] < 0.5 < found.loc["auroc", "high"]


def test_what_is_undefined_has_a_reason():
    fine = pd.DataFrame({"item": "i0", "gold": "F", "predicted": "F", "score": [0.1, 0.2]})
    found = by_quantity(token_scores(corpus(), fine, setup="binary", resamples=5))
    assert found["value"].isna().tolist() == [False] + [True] * 6
    assert found["reason"].isna().tolist() == [True] + [False] * 6
    assert found.loc["precision", "reason"] == "no token is flagged"
    gone = token_scores(corpus(), fine.assign(gold=pd.NA), resamples=5)
    assert gone["value"].isna().all() and (gone["n"] == 0).all()


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.booleans(), st.integers(0, 3)), max_size=12))
def test_auroc_counts_pairs(tokens):
    group, positive, score = (
        (np.array(part) for part in zip(*tokens, strict=True)) if tokens else [np.array([], int)] * 3
    )
    found = auroc(score.astype(float), positive.astype(bool), group, 3)
    for place in range(3):
        ours = [s for g, p, s in tokens if g == place and p]
        theirs = [s for g, p, s in tokens if g == place and not p]
        wins = [(a > b) + (a == b) / 2 for a in ours for b in theirs]
        assert found[place] == pytest.approx(np.mean(wins) if wins else np.nan, nan_ok=True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"predicted": "G"}, "field 'predicted': a token has no label .found 'G'"),
        ({"predicted": pd.NA}, "field 'predicted': a token has no label"),
        ({"item": "z"}, "not among those of corpus 'test' .found 'z'"),
        ({"score": np.nan}, "a token has no score"),
    ],
)
def test_tokens_that_make_no_sense_are_refused(change, message):
    frame = pd.DataFrame({"item": "i0", "gold": ["A", "F"], "predicted": "F", "score": 0.5})
    with pytest.raises(InputError, match=message):
        token_scores(corpus(), frame.assign(**change), resamples=5)


def test_options_that_make_no_sense_are_refused():
    frame = pd.DataFrame({"item": ["i0"], "gold": ["A"], "predicted": ["F"]})
    for options, message in (
        ({"setup": "three"}, "unknown setup"),
        ({"by": "model"}, "cannot be grouped by"),
    ):
        with pytest.raises(InputError, match=message):
            token_scores(corpus(), frame, resamples=5, **options)
    with pytest.raises(InputError, match="lack a column"):
        token_scores(corpus(), frame.drop(columns="gold"), resamples=5)

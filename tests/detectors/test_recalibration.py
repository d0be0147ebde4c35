from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score, roc_curve

from sheeplib.detectors.classifiers import Logistic
from sheeplib.detectors.detection import detect
from sheeplib.detectors.recalibration import (
    OBJECTIVES,
    cross_fitted,
    origins,
    recalibrated,
    relabelled,
    second,
    table_7,
    threshold,
)
from sheeplib.detectors.splits import folds
from sheeplib.detectors.token_labels import token_labels
from sheeplib.detectors.token_scores import token_scores
from sheeplib.errors import InputError
from sheeplib.published import published
from sheeplib.report import scorecard
from small_detection import planted


def worth(probs, gold, tau, objective):
    """The objective by its definition, at one threshold."""
    said = np.array([5 if row[5] >= tau else int(np.argmax(row[:5])) for row in probs])
    if objective == "macro_f1":
        return f1_score(gold, said, average="macro", zero_division=0)
    wrong, marked = gold != 5, said != 5
    if objective == "binary_f1":
        return f1_score(wrong, marked, zero_division=0)
    return marked[wrong].sum() / max(1, wrong.sum()) - marked[~wrong].sum() / max(1, (~wrong).sum())


def random_case(seed, n):
    rng = np.random.default_rng(seed)
    probs = rng.integers(1, 4, size=(n, 6)).astype(float)  # many ties
    return probs / probs.sum(axis=1, keepdims=True), rng.integers(6, size=n)


@pytest.mark.parametrize("objective", list(OBJECTIVES))
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 25))
def test_no_threshold_is_better(objective, seed, n):
    probs, gold = random_case(seed, n)
    found = threshold(probs, gold, objective)
    tried = {tau: worth(probs, gold, tau, objective) for tau in [*np.unique(probs[:, 5]), np.inf]}
    assert found.reached == pytest.approx(max(tried.values()))
    assert found.tau == min(tau for tau, value in tried.items() if value >= found.reached - 1e-12)
    assert worth(probs, gold, found.tau, objective) == pytest.approx(found.reached)


def test_youden_is_the_farthest_point_of_the_roc_curve():
    rng = np.random.default_rng(1)
    probs = rng.dirichlet(np.ones(6), size=500)
    gold = np.where(rng.random(500) < 1 - probs[:, 5], 0, 5)
    false, true, _ = roc_curve(gold != 5, 1 - probs[:, 5])
    assert threshold(probs, gold, "youden").reached == pytest.approx((true - false).max())


def test_the_likeliest_kind_and_the_rule():
    probs = np.array([[0.1, 0.3, 0.2, 0.0, 0.0, 0.4], [0.0, 0.0, 0.0, 0.1, 0.2, 0.7]])
    assert second(probs).tolist() == [1, 4]
    assert relabelled(probs, 0.5).tolist() == [1, 5]
    assert relabelled(probs, 0.4).tolist() == [5, 5]  # at least as sure as the threshold
    assert relabelled(probs, np.inf).tolist() == [1, 4]


def case(seed=0, strength=1.0, halves=2, resamples=60, **options):
    corpus, features = planted(seed, n_items=90, strength=strength)
    labels = token_labels(corpus, features.tokens)
    judged = detect(corpus, features, labels, folds(corpus, 3, 1), settings=Logistic())
    return (
        corpus,
        judged,
        recalibrated(corpus, judged, origins(corpus), resamples=resamples, halves=halves, **options),
    )


def test_every_origin_is_tested_with_the_threshold_of_every_other():
    corpus, judged, found = case()
    assert origins(corpus).value_counts().to_dict() == {"human": 30, "m1": 30, "m2": 30}
    assert found["quantity"].unique().tolist() == ["f1_delta"]
    assert set(zip(found["origin"], found["calibration_origin"], strict=True)) == {
        (a, b) for a in ("human", "m1", "m2") for b in ("human", "m1", "m2")
    }
    assert (found["n"] == 30).all() and (found["low"] <= found["high"]).all()
    # one of them step by step
    by_origin = dict(zip(corpus.items["item"], origins(corpus), strict=True))
    where = judged["item"].map(by_origin)
    gold = np.array([list("ABCDEF").index(letter) for letter in judged["gold"]])
    probs = judged[list("ABCDEF")].to_numpy()
    tau = threshold(probs[where == "m1"], gold[where == "m1"]).tau
    own = judged[where == "human"]
    after = np.array(list("ABCDEF"))[relabelled(probs[where == "human"], tau)]
    values = [
        token_scores(corpus, own.assign(predicted=said).drop(columns="score"), resamples=5)
        .set_index("quantity").loc["f1", "value"]
        for said in (own["predicted"], after)
    ]  # fmt: skip
    row = found[(found["origin"] == "human") & (found["calibration_origin"] == "m1")]
    assert row["value"].item() == pytest.approx(values[1] - values[0])


def test_an_origin_of_which_nothing_was_judged_is_left_out():
    corpus, judged, _ = case()
    people = judged["item"].isin(corpus.items.loc[corpus.items["strategy"] == "human", "item"])
    found = recalibrated(corpus, judged[~people], origins(corpus), resamples=5)
    assert set(found["origin"]) == set(found["calibration_origin"]) == {"m1", "m2"}


def test_the_shape_is_that_of_the_paper():
    printed = published("sheep", 7)
    _, _, found = case()
    assert {"quantity", "origin", "calibration_origin", "value"} <= set(found) & set(printed)
    assert set(printed["quantity"]) == {"f1_delta"} and "human" in set(printed["origin"])


def test_what_the_paper_prints_and_we_lack_has_a_reason():
    corpus, _, found = case()
    whole = table_7(corpus, found)
    assert len(whole) == 9 + 35  # of the paper's 36 numbers, we have the one of people with themselves
    assert whole.loc[whole["value"].isna(), "reason"].str.contains("no answers of .* were tested").all()
    assert scorecard.scorecard(whole, [("sheep", 7)])["ours"].notna().sum() == 1
    silent = replace(
        corpus, items=corpus.items.assign(model=pd.NA, strategy=pd.NA), lacks={"model": "is silent"}
    )
    by_language = found.assign(origin=found["origin"].replace("human", "en"))
    reasons = table_7(silent, by_language)["reason"].dropna()
    assert set(reasons) == {"is silent"} and len(reasons) == 36


def test_calibrating_on_what_is_tested_flatters():
    """With noise alone, the threshold of the same answers looks better than that of the other half."""
    gains = []
    for seed in range(4):
        flattered, honest = (case(seed, 0.0, halves, 1, objective="macro_f1")[2] for halves in (1, 2))
        own = flattered["origin"] == flattered["calibration_origin"]
        gains.append((flattered["value"] - honest["value"])[own].mean())
    assert np.mean(gains) > 0


def test_the_same_seed_gives_the_same():
    one, again = (case()[2] for _ in range(2))
    pd.testing.assert_frame_equal(one, again, check_exact=True)


def test_what_cannot_be_recalibrated_is_refused():
    corpus, judged, _ = case()
    nobody = pd.Series(pd.NA, index=corpus.items.index, dtype="string")
    with pytest.raises(InputError, match="test does not say where its answers come from"):
        recalibrated(corpus, judged, nobody)
    with pytest.raises(InputError, match="lack probabilities"):
        recalibrated(corpus, judged.drop(columns="A"), origins(corpus))
    probs, gold = random_case(1, 5)
    with pytest.raises(InputError, match="unknown objective"):
        threshold(probs, gold, "accuracy")
    with pytest.raises(InputError, match="no tokens to calibrate on"):
        threshold(probs[:0], gold[:0])


def test_a_cross_fitted_threshold_comes_from_other_images():
    corpus, judged, _ = case()
    people = corpus.select(corpus.items["strategy"] == "human")
    own = judged[judged["item"].isin(people.items["item"])]
    found = cross_fitted(people, own, seed=2026)
    assert found.index.equals(own.index)
    plan = folds(people, 2, 2026)
    place = dict(zip(people.items["item"], range(len(people.items)), strict=True))
    row = own["item"].map(place).to_numpy()
    gold = np.array([list("ABCDEF").index(letter) for letter in own["gold"]])
    probs = own[list("ABCDEF")].to_numpy()
    for split in plan:
        learned, tested = split.train[row], split.test[row]
        tau = threshold(probs[learned], gold[learned]).tau
        expected = np.array(list("ABCDEF"))[relabelled(probs[tested], tau)]
        assert found[tested].tolist() == expected.tolist()

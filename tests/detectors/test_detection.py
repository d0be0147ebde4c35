from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from sheeplib.detectors import mlp
from sheeplib.detectors.classifiers import Logistic
from sheeplib.detectors.controls import CONTROLS, controls, token_texts
from sheeplib.detectors.detection import classes_of, compared, detect, detect_blind
from sheeplib.detectors.splits import Split, crossed, folds, official
from sheeplib.detectors.submissions import predicted_labels
from sheeplib.detectors.token_labels import item_places, token_labels
from sheeplib.detectors.token_scores import token_scores
from sheeplib.detectors.token_tables import token_table
from sheeplib.errors import InputError
from sheeplib.published import published
from sheeplib.report import scorecard
from small_detection import planted


def learned(seed=0, strength=2.0, setup="multiclass", plan=None, settings=None, **options):
    corpus, features = planted(seed, strength=strength)
    labels = token_labels(corpus, features.tokens)
    plan = folds(corpus, 5, 1) if plan is None else plan(corpus)
    judged = detect(corpus, features, labels, plan, setup=setup, settings=settings or Logistic(), **options)
    return corpus, features, labels, plan, judged


def test_every_token_is_judged_by_what_has_not_seen_its_image():
    corpus, features, _, plan, judged = learned()
    assert len(judged) == len(features.tokens)
    assert sum(split.test.astype(int) for split in plan).tolist() == [1] * len(corpus.items)
    for split in plan:
        images = corpus.items["image"]
        assert not set(images[split.train]) & set(images[split.test])
        assert 8 <= split.test.sum() <= 16
    assert judged[list("ABCDEF")].sum(axis=1).tolist() == pytest.approx([1] * len(judged))
    assert judged["score"].tolist() == pytest.approx((1 - judged["F"]).tolist())


def test_the_corpus_s_own_split_is_kept():
    corpus, _, _, plan, judged = learned(plan=official)
    assert len(plan) == 1
    assert set(judged["item"]) == set(corpus.items.loc[corpus.items["split"] == "test", "item"])
    assert official(replace(corpus, items=corpus.items.assign(split="train"))) == []


def test_a_planted_signal_is_found_and_nothing_in_noise():
    for setup in ("multiclass", "binary"):
        corpus, *_, judged = learned(setup=setup)
        found = token_scores(corpus, judged, setup=setup, resamples=50).set_index("quantity")
        assert found.loc["auroc", "low"] > 0.9 and found.loc["f1", "value"] > 0.7
        corpus, *_, judged = learned(setup=setup, strength=0.0)
        found = token_scores(corpus, judged, setup=setup, resamples=50).set_index("quantity")
        assert abs(found.loc["auroc", "value"] - 0.5) < 0.1


def test_folds_depend_on_the_seed_and_on_no_order():
    corpus, _ = planted(0)
    tests = [split.test for split in folds(corpus, 3, 5)]
    order = np.random.default_rng(1).permutation(len(corpus.items))
    mixed = replace(corpus, items=corpus.items.iloc[order].reset_index(drop=True))
    assert all((a[order] == b.test).all() for a, b in zip(tests, folds(mixed, 3, 5), strict=True))
    assert any((a != b.test).any() for a, b in zip(tests, folds(corpus, 3, 6), strict=True))
    alone = folds(replace(corpus, items=corpus.items.assign(image=pd.NA)), 4, 1)
    assert [split.test.sum() for split in alone] == [15] * 4
    for n_folds in (1, 16):  # there are 15 images
        with pytest.raises(InputError, match=f"{n_folds} folds of 15 groups"):
            folds(corpus, n_folds, 1)


def test_answers_without_labels_teach_nothing_and_are_still_judged():
    corpus, features = planted(0)
    silent = corpus.items["item"].isin(["i0", "i1", "i2"])
    corpus = replace(corpus, items=corpus.items.assign(labelled=~silent))
    labels = token_labels(corpus, features.tokens)
    judged = detect(corpus, features, labels, folds(corpus, 5, 1), settings=Logistic())
    gone = judged["item"].isin(["i0", "i1", "i2"])
    assert judged["gold"].isna().equals(gone) and judged["predicted"].notna().all()
    assert token_scores(corpus, judged, resamples=5)["n"].max() == 57
    seen = []

    def predict(train, test, rng):
        seen.extend(train)
        return np.full((len(test), 2), 0.5)

    usable = labels["marked"].notna().to_numpy()
    crossed(corpus, features.tokens, usable, folds(corpus, 5, 1), predict, 2, 1)
    assert not set(seen) & set(np.flatnonzero(~usable))
    nothing = [Split(silent.to_numpy(), ~silent.to_numpy())]
    with pytest.raises(InputError, match="no labelled answer to learn from"):
        crossed(corpus, features.tokens, usable, nothing, predict, 2, 1)


def test_controls_know_what_they_are_said_to_know():
    corpus, features = planted(0, strength=0.0)
    texts = np.array(token_texts(corpus, features.tokens))
    cats = features.tokens[texts == "cat"]
    responses = corpus.items.set_index("item")["response"]
    marks = [(row.item, row.end - 3, row.end, 1.0, "D") for row in cats.itertuples()]
    assert all(responses[item][start:end] == "cat" for item, start, end, *_ in marks)
    corpus = replace(corpus, labels=pd.DataFrame(marks, columns=["item", "start", "end", "prob", "label"]))
    labels = token_labels(corpus, features.tokens)
    found = detect_blind(corpus, features.tokens, labels, folds(corpus, 5, 1))
    assert set(found) == set(CONTROLS)
    scores = compared(corpus, found, resamples=5).set_index(["detector", "quantity"])["value"]
    assert scores["lexicon", "auroc"] == 1 and scores["lexicon", "accuracy"] == 1
    assert set(found["all marked"]["predicted"]) == {"D"} and set(found["none marked"]["predicted"]) == {"F"}
    assert scores["all marked", "auroc"] == scores["none marked", "auroc"] == 0.5
    assert abs(scores["position", "auroc"] - 0.5) < 0.15
    late = features.tokens["token"] > 11
    marks = [(row.item, row.end - 1, row.end, 1.0, "A") for row in features.tokens[late].itertuples()]
    corpus = replace(corpus, labels=pd.DataFrame(marks, columns=["item", "start", "end", "prob", "label"]))
    labels = token_labels(corpus, features.tokens)
    for setup in ("multiclass", "binary"):
        found = detect_blind(corpus, features.tokens, labels, folds(corpus, 5, 1), setup=setup)
        scores = compared(corpus, found, setup=setup, resamples=5).set_index(["detector", "quantity"])[
            "value"
        ]
        assert scores["position", "auroc"] > 0.95 and abs(scores["lexicon", "auroc"] - 0.5) < 0.15


def test_the_lexicon_counted_by_hand():
    # "a b" is learned from, with a marked; then in "b a c": P(marked | a) = (1 + 1/2) / 2 = 3/4, for b 1/4,
    # and for c, which is new, 1/2. Both classes are equally frequent, so nothing is raised.
    corpus, features = planted(0, n_items=4, tokens=3)
    corpus.items["response"] = pd.array(["a b", "b a c", "x", "x"], dtype="string")
    rows = [("i0", 0, 0, 1), ("i0", 1, 2, 3), ("i1", 0, 0, 1), ("i1", 1, 2, 3), ("i1", 2, 4, 5)]
    tokens = pd.DataFrame(rows, columns=["item", "token", "start", "end"])
    known = controls(corpus, tokens, np.array([1, 0, -1, -1, -1]), 2, 0)
    probs = known["lexicon"](np.array([0, 1]), np.array([2, 3, 4]), np.random.default_rng(0))
    assert probs[:, 1].tolist() == pytest.approx([0.25, 0.75, 0.5])


def test_a_corpus_without_kinds_takes_the_binary_setup():
    corpus, features = planted(0)
    corpus = replace(corpus, labels=corpus.labels.assign(label=pd.NA), lacks={"kinds": "has no kinds"})
    labels = token_labels(corpus, features.tokens)
    with pytest.raises(InputError, match="has no kinds"):
        classes_of(corpus, labels, "multiclass")
    judged = detect(corpus, features, labels, folds(corpus, 5, 1), setup="binary", settings=Logistic())
    found = token_scores(corpus, judged, setup="binary", resamples=5).set_index("quantity")["value"]
    assert found.drop("auroc_between").notna().all()  # in nearly every answer something is marked


def test_the_same_seed_gives_the_same_judgements():
    quick = mlp.Settings(sizes=(8,), epochs=2, batch=64, rate=1e-3)
    one, again, other = (_judged(quick, seed) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(one, again, check_exact=True)
    assert not one["score"].equals(other["score"])


def _judged(settings, seed):
    corpus, features = planted(0)
    labels = token_labels(corpus, features.tokens)
    return detect(corpus, features, labels, official(corpus), settings=settings, seed=seed)


@pytest.mark.parametrize("table", [6, 12, 13])
def test_tables_have_the_groups_that_are_printed(table):
    corpus, features = planted(0)
    corpus.items["model"] = corpus.items["model"].replace({"m1": "gemma3", "m2": "llava"})
    labels = token_labels(corpus, features.tokens)
    setup = "multiclass" if table == 6 else "binary"
    judged = detect(corpus, features, labels, folds(corpus, 5, 1), setup=setup, settings=Logistic())
    found = token_table(corpus, judged, table, resamples=20)
    card = scorecard.scorecard(found, [("sheep", table)])
    assert len(card) == len(published("sheep", table))
    there = card["ours"].notna()
    groups = card["groups"]
    assert there.tolist() == (~groups.str.contains("internvl|minicpm|qwenvl")).tolist()
    assert (card.loc[~there, "why"].str.match("test has no items with model")).all()
    theirs = corpus.select(corpus.items["model"].eq("llava"))
    own = judged[judged["item"].isin(theirs.items["item"])]
    everything = token_scores(theirs, own, setup=setup, resamples=5).set_index("quantity")["value"]
    row = found[(found["model"] == "llava") & (found["subset"] == "all") & (found["quantity"] == "f1")]
    assert row["value"].item() == everything["f1"]
    people = found[(found["strategy"] == "human") & (found["quantity"] == "accuracy")]
    assert people["n"].item() == 20


def test_tables_of_a_corpus_that_knows_no_strategies_say_so():
    corpus, features = planted(0)
    lacks = {"strategy": "does not say how", "model": "does not say who"}
    corpus = replace(corpus, items=corpus.items.assign(strategy=pd.NA, model=pd.NA), lacks=lacks)
    judged = pd.DataFrame({"item": ["i0"], "gold": ["A"], "predicted": ["A"]})
    found = token_table(corpus, judged, 6, resamples=5)
    assert len(found) == len(published("sheep", 6)) and found["value"].isna().all()
    assert set(found.loc[found["strategy"].notna(), "reason"]) == {"does not say how"}
    with pytest.raises(InputError, match="not a table of token scores .found 7"):
        token_table(corpus, judged, 7)


def test_judged_tokens_make_spans():
    corpus, _, _, _, judged = learned(strength=6.0)
    spans = predicted_labels(corpus, judged, judged["predicted"], judged["score"])
    lengths = corpus.items["response"].str.len().to_numpy()[item_places(corpus, spans)]
    assert len(spans) > 50 and (spans["end"] <= lengths).all()

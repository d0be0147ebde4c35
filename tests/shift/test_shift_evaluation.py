import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from sheeplib import InputError, load
from sheeplib.shift import Method, clusters, shift
from texts_of import corpus_of, leaky, signed, written

WORDS = Method(characters=None, words=(1, 1))  # quick
FEW = {"resamples": 40, "method": WORDS}


def value(found, quantity, **where):
    rows = found.results[found.results["quantity"] == quantity]
    for column, wanted in where.items():
        rows = rows[rows[column] == wanted]
    return rows["value"].item()


@pytest.fixture(scope="module")
def planted():
    return signed(np.random.default_rng(1), 150, images=60)


@pytest.mark.parametrize(("task", "origins"), [("6-way", ["m1", "m2", "human"]), ("3-way", None)])
def test_a_planted_word_is_found(planted, task, origins):
    found = shift(planted, task, **FEW)
    human = value(found, "f1", origin="human", folds="grouped")
    assert human > 0.95
    f1 = found.results[found.results["quantity"].eq("f1") & found.results["folds"].eq("grouped")]
    assert f1["origin"].tolist() == (origins or ["haloquest", "visage", "human"])
    assert f1["n"].sum() == 150 and f1["language"].eq("en").all()
    if task == "6-way":
        assert value(found, "accuracy", folds="grouped") > 0.95
    else:  # which of two data sets a question is of cannot be told here
        assert f1["value"].iloc[:2].max() < 0.75


def test_shuffled_origins_give_chance(planted):
    found = shift(planted, "6-way", shuffled=True, variants=["grouped"], **FEW)
    assert found.results["quantity"].str.endswith("_shuffled").all()
    # 150 texts of three origins: chance is a third, its standard error .04
    assert abs(value(found, "accuracy_shuffled") - 1 / 3) < 0.12
    assert sorted(found.predictions["origin"]) == sorted(shift(planted, "6-way", **FEW).predictions["origin"])


def test_what_an_image_gives_away_is_leakage():
    """Each text names its image, and the image decides the source: ungrouped, that is all it takes."""
    method = Method(characters=None, words=(1, 1), C=100.0)
    found = shift(leaky(np.random.default_rng(2), each=5), "source", method=method, resamples=200)
    assert value(found, "accuracy", folds="ungrouped") > 0.9
    assert value(found, "accuracy", folds="grouped") < 0.65
    leaked = found.results[found.results["quantity"] == "accuracy_leakage"].iloc[0]
    assert leaked["low"] > 0.2 and pd.isna(leaked["folds"])
    told = found.predictions
    assert leaked["value"] == pytest.approx(
        (told["ungrouped"] == told["origin"]).mean() - (told["grouped"] == told["origin"]).mean()
    )


def test_confusion_and_predictions_say_the_same_as_the_scores(planted):
    found = shift(planted, "6-way", **FEW)
    assert len(found.predictions) == 150 and found.predictions["item"].is_unique
    for variant in ("grouped", "ungrouped"):
        counted = pd.crosstab(found.predictions["origin"], found.predictions[variant]).stack()
        part = found.confusion[found.confusion["folds"] == variant].set_index(["origin", "told"])["items"]
        for pair, items in part.items():
            assert counted.get(pair, 0) == items
    texts = planted.items.set_index("item").loc[found.predictions["item"]]
    assert (found.predictions.groupby("cluster")["item"].size().to_numpy() > 1).any()
    codes = clusters(texts, ["image"])
    assert len(set(zip(codes, found.predictions["cluster"], strict=True))) == len(set(codes))


def test_same_seed_same_numbers_whatever_the_order_of_rows_or_the_other_groups(planted):
    items = planted.items.assign(language=np.where(np.arange(150) % 2, "fr", "en"))
    both = replace(planted, items=items)
    found = shift(both, "6-way", **FEW).results
    mixed = replace(both, items=items.sample(frac=1, random_state=3).reset_index(drop=True))
    pd.testing.assert_frame_equal(shift(mixed, "6-way", **FEW).results, found)
    alone = shift(both.select(items["language"] == "fr"), "6-way", **FEW).results
    pd.testing.assert_frame_equal(alone, found[found["language"] == "fr"].reset_index(drop=True))
    other = shift(both, "6-way", seed=1, **FEW).results
    assert (other["low"].to_numpy() != found["low"].to_numpy()).any()


def test_one_variant_alone_gives_the_same_numbers_as_both(planted):
    both = shift(planted, "6-way", **FEW).results
    for variant in ("grouped", "ungrouped"):
        one = shift(planted, "6-way", variants=[variant], **FEW).results
        kept = both[both["folds"].eq(variant)].reset_index(drop=True)
        assert one[one["folds"].notna()]["value"].tolist() == kept["value"].tolist()
        assert not one["quantity"].str.contains("leakage").any()


def test_languages_may_be_taken_together_or_apart(planted):
    items = planted.items.assign(language=["it" if n % 2 else "en" for n in range(150)])
    corpus = replace(planted, items=items)
    together = shift(corpus, "6-way", by=(), **FEW).results
    assert "language" not in together and together["n"].max() == 150
    pair = shift(corpus, "6-way", by=["language", "source"], variants=["grouped"], **FEW).results
    assert len(pair[pair["quantity"] == "accuracy"]) == 4


def test_versions_of_one_text_stay_together():
    rng = np.random.default_rng(4)
    texts = written(rng, 40)
    corpus = corpus_of(texts * 2, source=["haloquest", "visage"] * 40, image=[f"x{n}" for n in range(80)])
    items = corpus.items.assign(parallel=[f"p{n}" for n in range(40)] * 2)
    found = shift(replace(corpus, items=items), "source", **FEW)
    assert found.predictions["cluster"].nunique() == 40


def test_strategies_can_be_chosen(planted):
    items = planted.items.copy()
    items.loc[items.index[::2], "strategy"] = items["strategy"].where(items["strategy"] == "human", "map")
    corpus = replace(planted, items=items)
    found = shift(corpus, "6-way", method=Method(strategies=("random", "human")), resamples=5)
    left = items[items["strategy"] != "map"]
    assert sorted(found.predictions["item"]) == sorted(left["item"])
    with pytest.raises(InputError, match="no items of strategy 'mpa'.*human, map, random"):
        shift(corpus, "6-way", method=Method(strategies=("mpa",)))


def test_what_a_corpus_lacks_is_a_reason_and_no_number(planted):
    bare = replace(planted, items=planted.items.assign(strategy=pd.NA), lacks={"strategy": "not told"})
    found = shift(bare, "3-way", **FEW)
    assert found.results["value"].isna().all() and found.results["reason"].eq("not told").all()
    assert {"accuracy", "macro_f1", "accuracy_leakage"} <= set(found.results["quantity"])
    assert not len(found.confusion) and not len(found.predictions)
    assert shift(bare, "source", **FEW).results["value"].notna().all()


def test_a_language_that_cannot_be_cut_does_not_keep_the_others_from_it(planted):
    items = planted.items.assign(language=["fr" if n < 6 else "en" for n in range(150)])
    found = shift(replace(planted, items=items), "6-way", **FEW).results
    short = found[found["language"] == "fr"]
    assert short["value"].isna().all() and short["reason"].str.contains("5 folds need 5|one origin").all()
    assert found[found["language"] == "en"]["value"].notna().all()


def test_a_group_without_ngrams_says_so(planted):
    items = planted.items.assign(language=["zh" if n < 50 else "en" for n in range(150)])
    found = shift(replace(planted, items=items), "6-way", **FEW).results  # words alone
    chinese = found["language"] == "zh"
    assert found[chinese]["reason"].eq("no n-gram occurs in 2 of the texts to learn from").all()
    assert found[~chinese]["value"].notna().all()


def test_a_classifier_without_an_optimum_is_a_reason(planted, monkeypatch):
    def fit(self, matrix, truth):
        warnings.warn("no optimum", ConvergenceWarning, stacklevel=2)

    monkeypatch.setattr(LogisticRegression, "fit", fit)
    found = shift(planted, "6-way", **FEW).results
    assert found["value"].isna().all() and found["reason"].eq("the classifier found no optimum").all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"task": "4-way"}, "unknown task .found '4-way'.*3-way, 6-way, source"),
        ({"by": "langauge"}, "no column 'langauge'"),
        ({"by": "split"}, "cannot be grouped by 'split'"),
        ({"by": "corpus"}, "a column 'corpus' of their own"),
        ({"variants": ["both"]}, "unknown variant of cross-validation"),
        ({"variants": []}, "unknown variant of cross-validation"),
        ({"resamples": 0}, "no resamples"),
        ({"seed": -1}, "not a seed"),
    ],
)
def test_options_that_make_no_sense_are_refused(planted, options, message):
    with pytest.raises(InputError, match=message):
        shift(**({"corpus": planted, "task": "6-way", "resamples": 5, "method": WORDS} | options))


def test_the_released_data_tell_haloquest_from_visage(shared):
    corpus = load("sheep", directory=shared / "sheep", languages=["zh"])
    found = shift(corpus, "source", resamples=100)
    assert value(found, "accuracy", folds="grouped") > 0.8  # the two are about half of the items each
    assert value(found, "majority") < 0.6
    apart = found.predictions.merge(corpus.items[["item", "image"]])
    assert apart.groupby("image")["cluster"].nunique().eq(1).all()
    for task in ("3-way", "6-way"):
        assert shift(corpus, task).results["value"].isna().all()


def test_meadow_without_answers_by_models_says_so():
    corpus = load("meadow", per_language=6, per_cell=0)
    found = shift(corpus, "6-way", **FEW).results
    assert found["reason"].eq(corpus.lacks["model"]).all() and found["value"].isna().all()

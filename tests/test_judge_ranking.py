"""Correlation of judges' F1 between origins, by hand and by brute force."""

import numpy as np
import pandas as pd
import pytest

from corpora_of import corpus_of
from released import without_annotators
from sheeplib.errors import InputError
from sheeplib.judge_metrics import Rules
from sheeplib.judge_ranking import CENTRED, FEWEST, POOLED, _correlations, _terms, judge_ranking
from sheeplib.judge_scores import judge_scores

LANGUAGES = ("en", "fr", "it", "zh")


def skilled(skills, per_cell=12, origins=("human", "daisy", "fern"), seed=0):
    """A corpus whose items are A or F, and judges who are right with a probability of their own."""
    rng = np.random.default_rng(seed)
    cells = [(origin, language) for origin in origins for language in LANGUAGES for _ in range(per_cell)]
    truth = rng.choice(["A", "F"], size=len(cells))
    corpus = corpus_of(
        {f"i{n}": [[(0, 2, "A")] if label == "A" else []] for n, label in enumerate(truth)},
        language=[language for _, language in cells],
        strategy=["human" if origin == "human" else "random" for origin, _ in cells],
        model=[None if origin == "human" else origin for origin, _ in cells],
        split=["test"] * len(cells),
    )
    letters = {"item": corpus.items["item"]}
    for name, skill in skills.items():
        right = rng.random(len(cells)) < skill
        letters[name] = np.where(right, truth, np.where(truth == "A", "F", "A"))
    return corpus, pd.DataFrame(letters)


SKILLS = {f"j{n}": 0.5 + 0.05 * n for n in range(10)}


def test_the_pooled_correlation_is_pearsons_over_judges_and_languages():
    corpus, letters = skilled(SKILLS)
    found = judge_ranking(corpus, letters, resamples=100)
    scores = judge_scores(corpus, letters, resamples=2)
    f1 = scores[(scores["quantity"] == "f1") & (scores["language"] != "all")]
    wide = f1.pivot(index=["judge", "language"], columns="origin", values="value")
    pairs = found[found["language"].isna() & (found["quantity"] == POOLED)]
    assert list(zip(pairs["origin"], pairs["other_origin"], strict=True)) == [
        ("human", "daisy"), ("human", "fern"), ("daisy", "fern"),
    ]  # fmt: skip
    for row in pairs.itertuples():
        assert row.value == pytest.approx(np.corrcoef(wide[row.origin], wide[row.other_origin])[0, 1])
        assert row.n == 40 and row.low <= row.value <= row.high
    # after each language's mean over the judges is taken away
    apart = wide - wide.groupby(level="language").transform("mean")
    centred = found[found["quantity"] == CENTRED].set_index(["origin", "other_origin"])["value"]
    assert centred["human", "fern"] == pytest.approx(np.corrcoef(apart["human"], apart["fern"])[0, 1])
    english = found[(found["language"] == "en").fillna(False)].set_index(["origin", "other_origin"])
    one = wide.xs("en", level="language")
    assert english.loc[("daisy", "fern"), "value"] == pytest.approx(
        np.corrcoef(one["daisy"], one["fern"])[0, 1]
    )
    assert english.loc[("daisy", "fern"), "n"] == 10


def test_a_resample_of_judges_is_a_sample_with_repeated_judges():
    rng = np.random.default_rng(5)
    x, y = rng.random((2, 6, 3))
    drawn = rng.integers(6, size=6)
    pooled, centred, *single = _correlations(np.bincount(drawn, minlength=6) @ _terms(x, y))
    a, b = x[drawn], y[drawn]
    assert pooled == pytest.approx(np.corrcoef(a.ravel(), b.ravel())[0, 1])
    apart = [part - part.mean(axis=0) for part in (a, b)]
    assert centred == pytest.approx(np.corrcoef(apart[0].ravel(), apart[1].ravel())[0, 1])
    assert single == pytest.approx([np.corrcoef(a[:, k], b[:, k])[0, 1] for k in range(3)])


def test_languages_alone_can_make_a_high_correlation():
    # Judges are in random order on either side; languages differ alike on both.
    rng = np.random.default_rng(2)
    shift = np.array([0.1, 0.3, 0.5, 0.7])
    x, y = 0.02 * rng.standard_normal((2, 50, 4)) + shift
    pooled, centred, *_ = _correlations(_terms(x, y).sum(axis=0))
    assert pooled > 0.95 and abs(centred) < 0.2


def test_missing_points_are_left_out_on_both_sides():
    rng = np.random.default_rng(6)
    x, y = rng.random((2, 5, 2))
    x[1, 0] = y[3, 1] = np.nan
    pooled = _correlations(_terms(x, y).sum(axis=0))[0]
    there = ~np.isnan(x) & ~np.isnan(y)
    assert pooled == pytest.approx(np.corrcoef(x[there], y[there])[0, 1])


def test_flat_and_short_vectors_have_no_correlation_and_say_why():
    corpus, letters = skilled({"one": 1.0, "two": 1.0, "three": 1.0})
    flat = judge_ranking(corpus, letters, resamples=20)
    assert flat["value"].isna().all() and flat["reason"].str.contains("equal").all()
    corpus, letters = skilled({"one": 0.9, "two": 0.6})
    short = judge_ranking(corpus, letters, resamples=20)
    single = short[short["language"].notna()]
    assert single["value"].isna().all() and single["reason"].str.contains(f"needs {FEWEST}").all()
    assert short[short["language"].isna()]["value"].notna().all()


def test_few_judges_are_said_to_be_few():
    corpus, letters = skilled({"one": 0.9, "two": 0.7, "three": 0.6})
    found = judge_ranking(corpus, letters, resamples=200)
    # Three draws from three judges: 3 + 6 + 1 = 10 different bags.
    assert found.dropna(subset="value")["reason"].str.contains("3 judges, of which there are 10").all()
    # 3 of 27 draws hold one judge alone: then a language has one point, drawn three times
    single = found[found["language"].notna()].dropna(subset="value")
    assert single["reason"].str.contains("undefined in").all()
    many, letters = skilled(SKILLS)
    full = judge_ranking(many, letters, resamples=100)
    assert full.loc[full["quantity"] == POOLED, "reason"].isna().any()


def test_items_can_be_drawn_instead():
    corpus, letters = skilled(SKILLS)
    judges, items = (judge_ranking(corpus, letters, over=over, resamples=200) for over in ("judges", "items"))
    assert judges["value"].equals(items["value"]) and not judges["low"].equals(items["low"])
    assert (items["low"] <= items["high"]).all()
    again = judge_ranking(corpus, letters, over="items", resamples=200)
    pd.testing.assert_frame_equal(items, again)
    with pytest.raises(InputError, match="unknown choice"):
        judge_ranking(corpus, letters, over="languages")


def test_planted_skills_are_found_and_shuffled_letters_are_not():
    corpus, letters = skilled(SKILLS, per_cell=60)
    found = judge_ranking(corpus, letters, resamples=200)
    pooled = found[found["language"].isna() & (found["quantity"] == POOLED)]
    assert (pooled["low"] > 0.5).all()
    rng = np.random.default_rng(0)
    blind = letters.assign(**{name: rng.permutation(letters[name]) for name in SKILLS})
    lost = judge_ranking(corpus, blind, resamples=200)
    centred = lost[lost["quantity"] == CENTRED]
    assert (centred["value"].abs() < 0.45).all()  # 40 points less 4 means: a standard deviation of 1/6


def test_what_a_corpus_lacks_is_the_reason():
    corpus, letters = skilled(SKILLS, per_cell=2)
    plain = judge_ranking(without_annotators(corpus), letters, resamples=20)
    assert plain["value"].isna().all() and plain["reason"].iloc[0] == "nobody is named"
    lonely = judge_ranking(corpus, letters, strategies=["human"], resamples=20)
    assert lonely["value"].isna().all() and "only 1 origin" in lonely["reason"].iloc[0]
    silent = judge_ranking(corpus, letters.iloc[:0], judges=[], resamples=20)
    assert "sheep judge" in silent["reason"].iloc[0]


def test_rules_reach_the_scores():
    corpus, letters = skilled(SKILLS)
    one, other = (
        judge_ranking(corpus, letters, rules=rules, resamples=20) for rules in (None, Rules(classes="all"))
    )
    # A and F always occur, so that all six labels scale every F1 by a third: the same correlation
    assert one["value"].to_numpy() == pytest.approx(other["value"].to_numpy())

import numpy as np
import pandas as pd
import pytest

from sheeplib import InputError
from sheeplib.shift import Method, telling
from texts_of import corpus_of, signed, written


def test_the_planted_word_leads_and_stands_once():
    found = telling(signed(np.random.default_rng(1), 120), "6-way", top=5)
    first = found[found["rank"] == 1].set_index("origin")
    for origin, mark in {"m1": "indeed", "m2": "perhaps", "human": "mate"}.items():
        assert first.loc[origin, "ngram"].strip() in mark
        assert first.loc[origin, "share"] == 1 and first.loc[origin, "share_others"] < 0.01
        mine = found[found["origin"] == origin]
        # the word's own parts stand in the same texts, so that none of them is listed beside it
        assert (mine["share"].iloc[1:] - mine["share_others"].iloc[1:] < 0.9).all()
        assert mine["weight"].is_monotonic_decreasing and (mine["weight"] > 0).all()


def test_two_origins_have_opposite_weights_and_shares_are_of_texts():
    texts = [f"{text} {mark}" for text, mark in zip(written(np.random.default_rng(2), 40), "xy" * 20)]  # noqa: B905
    corpus = corpus_of(texts, source=["haloquest", "visage"] * 20)
    found = telling(corpus, "source", top=1, method=Method(characters=None, words=(1, 1)))
    assert found["ngram"].tolist() == ["x", "y"] and found["level"].eq("word").all()
    assert found["share"].tolist() == [1, 1] and found["share_others"].tolist() == [0, 0]
    assert found["weight"].iloc[0] == pytest.approx(found["weight"].iloc[1], rel=0.5)


def test_groups_have_ngrams_of_their_own_and_a_group_without_two_origins_has_none():
    corpus = signed(np.random.default_rng(3), 60)
    items = corpus.items.assign(language=["en"] * 50 + ["fr"] * 10)
    items.loc[items["language"] == "fr", "strategy"] = "human"
    mixed = corpus_of(
        items["response"], **{name: items[name] for name in ("language", "strategy", "model", "source")}
    )
    assert set(telling(mixed, "3-way", top=2)["language"]) == {"en"}
    assert "language" not in telling(mixed, "3-way", by=(), top=2)


def test_what_cannot_be_told_is_refused_with_the_reason():
    bare = corpus_of(["a b", "b c"], source=["visage", "visage"])
    with pytest.raises(InputError, match="has no 6-way task: test does not say the model"):
        telling(bare, "6-way")
    two = corpus_of(["a b", "b c"], source=["visage", "haloquest"], language=["en", "fr"])
    with pytest.raises(InputError, match="no group has texts of two origins"):
        telling(two, "source")
    with pytest.raises(InputError, match="'top': out of range"):
        telling(two, "source", by=(), top=0)


def test_the_order_of_rows_changes_nothing():
    corpus = signed(np.random.default_rng(4), 60)
    mixed = corpus.items.sample(frac=1, random_state=2)
    found = telling(corpus, "6-way", top=4)
    other = telling(type(corpus)("test", mixed.reset_index(drop=True)), "6-way", top=4)
    pd.testing.assert_frame_equal(found, other)

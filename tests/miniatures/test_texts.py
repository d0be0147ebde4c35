"""Texts for the card: which are chosen, what is marked in them, and what a paper prints."""

import pytest

from meadow_pool import write_pool
from sheeplib.corpora.meadow import pool
from sheeplib.corpora.meadow.reading import read
from sheeplib.corpora.meadow.scenes import named_scene
from sheeplib.corpora.meadow.verdicts import wrong_parts
from sheeplib.errors import InputError
from sheeplib.miniatures import inventions, texts


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return write_pool(tmp_path_factory.mktemp("texts"))


def test_captions_are_those_of_the_first_scenes(home):
    found = texts.captions(2, home)
    assert set(found["scene"]) == {0, 1} and len(found) == 2 * found["model"].nunique()
    with pytest.raises(InputError, match="6 scenes have captions.*Choose 1 to 6"):
        texts.captions(7, home)
    with pytest.raises(InputError, match="found '?0"):
        texts.captions(0, home)


def test_captions_are_a_corpus_with_pictures(home):
    data = texts.corpus_of(texts.captions(2, home))
    assert data.items["item"].is_unique and data.items.loc[0, "image"] == "meadow-000000"
    assert data.enlarged("meadow-000001").size == (256, 256)
    assert "drawn by a program" in data.simulated and "trained for this project" in data.simulated


def test_there_are_a_right_and_a_wrong_answer_in_each_language(home):
    data = texts.answers(5, home)
    assert data.items["language"].value_counts().to_dict() == dict.fromkeys(["en", "fr", "it", "zh"], 2)
    for row in data.items.itertuples():
        reading = read(row.response, row.language)
        parts = wrong_parts(reading, named_scene(row.image))
        marked = data.spans[data.spans["item"] == row.item]
        assert not reading.unread and bool(parts) == row.item.endswith("wrong")
        assert [(p.start, p.end, str(p.label)) for p in parts] == list(
            marked[["start", "end", "label"]].itertuples(index=False, name=None)
        )
    assert texts.answers(5, home).fingerprint == data.fingerprint


def test_without_texts_the_remedy_is_told(monkeypatch, tmp_path):
    monkeypatch.setattr(pool, "DATA", tmp_path)
    for read_them in (lambda: texts.captions(1), texts.answers):
        with pytest.raises(InputError, match="come with the package.*make meadow"):
            read_them()


def test_printed_rates_bear_the_names_of_ours_and_are_shares():
    printed = texts.printed_rates().set_index(["model", "quantity"])
    ours = {**inventions.RATES, **texts.COMPOSITION}
    assert set(printed.index.get_level_values("quantity")) == {
        "hallucination rate", "non-assertive share", *texts.COMPOSITION,
    } <= set(ours)  # fmt: skip
    # Table 1 prints 28.2 (26.9, 29.3) per cent, Table 2 35.4 per cent hedged.
    rate = printed.loc[("llava-1.5-7b", "hallucination rate")]
    assert tuple(rate[["value", "low", "high"]].round(6)) == (0.282, 0.269, 0.293) and rate["table"] == 1
    assert round(printed.loc[("llava-1.5-7b", "hedged among non-assertive"), "value"], 6) == 0.354
    shares = printed["value"][printed["table"] == 2].groupby("model").sum()
    assert ((shares > 0.98) & (shares < 1.02)).all(), "kinds are shares of all non-assertive mentions"

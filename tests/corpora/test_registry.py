"""Corpora by name, from here and from others, and what a corpus can do as a whole."""

import hashlib
import json
from dataclasses import replace

import pandas as pd
import pytest

from corpora_of import corpus_of
from sheeplib import corpora
from sheeplib.corpora import CORPORA, Corpus, load
from sheeplib.errors import InputError


class Point:
    """What an installed package declares in the group `sheeplib.corpora`."""

    def __init__(self, name, loader):
        self.name, self.loader = name, loader

    def load(self):
        return self.loader


@pytest.fixture
def declared(monkeypatch):
    def declare(**loaders):
        points = [Point(name, loader) for name, loader in loaders.items()]
        asked = {"sheeplib.corpora": points}
        monkeypatch.setattr(corpora, "entry_points", lambda group: asked[group])

    return declare


@pytest.fixture
def corpus():
    return corpus_of({"a": [[(0, 3, "A")], []], "b": [[(1, 2, "B")], [(1, 2, "B")]], "c": [[], []]})


def test_an_unknown_name_is_answered_with_the_known_ones(declared):
    declared(goats=Corpus)
    with pytest.raises(InputError, match="unknown corpus 'sheeps'") as caught:
        load("sheeps")
    assert f"Known: {', '.join(CORPORA)}, goats" in str(caught.value)


@pytest.mark.parametrize("name", CORPORA)
def test_wrong_options_are_answered_with_the_right_ones(name):
    with pytest.raises(InputError, match=f"corpus '{name}'.*'flock'") as caught:
        load(name, flock="white")
    assert "It takes: " in str(caught.value)


@pytest.mark.parametrize("name", ["sheep", "mushroom", "haloquest"])
def test_a_corpus_that_is_not_embedded_needs_its_directory(name):
    with pytest.raises(InputError, match=f"corpus '{name}' needs its data.*directory=DIR"):
        load(name)


def test_others_can_declare_a_corpus(declared, corpus):
    declared(goats=lambda colour: replace(corpus, name=f"{colour} goats"))
    assert load("goats", colour="grey").name == "grey goats"
    with pytest.raises(InputError, match="corpus 'goats': missing a required argument: 'colour'"):
        load("goats")


def test_a_corpus_without_options_says_so(declared):
    declared(goats=lambda: None)
    with pytest.raises(InputError, match="It takes: nothing"):
        load("goats", colour="grey")


def test_a_mistake_inside_a_loader_is_not_taken_for_a_wrong_option(declared):
    def broken(directory=None):
        return len(directory)

    declared(goats=broken)
    with pytest.raises(TypeError, match="has no len"):
        load("goats")


def test_nobody_replaces_a_corpus_of_ours(declared):
    declared(sheep=lambda **options: "another")
    with pytest.raises(InputError, match="corpus 'sheep' needs its data"):
        load("sheep")


def test_selected_items_keep_their_rows_and_no_others(corpus):
    corpus = replace(corpus, labels=corpus.spans.assign(prob=1.0)[["item", "start", "end", "prob", "label"]])
    found = corpus.select(corpus.items["item"] != "b")
    assert found.items["item"].tolist() == ["a", "c"]
    assert found.ratings["item"].tolist() == ["a", "a", "c", "c"]
    assert found.spans["item"].tolist() == found.labels["item"].tolist() == ["a"]
    for table in (found.items, found.ratings, found.spans, found.labels):
        assert table.index.tolist() == list(range(len(table)))
    assert corpus.items["item"].tolist() == ["a", "b", "c"]  # left as it was


def test_an_item_is_not_selected_where_the_answer_is_missing(corpus):
    assert corpus.select(pd.Series([True, pd.NA, False], dtype="boolean")).items["item"].tolist() == ["a"]


def test_a_selection_keeps_what_is_said_about_the_corpus(corpus):
    about = {
        "lacks": {"model": "unknown"}, "notes": ("one",), "licence": "MIT", "simulated": "all", "picture": len
    }  # fmt: skip
    found = replace(corpus, **about).select(corpus.items["item"] == "a")
    assert {name: getattr(found, name) for name in about} == about


def test_the_fingerprint_is_that_of_the_tables_written_as_json(corpus):
    # written out here once more, since a change would make every receipt look outdated
    def written(table):
        rows = [[None if pd.isna(value) else value for value in row] for row in table.to_numpy().tolist()]
        return json.dumps({"columns": list(table.columns), "data": rows}, separators=(",", ":"))

    corpus = replace(
        corpus, items=corpus.items.assign(response="un mouton — 羊 🐑", labelled=[True, False, True])
    )
    text = "test" + "".join(map(written, (corpus.items, corpus.ratings, corpus.spans, corpus.labels)))
    assert corpus.fingerprint == hashlib.sha256(text.encode()).hexdigest()[:16]


def test_the_fingerprint_does_not_change_with_what_is_said_about_the_corpus(corpus):
    everything = corpus.select(pd.Series(True, index=corpus.items.index))
    assert everything.fingerprint == corpus.fingerprint
    assert replace(corpus, notes=("read",), licence="MIT").fingerprint == corpus.fingerprint


def test_the_fingerprint_notices_every_change(corpus):
    labels = corpus.spans.assign(prob=1.0)[["item", "start", "end", "prob", "label"]]
    changed = [
        replace(corpus, name="other"),
        replace(corpus, items=corpus.items.iloc[::-1]),
        replace(corpus, items=corpus.items.assign(response="é" * 100)),
        replace(corpus, items=corpus.items.assign(response="e\u0301" * 100)),  # looks the same
        replace(corpus, items=corpus.items.rename(columns={"model": "evaluator"})),
        replace(corpus, items=corpus.items.assign(labelled=True)),
        replace(corpus, ratings=corpus.ratings.assign(comment="hm")),
        replace(corpus, ratings=corpus.ratings.assign(comment="")),
        replace(corpus, spans=corpus.spans.assign(end=corpus.spans["end"] + 1)),
        replace(corpus, spans=corpus.spans.assign(label=pd.NA)),
        replace(corpus, labels=labels),
        replace(corpus, labels=labels.assign(prob=0.3333)),
        replace(corpus, labels=labels.assign(prob=1 / 3)),
        replace(corpus, labels=labels.assign(prob=0.33333333333333)),
        corpus.select(corpus.items["item"] != "c"),
    ]
    prints = {corpus.fingerprint, *(other.fingerprint for other in changed)}
    assert len(prints) == len(changed) + 1

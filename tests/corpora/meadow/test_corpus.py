"""The corpus as chapters load it."""

import os
import subprocess
import sys

import pandas as pd
import pytest

import sheeplib.corpora as corpora
from sheeplib import tables
from sheeplib.corpora import meadow
from sheeplib.corpora.meadow.noise import NoiseModel
from sheeplib.errors import InputError


@pytest.fixture(scope="module")
def corpus():
    return corpora.load("meadow")


@pytest.fixture(scope="module")
def truth():
    return meadow.truth()


def test_it_has_the_papers_shape(corpus):
    items = corpus.items
    assert len(items) == 1600 and items["item"].is_unique
    assert (items["strategy"] == "human").all() and items["model"].isna().all()
    assert (items["split"] == "test").all() and (items["corpus"] == "meadow").all()
    assert (items.groupby(["language", "origin_language"]).size() == 100).all()
    assert (items.groupby(["language", "origin_language", "prelabel"]).size() == 25).all()
    assert set(items["source"]) == {"haloquest-like", "visage-like"}
    assert items["item"].iloc[0] == "meadow-en-human-0001"
    assert "model" in corpus.lacks and "simulated" in corpus.simulated and corpus.licence == "MIT"


def test_tables_are_valid_and_offsets_lie_in_the_texts(corpus, truth):
    for name in ("items", "ratings", "spans", "labels"):
        tables.validate(name, getattr(corpus, name))
    for spans in (corpus.spans, corpus.labels, truth):
        tables.check_offsets(corpus.items, spans)
    assert corpus.labels["prob"].between(0, 1, inclusive="right").all()


def test_parallel_items_share_scene_source_and_mistake(corpus, truth):
    together = corpus.items.merge(truth, on="item").groupby("parallel")
    assert len(together) == 400
    for column in (
        "image",
        "prelabel",
        "source",
        "origin_language",
        "label",
        "field",
        "salience",
        "in_answer",
    ):
        assert (together[column].nunique() == 1).all(), column
    assert (together["language"].nunique() == 4).all()
    assert (together["response"].nunique() == 4).all() and (together["prompt"].nunique() == 4).all()


def test_truth_names_the_mistake(corpus, truth):
    both = corpus.items.merge(truth, on="item", validate="one_to_one")
    assert (both["label"] == both["prelabel"]).all()
    assert all(row.response[row.start : row.end] == row.wrong for row in both.itertuples())
    assert (truth["right"].isna() == (truth["label"] == "A")).all()
    repaired = truth.dropna(subset="right")
    assert (repaired["right"].str.lower() != repaired["wrong"].str.lower()).all()
    assert truth["salience"].between(0, 1).all() and 0.05 < truth["in_answer"].mean() < 0.6


def test_exact_annotators_agree_with_the_truth_in_the_labels():
    corpus = meadow.load(3, 8, noise=NoiseModel.exact())
    expected = meadow.truth(3, 8)[["item", "start", "end", "label"]]
    assert (corpus.labels["prob"] == 1).all()
    pd.testing.assert_frame_equal(corpus.labels[["item", "start", "end", "label"]], expected)


def test_most_annotations_find_the_mistake_but_not_all(corpus, truth):
    marks = corpus.spans.merge(truth, on="item", suffixes=("", "_true"))
    hit = (marks["start"] < marks["end_true"]) & (marks["start_true"] < marks["end"])
    found = len(marks[hit][["item", "annotator"]].drop_duplicates()) / len(corpus.ratings)
    assert 0.6 < found < 0.98
    assert 0 < (~hit).mean() < 0.4


def test_items_that_are_easier_to_see_are_found_more_often(corpus, truth):
    marked = corpus.ratings.merge(
        corpus.spans[["item", "annotator"]].drop_duplicates(), how="left", indicator=True
    ).merge(truth[["item", "salience"]])
    clear = marked["salience"] > 0.8
    rate = (marked["_merge"] == "both").groupby(clear).mean()
    assert rate[True] > rate[False]


def test_images_are_named_after_their_scene(corpus):
    name = corpus.items["image"].iloc[0]
    assert meadow.image(name, 48).size == (48, 48)
    assert meadow.named_scene(name) == meadow.scene(int(name.removeprefix("meadow-")))


def test_same_seed_same_bytes_in_another_process_and_another_seed_differs():
    code = (
        "from sheeplib.corpora import meadow; import hashlib;"
        "picture = meadow.image('meadow-000042').tobytes();"
        "print(meadow.load(5, 8).fingerprint, hashlib.sha256(picture).hexdigest())"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True,
            env=os.environ | {"PYTHONHASHSEED": salt},
        ).stdout
        for salt in ("1", "2")
    }  # fmt: skip
    assert len(seen) == 1
    assert seen.pop().split()[0] == meadow.load(5, 8).fingerprint != meadow.load(6, 8).fingerprint


def test_relabelling_strategies_changes_no_annotation(monkeypatch):
    """The same answers under other strategies and models are annotated in the same way."""
    plain, row = meadow.load(5, 8), meadow._row

    def renamed(name, number, *others):
        return row(name, number, *others) | {"strategy": ("random", "map")[number % 2], "model": f"m{number}"}

    monkeypatch.setattr(meadow, "_row", renamed)
    other = meadow.load(5, 8)
    assert set(other.items["strategy"]) == {"random", "map"}
    pd.testing.assert_frame_equal(other.spans, plain.spans)
    pd.testing.assert_frame_equal(other.ratings, plain.ratings)


@pytest.mark.parametrize("options", [{"seed": -1}, {"per_language": 0}, {"per_language": 100_000}])
def test_wrong_options_are_refused(options):
    with pytest.raises(InputError, match="Choose"):
        meadow.load(**options)
    with pytest.raises(InputError, match="Choose"):
        meadow.truth(**options)


def test_odd_numbers_of_samples_are_balanced_as_well_as_can_be():
    counts = meadow.load(1, 6).items.groupby(["language", "origin_language"])["prelabel"].value_counts()
    assert set(counts) == {1, 2}

"""The verb `sheep detect hallushift`, on a corpus with planted mistakes."""

import json

import pytest
from rich.console import Console

import small_detection
from sheeplib import corpora
from sheeplib.cli import terminal
from sheeplib.detectors.evaluators import features_of, shuffled_images
from sheeplib.detectors.submissions import write_references
from sheeplib.errors import InputError
from sheeplib.scoring import check_format


@pytest.fixture
def run(sheep, monkeypatch, tmp_path):
    monkeypatch.setenv("SHEEP_FEATURES", str(tmp_path / "features"))
    monkeypatch.setitem(corpora.CORPORA, "test", "small_detection:load")
    return sheep


QUICK = ("--epochs", 2, "--batch", 64, "--resamples", 20)


def test_scores_beside_controls_and_a_submission_that_passes(run, tmp_path):
    store = small_detection.store_of(tmp_path / "features")
    call = ("detect", "hallushift", "--corpus", "test", *QUICK, "--predictions", tmp_path / "pred", "--json")
    code, out, _ = run(*call)
    out_of_first, found = out, json.loads(out)
    assert code == 0 and found["evaluator"] == "m" and found["features"] == store.shards.key
    rows = {(row["detector"], row["setup"], row["quantity"]): row for row in found["results"]}
    assert rows["HalluShift++", "binary", "auroc"]["value"] > 0.8
    assert rows["none marked", "binary", "recall"]["value"] == 0
    assert rows["none marked", "binary", "precision"]["reason"] == "no token is flagged"
    assert {row["n"] for row in found["results"] if row["quantity"] == "f1"} == {21}  # the test split
    corpus = small_detection.load()
    write_references(corpus.select(corpus.items["split"] == "test"), tmp_path / "gold")
    assert check_format(tmp_path / "pred", tmp_path / "gold") == []
    code, out, _ = run("score", "--gold", tmp_path / "gold", "--pred", tmp_path / "pred", "--json")
    assert code == 0 and set(json.loads(out)) == {"en", "fr"}
    assert run(*call)[1] == out_of_first


def test_the_table_and_cross_validation(run, tmp_path, monkeypatch):
    monkeypatch.setattr(terminal, "said", Console(width=160))
    store = small_detection.store_of(tmp_path / "elsewhere")
    call = ("detect", "hallushift", "--corpus", "test", "--features", store.path, *QUICK, "--cross")
    code, out, _ = run(*call)
    assert code == 0 and "HalluShift++" in out and "lexicon" in out
    assert " 60 " in out  # all answers


def test_another_classifier(run, tmp_path):
    small_detection.store_of(tmp_path / "features")
    call = ("detect", "hallushift", "--corpus", "test", *QUICK, "--json", "--classifier")
    found = {name: json.loads(run(*call, name)[1]) for name in ("mlp", "logistic-1")}
    assert {name: done["classifier"] for name, done in found.items()} == {name: name for name in found}
    assert found["mlp"]["results"] != found["logistic-1"]["results"]
    code, _, err = run(*call, "svm")
    assert code == 1 and "no such classifier (found 'svm'). Known: mlp" in err


def test_without_features_it_says_how_to_make_them(run):
    code, _, err = run("detect", "hallushift", "--corpus", "test")
    assert code == 1
    assert "0 stores have features of corpus 'test' for hallushift" in err
    assert "`sheep features extract --evaluator smollm2 --corpus test " in err
    assert err.endswith("--needs hallushift`\n")


def test_features_are_found_by_corpus_and_needs(tmp_path):
    corpus = small_detection.load()
    one = small_detection.store_of(tmp_path)
    small_detection.store_of(tmp_path, "another")
    assert features_of(corpus, "hallushift", tmp_path).path == one.path
    assert features_of(corpus, "hallushift", one.path).path == one.path
    with pytest.raises(InputError, match="0 stores have features .* for euq"):
        features_of(corpus, "euq", tmp_path)
    small_detection.store_of(tmp_path, seed=1)
    with pytest.raises(InputError, match=f"2 stores .*Name one of .*{one.path.name}"):
        features_of(corpus, "hallushift", tmp_path)
    assert shuffled_images(corpus) is None

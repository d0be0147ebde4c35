import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from corpora_of import corpus_of
from sheeplib import load, tables
from sheeplib.corpora.aggregate import aggregate_labels
from sheeplib.detectors.submissions import (
    official_ids,
    predicted_labels,
    scored,
    write_references,
    write_submission,
)
from sheeplib.errors import InputError
from sheeplib.scoring import check_format, marked_from_tables, read_predictions, score_files

TEXT = "A red  cat 🐑 sat."
EDGES = [(0, 1), (1, 5), (6, 10), (10, 12), (11, 12), (12, 16), (16, 17)]  # A, red, cat, two of a sheep, sat


def corpus(**columns):
    made = corpus_of(
        {"test-en-1": [[(2, 5, "A")], []], "test-zh-2": [[], []]}, split=["test", "test"], **columns
    )
    made.items["response"] = pd.array([TEXT, "羊"], dtype=tables.TEXT)
    return made


def tokens(item="test-en-1", edges=EDGES):
    frame = pd.DataFrame(edges, columns=["start", "end"]).assign(item=item, evaluator="m")
    return tables.validate("tokens", frame.assign(token=np.arange(len(edges))))


def test_tokens_become_runs():
    found = predicted_labels(corpus(), tokens(), "FBBAACF", [0, 0.5, 0.75, 0.25, 0.5, 0, 0])
    # " red" and "cat" are joined over the blanks between them, at the smaller probability; both pieces
    # of the sheep mark it once, at the larger one; the C token of probability 0 marks nothing.
    expected = [(2, 7, 0.5, "B"), (7, 10, 0.75, "B"), (11, 12, 0.5, "A")]
    assert list(found[["start", "end", "prob", "label"]].itertuples(index=False, name=None)) == expected


def test_nothing_marked_is_an_empty_table():
    found = predicted_labels(corpus(), tokens(), "F" * 7, np.ones(7))
    assert not len(found) and list(found) == ["item", "start", "end", "prob", "label"]


def test_a_submission_passes_the_check_and_is_scored(tmp_path):
    data = corpus(language=["en", "zh"])
    found = predicted_labels(data, tokens(), "FAFFFFF", np.ones(7))
    paths = write_submission(data, found, tmp_path / "pred")
    assert [path.name for path in paths] == ["test.en.jsonl", "test.zh.jsonl"]
    gold = write_references(aggregated(data), tmp_path / "gold")
    assert [path.name for path in gold] == ["test.en.labeled.jsonl", "test.zh.labeled.jsonl"]
    assert check_format(tmp_path / "pred", tmp_path / "gold") == []
    scores = score_files(tmp_path / "gold", tmp_path / "pred")
    # The span found is the one marked, so that Cor and IoU are 1; one of two annotators is no majority.
    assert scores["en"]["cor"] == scores["en"]["iou"] == scores["zh"]["cor"] == 1
    assert scores["en"]["coverage"] == 1 and scores["en"]["classification"]["accuracy"] == 0
    record = json.loads((tmp_path / "pred" / "test.en.jsonl").read_text("utf-8"))
    assert record == {
        "id": "test-en-1",
        "labels": [{"start": 2, "end": 5, "prob": 1.0, "label": "invention"}],
    }


def aggregated(data):
    return replace(data, labels=aggregate_labels(data.items, data.ratings, data.spans))


def test_identifiers_of_other_corpora_are_made_official(tmp_path):
    meadow = load("meadow")
    written = meadow.items["item"][meadow.items["strategy"] == "human"]  # all of one split
    some = meadow.select(meadow.items["item"].isin(written.iloc[::200]))
    ids = official_ids(some.items)
    assert ids[some.items["item"].iloc[0]].startswith("test-en-meadow_en_")
    write_references(some, tmp_path / "gold")
    write_submission(some, some.labels, tmp_path / "pred")
    assert check_format(tmp_path / "pred", tmp_path / "gold") == []
    scores = score_files(tmp_path / "gold", tmp_path / "pred")
    assert set(scores) == {"en", "fr", "it", "zh"} and all(part["iou"] == 1 for part in scores.values())


def test_real_labels_come_back(shared, tmp_path):
    real = load("sheep", directory=shared / "sheep")
    write_submission(real, real.labels, tmp_path)
    assert check_format(tmp_path, shared / "sheep") == []
    written = {one.item: one.spans for one in read_predictions(tmp_path)}
    assert written == {one.item: one.spans for one in marked_from_tables(real.items, real.labels)}
    assert min(part["iou"] for part in score_files(shared / "sheep", tmp_path).values()) == 1


@pytest.mark.parametrize(
    ("letters", "probs", "message"),
    [
        ("FFFFFFG", [1] * 7, "a token has no label .found 'G'"),
        ("FFF", [1] * 7, "differ in number"),
        ("F" * 7, [1] * 6 + [1.5], "not a probability .found 1.5"),
        ("F" * 7, [1] * 6 + [np.nan], "not a probability"),
    ],
)
def test_predictions_that_make_no_sense_are_refused(letters, probs, message):
    with pytest.raises(InputError, match=message):
        predicted_labels(corpus(), tokens(), letters, probs)


def test_what_cannot_be_submitted_is_refused(tmp_path):
    data, none = corpus(language=["en", "zh"]), tables.empty("labels")
    data.items["split"] = ["test", "train"]
    with pytest.raises(InputError, match="items of 2 splits"):
        write_submission(data, none, tmp_path)
    with pytest.raises(InputError, match="no items to write"):
        write_submission(data.select(data.items["item"] == ""), none, tmp_path)
    data.items["split"] = "test"
    data.items["item"] = ["one", "two"]
    data.items["language"] = ["en", "de"]
    with pytest.raises(InputError, match="item two: no split and language"):
        write_submission(data, none, tmp_path)
    long = pd.DataFrame({"item": ["one"], "start": 0, "end": 99, "prob": 1.0, "label": "A"})
    with pytest.raises(InputError, match="span ends past the text"):
        write_submission(data, long, tmp_path)
    with pytest.raises(InputError, match="a span has no label .found 'F'"):
        write_submission(data, long.assign(end=2, label="F"), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_systems_are_scored_side_by_side():
    data = aggregated(corpus(language=["en", "zh"]))
    right = predicted_labels(data, tokens(), "FAFFFFF", np.ones(7))
    found = scored(data, {"right": right, "none": right.iloc[:0]}, resamples=50)
    values = found.set_index(["detector", "quantity"])["value"]
    # Of two answers one has no mistake: marking nothing is right there, and wrong in the other.
    assert values["right"].tolist() == [1, 1, 1] and values["none"].tolist() == [0.5, 0.5, 0.5]
    assert found["n"].eq(2).all()
    by_language = scored(data, {"none": right.iloc[:0]}, "language", resamples=50)
    assert dict(zip(by_language["language"], by_language["value"], strict=True)) == {"en": 0, "zh": 1}

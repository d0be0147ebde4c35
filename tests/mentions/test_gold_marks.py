"""Marks of a person beside readings: files, pairs, shares and their intervals."""

import json

import numpy as np
import pandas as pd
import pytest

from sheeplib.errors import InputError
from sheeplib.mentions import gold

LENGTHS = {"1": 40, "2": 20}


def write(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def mark(**changed):
    return {"image_id": 1, "start": 0, "end": 3, "category": "hedged"} | changed


def test_reads_marks(tmp_path):
    path = write(
        tmp_path / "m.jsonl", mark(), mark(image_id="2", category="generic", confidence="low", concept="dog")
    )
    first, second = gold.read_marks(path, LENGTHS)
    assert (first.image, first.category, first.sure, first.concept) == ("1", "hedged", True, "")
    assert (second.image, second.category, second.sure, second.concept) == ("2", "other", False, "dog")


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"image_id": 3}, "image_id"), ({"image_id": None}, "image_id"), ({"end": 41}, "start, end"),
        ({"start": 3}, "start, end"), ({"start": True}, "start, end"), ({"category": "guess"}, "category"),
        ({"confidence": "sure"}, "confidence"), ({"concept": 5}, "concept"),
    ],
)  # fmt: skip
def test_names_file_line_and_field(tmp_path, changed, field):
    path = write(tmp_path / "m.jsonl", mark(), mark(**changed))
    with pytest.raises(InputError, match=rf"m\.jsonl:2: field '{field}'"):
        gold.read_marks(path, LENGTHS)


def test_refuses_a_file_without_marks(tmp_path):
    with pytest.raises(InputError, match="no marks"):
        gold.read_marks(write(tmp_path / "m.jsonl"), LENGTHS)


def judged(*rows, marks):
    frame = pd.DataFrame(rows, columns=["image", "start", "end", "concept", "reading"])
    return gold.judged(frame, marks, ("dog", "cat"))


def made(start, end, category, concept="", sure=True):
    return gold.Mark(1, "1", start, end, category, concept, sure)


def test_pairs_by_overlap_and_class():
    found = judged(
        ("1", 0, 3, "dog", "hedged"),  # marked
        ("1", 5, 8, "cat", "hedged"),  # the mark there is for a dog
        ("1", 10, 13, "dog", "asserted"),  # marked, but the mark does not count
        ("1", 15, 18, "dog", "generic"),  # its class is none of ours: overlap is enough
        marks=[
            made(2, 4, "hedged", "dog"), made(5, 8, "depictive", "dog"), made(10, 13, "purpose", sure=False),
            made(15, 18, "other", "wolf"), made(30, 33, "negation"), made(35, 38, "compound"),
        ],
    )  # fmt: skip
    table = found.table.fillna("unseen")
    assert list(zip(table["said"], table["truth"], strict=True)) == [
        ("hedged", "hedged"), ("hedged", "asserted"), ("other", "other"),
        ("unseen", "depictive"), ("unseen", "negation"),  # an unseen compound was told apart all the same
    ]  # fmt: skip
    assert found.left_out == 1


def test_scores_by_hand():
    found = judged(
        ("1", 0, 1, "dog", "hedged"), ("1", 2, 3, "dog", "purpose"), ("1", 4, 5, "dog", "asserted"),
        ("1", 6, 7, "dog", "hedged"), ("1", 8, 9, "dog", "compound"), ("1", 10, 11, "dog", "hedged"),
        marks=[
            made(0, 1, "hedged"), made(2, 3, "hedged"), made(4, 5, "negation"), made(8, 9, "compound"),
            made(10, 11, "compound"),
        ],
    )  # fmt: skip
    rows = gold.scores(found).set_index(["group", "quantity"])
    value = rows["value"]
    assert value["non-assertive", "recall"] == pytest.approx(2 / 3)  # of hedged, hedged, negation
    assert value["non-assertive", "precision"] == pytest.approx(
        2 / 3
    )  # two marked, one asserted, one compound left out
    assert (value["hedged", "recall"], value["hedged", "same"]) == (1, 0.5)
    assert value["hedged", "precision"] == 0.5 and value["purpose", "precision"] == 1
    assert value["negation", "recall"] == 0 and np.isnan(value["negation", "precision"])
    assert (value["compound", "recall"], value["compound", "same"]) == (1, 0.5)
    assert value["all but asserted", "recall"] == 4 / 5 and value["all but asserted", "precision"] == 4 / 5
    assert rows["n"]["non-assertive", "recall"] == 3 and rows["n"]["depictive", "recall"] == 0


def test_wilson_by_hand():
    # 8 of 10, z = 2: (0.8 + 4/20 ± 2 sqrt(0.8·0.2/10 + 4/400)) / (1 + 4/10) = (1 ± 2·0.16125) / 1.4
    # (p + z^2/2n -+ z sqrt(p(1 - p)/n + z^2/4n^2)) / (1 + z^2/n), p = .8, n = 10, z = 1.96
    assert gold.wilson(8, 10) == pytest.approx((0.490162, 0.943318), abs=1e-5)
    assert gold.wilson(0, 5)[0] == 0 and gold.wilson(5, 5)[1] == 1
    assert np.isnan(gold.wilson(0, 0)).all()

"""Marked texts from the tidy tables, and what a record says of its language."""

import pandas as pd
import pytest

from sheeplib import tables
from sheeplib.errors import InputError
from sheeplib.scoring import Marked, Span, marked_from_tables, score, summarise


def items(*names, language="zh"):
    columns = {name: [pd.NA] * len(names) for name in tables.SCHEMAS["items"].columns}
    given = {"item": names, "corpus": "test", "response": "山上有 𠀀 山", "language": language}
    return tables.validate("items", pd.DataFrame(columns | given))


def labels(*rows):
    return tables.validate("labels", pd.DataFrame(rows, columns=["item", "start", "end", "prob", "label"]))


def test_tables_give_references_and_predictions():
    gold = labels(("a", 4, 5, 1.0, "A"), ("a", 0, 2, 1 / 3, "C"))
    references = marked_from_tables(items("a", "b"), gold)
    assert references[0] == Marked("a", (Span(4, 5, 1.0, "invention"), Span(0, 2, 1 / 3, "OCR")), 7, "zh")
    assert references[1] == Marked("b", (), 7, "zh")
    predictions = marked_from_tables(items("a", "b"), gold.iloc[:1])
    said = summarise(score(references, predictions))["zh"]
    # of the labels of `a`, one is predicted rightly and one not at all; `b` is empty on both sides
    assert (said["n"], said["cor_lbl"]) == (2, (1 / 2 + 1) / 2)
    assert "classification" not in said


def test_tables_tell_the_annotators_majority():
    ratings = pd.DataFrame({"item": list("aaabbb"), "annotator": list("xyzxyz")})
    spans = pd.DataFrame({"item": list("aaabb"), "annotator": list("xxyxx")})  # `x` marks twice each
    references = marked_from_tables(items("a", "b", "c"), tables.empty("labels"), ratings, spans)
    assert [one.positive for one in references] == [True, False, None]


@pytest.mark.parametrize(
    ("row", "what"),
    [(("a", 0, 1, 1.0, pd.NA), "unknown label"), (("b", 0, 1, 1.0, "A"), "labels of unknown items")],
)
def test_labels_that_cannot_be_scored(row, what):
    with pytest.raises(InputError, match=what):
        marked_from_tables(items("a"), labels(row))


@pytest.mark.parametrize(
    ("item", "language", "expected"),
    [
        ("train-EN-1", "fr", "en"),  # the identifier decides
        ("train-de-1", "FR", "fr"),
        ("en", None, None),
        ("--", "", None),
        ("a-en-b-c", 3, None),
    ],
)
def test_language_of_a_record(item, language, expected):
    assert Marked.prediction({"id": item, "labels": [], "language": language}).language == expected

"""mu-SHROOM: every annotator's spans, and what the release makes of them."""

import json
import unicodedata
from collections import Counter

import pandas as pd
import pytest

from sheeplib.corpora import load
from sheeplib.errors import InputError

ENGLISH = "mushroom.en-tst.v1.extra.jsonl"
RESPONSE = "Sheep 🐑🐑 lay\u2028eggs."  # 18 code points


def record(number=1, annotations=None, **fields):
    return {
        "id": f"tst-en-{number}",
        "lang": "EN",
        "model_input": "Do sheep lay eggs?",
        "model_output_text": RESPONSE,
        "model_id": "a/model",
        "annotations": {"p": [[6, 8]], "q": []} if annotations is None else annotations,
    } | fields


@pytest.fixture
def written(tmp_path):
    def write(*records, name=ENGLISH):
        lines = [json.dumps(one, ensure_ascii=False) + "\n" for one in records]
        (tmp_path / name).write_bytes("".join(lines).encode())
        return tmp_path

    return write


def problems_of(place, **options):
    with pytest.raises(InputError) as caught:
        load("mushroom", directory=place, **options)
    assert all(problem.remedy for problem in caught.value.problems)
    return caught.value.problems


def test_a_record_becomes_an_item_with_its_annotators(written):
    corpus = load(
        "mushroom", directory=written(record(annotations={"p": [[9, 12], [6, 8]], "q": [], "r": [[6, 7]]}))
    )
    assert corpus.items.iloc[0].dropna().to_dict() == {
        "item": "tst-en-1", "corpus": "mushroom", "split": "test", "language": "en", "source": "mushroom",
        "prompt": "Do sheep lay eggs?", "response": RESPONSE, "model": "a/model",
    }  # fmt: skip
    assert corpus.ratings["annotator"].tolist() == ["p", "q", "r"]
    spans = corpus.spans[["annotator", "order", "start", "end"]]
    assert list(spans.itertuples(index=False, name=None)) == [("p", 0, 9, 12), ("p", 1, 6, 8), ("r", 0, 6, 7)]
    assert corpus.spans["label"].isna().all() and corpus.labels["label"].isna().all()
    # two of three annotators mark the first sheep, one the second, one the three letters of "lay"
    labels = corpus.labels[["start", "end", "prob"]]
    assert list(labels.itertuples(index=False, name=None)) == [(6, 7, 2 / 3), (7, 8, 1 / 3), (9, 12, 1 / 3)]
    assert set(corpus.lacks) == {"kinds", "strategy", "prelabel"} and corpus.notes == ()


def test_spans_of_length_zero_are_left_out_and_noted(written):
    annotations = {"p": [[3, 3], [6, 8], [18, 18]], "q": [[0, 0]], "r": []}
    corpus = load("mushroom", directory=written(record(annotations=annotations)))
    assert corpus.ratings["annotator"].tolist() == ["p", "q", "r"]  # who marked nothing else has still rated
    assert corpus.spans[["annotator", "order", "start", "end"]].to_numpy().tolist() == [["p", 0, 6, 8]]
    assert corpus.labels["prob"].tolist() == [1 / 3]
    assert corpus.notes == ("3 marked spans of length zero are left out",)


def test_nobody_may_have_marked_anything(written):
    corpus = load(
        "mushroom", directory=written(record(annotations={"p": [], "q": []}), record(2, annotations={}))
    )
    assert len(corpus.items) == 2 and len(corpus.ratings) == 2
    assert corpus.spans.empty and corpus.labels.empty


def test_encodings_and_line_ends(tmp_path):
    lines = b"\xef\xbb\xbf" + json.dumps(record(1), ensure_ascii=False).encode() + b"\r\n\r\n"
    (tmp_path / ENGLISH).write_bytes(lines + json.dumps(record(2)).encode())
    assert load("mushroom", directory=tmp_path).items["response"].tolist() == [RESPONSE, RESPONSE]


def test_languages_can_be_chosen(written):
    written(record(id="tst-zh-1", lang="ZH"), name="mushroom.zh-tst.v1.extra.jsonl")
    written(record(id="val-sv-1", lang="SV"), name="mushroom.sv-val.v2.jsonl")
    place = written(record())
    assert load("mushroom", directory=place).items["item"].tolist() == ["tst-en-1", "val-sv-1", "tst-zh-1"]
    assert load("mushroom", directory=place).items["split"].tolist() == ["test", "val", "test"]
    assert load("mushroom", directory=place, languages=["zh"]).items["item"].tolist() == ["tst-zh-1"]
    assert load("mushroom", directory=place, languages="zh").items["item"].tolist() == ["tst-zh-1"]
    assert load("mushroom", directory=place / ENGLISH).items["language"].tolist() == ["en"]
    (problem,) = problems_of(place, languages=["zh", "fr", "de"])
    assert (problem.what, problem.remedy) == ("no data in de, fr", "There are: en, sv, zh")


def test_the_same_items_without_annotators_may_lie_beside(written):
    written(
        {name: value for name, value in record().items() if name != "annotations"},
        name="mushroom.en-tst.v1.jsonl",
    )
    assert len(load("mushroom", directory=written(record())).items) == 1


def test_files_without_annotators_are_refused(written):
    place = written(record() | {"annotations": None}, name="mushroom.en-tst.v1.jsonl")
    (problem,) = problems_of(place)
    assert problem.what == "annotators are missing" and ".extra.jsonl" in problem.remedy
    assert (problem.line, problem.field) == (1, "annotations")


def test_a_place_without_data_is_answered_with_the_names_expected(written, tmp_path):
    written(record(), name="en.jsonl")
    for place in (tmp_path, tmp_path / "none", tmp_path / "en.jsonl"):
        (problem,) = problems_of(place)
        assert problem.what == "no mu-SHROOM data" and "mushroom.{language}-tst" in problem.remedy


def test_files_without_records(written):
    (problem,) = problems_of(written())
    assert problem.what == "no records"


def test_an_id_that_is_there_twice_is_named_with_both_places(written):
    place = written(record(1), record(2), record(1))
    (problem,) = problems_of(place)
    assert (problem.path, problem.line, problem.value) == (place / ENGLISH, 3, "tst-en-1")
    assert problem.what == f"id is there twice, first in {place / ENGLISH}:1"


@pytest.mark.parametrize(
    ("change", "field", "what"),
    [
        ({"id": None}, "id", "must be a text"),
        ({"lang": 1}, "lang", "must be a text"),
        ({"model_input": None}, "model_input", "must be a text"),
        ({"model_output_text": ["a"]}, "model_output_text", "must be a text"),
        ({"model_id": None}, "model_id", "must be a text"),
        ({"lang": "FR"}, "lang", "is not the language of the file"),
        ({"annotations": [[0, 3]]}, "annotations", "annotators are missing"),
        ({"annotations": {"p": None}}, "annotations.p", "must be a list"),
        ({"annotations": {"p": "0:3"}}, "annotations.p", "must be a list"),
        ({"annotations": {"p": [3]}}, "annotations.p", "two whole numbers"),
        ({"annotations": {"p": [[0]]}}, "annotations.p", "two whole numbers"),
        ({"annotations": {"p": [[0, 1, 2]]}}, "annotations.p", "two whole numbers"),
        ({"annotations": {"p": [["0", "3"]]}}, "annotations.p", "two whole numbers"),
        ({"annotations": {"p": [[0, 3.0]]}}, "annotations.p", "two whole numbers"),
        ({"annotations": {"p": [[False, True]]}}, "annotations.p", "two whole numbers"),
        ({"annotations": {"p": [[0, 19]]}}, "annotations.p", "not inside the text of 18 characters"),
        ({"annotations": {"p": [[19, 19]]}}, "annotations.p", "not inside the text"),
        ({"annotations": {"p": [[-1, 3]]}}, "annotations.p", "not inside the text"),
        ({"annotations": {"p": [[4, 3]]}}, "annotations.p", "not inside the text"),
        ({"annotations": {"p": [[0, 10**400]]}}, "annotations.p", "not inside the text"),
    ],
)
def test_wrong_values_are_named_by_file_line_and_field(written, change, field, what):
    place = written(record(1), record(2) | change, record(3))
    (problem,) = problems_of(place)
    assert (problem.path, problem.line, problem.field) == (place / ENGLISH, 2, field)
    assert what in problem.what


def test_everything_wrong_is_said_at_once(written):
    written(record(id="tst-zh-1", lang="ZH", model_id=3), name="mushroom.zh-tst.v1.extra.jsonl")
    place = written(record(1, {"p": [[0, 99], [3, 1]], "q": [[]]}), record(2, model_id=None, lang=None))
    with open(place / ENGLISH, "ab") as file:
        file.write(b"[]\n")
    found = [(problem.path.name[9:11], problem.line, problem.field) for problem in problems_of(place)]
    assert found == [
        ("en", 1, "annotations.p"), ("en", 1, "annotations.p"), ("en", 1, "annotations.q"),
        ("en", 2, "lang"), ("en", 2, "model_id"), ("en", 3, None), ("zh", 1, "model_id"),
    ]  # fmt: skip


# The real data


@pytest.fixture(scope="module")
def real(shared):
    return load("mushroom", directory=shared / "mushroom")


@pytest.fixture(scope="module")
def records(shared):
    lines = (
        line for path in (shared / "mushroom").glob("*.jsonl") for line in path.read_bytes().split(b"\n")
    )
    return {one["id"]: one for one in map(json.loads, filter(None, lines))}


def test_the_real_data_have_fourteen_languages(real):
    assert real.items["language"].nunique() == 14
    assert len(real.items) == 1902 and (real.items["split"] == "test").all()
    assert real.notes == ("412 marked spans of length zero are left out",)


def test_every_real_annotator_is_there(real, records):
    expected = {(item, annotator) for item, one in records.items() for annotator in one["annotations"]}
    assert set(zip(real.ratings["item"], real.ratings["annotator"], strict=True)) == expected
    marked = sum(
        start < end
        for one in records.values()
        for marks in one["annotations"].values()
        for start, end in marks
    )
    assert len(real.spans) == marked


def test_labels_equal_the_release_at_letters_and_digits(real, records):
    # The release tidied annotators' spans up before it counted them: trimmed of spaces and punctuation,
    # and joined over them. Nothing but such characters may differ, and of 411,557 characters 8,101 do.
    ours, theirs = (
        {item: [0.0] * len(one["model_output_text"]) for item, one in records.items()} for _ in "ab"
    )
    for row in real.labels.itertuples():
        ours[row.item][row.start : row.end] = [row.prob] * (row.end - row.start)
    for item, one in records.items():
        for span in one["soft_labels"]:
            theirs[item][span["start"] : span["end"]] = [span["prob"]] * (span["end"] - span["start"])
    differing = Counter(
        unicodedata.category(character)[0]
        for item, one in records.items()
        for character, a, b in zip(one["model_output_text"], ours[item], theirs[item], strict=True)
        if abs(a - b) > 1e-9
    )
    # by category: separators, control characters (line ends), punctuation, symbols
    assert set(differing) == {"Z", "C", "P", "S"}
    assert differing.total() == 8101
    assert sum(map(len, ours.values())) == 411_557


def test_what_is_missing_is_missing(real):
    assert real.spans["label"].isna().all()
    assert real.items[["image", "strategy", "prelabel"]].isna().all(axis=None)
    assert real.items["response"].str.len().min() > 0
    assert real.ratings["comment"].tolist() == [pd.NA] * len(real.ratings)

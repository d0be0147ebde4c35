"""The verb `sheep mentions`."""

import json

import pytest

from sheeplib.cli import mentions as verb

KEYS = ["image_id", "start", "end", "surface", "concept", "status", "subtype", "present"]


@pytest.fixture
def run(sheep):
    return lambda *arguments: sheep("mentions", *arguments)


@pytest.fixture
def files(tmp_path):
    """Captions of two images, and what they show."""
    captions = [
        {"image_id": 7, "caption": "A dog sits on a bench. Perhaps a cat is near. There is no car."},
        {"image_id": "b", "caption": "A painting of a horse hangs over the bus stop."},
    ]
    shown = {"categories": ["dog", "bench", "cat"], "objects": {"7": [0, 2], "b": []}}
    synonyms = {"synonyms": {name: [name] for name in ("dog", "bench", "cat", "car", "horse", "bus")}}
    marks = [
        {"image_id": 7, "start": 33, "end": 36, "category": "hedged", "concept": "cat"},
        {"image_id": 7, "start": 58, "end": 61, "category": "negation"},
        {"image_id": "b", "start": 16, "end": 21, "category": "depictive", "confidence": "low"},
    ]
    lines = {"captions": captions, "marks": marks}
    for name, records in lines.items():
        text = "".join(json.dumps(record) + "\n" for record in records)
        (tmp_path / f"{name}.jsonl").write_text(text, "utf-8")
    (tmp_path / "objects.json").write_text(json.dumps(shown), "utf-8")
    (tmp_path / "synonyms.json").write_text(json.dumps(synonyms), "utf-8")
    return tmp_path


def call(files, *more):
    return (
        files / "captions.jsonl", "--objects", files / "objects.json",
        "--synonyms", files / "synonyms.json", *more,
    )  # fmt: skip


def test_a_list_of_mentions(run, files):
    code, out, _ = run(*call(files, "--json"))
    found = json.loads(out)
    assert code == 0 and all(list(row) == KEYS == list(verb.KEYS) for row in found)
    assert [
        [row[key] for key in ("image_id", "surface", "status", "subtype", "present")] for row in found
    ] == [
        [7, "dog", "concrete", None, True],
        [7, "bench", "hallucinated", None, False],
        [7, "cat", "non-assertive", "hedged", True],
        [7, "car", "non-assertive", "negation", False],
        ["b", "horse", "non-assertive", "depictive", False],
        ["b", "bus", "excluded", "compound", False],
    ]
    assert (found[0]["start"], found[0]["end"]) == (2, 5)


def test_scores_by_marks(run, files):
    code, out, _ = run(*call(files, "--gold", files / "marks.jsonl", "--json"))
    content = json.loads(out)
    values = {(row["group"], row["quantity"]): row["value"] for row in content["scores"]}
    assert code == 0 and len(content["mentions"]) == 6
    assert values["non-assertive", "recall"] == values["non-assertive", "precision"] == 1
    assert values["depictive", "recall"] is None  # its only mark does not count
    assert values["compound", "precision"] == 0  # nobody marked the bus stop, so it counts as asserted


def test_tables_for_reading(run, files):
    code, out, _ = run(*call(files, "--gold", files / "marks.jsonl"))
    assert code == 0 and "hallucinated" in out and "precision" in out


def test_what_is_wrong_is_said_with_its_place(run, files):
    (files / "objects.json").write_text('{"categories": ["dog"], "objects": {"7": [0]}}', "utf-8")
    code, _, err = run(*call(files))
    assert code == 1 and "captions.jsonl:2" in err and "image_id" in err and "Add its objects" in err


def test_marks_need_one_caption_an_image(run, files):
    line = (files / "captions.jsonl").read_text("utf-8").splitlines()[0]
    with open(files / "captions.jsonl", "a", encoding="utf-8") as file:
        file.write(line + "\n")
    assert run(*call(files))[0] == 0
    code, _, err = run(*call(files, "--gold", files / "marks.jsonl"))
    assert code == 1 and "captions.jsonl:3" in err and "second caption" in err

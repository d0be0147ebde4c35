"""Captions and objects of COCO: read, and refused with file, line and field."""

import gzip
import json

import pytest

from sheeplib.corpora import coco
from sheeplib.errors import InputError

OBJECTS = {"categories": ["dog", "cat"], "objects": {"1": [0, 1], "000002": [], "x": [1, 1]}}


@pytest.fixture
def objects(tmp_path):
    def written(content, packed=False):
        path = tmp_path / "objects.anything"  # the content tells whether it is packed
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
        return path

    return written


@pytest.mark.parametrize("packed", [False, True])
def test_objects_plain_and_gzipped(objects, packed):
    found = coco.read_objects(objects(OBJECTS, packed))
    assert found.categories == ("dog", "cat")
    assert found.shown == {"1": {"dog", "cat"}, "000002": frozenset(), "x": {"cat"}}


WRONG = {
    "{": "invalid JSON",
    "[]": "categories",
    '{"categories": ["a", 1], "objects": {}}': "categories",
    '{"categories": ["a", "a"], "objects": {}}': "name twice there (found 'a')",
    '{"categories": ["a"]}': "objects",
    '{"categories": ["a"], "objects": {"7": [1]}}': "objects.7",
    '{"categories": ["a"], "objects": {"7": [-1]}}': "objects.7",
    '{"categories": ["a"], "objects": {"7": [true]}}': "objects.7",
    '{"categories": ["a"], "objects": {"7": {"0": 1}}}': "objects.7",
    '{"categories": ["a"], "objects": {"7": [0], "7": []}}': "'7' is a key twice",
}


@pytest.mark.parametrize("text", WRONG)
def test_wrong_objects_are_said_with_file_and_field(objects, text):
    path = objects(text)
    with pytest.raises(InputError) as error:
        coco.read_objects(path)
    assert WRONG[text] in str(error.value) and str(path) in str(error.value)


def test_damaged_missing_and_huge_files(objects, tmp_path, monkeypatch):
    path = objects(OBJECTS, packed=True)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InputError, match="damaged gzip"):
        coco.read_objects(path)
    with pytest.raises(InputError, match="cannot be read"):
        coco.read_objects(tmp_path / "none.json")
    path = objects(OBJECTS, packed=True)
    monkeypatch.setattr(coco, "MAX_BYTES", 10)
    with pytest.raises(InputError, match="too large"):
        coco.read_objects(path)


def test_captions_in_order_with_a_name_for_each(tmp_path):
    path = tmp_path / "captions.some-model.jsonl"
    lines = [
        {"image_id": 42, "caption": "A dog.", "more": 1},
        {"image_id": "x", "caption": "狗 🐕"},
        {"image_id": "42", "caption": ""},
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n\n")
    items = coco.read_captions(path)
    assert items["item"].tolist() == ["coco-42", "coco-x", "coco-42-2"]
    assert items["image"].tolist() == ["42", "x", "42"] and items["line"].tolist() == [1, 2, 3]
    assert items["response"].tolist() == ["A dog.", "狗 🐕", ""] and items["model"].isna().all()
    corpus = coco.load(directory=tmp_path)
    assert corpus.items["item"][0] == "coco-some-model-42" and set(corpus.items["model"]) == {"some-model"}
    assert corpus.fingerprint == coco.load(directory=path).fingerprint and "ratings" in corpus.lacks


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ('{"caption": "A dog."}', "image_id"),
        ('{"image_id": 1.5, "caption": "A dog."}', "image_id"),
        ('{"image_id": true, "caption": "A dog."}', "image_id"),
        ('{"image_id": "", "caption": "A dog."}', "image_id"),
        ('{"image_id": 1}', "caption"),
        ('{"image_id": 1, "caption": ["A dog."]}', "caption"),
        ('{"image_id": 1, "caption": "A d', "invalid JSON"),
    ],
)
def test_wrong_captions_are_said_with_file_line_and_field(tmp_path, line, field):
    path = tmp_path / "captions.jsonl"
    path.write_text('{"image_id": 1, "caption": "A dog."}\n' + line + "\n")
    with pytest.raises(InputError) as error:
        coco.read_captions(path)
    assert f"{path}:2" in str(error.value) and field in str(error.value)


def test_nothing_to_read(tmp_path):
    path = tmp_path / "captions.jsonl"
    path.write_text("")
    with pytest.raises(InputError, match="no captions"):
        coco.read_captions(path)
    for directory in (None, tmp_path / "none", tmp_path / "empty"):
        (tmp_path / "empty").mkdir(exist_ok=True)
        with pytest.raises(InputError, match="captions"):
            coco.load(directory=directory)
    with pytest.raises(InputError, match="no file of objects"):
        coco.objects_file(tmp_path)


def test_the_real_files(shared):
    corpus = coco.load(directory=shared / "coco")
    objects = coco.read_objects(coco.objects_file(shared / "coco"))
    assert corpus.items.groupby("model").size().tolist() == [500, 500]
    assert len(objects.shown) == 123_287 and len(objects.categories) == 80
    assert set(corpus.items["image"]) <= set(objects.shown)

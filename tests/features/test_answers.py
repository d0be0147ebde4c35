"""Answers to be read: from a corpus or a file, with their images, and digests that notice every change."""

import json

import pandas as pd
import pytest
from PIL import Image

from sheeplib import corpora
from sheeplib.errors import InputError
from sheeplib.features import answers

ROWS = [
    {"item": "a", "prompt": "What is it?", "image": "one.png", "response": "A cat 😀.", "language": "en"},
    {"item": "b/../c", "response": "猫\u2028", "image": "sub/two.jpg"},
    {"item": "=1", "response": "nothing", "prompt": None, "image": None},
]


@pytest.fixture
def images(tmp_path):
    directory = tmp_path / "images"
    (directory / "sub").mkdir(parents=True)
    Image.new("RGB", (8, 6), "red").save(directory / "one.png")
    Image.effect_noise((64, 64), 90).save(directory / "sub" / "two.jpg")
    return directory


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "captions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_a_file_is_read_by_its_ending(tmp_path, file, images, suffix):
    path = file.with_suffix(suffix)
    frame = pd.DataFrame(ROWS)
    if suffix == ".csv":
        frame.to_csv(path, index=False)
    elif suffix == ".parquet":
        frame.to_parquet(path)
    given = answers.read(path, images)
    assert given.name == "captions"
    first, second, third = given.samples(["a", "b/../c", "=1"])
    assert (first.question, first.response, first.language) == ("What is it?", "A cat 😀.", "en")
    assert (first.image.size, first.image.getpixel((0, 0))) == ((8, 6), (255, 0, 0))
    assert (second.question, second.response, second.language) == ("", "猫\u2028", "")
    assert second.image.size == (64, 64) and third.image is None
    assert given.digests([["a", "b/../c", "=1"]], {}) == answers.read(file, images).digests(
        [["a", "b/../c", "=1"]], {}
    )


def test_captions_are_read_under_their_own_names(tmp_path, images):
    path = tmp_path / "captions.jsonl"
    Image.new("RGB", (9, 5)).save(images / "206.png")
    path.write_text('{"image_id": 206, "caption": "A cat.", "prompt": "Describe."}\n', encoding="utf-8")
    (sample,) = answers.read(path, images).samples(["206"])
    assert (sample.question, sample.response, sample.image.size) == ("Describe.", "A cat.", (9, 5))


def test_a_model_that_reads_text_alone_is_given_no_images(file):
    given = answers.read(file, None, sees=False)
    assert [sample.image for sample in given.samples(["a", "=1"])] == [None, None]
    with pytest.raises(InputError, match="'captions' comes without images.*directory"):
        answers.read(file, None)
    with pytest.raises(InputError, match="no such directory"):
        answers.read(file, file.parent / "nowhere")


def test_a_corpus_brings_its_own_images():
    meadow = corpora.load("meadow", per_language=1, per_cell=0)
    given = answers.from_corpus(meadow)
    item, image = meadow.items.loc[0, ["item", "image"]]
    (sample,) = given.samples([item])
    assert sample.image.tobytes() == meadow.picture(image).tobytes()
    blind = answers.from_corpus(meadow, sees=False)
    assert given.digests([[item]], {}) != blind.digests([[item]], {})


@pytest.mark.parametrize("field", ["prompt", "image", "response", "language"])
def test_a_digest_notices_every_change_of_what_is_read(tmp_path, file, images, field):
    whole = [["a"], ["b/../c"], ["=1"]]
    before = answers.read(file, images).digests(whole, {})
    rows = [{**ROWS[0], field: "sub/two.jpg"}, *ROWS[1:]]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    after = answers.read(file, images).digests(whole, {})
    assert [one == other for one, other in zip(before, after, strict=True)] == [False, True, True]
    Image.new("RGB", (8, 6), "blue").save(images / "sub" / "two.jpg")
    assert answers.read(file, images).digests(whole, {})[1] != after[1]
    assert answers.read(file, images).digests(whole, {"=1": (1, 2)})[2] != after[2]


def test_labels_and_names_of_images_change_no_digest(tmp_path, file, images):
    before = answers.read(file, images).digests([["a"]], {})
    (images / "one.png").rename(images / "renamed.png")
    row = {**ROWS[0], "image": "renamed.png", "prelabel": "A", "model": "x", "split": "test"}
    file.write_text(json.dumps(row))
    assert answers.read(file, images).digests([["a"]], {}) == before


def test_all_missing_images_are_named_at_once(file, images):
    (images / "one.png").unlink()
    (images / "sub" / "two.jpg").unlink()
    with pytest.raises(InputError) as error:
        answers.read(file, images).digests([["a"], ["b/../c"]], {})
    assert [problem.value for problem in error.value.problems] == ["one.png", "sub/two.jpg"]


def test_an_image_that_was_missing_is_looked_for_again(file, images):
    before = answers.read(file, images).digests([["a"]], {})
    (images / "one.png").rename(images / "away.png")
    given = answers.read(file, images)
    for _ in range(2):
        with pytest.raises(InputError, match="no such image"):
            given.digests([["a"]], {})
    (images / "away.png").rename(images / "one.png")
    assert given.digests([["a"]], {}) == before


def test_other_columns_of_a_parquet_file_may_hold_anything(tmp_path):
    rows = {"item": [1, 2], "response": ["a", "b"], "language": pd.Categorical(["en", "fr"])}
    others = {"spans": [[{"item": 0}], []], "when": pd.to_datetime(["2020-01-01"] * 2), "raw": [b"", b"x"]}
    pd.DataFrame(rows | others).to_parquet(tmp_path / "x.parquet")
    items = answers.read(tmp_path / "x.parquet", sees=False).items
    assert items["item"].tolist() == ["1", "2"] and items["language"].tolist() == ["en", "fr"]
    pd.DataFrame(rows | {"response": [["a"], ["b"]]}).to_parquet(tmp_path / "x.parquet")
    with pytest.raises(InputError, match="'response': column is neither text nor numbers"):
        answers.read(tmp_path / "x.parquet", sees=False)


def test_an_image_that_is_cut_short_is_named_before_it_is_wanted(file, images):
    path = images / "sub" / "two.jpg"
    path.write_bytes(path.read_bytes()[:1500])
    given = answers.read(file, images)
    given.digests([["a"], ["b/../c"]], {})
    given.check(["a", "=1"])
    for act in (given.check, given.samples):
        with pytest.raises(InputError, match="two.jpg: image cannot be decoded"):
            act(["a", "b/../c"])


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.txt", "", "Known endings: .jsonl, .csv, .parquet"),
        ("x.jsonl", "", "no answers"),
        ("x.jsonl", '{"item": "a"}\n', "lacks columns"),
        ("x.jsonl", '{"item": "a", "response": "b"}\n' * 2, "occurs twice"),
        ("x.jsonl", '{"item": "a", "response": ["b", "c"]}\n', "x.jsonl:1: field 'response': not text"),
        ("x.csv", "item,response\na\n\n", "value is missing"),
        ("x.csv", "", "not a readable CSV file"),
        ("x.parquet", "PAR1", "table cannot be read"),
    ],
)
def test_a_file_that_is_no_table_of_answers_is_explained(tmp_path, name, content, said):
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=said):
        answers.read(tmp_path / name, sees=False)

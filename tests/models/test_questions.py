"""Tables of questions, the images they name, and everything that can be wrong with either."""

import io
import os
import struct
import subprocess
import sys
import zlib

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from sheeplib import tables
from sheeplib.corpora import Corpus, load
from sheeplib.errors import InputError
from sheeplib.models.images import MAX_PIXELS, ImageDirectory
from sheeplib.models.questions import from_corpus, read

LINES = [
    '{"item": "q1", "question": "Is it blue?", "image": "a.png", "language": "en", "more": [1]}',
    '{"id": "q2", "prompt": "C’est \\ud83d\\ude00 ?\\u2028", "image_name": "sub/b.jpg", "language": "fr"}',
    '{"item": "q3", "question": "这是什么？", "source": "visage"}',
]


def picture(seed=0, size=(20, 12)):
    pixels = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    return Image.fromarray(pixels)


@pytest.fixture
def photographs(tmp_path):
    directory = tmp_path / "images"
    (directory / "sub").mkdir(parents=True)
    picture(1).save(directory / "a.png")
    picture(2).save(directory / "sub" / "b.jpg")
    return directory


def written(path, lines=LINES):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def problems(call, *args):
    with pytest.raises(InputError) as caught:
        call(*args)
    return caught.value.problems


def test_a_table_gives_samples_with_their_images(tmp_path, photographs):
    questions = read(written(tmp_path / "asked.jsonl"), photographs)
    assert questions.name == "asked"
    first, second, third = questions.samples()
    assert (first.item, first.question, first.language, first.response) == ("q1", "Is it blue?", "en", "")
    assert np.array_equal(np.asarray(first.image), np.asarray(picture(1)))
    assert second.question == "C’est 😀 ?\u2028" and second.image.size == (20, 12)
    assert third.image is None and third.language == ""
    assert list(questions.table["source"].fillna("-")) == ["-", "-", "visage"]
    assert [sample.item for sample in questions.samples(["q3", "q1"])] == ["q3", "q1"]
    assert problems(questions.samples, ["q4"])[0].value == "q4"


def test_all_three_kinds_of_file_say_the_same(tmp_path):
    jsonl = read(written(tmp_path / "asked.jsonl"))
    csv = tmp_path / "asked.csv"
    csv.write_text(
        '\ufeffitem,question,image,language,source\nq1,Is it blue?,a.png,en,\n'
        'q2,"C’est 😀 ?\u2028",sub/b.jpg,fr,\r\nq3,这是什么？,,,visage\n', encoding="utf-8",
    )  # fmt: skip
    parquet = tmp_path / "asked.parquet"
    jsonl.table.assign(number=1).to_parquet(parquet)
    for path in (csv, parquet):
        other = read(path)
        pd.testing.assert_frame_equal(other.table, jsonl.table)
        assert other.fingerprint == jsonl.fingerprint


def test_the_fingerprint_is_that_of_questions_and_images(tmp_path, photographs):
    path = written(tmp_path / "asked.jsonl")
    before = read(path, photographs).fingerprint
    assert read(path, photographs).fingerprint == before != read(path).fingerprint
    picture(3).save(photographs / "a.png")
    changed = read(path, photographs).fingerprint
    assert changed != before
    written(path, [line.replace("blue", "red") for line in LINES])
    assert read(path, photographs).fingerprint not in (before, changed)


@pytest.mark.parametrize(
    ("line", "field", "what"),
    [
        ('{"question": "x"}', "item", "value is missing"),
        ('{"item": "q", "question": " "}', "question", "value is missing"),
        ('{"id": "q", "prompt": null}', "prompt", "value is missing"),
        ('{"item": 7, "question": "x"}', "item", "not a text"),
        ('{"item": "q", "question": ["x"]}', "question", "not a text"),
        ('{"item": "q", "question": "x", "image": {}}', "image", "not a text"),
        ('{"item": "q", "question": "x", "language": "English"}', "language", "not a language code"),
        ('{"item": "q1", "question": "x"}', "item", "item is there twice"),
        ('{"item": "q", "question": "\\ud83d"}', None, "half of a surrogate pair"),
        ("[]", None, "the line holds a JSON list, not an object"),
    ],
)
def test_what_is_wrong_with_a_line_is_said_with_place_and_remedy(tmp_path, line, field, what):
    path = written(tmp_path / "asked.jsonl", [*LINES, line, '{"item": 0}'])
    first, second = problems(read, path)
    assert (first.what, first.path, first.line, first.field) == (what, path, 4, field) and first.remedy
    assert second.line == 5


def test_lines_of_a_csv_are_counted_in_the_file(tmp_path):
    path = tmp_path / "asked.csv"
    path.write_text('item,question\nq1,"two\nlines"\nq2,\nq3,a,b\n', encoding="utf-8")
    found = problems(read, path)
    assert [(one.line, one.what) for one in found] == [
        (4, "value is missing"), (5, "more or fewer values than columns"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("asked.jsonl", b"", "no questions"),
        ("asked.csv", b"item,question\n", "no questions"),
        ("asked.csv", b'item,question\nq1,"x\n', "not a CSV file"),
        ("asked.csv", b"item,item\nq1,x\n", "two columns of one name"),
        ("asked.csv", b"\xff\xfe", "not a CSV file"),
        ("asked.parquet", b"PAR1", "not a readable Parquet file"),
        ("asked.txt", b"x", "not a table by its name"),
    ],
)
def test_files_that_are_no_tables(tmp_path, name, content, what):
    (tmp_path / name).write_bytes(content)
    (found,) = problems(read, tmp_path / name)
    assert what in found.what and found.remedy and found.path == tmp_path / name


@pytest.mark.parametrize("name", ["none.jsonl", "none.csv", "none.parquet"])
def test_files_that_are_not_there(tmp_path, name):
    assert problems(read, tmp_path / name)[0].path == tmp_path / name


def test_missing_images_are_named_all_at_once(tmp_path, photographs):
    path = written(tmp_path / "asked.jsonl")
    (photographs / "a.png").unlink()
    (photographs / "sub" / "b.jpg").rename(photographs / "b.jpg")
    assert [one.value for one in problems(read, path, photographs)] == ["a.png", "sub/b.jpg"]
    assert "no such directory" in problems(read, path, tmp_path / "none")[0].what


@pytest.mark.parametrize(
    "name",
    ["../secret.png", "sub/../../secret.png", "/etc/passwd", "..\\secret.png", "C:\\x.png", " ", "a\0"],
)
def test_no_name_leads_out_of_the_directory(photographs, name):
    picture().save(photographs.parent / "secret.png")
    (found,) = problems(ImageDirectory(photographs), name)
    assert found.what == "image outside of the directory" and found.value == name


@pytest.mark.skipif(os.name != "posix", reason="links need rights on Windows")
def test_a_name_may_lack_the_ending_unless_two_files_would_do(photographs):
    picture().save(photographs / "7.png")
    (photographs / "7.txt").write_text("no picture")
    picture().save(photographs / "8.png")
    picture().save(photographs / "8.jpg")
    images = ImageDirectory(photographs)
    assert images("7").size == (20, 12) and images.file("7").name == "7.png"
    assert problems(images, "8")[0].what == "no such image"


def test_links_may_stay_inside_but_not_lead_out(photographs):
    picture().save(photographs.parent / "secret.png")
    (photographs / "out.png").symlink_to(photographs.parent / "secret.png")
    (photographs / "away").symlink_to(photographs.parent)
    (photographs / "circle.png").symlink_to("circle.png")
    (photographs / "in.png").symlink_to("a.png")
    images = ImageDirectory(photographs)
    assert images("in.png").size == (20, 12)
    for name in ("out.png", "away/secret.png"):
        assert "a link that leads out" in problems(images, name)[0].what
    assert problems(images, "circle.png")[0].what == "no such image"
    assert problems(images, "x" * 5000)[0].what == "no such image"
    assert problems(images, "sub")[0].what == "no such image"  # a directory


def test_broken_images_are_named(photographs):
    images = ImageDirectory(photographs)
    whole = (photographs / "a.png").read_bytes()
    (photographs / "a.png").write_bytes(whole[: len(whole) // 2])
    (found,) = problems(images, "a.png")
    assert found.path.name == "a.png" and found.what.startswith("image cannot be decoded")
    (photographs / "a.png").write_bytes(b"<html>Log in</html>")
    assert problems(images, "a.png")[0].what == "not an image of a known format"
    (photographs / "a.png").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n")
    assert problems(images.check, ["a.png"])[0].what == "not an image of a known format"


def huge_png(width, height):
    """A PNG of a few hundred bytes that claims to be a very large image."""

    def chunk(kind, content):
        checksum = struct.pack(">I", zlib.crc32(kind + content))
        return struct.pack(">I", len(content)) + kind + content + checksum

    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 100)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


@pytest.mark.parametrize("side", [int(MAX_PIXELS**0.5) + 1, 14_000, 60_000])
def test_decompression_bombs_are_refused_before_they_unfold(photographs, side):
    (photographs / "a.png").write_bytes(huge_png(side, side))
    for call in (ImageDirectory(photographs), lambda name: ImageDirectory(photographs).check([name])):
        assert problems(call, "a.png")[0].what == f"image has more than {MAX_PIXELS:,} pixels"


def test_images_are_turned_as_the_camera_was_held_and_become_rgb(photographs):
    images = ImageDirectory(photographs)
    turned = Image.Exif()
    turned[0x0112] = 6  # orientation: to be turned by 90 degrees
    picture(size=(30, 10)).save(photographs / "turned.jpg", exif=turned)
    assert images("turned.jpg").size == (10, 30)
    palette = Image.new("P", (9, 9))
    palette.putpalette([0, 0, 0, 200, 10, 20])
    content = io.BytesIO()
    palette.save(content, "PNG", transparency=b"\0\xff")
    (photographs / "palette.png").write_bytes(content.getvalue())
    Image.new("L", (9, 9), 7).save(photographs / "grey.png")
    assert {images(name).mode for name in ("turned.jpg", "palette.png", "grey.png")} == {"RGB"}


def corpus(**columns):
    rows = pd.DataFrame({
        "item": ["a", "b", "c", "d"], "corpus": "toy", "split": pd.NA, "language": "en",
        "prompt": ["Why?", "Why?", "How?", pd.NA], "image": ["x", "x", "x", "y"], "response": "so",
        "strategy": pd.NA, "model": pd.NA, "source": "toy", "prelabel": pd.NA,
    })  # fmt: skip
    return Corpus("toy", tables.validate("items", rows), **columns)


def test_a_corpus_asks_each_question_once():
    questions = from_corpus(corpus(picture=lambda name: picture(len(name))))
    assert list(questions.table["item"]) == ["a", "c"] and list(questions.table["question"]) == [
        "Why?",
        "How?",
    ]
    assert questions.notes == (
        "1 items without a question are left out", "1 items ask what another one asks",
    )  # fmt: skip
    assert questions.samples(["c"])[0].image.size == (20, 12)


def test_a_corpus_without_images_takes_them_from_a_directory(photographs):
    assert from_corpus(corpus()).picture is None
    assert [one.value for one in problems(from_corpus, corpus(), photographs)] == ["x"]
    picture().save(photographs / "x", format="PNG")
    assert from_corpus(corpus(), photographs).samples()[1].image.size == (20, 12)


def test_a_corpus_without_questions_is_refused():
    bare = corpus().select(pd.Series([False, False, False, True]))
    assert "no questions" in problems(from_corpus, bare)[0].what


def test_the_meadow_asks_about_pictures_it_draws():
    questions = from_corpus(load("meadow", per_language=1, per_cell=0))
    sample = questions.samples(list(questions.table["item"][:1]))[0]
    assert sample.image.mode == "RGB" and sample.question and sample.language == "en"
    assert set(questions.table["language"]) == {"en", "fr", "it", "zh"}


def test_sheeps_own_records_are_tables_of_questions(shared):
    path = shared / "sheep" / "shroom-vision.train.zh.labeled.jsonl"
    questions = read(path)
    assert len(questions.table) == 619 and set(questions.table["language"]) == {"zh"}
    assert questions.table["image"].notna().all()


def test_reading_and_preparing_need_no_torch():
    names = ("questions", "images", "sentences", "system_prompts", "quality", "translation", "runs",
             "generation_runs", "translation_runs")  # fmt: skip
    imports = "; ".join(f"import sheeplib.models.{name}" for name in names)
    code = f"import sys; {imports}; print([m for m in ('torch', 'transformers') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_three_photographs(shared):
    images = ImageDirectory(shared / "coco" / "images")
    names = sorted(path.name for path in images.path.iterdir())[:3]
    assert len(images.check(names)) == 64
    assert all(images(name).mode == "RGB" for name in names)

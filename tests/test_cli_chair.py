"""The verbs `sheep chair` and `sheep throne`."""

import gzip
import json

import pytest

from sheeplib.cli import chair as verbs

KEYS = {"CHAIRs", "CHAIRi", "recall", "captions", "mentions", "hallucinated_mentions"}


@pytest.fixture
def run(sheep):
    return sheep


@pytest.fixture
def files(tmp_path):
    captions = tmp_path / "captions.jsonl"
    lines = [{"image_id": 1, "caption": "A dog and two buses."}, {"image_id": "2", "caption": "A bus."}]
    captions.write_text("\n".join(map(json.dumps, lines)))
    objects = tmp_path / "objects.json.gz"
    content = {"categories": ["dog", "bus"], "objects": {"1": [0], "2": [1]}}
    objects.write_bytes(gzip.compress(json.dumps(content).encode()))
    words = tmp_path / "words.json"
    words.write_text(json.dumps({"synonyms": {"dog": ["dog"], "bus": ["bus"]}}))
    return captions, objects, words


def arguments(files):
    captions, objects, words = files
    return captions, "--objects", objects, "--synonyms", words


def test_chair_prints_exactly_these_keys(run, files):
    code, out, _ = run("chair", *arguments(files), "--mode", "compat", "--json")
    found = json.loads(out)
    # "A bus." is not found; of the first caption's two mentions, the buses are not there
    assert code == 0 and set(found) == KEYS
    assert (found["mentions"], found["hallucinated_mentions"], found["CHAIRs"]) == (2, 1, 0.5)
    code, out, _ = run("chair", *arguments(files), "--mode", "fixed", "--json")
    assert json.loads(out)["mentions"] == 3 and set(json.loads(out)) == KEYS


def test_chair_explains_the_quirks(run, files):
    code, out, _ = run("chair", *arguments(files), "--explain", "--json")
    (quirk,) = json.loads(out)["quirks"]
    assert (code, quirk["quirk"], quirk["mentions"], quirk["hallucinated"]) == (0, "final s", 1, 0)
    code, out, _ = run("chair", *arguments(files), "--explain")
    assert code == 0 and "final s" in out and "CHAIRi" in out


def test_chair_takes_our_list_by_name_and_notes_what_the_objects_lack(run, files):
    captions, objects, _ = files
    code, out, err = run("chair", captions, "--objects", objects, "--json")
    assert code == 0 and json.loads(out)["mentions"] == 2
    assert "no category for 78 classes" in err


def test_the_real_captions(run, shared):
    place = shared / "coco"
    call = ("chair", place / "captions.llava-1.5-7b.jsonl", "--objects", place / "objects.json.gz")
    code, out, _ = run(*call, "--synonyms", place / "synonyms.json", "--mode", "compat", "--json")
    expected = json.loads((place / "chair_expected.json").read_text())["llava-1.5-7b"]
    assert code == 0 and json.loads(out) == pytest.approx(expected)


def test_what_is_wrong_ends_with_one_and_is_said(run, files):
    captions, objects, words = files
    captions.write_text(
        '{"image_id": 1, "caption": "A dog."}\n{"image_id": 7, "caption": "A dog."}\n{"x": 1}'
    )
    code, out, err = run("chair", *arguments(files), "--json")
    assert code == 1 and not out and f"{captions}:3: field 'image_id'" in err and "field 'caption'" in err
    captions.write_text('{"image_id": 1, "caption": "A dog."}\n{"image_id": 7, "caption": "A dog."}')
    code, _, err = run("chair", *arguments(files), "--mode", "fixed", "--json")
    assert code == 1 and f"{captions}:2" in err and "nothing is known of this image" in err
    code, _, err = run("chair", *arguments(files), "--mode", "loose")
    assert code == 1 and "no such mode" in err
    words.write_text("{}")
    assert "synonym list" in run("chair", *arguments(files))[2]


def read_words(prompts):
    """Yes if the class stands in the text."""
    parts = [prompt.split("Question:") for prompt in prompts]
    return [any(name in text and name in question for name in ("dog", "bus")) for text, question in parts]


def test_throne_says_that_it_is_a_stand_in_and_writes_the_votes(run, files, tmp_path, monkeypatch):
    monkeypatch.setattr(verbs, "_reader", lambda *given: read_words)
    written = tmp_path / "votes.csv"
    code, out, err = run("throne", *arguments(files), "--votes", written, "--json")
    found = json.loads(out)
    assert code == 0 and found["stand_in"] and "stands in for" in err
    # claimed: dog and bus of image 1, bus of image 2; the first bus is not there
    assert (found["asked"], found["claimed"], found["hallucinated"]) == (3, 3, 1)
    assert written.read_text().splitlines()[0] == "item,concept,yes,votes"
    assert run("throne", *arguments(files), "--limit", 1)[0] == 0
    code, _, err = run("throne", files[0])
    assert code == 1 and "--objects" in err
    assert "no such vote" in run("throne", *arguments(files), "--vote", "loudest")[2]

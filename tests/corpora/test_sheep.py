"""SHEEP's files: where they are found, what is taken from them, and what is refused."""

import json
import random
import zipfile

import pandas as pd
import pytest

from sheeplib.corpora import load, sheep_files
from sheeplib.errors import InputError

TRAIN, TEST = "shroom-vision.train.en.labeled.jsonl", "shroom-vision.test.en.unlabeled.jsonl"
RESPONSE = "Two sheep 🐑🐑 stand\u2028by the 3 red barns."  # 38 code points


def record(number=1, **fields):
    """A record of the shared task's schema; a field that is None is left out."""
    split, language = fields.get("split", "train"), fields.get("language", "en")
    whole = {
        "id": f"{split}-{language}-{number}",
        "split": split,
        "language": language,
        "prompt": "What is there?",
        "image_name": "123_456_ab_o.jpg",
        "response": RESPONSE,
        "labels": [],
    }
    return {name: value for name, value in (whole | fields).items() if value is not None}


def annotated(number=1, **fields):
    """A record of the paper's schema, without labels."""
    about = {"strategy": "map", "model": "minicpm", "orig_dataset": "visage", "prelabel": "B"}
    return record(
        number, **{"labels": None, "metadata": about, "raw_annots": {"p": "0:3|A", "q": "|"}} | fields
    )


def label(start=0, end=3, prob=1.0, name="invention"):
    return {"start": start, "end": end, "prob": prob, "label": name}


def content(*records):
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records).encode()


@pytest.fixture
def written(tmp_path):
    def write(*records, name=TRAIN):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content(*records))
        return tmp_path

    return write


@pytest.fixture
def packed(tmp_path):
    def pack(members, name="data.zip", compression=zipfile.ZIP_DEFLATED):
        path = tmp_path / name
        with zipfile.ZipFile(path, "w", compression) as archive:
            for member, data in members.items():
                archive.writestr(member, data)
        return path

    return pack


def problems_of(place, **options):
    with pytest.raises(InputError) as caught:
        load("sheep", directory=place, **options)
    assert all(problem.remedy for problem in caught.value.problems)
    return caught.value.problems


def marks(table):
    """Rows of `labels` as tuples."""
    return list(table[["item", "start", "end", "prob", "label"]].itertuples(index=False, name=None))


# What is read


def test_a_record_of_the_shared_task(written):
    span = label(4, 9, 0.6666666667, "miscounting")
    corpus = load("sheep", directory=written(record(labels=[span])))
    item = corpus.items.iloc[0]
    assert item.dropna().to_dict() == {
        "item": "train-en-1", "corpus": "sheep", "split": "train", "language": "en",
        "prompt": "What is there?", "image": "123_456_ab_o.jpg", "response": RESPONSE, "source": "haloquest",
    }  # fmt: skip
    assert marks(corpus.labels) == [("train-en-1", 4, 9, 0.6666666667, "D")]
    assert len(corpus.ratings) == len(corpus.spans) == 0
    assert set(corpus.lacks) == {"ratings", "strategy", "model", "prelabel"}
    assert corpus.notes == () and "CC BY-NC" in corpus.licence


def test_a_record_of_the_paper(written):
    texts = {"p": "10:12;0:3|A;C", "q": "|", "r": "10:11|A"}
    remarks = {"p": "not sure", "q": None}
    corpus = load("sheep", directory=written(annotated(raw_annots=texts, comments=remarks)))
    item = corpus.items.iloc[0]
    assert (item["strategy"], item["model"], item["source"], item["prelabel"]) == (
        "map", "minicpm", "visage", "B"
    )  # fmt: skip
    assert corpus.ratings["annotator"].tolist() == ["p", "q", "r"]
    assert corpus.ratings["comment"].tolist() == ["not sure", pd.NA, pd.NA]
    spans = corpus.spans[["annotator", "order", "start", "end", "label"]]
    assert list(spans.itertuples(index=False, name=None)) == [
        ("p", 0, 10, 12, "A"), ("p", 1, 0, 3, "C"), ("r", 0, 10, 11, "A")
    ]  # fmt: skip
    # of three annotators two mark character 10 with A, one character 11; one marks 0 to 3 with C
    item = "train-en-1"
    assert marks(corpus.labels) == [
        (item, 10, 11, 2 / 3, "A"), (item, 11, 12, 1 / 3, "A"), (item, 0, 3, 1 / 3, "C")
    ]  # fmt: skip
    assert corpus.lacks == {} and corpus.notes == ()


def test_four_annotators_give_quarters(written):
    texts = {"p": "0:9|A", "q": "0:6|A", "r": "0:3|A", "s": "|"}
    corpus = load("sheep", directory=written(annotated(raw_annots=texts)))
    assert corpus.labels["prob"].tolist() == [0.75, 0.5, 0.25]
    assert corpus.labels["end"].tolist() == [3, 6, 9]


def test_letters_and_official_names_mean_the_same(written):
    names = ["invention", "mischaracterization", "OCR", "miscounting", "other"]
    place = written(
        record(1, labels=[label(name=name) for name in names]),
        record(2, labels=[label(name=name) for name in "ABCDE"]),
    )
    assert load("sheep", directory=place).labels["label"].tolist() == [*"ABCDE", *"ABCDE"]


def test_labels_of_a_release_may_overlap(written):
    both = [label(0, 5, 1 / 3, "OCR"), label(3, 8, 2 / 3, "other"), label(3, 8, 1 / 3, "OCR")]
    corpus = load("sheep", directory=written(record(labels=both)))
    assert [mark[1:3] for mark in marks(corpus.labels)] == [(0, 5), (3, 8), (3, 8)]


def test_a_label_may_end_where_the_text_ends(written):
    corpus = load("sheep", directory=written(record(labels=[label(0, len(RESPONSE))])))
    assert marks(corpus.labels) == [("train-en-1", 0, len(RESPONSE), 1.0, "A")]


def test_only_a_line_feed_ends_a_line_and_marks_count_code_points(tmp_path):
    lines = content(record(1, labels=[label(10, 12)]), record(2))
    raw = b"\xef\xbb\xbf" + lines.replace(b"\n", b"\r\n\r\n \t\n")  # byte order mark, CRLF, blank lines
    (tmp_path / TRAIN).write_bytes(raw)
    corpus = load("sheep", directory=tmp_path)
    assert corpus.items["response"].tolist() == [RESPONSE, RESPONSE]
    assert corpus.items["response"][0][corpus.labels["start"][0] : corpus.labels["end"][0]] == "🐑🐑"
    assert load("sheep", directory=tmp_path / TRAIN).fingerprint == corpus.fingerprint


def test_lines_are_numbered_as_in_the_file(tmp_path):
    (tmp_path / TRAIN).write_bytes(b"\r\n\n" + content(record(1, response=None)))
    (problem,) = problems_of(tmp_path)
    assert (problem.path, problem.line, problem.field) == (str(tmp_path / TRAIN), 3, "response")


def test_a_span_past_the_end_is_cut_and_noted(written):
    end = len(RESPONSE)
    texts = {"p": f"0:3;5:{end + 1}|A;B", "q": f"0:{end}|A", "r": f"0:{end + 1}|A", "s": f"4:{end + 9}|A"}
    corpus = load("sheep", directory=written(annotated(raw_annots=texts)))
    assert corpus.spans["end"].tolist() == [3, end, end, end, end]
    assert corpus.notes == ("3 annotators' spans ended past the text and were cut at its end",)


def test_overlaps_are_kept_and_noted(written):
    between = annotated(1, raw_annots={"p": "0:9|A", "q": "3:12|A"})
    touching = annotated(2, raw_annots={"p": "3:6;0:3|A;A"})
    within = annotated(3, raw_annots={"p": "5:9;0:6|A;B", "q": "0:9;0:9;1:2|A;A;C", "r": "|"})
    corpus = load("sheep", directory=written(between, touching, within))
    assert len(corpus.spans) == 2 + 2 + 5
    assert corpus.notes == ("2 annotations hold spans that overlap; they are kept",)


def test_comments_of_people_who_annotated_nothing_are_left_out_and_noted(written):
    place = written(
        annotated(1, comments={"p": "fine", "x": "who am I", "y": None, "z": ""}),
        record(2, comments={"x": "lost"}),
    )
    corpus = load("sheep", directory=place)
    assert corpus.ratings["comment"].dropna().tolist() == ["fine"]
    assert corpus.notes == ("2 comments belong to no annotation and are left out",)


@pytest.mark.parametrize("nothing", [None, {}])
def test_empty_fields_are_as_good_as_absent(written, nothing):
    line = record(1) | {"raw_annots": nothing, "comments": nothing, "metadata": nothing}
    corpus = load("sheep", directory=written(line))
    assert len(corpus.items) == 1 and "labelled" not in corpus.items
    assert set(corpus.lacks) == {"ratings", "strategy", "model", "prelabel"}
    assert load("sheep", directory=written(record(1, metadata={"model": None, "prelabel": ""}))).lacks


@pytest.mark.parametrize(
    ("written_as", "strategy"),
    [("random", "random"), ("MAP", "map"), ("human-written", "human"), ("human_written", "human")],
)
def test_strategies_have_one_spelling(written, written_as, strategy):
    corpus = load("sheep", directory=written(annotated(metadata={"strategy": written_as})))
    assert corpus.items["strategy"].tolist() == [strategy]


def test_the_source_is_told_by_the_image_where_the_record_does_not_say(written):
    names = {"12_o.jpg": "haloquest", "chair_Deck_chair_1.jpg": "visage", "scan.png": pd.NA}
    place = written(*(record(n, image_name=name) for n, name in enumerate(names)))
    assert load("sheep", directory=place).items["source"].tolist() == list(names.values())


def test_both_schemas_may_be_mixed(written):
    place = written(
        record(1, labels=[label(0, 3, 2 / 3, "OCR")]),
        annotated(2, raw_annots={"p": "0:3|A", "q": "|"}, labels=[label(0, 4, 1.0, "B")]),
        annotated(3),
        annotated(4, labels=[]),
        annotated(5, raw_annots={"p": "|"}, labels=[label(0, 2, 0.25, "E")]),
    )
    derived, release = load("sheep", directory=place), load("sheep", directory=place, labels="release")
    # 2: one of two annotators, or as printed; 3: no printed labels; 4: printed, none; 5: nobody marked
    assert marks(derived.labels) == [
        ("train-en-1", 0, 3, 2 / 3, "C"), ("train-en-2", 0, 3, 0.5, "A"),
        ("train-en-3", 0, 3, 0.5, "A"), ("train-en-4", 0, 3, 0.5, "A"),
    ]  # fmt: skip
    assert marks(release.labels) == [
        ("train-en-1", 0, 3, 2 / 3, "C"), ("train-en-2", 0, 4, 1.0, "B"),
        ("train-en-3", 0, 3, 0.5, "A"), ("train-en-5", 0, 2, 0.25, "E"),
    ]  # fmt: skip
    assert "ratings" not in derived.lacks and "labels" not in derived.lacks


def test_labels_are_derived_or_those_of_the_release(written):
    (problem,) = problems_of(written(record()), labels="exact")
    assert (problem.what, problem.remedy) == ("unknown kind of labels", "Use 'derived' or 'release'")


# Labelled and not


def test_unlabelled_items_can_be_told_from_unmarked_ones(written):
    written(record(1), record(2, labels=[label()]), annotated(3))
    place = written(record(9, split="test", labels=None), name=TEST)
    corpus = load("sheep", directory=place)
    labelled = dict(zip(corpus.items["item"], corpus.items["labelled"], strict=True))
    assert labelled == {"test-en-9": False, "train-en-1": True, "train-en-2": True, "train-en-3": True}
    assert "labels" not in corpus.lacks


def test_a_release_in_which_all_items_are_labelled_needs_no_column(written):
    assert "labelled" not in load("sheep", directory=written(record(1), annotated(2))).items


@pytest.mark.parametrize("labels", [None, []])
def test_a_release_without_labels_says_so(written, labels):
    # an empty list in a file that is called unlabelled says nothing about the item
    corpus = load("sheep", directory=written(record(split="test", labels=labels), name=TEST))
    assert corpus.items["labelled"].tolist() == [False]
    assert "withheld" in corpus.lacks["labels"]
    assert len(corpus.labels) == 0


@pytest.mark.parametrize("annotations", [None, {}])
def test_an_item_that_nobody_annotated_is_not_labelled(written, annotations):
    nobody = annotated(1) | {"raw_annots": annotations}
    corpus = load("sheep", directory=written(nobody, annotated(2)))
    assert corpus.items["labelled"].tolist() == [False, True]


def test_of_the_same_split_the_labelled_file_is_taken(written):
    written(record(1, labels=None), record(2, labels=None), name=TRAIN.replace("labeled", "unlabeled"))
    corpus = load("sheep", directory=written(record(1)))
    assert corpus.items["item"].tolist() == ["train-en-1"]
    assert "labelled" not in corpus.items


# Which files


def test_splits_and_languages_can_be_chosen(written):
    written(record(1, split="test", labels=None), name=TEST)
    written(record(1, language="zh"), name=TRAIN.replace(".en.", ".zh."))
    place = written(record(1))
    assert len(load("sheep", directory=place).items) == 3
    assert load("sheep", directory=place, split="train").items["language"].tolist() == ["en", "zh"]
    assert load("sheep", directory=place, languages=("zh",)).items["item"].tolist() == ["train-zh-1"]
    assert load("sheep", directory=place, languages="zh").items["item"].tolist() == ["train-zh-1"]
    chosen = load("sheep", directory=place, split="test", languages=["en"])
    assert chosen.items["item"].tolist() == ["test-en-1"]


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"languages": ["en", "fr"]}, "no data for any split in fr"),
        ({"split": "test", "languages": ["zh"]}, "no data for test in zh"),
        ({"split": "dev"}, "no data for dev"),
        ({"languages": []}, "no data for any split"),
    ],
)
def test_what_is_not_there_is_answered_with_what_is(written, options, what):
    written(record(1, split="test", labels=None), name=TEST)
    written(record(1, language="zh"), name=TRAIN.replace(".en.", ".zh."))
    (problem,) = problems_of(written(record(1)), **options)
    assert problem.what == what
    assert problem.remedy == "There are: test en, train en, train zh"


def test_a_file_by_itself_may_have_any_name_and_hold_several_splits(written):
    place = written(record(1), record(2, split="test"), record(3, language="it"), name="mine.jsonl")
    file = place / "mine.jsonl"
    assert len(load("sheep", directory=file).items) == 3
    assert load("sheep", directory=file, split="test").items["item"].tolist() == ["test-en-2"]
    assert load("sheep", directory=file, languages=["it"]).items["item"].tolist() == ["train-it-3"]
    (problem,) = problems_of(file, languages=["fr"])
    assert problem.what.startswith("no records")


def test_options_are_checked_against_the_name_of_a_single_file(written):
    (problem,) = problems_of(written(record()) / TRAIN, split="test")
    assert problem.what == "no data for test"


@pytest.mark.parametrize("wrap", [lambda one: one, lambda one: [one, annotated(2)]])
def test_a_json_file_holds_a_record_or_a_list_of_them(tmp_path, wrap):
    path = tmp_path / "figure.json"
    records = wrap(annotated(1))
    path.write_text(json.dumps(records, indent=1), encoding="utf-8-sig")
    assert len(load("sheep", directory=path).items) == (len(records) if isinstance(records, list) else 1)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "not a readable JSON file"),
        ("[", "not a readable JSON file"),
        ("[" * 100_000, "not a readable JSON file"),
        ("\xff", "not a readable JSON file"),  # written as Latin-1 below
        ("[]", "no records"),
        ("3", "a JSON number, not an object"),
        ('["a"]', "a JSON string, not an object"),
        (json.dumps(record(labels=[label(prob=float("nan"))])), "NaN is not JSON"),
        (json.dumps(record(response="\ud83d")), "half of a surrogate pair"),
    ],
)
def test_what_is_wrong_with_a_json_file_is_said(tmp_path, text, what):
    path = tmp_path / "figure.json"
    path.write_bytes(text.encode("latin-1"))
    (problem,) = problems_of(path)
    assert what in problem.what and str(problem.path) == str(path)


def test_other_files_in_the_directory_are_passed_over(written):
    written(record(1), name="submissions/en.jsonl")
    written(record(2), name="figure1.json")
    written(record(3), name="old-" + TRAIN)
    written(record(4), name=TRAIN + ".part")
    written(record(5), name="._" + TRAIN)
    place = written(record(6), name="distrib/data/" + TRAIN)
    assert load("sheep", directory=place).items["item"].tolist() == ["train-en-6"]


def test_a_file_that_is_there_twice_is_refused(written):
    written(record(1), name="a/" + TRAIN)
    (problem,) = problems_of(written(record(1), name="b/" + TRAIN))
    assert "train en is there twice" in problem.what
    assert f"a/{TRAIN}" in problem.what and f"b/{TRAIN}" in problem.what


def test_a_directory_without_data_is_answered_with_the_names_expected(written):
    (problem,) = problems_of(written(record(), name="en.jsonl"))
    assert problem.what == "no SHEEP data here"
    assert "shroom-vision.{train,test}.{language}.{labeled,unlabeled}.jsonl" in problem.remedy


def test_a_place_that_does_not_exist(tmp_path):
    (problem,) = problems_of(tmp_path / "none")
    assert problem.what == "no such file or directory"


def test_files_without_records(written):
    (problem,) = problems_of(written())
    assert problem.what.startswith("no records")


# Archives


def test_a_zip_is_read_in_place_at_any_depth(written, packed, tmp_path):
    lines = content(record(1, labels=[label(10, 12)]), annotated(2))
    members = {
        f"distrib/{TRAIN}": lines,
        f"__MACOSX/distrib/._{TRAIN}": b"\x00\x05\x16\x07",
        "distrib/README.md": b"about",
        "distrib/submissions/en.jsonl": b"{}",
    }
    path = packed(members)
    corpus = load("sheep", directory=path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["data.zip"]
    beside = written(record(1, labels=[label(10, 12)]), annotated(2))
    assert corpus.fingerprint == load("sheep", directory=beside).fingerprint
    assert load("sheep", directory=path, split="train", languages=["en"]).fingerprint == corpus.fingerprint


def test_what_is_wrong_in_a_zip_is_said_with_its_member(packed):
    path = packed({f"distrib/{TRAIN}": content(record(1), record(2, prompt=None))})
    (problem,) = problems_of(path)
    assert str(problem).startswith(f"{path}/distrib/{TRAIN}:2: field 'prompt': field is missing")


@pytest.mark.parametrize("outside", ["../", "distrib/../../", "/", "/etc/"])
def test_members_that_would_lie_outside_are_passed_over(packed, tmp_path, outside):
    path = packed({outside + TRAIN: content(record(1)), f"a/{TRAIN}": content(record(2))})
    assert load("sheep", directory=path).items["item"].tolist() == ["train-en-2"]
    path = packed({outside + TRAIN: content(record(1))}, name="only.zip")
    (problem,) = problems_of(path)
    assert problem.what == "no SHEEP data here"
    assert not (tmp_path.parent / TRAIN).exists()


def test_a_member_that_is_too_large_is_refused_whatever_it_claims(packed, monkeypatch):
    lines = content(*(record(number) for number in range(200)))
    path = packed({TRAIN: lines})
    monkeypatch.setattr(sheep_files, "LARGEST_MEMBER", len(lines))
    assert len(load("sheep", directory=path).items) == 200
    monkeypatch.setattr(sheep_files, "LARGEST_MEMBER", len(lines) - 1)
    (problem,) = problems_of(path)
    assert TRAIN in problem.what and "unpacks to more than" in problem.what


def test_an_encrypted_member_is_refused(packed):
    path = packed({TRAIN: content(record(1))})
    raw = bytearray(path.read_bytes())
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):  # local and central header
        raw[raw.index(signature) + flags] |= 1
    path.write_bytes(raw)
    (problem,) = problems_of(path)
    assert "encrypted" in problem.what


def test_what_is_no_zip_is_refused(tmp_path):
    (tmp_path / "data.zip").write_bytes(b"<html>404</html>")
    (problem,) = problems_of(tmp_path / "data.zip")
    assert problem.what.startswith("not a readable zip") and "damaged" in problem.remedy


@pytest.mark.parametrize(
    "compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_a_damaged_zip_is_read_right_or_refused(packed, tmp_path, compression):
    lines = content(*(record(number, prompt=f"Number {number * 7919}?") for number in range(20)))
    whole = packed({TRAIN: lines}, compression=compression).read_bytes()
    expected = load("sheep", directory=tmp_path / "data.zip").fingerprint
    rng, broken, refused = random.Random(2026), tmp_path / "broken.zip", 0
    for _ in range(60):
        raw = bytearray(whole)
        for place in rng.sample(range(len(raw)), 3):
            raw[place] ^= rng.randrange(1, 256)
        broken.write_bytes(raw if rng.random() < 0.8 else raw[: rng.randrange(len(raw))])
        try:
            assert load("sheep", directory=broken).fingerprint == expected
        except InputError:
            refused += 1
    assert refused > 30  # some bytes, such as the date, do not matter


# What is wrong with a record


@pytest.mark.parametrize("name", ["id", "split", "language", "prompt", "image_name", "response"])
def test_needed_fields(written, name):
    place = written(record(1), record(2) | {name: "  "}, record(3) | {name: None}, record(4) | {name: 5})
    with open(place / TRAIN, "ab") as file:
        file.write(content({key: value for key, value in record(5).items() if key != name}))
    found = [(problem.line, problem.field, problem.what) for problem in problems_of(place)]
    assert found == [
        (2, name, "is empty"),
        (3, name, "must be a text"),
        (4, name, "must be a text"),
        (5, name, "field is missing"),
    ]


@pytest.mark.parametrize(
    ("change", "field", "what"),
    [
        ({"labels": {}}, "labels", "must be a list"),
        ({"labels": "|"}, "labels", "must be a list"),
        ({"labels": [[0, 3, 1.0, "A"]]}, "labels[0]", "must be an object"),
        ({"labels": [label(), {"start": 0, "label": "A"}]}, "labels[1]", "lacks end, prob"),
        ({"labels": [label("0", "3")]}, "labels[0]", "whole numbers"),
        ({"labels": [label(False, True)]}, "labels[0]", "whole numbers"),
        ({"labels": [label(0.0, 3.0)]}, "labels[0]", "whole numbers"),
        ({"labels": [label(0, None)]}, "labels[0]", "whole numbers"),
        ({"labels": [label(-1, 3)]}, "labels[0]", "covers nothing"),
        ({"labels": [label(3, 3)]}, "labels[0]", "covers nothing"),
        ({"labels": [label(9, 3)]}, "labels[0]", "covers nothing"),
        ({"labels": [label(0, len(RESPONSE) + 1)]}, "labels[0]", "ends past the text of 38 characters"),
        ({"labels": [label(prob=0)]}, "labels[0].prob", "above 0 and at most 1"),
        ({"labels": [label(prob=-0.5)]}, "labels[0].prob", "above 0 and at most 1"),
        ({"labels": [label(prob=1.0001)]}, "labels[0].prob", "above 0 and at most 1"),
        ({"labels": [label(prob=2)]}, "labels[0].prob", "above 0 and at most 1"),
        ({"labels": [label(prob=10**400)]}, "labels[0].prob", "above 0 and at most 1"),
        ({"labels": [label(prob=True)]}, "labels[0].prob", "must be a number"),
        ({"labels": [label(prob="1.0")]}, "labels[0].prob", "must be a number"),
        ({"labels": [label(prob=None)]}, "labels[0].prob", "must be a number"),
        ({"labels": [label(name="hallucination")]}, "labels[0].label", "unknown label"),
        ({"labels": [label(name="ocr")]}, "labels[0].label", "unknown label"),
        ({"labels": [label(name="F")]}, "labels[0].label", "unknown label"),
        ({"labels": [label(name="none")]}, "labels[0].label", "unknown label"),
        ({"labels": [label(name=None)]}, "labels[0].label", "unknown label"),
        ({"labels": [label(name=["A"])]}, "labels[0].label", "unknown label"),
        ({"language": "fr"}, "language", "is not the language of the file"),
        ({"language": "EN"}, "language", "unknown language"),
        ({"language": "de"}, "language", "unknown language"),
        ({"split": "test"}, "split", "is not the split of the file"),
        ({"raw_annots": ["0:3|A"]}, "raw_annots", "must be an object"),
        ({"raw_annots": {"p": ["0:3|A"]}}, "raw_annots.p", "must be a text such as 3:14|A"),
        ({"raw_annots": {"p": None}}, "raw_annots.p", "must be a text such as 3:14|A"),
        ({"raw_annots": {"p": ""}}, "raw_annots.p", "not an annotation"),
        ({"raw_annots": {"p": "0:3|F"}}, "raw_annots.p", "unknown label"),
        ({"raw_annots": {"p": "\uff10:3|A"}}, "raw_annots.p", "not a span"),
        ({"raw_annots": {"p": "38:39|A"}}, "raw_annots.p", "starts past the text"),
        ({"metadata": []}, "metadata", "must be an object or absent"),
        ({"comments": "none"}, "comments", "must be an object or absent"),
        ({"comments": {"p": 3}}, "comments.p", "must be a text or null"),
        ({"metadata": {"strategy": 1}}, "metadata.strategy", "must be a text or null"),
        ({"metadata": {"orig_dataset": ["visage"]}}, "metadata.orig_dataset", "must be a text or null"),
        ({"metadata": {"strategy": "chance"}}, "metadata.strategy", "unknown strategy"),
        ({"metadata": {"prelabel": "G"}}, "metadata.prelabel", "must be a letter, A to F"),
    ],
)
def test_wrong_values_are_named_by_file_line_and_field(written, change, field, what):
    place = written(record(1), record(2) | change, record(3))
    (problem,) = problems_of(place)
    assert (problem.path, problem.line, problem.field) == (str(place / TRAIN), 2, field)
    assert what in problem.what


def test_an_unknown_label_is_answered_with_the_known_ones(written):
    (problem,) = problems_of(written(record(labels=[label(name="lie")])))
    assert "A (invention), B (mischaracterization), C (OCR), D (miscounting), E (other)" in problem.remedy


def test_numbers_that_are_none_are_refused(tmp_path):
    line = content(record(labels=[label(prob=0.125)]))
    for number, what in ((b"NaN", "NaN is not JSON"), (b"1e999", "above 0 and at most 1")):
        (tmp_path / TRAIN).write_bytes(line.replace(b"0.125", number))
        (problem,) = problems_of(tmp_path)
        assert what in problem.what and problem.line == 1


def test_an_id_that_is_there_twice_is_named_with_both_places(written):
    other = TRAIN.replace(".en.", ".zh.")
    written(record(1), record(2), record(1), record(1, prompt=""))
    place = written(record(5, language="zh"), record(2, language="zh", id="train-en-2"), name=other)
    *in_one, broken, in_two = problems_of(place)
    assert [str(problem).partition(". ")[0] for problem in in_one] == [
        f"{place / TRAIN}:3: field 'id': id is there twice, first in {place / TRAIN}:1 (found 'train-en-1')",
        f"{place / TRAIN}:4: field 'prompt': is empty",
    ]
    assert (broken.line, broken.field) == (4, "id")
    assert (in_two.path, in_two.line) == (str(place / other), 2)
    assert in_two.what == f"id is there twice, first in {place / TRAIN}:2"


def test_everything_wrong_with_a_file_is_said_at_once(written):
    place = written(
        record(1, prompt="", labels=[label(9, 3, 7, "X"), label(prob="a")]),
        record(
            2,
            language="fr",
            raw_annots={"p": "oops", "q": "3:1|A"},
            metadata={"strategy": "a", "prelabel": "b"},
        ),
        record(3),
        record(3),
    )
    with open(place / TRAIN, "ab") as file:
        file.write(b"{oops\n")
    found = [(problem.line, problem.field) for problem in problems_of(place)]
    assert found == [
        (1, "prompt"), (1, "labels[0]"), (1, "labels[0].prob"), (1, "labels[0].label"), (1, "labels[1].prob"),
        (2, "language"), (2, "raw_annots.p"), (2, "raw_annots.q"), (2, "metadata.strategy"),
        (2, "metadata.prelabel"), (4, "id"), (5, None),
    ]  # fmt: skip


# The real data


@pytest.fixture(scope="module")
def release(shared):
    return load("sheep", directory=shared / "sheep")


def test_the_real_release_has_its_items_and_no_others(release):
    assert release.items["language"].value_counts().to_dict() == {"en": 573, "fr": 533, "it": 556, "zh": 619}
    assert (release.items["split"] == "train").all()
    # neither submissions, whose files are called en.jsonl, nor figure1.json, which has annotators
    assert release.items["item"].is_unique and len(release.ratings) == 0


def test_shares_of_real_items_without_any_label(release):
    unmarked = ~release.items["item"].isin(release.labels["item"])
    shares = unmarked.groupby(release.items["language"]).mean().round(3)
    assert shares.to_dict() == {"en": 0.265, "fr": 0.255, "it": 0.248, "zh": 0.344}


def test_real_labels_are_taken_as_they_are(release, shared):
    expected = {}
    for path in (shared / "sheep").glob("shroom-vision.*.jsonl"):
        for line in path.read_bytes().split(b"\n"):
            if line.strip():
                item = json.loads(line)
                expected[item["id"]] = [(one["start"], one["end"], one["prob"]) for one in item["labels"]]
    found = {item: [] for item in release.items["item"]}
    for row in release.labels.itertuples():
        found[row.item].append((row.start, row.end, row.prob))
    assert found == expected


def test_real_images_come_from_two_data_sets(release):
    images = release.items.drop_duplicates("image")
    assert images["source"].value_counts().to_dict() == {"visage": 198, "haloquest": 111}


def test_what_the_real_release_lacks(release):
    assert set(release.lacks) == {"ratings", "strategy", "model", "prelabel"}
    assert release.notes == () and "labelled" not in release.items


def test_the_real_release_in_a_zip(release, shared, tmp_path):
    with zipfile.ZipFile(tmp_path / "data.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted((shared / "sheep").rglob("*.json*")):
            archive.write(path, f"distrib/{path.relative_to(shared)}")
    assert load("sheep", directory=tmp_path / "data.zip").fingerprint == release.fingerprint


def test_figure_1_follows_from_its_annotators_but_for_two_places(shared):
    figure = shared / "sheep" / "figure1.json"
    length = len(json.loads(figure.read_text(encoding="utf-8"))["response"])

    def shares(labels):
        corpus = load("sheep", directory=figure, labels=labels)
        assert set(corpus.labels["label"]) == {"A"}
        found = [0.0] * length
        for row in corpus.labels.itertuples():
            assert not any(found[row.start : row.end])
            found[row.start : row.end] = [round(row.prob, 4)] * (row.end - row.start)
        return found

    derived, printed = shares("derived"), shares("release")
    differing = {
        place: (derived[place], printed[place]) for place in range(length) if derived[place] != printed[place]
    }
    # 46 and 47: only the annotator of 0:168 marks them (31:46 and 48:89; 3:46), but 2/3 is printed.
    # 167: 0:168 goes to the end of a text of 168 characters, but the printed run ends at 167.
    assert differing == {46: (0.3333, 0.6667), 47: (0.3333, 0.6667), 167: (0.3333, 0.0)}


def test_figure_1_as_a_corpus(shared):
    corpus = load("sheep", directory=shared / "sheep" / "figure1.json")
    item = corpus.items.iloc[0]
    assert item[["item", "strategy", "model", "source", "prelabel"]].tolist() == [
        "train-fr-4186", "random", "minicpm", "haloquest", "B"
    ]  # fmt: skip
    assert corpus.ratings["comment"].isna().all() and len(corpus.ratings) == 3
    assert corpus.spans.groupby("annotator", sort=False).size().tolist() == [4, 2, 1]
    assert corpus.lacks == {} and corpus.notes == ()

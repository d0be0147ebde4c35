"""The format check, each rule broken once, and the files that scores are read from."""

import json

import pytest

from sheeplib.errors import InputError
from sheeplib.scoring import check_format, read_predictions, read_references, score_files

SPAN = {"start": 0, "end": 2, "prob": 1.0, "label": "OCR"}


def records(language="en", split="train", n=2, **more):
    return [{"id": f"{split}-{language}-{number}", "labels": [dict(SPAN)], **more} for number in range(n)]


@pytest.fixture
def write(tmp_path):
    def write(name, lines):
        """Write records or raw lines; gives the path."""
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        texts = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
        path.write_bytes("".join(text + "\n" for text in texts).encode("utf-8"))
        return path

    return write


def gold(write, *languages, n=2, name="gold/{}.jsonl", **more):
    for language in languages:
        path = write(name.format(language), records(language, n=n, response="e\u0301𠀀", **more))
    return path.parent


def test_a_good_submission(write):
    for language in ("en", "fr", "it", "zh"):
        one, two = records(language, comment="extra keys are allowed")
        path = write(f"pred/{language}.jsonl", [one | {"labels": []}, two])
    assert check_format(path.parent) == []
    assert check_format(path) == []
    assert check_format(sorted(path.parent.iterdir())) == []
    assert check_format(path.parent, gold(write, "en", "fr", "it", "zh")) == []
    assert check_format(path, gold(write, "en", "fr", "it", "zh")) == []


def test_what_the_rules_do_not_forbid(write):
    labels = [SPAN | {"prob": prob} for prob in (0.0, -1.0, 7.0)] + [SPAN, SPAN]
    language = "EN"  # compared in lower case
    path = write("en.jsonl", [record | {"labels": labels} for record in records(language)])
    assert check_format(path) == []


def spans(*labels, **more):
    return {"id": "train-en-9", "labels": list(labels), **more}


@pytest.mark.parametrize(
    ("line", "field", "what"),
    [
        ("", None, "empty line"),
        ("   ", None, "empty line"),
        ("{", None, "invalid JSON"),
        ("[]", None, "not an object"),
        ('{"id": "train-en-9", "id": "train-en-9", "labels": []}', None, "given twice in one object"),
        ({"labels": []}, "id", "not a text"),
        ({"id": 9, "labels": []}, "id", "not a text"),
        ({"id": "", "labels": []}, "id", "not a text"),
        ({"id": "train-en", "labels": []}, "id", "three parts"),
        ({"id": "train-en-9-1", "labels": []}, "id", "three parts"),
        ({"id": "train-en-", "labels": []}, "id", "three parts"),
        ({"id": "-en-9", "labels": []}, "id", "three parts"),
        ({"id": "train-de-9", "labels": []}, "id", "one of the languages en, fr, it, zh"),
        ({"id": "train-fr-9", "labels": []}, "id", "the file began with train-en"),
        ({"id": "test-en-9", "labels": []}, "id", "the file began with train-en"),
        ({"id": "train-en-0", "labels": []}, "id", "given twice, first in line 1"),
        ({"id": "train-en-9"}, "labels", "not a list"),
        ({"id": "train-en-9", "labels": None}, "labels", "not a list"),
        ({"id": "train-en-9", "labels": {}}, "labels", "not a list"),
        ({"id": "train-en-9", "predictions": []}, "predictions", "Rename it to 'labels'"),
        (spans([0, 2]), "labels[0]", "not an object"),
        *(
            (spans({k: v for k, v in SPAN.items() if k != key}), f"labels[0].{key}", "missing")
            for key in SPAN
        ),
        (spans(SPAN, SPAN | {"start": 0.0}), "labels[1].start", "not a whole number"),
        (spans(SPAN | {"start": False}), "labels[0].start", "not a whole number"),
        (spans(SPAN | {"end": True}), "labels[0].end", "not a whole number"),
        (spans(SPAN | {"end": "2"}), "labels[0].end", "not a whole number"),
        (spans(SPAN | {"start": None}), "labels[0].start", "not a whole number"),
        (spans(SPAN | {"end": 10**30}), "labels[0].end", "too large"),
        (spans(SPAN | {"prob": 1}), "labels[0].prob", "Write 1.0"),
        (spans(SPAN | {"prob": "1.0"}), "labels[0].prob", "Write 1.0"),
        (spans(SPAN | {"prob": float("nan")}), "labels[0].prob", "not finite"),
        (spans(SPAN | {"prob": float("inf")}), "labels[0].prob", "not finite"),
        (json.dumps(spans(SPAN)).replace("1.0", "1e999"), "labels[0].prob", "not finite"),
        (spans(SPAN | {"label": "ocr"}), "labels[0].label", "unknown label"),
        (spans(SPAN | {"label": "C"}), "labels[0].label", "unknown label"),
        (spans(SPAN | {"label": "none"}), "labels[0].label", "unknown label"),
        (spans(SPAN | {"label": 3}), "labels[0].label", "not a text"),
        (spans(SPAN | {"start": -1}), "labels[0].start", "negative"),
        (spans(SPAN | {"start": 2}), "labels[0].end", "covers nothing"),
        (spans(SPAN | {"start": 5}), "labels[0].end", "covers nothing"),
        # a response that the submission repeats: three code points, seven bytes
        (spans(SPAN | {"end": 4}, response="e\u0301𠀀"), "labels[0].end", "past the end of the text of 3"),
    ],
)
def test_each_rule_broken_once(write, line, field, what):
    path = write("en.jsonl", [*records(n=1), line, {"id": "train-en-1", "labels": []}])
    (problem,) = check_format(path)
    assert (problem.path, problem.line, problem.field) == (path, 2, field)
    assert what in str(problem) and problem.remedy


def test_bytes_that_are_not_text(write):
    path = write("en.jsonl", records())
    path.write_bytes(path.read_bytes() + b"\xff\n")
    (problem,) = check_format(path)
    assert (problem.line, problem.what) == (3, "byte 1 of the line is not UTF-8")


def test_marks_and_line_ends_that_editors_leave(write):
    path = write("en.jsonl", records(comment="one\u2028two\u0085three"))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert check_format(path) == []
    assert len(read_predictions(path)) == 2


def test_numbers_of_files(write, tmp_path):
    (tmp_path / "pred").mkdir()
    (problem,) = check_format(tmp_path / "pred")
    assert "no .jsonl file" in problem.what
    for number, language in enumerate(("en", "fr", "it", "zh", "en")):
        write(f"pred/{number}.jsonl", records(language))
    several, twice = check_format(tmp_path / "pred")
    assert "5 files" in several.what
    assert "language en is already in" in twice.what and twice.path == tmp_path / "pred" / "4.jsonl"
    write("pred/1.jsonl", records("fr", split="test"))
    (tmp_path / "pred" / "4.jsonl").unlink()
    (problem,) = check_format(tmp_path / "pred")
    assert "split test" in problem.what


def test_a_file_without_records_or_of_another_kind(write):
    (problem,) = check_format(write("en.jsonl", []))
    assert "empty" in problem.what
    (problem,) = check_format(write("en.json", records()))
    assert "not a .jsonl file" in problem.what


def test_paths_that_are_not_there(write, tmp_path):
    with pytest.raises(InputError, match="no such file"):
        check_format(tmp_path / "none")
    with pytest.raises(InputError, match="no such file"):
        check_format(write("en.jsonl", records()), tmp_path / "none")


def test_references_must_be_covered_exactly(write):
    directory = gold(write, "en", "fr", n=3)
    write("gold/test.jsonl", records(split="test", response="of another split"))
    path = write("en.jsonl", [*records(n=1), {"id": "train-en-9", "labels": []}])
    extra, missing = check_format(path, directory)
    assert (extra.line, extra.field, extra.value) == (2, "id", "train-en-9")
    assert missing.what == "2 of 3 items are not predicted: 'train-en-1', 'train-en-2'"
    assert missing.path == path


def test_references_give_the_length_whatever_the_submission_says(write):
    directory = gold(write, "en")
    path = write("en.jsonl", [record | {"labels": [SPAN | {"end": 3}]} for record in records(response="x")])
    assert check_format(path, directory) == []
    path = write(
        "en.jsonl", [record | {"labels": [SPAN | {"end": 4}]} for record in records(response="xxxxxx")]
    )
    assert [problem.line for problem in check_format(path, directory)] == [1, 2]


def test_unlabelled_data_serve_as_references_of_the_check(write):
    lines = [{"id": f"test-en-{n}", "response": "text"} for n in range(2)]
    directory = write("release/distrib/x.test.en.unlabeled.jsonl", lines).parents[1]
    path = write("en.jsonl", records(split="test"))
    assert check_format(path, directory) == []
    with pytest.raises(InputError, match="no text"):
        check_format(path, write("other.jsonl", records(split="test")))


def test_scores_are_read_from_directories(write):
    directory = gold(write, "en", "fr", name="gold/x.train.{}.labeled.jsonl")
    write("gold/x.test.en.unlabeled.jsonl", [{"id": "test-en-1", "response": "text"}])
    assert len(read_references(directory)) == 4
    for language in ("en", "fr"):
        path = write(f"pred/{language}.jsonl", records(language))
    said = score_files(directory, path.parent)
    assert {language: scores["cor"] for language, scores in said.items()} == {"en": 1.0, "fr": 1.0}
    assert list(score_files(directory, path)) == ["fr"]
    assert score_files(directory, path, strict=True)["fr"]["coverage"] == 1.0


def test_the_schema_of_the_paper_can_be_scored(write):
    raw = {"w": "0:2|C", "x": "0:2|C", "y": "|"}
    lines = [
        record | {"labels": [SPAN | {"label": "C"}], "raw_annots": raw} for record in records(response="text")
    ]
    said = score_files(write("gold.jsonl", lines), write("pred.jsonl", records()))["en"]
    assert (said["cor_lbl"], said["classification"]["f1"]) == (1.0, 1.0)


def test_the_example_of_the_paper(shared, write):
    example = json.loads((shared / "sheep" / "figure1.json").read_text(encoding="utf-8"))
    (reference,) = read_references(write("gold.jsonl", [example]))
    assert (reference.language, reference.length, reference.positive) == (
        "fr",
        len(example["response"]),
        True,
    )
    assert {span.label for span in reference.spans} == {"invention"}


def test_all_problems_of_a_submission_are_named_at_once(write):
    lines = [*records(n=1), "{", {"id": "train-en-1", "labels": [{}]}]
    with pytest.raises(InputError) as caught:
        score_files(gold(write, "en"), write("en.jsonl", lines))
    assert [problem.line for problem in caught.value.problems] == [2, 3, 3, 3, 3]


def test_predictions_of_another_language_have_no_reference(write):
    path = write("fr.jsonl", records("fr"))
    with pytest.raises(InputError, match="2 of 2 predicted items have no reference") as caught:
        score_files(gold(write, "en"), path)
    assert (caught.value.problems[0].path, caught.value.problems[0].line) == (path, 1)


def test_nothing_to_score(write, tmp_path):
    (tmp_path / "empty").mkdir()
    path = write("en.jsonl", records())
    for arguments in ((tmp_path / "empty", path), (path, tmp_path / "empty"), (tmp_path / "none", path)):
        with pytest.raises(InputError):
            score_files(*arguments)


def test_nan_is_scored_as_the_released_scorer_does_and_refused_in_strict_mode(write):
    lines = [record | {"labels": [SPAN | {"prob": float("nan")}]} for record in records()]
    directory, path = gold(write, "en"), write("en.jsonl", lines)
    assert score_files(directory, path)["en"]["nan"] == 2
    with pytest.raises(InputError, match="not finite"):
        score_files(directory, path, strict=True)


def test_real_submissions_are_judged_as_by_the_released_checker(shared):
    gold_data = shared / "sheep"
    expected = json.loads((gold_data / "expected_scores.json").read_text())
    judged = {"plain": {}, "gold": {}}
    for system, languages in expected.items():
        for language in languages:
            file = gold_data / "submissions" / system / f"{language}.jsonl"
            judged["plain"][system, language] = not check_format(file)
            judged["gold"][system, language] = not check_format(
                file, gold_data / f"shroom-vision.train.{language}.labeled.jsonl"
            )
    released = {
        (system, language): scores["format_ok"]
        for system, languages in expected.items()
        for language, scores in languages.items()
    }
    assert judged["plain"] == released
    # its verdicts were taken on the covered items; against all references one file more is incomplete
    differ = {key for key, verdict in judged["gold"].items() if verdict != released[key]}
    assert differ == {("system-01", "zh")}

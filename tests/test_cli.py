import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sheeplib import cli

RECORD = {
    "split": "train", "language": "en", "prompt": "What is it?", "image_name": "1_ab_o.jpg",
    "response": "A red dog 🐕.",
}  # fmt: skip


def lines(path: Path, *records: dict) -> Path:
    path.write_text(
        "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8"
    )
    return path


@pytest.fixture
def gold(tmp_path):
    red = {"start": 2, "end": 5, "prob": 1.0, "label": "mischaracterization"}
    directory = tmp_path / "gold"
    directory.mkdir()
    records = [RECORD | {"id": "train-en-1", "labels": [red]}, RECORD | {"id": "train-en-2", "labels": []}]
    lines(directory / "shroom-vision.train.en.labeled.jsonl", *records)
    return directory


@pytest.fixture
def pred(tmp_path):
    red = {"start": 2, "end": 5, "prob": 0.5, "label": "invention"}
    return lines(
        tmp_path / "pred.jsonl", {"id": "train-en-1", "labels": [red]}, {"id": "train-en-2", "labels": []}
    )


@pytest.fixture
def run(sheep):
    return sheep


def test_score_gives_json_by_language(run, gold, pred):
    code, out, err = run("score", "--gold", gold, "--pred", pred, "--json")
    # Cor and IoU are 1. Cor+Lbl is 0 for the first item: neither label has the other's span. Mean of 2.
    found = json.loads(out)["en"]
    assert (code, err) == (0, "")
    assert {name: found[name] for name in ("n", "cor", "cor_lbl", "iou")} == {
        "n": 2, "cor": 1.0, "cor_lbl": 0.5, "iou": 1.0,
    }  # fmt: skip
    assert "classification" not in found


def test_score_says_when_items_are_missing(run, gold, tmp_path):
    part = lines(tmp_path / "part.jsonl", {"id": "train-en-2", "labels": []})
    code, out, err = run("score", "--gold", gold, "--pred", part)
    assert code == 0 and "1.000" in out and "only 1 of 2 items were predicted" in err


def test_undefined_scores_are_null_in_json(run, tmp_path):
    empty = RECORD | {"response": ""}
    gold = lines(
        tmp_path / "shroom-vision.train.en.labeled.jsonl", empty | {"id": "train-en-1", "labels": []}
    )
    pred = lines(tmp_path / "p.jsonl", {"id": "train-en-1", "labels": []})
    code, out, _ = run("score", "--gold", gold, "--pred", pred, "--json")
    assert code == 0 and json.loads(out)["en"]["cor"] is None and "NaN" not in out


def test_check_agrees_with_a_good_file_and_names_what_is_wrong(run, pred, tmp_path):
    assert run("check", pred)[:2] == (0, "The format is right.\n")
    bad = lines(
        tmp_path / "bad.jsonl",
        {"id": "train-en-1", "labels": [{"start": 0, "end": 2, "prob": 1.0, "label": "ocr"}]},
    )
    code, out, err = run("check", bad, "--json")
    found = json.loads(out)
    assert code == 1 and found["format_ok"] is False
    assert {problem["line"] for problem in found["problems"]} == {1}
    assert f"{bad}:1: field 'labels[0].label': unknown label" in err


def test_check_with_gold_wants_every_item(run, gold, tmp_path):
    part = lines(tmp_path / "part.jsonl", {"id": "train-en-2", "labels": []})
    assert run("check", part)[0] == 0
    assert run("check", part, "--gold", gold)[0] == 1


def test_agreement_gives_rows_of_results(run, tmp_path):
    annotated = {"raw_annots": {"x": "2:5|B", "y": "2:9|B", "z": "|"}}
    path = lines(
        tmp_path / "records.jsonl",
        RECORD | annotated | {"id": "train-en-1", "metadata": {"strategy": "random", "model": "llava"}},
        RECORD | annotated | {"id": "train-en-2", "metadata": {"strategy": "MAP", "model": "qwenvl"}},
    )
    by = " language,, strategy,language "
    code, out, _ = run("agreement", "sheep", "--directory", path, "--by", by, "--json")
    rows = json.loads(out)
    assert code == 0
    assert {(row["language"], row["strategy"]) for row in rows} == {("en", "random"), ("en", "map")}
    value = {row["quantity"]: row for row in rows if row["strategy"] == "map"}
    # One item, split 2 to 1: 1 - 4/3. The three pairs share 3 of 7, 0 of 3 and 0 of 7 characters.
    assert value["presence_alpha"]["value"] == pytest.approx(-1 / 3)
    assert value["span_iou"]["value"] == pytest.approx(3 / 7 / 3)
    assert value["label_alpha_first_given"]["value"] is None and value["label_alpha_first_given"]["reason"]
    assert {"low", "high", "n", "seed", "corpus"} <= set(rows[0])


def test_agreement_prints_a_table(run, tmp_path):
    path = lines(tmp_path / "r.jsonl", RECORD | {"id": "a", "raw_annots": {"x": "|", "y": "|"}})
    code, out, _ = run("agreement", "sheep", "--directory", path, "--resamples", 10)
    assert code == 0 and "presence_alpha" in out and "1.000" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["agreement", "meadov"], "unknown corpus 'meadov'. Known: meadow"),
        (["agreement", "mushroom", "--directory", "nowhere"], "no mu-SHROOM data"),
        (["agreement", "sheep"], "needs its data"),
        (["agreement", "meadow", "--by", "langauge"], "no column 'langauge'"),
        (["agreement", "meadow", "--cluster", "nothing"], "no column 'nothing'"),
        (["agreement", "meadow", "--seed", 2**63], "not a seed"),
        (["score", "--gold", "nowhere", "--pred", "nowhere"], "nowhere"),
        (["published", "sheep", "99"], "table 99"),
        (["published", "goat", "9"], "goat"),
        (["check", "nowhere.jsonl"], "nowhere.jsonl"),
        (["fetch", "goat"], "goat"),
    ],
)
def test_wrong_input_ends_with_a_message_and_code_1(run, arguments, message):
    code, out, err = run(*arguments)
    assert (code, out) == (1, "") and message in err and "Traceback" not in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["agreement"], ["nonsense"], ["score", "--gold", "x"], ["published", "sheep"],
        ["run", "--set", "seed=1"],
        ["agreement", "meadow", "--resamples", "0"], ["agreement", "meadow", "--seed", "-1"],
        ["agreement", "meadow", "--empty-pairs", "two"],
    ],
)  # fmt: skip
def test_wrong_usage_ends_with_code_2(run, arguments):
    assert run(*arguments)[0] == 2


def test_published_tables_are_listed_and_shown(run):
    code, out, _ = run("published", "--json")
    assert code == 0 and {"paper": "sheep", "table": 9}.items() <= json.loads(out)[7].items()
    rows = json.loads(run("published", "sheep", "9", "--json")[1])
    human = [row for row in rows if row["strategy"] == "human" and row["quantity"] == "presence_alpha"]
    assert [(row["value"], row["half_width"], row["low"]) for row in human] == [(0.5668, 0.0147, None)]
    assert "0.5668" in run("published", "sheep", "9")[1]


def test_run_lists_parameters(run):
    rows = json.loads(run("run", "--parameters", "02_agreement", "--json")[1])
    assert {"name": "seed", "type": "int", "default": 2026}.items() <= rows[
        [r["name"] for r in rows].index("seed")
    ].items()
    code, _, err = run("run", "02_agreement", "--set", "sead=1")
    assert code == 1 and "Did you mean 'seed'?" in err


def test_the_command_is_installed():
    done = subprocess.run(
        [Path(sys.executable).with_name("sheep"), "version"], capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stdout.strip()


def test_real_submissions_score_as_the_released_scorer_says(run, shared):
    # One system by way of the command; tests/scoring has all of them.
    expected = json.loads((shared / "sheep" / "expected_scores.json").read_text())["system-03"]
    found = json.loads(
        run("score", "--gold", shared / "sheep", "--pred", shared / "sheep/submissions/system-03", "--json")[
            1
        ]
    )
    for language, values in expected.items():
        for name in ("n", "cor", "cor_lbl", "iou"):
            assert found[language][name] == pytest.approx(values[name], abs=1e-9)


def test_json_is_ascii_and_tables_survive_a_terminal_that_lacks_characters(tmp_path):
    bad = lines(tmp_path / "b.jsonl", {"id": "黑羊🐑", "labels": [{"start": 0}]})
    command = [sys.executable, "-c", "from sheeplib.cli import main; main()"]
    narrow = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*command, "check", bad, "--json"], capture_output=True, env=narrow)
    assert done.returncode == 1 and "format_ok" in json.loads(done.stdout.decode("ascii"))
    done = subprocess.run([*command, "published"], capture_output=True, env=narrow)
    assert done.returncode == 0 and b"COMETKiwi" in done.stdout


def test_text_from_data_is_no_markup_in_a_table(capsys):
    texts = ["[red]x[/red]", ":smile:", "\\[b]", "[/]"]
    cli.show_frame(pd.DataFrame({"text": texts, "number": [0.5, None, 1.25, 2.0]}))
    said = capsys.readouterr().out
    assert all(text in said for text in texts) and "0.500" in said and "–" in said


def test_what_is_no_json_becomes_null(capsys):
    cli.show_json(
        cli.records(pd.DataFrame({"a": [np.nan, np.inf, 0.5], "b": pd.array([1, None, 2], "Int64")}))
    )
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert found == [{"a": None, "b": 1}, {"a": None, "b": None}, {"a": 0.5, "b": 2}]

"""The verbs models, generate, translate and features, on models with random weights."""

import json

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from rich.console import Console

from sheeplib import cli
from sheeplib.cli import terminal


@pytest.fixture
def run(sheep, monkeypatch, tmp_path):
    monkeypatch.setenv("SHEEP_FEATURES", str(tmp_path / "features"))
    return sheep


@pytest.fixture
def images(tmp_path):
    directory = tmp_path / "images"
    directory.mkdir()
    for number, colour in enumerate(["red", "green"]):
        Image.new("RGB", (64, 48), colour).save(directory / f"{number}.png")
    return directory


def lines(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def answers(path, count=5):
    rows = [
        {"item": f"q{n}", "corpus": "own", "prompt": "What?", "image": f"{n % 2}.png",
         "response": f"Dog {n} 🐕."}
        for n in range(count)
    ]  # fmt: skip
    return lines(path, *rows)


def test_models_are_listed_with_what_runs_here(run):
    code, out, _ = run("models", "--json")
    rows = {row["name"]: row for row in json.loads(out)}
    assert code == 0 and rows["tiny-llava"]["runs_here"]
    assert not rows["minicpm-v-4.5"]["runs_here"] and "code" in rows["minicpm-v-4.5"]["reason"]
    assert rows["llava-1.5-7b"]["memory_gb"] > 14  # two bytes for each of 7 billion weights
    code, out, _ = run("models")
    assert code == 0 and "tiny-llava" in out and "no GPU" in out


def test_nothing_of_a_table_is_cut_on_a_narrow_terminal(monkeypatch, capsys):
    monkeypatch.setattr(terminal, "said", Console(width=40))
    cells = ["a-store-of-forty-letters/" * 2, "0.123456", "one or two words " * 3]
    cli.show_frame(pd.DataFrame([cells], columns=["a_name_of_more_than_forty_letters_in_a_line", "b", "c"]))
    said = capsys.readouterr().out
    assert "…" not in said
    left = [row.split("│")[1].strip() for row in said.splitlines() if row.startswith("│")]
    assert "".join(left) == cells[0] and max(map(len, said.splitlines())) == 40


def test_generate_answers_each_question_once_a_seed_and_goes_on(run, tmp_path, images):
    asked = lines(
        tmp_path / "asked.jsonl",
        {"item": "a", "question": "What is it?", "image": "0.png", "language": "en"},
        {"item": "b", "question": "Qu'est-ce ?", "image": "1.png", "language": "fr"},
    )
    out = tmp_path / "answers.jsonl"
    command = ("generate", "--model", "tiny-llava", "--questions", asked, "--images", images, "--seeds", 2)
    code, said, told = run(*command, "--max-tokens", 4, "--out", out)
    assert (code, said.strip()) == (0, str(out)) and "shard" in told
    written = pd.read_json(out, lines=True)
    assert sorted(zip(written["asked"], written["seed"], strict=True)) == [
        ("a", 0), ("a", 1), ("b", 0), ("b", 1),
    ]  # fmt: skip
    assert written["item"].is_unique and (written["tokens"] <= 4).all()
    before = out.read_bytes()
    out.unlink()
    assert run(*command, "--max-tokens", 4, "--out", out)[0] == 0
    assert out.read_bytes() == before  # from the shards beside it


def test_generate_names_what_is_wrong_before_anything_runs(run, tmp_path, images):
    asked = lines(tmp_path / "asked.jsonl", {"item": "a", "question": "?", "image": "../secret.png"})
    command = ("generate", "--model", "tiny-llava", "--questions", asked, "--out", tmp_path / "out.jsonl")
    code, _, told = run(*command, "--images", images)
    assert code == 1 and "outside of the directory" in told
    code, _, told = run("generate", "--model", "gemma3", "--questions", asked, "--out", tmp_path / "x")
    assert code == 1 and "gemma3-4b" in told  # did you mean


def test_an_output_that_cannot_be_is_refused_before_anything_runs(run, tmp_path, images):
    asked = lines(tmp_path / "asked.jsonl", {"item": "a", "question": "?", "image": "0.png"})
    before = asked.read_bytes()
    command = ("generate", "--model", "tiny-llava", "--questions", asked, "--images", images, "--seeds", 1)
    for out in (".", "", tmp_path):
        code, _, told = run(*command, "--out", out)
        assert code == 1 and "a directory, not a file" in told
    code, _, told = run(*command, "--out", tmp_path / "images" / ".." / "asked.jsonl")
    assert code == 1 and "the file that is read would be replaced" in told
    code, _, told = run("translate", asked, "--from", "en", "--to", "fr", "--out", asked)
    assert code == 1 and "the file that is read would be replaced" in told
    assert asked.read_bytes() == before and sorted(path.name for path in tmp_path.iterdir()) == [
        "asked.jsonl", "images",
    ]  # fmt: skip
    code, _, told = run(*command, "--out", tmp_path / ("x" * 300))
    assert code == 1 and told.strip().endswith("File name too long")
    deep = tmp_path / "new" / "answers.jsonl"
    assert run(*command, "--out", deep, "--shards", tmp_path / "s", "--max-tokens", 1)[0] == 0
    assert deep.is_file()


def test_translate_points_at_what_looks_wrong(run, tmp_path):
    source = lines(tmp_path / "en.jsonl", {"item": "a", "prompt": "How many dogs are there? Count them."})
    out = tmp_path / "fr.jsonl"
    command = ("translate", source, "--from", "en", "--to", "fr", "--model", "tiny-nllb", "--out", out)
    code, said, told = run(*command, "--max-tokens", 3)
    assert code == 0 and said.strip() == str(out)
    record = json.loads(out.read_text("utf-8"))
    assert record["language"] == "fr" and record["translated"]["original"]["prompt"].startswith("How many")
    assert "Look at a, prompt" in told  # three tokens of a random model are no translation
    code, _, told = run(*command, "--quality", tmp_path / "model.ckpt")
    assert code == 1 and "--trust-checkpoint" in told
    out.unlink()
    code, _, told = run(*command, "--quality", tmp_path / "model.ckpt", "--trust-checkpoint")
    assert code == 1 and "no checkpoint of COMETKiwi" in told and not out.exists()  # before anything runs


def test_features_are_extracted_listed_verified_and_exported(run, tmp_path, images):
    file = answers(tmp_path / "own.jsonl")
    command = ("features", "extract", "--items", file, "--images", images, "--evaluator", "tiny-llava")
    code, out, told = run(*command, "--needs", "svar,hallushift", "--shard-size", 2, "--json")
    facts = json.loads(out)
    assert code == 0 and (facts["done"], facts["items"]) == (3, 5)
    assert told.count("shard") == 3 and "left" in told
    code, out, _ = run("features", "info", "--json")
    assert code == 0 and [row["key"] for row in json.loads(out)] == [facts["key"]]
    code, out, _ = run("features", "info")
    assert code == 0 and facts["key"] in out and str(tmp_path / "features") in out
    assert run("features", "verify", facts["path"])[0] == 0
    table = tmp_path / "tokens.csv"
    assert run("features", "export", facts["path"], table)[0] == 0
    exported = pd.read_csv(table)
    assert len(exported) == facts["tokens"] and np.isfinite(exported["token_nll"]).all()
    assert (exported["max_prob"] >= exported["target_prob"]).all()


def test_damage_is_named_and_a_missing_shard_is_made_anew(run, tmp_path):
    file = answers(tmp_path / "own.jsonl")
    command = (
        "features",
        "extract",
        "--items",
        file,
        "--evaluator",
        "tiny-llama",
        "--shard-size",
        2,
        "--json",
    )
    facts = json.loads(run(*command)[1])
    damaged = sorted((tmp_path / "features").rglob("tokens.parquet"))[1]
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[:-1] + b"x")
    code, _, told = run("features", "verify", facts["path"])
    assert code == 1 and str(damaged) in told
    for path in damaged.parent.iterdir():
        path.unlink()
    damaged.parent.rmdir()
    code, _, told = run("features", "verify", facts["path"])
    assert code == 1 and "only 2 of 3 shards" in told
    assert run(*command)[0] == 0
    assert damaged.read_bytes() == whole


def test_code_from_a_checkpoint_runs_only_on_demand(run, tmp_path, images):
    file = answers(tmp_path / "own.jsonl")
    command = ("features", "extract", "--items", file, "--images", images)
    code, _, told = run(*command, "--evaluator", "minicpm-v-4.5")
    assert code == 1 and "--trust-remote-code" in told

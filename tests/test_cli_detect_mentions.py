"""`sheep detect NAME` for detectors of mentions."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from mention_material import captions, mentions
from readers import answers
from sheeplib.cli import detect_mentions, features  # noqa: F401
from sheeplib.cli.terminal import app
from sheeplib.mention_study.files import read_material
from sheeplib.mention_study.judging import DETECTORS


@pytest.fixture
def run():
    def call(*words):
        found = CliRunner().invoke(app, ["detect", *map(str, words)], catch_exceptions=True)
        return found.exit_code, found.stdout, found

    return call


def test_there_is_a_verb_for_each_detector():
    assert set(detect_mentions.NAMES) == set(DETECTORS)
    known = {command.name for command in detect_mentions.detect.registered_commands}
    assert set(detect_mentions.NAMES) <= known


@pytest.mark.parametrize("name", ["svar", "dhcp"])
def test_a_detector_comes_with_the_baseline(run, name, tmp_path):
    written = tmp_path / "scores.csv"
    code, out, _ = run(
        name, "--captioners", "clover", "--splits", "0,1", "--resamples", 20, "--json", "--scores", written
    )
    said = json.loads(out[out.index("{") :])
    assert code == 0 and said["detector"] == name and said["splits"] == [0, 1]
    assert said["captioners"]["clover"]["mentions"] == 812
    rows = pd.DataFrame(said["results"])
    assert set(rows["detector"]) == {name, "position_only"}
    plain = rows[rows["quantity"].eq("auc") & rows["subset"].eq("all") & rows["model"].eq("clover")]
    assert len(plain) == 2 and plain["value"].between(0.4, 1).all()
    scores = pd.read_csv(written)
    assert len(scores) == 812 and {"score_0", "score_1", "held_out_0", "status"} <= set(scores)
    assert (scores["score_0"] == scores["score_1"]).all() == (name == "svar"), "probes learn on each split"


def test_the_baseline_alone_and_a_table(run):
    code, out, _ = run("position_only", "--captioners", "clover", "--splits", "0", "--resamples", 2)
    assert code == 0 and "clover, all" in out and "auc" in out


def test_features_of_mentions_alone_are_extracted(tmp_path):
    """What a captioner's own directory needs, from the command line to scores."""
    images = tmp_path / "images"
    images.mkdir()
    texts = captions().assign(image=["a.png", "b.png", "c.png"])
    for name, sample in zip(texts["image"], answers(), strict=True):
        sample.image.save(images / name)
    rows = texts[["item", "image", "prompt", "response", "model"]].to_dict(orient="records")
    (tmp_path / "captions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    told = mentions().drop(columns=["mention", "subtype"]).to_dict(orient="records")
    (tmp_path / "mentions.json").write_text(json.dumps(told), "utf-8")
    words = [
        "features", "extract", "--evaluator", "tiny-llava", "--items", tmp_path / "captions.jsonl",
        "--mentions", tmp_path / "mentions.json", "--images", images, "--needs", "internal_confidence,svar",
        "--root", tmp_path / "features", "--engine", "serial", "--json",
    ]  # fmt: skip
    found = CliRunner().invoke(app, list(map(str, words)), catch_exceptions=False)
    assert found.exit_code == 0, found.output
    own = read_material(tmp_path).own
    assert len(own) == 5 and own.evaluator == "tiny-llava" and np.isfinite(own.scores("svar")).all()
    store = own.numbers.store
    kept = store.arrays()["internal_confidence:repo@own"][0]
    assert 5 <= kept < len(store.tokens([])) == store.arrays()["attention_masses@gen"][0]
    words[words.index("--items") : words.index("--items") + 2] = ["--corpus", "meadow"]
    found = CliRunner().invoke(app, list(map(str, words)))
    assert found.exit_code != 0 and "Give the captions as a file" in str(found.exception)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["svar", "--captioners", "nettle"], "nettle"),
        (["svar", "--splits", "a"], "whole numbers with commas"),
        (["svar", "--calibrate", "none", "--captioners", "clover"], "no such way to calibrate"),
        (["svar", "--own", "/nowhere"], "/nowhere"),
    ],
)
def test_wrong_options_are_named(run, words, said):
    code, out, found = run(*words)
    assert code != 0 and said in out + found.stderr + str(found.exception)


def test_the_command_line_starts_without_the_detectors():
    code = (
        "import sys, sheeplib.cli.detect_mentions; "
        "print([n for n in ('torch', 'sklearn', 'sheeplib.detectors.probes') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr

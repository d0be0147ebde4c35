"""The verb `sheep detect euq`, on a store of noise for some answers of the meadow."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from sheeplib import load
from sheeplib.cli import detect_euq  # noqa: F401  (adds the verb)
from sheeplib.features.store import encode_shard
from sheeplib.scoring import check_format
from sheeplib.shards import Shards

NEEDS = ["evidence:repo@gen", "evidence:canonical@gen"]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Features of 20 answers in each language, tokens of four characters."""
    items = load("meadow").items
    items = items[items["strategy"] == "human"].groupby("language").head(20)
    rows = [
        (item, "noise", token, start, min(start + 4, len(text)))
        for item, text in zip(items["item"], items["response"], strict=True)
        for token, start in enumerate(range(0, len(text), 4))
    ]
    tokens = pd.DataFrame(rows, columns=["item", "evaluator", "token", "start", "end"])
    tokens = tokens.astype({"item": "string", "evaluator": "string"})
    rng = np.random.default_rng(1)
    for name in ("conflict", "ignorance", "canonical_log_ignorance"):
        tokens[name] = rng.random(len(tokens)).astype("float32")
    tokens["canonical_log_agreement"] = -rng.exponential(3, len(tokens)).astype("float32")
    counts = tokens.groupby(["item", "evaluator"], sort=False).size().rename("tokens").reset_index()
    made = SimpleNamespace(tokens=tokens, arrays={}, items=counts, item_arrays={}, left_out={})
    header = {"kind": "features", "model": "noise", "needs": NEEDS, "corpus": {"name": "meadow"}}
    shards = Shards(tmp_path_factory.mktemp("stores"), header | {"samples": ["0"]}, [list(counts["item"])])
    shards.write(0, encode_shard(made))
    return shards.home


@pytest.fixture
def sheep(sheep):
    """The verb `sheep detect euq`."""
    return lambda *arguments: sheep("detect", "euq", *arguments)


def test_scores_and_a_submission(sheep, store, tmp_path):
    code, out, _ = sheep(
        "--features", store, "--variant", "canonical", "--flag", "cf", "--resamples", 20,
        "--predictions", tmp_path / "predicted", "--json",
    )  # fmt: skip
    found = json.loads(out)
    assert code == 0 and found["evaluator"] == "noise" and "Each of 5 folds" in found["calibration"]
    assert len(found["thresholds"]) == 5
    f1 = {
        row["detector"]: row["value"]
        for row in found["results"]
        if row["quantity"] == "f1" and row["language"] is None and row.get("strategy") is None and row["n"]
    }
    assert set(f1) == {"canonical cf", "everything", "random"}
    assert f1["canonical cf"] < f1["everything"] + 0.05  # noise
    human = [r for r in found["results"] if r["quantity"] == "f1" and r.get("strategy") == "human"]
    assert [row["value"] for row in human] == [f1["canonical cf"]]
    assert len(found["predictions"]) == 4 and not check_format(tmp_path / "predicted")


def test_a_table_for_reading(sheep, store):
    code, out, err = sheep("--features", store, "--resamples", 5, "--objective", "capped_f1")
    assert (code, err) == (0, "")
    assert "Each of 5 folds" in out and "repo" in out and "human" in out and "│ zh" in out


@pytest.mark.parametrize("option", ["--variant", "--flag", "--objective", "--calibrate"])
def test_unknown_choices_are_refused(sheep, store, option):
    code, _, err = sheep("--features", store, option, "best")
    assert code == 2 and "use " in err


def test_a_split_that_is_not_there(sheep, store):
    code, _, err = sheep("--features", store, "--calibrate", "split")
    assert code == 1 and "not of both splits" in err

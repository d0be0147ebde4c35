import json

import numpy as np
import pytest
from typer.testing import CliRunner

import sheeplib.cli.shift as verb
from sheeplib import InputError
from sheeplib.cli import app
from texts_of import signed


@pytest.fixture(autouse=True)
def corpus(monkeypatch):
    known = signed(np.random.default_rng(1), 60)
    monkeypatch.setattr(verb, "load", lambda name, **options: known)
    return known


def run(*arguments):
    quick = ["--characters", "none", "--words", "1", "--resamples", "20"]
    return CliRunner().invoke(app, ["shift", *quick, *arguments], env={"COLUMNS": "200"})


def test_shift_prints_a_table_and_json():
    found = run("--task", "6-way")
    assert found.exit_code == 0, found.output
    assert "│" in found.output
    parts = json.loads(run("--task", "6-way", "--json", "--telling", "2").output)
    assert set(parts) == {"results", "confusion", "telling"}
    assert {"macro_f1", "f1_leakage"} <= {row["quantity"] for row in parts["results"]}
    assert {row["origin"] for row in parts["telling"]} == {"m1", "m2", "human"}
    assert {row["folds"] for row in parts["results"]} == {"grouped", "ungrouped", None}
    assert sum(row["items"] for row in parts["confusion"]) == 120
    assert all(row["resamples"] == 20 for row in parts["results"])


@pytest.mark.parametrize(("flag", "variant"), [("--grouped", "grouped"), ("--ungrouped", "ungrouped")])
def test_one_variant_alone(flag, variant):
    parts = json.loads(run("--task", "6-way", "--json", flag).output)
    assert {row["folds"] for row in parts["results"]} == {variant, None}
    assert not any("leakage" in row["quantity"] for row in parts["results"])


def test_what_cannot_be_is_a_reason_in_the_table(corpus, monkeypatch):
    bare = type(corpus)("bare", corpus.items.assign(strategy=None))
    monkeypatch.setattr(verb, "load", lambda name, **options: bare)
    parts = json.loads(run("--json", "--telling", "3").output)
    assert "telling" not in parts and all(row["value"] is None for row in parts["results"])
    assert {row["reason"] for row in parts["results"]} == {"bare does not say the strategy of its items"}


@pytest.mark.parametrize("orders", ["1-", "a-b", "1-2-3", "-1", ""])
def test_orders_of_another_form_are_wrong_usage(orders):
    found = run(f"--words={orders}")
    assert found.exit_code == 2 and "--words" in found.output


def test_wrong_input_has_its_message():
    found = run("--task", "9-way")
    assert isinstance(found.exception, InputError) and "unknown task" in str(found.exception)
    found = run("--words", "3-1")
    assert isinstance(found.exception, InputError) and "'words': out of range" in str(found.exception)

"""The verb `sheep retrain`, on planted mentions."""

import json

import pytest
from typer.testing import CliRunner

import sheeplib.cli.retrain  # noqa: F401  (adds the verb)
import small_mentions
from sheeplib.cli.terminal import app
from sheeplib.retraining import studies

QUICK = ("--captioners", "ada", "--probes", "dhcp,position", "--budgets", "0,30", "--seeds", "0,1",
         "--resamples", "20", "--no-unseen", "--no-claims")  # fmt: skip


@pytest.fixture(autouse=True)
def planted(monkeypatch):
    def materials(captioners, readers=()):
        return [small_mentions.material(name, tuple(readers), images=45) for name in captioners]

    monkeypatch.setattr(studies, "meadow_materials", materials)


def run(*arguments):
    return CliRunner().invoke(app, ["retrain", *QUICK, *arguments], env={"COLUMNS": "200"})


def test_json_has_results_examples_and_claims():
    found = run("--json", "--readers", "bob", "--no-filter")
    assert found.exit_code == 0, found.output
    parts = json.loads(found.output)
    assert set(parts) == {"results", "examples", "claims"}
    assert {row["table"] for row in parts["results"]} == {5, 10, 14}
    assert {row["budget"] for row in parts["results"] if row["table"] == 5} == {"0", "30"}
    assert all(row["resamples"] == 20 for row in parts["results"])
    assert parts["claims"][0]["verdict"] == "held"
    assert parts["examples"][0]["30"] == 18  # three for ten of 60 hallucinations to learn from


def test_processes_give_the_same_bytes():
    here = run("--json", "--readers", "none", "--filter")
    there = run("--json", "--readers", "none", "--filter", "--engine", "processes", "--workers", "2")
    assert here.exit_code == 0, here.output
    assert here.output == there.output


def test_formulas_are_those_of_the_paper():
    from sheeplib.cli.retrain import FORMULAS
    from sheeplib.detectors.training_free import SEVEN

    assert tuple(SEVEN) == FORMULAS


def test_own_captions_are_read_from_their_directories(tmp_path, monkeypatch):
    from sheeplib.mention_study import files

    monkeypatch.setattr(files, "read_material", lambda place: small_mentions.material(place.name, images=45))
    found = run(
        "--json", "--own", str(tmp_path / "ada"), "--own", str(tmp_path / "eve"), "--formulas", "none"
    )
    assert found.exit_code == 0, found.output
    results = json.loads(found.output)["results"]
    assert {row["corpus"] for row in results} == {"own"} and {row["model"] for row in results} == {
        "ada",
        "eve",
    }


def test_a_table_for_people():
    found = run("--readers", "none", "--no-filter")
    assert found.exit_code == 0, found.output
    assert "Per cent; miniature models on drawn scenes." in found.output  # tables are as wide as the terminal


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--seeds", "0,x"), "whole numbers"),
        (("--probes", "nonesuch"), "no such probe"),
        (("--budgets", "much"), "no such budget"),
        (("--calibration", "all"), "no such way"),
        (("--engine", "magic"), "no such engine"),
    ],
)
def test_wrong_options_are_told(arguments, said):
    found = run("--readers", "none", *arguments)
    assert found.exit_code != 0
    assert said in found.output or said in str(found.exception)

from pathlib import Path
from types import SimpleNamespace

import pytest

from sheeplib import InputError, chapters, profiles
from sheeplib.corpora import CORPORA
from sheeplib.detectors import evaluators
from sheeplib.profiles import Profile, profile

ROOT = Path(__file__).parents[1]


def test_the_default_needs_no_data():
    found = profile(environment={})
    assert found.name == "meadow"
    assert found.parameters == {"corpus": "meadow", "seed": 2026, "resamples": 2000}
    assert found.notebooks is None


@pytest.mark.parametrize("name", profiles.names())
def test_every_profile_names_a_corpus_and_what_draws_it(name, tmp_path):
    found = profile(name, directory=str(tmp_path), environment={})
    assert found.parameters["corpus"] in CORPORA
    assert {"seed", "resamples"} <= set(found.parameters)
    assert found.title


def test_data_are_found_through_the_environment(tmp_path):
    found = profile("sheep", environment={"SHEEP_DATA": str(tmp_path)})
    assert found.parameters["directory"] == str(tmp_path.resolve())
    other = tmp_path / "other"
    other.mkdir()
    both = {"SHEEP_DATA": str(tmp_path), "MUSHROOM_DATA": str(other)}
    assert profile("mushroom", environment=both).parameters["directory"] == str(other.resolve())
    given = profile("mushroom", environment=both, directory=str(tmp_path))
    assert given.parameters["directory"] == str(tmp_path.resolve())


def test_missing_data_are_asked_for(tmp_path):
    with pytest.raises(InputError, match="make book PROFILE=sheep SHEEP_DATA=DIR"):
        profile("sheep", environment={"SHEEP_DATA": ""})
    with pytest.raises(InputError, match="SHEEP_DATA of profile 'sheep'"):
        profile("sheep", environment={"SHEEP_DATA": str(tmp_path / "absent")})


def test_an_unknown_name_is_refused_with_a_near_one():
    with pytest.raises(
        InputError, match="unknown profile 'medow'. Did you mean 'meadow'. Known: coco, meadow, mushroom"
    ):
        profile("medow")


def test_overrides_take_precedence_and_none_is_not_given():
    found = profile(environment={}, seed=7, resamples=None)
    assert (found.parameters["seed"], found.parameters["resamples"]) == (7, 2000)


def test_a_notebook_takes_what_it_declares():
    assert Profile("x", "x", {"seed": 1, "corpus": "c"}).values(["seed", "n"]) == {"seed": 1}


def test_real_answers_go_through_every_chapter_but_the_card_of_meadow(tmp_path):
    notebooks = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
    captions = ["07_mentions", "08_detectors", "09_retraining"]  # the data have answers alone
    chosen = profile("sheep", directory=str(tmp_path), environment={}).notebooks
    assert [name for name in notebooks if name not in chosen] == [*captions, "12_meadow"]
    assert set(chosen) <= set(notebooks)


def test_chapters_that_read_features_wait_until_there_are_some(tmp_path, monkeypatch):
    monkeypatch.setenv("SHEEP_FEATURES", str(tmp_path / "none"))
    found = profile("sheep", directory=str(tmp_path), environment={})
    assert set(found.left_out) == {"05_hallushift", "06_euq"}
    assert "sheep features extract --evaluator smollm2 --corpus sheep" in found.left_out["06_euq"]
    assert "features" not in found.parameters
    assert not set(found.left_out) & set(chapters.notebooks(found, ROOT))
    with pytest.raises(InputError, match="'06_euq' cannot be run with profile 'sheep'"):
        chapters.run_all(found, ["06_euq"], root=ROOT)


def test_features_that_are_there_are_bound(tmp_path, monkeypatch):
    home = tmp_path / "run"
    monkeypatch.setattr(
        evaluators, "kept_store", lambda corpus, method, _: SimpleNamespace(path=home / method)
    )
    found = profile("sheep", directory=str(tmp_path), environment={})
    # Each has its own: features may have been extracted for one method after the other.
    assert found.values(["features"], "05_hallushift") == {"features": str(home / "hallushift")}
    assert found.values(["features"], "06_euq") == {"features": str(home / "euq")}
    assert found.values(["features"], "11_features") == {}
    assert not found.left_out
    assert {"05_hallushift", "06_euq"} <= set(chapters.notebooks(found, ROOT))

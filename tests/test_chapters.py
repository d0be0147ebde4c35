import pytest

from notebooks import outputs, write_notebook
from sheeplib import InputError, chapters
from sheeplib.chapters import run_all
from sheeplib.profiles import Profile

SAVE = """import os, pathlib
place = pathlib.Path(os.environ["SHEEP_RESULTS"])
place.mkdir(parents=True, exist_ok=True)
_ = (place / "{name}.csv").write_text(f"{{n}}")"""
READ = """import os, pathlib
print(sorted(p.read_text() for p in pathlib.Path(os.environ["SHEEP_RESULTS"]).glob("*.csv")))"""


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    (tmp_path / "_config.yml").write_text("")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a").write_text("1")
    for name in ("a", "b"):
        write_notebook(tmp_path / "notebooks" / f"{name}.ipynb", SAVE.format(name=name))
    write_notebook(tmp_path / "notebooks" / "z.ipynb", READ)
    monkeypatch.setattr(chapters, "READS", {"z": ("a", "b")})
    return tmp_path


def states(outcomes):
    return {outcome.notebook: outcome.state for outcome in outcomes}


def test_all_notebooks_run_side_by_side_and_readers_of_results_last(checkout):
    profile, told = Profile("p", "p", {"n": 5, "seed": 1}), []
    found = run_all(profile, root=checkout, jobs=2, told=told.append)
    assert states(found) == dict.fromkeys("abz", "executed")
    assert told[-1].notebook == "z"
    assert outputs(chapters.executed(profile, checkout) / "z.ipynb") == ["['5', '5']\n"]
    assert states(run_all(profile, root=checkout)) == dict.fromkeys("abz", "fresh")
    # One source changes its result: so does the reader, and the other source is left alone.
    write_notebook(checkout / "notebooks" / "a.ipynb", SAVE.format(name="a").replace("{n}", "{n + 1}"))
    assert states(run_all(profile, root=checkout)) == {"a": "executed", "b": "fresh", "z": "executed"}


def test_what_reads_a_failed_notebook_does_not_run(checkout):
    write_notebook(checkout / "notebooks" / "b.ipynb", "1 / 0")
    found = run_all(Profile("p", "p"), root=checkout, jobs=2)
    assert states(found) == {"a": "executed", "b": "failed", "z": "failed"}
    assert "ZeroDivisionError" in found[1].message
    assert found[2].message == "z: not run, since b failed"


def test_profiles_choose_notebooks_and_keep_apart(checkout):
    small = Profile("small", "small", {"n": 1}, notebooks=("a",))
    assert states(run_all(small, root=checkout)) == {"a": "executed"}
    assert not chapters.executed(Profile("p", "p"), checkout).exists()
    with pytest.raises(InputError, match="profile 'small' has no notebook 'b'. Known: a"):
        run_all(small, ["b"], root=checkout)
    with pytest.raises(InputError, match="names no notebook 'c'. Known: a, b, z"):
        run_all(Profile("p", "p", notebooks=("c",)), root=checkout)


def test_names_may_be_given_as_files(checkout):
    assert states(run_all(Profile("p", "p"), ["b.ipynb"], root=checkout)) == {"b": "executed"}


def test_a_directory_is_shown_as_seen_from_the_checkout(checkout, monkeypatch):
    chapter = checkout / "notebooks" / "a.ipynb"
    write_notebook(chapter, "print(directory)", parameters="directory: str | None = None  # of the data")
    monkeypatch.chdir(checkout.parent)
    profile = Profile("p", "p", {"directory": str(checkout / "data")}, notebooks=("a",))
    run_all(profile, root=checkout)
    copy = chapters.executed(profile, checkout) / "a.ipynb"
    assert outputs(copy) == ["data\n"]
    assert states(run_all(profile, root=checkout)) == {"a": "fresh"}
    (checkout / "data" / "a").write_text("2")
    assert states(run_all(profile, root=checkout)) == {"a": "executed"}


def test_parameters_are_checked_before_anything_runs(checkout):
    with pytest.raises(InputError, match="parameter 'n' must be int"):
        run_all(Profile("p", "p", {"n": "five"}), root=checkout)
    assert not (checkout / "_build").exists()


def test_the_checkout_is_found_from_inside(checkout, tmp_path_factory):
    assert chapters.repository(checkout / "data") == checkout.resolve()
    with pytest.raises(InputError, match="not inside a checkout"):
        chapters.repository(tmp_path_factory.mktemp("elsewhere"))

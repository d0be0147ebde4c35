"""What training and harvest made becomes part of the package."""

from __future__ import annotations

import shutil
from pathlib import Path

from sheeplib import drafts
from sheeplib.corpora.meadow import pool
from sheeplib.errors import InputError, Problem
from sheeplib.miniatures.designs import DESIGNS
from sheeplib.models import shipped
from sheeplib.models.registry import entry

KEPT = (".json", ".jinja", ".safetensors")  # files of a checkpoint; no others belong there


def install(directory: Path, weights: Path | None = None, data: Path | None = None) -> list[Path]:
    """Put checkpoints and texts into the package, once all of them are there and whole.

    Parameters
    ----------
    directory : Path
        Where training and harvest left them: `models/<name>` and `data`.
    weights, data : Path, optional
        Where to put them; the places of the package if not given.

    Returns
    -------
    list of Path
        Directories and files that are new or have changed.

    Raises
    ------
    InputError
        If one is missing or not whole, before anything is put anywhere; or a place cannot be written.
    """
    weights, data = weights or shipped.WEIGHTS, data or pool.DATA
    sources = {name: directory / "models" / name for name in DESIGNS}
    _check(directory, sources)
    changed = []
    try:
        weights.mkdir(parents=True, exist_ok=True)
        data.mkdir(parents=True, exist_ok=True)
        for name, source in sources.items():
            files = {file.name: file.read_bytes() for file in _files(source)}
            if _differs(weights / name, files):
                shutil.rmtree(weights / name, ignore_errors=True)
                drafts.write_directory(weights / name, files)
                changed.append(weights / name)
        for name in (pool.ANSWERS, pool.CAPTIONS):
            content = (directory / "data" / name).read_bytes()
            if not (data / name).is_file() or (data / name).read_bytes() != content:
                drafts.write_file(data / name, content)
                changed.append(data / name)
    except OSError as error:
        what = f"cannot be written: {error.strerror or type(error).__name__}"
        remedy = "Install the package from a checkout, in a directory of yours: pip install -e ."
        raise InputError(Problem(what, remedy, path=error.filename or weights)) from None
    return changed


def _check(directory: Path, sources: dict[str, Path]) -> None:
    problems = []
    for name, source in sources.items():
        try:
            shipped.find(entry(name), directory=source)
        except InputError as error:
            problems += error.problems
    for read in (pool.answers, pool.captions):
        try:
            read(directory / "data")
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)


def _files(source: Path) -> list[Path]:
    return sorted(file for file in source.iterdir() if file.suffix in KEPT)


def _differs(place: Path, files: dict[str, bytes]) -> bool:
    if not place.is_dir():
        return True
    there = {file.name: file.read_bytes() for file in place.iterdir()}
    return there != files

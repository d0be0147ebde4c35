"""What training, harvest and measurement made becomes part of the package."""

from __future__ import annotations

import shutil
from pathlib import Path

from sheeplib import drafts
from sheeplib.corpora.meadow import pool
from sheeplib.errors import InputError, Problem
from sheeplib.miniatures import ability_tables, caches
from sheeplib.miniatures.annexes import Annexed, annex_of
from sheeplib.miniatures.designs import DESIGNS
from sheeplib.models import shipped
from sheeplib.models.registry import entry
from sheeplib.shards import HEADER, Shards

KEPT = (".json", ".jinja", ".safetensors")  # files of a checkpoint; no others belong there


def install(
    directory: Path,
    weights: Path | None = None,
    data: Path | None = None,
    features: Path | None = None,
    abilities: Path | None = None,
) -> list[Path]:
    """Put checkpoints, texts, features and abilities into the package, once all are there and whole.

    Parameters
    ----------
    directory : Path
        Where they were made: `models/<name>`, `data`, `features/<name>` and `abilities.parquet`.
    weights, data, features, abilities : Path, optional
        Where to put them (the last is a file); the places of the package if not given.

    Returns
    -------
    list of Path
        Directories and files that are new or have changed.

    Raises
    ------
    InputError
        If one is missing or not whole, or features or abilities are of other weights, before anything
        is put anywhere; or a place cannot be written.
    """
    weights, data, features = weights or shipped.WEIGHTS, data or pool.DATA, features or caches.FEATURES
    abilities = abilities or ability_tables.PLACE
    sources = {name: directory / "models" / name for name in DESIGNS}
    _check(directory, sources)
    changed = []
    try:
        weights.mkdir(parents=True, exist_ok=True)
        data.mkdir(parents=True, exist_ok=True)
        for name, source in sources.items():
            content = {file.name: file.read_bytes() for file in _files(source)}
            if _differs(weights / name, content):
                shutil.rmtree(weights / name, ignore_errors=True)
                drafts.write_directory(weights / name, content)
                changed.append(weights / name)
        files = {
            data / name: directory / "data" / name for name in (pool.ANSWERS, pool.CAPTIONS, pool.LETTERS)
        }
        for place, made in (files | {abilities: directory / ability_tables.FILE}).items():
            if not place.is_file() or place.read_bytes() != made.read_bytes():
                drafts.write_file(place, made.read_bytes())
                changed.append(place)
        for name in caches.CACHES:
            store = caches.open_cache(name, directory / "features")
            changed += _cached(store.shards, features / name)
            if isinstance(store, Annexed):
                changed += _cached(store.annex, annex_of(features / name))
    except OSError as error:
        what = f"cannot be written: {error.strerror or type(error).__name__}"
        remedy = "Install the package from a checkout, in a directory of yours: pip install -e ."
        raise InputError(Problem(what, remedy, path=error.filename or weights)) from None
    return changed


def _check(directory: Path, sources: dict[str, Path]) -> None:
    problems, revisions = [], {}
    for name, source in sources.items():
        try:
            revisions[name] = shipped.find(entry(name), directory=source).revision
        except InputError as error:
            problems += error.problems
    for read in (pool.answers, pool.captions, pool.letters):
        try:
            read(directory / "data")
        except InputError as error:
            problems += error.problems
    for name, cache in caches.CACHES.items():
        try:
            store = caches.open_cache(name, directory / "features")
        except InputError as error:
            problems += error.problems
            continue
        problems += store.verify()
        if store.header["revision"] != revisions.get(cache.evaluator):
            what, remedy = f"features {name} are of other weights", "Make them again: sheep meadow features"
            problems.append(Problem(what, remedy, path=store.path))
    problems += ability_tables.complaints(directory / ability_tables.FILE, revisions)
    if problems:
        raise InputError(problems)


def _cached(source: Shards, place: Path) -> list[Path]:
    """Put a store of features into a directory, where it is the only one; gives it if that changed it."""
    shards = Shards(place, source.header, source.parts)
    files = [source.read(index) for index in range(source.count)]
    headers = [source.path(index).name + "/" + HEADER for index in range(source.count)]
    if all(_same(source.home / name, shards.home / name) for name in headers) and not shards.verify():
        return []
    shutil.rmtree(place, ignore_errors=True)
    for index, paths in enumerate(files):
        shards.write(index, {name: path.read_bytes() for name, path in paths.items()})
    return [shards.home]


def _same(one: Path, other: Path) -> bool:
    return other.is_file() and one.read_bytes() == other.read_bytes()


def _files(source: Path) -> list[Path]:
    return sorted(file for file in source.iterdir() if file.suffix in KEPT)


def _differs(place: Path, files: dict[str, bytes]) -> bool:
    if not place.is_dir():
        return True
    there = {file.name: file.read_bytes() for file in place.iterdir()}
    return there != files

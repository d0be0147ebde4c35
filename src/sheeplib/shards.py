"""Work in shards on disk: each appears whole or not at all, and is checked when it is read.

A run is one piece of work, cut into parts. It lives in a directory named by its key, a digest of all
that determines its bytes, so that other settings never meet in one place:

    ROOT/3f1c0a9be2d47705/run.json                       what was asked, and the items of each part
    ROOT/3f1c0a9be2d47705/shard-0007-of-0036/header.json  the same for one part, and a digest of each file
    ROOT/3f1c0a9be2d47705/shard-0007-of-0036/...          the files

No file holds a time, a host or a path: the same work gives the same bytes, whoever does it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sheeplib import drafts, manifests
from sheeplib.errors import InputError, Problem

FORMAT = 1  # of the files described above; part of every key
RUN, HEADER = "run.json", manifests.NAME
_SHARD = re.compile(r"shard-(\d{4,})-of-(\d{4,})")
_KEY = re.compile("[0-9a-f]{16}")
# What it means if a shard's header is not as the run expects, the telling ones first.
_STRANGE = {
    "format": "shard of another version of the package",
    "key": "shard of another run",
    "shards": "shard of a run cut into another number of shards",
    "shard": "shard in the wrong place",
    "items": "shard of other items",
    "header": "header was altered",
}


@dataclass(frozen=True, eq=False)
class Shards:
    """The shards of one run: those that are there, and those to come.

    Nothing is read or written before it is asked for.

    Parameters
    ----------
    directory : Path
        Where runs live; this one in the folder `key`.
    header : mapping of str to JSON values
        All that determines the bytes of the files, beside the items.
    parts : sequence of sequences of str
        Identifiers of the items of each shard. They never become names of files.

    Raises
    ------
    InputError
        If the header is not JSON.
    """

    directory: Path
    header: Mapping[str, Any]
    parts: Sequence[Sequence[str]]

    def __post_init__(self) -> None:
        try:  # tuples become lists, and so on: what is compared later is what a file gives back
            header = json.loads(manifests.canonical(self.header))
        except (TypeError, ValueError) as error:
            raise InputError(Problem(f"header of a run is no JSON: {error}")) from None
        object.__setattr__(self, "directory", Path(self.directory))
        object.__setattr__(self, "header", header)
        object.__setattr__(self, "parts", tuple(tuple(str(item) for item in part) for part in self.parts))

    @classmethod
    def open(cls, path: str | Path) -> Shards:
        """The run in a directory, as its `run.json` says.

        Raises
        ------
        InputError
            If there is no run, or `run.json` was altered.
        """
        path = Path(os.path.abspath(path))
        if not (path / RUN).exists():
            what = "no run is kept in this directory"
            raise InputError(Problem(what, f"Choose one that holds a file {RUN}", path=path))
        facts = manifests.read(path / RUN, {"format", "header", "key", "parts"})
        whole = isinstance(facts["header"], dict) and _are_texts(facts["parts"])
        shards = cls(path.parent, facts["header"], facts["parts"]) if whole else None
        if shards is None or facts["format"] != FORMAT or shards.key != facts["key"]:
            raise InputError(manifests.altered(path / RUN, "content does not fit its key"))
        if path.name != shards.key:
            what, remedy = "a run's directory is named by its key", f"Rename it to {shards.key}"
            raise InputError(Problem(what, remedy, path=path))
        return shards

    @classmethod
    def find(cls, directory: str | Path) -> list[Shards]:
        """All runs in a directory, by key; none if there is no such directory.

        Raises
        ------
        InputError
            Naming each run whose `run.json` was altered.
        """
        found, problems = [], []
        for path in sorted(Path(directory).glob(f"*/{RUN}")):
            if _KEY.fullmatch(path.parent.name):
                try:
                    found.append(cls.open(path.parent))
                except InputError as error:
                    problems += error.problems
        if problems:
            raise InputError(problems)
        return found

    @cached_property
    def key(self) -> str:
        """First 16 hexadecimal digits of the SHA-256 of header and items."""
        text = manifests.canonical({"format": FORMAT, "header": self.header, "parts": self.parts})
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def home(self) -> Path:
        """The directory of this run."""
        return self.directory / self.key

    @property
    def count(self) -> int:
        """Number of shards, whether there or not."""
        return len(self.parts)

    def path(self, index: int) -> Path:
        """Directory of a shard; `index` counts from 0, names from 1."""
        if not 0 <= index < self.count:
            raise IndexError(f"no shard {index}: there are {self.count}")
        return self.home / f"shard-{index + 1:04}-of-{self.count:04}"

    def missing(self) -> list[int]:
        """Indices of the shards still to be made. A shard that is there is complete."""
        there = set(os.listdir(self.home)) if self.home.is_dir() else set()
        return [index for index in range(self.count) if self.path(index).name not in there]

    @property
    def complete(self) -> bool:
        """Whether no shard is missing."""
        return not self.missing()

    def prepare(self) -> None:
        """Write down what is to be done, unless that has been; `write` does so by itself.

        Raises
        ------
        InputError
            If nothing can be written there, or what is there was altered.
        """
        with _writing(self.home):
            self.home.mkdir(parents=True, exist_ok=True)
            if not os.path.lexists(self.home / RUN):
                drafts.write_file(self.home / RUN, self._run)
        if problems := self._problems_of_run():
            raise InputError(problems)

    def write(self, index: int, files: Mapping[str, bytes]) -> Path:
        """Write a shard, unless it is there.

        The files go to a draft that is renamed when all of them are on the disk. Of two writers of one
        shard the second finds it there, verifies it and leaves it as it is.

        Parameters
        ----------
        index : int
        files : mapping of str to bytes
            Contents by name.

        Returns
        -------
        Path
            The shard's directory.

        Raises
        ------
        InputError
            If nothing can be written there, or what is there already is not this shard.
        """
        path = self.path(index)
        if odd := [name for name in files if not manifests.is_name(name)]:
            raise InputError(Problem("no name for a file", "Use a-z, 0-9, '_', '.' and '-'", value=odd[0]))
        self.prepare()
        with _writing(path):
            drafts.sweep(self.home)
            content = {**files, HEADER: manifests.rendered(self._header_of(index, files))}
            if os.path.lexists(path) or not drafts.write_directory(path, content):
                self.read(index)
        return path

    def read(self, index: int, *names: str) -> dict[str, Path]:
        """The verified files of a shard.

        Parameters
        ----------
        index : int
        *names : str
            Files to verify to the last byte and to give; all of them if none is named. That the others
            are there, in the right size, is verified anyhow.

        Raises
        ------
        InputError
            If the shard is not there, not this one, or not as it was written.
        """
        path = self.path(index)
        if not os.path.lexists(path):
            raise InputError(Problem("shard is missing", "Run again: finished shards are kept", path=path))
        if problems := list(self._problems_of(index, names)):
            raise InputError(problems)
        return {name: path / name for name in sorted(names or set(os.listdir(path)) - {HEADER})}

    def verify(self) -> list[Problem]:
        """Everything wrong with what is there; a shard that is missing is not wrong.

        Returns
        -------
        list of Problem
            Files altered, cut short, missing or added; shards of other runs, places, items or counts.
        """
        if not self.home.is_dir():
            return []
        problems = self._problems_of_run()
        missing, names = set(self.missing()), {self.path(index).name for index in range(self.count)}
        for index in range(self.count):
            if index not in missing:
                problems += self._problems_of(index)
        for entry in sorted(set(os.listdir(self.home)) - names - {RUN}):
            if not drafts.is_draft(entry):
                what = (
                    "shard of another number of shards" if _SHARD.fullmatch(entry) else "no part of the run"
                )
                problems.append(Problem(what, "Move it away or delete it", path=self.home / entry))
        return problems

    def _header_of(self, index: int, files: Mapping[str, bytes]) -> dict[str, Any]:
        return {**self._expected(index), "files": manifests.notes(files)}

    def _expected(self, index: int) -> dict[str, Any]:
        shard = {"shard": index + 1, "shards": self.count, "items": list(self.parts[index])}
        return {"format": FORMAT, "key": self.key, "header": self.header, **shard}

    @property
    def _run(self) -> bytes:
        facts = {"format": FORMAT, "header": self.header, "key": self.key, "parts": self.parts}
        return manifests.rendered(facts)

    def _problems_of_run(self) -> list[Problem]:
        path = self.home / RUN
        whole = manifests.is_file(path) and path.read_bytes() == self._run
        return [] if whole else [manifests.altered(path, "missing, or not what was written")]

    def _problems_of(self, index: int, names: Sequence[str] = ()) -> Iterator[Problem]:
        path = self.path(index)
        if path.is_symlink() or not path.is_dir():
            yield manifests.altered(path, "no directory, or a link to one")
            return
        try:
            facts = manifests.read(path / HEADER, {*self._expected(index), "files"})
        except InputError as error:
            yield from error.problems
            return
        expected = self._expected(index)
        for field, what in _STRANGE.items():
            if manifests.canonical(facts[field]) != manifests.canonical(expected[field]):
                yield manifests.altered(path / HEADER, what, field)
                return  # the rest would only follow from this
        yield from manifests.problems(path, facts["files"], names)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        remedy = "Free space, change permissions or choose another directory; finished shards are kept"
        raise InputError(Problem(f"cannot be written: {reason}", remedy, path=path)) from None


def _are_texts(parts: Any) -> bool:
    return isinstance(parts, list) and all(
        isinstance(part, list) and all(isinstance(item, str) for item in part) for part in parts
    )

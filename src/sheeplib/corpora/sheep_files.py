"""Files of SHEEP: where they lie in a directory, a zip or by themselves. Nothing is extracted."""

from __future__ import annotations

import io
import json
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from sheeplib.errors import InputError, Problem
from sheeplib.jsonl import scan_jsonl, scan_lines

NAME = re.compile(r"shroom-vision\.(train|test|val)\.([a-z]{2})\.(labeled|unlabeled)\.jsonl")
FORM = "shroom-vision.{train,test}.{language}.{labeled,unlabeled}.jsonl"
LARGEST_MEMBER = 512 * 2**20  # bytes unpacked; the largest real file has about 10 MB
# What the standard library raises, depending on which bytes of an archive are wrong.
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, EOFError, RuntimeError, ValueError, struct.error
)  # fmt: skip


@dataclass(frozen=True)
class Source:
    """One file of records.

    Parameters
    ----------
    name : str
        For messages.
    path : Path
        The file, or the zip that it is in.
    member : str, optional
        Name inside the zip.
    split, language, kind : str, optional
        As the name says, or None if it does not.
    """

    name: str
    path: Path
    member: str | None = None
    split: str | None = None
    language: str | None = None
    kind: str | None = None

    def records(self) -> Iterator[tuple[int, dict[str, Any] | Problem]]:
        """Line number and record of each line, or what is wrong with the line.

        In a JSON file that is one record or a list of them, records are counted instead.
        """
        if self.member is not None:
            yield from scan_lines(io.BytesIO(_unpacked(self.path, self.member)), self.name)
        elif self.path.suffix == ".json":
            yield from _whole(self.path)
        else:
            yield from scan_jsonl(self.path)


def find(place: Path, split: str | None = None, languages: Sequence[str] | None = None) -> list[Source]:
    """Files of records in a directory or zip, at any depth, or the one file given.

    A file given by itself may have any name; where that does not say split and language, its records
    have to be looked at. Of a split and language that is there both labelled and unlabelled, the labelled
    file is taken. Members of a zip that would lie outside of it are passed over.

    Raises
    ------
    InputError
        If there are none, a language or split is not there, or the zip is damaged.
    """
    if place.is_dir():
        found = [_named(path, path.name) for path in sorted(place.rglob("shroom-vision.*.jsonl"))]
    elif place.is_file() and place.suffix in (".json", ".jsonl"):
        named = _named(place, place.name)
        if named is None:
            return [Source(str(place), place)]
        found = [named]
    elif place.is_file():
        found = [_named(place, member) for member in _members(place)]
    else:
        raise InputError(Problem("no such file or directory", "Check the path", place))
    sources = [source for source in found if source]
    if not sources:
        raise InputError(Problem("no SHEEP data here", f"Expected files like {FORM}", place))
    return _chosen(sources, place, split, languages)


def _chosen(
    sources: list[Source], place: Path, split: str | None, languages: Sequence[str] | None
) -> list[Source]:
    best: dict[tuple[str | None, str | None], Source] = {}
    for source in sources:
        key = (source.split, source.language)
        other = best.get(key)
        if other is not None and other.kind == source.kind:
            what = f"{source.split} {source.language} is there twice: {other.name} and {source.name}"
            raise InputError(Problem(what, "Keep one of the files", place))
        if other is None or source.kind == "labeled":
            best[key] = source
    kept = [
        source
        for source in best.values()
        if split in (None, source.split) and (languages is None or source.language in languages)
    ]
    absent = sorted(set(languages or ()) - {source.language for source in kept})
    if absent or not kept:
        there = ", ".join(sorted(f"{s.split} {s.language}" for s in best.values()))
        what = f"no data for {split or 'any split'}{' in ' + ', '.join(absent) if absent else ''}"
        raise InputError(Problem(what, f"There are: {there}", place))
    return kept


def _named(path: Path, name: str) -> Source | None:
    parts = NAME.fullmatch(PurePosixPath(name).name)
    if parts is None:
        return None
    inside = path.is_file() and name != path.name
    shown = f"{path}/{name}" if inside else str(path)
    return Source(shown, path, name if inside else None, *parts.groups())


def _members(path: Path) -> list[str]:
    try:
        with zipfile.ZipFile(path) as archive:
            return sorted(name for name in archive.namelist() if _inside(PurePosixPath(name)))
    except _DAMAGED as error:
        remedy = "Give a directory, a zip, or a .jsonl file; download the zip again if it is damaged"
        raise InputError(Problem(f"not a readable zip: {error}", remedy, path)) from None


def _inside(member: PurePosixPath) -> bool:
    return not member.is_absolute() and ".." not in member.parts


def _unpacked(path: Path, member: str) -> bytes:
    try:
        with zipfile.ZipFile(path) as archive, archive.open(member) as file:
            content = file.read(LARGEST_MEMBER + 1)  # what the archive claims about sizes is not trusted
    except _DAMAGED as error:
        what = f"{member} cannot be unpacked: {error}"
        remedy = "Download the zip again, or unpack it yourself"
        raise InputError(Problem(what, remedy, path)) from None
    if len(content) > LARGEST_MEMBER:
        what = f"{member} unpacks to more than {LARGEST_MEMBER // 2**20} MiB"
        raise InputError(Problem(what, "This is no SHEEP data", path))
    return content


def _whole(path: Path) -> Iterator[tuple[int, dict[str, Any] | Problem]]:
    """A JSON file with one record, or a list of records."""
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
        records = content if isinstance(content, list) else [content]
        lines = [json.dumps(record).encode() for record in records]
    except (OSError, ValueError, RecursionError) as error:
        remedy = "Give one record or a list of records, in UTF-8"
        raise InputError(Problem(f"not a readable JSON file: {error}", remedy, path)) from None
    # as lines, so that the same things are wrong here as there: NaN, half a surrogate pair, no object
    yield from scan_lines(lines, path)

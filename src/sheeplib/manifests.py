"""What a directory of files should hold, written down beside them, and whether it does."""

from __future__ import annotations

import hashlib
import json
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sheeplib.errors import InputError, Problem

NAME = "header.json"  # of the file that holds the notes about the others
AGAIN = "Delete it and run again: it will be made anew"
_FILE = re.compile("[a-z0-9][a-z0-9_.-]*")  # no folders, nothing hidden, no capitals, which some disks fold


def canonical(value: Any) -> str:
    """JSON of a value in one spelling, whatever the order of keys; ASCII, so that any text has one."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def rendered(facts: Mapping[str, Any]) -> bytes:
    """JSON of some facts as a file that people read; equal facts give equal bytes."""
    return (json.dumps(facts, sort_keys=True, indent=1, allow_nan=False) + "\n").encode()


def read(path: Path, fields: Iterable[str]) -> dict[str, Any]:
    """Read a JSON object that should have these fields and no others.

    Raises
    ------
    InputError
        If it is something else.
    """
    if not is_file(path):
        raise InputError(altered(path, "missing, or no plain file"))
    try:
        facts = json.loads(path.read_bytes(), parse_constant=_refuse)
    except (ValueError, RecursionError):  # text that is no UTF-8 is a ValueError
        raise InputError(altered(path, "cut short or altered: no JSON")) from None
    except OSError as error:
        raise InputError(
            Problem(f"cannot be read: {error.strerror}", "Change permissions", path=path)
        ) from None
    if not isinstance(facts, dict):
        raise InputError(altered(path, "altered: no JSON object"))
    if strange := sorted(set(facts) ^ set(fields)):
        what = ("field is missing", "unknown field")
        raise InputError([altered(path, what[field in facts], field) for field in strange])
    return facts


def altered(path: Path, what: str, field: str | None = None) -> Problem:
    """A problem for which there is but one remedy."""
    return Problem(what, AGAIN, path=path, field=field)


def is_file(path: Path) -> bool:
    """Whether a path is a plain file: a link could lead anywhere, and a pipe would never end."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def is_name(name: str) -> bool:
    """Whether a file of a directory with notes may have this name."""
    return bool(_FILE.fullmatch(name)) and name != NAME


def notes(files: Mapping[str, bytes]) -> dict[str, dict[str, Any]]:
    """Digest and size of each file, by name."""
    return {
        name: {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
        for name, content in files.items()
    }


def problems(directory: Path, noted: Any, names: Sequence[str] = ()) -> Iterator[Problem]:
    """Where the files of a directory differ from their notes.

    Parameters
    ----------
    directory : Path
    noted : mapping
        What `notes` gave, as it was read from the file `NAME`.
    names : sequence of str
        Files whose content is compared, too; all of them if there is none. Sizes always are.
    """
    if not isinstance(noted, dict) or not all(map(_is_note, noted.items())):
        yield altered(directory / NAME, "list of files was altered", "files")
        return
    for name in sorted({*noted, *names}):
        file = directory / name
        if name not in noted or not is_file(file):
            yield altered(file, "missing, or no plain file")
        elif (size := file.stat().st_size) != (due := noted[name]["size"]):
            yield altered(file, f"{size} bytes instead of {due}: cut short or altered")
        elif (not names or name in names) and _digest(file) != noted[name]["sha256"]:
            yield altered(file, "altered: its SHA-256 differs")
    for extra in sorted({entry.name for entry in directory.iterdir()} - {*noted, NAME}):
        yield Problem("no file of this shard", "Move it away or delete it", path=directory / extra)


def _digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_note(entry: tuple[str, Any]) -> bool:
    name, note = entry
    return is_name(name) and isinstance(note, dict) and set(note) == {"sha256", "size"}


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")

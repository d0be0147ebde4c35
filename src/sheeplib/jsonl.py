"""JSON Lines read with care: what is wrong is said with file and line, and nothing is guessed.

A line ends at a line feed and nowhere else, so that U+2028, U+0085 and the like may stand inside
strings; a carriage return before it and a byte order mark at the start of the file are ignored.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, NoReturn

from sheeplib.errors import InputError, Problem

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
Blank = Literal["skip", "error"]


def jsonl_files(path: str | Path) -> list[Path]:
    """The file itself, or the `.jsonl` files that lie directly in a directory, by name.

    Raises
    ------
    InputError
        If there is no such file or directory. A directory without such files gives an empty list.
    """
    path = Path(path)
    if path.is_dir():
        found = (file for file in path.glob("*.jsonl") if file.is_file() and not file.name.startswith("."))
        return sorted(found)
    if not path.exists():
        raise InputError(Problem("no such file or directory", "Check the path", path=path))
    return [path]


def read_jsonl(
    path: str | Path, blank: Blank = "skip", constants: bool = False
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read a JSON Lines file of objects, up to the first line that is not one.

    Parameters
    ----------
    path : str or Path
        UTF-8 text, one JSON object a line.
    blank : {"skip", "error"}
        Whether lines without content are passed over or are wrong.
    constants : bool
        Whether `NaN` and `Infinity`, which are not JSON, are read as numbers or are wrong.

    Yields
    ------
    int, dict
        Number of the line, from 1, and its record.

    Raises
    ------
    InputError
        Naming file, line and remedy: unreadable file, text that is not UTF-8, invalid JSON, a number
        or a nesting too large to read, a key given twice in one object, half of a surrogate pair,
        something else than an object.
    """
    for line, record in scan_jsonl(path, blank, constants):
        if isinstance(record, Problem):
            raise InputError(record)
        yield line, record


def scan_jsonl(
    path: str | Path, blank: Blank = "skip", constants: bool = False
) -> Iterator[tuple[int, dict[str, Any] | Problem]]:
    """As `read_jsonl`, but a line that is wrong is given as a `Problem` and reading goes on.

    Raises
    ------
    InputError
        If the file cannot be read at all.
    """
    try:
        with open(path, "rb") as file:
            yield from scan_lines(file, path, blank, constants)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(Problem(f"cannot be read: {reason}", "Give a readable file", path=path)) from None


def scan_lines(
    lines: Iterable[bytes], path: str | Path, blank: Blank = "skip", constants: bool = False
) -> Iterator[tuple[int, dict[str, Any] | Problem]]:
    """As `scan_jsonl`, for lines that come from elsewhere, such as a member of an archive.

    Parameters
    ----------
    lines : iterable of bytes
        Each up to and with its line feed.
    path : str or Path
        Name for messages.
    """
    decoder = _TOLERANT if constants else _STRICT
    for number, line in enumerate(lines, start=1):
        if number == 1:
            line = line.removeprefix(BYTE_ORDER_MARK)
        if line.strip():
            yield number, _record(line, decoder, path, number)
        elif blank == "error":
            yield number, Problem("empty line", "Remove it", path=path, line=number)


def _record(
    line: bytes, decoder: json.JSONDecoder, path: str | Path, number: int
) -> dict[str, Any] | Problem:
    what, remedy = "invalid JSON", "Each line must be one complete JSON object"
    try:
        text = line.rstrip(b"\r\n").decode("utf-8")
        record = decoder.decode(text)
        if "\\u" in text:  # escapes are the only way for half a surrogate pair to get in
            json.dumps(record, ensure_ascii=False).encode("utf-8")
        if isinstance(record, dict):
            return record
        what = f"the line holds a JSON {_KINDS[type(record)]}, not an object"
    except UnicodeDecodeError as error:
        what, remedy = f"byte {error.start + 1} of the line is not UTF-8", "Save the file as UTF-8"
    except UnicodeEncodeError:
        what, remedy = "half of a surrogate pair", "Write the character itself, or both halves"
    except json.JSONDecodeError as error:
        what = f"invalid JSON at character {error.pos + 1}: {error.msg}"
    except _Refused as error:
        what, remedy = error.args
    except RecursionError:
        what, remedy = "objects or lists nested too deeply", "Records need no more than a few levels"
    except ValueError:  # the interpreter's limit on the digits of an integer
        what, remedy = "a whole number with too many digits", "Offsets are small whole numbers"
    return Problem(what, remedy, path=path, line=number)


_KINDS = {list: "list", str: "string", int: "number", float: "number", bool: "boolean", type(None): "null"}


class _Refused(Exception):
    """Valid for Python's decoder, but not to be relied on: what and remedy."""


def _refuse_constant(name: str) -> NoReturn:
    raise _Refused(f"{name} is not JSON", "Write a finite number, or leave the field out")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise _Refused(f"key {twice!r} is given twice in one object", "Keep one of them")
    return record


_STRICT = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse_constant)
_TOLERANT = json.JSONDecoder(object_pairs_hook=_unique)

"""Files and directories that appear whole or not at all, though a writer may be killed at any moment.

A draft lies beside what it will become, is put on the disk, and is then renamed. Its name says who writes
it, so that others clear it away when that process is gone, and never while it is at work.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

OLD = 7 * 24 * 3600  # seconds: no writer takes that long
_DRAFT = re.compile(r"\..+\.([0-9a-f]{8})-(\d+)-[0-9a-f]{8}\.draft")


def write_file(path: Path, content: bytes) -> None:
    """Write a file whole, in place of what was there.

    Raises
    ------
    OSError
        If it cannot be written. What was there is still there.
    """
    with replacing(path) as draft:
        draft.write_bytes(content)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give the path of a draft to write a file to, and put the file in place at the end of the block.

    Raises
    ------
    OSError
        If it cannot be put there. After this or any other error, what was there is still there.
    """
    draft = draft_of(path)
    try:
        yield draft
        _settle(draft)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    _settle(path.parent)


def write_directory(path: Path, files: Mapping[str, bytes]) -> bool:
    """Write a directory of files whole, unless something of that name is there.

    Returns
    -------
    bool
        False if another writer was first; what was there is still there.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    draft = draft_of(path)
    draft.mkdir()
    try:
        for name, content in files.items():
            (draft / name).write_bytes(content)
            _settle(draft / name)
        _settle(draft)
        try:
            os.rename(draft, path)
        except OSError:
            if os.path.lexists(path):
                return False
            raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    _settle(path.parent)
    return True


def is_draft(name: str) -> bool:
    """Whether a name is that of a draft."""
    return _DRAFT.fullmatch(name) is not None


def sweep(directory: Path) -> None:
    """Remove what processes left that were killed; what a live one is writing stays.

    Whether a process of another machine lives cannot be known: its drafts stay until they are old.
    """
    for name in os.listdir(directory):
        path = directory / name
        if (draft := _DRAFT.fullmatch(name)) and _is_left(path, draft[1], int(draft[2])):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)  # another process may be sweeping, too
            else:
                path.unlink(missing_ok=True)


def draft_of(path: Path) -> Path:
    """Where this process writes what is to become `path`; `sweep` removes it if the process is killed."""
    return path.with_name(f".{path.name}.{_origin()}-{os.getpid()}-{secrets.token_hex(4)}.draft")


def _is_left(path: Path, origin: str, process: int) -> bool:
    if origin == _origin() and os.name == "posix":  # elsewhere, asking after a process may end it
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        except (PermissionError, OverflowError):
            pass  # somebody else's
    try:
        return time.time() - path.lstat().st_mtime > OLD
    except FileNotFoundError:
        return False


@cache
def _origin() -> str:
    """Digest of the machine, its last start and the container: where a process number means the same."""
    facts = [socket.gethostname()]
    with suppress(OSError):  # no Linux
        facts += [
            Path("/proc/sys/kernel/random/boot_id").read_text("ascii"),
            os.readlink("/proc/self/ns/pid"),
        ]
    return hashlib.sha256("\n".join(facts).encode("utf-8", "surrogateescape")).hexdigest()[:8]


def _settle(path: Path) -> None:
    """Put a file, or the names in a directory, on the disk."""
    if path.is_dir() and os.name != "posix":  # Windows cannot open directories
        return
    place = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(place)
    finally:
        os.close(place)

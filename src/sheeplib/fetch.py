"""Corpora from their official addresses: resumed when cut short, verified at each use, unpacked with care.

The data belong to those who made them: SHEEP, with its images, is CC BY-NC, so use it for no commercial
purpose and name its authors. Nothing here gives it on to anybody.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sheeplib.archives import DRAFT, looks_right, stem_of, unpack
from sheeplib.downloads import BY_HAND, Sleep, check_address, download
from sheeplib.errors import InputError, Problem

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

# SHROOM-visions: labelled training data and unlabelled test data; the images of both.
SOURCES = {
    "sheep": {
        "data": "https://a3s.fi/mickusti-2007780-pub/shroom-visions-data.zip",
        "images": "https://a3s.fi/mickusti-2007780-pub/shroom-visions-images.tar.gz",
    }
}


def fetch(
    corpus: str,
    parts: Sequence[str] = ("data",),
    directory: Path | None = None,
    base: str | None = None,
    *,
    sleep: Sleep = time.sleep,
) -> dict[str, Path]:
    """Download parts of a corpus, unless they are here already, and unpack them.

    The SHA-256 of an archive is noted beside it (`NAME.sha256`, as sha256sum writes it) when it is first
    unpacked, and compared at each later use and with each later download. An archive put into the
    directory by hand is used as it is. Once unpacked, an archive may be removed to save space.
    Several processes may fetch at once: one works and the others wait for it.

    Parameters
    ----------
    corpus : str
        A key of `SOURCES`. SHEEP is CC BY-NC.
    parts : sequence of str
        Keys of `SOURCES[corpus]`.
    directory : Path, optional
        Where archives and folders go; by default the corpus's own folder in `cache_directory()`.
    base : str, optional
        Address of a mirror that has files of the same names, instead of the official address;
        by default the environment variable `SHEEP_MIRROR`, where it is set.
    sleep : callable
        Waits the seconds given.

    Returns
    -------
    dict of str to Path
        The unpacked folder of each part.

    Raises
    ------
    InputError
        If the corpus or a part is unknown, the address cannot be used or reached or answers wrongly,
        an archive is not the one fetched before or cannot be unpacked safely, or nothing can be
        written. What was there before is kept, and what was downloaded in part is resumed next time.
    """
    parts = [parts] if isinstance(parts, str) else list(parts)
    _check_known(corpus, parts)
    addresses = {part: _address(corpus, part, base) for part in parts}
    directory = cache_directory() / corpus if directory is None else Path(directory)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        return {part: _part(address, directory, sleep) for part, address in addresses.items()}
    except OSError as error:
        reason = error.strerror or type(error).__name__
        remedy = "Free space, change permissions, or pass another --directory"
        raise InputError(
            Problem(f"cannot be read or written: {reason}", remedy, path=error.filename or directory)
        ) from None


def cache_directory() -> Path:
    """`$SHEEP_CACHE`, else `$XDG_CACHE_HOME/sheeplib`, else `~/.cache/sheeplib`; it need not exist.

    Raises
    ------
    InputError
        If there is no home directory.
    """
    try:
        if own := os.environ.get("SHEEP_CACHE"):
            return Path(own).expanduser()
        shared = os.environ.get("XDG_CACHE_HOME", "")
        # The XDG specification wants relative paths ignored.
        return (Path(shared) if os.path.isabs(shared) else Path.home() / ".cache") / "sheeplib"
    except RuntimeError:
        raise InputError(Problem("no home directory for the cache", "Set SHEEP_CACHE")) from None


def _check_known(corpus: str, parts: Sequence[str]) -> None:
    if corpus not in SOURCES:
        raise InputError(Problem(f"nothing to fetch for corpus '{corpus}'", f"Known: {', '.join(SOURCES)}"))
    known = ", ".join(SOURCES[corpus])
    unknown = [part for part in parts if part not in SOURCES[corpus]]
    if not parts:
        raise InputError(Problem(f"no part of corpus '{corpus}' to fetch", f"Known: {known}"))
    if unknown:
        raise InputError(
            [Problem(f"corpus '{corpus}' has no part '{p}'", f"Known: {known}") for p in unknown]
        )


def _address(corpus: str, part: str, base: str | None) -> str:
    official = SOURCES[corpus][part]
    base = base or os.environ.get("SHEEP_MIRROR")
    address = f"{base.rstrip('/')}/{official.rpartition('/')[2]}" if base else official
    check_address(address)
    return address


def _part(address: str, directory: Path, sleep: Sleep) -> Path:
    archive = directory / address.rpartition("/")[2]
    folder = directory / stem_of(archive.name)
    if _ready(archive, folder):  # needs no lock, so that a cache that cannot be written to will do
        return folder
    with _locked(directory / f".{archive.name}.lock"):
        if _ready(archive, folder):  # another process was at it meanwhile
            return folder
        for left in directory.glob(f".{folder.name}.*{DRAFT}"):  # by a process that was killed
            shutil.rmtree(left)
        if not archive.exists():
            download(address, archive, lambda draft: _accept(draft, archive, address), sleep)
        unpack(archive, folder)
        if not _note(archive).exists():
            draft = archive.with_name(f"{archive.name}.sha256.part")
            draft.write_text(f"{_digest(archive)}  {archive.name}\n", "utf-8", newline="\n")
            os.replace(draft, _note(archive))
    return folder


def _ready(archive: Path, folder: Path) -> bool:
    """Whether nothing is left to do; an archive that has changed is an error."""
    if not archive.exists():
        return folder.is_dir()
    remedy = (
        f"Remove it to fetch it again. If the change is meant, remove {_note(archive).name} and {folder.name}"
    )
    return _verified(archive, archive, "this is", remedy) and folder.is_dir()


def _accept(draft: Path, archive: Path, address: str) -> None:
    """Refuse a complete download that cannot be what was wanted."""
    if not looks_right(draft, archive.name):
        what = f"{address} gave something that is no archive, such as the login page of a network"
        raise InputError(Problem(what, f"Try again elsewhere, or {BY_HAND}", path=archive))
    remedy = f"It was not kept. If the corpus was published anew, remove {_note(archive).name} to accept it"
    _verified(draft, archive, f"{address} gave what is", remedy)


def _verified(file: Path, archive: Path, this: str, remedy: str) -> bool:
    """Compare a file with the checksum noted for an archive; False if none is noted."""
    if not _note(archive).exists():
        return False
    found, noted = _digest(file), _note(archive).read_text("utf-8", "replace").partition(" ")[0]
    if found != noted:
        what = f"{this} not the file fetched first: its SHA-256 is {found}, and {noted[:64]!r} was noted"
        raise InputError(Problem(what, remedy, path=archive))
    return True


def _digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _note(archive: Path) -> Path:
    return archive.with_name(archive.name + ".sha256")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Keep other processes out; the system lifts the lock if this one dies, and the file stays."""
    with open(path, "ab") as file:
        if sys.platform == "win32":
            file.seek(0)
            while True:  # msvcrt gives up after ten seconds
                try:
                    msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
                    break
                except OSError as error:
                    if error.errno != errno.EDEADLOCK:
                        raise
        else:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield

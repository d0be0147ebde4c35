"""Archives from elsewhere, unpacked so that nothing leaves the folder, and the whole folder or none of it."""

from __future__ import annotations

import gzip
import lzma
import os
import re
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, NoReturn

from sheeplib.errors import InputError, Problem

# Far above any corpus of the two papers, far below what would harm a machine.
MAX_MEMBERS = 200_000  # files and folders in one archive
MAX_BYTES = 32 * 2**30  # uncompressed, all files of one archive together
MAX_READ = 2**24  # bytes that a tar may make us hold at once: its long names are read whole
CHUNK = 2**20  # bytes copied at a time

DRAFT = ".draft"  # end of the names of unfinished folders, which begin with a full stop
_OPENINGS = {".zip": b"PK", ".tar.gz": b"\x1f\x8b", ".tgz": b"\x1f\x8b"}
_BROKEN = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, ValueError, RuntimeError,
    OSError,
)  # fmt: skip
_UNWRITABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


def stem_of(name: str) -> str:
    """Name of an archive without its ending: the name of its folder.

    Raises
    ------
    InputError
        If the ending is not that of a zip or of a compressed tar.
    """
    return name.removesuffix(_ending(name))


def looks_right(path: Path, name: str) -> bool:
    """Whether a file begins as an archive of this name must; a page of a login screen does not."""
    with open(path, "rb") as file:
        return file.read(2) == _OPENINGS[_ending(name)]


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack a zip or a compressed tar into a folder that appears only when it is complete.

    Parameters
    ----------
    archive : Path
        A `.zip`, `.tar.gz` or `.tgz` file; it is not trusted.
    folder : Path
        Where to; its parent exists. A folder that is there already is taken as complete.

    Returns
    -------
    Path
        `folder`.

    Raises
    ------
    InputError
        If the archive is damaged or encrypted, has more than `MAX_MEMBERS` members or `MAX_BYTES`
        bytes, or a member that is neither file nor folder, has its name twice, or a name that leads
        elsewhere: absolute, with `..`, a backslash or a drive letter. No folder is left then.
    OSError
        If files cannot be read or written.

    Notes
    -----
    Of a member only name and content are kept: no modes, owners or times.
    """
    ending = _ending(archive.name)
    if folder.is_dir():
        return folder
    with tempfile.TemporaryDirectory(DRAFT, f".{folder.name}.", folder.parent) as above:
        draft = Path(above) / folder.name  # not the temporary folder itself, which others may not read
        draft.mkdir()
        try:
            (_unzip if ending == ".zip" else _untar)(archive, _Writer(archive, draft))
        except _BROKEN as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise  # of the disk; those of gzip and bz2 have no number
            raise InputError(
                Problem(
                    f"damaged or of an unknown kind: {type(error).__name__}",
                    "Remove it and fetch it again", path=archive,
                )
            ) from None  # fmt: skip
        try:
            draft.rename(folder)
        except OSError:
            if not folder.is_dir():  # otherwise another process was quicker, and its folder is as good
                raise
    return folder


class _Writer:
    """Writes members below a folder and refuses what no honest archive holds."""

    def __init__(self, archive: Path, folder: Path) -> None:
        self.archive, self.folder = archive, folder
        self.members, self.bytes = 0, 0
        self.files: set[tuple[str, ...]] = set()

    def refuse(self, what: str, name: str | None = None) -> NoReturn:
        remedy = "Nothing was unpacked; get the archive from its official address"
        raise InputError(Problem(what, remedy, path=self.archive, value=name))

    def announce(self, size: int) -> None:
        """Count a member and the bytes it claims, before any of it is written."""
        if size < 0:
            raise tarfile.ReadError("a negative size")
        self.members += 1
        if self.members > MAX_MEMBERS:
            self.refuse(f"more than {MAX_MEMBERS:,} members")
        self.grow(size)

    def grow(self, size: int) -> None:
        self.bytes += size
        if self.bytes > MAX_BYTES:
            self.refuse(f"more than {MAX_BYTES:,} bytes when unpacked")

    def parts(self, name: str) -> tuple[str, ...]:
        """Names of folders and file on the way to a member, below the folder."""
        if name.startswith("/"):
            self.refuse("a member with an absolute path", name)
        if "\\" in name:
            self.refuse("a member with a backslash in its name", name)
        if _UNWRITABLE.search(name):
            self.refuse("a member with a control character or half a character in its name", name)
        found = tuple(part for part in name.split("/") if part not in ("", "."))
        for part in found:
            if not part.strip(". "):  # Windows reads '.. ' as '..'
                self.refuse("a member that leads out of the folder", name)
            if re.match("[A-Za-z]:", part):
                self.refuse("a member with a drive letter", name)
        return found

    def folder_of(self, name: str) -> None:
        with self._told(name):
            self.folder.joinpath(*self.parts(name)).mkdir(parents=True, exist_ok=True)

    def file(self, name: str, size: int, opened: Callable[[], IO[bytes] | None]) -> None:
        parts = self.parts(name)
        if not parts:
            self.refuse("a file without a name", name)
        if parts in self.files:
            self.refuse("two members of the same name", name)
        self.files.add(parts)
        source = opened()
        assert source is not None  # tarfile gives None for members that are not files
        with source, self._created(parts, name) as draft:
            while chunk := source.read(CHUNK):
                size -= len(chunk)
                if size < 0:
                    self.refuse("a member larger than it claims", name)
                draft.write(chunk)
        if size:
            raise EOFError(f"{size} bytes are missing")

    def _created(self, parts: tuple[str, ...], name: str) -> IO[bytes]:
        target = self.folder.joinpath(*parts)
        with self._told(name):
            target.parent.mkdir(parents=True, exist_ok=True)
            return open(target, "xb")  # exclusive: names may differ and yet be one on this disk

    @contextmanager
    def _told(self, name: str) -> Iterator[None]:
        try:
            yield
        except (FileExistsError, NotADirectoryError):
            self.refuse("two members whose names are one here, such as a file and a folder", name)


def _unzip(archive: Path, writer: _Writer) -> None:
    with zipfile.ZipFile(archive) as zipped:
        members = zipped.infolist()
        if _counted(archive, len(zipped.comment)) not in (len(members), 0xFFFF):
            raise zipfile.BadZipFile("members are missing")
        for member in members:  # all are looked at before the first is written
            if member.header_offset < 0:
                raise zipfile.BadZipFile("a member before the beginning")
            writer.announce(member.file_size)
            writer.parts(member.orig_filename)  # `filename` was already repaired by zipfile
            mode = stat.S_IFMT(member.external_attr >> 16)
            if mode not in (0, stat.S_IFREG, stat.S_IFDIR):
                writer.refuse("a member that is neither file nor folder", member.filename)
            if member.flag_bits & 1:
                writer.refuse("an encrypted member", member.filename)
        for member in members:
            if member.is_dir():
                writer.folder_of(member.filename)
            else:
                writer.file(member.filename, member.file_size, partial(zipped.open, member))


def _counted(archive: Path, comment: int) -> int:
    """How many members a zip says it has, which zipfile does not compare; 0xFFFF is "too many to say"."""
    with open(archive, "rb") as file:
        file.seek(-22 - comment, os.SEEK_END)  # the end record, which the comment follows
        return int.from_bytes(file.read(12)[10:], "little")


class _Stream(gzip.GzipFile):
    """A compressed stream that gives no more than `MAX_READ` bytes at once and knows its last words."""

    last = b""

    def read(self, size: int | None = -1) -> bytes:
        if size is None or not 0 <= size <= MAX_READ:
            raise tarfile.ReadError("a header of unreasonable size")
        self.last = super().read(size)
        return self.last


def _untar(archive: Path, writer: _Writer) -> None:
    with _Stream(archive) as stream, tarfile.open(fileobj=stream, mode="r:") as tar:
        for member in tar:
            writer.announce(member.size)
            if member.isdir():
                writer.folder_of(member.name)
            elif member.isfile():
                writer.file(member.name, member.size, partial(tar.extractfile, member))
            else:
                writer.refuse("a member that is neither file nor folder", member.name)
        # A damaged header ends a tar as zeros do, and gzip compares its checksum only at the very end.
        rest = stream.last
        while rest:
            if rest.strip(b"\0"):
                raise tarfile.ReadError("a damaged header")
            rest = stream.read(CHUNK)
            writer.grow(len(rest))


def _ending(name: str) -> str:
    for ending in _OPENINGS:
        if name.endswith(ending) and name != ending:
            return ending
    raise InputError(Problem("not an archive by its name", f"Known: {', '.join(_OPENINGS)}", path=name))

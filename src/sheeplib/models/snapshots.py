"""Weights on this machine: where they are, whether they are whole, and what pins them; never a pickle."""

from __future__ import annotations

import hashlib
import json
import os
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from sheeplib.errors import InputError, Problem
from sheeplib.models.registry import Entry, footprint

# What loading reads; weights as safetensors alone, since *.bin, *.pt and *.ckpt are pickles.
PATTERNS = ("*.safetensors", "*.json", "*.txt", "*.model", "*.jinja")
INDEX, WEIGHTS = "model.safetensors.index.json", "model.safetensors"
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SAMPLE = 1 << 20  # bytes at both ends of a large file that go into its digest
_LONGEST_HEADER = 100_000_000  # bytes; the format's own limit


@dataclass(frozen=True)
class Snapshot:
    """A directory with all files of one checkpoint.

    Parameters
    ----------
    path : Path
    revision : str
        Commit on the hub; for other directories `files-` and a digest.
    parameters : float
        Weights counted in the files, in billions.
    """

    path: Path
    revision: str
    parameters: float


def find(
    entry: Entry, *, directory: Path | None = None, revision: str | None = None, online: bool = False
) -> Snapshot:
    """Find a checkpoint on this machine; fetch it only if that is asked for.

    Parameters
    ----------
    entry : Entry
        A model whose weights come from the hub.
    directory : Path, optional
        Where its files are; by default they are looked for in the cache of the hub.
    revision : str, optional
        Commit, branch or tag; by default that of the entry, and where it has none, the branch `main`.
    online : bool
        Fetch from the hub what is not here yet: safetensors, configuration and tokenizer alone.

    Returns
    -------
    Snapshot

    Raises
    ------
    InputError
        If it is not there, saying where it was looked for and how to fetch it, or is not whole.
    """
    if directory is None:
        path = _cached(entry, revision or entry.revision, online)
        return Snapshot(path, path.name, count(path, entry))
    path = Path(directory).expanduser()
    if not path.is_dir():
        raise InputError(Problem("no such directory", f"It should hold {entry.name}", path=path))
    if revision is not None:
        raise InputError(Problem("a directory has no revisions", "Give a directory or a revision", path=path))
    return Snapshot(path, _pinned(path), count(path, entry))


def count(path: Path, entry: Entry) -> float:
    """Count the weights of a checkpoint, in billions, from the headers of its safetensors files.

    Parameters
    ----------
    path : Path
        Directory of the checkpoint.
    entry : Entry
        What it should hold.

    Returns
    -------
    float

    Raises
    ------
    InputError
        If there are no such files, one is missing, or one is cut short.
    """
    if not (path / "config.json").is_file():
        what = "no config.json, so not a checkpoint of transformers"
        raise InputError(Problem(what, _remedy(entry), path=path))
    return sum(_tensors(file) for file in _weight_files(path, entry)) / 1e9


def command(entry: Entry, revision: str | None = None) -> str:
    """The command line that fetches a checkpoint into the cache of the hub."""
    revision = revision or entry.revision
    chosen = f" --revision {revision}" if revision else ""
    code = ("*.py",) if entry.remote_code else ()
    wanted = "".join(f' --include "{pattern}"' for pattern in (*PATTERNS, *code))
    return f"hf download {entry.hub}{chosen}{wanted}"


def _cached(entry: Entry, revision: str | None, online: bool) -> Path:
    if not entry.hub:
        remedy = "Give the directory of its files (--weights)"
        raise InputError(Problem(f"{entry.name}: {entry.note}", remedy))
    try:
        from huggingface_hub import constants, errors, snapshot_download
    except ImportError:
        raise InputError(Problem("huggingface_hub is missing", "pip install 'sheeplib[models]'")) from None
    wanted = [*PATTERNS, "*.py"] if entry.remote_code else list(PATTERNS)
    here = Path(constants.HF_HUB_CACHE)
    try:
        # Where it is here already, nothing is asked of the hub, not even whether it changed.
        path = Path(
            snapshot_download(entry.hub, revision=revision, allow_patterns=wanted, local_files_only=True)
        )
        if not online or _whole(path, entry):
            return path
    except errors.HFValidationError as error:
        raise InputError(
            Problem(f"{entry.name}: {_first_line(error)}", "Give a commit, branch or tag")
        ) from None
    except (errors.LocalEntryNotFoundError, OSError) as error:
        what = "weights are not on this machine"
        what += "" if revision is None else f" in revision {revision}"
        what += ", or not all of them" if "incomplete" in str(error).lower() else ""
        if not online:
            raise InputError(Problem(what, _remedy(entry, revision), path=here)) from None
    try:
        return Path(snapshot_download(entry.hub, revision=revision, allow_patterns=wanted))
    except errors.GatedRepoError:
        what, remedy = f"{entry.hub} is gated", "Accept its terms on the hub, then run `hf auth login`"
    except (errors.RepositoryNotFoundError, errors.RevisionNotFoundError):
        what, remedy = f"the hub has no {entry.hub}, or not this revision", "Give another revision, or log in"
    except Exception as error:  # the network can fail in the ways of any of its libraries
        what = f"{entry.hub} could not be fetched: {_first_line(error)}"
        remedy = "Unset HF_HUB_OFFLINE, look at the network and the space on the disk, and try again"
    raise InputError(Problem(what, remedy, path=here)) from None


def _whole(path: Path, entry: Entry) -> bool:
    """Whether nothing is missing: a cache may hold the tokenizer alone, and then says nothing of it."""
    try:
        return count(path, entry) > 0
    except InputError:
        return False


def _remedy(entry: Entry, revision: str | None = None) -> str:
    """How to come by the files."""
    ways = f"Fetch {entry.name} with `{command(entry, revision)}`, or pass --online (online=True), or give"
    note = f". Note: {entry.note}" if entry.note else ""
    return f"{ways if entry.hub else 'Give'} the directory of its files (--weights){note}"


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0]


def _pinned(path: Path) -> str:
    """The commit, for a snapshot of the hub's cache; else a digest of what loading reads.

    Of files above 2 MiB, the size and the first and last MiB stand for the whole: a checkpoint of
    50 GB is told from its neighbours at once.
    """
    real = path.resolve()
    if real.parent.name == "snapshots" and _COMMIT.fullmatch(real.name):
        return real.name
    digest = hashlib.sha256()
    for file in sorted({file for pattern in (*PATTERNS, "*.py") for file in path.glob(pattern)}):
        with open(file, "rb") as data:
            size = os.fstat(data.fileno()).st_size
            digest.update(f"{file.name}\0{size}\0".encode())
            digest.update(data.read(_SAMPLE))
            data.seek(max(data.tell(), size - _SAMPLE))
            digest.update(data.read(_SAMPLE))
    return f"files-{digest.hexdigest()[:12]}"


def _weight_files(path: Path, entry: Entry) -> Sequence[Path]:
    if (index := path / INDEX).is_file():
        try:
            names = sorted(set(json.loads(index.read_text("utf-8"))["weight_map"].values()))
            inside = all(Path(name).name == name for name in names)
        except (ValueError, KeyError, TypeError, AttributeError):
            inside = False
        if not inside:
            raise InputError(Problem("not an index of files beside it", "Fetch it again", path=index))
        files = [path / name for name in names]
        if lacking := [file.name for file in files if not file.is_file()]:
            what = f"{len(lacking)} of {len(names)} files of weights are missing, such as {lacking[0]}"
            raise InputError(Problem(what, "Fetch them", path=path))
        return files
    if (path / WEIGHTS).is_file():
        return [path / WEIGHTS]
    raise InputError(Problem(*_no_safetensors(path, entry), path=path))


def _no_safetensors(path: Path, entry: Entry) -> tuple[str, str]:
    """What is there instead, and what to do about it."""
    if any(path.glob("*.gguf")):
        halves, whole = (footprint(entry.parameters, dtype) for dtype in ("bfloat16", "float32"))
        what = (
            "weights are in GGUF, whose quantised numbers are unpacked on loading: whatever the size of the "
            f"file, {entry.name} needs {halves:.3g} GB as bfloat16 and {whole:.3g} GB as float32"
        )
        return what, "Take its checkpoint in safetensors, or a smaller model; nothing runs quantised here"
    pickles = [file.name for kind in ("*.bin", "*.pt", "*.pth", "*.ckpt") for file in path.glob(kind)]
    if pickles:
        what = f"weights are pickled ({pickles[0]}), and unpickling runs whatever code they hold"
        return what, "Take a revision that has *.safetensors"
    return "no weights: no *.safetensors", _remedy(entry)


def _tensors(file: Path) -> int:
    """Numbers in a safetensors file, by its header."""
    remedy = "Fetch it again"
    with open(file, "rb") as data:
        size = os.fstat(data.fileno()).st_size
        start = data.read(8)
        length = struct.unpack("<Q", start)[0] if len(start) == 8 else 0
        if not 2 <= length <= min(size - 8, _LONGEST_HEADER):
            raise InputError(Problem("not a safetensors file, or cut short", remedy, path=file))
        try:
            header: dict[str, Any] = json.loads(data.read(length))
            header.pop("__metadata__", None)
            ends = [tensor["data_offsets"][1] for tensor in header.values()]
            numbers = [prod(tensor["shape"]) for tensor in header.values()]
        except (ValueError, KeyError, TypeError, AttributeError, IndexError):
            raise InputError(Problem("not a safetensors file", remedy, path=file)) from None
    if 8 + length + max(ends, default=0) != size:
        raise InputError(Problem("cut short, or longer than its header says", remedy, path=file))
    return sum(numbers)

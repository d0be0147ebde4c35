"""Arrays pressed for a long journey: bytes of numbers set apart by their place, then zstd.

The high bytes of many numbers are alike, and low bytes that were rounded away are zero: apart from each
other they take a third of the room that they take in turns. Nothing is lost by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from sheeplib.errors import InputError, Problem

ENDING = ".zst"  # of files that are pressed
LEVEL = 19  # slow to press, as fast as any to open
_STRIDE = 4  # bytes; two numbers of float16 in a row do as well as one of float32
_NAMES = {"f": "F", "i": "I", "u": "U"}  # kinds in numpy and in safetensors


def press(content: bytes) -> bytes:
    """Make a safetensors file small."""
    return bytes(_codec().compress(_regrouped(content, apart=True), asbytes=True))


def unpress(content: bytes) -> bytes:
    """What `press` was given.

    Raises
    ------
    OSError
        If it was not made by `press`, or was cut short.
    """
    import pyarrow

    with pyarrow.CompressedInputStream(pyarrow.BufferReader(content), "zstd") as stream:
        return _regrouped(stream.read(), apart=False)


@dataclass(frozen=True)
class Pressed:
    """The arrays of a pressed file, asked for as those of an open safetensors file are.

    Parameters
    ----------
    arrays : mapping of str to ndarray
    """

    arrays: Mapping[str, np.ndarray]

    @classmethod
    def open(cls, path: Path) -> Pressed:
        """Read a file; the last few are remembered, since each array is asked for apart.

        Raises
        ------
        InputError
            If it cannot be read.
        """
        try:
            about = path.stat()
            return _read(path, about.st_size, about.st_mtime_ns)
        except (OSError, ValueError) as error:
            raise InputError(
                Problem(f"arrays cannot be read: {error}", "Make them anew", path=path)
            ) from None

    def __enter__(self) -> Pressed:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def keys(self) -> list[str]:
        """Names of the arrays."""
        return list(self.arrays)

    def get_tensor(self, name: str) -> np.ndarray:
        """An array."""
        return self.arrays[name]

    def get_slice(self, name: str) -> _Slice:
        """Shape and type of an array."""
        return _Slice(self.arrays[name])


@dataclass(frozen=True)
class _Slice:
    array: np.ndarray

    def get_shape(self) -> list[int]:
        return list(self.array.shape)

    def get_dtype(self) -> str:
        kind = self.array.dtype
        return "BOOL" if kind.kind == "b" else f"{_NAMES[kind.kind]}{8 * kind.itemsize}"


@lru_cache(maxsize=4)
def _read(path: Path, size: int, changed: int) -> Pressed:
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        return Pressed(load(unpress(path.read_bytes())))
    except SafetensorError as error:
        raise ValueError(str(error)) from None


def _regrouped(content: bytes, apart: bool) -> bytes:
    """All first bytes of four, then all second ones, and so on; or back again. A rest stays at the end."""
    count = len(content) // _STRIDE
    whole = np.frombuffer(content, np.uint8, count * _STRIDE)
    groups = whole.reshape((count, _STRIDE) if apart else (_STRIDE, count))
    return groups.T.tobytes() + content[count * _STRIDE :]


def _codec() -> Any:
    import pyarrow

    return pyarrow.Codec("zstd", LEVEL)

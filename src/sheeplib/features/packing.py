"""Arrays pressed for a long journey: a safetensors file in an xz file, which any tool unpacks."""

from __future__ import annotations

import lzma
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from sheeplib.errors import InputError, Problem

ENDING = ".xz"  # of files that are pressed
# A byte is told by its place in a number (lp, pb), not by the byte before, which is of other kind (lc).
_FILTERS = ({"id": lzma.FILTER_LZMA2, "preset": 9, "lc": 0, "lp": 2, "pb": 2},)
_NAMES = {"f": "F", "i": "I", "u": "U"}  # kinds in numpy and in safetensors


def press(content: bytes) -> bytes:
    """Make a safetensors file small."""
    return lzma.compress(content, lzma.FORMAT_XZ, lzma.CHECK_CRC32, filters=_FILTERS)


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
        except (OSError, ValueError, lzma.LZMAError) as error:
            what = f"arrays cannot be read: {error}"
            raise InputError(Problem(what, "Make them anew", path=path)) from None

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
        return Pressed(load(lzma.decompress(path.read_bytes(), lzma.FORMAT_XZ)))
    except SafetensorError as error:
        raise ValueError(str(error)) from None

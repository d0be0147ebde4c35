"""Photographs from a directory that nobody vouches for: only its own files, only pictures, none too large."""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from PIL import Image, ImageOps, UnidentifiedImageError

from sheeplib.errors import InputError, Problem

FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF")  # none whose decoder starts a program
MAX_PIXELS = 100_000_000  # 300 MB in memory; cameras stay below
_BROKEN = (OSError, SyntaxError, ValueError, EOFError, MemoryError)  # what decoders raise for broken files


@dataclass(frozen=True)
class ImageDirectory:
    """Images by name.

    Parameters
    ----------
    path : Path
        Directory that holds them, at any depth; names may hold `/`.
    """

    path: Path

    def __call__(self, name: str) -> Any:
        """The image of this name.

        Returns
        -------
        PIL.Image.Image
            RGB, turned as the camera was held.

        Raises
        ------
        InputError
            If the name leads out of the directory, or the file is missing, broken, of no known format, or
            has more than `MAX_PIXELS` pixels.
        """
        path = self.file(name)
        with _opened(path) as image:
            if "transparency" in image.info:
                image = image.convert("RGBA")
            return ImageOps.exif_transpose(image).convert("RGB")

    def file(self, name: str) -> Path:
        """Where the image of this name is, which may lack the ending; it is not opened.

        Raises
        ------
        InputError
            If the name leads out of the directory, also by a link, or there is no such file.
        """
        parts = re.split(r"[/\\]", name)
        if not name.strip() or ".." in parts or "\0" in name or parts[0] == "" or re.match("[A-Za-z]:", name):
            raise InputError(Problem("image outside of the directory", self._remedy, value=name))
        try:
            real = (self.path / name).resolve()
            there = real.is_file()
            if not there and len(same := self._without_endings.get(name, [])) == 1:  # "206" for 206.jpg
                real = (self.path / same[0]).resolve()
                there = real.is_file()
        except (OSError, RuntimeError):  # a name too long, a circle of links
            there = False
        if not there:
            raise InputError(Problem("no such image", self._remedy, value=name))
        if not real.is_relative_to(self.path.resolve()):
            remedy = "Put the image itself there, not a link to it"
            raise InputError(Problem("image is a link that leads out of the directory", remedy, value=name))
        return real

    @cached_property
    def _without_endings(self) -> dict[str, list[str]]:
        """Pictures of the directory by their names without ending."""
        found: dict[str, list[str]] = {}
        for name in self._pictures():
            found.setdefault(Path(name).stem, []).append(name)
        return found

    def _pictures(self) -> list[str]:
        Image.init()
        endings = {ending for ending, kind in Image.EXTENSION.items() if kind in FORMATS}
        there = self.path.iterdir() if self.path.is_dir() else ()
        return sorted(path.name for path in there if path.suffix.lower() in endings)

    def names(self) -> list[str]:
        """Files of the directory itself whose ending is that of a picture, sorted.

        Raises
        ------
        InputError
            If there is no such directory, or none in it.
        """
        if not self.path.is_dir():
            raise InputError(Problem("no such directory", "Give the directory of the images", path=self.path))
        found = self._pictures()
        if not found:
            remedy = f"Put pictures there: {', '.join(FORMATS)}"
            raise InputError(Problem("no pictures in the directory", remedy, path=self.path))
        return found

    def check(self, names: Iterable[str]) -> str:
        """Look at all images, without decoding them, before any work starts.

        Returns
        -------
        str
            SHA-256 of names and contents.

        Raises
        ------
        InputError
            Naming every image that is missing, outside, of no known format, or too large.
        """
        if not self.path.is_dir():
            raise InputError(Problem("no such directory", "Give the directory of the images", path=self.path))
        digest, problems = hashlib.sha256(), []
        for name in sorted(set(names)):
            try:
                path = self.file(name)
                with _opened(path):
                    pass
                with open(path, "rb") as file:
                    content = hashlib.file_digest(file, "sha256").hexdigest()
                digest.update(f"{name}\0{content}\n".encode())
            except InputError as error:
                problems += error.problems
        if problems:
            raise InputError(problems)
        return digest.hexdigest()

    @property
    def _remedy(self) -> str:
        return f"Images are files below {self.path}, named as in the questions"


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """An image whose header was read; what its decoder raises inside the block becomes an `InputError`."""
    Image.init()  # so that all `FORMATS` are known
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            warnings.filterwarnings("ignore", category=UserWarning, module=r"PIL\.")  # odd metadata
            with Image.open(path, formats=FORMATS) as image:
                if image.width * image.height > MAX_PIXELS:
                    raise Image.DecompressionBombError
                yield image
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        what = f"image has more than {MAX_PIXELS:,} pixels"
        raise InputError(Problem(what, "Make it smaller", path=path)) from None
    except UnidentifiedImageError:
        remedy = f"Known formats: {', '.join(FORMATS)}"
        raise InputError(Problem("not an image of a known format", remedy, path=path)) from None
    except _BROKEN as error:
        what = f"image cannot be decoded: {type(error).__name__}"
        raise InputError(Problem(what, "Get the file again", path=path)) from None

"""Answers for an evaluator model to read, with their questions and images."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from sheeplib import tables
from sheeplib.corpora import Corpus
from sheeplib.errors import InputError, Problem
from sheeplib.jsonl import read_jsonl
from sheeplib.manifests import canonical
from sheeplib.models.images import ImageDirectory
from sheeplib.models.samples import Sample

FIELDS = ("item", "prompt", "image", "response", "language")  # of table `items`, that a model is given


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers, questions, and a way to the images.

    Parameters
    ----------
    name : str
        Corpus, or name of the file without its ending.
    items : DataFrame
        Columns `FIELDS` of table `items`.
    picture : callable or None
        Gives the image of a name; None where images are not at hand or not wanted.
    """

    name: str
    items: pd.DataFrame
    picture: Callable[[str], Any] | None

    def samples(self, items: Iterable[str]) -> list[Sample]:
        """These items as models take them, with their images where there are any.

        Raises
        ------
        InputError
            Naming the images that cannot be read.
        """
        problems: list[Problem] = []
        samples = [self._sample(self._rows[item], problems) for item in items]
        if problems:
            raise InputError(problems)
        return samples

    def digests(self, parts: Sequence[Sequence[str]], more: Mapping[str, Any]) -> list[str]:
        """Of each part, what decides the features of its items.

        Parameters
        ----------
        parts : sequence of sequences of str
            Items.
        more : mapping of str to JSON values
            What else belongs to an item.

        Returns
        -------
        list of str
            First 16 hexadecimal digits of the SHA-256 of texts and images.

        Raises
        ------
        InputError
            Naming all images that are not there.
        """
        problems: list[Problem] = []
        digests = []
        for part in parts:
            rows = [self._rows[item] for item in part]
            facts = [
                [
                    *(row[name] for name in FIELDS if name != "image"),
                    self._seal(row, problems),
                    more.get(item),
                ]
                for item, row in zip(part, rows, strict=True)
            ]
            digests.append(hashlib.sha256(canonical(facts).encode()).hexdigest()[:16])
        if problems:
            self._seals.clear()  # what is not there now may be there the next time
            raise InputError(problems)
        return digests

    def check(self, items: Iterable[str]) -> None:
        """Decode the images of these items, so that a broken one is known before any work starts.

        Raises
        ------
        InputError
            Naming all that cannot be decoded.
        """
        problems: list[Problem] = []
        if isinstance(self.picture, ImageDirectory):
            for name in dict.fromkeys(self._rows[item]["image"] for item in items):
                if name is not None:
                    _tried(self.picture, name, problems)
        if problems:
            raise InputError(problems)

    @cached_property
    def _rows(self) -> dict[str, dict[str, Any]]:
        rows = self.items[list(FIELDS)].astype(object)
        records = rows.where(rows.notna(), None).to_dict(orient="records")
        return {row["item"]: row for row in records}  # type: ignore[misc]

    @cached_property
    def _seals(self) -> dict[str, str]:
        return {}

    def _sample(self, row: Mapping[str, Any], problems: list[Problem]) -> Sample:
        image = None
        if self.picture is not None and row["image"] is not None:
            image = _tried(self.picture, row["image"], problems)
        return Sample(row["item"], row["prompt"] or "", row["response"], image, row["language"] or "")

    def _seal(self, row: Mapping[str, Any], problems: list[Problem]) -> str | None:
        """Digest of an item's image: of its file, where it has one, else of its pixels."""
        name = row["image"]
        if self.picture is None or name is None:
            return None
        if name not in self._seals:
            self._seals[name] = str(_tried(lambda name: _seal(self.picture, name), name, problems))
        return self._seals[name]


def from_corpus(corpus: Corpus, images: Path | None = None, sees: bool = True) -> Answers:
    """The answers of a corpus.

    Parameters
    ----------
    corpus : Corpus
    images : Path, optional
        Directory that holds the images, for a corpus that has none itself.
    sees : bool
        Whether the images are wanted.

    Raises
    ------
    InputError
        If images are wanted and there is neither a directory nor a corpus that has them.
    """
    return _answers(corpus.name, corpus.items, images, corpus.picture, sees)


def read(path: Path, images: Path | None = None, sees: bool = True) -> Answers:
    """Read a file of answers.

    Parameters
    ----------
    path : Path
        Table `items` as JSON Lines, CSV (UTF-8) or Parquet, told by the ending: `item` and `response`,
        and as far as known `prompt`, `image`, `language`. Other columns are ignored. Captions may have
        `image_id` in place of `item` and of `image`, and `caption` in place of `response`.
    images, sees
        As for `from_corpus`.

    Raises
    ------
    InputError
        Naming file, row, field and remedy of what is wrong.
    """
    if path.suffix.lower() not in _READERS:
        remedy = f"Known endings: {', '.join(_READERS)}"
        raise InputError(Problem("not a table of answers by its name", remedy, path=path))
    frame = _READERS[path.suffix.lower()](path)
    if frame.empty:
        raise InputError(Problem("no answers", "Give a table with at least one", path=path))
    for name, other in _OTHER_NAMES.items():
        if name not in frame and other in frame:
            frame = frame.assign(**{name: frame[other].astype(tables.TEXT)})
    lacking = {name: pd.NA for name in ("prompt", "image", "language", *_UNUSED) if name not in frame}
    return _answers(
        path.stem,
        tables.validate("items", frame.assign(**lacking, corpus=path.stem), path),
        images,
        None,
        sees,
    )


_OTHER_NAMES = {"item": "image_id", "image": "image_id", "response": "caption"}
_UNUSED = ("split", "strategy", "model", "source", "prelabel")


def _answers(
    name: str, items: pd.DataFrame, images: Path | None, picture: Callable[[str], Any] | None, sees: bool
) -> Answers:
    if items.empty:
        raise InputError(Problem(f"'{name}' has no answers", "Choose other options"))
    if not sees:
        return Answers(name, items[list(FIELDS)], None)
    if images is not None:
        if not images.is_dir():
            raise InputError(Problem("no such directory", "Give the directory of the images", path=images))
        picture = ImageDirectory(images)
    if picture is None:
        remedy = "Give the directory of its images, or an evaluator that reads text alone"
        raise InputError(
            Problem(f"this model sees, and '{name}' comes without images", remedy, field="images")
        )
    return Answers(name, items[list(FIELDS)], picture)


def _tried(make: Callable[[str], Any], name: str, problems: list[Problem]) -> Any:
    try:
        return make(name)
    except InputError as error:
        problems += error.problems
        return None


def _seal(picture: Any, name: str) -> str:
    if isinstance(picture, ImageDirectory):
        with open(picture.file(name), "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    image = picture(name)
    digest = hashlib.sha256(f"{image.mode} {image.size}\n".encode())
    digest.update(image.tobytes())
    return digest.hexdigest()


def _jsonl(path: Path) -> pd.DataFrame:
    numbered = list(read_jsonl(path))
    problems = [
        Problem("not text", "Give one answer a line", path=path, line=line, field=name, value=record[name])
        for line, record in numbered
        for name in FIELDS
        if isinstance(record.get(name), list | dict)
    ]
    if problems:
        raise InputError(problems)
    return pd.DataFrame([record for _, record in numbered])


def _csv(path: Path) -> pd.DataFrame:
    try:
        return pd.read_csv(
            path, dtype=tables.TEXT, keep_default_na=False, na_values=[""], encoding="utf-8-sig"
        )
    except (OSError, ValueError) as error:  # among them what pandas and the decoder raise
        raise InputError(
            Problem(f"not a readable CSV file: {error}", "Save it as UTF-8", path=path)
        ) from None


def _parquet(path: Path) -> pd.DataFrame:
    from sheeplib.features.columns import about_table, decode_tables

    _, names = about_table(path)
    return decode_tables([path], [name for name in FIELDS if name in names] or None)


_READERS: Mapping[str, Callable[[Path], pd.DataFrame]] = {
    ".jsonl": _jsonl,
    ".csv": _csv,
    ".parquet": _parquet,
}

"""Questions about images: read from a table or taken from a corpus, checked before any model is loaded."""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from sheeplib.corpora import Corpus
from sheeplib.errors import InputError, Problem
from sheeplib.jsonl import scan_jsonl
from sheeplib.models.images import ImageDirectory
from sheeplib.models.samples import Sample
from sheeplib.tables import TEXT

# Our names of the fields, and those of SHEEP's own records.
FIELDS: Mapping[str, tuple[str, ...]] = {
    "item": ("item", "id"),
    "question": ("question", "prompt"),
    "image": ("image", "image_name"),
    "language": ("language",),
    "source": ("source",),
}
REQUIRED = ("item", "question")
_LANGUAGE = re.compile("[a-z]{2,3}")
Records = Iterator[tuple[int, dict[str, Any] | Problem]]


@dataclass(frozen=True, eq=False)
class Questions:
    """Questions, and the images they are about.

    Parameters
    ----------
    name : str
        Corpus, or name of the file without its ending.
    table : DataFrame
        Columns `item`, `question`, `image` (name), `language` (ISO 639-1) and `source` (data set that the
        question comes from); the last three may be missing.
    picture : callable or None
        Gives the image of a name; None where images are not at hand.
    fingerprint : str
        SHA-256 (first 16 hexadecimal digits) of questions and images.
    notes : tuple of str
        What reading had to decide.
    """

    name: str
    table: pd.DataFrame
    picture: Callable[[str], Any] | None
    fingerprint: str
    notes: tuple[str, ...] = field(default=())

    def samples(self, items: Sequence[str] | None = None) -> list[Sample]:
        """Questions as models take them, with their images; all of them, or those of these items.

        Raises
        ------
        InputError
            If an item is unknown or an image cannot be decoded.
        """
        rows = self.table.set_index("item", drop=False)
        if items is not None:
            if unknown := [item for item in items if item not in rows.index]:
                raise InputError(Problem("unknown item", f"See the items of {self.name}", value=unknown[0]))
            rows = rows.loc[list(items)]
        drawn: dict[str, Any] = {}
        return [
            Sample(
                row.item, row.question,
                image=self._image(row.image, drawn), language="" if pd.isna(row.language) else row.language,
            )
            for row in rows.itertuples(index=False)
        ]  # fmt: skip

    def _image(self, name: Any, drawn: dict[str, Any]) -> Any:
        if pd.isna(name) or self.picture is None:
            return None
        if name not in drawn:
            drawn[name] = self.picture(name)
        return drawn[name]


def read(path: str | Path, images: str | Path | None = None) -> Questions:
    """Read a table of questions.

    Parameters
    ----------
    path : str or Path
        JSON Lines, CSV or Parquet, told by the ending. Fields: `item` (or `id`), unique; `question` (or
        `prompt`); optionally `image` (or `image_name`), `language` and `source`. Others are ignored.
    images : str or Path, optional
        Directory that holds the images by name.

    Returns
    -------
    Questions

    Raises
    ------
    InputError
        Naming file, line, field and remedy of everything wrong, and every image that is missing, outside of
        the directory, of no known format, or too large.
    """
    path = Path(path)
    problems: list[Problem] = []
    rows: list[tuple[Any, ...]] = []
    lines: dict[str, int] = {}
    for line, record in _records(path):
        found = record if isinstance(record, Problem) else _row(record, path, line, lines)
        if isinstance(found, Problem):
            problems.append(found)
        else:
            rows.append(found)
    if problems:
        raise InputError(problems)
    if not rows:
        raise InputError(Problem("no questions", "Give a table with at least one", path=path))
    return _questions(path.stem, pd.DataFrame(rows, columns=list(FIELDS), dtype=TEXT), images)


def from_corpus(corpus: Corpus, images: str | Path | None = None) -> Questions:
    """The questions of a corpus, each once however many answers it has there.

    Parameters
    ----------
    corpus : Corpus
    images : str or Path, optional
        Directory that holds the images, for a corpus that has none itself.

    Returns
    -------
    Questions
        Named by the first item that asks them.

    Raises
    ------
    InputError
        If the corpus has no questions, or about the images as for `read`.
    """
    table = corpus.items.rename(columns={"prompt": "question"})[list(FIELDS)]
    asked = table[table["question"].str.strip().fillna("") != ""]
    if asked.empty:
        raise InputError(Problem(f"corpus '{corpus.name}' has no questions", "Choose another corpus"))
    single = asked.drop_duplicates(["question", "image", "language"]).reset_index(drop=True)
    notes = [
        f"{len(table) - len(asked)} items without a question are left out",
        f"{len(asked) - len(single)} items ask what another one asks",
    ]
    kept = tuple(note for note in notes if not note.startswith("0 "))
    if images is not None or corpus.picture is None:
        return _questions(corpus.name, single, images, kept)
    fingerprint = _digest(single, corpus.fingerprint)
    return Questions(corpus.name, single.astype(TEXT), corpus.picture, fingerprint, kept)


def _questions(
    name: str, table: pd.DataFrame, images: str | Path | None, notes: tuple[str, ...] = ()
) -> Questions:
    if images is None:
        return Questions(name, table.astype(TEXT), None, _digest(table, ""), notes)
    picture = ImageDirectory(Path(images))
    fingerprint = _digest(table, picture.check(table["image"].dropna()))
    return Questions(name, table.astype(TEXT), picture, fingerprint, notes)


def _digest(table: pd.DataFrame, images: str) -> str:
    content = table.to_json(orient="split", index=False) + images
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def _row(
    record: Mapping[str, Any], path: Path, line: int, lines: dict[str, int]
) -> tuple[Any, ...] | Problem:
    """The fields of a record in our order, or the first thing that is wrong with it."""
    values = []
    for name, spellings in FIELDS.items():
        spelling = next((one for one in spellings if one in record), spellings[0])
        value = record.get(spelling)
        if value is None or (isinstance(value, str) and not value.strip()):
            if name in REQUIRED:
                remedy = f"Every question needs {' and '.join(REQUIRED)}"
                return Problem("value is missing", remedy, path, line, spelling)
            value = pd.NA
        elif not isinstance(value, str):
            return Problem("not a text", "Put it in quotes", path, line, spelling, value)
        values.append(value)
    item, language = values[0], values[3]
    if item in lines:
        remedy = f"First in line {lines[item]}; keep one of them"
        return Problem("item is there twice", remedy, path, line, "item", item)
    lines[item] = line
    if not pd.isna(language) and not _LANGUAGE.fullmatch(language):
        return Problem("not a language code", "Use ISO 639-1, such as en", path, line, "language", language)
    return tuple(values)


def _records(path: Path) -> Records:
    readers: Mapping[str, Callable[[Path], Records]] = {
        ".jsonl": scan_jsonl,
        ".csv": _csv,
        ".parquet": _parquet,
    }
    if path.suffix.lower() not in readers:
        remedy = f"Known endings: {', '.join(readers)}"
        raise InputError(Problem("not a table by its name", remedy, path=path))
    return readers[path.suffix.lower()](path)


def _csv(path: Path) -> Records:
    remedy = "Save it as CSV in UTF-8"
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            names = reader.fieldnames or []
            if len(names) > len(set(names)):
                raise InputError(Problem("two columns of one name", "Rename one", path, 1))
            line = reader.line_num + 1
            for row in reader:
                wrong = None in row or None in row.values()
                what = "more or fewer values than columns"
                yield line, Problem(what, "Quote values that hold commas", path, line) if wrong else row
                line = reader.line_num + 1  # a row may go over several lines
    except OSError as error:
        raise InputError(Problem(f"cannot be read: {error.strerror}", "Give a readable file", path)) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(Problem(f"not a CSV file: {error}", remedy, path)) from None


def _parquet(path: Path) -> Records:
    try:
        frame = pd.read_parquet(path)
    except ImportError:
        raise InputError(Problem("Parquet needs pyarrow", "pip install pyarrow", path)) from None
    except Exception as error:  # pyarrow's own kinds are not importable where it is absent
        what = f"not a readable Parquet file: {type(error).__name__}"
        raise InputError(Problem(what, "Write it again", path)) from None
    known = [name for spellings in FIELDS.values() for name in spellings if name in frame.columns]
    rows = frame[known].astype(object).where(frame[known].notna(), None).to_dict(orient="records")
    yield from enumerate(({str(key): value for key, value in row.items()} for row in rows), start=1)

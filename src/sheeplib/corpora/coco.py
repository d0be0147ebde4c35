"""COCO: captions of its images by any model, and which objects the images show.

Captions are JSON Lines with `image_id` and `caption`. Objects are one JSON file, plain or gzipped:
`{"categories": [...], "objects": {image_id: [index of a category, ...]}}`. COCO itself is CC BY 4.0
(Lin et al., 2014); CHAIR takes for shown what is annotated or what a reference caption names.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from sheeplib import tables
from sheeplib.corpora import Corpus
from sheeplib.errors import InputError, Problem
from sheeplib.jsonl import scan_jsonl

CAPTIONS, OBJECTS = "captions.*.jsonl", ("objects.json", "objects.json.gz")
MAX_BYTES = 2**30  # of objects, unpacked: a hundred times those of COCO
_OBJECTS_FORM = 'Write {"categories": ["dog"], "objects": {"42": [0]}}'
_NOBODY = "models wrote these captions; nobody annotated spans in them"
_LACKS = dict.fromkeys(("ratings", "labels", "kinds"), _NOBODY) | {"strategy": "captions of all images given"}


@dataclass(frozen=True, eq=False)
class Objects:
    """Which objects images show.

    Parameters
    ----------
    categories : tuple of str
        Names of the classes.
    shown : mapping of str to frozenset of str
        By image: the classes that it shows, of `categories`.
    """

    categories: tuple[str, ...]
    shown: Mapping[str, frozenset[str]]


def read_objects(path: str | Path) -> Objects:
    """Read which objects images show.

    Parameters
    ----------
    path : str or Path
        JSON, plain or gzipped, as described at the top of the module; which of both, its content tells.

    Returns
    -------
    Objects

    Raises
    ------
    InputError
        Naming file and field of everything that is wrong.
    """
    path = Path(path)
    try:
        content = json.loads(_unpacked(path), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:  # also text that is not UTF-8
        raise InputError(Problem(f"invalid JSON: {error}", _OBJECTS_FORM, path=path)) from None
    names = content.get("categories") if isinstance(content, dict) else None
    if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
        raise InputError(Problem("not a list of names", _OBJECTS_FORM, path=path, field="categories"))
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(Problem("name twice there", "Keep one", path=path, field="categories", value=twice))
    given = content.get("objects")
    if not isinstance(given, dict):
        raise InputError(Problem("not an object", _OBJECTS_FORM, path=path, field="objects"))
    problems = [
        Problem(
            what, f"Use indices of categories, 0 to {len(names) - 1}", path, None, f"objects.{image}", found
        )
        for image, found in given.items()
        if (what := _wrong(found, len(names)))
    ]
    if problems:
        raise InputError(problems)
    return Objects(tuple(names), {key: frozenset(names[i] for i in found) for key, found in given.items()})


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, whose keys are there once: of two, one would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in found if names.count(name) > 1)!r} is a key twice")
    return found


def _wrong(found: Any, size: int) -> str:
    if not isinstance(found, list):
        return "not a list of indices"
    fine = all(type(index) is int and 0 <= index < size for index in found)  # True is no index
    return "" if fine else "not all of them are indices of categories"


def _unpacked(path: Path) -> bytes:
    try:
        with open(path, "rb") as file:
            if file.read(2) != b"\x1f\x8b":
                return path.read_bytes()
        with gzip.open(path) as packed:
            content = packed.read(MAX_BYTES + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        what = f"damaged gzip file: {error}"
        raise InputError(Problem(what, "Copy or download it again", path=path)) from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(Problem(f"cannot be read: {reason}", "Give a readable file", path=path)) from None
    if len(content) > MAX_BYTES:
        raise InputError(Problem("too large when unpacked", "Give the objects of fewer images", path=path))
    return content


def read_captions(path: str | Path, model: str | None = None) -> pd.DataFrame:
    """Read captions.

    Parameters
    ----------
    path : str or Path
        JSON Lines; each line has `image_id`, a whole number or a text, and `caption`. Other fields are left.
    model : str, optional
        Who wrote them.

    Returns
    -------
    DataFrame
        Table `items`, in the order of the file: `image` is the image's id as text, and an item is named by
        it (`coco-42`, with a model `coco-MODEL-42`); a second caption of an image is `coco-42-2`. One more
        column, `line`, is the line of the file.

    Raises
    ------
    InputError
        Naming file, line and field of everything that is wrong; or if there are no captions.
    """
    problems: list[Problem] = []
    rows: list[tuple[str, str, int]] = []
    for line, record in scan_jsonl(path):
        wrong = [record] if isinstance(record, Problem) else list(_wrong_caption(record, path, line))
        problems += wrong
        if not wrong:
            assert isinstance(record, dict)
            rows.append((str(record["image_id"]), record["caption"], line))
    if problems:
        raise InputError(problems)
    if not rows:
        what = "no captions"
        raise InputError(Problem(what, 'Give lines like {"image_id": 42, "caption": "A dog."}', path=path))
    frame = pd.DataFrame(rows, columns=["image", "response", "line"])
    blank = dict.fromkeys(("split", "prompt", "strategy", "source", "prelabel"), pd.NA)
    named = "coco-" + (f"{model}-" if model else "") + frame["image"]
    again = frame.groupby("image").cumcount() + 1
    items = frame.assign(
        item=named.where(again == 1, named + "-" + again.astype(str)),
        corpus="coco",
        language="en",
        model=model or pd.NA,
        **blank,
    )
    return tables.validate("items", items)


def _wrong_caption(record: Mapping[str, Any], path: str | Path, line: int) -> list[Problem]:
    image, caption = record.get("image_id"), record.get("caption")
    problems = []
    if isinstance(image, bool) or not isinstance(image, int | str) or image == "":
        what = "value is missing" if image is None else "neither a whole number nor a text"
        problems.append(Problem(what, "Name the image", path, line, "image_id", image))
    if not isinstance(caption, str):
        what = "value is missing" if caption is None else "not a text"
        problems.append(Problem(what, "Give the caption as a text", path, line, "caption", caption))
    return problems


def load(directory: str | Path | None = None) -> Corpus:
    """Load captions of COCO images.

    Parameters
    ----------
    directory : str or Path
        Directory with files `captions.MODEL.jsonl`, or one such file.

    Returns
    -------
    Corpus
        Items alone; which objects the images show, `read_objects` reads.

    Raises
    ------
    InputError
        If there are no such files, or as `read_captions`.
    """
    if directory is None:
        remedy = f"Give directory=DIR with files like {CAPTIONS}"
        raise InputError(Problem("corpus 'coco' needs captions", remedy))
    place = Path(directory)
    paths = sorted(place.glob(CAPTIONS)) if place.is_dir() else [place]
    if not paths or not all(path.is_file() for path in paths):
        raise InputError(Problem("no captions", f"Expected files like {CAPTIONS}", path=place))
    items = pd.concat([read_captions(path, model_of(path)) for path in paths], ignore_index=True)
    licence = "as the files have it; COCO itself is CC BY 4.0"
    return Corpus("coco", tables.validate("items", items), lacks=_LACKS, licence=licence)


def model_of(path: Path) -> str:
    """The model that a file `captions.MODEL.jsonl` is by; of another file its name without the ending."""
    return path.name.removesuffix(".jsonl").removeprefix("captions.")


def objects_file(directory: str | Path) -> Path:
    """The file of objects in a directory.

    Raises
    ------
    InputError
        If there is none.
    """
    for name in OBJECTS:
        if (path := Path(directory) / name).is_file():
            return path
    raise InputError(Problem("no file of objects", f"Expected {' or '.join(OBJECTS)}", path=directory))

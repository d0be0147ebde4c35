"""HaloQuest: the questions about images from which half of SHEEP's items come.

Data: google/haloquest, CC BY 4.0 (Wang et al., 2024). VISaGE is the other half (Frank and Allaway, 2025).
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pandas as pd

from sheeplib import tables
from sheeplib.corpora import Corpus
from sheeplib.errors import InputError, Problem

PATTERN = "haloquest-*.csv"
COLUMNS = ("image_name", "image type", "hallucination type", "question", "groundtruth responses", "split")
REQUIRED = ("question", "groundtruth responses", "split")
# Photographs keep the name that their host gave to the original: digits, a code, and "_o.jpg".
_PHOTOGRAPH = re.compile(r"[0-9]+(_[0-9a-z]+)*_o\.jpg")
# VISaGE names a file by the concept, then what is special about it.
_CONCEPT = re.compile(r"[a-z][a-z' -]*_.+\.[A-Za-z]{3,4}", re.DOTALL)


def source_of_image(name: str) -> str | None:
    """Tell by an image's name which data set it comes from.

    Parameters
    ----------
    name : str
        File name, as in the field `image_name` of SHEEP.

    Returns
    -------
    str or None
        "haloquest" or "visage"; None for names of another kind. SHEEP uses photographs only, so
        HaloQuest's synthetic images are not asked for.
    """
    if _PHOTOGRAPH.fullmatch(name):
        return "haloquest"
    return "visage" if _CONCEPT.fullmatch(name) else None


def load(directory: str | Path | None = None) -> Corpus:
    """Load HaloQuest's questions.

    Parameters
    ----------
    directory : str or Path
        Directory with `haloquest-train.csv`, `haloquest-eval.csv`, or one such file.

    Returns
    -------
    Corpus
        Items whose response is the first reference answer, with the further columns `references`
        (all of them, separated by `; `), `image_type` and `hallucination_type`. There are no ratings.

    Raises
    ------
    InputError
        If there are no such files, or naming each column and value that is missing.
    """
    if directory is None:
        raise InputError(
            Problem("corpus 'haloquest' needs its data", "Give directory=DIR with the CSV files")
        )
    place = Path(directory)
    paths = sorted(place.glob(PATTERN)) if place.is_dir() else [place]
    if not paths or not all(path.is_file() for path in paths):
        raise InputError(Problem("no HaloQuest data", f"Expected files like {PATTERN}", path=place))
    rows = pd.concat([_read(path) for path in paths], ignore_index=True)
    number = rows.groupby("split").cumcount() + 1
    references = rows["groundtruth responses"].str.strip()
    items = pd.DataFrame(
        {
            "item": "haloquest-" + rows["split"] + "-" + number.astype("string"),
            "corpus": "haloquest",
            "split": rows["split"],
            "language": "en",
            "prompt": rows["question"].str.strip(),
            "image": rows["image_name"],
            "response": references.str.strip("; \t\r\n").str.split(";").str[0].str.strip(),
            "strategy": pd.NA,
            "model": pd.NA,
            "source": "haloquest",
            "prelabel": pd.NA,
            "references": references,
            "image_type": rows["image type"],
            "hallucination_type": rows["hallucination type"],
        }
    )
    nothing = "HaloQuest has questions and reference answers; nobody annotated spans in them"
    unnamed = int(rows["image_name"].isna().sum())
    return Corpus(
        "haloquest",
        tables.validate("items", items),
        lacks={
            "ratings": nothing,
            "labels": nothing,
            "kinds": nothing,
            "strategy": nothing,
            "model": nothing,
        },
        notes=(f"{unnamed} questions have no image name",) if unnamed else (),
        licence="CC BY 4.0",
    )


def _read(path: Path) -> pd.DataFrame:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            absent = [name for name in COLUMNS if name not in (reader.fieldnames or [])]
            lines, rows, line = [], [], reader.line_num + 1
            for row in reader:
                lines.append(line)
                rows.append(row)
                line = reader.line_num + 1  # a row may go over several lines
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(Problem(f"not a readable CSV file: {error}", "Download it again", path)) from None
    if absent:
        remedy = f"HaloQuest has the columns {', '.join(COLUMNS)}"
        raise InputError([Problem(f"column '{name}' is missing", remedy, path) for name in absent])
    problems = [
        Problem("value is missing", "Fill it in or remove the row", path, line, name)
        for line, row in zip(lines, rows, strict=True)
        for name in REQUIRED
        if not (row[name] or "").strip("; \t\r\n")
    ] + [
        Problem("more values than columns", "Quote values that hold commas", path, line, value=row[None])
        for line, row in zip(lines, rows, strict=True)
        if None in row
    ]
    if not rows:
        problems = [Problem("no rows", "Download it again", path)]
    if problems:
        raise InputError(problems)
    frame = pd.DataFrame(rows, columns=list(COLUMNS), dtype="string")
    return frame.mask(frame.apply(lambda column: column.str.strip() == ""))

"""The table of what the miniatures can do that comes with the package: written once, read by the book."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from sheeplib import drafts
from sheeplib.errors import InputError, Problem
from sheeplib.miniatures.census_rows import COLUMNS, table
from sheeplib.models.shipped import MAKE

FILE = "abilities.parquet"
PLACE = Path(__file__).parent / FILE
PARTS = ("questions", "captions", "verdicts", "letters")  # what `abilities.measure` gives
_KEPT = ("part", *COLUMNS, "revision")
_AGAIN = f"Measure them again: sheep meadow abilities --directory DIR; or all of it: {MAKE}"


def write_abilities(path: Path, found: Mapping[str, pd.DataFrame], revisions: Mapping[str, str]) -> None:
    """Keep what was measured.

    Parameters
    ----------
    path : Path
        File to write or to replace.
    found : mapping of str to DataFrame
        What `abilities.measure` gave.
    revisions : mapping of str to str
        Which weights of each model were measured, as `shipped.find` names them.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    rows = pd.concat([frame.assign(part=name) for name, frame in found.items()], ignore_index=True)
    rows["revision"] = rows["model"].map(dict(revisions)).astype("string")
    try:
        with drafts.replacing(path) as draft:
            rows.astype({"part": "string"})[list(_KEPT)].to_parquet(draft, index=False)
    except OSError as error:
        what = f"cannot be written: {error.strerror or type(error).__name__}"
        raise InputError(Problem(what, "Choose another directory", path=path)) from None


def read_abilities(path: Path | None = None) -> dict[str, pd.DataFrame]:
    """What was measured when the models were made.

    Parameters
    ----------
    path : Path, optional
        That of the package if not given.

    Returns
    -------
    dict of str to DataFrame
        Of `PARTS`, each with the columns of `census_rows.COLUMNS`.

    Raises
    ------
    InputError
        If the file is not there, or is not such a table.
    """
    rows = _rows(PLACE if path is None else path)
    return {name: table(part[list(COLUMNS)].to_dict("records")) for name, part in _parts(rows)}


def complaints(path: Path, revisions: Mapping[str, str]) -> list[Problem]:
    """What speaks against shipping a file beside the checkpoints of these revisions."""
    try:
        rows = _rows(path)
    except InputError as error:
        return list(error.problems)
    there = dict(zip(rows["model"], rows["revision"], strict=True))
    return [
        Problem(f"abilities of {name} are of other weights", _AGAIN, path=path)
        for name, revision in revisions.items()
        if name in there and there[name] != revision
    ]


def _rows(path: Path) -> pd.DataFrame:
    if not path.is_file():
        raise InputError(Problem("no table of what the miniatures can do", _AGAIN, path=path))
    try:
        rows = pd.read_parquet(path)
    except Exception as error:  # pyarrow raises many kinds
        what = f"not a readable Parquet file: {type(error).__name__}"
        raise InputError(Problem(what, _AGAIN, path=path)) from None
    if lacking := [column for column in _KEPT if column not in rows]:
        raise InputError(Problem(f"lacks columns {', '.join(lacking)}", _AGAIN, path=path))
    if absent := [part for part in PARTS if part not in set(rows["part"])]:
        raise InputError(Problem(f"holds nothing about {', '.join(absent)}", _AGAIN, path=path))
    return rows


def _parts(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    return [(part, rows[rows["part"] == part]) for part in PARTS]

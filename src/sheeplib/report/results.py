"""Tables of results: written by one notebook, read by another."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd

from sheeplib import tables
from sheeplib.errors import InputError, Problem

_NUMBERS = dict.fromkeys(("value", "low", "high", "mean", "half_width"), "float64") | dict.fromkeys(
    ("n", "seed", "resamples"), "Int64"
)  # all other columns name a group


def results_directory() -> Path:
    """Where results are kept: `SHEEP_RESULTS`, which a run sets, else `results/own`.

    So trying things in a notebook by hand never replaces what the book shows.
    """
    return Path(os.environ.get("SHEEP_RESULTS") or Path("results") / "own")


def save_results(frame: pd.DataFrame, notebook: str, directory: Path | None = None) -> None:
    """Write the numbers that a notebook reports, as `NOTEBOOK.csv`.

    Parameters
    ----------
    frame : DataFrame
        Table `results`; the column `notebook` is filled in where it is missing.
    notebook : str
        Name of the notebook, such as `02_agreement`.
    directory : Path, optional
        Default `results_directory()`.

    Raises
    ------
    InputError
        If the table is not valid; what was there before stays.
    """
    directory = results_directory() if directory is None else directory
    path = directory / f"{notebook}.csv"
    named = frame.assign(notebook=notebook) if "notebook" not in frame else frame
    valid = tables.validate("results", named.assign(notebook=named["notebook"].fillna(notebook)), path)
    directory.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.draft")
    valid.to_csv(draft, index=False, lineterminator="\n")
    os.replace(draft, path)


def read_results(directory: Path | None = None, corpus: str | None = None) -> pd.DataFrame:
    """All results of one run, the notebooks' tables one after the other.

    Parameters
    ----------
    directory : Path, optional
        Default `results_directory()`.
    corpus : str, optional
        Name of the corpus that all results must be of.

    Returns
    -------
    DataFrame
        Table `results`; grouping columns that a notebook does not use are missing in its rows.

    Raises
    ------
    InputError
        If there are none, a file is not a valid table, or one was computed on another corpus.
    """
    directory = results_directory() if directory is None else directory
    paths = sorted(directory.glob("*.csv"))
    if not paths:
        what = "no tables of results"
        raise InputError(Problem(what, "Run the notebooks that save them first", path=directory))
    found = {path: _read(path) for path in paths}
    if corpus is not None and (problems := [p for path in paths for p in _others(found[path], corpus, path)]):
        raise InputError(problems)
    return pd.concat(list(found.values()), ignore_index=True)


def _others(table: pd.DataFrame, corpus: str, path: Path) -> list[Problem]:
    """Corpora beside the wanted one: numbers of two in one table would be taken for one corpus's."""
    named = set(table["corpus"].dropna())
    remedy = f"Run notebook '{path.stem}' on {corpus} first"
    return [
        Problem(f"results on {other}, not on {corpus}", remedy, path) for other in sorted(named - {corpus})
    ]


def _read(path: Path) -> pd.DataFrame:
    # As text first: so numbers come back to the last digit, and a group called NA is not missing.
    text = pd.read_csv(path, dtype="string", encoding="utf-8", keep_default_na=False, na_values=[""])
    kinds = {name: kind for name, kind in _NUMBERS.items() if name in text}
    return tables.validate("results", text.astype(kinds), path)

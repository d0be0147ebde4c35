"""The numbers of SHEEP, Table 3, and ours in the same rows."""

from __future__ import annotations

import pandas as pd

from sheeplib import tables
from sheeplib.corpora import Corpus
from sheeplib.errors import InputError, Problem
from sheeplib.published import published
from sheeplib.shift.scores import VARIANTS
from sheeplib.shift.tasks import HUMAN, SOURCES, unavailable

PAPER, TABLE = "sheep", 3
_ROW = ["task", "origin", "language"]


def as_printed(results: pd.DataFrame, corpus: Corpus, variant: str = "ungrouped") -> pd.DataFrame:
    """A row for each number that Table 3 prints, with our value or the reason why there is none.

    Parameters
    ----------
    results : DataFrame
        What `shift` found by language, of any tasks.
    corpus : Corpus
        They were found in.
    variant : {"ungrouped", "grouped"}
        Which of the two to set beside the paper; that it means `ungrouped` is inferred.

    Returns
    -------
    DataFrame
        Table `results`, with `paper` and `table`, so that `report.scorecard` compares these rows with
        that table alone.

    Raises
    ------
    InputError
        If the variant is unknown.
    """
    if variant not in VARIANTS:
        raise InputError(Problem("unknown variant", f"Use {' or '.join(VARIANTS)}", value=variant))
    ours = results[results["quantity"].eq("f1") & results["folds"].eq(variant)].drop(columns=["folds"])
    rows = published(PAPER, TABLE)[["paper", "table", "quantity", *_ROW]]
    found = rows.merge(ours, how="left", on=["quantity", *_ROW], suffixes=("_printed", ""))
    found = found[[*rows.columns, *(name for name in ours if name not in rows.columns)]]
    absent = found["value"].isna() & found["reason"].isna()
    run = set(results.loc[results["folds"].eq(variant), "task"])
    why = [_why(corpus, run, *row) for row in found.loc[absent, _ROW].itertuples(index=False, name=None)]
    found.loc[absent, "reason"] = pd.array(why, dtype=tables.TEXT)
    number = found["table"].astype("Int64")  # whole also beside rows that belong to no table
    found = found.assign(table=number, n=found["n"].fillna(0), corpus=corpus.name)
    return tables.validate("results", found)


def _why(corpus: Corpus, run: set[str], task: str, origin: str, language: str) -> str:
    """Why there is no number for an origin in a language, where the tasks `run` were run."""
    if why := unavailable(corpus, task):
        return why
    if task not in run:
        return f"the {task} task was not run so"
    if not corpus.items["language"].eq(language).any():
        return f"{corpus.name} has no items with language {language}"
    kind = "origin" if origin == HUMAN or origin in SOURCES.values() else "model"
    return f"{corpus.name} has no items with {kind} {origin}"

"""Scores of judges as the tables of the paper have them: a row for each printed number, or why not."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from sheeplib.corpora import Corpus
from sheeplib.judge_scores import ALL
from sheeplib.published import published

_ORIGINS = ("origin", "other_origin")


def beside_table(results: pd.DataFrame, table: int, corpus: Corpus, judge: str | None = None) -> pd.DataFrame:
    """Add a row without value, and why, for each number of a printed table that the results do not have.

    Parameters
    ----------
    results : DataFrame
        Of `judge_scores.judge_scores` (Tables 4 and 11) or `judge_ranking.judge_ranking` (Table 5).
    table : int
    corpus : Corpus
    judge : str, optional
        The judge that takes the place of the paper's, where the results have several.

    Returns
    -------
    DataFrame
        The judge's rows without the column `judge`, and the rows that are missing.
    """
    ours = results
    if "judge" in ours:
        ours = ours[(ours["judge"] == judge).fillna(False) | ours["judge"].isna()].drop(columns="judge")
    printed = published("sheep", table)
    groups = [name for name in (*_ORIGINS, "language") if name in printed]
    other = [name for name in (*_ORIGINS, "language") if name in ours and name not in groups]
    there = set(map(tuple, ours[ours[other].isna().all(axis=1)][["quantity", *groups]].fillna("").to_numpy()))
    missing = printed[
        [tuple(row) not in there for row in printed[["quantity", *groups]].fillna("").to_numpy()]
    ]
    why = [_why(row, ours, corpus) for row in missing.to_dict(orient="records")]  # type: ignore[arg-type]
    rows = missing[["quantity", *groups]].assign(
        n=0, corpus=corpus.name, reason=pd.array(why, dtype="string")
    )
    return pd.concat([ours, rows], ignore_index=True) if len(rows) else ours


def _why(row: Mapping[str, object], ours: pd.DataFrame, corpus: Corpus) -> str:
    """Why there is no number for a printed group."""
    origins = [str(row[name]) for name in _ORIGINS if name in row]
    known = {value for name in _ORIGINS if name in ours for value in ours[name].dropna()}
    if not known and ours["value"].isna().all():
        return str(ours["reason"].dropna().iloc[0])
    if not known:
        return corpus.lacks.get("model", f"{corpus.name} does not say who wrote its answers")
    if absent := next((origin for origin in origins if origin not in known), None):
        return f"{corpus.name} has no answers by {absent} among the items that were judged"
    language = row.get("language")
    if language not in (None, ALL):
        return f"{corpus.name} has no such items in {language}"
    return "the chapter did not compute it"

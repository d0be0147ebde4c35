"""The paper's tables of token scores, number by number: by strategy, and by model and subset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import pandas as pd

from sheeplib import tables
from sheeplib.corpora import Corpus
from sheeplib.detectors.token_scores import Setup, token_scores
from sheeplib.errors import InputError, Problem
from sheeplib.published import published

PAPER = "sheep"
SETUPS: Mapping[int, Setup] = {6: "multiclass", 12: "binary", 13: "binary"}
SUBSETS: Mapping[str, tuple[str, ...]] = {"random": ("random",), "map": ("map",), "all": ("random", "map")}


def token_table(
    corpus: Corpus,
    judged: pd.DataFrame,
    table: Literal[6, 12, 13],
    *,
    resamples: int = 2000,
    seed: int = 2026,
    cluster: str | None = None,
) -> pd.DataFrame:
    """Scores in the groups of one of the paper's tables.

    Parameters
    ----------
    corpus : Corpus
    judged : DataFrame
        As for `token_scores.token_scores`; gold and predictions fit the setup of the table.
    table : {6, 12, 13}
        HalluShift++ in six classes, the same in two, EUQ in two.
    resamples, seed, cluster
        As for `token_scores.token_scores`.

    Returns
    -------
    DataFrame
        Table `results` with `paper, table` and the groups of the printed table, for strategies, and for
        all models that the corpus has. A printed number that cannot be computed is a row without value,
        with the reason.

    Raises
    ------
    InputError
        If there is no such table.

    Source
    ------
    SHEEP, Tables 6, 12 and 13. "All" is random and MAP together: people are not models.
    """
    if table not in SETUPS:
        known = ", ".join(map(str, SETUPS))
        raise InputError(Problem("not a table of token scores", f"Known: {known}", value=table))
    options: dict[str, Any] = {"setup": SETUPS[table], "resamples": resamples, "seed": seed}
    options["cluster"] = cluster
    judged = judged.drop(columns="score", errors="ignore")  # the tables print no AUROC
    parts = []
    if has(corpus, "strategy"):
        found = token_scores(corpus, judged, "strategy", **options)
        parts.append(found.assign(part="a", model=pd.NA, subset=pd.NA))
    if has(corpus, "strategy") and has(corpus, "model"):
        for subset, strategies in SUBSETS.items():
            rows = corpus.items["strategy"].isin(strategies) & corpus.items["model"].notna()
            if not rows.any():
                continue
            chosen = corpus.select(rows)
            own = judged[judged["item"].isin(chosen.items["item"])]
            found = token_scores(chosen, own, "model", **options)
            found = found if table == 13 else found[found["quantity"] == "f1"]
            parts.append(found.assign(part="b", subset=subset, strategy=pd.NA))
    groups = ["strategy", "model", "subset"] if table == 13 else ["part", "strategy", "model", "subset"]
    found = pd.concat(parts, ignore_index=True) if parts else _nothing()
    found = found.drop(columns=["part"] if table == 13 else [], errors="ignore")
    found = pd.concat([found, _missing(corpus, found, table, groups)], ignore_index=True)
    found = found.assign(paper=PAPER, table=table)
    kinds = dict.fromkeys(groups, tables.TEXT) | {"resamples": "Int64", "reason": tables.TEXT}
    return tables.validate("results", found.astype(kinds))


def has(corpus: Corpus, column: str) -> bool:
    """Whether a corpus says this of any of its items."""
    return column in corpus.items and bool(corpus.items[column].notna().any())


def _nothing() -> pd.DataFrame:
    columns = ["quantity", "value", "low", "high", "n", "resamples", "reason", "corpus", "seed", "notebook"]
    return pd.DataFrame(columns=columns)


def _missing(corpus: Corpus, found: pd.DataFrame, table: int, groups: list[str]) -> pd.DataFrame:
    """A row for each printed number that was not computed."""
    known = set() if found.empty else set(map(tuple, found[["quantity", *groups]].fillna("").to_numpy()))
    printed = published(PAPER, table)
    absent = [tuple(row) not in known for row in printed[["quantity", *groups]].fillna("").to_numpy()]
    rows = printed.loc[absent, ["quantity", *groups]].reset_index(drop=True)
    reasons = [why(corpus, row) for row in rows.to_dict(orient="records")]
    return rows.assign(
        value=None, low=None, high=None, n=0, resamples=pd.NA, reason=reasons,
        corpus=corpus.name, seed=pd.NA, notebook=pd.NA,
    )  # fmt: skip


def why(corpus: Corpus, group: Mapping[str, Any]) -> str:
    """Why a corpus has no number for a group of items, in words for the reader."""
    for column in ("strategy", "model"):
        value = group.get(column)
        if not has(corpus, column) and (pd.notna(value) or pd.notna(group.get("subset"))):
            return corpus.lacks.get(column, f"{corpus.name} does not say the {column} of its items")
        if pd.notna(value) and not corpus.items[column].eq(value).any():
            return f"{corpus.name} has no items with {column} {value}"
    return f"{corpus.name} has no such items"

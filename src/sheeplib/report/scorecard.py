"""Paper against rerun: every printed number beside ours, with a verdict."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from sheeplib.corpora import Corpus
from sheeplib.errors import InputError, Problem
from sheeplib.published import published
from sheeplib.report.display import interval

WITHIN = "within the interval"
DIFFERS = "differs"
NOT_COMPUTABLE = "not computable"
NO_CHAPTER = "no chapter computes this table yet"
VERDICTS = (WITHIN, DIFFERS, NOT_COMPUTABLE)

# Columns that say how a number came about or how sure it is; all others are groups.
_NUMBER = {"value", "low", "high", "half_width", "mean", "unit"}
_ORIGIN = {"paper", "table", "quantity", "n", "resamples", "reason", "corpus", "seed", "notebook"}

Key = tuple[str, frozenset[tuple[str, str]]]


def groups(row: pd.Series) -> dict[str, str]:
    """Grouping columns of a printed or computed number that are not missing."""
    names = [name for name in row.index if name not in _NUMBER | _ORIGIN]
    return {name: str(row[name]) for name in names if pd.notna(row[name])}


def scorecard(results: pd.DataFrame, printed: Iterable[tuple[str, int]]) -> pd.DataFrame:
    """Join printed numbers with the numbers of a rerun.

    Parameters
    ----------
    results : DataFrame
        Table `results`. A row belongs to a printed number if quantity and groups are equal; rows
        with `paper` and `table` belong to that table alone.
    printed : iterable of (str, int)
        Papers and tables to compare with, as for `published`.

    Returns
    -------
    DataFrame
        One row a printed number: `paper, table, quantity, groups, printed, half_width` (the paper's,
        where it prints one), `ours, low, high, n, difference` (ours minus printed), `verdict` and
        `why`. The verdict is `within the interval` if the printed value lies in our 95 % interval,
        `differs` if it does not, and `not computable` where we have no value or no interval.

    Raises
    ------
    InputError
        If two results claim the same printed number.
    """
    ours = _by_key(results)
    rows = [_compared(row, ours) for paper, table in printed for _, row in published(paper, table).iterrows()]
    text = ["paper", "quantity", "groups", "verdict", "why"]
    return pd.DataFrame(rows).astype(dict.fromkeys(text, "string") | {"n": "Int64"})


def matching(printed: pd.DataFrame, results: pd.DataFrame) -> pd.DataFrame:
    """Printed numbers whose quantity and groups the results have a value for."""
    known = {key for (_, _, key), row in _by_key(results).items() if pd.notna(row["value"])}
    return printed[[_key(row) in known for _, row in printed.iterrows()]]


def readable(card: pd.DataFrame) -> pd.DataFrame:
    """The numbers of a scorecard that could be compared, ours with its interval, for a page."""
    compared = card[card["verdict"] != NOT_COMPUTABLE]
    triples = zip(compared["ours"], compared["low"], compared["high"], strict=True)
    return compared[["quantity", "groups", "printed"]].assign(
        table=compared["paper"] + " " + compared["table"].astype("string"),
        ours=[interval(*triple) for triple in triples],
        verdict=compared["verdict"],
    )[["table", "quantity", "groups", "printed", "ours", "verdict"]]


def _by_key(results: pd.DataFrame) -> dict[tuple[object, object, Key], pd.Series]:
    found: dict[tuple[object, object, Key], pd.Series] = {}
    for _, row in results.iterrows():
        table = row.get("table")
        place = (
            (None, None) if pd.isna(table) else (row["paper"], int(float(table)))
        )  # beside gaps, a file has 6.0
        key = (*place, _key(row))
        if key in found:
            what = f"two results for {row['quantity']} ({_said(row)})"
            raise InputError(Problem(what, "Give them distinct groups, or name paper and table"))
        found[key] = row
    return found


def _key(row: pd.Series) -> Key:
    return str(row["quantity"]), frozenset(groups(row).items())


def _said(row: pd.Series) -> str:
    return ", ".join(f"{name} {value}" for name, value in groups(row).items()) or "all"


def _compared(row: pd.Series, ours: dict[tuple[object, object, Key], pd.Series]) -> dict[str, object]:
    key = _key(row)
    found = ours.get((row["paper"], int(row["table"]), key), ours.get((None, None, key)))
    said = {
        "paper": row["paper"], "table": row["table"], "quantity": row["quantity"], "groups": _said(row),
        "printed": row["value"], "half_width": row.get("half_width"),
    }  # fmt: skip
    nothing = {"ours": None, "low": None, "high": None, "n": pd.NA, "difference": None}
    if found is None:
        return said | nothing | {"verdict": NOT_COMPUTABLE, "why": NO_CHAPTER}
    if pd.isna(found["value"]):
        why = found.get("reason")
        why = "the chapter gives no reason" if why is None or pd.isna(why) else why
        return said | nothing | {"verdict": NOT_COMPUTABLE, "why": why}
    numbers = {"ours": found["value"], "low": found["low"], "high": found["high"], "n": found["n"]}
    if pd.isna(found["low"]) or pd.isna(found["high"]):
        verdict = {"verdict": NOT_COMPUTABLE, "why": "the rerun has no interval to compare with"}
    else:
        inside = found["low"] <= row["value"] <= found["high"]
        verdict = {"verdict": WITHIN if inside else DIFFERS, "why": pd.NA}
    return said | numbers | {"difference": found["value"] - row["value"]} | verdict


def complete(results: pd.DataFrame, printed: Iterable[tuple[str, int]], corpus: Corpus) -> pd.DataFrame:
    """Add a row without value, and why, for each printed number that the results do not have.

    Parameters
    ----------
    results : DataFrame
        What a chapter computed from the corpus.
    printed : iterable of (str, int)
        Tables that the chapter is about.
    corpus : Corpus

    Returns
    -------
    DataFrame
        `results` with `reason` filled in for what is missing.
    """
    known = {key for _, _, key in _by_key(results)}
    rows = []
    for paper, table in printed:
        for _, row in published(paper, table).iterrows():
            if (key := _key(row)) not in known:
                known.add(key)
                missing = {"quantity": row["quantity"], "n": 0, "corpus": corpus.name}
                rows.append(missing | groups(row) | {"reason": why_absent(corpus, groups(row))})
    return pd.concat([results, pd.DataFrame(rows)], ignore_index=True) if rows else results


def why_absent(corpus: Corpus, group: dict[str, str]) -> str:
    """Why a corpus gives no number for a group of items, in words for the reader."""
    there = pd.Series(True, index=corpus.items.index)
    named = [("strategy" if name == "subset" else name, value) for name, value in group.items()]
    # A subset is "random+map": strategies united. Which model is missing says more than which detector.
    for column, value in sorted(named, key=lambda pair: pair[0] not in corpus.items):
        wanted = set(value.split("+"))
        if column not in corpus.items or corpus.items[column].isna().all():
            return corpus.lacks.get(column, f"{corpus.name} does not say the {column} of its items")
        found = corpus.items[column].isin(wanted)
        if not found.any():
            return f"{corpus.name} has no items with {column} {' or '.join(sorted(wanted))}"
        there &= found
    if there.any():
        return "the chapter did not compute it for this group"
    return f"{corpus.name} has no items with {', '.join(f'{k} {v}' for k, v in group.items())}"

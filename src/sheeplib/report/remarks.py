"""What a page must say beside its numbers: what is simulated, what is missing, and why."""

from __future__ import annotations

import html
from dataclasses import dataclass

import pandas as pd

from sheeplib.contrasts import measure_of
from sheeplib.corpora import Corpus
from sheeplib.report.display import interval
from sheeplib.report.figures import MEASURES


@dataclass(frozen=True)
class Remark:
    """Paragraphs and a list, safe to show whatever the texts say.

    Parameters
    ----------
    paragraphs, points : tuple of str
    """

    paragraphs: tuple[str, ...]
    points: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([*self.paragraphs, *(f"- {point}" for point in self.points)])

    def _repr_html_(self) -> str:
        said = "".join(f"<p>{html.escape(text)}</p>" for text in self.paragraphs)
        listed = "".join(f"<li>{html.escape(point)}</li>" for point in self.points)
        return f'<div class="sheep-remark">{said}{f"<ul>{listed}</ul>" if listed else ""}</div>'


def describe(corpus: Corpus) -> Remark:
    """What a corpus says about itself: whether it is real, its licence, what it lacks and why."""
    counts = (
        f"Corpus {corpus.name}: {len(corpus.items):,} items, {len(corpus.ratings):,} annotations, "
        f"{len(corpus.spans):,} spans by single annotators, {len(corpus.labels):,} aggregated spans. "
        f"Licence: {corpus.licence or 'not stated'}."
    )
    kind = corpus.simulated or "Items and annotations are real."
    lacks = [f"No {name}: {why.removesuffix('.')}." for name, why in corpus.lacks.items()]
    return Remark((counts, kind), (*lacks, *(f"Note: {note.removesuffix('.')}." for note in corpus.notes)))


def reasons(results: pd.DataFrame) -> Remark:
    """Why values of a table `results` are missing, each reason once with the quantities."""
    missing = results[results["value"].isna()]
    if not len(missing):
        return Remark(("Every value is defined.",))
    why = missing["reason"].fillna("no reason is given")
    by_reason = missing.groupby(why, sort=False)["quantity"].unique()
    points = tuple(f"{', '.join(quantities)}: {reason}." for reason, quantities in by_reason.items())
    return Remark(("Not computable, and why:",), points)


def emerging(differences: pd.DataFrame, by: str, corpus: Corpus) -> Remark:
    """Which differences between groups emerge from chance, measure by measure.

    Parameters
    ----------
    differences : DataFrame
        What `contrasts.differences` found.
    by : str
        Column of the groups.
    corpus : Corpus
        They were found in; what it says of its simulation is said again.
    """
    differences = differences.reset_index(drop=True)
    known = differences.dropna(subset=["value", "low", "high"])
    clear = known[(known["low"] > 0) | (known["high"] < 0)]
    if len(known):
        counts = (
            f"Of {len(known)} differences between groups by {by}, {len(clear)} have a 95 % interval that "
            "leaves out zero. Of differences that are none, one in twenty has such an interval by chance."
        )
    else:
        counts = f"No difference between groups by {by} can be computed."
    points = [
        _said(name, rows, set(clear.index), by) for name, rows in differences.groupby("quantity", sort=False)
    ]
    return Remark((counts, corpus.simulated) if corpus.simulated else (counts,), tuple(points))


def _said(quantity: str, rows: pd.DataFrame, clear: set[int], by: str) -> str:
    """One measure: first what is above what, then between which groups nothing is clear."""
    above, level, undefined = [], [], []
    for place, row in rows.iterrows():
        one, other = row[by], row["against"]
        if pd.isna(row["low"]):
            undefined.append(f"{one} and {other} cannot be compared: {row['reason']}")
        elif place not in clear:
            level.append(f"{one} and {other}")
        elif row["value"] > 0:
            above.append(f"{one} is above {other} by {interval(row['value'], row['low'], row['high'])}")
        else:
            above.append(f"{other} is above {one} by {interval(-row['value'], -row['high'], -row['low'])}")
    if level:
        above.append(f"no clear difference between {', nor between '.join(level)}")
    measure = " ".join(MEASURES.get(measure_of(quantity), quantity).split())
    return f"{measure}: {'; '.join(above + undefined)}."

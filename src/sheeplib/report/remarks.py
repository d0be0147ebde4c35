"""What a page must say beside its numbers: what is simulated, what is missing, and why."""

from __future__ import annotations

import html
from dataclasses import dataclass

import pandas as pd

from sheeplib.corpora import Corpus


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

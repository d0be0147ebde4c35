"""Mentions: every object that a text names, and whether it thereby says that the object is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from sheeplib import tables
from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.reading import read
from sheeplib.corpora.meadow.scenes import named_scene
from sheeplib.errors import InputError, Problem

# Status and subtype of what a form names without asserting it; the subtype of what is excluded says why.
UNASSERTED: Mapping[str, tuple[str, str]] = {
    "hedged": ("non-assertive", "hedged"),
    "picture": ("non-assertive", "depictive"),
    "purpose": ("non-assertive", "purpose"),
    "absent": ("non-assertive", "negation"),
    "generic": ("excluded", "generic"),
    "compound": ("excluded", "compound"),
}
_NEEDED = ("item", "language", "image", "response")


def mentions(texts: pd.DataFrame) -> pd.DataFrame:
    """Find the objects that texts name.

    Parameters
    ----------
    texts : DataFrame
        Columns `item`, `language` (code), `image` (such as `meadow-000123`) and `response`.

    Returns
    -------
    DataFrame
        Table `mentions`, by item in the order given and then by place in the text. `concept` is a COCO
        class, `present` whether the image shows it; what a framed picture shows is not present.
        `subtype` is missing for what is asserted, and for what is excluded it is `generic` or
        `compound`. What is said again is counted again. Sentences that cannot be read have no mentions;
        see `reading.read`.

    Raises
    ------
    InputError
        If a column or a value is missing, a language or an image unknown, or an item twice there.

    Source
    ------
    NAME-Bench, table 9 (from kinds of sentence to status and subtype). One choice differs: a hedge that
    has a word of negation in it ("but I am not sure") is `hedged` here, by the form of the sentence,
    while the paper's mapping, which goes by cues, would say `negation`.
    """
    _check(texts)
    rows = []
    for item, language, image, response in texts[list(_NEEDED)].itertuples(index=False):
        present = named_scene(image).kinds
        for place, (start, end, kind, form) in enumerate(_named(response, language)):
            shown = kind in present
            status, subtype = UNASSERTED.get(form, ("concrete" if shown else "hallucinated", pd.NA))
            rows.append((item, place, start, end, kind, status, subtype, shown))
    return tables.validate("mentions", pd.DataFrame(rows, columns=list(tables.SCHEMAS["mentions"].columns)))


def _named(response: str, language: str) -> Iterator[tuple[int, int, str, str]]:
    """Start, end, kind and form of everything that is named, first to last."""
    for statement in read(response, language).statements:
        for field, start, end in statement.parts:
            if statement.claim and field in ("kind", "other"):
                yield start, end, getattr(statement.claim, field), statement.claim.form


def _check(texts: pd.DataFrame) -> None:
    problems = [
        Problem("table of texts lacks a column", "Add it", field=name)
        for name in _NEEDED
        if name not in texts.columns
    ]
    if problems:
        raise InputError(problems)
    for name in _NEEDED:
        for row in texts.index[texts[name].isna()]:
            problems.append(Problem(f"row {row}: value is missing", "Fill it in", field=name))
    known = f"Choose one of {', '.join(LANGUAGES)}"
    for language in texts["language"].dropna().unique():
        if language not in LANGUAGES:
            problems.append(
                Problem("no such language in the meadow", known, field="language", value=language)
            )
    for item in texts["item"][texts["item"].duplicated()].dropna().unique():
        problems.append(Problem("item occurs twice", "Remove one of the rows", field="item", value=item))
    if problems:
        raise InputError(problems)

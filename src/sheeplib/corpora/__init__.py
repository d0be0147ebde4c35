"""Corpora by name: each gives items, ratings and spans, and says what it lacks."""

from __future__ import annotations

import hashlib
import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import entry_points
from typing import Any

import pandas as pd

from sheeplib import tables
from sheeplib.errors import InputError, Problem

# Modules, not functions, so that naming a corpus imports nothing but its own module.
CORPORA: Mapping[str, str] = {
    "meadow": "sheeplib.corpora.meadow:load",
    "sheep": "sheeplib.corpora.sheep:load",
    "mushroom": "sheeplib.corpora.mushroom:load",
    "haloquest": "sheeplib.corpora.haloquest:load",
    "coco": "sheeplib.corpora.coco:load",
}


@dataclass(frozen=True)
class Corpus:
    """The tables of one corpus.

    Parameters
    ----------
    name : str
        Name in `CORPORA`.
    items, ratings, spans : DataFrame
        Tables of these names in `sheeplib.tables.SCHEMAS`; `ratings` and `spans` are empty where
        a release keeps its annotators to itself.
    labels : DataFrame
        Aggregated labels, table `labels`: read from the release, or derived from `spans`.
    lacks : mapping of str to str
        What the corpus cannot give (`"ratings"`, `"strategy"`, `"model"`, `"labels"`, `"kinds"`)
        and why, in a sentence that a chapter can print.
    notes : tuple of str
        What reading the files had to decide, such as spans that were clipped.
    licence : str
        Licence of the data.
    simulated : str
        What in the corpus is simulated, in a sentence; empty where all of it is real.
    picture : callable, optional
        Gives an item's image (a PIL image) by the name in `items`, where images are at hand: what
        models are shown, pixel by pixel.
    enlarged : callable, optional
        Gives the same image larger, for pages, where it can be drawn so.
    """

    name: str
    items: pd.DataFrame
    ratings: pd.DataFrame = field(default_factory=lambda: tables.empty("ratings"))
    spans: pd.DataFrame = field(default_factory=lambda: tables.empty("spans"))
    labels: pd.DataFrame = field(default_factory=lambda: tables.empty("labels"))
    lacks: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    licence: str = ""
    simulated: str = ""
    picture: Callable[[str], Any] | None = None
    enlarged: Callable[[str], Any] | None = None

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (first 16 hexadecimal digits) of the tables' contents."""
        digest = hashlib.sha256(self.name.encode())
        for table in (self.items, self.ratings, self.spans, self.labels):
            digest.update(table.to_json(orient="split", index=False, double_precision=15).encode())
        return digest.hexdigest()[:16]

    def select(self, rows: pd.Series) -> Corpus:
        """The corpus of those items alone for which `rows` (boolean, over `items`) is true."""
        items = self.items[rows.fillna(False).astype(bool)].reset_index(drop=True)
        kept = set(items["item"])
        parts = {
            name: (table := getattr(self, name))[table["item"].isin(kept)].reset_index(drop=True)
            for name in ("ratings", "spans", "labels")
        }
        return replace(self, items=items, **parts)


def load(name: str, **options: Any) -> Corpus:
    """Load a corpus.

    Parameters
    ----------
    name : str
        One of `CORPORA`, or of the entry point group `sheeplib.corpora`.
    **options
        What the corpus takes, such as `directory` for corpora that are not embedded.

    Returns
    -------
    Corpus

    Raises
    ------
    InputError
        If the name is unknown, or the files are not what they should be.
    """
    loader = _loader(name)
    try:
        inspect.signature(loader).bind(**options)
    except TypeError as error:
        takes = ", ".join(inspect.signature(loader).parameters) or "nothing"
        raise InputError(Problem(f"corpus '{name}': {error}", f"It takes: {takes}")) from None
    return loader(**options)


def _loader(name: str) -> Callable[..., Corpus]:
    if name in CORPORA:
        module, function = CORPORA[name].split(":")
        return getattr(importlib.import_module(module), function)
    others = {point.name: point for point in entry_points(group="sheeplib.corpora")}
    if name in others:
        return others[name].load()
    raise InputError(Problem(f"unknown corpus '{name}'", f"Known: {', '.join([*CORPORA, *others])}"))

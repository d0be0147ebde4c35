"""The mu-SHROOM 2025 scorer: IoU of hard spans, Cor of soft ones; where it differs, it is kept.

Reference spans overwrite one another, a constant text on either side is worth 1 if the other side is
constant too, whatever the values, and references and predictions must hold the same items.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from sheeplib.errors import InputError, Problem
from sheeplib.jsonl import read_jsonl
from sheeplib.scoring.marked import Marked, by_item, data_files
from sheeplib.scoring.measures import Span, level, overlap, runs, spearman
from sheeplib.scoring.rules import NOWHERE, Place, shortlist, type_problems
from sheeplib.scoring.visions import outside_problems, require_references

Stretch = tuple[int, int]
TYPES = {"item": "string", "language": "string", "cor": "float64", "iou": "float64"}


@dataclass(frozen=True, slots=True)
class SoftMarked(Marked):
    """The soft spans of one item, and its hard spans.

    Parameters
    ----------
    hard : tuple of (int, int)
        What counts as marked, half-open.
    """

    hard: tuple[Stretch, ...] = ()

    @classmethod
    def read(cls, record: Mapping[str, Any], place: Place = NOWHERE) -> SoftMarked:
        """A record of labelled data or of a submission.

        Raises
        ------
        InputError
            If `id` or both of `soft_labels` and `hard_labels` are missing, or a span is not one.

        Notes
        -----
        Where one kind of spans is missing, it is made of the other: see `harden`; a hard span is a soft
        one of probability 1.
        """
        item, text, language = record.get("id"), record.get("model_output_text"), record.get("lang")
        soft, hard = record.get("soft_labels"), record.get("hard_labels")
        problems = [] if isinstance(item, str) else [place.problem("not a text", "Name the item", "id", item)]
        if soft is None and hard is None:
            remedy = "Give at least one of them; [] where nothing is marked"
            problems.append(place.problem("both are missing", remedy, "soft_labels, hard_labels"))
        problems += [] if soft is None else _soft_problems(soft, place)
        problems += [] if hard is None else _hard_problems(hard, place)
        if problems:
            raise InputError(problems)
        stretches = None if hard is None else tuple((start, end) for start, end in hard)
        if soft is None:
            spans = tuple(Span(start, end) for start, end in stretches or ())
        else:
            spans = tuple(Span(one["start"], one["end"], float(one["prob"])) for one in soft)
        return cls(
            str(item),
            spans,
            len(text) if isinstance(text, str) else None,
            language.lower() if isinstance(language, str) else None,
            place=place,
            hard=harden(spans) if stretches is None else stretches,
        )


def _soft_problems(soft: object, place: Place) -> list[Problem]:
    if not isinstance(soft, list):
        return [place.problem("not a list", "Give a list of spans", "soft_labels", soft)]
    spans = [{**span, "label": ""} if isinstance(span, Mapping) else span for span in soft]
    named = ((f"soft_labels[{number}]", span) for number, span in enumerate(spans))
    return [problem for field, span in named for problem in type_problems(span, field, False, place)]


def _hard_problems(hard: object, place: Place) -> list[Problem]:
    if not isinstance(hard, list):
        return [place.problem("not a list", "Give a list of pairs", "hard_labels", hard)]
    return [
        place.problem("not a pair of whole numbers", "Write [start, end]", f"hard_labels[{number}]", pair)
        for number, pair in enumerate(hard)
        if not (isinstance(pair, list | tuple) and len(pair) == 2 and all(type(end) is int for end in pair))
    ]


def harden(spans: Iterable[Span]) -> tuple[Stretch, ...]:
    """Hard spans of soft ones: those above 0.5, in order, merged where one starts as the last ended.

    Returns
    -------
    tuple of (int, int)
    """
    merged: list[Stretch] = []
    for start, end in sorted((span.start, span.end) for span in spans if span.prob > 0.5):
        if merged and merged[-1][1] == start:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return tuple(merged)


def read_mushroom(path: str | Path) -> list[SoftMarked]:
    """Read labelled data or a submission: a `.jsonl` file or a directory of them.

    Raises
    ------
    InputError
        At the first line that is wrong.
    """
    return [
        SoftMarked.read(record, Place(file, line))
        for file in data_files(path)
        for line, record in read_jsonl(file)
    ]


def score_mushroom(
    references: Iterable[SoftMarked | Mapping[str, Any]],
    predictions: Iterable[SoftMarked | Mapping[str, Any]],
) -> pd.DataFrame:
    """Score every item.

    Parameters
    ----------
    references, predictions : iterable of SoftMarked or of mapping
        Marked texts, or records as the files hold them.

    Returns
    -------
    DataFrame, one row an item, by item
        `item, language, cor, iou`, for `summarise`.

    Raises
    ------
    InputError
        If the items of both sides differ, one occurs twice, or a soft span leaves the text.

    Notes
    -----
    Source: the released scorer of mu-SHROOM 2025, redone from a description of what it computes.
    """
    gold = by_item(one if isinstance(one, SoftMarked) else SoftMarked.read(one) for one in references)
    guesses = by_item(one if isinstance(one, SoftMarked) else SoftMarked.read(one) for one in predictions)
    require_references(gold, guesses)
    missing = [item for item in gold if item not in guesses]
    if missing:
        what = f"{len(missing)} of {len(gold)} items are not predicted: {shortlist(missing)}"
        raise InputError(Problem(what, "Predict every item", field="id"))
    problems: list[Problem] = []
    rows = []
    for item in sorted(guesses):
        reference, prediction = gold[item], guesses[item]
        wrong = _unusable(reference, prediction)
        problems += wrong
        if not wrong:
            language = pd.NA if reference.language is None else reference.language
            cor = correlation(reference.length or 0, reference.spans, prediction.spans)
            rows.append((item, language, cor, overlap(reference.hard, prediction.hard)))
    if problems:
        raise InputError(problems)
    return pd.DataFrame(rows, columns=list(TYPES)).astype(TYPES)


def _unusable(reference: SoftMarked, prediction: SoftMarked) -> list[Problem]:
    length = reference.length
    if length is None:
        return [reference.place.problem("not a text", "Give the text that is marked", "model_output_text")]
    return [
        problem
        for text in (reference, prediction)
        for number, span in enumerate(text.spans)
        for problem in outside_problems(span, f"soft_labels[{number}]", length, text.place)
    ]


def correlation(length: int, reference: Sequence[Span], prediction: Sequence[Span]) -> float:
    """Cor of mu-SHROOM.

    Parameters
    ----------
    length : int
        Code points of the text.
    reference, prediction : sequence of Span
        Where spans overlap, the last one counts.

    Returns
    -------
    float
        Spearman's rho; if either side is constant (to 8 decimals), 1 if both are, else 0.
    """
    widths, gold, guess = runs(length, reference, prediction, add=False)
    constant = [level(length, values) is not None for values in (gold, guess)]
    return float(all(constant)) if any(constant) else spearman(widths, gold, guess)

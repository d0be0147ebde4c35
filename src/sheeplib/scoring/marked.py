"""Marked texts: one item's spans as a reference or a prediction gives them, and where they stood."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from sheeplib.errors import InputError, Problem
from sheeplib.jsonl import jsonl_files, scan_jsonl
from sheeplib.scoring.measures import Span
from sheeplib.scoring.rules import NAMES, NOWHERE, Place, language_of, record_problems, type_problems
from sheeplib.tables import unknown_label


@dataclass(frozen=True, slots=True)
class Marked:
    """The spans of one item.

    Parameters
    ----------
    item : str
        Identifier, `<split>-<language>-<number>` in the shared task.
    spans : tuple of Span
        In the order of the file, labels by their official names.
    length : int, optional
        Code points of the response; references have it.
    language : str, optional
        Lower case.
    positive : bool, optional
        Whether strictly more than half of the annotators marked anything; `None` without annotators.
    place : Place
        Where the record stood, for messages.
    """

    item: str
    spans: tuple[Span, ...]
    length: int | None = None
    language: str | None = None
    positive: bool | None = None
    place: Place = NOWHERE

    @classmethod
    def reference(cls, record: Mapping[str, Any], place: Place = NOWHERE) -> Marked:
        """A record of labelled data, in the shared task's schema or in that of SHEEP, Figure 1.

        Raises
        ------
        InputError
            If `id`, `response`, `labels` or a span is missing or of the wrong type.
        """
        return _marked(record, place, predicted=False)

    @classmethod
    def prediction(cls, record: Mapping[str, Any], place: Place = NOWHERE) -> Marked:
        """A record of a submission. `prob` must be written with a decimal point: `1.0`, not `1`.

        Raises
        ------
        InputError
            If `id`, `labels` or a span is missing or of the wrong type.
        """
        return _marked(record, place, predicted=True)


AnyMarked = TypeVar("AnyMarked", bound=Marked)


def _marked(record: Mapping[str, Any], place: Place, predicted: bool) -> Marked:
    problems = record_problems(record, place)
    labels, response, raw = record.get("labels"), record.get("response"), record.get("raw_annots")
    for number, span in enumerate(labels if isinstance(labels, list) else []):
        problems += type_problems(span, f"labels[{number}]", predicted, place)
    if not predicted and not isinstance(response, str):
        problems.append(place.problem("not a text", "Give the text that is marked", "response", response))
    if not predicted and not isinstance(raw, Mapping | None):
        remedy = "Map each annotator to a text such as '3:14|A'"
        problems.append(place.problem("not an object", remedy, "raw_annots", raw))
    if problems:
        raise InputError(problems)
    item: str = record["id"]
    return Marked(
        item,
        tuple(_span(span, predicted) for span in record["labels"]),
        len(response) if isinstance(response, str) else None,
        language_of(item) or _lower(record.get("language")),
        # a majority of marks, whatever they are: the released scorer compares with the empty annotation
        None if raw is None or predicted else 2 * sum(marks != "|" for marks in raw.values()) > len(raw),
        place,
    )


def _lower(language: object) -> str | None:
    return language.lower() if isinstance(language, str) and language else None


def _span(span: Mapping[str, Any], predicted: bool) -> Span:
    label = span["label"] if predicted else NAMES.get(span["label"], span["label"])
    return Span(span["start"], span["end"], float(span["prob"]), label)


def read_references(path: str | Path) -> list[Marked]:
    """Read labelled data: a file, or a directory of `.jsonl` files.

    Parameters
    ----------
    path : str or Path
        If a directory holds files named `*.labeled.jsonl`, those alone are read.

    Returns
    -------
    list of Marked

    Raises
    ------
    InputError
        With every line that is wrong, or if there is nothing to read.
    """
    files = data_files(path)
    labelled = [file for file in files if file.name.endswith(".labeled.jsonl")]
    return _read(labelled or files, path, predicted=False)


def read_predictions(path: str | Path) -> list[Marked]:
    """Read a submission: a file, or a directory of `.jsonl` files.

    Returns
    -------
    list of Marked

    Raises
    ------
    InputError
        With every line that is wrong, or if there is nothing to read.
    """
    return _read(jsonl_files(path), path, predicted=True)


def data_files(path: str | Path) -> list[Path]:
    """As `jsonl_files`, but also in the folder `distrib`, into which an official release unpacks."""
    inner = Path(path, "distrib")
    return jsonl_files(path) or (jsonl_files(inner) if inner.is_dir() else [])


def _read(files: list[Path], path: str | Path, predicted: bool) -> list[Marked]:
    texts: list[Marked] = []
    problems: list[Problem] = []
    for file in files:
        for line, record in scan_jsonl(file, constants=predicted):  # the released scorer takes NaN
            try:
                if isinstance(record, Problem):
                    raise InputError(record)
                texts.append(_marked(record, Place(file, line), predicted))
            except InputError as error:
                problems += error.problems
    if not texts and not problems:
        kind = "predictions" if predicted else "references"
        problems.append(Problem(f"no {kind} found", "Give a .jsonl file or a directory of them", path=path))
    if problems:
        raise InputError(problems)
    return texts


def marked_from_tables(
    items: pd.DataFrame,
    labels: pd.DataFrame,
    ratings: pd.DataFrame | None = None,
    spans: pd.DataFrame | None = None,
) -> list[Marked]:
    """Marked texts from the tidy tables, to serve as references or as predictions.

    Parameters
    ----------
    items : DataFrame
        Table `items`; every item gives one marked text.
    labels : DataFrame
        Table `labels`: aggregated labels, or a system's predictions in the same columns.
    ratings, spans : DataFrame, optional
        The annotators, for the classification of references.

    Returns
    -------
    list of Marked

    Raises
    ------
    InputError
        If a label is missing or unknown, or a label belongs to no item.
    """
    marks: dict[str, list[Span]] = defaultdict(list)
    columns = (labels[name].tolist() for name in ("item", *Span._fields))
    for item, start, end, prob, label in zip(*columns, strict=True):
        if label not in NAMES:
            raise InputError(unknown_label(label, field="label"))
        marks[item].append(Span(start, end, prob, NAMES[label]))
    strangers = set(marks) - set(items["item"])
    if strangers:
        remedy = "Remove them or add the items"
        raise InputError(Problem("labels of unknown items", remedy, field="item", value=sorted(strangers)))
    positive = _majorities(ratings, spans)
    languages = [None if pd.isna(language) else language for language in items["language"]]
    rows = zip(items["item"], items["response"], languages, strict=True)
    return [
        Marked(item, tuple(marks[item]), len(response), language, positive.get(item))
        for item, response, language in rows
    ]


def _majorities(ratings: pd.DataFrame | None, spans: pd.DataFrame | None) -> dict[str, bool]:
    if ratings is None or spans is None:
        return {}
    raters = Counter(ratings["item"])
    marking = Counter(spans[["item", "annotator"]].drop_duplicates()["item"])
    return {item: 2 * marking[item] > number for item, number in raters.items()}


def by_item(texts: Iterable[AnyMarked]) -> dict[str, AnyMarked]:
    """Marked texts by their identifier.

    Raises
    ------
    InputError
        If an identifier occurs twice.
    """
    found: dict[str, AnyMarked] = {}
    problems = []
    for text in texts:
        first = found.setdefault(text.item, text)
        if first is not text:
            where = "" if first.place.path is None else f", first at {first.place}"
            what, remedy = f"the item is given twice{where}", "Keep one of the two records"
            problems.append(text.place.problem(what, remedy, "id", text.item))
    if problems:
        raise InputError(problems)
    return found

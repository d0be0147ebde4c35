"""SHEEP, the data of the first paper and of the shared task SHROOM-visions 2026 (CC BY-NC).

Two forms of record are read, and may be mixed: the shared task's, whose `labels` carry official names
and no annotators, and the paper's (Figure 1), with letters, `raw_annots`, `comments` and `metadata`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from sheeplib import tables
from sheeplib.corpora import Corpus, sheep_files
from sheeplib.corpora.aggregate import aggregate_labels
from sheeplib.corpora.annotations import parse
from sheeplib.corpora.haloquest import source_of_image
from sheeplib.corpora.sheep_records import STRATEGIES, labels_of, record_problems
from sheeplib.errors import InputError, Problem

LICENCE = "CC BY-NC (SHEEP; Mickus et al., 2026)"
ABSENT = {
    "ratings": "this release has no annotators: it gives the share of them who marked a span, not who",
    "labels": "this release has no labels: those of the test set are withheld",
    "strategy": "this release does not say how an item was chosen (random, MAP or human-written)",
    "model": "this release does not say which model generated a response",
    "prelabel": "this release does not give the labels expected by judge or writer",
}


@dataclass
class _Rows:
    """What has been read so far."""

    items: list[dict[str, Any]] = field(default_factory=list)
    ratings: list[tuple[str, str, Any]] = field(default_factory=list)
    spans: list[tuple[str, str, int, int, int, str]] = field(default_factory=list)
    labels: list[tuple[str, int, int, float, str]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    released: set[str] = field(default_factory=set)  # items with the field `labels`, empty or not
    lines: dict[str, str] = field(default_factory=dict)
    notes: Counter[str] = field(default_factory=Counter)


def load(
    directory: str | Path | None = None,
    split: str | None = None,
    languages: Sequence[str] | None = None,
    labels: str = "derived",
) -> Corpus:
    """Load SHEEP.

    Parameters
    ----------
    directory : str or Path
        Directory or zip that holds files like `shroom-vision.train.en.labeled.jsonl`, at any depth;
        or one file of records.
    split : {"train", "test"}, optional
        Default both.
    languages : sequence of str, optional
        Of en, fr, it, zh; default all that are there.
    labels : {"derived", "release"}
        Aggregated labels of items with annotators: derived from the annotators' spans, or as the
        release prints them. The two differ in places; where there are no annotators, or where the
        release has no labels, the other is used.

    Returns
    -------
    Corpus
        Where some items are unlabelled, such as the test set's, `items` has a further column
        `labelled` (boolean), so that they are not taken for items in which nobody marked anything.
        `lacks` says what the release does not give; `notes` counts what reading had to decide.

    Raises
    ------
    InputError
        Naming file, line, field and remedy of everything that is wrong.
    """
    if directory is None:
        raise InputError(
            Problem("corpus 'sheep' needs its data", "sheep fetch sheep, then give directory=DIR")
        )
    if labels not in ("derived", "release"):
        raise InputError(Problem("unknown kind of labels", "Use 'derived' or 'release'", value=labels))
    languages = [languages] if isinstance(languages, str) else languages
    rows = _Rows()
    for source in sheep_files.find(Path(directory), split, languages):
        for line, record in source.records():
            if isinstance(record, Problem):
                rows.problems.append(record)
                continue
            problems = _problems(rows, record, source, line)
            rows.problems += problems
            if not problems and _asked(record, split, languages):
                _add(rows, record, source)
    if rows.problems:
        raise InputError(rows.problems)
    if not rows.items:
        what = "no records, or none of the split and languages asked for"
        raise InputError(Problem(what, "Check the files and the options", directory))
    return _corpus(rows, labels, directory)


def _problems(rows: _Rows, record: dict[str, Any], source: sheep_files.Source, line: int) -> list[Problem]:
    problems, item = record_problems(record, source, line), record.get("id")
    if isinstance(item, str) and item in rows.lines:
        what, remedy = f"id is there twice, first in {rows.lines[item]}", "Keep one of the records"
        problems.append(Problem(what, remedy, source.name, line, "id", item))
    elif isinstance(item, str):
        rows.lines[item] = f"{source.name}:{line}"
    return problems


def _asked(record: dict[str, Any], split: str | None, languages: Sequence[str] | None) -> bool:
    """A file that was given by itself may hold several splits and languages."""
    return split in (None, record["split"]) and (languages is None or record["language"] in languages)


def _add(rows: _Rows, record: dict[str, Any], source: sheep_files.Source) -> None:
    item = record["id"]
    about = record.get("metadata") or {}
    source_name = about.get("orig_dataset") or source_of_image(record["image_name"])
    strategy = about.get("strategy")
    annotations, comments = record.get("raw_annots") or {}, record.get("comments") or {}
    # an empty list says that nobody marked anything, but not in a file from which labels were taken out
    given = bool(record.get("labels")) or ("labels" in record and source.kind != "unlabeled")
    if given:
        rows.released.add(item)
    rows.items.append(
        {
            "item": item,
            "corpus": "sheep",
            "split": record["split"],
            "language": record["language"],
            "prompt": record["prompt"],
            "image": record["image_name"],
            "response": record["response"],
            "strategy": STRATEGIES[strategy.lower()] if strategy else pd.NA,
            "model": about.get("model") or pd.NA,
            "source": source_name.lower() if source_name else pd.NA,
            "prelabel": about.get("prelabel") or pd.NA,
            "labelled": given or bool(annotations),
        }
    )
    rows.labels += [(item, *label) for label in labels_of(record)]
    for annotator, text in annotations.items():
        rows.ratings.append((item, annotator, comments.get(annotator) or pd.NA))
        marks, cut = parse(text, len(record["response"]))
        rows.spans += [(item, annotator, order, *mark) for order, mark in enumerate(marks)]
        rows.notes["annotators' spans ended past the text and were cut at its end"] += cut
        ordered = sorted(marks)
        overlaps = any(b.start < a.end for a, b in zip(ordered, ordered[1:], strict=False))
        rows.notes["annotations hold spans that overlap; they are kept"] += overlaps
    lost = sum(bool(text) for annotator, text in comments.items() if annotator not in annotations)
    rows.notes["comments belong to no annotation and are left out"] += lost


def _corpus(rows: _Rows, labels: str, directory: str | Path) -> Corpus:
    items = tables.validate("items", pd.DataFrame(rows.items), directory)
    ratings = pd.DataFrame(rows.ratings, columns=["item", "annotator", "comment"])
    spans = pd.DataFrame(rows.spans, columns=["item", "annotator", "order", "start", "end", "label"])
    released = pd.DataFrame(rows.labels, columns=["item", "start", "end", "prob", "label"])
    ratings, spans = tables.validate("ratings", ratings), tables.validate("spans", spans)
    released = tables.validate("labels", released)
    derived = aggregate_labels(items, ratings, spans)
    first, second = (derived, released) if labels == "derived" else (released, derived)
    known = set(ratings["item"]) if labels == "derived" else rows.released
    both = pd.concat([first, second[~second["item"].isin(known)]], ignore_index=True)
    order = pd.Series(range(len(items)), index=items["item"])
    both = both.iloc[both["item"].map(order).argsort(kind="stable")]
    absent = [name for name in ("strategy", "model", "prelabel") if items[name].isna().all()]
    lacks = {name: ABSENT[name] for name in absent}
    if not len(ratings):
        lacks["ratings"] = ABSENT["ratings"]
    if not items["labelled"].any():
        lacks["labels"] = ABSENT["labels"]
    return Corpus(
        "sheep",
        items.drop(columns="labelled") if items["labelled"].all() else items,
        ratings,
        spans,
        tables.validate("labels", both),
        lacks=lacks,
        notes=tuple(f"{count} {what}" for what, count in rows.notes.items() if count),
        licence=LICENCE,
    )

"""mu-SHROOM 2025: answers of language models in fourteen languages, each marked by several people.

No images and no kinds of mistakes, but the marks of every single annotator: real disagreement.

Labels are derived from these marks as they are. The release's own `soft_labels` come from marks that were
tidied up: trimmed of spaces and punctuation at their ends, and mostly joined where only such characters
lay between them. So the two agree at every letter and digit, and differ at some of the other characters.
Data: Helsinki-NLP/mu-shroom (Vázquez et al., 2025).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from sheeplib import tables
from sheeplib.corpora import Corpus
from sheeplib.corpora.aggregate import aggregate_labels
from sheeplib.errors import InputError, Problem
from sheeplib.jsonl import scan_jsonl

NAME = re.compile(r"mushroom\.([a-z]{2})-(tst|val|train)\.v\d+(?:\.[a-z]+)?\.jsonl")
FORM = "mushroom.{language}-tst.v1.extra.jsonl"


def load(directory: str | Path | None = None, languages: Sequence[str] | None = None) -> Corpus:
    """Load mu-SHROOM with its annotators.

    Parameters
    ----------
    directory : str or Path
        Directory with files like `mushroom.en-tst.v1.extra.jsonl`, or one such file.
    languages : sequence of str, optional
        Two-letter codes; default all that are there.

    Returns
    -------
    Corpus
        Spans have no label. Spans of length zero, which the data has, are left out (`order` counts the
        others) and counted in `notes`; an annotator who marked nothing else has a rating without spans.

    Raises
    ------
    InputError
        Naming file, line, field and remedy of everything that is wrong.
    """
    if directory is None:
        raise InputError(Problem("corpus 'mushroom' needs its data", "Give directory=DIR with the files"))
    languages = [languages] if isinstance(languages, str) else languages
    records = _records(_files(Path(directory), languages), directory)
    rated = [(record["id"], *rating) for record in records for rating in record["annotations"].items()]
    spans = [
        (item, annotator, order, start, end)
        for item, annotator, marks in rated
        for order, (start, end) in enumerate(mark for mark in marks if mark[0] < mark[1])
    ]
    empty = sum(len(marks) for *_, marks in rated) - len(spans)
    frames = {
        "items": pd.DataFrame([_item(record) for record in records]),
        "ratings": pd.DataFrame([rating[:2] for rating in rated], columns=["item", "annotator"]).assign(
            comment=pd.NA
        ),
        "spans": pd.DataFrame(spans, columns=["item", "annotator", "order", "start", "end"]).assign(
            label=pd.NA
        ),
    }
    valid = {name: tables.validate(name, frame, directory) for name, frame in frames.items()}
    return Corpus(
        "mushroom",
        **valid,
        labels=aggregate_labels(**valid),
        lacks={
            "kinds": "mu-SHROOM's annotators marked where an answer is wrong, not in which way",
            "strategy": "mu-SHROOM does not choose items by different strategies",
            "prelabel": "mu-SHROOM has no labels by judges or writers",
        },
        notes=(f"{empty} marked spans of length zero are left out",) if empty else (),
        licence="that of Helsinki-NLP/mu-shroom",
    )


def _files(directory: Path, languages: Sequence[str] | None) -> list[Path]:
    places = sorted(directory.iterdir()) if directory.is_dir() else [directory] if directory.exists() else []
    known = {path: found[1] for path in places if (found := NAME.fullmatch(path.name))}
    # beside a file with annotators may lie the same items without
    doubles = {path for path in known if path.with_suffix(".extra.jsonl") in known}
    known = {path: language for path, language in known.items() if path not in doubles}
    if not known:
        raise InputError(Problem("no mu-SHROOM data", f"Expected files like {FORM}", path=directory))
    if languages is not None and (absent := sorted(set(languages) - set(known.values()))):
        listed = ", ".join(sorted(set(known.values())))
        raise InputError(Problem(f"no data in {', '.join(absent)}", f"There are: {listed}", path=directory))
    return [path for path, language in known.items() if languages is None or language in languages]


def _records(paths: list[Path], directory: str | Path) -> list[dict[str, Any]]:
    """All records, checked."""
    records: list[dict[str, Any]] = []
    problems: list[Problem] = []
    lines: dict[str, str] = {}
    for path in paths:
        for line, record in scan_jsonl(path):
            if isinstance(record, Problem):
                problems.append(record)
                continue
            problems += _problems(record, path, line)
            item = record.get("id")
            if isinstance(item, str) and item in lines:
                what = f"id is there twice, first in {lines[item]}"
                problems.append(Problem(what, "Keep one of the records", path, line, "id", item))
            elif isinstance(item, str):
                lines[item] = f"{path}:{line}"
            records.append(record)
    if not (records or problems):
        problems = [Problem("no records", "Check the files", directory)]
    if problems:
        raise InputError(problems)
    return records


def _item(record: dict[str, Any]) -> dict[str, Any]:
    language = record["lang"].lower()
    return {
        "item": record["id"],
        "corpus": "mushroom",
        "split": "test" if record["id"].startswith("tst") else record["id"].partition("-")[0],
        "language": language,
        "prompt": record["model_input"],
        "image": pd.NA,
        "response": record["model_output_text"],
        "strategy": pd.NA,
        "model": record["model_id"],
        "source": "mushroom",
        "prelabel": pd.NA,
    }


def _problems(record: dict[str, Any], path: Path, line: int) -> list[Problem]:
    problems = [
        Problem("must be a text", "mu-SHROOM records have this field", path, line, field, record.get(field))
        for field in ("id", "lang", "model_input", "model_output_text", "model_id")
        if not isinstance(record.get(field), str)
    ]
    annotations = record.get("annotations")
    if not isinstance(annotations, dict):
        remedy = "Use the files with annotators, whose names end in .extra.jsonl"
        return [*problems, Problem("annotators are missing", remedy, path, line, "annotations")]
    if problems:
        return problems
    found = NAME.fullmatch(path.name)
    if found and record["lang"].lower() != found[1]:
        remedy = f"The file's name says {found[1]}; move the record to the file of its language"
        problems.append(
            Problem("is not the language of the file", remedy, path, line, "lang", record["lang"])
        )
    length = len(record["model_output_text"])
    for annotator, marks in annotations.items():
        field = f"annotations.{annotator}"
        if not isinstance(marks, list):
            problems.append(Problem("must be a list", "Write [[start, end], ...]", path, line, field, marks))
            continue
        for mark in marks:
            if not _is_pair(mark):
                what, remedy = "must be two whole numbers", "Write [start, end]"
                problems.append(Problem(what, remedy, path, line, field, mark))
            elif not 0 <= mark[0] <= mark[1] <= length:
                what = f"span is not inside the text of {length} characters"
                remedy = "Count Unicode code points; offsets are half-open"
                problems.append(Problem(what, remedy, path, line, field, mark))
    return problems


def _is_pair(mark: Any) -> bool:
    return isinstance(mark, list) and len(mark) == 2 and all(type(value) is int for value in mark)

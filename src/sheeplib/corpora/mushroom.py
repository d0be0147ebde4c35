"""mu-SHROOM 2025: answers of language models in fourteen languages, each marked by several people.

No images and no kinds of mistakes, but the marks of every single annotator: real disagreement.
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
        Spans have no label. Spans of length zero, which the data has, are left out, and counted in
        `notes`; an annotator who marked nothing else has a rating without spans.

    Raises
    ------
    InputError
        Naming file, line, field and remedy of everything that is wrong.
    """
    if directory is None:
        raise InputError(Problem("corpus 'mushroom' needs its data", "Give directory=DIR with the files"))
    items: list[dict[str, Any]] = []
    ratings: list[tuple[str, str]] = []
    spans: list[tuple[str, str, int, int, int]] = []
    problems: list[Problem] = []
    lines: dict[str, str] = {}
    empty = 0
    for path in _files(Path(directory), languages):
        for line, record in scan_jsonl(path):
            if isinstance(record, Problem):
                problems.append(record)
                continue
            found = _problems(record, path, line)
            item = str(record.get("id"))
            if not found and item in lines:
                found = [
                    Problem(f"id is there twice, first in {lines[item]}", "Keep one", path, line, "id", item)
                ]
            if found:
                problems += found
                continue
            lines[item] = f"{path.name}:{line}"
            items.append(_item(record))
            for annotator, marks in record["annotations"].items():
                ratings.append((item, annotator))
                kept = [(start, end) for start, end in marks if start < end]
                empty += len(marks) - len(kept)
                spans += [(item, annotator, order, start, end) for order, (start, end) in enumerate(kept)]
    if problems:
        raise InputError(problems)
    frames = {
        "items": pd.DataFrame(items),
        "ratings": pd.DataFrame(ratings, columns=["item", "annotator"]).assign(comment=pd.NA),
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
    if not known:
        raise InputError(Problem("no mu-SHROOM data", f"Expected files like {FORM}", path=directory))
    if languages is not None and (absent := sorted(set(languages) - set(known.values()))):
        listed = ", ".join(sorted(set(known.values())))
        raise InputError(Problem(f"no data in {', '.join(absent)}", f"There are: {listed}", path=directory))
    return [path for path, language in known.items() if languages is None or language in languages]


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
    length = len(record["model_output_text"])
    for annotator, marks in annotations.items():
        field = f"annotations.{annotator}"
        if not isinstance(marks, list):
            problems.append(Problem("must be a list of [start, end]", "", path, line, field, marks))
            continue
        for mark in marks:
            if not _is_pair(mark):
                problems.append(
                    Problem("must be [start, end], two whole numbers", "", path, line, field, mark)
                )
            elif not 0 <= mark[0] <= mark[1] <= length:
                what = f"span is not inside the text of {length} characters"
                remedy = "Count Unicode code points; offsets are half-open"
                problems.append(Problem(what, remedy, path, line, field, mark))
    return problems


def _is_pair(mark: Any) -> bool:
    return isinstance(mark, list) and len(mark) == 2 and all(type(value) is int for value in mark)

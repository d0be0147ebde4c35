"""The shared task's format check: every rule a submission must keep before it is scored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from sheeplib.errors import InputError, Problem
from sheeplib.jsonl import jsonl_files, read_jsonl, scan_jsonl
from sheeplib.scoring.marked import data_files
from sheeplib.scoring.measures import Span
from sheeplib.scoring.rules import (
    IDENTIFIER,
    LANGUAGES,
    Place,
    language_of,
    record_problems,
    shortlist,
    type_problems,
    value_problems,
)

Series = tuple[str, str]  # split and language
SEVERAL = "Put each split and language in a file of its own"


def check_format(paths: str | Path | Iterable[str | Path], gold: str | Path | None = None) -> list[Problem]:
    """Check a submission against the shared task's rules of format.

    Parameters
    ----------
    paths : str, Path or iterable of them
        A directory (its `.jsonl` files make the submission), a file, or the files of one submission.
    gold : str or Path, optional
        File or directory of the data that was to be predicted, labelled or not: records with `id` and
        `response`. With it, every item must be predicted, and none besides, and spans must end within
        the text. Without it, spans are held against a `response` that the submission itself repeats.

    Returns
    -------
    list of Problem
        With file, line, field, value and remedy; empty if the format is right.

    Raises
    ------
    InputError
        If a path does not exist, or the gold data cannot be read.

    Notes
    -----
    Source: the released format checker of SHROOM-visions 2026, rule by rule. As there, extra keys are
    allowed, and overlaps and the range of finite probabilities are not looked at. Two rules more: a key
    given twice in one object, and half of a surrogate pair. A byte order mark is passed over.
    """
    texts = None if gold is None else _texts(gold)
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    files = [file for path in given for file in jsonl_files(path)]
    where = Place(given[0] if len(given) == 1 else None)
    problems: list[Problem] = []
    if not files:
        problems.append(where.problem("there is no .jsonl file", "Give one file for each language"))
    if len(files) > len(LANGUAGES):
        what = f"{len(files)} files, and there are {len(LANGUAGES)} languages"
        problems.append(where.problem(what, "Give one file for each language"))
    found: dict[Path, Series] = {}
    for file in files:
        if file.suffix != ".jsonl":
            problems.append(Place(file).problem("not a .jsonl file", "Rename it to end in .jsonl"))
        problems += _check_file(file, texts, found)
    return [*problems, *_check_together(found)]


def _texts(gold: str | Path) -> dict[str, int]:
    """Code points of every response, by item."""
    lengths: dict[str, int] = {}
    for file in data_files(gold):
        for line, record in read_jsonl(file):
            if not isinstance(record.get("id"), str) or not isinstance(record.get("response"), str):
                remedy = "Give the data that was to be predicted, with 'id' and 'response'"
                raise InputError(Place(file, line).problem("the record has no text", remedy, "id, response"))
            lengths[record["id"]] = len(record["response"])
    if not lengths:
        remedy = "Give a .jsonl file or a directory of them"
        raise InputError(Place(gold).problem("no references found", remedy))
    return lengths


def _check_file(file: Path, texts: Mapping[str, int] | None, found: dict[Path, Series]) -> list[Problem]:
    problems: list[Problem] = []
    lines: dict[str, int] = {}
    for line, record in scan_jsonl(file, blank="error", constants=True):
        if isinstance(record, Problem):
            problems.append(record)
            continue
        place = Place(file, line)
        problems += record_problems(record, place)
        item = record.get("id")
        if isinstance(item, str) and item:
            problems += _check_item(item, place, lines, found)
            if texts is not None and item not in texts:
                problems.append(place.problem("not an item of the references", "Remove it", "id", item))
        problems += _check_spans(record, texts, place)
    if not lines and not problems:
        problems.append(Place(file).problem("the file is empty", "Give one record for each item"))
    if texts is not None and file in found:
        problems += _missing(file, found[file], lines, texts)
    return problems


def _check_item(
    item: str, place: Place, lines: dict[str, int], found: dict[Path, Series]
) -> Iterator[Problem]:
    first = lines.setdefault(item, place.line or 0)
    if first != place.line:
        yield place.problem(f"the item is given twice, first in line {first}", "Keep one of them", "id", item)
    language = language_of(item)
    if language is None:
        known = ", ".join(LANGUAGES)
        what = f"not three parts joined by '-' with one of the languages {known}"
        yield place.problem(what, IDENTIFIER, "id", item)
        return
    split = item.split("-")[0]
    series = found.setdefault(Path(place.path or ""), (split, language))
    if (split, language) != series:
        yield place.problem(f"the file began with {'-'.join(series)}", SEVERAL, "id", item)


def _check_spans(
    record: Mapping[str, Any], texts: Mapping[str, int] | None, place: Place
) -> Iterator[Problem]:
    labels, response, item = record.get("labels"), record.get("response"), record.get("id")
    length = len(response) if isinstance(response, str) else None
    if texts is not None and isinstance(item, str):
        length = texts.get(item, length)
    for number, span in enumerate(labels if isinstance(labels, list) else []):
        field = f"labels[{number}]"
        wrong = type_problems(span, field, True, place)
        yield from wrong or value_problems(Span(*map(span.get, Span._fields)), field, length, place)


def _missing(
    file: Path, series: Series, lines: Mapping[str, int], texts: Mapping[str, int]
) -> Iterator[Problem]:
    split, language = series
    wanted = [item for item in texts if language_of(item) == language and item.split("-")[0] == split]
    missing = [item for item in wanted if item not in lines]
    if missing:
        what = f"{len(missing)} of {len(wanted)} items are not predicted: {shortlist(missing)}"
        remedy = "Predict every item, with an empty list of labels where nothing is marked"
        yield Place(file).problem(what, remedy, "id")


def _check_together(found: Mapping[Path, Series]) -> Iterator[Problem]:
    """Rules across files: one file a language, one split in all."""
    by_language: dict[str, Path] = {}
    split = next((split for split, _ in found.values()), "")
    for file, (other, language) in found.items():
        first = by_language.setdefault(language, file)
        if first != file:
            what = f"language {language} is already in {first}"
            yield Place(file).problem(what, "Give one file for each language", "id")
        if other != split:
            what = f"split {other}, and the first file is of split {split}"
            yield Place(file).problem(what, "Submit one split at a time", "id")

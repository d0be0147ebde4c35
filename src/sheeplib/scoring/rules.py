"""What a record of the shared task must look like, rule by rule, each with its remedy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sheeplib.errors import Problem
from sheeplib.scoring.measures import Span
from sheeplib.tables import MARKED_LABELS

LANGUAGES = ("en", "fr", "it", "zh")  # of the shared task
NAMES = {str(label): label.official_name for label in MARKED_LABELS}
LARGEST = 2**53  # the whole numbers up to here are floats as well
KNOWN = f"Use one of {', '.join(NAMES.values())}"
IDENTIFIER = "Write <split>-<language>-<item>, such as train-en-411"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record stood, for messages."""

    path: str | Path | None = None
    line: int | None = None

    def problem(self, what: str, remedy: str, field: str | None = None, value: object = None) -> Problem:
        """A problem at this place."""
        return Problem(what, remedy, self.path, self.line, field, value)

    def __str__(self) -> str:
        return str(self.path) if self.line is None else f"{self.path}:{self.line}"


NOWHERE = Place()


def shortlist(items: Sequence[str]) -> str:
    """The first three, for messages."""
    return ", ".join(map(repr, items[:3])) + (", ..." if len(items) > 3 else "")


def language_of(item: str) -> str | None:
    """Language in an identifier `<split>-<language>-<item>`; `None` if it is not of that form."""
    parts = item.split("-")
    known = len(parts) == 3 and all(parts) and parts[1].lower() in LANGUAGES
    return parts[1].lower() if known else None


def record_problems(record: Mapping[str, Any], place: Place) -> list[Problem]:
    """What is wrong with a record's `id`, and with its `labels` as a whole."""
    problems, item, labels = [], record.get("id"), record.get("labels")
    if not isinstance(item, str) or not item:
        problems.append(place.problem("not a text", IDENTIFIER, "id", item))
    if "labels" not in record and "predictions" in record:
        problems.append(place.problem("this key is not read", "Rename it to 'labels'", "predictions"))
    elif not isinstance(labels, list):
        remedy = "Give a list of spans, [] where nothing is marked"
        problems.append(place.problem("not a list", remedy, "labels", labels))
    return problems


def type_problems(span: object, field: str, predicted: bool, place: Place) -> list[Problem]:
    """What is wrong with the keys and types of one span. References may write `prob` as an integer."""
    if not isinstance(span, Mapping):
        remedy = "Write {'start': .., 'end': .., 'prob': .., 'label': ..}"
        return [place.problem("a span is not an object", remedy, field, span)]
    whole = ((int,), "not a whole number", "Count code points from 0, without quotes and decimal point")
    share = ((float,) if predicted else (float, int), "not a decimal number", "Write 1.0 and not 1 or '1.0'")
    kinds = {"start": whole, "end": whole, "prob": share, "label": ((str,), "not a text", KNOWN)}
    problems = []
    for key, (types, what, remedy) in kinds.items():
        if key not in span:
            problems.append(place.problem("the key is missing", "Every span needs it", f"{field}.{key}"))
        elif not isinstance(value := span[key], types) or isinstance(value, bool):
            problems.append(place.problem(what, remedy, f"{field}.{key}", value))
        elif isinstance(value, int) and abs(value) > LARGEST:
            problems.append(place.problem("too large", remedy, f"{field}.{key}", value))
    return problems


def value_problems(span: Span, field: str, length: int | None, place: Place) -> list[Problem]:
    """What is wrong with the offsets, the label and the finiteness of a span whose types are right."""
    problems = []
    if span.start < 0:
        problems.append(place.problem("negative", "Count from 0", f"{field}.start", span.start))
    if span.start >= span.end:
        what = f"the span covers nothing, as it starts at {span.start}"
        problems.append(place.problem(what, "Offsets are half-open: end > start", f"{field}.end", span.end))
    if length is not None and span.end > length:
        what, remedy = f"past the end of the text of {length} characters", "Count code points, not bytes"
        problems.append(place.problem(what, remedy, f"{field}.end", span.end))
    if not math.isfinite(span.prob):
        problems.append(place.problem("not finite", "Give a share", f"{field}.prob", span.prob))
    if span.label not in NAMES.values():
        problems.append(place.problem("unknown label", KNOWN, f"{field}.label", span.label))
    return problems

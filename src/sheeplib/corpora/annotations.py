"""The notation of one annotator's spans in the SHEEP release: `3:14;31:46|A;B`, and `|` for none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from sheeplib.errors import InputError, Problem
from sheeplib.tables import MARKED_LABELS, Label, unknown_label

_SPAN = re.compile(r"([0-9]{1,9}):([0-9]{1,9})")  # not \d, which takes the digits of any script
_FORM = "Write start:end;start:end|A;B with as many labels as spans, and | where nothing is marked"


class Mark(NamedTuple):
    """One marked span: half-open code points and a letter, A to E."""

    start: int
    end: int
    label: str


def parse(text: str, length: int) -> tuple[list[Mark], int]:
    """Read an annotation.

    Parameters
    ----------
    text : str
        As in the field `raw_annots`.
    length : int
        Code points of the response. Spans that end past it are cut there: the annotation platform
        let annotators mark to the end of the line, one character further than the text.

    Returns
    -------
    list of Mark
        In the order as written; spans may overlap.
    int
        How many spans were cut.

    Raises
    ------
    InputError
        If the text is not of this form, a label is not A to E, or a span covers nothing.
    """
    places, bar, letters = text.partition("|")
    if not bar:
        raise InputError(Problem("not an annotation", _FORM, value=text))
    spans = [part.strip() for part in places.split(";")] if places.strip() else []
    labels = [part.strip() for part in letters.split(";")] if letters.strip() else []
    if len(spans) != len(labels):
        what = f"{len(spans)} spans, but {len(labels)} labels"
        raise InputError(Problem(what, _FORM, value=text))
    marks = [_mark(span, label, length) for span, label in zip(spans, labels, strict=True)]
    return [mark._replace(end=min(mark.end, length)) for mark in marks], sum(m.end > length for m in marks)


def _mark(span: str, label: str, length: int) -> Mark:
    found = _SPAN.fullmatch(span)
    if found is None:
        raise InputError(Problem("not a span", _FORM, value=span))
    start, end = int(found[1]), int(found[2])
    if label not in {str(known) for known in MARKED_LABELS}:
        raise InputError(unknown_label(label))
    if start >= end:
        raise InputError(Problem("span covers nothing", "Offsets are half-open: end > start", value=span))
    if start >= length:
        what = f"span starts past the text of {length} characters"
        raise InputError(Problem(what, "Count Unicode code points, not bytes", value=span))
    return Mark(start, end, label)


def write(marks: Sequence[Mark]) -> str:
    """The annotation as text; `parse` reads it back."""
    places = ";".join(f"{mark.start}:{mark.end}" for mark in marks)
    return f"{places}|{';'.join(Label.parse(mark.label) for mark in marks)}"

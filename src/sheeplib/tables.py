"""The six tidy tables that everything is computed from, the labels, and the offsets rule.

Offsets are Unicode code points, counted from 0 and half-open: `text[start:end]` is the marked
text. This holds everywhere in the package. Missing values are `pd.NA`, never a category.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pandera.pandas as pa

from sheeplib.errors import InputError, Problem


class Label(enum.StrEnum):
    """Kinds of hallucination, in the order of SHEEP, Table 1."""

    INVENTION = "A"
    MISCHARACTERIZATION = "B"
    OCR = "C"
    MISCOUNTING = "D"
    OTHER = "E"
    NONE = "F"

    @property
    def official_name(self) -> str:
        """Name in the shared task's files; `none` is inferred and never written there."""
        return OFFICIAL_NAMES[self]

    @classmethod
    def parse(cls, text: str) -> Label:
        """Read a letter (`"C"`) or an official name (`"OCR"`).

        Raises
        ------
        InputError
            If the text is neither; the message lists the known names.
        """
        label = _LABELS_BY_TEXT.get(text)
        if label is None:
            raise InputError(unknown_label(text))
        return label


OFFICIAL_NAMES: Mapping[Label, str] = {
    Label.INVENTION: "invention",
    Label.MISCHARACTERIZATION: "mischaracterization",
    Label.OCR: "OCR",
    Label.MISCOUNTING: "miscounting",
    Label.OTHER: "other",
    Label.NONE: "none",
}
_LABELS_BY_TEXT = {str(label): label for label in Label} | {n: la for la, n in OFFICIAL_NAMES.items()}
MARKED_LABELS = tuple(label for label in Label if label is not Label.NONE)  # what a span may carry


def unknown_label(value: object, **where: object) -> Problem:
    """The problem to report for a label that is none of ours."""
    known = ", ".join(f"{label} ({label.official_name})" for label in MARKED_LABELS)
    return Problem("unknown label", f"Use one of {known}", value=value, **where)  # type: ignore[arg-type]


TEXT = pd.StringDtype()  # not "str", whose missing value is a number: NaN
WHOLE, REAL, TRUTH = "int64", "float64", "boolean"


def _column(kind: Any, about: str, *checks: pa.Check, missing: bool = False) -> pa.Column:
    return pa.Column(kind, list(checks), nullable=missing, coerce=True, description=about)


def _optional(kind: Any, about: str) -> pa.Column:
    return _column(kind, about, missing=True)


_ITEM = _column(TEXT, "identifier of the item")
_NOT_NEGATIVE = pa.Check.ge(0, error="must not be negative")
_SHARE = pa.Check.in_range(0, 1, error="must be from 0 to 1")
_SPAN_LABEL = pa.Check.isin([str(label) for label in MARKED_LABELS], error="must be one of A, B, C, D, E")
_START = _column(WHOLE, "first marked code point", _NOT_NEGATIVE)
_END = _column(WHOLE, "code point after the last marked one", _NOT_NEGATIVE)

SCHEMAS: Mapping[str, pa.DataFrameSchema] = {
    # One row is one answer about one image.
    "items": pa.DataFrameSchema(
        {
            "item": _ITEM,
            "corpus": _column(TEXT, "name of the corpus"),
            "split": _optional(TEXT, "train, test, ..."),
            "language": _optional(TEXT, "ISO 639-1 code, lower case"),
            "prompt": _optional(TEXT, "question about the image"),
            "image": _optional(TEXT, "name of the image"),
            "response": _column(TEXT, "answer whose characters the spans count"),
            "strategy": _optional(TEXT, "how the item was chosen: random, map or human"),
            "model": _optional(TEXT, "model that generated the response"),
            "source": _optional(TEXT, "data set that the question comes from"),
            "prelabel": _optional(TEXT, "label expected by the judge or the writer, A to F"),
        },
        report_duplicates="exclude_first",
        unique=["item"],
    ),
    # One row is one annotator's judgement of one item, with or without spans.
    "ratings": pa.DataFrameSchema(
        {
            "item": _ITEM,
            "annotator": _column(TEXT, "identifier of the annotator"),
            "comment": _optional(TEXT, "what the annotator remarked"),
        },
        report_duplicates="exclude_first",
        unique=["item", "annotator"],
    ),
    # One row is one marked span of one rating.
    "spans": pa.DataFrameSchema(
        {
            "item": _ITEM,
            "annotator": _column(TEXT, "identifier of the annotator"),
            "order": _column(WHOLE, "place among the rating's spans as written, from 0", _NOT_NEGATIVE),
            "start": _START,
            "end": _END,
            "label": _column(TEXT, "A to E; missing where a corpus has no kinds", _SPAN_LABEL, missing=True),
        },
        report_duplicates="exclude_first",
        unique=["item", "annotator", "order"],
    ),
    # One row is one token of a response as an evaluator model read it; features follow.
    "tokens": pa.DataFrameSchema(
        {
            "item": _ITEM,
            "evaluator": _column(TEXT, "model that read the response"),
            "token": _column(WHOLE, "place of the token in the response, from 0", _NOT_NEGATIVE),
            "start": _START,
            "end": _END,
        },
        report_duplicates="exclude_first",
        unique=["item", "evaluator", "token"],
    ),
    # One row is one object named in a caption; detector scores follow.
    "mentions": pa.DataFrameSchema(
        {
            "item": _ITEM,
            "mention": _column(WHOLE, "place of the mention in the caption, from 0", _NOT_NEGATIVE),
            "start": _START,
            "end": _END,
            "concept": _column(TEXT, "object class, such as a COCO class"),
            "status": _optional(TEXT, "concrete, hallucinated, non-assertive or excluded"),
            "subtype": _optional(
                TEXT, "hedged, depictive, purpose or negation; of excluded ones generic or compound"
            ),
            "present": _optional(TRUTH, "whether the image shows the object"),
        },
        report_duplicates="exclude_first",
        unique=["item", "mention"],
    ),
    # One row is one number that a chapter reports; grouping columns stand between.
    "results": pa.DataFrameSchema(
        {
            "quantity": _column(TEXT, "name of the quantity"),
            "value": _column(REAL, "the number; missing if undefined", missing=True),
            "low": _column(REAL, "lower end of the interval", missing=True),
            "high": _column(REAL, "upper end of the interval", missing=True),
            "n": _optional("Int64", "units that the number rests on"),
            "corpus": _optional(TEXT, "corpus it was computed from"),
            "seed": _optional("Int64", "seed of the resamples"),
            "notebook": _optional(TEXT, "chapter that reports it"),
        },
    ),
    # Derived from spans, or read where a release gives nothing else: who marked what, in shares.
    "labels": pa.DataFrameSchema(
        {
            "item": _ITEM,
            "start": _START,
            "end": _END,
            "prob": _column(REAL, "share of annotators who marked it with this label", _SHARE),
            "label": _column(TEXT, "A to E; missing where a corpus has no kinds", _SPAN_LABEL, missing=True),
        },
    ),
}


def validate(table: str, frame: pd.DataFrame, path: str | Path | None = None) -> pd.DataFrame:
    """Check a frame against its schema and give it the declared column types.

    Parameters
    ----------
    table : str
        Name of the schema: one of `SCHEMAS`.
    frame : DataFrame
        Further columns (features, scores, groups) are kept as they are.
    path : optional
        File to name in messages.

    Returns
    -------
    DataFrame
        A copy with the declared types; declared columns come first.

    Raises
    ------
    InputError
        With row, field, value and remedy of everything that is wrong.
    """
    schema = SCHEMAS[table]
    declared = list(schema.columns)
    absent = [name for name in declared if name not in frame.columns]
    if absent:
        about = "; ".join(f"'{name}': {schema.columns[name].description}" for name in absent)
        raise InputError(Problem(f"table '{table}' lacks columns", f"Add {about}", path=path))
    frame = frame.reset_index(drop=True)
    if problems := _fractions(table, frame, path):
        raise InputError(problems)
    try:
        valid = schema.validate(frame, lazy=True)
    except pa.errors.SchemaErrors as errors:
        raise InputError(_problems(table, errors.failure_cases, path)) from None
    ordered = valid[declared + [name for name in valid.columns if name not in declared]]
    return ordered.astype(_text_columns(table))


def _fractions(table: str, frame: pd.DataFrame, path: str | Path | None) -> list[Problem]:
    """Values that the conversion to whole numbers would cut without a word."""
    what, remedy = f"table '{table}', row {{}}: not a whole number", "Remove the fraction"
    return [
        Problem(what.format(row), remedy, path=path, field=name, value=value)
        for name, column in SCHEMAS[table].columns.items()
        if str(column.dtype) == WHOLE
        for row, value in frame[name][pd.to_numeric(frame[name], errors="coerce") % 1 > 0].items()
    ]


def _text_columns(table: str) -> dict[str, pd.StringDtype]:
    """Pandera takes one kind of text for another; here the kind of missing value matters."""
    columns = SCHEMAS[table].columns.items()
    return {name: TEXT for name, column in columns if isinstance(column.dtype.type, pd.StringDtype)}


def empty(table: str) -> pd.DataFrame:
    """A table of the given name without rows."""
    columns = SCHEMAS[table].columns
    frame = pd.DataFrame({name: pd.array([], dtype=column.dtype.type) for name, column in columns.items()})
    return frame.astype(_text_columns(table))


def check_offsets(items: pd.DataFrame, spans: pd.DataFrame, path: str | Path | None = None) -> None:
    """Check that every span covers at least one code point of its item's response.

    Parameters
    ----------
    items : DataFrame
        Table `items`.
    spans : DataFrame
        Table with `item, start, end`.

    Raises
    ------
    InputError
        Naming the spans of unknown items, empty spans, and spans past the end.
    """
    lengths = items.set_index("item")["response"].str.len()
    length = spans["item"].map(lengths)
    broken = {
        "span of an item that is not in the items": (length.isna(), "Remove it or add the item"),
        "span covers nothing": (spans["end"] <= spans["start"], "Offsets are half-open: end > start"),
        "span ends past the text": (
            (spans["end"] > length).fillna(False),
            "Count Unicode code points, not bytes",
        ),
    }
    problems = [
        Problem(f"item {row.item}: {what}", remedy, path=path, field="start, end", value=(row.start, row.end))
        for what, (wrong, remedy) in broken.items()
        for row in spans[wrong.astype(bool)].itertuples()
    ]
    if problems:
        raise InputError(problems)


def _problems(table: str, failures: pd.DataFrame, path: str | Path | None) -> list[Problem]:
    """Translate pandera's failure cases, one row a case, into problems a person can act on."""
    unique = ", ".join(SCHEMAS[table].unique or [])
    found: dict[tuple[object, object], Problem] = {}
    for case in failures.itertuples():
        check, field, value = str(case.check), case.column, case.failure_case
        what, remedy = check, ""
        if check == "multiple_fields_uniqueness":
            field, value = unique, None
            what, remedy = "this combination occurs twice", "Remove one of the rows"
        elif check == "not_nullable":
            value, what, remedy = None, "value is missing", "Fill it in; only optional fields may be missing"
        elif "dtype" in check:
            kind = SCHEMAS[table].columns[case.column].dtype
            what, remedy = "wrong type of value", f"Expected {kind}"
        elif pd.isna(case.index):
            continue  # a check that a wrong type kept from running; the type has been reported
        row = "" if pd.isna(case.index) else f", row {int(case.index)}"
        problem = Problem(f"table '{table}'{row}: {what}", remedy, path=path, field=str(field), value=value)
        found.setdefault((case.index, field), problem)
    return list(found.values())

"""How well mentions are told apart, by marks of a person who read the captions.

A file of marks is JSON Lines. Each line marks one mention that is not simply asserted: `image_id`, `start`,
`end` (code points of the caption, end exclusive), `category` (hedged, depictive, purpose, negation, generic
or other, compound) and, if wanted, `concept` and `confidence`: `high` (default) counts, `low` is left out
of all counts. What no line marks is asserted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from sheeplib.errors import InputError, Problem
from sheeplib.jsonl import scan_jsonl
from sheeplib.mentions.statuses import ASSERTED, LEFT_OUT, SUBTYPES

CATEGORIES = (*SUBTYPES, *LEFT_OUT)
CONFIDENCES = ("high", "low")
_SAME = {"generic": "other"}  # two names of one kind
COLUMNS = ("group", "quantity", "value", "low", "high", "n")


@dataclass(frozen=True)
class Mark:
    """What a person says of a stretch of a caption.

    Parameters
    ----------
    line : int
        Of the file.
    image, concept, category : str
        `concept` is empty if it is not given.
    start, end : int
        Code points of the caption, half-open.
    sure : bool
        Whether it counts.
    """

    line: int
    image: str
    start: int
    end: int
    category: str
    concept: str
    sure: bool


def read_marks(path: str | Path, lengths: Mapping[str, int]) -> list[Mark]:
    """Read a file of marks.

    Parameters
    ----------
    path : str or Path
    lengths : mapping of str to int
        By image: code points of its caption.

    Returns
    -------
    list of Mark

    Raises
    ------
    InputError
        Naming file, line and field of everything that is wrong; or if there are no marks.
    """
    problems: list[Problem] = []
    marks = []
    for line, record in scan_jsonl(path):
        if isinstance(record, Problem):
            problems.append(record)
        elif wrong := list(_wrong(record, lengths, path, line)):
            problems += wrong
        else:
            image, category = str(record["image_id"]), record["category"]
            sure = record.get("confidence", "high") == "high"
            concept = record.get("concept") or ""
            span = record["start"], record["end"]
            marks.append(Mark(line, image, *span, _SAME.get(category, category), concept, sure))
    if not marks and not problems:
        problems.append(Problem("no marks", "Give one JSON object a line", path=path))
    if problems:
        raise InputError(problems)
    return marks


def _wrong(
    record: Mapping[str, Any], lengths: Mapping[str, int], path: str | Path, line: int
) -> Iterator[Problem]:
    image = record.get("image_id")
    if isinstance(image, bool) or not isinstance(image, int | str):
        yield Problem(
            "not the id of an image", "Name the image as the captions do", path, line, "image_id", image
        )
        return
    if str(image) not in lengths:
        yield Problem(
            "no caption of this image", "Remove the line, or add the caption", path, line, "image_id", image
        )
        return
    whole = all(
        isinstance(record.get(name), int) and not isinstance(record[name], bool) for name in ("start", "end")
    )
    size = lengths[str(image)]
    if not whole or not 0 <= record["start"] < record["end"] <= size:
        what = f"not a stretch of the caption, which has {size} code points"
        found = [record.get("start"), record.get("end")]
        yield Problem(what, "Count code points from 0, end exclusive", path, line, "start, end", found)
    if (category := record.get("category")) not in CATEGORIES:
        remedy = f"Use one of {', '.join(CATEGORIES)}; leave asserted mentions out"
        yield Problem("no such category", remedy, path, line, "category", category)
    if record.get("confidence", "high") not in CONFIDENCES:
        yield Problem("no such confidence", "Use high or low", path, line, "confidence", record["confidence"])
    if not isinstance(record.get("concept") or "", str):
        yield Problem("not a class", "Give a text, or leave it out", path, line, "concept", record["concept"])


@dataclass(frozen=True, eq=False)
class Judged:
    """Mentions beside marks.

    Parameters
    ----------
    table : DataFrame
        Mentions and marks that count: `said` (reading: asserted or a subtype; missing where no mention was
        found for a mark) and `truth`.
    left_out : int
        Mentions under marks that do not count.
    """

    table: pd.DataFrame
    left_out: int


def judged(mentions: pd.DataFrame, marks: Sequence[Mark], concepts: Sequence[str]) -> Judged:
    """Set mentions beside marks: they belong together if they overlap and name the same class.

    Parameters
    ----------
    mentions : DataFrame
        Columns `image`, `start`, `end`, `concept` and `reading`.
    marks : sequence of Mark
    concepts : sequence of str
        Known classes; a mark of any other class, or of none, goes by overlap alone.
    """
    by_image: dict[str, list[Mark]] = {}
    for mark in marks:
        by_image.setdefault(mark.image, []).append(mark)
    met: set[Mark] = set()
    rows, left_out = [], 0
    for image, start, end, concept, reading in mentions[
        ["image", "start", "end", "concept", "reading"]
    ].itertuples(index=False):
        own = [
            mark
            for mark in by_image.get(image, ())
            if mark.start < end
            and mark.end > start
            and mark.concept in ("", concept, *_foreign(mark, concepts))
        ]
        met.update(own)
        if own and not any(mark.sure for mark in own):
            left_out += 1
            continue
        truth = next((mark.category for mark in own if mark.sure), ASSERTED)
        rows.append((image, start, end, _SAME.get(reading, reading), truth))
    # A compound for which no mention was found was told apart all the same; anything else was overlooked.
    unseen = [mark for mark in marks if mark.sure and mark not in met and mark.category != "compound"]
    rows += [(mark.image, mark.start, mark.end, pd.NA, mark.category) for mark in unseen]
    table = pd.DataFrame(rows, columns=["image", "start", "end", "said", "truth"])
    return Judged(table, left_out)


def _foreign(mark: Mark, concepts: Sequence[str]) -> tuple[str, ...]:
    return () if mark.concept in concepts else (mark.concept,)


def scores(found: Judged) -> pd.DataFrame:
    """Recall and precision of what is told apart from asserted mentions.

    Parameters
    ----------
    found : Judged

    Returns
    -------
    DataFrame
        `group`, `quantity`, `value`, `low`, `high`, `n`. Groups: `non-assertive` (the four subtypes against
        asserted mentions), each subtype, `other`, `compound`, and `all but asserted`. `recall`: share of the
        marked mentions that are not taken for asserted (of the four subtypes: that are taken for one of the
        four). `same`: share that get the very subtype. `precision`: share of the mentions so read that are
        marked, whatever their mark's subtype among those of the group. Intervals of 95 % are Wilson's, as if
        mentions were independent.
    """
    said, truth = found.table["said"].fillna(""), found.table["truth"]
    rows: list[tuple[object, ...]] = []
    four = list(SUBTYPES)
    rest = ["other", "compound"]
    clean = truth.isin(
        [*four, ASSERTED]
    )  # compounds and generic mentions are neither claims nor non-assertive
    rows += _recall_precision("non-assertive", truth.isin(four), said.isin(four), clean)
    for subtype in four:
        members = truth.eq(subtype)
        rows.append(_row(subtype, "recall", said[members].isin(four)))
        rows.append(_row(subtype, "same", said[members].eq(subtype)))
        rows.append(_row(subtype, "precision", truth[said.eq(subtype) & clean].isin(four)))
    for subtype in rest:
        members = truth.eq(subtype)
        rows.append(_row(subtype, "recall", ~said[members].isin([ASSERTED, ""])))
        rows.append(_row(subtype, "same", said[members].eq(subtype)))
        rows.append(_row(subtype, "precision", ~truth[said.eq(subtype)].eq(ASSERTED)))
    everything = pd.Series(data=True, index=truth.index)
    rows += _recall_precision("all but asserted", truth.ne(ASSERTED), ~said.isin([ASSERTED, ""]), everything)
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"n": "Int64"})


def _recall_precision(
    group: str, positive: pd.Series, called: pd.Series, counted: pd.Series
) -> list[tuple[object, ...]]:
    return [
        _row(group, "recall", called[positive & counted]),
        _row(group, "precision", positive[called & counted]),
    ]


def _row(group: str, quantity: str, hits: pd.Series) -> tuple[object, ...]:
    n = len(hits)
    low, high = wilson(int(hits.sum()), n)
    return group, quantity, hits.mean() if n else np.nan, low, high, n


def wilson(hits: int, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share; NaN twice if `n` is 0."""
    if not n:
        return np.nan, np.nan
    ends = binomtest(hits, n).proportion_ci(0.95, "wilson")
    return float(ends.low), float(ends.high)

"""Labels of all annotators of an item brought together: which share of them marked which characters."""

from __future__ import annotations

from collections import Counter, defaultdict

import pandas as pd

from sheeplib import tables
from sheeplib.errors import InputError, Problem

PAPER_DIGITS = 4  # of probabilities in SHEEP, Figure 1; the shared task's files keep all digits


def aggregate_labels(
    items: pd.DataFrame, ratings: pd.DataFrame, spans: pd.DataFrame, digits: int | None = None
) -> pd.DataFrame:
    """Derive table `labels` from what single annotators marked.

    Parameters
    ----------
    items, ratings, spans : DataFrame
        Tables of these names. An annotator without spans counts in the denominator.
    digits : int, optional
        Round probabilities to so many digits (the paper: 4); by default they are exact.

    Returns
    -------
    DataFrame
        Table `labels`: for each item (in the order of `items`) and label (A to E, then missing),
        the longest runs of characters that the same number of annotators marked with that label.

    Raises
    ------
    InputError
        If a span belongs to no rating: its annotator would be missing from the denominator.

    Source
    ------
    SHEEP, Figure 1. An annotator who marks a character twice with one label counts once.
    """
    rated = set(zip(ratings["item"].tolist(), ratings["annotator"].tolist(), strict=True))
    annotators = Counter(item for item, _ in rated)
    marked: dict[tuple[str, str], dict[str, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
    columns = spans[["item", "annotator", "label", "start", "end"]].fillna({"label": ""})
    for item, annotator, label, start, end in zip(*(columns[name].tolist() for name in columns), strict=True):
        if (item, annotator) not in rated:
            what = f"item {item}: annotator {annotator} has a span, but no rating"
            raise InputError(Problem(what, "Every annotator needs a row in the ratings"))
        marked[item, label][annotator].append((start, end))
    letters = sorted({label for _, label in marked}, key=lambda label: (label == "", label))
    rows = [
        (item, start, end, count / annotators[item], label or pd.NA)
        for item in items["item"]
        for label in letters
        if (item, label) in marked
        for start, end, count in _runs(marked[item, label])
    ]
    frame = pd.DataFrame(rows, columns=["item", "start", "end", "prob", "label"])
    if digits is not None:
        frame["prob"] = frame["prob"].astype(float).round(digits)
    return tables.validate("labels", frame)


def _runs(by_annotator: dict[str, list[tuple[int, int]]]) -> list[tuple[int, int, int]]:
    """Start, end and number of annotators of the longest runs of equal number, without zeros."""
    steps: dict[int, int] = defaultdict(int)
    for spans in by_annotator.values():
        for start, end in _united(spans):
            steps[start] += 1
            steps[end] -= 1
    runs, count, places = [], 0, sorted(place for place, step in steps.items() if step)
    for start, end in zip(places, places[1:], strict=False):
        count += steps[start]
        if count:
            runs.append((start, end, count))
    return runs


def _united(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans of one annotator and label without overlaps."""
    united: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if united and start <= united[-1][1]:
            united[-1] = (united[-1][0], max(end, united[-1][1]))
        else:
            united.append((start, end))
    return united

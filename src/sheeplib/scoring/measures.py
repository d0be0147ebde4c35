"""Correlation and overlap of marked stretches of a text, computed on runs and not on characters.

A text with a handful of spans is a handful of runs of equal value. Ranks with ties need only the
runs' values and widths, and twice a centred average rank is a whole number, so that the sums of
Spearman's rho are exact integers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple


class Span(NamedTuple):
    """Marked code points `start` to `end` (half-open), how surely, and as what."""

    start: int
    end: int
    prob: float = 1.0
    label: str = ""


class Runs(NamedTuple):
    """Stretches of a text over which reference and prediction are both constant."""

    widths: list[int]
    reference: list[float]
    prediction: list[float]


def runs(length: int, reference: Sequence[Span], prediction: Sequence[Span], add: bool) -> Runs:
    """Lay the probabilities of two lists of spans over a text.

    Parameters
    ----------
    length : int
        Code points of the text. Spans must satisfy `-length <= start` and `end <= length`; negative
        offsets count from the end, as the released scorers' indexing does.
    reference, prediction : sequence of Span
        In the order of the file, which decides floating-point ties and what overwrites what.
    add : bool
        Whether overlapping reference spans add up; otherwise, and in predictions, the last one counts.

    Returns
    -------
    Runs
    """
    added, written = list(_stretches(reference, length)), list(_stretches(prediction, length))
    cuts = sorted({0, length}.union(*((start, end) for start, end, _ in added + written)))
    place = {cut: index for index, cut in enumerate(cuts)}
    levels, guesses = [0.0] * (len(cuts) - 1), [0.0] * (len(cuts) - 1)
    for start, end, prob in added:
        for run in range(place[start], place[end]):
            levels[run] = levels[run] + prob if add else prob
    for start, end, prob in written:
        for run in range(place[start], place[end]):
            guesses[run] = prob
    return Runs([after - before for before, after in zip(cuts, cuts[1:], strict=False)], levels, guesses)


def _stretches(spans: Iterable[Span], length: int) -> Iterator[tuple[int, int, float]]:
    for start, end, prob, _ in spans:
        if start >= end:
            continue
        if start >= 0:
            yield start, end, prob
        elif end <= 0:
            yield start + length, end + length, prob
        else:
            yield start + length, length, prob
            yield 0, end, prob


def level(length: int, values: Sequence[float]) -> float | None:
    """The only value of a vector, to 8 decimals; `None` if it has several, or no element.

    NaN equals nothing, not even the NaN beside it, so that it is constant in a text of one character only.
    """
    rounded = {round(value, 8) for value in set(values)}
    if len(rounded) != 1:
        return None
    (value,) = rounded
    return value if value == value or length == 1 else None


def spearman(widths: Sequence[int], x: Sequence[float], y: Sequence[float]) -> float:
    """Spearman's rank correlation (average ranks for ties) of two piecewise constant vectors.

    Parameters
    ----------
    widths : sequence of int
        Characters in each run.
    x, y : sequence of float
        Value of each run.

    Returns
    -------
    float
        NaN if a value is NaN, or if `x` or `y` is constant or empty.
    """
    if any(map(math.isnan, x)) or any(map(math.isnan, y)):
        return math.nan
    xx = yy = xy = 0
    for width, rank, other in zip(widths, _centred_ranks(widths, x), _centred_ranks(widths, y), strict=True):
        xx += width * rank * rank
        yy += width * other * other
        xy += width * rank * other
    return max(-1.0, min(1.0, xy / math.sqrt(xx * yy))) if xx and yy else math.nan


def _centred_ranks(widths: Sequence[int], values: Sequence[float]) -> list[int]:
    """Twice the average rank of each run's characters, less `n + 1`: whole numbers around 0."""
    tied: dict[float, int] = {}
    for width, value in zip(widths, values, strict=True):
        tied[value] = tied.get(value, 0) + width
    ranks, below, total = {}, 0, sum(widths)
    for value in sorted(tied):
        ranks[value] = 2 * below + tied[value] - total
        below += tied[value]
    return [ranks[value] for value in values]


def overlap(reference: Iterable[tuple[int, int]], prediction: Iterable[tuple[int, int]]) -> float:
    """Intersection over union of the covered offsets; 1.0 if nothing is covered on either side.

    Parameters
    ----------
    reference, prediction : iterable of (int, int)
        Half-open stretches; empty ones cover nothing.

    Returns
    -------
    float
    """
    first, second = list(reference), list(prediction)
    union = covered(first + second)
    return (covered(first) + covered(second) - union) / union if union else 1.0


def covered(stretches: Iterable[tuple[int, int]]) -> int:
    """Number of offsets in at least one of the half-open stretches."""
    total, reached = 0, -math.inf
    for start, end in sorted(stretches):
        if end > start and end > reached:
            total += end - int(max(start, reached))
            reached = end
    return total

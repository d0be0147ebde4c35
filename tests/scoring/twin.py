"""The scorers once more, a character at a time, as slow and as plain as their description.

They index out of range, wrap round and compare NaN as the described loops do; the tests hold the fast
scorers against them, and the benchmark times them.
"""

import math
from collections.abc import Sequence

from scipy.stats import spearmanr

from sheeplib.scoring import Span


def _vector(length: int, spans: Sequence[Span], add: bool) -> list[float]:
    vector = [0.0] * length
    for span in spans:
        for index in range(span.start, span.end):
            vector[index] = vector[index] + span.prob if add else span.prob
    return vector


def _rho(x: list[float], y: list[float]) -> float:
    # scipy: NaN for no characters, with a warning that changed its class between versions
    return float(spearmanr(x, y).statistic) if x else math.nan


def cor(length: int, reference: Sequence[Span], prediction: Sequence[Span]) -> float:
    x, y = _vector(length, reference, True), _vector(length, prediction, False)
    levels, guesses = {round(value, 8) for value in x}, {round(value, 8) for value in y}
    if len(levels) == 1 or len(guesses) == 1:
        if len(levels) != len(guesses):
            return 0.0
        if levels == {0.0}:
            return 1.0 if guesses == {0.0} else 0.0
        return 1.0 if guesses != {0.0} else 0.0
    return _rho(x, y)


def cor_lbl(length: int, reference: Sequence[Span], prediction: Sequence[Span]) -> float:
    labels = {span.label for span in (*reference, *prediction)}
    if not labels:
        return 1.0
    each = [
        cor(length, [s for s in reference if s.label == label], [s for s in prediction if s.label == label])
        for label in labels
    ]
    return sum(each) / len(each)


def iou(reference: Sequence[tuple[int, int]], prediction: Sequence[tuple[int, int]]) -> float:
    marked = {index for start, end in reference for index in range(start, end)}
    guessed = {index for start, end in prediction for index in range(start, end)}
    return len(marked & guessed) / len(marked | guessed) if marked | guessed else 1.0


def visions(length: int, reference: Sequence[Span], prediction: Sequence[Span]) -> tuple[float, float, float]:
    """Cor, Cor+Lbl and IoU of SHROOM-visions."""
    stretches = ([span[:2] for span in spans] for spans in (reference, prediction))
    whole = cor(length, reference, prediction)
    return whole, cor_lbl(length, reference, prediction), iou(*stretches)


def mushroom_cor(length: int, reference: Sequence[Span], prediction: Sequence[Span]) -> float:
    x, y = _vector(length, reference, False), _vector(length, prediction, False)
    levels, guesses = {round(value, 8) for value in x}, {round(value, 8) for value in y}
    if len(levels) == 1 or len(guesses) == 1:
        return float(len(levels) == len(guesses))
    return _rho(x, y)

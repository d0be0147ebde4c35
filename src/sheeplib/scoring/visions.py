"""The SHROOM-visions scorer: Cor, Cor+Lbl and IoU per item, classification, per language.

Mode `compat` gives what the released scorer gives, in its edge cases too:

=============================================================  ====================================
case                                                           result
=============================================================  ====================================
reference empty, prediction with any positive probability      Cor 0, IoU 0
reference empty, prediction of zero-probability spans alone    Cor 1, Cor+Lbl 1, IoU 0, and a false
                                                               positive of the classification
zero-probability span with a label the reference has not       the label counts 1.0 in Cor+Lbl
prediction constant over the text, reference varying           0
reference constant above 0 over the text                       1 if the prediction is constant above
                                                               0, else 0
response of no characters                                      Cor NaN, and so is the language's mean
span past the end of the text                                  `InputError` (an IndexError there)
negative start                                                 wraps round to the end in Cor, counts
                                                               characters of its own in IoU
start >= end                                                   covers nothing; its label counts in
                                                               Cor+Lbl
probability infinite, above 1 or below 0                       taken as it is
probability NaN                                                NaN where ranks are compared
three labels of 0.3333 on one character                        0.9999, ranked below 1.0
equal after rounding to 8 decimals                             constant; ranks are never rounded
an item predicted twice                                        `InputError` (a failed assertion)
items not predicted                                            left out of all means; see `coverage`
=============================================================  ====================================

Mode `strict` drops spans of probability 0 or less and takes anything else that is odd for an error.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import pandas as pd

from sheeplib.errors import InputError, Problem
from sheeplib.scoring.marked import Marked, by_item, read_predictions, read_references
from sheeplib.scoring.measures import Span, covered, level, overlap, runs, spearman
from sheeplib.scoring.rules import NAMES, Place, shortlist, value_problems
from sheeplib.scoring.summary import summarise

Mode = Literal["compat", "strict"]
TYPES = {
    "item": "string", "language": "string", "cor": "float64", "cor_lbl": "float64", "iou": "float64",
    "positive": "boolean", "flagged": "boolean",
}  # fmt: skip


def score(
    references: Iterable[Marked | Mapping[str, Any]],
    predictions: Iterable[Marked | Mapping[str, Any]],
    mode: Mode = "compat",
) -> pd.DataFrame:
    """Score every predicted item.

    Parameters
    ----------
    references, predictions : iterable of Marked or of mapping
        Marked texts, or records as the files hold them. References without a prediction are left out.
    mode : {"compat", "strict"}
        See the module. `strict` also checks the references.

    Returns
    -------
    DataFrame, one row an item, by item
        `item, language, cor, cor_lbl, iou`; `positive`, whether most annotators marked anything (missing
        without annotators), and `flagged`, whether the prediction does.

    Raises
    ------
    InputError
        If an item occurs twice or has no reference, or a span is not usable.

    Notes
    -----
    Source: the released scorer of SHROOM-visions 2026, redone from a description of what it computes.
    """
    if mode not in get_args(Mode):
        raise InputError(Problem("unknown mode", "Use 'compat' or 'strict'", field="mode", value=mode))
    gold = by_item(one if isinstance(one, Marked) else Marked.reference(one) for one in references)
    guesses = by_item(one if isinstance(one, Marked) else Marked.prediction(one) for one in predictions)
    require_references(gold, guesses)
    pairs = [(gold[item], guesses[item]) for item in sorted(guesses)]
    problems = [problem for pair in pairs for problem in _unusable(*pair, mode)]
    if problems:
        raise InputError(problems)
    rows = [_row(reference, prediction, mode) for reference, prediction in pairs]
    return pd.DataFrame(rows, columns=list(TYPES)).astype(TYPES)


def require_references(gold: Mapping[str, Any], guesses: Mapping[str, Any]) -> None:
    """Check that there are predictions, and that every one of them has a reference."""
    strangers = [item for item in guesses if item not in gold]
    if not guesses:
        raise InputError(Problem("there are no predictions", "Give at least one record"))
    if strangers:
        what = f"{len(strangers)} of {len(guesses)} predicted items have no reference: {shortlist(strangers)}"
        remedy = "Remove them, or give the references of the same split and languages"
        raise InputError(guesses[strangers[0]].place.problem(what, remedy, "id"))


def _unusable(reference: Marked, prediction: Marked, mode: Mode) -> list[Problem]:
    length = reference.length
    if length is None:
        what = f"item {reference.item}: the length of the text is unknown"
        return [reference.place.problem(what, "Give it with the reference", "response")]
    check = _strict_problems if mode == "strict" else outside_problems
    return [
        problem
        for text in (reference, prediction)
        for number, span in enumerate(text.spans)
        for problem in check(span, f"labels[{number}]", length, text.place)
    ]


def _strict_problems(span: Span, field: str, length: int, place: Place) -> list[Problem]:
    problems = value_problems(span, field, length, place)
    if 1 < span.prob < math.inf:
        problems.append(place.problem("above 1", "Give a share, 0 to 1", f"{field}.prob", span.prob))
    return problems


def outside_problems(span: Span, field: str, length: int, place: Place) -> list[Problem]:
    """What is wrong with a span that holds offsets which index no character from either end."""
    if span.start >= span.end or -length <= span.start and span.end <= length:
        return []
    what = f"the span leaves the text of {length} characters"
    return [place.problem(what, "Count Unicode code points, not bytes", field, span[:2])]


def _row(reference: Marked, prediction: Marked, mode: Mode) -> tuple[Any, ...]:
    gold, guess, length = reference.spans, prediction.spans, reference.length or 0
    if mode == "strict":
        gold, guess = (tuple(span for span in spans if span.prob > 0) for spans in (gold, guess))
    language = pd.NA if reference.language is None else reference.language
    positive = pd.NA if reference.positive is None else reference.positive
    iou = overlap([span[:2] for span in gold], [span[:2] for span in guess])
    flagged = covered(span[:2] for span in guess) > 0
    cor = correlation(length, gold, guess)
    return reference.item, language, cor, _labelled(length, gold, guess, cor), iou, positive, flagged


def correlation(length: int, reference: Sequence[Span], prediction: Sequence[Span]) -> float:
    """Cor: agreement of the characters' order by probability.

    Parameters
    ----------
    length : int
        Code points of the text.
    reference, prediction : sequence of Span
        Overlapping spans add up in the reference; in the prediction the last one counts.

    Returns
    -------
    float
        Spearman's rho. If either side is constant (to 8 decimals): 1 if both are, and both are 0 or
        neither is, else 0. NaN for a text of no characters, and where a NaN is ranked.
    """
    widths, gold, guess = runs(length, reference, prediction, add=True)
    ours, theirs = level(length, gold), level(length, guess)
    if ours is None and theirs is None:
        return spearman(widths, gold, guess)
    if ours is None or theirs is None:
        return 0.0
    return float((ours == 0) == (theirs == 0))


def _labelled(length: int, gold: Sequence[Span], guess: Sequence[Span], cor: float) -> float:
    """Cor+Lbl: mean of Cor over the labels in use, each seeing its own spans alone; 1 without labels."""
    labels = dict.fromkeys(span.label for span in (*gold, *guess))
    if len(labels) == 1:
        return cor
    each = [correlation(length, _only(label, gold), _only(label, guess)) for label in labels]
    return sum(each) / len(each) if each else 1.0


def _only(label: str, spans: Sequence[Span]) -> list[Span]:
    return [span for span in spans if span.label == label]


def score_files(gold: str | Path, pred: str | Path, strict: bool = False) -> dict[str, dict[str, Any]]:
    """Score a submission against labelled data.

    Parameters
    ----------
    gold, pred : str or Path
        A `.jsonl` file or a directory of them. Languages are told from the identifiers.
    strict : bool
        Mode `strict` instead of `compat`.

    Returns
    -------
    dict of dict
        By language, as `summarise` gives it.

    Raises
    ------
    InputError
        If a file or a record is not what it should be, or a prediction has no reference.
    """
    references, predictions = read_references(gold), read_predictions(pred)
    return summarise(score(references, predictions, "strict" if strict else "compat"), references)


def mark_none(references: Iterable[Marked]) -> list[Marked]:
    """The baseline that marks nothing. Its Cor, Cor+Lbl and IoU are the share of empty references."""
    return [Marked(one.item, (), one.length, one.language) for one in references]


def mark_all(references: Iterable[Marked], label: str) -> list[Marked]:
    """The baseline that marks every response from end to end, as one kind.

    Parameters
    ----------
    references : iterable of Marked
    label : str
        Letter or official name.

    Returns
    -------
    list of Marked
    """
    name = NAMES.get(label, label)
    return [
        Marked(one.item, (Span(0, one.length, 1.0, name),) if one.length else (), one.length, one.language)
        for one in references
    ]

"""Annotators: simulated people who mark what is wrong in an answer, and sometimes what is not.

They know the truth only through a noise model that is the same for every answer, whoever wrote it:
nothing here sees the strategy, the model or the question of an item. Differences in agreement
between strategies can therefore only come from the answers themselves.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sheeplib.corpora.meadow.noise import NoiseModel
from sheeplib.corpora.meadow.scenes import pick
from sheeplib.tables import Label, validate

ANNOTATORS: Mapping[str, int] = {"en": 12, "fr": 11, "it": 12, "zh": 12}  # SHEEP, section 4
_WORD = re.compile(r"\w[\w’'-]*")
_UNCERTAIN = ("Not sure about this one.", "Hard to see in the image.", "Could also be another label.")


@dataclass(frozen=True)
class Part:
    """A stretch of an answer.

    Parameters
    ----------
    start, end : int
        Code points, half-open.
    label : str
        The kind of mistake it is, or would be taken for.
    salience : float
        How easily the image settles whether it is true, from 0 to 1.
    """

    start: int
    end: int
    label: str
    salience: float


@dataclass(frozen=True)
class Answer:
    """An answer as the annotators need it; written or generated makes no difference.

    Parameters
    ----------
    item, language, response : str
    wrong : tuple of Part
        Every stretch that the image contradicts, with its true label; any number, none included.
    content : tuple of Part
        True stretches that might be marked by mistake.
    """

    item: str
    language: str
    response: str
    wrong: tuple[Part, ...]
    content: tuple[Part, ...]


@dataclass(frozen=True)
class _Annotator:
    name: str
    misses: float  # these three are shifts in log-odds
    invents: float
    widens: float


def annotate(
    answers: Iterable[Answer], seed: int, model: NoiseModel | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Let the annotators of each language judge answers.

    Parameters
    ----------
    answers : iterable of Answer
    seed : int
        Draws the annotators' tendencies, the assignment and the errors. An item's errors depend on
        the seed, the item and its annotators alone, whatever else is annotated.
    model : NoiseModel, optional
        The defaults if not given.

    Returns
    -------
    ratings, spans : DataFrame
        Tables of these names in `sheeplib.tables.SCHEMAS`.

    Source
    ------
    SHEEP, section 4 (three judgements an item, twelve annotators a language) and appendix B.3
    (guidelines).
    """
    model = model or NoiseModel()
    answers = list(answers)
    ratings, spans = [], []
    for language in dict.fromkeys(answer.language for answer in answers):
        here = [answer for answer in answers if answer.language == language]
        people = _people(language, seed, model)
        for answer, chosen in zip(here, _assignment(here, people, seed, model), strict=True):
            rng = _generator(seed, "item", answer.item)
            difficulty = model.difficulty * rng.standard_normal()
            for person in chosen:
                own = _generator(seed, answer.item, person.name)
                marks = _marks(own, answer, person, difficulty, model)
                ratings.append((answer.item, person.name, _comment(own, bool(marks), model)))
                spans += [(answer.item, person.name, order, *mark) for order, mark in enumerate(marks)]
    return (
        validate("ratings", pd.DataFrame(ratings, columns=["item", "annotator", "comment"])),
        validate(
            "spans", pd.DataFrame(spans, columns=["item", "annotator", "order", "start", "end", "label"])
        ),
    )


def _generator(seed: int, *names: str) -> np.random.Generator:
    return np.random.default_rng([seed, *(zlib.crc32(name.encode()) for name in names)])


def _people(language: str, seed: int, model: NoiseModel) -> list[_Annotator]:
    people = []
    for number in range(1, ANNOTATORS.get(language, 12) + 1):
        name = f"{language}-a{number:02d}"
        drawn = _generator(seed, "annotator", name).standard_normal(3)
        people.append(
            _Annotator(name, *(drawn * (model.sensitivity, model.strictness, model.habit)).tolist())
        )
    return people


def _assignment(
    answers: Sequence[Answer], people: Sequence[_Annotator], seed: int, model: NoiseModel
) -> list[list[_Annotator]]:
    """Three annotators an item, rarely four: always those with least to do so far, ties by lot."""
    rng = _generator(seed, "assignment", people[0].name)
    load = np.zeros(len(people))
    chosen = []
    for _ in answers:
        wanted = 4 if rng.random() < model.fourth else 3
        places = np.lexsort((rng.random(len(people)), load))[:wanted]
        load[places] += 1
        chosen.append([people[place] for place in sorted(places)])
    return chosen


Mark = tuple[int, int, str]


def _marks(
    rng: np.random.Generator, answer: Answer, person: _Annotator, difficulty: float, model: NoiseModel
) -> list[Mark]:
    """The spans of one annotation, as written."""
    chosen = [
        (part, True)
        for part in answer.wrong
        if rng.random()
        >= _shifted(_between(model.miss_faint, model.miss_clear, part), person.misses + difficulty)
    ]
    chosen += [
        (part, False)
        for part in answer.content
        if rng.random()
        < _shifted(_between(model.false_faint, model.false_clear, part), person.invents + difficulty)
    ]
    marks: list[Mark] = []
    for part, _ in sorted(chosen, key=lambda pair: (not pair[1], pair[0].start)):  # the mistakes come first
        label = _label(rng, part.label, model)
        for start, end in _boundaries(rng, answer, part, person, model):
            start, end = _clear_of(marks, start, end)
            if start < end:
                marks.append((start, end, label))
    marks.sort()
    if len(marks) > 1 and rng.random() < model.disorder:
        marks = [marks[place] for place in rng.permutation(len(marks))]
    return marks


def _between(faint: float, clear: float, part: Part) -> float:
    return faint + (clear - faint) * min(1.0, max(0.0, part.salience))


def _shifted(probability: float, shift: float) -> float:
    """A probability moved by some log-odds; 0 and 1 stay."""
    odds = probability * float(np.exp(shift))
    return odds / (odds + 1 - probability)


def _label(rng: np.random.Generator, label: str, model: NoiseModel) -> str:
    twin = {"A": "B", "B": "A"}.get(label)
    drawn = rng.random()
    if twin and drawn < model.swap:
        return twin
    if drawn > 1 - model.stray:
        return pick(rng, [str(other) for other in Label if other not in (label, Label.NONE)])
    return label


def _boundaries(
    rng: np.random.Generator, answer: Answer, part: Part, person: _Annotator, model: NoiseModel
) -> list[tuple[int, int]]:
    """Where the annotator begins and ends, always between words."""
    text, start, end = answer.response, part.start, part.end
    words = _words(answer)
    inside = _within(words, start, end)
    if rng.random() < model.narrow and len(inside) > 1:
        start = inside[1][0]
    if rng.random() < model.phrase:
        while start > 0 and text[start - 1] not in _STOPS:
            start -= 1
        while end < len(text) and text[end] not in _STOPS:
            end += 1
        start += len(text[start:end]) - len(text[start:end].lstrip(_TRIM))
        end -= len(text[start:end]) - len(text[start:end].rstrip(_TRIM))
        return [(start, end)]
    wider = _shifted(model.widen, person.widens)
    reach = 1 if answer.language != "zh" else int(rng.integers(1, 3))
    left, right = rng.random(2) < wider
    for _ in range(reach):
        before = [word for word in words if word[0] < start]
        after = [word for word in words if word[1] > end]
        if left and before and not set(text[before[-1][1] : start]) & set(_STOPS):
            start = before[-1][0]
        if right and after and not set(text[end : after[0][0]]) & set(_STOPS):
            end = after[0][1]
    inside = _within(words, start, end)
    if rng.random() < model.split and len(inside) > 1:
        cut = int(rng.integers(1, len(inside)))
        return [(start, inside[cut - 1][1]), (inside[cut][0], end)]
    return [(start, end)]


_STOPS = ".,:;!?…\n，。：；！？、“”«»"
_TRIM = " *-\u00a00123456789"


def _within(words: Sequence[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    """Words between two places; of a word that is cut, as in "l’oiseau", what lies between them."""
    return [(max(start, one), min(end, two)) for one, two in words if one < end and start < two]


def _words(answer: Answer) -> list[tuple[int, int]]:
    """Words as annotators select them; in Chinese, characters."""
    if answer.language == "zh":
        return [(place, place + 1) for place, sign in enumerate(answer.response) if sign.isalnum()]
    return [match.span() for match in _WORD.finditer(answer.response)]


def _clear_of(marks: Sequence[Mark], start: int, end: int) -> tuple[int, int]:
    """Cut away what is marked already: the guidelines forbid overlaps."""
    for other_start, other_end, _ in marks:
        if start < other_end and other_start < end:
            if start < other_start:
                end = other_start
            else:
                start = other_end
    return start, end


def _comment(rng: np.random.Generator, marked: bool, model: NoiseModel) -> str | None:
    drawn = rng.random()
    if marked:
        return pick(rng, _UNCERTAIN) if drawn < model.remark else None
    return None if drawn < model.silence else "No hallucination"

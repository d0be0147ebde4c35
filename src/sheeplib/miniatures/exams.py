"""Exams: fresh questions about scenes that no model has seen, marked by reading the answers.

An answer is right if its first sentence about what was asked is true in what was asked: a wrong colour
does not spoil a number. Other sentences are not looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice

import numpy as np

from sheeplib.corpora.meadow.claims import FORMS, Claim, false_fields
from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.lessons import FIRST_LESSON
from sheeplib.corpora.meadow.questions import Question, likely_absent
from sheeplib.corpora.meadow.reading import Statement, read
from sheeplib.corpora.meadow.scenes import Scene, pick, scene
from sheeplib.errors import InputError, Problem
from sheeplib.miniatures.designs import SCENES
from sheeplib.resample import generator

# What is asked, and the field of a claim that answers it. A yes or no, a colour, a number, a word.
TYPES: Mapping[str, str] = {"presence": "kind", "colour": "colour", "count": "count", "sign": "word"}
FIRST = FIRST_LESSON + SCENES  # lessons are about the scenes before
HELD_OUT = range(FIRST, FIRST + 1000)
LEARNED = range(FIRST_LESSON, FIRST_LESSON + 4000)  # enough to know what is usual
RIGHT, WRONG, UNREAD = "right", "wrong", "unread"
_NOT_THERE = frozenset({"picture", "absent"})  # forms with a kind that do not say it is there
Truth = bool | int | str


@dataclass(frozen=True)
class Item:
    """One question of an exam.

    Parameters
    ----------
    item : str
        Its name, such as `en/colour/12`.
    language, type : str
        Code of the language, and key of `TYPES`.
    scene : int
        Seed of the scene.
    kind : str, optional
        Kind that is asked about; none for signs.
    prompt : str
        The question in words.
    """

    item: str
    language: str
    type: str
    scene: int
    kind: str | None
    prompt: str


def draw_exam(
    per_type: int = 60,
    seed: int = 0,
    scenes: Sequence[int] = HELD_OUT,
    languages: Sequence[str] = (*LANGUAGES,),
) -> tuple[Item, ...]:
    """Draw an exam: as many questions of each type, the same ones in each language.

    Parameters
    ----------
    per_type : int
        Questions of each type in each language. Every second one about presence asks for something
        that is absent though usual in the setting. Questions about colour and number ask for what is
        there (never for a colour of people), and questions about signs need one.
    seed : int
    scenes : sequence of int
        Seeds of scenes to choose from; no two questions of a type are about the same one.
    languages : sequence of str

    Raises
    ------
    InputError
        If there are too few scenes.
    """
    drawn = []
    for name in TYPES:
        rng = generator(seed, "exam", name)
        chosen = list(islice(_subjects(rng, name, scenes), per_type))
        if len(chosen) < per_type:
            what = f"{len(scenes)} scenes give no more than {len(chosen)} questions of type {name}"
            raise InputError(Problem(what, "Ask for fewer, or give more scenes", field="per_type"))
        drawn += [(f"{name}/{place}", name, *about) for place, about in enumerate(chosen)]
    return tuple(
        Item(f"{code}/{place}", code, name, about, kind, _question(name, kind, scene(about), variant, code))
        for code in languages
        for place, name, about, kind, variant in drawn
    )


def _subjects(
    rng: np.random.Generator, name: str, scenes: Sequence[int]
) -> Iterator[tuple[int, str | None, int]]:
    """Scenes, what to ask about, and in which of many ways to ask."""
    asked = 0
    for place in rng.permutation(len(scenes)):
        about = scene(scenes[place])
        if name == "presence" and asked % 2 == 1:
            options: list[str | None] = [likely_absent(rng, about)]
        else:
            options = [kind for kind in (*about.kinds, None) if truth(name, kind, about) is not None]
        if options:
            asked += 1
            yield scenes[place], pick(rng, options), int(rng.integers(12))


def _question(name: str, kind: str | None, about: Scene, variant: int, language: str) -> str:
    group = about.group(kind or "")
    # whether there is "a dog", "how many dogs" there are: the question must not give the answer away
    number = group.count if name == "colour" and group else 2 if name == "count" else 1
    question = Question(name, "haloquest-like", Claim("mood", kind, number))
    return question.text(LANGUAGES[language], variant)


def truth(name: str, kind: str | None, about: Scene) -> Truth | None:
    """The true answer to a question of a type; none where it cannot be asked of the scene."""
    if name == "sign":
        return about.sign.word if about.sign and kind is None else None
    if kind is None:
        return None
    if name == "presence":
        return kind in about.kinds
    group = about.group(kind)
    return None if group is None or (name, kind) == ("colour", "person") else getattr(group, name)


def mark(item: Item, response: str) -> str:
    """Mark an answer.

    Parameters
    ----------
    item : Item
    response : str

    Returns
    -------
    str
        `RIGHT`, `WRONG`, or `UNREAD` if no sentence that can be read answers the question. Whether
        something is there, a yes or a no says, whatever follows, unless it contradicts itself; only
        where there is neither, the claims do.

    Source
    ------
    POPE (Li et al., 2023) takes the yes or no alone, too.
    """
    about = scene(item.scene)
    for statement in read(response, item.language).statements:
        claim = statement.claim if statement.claim and _answers(statement.claim, item) else None
        if item.type == "presence" and statement.polarity:
            yes, torn = statement.polarity == "yes", claim and _contradicts_itself(statement)
            return RIGHT if yes == truth(item.type, item.kind, about) and not torn else WRONG
        if claim:
            wrong = {"kind", TYPES[item.type]} & set(false_fields(claim, about))
            return WRONG if wrong else RIGHT
    return UNREAD


def _answers(claim: Claim, item: Item) -> bool:
    """Whether a claim commits itself about what is asked; a denial of the subject does so."""
    if item.type == "sign":
        return claim.form == "sign"
    if claim.kind != item.kind or claim.form not in FORMS:
        return False
    if claim.form in _NOT_THERE:
        return claim.form == "absent"
    field = TYPES[item.type]
    return field in FORMS[claim.form] and getattr(claim, field) is not None


def _contradicts_itself(statement: Statement) -> bool:
    """Whether it says yes to what it then denies, or no to what it then asserts to be there."""
    assert statement.claim is not None
    denies = statement.claim.form == "absent"
    return statement.polarity == ("yes" if denies else "no")


def chances(exam: Sequence[Item]) -> dict[str, list[float]]:
    """What is right, question by question, of two ways to answer without looking.

    Parameters
    ----------
    exam : sequence of Item

    Returns
    -------
    dict of str to list of float
        `constant`: 1 where the one answer is right that is right most often in this exam, by type and
        language. `usual answer`: 1 where the answer is right that is most often true of the kind (or the
        commonest word) in an exam of the same making about scenes that models learned from: the best
        that can be done by somebody who knows the world but does not look. `another scene`: share of
        the other held-out scenes of which the same question can be asked and has the same answer: what
        somebody would get who saw another picture; no number where there is no such scene.
    """
    usual = _usual_answers()
    known = [(item, truth(item.type, item.kind, scene(item.scene))) for item in exam]
    constants = _most_often(((item.type, item.language), here) for item, here in known)
    found: dict[str, list[float]] = {"constant": [], "usual answer": [], "another scene": []}
    for item, here in known:
        others = Counter(_truths(item.type, item.kind))
        if item.scene in HELD_OUT:
            others[here] -= 1
        found["constant"].append(float(constants[item.type, item.language] == here))
        found["usual answer"].append(float(usual.get((item.type, item.kind)) == here))
        found["another scene"].append(others[here] / others.total() if others.total() else float("nan"))
    return found


@cache
def _truths(name: str, kind: str | None) -> tuple[Truth | None, ...]:
    """The answers to a question that are true of held-out scenes."""
    found = (truth(name, kind, scene(seed)) for seed in HELD_OUT)
    return tuple(here for here in found if here is not None)


@cache
def _usual_answers() -> dict[tuple[str, str | None], Truth | None]:
    exam = draw_exam(per_type=1500, seed=1, scenes=LEARNED, languages=("en",))
    return _most_often(((it.type, it.kind), truth(it.type, it.kind, scene(it.scene))) for it in exam)


def _most_often(
    answers: Iterable[tuple[tuple[str, str | None], Truth | None]],
) -> dict[tuple[str, str | None], Truth | None]:
    """The commonest answer to each kind of question; of equally common ones the first in the alphabet."""
    counts: dict[tuple[str, str | None], Counter[Truth | None]] = {}
    for about, here in answers:
        counts.setdefault(about, Counter())[here] += 1
    return {about: max(sorted(known, key=str), key=known.__getitem__) for about, known in counts.items()}

"""Questions about a scene, in two styles, and what a truthful answer says.

`haloquest-like` questions ask openly and sometimes about things that are not there, as those of
HaloQuest do; `visage-like` questions ask whether something has what its kind usually has, as those
of VISaGE do. Both are the meadow's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sheeplib.corpora.meadow.claims import Claim, about
from sheeplib.corpora.meadow.grammar import Language, ask
from sheeplib.corpora.meadow.kinds import KINDS, SETTINGS, near_colours
from sheeplib.corpora.meadow.scenes import Group, Scene, pick

Source = Literal["haloquest-like", "visage-like"]
SOURCES: tuple[Source, ...] = ("haloquest-like", "visage-like")
FALSE_PREMISE = 0.22  # share of open questions that ask about something absent

_OPEN: Mapping[str, float] = {
    "presence": 3, "colour": 3, "count": 3.5, "place": 2.5, "pose": 1.5, "sign": 3, "picture": 1,
    "setting": 1, "describe": 2.5,
}  # fmt: skip


@dataclass(frozen=True)
class Question:
    """A question, apart from any language.

    Parameters
    ----------
    type : str
        Key of a language's questions.
    source : str
    subject : Claim
        What the question names.
    premise : bool
        False if it takes for granted something that is absent.
    """

    type: str
    source: Source
    subject: Claim = Claim("mood")
    premise: bool = True

    @property
    def kind(self) -> str | None:
        """The kind that it asks about, if any."""
        return self.subject.kind

    def text(self, language: Language, variant: int) -> str:
        """The question in a language; `variant` chooses among the ways to ask."""
        return ask(language, self.type, self.subject, variant)


def draw_question(rng: np.random.Generator, scene: Scene, source: Source) -> Question | None:
    """Draw a question that fits a scene.

    Parameters
    ----------
    rng : numpy.random.Generator
    scene : Scene
    source : str
        `haloquest-like` or `visage-like`.

    Returns
    -------
    Question, or None
        None if nothing in the scene can be asked about in that style.
    """
    return _open_question(rng, scene) if source == "haloquest-like" else _unusual_question(rng, scene)


def likely_absent(rng: np.random.Generator, scene: Scene) -> str:
    """A kind that is not there, drawn as often as the setting has it; never one that a picture shows."""
    shown = scene.picture.kind if scene.picture else ""
    weights = {
        kind: weight
        for kind, weight in SETTINGS[scene.setting].items()
        if scene.group(kind) is None
        and kind != shown
        and not any(kind in KINDS[present].alike for present in scene.kinds)
    }
    return pick(rng, tuple(weights), tuple(weights.values()))


def _open_question(rng: np.random.Generator, scene: Scene) -> Question:
    if rng.random() < FALSE_PREMISE:
        kind = likely_absent(rng, scene)
        types = ["colour"] * (kind != "person") + ["place"] + ["pose"] * bool(KINDS[kind].poses)
        return Question(pick(rng, types), "haloquest-like", Claim("mood", kind), premise=False)
    weights = dict(_OPEN)
    if scene.sign is None:
        del weights["sign"]
    if scene.picture is None:
        del weights["picture"]
    kind_of_question = pick(rng, tuple(weights), tuple(weights.values()))
    if kind_of_question == "presence":
        there = rng.random() < 0.5
        kind = pick(rng, scene.kinds) if there else likely_absent(rng, scene)
        return Question("presence", "haloquest-like", Claim("mood", kind))
    if kind_of_question in ("colour", "count", "place", "pose"):
        groups = [group for group in scene.groups if _can_be_asked(kind_of_question, group)]
        if not groups:
            return Question("describe", "haloquest-like")
        group = pick(rng, groups)
        number = 2 if kind_of_question == "count" else group.count
        return Question(kind_of_question, "haloquest-like", Claim("mood", group.kind, number))
    return Question(kind_of_question, "haloquest-like")


def _can_be_asked(question: str, group: Group) -> bool:
    if question == "colour":
        return group.kind != "person"
    return question != "pose" or bool(KINDS[group.kind].poses)


def _unusual_question(rng: np.random.Generator, scene: Scene) -> Question | None:
    options = []
    for group in scene.groups:
        about_kind, many = KINDS[group.kind], group.count
        if about_kind.traits:
            usual = about_kind.traits[0]
            types = (usual, "legs") if usual == "four_legs" else (usual,)
            subject = Claim("mood", group.kind, many)
            options += [(Question(name, "visage-like", subject), 5.0 if group.odd else 1.0) for name in types]
        if about_kind.odd:
            asked = group.colour if group.colour in about_kind.usual else about_kind.usual[0]
            if asked == group.colour or not near_colours(asked, group.colour):
                subject = Claim("mood", group.kind, many, colour=asked)
                options.append(
                    (Question("usual", "visage-like", subject), 0.6 if asked == group.colour else 6.0)
                )
    if not options:
        return None
    return pick(rng, [question for question, _ in options], [weight for _, weight in options])


def answer(rng: np.random.Generator, question: Question, scene: Scene) -> tuple[Claim, str]:
    """What a truthful answer says.

    Parameters
    ----------
    rng : numpy.random.Generator
        Chooses where several answers are true, such as where something is.
    question : Question
    scene : Scene

    Returns
    -------
    Claim
        True of the scene.
    str
        `yes`, `no`, or empty where the question cannot be answered so.
    """
    group = scene.group(question.kind or "")
    if question.kind and group is None:
        return Claim("absent", question.kind), "no" if question.type == "presence" else ""
    if group is not None:
        return _about_group(rng, question, group)
    if question.type == "sign" and scene.sign:
        return Claim("sign", word=scene.sign.word), ""
    if question.type == "picture" and scene.picture:
        return Claim("picture", scene.picture.kind), ""
    return Claim("setting", setting=scene.setting), ""


def _about_group(rng: np.random.Generator, question: Question, group: Group) -> tuple[Claim, str]:
    if question.type == "presence":
        return about("there_at", group, place=pick(rng, (group.column, group.depth))), "yes"
    if question.type == "place":
        return about("place", group, place=pick(rng, (group.column, group.depth))), ""
    if question.type in ("colour", "count", "pose"):
        return about(question.type, group), ""
    if question.type == "usual":
        return about("colour", group), "yes" if question.subject.colour == group.colour else "no"
    if question.type == "legs":
        return about("trait", group), ""
    asks_for_stripes = question.type == "plain"
    return about("trait", group), "yes" if group.odd == asks_for_stripes else "no"

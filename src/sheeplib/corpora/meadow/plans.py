"""What a writer means to say about a scene, before it is put into any language: a plan with one mistake."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sheeplib.corpora.meadow.claims import Claim, about, beside, introduction, places
from sheeplib.corpora.meadow.kinds import FACTS
from sheeplib.corpora.meadow.mistakes import Mistake, mistaken_answer, planted_mistake
from sheeplib.corpora.meadow.questions import Question, answer
from sheeplib.corpora.meadow.scenes import Group, Scene, pick
from sheeplib.tables import Label

NOTHING = Mistake(Claim("mood"), "", Label.NONE)


@dataclass(frozen=True)
class Plan:
    """An answer as a list of claims.

    Parameters
    ----------
    claims : tuple of Claim
        In the order in which they are stated; the first answers the question.
    polarity : str
        `yes`, `no` or empty: how the answer begins.
    mistake : Mistake
        `NOTHING` in an answer that was not meant to be wrong.
    wrong : int
        Place of the mistake among the claims; -1 if there is none.
    """

    claims: tuple[Claim, ...]
    polarity: str
    mistake: Mistake
    wrong: int


def make_plan(
    rng: np.random.Generator,
    scene: Scene,
    question: Question,
    label: Label,
    length: int,
    front: float,
    mood: float,
) -> Plan | None:
    """Plan an answer with one mistake.

    Parameters
    ----------
    rng : numpy.random.Generator
    scene : Scene
    question : Question
    label : Label
        Kind of mistake to plant: A to D.
    length : int
        Claims beside the answer, about.
    front, mood : float
        Probability that the answer itself is wrong, where it can be, and that a hedged claim is added.

    Returns
    -------
    Plan, or None
        None if the scene offers nothing to be wrong about in that way.
    """
    first, polarity = answer(rng, question, scene)
    mistake = mistaken_answer(rng, scene, question, first, label) if rng.random() < front else None
    if mistake:
        body = true_claims(rng, scene, length, {question.kind or mistake.claim.kind}, mistake.claim)
        return Plan((mistake.claim, *with_mood(rng, body, mood)), "", mistake, 0)
    mistake = planted_mistake(rng, scene, label, first)
    if mistake is None:
        return None
    body = true_claims(rng, scene, length - 1, {mistake.claim.kind, _truly(mistake)}, mistake.claim, first)
    body.insert(int(rng.integers(len(body) + 1)), mistake.claim)
    body = with_mood(rng, body, mood)
    return Plan((first, *body), polarity, mistake, 1 + body.index(mistake.claim))


def _truly(mistake: Mistake) -> str | None:
    return mistake.truth.kind if mistake.truth else None


def true_claims(
    rng: np.random.Generator, scene: Scene, length: int, shunned: set[str | None], *said: Claim
) -> list[Claim]:
    """True claims about what is left: groups with follow-ups, the sign, the picture, the setting.

    Parameters
    ----------
    rng : numpy.random.Generator
    scene : Scene
    length : int
        Number of claims, or one more.
    shunned : set of str or None
        Kinds that no claim may be about.
    *said : Claim
        Claims made elsewhere in the answer; the last of them answers the question.

    Returns
    -------
    list of Claim
    """
    forms = {claim.form for claim in said}
    asked = said[-1].kind
    mentioned = [group for group in scene.groups if group.kind == asked and asked not in shunned]
    topics: list[Group | Claim] = [g for g in scene.groups if g.kind not in shunned and g not in mentioned]
    if scene.sign and "sign" not in forms:
        topics.append(Claim("sign", word=scene.sign.word))
    if scene.picture and "picture" not in forms and scene.picture.kind not in shunned:
        topics.append(Claim("picture", scene.picture.kind))
    if "setting" not in forms:
        topics.append(Claim("setting", setting=scene.setting))
    if not any(claim.setting not in (None, scene.setting) for claim in said):
        topics.append(Claim("fact", fact=pick(rng, FACTS[scene.setting])))
    rng.shuffle(topics)  # type: ignore[arg-type]
    claims: list[Claim] = []
    if mentioned and rng.random() < 0.4:
        claims += _follow_up(rng, scene, mentioned[0], said[-1], mentioned)
    for topic in topics:
        if len(claims) >= length:
            break
        if isinstance(topic, Claim):
            claims.append(topic)
            continue
        first = introduction(rng, topic)
        claims.append(first)
        if rng.random() < 0.45:
            claims += _follow_up(rng, scene, topic, first, mentioned)
        mentioned.append(topic)
    return claims


def _follow_up(
    rng: np.random.Generator, scene: Scene, group: Group, before: Claim, mentioned: list[Group]
) -> list[Claim]:
    """One more true claim about a group that has just been mentioned."""
    options = []
    if before.colour is None:
        options.append(about("colour", group))
    if before.place is None:
        options.append(about("place", group, place=pick(rng, places(group))))
    if group.pose and before.form != "pose":
        options.append(about("pose", group))
    if group.trait and before.form != "trait" and group.odd:
        options.append(about("trait", group))
    options += [beside(scene, group, other) for other in mentioned if scene.side(group.kind, other.kind)]
    return [pick(rng, options)] if options else []


def with_mood(rng: np.random.Generator, claims: list[Claim], mood: float) -> list[Claim]:
    """The claims with a hedged or personal one at the end, with probability `mood`."""
    return [*claims, Claim("mood")] if rng.random() < mood else claims

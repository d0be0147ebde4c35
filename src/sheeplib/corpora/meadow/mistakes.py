"""Plausible mistakes about a scene: claims with exactly one thing wrong, of the kind that is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from sheeplib.corpora.meadow.claims import Claim, about, beside, elsewhere, introduction, places
from sheeplib.corpora.meadow.kinds import COLOURS, CONFUSABLE, EVENTS, KINDS, SETTINGS, near_colours
from sheeplib.corpora.meadow.questions import Question, likely_absent
from sheeplib.corpora.meadow.scenes import COLUMNS, Group, Scene, pick
from sheeplib.tables import Label


@dataclass(frozen=True)
class Mistake:
    """The one thing that is wrong.

    Parameters
    ----------
    claim : Claim
        As the writer puts it.
    field : str
        The field that is wrong; `premise` for a claim about something that is not there at all.
    label : Label
        Kind of mistake.
    truth : Claim, optional
        As it should be; none for inventions.
    """

    claim: Claim
    field: str
    label: Label
    truth: Claim | None = None


def mistaken_answer(
    rng: np.random.Generator, scene: Scene, question: Question, first: Claim, label: Label
) -> Mistake | None:
    """The answer itself, made wrong; none if that label does not fit the question."""
    if not question.premise and label is Label.INVENTION:
        kind = question.kind or ""
        said: Mapping[str, str]
        if question.type == "colour":
            said = {"colour": pick(rng, KINDS[kind].usual)}
        elif question.type == "pose":
            said = {"pose": pick(rng, KINDS[kind].poses)}
        else:
            said = {"place": pick(rng, COLUMNS)}
        return Mistake(Claim(question.type, kind, **said), "premise", label)  # type: ignore[arg-type]
    fields = _FIELDS.get(label, ())
    for field in ("count", "trait", "colour", "pose", "word", "setting") + ("place",) * (
        first.form == "place"
    ):
        if field in fields and getattr(first, field) is not None and _states(first, field, label):
            return _wrong(rng, scene, first, field, label)
    if first.form == "picture" and label is Label.MISCHARACTERIZATION:
        return _wrong(rng, scene, first, "kind", label)
    return None


_FIELDS: Mapping[Label, tuple[str, ...]] = {
    Label.MISCHARACTERIZATION: ("trait", "colour", "pose", "setting", "place"),
    Label.OCR: ("word",),
    Label.MISCOUNTING: ("count", "trait"),
}


def _states(claim: Claim, field: str, label: Label) -> bool:
    """Whether the claim is of the form that is about the field; wrong numbers of legs are miscounted."""
    if field == "trait":
        return (claim.trait in ("three_legs", "four_legs")) == (label is Label.MISCOUNTING)
    return claim.form == {"word": "sign"}.get(field, field)


def planted_mistake(rng: np.random.Generator, scene: Scene, label: Label, first: Claim) -> Mistake | None:
    """A mistake about something that the answer does not speak about."""
    if label is Label.INVENTION:
        return _invention(rng, scene, first)
    if label is Label.OCR:
        if scene.sign is None or first.form == "sign":
            return None
        return _wrong(rng, scene, Claim("sign", word=scene.sign.word), "word", label)
    others = [group for group in scene.groups if group.kind != first.kind]
    group = pick(rng, others)
    if label is Label.MISCOUNTING:
        if group.trait in ("three_legs", "four_legs") and rng.random() < 0.3:
            return _wrong(rng, scene, about("trait", group), "trait", label)
        claim = about("count", group) if rng.random() < 0.25 else introduction(rng, group)
        return _wrong(rng, scene, claim, "count", label)
    return _mischaracterization(rng, scene, group, others, first)


def _invention(rng: np.random.Generator, scene: Scene, first: Claim) -> Mistake:
    events = sorted(event for event, settings in EVENTS.items() if scene.setting in settings)
    if rng.random() < 0.4:
        return Mistake(Claim("event", event=pick(rng, events)), "event", Label.INVENTION)
    kind = likely_absent(rng, scene)
    while kind == first.kind:
        kind = likely_absent(rng, scene)
    colour = pick(rng, KINDS[kind].usual) if rng.random() < 0.7 else None
    place = pick(rng, COLUMNS + ("background", "foreground"))
    form = "there_at" if rng.random() < 0.7 else "there"
    claim = Claim(form, kind, pick(rng, (1, 2), (0.8, 0.2)), colour, place if form == "there_at" else None)
    return Mistake(claim, "premise", Label.INVENTION)


def _mischaracterization(
    rng: np.random.Generator, scene: Scene, group: Group, others: list[Group], first: Claim
) -> Mistake | None:
    label = Label.MISCHARACTERIZATION
    options: list[tuple[Claim, str, float]] = [
        (about("colour", group), "colour", 2.0),
        (about("there_at", group, place=pick(rng, places(group))), "colour", 2.0),
        (about("place", group, place=pick(rng, places(group))), "place", 1.5),
        (about("there_at", group, place=pick(rng, places(group))), "place", 1.5),
    ]
    if any(could_be(scene, kind) for kind in KINDS[group.kind].alike):
        options.append((introduction(rng, group), "kind", 2.5))
    if group.pose:
        options.append((about("pose", group), "pose", 2.0))
    if group.trait and "legs" not in group.trait:
        options.append((about("trait", group), "trait", 1.0 + 2 * group.odd))
    sides = [other for other in others if scene.side(group.kind, other.kind)]
    if sides:
        other = pick(rng, sides)
        options.append((beside(scene, group, other), "side", 2.0))
    if scene.picture and first.form != "picture":
        options.append((Claim("picture", scene.picture.kind), "kind", 1.0))
    if first.form != "setting":
        options.append((Claim("setting", setting=scene.setting), "setting", 0.5))
    claim, field, _ = pick(rng, options, [weight for *_, weight in options])
    return _wrong(rng, scene, claim, field, label)


def could_be(scene: Scene, kind: str) -> bool:
    """Whether a kind is nowhere to be seen, not even in a picture."""
    return scene.group(kind) is None and (scene.picture is None or scene.picture.kind != kind)


def _wrong(rng: np.random.Generator, scene: Scene, claim: Claim, field: str, label: Label) -> Mistake:
    """The claim with one field changed to something plausible that is clearly not so."""
    value = pick(rng, _alternatives(rng, scene, claim, field))
    return Mistake(replace(claim, **{field: value}), field, label, truth=claim)


def _alternatives(rng: np.random.Generator, scene: Scene, claim: Claim, field: str) -> list[str] | list[int]:
    true = getattr(claim, field)
    about_kind = KINDS.get(claim.kind or "")
    if field == "count":  # never one, so that the number is a word of its own in every language
        return [count for count in range(max(2, true - 2), min(6, true + 2) + 1) if count != true]
    if field == "colour" and about_kind:
        clear = [colour for colour in COLOURS if not near_colours(colour, true)]
        usual = [colour for colour in clear if colour in about_kind.usual]
        return usual if usual and rng.random() < 0.7 else clear
    if field == "kind":
        alike = [kind for kind in KINDS[true].alike if could_be(scene, kind)]
        return alike or [kind for kind in KINDS if kind not in (true, "person") and could_be(scene, kind)]
    if field == "trait" and about_kind:
        return [trait for trait in about_kind.traits if trait != true]
    if field == "pose" and about_kind:
        return list(about_kind.poses[1:])
    if field == "setting":  # a harbour and a beach both show the sea
        return [name for name in SETTINGS if name != true and {name, true} != {"harbour", "beach"}]
    if field == "place":
        return list(elsewhere(true))
    if field == "side":
        return ["right" if true == "left" else "left"]
    return [CONFUSABLE[true]]

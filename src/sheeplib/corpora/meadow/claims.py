"""What a sentence says about a scene, apart from any language, and whether it is true."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from sheeplib.corpora.meadow.kinds import FACTS
from sheeplib.corpora.meadow.scenes import COLUMNS, Group, Scene, pick


@dataclass(frozen=True)
class Claim:
    """One statement. Which fields it states follows from its form, see `FORMS`.

    Parameters
    ----------
    form : str
        Key of `FORMS` or `MENTION_FORMS`.
    kind : str, optional
        Kind of the subject, or of what the framed picture shows.
    count : int
        How many; where a form does not state it, only singular or plural shows.
    colour, place, word, trait, pose, setting, fact, event : str, optional
        Values as in `kinds` and `scenes`; `place` is a column or a depth.
    other : str, optional
    other_count : int
        The second group of a spatial relation.
    side : str, optional
        `left` or `right`: where the subject is from `other`.
    """

    form: str
    kind: str | None = None
    count: int = 1
    colour: str | None = None
    place: str | None = None
    other: str | None = None
    other_count: int = 1
    side: str | None = None
    word: str | None = None
    trait: str | None = None
    pose: str | None = None
    setting: str | None = None
    fact: str | None = None
    event: str | None = None


# The fields that sentences of a form state, in no order; the wrong one of a mistake is among them.
FORMS: Mapping[str, tuple[str, ...]] = {
    "there": ("kind", "count", "colour"),
    "there_at": ("kind", "count", "colour", "place"),
    "colour": ("kind", "colour"),
    "count": ("kind", "count"),
    "place": ("kind", "place"),
    "side": ("kind", "side", "other"),
    "sign": ("word",),
    "picture": ("kind",),
    "setting": ("setting",),
    "fact": ("fact",),
    "pose": ("kind", "pose"),
    "trait": ("kind", "trait"),
    "absent": ("kind",),
    "event": ("event",),
    "mood": (),  # hedged or a matter of taste: neither true nor false
}

# Forms that name a kind without saying that it is there: neither true nor false of any scene.
MENTION_FORMS: Mapping[str, tuple[str, ...]] = {
    "hedged": ("kind", "count", "colour", "place"),  # colour and place where the claim has them
    "purpose": ("kind",),  # what something is good for, as in "a lawn for flying a kite"
    "generic": ("kind",),  # the kind at large, as in "dogs like parks"
    "compound": ("kind",),  # inside a compound that is no such object, as in "bus stop"
}


def false_fields(claim: Claim, scene: Scene) -> tuple[str, ...]:
    """The stated fields that the scene contradicts; none if the claim is true or commits to nothing.

    Parameters
    ----------
    claim : Claim
    scene : Scene

    Returns
    -------
    tuple of str
        `("kind",)` if the subject is absent, whatever is said about it.
    """
    if claim.form in MENTION_FORMS:
        return ()
    if claim.form in _WHOLE:
        return () if _WHOLE[claim.form](claim, scene) else (FORMS[claim.form][0],)
    group = scene.group(claim.kind or "")
    if group is None:
        return ("kind",)
    stated = [field for field in FORMS[claim.form] if getattr(claim, field) is not None]
    wrong = [field for field in stated if field != "kind" and not _fits(claim, field, group, scene)]
    if "count" not in stated and (claim.count > 1) != (group.count > 1):
        wrong.append("count")
    return tuple(wrong)


def _fits(claim: Claim, field: str, group: Group, scene: Scene) -> bool:
    if field == "place":
        return claim.place in (group.column, group.depth)
    if field == "side":
        return scene.side(group.kind, claim.other or "") == claim.side
    if field == "other":
        other = scene.group(claim.other or "")
        return other is not None and (other.count > 1) == (claim.other_count > 1)
    return getattr(claim, field) == getattr(group, field)


_WHOLE: Mapping[str, Callable[[Claim, Scene], bool]] = {
    "sign": lambda claim, scene: scene.sign is not None and scene.sign.word == claim.word,
    "picture": lambda claim, scene: scene.picture is not None and scene.picture.kind == claim.kind,
    "setting": lambda claim, scene: scene.setting == claim.setting,
    "fact": lambda claim, scene: claim.fact in FACTS[scene.setting],
    "absent": lambda claim, scene: scene.group(claim.kind or "") is None,
    "event": lambda claim, scene: False,
    "mood": lambda claim, scene: True,
}


def about(form: str, group: Group, **fields: str | int | None) -> Claim:
    """A claim about a group; fields not given are those of the group.

    Parameters
    ----------
    form : str
        Key of `FORMS` or `MENTION_FORMS` whose subject is a group.
    group : Group
    **fields
        Fields of the claim to set; `colour=None` leaves the colour unsaid.
    """
    own = {"kind": group.kind, "count": group.count}
    stated = FORMS[form] if form in FORMS else MENTION_FORMS[form]
    for field in ("colour", "trait", "pose"):
        if field in stated:
            own[field] = getattr(group, field)
    return Claim(form, **(own | fields))  # type: ignore[arg-type]


def introduction(rng: np.random.Generator, group: Group) -> Claim:
    """A true first mention of a group: with or without its colour and place."""
    colour = group.colour if rng.random() < 0.75 else None
    if rng.random() < 0.65:
        return about("there_at", group, colour=colour, place=pick(rng, places(group)))
    return about("there", group, colour=colour)


def beside(scene: Scene, group: Group, other: Group) -> Claim:
    """A true claim that a group is to the left or right of another, which `Scene.side` must know."""
    side = scene.side(group.kind, other.kind)
    return about("side", group, other=other.kind, other_count=other.count, side=side)


def places(group: Group) -> tuple[str, ...]:
    """Where a group may truly be said to be: its column and its depth."""
    return group.column, group.depth


def elsewhere(place: str) -> tuple[str, ...]:
    """Places that contradict a place and are clearly apart from it."""
    if place in COLUMNS:
        return {"left": ("right",), "right": ("left",), "centre": ("left", "right")}[place]
    return ("foreground",) if place == "background" else ("background",)

"""How easily an image settles whether a claim is true: what makes mistakes easy or hard to find."""

from __future__ import annotations

from collections.abc import Mapping

from sheeplib.corpora.meadow.claims import Claim
from sheeplib.corpora.meadow.kinds import near_colours
from sheeplib.corpora.meadow.scenes import Scene

# How quickly a glance settles a field, for something that is drawn clearly. Judgement, not measurement:
# kinds and colours are seen at once, numbers are counted, wheels are small, left and right take thought.
GLANCE: Mapping[str, float] = {
    "kind": 1.0, "colour": 0.95, "count": 0.9, "place": 0.85, "side": 0.75, "other": 0.9, "word": 0.9,
    "trait": 0.75, "pose": 0.9, "setting": 1.0, "fact": 0.85, "event": 0.9, "premise": 0.9, "mood": 0.55,
}  # fmt: skip
_LABELS: Mapping[str, str] = {"kind": "A", "event": "A", "mood": "A", "fact": "A", "count": "D", "word": "C"}


def salience(claim: Claim, field: str, scene: Scene) -> float:
    """How easily the image settles one field of a claim.

    Parameters
    ----------
    claim : Claim
        True or false.
    field : str
        A field that it states, or `premise` or `mood`.
    scene : Scene

    Returns
    -------
    float
        From 0 to 1: the glance that the field takes, times the visibility of the group it is about;
        large numbers take longer to count, and a wrong colour is half as easy to find where it is
        near the true one, as orange is to red. Where the group is absent, nothing dims it.
    """
    group = scene.group(claim.kind or "")
    seen = 1.0 if group is None else group.visibility
    if field == "count":
        seen *= 1 - 0.05 * max(0, claim.count - 2)
    if field == "colour" and group and group.colour != claim.colour:
        seen *= 0.5 if near_colours(claim.colour or "", group.colour) else 1
    return round(GLANCE[field] * seen, 4)


def likely_label(field: str) -> str:
    """The label that somebody would give who took a true field for false."""
    return _LABELS.get(field, "B")

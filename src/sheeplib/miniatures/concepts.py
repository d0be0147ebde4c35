"""What each patch of a picture shows, as a list of concepts: the dense teaching of the image towers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sheeplib.corpora.meadow.kinds import COLOURS, KINDS, SETTINGS, WORDS
from sheeplib.corpora.meadow.layout import UNIT, Box, frame_box, placed, sign_box
from sheeplib.corpora.meadow.scenes import COLUMNS, DEPTHS, MOST, Scene

SIDE = 6  # patches across and down: 36 image tokens
PATCH = UNIT // SIDE  # pixels
COVERED = 0.12  # share of a patch that shows a thing, from which on the patch is taught to name it
CONTAINED = 0.35  # or share of the thing that lies in the patch
_ODD = tuple(sorted({about.traits[1] for about in KINDS.values() if about.traits}))
Concept = tuple[str, str]  # field and value, as in claims
CONCEPTS: tuple[Concept, ...] = (
    *(("kind", kind) for kind in KINDS),
    *(("colour", colour) for colour in COLOURS),
    *(("count", str(count)) for count in range(1, MOST + 1)),
    *(("trait", trait) for trait in _ODD),
    *(("word", word) for word in WORDS),
    *(("setting", setting) for setting in SETTINGS),
    *(("place", place) for place in (*COLUMNS, *DEPTHS)),
    ("picture", "picture"),
)
PLACES = {concept: place for place, concept in enumerate(CONCEPTS)}


def patch_targets(scene: Scene) -> np.ndarray:
    """What each patch shows.

    Parameters
    ----------
    scene : Scene

    Returns
    -------
    ndarray of bool, (36, concepts)
        Patches row by row; concepts as in `CONCEPTS`. A patch of a group says its kind, colour, number,
        place and unusual trait, a patch of a sign its word, a patch of a frame that it is a picture and what
        it shows, and every patch the setting.
    """
    targets = np.zeros((SIDE * SIDE, len(CONCEPTS)), dtype=bool)
    for boxes, concepts in _things(scene):
        shown = np.any([_patches(box) for box in boxes], axis=0)
        for concept in concepts:
            targets[shown, PLACES[concept]] = True
    targets[:, PLACES["setting", scene.setting]] = True
    return targets


def _things(scene: Scene) -> Iterator[tuple[Sequence[Box], list[Concept]]]:
    for group in scene.groups:
        said = [("kind", group.kind), ("colour", group.colour), ("count", str(group.count))]
        said += [("place", group.column), ("place", group.depth)]
        if group.odd and group.trait:
            said.append(("trait", group.trait))
        yield placed(group, scene).boxes, said
    if scene.sign:
        yield (sign_box(scene.sign),), [("word", scene.sign.word)]
    if scene.picture:
        yield (frame_box(scene.picture),), [("picture", "picture"), ("kind", scene.picture.kind)]


def _patches(box: Box) -> np.ndarray:
    """Which patches show enough of a box."""
    left, top, right, bottom = box
    edges = np.arange(SIDE) * PATCH
    across = np.clip(np.minimum(right, edges + PATCH) - np.maximum(left, edges), 0, None)
    down = np.clip(np.minimum(bottom, edges + PATCH) - np.maximum(top, edges), 0, None)
    area = np.outer(down, across).ravel()
    whole = max((right - left) * (bottom - top), 1e-9)
    return (area >= COVERED * PATCH * PATCH) | (area >= CONTAINED * whole)

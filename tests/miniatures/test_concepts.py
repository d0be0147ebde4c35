"""What patches are taught to show."""

from __future__ import annotations

import numpy as np
import pytest

from sheeplib.corpora.meadow.drawing import render
from sheeplib.corpora.meadow.layout import frame_box, placed, sign_box
from sheeplib.corpora.meadow.scenes import Group, Picture, Scene, Sign, scene
from sheeplib.miniatures.concepts import CONCEPTS, PLACES, SIDE, patch_targets

EMPTY = Scene("park", ())


def shown(drawn: Scene, *concept: str) -> set[tuple[int, int]]:
    """Row and column of the patches that show a concept."""
    found = patch_targets(drawn)[:, PLACES[concept]].reshape(SIDE, SIDE)
    return {(int(row), int(column)) for row, column in zip(*np.nonzero(found), strict=True)}


def test_a_car_on_the_left_is_taught_where_it_stands() -> None:
    # A car is 29 by 15; its middle is at 17 of 96, its wheels at 90. So it reaches from 2.5 to 31.5 across
    # (columns 0 and 1) and from 75 to 90 down: 5 of 16 pixels of row 4 (64 to 80), 10 of row 5 (80 to 96).
    car = Scene("park", (Group("car", "red", 1, "left", "foreground"),))
    assert shown(car, "kind", "car") == {(4, 0), (4, 1), (5, 0), (5, 1)}
    assert shown(car, "colour", "red") == shown(car, "count", "1") == shown(car, "kind", "car")
    assert not shown(car, "kind", "bus")


def test_nothing_but_the_setting_is_taught_of_an_empty_scene() -> None:
    found = patch_targets(EMPTY)
    assert found.shape == (36, len(CONCEPTS))
    assert found.sum() == 36
    assert found[:, PLACES["setting", "park"]].all()


def test_a_sign_teaches_its_word_and_a_frame_what_it_shows() -> None:
    drawn = Scene("street", (), Sign("STOP", "left"), Picture("cat", "black", "right"))
    assert shown(drawn, "word", "STOP") and shown(drawn, "picture", "picture") == shown(drawn, "kind", "cat")
    assert all(row <= 1 and column <= 2 for row, column in shown(drawn, "word", "STOP"))
    assert all(row <= 1 and column >= 4 for row, column in shown(drawn, "kind", "cat"))
    assert not shown(drawn, "colour", "black")


def test_only_odd_things_teach_a_trait() -> None:
    usual, odd = (
        Scene("park", (Group("dog", "brown", 1, "centre", "foreground", odd=odd),)) for odd in (0, 1)
    )
    assert not shown(usual, "trait", "three_legs")
    assert shown(odd, "trait", "three_legs") == shown(odd, "kind", "dog")


@pytest.mark.parametrize("seed", range(40))
def test_boxes_hold_what_is_drawn(seed: int) -> None:
    """Taking a group away changes no pixel outside its boxes, but for a table, a post and the noise."""
    drawn = scene(seed)
    for group in drawn.groups:
        place = placed(group, drawn)
        if place.table is not None or group.kind == "clock" or group.depth == "background":
            continue
        rest = Scene(
            drawn.setting,
            tuple(g for g in drawn.groups if g is not group),
            drawn.sign,
            drawn.picture,
            drawn.noise,
        )
        changed = np.any(np.asarray(render(drawn)) != np.asarray(render(rest)), axis=2)
        rows, columns = np.nonzero(changed)
        left, top, right, bottom = (
            pick(box[side] for box in place.boxes) for side, pick in enumerate((min, min, max, max))
        )
        assert left - 2 <= columns.min() and columns.max() <= right + 2
        assert top - 2 <= rows.min() and rows.max() <= bottom + 2


def test_boards_and_frames_stay_in_the_picture() -> None:
    for column in ("left", "centre", "right"):
        for box in (sign_box(Sign("VENUE", column)), frame_box(Picture("cat", "black", column))):
            left, top, right, bottom = box
            assert 0 <= left < right <= 96 and 0 <= top < bottom <= 96

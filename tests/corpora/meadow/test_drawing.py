"""Pictures: the same bytes for the same scene, and everything in the scene graph leaves its trace."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from sheeplib.corpora.meadow import image
from sheeplib.corpora.meadow.drawing import NOISE, render
from sheeplib.corpora.meadow.kinds import COLOURS, CONFUSABLE, KINDS, SETTINGS
from sheeplib.corpora.meadow.lettering import word_width
from sheeplib.corpora.meadow.scenes import Group, Picture, Scene, Sign, scene
from sheeplib.corpora.meadow.sprites import SPRITES
from sheeplib.errors import InputError


def pixels(picture):
    return np.asarray(picture, dtype=int)


def changed(one, two):
    """Pixels that differ by more than the noise, which is the same in both."""
    return np.abs(pixels(render(one)) - pixels(render(two))).max(axis=2) > 12


def test_bytes_depend_on_the_scene_alone():
    one, two = render(scene(5)), render(scene(5))
    assert one.mode == "RGB" and one.size == (96, 96)
    assert one.tobytes() == two.tobytes()
    assert len({hashlib.sha256(render(scene(seed)).tobytes()).digest() for seed in range(30)}) == 30
    assert image("meadow-000005").tobytes() == one.tobytes()


@pytest.mark.parametrize("size", [32, 96, 130, 256])
def test_any_size_shows_the_same_picture(size):
    small = pixels(render(scene(9), size).resize((24, 24)))
    assert np.abs(small - pixels(render(scene(9)).resize((24, 24)))).mean() < 8


def test_sizes_and_names_out_of_range_are_refused():
    with pytest.raises(InputError, match="16 to 2048"):
        render(scene(1), 8)
    for name in ("meadow-12", "meadow-0000012", "sheep-000012", "meadow-00001x", ""):
        with pytest.raises(InputError, match="meadow-000123"):
            image(name)


def test_every_kind_in_every_colour_leaves_its_colour():
    assert set(SPRITES) == set(KINDS)
    for kind, about in KINDS.items():
        for colour in about.usual + about.odd:
            group = Group(kind, colour, 1, "centre", about.depths[-1], "large")
            picture = pixels(render(Scene("park", (group,))))
            near = np.abs(picture - COLOURS[colour]).max(axis=2) <= 4 * NOISE + 3
            assert near.sum() >= 8, (kind, colour)


def test_each_member_of_a_group_is_drawn():
    empty = Scene("street", ())
    for kind in ("sports ball", "car", "person", "cup"):
        covered = [
            changed(empty, replace(empty, groups=(Group(kind, "red", n, "centre", "foreground"),))).sum()
            for n in (1, 2, 3)
        ]
        assert covered[0] < covered[1] or KINDS[kind].width > 20, kind
        assert covered[2] > 0


def test_a_group_stays_in_its_column():
    empty = Scene("lounge", ())
    for place, column in enumerate(("left", "centre", "right")):
        for kind in KINDS:
            where = changed(empty, replace(empty, groups=(Group(kind, "red", 5, column, "foreground"),)))
            xs = np.nonzero(where)[1]
            assert 17 + 31 * place == pytest.approx(xs.mean(), abs=6)
            assert xs.max() - xs.min() < 40


def test_odd_traits_can_be_seen():
    for kind, about in KINDS.items():
        if about.traits:
            group = Group(kind, about.usual[0], 1, "centre", about.depths[-1], "large")
            one, two = (Scene("park", (replace(group, odd=odd),)) for odd in (False, True))
            assert changed(one, two).sum() >= 3, kind


def test_faint_objects_are_fainter():
    empty = Scene("beach", ())
    group = Group("dog", "black", 1, "centre", "foreground")
    strength = [
        np.abs(
            pixels(render(empty)) - pixels(render(replace(empty, groups=(replace(group, contrast=c),))))
        ).sum()
        for c in (0.4, 0.7, 1.0)
    ]
    assert strength[0] < strength[1] < strength[2]


def test_words_on_signs_can_be_told_apart_at_96_pixels():
    for setting in SETTINGS:
        for word, other in CONFUSABLE.items():
            one, two = (Scene(setting, (), Sign(w, "centre")) for w in (word, other))
            assert changed(one, two).sum() >= 3, (word, other)
    # dots of ink lie on whole pixels: the letter I of DISH, a column of five between two bars of five
    picture = pixels(render(Scene("kitchen", (), Sign("FISH", "centre")))).max(axis=2)
    left = round(48 - word_width("FISH") / 2)
    letter = picture[8:15, left + 6 : left + 11] < 120
    assert letter[0].all() and letter[6].all() and letter[1:6, 2].all() and letter[1:6].sum() == 5


def test_framed_pictures_show_their_object():
    bare = Scene("lounge", ())
    shown = [replace(bare, picture=Picture(kind, "red", "left")) for kind in ("dog", "kite")]
    assert changed(bare, shown[0]).sum() > 400
    assert changed(*shown).sum() > 20


def test_no_group_is_hidden_by_what_stands_before_it():
    for seed in range(120):
        whole = scene(seed)
        for place, group in enumerate(whole.groups):
            faded = replace(group, contrast=0.001)
            others = (*whole.groups[:place], faded, *whole.groups[place + 1 :])
            assert changed(whole, replace(whole, groups=others)).sum() >= 15, (seed, group)


@pytest.mark.parametrize("size", [16, 23, 61, 97])
def test_small_and_crooked_sizes_work_for_all_scenes(size):
    for seed in range(60):
        assert render(scene(seed), size).size == (size, size)

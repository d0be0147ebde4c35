"""Scene graphs: deterministic, consistent with themselves, and skewed as meant."""

import time
from collections import Counter

import numpy as np
import pytest

from sheeplib.corpora.meadow.kinds import (
    AERIAL,
    COLOURS,
    CONFUSABLE,
    FACTS,
    KINDS,
    PARTNERS,
    SETTINGS,
    near_colours,
)
from sheeplib.corpora.meadow.scenes import COLUMNS, MOST, Group, Scene, draw_scene, named_scene, pick, scene
from sheeplib.errors import InputError

SCENES = [scene(seed) for seed in range(3000)]


def test_the_same_seed_gives_the_same_scene_and_others_differ():
    assert draw_scene(np.random.default_rng(7)) == scene(7)
    assert len({(s.setting, s.groups, s.sign) for s in SCENES}) > 2990


def test_scenes_have_names():
    assert named_scene("meadow-000007") == scene(7)
    for name in ("meadow-7", "meadow-0000007", "meadow-00000٧", "meadow-000007\n", " meadow-000007", ""):
        with pytest.raises(InputError, match="no such image in the meadow .*Names are like meadow-000123"):
            named_scene(name)


def test_tables_of_kinds_agree_with_each_other():
    assert 20 <= len(KINDS) <= 24 and len(COLOURS) >= 7 and len(SETTINGS) >= 5 and len(CONFUSABLE) >= 12
    for kind, about in KINDS.items():
        assert set(about.usual + about.odd) <= set(COLOURS) and not set(about.usual) & set(about.odd), kind
        assert (
            set(about.alike) <= set(KINDS) - {kind} and len(about.traits) in (0, 2) and len(about.poses) != 1
        )
    assert set(PARTNERS) | set(PARTNERS.values()) <= set(KINDS)
    assert set(FACTS) == set(SETTINGS) and all(set(weights) <= set(KINDS) for weights in SETTINGS.values())
    # each kind can be met somewhere
    assert {kind for weights in SETTINGS.values() for kind in weights} == set(KINDS)


def test_confusable_words_are_pairs_one_letter_or_sound_apart():
    for word, other in CONFUSABLE.items():
        assert CONFUSABLE[other] == word != other
    assert {CONFUSABLE[word] for word in ("STOP", "OPEN", "CAFE")} == {"SHOP", "OVEN", "CAVE"}


def test_scenes_keep_the_rules():
    for s in SCENES:
        assert 3 <= len(s.groups) <= 5
        assert len(set(s.kinds)) == len(s.groups)
        places = [(group.column, group.depth) for group in s.groups]
        assert len(set(places)) == len(places)
        for group in s.groups:
            about = KINDS[group.kind]
            assert 1 <= group.count <= MOST and group.depth in about.depths
            assert group.colour in about.usual + about.odd
            assert 0 < group.visibility <= 1 and (not group.odd or about.traits)
            assert group.kind in SETTINGS[s.setting]
        assert [g.visibility for g in s.groups] == sorted((g.visibility for g in s.groups), reverse=True)
        high = [board.column for board in (s.sign, s.picture) if board]
        high += {group.column for group in s.groups if group.kind in AERIAL}
        assert len(set(high)) == len(high)
        assert s.picture is None or s.group(s.picture.kind) is None


def test_relations_mirror_each_other_and_follow_the_columns():
    left, right = (
        Group("dog", "brown", 1, "left", "foreground"),
        Group("cat", "black", 1, "right", "background"),
    )
    pair = Scene("park", (left, right, Group("bird", "red", 2, "right", "foreground")))
    assert pair.side("dog", "cat") == "left" and pair.side("cat", "dog") == "right"
    assert pair.side("cat", "bird") is None and pair.side("cat", "kite") is None
    opposite = {"left": "right", "right": "left", None: None}
    for s in SCENES[:200]:
        for one in s.groups:
            for two in s.groups:
                assert s.side(one.kind, two.kind) == opposite[s.side(two.kind, one.kind)]
                apart = COLUMNS.index(one.column) - COLUMNS.index(two.column)
                assert (s.side(one.kind, two.kind) == "left") == (apart < 0)


def test_settings_and_partners_tempt():
    seen = Counter(kind for s in SCENES for kind in s.kinds)
    share = {kind: seen[kind] / len(SCENES) for kind in KINDS}
    for kind, partner in (("cup", "bowl"), ("couch", "tv"), ("dog", "sports ball")):
        with_it = [s for s in SCENES if kind in s.kinds]
        assert sum(partner in s.kinds for s in with_it) / len(with_it) > 2 * share[partner]
    kitchens = [s for s in SCENES if s.setting == "kitchen"]
    assert sum("cup" in s.kinds for s in kitchens) / len(kitchens) > 0.6
    assert not any("boat" in s.kinds for s in kitchens)


def test_all_that_is_promised_occurs():
    assert {g.count for s in SCENES for g in s.groups} == {1, 2, 3, 4, 5}
    assert {s.sign.word for s in SCENES if s.sign} == set(CONFUSABLE)
    assert 0.3 < np.mean([s.sign is not None for s in SCENES]) < 0.7
    assert np.mean([s.picture is not None for s in SCENES]) > 0.1
    assert np.mean([any(g.unusual for g in s.groups) for s in SCENES]) > 0.2
    assert np.mean([any(g.contrast < 0.7 for g in s.groups) for s in SCENES]) > 0.3


def test_thousands_of_scenes_a_second():
    begin = time.process_time()
    for seed in range(10_000, 11_000):
        scene(seed)
    assert time.process_time() - begin < 1.0


def test_near_colours_are_symmetric():
    for one in COLOURS:
        assert near_colours(one, one)
        assert all(near_colours(one, other) == near_colours(other, one) for other in COLOURS)
        assert sum(not near_colours(one, other) for other in COLOURS) >= 4


def test_pick_follows_its_weights():
    rng = np.random.default_rng(1)
    drawn = Counter(pick(rng, "abc", (1, 0, 3)) for _ in range(4000))
    assert drawn["b"] == 0
    # binomial with n 4000, p 3/4: standard deviation 27
    assert drawn["c"] == pytest.approx(3000, abs=4 * 27)

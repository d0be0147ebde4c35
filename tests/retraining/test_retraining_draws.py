"""Splits by image, examples in natural shares, budgets."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import small_mentions
from sheeplib.errors import InputError
from sheeplib.mentions.statuses import SUBTYPES
from sheeplib.retraining import draws
from sheeplib.retraining.natural import Natural, natural

NATURE = Natural(60, 20, {"hedged": 10, "depictive": 5, "purpose": 5, "negation": 0})


def test_natural_shares_by_hand():
    # 20 of 100 mentions are non-assertive, half of them hedged
    assert NATURE.share == 0.2
    assert NATURE.shares == {"hedged": 0.5, "depictive": 0.25, "purpose": 0.25, "negation": 0}


def test_natural_counts_all_statuses_but_excluded_ones():
    _, mentions = small_mentions.mentions_of("ada", 8)
    mentions.loc[0, ["status", "subtype"]] = ["excluded", "generic"]
    found = natural(mentions)
    assert (found.concrete, found.hallucinated) == (15, 16)
    assert found.subtypes == dict.fromkeys(SUBTYPES, 4)
    with pytest.raises(InputError, match="unknown subtype"):
        natural(mentions.assign(subtype="ironic"))
    with pytest.raises(InputError, match="without hallucinated"):
        natural(mentions[mentions["status"] != "hallucinated"])


def test_no_image_stands_on_two_sides():
    images = np.repeat([f"i{n}" for n in range(90)], 3)
    drawn = draws.split(images, 5)
    assert drawn.fit.sum() == 180 and drawn.apart.sum() == 18  # 60 images and 6, three mentions each
    assert drawn.calibration.sum() == 45 and (drawn.fit ^ drawn.held_out).all()
    assert not (drawn.calibration & drawn.fit).any() and not (drawn.apart & ~drawn.fit).any()
    for part in (drawn.fit, drawn.apart, drawn.calibration):
        assert not set(images[part]) & set(images[~part])
    assert (draws.split(images, 5, "held-out").calibration == drawn.held_out).all()
    assert (draws.split(images, 6).fit != drawn.fit).any()


def test_a_split_does_not_depend_on_the_order_of_mentions():
    images = np.array([f"i{n}" for n in range(50)])
    order = np.random.default_rng(0).permutation(50)
    one, other = draws.split(images, 1), draws.split(images[order], 1)
    assert (one.fit[order] == other.fit).all() and (one.calibration[order] == other.calibration).all()


def test_too_few_images_and_unknown_calibration_are_refused():
    with pytest.raises(InputError, match="too few"):
        draws.split(np.array(["a", "b", "c"]), 0)
    with pytest.raises(InputError, match="no such way"):
        draws.split(np.arange(90), 0, "all")


def test_examples_come_in_natural_shares():
    # share over 1, 3, 5, 7 for the first to fourth of a subtype:
    # hedged .5, .17, .1, .07; depictive and purpose .25, .08, .05, .04; negation 0
    subtypes = np.repeat(SUBTYPES, 4)
    ordered = subtypes[draws.line(subtypes, np.ones(16, bool), NATURE.shares, 0)]
    assert list(ordered[:8]) == ["hedged", "depictive", "purpose", "hedged"] * 2
    # hedged has run out: the others go on, and what is never written comes last
    assert list(ordered[8:]) == ["depictive", "purpose"] * 2 + ["negation"] * 4
    assert sorted(ordered) == sorted(subtypes)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.sampled_from(SUBTYPES), min_size=1, max_size=60),
    st.lists(st.integers(0, 50), min_size=4, max_size=4).filter(any),
    st.integers(0, 5),
)
def test_every_front_of_the_line_has_the_shares_as_nearly_as_can_be(subtypes, counts, seed):
    names = np.array(subtypes)
    shares = {name: count / sum(counts) for name, count in zip(SUBTYPES, counts, strict=True)}
    ordered = draws.line(names, np.ones(len(names), bool), shares, seed)
    assert sorted(ordered) == list(range(len(names)))  # each once
    present = [name for name in SUBTYPES if name in subtypes]
    whole = sum(shares[name] for name in present)
    for front in range(1, len(names) + 1):
        taken = {name: (names[ordered[:front]] == name).sum() for name in present}
        if whole and all(taken[name] < (names == name).sum() for name in present):  # none has run out
            assert all(abs(taken[name] - front * shares[name] / whole) < 2 for name in present)


def test_the_order_within_a_subtype_is_the_same_when_another_is_left_out():
    subtypes = np.repeat(SUBTYPES, 9)
    every = draws.line(subtypes, np.ones(36, bool), NATURE.shares, 3)
    some = draws.line(subtypes, subtypes != "hedged", NATURE.shares, 3)
    assert "hedged" not in subtypes[some]
    for name in SUBTYPES[1:]:
        assert list(every[subtypes[every] == name]) == list(some[subtypes[some] == name])
    assert list(draws.line(subtypes, np.ones(36, bool), NATURE.shares, 4)) != list(every)


def test_budgets_by_hand():
    def size(budget, count=None):
        return draws.budget_size(budget, 100, 60, 45, NATURE, count)

    assert size("0") == 0 and size("10") == 6 and size("30") == 18 and size("max") == 45
    assert size("natural") == 40  # 40 of 200 mentions to learn from: a share of .2
    assert size("natural", 20) == 20 and size("12.5") == 8
    for wrong in ("some", "-1", "nan", "inf", "1e308"):
        with pytest.raises(InputError, match="no such budget"):
            size(wrong)

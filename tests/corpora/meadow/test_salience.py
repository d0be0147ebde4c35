"""Salience: the glance that a field takes, dimmed by what makes it hard to see."""

import pytest

from sheeplib.corpora.meadow.claims import Claim
from sheeplib.corpora.meadow.kinds import COLOURS, NEAR_COLOURS
from sheeplib.corpora.meadow.salience import GLANCE, salience
from sheeplib.corpora.meadow.scenes import Group, Picture, Scene


def park(colour, contrast=1.0):
    dogs = Group("dog", colour, 1, "left", "foreground", contrast=contrast)
    return Scene("park", (dogs,), picture=Picture("cat", "orange", "right"))


@pytest.mark.parametrize("form", ["there", "colour"])
@pytest.mark.parametrize("contrast", [1.0, 0.5])
def test_a_colour_near_the_true_one_is_half_as_easy_to_find(form, contrast):
    for true in COLOURS:
        for said in COLOURS:
            near = any(pair == {true, said} for pair in NEAR_COLOURS)  # never of a colour and itself
            expected = 0.95 * contrast / (2 if near else 1)
            found = salience(Claim(form, "dog", 1, said), "colour", park(true, contrast))
            assert found == pytest.approx(expected, abs=5e-5), (true, said)


def test_only_the_colour_of_what_is_there_is_near_or_far():
    red = Claim("there", "dog", 1, "red")
    # red said of an orange dog: its kind and number are as plain as ever
    assert salience(red, "kind", park("orange")) == 1 and salience(red, "count", park("orange")) == 0.9
    for kind in ("cat", "boat"):  # in a framed picture, and nowhere: no true colour to be near to
        assert salience(Claim("there", kind, 1, "red"), "colour", park("orange")) == GLANCE["colour"]


def test_large_numbers_take_longer_to_count():
    """Four: 0.9 * (1 - 0.05 * 2); five: 0.9 * (1 - 0.05 * 3)."""
    counted = [salience(Claim("count", "dog", n), "count", park("black")) for n in (1, 2, 4, 5)]
    assert counted == pytest.approx([0.9, 0.9, 0.81, 0.765])

"""Dempster's rule on frames of two and three answers, by hand."""

from math import exp, inf, log

import pytest

from sheeplib.detectors import dempster
from sheeplib.errors import InputError

CAT, DOG, HEN = "cat", "dog", "hen"
FRAME = {CAT, DOG, HEN}


def test_two_pieces_of_evidence_by_hand():
    # For the cat with mass 1/2, against the cat with mass 1/2: 1/4 excludes itself and is left out; of the
    # other three quarters, a third each goes to the cat, to what is not the cat, and to the whole frame.
    one = dempster.simple({CAT}, log(2), FRAME)
    other = dempster.simple({DOG, HEN}, log(2), FRAME)
    assert dempster.conflict(one, other) == pytest.approx(1 / 4)
    whole = dempster.combined([one, other])
    assert whole == {
        frozenset({CAT}): pytest.approx(1 / 3),
        frozenset({DOG, HEN}): pytest.approx(1 / 3),
        frozenset(FRAME): pytest.approx(1 / 3),
    }
    assert dempster.plausibility(whole, CAT) == pytest.approx(2 / 3)
    assert dempster.plausibility(whole, HEN) == pytest.approx(2 / 3)


def test_weights_of_evidence_for_one_set_add_up():
    # (1 - e^-a) and (1 - e^-b) for one set: what says nothing is e^-a e^-b.
    both = dempster.combined([dempster.simple({CAT}, w, FRAME) for w in (0.3, 1.1)])
    assert both == {
        frozenset({CAT}): pytest.approx(1 - exp(-1.4)),
        frozenset(FRAME): pytest.approx(exp(-1.4)),
    }


def test_evidence_that_says_nothing_changes_nothing():
    mass = dempster.simple({CAT, DOG}, 0.7, FRAME)
    found = dempster.combined([mass, dempster.simple({CAT}, 0.0, FRAME), dempster.simple(FRAME, 5.0, FRAME)])
    assert {chosen: share for chosen, share in found.items() if share} == mass


def test_the_order_does_not_matter():
    masses = [dempster.simple({CAT}, 0.4, FRAME), dempster.simple({DOG}, 2.0, FRAME)]
    masses.append(dempster.simple({CAT, HEN}, 1.0, FRAME))
    one, other = dempster.combined(masses), dempster.combined(masses[::-1])
    assert one.keys() == other.keys() and sum(one.values()) == pytest.approx(1)
    assert all(share == pytest.approx(other[chosen]) for chosen, share in one.items())


def test_what_cannot_be_is_refused():
    with pytest.raises(InputError, match="never negative"):
        dempster.simple({CAT}, -1, FRAME)
    with pytest.raises(InputError, match="never negative"):
        dempster.simple({CAT}, float("nan"), FRAME)
    with pytest.raises(InputError, match="no answer"):
        dempster.simple({"cow"}, 1, FRAME)
    with pytest.raises(InputError, match="no answer"):
        dempster.simple((), 1, FRAME)
    with pytest.raises(InputError, match="excludes every answer"):
        dempster.combined([dempster.simple({CAT}, inf, FRAME), dempster.simple({DOG}, inf, FRAME)])
    with pytest.raises(InputError, match="nothing to combine"):
        dempster.combined([])

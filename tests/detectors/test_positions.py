"""The place in the caption alone, and matching: against drawing again and again, and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sheeplib.detectors.positions import match, matched_weights, weighted_auroc
from sheeplib.detectors.rankings import auroc
from sheeplib.errors import InputError


def once(count):
    return np.ones((1, count))


def test_a_place_with_more_of_one_kind_counts_as_often_as_the_rarer():
    # Place 3: two concrete and one made up, so that each concrete counts a half. Place 7: no made-up one.
    place, wrong = [3, 3, 3, 7], [False, False, True, False]
    assert matched_weights(place, wrong, once(4), 1).tolist() == [[0.5, 0.5, 1, 0]]
    # Bins of four tokens: 0 to 3, and 4 to 7.
    found = matched_weights([3, 4, 6, 7], [True, False, True, True], once(4), 4)
    assert found.tolist() == [[0, 1, 0.5, 0.5]]
    # Twice the one at place 3 that is made up: now there are as many of both kinds.
    assert matched_weights(place, wrong, np.array([[1, 1, 2, 1]]), 1).tolist() == [[1, 1, 2, 0]]


def test_expected_weights_are_the_mean_over_draws():
    rng = np.random.default_rng(3)
    place, wrong = rng.integers(0, 5, 60), rng.random(60) < 0.4
    score = rng.normal(size=60) + 0.3 * place
    found = weighted_auroc(score, wrong, matched_weights(place, wrong, once(60), 1))[0]
    drawn = []
    for _ in range(3000):
        kept = []
        for value in range(5):
            both = [np.flatnonzero((place == value) & (wrong == kind)) for kind in (False, True)]
            least = min(map(len, both))
            kept += [row for rows in both for row in rng.choice(rows, least, replace=False)]
        drawn.append(auroc(score[kept], wrong[kept], np.zeros(len(kept), int), 1)[0])
    assert found == pytest.approx(np.mean(drawn), abs=4 * np.std(drawn) / np.sqrt(3000) + 1e-3)


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=1, max_size=60))
def test_matched_by_single_tokens_the_place_alone_is_at_chance(rows):
    place, wrong = map(np.array, zip(*rows, strict=True))
    weights = matched_weights(place, wrong, once(len(rows)), 1)
    auc = weighted_auroc(place, wrong, weights)[0]
    assert np.isnan(auc) if not weights.any() else auc == pytest.approx(0.5)
    assert weights[0, wrong].sum() == pytest.approx(weights[0, ~wrong].sum())
    assert (weights <= 1).all()


@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans(), st.integers(0, 3)), min_size=1, max_size=40))
def test_weights_are_copies(rows):
    """A weighted AUC is that of a sample in which each mention stands as often as it weighs."""
    score, wrong, times = (np.array(column) for column in zip(*rows, strict=True))
    found = weighted_auroc(score, wrong, times[None].astype(float))[0]
    copied = np.repeat(np.arange(len(rows)), times)
    expected = auroc(score[copied].astype(float), wrong[copied], np.zeros(len(copied), int), 1)[0]
    np.testing.assert_allclose(found, expected)


def test_a_match_says_how_good_it_is():
    rng = np.random.default_rng(1)
    place = rng.integers(0, 8, 400)
    found = match(place, rng.random(400) < 0.2 + 0.08 * place)
    assert found.width == 1 and found.reason == "" and found.auc == pytest.approx(0.5)
    apart = match([1, 2, 3, 10, 11, 12], [False, False, False, True, True, True])
    assert apart.n == 0 and "no two mentions" in apart.reason
    # One pair in one bin of four, the made-up one always later: the place alone ranks it perfectly.
    wide = match([0, 3], [False, True])
    assert wide.width == 4 and wide.auc == 1.0 and "still has an AUC of 1.00" in wide.reason
    nothing = match([], [])
    assert nothing.n == 0 and nothing.reason


def test_a_score_that_is_the_place_and_no_more_loses_all_of_its_auc():
    rng = np.random.default_rng(2)
    place = rng.integers(0, 12, 600)
    wrong = rng.random(600) < place / 15
    planted = place + 4.0 * wrong
    weights = matched_weights(place, wrong, once(600), 1)
    assert weighted_auroc(place, wrong, once(600))[0] > 0.75
    assert weighted_auroc(place, wrong, weights)[0] == pytest.approx(0.5)
    assert weighted_auroc(planted, wrong, weights)[0] > 0.75, "what is more than the place stays"


def test_resamples_without_a_kind_have_no_value():
    found = weighted_auroc([1, 2], [False, True], np.array([[1, 1], [0, 1], [1, 0]]))
    assert found[0] == 1 and np.isnan(found[1:]).all()
    assert np.isnan(weighted_auroc([], [], np.ones((2, 0)))).all()


@pytest.mark.parametrize(("place", "wrong"), [([1, 2], [True]), ([-1], [True])])
def test_wrong_places_are_refused(place, wrong):
    with pytest.raises(InputError, match="positions are whole numbers from 0"):
        match(place, wrong)

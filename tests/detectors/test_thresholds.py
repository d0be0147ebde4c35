"""Thresholds against trying them all, one by one."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sheeplib import resample
from sheeplib.detectors import budgets, thresholds
from sheeplib.errors import InputError

scored = st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=2, max_size=14)
pairs = st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2), st.booleans()), min_size=2, max_size=14)


def measured(flags, marked, objective):
    """One objective, from its definition."""
    tp, fp = (flags & marked).sum(), (flags & ~marked).sum()
    fn, tn = (~flags & marked).sum(), (~flags & ~marked).sum()

    def f1(hit, wrong, missed):
        return 2 * hit / (2 * hit + wrong + missed) if hit else 0.0

    if objective == "f1":
        return f1(tp, fp, fn)
    if objective == "capped_f1":
        return f1(tp, fp, fn) if flags.sum() <= marked.sum() else 0.0
    if objective == "youden":
        return tp / (tp + fn) - fp / (fp + tn)
    return (f1(tp, fp, fn) + f1(tn, fn, fp)) / 2


@pytest.mark.parametrize("objective", thresholds.OBJECTIVES)
@given(rows=scored)
@settings(max_examples=60, deadline=None)
def test_the_best_threshold_is_the_best_of_all(objective, rows):
    scores, marked = np.array([s for s, _ in rows], float), np.array([m for _, m in rows])
    found = thresholds.best(scores, marked, objective)
    if len(set(scores)) == 1 or len(set(marked)) == 1:
        assert found.reason and np.isnan(found.objective) and not found.values
        return
    tried = {tau: measured(scores > tau, marked, objective) for tau in [-np.inf, *scores]}
    tried.pop(scores.max())  # flags nothing
    assert found.objective == pytest.approx(max(tried.values()))
    assert measured(found.flags(scores), marked, objective) == pytest.approx(found.objective)
    assert found.values[0] == max(tau for tau, value in tried.items() if value >= found.objective - 1e-9)


@pytest.mark.parametrize("objective", thresholds.OBJECTIVES)
@given(rows=pairs)
@settings(max_examples=60, deadline=None)
def test_the_best_pair_is_the_best_of_the_grid(objective, rows):
    scores, marked = np.array([row[:2] for row in rows], float), np.array([row[2] for row in rows])
    found = thresholds.best_pair(scores, marked, objective)
    if (scores == scores[0]).all() or len(set(marked)) == 1:
        assert found.reason
        return
    # Few values: all of them are among a hundred quantiles, but for the lowest of each.
    grid = [[-np.inf, *sorted(set(column))] for column in scores.T]
    tried = []
    for a, b in itertools.product(*grid):
        flags = (scores[:, 0] > a) | (scores[:, 1] > b)
        tried.append((measured(flags, marked, objective), flags.sum()))
    best = max(value for value, _ in tried)
    assert found.objective <= best + 1e-9
    if min(len(set(column)) for column in scores.T) > 1:
        reached = measured(found.flags(scores), marked, objective)
        assert reached == pytest.approx(found.objective)
        single = max(thresholds.best(column, marked, objective).objective for column in scores.T)
        assert found.objective >= single - 1e-9  # one score alone is among the choices


def test_a_pair_finds_what_neither_finds_alone():
    # Marked where either score is high: alone, each has half of the marked among the unmarked.
    scores = np.array([[9, 0], [8, 1], [0, 9], [1, 8], [0, 0], [1, 1], [0, 1], [1, 0]], float)
    marked = np.array([True] * 4 + [False] * 4)
    assert thresholds.best_pair(scores, marked).objective == 1
    assert max(thresholds.best(column, marked).objective for column in scores.T) < 1


def test_a_threshold_by_hand():
    # Flagging above 2: 4 and 3, of which one is marked, of two marked: F1 = 2 / (2 + 2) = .5. Above 1 three
    # are flagged, two of them marked: F1 = 4 / (3 + 2) = .8. Above nothing: 4 / (4 + 2) = .67.
    found = thresholds.best([4, 3, 2, 1], [True, False, True, False])
    assert (found.values, found.objective) == ((1.0,), pytest.approx(0.8))
    assert found.flags([1.0, 1.1, np.inf, -np.inf]).tolist() == [False, True, True, False]


def test_a_score_that_points_the_wrong_way_flags_everything():
    marked = np.array([True] * 5 + [False] * 5)
    found = thresholds.best(-np.arange(10.0)[::-1], marked[::1])
    assert found.values == (-np.inf,)
    assert found.objective == pytest.approx(2 / 3) and found.flags([0.0, -99.0]).all()


def test_infinite_scores_are_scores():
    found = thresholds.best([np.inf, 1, 0, -np.inf], [True, False, False, False])
    assert found.values == (1.0,) and found.objective == 1
    pair = np.array([[np.inf, 0], [0, np.inf], [0, 0], [-np.inf, 0]])
    assert thresholds.best_pair(pair, [True, True, False, False]).objective == 1


def test_no_threshold_says_why():
    for scores, marked, why in [
        ([1, 1, 1], [True, False, True], "all scores of the calibration data are the same"),
        ([1, 2, 3], [False] * 3, "nothing in the calibration data is marked"),
        ([1, 2, 3], [True] * 3, "everything in the calibration data is marked"),
    ]:
        found = thresholds.best(scores, marked)
        assert found.reason == why
        assert thresholds.best_pair(np.column_stack([scores, scores]), marked).reason == why
        with pytest.raises(InputError, match="there is no threshold"):
            found.flags(scores)


@given(
    st.lists(st.integers(-2, 5), min_size=1, max_size=40),
    st.one_of(st.floats(0, 1), st.sampled_from([0, 0.1, 0.29, 0.3, 0.5, 1])),
)
@settings(max_examples=150, deadline=None)
def test_a_budget_is_the_smallest_threshold_within_it(scores, alpha):
    scores = np.array(scores, float)
    found = budgets.budget(scores, alpha)
    rates = {tau: (scores > tau).mean() for tau in [-np.inf, *scores]}
    assert found.value == min(tau for tau, rate in rates.items() if rate <= alpha)
    assert found.rate == rates[found.value] <= alpha
    tied = (scores == found.value).mean()
    expected = found.rate + found.ties * tied
    assert 0 <= found.ties <= 1 and expected == pytest.approx(min(alpha, found.rate + tied), abs=1e-9)


def test_a_budget_of_many_ties():
    # HALP gives all mentions of a caption one score. 10 captions of 10: a budget of 15 % has room for one
    # caption and half of another; without chance only one is flagged.
    scores = np.repeat(np.arange(10.0), 10)
    found = budgets.budget(scores, 0.15)
    assert (found.value, found.rate, found.ties) == (8, 0.1, pytest.approx(0.5))
    assert found.flags(scores).mean() == 0.1
    rates = [found.flags(scores, resample.generator(1, n)).mean() for n in range(400)]
    assert np.mean(rates) == pytest.approx(0.15, abs=0.003)
    one, other = (found.flags(scores, resample.generator(1, 2)) for _ in range(2))
    assert (one == other).all()


def halves(fold):
    """Parts for `cross_fitted`: each fold flagged by what the others teach."""
    return [(fold != number, fold == number) for number in np.unique(fold)]


def test_cross_fitting_never_looks_at_the_fold_it_flags():
    rng = np.random.default_rng(1)
    scores, marked = rng.normal(size=300), rng.random(300) < 0.3
    fold = np.arange(300) % 5
    flags, found = thresholds.cross_fitted(scores, marked, halves(fold))
    changed = marked.copy()
    changed[fold == 2] = ~changed[fold == 2]
    again, others = thresholds.cross_fitted(scores, changed, halves(fold))
    assert (again[fold == 2] == flags[fold == 2]).all() and found[2] == others[2]
    assert any(one != other for one, other in zip(found, others, strict=True))
    pair = np.column_stack([scores, -scores])
    assert len(thresholds.cross_fitted(pair, marked, halves(fold), thresholds.best_pair)[1]) == 5


def test_what_is_in_no_part_is_not_flagged_and_overlaps_are_refused():
    scores, marked = np.array([1.0, 2, 3, 4, 9]), np.array([False, True, False, True, True])
    known = np.array([True, True, True, True, False])
    flags, found = thresholds.cross_fitted(scores, marked, [(known, ~known)])
    assert flags.tolist() == [False, False, False, False, True] and len(found) == 1
    with pytest.raises(InputError, match="learnt from and flagged"):
        thresholds.cross_fitted(scores, marked, [(known, known)])
    with pytest.raises(InputError, match="there is no threshold: all scores"):
        thresholds.cross_fitted(np.ones(5), marked, [(known, ~known)])
    with pytest.raises(InputError, match="there are no calibration data"):
        thresholds.cross_fitted(scores, marked, [(known & ~known, ~known)])


def test_a_planted_signal_is_found_and_shuffled_marks_are_chance():
    rng = np.random.default_rng(2)
    marked = rng.random(20_000) < 0.2
    fold = np.arange(20_000) % 5
    found, _ = thresholds.cross_fitted(rng.normal(size=20_000) + 2 * marked, marked, halves(fold))
    # Above 1.5 lie .69 of the marked and .067 of the others: F1 = 2 * .138 / (.138 + .053 + .2) = .706.
    assert measured(found, marked, "f1") == pytest.approx(0.706, abs=0.02)
    # Without a signal nothing beats flagging everything: F1 = 2 p / (1 + p) = 1/3.
    chance, _ = thresholds.cross_fitted(rng.normal(size=20_000), marked, halves(fold))
    assert measured(chance, marked, "f1") == pytest.approx(1 / 3, abs=0.01)
    assert abs(measured(chance, marked, "youden")) < 0.03


def test_the_curve_holds_the_best_threshold():
    rng = np.random.default_rng(4)
    scores, marked = rng.integers(0, 30, 200).astype(float), rng.random(200) < 0.3
    curve = thresholds.curve(scores, marked)
    assert curve["flagged"].is_monotonic_decreasing and curve["flagged"].iloc[0] == 1
    for objective in thresholds.OBJECTIVES:
        found = thresholds.best(scores, marked, objective)
        assert curve[objective].max() == pytest.approx(found.objective)
        row = curve[curve["threshold"] == found.values[0]].iloc[0]
        assert row[objective] == pytest.approx(measured(scores > row["threshold"], marked, objective))


def test_what_cannot_be_scored_is_refused():
    for scores, marked in [([1, np.nan], [True, False]), ([1, 2, 3], [True, False])]:
        with pytest.raises(InputError):
            thresholds.best(scores, marked)
    with pytest.raises(InputError, match="Use one of f1, capped_f1, youden, macro_f1"):
        thresholds.best([1, 2], [True, False], "accuracy")
    with pytest.raises(InputError, match="Use a number from 0 to 1"):
        budgets.budget([1, 2], 1.5)
    with pytest.raises(InputError, match="no scores"):
        budgets.budget([])
    with pytest.raises(InputError, match="differ in number"):
        thresholds.best([1, 2], [True, False]).flags(np.ones((3, 2)))

"""Rates with a threshold in each resample: against hand, brute force and single budgets."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import small_mentions
from sheeplib.detectors.budgets import budget
from sheeplib.errors import InputError
from sheeplib.mentions.statuses import SUBTYPES
from sheeplib.retraining import rates, sweep
from sheeplib.retraining.natural import natural
from sheeplib.retraining.rates import Images, Rates, flag_rates, thresholds

ALL = (sweep.Condition("0"), sweep.Condition("max"))


def study_of(conditions=ALL, seeds=(0, 1), options=None, probes=("lookback",)):
    made = small_mentions.planted()
    one = sweep.plan(made, natural(made.table), conditions, seeds, options)
    (scores,) = sweep.sweep([(one, probes)])
    return one, scores


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), min_size=1, max_size=30),
    st.sampled_from([0.0, 0.05, 0.1, 0.25, 1 / 3, 0.5, 0.999]),
)
def test_thresholds_are_those_of_a_budget_on_the_resampled_mentions(pairs, alpha):
    scores, counts = np.array(pairs).T
    found = thresholds(scores.astype(float), counts[None].astype(np.float32), alpha)[0]
    if counts.sum() == 0:
        assert np.isnan(found)
    else:  # mentions repeated as often as they were drawn
        assert found == budget(np.repeat(scores.astype(float), counts), alpha).value


def test_flags_by_hand():
    scores = np.array([0.1, 0.5, 0.9, 0.7, 0.2])
    cells = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [0, 1]], dtype=bool)
    weights = np.array([[1, 1, 1, 1, 1], [2, 0, 1, 0, 3], [0, 0, 1, 1, 1]], np.float32)
    found = flag_rates(scores, np.array([0.4, 0.4, np.nan]), cells, weights)
    # one of two and two of three; none of two, and one of four as drawn; no threshold
    np.testing.assert_allclose(found, [[0.5, 0, np.nan], [2 / 3, 0.25, np.nan]])
    gone = flag_rates(scores, np.array([0.4]), cells, np.array([[0, 0, 1, 1, 1]], np.float32))
    assert np.isnan(gone[0, 0])  # no mention of the cell was drawn


def test_values_are_means_over_splits_of_plain_rates():
    one, scores = study_of()
    images = Images(one.mentions.table["image"], 5, 0)
    found = rates.measured(scores, images)
    status, subtypes = one.statuses("non-assertive"), one.subtypes
    expected: dict[str, list[float]] = {}
    for seed in (0, 1):
        drawn, given_scores = one.split(seed), scores.of("lookback", seed, ALL[0])
        limit = budget(given_scores[drawn.calibration & (status == "concrete")], 0.1)
        flags = limit.flags(given_scores)
        for name in SUBTYPES:
            expected.setdefault(name, []).append(flags[drawn.held_out & (subtypes == name)].mean())
        expected.setdefault("", []).append(flags[drawn.held_out & (status == "hallucinated")].mean())
        rest = drawn.held_out & ~drawn.calibration & (status == "concrete")
        expected.setdefault("concrete", []).append(flags[rest].mean())
    plain = found.where(budget="0")
    for name in SUBTYPES:
        assert plain.where(subtype=name).values[0] == pytest.approx(100 * np.mean(expected[name]), abs=1e-4)
    tpr = plain.where(quantity="hallucination_tpr").values[0]
    assert tpr == pytest.approx(100 * np.mean(expected[""]), abs=1e-4)
    kept = plain.where(quantity="concrete_fpr").values[0]
    assert kept == pytest.approx(100 * np.mean(expected["concrete"]), abs=1e-4)
    shares = one.nature.shares
    pooled = sum(shares[name] * 100 * np.mean(expected[name]) for name in SUBTYPES)
    assert plain.where(subtype="all").values[0] == pytest.approx(pooled, abs=1e-4)


def test_a_resample_is_the_same_as_repeating_its_images():
    one, scores = study_of(seeds=(0,))
    images = Images(one.mentions.table["image"], 3, 7)
    found = rates.measured(scores, images).where(budget="0", quantity="hallucination_tpr").draws[0]
    names, drawn = one.mentions.table["image"].to_numpy(str), one.split(0)
    status, given_scores = one.statuses("non-assertive"), scores.of("lookback", 0, ALL[0])
    for place, counts in enumerate(images.weights(names).astype(int)):

        def repeated(chosen, counts=counts):
            return np.repeat(given_scores[chosen], counts[chosen])

        limit = budget(repeated(drawn.calibration & (status == "concrete")), 0.1)
        flags = limit.flags(repeated(drawn.held_out & (status == "hallucinated")))
        assert found[place] == pytest.approx(100 * flags.mean(), abs=1e-4)


def test_from_all_held_out_images_concrete_mentions_are_flagged_as_allowed():
    one, scores = study_of(options=sweep.Options("held-out"))
    found = rates.measured(scores, Images(one.mentions.table["image"], 50, 0)).where(quantity="concrete_fpr")
    assert (found.draws <= 10 + 1e-6).all() and found.values.min() > 8


def test_what_is_filtered_is_never_flagged_and_the_threshold_stays():
    one, scores = study_of()
    images = Images(one.mentions.table["image"], 20, 0)
    hedged = one.subtypes == "hedged"
    bare, behind = rates.measured(scores, images), rates.measured(scores, images, hedged)
    assert (behind.where(subtype="hedged").draws == 0).all() and bare.where(subtype="hedged").values[0] > 50
    for name in SUBTYPES[1:]:
        assert (behind.where(subtype=name).draws == bare.where(subtype=name).draws).all()
    assert (behind.where(subtype="").draws == bare.where(subtype="").draws).all()


def test_scores_that_are_all_equal_flag_nothing():
    one, _ = study_of()
    equal = rates.measured_untrained(one, {"flat": np.ones(len(one.mentions))}, Images(["i1"], 1, 0))
    assert np.nanmax(equal.draws) == 0
    assert set(equal.table["budget"]) == {"none"}


def test_a_budget_that_cannot_be_had_has_no_value_and_says_why():
    one, scores = study_of((sweep.Condition("500"),), seeds=(0,))
    table = rates.measured(scores, Images(one.mentions.table["image"], 2, 0)).results("small", 0)
    assert table["value"].isna().all()
    assert set(table["reason"]) == {"only 120 of 600 non-assertive examples are there"}


def test_means_and_differences_keep_resamples_together():
    one, scores = study_of(probes=("lookback", "dhcp"))
    found = rates.measured(scores, Images(one.mentions.table["image"], 10, 0))
    pair = found.where(quantity="hallucination_tpr", budget="0")
    mean = pair.mean("detector")
    assert len(pair) == 2 and len(mean) == 1 and mean.table["detector"].isna().all()
    np.testing.assert_allclose(mean.one(), pair.draws.mean(axis=0))
    with pytest.raises(InputError, match="not one number"):
        pair.one()
    same = Rates(pair.table, pair.draws - pair.draws).results("small", 1)
    assert (same[["value", "low", "high"]] == 0).all(axis=None)


def test_intervals_are_about_as_wide_as_samples_differ():
    """Rates of many made-up samples scatter as one interval says, threshold included."""
    rng = np.random.default_rng(0)
    widths, values = [], []
    for _ in range(60):
        scores = np.concatenate([rng.normal(size=60), rng.normal(1, 1, size=60)])
        concrete = np.arange(120) < 60
        weights = Images([str(n) for n in range(120)], 200, 0).weights([str(n) for n in range(120)])
        least = thresholds(scores[concrete], weights[:, concrete], 0.1)
        drawn = flag_rates(scores, least, ~concrete[:, None], weights)[0]
        values.append(drawn[0])
        widths.append(np.std(drawn[1:]))
    assert np.mean(widths) == pytest.approx(np.std(values), rel=0.3)


def test_no_concrete_mention_gives_no_threshold():
    assert np.isnan(thresholds(np.zeros(0), np.zeros((3, 0)), 0.1)).all()

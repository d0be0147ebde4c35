import numpy as np
import pandas as pd
import pytest

from sheeplib import InputError, resample


def test_streams_differ_by_name_and_agree_by_seed():
    draw = [resample.generator(1, name).integers(1 << 60) for name in ("a", "a", "b")]
    assert draw[0] == draw[1] != draw[2]
    assert resample.generator(2, "a").integers(1 << 60) != draw[0]
    # ("ab",) and ("a", "b") are different purposes
    assert resample.generator(1, "ab").integers(1 << 60) != resample.generator(1, "a", "b").integers(1 << 60)


def test_each_resample_draws_as_many_units_as_there_are():
    blocks = list(resample.weights(7, 50, np.random.default_rng(0)))
    drawn = np.concatenate(blocks)
    assert drawn.shape == (50, 7)
    assert (drawn.sum(axis=1) == 7).all()
    assert (drawn >= 0).all() and len(np.unique(drawn, axis=0)) > 40


def test_blocks_do_not_change_the_numbers(monkeypatch):
    whole = np.concatenate(list(resample.weights(5, 9, np.random.default_rng(3))))
    monkeypatch.setattr(resample, "BLOCK", 10)  # two resamples a block
    parts = list(resample.weights(5, 9, np.random.default_rng(3)))
    assert [len(part) for part in parts] == [2, 2, 2, 2, 1]
    assert (np.concatenate(parts) == whole).all()


def test_blocks_do_not_change_the_numbers_of_kinds_of_units(monkeypatch):
    units = np.repeat([[1.0, 0.0], [0.0, 1.0]], 30, axis=0)
    whole = sums(units, 3)
    monkeypatch.setattr(resample, "BLOCK", 6)  # three resamples a block
    assert (sums(units, 3) == whole).all()


def sums(units, seed, clusters=None, n_resamples=40):
    return resample.resample(units, lambda s: s, n_resamples, np.random.default_rng(seed), clusters)


def test_clusters_are_drawn_whole():
    # The sums of a column of its own for each unit are how often the unit was drawn.
    drawn = sums(np.eye(5), 1, np.array(["x", "y", "x", "z", "y"]))
    assert (drawn[:, 0] == drawn[:, 2]).all() and (drawn[:, 1] == drawn[:, 4]).all()
    # three clusters are drawn, whatever their sizes
    assert (drawn[:, [0, 1, 3]].sum(axis=1) == 3).all()


def test_units_without_a_cluster_are_drawn_by_themselves():
    drawn = sums(np.eye(4), 1, np.array([pd.NA, "x", pd.NA, "x"], dtype=object))
    assert (drawn[:, 1] == drawn[:, 3]).all() and (drawn[:, [0, 1, 2]].sum(axis=1) == 3).all()
    assert (drawn[:, 0] != drawn[:, 2]).any()


@pytest.mark.parametrize("kinds", [3, 50])
def test_the_order_of_units_does_not_change_the_numbers(kinds):
    rng = np.random.default_rng(0)
    units = rng.integers(kinds, size=(60, 2)).astype(float)
    clusters, order = rng.integers(20, size=60), rng.permutation(60)
    assert (sums(units, 5) == sums(units[order], 5)).all()
    assert (sums(units, 5, clusters) == sums(units[order], 5, clusters[order])).all()


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, None, "7"])
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises(InputError, match="not a seed"):
        resample.generator(seed, "a")


def test_the_largest_seed_and_those_of_numpy_are_seeds():
    assert resample.generator(2**63 - 1).random() != resample.generator(0).random()
    assert resample.generator(np.int64(7)).random() == resample.generator(7).random()


@pytest.mark.parametrize("n_resamples", [0, -1])
@pytest.mark.parametrize("n_units", [0, 3])
def test_no_resample_at_all_is_refused(n_resamples, n_units):
    with pytest.raises(InputError, match="no resamples"):
        sums(np.ones((n_units, 1)), 0, n_resamples=n_resamples)


def test_resampled_means_equal_those_of_resampled_data():
    values = np.array([1.0, 4.0, 9.0])
    units = np.column_stack([values, np.ones(3)])
    means = resample.resample(units, lambda s: s[..., 0] / s[..., 1], 25, np.random.default_rng(8))
    rng = np.random.default_rng(8)
    assert means == pytest.approx([values[rng.integers(3, size=3)].mean() for _ in range(25)])


def test_coverage_of_a_mean():
    # The 95 % interval of a mean of 60 normal values holds the true mean 0 about 95 % of the time;
    # 300 repetitions have a standard error of 1.3 points, and the percentile interval is a little short.
    held = 0
    for repeat in range(300):
        rng = np.random.default_rng(repeat)
        units = np.column_stack([rng.normal(size=60), np.ones(60)])
        found = resample.interval(resample.resample(units, lambda s: s[..., 0] / s[..., 1], 200, rng))
        held += found.low <= 0 <= found.high
    assert 0.90 <= held / 300 <= 0.985


def test_interval_of_known_values():
    # Linear quantiles of 0..100 at 2.5 % and 97.5 % are 2.5 and 97.5.
    found = resample.interval(np.arange(101.0))
    assert found == pytest.approx((2.5, 97.5, 50.0, 47.5, 0.0))


def test_resamples_without_a_value_are_left_out_and_counted():
    found = resample.interval(np.array([1.0, np.nan, 1.0, np.nan]))
    assert (found.low, found.high, found.undefined) == (1.0, 1.0, 0.5)
    nothing = resample.interval(np.array([np.nan]))
    assert np.isnan(nothing.low) and nothing.undefined == 1.0


def test_drawing_kinds_of_units_follows_the_same_law_as_drawing_units(monkeypatch):
    # 400 units of two kinds: the number of ones in a resample is binomial either way.
    units = np.column_stack([np.arange(400) % 4 == 0, np.ones(400)]).astype(float)
    spread = []
    for few in (1, 1000):
        monkeypatch.setattr(resample, "FEW", few)
        means = resample.resample(units, lambda s: s[..., 0] / s[..., 1], 4000, np.random.default_rng(0))
        assert means.mean() == pytest.approx(0.25, abs=0.002)
        spread.append(means.std())
    assert spread == pytest.approx([np.sqrt(0.25 * 0.75 / 400)] * 2, rel=0.05)

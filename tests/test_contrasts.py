"""Differences between groups, against plain agreement and against resampling the data itself."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from corpora_of import corpus_of, random_corpus
from sheeplib import InputError, resample
from sheeplib.agreement import QUANTITIES, agreement, measures
from sheeplib.contrasts import PRINTED, differences, measure_of

ALL = tuple(QUANTITIES)
BOTH, ONE, NONE = [[(0, 3, "A")]] * 2, [[(0, 3, "A")], []], [[], []]


def test_a_difference_by_hand():
    # agreed items only: 1 - 2 * 0; split ones only: 1 - 2 * 1; every resample has the same two values
    items = {f"a{n}": (BOTH, NONE)[n % 2] for n in range(8)} | {f"b{n}": ONE for n in range(8)}
    corpus = corpus_of(items, strategy=["random"] * 8 + ["human"] * 8)
    (row,) = differences(corpus, "strategy", ["presence_alpha"], resamples=50).to_dict(orient="records")
    assert (row["quantity"], row["strategy"], row["against"]) == (
        "presence_alpha_difference", "human", "random"
    )  # fmt: skip
    assert (row["value"], row["low"], row["high"], row["n"]) == (-2, -2, -2, 16)
    assert (row["corpus"], row["seed"], row["resamples"]) == ("test", 2026, 50)
    assert measure_of(row["quantity"]) == "presence_alpha"


def test_values_are_those_of_the_groups_subtracted_for_all_pairs_in_order():
    corpus = random_corpus(np.random.default_rng(4), 40, raters=(2, 3))
    found = differences(corpus, "image", ALL, resamples=20)
    assert list(dict.fromkeys(found["quantity"].map(measure_of))) == list(ALL)
    pairs = found[["image", "against"]].to_numpy().tolist()
    assert pairs == [["x", "y"], ["x", "z"], ["y", "z"]] * len(ALL)
    groups = agreement(corpus, "image", resamples=5).set_index(["quantity", "image"])
    for _, row in found.iterrows():
        one, other = (groups.loc[(measure_of(row["quantity"]), row[side])] for side in ("image", "against"))
        assert row["value"] == pytest.approx(one["value"] - other["value"], abs=1e-12)
        assert row["n"] == one["n"] + other["n"]


@pytest.mark.parametrize("cluster", [None, "image"])
def test_intervals_equal_resampling_both_groups_itself(cluster):
    corpus = random_corpus(np.random.default_rng(7), 24, raters=(2, 3))
    # a cluster, or an item, is what is drawn; every image has items of both languages
    columns = {"image": [str(n // 2) for n in range(24)], "language": ["en", "zh"] * 12}
    corpus = replace(corpus, items=corpus.items.assign(**columns).astype(dict.fromkeys(columns, "string")))
    fast = differences(corpus, "language", ALL, resamples=40, seed=3, cluster=cluster).set_index("quantity")

    english = (corpus.items["language"] == "en").to_numpy()[:, None]
    added = np.hstack([measure.units for measure in measures(corpus).values()])
    sides = np.hstack([added * english, added * ~english])
    size = 2 if cluster else 1
    # units are drawn in the order of what they add, so that the order of rows changes nothing
    order = np.lexsort(sides.reshape(-1, size, sides.shape[1]).sum(axis=1).T[::-1])
    rng = resample.generator(3, "contrasts", "language", "en", "zh")
    drawn = np.concatenate(list(resample.weights(24 // size, 40, rng))).astype(int)
    slow = []
    for row in drawn:
        times = np.empty(24 // size, dtype=int)
        times[order] = row
        each = np.repeat(times, size)
        slow.append({
            name: value(m, each * english[:, 0]) - value(m, each * ~english[:, 0])
            for name, m in measures(corpus).items()
        })  # fmt: skip
    table = pd.DataFrame(slow)
    for name in ALL:
        ends = table[name].quantile([0.025, 0.975]).tolist()
        assert fast.loc[f"{name}_difference", ["low", "high"]].tolist() == pytest.approx(ends, abs=1e-12)


def value(measure, times):
    """A measure of items that occur so many times."""
    return float(measure.value(np.repeat(measure.units, times, axis=0).sum(axis=0)))


def test_answers_about_one_image_that_are_marked_alike_differ_in_nothing():
    rng = np.random.default_rng(2)
    marks = [(BOTH, ONE, NONE)[rng.integers(3)] for _ in range(20)]
    items = {f"{side}{n}": mark for side in "ab" for n, mark in enumerate(marks)}
    corpus = corpus_of(items, strategy=["map"] * 20 + ["human"] * 20, image=[str(n) for n in range(20)] * 2)
    apart, together = (
        differences(corpus, "strategy", ["presence_alpha"], resamples=200, cluster=cluster).iloc[0]
        for cluster in (None, "image")
    )
    assert apart["value"] == together["value"] == together["low"] == together["high"] == 0
    assert apart["low"] < -0.1 and apart["high"] > 0.1


def test_the_order_of_rows_and_other_groups_change_nothing():
    corpus = random_corpus(np.random.default_rng(6), 60, raters=(2, 3))
    mixed = replace(corpus, items=corpus.items.sample(frac=1, random_state=1))
    two = corpus.select(corpus.items["image"] != "y")
    for cluster in (None, "language"):
        found, again, fewer = (
            differences(c, "image", resamples=30, cluster=cluster) for c in (corpus, mixed, two)
        )
        pd.testing.assert_frame_equal(found, again, rtol=1e-12)
        kept = found[(found["image"] == "x") & (found["against"] == "z")].reset_index(drop=True)
        pd.testing.assert_frame_equal(kept, fewer)


def test_what_has_no_value_has_a_reason():
    marked, bare = {"a": BOTH, "b": ONE}, {"c": NONE, "d": NONE}
    corpus = corpus_of(marked | bare, language=["en", "en", "zh", "zh"], model=["m", pd.NA, pd.NA, pd.NA])
    found = differences(corpus, "language", resamples=300).set_index("quantity")
    spans = found.loc["span_iou_difference"]
    assert pd.isna(spans["value"])
    assert spans["reason"] == "in one of the two groups no two annotators of one item marked anything"
    # a resample of four items is of one language alone in 2 * 2**4 of 4**4 cases
    presence = found.loc["presence_alpha_difference", "reason"]
    share = float(presence.removeprefix("undefined in ").split("%")[0])
    assert share == pytest.approx(100 * 32 / 256, abs=6) and presence.endswith("leaves out")
    for lacks, gone in (({"kinds": "no kinds here"}, 3), ({"ratings": "withheld"}, len(PRINTED))):
        told = differences(replace(corpus, lacks=lacks), "language", resamples=5)
        assert told["reason"].isin(lacks.values()).sum() == gone


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "langauge"}, "no column 'langauge'"),
        ({"by": "model"}, "cannot be grouped by 'model'"),
        ({"by": "corpus"}, "no two groups to compare .found 'test'"),
        ({"quantities": ["alpha"]}, "no such quantity .found 'alpha'.*presence_alpha"),
        ({"cluster": "nothing"}, "no column 'nothing'"),
        ({"resamples": 0}, "no resamples"),
        ({"seed": -1}, "not a seed"),
        ({"empty_pairs": "two"}, "unknown choice"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message):
    corpus = random_corpus(np.random.default_rng(1), 10)
    with pytest.raises(InputError, match=message):
        differences(**({"corpus": corpus, "by": "language", "resamples": 5} | options))

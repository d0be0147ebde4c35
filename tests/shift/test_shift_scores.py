import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, f1_score

from sheeplib.shift.scores import confusion, labels, scored, values


def cells(truth, *guesses, size):
    return np.hstack([np.eye(size**2)[np.array(truth) * size + np.array(guess)] for guess in guesses])


def test_scores_by_hand():
    # of three a, two are told; one b is told a; so F1 of a = 4 / (3 + 3), of b = 2 / (2 + 2)
    found = values(cells([0, 0, 0, 1, 1], [0, 0, 1, 0, 1], size=2).sum(axis=0), 2)
    assert found.tolist() == pytest.approx([2 / 3, 1 / 2, 3 / 5, 7 / 12])


def test_an_origin_that_neither_occurs_nor_is_told_has_no_f1():
    found = values(cells([0, 1], [0, 1], size=3).sum(axis=0), 3)
    assert found[:2].tolist() == [1, 1] and np.isnan(found[2]) and found[3] == 1 and np.isnan(found[4])


def test_scores_are_scikit_learns_and_leakage_is_the_difference():
    rng = np.random.default_rng(5)
    truth, first, second = rng.integers(4, size=(3, 200))
    names = list("abcd")
    one = cells(truth, first, second, size=4)
    rows = pd.DataFrame(
        scored(one, names, ["grouped", "ungrouped"], 50, np.random.default_rng(0), np.arange(200))
    ).set_index(["quantity", "origin", "folds"])["value"]
    for variant, guess in (("grouped", first), ("ungrouped", second)):
        expected = f1_score(truth, guess, average=None)
        assert [rows["f1", name, variant] for name in names] == pytest.approx(expected.tolist())
        assert rows["macro_f1"].xs(variant, level="folds").item() == pytest.approx(expected.mean())
        assert rows["accuracy"].xs(variant, level="folds").item() == accuracy_score(truth, guess)
    f1 = rows["f1"].unstack("folds")
    leaked = rows["f1_leakage"].droplevel("folds")
    assert leaked.tolist() == pytest.approx((f1["ungrouped"] - f1["grouped"]).tolist())
    assert rows["majority"].item() == np.bincount(truth).max() / 200
    assert [row["quantity"] for row in labels(names, ["ungrouped"])] == ["f1"] * 4 + [
        "accuracy",
        "macro_f1",
        "majority",
    ]


def test_variants_that_tell_alike_leak_nothing_at_all():
    rng = np.random.default_rng(7)
    truth, guess = rng.integers(2, size=(2, 90))
    rows = scored(
        cells(truth, guess, guess, size=2), list("ab"), ["grouped", "ungrouped"], 60, rng, np.arange(90)
    )
    leaked = [row for row in rows if str(row["quantity"]).endswith("leakage")]
    assert len(leaked) == 4 and all(row["value"] == row["low"] == row["high"] == 0 for row in leaked)


def test_intervals_are_over_clusters_and_hold_the_value_of_a_fair_coin():
    rng = np.random.default_rng(8)
    # ten copies of each text: as many texts, but no more to know
    truth, guess = np.repeat(rng.integers(2, size=(2, 50)), 10, axis=1)
    one = cells(truth, guess, size=2)

    def width(clusters):
        rows = scored(one, list("ab"), ["grouped"], 400, np.random.default_rng(1), clusters)
        row = next(row for row in rows if row["quantity"] == "accuracy")
        assert row["low"] < row["value"] < row["high"]
        return row["high"] - row["low"]

    alone, together = width(np.arange(500)), width(np.repeat(np.arange(50), 10))
    # sqrt(.25 / 50) * 3.92 = .277 for clusters, sqrt(10) times less for single texts
    assert together == pytest.approx(0.277, rel=0.15)
    assert together / alone == pytest.approx(np.sqrt(10), rel=0.2)


def test_confusion_counts_every_pair_once():
    one = cells([0, 0, 1], [0, 1, 1], [1, 1, 1], size=2)
    found = confusion(one, ["a", "b"], ["grouped", "ungrouped"]).set_index(["folds", "origin", "told"])[
        "items"
    ]
    assert found["grouped"].tolist() == [1, 1, 0, 1]
    assert found["ungrouped"].tolist() == [0, 2, 0, 1]

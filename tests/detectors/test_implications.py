"""Printed scores, read backwards."""

import pandas as pd
import pytest

from sheeplib.detectors.implications import implied
from sheeplib.published import published


def test_printed_numbers_tell_how_much_was_marked():
    # 1000 tokens, 100 marked, 200 flagged, 50 of them rightly: accuracy 1 - (150 + 50) / 1000 = .8,
    # precision 50 / 200, recall 50 / 100. Flagging everything: 2 * 100 / (1000 + 100).
    printed = pd.DataFrame(
        {
            "paper": "p", "table": 1, "quantity": ["accuracy", "precision", "recall", "accuracy"],
            "strategy": ["a", "a", "a", "b"], "value": [0.8, 0.25, 0.5, 0.9],
        }
    )  # fmt: skip
    (found,) = implied(printed).to_dict(orient="records")
    assert found["strategy"] == "a"
    expected = {"marked": 0.1, "flagged": 0.2, "f1": 1 / 3, "f1_everything": 2 / 11, "lift": 2.5}
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def test_the_papers_table_implies_its_own_f1():
    printed = published("sheep", 13)
    found = implied(printed)
    assert len(found) == 18
    theirs = printed[printed["quantity"] == "f1"]["value"].to_numpy()
    assert found["f1"].to_numpy() == pytest.approx(theirs, abs=2e-6)
    # what the chapter and the reproduction notes say of them
    assert (found["f1"] < found["f1_everything"]).sum() == 17
    assert found["flagged"].between(1 / 9, 1 / 6).all() and found["lift"].between(1.1, 1.8).all()

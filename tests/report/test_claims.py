"""Verdicts on claims: by hand."""

import numpy as np
import pytest

from sheeplib.errors import InputError
from sheeplib.report.claims import Claim, claims_table


def verdict(low, high, expected="above", bound=0.0):
    return Claim("said", "measured", (low + high) / 2, low, high, expected, bound).verdict


def test_the_whole_interval_decides():
    assert verdict(0.1, 2) == "held" and verdict(-2, -0.1) == "not held" and verdict(-1, 1) == "undecided"
    assert verdict(0.1, 2, "below") == "not held" and verdict(-2, -0.1, "below") == "held"
    assert verdict(12, 18, bound=10) == "held" and verdict(12, 18, "below", 20) == "held"
    assert verdict(0, 1) == "undecided" and verdict(-1, 0, "below") == "undecided"  # the bound is in it
    assert verdict(np.nan, np.nan) == "undecided"
    with pytest.raises(InputError, match="above or below"):
        verdict(0, 1, "beside")


def test_a_table_says_what_was_measured_and_why_something_is_missing():
    one = Claim("A is more than B.", "A - B (points)", 3.21, 1.0, 5.4, source="Table 1")
    other = Claim("C is rare.", "C (%)", np.nan, np.nan, np.nan, "below", 5, reason="nobody looked")
    table = claims_table([one, other])
    assert list(table["verdict"]) == ["held", "undecided"]
    assert list(table["here"]) == ["3.2 [1.0, 5.4]", "undefined: nobody looked"]
    assert list(table["measured"]) == ["A - B (points): above 0?", "C (%): below 5?"]
    assert list(claims_table([]).columns) == list(table.columns)

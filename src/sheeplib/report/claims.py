"""What a paper claims, against an interval: held, not held or undecided."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from sheeplib.errors import InputError, Problem
from sheeplib.report.display import interval

HELD, NOT_HELD, UNDECIDED = "held", "not held", "undecided"


@dataclass(frozen=True)
class Claim:
    """A finding as one number that should lie on one side of a bound.

    Parameters
    ----------
    said : str
        What is claimed, in a sentence.
    measured : str
        What the number is, in words, with its unit.
    value, low, high : float
        The number and its 95 % interval; NaN where it could not be computed.
    expected : {"above", "below"}
        Side of the bound on which the claim has it.
    bound : float
    source : str
        Where the claim is made, such as a table.
    reason : str
        Why there is no number.
    """

    said: str
    measured: str
    value: float
    low: float
    high: float
    expected: Literal["above", "below"] = "above"
    bound: float = 0.0
    source: str = ""
    reason: str = ""

    @property
    def verdict(self) -> str:
        """`held` if the whole interval lies on the expected side, `not held` if on the other.

        An interval that has the bound in it decides nothing: to find no difference is not to find that
        there is none.
        """
        if self.expected not in ("above", "below"):
            what = "a claim must expect its number above or below the bound"
            raise InputError(Problem(what, "Use above or below", field="expected", value=self.expected))
        low, high = (self.low, self.high) if self.expected == "above" else (-self.high, -self.low)
        bound = self.bound if self.expected == "above" else -self.bound
        if np.isnan([low, high]).any():
            return UNDECIDED
        return HELD if low > bound else NOT_HELD if high < bound else UNDECIDED


def claims_table(claims: Iterable[Claim], digits: int = 1) -> pd.DataFrame:
    """Claims for a page: a row a claim.

    Parameters
    ----------
    claims : iterable of Claim
    digits : int
        Digits after the point.

    Returns
    -------
    DataFrame
        Columns `claim`, `source`, `measured` (what, and on which side of the bound it should be), `here`
        (the number with its interval, or why there is none) and `verdict`.
    """
    rows = [
        {
            "claim": claim.said,
            "source": claim.source,
            "measured": f"{claim.measured}: {claim.expected} {claim.bound:g}?",
            "here": interval(claim.value, claim.low, claim.high, digits, claim.reason),
            "verdict": claim.verdict,
        }
        for claim in claims
    ]
    columns = ["claim", "source", "measured", "here", "verdict"]
    return pd.DataFrame(rows, columns=columns).astype("string")

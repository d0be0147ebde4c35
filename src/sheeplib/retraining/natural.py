"""How often a captioner writes each kind of mention, counted in all of its captions.

Features are often kept for a sample in which rare kinds are frequent, so that detectors can learn and be
tested; what is natural, the sample cannot say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from sheeplib.errors import InputError, Problem
from sheeplib.mentions.statuses import SUBTYPES


@dataclass(frozen=True)
class Natural:
    """Numbers of mentions in all captions of one model.

    Parameters
    ----------
    concrete, hallucinated : int
    subtypes : mapping of str to int
        Non-assertive mentions of each of `SUBTYPES`.
    """

    concrete: int
    hallucinated: int
    subtypes: Mapping[str, int]

    @property
    def non_assertive(self) -> int:
        """Non-assertive mentions of all subtypes."""
        return sum(self.subtypes.values())

    @property
    def share(self) -> float:
        """Share of the mentions that are non-assertive, excluded ones left out."""
        return self.non_assertive / (self.concrete + self.hallucinated + self.non_assertive)

    @property
    def shares(self) -> dict[str, float]:
        """Share of each subtype among the non-assertive mentions."""
        return {name: count / max(self.non_assertive, 1) for name, count in self.subtypes.items()}


def natural(mentions: pd.DataFrame) -> Natural:
    """Count the mentions of one captioner.

    Parameters
    ----------
    mentions : DataFrame
        Table `mentions` of all its captions; mentions without status are left out.

    Returns
    -------
    Natural

    Raises
    ------
    InputError
        If there is no concrete or no hallucinated mention, or a subtype is unknown.

    Source
    ------
    NAME-Bench, Table 1: non-assertive share of all object mentions, on captions of random images.
    """
    counts = mentions["status"].value_counts()
    kinds = mentions.loc[mentions["status"].eq("non-assertive").fillna(False).astype(bool), "subtype"]
    if len(strange := kinds[~kinds.isin(SUBTYPES)]):
        remedy = f"Non-assertive mentions are {', '.join(SUBTYPES)}"
        raise InputError(Problem("unknown subtype", remedy, field="subtype", value=strange.iloc[0]))
    concrete, hallucinated = (int(counts.get(name, 0)) for name in ("concrete", "hallucinated"))
    if not concrete or not hallucinated:
        what = "captions without concrete, or without hallucinated mentions"
        raise InputError(Problem(what, "Give the mentions of more captions", field="status"))
    found = kinds.value_counts()
    return Natural(concrete, hallucinated, {name: int(found.get(name, 0)) for name in SUBTYPES})

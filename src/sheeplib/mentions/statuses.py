"""From how a sentence names an object, and whether the image shows it, to the four statuses of a mention.

The paper labels a mention in steps: what the sentence does with it, whether a word of negation goes with it,
and whether the name is only part of a compound. Its table 9 maps what comes out to the four subtypes.
"""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from sheeplib.errors import InputError, Problem

CONCRETE, HALLUCINATED = "concrete", "hallucinated"
NON_ASSERTIVE, EXCLUDED = "non-assertive", "excluded"
STATUSES = (CONCRETE, HALLUCINATED, NON_ASSERTIVE, EXCLUDED)
SUBTYPES = ("hedged", "depictive", "purpose", "negation")  # in the order of print
LEFT_OUT = ("generic", "other", "compound")  # subtypes of excluded mentions
ASSERTED = "asserted"

# NAME-Bench, table 9, for labels without a word of negation; `negation` itself is a label of our rules.
TABLE_9 = {
    "hedging": "hedged", "hedged": "hedged", "depictive": "depictive", "purpose": "purpose",
    "intensional": "purpose", "negation": "negation", "generic": "generic", "other": "other",
}  # fmt: skip


class Status(NamedTuple):
    """Status of a mention, and its subtype where it has one; `pd.NA` where it has none."""

    status: str
    subtype: object


def subtype_of(label: str, negated: bool = False, compound: bool = False) -> str:
    """The subtype that table 9 gives to a mention.

    Parameters
    ----------
    label : str
        What the sentence does: `asserted`, `hedging`, `depictive`, `purpose`, `intensional`, `negation`,
        `generic` or `other`; `hedged` and `compound` are taken, too.
    negated : bool
        Whether a word of negation goes with the mention.
    compound : bool
        Whether the matched words are part of a name that means something else, as in "bus stop".

    Returns
    -------
    str
        `asserted`, one of `SUBTYPES`, or one of `LEFT_OUT`.

    Raises
    ------
    InputError
        If the label is unknown.

    Source
    ------
    NAME-Bench, table 9. That a compound counts before all else is inferred; so is that a word of negation
    beside something asserted ("a dog without a leash": the dog) changes nothing.
    """
    if compound or label == "compound":
        return "compound"
    if label == ASSERTED:
        return ASSERTED
    if label not in TABLE_9:
        known = ", ".join(dict.fromkeys([ASSERTED, *TABLE_9, "compound"]))
        raise InputError(Problem("unknown label of a mention", f"Use one of {known}", value=label))
    return "negation" if negated and label != "depictive" else TABLE_9[label]


def status_of(subtype: str, present: bool) -> Status:
    """Status of a mention.

    Parameters
    ----------
    subtype : str
        As `subtype_of` gives it.
    present : bool
        Whether the image shows the object.

    Source
    ------
    NAME-Bench, section 3: concrete is asserted and present, hallucinated asserted and absent.
    """
    if subtype == ASSERTED:
        return Status(CONCRETE if present else HALLUCINATED, pd.NA)
    return Status(NON_ASSERTIVE if subtype in SUBTYPES else EXCLUDED, subtype)

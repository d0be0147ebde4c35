"""Table 9, line by line, and the statuses that follow."""

import pandas as pd
import pytest

from sheeplib.errors import InputError
from sheeplib.mentions.statuses import status_of, subtype_of

# Label, with a word of negation, compound: what NAME-Bench's table 9 prints ("excluded" in our two names).
TABLE = [
    ("hedging", False, False, "hedged"),
    ("hedging", True, False, "negation"),  # "any subtype except depictive, with a negation cue"
    ("depictive", False, False, "depictive"),
    ("depictive", True, False, "depictive"),  # "with or without a negation cue"
    ("purpose", False, False, "purpose"),
    ("purpose", True, False, "negation"),
    ("intensional", False, False, "purpose"),
    ("intensional", True, False, "negation"),
    ("generic", False, False, "generic"),  # excluded
    ("generic", True, False, "negation"),  # "generic without a negation cue" alone is excluded
    ("other", False, False, "other"),  # excluded
    ("depictive", True, True, "compound"),  # excluded
    ("asserted", True, False, "asserted"),
]


@pytest.mark.parametrize(("label", "negated", "compound", "subtype"), TABLE)
def test_the_mapping(label, negated, compound, subtype):
    assert subtype_of(label, negated, compound) == subtype


def test_statuses():
    assert status_of("asserted", True) == ("concrete", pd.NA)
    assert status_of("asserted", False).status == "hallucinated"
    for subtype in ("hedged", "depictive", "purpose", "negation"):
        assert status_of(subtype, True) == status_of(subtype, False) == ("non-assertive", subtype)
    for subtype in ("generic", "other", "compound"):
        assert status_of(subtype, False) == ("excluded", subtype)


def test_unknown_labels_are_refused():
    with pytest.raises(InputError, match="unknown label of a mention"):
        subtype_of("ironic")

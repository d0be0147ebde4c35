"""Which items do the paper's scores of judges rest on? Their numbers, recovered from printed accuracies.

An accuracy of six digits is a fraction: 0.521739 is 12 of 23, or 24 of 46, and so on. The numbers of items
in the four languages must also give the accuracy that is printed for all of them. The smallest numbers that
do so are taken; multiples of all four by one factor fit as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd

from sheeplib.corpora import Corpus
from sheeplib.judge_scores import ALL, SPLITS, STRATEGIES
from sheeplib.published import published

LARGEST = 460  # random items of one model and language, SHEEP 4
_PRINTED = 5e-7  # half of the last printed digit


def printed_counts() -> pd.DataFrame:
    """Numbers of items that the accuracies of SHEEP, Table 4, need.

    Returns
    -------
    DataFrame
        Columns `origin, language, n`: the smallest numbers that give all printed accuracies of an origin.

    Notes
    -----
    They are 400 for human-written items in each language, which is all of them, and 62 to 92 for each model,
    1,473 together, of 9,200 random items. Human-written items are all in the test split, and a test split is
    what scores are for; so these are most likely the random items of the test split (inferred).

    Source
    ------
    SHEEP 5.2, Table 4.
    """
    table = published("sheep", 4)
    table = table[table["quantity"] == "accuracy"]
    rows = []
    for origin, part in table.groupby("origin", sort=False):
        printed = dict(zip(part["language"], part["value"], strict=True))
        whole = printed.pop(ALL)
        rows += [(origin, language, n) for language, n in smallest_counts(printed, whole).items()]
    return pd.DataFrame(rows, columns=["origin", "language", "n"]).astype(
        {"origin": "string", "language": "string", "n": "Int64"}
    )


def smallest_counts(printed: Mapping[str, float], whole: float) -> dict[str, int]:
    """The smallest numbers of items whose shares round to what is printed, by group and for all.

    Parameters
    ----------
    printed : mapping of str to float
        Share in each group, to six digits.
    whole : float
        Share in all groups together.

    Returns
    -------
    dict of str to int
        Empty if no numbers up to 460 fit.
    """
    sizes = np.arange(1, LARGEST + 1)
    fitting = []
    for share in printed.values():
        right = np.rint(share * sizes)
        fits = np.abs(right / sizes - share) <= _PRINTED
        fitting.append(list(zip(sizes[fits].tolist(), right[fits].tolist(), strict=True)))
    found = [
        [n for n, _ in choice]
        for choice in product(*fitting)
        if abs(sum(right for _, right in choice) / sum(n for n, _ in choice) - whole) <= _PRINTED
    ]
    return dict(zip(printed, min(found, key=sum), strict=True)) if found else {}


def selected_counts(
    corpus: Corpus,
    strategies: Sequence[str] | None = STRATEGIES,
    splits: Sequence[str] | None = SPLITS,
) -> pd.DataFrame:
    """Numbers of items that a choice selects from a corpus, to be held against `printed_counts`.

    Parameters
    ----------
    corpus : Corpus
    strategies, splits
        As for `judge_scores.judged`.

    Returns
    -------
    DataFrame
        Columns `origin, language, n`. Empty where a corpus does not say who wrote its answers.
    """
    rows = corpus.items
    for column, wanted in {"strategy": strategies, "split": splits}.items():
        if wanted is not None:
            rows = rows[rows[column].isin(list(wanted)).fillna(False).astype(bool)]
    origin = rows["model"].where(rows["strategy"].fillna("") != "human", "human")
    sizes = rows.assign(origin=origin).groupby(["origin", "language"], sort=True, observed=True).size()
    return sizes.rename("n").reset_index().astype({"n": "Int64"})

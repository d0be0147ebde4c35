"""A filter of texts in front of a detector: what a sentence does not claim, no detector should judge."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from sheeplib.detectors.rankings import ratio
from sheeplib.errors import InputError, Problem
from sheeplib.mentions.assertion import assertion
from sheeplib.mentions.statuses import SUBTYPES
from sheeplib.retraining.rates import PERCENT, Images, Rates, numbers

TextFilter = Callable[[pd.DataFrame, pd.DataFrame], np.ndarray]  # captions and mentions, to flags


def by_text(captions: pd.DataFrame, mentions: pd.DataFrame) -> np.ndarray:
    """The filter of this project: the rules of `sheeplib.mentions.assertion` on the words of a caption.

    Source
    ------
    NAME-Bench has a filter of texts in its Table 11 and does not say how it works.
    """
    texts = captions.set_index("item")["response"]
    found = np.zeros(len(mentions), dtype=bool)
    places = list(mentions[["start", "end", "concept"]].itertuples(index=False, name="Named"))
    for item, rows in mentions.groupby("item", sort=False).indices.items():
        readings = assertion(texts[item], [places[row] for row in rows])
        found[rows] = [reading.subtype != "asserted" for reading in readings]
    return found


def known(captions: pd.DataFrame, mentions: pd.DataFrame) -> np.ndarray:
    """A filter that knows the truth: what a filter could do at best, where the truth is known."""
    return mentions["status"].eq("non-assertive").fillna(False).to_numpy(bool)


def filtered_by(text_filter: TextFilter, captions: pd.DataFrame, mentions: pd.DataFrame) -> np.ndarray:
    """Which mentions a filter takes out.

    Parameters
    ----------
    text_filter : callable
        Takes captions and mentions, and gives a truth value for each mention; it may look at `item`,
        `start`, `end` and `concept` alone.
    captions, mentions : DataFrame
        Tables `items` and `mentions`.

    Returns
    -------
    ndarray of bool, shape (mentions,)

    Raises
    ------
    InputError
        If it does not give one truth value for each mention.
    """
    found = np.asarray(text_filter(captions, mentions))
    if found.shape != (len(mentions),) or found.dtype != bool:
        what = f"a text filter must give {len(mentions)} truth values"
        raise InputError(Problem(what, value=f"{found.dtype} of shape {found.shape}"))
    return found


def filter_rates(
    captioner: str, captions: pd.DataFrame, mentions: pd.DataFrame, filtered: np.ndarray, images: Images
) -> Rates:
    """What a filter catches, and what it should not have caught, in all captions of one model.

    Parameters
    ----------
    captioner : str
    captions, mentions : DataFrame
        Tables `items` and `mentions`; all captions, and not a sample of mentions.
    filtered : ndarray of bool, shape (mentions,)
    images : Images

    Returns
    -------
    Rates
        `filter_recall` by subtype and for `all` non-assertive mentions, and `hallucinations_removed`.

    Source
    ------
    NAME-Bench, Table 11, left.
    """
    subtypes = mentions["subtype"].fillna("").to_numpy(str)
    not_claimed = known(captions, mentions)
    cells = {("filter_recall", "all"): not_claimed}
    cells |= {("filter_recall", name): not_claimed & (subtypes == name) for name in SUBTYPES}
    made_up = mentions["status"].eq("hallucinated").fillna(False).to_numpy(bool)
    cells |= {("hallucinations_removed", ""): made_up}
    shown = mentions["item"].map(captions.set_index("item")["image"]).to_numpy(str)
    draws, rows = [], []
    for (quantity, subtype), members in cells.items():
        weights = images.weights(shown[members])
        caught, total = weights @ filtered[members].astype(np.float32), weights.sum(axis=1)
        draws.append(PERCENT * ratio(caught.astype(np.float64), total))
        rows.append({"quantity": quantity, "captioner": captioner, "subtype": subtype, "n": members.sum()})
    return numbers(rows, np.array(draws))

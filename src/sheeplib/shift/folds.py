"""Which texts to learn from and which to test on: with, or without, what they share on both sides."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold


def clusters(items: pd.DataFrame, together: Sequence[str]) -> np.ndarray:
    """Number items so that those which share something, directly or through others, have one number.

    Parameters
    ----------
    items : DataFrame
        Table `items`.
    together : sequence of str
        Columns; those that the items do not have say nothing, and nor does a missing value.

    Returns
    -------
    ndarray of int, shape (items,)
        If a and b show one image, and b and c are one text in two languages, all three are a cluster.
    """
    columns = [name for name in together if name in items]
    places = [pd.factorize(items[name])[0] for name in columns]
    rows = [np.flatnonzero(place >= 0) for place in places]
    offsets = len(items) + np.cumsum([0, *(place.max(initial=-1) + 1 for place in places)])
    # a graph of items and of values: each item is joined to its values
    left = np.concatenate([np.empty(0, dtype=int), *rows])
    parts = [place[row] + offset for place, row, offset in zip(places, rows, offsets, strict=False)]
    right = np.concatenate([np.empty(0, dtype=int), *parts])
    graph = sparse.coo_matrix((np.ones(len(left)), (left, right)), shape=(offsets[-1],) * 2)
    return sparse.csgraph.connected_components(graph, directed=False)[1][: len(items)]


def partition(
    origins: np.ndarray, groups: np.ndarray | None, folds: int, rng: np.random.Generator
) -> np.ndarray:
    """Cut texts into parts with about the same share of each origin in all of them.

    Parameters
    ----------
    origins : ndarray of int, shape (texts,)
    groups : ndarray of int, shape (texts,), optional
        Texts of one group stay in one part; without groups, each text is drawn by itself.
    folds : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int, shape (texts,)
        The part that tests each text.
    """
    state = int(rng.integers(2**31))
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    splitter = kind(folds, shuffle=True, random_state=state)
    part = np.empty(len(origins), dtype=int)
    for number, (_, test) in enumerate(splitter.split(origins[:, None], origins, groups)):
        part[test] = number
    return part


def obstacle(origins: pd.Series, groups: np.ndarray | None, folds: int) -> str | None:
    """Why texts cannot be cut into so many parts, in words for the reader; None if they can.

    Each origin needs a text, or a group, for each part: else one part teaches nothing of it.
    """
    units = pd.Series(np.arange(len(origins)) if groups is None else groups, index=origins.index)
    enough = units.groupby(origins).nunique()
    if not len(enough):
        return "no text has an origin"
    if len(enough) < 2:
        return f"all its texts come from one origin: {', '.join(enough.index)}"
    what = "texts" if groups is None else "groups of texts that stay together"
    if (enough < folds).any():
        return f"{folds} folds need {folds} {what} of each origin, and {enough.idxmin()} has {enough.min()}"
    return None

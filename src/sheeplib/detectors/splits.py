"""Which answers to learn from and which to test on, so that no image stands on both sides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sheeplib import resample
from sheeplib.corpora import Corpus
from sheeplib.detectors.token_labels import item_places
from sheeplib.errors import InputError, Problem

Predict = Callable[[np.ndarray, np.ndarray, np.random.Generator], np.ndarray]


@dataclass(frozen=True, eq=False)
class Split:
    """Items to learn from, and items to test on: truth values for each row of a corpus's items."""

    train: np.ndarray
    test: np.ndarray


def folds(corpus: Corpus, n_folds: int, seed: int, group: str | None = "image") -> list[Split]:
    """Cut a corpus into parts, each tested by what learned from the others.

    Parameters
    ----------
    corpus : Corpus
    n_folds : int
        Two or more.
    seed : int
    group : str, optional
        Column of `items` whose equal values stay together, such as `image`: versions of one answer in
        several languages do, too, where they share it. Items without value, or all without a column, are
        drawn one by one.

    Returns
    -------
    list of Split
        Groups are drawn at random, and each joins the part that has the fewest items so far.

    Raises
    ------
    InputError
        If there are fewer groups than parts.
    """
    items = corpus.items
    named = items[group] if group is not None and group in items else pd.Series(pd.NA, index=items.index)
    names = named.astype("string").fillna("\x1f" + items["item"].astype("string"))
    places, known = pd.factorize(names, sort=True)  # sorted: the order of rows must not matter
    if n_folds < 2 or len(known) < n_folds:
        what = f"{n_folds} folds of {len(known)} groups of answers"
        raise InputError(Problem(what, "Take two or more, and at most as many as there are groups"))
    sizes, filled = np.bincount(places), np.zeros(n_folds, dtype=int)
    part = np.zeros(len(known), dtype=int)
    for group_place in resample.generator(seed, "folds", n_folds).permutation(len(known)):
        part[group_place] = filled.argmin()
        filled[part[group_place]] += sizes[group_place]
    return [Split(part[places] != number, part[places] == number) for number in range(n_folds)]


def official(corpus: Corpus) -> list[Split]:
    """The corpus's own split: learn from `train`, test on `test`.

    Returns
    -------
    list of Split
        One, or none if the corpus has not both.
    """
    train, test = (corpus.items["split"].eq(name).fillna(False).to_numpy(bool) for name in ("train", "test"))
    return [Split(train, test)] if train.any() and test.any() else []


def crossed(
    corpus: Corpus,
    tokens: pd.DataFrame,
    usable: np.ndarray,
    plan: Sequence[Split],
    predict: Predict,
    n_classes: int,
    seed: int,
) -> np.ndarray:
    """Probabilities of each token by a detector that has not seen its answer.

    Parameters
    ----------
    corpus : Corpus
    tokens : DataFrame
        Table `tokens`.
    usable : ndarray of bool, shape (tokens,)
        Tokens that have a label to learn from.
    plan : sequence of Split
    predict : callable
        Takes rows of tokens to learn from, rows to test on and a generator; gives probabilities of the
        latter, shape (rows, classes).
    n_classes : int
    seed : int
        Each part has a stream of its own.

    Returns
    -------
    ndarray, shape (tokens, n_classes)
        NaN for tokens that no part tests.

    Raises
    ------
    InputError
        If a part has nothing to learn from.
    """
    places = item_places(corpus, tokens)
    found = np.full((len(tokens), n_classes), np.nan)
    for number, split in enumerate(plan):
        train, test = np.flatnonzero(split.train[places] & usable), np.flatnonzero(split.test[places])
        if not len(train):
            what = "no labelled answer to learn from has features"
            raise InputError(Problem(what, "Choose another split, or extract features of more answers"))
        if len(test):
            found[test] = predict(train, test, resample.generator(seed, "split", number))
    return found

"""The n-grams that a classifier goes by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import sparse

from sheeplib import tables
from sheeplib.corpora import Corpus
from sheeplib.errors import InputError, Problem
from sheeplib.shift import ngrams
from sheeplib.shift.classifier import fitted
from sheeplib.shift.evaluation import check, chosen
from sheeplib.shift.method import Method
from sheeplib.shift.tasks import ordered, unavailable

SAME = 0.5


def telling(
    corpus: Corpus,
    task: str = "3-way",
    by: str | Sequence[str] = "language",
    *,
    top: int = 10,
    method: Method | None = None,
) -> pd.DataFrame:
    """The n-grams that speak most for each origin: largest weights of a classifier of all texts.

    Parameters
    ----------
    corpus : Corpus
    task, by, method
        As for `shift`. Nothing is held out here: a weight tells what the classifier goes by, and `shift`
        how well it does.
    top : int
        N-grams of each origin.

    Returns
    -------
    DataFrame
        Columns `task`, groups, `origin, rank` (from 1), `level` (`character` or `word`), `ngram`,
        `weight` (of its TF-IDF; with two origins, one's weights are the other's with the sign changed),
        and the share of texts that have it: `share` of the origin's, `share_others` of the others'. Of
        n-grams that mostly occur in the same texts (intersection over union of `SAME` or more), such as a
        word and its parts, the most telling one stands for all. Groups that cannot be classified have no
        rows.

    Raises
    ------
    InputError
        If no group can be classified; with the reason.
    """
    method, by = method or Method(), [by] if isinstance(by, str) else list(dict.fromkeys(by))
    check(corpus, by, method)
    if top < 1:
        raise InputError(Problem("out of range", "Choose 1 or more", field="top", value=top))
    if why := unavailable(corpus, task):
        raise InputError(Problem(f"corpus '{corpus.name}' has no {task} task: {why}"))
    items = chosen(corpus, task, method).dropna(subset="origin")
    rows = []
    for key, part in items.groupby(by, sort=True, observed=True) if by else [((), items)]:
        group = {"task": task} | dict(zip(by, key, strict=True))
        if part["origin"].nunique() > 1:
            rows += [group | row for row in _of_group(part, top, method)]
    if not rows:
        raise InputError(Problem("no group has texts of two origins", value=", ".join(by)))
    text = dict.fromkeys(("task", *by, "origin", "level", "ngram"), tables.TEXT)
    return pd.DataFrame(rows).astype(text)


def _of_group(items: pd.DataFrame, top: int, method: Method) -> list[dict[str, object]]:
    names = ordered(items["origin"])
    truth = pd.Categorical(items["origin"], names).codes.astype(int)
    levels = ngrams.count(items["response"].tolist(), items["language"].tolist(), method)
    matrix, kept = ngrams.features(levels, np.full(len(items), True), method.min_texts)
    weights = fitted(matrix, truth, method).coef_
    weights = np.vstack([-weights, weights]) if len(names) == 2 else weights
    has = (matrix > 0).astype(float).tocsc()
    of_origin = np.eye(len(names))[truth].T
    there = has.T.dot(of_origin.T).T  # texts of each origin that have each n-gram
    level = np.concatenate([[one.name] * int(k.sum()) for one, k in zip(levels, kept, strict=True)])
    ngram = np.concatenate([one.ngrams[k] for one, k in zip(levels, kept, strict=True)])
    sizes, rows = of_origin.sum(axis=1), []
    for place, name in enumerate(names):
        others = (there.sum(axis=0) - there[place]) / (sizes.sum() - sizes[place])
        for rank, at in enumerate(_distinct(has, ngram, weights[place], top), start=1):
            shares = {"share": there[place, at] / sizes[place], "share_others": others[at]}
            about = {"origin": name, "rank": rank, "level": level[at], "ngram": ngram[at]}
            rows.append(about | {"weight": weights[place, at]} | shares)
    return rows


def _distinct(has: sparse.csc_matrix, ngram: np.ndarray, weights: np.ndarray, top: int) -> list[int]:
    """Places of the largest weights above 0, but of none that mostly shares its texts with one before."""
    best: list[int] = []
    shown = np.zeros((has.shape[0], 0))
    for at in np.lexsort((ngram, -weights)):
        if len(best) == top or weights[at] <= 0:
            break
        texts = has[:, [at]].toarray()
        both = (texts * shown).sum(axis=0)
        if (both < SAME * np.maximum(texts, shown).sum(axis=0)).all():
            best.append(int(at))
            shown = np.hstack([shown, texts])
    return best

"""How well tokens are labelled: accuracy, precision, recall, F1 and AUROC, with intervals over answers.

Tokens of one answer hang together, so answers, or clusters of them that share an image, are what the
bootstrap draws. Every score is a function of sums over answers (`sheeplib.agreement.Measure`).

A ranking can be good in two ways that one number hides. *Within* answers, it tells where the wrong
words stand; *between* answers, it tells which answers are wrong. Pooled over all tokens, either helps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, get_args

import numpy as np
import pandas as pd

from sheeplib import resample, tables
from sheeplib.agreement import Measure, check_column, united
from sheeplib.corpora import Corpus
from sheeplib.detectors.rankings import Ranking, auroc, rankings, ratio
from sheeplib.detectors.token_labels import LETTERS, NONE, item_places
from sheeplib.errors import InputError, Problem

__all__ = [
    "QUANTITIES", "Known", "Setup", "auroc", "codes", "confusions", "macro", "measured", "measures",
    "token_scores",
]  # fmt: skip

Setup = Literal["multiclass", "binary"]
QUANTITIES = {
    "accuracy": "Share of tokens with the right label",
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
    "auroc": "AUROC over all tokens",
    "auroc_within": "AUROC within answers, mean",
    "auroc_between": "AUROC of answers, by their mean score",
}


Known = Mapping[str, Measure | Ranking]


def token_scores(
    corpus: Corpus,
    judged: pd.DataFrame,
    by: str | Sequence[str] = (),
    *,
    setup: Setup = "multiclass",
    resamples: int = 2000,
    seed: int = 2026,
    cluster: str | None = None,
) -> pd.DataFrame:
    """Score tokens by groups of answers.

    Parameters
    ----------
    corpus : Corpus
    judged : DataFrame
        A row for each token: `item`; `gold` and `predicted`, letters or, for the binary setup, truth
        values (whether marked); optionally `score`, higher for what is more likely wrong. Tokens
        without gold are left out.
    by : str or sequence of str
        Columns of `items` that make groups; answers that lack one of the values are in none.
    setup : {"multiclass", "binary"}
        `multiclass`: six labels; precision, recall and F1 are means over the labels that occur, in gold
        or in predictions, as scikit-learn takes them. `binary`: F (none) against all; precision, recall
        and F1 of the marked tokens.
    resamples, seed : int
        Of the bootstrap; a group's interval depends on the seed and the group alone.
    cluster : str, optional
        Column of `items` whose equal values are drawn together, such as `image`.

    Returns
    -------
    DataFrame
        Table `results` with `resamples` and `reason`; quantities are those of `QUANTITIES`, AUROC only
        where there are scores. `n` is the number of answers.

    Raises
    ------
    InputError
        If a column is missing, a label is none, a token belongs to no item, or a group is unknown.

    Source
    ------
    SHEEP, Tables 6 (multiclass), 12 and 13 (binary). That Table 12 prints scores of the marked tokens
    follows from its numbers. Means over labels, AUROC and intervals are inferred or ours.
    """
    return measured(
        corpus, measures(corpus, judged, setup), by,
        resamples=resamples, seed=seed, cluster=cluster, stream=("token scores", setup),
    )  # fmt: skip


def measures(
    corpus: Corpus, judged: pd.DataFrame, setup: Setup = "multiclass"
) -> dict[str, Measure | Ranking]:
    """The measures that `token_scores` reports, before grouping; parameters as there."""
    if setup not in get_args(Setup):
        raise InputError(Problem("unknown setup", f"Use {' or '.join(get_args(Setup))}", value=setup))
    if missing := [name for name in ("item", "gold", "predicted") if name not in judged]:
        raise InputError(Problem("judged tokens lack a column", "See `token_scores`", field=missing[0]))
    judged = judged[judged["gold"].notna()]
    places, size = item_places(corpus, judged), len(corpus.items)
    found: dict[str, Measure | Ranking] = {}
    if setup == "binary":
        gold, predicted = (_marked(judged[name]) for name in ("gold", "predicted"))
        found |= _binary(confusions(places, gold, predicted, size, 2))
    else:
        gold, predicted = (codes(judged[name]) for name in ("gold", "predicted"))
        found |= _multiclass(confusions(places, gold, predicted, size, len(LETTERS)))
    if "score" in judged:
        found |= rankings(places, _marked(judged["gold"]) > 0, judged["score"].to_numpy(float), size)
    return found


def measured(
    corpus: Corpus,
    known: Known,
    by: str | Sequence[str] = (),
    *,
    resamples: int = 2000,
    seed: int = 2026,
    cluster: str | None = None,
    stream: Sequence[str] = (),
) -> pd.DataFrame:
    """Values of measures by groups of items, with intervals, as a table `results`.

    Parameters
    ----------
    corpus : Corpus
    known : mapping of str to Measure or Ranking
        By the name of their quantity; all are taken on the same resamples. Items that none of them
        counts are not drawn.
    by, resamples, seed, cluster
        As for `token_scores`.
    stream : sequence of str
        What the randomness is for.

    Raises
    ------
    InputError
        If a column in `by` or `cluster` is unknown or empty.
    """
    by = [by] if isinstance(by, str) else list(dict.fromkeys(by))
    for column in [*by, *([cluster] if cluster else [])]:
        check_column(corpus, column)
    items, there = corpus.items, np.any([measure.counted for measure in known.values()], axis=0)
    groups = items.groupby(by, sort=True, observed=True).indices if by else {(): np.arange(len(items))}
    rows = []
    for key, members in groups.items():
        group = dict(zip(by, key if isinstance(key, tuple) else (key,), strict=True))
        members = members[there[members]]
        rng = resample.generator(seed, *stream, *(f"{name}={group[name]}" for name in sorted(group)))
        clusters = items[cluster].iloc[members].to_numpy() if cluster else None
        rows += [group | row for row in _rows(known, members, resamples, rng, clusters)]
    columns = ["quantity", *by, "value", "low", "high", "n", "resamples", "reason"]
    results = pd.DataFrame(rows, columns=columns).assign(corpus=corpus.name, seed=seed, notebook=pd.NA)
    order = results["quantity"].map(list(known).index)
    results = results.iloc[order.argsort(kind="stable")].astype({"resamples": "Int64", "reason": "string"})
    return tables.validate("results", results)


def _rows(
    known: Known,
    members: np.ndarray,
    n_resamples: int,
    rng: np.random.Generator,
    clusters: np.ndarray | None,
) -> list[dict[str, object]]:
    local: dict[str, Measure] = {}
    exact: dict[str, float] = {}
    for name, measure in known.items():
        if isinstance(measure, Ranking):
            local[name], exact[name] = measure.of(members)
        else:
            local[name] = replace(measure, units=measure.units[members], counted=measure.counted[members])
    contributions, values = united(local, np.arange(len(members)))
    point = values(contributions.sum(axis=0))
    drawn = resample.resample(contributions, values, n_resamples, rng, clusters)
    rows = []
    for place, (name, measure) in enumerate(local.items()):
        found = resample.interval(drawn[:, place])
        value = exact.get(name, point[place])
        reason: object = pd.NA
        if np.isnan(value):
            reason, found = measure.undefined, resample.Interval(*[np.nan] * 5)
        elif found.undefined:
            reason = f"undefined in {found.undefined:.1%} of the resamples, which the interval leaves out"
        numbers = {"value": value, "low": found.low, "high": found.high}
        n = int(measure.counted.sum())
        rows.append({"quantity": name} | numbers | {"n": n, "resamples": n_resamples, "reason": reason})
    return rows


def codes(labels: pd.Series) -> np.ndarray:
    """Letters as places in `LETTERS`.

    Raises
    ------
    InputError
        If something is not a letter A to F, or is missing.
    """
    found = pd.Index(LETTERS).get_indexer(labels.astype(tables.TEXT))
    if (found < 0).any():
        wrong = labels[found < 0].iloc[0]
        remedy = f"Use letters {LETTERS[0]} to {LETTERS[-1]}, or the binary setup"
        value = None if pd.isna(wrong) else wrong
        raise InputError(Problem("a token has no label", remedy, field=str(labels.name), value=value))
    return found


def _marked(labels: pd.Series) -> np.ndarray:
    """1 where a token is marked: truth values, or letters other than F."""
    if labels.isna().any():
        raise InputError(Problem("a token has no label", "Leave it out", field=str(labels.name)))
    if pd.api.types.is_bool_dtype(labels.dtype):
        return labels.to_numpy(dtype=bool).astype(int)
    return (codes(labels) != NONE).astype(int)


def confusions(
    places: np.ndarray, gold: np.ndarray, predicted: np.ndarray, n_items: int, n_labels: int
) -> np.ndarray:
    """Count, for each item, tokens by gold and predicted label.

    Returns
    -------
    ndarray of float, shape (n_items, n_labels ** 2)
        Gold in rows, predicted in columns, one row after the other.
    """
    cell = (places * n_labels + gold) * n_labels + predicted
    return np.bincount(cell, minlength=n_items * n_labels**2).reshape(n_items, -1).astype(float)


def _binary(counts: np.ndarray) -> dict[str, Measure]:
    """Scores of the marked tokens; columns are 00, 01, 10, 11 with gold first."""

    def measure(value: Callable[[np.ndarray], np.ndarray], undefined: str) -> Measure:
        return Measure(counts, counts.sum(axis=1) > 0, value, undefined)

    return {
        "accuracy": measure(
            lambda c: ratio(c[..., 0] + c[..., 3], c.sum(axis=-1)), "no token of these answers has a label"
        ),
        "precision": measure(lambda c: ratio(c[..., 3], c[..., 1] + c[..., 3]), "no token is flagged"),
        "recall": measure(lambda c: ratio(c[..., 3], c[..., 2] + c[..., 3]), "no token is marked"),
        "f1": measure(
            lambda c: ratio(2 * c[..., 3], c[..., 1] + c[..., 2] + 2 * c[..., 3]),
            "no token is marked, and none is flagged",
        ),
    }


def _multiclass(counts: np.ndarray) -> dict[str, Measure]:
    """Accuracy, and means over labels of precision, recall and F1."""

    def measure(value: Callable[[np.ndarray], np.ndarray]) -> Measure:
        return Measure(counts, counts.sum(axis=1) > 0, value, "no token of these answers has a label")

    def accuracy(sums: np.ndarray) -> np.ndarray:
        table = _tables(sums)
        return ratio(np.trace(table, axis1=-2, axis2=-1), sums.sum(axis=-1))

    return {
        "accuracy": measure(accuracy),
        "precision": measure(lambda sums: macro(sums)[0]),
        "recall": measure(lambda sums: macro(sums)[1]),
        "f1": measure(lambda sums: macro(sums)[2]),
    }


def macro(sums: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Means over labels of precision, recall and F1, from counts of `confusions`.

    Parameters
    ----------
    sums : ndarray, shape (..., n_labels ** 2)

    Returns
    -------
    precision, recall, f1 : ndarray, shape (...)
        Over labels that occur in gold or predictions; a label that is never predicted has precision 0,
        one that never occurs in gold has recall 0. NaN where there are no tokens.
    """
    table = _tables(sums)
    right = np.diagonal(table, axis1=-2, axis2=-1)
    there, said = table.sum(axis=-1), table.sum(axis=-2)
    occurs = (there + said) > 0
    parts = right / np.maximum(said, 1), right / np.maximum(there, 1), 2 * right / np.maximum(there + said, 1)
    means = [ratio((part * occurs).sum(axis=-1), occurs.sum(axis=-1)) for part in parts]
    return means[0], means[1], means[2]


def _tables(sums: np.ndarray) -> np.ndarray:
    side = round(sums.shape[-1] ** 0.5)
    return sums.reshape(*sums.shape[:-1], side, side)

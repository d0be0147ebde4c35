"""Do annotators agree on whether, of which kind, and where an answer is wrong?

Every measure is a function of sums over items (`Measure`), so that the bootstrap over items is
one matrix product (`sheeplib.resample`). Symbols follow SHEEP 5.1: an item u has m_u ratings, of
which c_uv carry value v; o holds the coincidences of values within items.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

from sheeplib import resample, tables
from sheeplib.corpora import Corpus
from sheeplib.errors import InputError, Problem
from sheeplib.ratings import EmptyPairs, Ratings


@dataclass(frozen=True)
class Measure:
    """A measure of agreement, ready to be resampled.

    Parameters
    ----------
    units : ndarray, shape (items, columns)
        What each item adds to each sum; items that do not count are rows of zeros.
    counted : ndarray of bool, shape (items,)
        Items that the measure rests on.
    value : callable
        Maps sums, shape (..., columns), to the measure, shape (...); NaN where undefined.
    undefined : str
        Why the measure has no value, should it be NaN.
    """

    units: np.ndarray
    counted: np.ndarray
    value: Callable[[np.ndarray], np.ndarray]
    undefined: str


def free_marginal_alpha(counts: np.ndarray) -> Measure:
    """Chance-corrected agreement that takes every value for equally likely beforehand.

    Parameters
    ----------
    counts : ndarray, shape (items, values)
        Number of ratings of each value; items with fewer than two ratings do not count.

    Notes
    -----
    `1 - D_o k / (k - 1)` with D_o the observed disagreement and k the number of values. SHEEP
    prints `1 - (k / n) * sum of o over v != v'`, which is the same for k = 2 and only for k = 2.
    For equally many ratings per item this is Randolph's free-marginal kappa.

    Source
    ------
    SHEEP 5.1, presence agreement; Randolph (2005).
    """
    n_values = counts.shape[1]

    def value(sums: np.ndarray) -> np.ndarray:
        return 1 - _ratio(sums[..., 0], sums[..., 1]) * n_values / (n_values - 1)

    split, paired = _coincidences(counts)
    units = np.column_stack([split, paired.sum(axis=1)])
    return Measure(units, units[:, 1] > 0, value, "no item has two ratings")


def nominal_alpha(counts: np.ndarray) -> Measure:
    """Krippendorff's alpha for unordered values.

    Parameters
    ----------
    counts : ndarray, shape (items, values)
        Number of ratings of each value; items with fewer than two ratings do not count.

    Notes
    -----
    `1 - (n - 1) * sum_{v != v'} o / sum_{v != v'} n_v n_v'`; undefined, not 1, where only one
    value occurs.

    Source
    ------
    SHEEP 5.1, label agreement; Krippendorff, Content Analysis, nominal metric.
    """

    def value(sums: np.ndarray) -> np.ndarray:
        split, values = sums[..., 0], sums[..., 1:]
        n = values.sum(axis=-1)
        return 1 - (n - 1) * _ratio(split, n**2 - (values**2).sum(axis=-1))

    split, paired = _coincidences(counts)
    units = np.column_stack([split, paired])
    reason = "fewer than two values occur in items with two ratings: alpha is 0/0"
    return Measure(units, paired.sum(axis=1) > 0, value, reason)


def mean_iou(overlaps: np.ndarray, pairs: np.ndarray) -> Measure:
    """Mean overlap over all pairs of annotators of all items.

    Parameters
    ----------
    overlaps, pairs : ndarray, shape (items,)
        Sum of an item's pairwise overlaps, and the number of its pairs that count; see
        `Ratings.span_overlaps`.

    Source
    ------
    SHEEP 5.1, span agreement.
    """
    units = np.column_stack([overlaps, pairs]).astype(float)
    reason = "no two annotators of one item marked anything"
    return Measure(units, units[:, 1] > 0, lambda sums: _ratio(sums[..., 0], sums[..., 1]), reason)


def _coincidences(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each item's sum of o over v != v', and its values, in items with two ratings or more."""
    m = counts.sum(axis=1, keepdims=True)
    paired = np.where(m >= 2, counts, 0).astype(float)
    m = paired.sum(axis=1)
    return (m**2 - (paired**2).sum(axis=1)) / np.maximum(m - 1, 1), paired


def _ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Quotient that is NaN, without a warning, where the denominator is zero."""
    return np.divide(above, below, out=np.full(np.shape(above), np.nan), where=np.asarray(below) > 0)


QUANTITIES = {
    "presence_alpha": "Presence: is anything wrong? Free-marginal alpha",
    "label_alpha_first": "Label of the first span, all items. Krippendorff's alpha",
    "label_alpha_first_given": "Label of the first span, items that all annotators marked",
    "label_alpha_longest": "Label of the longest span, all items. Krippendorff's alpha",
    "label_alpha_longest_given": "Label of the longest span, items that all annotators marked",
    "span_iou_matched": "Spans: overlap of two annotators, labels must match. Mean pairwise IoU",
    "span_iou": "Spans: overlap of two annotators, labels ignored. Mean pairwise IoU",
    "presence_observed": "Share of pairs of annotators who agree that something, or nothing, is wrong",
    "presence_prevalence": "Share of ratings that mark something",
}


def measures(
    corpus: Corpus, count_none: bool = True, empty_pairs: EmptyPairs = "exclude"
) -> dict[str, Measure]:
    """All measures of `QUANTITIES` that can be computed from a corpus; see `agreement`.

    `presence_observed` counts pairs of annotators; an item weighs as many as its ratings, as in alpha.
    """
    ratings = Ratings(corpus)
    presence, given = ratings.presence_counts(), ratings.all_marked()[:, None]
    alpha = free_marginal_alpha(presence)
    found = {"presence_alpha": alpha}
    if "kinds" not in corpus.lacks:
        for policy in ("first", "longest"):
            counts = ratings.label_counts(policy, count_none)
            found[f"label_alpha_{policy}"] = nominal_alpha(counts)
            found[f"label_alpha_{policy}_given"] = nominal_alpha(counts * given)
        found["span_iou_matched"] = mean_iou(*ratings.span_overlaps(True, empty_pairs))
    found["span_iou"] = mean_iou(*ratings.span_overlaps(False, empty_pairs))
    rated = presence[:, ::-1].astype(float)
    rated[:, 1] = rated.sum(axis=1)
    observed = Measure(
        alpha.units, alpha.counted, lambda s: 1 - _ratio(s[..., 0], s[..., 1]), alpha.undefined
    )
    prevalence = Measure(rated, rated[:, 1] > 0, lambda s: _ratio(s[..., 0], s[..., 1]), "no ratings")
    return found | {"presence_observed": observed, "presence_prevalence": prevalence}


def agreement(
    corpus: Corpus,
    by: str | Sequence[str] = (),
    *,
    resamples: int = 2000,
    seed: int = 2026,
    cluster: str | None = None,
    count_none: bool = True,
    empty_pairs: EmptyPairs = "exclude",
    known: dict[str, Measure] | None = None,
) -> pd.DataFrame:
    """Agreement of annotators by groups of items, with bootstrap intervals.

    Parameters
    ----------
    corpus : Corpus
    by : str or sequence of str
        Columns of `items`; one group for each combination of values that occurs. Items that lack
        one of the values are in no group.
    resamples : int
        Bootstrap resamples of each group's items, with replacement.
    seed : int
        A group's interval depends on the seed and the group alone: neither on other groups nor on
        the order of rows.
    cluster : str, optional
        Column of `items` whose equal values are drawn together, such as `image`; items without
        value are drawn one by one.
    count_none, empty_pairs
        See `Ratings.label_counts` and `Ratings.span_overlaps`.
    known : dict of Measure, optional
        What `measures` found in this corpus, to be used again for another grouping; `count_none`
        and `empty_pairs` are then those that were given there.

    Returns
    -------
    DataFrame
        Table `results` with `mean, half_width` (the form the paper prints), `resamples` and
        `reason`: why a value is missing, or what is wrong with its interval. A measure that the
        corpus has no data for is a row without value.

    Raises
    ------
    InputError
        If `corpus` is no corpus, a column in `by` or `cluster` is unknown or holds nothing but
        missing values, no item is in any group, or an option is not one of those above.
    """
    if not isinstance(corpus, Corpus):
        raise InputError(Problem(f"not a corpus: {type(corpus).__name__}", "Give what sheeplib.load returns"))
    by = [by] if isinstance(by, str) else list(dict.fromkeys(by))
    for column in [*by, *([cluster] if cluster else [])]:
        check_column(corpus, column)
    if taken := _RESULT_COLUMNS & set(by):
        what = f"results have a column '{min(taken)}' of their own"
        raise InputError(Problem(what, "Give the column of items another name"))
    items = corpus.items
    groups = items.groupby(by, sort=True, observed=True).indices if by else {(): np.arange(len(items))}
    if not groups:
        raise InputError(Problem("no item has a value in each of the columns", value=", ".join(by)))
    if known is None:
        known = {} if "ratings" in corpus.lacks else measures(corpus, count_none, empty_pairs)
    rows = []
    for key, members in groups.items():
        group = dict(zip(by, key if isinstance(key, tuple) else (key,), strict=True))
        rng = resample.generator(seed, "agreement", *(f"{name}={group[name]}" for name in sorted(group)))
        clusters = items[cluster].iloc[members].to_numpy() if cluster else None
        rows += [group | row for row in _rows(known, members, resamples, rng, clusters)]
        rows += [
            group | {"quantity": name, "n": 0, "reason": corpus.lacks.get("ratings") or corpus.lacks["kinds"]}
            for name in QUANTITIES
            if name not in known
        ]
    columns = ["quantity", *by, "value", "low", "high", "mean", "half_width", "n", "resamples", "reason"]
    results = pd.DataFrame(rows, columns=columns).assign(corpus=corpus.name, seed=seed, notebook=pd.NA)
    order = results["quantity"].map(list(QUANTITIES).index)
    results = results.iloc[order.argsort(kind="stable")].astype({"resamples": "Int64", "reason": "string"})
    return tables.validate("results", results)


_RESULT_COLUMNS = {*tables.SCHEMAS["results"].columns, "mean", "half_width", "resamples", "reason"}


def check_column(corpus: Corpus, column: str) -> None:
    """Refuse a column that items do not have, or that says nothing of them."""
    if column not in corpus.items:
        known = ", ".join(corpus.items.columns.drop("item"))
        raise InputError(Problem(f"items have no column '{column}'", f"Known: {known}"))
    if corpus.items[column].isna().all():
        why = corpus.lacks.get(column, "the column is empty")
        raise InputError(Problem(f"corpus '{corpus.name}' cannot be grouped by '{column}': {why}"))


def united(
    known: dict[str, Measure], members: np.ndarray
) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
    """All measures as one: what the items `members` add to the sums, and the values that sums give."""
    edges = np.cumsum([0, *(measure.units.shape[1] for measure in known.values())])

    def values(sums: np.ndarray) -> np.ndarray:
        parts = [sums[..., first:last] for first, last in pairwise(edges)]
        return np.stack([m.value(part) for m, part in zip(known.values(), parts, strict=True)], axis=-1)

    return np.hstack([measure.units[members] for measure in known.values()]), values


def _rows(
    known: dict[str, Measure],
    members: np.ndarray,
    n_resamples: int,
    rng: np.random.Generator,
    clusters: np.ndarray | None,
) -> list[dict[str, object]]:
    """One row a measure for the items `members`, all measures on the same resamples."""
    if not known:
        return []
    contributions, values = united(known, members)
    point = values(contributions.sum(axis=0))
    resampled = resample.resample(contributions, values, n_resamples, rng, clusters)
    rows = []
    for place, (name, measure) in enumerate(known.items()):
        found = resample.interval(resampled[:, place])
        reason: object = pd.NA
        if np.isnan(point[place]):
            reason = measure.undefined  # and so is every resample: the same denominator is zero
        elif found.undefined:
            reason = f"undefined in {found.undefined:.1%} of the resamples, which the interval leaves out"
        rows.append(
            {
                "quantity": name,
                "value": point[place],
                "n": int(measure.counted[members].sum()),
                "reason": reason,
            }
            | {"low": found.low, "high": found.high, "mean": found.mean, "half_width": found.half_width}
            | {"resamples": n_resamples}
        )
    return rows

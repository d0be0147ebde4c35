"""Do groups of items differ in agreement? Each difference with an interval of its own.

Where the intervals of two groups overlap, the groups may differ all the same; so the difference itself
is resampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from sheeplib import resample, tables
from sheeplib.agreement import QUANTITIES, Measure, check_column, measures, united
from sheeplib.corpora import Corpus
from sheeplib.errors import InputError, Problem
from sheeplib.ratings import EmptyPairs

PRINTED = ("presence_alpha", "label_alpha_first", "label_alpha_first_given", "span_iou_matched", "span_iou")
_SUFFIX = "_difference"


def differences(
    corpus: Corpus,
    by: str,
    quantities: Sequence[str] = PRINTED,
    *,
    resamples: int = 2000,
    seed: int = 2026,
    cluster: str | None = None,
    count_none: bool = True,
    empty_pairs: EmptyPairs = "exclude",
) -> pd.DataFrame:
    """How much more annotators agree on one group of items than on another, for all pairs of groups.

    Parameters
    ----------
    corpus : Corpus
    by : str
        Column of `items` that tells groups apart, such as `strategy`; items without value are in none.
    quantities : sequence of str
        Of `agreement.QUANTITIES`; those that SHEEP prints if not given.
    resamples : int
        Bootstrap resamples of the items of both groups together, with replacement: what a resample has
        of either group varies a little.
    seed : int
        A pair's interval depends on the seed and the pair alone.
    cluster : str, optional
        Column of `items` whose equal values are drawn together, such as `image`: where groups share
        images, this allows for it, and for answers that stand in several languages.
    count_none, empty_pairs
        As in `agreement.agreement`.

    Returns
    -------
    DataFrame
        Table `results`: quantities such as `span_iou_difference`, the group in the column `by`, the one
        that is subtracted in `against`, the difference with its interval, `n` items of both groups
        together, `resamples`, and `reason` as in `agreement.agreement`.

    Raises
    ------
    InputError
        If there are fewer than two groups, a quantity is unknown, or an option is none that
        `agreement.agreement` takes.
    """
    for column in (by, *([cluster] if cluster else [])):
        check_column(corpus, column)
    if unknown := [name for name in quantities if name not in QUANTITIES]:
        raise InputError(Problem("no such quantity", f"Known: {', '.join(QUANTITIES)}", value=unknown[0]))
    groups = corpus.items.groupby(by, sort=True, observed=True).indices
    if len(groups) < 2:
        only = ", ".join(map(str, groups))
        raise InputError(Problem("no two groups to compare", "Choose another column", field=by, value=only))
    known = {} if "ratings" in corpus.lacks else measures(corpus, count_none, empty_pairs)
    known = {name: known[name] for name in quantities if name in known}
    rows = []
    for one, other in combinations(groups, 2):
        pair = {by: one, "against": other}
        rng = resample.generator(seed, "contrasts", by, one, other)
        sides = groups[one], groups[other]
        clusters = corpus.items[cluster].iloc[np.concatenate(sides)].to_numpy() if cluster else None
        found = _found(known, *sides, resamples, rng, clusters) if known else {}
        why = corpus.lacks.get("ratings") or corpus.lacks.get("kinds")
        lacking = {"n": 0, "reason": why}
        rows += [{"quantity": name} | pair | found.get(name, lacking) for name in quantities]
    columns = ["quantity", by, "against", "value", "low", "high", "n", "resamples", "reason"]
    results = pd.DataFrame(rows, columns=columns).assign(corpus=corpus.name, seed=seed, notebook=pd.NA)
    order = results["quantity"].map(list(quantities).index)
    results = results.iloc[order.argsort(kind="stable")].astype({"resamples": "Int64", "reason": "string"})
    return tables.validate("results", results.assign(quantity=results["quantity"] + _SUFFIX))


def _found(
    known: dict[str, Measure],
    one: np.ndarray,
    other: np.ndarray,
    n_resamples: int,
    rng: np.random.Generator,
    clusters: np.ndarray | None,
) -> dict[str, dict[str, object]]:
    """The differences of all measures, on the same resamples."""
    members = np.concatenate([one, other])
    contributions, values = united(known, members)
    first = np.arange(len(members))[:, None] < len(one)

    def difference(sums: np.ndarray) -> np.ndarray:
        left, right = np.split(sums, 2, axis=-1)
        return values(left) - values(right)

    sides = np.hstack([contributions * first, contributions * ~first])
    point = difference(sides.sum(axis=0))
    resampled = resample.resample(sides, difference, n_resamples, rng, clusters)
    found: dict[str, dict[str, object]] = {}
    for place, (name, measure) in enumerate(known.items()):
        interval = resample.interval(resampled[:, place])
        reason: object = pd.NA
        if np.isnan(point[place]):
            reason = f"in one of the two groups {measure.undefined}"
        elif interval.undefined:
            reason = f"undefined in {interval.undefined:.1%} of the resamples, which the interval leaves out"
        numbers = {"value": point[place], "low": interval.low, "high": interval.high}
        n = int(measure.counted[members].sum())
        found[name] = numbers | {"n": n, "resamples": n_resamples, "reason": reason}
    return found


def measure_of(quantity: str) -> str:
    """The measure that a quantity of `differences` is a difference of."""
    return quantity.removesuffix(_SUFFIX)

"""Shares of mentions by model, with intervals from a bootstrap over images: NAME-Bench, tables 1, 2, 17."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from sheeplib import resample, tables
from sheeplib.mentions.bench import Bench
from sheeplib.mentions.statuses import CONCRETE, EXCLUDED, HALLUCINATED, NON_ASSERTIVE, SUBTYPES

LEFT_OUT = frozenset({"orange"})  # a colour more often than a fruit; the paper's table 17 leaves it out
FEW = 5  # mentions that an interval is given of
MOST = 5  # concepts that table 17 prints
POOLED = "all"


@dataclass(frozen=True, eq=False)
class Rate:
    """One share of mentions.

    Parameters
    ----------
    quantity : str
    of : ndarray of bool, shape (mentions,)
        Mentions that are counted.
    among : ndarray of bool, shape (mentions,)
        Mentions that it is a share of.
    groups : dict
        Grouping columns of the result.
    """

    quantity: str
    of: np.ndarray
    among: np.ndarray
    groups: dict[str, object] = field(default_factory=dict)


def rates(
    bench: Bench, wanted: Sequence[Rate], *, pooled: bool = False, resamples: int = 2000, seed: int = 2026
) -> pd.DataFrame:
    """Shares of mentions, in percent, by model.

    Parameters
    ----------
    bench : Bench
    wanted : sequence of Rate
    pooled : bool
        Take all models together instead; their captions of one image are then drawn together.
    resamples, seed : int
        Bootstrap resamples of images, with all their mentions; the same ones for all shares of a model.

    Returns
    -------
    DataFrame
        Table `results`; `n` is the number of mentions that the share is of, `reason` says why there is none.
    """
    place = {item: row for row, item in enumerate(bench.items["item"])}
    owner = bench.mentions["item"].map(place).to_numpy(dtype=int)
    sums = np.zeros((len(bench.items), 2 * len(wanted)))
    parts = [part for rate in wanted for part in (rate.of & rate.among, rate.among)]
    if parts:
        np.add.at(sums, owner, np.column_stack(parts).astype(float))
    models = bench.items["model"]
    members = {POOLED: np.arange(len(models))} if pooled else models.groupby(models, sort=False).indices
    rows = []
    for model, chosen in members.items():
        units, images = sums[chosen], bench.items["image"].iloc[chosen].to_numpy()
        drawn = resample.resample(
            units, _percent, resamples, resample.generator(seed, "rates", model), images
        )
        points, totals = _percent(units.sum(axis=0)), units.sum(axis=0)[1::2]
        for rate, value, values, n in zip(wanted, points, drawn.T, totals, strict=True):
            low, high, *_ = resample.interval(values)
            if 0 < n < FEW:  # an interval of one mention is that mention
                low, high = np.nan, np.nan
            reason = pd.NA if n else "there are no such mentions"
            numbers = {"value": value, "low": low, "high": high, "n": int(n), "reason": reason}
            rows.append({"quantity": rate.quantity, "model": model} | rate.groups | numbers)
    return _results(bench, rows, resamples, seed)


def gap(
    bench: Bench, rate: Rate, one: str, other: str, *, resamples: int = 2000, seed: int = 2026
) -> tuple[float, float, float]:
    """How much larger a share is for one model than for another.

    Parameters
    ----------
    bench : Bench
    rate : Rate
    one, other : str
        Models; their captions of one image are drawn together.
    resamples, seed : int

    Returns
    -------
    tuple of float
        The difference in percentage points, and the ends of its 95 % interval.
    """
    images, place = np.unique(bench.of_items("image").to_numpy(dtype=str), return_inverse=True)
    model = bench.of_items("model").to_numpy(dtype=str)
    parts = [part & (model == name) for name in (one, other) for part in (rate.of & rate.among, rate.among)]
    sums = np.zeros((len(images), 4))
    np.add.at(sums, place, np.column_stack(parts).astype(float))

    def difference(totals: np.ndarray) -> np.ndarray:
        shares = _percent(totals)
        return shares[..., 0] - shares[..., 1]

    drawn = resample.resample(sums, difference, resamples, resample.generator(seed, "gap", one, other))
    low, high, *_ = resample.interval(drawn)
    return float(difference(sums.sum(axis=0))), low, high


def _percent(sums: np.ndarray) -> np.ndarray:
    above, below = sums[..., 0::2], sums[..., 1::2]
    return 100 * np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0)


def _results(bench: Bench, rows: list[dict[str, object]], resamples: int, seed: int) -> pd.DataFrame:
    frame = pd.DataFrame(rows).assign(corpus=bench.data.name, seed=seed, notebook=pd.NA, resamples=resamples)
    numbers = {"value", "low", "high", "n", "resamples", "seed"}
    texts = {name: tables.TEXT for name in frame.columns if name not in numbers}
    return tables.validate("results", frame.astype(texts | {"resamples": "Int64"}))


def masks(bench: Bench) -> tuple[np.ndarray, np.ndarray]:
    """Status and subtype of each mention, as text; the empty text where there is none."""
    return tuple(bench.mentions[name].fillna("").to_numpy(dtype=str) for name in ("status", "subtype"))  # type: ignore[return-value]


def natural_rates(
    bench: Bench, *, count_excluded: bool = False, resamples: int = 2000, seed: int = 2026
) -> pd.DataFrame:
    """How often captions name objects without asserting them, and how often they hallucinate.

    Parameters
    ----------
    bench : Bench
        Of captions as they come, without any choice among them.
    count_excluded : bool
        Whether generic mentions and compounds are among all mentions (inferred: they are not).

    Returns
    -------
    DataFrame
        Table `results`: `non_assertive_share`, of all mentions, and `hallucination_rate`, of those that
        assert something (concrete and hallucinated ones), in percent.

    Source
    ------
    NAME-Bench, table 1: 2,000 images a model, 95 % intervals from a bootstrap over images.
    """
    status, _ = masks(bench)
    counted = np.isin(
        status, [CONCRETE, HALLUCINATED, NON_ASSERTIVE, *([EXCLUDED] if count_excluded else [])]
    )
    asserted = np.isin(status, [CONCRETE, HALLUCINATED])
    wanted = [
        Rate("non_assertive_share", status == NON_ASSERTIVE, counted),
        Rate("hallucination_rate", status == HALLUCINATED, asserted),
    ]
    return rates(bench, wanted, resamples=resamples, seed=seed)


def non_assertive(bench: Bench) -> Rate:
    """The share of mentions that are not asserted, without excluded ones."""
    status, _ = masks(bench)
    return Rate("non_assertive_share", status == NON_ASSERTIVE, status != EXCLUDED)


def counts(bench: Bench, *, resamples: int = 2000, seed: int = 2026) -> pd.DataFrame:
    """Mentions by model, status and subtype, and each subtype's share of the non-assertive ones.

    Returns
    -------
    DataFrame
        Table `results`: `mentions`, and `share` in percent. The total of the non-assertive has the subtype
        `all`; excluded mentions, which the paper does not print here, have theirs.

    Source
    ------
    NAME-Bench, table 2.
    """
    status, subtype = masks(bench)
    weak = status == NON_ASSERTIVE
    wanted = [
        Rate("share", weak & (subtype == name), weak, {"status": NON_ASSERTIVE, "subtype": name})
        for name in SUBTYPES
    ]
    shares = rates(bench, wanted, resamples=resamples, seed=seed)
    model = bench.of_items("model").to_numpy(dtype=str)
    left_out = sorted(set(subtype[status == EXCLUDED]))
    kinds = [(NON_ASSERTIVE, name) for name in (*SUBTYPES, POOLED)]
    kinds += [(HALLUCINATED, ""), (CONCRETE, ""), *((EXCLUDED, name) for name in left_out)]
    rows = []
    for name in bench.items["model"].unique():
        for kind, sub in kinds:
            members = (model == name) & (status == kind) & ((subtype == sub) | (sub in ("", POOLED)))
            row = {"quantity": "mentions", "model": name, "status": kind, "subtype": sub or pd.NA}
            rows.append(
                row | {"value": members.sum(), "low": np.nan, "high": np.nan, "n": int(members.sum())}
            )
    return tables.validate("results", pd.concat([shares, _results(bench, rows, 0, seed)], ignore_index=True))


def concepts(bench: Bench, most: int = MOST, *, resamples: int = 2000, seed: int = 2026) -> pd.DataFrame:
    """Which classes the non-assertive mentions of each subtype name.

    Parameters
    ----------
    bench : Bench
    most : int
        Most frequent classes that are listed.

    Returns
    -------
    DataFrame
        Table `results`, by `model` and `subtype`: `mentions`, `concepts` (distinct classes), and
        `concept_share` in percent for the most frequent, with `concept`; class "orange" is left out.

    Source
    ------
    NAME-Bench, table 17.
    """
    named = bench.mentions.assign(model=bench.of_items("model"))
    named = named[(named["status"] == NON_ASSERTIVE) & ~named["concept"].isin(LEFT_OUT)]
    parts, rows = [], []
    for model in bench.items["model"].unique():
        one = bench.select(bench.items["model"] == model)
        kept = ~one.mentions["concept"].isin(LEFT_OUT).to_numpy()
        concept = one.mentions["concept"].to_numpy(dtype=str)
        _, subtype = masks(one)
        wanted = []
        for name in SUBTYPES:
            found = named["concept"][(named["model"] == model) & (named["subtype"] == name)].value_counts()
            found = found.sort_index().sort_values(ascending=False, kind="stable")
            about = {"model": model, "subtype": name, "concept": pd.NA, "low": np.nan, "high": np.nan}
            rows += [
                {"quantity": quantity, "value": float(value), "n": int(found.sum())} | about
                for quantity, value in (("mentions", found.sum()), ("concepts", len(found)))
            ]
            wanted += [
                Rate(
                    "concept_share",
                    concept == top,
                    kept & (subtype == name),
                    {"subtype": name, "concept": top},
                )
                for top in found.index[:most]
            ]
        parts.append(rates(one, wanted, resamples=resamples, seed=seed))
    return tables.validate("results", pd.concat([_results(bench, rows, 0, seed), *parts], ignore_index=True))

"""Cross-validated classifiers of origin, group by group, and what is found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from sheeplib import resample, tables
from sheeplib.agreement import check_column
from sheeplib.corpora import Corpus
from sheeplib.errors import InputError, Problem
from sheeplib.shift import folds, ngrams, scores
from sheeplib.shift.classifier import CannotLearn, held_out
from sheeplib.shift.method import Method
from sheeplib.shift.tasks import ordered, origins, unavailable

_TAKEN = {"task", "origin", "folds", "told", "items", "cluster", "resamples", "reason", *scores.VARIANTS}


class Shift(NamedTuple):
    """What was found.

    Parameters
    ----------
    results : DataFrame
        Table `results` with the quantities of `scores.QUANTITIES`; grouping columns `task, origin`, those
        asked for, and `folds` (`grouped` or `ungrouped`; missing where it is neither, as for leakage).
    confusion : DataFrame
        Number of `items` by `task`, groups, `folds`, true `origin` and the origin `told`.
    predictions : DataFrame
        One row an item: `item, task`, groups, `origin`, `cluster` (numbered within a group), and the origin
        told in each variant.
    """

    results: pd.DataFrame
    confusion: pd.DataFrame
    predictions: pd.DataFrame


@dataclass(frozen=True)
class _Plan:
    task: str
    variants: Sequence[str]
    method: Method
    shuffled: bool
    resamples: int
    seed: int


def shift(
    corpus: Corpus,
    task: str = "3-way",
    by: str | Sequence[str] = "language",
    *,
    variants: Sequence[str] = scores.VARIANTS,
    method: Method | None = None,
    shuffled: bool = False,
    resamples: int = 2000,
    seed: int = 2026,
) -> Shift:
    """How well n-grams tell the origin of texts that the classifier has not seen.

    Parameters
    ----------
    corpus : Corpus
    task : {"3-way", "6-way", "source"}
        See `origins`.
    by : str or sequence of str
        Columns of `items`; each group has classifiers of its own.
    variants : sequence of str
        `grouped`: texts that share an image, or are versions of one text, stay on one side. `ungrouped`:
        each text is drawn by itself, as cross-validation does unless told otherwise; that the paper did
        so is inferred. With both, leakage is their difference, on the same resamples.
    method : Method, optional
        What the paper leaves open.
    shuffled : bool
        Deal out the origins at random first, within each group: what is left is chance. The names of the
        quantities end in `_shuffled` then.
    resamples : int
        Bootstrap resamples of clusters (texts that share something, see `Method.together`), in both
        variants. Fitting is not repeated: intervals tell how sure the score of these classifiers is, and
        not how much other folds, or other texts to learn from, would change it.
    seed : int
        A group's numbers depend on the seed, the task and the group alone.

    Returns
    -------
    Shift
        Scores are of all texts, each held_out once, and not means over folds (inferred). Where a group
        cannot be computed, its values are missing and `reason` says why.

    Raises
    ------
    InputError
        If a name or number is none that is known.

    Source
    ------
    SHEEP 5.1, Table 3.
    """
    method, by = method or Method(), [by] if isinstance(by, str) else list(dict.fromkeys(by))
    check(corpus, by, method)
    if not variants or not set(variants) <= set(scores.VARIANTS):
        what, remedy = "unknown variant of cross-validation", f"Use {' or '.join(scores.VARIANTS)}, or both"
        raise InputError(Problem(what, remedy, field="variants", value=list(variants)))
    lacking, items = unavailable(corpus, task), chosen(corpus, task, method)
    known = [name for name in scores.VARIANTS if name in variants]
    plan = _Plan(task, known, method, shuffled, resamples, seed)
    grouped = items.groupby(by, sort=True, observed=True) if by else [((), items)]
    parts = [_one(dict(zip(by, key, strict=True)), part, plan, lacking) for key, part in grouped]
    if not parts:
        raise InputError(Problem("no item has a value in each of the columns", value=", ".join(by)))
    rows, confusion, predictions = (list(part) for part in zip(*parts, strict=True))
    groups = ["task", "origin", *by, "folds"]
    columns = ["quantity", *groups, "value", "low", "high", "n", "resamples", "reason"]
    results = pd.DataFrame([row for part in rows for row in part], columns=columns)
    results = results.assign(task=task, corpus=corpus.name, seed=seed, notebook=pd.NA)
    order = results["quantity"].map(list(scores.QUANTITIES).index)
    results = results.iloc[order.argsort(kind="stable")]
    if shuffled:
        results = results.assign(quantity=results["quantity"] + "_shuffled")
    kinds = dict.fromkeys([*groups, "reason"], "string") | {"resamples": "Int64"}
    return Shift(
        tables.validate("results", results.astype(kinds)),
        pd.concat(confusion, ignore_index=True),
        pd.concat(predictions, ignore_index=True),
    )


def chosen(corpus: Corpus, task: str, method: Method) -> pd.DataFrame:
    """Items that enter, by name, with their `origin`."""
    items = corpus.items.assign(origin=origins(corpus, task))
    if method.strategies is not None:
        items = items[items["strategy"].isin(method.strategies)]
    return items.sort_values("item", ignore_index=True)  # the order of rows must not matter


def check(corpus: Corpus, by: Sequence[str], method: Method) -> None:
    """Refuse columns that cannot make groups, and strategies that no item has."""
    for column in by:
        check_column(corpus, column)
        if column in _TAKEN | set(tables.SCHEMAS["results"].columns):
            what = f"results have a column '{column}' of their own"
            raise InputError(Problem(what, "Give the column of items another name"))
    there = set(corpus.items["strategy"].dropna())
    if absent := [name for name in method.strategies or () if name not in there]:
        why = corpus.lacks.get("strategy") or f"Known: {', '.join(sorted(there))}"
        raise InputError(Problem(f"no items of strategy '{absent[0]}'", why, field="strategies"))


def _one(
    group: dict[str, str], items: pd.DataFrame, plan: _Plan, lacking: str | None
) -> tuple[list[dict[str, object]], pd.DataFrame, pd.DataFrame]:
    """One group of items: results, confusion and predictions."""
    stream = (plan.task, *(f"{name}={group[name]}" for name in sorted(group)))
    items = items.dropna(subset="origin").reset_index(drop=True)
    if plan.shuffled:
        mixed = resample.generator(plan.seed, "shuffled", *stream).permutation(items["origin"])
        items = items.assign(origin=mixed)
    # what stands in other groups joins nothing here: a group's numbers depend on the group alone
    items = items.assign(cluster=folds.clusters(items, plan.method.together))
    names = ordered(items["origin"])
    try:
        guesses = _guesses(items, names, plan, stream, lacking)
    except CannotLearn as error:  # one language that cannot be done does not keep the others from it
        why = error.problems[0].what
        rows = [row | group | {"n": 0, "reason": why} for row in scores.labels(names, plan.variants)]
        return rows, pd.DataFrame(), pd.DataFrame()
    truth, every = pd.Categorical(items["origin"], names).codes, np.eye(len(names) ** 2)
    cells = np.hstack([every[truth.astype(int) * len(names) + guess] for guess in guesses.values()])
    rng = resample.generator(plan.seed, "shift", *stream)
    clusters = items["cluster"].to_numpy()
    rows = scores.scored(cells, names, plan.variants, plan.resamples, rng, clusters)
    about = {"task": plan.task} | group
    told = {name: np.array(names)[guess] for name, guess in guesses.items()}
    found = items[["item", "origin", "cluster"]].assign(**about, **told)
    confusion = scores.confusion(cells, names, plan.variants).assign(**about)
    return [row | group for row in rows], _led(confusion, about), _led(found, ["item", *about])


def _guesses(
    items: pd.DataFrame, names: list[str], plan: _Plan, stream: tuple[str, ...], lacking: str | None
) -> dict[str, np.ndarray]:
    """The origin told of each item, as a place in `names`, in each variant."""
    clusters = items["cluster"].to_numpy()
    sides = {name: clusters if name == "grouped" else None for name in plan.variants}
    obstacles = [folds.obstacle(items["origin"], side, plan.method.folds) for side in sides.values()]
    if why := next(filter(None, [lacking, *obstacles]), None):
        raise CannotLearn(why)
    truth = pd.Categorical(items["origin"], names).codes.astype(int)
    levels = ngrams.count(items["response"].tolist(), items["language"].tolist(), plan.method)
    guesses = {}
    for name, side in sides.items():
        rng = resample.generator(plan.seed, "folds", name, *stream)
        part = folds.partition(truth, side, plan.method.folds, rng)
        guesses[name] = held_out(levels, truth, part, plan.method)
    return guesses


def _led(frame: pd.DataFrame, first: Iterable[str]) -> pd.DataFrame:
    """The frame with some columns before all others."""
    return frame[[*first, *(name for name in frame if name not in first)]]

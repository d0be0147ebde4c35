"""Do data of one origin rank judges as data of another do? Correlation of their F1, Table 5 of SHEEP.

The paper correlates 40 numbers: ten judges in four languages. They differ by judge and by language, and
only the first is about ranking judges: so the same correlation is also given language by language, and
after each language's mean over the judges is taken away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import Literal

import numpy as np
import pandas as pd

from sheeplib import resample, tables
from sheeplib.corpora import Corpus
from sheeplib.errors import InputError, Problem
from sheeplib.judge_metrics import QUANTITIES, Rules, metrics
from sheeplib.judge_scores import ALL, NO_JUDGE, SPLITS, STRATEGIES, Judged, cells, judged

Over = Literal["judges", "items"]
POOLED, CENTRED = "pearson_r", "pearson_r_centred"
FEWEST = 3  # points: the correlation of two is 1 or -1, whatever they are
MANY = 8  # judges from which a bootstrap over them has thousands of distinct resamples
_FLAT = 1e-12  # a variance of F1 that is no more than rounding
_F1 = list(QUANTITIES).index("f1")
_SUMS = 6  # for each language: points, and sums of x, y, xx, yy and xy


def judge_ranking(
    corpus: Corpus,
    letters: pd.DataFrame,
    *,
    judges: Sequence[str] | None = None,
    strategies: Sequence[str] | None = STRATEGIES,
    splits: Sequence[str] | None = SPLITS,
    rules: Rules | None = None,
    over: Over = "judges",
    resamples: int = 2000,
    seed: int = 2026,
) -> pd.DataFrame:
    """Pearson correlation of judges' F1 between origins of data.

    Parameters
    ----------
    corpus, letters, judges, strategies, splits, rules
        As for `judge_scores.judge_scores`.
    over : {"judges", "items"}
        What is drawn with replacement. `judges`: a judge with its points in all languages, which asks what
        other judges would show; with three judges there are ten distinct resamples, and the interval is
        worth little. `items`: the items behind each F1, the same for all judges, which asks what other
        items would show for these very judges; languages and origins are drawn by themselves.
    resamples, seed : int
        A pair's interval depends on the seed, the pair and the data alone.

    Returns
    -------
    DataFrame
        Table `results` with `origin, other_origin, language`. Quantity `pearson_r` without language is the
        paper's, over judges and languages; with language it is over the judges alone; `pearson_r_centred`
        is over judges and languages after centring by language. `n` counts points. `reason` says why a
        value is missing, or what is wrong with an interval.

    Raises
    ------
    InputError
        As `judge_scores.judged`; or if `over` is unknown.

    Source
    ------
    SHEEP 5.2, Table 5 (n = 40). The two variants and the intervals are ours.
    """
    if over not in ("judges", "items"):
        raise InputError(Problem("unknown choice", "Use judges or items", field="over", value=over))
    if why := corpus.lacks.get("kinds") or corpus.lacks.get("labels") or corpus.lacks.get("ratings"):
        return _results([{"quantity": POOLED, "n": 0, "reason": why}], corpus, seed)
    found = judged(corpus, letters, judges=judges, strategies=strategies, splits=splits, rules=rules)
    members = {
        (origin, language): place
        for language, origin, place in cells(found)
        if origin is not None and language != ALL
    }
    origins = list(dict.fromkeys(origin for origin, _ in members))
    languages = list(dict.fromkeys(language for _, language in members))
    if not found.judges:
        return _results([{"quantity": POOLED, "n": 0, "reason": NO_JUDGE}], corpus, seed)
    if len(origins) < 2:
        why = f"only {len(origins)} origin of data has items that judges were asked about"
        return _results([{"quantity": POOLED, "n": 0, "reason": why}], corpus, seed)
    seen = {key: _f1(found, place) for key, place in members.items()}
    drawn = _redrawn(found, members, resamples, seed) if over == "items" else {}
    rows: list[dict[str, object]] = []
    for pair in combinations(origins, 2):
        points = [np.stack([seen[origin, language] for language in languages], axis=-1) for origin in pair]
        if over == "judges":
            rng = resample.generator(seed, "judge_ranking", *pair)
            values = resample.resample(_terms(*points), _correlations, resamples, rng)
            note = _worth(len(found.judges))
        else:
            again = (np.stack([drawn[o, language] for language in languages], axis=-1) for o in pair)
            values, note = _correlations(_terms(*again).sum(axis=-2)), ""
        group = {"origin": pair[0], "other_origin": pair[1], "resamples": resamples}
        rows += [group | row for row in _rows(points, languages, values, note)]
    return _results(rows, corpus, seed)


def _f1(found: Judged, members: np.ndarray) -> np.ndarray:
    """F1 of each judge on the items of a cell, shape (judges,); NaN where it has no letters or no gold."""
    sums = found.units[:, members].sum(axis=1)
    values = metrics(sums, found.rules)
    silent = values[:, list(QUANTITIES).index("invalid")] == 1
    return np.where(silent | found.ungold[:, members].any(axis=1), np.nan, values[:, _F1])


def _redrawn(
    found: Judged, members: dict[tuple[str, str], np.ndarray], n_resamples: int, seed: int
) -> dict[tuple[str, str], np.ndarray]:
    """F1 of each judge in resamples of the items of each cell, shape (resamples, judges)."""
    drawn = {}
    for (origin, language), place in members.items():
        units = np.hstack(list(found.units[:, place]))  # all judges read the same items
        rng = resample.generator(seed, "judge_ranking", "items", origin, language)

        def scores(sums: np.ndarray) -> np.ndarray:
            return metrics(sums.reshape(len(sums), len(found.judges), -1), found.rules)[..., _F1]

        values = resample.resample(units, scores, n_resamples, rng)
        drawn[origin, language] = np.where(np.isnan(_f1(found, place)), np.nan, values)
    return drawn


def _terms(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """What each judge's points add to the sums of a correlation.

    Parameters
    ----------
    x, y : ndarray, shape (..., judges, languages)

    Returns
    -------
    ndarray, shape (..., judges, languages * 6)
    """
    there = ~np.isnan(x) & ~np.isnan(y)
    # about a constant, so that no small variance is the difference of two large numbers
    x, y = (np.where(there, values - 0.5, 0.0) for values in (x, y))
    return np.stack([there, x, y, x * x, y * y, x * y], axis=-1).reshape(*x.shape[:-1], -1)


def _correlations(sums: np.ndarray) -> np.ndarray:
    """Pooled, centred, and in each language; shape (..., 2 + languages)."""
    by_language = sums.reshape(*sums.shape[:-1], -1, _SUMS)
    pooled = _moments(by_language.sum(axis=-2))
    single = _moments(by_language)
    centred = [part.sum(axis=-1) for part in single]
    united = [
        np.concatenate([one[..., None], other[..., None], each], axis=-1)
        for one, other, each in zip(pooled, centred, single, strict=True)
    ]
    n, xx, yy, xy = united
    flat = (xx < _FLAT) | (yy < _FLAT) | (n < FEWEST)
    below = np.sqrt(np.where(flat, 1.0, xx * yy))
    return np.where(flat, np.nan, np.clip(xy / below, -1, 1))


def _moments(sums: np.ndarray) -> list[np.ndarray]:
    """Points, and sums of squares and products about the mean, of sums with six columns."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    some = np.maximum(n, 1)
    return [n, xx - x * x / some, yy - y * y / some, xy - x * y / some]


def _rows(
    points: Sequence[np.ndarray], languages: Sequence[str], drawn: np.ndarray, note: str
) -> Iterator[dict[str, object]]:
    """The pooled, the centred and the single correlations of one pair of origins."""
    there = ~np.isnan(points[0]) & ~np.isnan(points[1])
    value = _correlations(_terms(*points).sum(axis=-2))
    counts = [there.sum(), there.sum(), *there.sum(axis=0)]
    names = [(POOLED, pd.NA), (CENTRED, pd.NA), *((POOLED, language) for language in languages)]
    for place, (quantity, language) in enumerate(names):
        row = {"quantity": quantity, "language": language, "n": int(counts[place])}
        if np.isnan(value[place]):
            few = f"{counts[place]} points: a correlation needs {FEWEST} at least"
            flat = "all F1 of one of the two origins are equal: the correlation is 0/0"
            yield row | {"reason": few if counts[place] < FEWEST else flat}
            continue
        found = resample.interval(drawn[:, place])
        lost = f"undefined in {found.undefined:.1%} of the resamples, which the interval leaves out"
        said = "; ".join(part for part in (note, lost if found.undefined else "") if part)
        yield row | {"value": value[place], "low": found.low, "high": found.high, "reason": said or pd.NA}


def _worth(judges: int) -> str:
    """What is wrong with an interval over few judges."""
    if judges >= MANY:
        return ""
    distinct = comb(2 * judges - 1, judges)
    return f"the interval rests on {judges} judges, of which there are {distinct} distinct resamples"


def _results(rows: Sequence[dict[str, object]], corpus: Corpus, seed: int) -> pd.DataFrame:
    columns = ["quantity", "origin", "other_origin", "language", "value", "low", "high"]
    frame = pd.DataFrame(rows).reindex(columns=[*columns, "n", "resamples", "reason"])
    frame = frame.assign(corpus=corpus.name, seed=seed, notebook=pd.NA)
    text = dict.fromkeys(("origin", "other_origin", "language", "reason"), "string")
    return tables.validate("results", frame.astype(text | {"resamples": "Int64"}))

"""Written answers and their versions in the other languages, and how good these are: Table 2 of SHEEP."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from sheeplib import resample, tables
from sheeplib.corpora import Corpus
from sheeplib.errors import InputError, Problem
from sheeplib.published import published

Estimate = Callable[[Sequence[str], Sequence[str]], Sequence[float]]
NO_MODEL = (
    "needs a model that estimates quality: COMETKiwi, an environment that has unbabel-comet, and its gated "
    "checkpoint, which is a pickle"
)
NO_DRAFTS = "{} does not keep translations from before they were post-edited"
NO_VERSIONS = "{} does not say which items are versions of one answer in other languages"


def written_pairs(corpus: Corpus) -> pd.DataFrame:
    """Written answers beside their versions in other languages.

    Parameters
    ----------
    corpus : Corpus
        Its items need `origin_language` (of the writer) and `parallel` (what the versions share).

    Returns
    -------
    DataFrame
        Columns `parallel, source_language, target_language, source, translation`; without rows where the
        corpus does not have them.
    """
    columns = ["parallel", "source_language", "target_language", "source", "translation"]
    items = corpus.items
    if not {"parallel", "origin_language"} <= set(items):
        return pd.DataFrame(columns=columns)
    known = items.dropna(subset=["parallel", "origin_language", "language"])
    original = known["language"] == known["origin_language"]
    sources = known[original][["parallel", "language", "response"]]
    others = known[~original][["parallel", "language", "response"]]
    sources.columns, others.columns = (
        ["parallel", columns[1], columns[3]],
        ["parallel", columns[2], columns[4]],
    )
    return sources.merge(others, on="parallel")[columns]


def translation_quality(
    corpus: Corpus, estimate: Estimate | None = None, *, resamples: int = 2000, seed: int = 2026
) -> pd.DataFrame:
    """Estimated quality of the versions, by pair of languages, with bootstrap intervals over answers.

    Parameters
    ----------
    corpus : Corpus
    estimate : callable, optional
        Takes sources and translations, and gives a score for each pair, such as
        `sheeplib.models.quality.estimate` with a checkpoint.
    resamples, seed : int

    Returns
    -------
    DataFrame
        Table `results`, a row for each number of SHEEP, Table 2: quantity `comet_kiwi` by `part`, `stage`
        (`before` and `after` post-editing), `source_language` and `target_language`. The versions of a
        corpus are its final ones, so only `after` can have a value.

    Raises
    ------
    InputError
        If there is not one finite score for each pair.

    Source
    ------
    SHEEP 4, Table 2.
    """
    pairs = written_pairs(corpus)
    keys = ["part", "stage", "source_language", "target_language"]
    rows = published("sheep", 2)[["quantity", *keys]].assign(value=np.nan, low=np.nan, high=np.nan, n=0)
    scored = pd.Series(dtype=float)
    if len(pairs) and estimate is not None:
        scored = pd.Series(list(estimate(list(pairs["source"]), list(pairs["translation"]))), dtype=float)
        if len(scored) != len(pairs) or not np.isfinite(scored).all():
            raise InputError(Problem("not one finite score for each translation", field="estimate"))
    reasons: list[object] = []
    for place, row in rows.iterrows():
        chosen = (pairs["source_language"] == row["source_language"]) & (
            pairs["target_language"] == row["target_language"]
        )
        if row["stage"] == "before":
            reasons.append(NO_DRAFTS.format(corpus.name))
        elif not chosen.any():
            reasons.append(NO_VERSIONS.format(corpus.name))
        elif estimate is None:
            reasons.append(NO_MODEL)
        else:
            rng = resample.generator(seed, "parallel", row["source_language"], row["target_language"])
            values = scored[chosen.to_numpy()].to_numpy()[:, None]
            found = resample.interval(resample.resample(values, np.ravel, resamples, rng) / len(values))
            rows.loc[place, ["value", "low", "high", "n"]] = [
                values.mean(),
                found.low,
                found.high,
                len(values),
            ]
            reasons.append(pd.NA)
    rows = rows.assign(
        reason=pd.array(reasons, dtype="string"), corpus=corpus.name, seed=seed, notebook=pd.NA
    )
    return tables.validate("results", rows.astype({"n": "Int64"}))

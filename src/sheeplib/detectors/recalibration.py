"""Recalibration: how sure a classifier must be that a token is fine before it is left unmarked.

Most tokens are fine, and a classifier that took all labels to be equally frequent marks too many. SHEEP
moves the threshold of P(none) to where it serves best on data of one origin, people or one of the models,
and asks what this does to data of another.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np
import pandas as pd

from sheeplib import tables
from sheeplib.agreement import Measure
from sheeplib.corpora import Corpus
from sheeplib.detectors.splits import folds
from sheeplib.detectors.token_labels import LETTERS, NONE, item_places
from sheeplib.detectors.token_scores import codes, confusions, macro, measured
from sheeplib.errors import InputError, Problem
from sheeplib.published import published

Objective = Literal["binary_f1", "youden", "macro_f1"]
OBJECTIVES: dict[str, str] = {
    "binary_f1": "F1 of marked tokens",
    "youden": "share of marked tokens found, minus share of others marked",
    "macro_f1": "mean F1 of the six labels",
}
SIX = len(LETTERS)


class Threshold(NamedTuple):
    """A threshold of P(none), and the objective that it reaches where it was chosen."""

    tau: float
    reached: float


def threshold(probs: np.ndarray, gold: np.ndarray, objective: Objective = "binary_f1") -> Threshold:
    """The best threshold of P(none), all of them tried.

    Parameters
    ----------
    probs : ndarray, shape (tokens, 6)
        Probabilities of A to F.
    gold : ndarray of int, shape (tokens,)
        Places in `LETTERS`.
    objective : {"binary_f1", "youden", "macro_f1"}
        What is best; see `OBJECTIVES`.

    Returns
    -------
    Threshold
        Of equals the lowest, which marks the fewest tokens. It is one of the probabilities, or infinite:
        everything is marked.

    Raises
    ------
    InputError
        If the objective is unknown, or there are no tokens.

    Notes
    -----
    One pass over the sorted probabilities with running counts: O(n log n).

    Source
    ------
    SHEEP, 5.2: "the optimal probability threshold in a one-versus-all setting". What is optimal is
    inferred.
    """
    if objective not in get_args(Objective):
        known = ", ".join(get_args(Objective))
        raise InputError(Problem("unknown objective", f"Use one of {known}", value=objective))
    if not len(probs):
        raise InputError(Problem("no tokens to calibrate on", "Choose an origin that has some"))
    order = np.argsort(probs[:, NONE], kind="stable")
    sure, gold, other = probs[order, NONE], gold[order], second(probs)[order]
    # candidate k: the tokens before `first[k]`, less sure than the threshold, are marked
    first = np.append(np.flatnonzero(np.append(True, np.diff(sure) > 0)), len(sure))
    values = _macro_f1(gold, other, first) if objective == "macro_f1" else _two(gold, first, objective)
    best = int(np.argmax(values >= values.max() - 1e-12))
    return Threshold(float(np.append(sure, np.inf)[first[best]]), float(values[best]))


def second(probs: np.ndarray) -> np.ndarray:
    """The likeliest of the five kinds for each token, whatever P(none) is."""
    kinds = np.delete(probs, NONE, axis=1).argmax(axis=1)
    return kinds + (kinds >= NONE)


def relabelled(probs: np.ndarray, tau: float) -> np.ndarray:
    """Labels at a threshold: none where P(none) >= tau, else the likeliest of the five kinds.

    Returns
    -------
    ndarray of int, shape (tokens,)
        Places in `LETTERS`.
    """
    return np.where(probs[:, NONE] >= tau, NONE, second(probs))


def _running(values: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Sums of the values before each candidate."""
    sums = np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)])
    return sums[first]


def _two(gold: np.ndarray, first: np.ndarray, objective: str) -> np.ndarray:
    wrong = (gold != NONE).astype(float)
    found = _running(wrong, first)
    if objective == "youden":
        return found / max(1, wrong.sum()) - (first - found) / max(1, (1 - wrong).sum())
    return 2 * found / np.maximum(1, first + wrong.sum())


def _macro_f1(gold: np.ndarray, other: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Mean F1 over labels that occur, as `token_scores.macro` takes it, at each candidate."""
    eye = np.eye(SIX)
    there = eye[gold].sum(axis=0)
    said, right = _running(eye[other], first), _running(eye[other] * (gold == other)[:, None], first)
    fine = (gold == NONE).astype(float)
    said[:, NONE] = len(gold) - first
    right[:, NONE] = fine.sum() - _running(fine, first)
    occurs = (there + said) > 0
    scores = 2 * right / np.maximum(1, there + said)
    return (scores * occurs).sum(axis=1) / occurs.sum(axis=1)


def origins(corpus: Corpus) -> pd.Series:
    """Where each answer comes from: `human`, or the name of a model; missing where a corpus is silent."""
    items = corpus.items
    people = items["strategy"].eq("human").fillna(False).astype(bool)
    return items["model"].mask(people, "human").astype(tables.TEXT)


def recalibrated(
    corpus: Corpus,
    judged: pd.DataFrame,
    origin: pd.Series,
    *,
    objective: Objective = "binary_f1",
    resamples: int = 2000,
    seed: int = 2026,
    cluster: str | None = None,
    halves: int = 2,
) -> pd.DataFrame:
    """What a threshold chosen on answers of one origin changes for those of each other.

    Parameters
    ----------
    corpus : Corpus
    judged : DataFrame
        Judged tokens with columns `A` to `F`, from `detection.detect`.
    origin : Series
        Origin of each of the corpus's items, see `origins`; missing ones, and those of which no token
        was judged, are left out.
    objective
        See `threshold`.
    resamples, seed, cluster
        Of the bootstrap over answers that are tested on; the thresholds stay as they are.
    halves : int
        Where both origins are the same, the answers are cut into so many parts, by image where that is
        known, and each part is tested with the threshold of the others. 1: chosen and tested on the same
        answers, which flatters.

    Returns
    -------
    DataFrame
        Table `results` of quantity `f1_delta` by `origin` (tested on) and `calibration_origin`: macro F1
        after minus before. The difference itself is resampled.

    Raises
    ------
    InputError
        If the probabilities are missing, or the objective is unknown.

    Source
    ------
    SHEEP, Table 7. That F1 is the macro F1 of its Table 6, and cross-fitting, are inferred or ours.
    """
    data = _judged(corpus, judged[judged["gold"].notna()])
    there = origin.iloc[np.unique(data.places)].dropna()
    names = sorted(there.unique(), key=lambda name: (name != "human", name))
    where = origin.astype(object).fillna("").to_numpy()[data.places]
    parts = []
    for tested in names:
        own = data.rows(np.flatnonzero(where == tested))
        for calibrated in names:
            if tested == calibrated:
                after = _cross_fitted(corpus, own, objective, halves, seed)
            else:
                found = data.rows(np.flatnonzero(where == calibrated))
                after = relabelled(own.probs, threshold(found.probs, found.gold, objective).tau)
            known = {"f1_delta": _difference(corpus, own, own.probs.argmax(axis=1), after)}
            row = measured(
                corpus, known, resamples=resamples, seed=seed, cluster=cluster,
                stream=("recalibration", objective, tested, calibrated),
            )  # fmt: skip
            parts.append(row.assign(origin=tested, calibration_origin=calibrated))
    if not parts:
        raise InputError(Problem(f"{corpus.name} does not say where its answers come from"))
    return pd.concat(parts, ignore_index=True).astype(
        {"origin": tables.TEXT, "calibration_origin": tables.TEXT}
    )


def table_7(corpus: Corpus, results: pd.DataFrame) -> pd.DataFrame:
    """What `recalibrated` found, as the paper's Table 7, with a row and a reason for what is missing.

    Parameters
    ----------
    corpus : Corpus
    results : DataFrame
        From `recalibrated`, with the origins of `origins`; rows of other origins are kept.

    Returns
    -------
    DataFrame
        Table `results` with `paper` and `table`.
    """
    known = set(zip(results["origin"], results["calibration_origin"], strict=True))
    silent = origins(corpus).isna().all()
    rows = []
    for pair in published("sheep", 7)[["origin", "calibration_origin"]].itertuples(index=False, name=None):
        absent = [name for name in pair if name not in set(results["origin"])]
        if pair not in known:
            why = f"no answers of {absent[0] if absent else pair[0]} of corpus {corpus.name} were tested"
            reason = corpus.lacks.get("model", why) if silent else why
            rows.append(("f1_delta", *pair, 0, reason, corpus.name))
    columns = ["quantity", "origin", "calibration_origin", "n", "reason", "corpus"]
    missing = pd.DataFrame(rows, columns=columns).reindex(columns=results.columns)
    whole = pd.concat([results, missing], ignore_index=True) if rows else results
    kinds = {name: tables.TEXT for name in ("origin", "calibration_origin", "reason")}
    whole = whole.astype(kinds | {"resamples": "Int64"}).assign(paper="sheep", table=7)
    return tables.validate("results", whole)


class _Judged(NamedTuple):
    """Tokens with the row of their item, probabilities and gold labels."""

    places: np.ndarray
    probs: np.ndarray
    gold: np.ndarray

    def rows(self, chosen: np.ndarray) -> _Judged:
        return _Judged(*(part[chosen] for part in self))


def cross_fitted(
    corpus: Corpus,
    judged: pd.DataFrame,
    *,
    objective: Objective = "binary_f1",
    halves: int = 2,
    seed: int = 2026,
) -> pd.Series:
    """Letters of judged tokens at a threshold that was chosen on other answers.

    Parameters
    ----------
    corpus, judged, objective, halves, seed
        As for `recalibrated`; all answers are of one origin here, and all have gold labels.

    Returns
    -------
    Series of str
        A letter for each row of `judged`.
    """
    own = _judged(corpus, judged)
    after = _cross_fitted(corpus, own, objective, halves, seed)
    return pd.Series(np.array(LETTERS, dtype=object)[after], index=judged.index, dtype=tables.TEXT)


def _judged(corpus: Corpus, judged: pd.DataFrame) -> _Judged:
    if missing := [name for name in LETTERS if name not in judged]:
        raise InputError(Problem("judged tokens lack probabilities", "Use `detect`", field=missing[0]))
    probs = judged[list(LETTERS)].to_numpy(float)
    return _Judged(item_places(corpus, judged), probs, codes(judged["gold"]))


def _cross_fitted(corpus: Corpus, own: _Judged, objective: Objective, halves: int, seed: int) -> np.ndarray:
    """Labels where each part of the answers has the threshold of the other parts."""
    if halves < 2 or len(np.unique(own.places)) < 2 * halves:
        return relabelled(own.probs, threshold(own.probs, own.gold, objective).tau)
    chosen = np.zeros(len(corpus.items), dtype=bool)
    chosen[own.places] = True
    mine = corpus.select(pd.Series(chosen, index=corpus.items.index))
    row = np.cumsum(chosen)[own.places] - 1
    after = np.full(len(own.gold), NONE)
    for split in folds(mine, halves, seed, "image"):
        fitted, tested = own.rows(np.flatnonzero(split.train[row])), np.flatnonzero(split.test[row])
        after[tested] = relabelled(own.probs[tested], threshold(fitted.probs, fitted.gold, objective).tau)
    return after


def _difference(corpus: Corpus, own: _Judged, before: np.ndarray, after: np.ndarray) -> Measure:
    counts = [confusions(own.places, own.gold, said, len(corpus.items), SIX) for said in (before, after)]
    units = np.hstack(counts)

    def value(sums: np.ndarray) -> np.ndarray:
        return macro(sums[..., SIX**2 :])[2] - macro(sums[..., : SIX**2])[2]

    return Measure(units, units.sum(axis=1) > 0, value, "no token of these answers has a label")

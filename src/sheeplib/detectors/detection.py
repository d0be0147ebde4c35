"""A detector of tokens, from features and labels to judged tokens: learned in parts, tested on others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from sheeplib import tables
from sheeplib.corpora import Corpus
from sheeplib.detectors.classifiers import Settings, fit
from sheeplib.detectors.controls import CONTROLS, controls
from sheeplib.detectors.hallushift import TokenFeatures
from sheeplib.detectors.splits import Predict, Split, crossed
from sheeplib.detectors.token_labels import LETTERS, NONE
from sheeplib.detectors.token_scores import Setup, codes, measured, measures
from sheeplib.errors import InputError, Problem

FINE = 0  # the class of unmarked tokens in the binary setup; marked ones are 1
UNKNOWN = -1


def classes_of(corpus: Corpus, labels: pd.DataFrame, setup: Setup) -> tuple[np.ndarray, int, int]:
    """What is to be learned.

    Parameters
    ----------
    corpus : Corpus
    labels : DataFrame
        From `token_labels`.
    setup : {"multiclass", "binary"}

    Returns
    -------
    classes : ndarray of int, shape (tokens,)
        Places in `LETTERS`, or 0 and 1 (marked); `UNKNOWN` where an answer was not labelled.
    n_classes : int
    none : int
        The class of unmarked tokens.

    Raises
    ------
    InputError
        If kinds are to be learned that the corpus does not have.
    """
    known = labels["marked"].notna().to_numpy()
    classes = np.full(len(labels), UNKNOWN)
    if setup == "binary":
        classes[known] = labels["marked"][known].astype(bool)
        return classes, 2, FINE
    if "kinds" in corpus.lacks:
        raise InputError(Problem(corpus.lacks["kinds"], "Use the binary setup"))
    classes[known] = codes(labels["label"][known])
    return classes, len(LETTERS), NONE


def detect(
    corpus: Corpus,
    features: TokenFeatures,
    labels: pd.DataFrame,
    plan: Sequence[Split],
    *,
    setup: Setup = "multiclass",
    settings: Settings | None = None,
    seed: int = 2026,
) -> pd.DataFrame:
    """Learn from features, and judge the tokens that each part of a plan tests.

    Parameters
    ----------
    corpus : Corpus
    features : TokenFeatures
    labels : DataFrame
        From `token_labels` for the same tokens.
    plan : sequence of Split
        From `splits.folds` or `splits.official`.
    setup : {"multiclass", "binary"}
    settings : optional
        Of the classifier, see `classifiers.fit`.
    seed : int

    Returns
    -------
    DataFrame
        As `judged` gives it.

    Source
    ------
    SHEEP, 5.2 and C.3.
    """
    classes, n_classes, _ = classes_of(corpus, labels, setup)
    answers = features.tokens["item"].to_numpy()

    def predict(train: np.ndarray, test: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        found = fit(features.matrix[train], classes[train], answers[train], n_classes, rng, settings)
        return found.probabilities(features.matrix[test])

    probs = crossed(corpus, features.tokens, classes != UNKNOWN, plan, predict, n_classes, seed)
    return judged(features.tokens, labels, probs)


def detect_blind(
    corpus: Corpus,
    tokens: pd.DataFrame,
    labels: pd.DataFrame,
    plan: Sequence[Split],
    *,
    setup: Setup = "multiclass",
    seed: int = 2026,
) -> dict[str, pd.DataFrame]:
    """Judge the same tokens by controls that see neither image nor features; parameters as for `detect`.

    Returns
    -------
    dict of str to DataFrame
        As `judged` gives them, by the names of `controls.CONTROLS`.
    """
    classes, n_classes, none = classes_of(corpus, labels, setup)
    known: Mapping[str, Predict] = controls(corpus, tokens, classes, n_classes, none)
    return {
        name: judged(
            tokens,
            labels,
            crossed(corpus, tokens, classes != UNKNOWN, plan, known[name], n_classes, seed),
        )
        for name in CONTROLS
    }


def judged(tokens: pd.DataFrame, labels: pd.DataFrame, probs: np.ndarray) -> pd.DataFrame:
    """Probabilities as judgements: the likeliest class of each token.

    Parameters
    ----------
    tokens, labels : DataFrame
        Table `tokens`, and what `token_labels` says of them.
    probs : ndarray, shape (tokens, 6) or (tokens, 2)
        Of the letters, or of unmarked and marked. Rows that were not tested are NaN.

    Returns
    -------
    DataFrame
        The tokens that were tested: `item, token, start, end`; `gold` and `predicted` (letters, or truth
        values where there are two classes), gold missing where the answer was not labelled; `score`, the
        probability that the token is marked; and the probabilities, in columns named by their letters.
    """
    tested = ~np.isnan(probs).any(axis=1)
    found = tokens.loc[tested, ["item", "token", "start", "end"]].reset_index(drop=True)
    labels, probs = labels[tested].reset_index(drop=True), probs[tested]
    if probs.shape[1] == 2:
        return found.assign(gold=labels["marked"], predicted=probs.argmax(axis=1) == 1, score=probs[:, 1])
    letters = np.array(LETTERS, dtype=object)[probs.argmax(axis=1)]
    found = found.assign(
        gold=labels["label"], predicted=pd.array(letters, dtype=tables.TEXT), score=1 - probs[:, NONE]
    )
    return found.assign(**dict(zip(LETTERS, probs.T, strict=True)))


def compared(
    corpus: Corpus,
    detectors: Mapping[str, pd.DataFrame],
    by: str | Sequence[str] = (),
    *,
    setup: Setup = "multiclass",
    resamples: int = 2000,
    seed: int = 2026,
    cluster: str | None = None,
) -> pd.DataFrame:
    """Scores of several detectors side by side, on the same resamples of answers.

    Parameters
    ----------
    corpus : Corpus
    detectors : mapping of str to DataFrame
        Judged tokens by name of the detector.
    by, setup, resamples, seed, cluster
        As for `token_scores.token_scores`.

    Returns
    -------
    DataFrame
        Table `results` with the column `detector`.
    """
    parts = [
        measured(
            corpus, measures(corpus, frame, setup), by,
            resamples=resamples, seed=seed, cluster=cluster, stream=("token scores", setup),
        ).assign(detector=name)
        for name, frame in detectors.items()
    ]  # fmt: skip
    return pd.concat(parts, ignore_index=True).astype({"detector": tables.TEXT})

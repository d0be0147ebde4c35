"""EUQ as a detector of tokens, beside controls: thresholds, flags, Table 13, spans."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from sheeplib import resample
from sheeplib.corpora import Corpus
from sheeplib.detectors import euq, thresholds
from sheeplib.detectors.detection import compared
from sheeplib.detectors.splits import Split, official
from sheeplib.detectors.splits import folds as dealt
from sheeplib.detectors.submissions import predicted_labels
from sheeplib.detectors.thresholds import Objective, Threshold
from sheeplib.detectors.token_labels import Minimum, item_places, token_labels
from sheeplib.detectors.token_tables import has, token_table
from sheeplib.errors import InputError, Problem
from sheeplib.tables import Label

Calibrate = Literal["auto", "split", "folds"]
Flag = Literal["cf", "ig", "either"]
FLAGS: Mapping[str, tuple[str, ...]] = {
    "cf": ("conflict",),
    "ig": ("ignorance",),
    "either": ("conflict", "ignorance"),
}
# Scores that every detector should beat, all rising with what they take for suspicious.
PLAIN: Mapping[str, str] = {
    "entropy": "entropy",  # how even the prediction is
    "surprise": "token_nll",  # how little the token was expected
    "position": "token",  # how late it stands
}
BLIND = ("everything", "random")


@dataclass(frozen=True, eq=False)
class Reading:
    """Labelled tokens of a corpus with their scores, and where thresholds for them come from.

    Parameters
    ----------
    corpus : Corpus
        The items that have such tokens.
    tokens : DataFrame
        `item, token, start, end, label, marked`, and scores: those of `detectors` name them.
    plan : list of Split
        Items to choose thresholds on, and items to report with them.
    """

    corpus: Corpus
    tokens: pd.DataFrame
    plan: list[Split]

    @property
    def detectors(self) -> dict[str, tuple[str, ...]]:
        """Columns of scores by the name of a detector, such as `repo either` or `position`."""
        found = {
            f"{variant} {flag}": tuple(f"{variant}_{score}" for score in scores)
            for variant in euq.VARIANTS
            for flag, scores in FLAGS.items()
        } | {name: (column,) for name, column in PLAIN.items()}
        return {name: columns for name, columns in found.items() if set(columns) <= set(self.tokens)}

    @cached_property
    def parts(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """The plan in tokens: rows to choose a threshold on, and rows to report."""
        places = item_places(self.corpus, self.tokens)
        return [(split.train[places], split.test[places]) for split in self.plan]

    @property
    def said(self) -> str:
        """The plan in words."""
        if len(self.plan) > 1:
            return (
                f"Each of {len(self.plan)} folds is reported with thresholds chosen on the others; "
                "items about one image share a fold."
            )
        (known, new), (split,) = *self.parts, self.plan
        return (
            f"Thresholds are chosen on the training split ({split.train.sum():,} items, {known.sum():,} "
            f"tokens) and reported on the test split ({split.test.sum():,} items, {new.sum():,} tokens)."
        )


def read(
    corpus: Corpus,
    tokens: pd.DataFrame,
    *,
    minimum: Minimum = "any",
    calibrate: Calibrate = "auto",
    folds: int = 5,
    seed: int = 2026,
) -> Reading:
    """Put scores and labels of tokens side by side.

    Parameters
    ----------
    corpus : Corpus
        With labels.
    tokens : DataFrame
        Table `tokens` with evidence, as `FeatureStore(path).tokens()` gives it; tokens of items that
        the corpus does not have, or that are not labelled, are left out.
    minimum : {"any", "majority"}
        What makes a token marked; see `token_labels.token_labels`.
    calibrate, folds, seed
        See `plan`.

    Returns
    -------
    Reading

    Raises
    ------
    InputError
        If the corpus has no labels, no token has one, evidence of neither variant is there, or a value
        is no number.
    """
    if "labels" in corpus.lacks:
        why = corpus.lacks["labels"]
        raise InputError(Problem(f"corpus '{corpus.name}' has no labels: {why}", "Choose another corpus"))
    variants = [name for name in euq.VARIANTS if set(euq.COLUMNS[name]) <= set(tokens)]
    if not variants:
        raise InputError(Problem("the tokens have no evidence", "Extract it with the method euq"))
    own = tokens[tokens["item"].isin(corpus.items["item"])]
    labels = token_labels(corpus, own, minimum=minimum)
    own, labels = own[labels["marked"].notna()], labels[labels["marked"].notna()]
    table = own[[*euq.PLACES, *(name for name in ("entropy", "token_nll") if name in own)]]
    for variant in variants:
        scores = euq.scores(own, variant)
        table = table.assign(**{f"{variant}_{name}": scores[name] for name in ("conflict", "ignorance")})
    table = table.assign(label=labels["label"], marked=labels["marked"].astype(bool)).reset_index(drop=True)
    if not len(table):
        what = "no token belongs to a labelled item"
        raise InputError(Problem(what, f"Use features of the answers of '{corpus.name}'"))
    data = corpus.select(corpus.items["item"].isin(table["item"]))
    return Reading(data, table, plan(data, calibrate, folds, seed))


def plan(corpus: Corpus, calibrate: Calibrate = "auto", folds: int = 5, seed: int = 2026) -> list[Split]:
    """Which items to choose thresholds on, and which to report.

    Parameters
    ----------
    corpus : Corpus
    calibrate : {"auto", "split", "folds"}
        `split`: choose on the training split, report the test split. `folds`: report all items, each
        with a threshold from the other folds; items about one image share a fold. `auto`: the split if
        there are items of both, else folds.
    folds, seed : int
        How many folds, and what deals images into them.

    Raises
    ------
    InputError
        If the option is unknown, a split is wanted and absent, or images are fewer than folds.

    Source
    ------
    SHEEP, appendix C.4, has "a calibration set", and does not say which. The training split, and folds
    where there is none, are inferred.
    """
    if calibrate not in get_args(Calibrate):
        known = ", ".join(get_args(Calibrate))
        raise InputError(Problem("unknown way to calibrate", f"Use one of {known}", value=calibrate))
    found = [] if calibrate == "folds" else official(corpus)
    if calibrate == "split" and not found:
        what = f"the features of {corpus.name} are not of both splits, train and test"
        raise InputError(Problem(what, "Calibrate with folds"))
    return found or dealt(corpus, folds, seed, "image")


def detect(
    reading: Reading, detector: str, objective: Objective = "f1", seed: int = 2026
) -> tuple[pd.DataFrame, list[Threshold]]:
    """Flag tokens that score above thresholds chosen on other items.

    Parameters
    ----------
    reading : Reading
    detector : str
        One of `reading.detectors`, or a control that reads nothing: `everything` flags all tokens,
        `random` as large a share as is marked in the calibration data.
    objective : {"f1", "capped_f1", "youden", "macro_f1"}
        See `sheeplib.detectors.thresholds.best`.
    seed : int
        Of random flags.

    Returns
    -------
    judged : DataFrame
        The reported tokens: `item, token, start, end`, `gold` (whether marked), `predicted` (whether
        flagged), and `score` where the detector has one alone.
    found : list of Threshold
        One a part of the plan; none for controls that read nothing.

    Raises
    ------
    InputError
        If the detector is unknown, or no threshold can be chosen.
    """
    known = reading.detectors
    if detector not in known and detector not in BLIND:
        names = ", ".join([*known, *BLIND])
        raise InputError(Problem("no such detector here", f"There are {names}", value=detector))
    marked = reading.tokens["marked"].to_numpy(dtype=bool)
    found: list[Threshold] = []
    if detector in BLIND:
        flags = np.ones(len(marked), dtype=bool) if detector == "everything" else _random(reading, seed)
    else:
        scores = reading.tokens[list(known[detector])].to_numpy(dtype=float)
        fit = thresholds.best if scores.shape[1] == 1 else thresholds.best_pair
        fitted = partial(fit, objective=objective)
        flags, found = thresholds.cross_fitted(scores, marked, reading.parts, fitted)
    judged = reading.tokens[list(euq.PLACES)].assign(gold=marked, predicted=flags)
    if len(known.get(detector, ())) == 1:
        judged = judged.assign(score=reading.tokens[known[detector][0]].astype(float))
    shown = np.logical_or.reduce([new for _, new in reading.parts])
    return judged[shown].reset_index(drop=True), found


def _random(reading: Reading, seed: int) -> np.ndarray:
    """As many flags in each part as its calibration data have marks, at random."""
    marked = reading.tokens["marked"].to_numpy(dtype=bool)
    flags = np.zeros(len(marked), dtype=bool)
    for number, (known, new) in enumerate(reading.parts):
        places = resample.generator(seed, "random flags", number).permutation(np.flatnonzero(new))
        flags[places[: round(marked[known].mean() * len(places))]] = True
    return flags


def results(
    reading: Reading, judged: Mapping[str, pd.DataFrame], *, resamples: int = 2000, seed: int = 2026
) -> pd.DataFrame:
    """Accuracy, precision, recall and F1 of marked tokens: all reported items, and by language.

    For detectors with one score there is AUROC over all reported items, too, which needs no threshold.

    Parameters
    ----------
    reading : Reading
    judged : mapping of str to DataFrame
        From `detect`, by the name of a detector.
    resamples, seed : int
        Of the bootstrap over items; those about one image are drawn together.

    Returns
    -------
    DataFrame
        Table `results` with `detector` and, where the corpus has them, `language`.
    """
    settings: dict[str, Any] = {"setup": "binary", "resamples": resamples, "seed": seed}
    settings["cluster"] = cluster_of(reading.corpus)
    parts = [compared(reading.corpus, judged, **settings)]
    if has(reading.corpus, "language"):
        plain = {name: frame.drop(columns="score", errors="ignore") for name, frame in judged.items()}
        parts.append(compared(reading.corpus, plain, "language", **settings))
    return pd.concat(parts, ignore_index=True)


def table_13(
    reading: Reading, judged: pd.DataFrame, *, resamples: int = 2000, seed: int = 2026
) -> pd.DataFrame:
    """The same in the groups of Table 13: by strategy, and by model within random, MAP and both.

    Source
    ------
    SHEEP, Table 13. Intervals are ours.
    """
    return token_table(
        reading.corpus, judged, 13, resamples=resamples, seed=seed, cluster=cluster_of(reading.corpus)
    )


def cluster_of(corpus: Corpus) -> str | None:
    """What makes items hang together: their image, where it is known."""
    return "image" if has(corpus, "image") else None


def spans(reading: Reading, judged: pd.DataFrame) -> pd.DataFrame:
    """Flagged tokens as spans of a submission: the longest runs.

    EUQ says neither how sure it is nor of what kind a mistake is. So all spans get the same probability
    and kind: the share of tokens that are marked in the data that thresholds are chosen on, and the
    commonest label of these.

    Parameters
    ----------
    reading : Reading
    judged : DataFrame
        From `detect`.

    Returns
    -------
    DataFrame
        Table `labels`.

    Raises
    ------
    InputError
        If the corpus has no kinds.
    """
    if "kinds" in reading.corpus.lacks:
        why = reading.corpus.lacks["kinds"]
        raise InputError(Problem(f"a submission needs kinds of mistakes, and there are none: {why}"))
    letter, prob = _usual(reading)
    letters = np.where(judged["predicted"].to_numpy(dtype=bool), letter, str(Label.NONE))
    return predicted_labels(reading.corpus, judged, letters, np.full(len(judged), prob))


def _usual(reading: Reading) -> tuple[str, float]:
    """Commonest label of the marked tokens that thresholds are chosen on, and their share."""
    known = reading.tokens[np.logical_or.reduce([known for known, _ in reading.parts])]
    counts = known.loc[known["marked"], "label"].value_counts().sort_index()
    return str(counts.idxmax()), float(known["marked"].mean())

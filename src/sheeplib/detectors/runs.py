"""HalluShift++ from features to scores and a submission, as the command line runs it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from sheeplib.corpora import Corpus
from sheeplib.detectors import classifiers
from sheeplib.detectors.detection import compared, detect, detect_blind
from sheeplib.detectors.hallushift import TokenFeatures
from sheeplib.detectors.splits import folds as cut
from sheeplib.detectors.splits import official
from sheeplib.detectors.submissions import predicted_labels, write_submission
from sheeplib.detectors.token_labels import token_labels
from sheeplib.detectors.token_tables import has

NAME = "HalluShift++"


@dataclass(frozen=True, eq=False)
class Run:
    """What a detector did: table `results` with `detector` and `setup`, and files of predictions."""

    results: pd.DataFrame
    files: list[Path]


def run(
    corpus: Corpus,
    features: TokenFeatures,
    *,
    folds: int = 5,
    cross: bool = False,
    classifier: str = "mlp",
    epochs: int = 10,
    batch: int = 512,
    resamples: int = 2000,
    seed: int = 2026,
    predictions: Path | None = None,
) -> Run:
    """Learn, judge and score in both setups, beside the controls; and write predictions.

    Parameters
    ----------
    corpus : Corpus
    features : TokenFeatures
    folds : int
        Parts of a cross-validation, by image; taken where the corpus has no split of its own.
    cross : bool
        Whether to take it in any case.
    classifier : str
        As for `classifiers.named`.
    epochs, batch : int
        See `mlp.Settings`.
    resamples, seed : int
    predictions : Path, optional
        Directory to write a submission to.

    Raises
    ------
    InputError
        If there is no such classifier, there are fewer images than parts, or predictions cannot be a
        submission; nothing is written then.
    """
    settings = classifiers.named(classifier, epochs, batch)
    plan = ([] if cross else official(corpus)) or cut(corpus, folds, seed)
    labels = token_labels(corpus, features.tokens)
    cluster = "image" if has(corpus, "image") else None
    parts = []
    files: list[Path] = []
    for setup in ("binary", "multiclass"):
        if setup == "multiclass" and "kinds" in corpus.lacks:
            continue
        judged = {NAME: detect(corpus, features, labels, plan, setup=setup, settings=settings, seed=seed)}
        blind = detect_blind(corpus, features.tokens, labels, plan, setup=setup, seed=seed)
        scores = compared(
            corpus, judged | blind, setup=setup, resamples=resamples, seed=seed, cluster=cluster
        )
        parts.append(scores.assign(setup=setup))
        if setup == "multiclass" and predictions is not None:
            own = judged[NAME]
            tested = corpus.select(corpus.items["item"].isin(own["item"]))
            spans = predicted_labels(tested, own, own["predicted"], own["score"].to_numpy())
            files = write_submission(tested, spans, predictions)
    return Run(pd.concat(parts, ignore_index=True), files)

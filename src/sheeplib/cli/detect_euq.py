"""`sheep detect euq`: conflict and ignorance as a detector of tokens."""

from __future__ import annotations

from math import isfinite
from typing import Annotated, get_args

import pandas as pd
import typer

from sheeplib.cli.detect import CorpusName, Features, Predictions, Resamples, detect
from sheeplib.cli.terminal import AsJson, Directory, Seed, given, records, show_frame, show_json

VARIANTS, FLAGS = ("canonical", "repo"), ("cf", "ig", "either")


@detect.command()
def euq(
    corpus: CorpusName = "meadow",
    directory: Directory = None,
    features: Features = None,
    variant: Annotated[
        str, typer.Option(help="canonical (after the theory) or repo (as released).")
    ] = "repo",
    flag: Annotated[str, typer.Option(help="What is flagged: high cf, ig, or either.")] = "either",
    objective: Annotated[
        str, typer.Option(help="What thresholds are best for: f1, capped_f1, youden or macro_f1.")
    ] = "f1",
    calibrate: Annotated[
        str, typer.Option(help="Choose them on the training split, or by folds; auto: where there is one.")
    ] = "auto",
    folds: Annotated[int, typer.Option(min=2, help="Number of folds.")] = 5,
    predictions: Predictions = None,
    resamples: Resamples = 2000,
    seed: Seed = 2026,
    as_json: AsJson = False,
) -> None:
    """EUQ on cached features: thresholds from other answers, flags, scores with intervals."""
    from sheeplib import load
    from sheeplib.detectors import euq_flags
    from sheeplib.detectors.evaluators import features_of
    from sheeplib.detectors.submissions import write_submission
    from sheeplib.detectors.thresholds import Objective

    choices = {
        "--variant": (variant, VARIANTS), "--flag": (flag, FLAGS),
        "--objective": (objective, get_args(Objective)),
        "--calibrate": (calibrate, get_args(euq_flags.Calibrate)),
    }  # fmt: skip
    for option, (value, known) in choices.items():
        if value not in known:
            raise typer.BadParameter(f"use {', '.join(known)}", param_hint=option)
    data = load(corpus, **given(directory=directory))
    store = features_of(data, f"evidence:{variant}@gen", features)
    reading = euq_flags.read(data, store.tokens(), calibrate=calibrate, folds=folds, seed=seed)  # type: ignore[arg-type]
    detector = f"{variant} {flag}"
    judged, found = euq_flags.detect(reading, detector, objective, seed)  # type: ignore[arg-type]
    blind = {name: euq_flags.detect(reading, name, seed=seed)[0] for name in euq_flags.BLIND}
    settings = {"resamples": resamples, "seed": seed}
    scores = euq_flags.results(reading, {detector: judged} | blind, **settings)
    printed = euq_flags.table_13(reading, judged, **settings).assign(detector=detector)
    rows = pd.concat([scores, printed], ignore_index=True)
    files = []
    if predictions is not None:
        reported = reading.corpus.select(reading.corpus.items["item"].isin(judged["item"]))
        files = [
            str(path) for path in write_submission(reported, euq_flags.spans(reading, judged), predictions)
        ]
    if as_json:
        facts = {"corpus": corpus, "evaluator": store.header["model"], "features": store.shards.key}
        chosen = [[_said(value) for value in threshold.values] for threshold in found]
        facts |= {"calibration": reading.said, "thresholds": chosen, "results": records(rows)}
        show_json(facts | {"predictions": files})
        return
    print(reading.said)
    show_frame(_readable(rows[rows["value"].notna()]))
    for file in files:
        print(file)


def _readable(rows: pd.DataFrame) -> pd.DataFrame:
    """Scores with their group in one column, such as `gemma3, map`."""
    names = [name for name in ("language", "strategy", "model", "subset") if name in rows]
    groups = [
        ", ".join(row[name] for name in names if pd.notna(row[name])) or "all" for _, row in rows.iterrows()
    ]
    return rows.assign(group=groups)[["detector", "group", "quantity", "value", "low", "high", "n"]]


def _said(threshold: float) -> float | str:
    """JSON has no infinity."""
    return threshold if isfinite(threshold) else ("everything" if threshold < 0 else "nothing")

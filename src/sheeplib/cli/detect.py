"""Verbs on detectors: find wrong tokens, score what was found, write it as a submission."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sheeplib.cli.terminal import AsJson, Directory, Seed, app, given, records, show_frame, show_json
from sheeplib.corpora import CORPORA

detect = typer.Typer(help="Detectors of wrong tokens (hallushift, euq), of hallucinated mentions (svar ...).")
app.add_typer(detect, name="detect", no_args_is_help=True)

CorpusName = Annotated[str, typer.Option(help=f"Whose answers: {', '.join(CORPORA)}.")]
Features = Annotated[
    Path | None, typer.Option(help="Store of features, or a directory of them; default where they are kept.")
]
Predictions = Annotated[
    Path | None, typer.Option(help="Directory to write the predictions to, as the shared task takes them.")
]
Resamples = Annotated[int, typer.Option(min=1, help="Bootstrap resamples.")]


@detect.command()
def hallushift(
    corpus: CorpusName = "meadow",
    directory: Directory = None,
    features: Features = None,
    predictions: Predictions = None,
    folds: Annotated[int, typer.Option(min=2, help="Parts of a cross-validation, by image.")] = 5,
    cross: Annotated[
        bool, typer.Option("--cross", help="Cross-validate even if the corpus has a train and a test split.")
    ] = False,
    classifier: Annotated[
        str,
        typer.Option(
            help="mlp (of the kit), mlp-64, forest-300, forest-500, logistic-0.1, logistic-1, logistic-10,"
            " or grid: the best of these on answers kept apart."
        ),
    ] = "mlp",
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the training tokens, of a network.")] = 10,
    batch: Annotated[
        int, typer.Option(min=1, help="Tokens that mlp takes at once; the shared task's kit takes 32.")
    ] = 512,
    resamples: Resamples = 2000,
    seed: Seed = 2026,
    as_json: AsJson = False,
) -> None:
    """HalluShift++ on cached features: learn, judge tokens, score them with intervals."""
    from sheeplib import load
    from sheeplib.detectors.evaluators import features_of
    from sheeplib.detectors.hallushift import hallushift as made
    from sheeplib.detectors.runs import run

    data = load(corpus, **given(directory=directory))
    found = made(features_of(data, "hallushift", features), data)
    done = run(
        data, found, folds=folds, cross=cross, classifier=classifier, epochs=epochs, batch=batch,
        resamples=resamples, seed=seed, predictions=predictions,
    )  # fmt: skip
    if as_json:
        files = [str(path) for path in done.files]
        facts = {"corpus": corpus, "evaluator": found.evaluator, "features": found.key}
        facts["classifier"] = classifier
        show_json(facts | {"results": records(done.results), "predictions": files})
        return
    show_frame(done.results[["detector", "setup", "quantity", "value", "low", "high", "n", "reason"]])
    for path in done.files:
        print(path)

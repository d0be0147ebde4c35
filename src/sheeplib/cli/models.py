"""Verbs on models: which there are, what they answer, and how they translate."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from sheeplib.cli.terminal import (
    AsJson,
    BatchSize,
    Cluster,
    Device,
    Engine,
    Online,
    Precision,
    RemoteCode,
    Revision,
    Weights,
    Workers,
    app,
    executor,
    listed,
    loading,
    say,
    show_frame,
    show_json,
)
from sheeplib.corpora import CORPORA
from sheeplib.errors import InputError, Problem

Output = Annotated[Path, typer.Option("--out", help="File to write (JSON Lines).")]
Drafts = Annotated[
    Path | None, typer.Option("--shards", help="Where finished parts are kept; default OUT with .shards.")
]


@app.command()
def models(as_json: AsJson = False) -> None:
    """The models of both papers, and which of them run on this machine."""
    from sheeplib.models.machine import listing, machine

    rows = listing()
    if as_json:
        show_json(rows)
        return
    shown = [
        {
            "name": row["name"],
            "used as": ", ".join(row["roles"]),
            "GB": f"{row['memory_gb']:g}",
            "runs here": row["reason"] if row["runs_here"] else f"no: {row['reason']}",
        }
        for row in rows
    ]
    show_frame(pd.DataFrame(shown))
    print(f"{machine()}. GB: memory for the weights in bfloat16. More with --json.")


@app.command()
def generate(
    model: Annotated[str, typer.Option(help="Name, as in `sheep models`.")],
    out: Output,
    questions: Annotated[
        Path | None, typer.Option(help="Table (.jsonl, .csv, .parquet): item, question, image, language.")
    ] = None,
    corpus: Annotated[str, typer.Option(help=f"Or the questions of: {', '.join(CORPORA)}.")] = "",
    directory: Annotated[Path | None, typer.Option(help="Directory or archive of the corpus.")] = None,
    images: Annotated[Path | None, typer.Option(help="Directory of the images.")] = None,
    languages: Annotated[str, typer.Option(help="Only these, with commas: en,fr.")] = "",
    seeds: Annotated[int, typer.Option(min=1, help="Answers to each question, from seeds 0, 1, ...")] = 5,
    temperature: Annotated[float, typer.Option(min=0, help="0 takes the likeliest token.")] = 0.7,
    max_tokens: Annotated[int, typer.Option(min=1, help="Longest answer.")] = 512,
    system: Annotated[
        str, typer.Option(help="auto (localised for Gemma 3), localised, none, or a system prompt.")
    ] = "auto",
    batch_size: BatchSize = 8,
    shards: Drafts = None,
    engine: Engine = None,
    workers: Workers = 2,
    cluster: Cluster = None,
    weights: Weights = None,
    revision: Revision = None,
    device: Device = "auto",
    dtype: Precision = "auto",
    trust_remote_code: RemoteCode = False,
    online: Online = False,
) -> None:
    """Ask a model about images, several times, in parts that a second run takes up."""
    from sheeplib.models import generation_runs

    work = generation_runs.GenerationWork(
        directory=_parts(out, shards, questions), model=model, questions=str(questions or ""), corpus=corpus,
        options=(("directory", str(directory)),) if directory else (), images=str(images or ""),
        languages=tuple(listed(languages)), seeds=tuple(range(seeds)), temperature=temperature,
        max_tokens=max_tokens, system=system, batch_size=batch_size,
        loading=loading(weights, revision, device, dtype, trust_remote_code, online),
    )  # fmt: skip
    with executor(engine, workers, cluster) as workforce:
        done = generation_runs.run(work, workforce, say)
    print(generation_runs.collect(done, out))


@app.command()
def translate(
    source: Annotated[Path, typer.Argument(help="JSON Lines whose records have an item and texts.")],
    out: Output,
    origin: Annotated[str, typer.Option("--from", help="Language of the texts: en, fr, it or zh.")],
    target: Annotated[str, typer.Option("--to", help="Language wanted.")],
    fields: Annotated[str, typer.Option(help="Fields to translate, with commas.")] = "prompt",
    model: Annotated[str, typer.Option(help="Default: the one the paper used for this pair.")] = "",
    beams: Annotated[int, typer.Option(min=1, help="Width of the beam search.")] = 4,
    max_tokens: Annotated[int, typer.Option(min=1, help="Longest translation.")] = 512,
    split: Annotated[
        str, typer.Option(help="Sentence by sentence: long (texts that do not fit), always or never.")
    ] = "long",
    batch_size: BatchSize = 8,
    quality: Annotated[
        Path | None, typer.Option(help="Checkpoint of COMETKiwi: estimate the quality as well.")
    ] = None,
    trust_checkpoint: Annotated[
        bool, typer.Option("--trust-checkpoint", help="Unpickle it: code in it runs with your rights.")
    ] = False,
    comet: Annotated[
        Path | None, typer.Option(help="Python of an environment of its own that has unbabel-comet.")
    ] = None,
    shards: Drafts = None,
    engine: Engine = None,
    workers: Workers = 2,
    cluster: Cluster = None,
    weights: Weights = None,
    revision: Revision = None,
    device: Device = "auto",
    dtype: Precision = "auto",
    online: Online = False,
) -> None:
    """Translate texts and point at translations that look wrong."""
    from sheeplib.models import translation_runs
    from sheeplib.models.quality import check, score

    if quality is not None:
        check(quality, trust_checkpoint)
    work = translation_runs.TranslationWork(
        directory=_parts(out, shards, source), file=str(source), fields=tuple(listed(fields)),
        source=origin, target=target, model=model, beams=beams, max_tokens=max_tokens, batch_size=batch_size,
        split=split, loading=loading(weights, revision, device, dtype, False, online),
    )  # fmt: skip
    with executor(engine, workers, cluster) as workforce:
        done = translation_runs.run(work, workforce, say)
    for line in translation_runs.collect(work, done, out):
        say(f"Look at {line['item']}, {line['field']}: {line['doubt']}")
    if quality is not None:
        means = score(out, quality, trust_checkpoint=trust_checkpoint, python=comet or sys.executable)
        say("Estimated quality: " + ", ".join(f"{field} {value:.3f}" for field, value in means.items()))
    print(out)


def _parts(out: Path, shards: Path | None, source: Path | None) -> str:
    """Where finished parts are kept. An output that cannot be is refused before any work."""
    if os.path.isdir(out):
        raise InputError(Problem("a directory, not a file", "Name a file to write", path=out))
    if source is not None and os.path.realpath(out) == os.path.realpath(source):
        raise InputError(Problem("the file that is read would be replaced", "Name another", path=out))
    return str(shards or out.with_name(out.name + ".shards"))

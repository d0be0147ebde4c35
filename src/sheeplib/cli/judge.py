"""Verbs on judges: ask one for letters, and score letters."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sheeplib.cli.terminal import (
    AsJson,
    BatchSize,
    Cluster,
    Device,
    Directory,
    Engine,
    Online,
    Precision,
    RemoteCode,
    Revision,
    Seed,
    Weights,
    Workers,
    app,
    executor,
    given,
    listed,
    loading,
    records,
    say,
    show_frame,
    show_json,
)
from sheeplib.corpora import CORPORA, load
from sheeplib.errors import InputError, Problem

Splits = Annotated[str, typer.Option(help="Splits of a corpus, with commas; empty for all.")]
Strategies = Annotated[str, typer.Option(help="Strategies of a corpus, with commas; empty for all.")]


@app.command()
def judge(
    name: Annotated[str, typer.Option("--judge", help="Model that judges, as in `sheep models`.")],
    out: Annotated[Path, typer.Option(help="File to write (.jsonl or .parquet).")],
    corpus: Annotated[str, typer.Option(help=f"Whose answers: {', '.join(CORPORA)}.")] = "",
    directory: Directory = None,
    items: Annotated[Path | None, typer.Option(help="Or a file of answers (.jsonl, .csv, .parquet).")] = None,
    images: Annotated[Path | None, typer.Option(help="Directory of the images.")] = None,
    how: Annotated[
        str, typer.Option(help="letter (the likeliest of the six) or greedy (reads what it writes).")
    ] = "letter",
    splits: Splits = "",
    strategies: Strategies = "",
    batch_size: BatchSize = 8,
    shards: Annotated[
        Path | None, typer.Option(help="Where finished parts are kept; default OUT with .shards.")
    ] = None,
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
    """Ask a model which kind of mistake answers make, in parts that a second run takes up."""
    from sheeplib import judge_runs

    judge_runs.check_output(out)
    if how not in ("letter", "greedy"):
        raise typer.BadParameter("use letter or greedy", param_hint="--how")
    work = judge_runs.JudgeWork(
        directory=str(shards or out.with_name(out.name + ".shards")), judge=name, corpus=corpus,
        options=(("directory", str(directory)),) if directory else (), items=str(items or ""),
        images=str(images or ""), strategies=tuple(listed(strategies)), splits=tuple(listed(splits)),
        how=how, batch_size=batch_size,
        loading=loading(weights, revision, device, dtype, trust_remote_code, online),
    )  # fmt: skip
    with executor(engine, workers, cluster) as workforce:
        done = judge_runs.run(work, workforce, say)
    print(judge_runs.collect(done, out))


@app.command("judge-score")
def judge_score(
    corpus: Annotated[str, typer.Option(help=f"One of: {', '.join(CORPORA)}.")],
    letters: Annotated[
        list[Path], typer.Option(help="File that `sheep judge` wrote, or a table; may be given twice.")
    ] = [],  # noqa: B006
    directory: Directory = None,
    judges: Annotated[str, typer.Option(help="Only these judges, with commas.")] = "",
    splits: Splits = "test",
    strategies: Strategies = "random,human",
    labels: Annotated[str, typer.Option(help="An annotator's labels: of any span, or the first.")] = "any",
    gold: Annotated[str, typer.Option(help="effective or majority.")] = "effective",
    classes: Annotated[str, typer.Option(help="Means over labels that are occurring, or all.")] = "occurring",
    empty: Annotated[str, typer.Option(help="What a label without a value counts: zero or skip.")] = "zero",
    cluster: Annotated[str | None, typer.Option(help="Column whose items are drawn together: image.")] = None,
    ranking: Annotated[
        str, typer.Option(help="Instead, correlate origins over judges; draw judges or items.")
    ] = "",
    resamples: Annotated[int, typer.Option(min=1, help="Bootstrap resamples.")] = 2000,
    seed: Seed = 2026,
    as_json: AsJson = False,
) -> None:
    """Score judges' letters against annotators, by language and origin, with bootstrap intervals."""
    from sheeplib.judge_letters import letters_for
    from sheeplib.judge_metrics import Rules
    from sheeplib.judge_ranking import judge_ranking
    from sheeplib.judge_scores import judge_scores

    if cluster and ranking:
        remedy = "Leave out --cluster"
        raise InputError(Problem("rankings are not drawn by clusters of items", remedy, field="cluster"))
    data = load(corpus, **given(directory=directory))
    said = letters_for(corpus, letters, directory)
    settings = {
        "judges": listed(judges) or None, "strategies": listed(strategies) or None,
        "splits": listed(splits) or None, "resamples": resamples, "seed": seed,
        "rules": Rules(labels=labels, gold=gold, classes=classes, empty=empty),  # type: ignore[arg-type]
    }  # fmt: skip
    if ranking:
        rows = judge_ranking(data, said, over=ranking, **settings)  # type: ignore[arg-type]
        columns = ["quantity", "origin", "other_origin", "language"]
    else:
        rows = judge_scores(data, said, cluster=cluster, **settings)  # type: ignore[arg-type]
        columns = ["quantity", "judge", "language", "origin"]
    if as_json:
        show_json(records(rows))
    else:
        show_frame(rows[[*columns, "value", "low", "high", "n", "reason"]])

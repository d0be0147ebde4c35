"""Verbs on corpora and on what the papers print: fetch, check, score, agreement, published."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from sheeplib.cli.terminal import AsJson, Directory, Seed, app, given, records, show_frame, show_json
from sheeplib.corpora import CORPORA, load
from sheeplib.errors import InputError


@app.command()
def fetch(
    corpus: Annotated[str, typer.Argument(help="Corpus to download: sheep.")],
    part: Annotated[list[str], typer.Option(help="Part to download; may be given twice.")] = ["data"],  # noqa: B006
    directory: Annotated[Path | None, typer.Option(help="Where to put it; default the cache.")] = None,
    as_json: AsJson = False,
) -> None:
    """Download a corpus from its official address, resuming what was begun, and verify it."""
    from sheeplib import fetch as download

    paths = download.fetch(corpus, parts=tuple(part), directory=directory)
    if as_json:
        show_json({name: str(path) for name, path in paths.items()})
    for name, path in [] if as_json else paths.items():
        print(f"{name}: {path}")


@app.command()
def check(
    pred: Annotated[list[Path], typer.Argument(help="Predictions: a .jsonl file, several, or a directory.")],
    gold: Annotated[Path | None, typer.Option(help="Data to be predicted: coverage is checked too.")] = None,
    as_json: AsJson = False,
) -> None:
    """Check the format of predictions; exit code 1 if there is a problem."""
    from sheeplib.scoring import check_format

    problems = check_format(pred, gold)
    if as_json:
        fields = ("what", "remedy", "path", "line", "field", "value")
        listed = [{name: getattr(problem, name) for name in fields} for problem in problems]
        show_json({"format_ok": not problems, "problems": listed})
    elif not problems:
        print("The format is right.")
    if problems:
        raise InputError(problems)


@app.command()
def score(
    gold: Annotated[Path, typer.Option(help="Labelled data: a .jsonl file or a directory.")],
    pred: Annotated[Path, typer.Option(help="Predictions: a .jsonl file or a directory.")],
    strict: Annotated[
        bool,
        typer.Option(help="Refuse bad spans and drop those of probability 0, unlike the released scorer."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Score predictions as the shared task does: Cor, Cor+Lbl and IoU, by language."""
    from sheeplib.scoring import score_files

    scores = score_files(gold, pred, strict=strict)
    if as_json:
        show_json(scores)
        return
    flat = []
    for language, row in scores.items():
        plain = {name: value for name, value in row.items() if name != "classification"}
        flat.append({"language": language} | plain | row.get("classification", {}))
    show_frame(pd.DataFrame(flat))
    for language, row in scores.items():
        if row.get("coverage", 1) < 1:
            print(
                f"{language}: only {row['n_pred']} of {row['n_gold']} items were predicted.", file=sys.stderr
            )


@app.command()
def agreement(
    corpus: Annotated[str, typer.Argument(help=f"One of: {', '.join(CORPORA)}.")],
    directory: Directory = None,
    by: Annotated[str, typer.Option(help="Columns of items that make groups, with commas.")] = "",
    resamples: Annotated[int, typer.Option(min=1, help="Bootstrap resamples.")] = 2000,
    seed: Seed = 2026,
    cluster: Annotated[str | None, typer.Option(help="Column whose items are drawn together: image.")] = None,
    empty_pairs: Annotated[
        str, typer.Option(help="Pairs that marked nothing: exclude, one or zero.")
    ] = "exclude",
    count_none: Annotated[bool, typer.Option(help="Whether no mark counts as label F (none).")] = True,
    as_json: AsJson = False,
) -> None:
    """Agreement of annotators on presence, label and span, with bootstrap intervals."""
    from sheeplib.agreement import agreement as computed

    if empty_pairs not in ("exclude", "one", "zero"):
        raise typer.BadParameter("use exclude, one or zero", param_hint="--empty-pairs")
    columns = list(dict.fromkeys(column.strip() for column in by.split(",") if column.strip()))
    rows = computed(
        load(corpus, **given(directory=directory)), columns, resamples=resamples, seed=seed, cluster=cluster,
        count_none=count_none, empty_pairs=empty_pairs,  # type: ignore[arg-type]
    )  # fmt: skip
    if as_json:
        show_json(records(rows))
    else:
        show_frame(rows[["quantity", *columns, "value", "low", "high", "n", "reason"]])


@app.command()
def published(
    paper: Annotated[str | None, typer.Argument(help="sheep or namebench.")] = None,
    table: Annotated[int | None, typer.Argument(help="Number of the table.")] = None,
    as_json: AsJson = False,
) -> None:
    """The numbers that the papers print: a list of the tables, or one table."""
    from sheeplib import published as printed

    if (paper is None) != (table is None):
        raise typer.BadParameter("give paper and table, or neither")
    frame = printed.published(paper, table) if paper and table is not None else printed.tables()
    if as_json:
        show_json(records(frame))
    else:
        show_frame(frame.dropna(axis=1, how="all"), digits=6)

"""`sheep`: a thin list of verbs. Exit codes: 0 fine, 1 wrong input, 2 wrong usage."""

from __future__ import annotations

import io
import json
import math
import sys
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sheeplib import __version__
from sheeplib.corpora import CORPORA, load
from sheeplib.errors import InputError

app = typer.Typer(
    help="Recompute two papers on hallucinations of vision-language models.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
said = Console()

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Directory = Annotated[Path | None, typer.Option(help="Directory or archive of the data.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of everything random.")]


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


@app.command()
def run(
    names: Annotated[list[str] | None, typer.Argument(help="Notebooks; default all of the profile.")] = None,
    profile: Annotated[str, typer.Option(help="meadow, sheep or mushroom.")] = "meadow",
    directory: Directory = None,
    assigned: Annotated[
        list[str] | None, typer.Option("--set", "-s", help="name=value, a parameter of the one notebook.")
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Notebooks to run at once.")] = None,
    show: Annotated[bool, typer.Option("--parameters", help="List the parameters and run nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run the notebooks of a profile whose code, data or parameters have changed."""
    from sheeplib import chapters, profiles
    from sheeplib.parameters import parameters, parse_parameters

    root = chapters.repository()
    paths = [root / "notebooks" / f"{name.removesuffix('.ipynb')}.ipynb" for name in names or []]
    if show:
        listed = [
            {"notebook": path.stem, "name": p.name, "type": p.type, "default": p.default, "meaning": p.help}
            for path in paths or sorted((root / "notebooks").glob("*.ipynb"))
            for p in parameters(path)
        ]
        show_json(listed) if as_json else show_frame(pd.DataFrame(listed))
        return
    if assigned and len(paths) != 1:
        raise typer.BadParameter("needs exactly one notebook", param_hint="--set")
    bound = profiles.profile(profile, directory=None if directory is None else str(directory))
    if assigned:
        bound = bound.varied(parse_parameters(paths[0], assigned))
    outcomes = chapters.run_all(
        bound,
        [path.stem for path in paths],
        root=root,
        jobs=jobs,
        told=lambda outcome: tell(outcome, as_json),
    )
    if as_json:
        show_json([vars(outcome) for outcome in outcomes])
    if any(outcome.state == "failed" for outcome in outcomes):
        raise SystemExit(1)


def tell(outcome: Any, quiet: bool = False) -> None:
    """Say what became of a notebook, on the error stream if it failed."""
    if outcome.state == "failed":
        print(outcome.message, file=sys.stderr)
    elif not quiet:
        print(f"{outcome.notebook}: {outcome.state} ({outcome.seconds:.1f} s)")


@app.command()
def version() -> None:
    """The version of the package."""
    print(__version__)


def given(**options: Any) -> dict[str, Any]:
    """Options that were given on the command line."""
    return {name: value for name, value in options.items() if value is not None}


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as dictionaries of plain values; missing is None."""
    rows = frame.astype(object).to_dict(orient="records")
    return [{name: None if pd.isna(value) else value for name, value in row.items()} for row in rows]


def show_json(content: Any) -> None:
    """Print JSON that every reader takes: ASCII, and null for NaN, which is not JSON."""
    print(json.dumps(_plain(content), indent=2, allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "item"):  # a number of numpy
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def show_frame(frame: pd.DataFrame, digits: int = 3) -> None:
    """Print a table for reading; a missing value is a dash."""
    table = Table(*map(str, frame.columns))
    for row in frame.itertuples(index=False):
        table.add_row(*(_cell(value, digits) for value in row))
    said.print(table)


def _cell(value: Any, digits: int) -> Text:
    if pd.isna(value):
        return Text("–")
    return Text(f"{value:.{digits}f}" if isinstance(value, float) else str(value))


def main() -> None:
    """Entry point of `sheep`: wrong input ends with its message and exit code 1."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal that lacks a character shows its number
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        app()
    except InputError as error:
        print(error, file=sys.stderr)
        raise SystemExit(1) from None

"""The command `sheep` itself, and how its verbs show what they found."""

from __future__ import annotations

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

app = typer.Typer(
    help="Recompute two papers on hallucinations of vision-language models.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
said = Console()

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Directory = Annotated[Path | None, typer.Option(help="Directory or archive of the data.")]
Engine = Annotated[
    str | None, typer.Option(help="serial, processes or dask; default serial, or dask with --cluster.")
]
Workers = Annotated[int, typer.Option(min=1, help="Worker processes to start on this machine.")]
Cluster = Annotated[str | None, typer.Option(help="Scheduler of a dask cluster, tcp://host:port.")]
Device = Annotated[str, typer.Option(help="cpu, cuda, cuda:1; auto takes the GPU if there is one.")]
Precision = Annotated[str, typer.Option(help="float32, bfloat16 or float16; auto suits the device.")]
Weights = Annotated[
    Path | None, typer.Option(help="Directory of the model's files; default the hub's cache on this machine.")
]
Revision = Annotated[str | None, typer.Option(help="Commit of the hub, which pins the weights.")]
RemoteCode = Annotated[
    bool, typer.Option("--trust-remote-code", help="Run code that comes with the weights, with your rights.")
]
Online = Annotated[bool, typer.Option("--online", help="Fetch from the hub what is not on this machine.")]
BatchSize = Annotated[int, typer.Option(min=1, help="Texts that the model takes at once.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of everything random.")]


def listed(text: str) -> list[str]:
    """What stands between commas, each once."""
    return list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def loading(
    weights: Path | None, revision: str | None, device: str, dtype: str, trusted: bool, online: bool
) -> tuple[tuple[str, Any], ...]:
    """How to load a model: those options that differ from the defaults."""
    options: dict[str, Any] = {} if weights is None else {"directory": str(weights)}
    options |= {} if revision is None else {"revision": revision}
    options |= {name: value for name, value in {"device": device, "dtype": dtype}.items() if value != "auto"}
    flags = {"trust_remote_code": trusted, "online": online}
    return tuple((options | {name: True for name, value in flags.items() if value}).items())


def executor(engine: str | None, workers: int, cluster: str | None) -> Any:
    """The executor that the options ask for; an address alone means dask."""
    from sheeplib import engine as engines

    return engines.executor(engine or ("dask" if cluster else "serial"), workers, cluster)


def say(line: str) -> None:
    """A line of progress, apart from what a program would read."""
    print(line, file=sys.stderr, flush=True)


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
    table = Table()
    for name in frame.columns:  # what does not fit goes on in the next line: nothing is cut
        table.add_column(str(name), overflow="fold")
    for row in frame.itertuples(index=False):
        table.add_row(*(_cell(value, digits) for value in row))
    said.print(table)


def _cell(value: Any, digits: int) -> Text:
    if pd.isna(value):
        return Text("–")
    return Text(f"{value:.{digits}f}" if isinstance(value, float) else str(value))

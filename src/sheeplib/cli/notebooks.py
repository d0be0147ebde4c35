"""The verb that runs notebooks."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import pandas as pd
import typer

from sheeplib.cli.terminal import AsJson, Directory, app, show_frame, show_json


@app.command()
def run(
    names: Annotated[list[str] | None, typer.Argument(help="Notebooks; default all of the profile.")] = None,
    profile: Annotated[str, typer.Option(help="meadow, sheep, mushroom or coco.")] = "meadow",
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
    for name, why in ({} if paths else bound.left_out).items():
        print(f"{name}: left out. {why}", file=sys.stderr)
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

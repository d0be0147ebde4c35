"""Verbs on the meadow: train its miniature models, gather what they write, and look at its scenes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sheeplib.cli.terminal import (
    AsJson,
    Seed,
    Workers,
    app,
    given,
    listed,
    records,
    say,
    show_frame,
    show_json,
)
from sheeplib.errors import InputError, Problem

verbs = typer.Typer(
    help="The drawn world and its models: train, harvest, features, install, abilities, verify, scene."
)
app.add_typer(verbs, name="meadow", no_args_is_help=True)

HOME = Path("_build/meadow")
Home = Annotated[Path, typer.Option(help="Where pictures, checkpoints and texts are made.")]
Made = Annotated[
    Path | None, typer.Option("--directory", help="Where they were made; default those of the package.")
]
Only = Annotated[str, typer.Option(help="Names of models, with commas; default all.")]


@verbs.command()
def train(
    directory: Home = HOME,
    workers: Workers = 2,
    only: Only = "",
) -> None:
    """Train the miniature models, on the CPU alone; a second run goes on where one stopped."""
    from sheeplib.miniatures.training import train as trained

    for name in trained(directory, workers=workers, only=tuple(listed(only)), say=say):
        print(directory / "models" / name)


@verbs.command()
def harvest(directory: Home = HOME, workers: Workers = 2) -> None:
    """Let the trained models answer, caption and judge; a second run goes on where one stopped."""
    from sheeplib.miniatures.harvest import harvest as harvested

    for path in harvested(directory / "models", directory / "data", workers=workers, say=say):
        print(path)


@verbs.command()
def features(
    directory: Home = HOME,
    workers: Workers = 2,
    only: Annotated[str, typer.Option(help="Names of caches, with commas; default all.")] = "",
) -> None:
    """Let the models read the texts, and keep the features that chapters need; what is there stays."""
    from sheeplib.miniatures.extraction import make_all

    for path in make_all(
        directory / "models", directory / "data", directory / "features",
        names=listed(only), workers=workers, say=say,
    ):  # fmt: skip
        print(path)


@verbs.command()
def install(directory: Home = HOME) -> None:
    """Put all that was made into the package, once everything is there and whole."""
    from sheeplib.miniatures.installation import install as installed

    for path in installed(directory):
        print(path)


@verbs.command()
def abilities(
    directory: Made = None,
    only: Only = "",
    questions: Annotated[
        int | None, typer.Option(min=1, help="Questions of each type in each language.")
    ] = None,
    captions: Annotated[
        int | None, typer.Option(min=2, help="Scenes that each generator captions twice.")
    ] = None,
    verdicts: Annotated[
        int | None, typer.Option(min=1, help="Answers of each letter in each language to be judged.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Losses of training, and what the models can do, measured anew on scenes they have not seen.

    With --directory and all models, the table is kept there, for `install`. Numbers that are not given are
    those of the table that ships.
    """
    from sheeplib.miniatures import abilities as census
    from sheeplib.miniatures import ability_tables
    from sheeplib.miniatures.census import abilities_table

    place, chosen = None if directory is None else directory / "models", tuple(listed(only))
    losses = census.losses(place, chosen)
    sizes = given(questions=questions, captions=captions, verdicts=verdicts)
    found = census.measure(place, chosen, **sizes, say=say)
    if directory is not None and not chosen:
        ability_tables.write_abilities(directory / ability_tables.FILE, found, census.revisions(place))
        say(f"kept in {directory / ability_tables.FILE}")
    if as_json:
        show_json({name: records(frame) for name, frame in {"losses": losses, **found}.items()})
        return
    show_frame(losses)
    for name, frame in found.items():
        if name == "letters":
            show_frame(frame.pivot(index=["model", "type"], columns="quantity", values="value").reset_index())
        else:
            show_frame(abilities_table(frame).reset_index())


@verbs.command()
def verify(
    directory: Made = None,
    count: Annotated[int, typer.Option("--sample", min=1, help="Answers and captions to make again.")] = 100,
    seed: Seed = 0,
) -> None:
    """Make some shipped texts and features again and compare; exit code 1 if one differs."""
    from sheeplib.miniatures.verification import verify as verified

    found = verified(
        count,
        seed,
        directory=None if directory is None else directory / "models",
        data=None if directory is None else directory / "data",
        features=None if directory is None else directory / "features",
        say=say,
    )
    counted = ", ".join(f"{number:,} {kind}" for kind, number in found.made.items())
    if found.problems:
        print(f"Made again: {counted}. Different from what is shipped: {len(found.problems):,}.")
        raise InputError(found.problems)
    print(f"Made again: {counted}. All are as they are shipped.")


@verbs.command()
def scene(
    seed: Annotated[int, typer.Argument(min=0, max=999_999, help="Number of the scene.")],
    png: Annotated[Path | None, typer.Option(help="File to draw it to.")] = None,
    size: Annotated[
        int, typer.Option(help="Width and height in pixels, 16 to 2048; models see 96, pages show 256.")
    ] = 256,
) -> None:
    """Draw a scene, and print as JSON what is in it."""
    from dataclasses import asdict

    from sheeplib import drafts
    from sheeplib.corpora import meadow

    name = f"meadow-{seed:06d}"
    image = meadow.image(name, size)
    if png is not None:
        try:
            with drafts.replacing(png) as draft:
                image.save(draft, format="PNG")
        except OSError as error:
            what = f"cannot be written: {error.strerror or type(error).__name__}"
            raise InputError(Problem(what, "Choose another place", path=png)) from None
    show_json({"image": name, **asdict(meadow.named_scene(name))})

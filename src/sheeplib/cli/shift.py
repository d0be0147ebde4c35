"""The verb that asks where a text comes from."""

from __future__ import annotations

from typing import Annotated

import typer

from sheeplib.cli.terminal import (
    AsJson,
    Directory,
    Seed,
    app,
    given,
    listed,
    records,
    show_frame,
    show_json,
)
from sheeplib.corpora import CORPORA, load

_ORDERS = "Shortest and longest n-grams of {}, such as {}; none leaves them out."


@app.command()
def shift(
    corpus: Annotated[str, typer.Option(help=f"One of: {', '.join(CORPORA)}.")] = "meadow",
    directory: Directory = None,
    task: Annotated[str, typer.Option(help="3-way, 6-way or source.")] = "3-way",
    by: Annotated[str, typer.Option(help="Columns of items that make groups, with commas.")] = "language",
    grouped: Annotated[
        bool | None,
        typer.Option(
            "--grouped/--ungrouped",
            help="Keep texts on one image on one side, or not; default both, and their difference.",
        ),
    ] = None,
    characters: Annotated[str, typer.Option(help=_ORDERS.format("characters", "1-3"))] = "1-3",
    words: Annotated[str, typer.Option(help=_ORDERS.format("words", "1-2"))] = "1-2",
    c: Annotated[float, typer.Option("--C", help="Inverse strength of the penalty.")] = 1.0,
    strategies: Annotated[str, typer.Option(help="Strategies whose items enter, with commas.")] = "",
    shuffled: Annotated[bool, typer.Option("--shuffled", help="Deal out the origins at random.")] = False,
    telling: Annotated[int, typer.Option(min=0, help="Show so many telling n-grams an origin.")] = 0,
    resamples: Annotated[int, typer.Option(min=1, help="Bootstrap resamples.")] = 2000,
    seed: Seed = 2026,
    as_json: AsJson = False,
) -> None:
    """Tell the origin of texts by their n-grams, cross-validated, with bootstrap intervals."""
    from sheeplib import shift as chapter

    variants = {None: ("grouped", "ungrouped"), True: ("grouped",), False: ("ungrouped",)}[grouped]
    method = chapter.Method(
        characters=_orders(characters, "--characters"), words=_orders(words, "--words"), C=c,
        strategies=tuple(listed(strategies)) or None,
    )  # fmt: skip
    columns, data = listed(by), load(corpus, **given(directory=directory))
    found = chapter.shift(
        data, task, columns, variants=variants, method=method, shuffled=shuffled, resamples=resamples,
        seed=seed,
    )  # fmt: skip
    possible = telling and not chapter.unavailable(data, task)
    ngrams = chapter.telling(data, task, columns, top=telling, method=method) if possible else None
    if as_json:
        parts = {"results": found.results, "confusion": found.confusion}
        parts |= {} if ngrams is None else {"telling": ngrams}
        show_json({name: records(frame) for name, frame in parts.items()})
        return
    show_frame(
        found.results[["quantity", "origin", *columns, "folds", "value", "low", "high", "n", "reason"]]
    )
    if ngrams is not None:
        show_frame(ngrams.assign(ngram=ngrams["ngram"].map(repr)).drop(columns="task"))


def _orders(text: str, option: str) -> tuple[int, int] | None:
    """`1-3` as (1, 3), `2` as (2, 2), `none` as None."""
    if text == "none":
        return None
    first, *rest = text.split("-")
    if len(rest) > 1 or not all(part.isdecimal() for part in (first, *rest)):
        raise typer.BadParameter("use a form such as 1-3, or none", param_hint=option)
    return int(first), int(rest[0] if rest else first)

"""The verb on mentions: which objects captions name, and whether they claim them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from sheeplib.cli.terminal import AsJson, app, records, say, show_frame, show_json
from sheeplib.errors import InputError, Problem

KEYS = ("image_id", "start", "end", "surface", "concept", "status", "subtype", "present")


@app.command()
def mentions(
    captions: Annotated[Path, typer.Argument(help="Captions: JSON Lines with image_id and caption.")],
    objects: Annotated[
        Path, typer.Option(help='What images show: {"categories": [...], "objects": {image_id: [...]}}.')
    ],
    synonyms: Annotated[
        Path, typer.Option(help="Synonym list, a JSON file; or coco or meadow for ours.")
    ] = Path("coco"),
    gold: Annotated[
        Path | None, typer.Option(help="Marks of a person, JSON Lines: how well do the rules do?")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Objects that captions name: concrete, hallucinated, non-assertive or none at all.

    With --json a list of mentions; with --gold as well an object with `mentions` and `scores`.
    """
    from sheeplib.corpora.coco import read_captions, read_objects
    from sheeplib.mentions import bench, chair_scores
    from sheeplib.mentions.synonyms import read_synonyms

    items, shown, words = read_captions(captions), read_objects(objects), read_synonyms(synonyms)
    _check_images(items, shown.shown, captions)
    for note in chair_scores.notes(items, shown, words):
        say(f"Note: {note}.")
    found = bench.build(items, shown, words)
    found["image_id"] = found["item"].map(_ids(captions, items))
    rows = records(found[list(KEYS)])
    scored = None if gold is None else _scores(found, items, gold, captions, words.concepts)
    if as_json:
        show_json(rows if scored is None else {"mentions": rows, "scores": records(scored)})
        return
    show_frame(
        found.groupby(["status", "subtype"], dropna=False, sort=False).size().reset_index(name="mentions")
    )
    if scored is not None:
        show_frame(scored)


def _check_images(items: pd.DataFrame, shown: Any, path: Path) -> None:
    what, remedy = "nothing is known of this image", "Add its objects, or leave the caption out"
    problems = [
        Problem(what, remedy, path, int(line), "image_id", image)
        for image, line in zip(items["image"], items["line"], strict=True)
        if image not in shown
    ]
    if problems:
        raise InputError(problems)


def _ids(path: Path, items: pd.DataFrame) -> dict[str, Any]:
    """By item: the id of its image as the file has it, a number or a text."""
    from sheeplib.jsonl import read_jsonl

    given = {line: record["image_id"] for line, record in read_jsonl(path)}
    return {item: given[int(line)] for item, line in zip(items["item"], items["line"], strict=True)}


def _scores(
    found: pd.DataFrame, items: pd.DataFrame, gold: Path, captions: Path, concepts: Any
) -> pd.DataFrame:
    from sheeplib.mentions import gold as marks

    twice = items["image"].duplicated()
    if twice.any():
        line, image = int(items["line"][twice].iloc[0]), items["image"][twice].iloc[0]
        what, remedy = "a second caption of this image: marks go by image", "Leave one caption an image"
        raise InputError(Problem(what, remedy, captions, line, "image_id", image))
    lengths = dict(zip(items["image"], items["response"].str.len(), strict=True))
    read = marks.read_marks(gold, lengths)
    image = found["item"].map(dict(zip(items["item"], items["image"], strict=True)))
    reading = found["subtype"].fillna("asserted")
    table = found.assign(image=image, reading=reading)
    return marks.scores(marks.judged(table, read, tuple(concepts)))

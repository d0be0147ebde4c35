"""Verbs on what captions name: CHAIR, which takes every name for a claim, and THRONE, which has it read."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from sheeplib.cli.terminal import (
    AsJson,
    BatchSize,
    Device,
    Precision,
    Weights,
    app,
    loading,
    records,
    say,
    show_frame,
    show_json,
)
from sheeplib.errors import InputError, Problem

OBJECTS = 'What images show: {"categories": [...], "objects": {image_id: [...]}}, plain or gzip.'
SynonymFile = Annotated[Path, typer.Option(help="Synonym list, a JSON file; or coco or meadow for ours.")]
Judge = Annotated[str, typer.Option(help="Model that reads the captions, as in `sheep models`.")]


@app.command()
def chair(
    captions: Annotated[Path, typer.Argument(help="Captions: JSON Lines with image_id and caption.")],
    objects: Annotated[Path, typer.Option(help=OBJECTS)],
    synonyms: SynonymFile = Path("coco"),
    mode: Annotated[
        str, typer.Option(help="compat counts as the released metric, fixed without its quirks.")
    ] = "compat",
    explain: Annotated[bool, typer.Option("--explain", help="What each quirk changes, too.")] = False,
    as_json: AsJson = False,
) -> None:
    """CHAIR: the share of captions, and of mentions, that name objects which are not there."""
    from sheeplib.corpora.coco import read_captions, read_objects
    from sheeplib.mentions import chair_scores
    from sheeplib.mentions.chair import check_mode
    from sheeplib.mentions.quirks import quirk_table
    from sheeplib.mentions.synonyms import read_synonyms

    check_mode(mode)
    items, shown, words = read_captions(captions), read_objects(objects), read_synonyms(synonyms)
    scores = asdict(chair_scores.chair(items, shown, words, mode, captions))  # type: ignore[arg-type]
    for note in chair_scores.notes(items, shown, words):
        say(f"Note: {note}.")
    mended = quirk_table(items, shown, words) if explain else pd.DataFrame()
    if as_json:
        show_json(scores | ({"quirks": records(mended)} if explain else {}))
        return
    show_frame(pd.DataFrame([scores]))
    if explain:
        show_frame(mended.drop(columns="about"))
        for quirk in mended.itertuples():
            print(f"{quirk.quirk}: {quirk.about}")


@app.command()
def throne(
    captions: Annotated[
        Path, typer.Argument(help="Captions: JSON Lines with image_id and caption; or meadow.")
    ],
    objects: Annotated[Path | None, typer.Option(help=f"{OBJECTS} Not for meadow.")] = None,
    synonyms: SynonymFile = Path("coco"),
    judge: Judge = "smollm2",
    how: Annotated[
        str, typer.Option(help="compared (yes or no, whichever is likelier) or written (what it writes).")
    ] = "compared",
    vote: Annotated[str, typer.Option(help="majority or unanimous, of three votes.")] = "majority",
    limit: Annotated[int, typer.Option(min=1, help="Captions to ask about; of meadow, for each model.")] = 8,
    votes: Annotated[Path | None, typer.Option(help="File to write the votes to (.csv).")] = None,
    batch_size: BatchSize = 8,
    weights: Weights = None,
    device: Device = "auto",
    dtype: Precision = "auto",
    as_json: AsJson = False,
) -> None:
    """THRONE: what a language model takes for claimed by captions, against what images show."""
    from sheeplib.drafts import write_file
    from sheeplib.mentions import throne as asking
    from sheeplib.mentions.throne_scores import throne_scores

    asking.needed(1, vote)  # type: ignore[arg-type]
    items, shown, words = _to_ask(captions, objects, synonyms, limit)
    say(f"{judge} stands in for the judges of the paper, Flan-T5 and Llama-3.1-8B-Instruct.")
    texts = dict(zip(items["item"], items["response"], strict=True))
    read = _reader(judge, how, batch_size, loading(weights, None, device, dtype, False, False))
    said = asking.ask_votes(texts, asking.named(texts, words), read)
    scores = throne_scores(items, said, shown, vote)  # type: ignore[arg-type]
    if votes:
        write_file(votes, said.to_csv(index=False, lineterminator="\n").encode())
    if as_json:
        show_json({"judge": judge, "stand_in": True, "vote": vote} | scores)
    else:
        show_frame(pd.DataFrame([scores]))


def _reader(judge: str, how: str, batch_size: int, options: tuple[tuple[str, Any], ...]) -> Any:
    from sheeplib.models import claims
    from sheeplib.models.loading import load

    return claims.reader(load(judge, need={"chat"}, **dict(options)), how, batch_size=batch_size)


def _to_ask(captions: Path, objects: Path | None, synonyms: Path, limit: int) -> tuple[Any, Any, Any]:
    """Captions to ask about, what their images show, and the words to look for."""
    from sheeplib.corpora.coco import read_captions, read_objects
    from sheeplib.mentions.synonyms import read_synonyms
    from sheeplib.mentions.throne import choose_captions

    if str(captions) == "meadow" and not captions.exists():
        from sheeplib.mentions.bench import meadow_bench

        bench = meadow_bench()
        chosen = bench.items["item"].isin(choose_captions(bench.items, bench.mentions, limit))
        return bench.items[chosen], bench.objects, bench.synonyms
    if objects is None:
        raise InputError(Problem("nothing is known of the images", "Give --objects FILE", field="objects"))
    return read_captions(captions).head(limit), read_objects(objects), read_synonyms(synonyms)

"""Verbs on features: extract them, and look at, check and export what is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from sheeplib.cli.terminal import (
    AsJson,
    Cluster,
    Device,
    Directory,
    Engine,
    Online,
    Precision,
    RemoteCode,
    Revision,
    Weights,
    Workers,
    app,
    executor,
    given,
    listed,
    loading,
    say,
    show_frame,
    show_json,
)  # fmt: skip
from sheeplib.corpora import CORPORA
from sheeplib.errors import InputError, Problem

verbs = typer.Typer(help="What evaluator models make of answers: extract, info, verify, export.")
app.add_typer(verbs, name="features", no_args_is_help=True)

Store = Annotated[Path, typer.Argument(help="Directory of a store; `sheep features info` lists them.")]
Root = Annotated[
    Path | None, typer.Option(help="Where stores are kept; default SHEEP_FEATURES, else the cache.")
]


@verbs.command()
def extract(
    evaluator: Annotated[str, typer.Option(help="Model that reads the answers, as in `sheep models`.")],
    corpus: Annotated[str, typer.Option(help=f"Whose answers: {', '.join(CORPORA)}.")] = "",
    directory: Directory = None,
    items: Annotated[Path | None, typer.Option(help="Or a file of answers (table items, .jsonl).")] = None,
    images: Annotated[Path | None, typer.Option(help="Directory of the images.")] = None,
    mentions: Annotated[
        Path | None,
        typer.Option(help="Mentions in them, as `sheep mentions` prints: keep wide features of these alone."),
    ] = None,
    needs: Annotated[
        str, typer.Option(help="Methods or needs, with commas; see the book's chapter on features.")
    ] = "hallushift",
    root: Root = None,
    batch_tokens: Annotated[int, typer.Option(min=1, help="Tokens of a batch, for models of text.")] = 1024,
    batch_size: Annotated[
        int | None, typer.Option(min=1, help="Answers of a batch; default 1 with images.")
    ] = None,
    shard_size: Annotated[int, typer.Option(min=1, help="Answers that are saved together.")] = 64,
    threads: Annotated[int, typer.Option(min=1, help="Threads of each process.")] = 1,
    engine: Engine = None,
    workers: Workers = 2,
    cluster: Cluster = None,
    weights: Weights = None,
    revision: Revision = None,
    device: Device = "auto",
    dtype: Precision = "auto",
    trust_remote_code: RemoteCode = False,
    online: Online = False,
    as_json: AsJson = False,
) -> None:
    """Let a model read answers and keep what detectors need; a second run goes on where one stopped."""
    from sheeplib.features.work import Work, run

    loaded = loading(weights, revision, device, dtype, trust_remote_code, online)
    kept = None if mentions is None else _kept(evaluator, loaded, items, mentions)
    work = Work(
        model=evaluator, needs=tuple(listed(needs)), corpus=corpus,
        options=tuple(given(directory=None if directory is None else str(directory)).items()),
        items=str(items or ""), images=str(images or ""), root=str(root or ""),
        batch_tokens=batch_tokens, batch_size=batch_size, shard_size=shard_size, threads=threads,
        loading=loaded, kept=kept,
    )  # fmt: skip
    with executor(engine or (None if cluster else _engine(evaluator, device)), workers, cluster) as workforce:
        store = run(work, workforce, say)
    _show(store.info(), as_json)


@verbs.command()
def info(
    store: Annotated[Path | None, typer.Argument(help="A store; without it, all are listed.")] = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """What is kept, and how it was made; also of a store that is not complete."""
    from sheeplib.features.store import FeatureStore
    from sheeplib.features.work import features_directory

    if store is not None:
        _show(FeatureStore(store, partial=True).info(), as_json)
        return
    found = [kept.info() for kept in FeatureStore.find(root or features_directory())]
    if as_json:
        show_json(found)
        return
    rows = [
        {
            "store": row["key"],
            "evaluator": f"{row['model']} ({row['dtype']})",
            "corpus": row["corpus"]["name"],
            "answers": row["items"],
            "shards": f"{row['done']} of {row['shards']}",
            "MB": f"{row['bytes'] / 1e6:.1f}",
        }
        for row in found
    ]
    if rows:
        show_frame(pd.DataFrame(rows))
    where = root or features_directory()
    print(f"Stores are directories in {where}" if rows else f"No features in {where}.")


@verbs.command()
def verify(store: Store) -> None:
    """Read every byte and name what is damaged, missing or foreign; exit code 1 if anything is."""
    from sheeplib.features.store import FeatureStore

    kept = FeatureStore(store, partial=True)
    problems = kept.verify()
    facts = kept.info() if not problems else {}
    if facts and facts["done"] < facts["shards"]:
        what = f"only {facts['done']} of {facts['shards']} shards are there"
        problems = [Problem(what, "Run the extraction again: it goes on where it stopped", path=store)]
    if problems:
        raise InputError(problems)
    print(f"All {facts['shards']} shards are as they were written.")


@verbs.command()
def export(
    store: Store,
    out: Annotated[Path, typer.Argument(help="File to write.")],
    kind: Annotated[str, typer.Option("--format", help="csv or parquet; default by the ending.")] = "",
    wide: Annotated[bool, typer.Option("--wide", help="Long vectors too, a column a number.")] = False,
) -> None:
    """Write one table with a row for each token."""
    from sheeplib.features.store import FeatureStore

    left = FeatureStore(store).export(out, kind or out.suffix.removeprefix(".") or "csv", wide)
    for name in left:
        say(f"Left out, since it is long (--wide takes it): {name}")
    print(out)


def _kept(evaluator: str, loaded: Any, items: Path | None, mentions: Path) -> Any:
    """The tokens of mentions, as a work takes them."""
    from sheeplib.features import answers
    from sheeplib.features.mentioned import kept_tokens
    from sheeplib.mention_study.files import read_mentions
    from sheeplib.models import runs

    if items is None:
        raise InputError(Problem("mentions of a corpus", "Give the captions as a file: --items"))
    texts = answers.read(items, sees=False).items
    found = kept_tokens(runs.loaded(evaluator, loaded), texts, read_mentions(mentions, texts))
    return tuple((item, tuple(tokens)) for item, tokens in found.items())


def _engine(evaluator: str, device: str) -> str:
    """Two processes where the model fits twice into memory and no GPU is asked for; else one."""
    from sheeplib.models.machine import machine
    from sheeplib.models.registry import entry, footprint

    about, here = entry(evaluator), machine()
    if about.origin == "random" or device.startswith("cuda") or (device == "auto" and here.gpu):
        return "serial"
    twice = 2 * footprint(about.parameters, "float32")
    return "processes" if here.memory and twice < here.memory / 2 else "serial"


def _show(facts: dict[str, Any], as_json: bool) -> None:
    if as_json:
        show_json(facts)
        return
    for name, value in facts.items():
        if isinstance(value, dict):
            value = ", ".join(f"{key} {part}" for key, part in value.items())
        elif isinstance(value, list):
            value = ", ".join(map(str, value))
        print(f"{name.replace('_', ' ')}: {value}")

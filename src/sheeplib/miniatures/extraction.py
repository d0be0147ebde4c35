"""How the features that come with the package are made: texts are chosen, read by a model and condensed."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pandas as pd

from sheeplib import engine
from sheeplib.corpora import meadow
from sheeplib.errors import InputError, Problem
from sheeplib.features import limits, needs, provenance
from sheeplib.features.answers import FIELDS, Answers
from sheeplib.features.extract import Features, extract
from sheeplib.features.mentioned import kept_tokens as tokens_of
from sheeplib.features.store import KIND, FeatureStore, encode_shard
from sheeplib.miniatures.annexes import KIND as ANNEX
from sheeplib.miniatures.annexes import annex_of, encode_annex
from sheeplib.miniatures.caches import (
    CACHES,
    Cache,
    choose_answers,
    choose_mentions,
    open_cache,
    shuffle_images,
)
from sheeplib.miniatures.condensation import SIDE, condensed, grains
from sheeplib.miniatures.designs import DESIGNS
from sheeplib.models import runs
from sheeplib.models.model import Model
from sheeplib.models.samples import Sample
from sheeplib.shards import Shards

BATCH = 32  # texts at once
EVERYWHERE = ("attention_masses@gen",)  # read at all tokens of a window
Kept = Mapping[str, Sequence[int]]


@dataclass(frozen=True, eq=False)
class Texts:
    """What a model is to read.

    Parameters
    ----------
    answers : Answers
    mentions : DataFrame or None
        Table `mentions` of what is kept; None where every token is.
    """

    answers: Answers
    mentions: pd.DataFrame | None

    @property
    def items(self) -> list[str]:
        """Names of the texts."""
        return list(self.answers.items["item"])


def make_all(
    models: Path,
    data: Path,
    features: Path,
    *,
    names: Sequence[str] = (),
    workers: int = 2,
    say: Callable[[str], None] = print,
) -> list[Path]:
    """Make the caches that are not there yet, or were made from other models, texts or code.

    Parameters
    ----------
    models : Path
        Directory of checkpoints by name.
    data : Path
        Directory of `answers.parquet` and `captions.parquet`.
    features : Path
        Directory to write to: a store for each cache, in a folder of its name.
    names : sequence of str
        Keys of `CACHES`; all if not given.
    workers : int
        Processes.
    say : callable
        Takes a line of progress.

    Returns
    -------
    list of Path
        The stores.

    Raises
    ------
    InputError
        If a cache is unknown, models or texts are not there, or something cannot be written.
    """
    if unknown := [name for name in names if name not in CACHES]:
        raise InputError(Problem("no such cache", f"Choose among {', '.join(CACHES)}", value=unknown[0]))
    chosen = [name for name in CACHES if not names or name in names]
    paths: dict[str, Path] = {}
    with engine.executor("processes" if workers > 1 else "serial", workers) as executor:
        work = partial(make, models=models, data=data, features=features)
        for place, path in engine.results(work, chosen, executor):
            paths[chosen[place]] = path
            size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
            say(f"{chosen[place]}: {size / 1e6:.2f} MB; {len(chosen) - len(paths)} caches left")
    return [paths[name] for name in chosen]


def make(name: str, models: Path, data: Path, features: Path) -> Path:
    """Make one cache, unless it is there; gives the directory of its store."""
    cache = CACHES[name]
    loading = loading_of(cache.evaluator, models)
    model = runs.loaded(cache.evaluator, loading)
    texts = read_texts(cache, data)
    kept = kept_tokens(model, texts)
    digest = texts.answers.digests([texts.items], kept or {})
    asked = needs.parse(cache.needs)
    header = {
        "kind": KIND,
        **provenance.of(cache.evaluator, loading),
        "needs": [str(need) for need in asked],
        "batch_tokens": None, "batch_size": BATCH, "threads": 1,
        "corpus": {"name": texts.answers.name, "fingerprint": digest[0]},
        "samples": digest,
        "packed": True,
        "rounding": grains(name for need in asked for name in need.columns or need.arrays),
        "map_side": SIDE,
        "reach": cache.reach if texts.mentions is not None else None,
    }  # fmt: skip
    # one shard of one part: names of texts stand in its table of items, where they take less room
    shards = Shards(features / name, header, [[name]])
    if not shards.complete:
        made = extracted(model, cache, texts.answers.samples(texts.items), kept)
        shards.write(0, encode_shard(made, packed=True))
    _only(shards)
    FeatureStore(shards.home)
    if cache.annex:
        make_annex(name, models, data, features)
    return shards.home


def make_annex(name: str, models: Path, data: Path, features: Path) -> Path:
    """Make the annex of a cache that is there, unless it is there too; gives the directory of its run."""
    cache = CACHES[name]
    loading = loading_of(cache.evaluator, models)
    model, texts = runs.loaded(cache.evaluator, loading), read_texts(cache, data)
    kept = kept_tokens(model, texts)
    asked = needs.parse(cache.annex)
    header = {
        "kind": ANNEX,
        **provenance.of(cache.evaluator, loading),
        "needs": [str(need) for need in asked],
        "batch_size": BATCH, "threads": 1,
        "samples": texts.answers.digests([texts.items], kept or {}),
        "packed": True,
        "rounding": grains(name for need in asked for name in need.arrays),
    }  # fmt: skip
    shards = Shards(annex_of(features / name), header, [[name]])
    if not shards.complete:
        samples = texts.answers.samples(texts.items)
        shards.write(0, encode_annex(extracted(model, cache, samples, kept, cache.annex).arrays))
    _only(shards)
    open_cache(name, features)
    return shards.home


def _only(shards: Shards) -> None:
    """Remove what was made from other models or texts."""
    for other in shards.directory.iterdir():
        if other.is_dir() and other != shards.home:
            shutil.rmtree(other)


def loading_of(evaluator: str, models: Path | None) -> runs.Options:
    """How an evaluator is loaded: the same numbers on all machines that have a CPU."""
    here = () if models is None else (("directory", str(Path(models).absolute() / evaluator)),)
    return (("device", "cpu"), ("dtype", "float32"), *here)


def read_texts(cache: Cache, data: Path | None) -> Texts:
    """The texts that a cache is about, and the mentions in them.

    Parameters
    ----------
    cache : Cache
    data : Path or None
        Directory of the models' texts; that of the package if None.

    Raises
    ------
    InputError
        If the texts are not there, or not what they should be.
    """
    picture = meadow.image if DESIGNS[cache.evaluator].tower else None
    if not cache.captioners:
        items = choose_answers(meadow.load(directory=data).items)
        items = shuffle_images(items) if cache.shuffled else items
        return Texts(Answers("meadow", items[list(FIELDS)], picture), None)
    told = meadow.captions(cache.captioners, data)
    mentions = choose_mentions(told.items, told.mentions)
    items = told.items[told.items["item"].isin(set(mentions["item"]))]
    return Texts(Answers("meadow captions", items[list(FIELDS)], picture), mentions)


def kept_tokens(model: Model, texts: Texts) -> Kept | None:
    """The tokens of the mentions, by item; None where every token is kept."""
    return None if texts.mentions is None else tokens_of(model, texts.answers.items, texts.mentions)


def extracted(
    model: Model,
    cache: Cache,
    samples: Sequence[Sample],
    kept: Kept | None,
    asked: Sequence[str] | None = None,
) -> Features:
    """What a cache holds of some texts.

    Parameters
    ----------
    model : Model
    cache : Cache
    samples : sequence of Sample
        Texts with their questions and pictures.
    kept : mapping of item to tokens, or None
        Those that matter; None if all do.
    asked : sequence of str, optional
        Needs; those of the cache, without its annex, if not given.

    Returns
    -------
    Features
    """
    asked = cache.needs if asked is None else asked
    with limits.threads(1):
        whole = extract(model, samples, asked, batch_size=BATCH, kept=kept)
    return condensed(whole, None if kept is None else cache.reach, EVERYWHERE)

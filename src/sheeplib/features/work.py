"""Extraction of features in shards, on one machine or many, that goes on where it was cut off."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from sheeplib import corpora, engine
from sheeplib.errors import InputError, Problem
from sheeplib.features import answers, limits, needs, provenance
from sheeplib.features.progress import Progress
from sheeplib.features.store import KIND, FeatureStore, encode_shard
from sheeplib.fetch import cache_directory
from sheeplib.models import runs
from sheeplib.models.registry import ARCHITECTURES, entry
from sheeplib.shards import Shards

Kept = tuple[tuple[str, tuple[int, ...]], ...]


@dataclass(frozen=True)
class Work:
    """All that determines a feature store; plain values, so that it can be sent to other processes.

    Parameters
    ----------
    model : str
        Evaluator: name in the registry.
    needs : tuple of str
        Needs or methods; see `sheeplib.features.needs`.
    corpus : str
        Name of a corpus whose answers are read; or empty.
    options : tuple of (str, value)
        What the corpus takes.
    items : str
        File of answers, in place of a corpus; see `sheeplib.features.answers.read`.
    images : str
        Directory of images; or empty.
    loading : tuple of (str, value)
        What `sheeplib.models.loading.load` takes beside the name.
    kept : tuple of (item, tuple of token indices), optional
        Tokens whose wide rows are wanted; by default all.
    batch_tokens, batch_size
        As for `sheeplib.features.extract.extract`.
    threads : int
        Threads of torch in each process. More of them help on a machine that does nothing else.
    shard_size : int
        Answers of a shard: what is lost at most when a process is killed.
    root : str
        Where stores live; by default `features_directory()`.
    """

    model: str
    needs: tuple[str, ...]
    corpus: str = ""
    options: runs.Options = ()
    items: str = ""
    images: str = ""
    loading: runs.Options = ()
    kept: Kept | None = None
    batch_tokens: int = 1024
    batch_size: int | None = None
    threads: int = 1
    shard_size: int = 64
    root: str = ""

    def shards(self, about: dict[str, Any] | None = None) -> Shards:
        """The shards of this work, whether there or not.

        Parameters
        ----------
        about : dict, optional
            What `provenance.of` says in the process that is to do the work; by default here.

        Raises
        ------
        InputError
            If the answers, their images, the model, the needs or the sizes cannot be used.
        """
        runs.check_sizes(
            batch_tokens=self.batch_tokens, batch_size=1 if self.batch_size is None else self.batch_size,
            threads=self.threads, shard_size=self.shard_size,
        )  # fmt: skip
        asked = _asked(self)
        given = _answers(self)
        parts = runs.blocks(list(given.items["item"]), self.shard_size)
        samples = given.digests(parts, _kept(self, parts))
        fingerprint = hashlib.sha256("".join(samples).encode()).hexdigest()[:16]
        header = {
            "kind": KIND,
            **(provenance.of(self.model, self.loading) if about is None else about),
            "needs": [str(need) for need in asked],
            "batch_tokens": self.batch_tokens,
            "batch_size": self.batch_size,
            "threads": self.threads,
            "corpus": {"name": given.name, "fingerprint": fingerprint},  # of what is read, not of labels
            "samples": samples,
        }
        if strange := set(dict(self.kept or ())) - set(given.items["item"]):
            what = "tokens of an item to keep, which is not among the answers"
            raise InputError(Problem(what, "Leave it out", field="kept", value=min(strange)))
        return Shards(Path(self.root) if self.root else features_directory(), header, parts)


def features_directory() -> Path:
    """`$SHEEP_FEATURES`, else `features` in the cache directory; it need not exist."""
    own = os.environ.get("SHEEP_FEATURES")
    return Path(own).expanduser() if own else cache_directory() / "features"


def extract_shard(work: Work, index: int, home: str | None = None) -> str:
    """Make one shard, in whatever process; the model is loaded once a process.

    Parameters
    ----------
    work : Work
    index : int
        Of the shard, from 0.
    home : str, optional
        Directory of the run, once it is prepared; by default it is made out anew, at the cost of a look
        at every answer and image.

    Returns
    -------
    str
        The shard's directory.

    Raises
    ------
    InputError
        If an image cannot be read, or if model, code or answers are others in this process than where the
        work was prepared.
    """
    from sheeplib.features.extract import extract

    if home is None:
        _read.cache_clear()  # files may have changed since another run in this session
    shards = work.shards() if home is None else Shards.open(home)
    if index not in shards.missing():  # somebody else was at it
        shards.read(index)
        return str(shards.path(index))
    _check_same(work, shards, index)
    kept = None if work.kept is None else dict(work.kept)
    with limits.threads(work.threads), limits.enough_memory():
        features = extract(
            runs.loaded(work.model, work.loading),
            _answers(work).samples(shards.parts[index]),
            shards.header["needs"],
            batch_tokens=work.batch_tokens,
            batch_size=work.batch_size,
            kept=kept,
        )
    return str(shards.write(index, encode_shard(features)))


def run(
    work: Work, executor: Executor | None = None, progress: Callable[[str], None] | None = None
) -> FeatureStore:
    """Extract what is not there yet.

    Parameters
    ----------
    work : Work
    executor : Executor, optional
        From `sheeplib.engine.executor`; by default all is done in this process, one by one.
    progress : callable, optional
        Takes one line a shard.

    Returns
    -------
    FeatureStore
        Complete.

    Raises
    ------
    InputError
        As `extract_shard` and `Work.shards`, or if a worker was killed. Shards that are finished are kept,
        then as after Ctrl-C: run it again to go on.
    """
    _read.cache_clear()  # files may have changed since another run in this session
    work, executor = _anchored(work), engine.Serial() if executor is None else executor
    given = _answers(work)  # what is wrong with the answers is known before any model is loaded
    given.digests([list(given.items["item"])], {})
    (_, about), *_ = engine.results(partial(provenance.of, work.model), [work.loading], executor)
    shards = work.shards(about)
    missing = shards.missing()
    if missing:
        given.check(item for index in missing for item in shards.parts[index])
        shards.prepare()
        engine.check_shared(shards.home, executor)
    total = sum(map(len, shards.parts))
    told = Progress(total, total - sum(len(shards.parts[index]) for index in missing))
    make = partial(extract_shard, work, home=str(shards.home))
    for place, _ in engine.results(make, missing, executor):
        line = told.add(len(shards.parts[missing[place]]))
        if progress is not None:
            progress(f"shard {missing[place] + 1} of {shards.count}: {line}")
    return FeatureStore(shards.home)


def _anchored(work: Work) -> Work:
    """The work with absolute paths, since other processes may start in other directories."""

    def anchored(path: str) -> str:
        return str(Path(path).expanduser().absolute()) if path else ""

    def with_directory(options: runs.Options) -> runs.Options:
        return tuple((name, anchored(str(v)) if name == "directory" and v else v) for name, v in options)

    return replace(
        work,
        items=anchored(work.items),
        images=anchored(work.images),
        root=anchored(work.root or str(features_directory())),
        options=with_directory(work.options),
        loading=with_directory(work.loading),
    )


def _asked(work: Work) -> tuple[needs.Need, ...]:
    """The needs, if this model can meet them."""
    asked = needs.parse(work.needs)
    if not asked:
        raise InputError(Problem("no needs", "Name a need, or a method such as 'hallushift'"))
    blind = [need for need in asked if need.about.sees and not _sees(work.model)]
    what, remedy = "need '{}' takes a model that sees; '{}' reads text alone", "Choose another model"
    if blind:
        raise InputError([Problem(what.format(need, work.model), remedy) for need in blind])
    return asked


def _sees(model: str) -> bool:
    return ARCHITECTURES[entry(model).architecture].sees


def _check_same(work: Work, shards: Shards, index: int) -> None:
    """Refuse to mix numbers of other models, machines, code or answers into a store."""
    runs.check_same(shards.header, provenance.of(work.model, work.loading))
    if not _is_current(work, shards, index):
        _read.cache_clear()  # a worker of a cluster may remember files of an earlier run
        if not _is_current(work, shards, index):
            what = f"answers or images of shard {index + 1} are others than when the work was prepared"
            raise InputError(Problem(what, runs.SAME))


def _is_current(work: Work, shards: Shards, index: int) -> bool:
    part, given = shards.parts[index], _answers(work)
    known = not set(part) - set(given.items["item"])
    return known and given.digests([part], _kept(work, [part])) == [shards.header["samples"][index]]


def _kept(work: Work, parts: Sequence[Sequence[str]]) -> dict[str, Any]:
    """The tokens kept of each item, as they enter digests: nothing where all are."""
    kept = dict(work.kept or ())
    if work.kept is None:
        return {}
    return {item: sorted({*map(int, kept.get(item, ()))}) for part in parts for item in part}


def _answers(work: Work) -> answers.Answers:
    """The answers of a work, read once a process unless their file changed."""
    return _read(work.model, work.corpus, work.options, work.items, work.images, runs.stamp(work.items))


@lru_cache(maxsize=1)
def _read(
    model: str, corpus: str, options: runs.Options, items: str, images: str, stamp: tuple[int, int]
) -> answers.Answers:
    if bool(items) == bool(corpus):
        raise InputError(Problem("read the answers of a corpus or of a file", "Give one of the two"))
    sees, directory = _sees(model), Path(images) if images else None
    if items:
        return answers.read(Path(items), directory, sees)
    return answers.from_corpus(corpora.load(corpus, **dict(options)), directory, sees)

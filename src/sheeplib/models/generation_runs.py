"""Answers to a table of questions, seed by seed, in shards that can be resumed."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import pandas as pd

from sheeplib import corpora, engine, tables
from sheeplib.errors import InputError, Problem
from sheeplib.models import questions as asked
from sheeplib.models import runs
from sheeplib.models.registry import ARCHITECTURES, entry
from sheeplib.models.system_prompts import system_prompts
from sheeplib.shards import Shards

KIND = "answers"  # what the header of a run says it holds
FILE = "answers.jsonl"
SEEDS = (0, 1, 2, 3, 4)


@dataclass(frozen=True)
class GenerationWork:
    """All that determines a run of answers; plain values, so that it can be sent to other processes.

    Parameters
    ----------
    directory : str
        Where runs live.
    model : str
        Name in the registry.
    questions : str
        File of questions; or empty, for those of a corpus.
    corpus : str
        Name of a corpus; or empty.
    options : tuple of (str, value)
        What the corpus takes.
    images : str
        Directory of images; or empty.
    languages : tuple of str
        Ask in these only; all if empty.
    seeds : tuple of int
    temperature, max_tokens, top_p, top_k, batch_size, system, image_first
        As for `sheeplib.models.generation.generate`.
    block : int
        Questions of a shard.
    loading : tuple of (str, value)
        What `sheeplib.models.loading.load` takes beside the name.
    """

    directory: str
    model: str
    questions: str = ""
    corpus: str = ""
    options: runs.Options = ()
    images: str = ""
    languages: tuple[str, ...] = ()
    seeds: tuple[int, ...] = SEEDS
    temperature: float = 0.7
    max_tokens: int = 512
    top_p: float = 1.0
    top_k: int = 0
    batch_size: int = 8
    system: str = "auto"
    image_first: bool = False
    block: int = 64
    loading: runs.Options = ()

    def shards(self, about: Mapping[str, Any] | None = None) -> Shards:
        """The shards of this run: seed by seed, block by block.

        Parameters
        ----------
        about : mapping, optional
            What `runs.about` says in the process that is to do the work; by default here.

        Raises
        ------
        InputError
            If questions, images, model, seeds or sizes cannot be used.
        """
        known = _questions(self)
        about = runs.about(self.model, self.loading) if about is None else about
        parts = [[f"{item}-{self.model}-seed{seed}" for item in items] for seed, items in _parts(self, known)]
        return Shards(Path(self.directory), {**self._settings, **about, **_asked(known)}, parts)

    @property
    def _settings(self) -> dict[str, Any]:
        system = system_prompts(entry(self.model).architecture, self.system)
        settings = ("temperature", "max_tokens", "top_p", "top_k", "batch_size", "image_first")
        return {
            "kind": KIND,
            "system": system if isinstance(system, str) else dict(system),
            **{name: getattr(self, name) for name in settings},
        }


def generate_shard(work: GenerationWork, index: int, home: str | None = None) -> dict[str, int]:
    """Make one shard, in whatever process.

    Parameters
    ----------
    work : GenerationWork
    index : int
        Of the shard, from 0.
    home : str, optional
        Directory of the run, once it is prepared; by default it is made out anew.

    Returns
    -------
    dict of str to int
        Number of `answers`, and of those `cut` at `max_tokens`.

    Raises
    ------
    InputError
        As `generate`; if the shard cannot be written; or if model, libraries or questions are not those of
        the run.
    """
    from sheeplib.models.generation import generate

    shards = work.shards() if home is None else Shards.open(home)
    known = _questions(work)
    runs.check_same(shards.header, {**runs.about(work.model, work.loading), **_asked(known)})
    seed, items = _parts(work, known)[index]
    model = runs.loaded(work.model, work.loading)
    answers = generate(
        model, known.samples(items), seed=seed,
        temperature=work.temperature, max_tokens=work.max_tokens, top_p=work.top_p, top_k=work.top_k,
        batch_size=work.batch_size, system=work.system, image_first=work.image_first,
    )  # fmt: skip
    rows = known.table.set_index("item").loc[items].reset_index().astype(object)
    rows = rows.where(rows.notna(), None).to_dict(orient="records")
    lines = [
        {
            "item": name, "asked": row["item"], "language": row["language"], "prompt": row["question"],
            "image": row["image"], "source": row["source"], "model": work.model, "seed": seed,
            "response": answer.text, "finish": answer.finish, "tokens": answer.tokens,
        }
        for name, row, answer in zip(shards.parts[index], rows, answers, strict=True)
    ]  # fmt: skip
    shards.write(index, {FILE: runs.rendered(lines)})
    return {"answers": len(lines), "cut": sum(line["finish"] == "length" for line in lines)}


def run(work: GenerationWork, executor: Executor, told: runs.Told = runs.silent) -> Shards:
    """Make all shards that are missing.

    Parameters
    ----------
    work : GenerationWork
    executor : Executor
        From `sheeplib.engine.executor`.
    told : callable
        Takes one line of progress a shard.

    Returns
    -------
    Shards
        Complete.

    Raises
    ------
    InputError
        As `generate_shard`. Finished shards are kept.
    """
    _read.cache_clear()  # images may have changed since
    known = _questions(work)
    if ARCHITECTURES[entry(work.model).architecture].sees:
        _check_images(known)
    for note in known.notes:
        told(f"{known.name}: {note}")
    shards = work.shards(runs.about_workers(work.model, work.loading, executor))
    if shards.missing():  # a run whose last question cannot be asked would be hours of work in vain
        list(engine.results(check_questions, [work], executor))
    return runs.completed(shards, partial(generate_shard, work), executor, told)


def check_questions(work: GenerationWork) -> None:
    """Make sure that the model can be asked all questions, and that their images can be decoded.

    Raises
    ------
    InputError
        Naming each question that cannot be asked.
    """
    from sheeplib.models.generation import check

    known, model = _questions(work), runs.loaded(work.model, work.loading)
    blocks = runs.blocks(list(known.table["item"]), work.block)
    check(model, (sample for items in blocks for sample in known.samples(items)))


def collect(shards: Shards, path: str | Path) -> Path:
    """Write all answers of a run as one table.

    Parameters
    ----------
    shards : Shards
    path : str or Path
        JSON Lines with the fields of table `items`, and `asked` (item of the question), `seed`, `finish` and
        `tokens`. What was there is replaced when all is written.

    Returns
    -------
    Path

    Raises
    ------
    InputError
        If a shard is missing or was altered, these are no answers, or the file cannot be written.
    """
    if shards.header.get("kind") != KIND:
        raise InputError(Problem("not a run of answers", "Give one of sheep generate", path=shards.home))
    corpus, about = shards.header["questions"]["name"], list(tables.SCHEMAS["items"].columns)
    rows = [{**dict.fromkeys(about), "corpus": corpus, **record} for record in runs.records(shards, FILE)]
    tables.validate("items", pd.DataFrame(rows), path)
    return runs.save(path, rows)


def _questions(work: GenerationWork) -> asked.Questions:
    """The questions of a run, read once a process unless the file changed."""
    if bool(work.questions) == bool(work.corpus):
        raise InputError(Problem("ask the questions of a file or of a corpus", "Give one of the two"))
    runs.check_sizes(batch_size=work.batch_size, block=work.block)
    if not work.seeds or len(set(work.seeds)) < len(work.seeds):
        raise InputError(Problem("seeds must differ", "Give each once", field="seeds", value=work.seeds))
    return _read(work, runs.stamp(work.questions))


@lru_cache(maxsize=1)
def _read(work: GenerationWork, stamp: tuple[int, int]) -> asked.Questions:
    images = work.images or None
    if work.questions:
        known = asked.read(work.questions, images)
    else:
        known = asked.from_corpus(corpora.load(work.corpus, **dict(work.options)), images)
    if not work.languages:
        return known
    table = known.table[known.table["language"].isin(work.languages)].reset_index(drop=True)
    if table.empty:
        raise InputError(Problem("no questions in these languages", field="languages", value=work.languages))
    return replace(known, table=table)


def _asked(known: asked.Questions) -> dict[str, Any]:
    return {"questions": {"name": known.name, "fingerprint": known.fingerprint}}


def _parts(work: GenerationWork, known: asked.Questions) -> list[tuple[int, list[str]]]:
    """Seed and questions of each shard."""
    items = list(known.table["item"])
    return [(seed, block) for seed in work.seeds for block in runs.blocks(items, work.block)]


def _check_images(known: asked.Questions) -> None:
    if known.picture is None:
        remedy = "Give the directory of its images"
        raise InputError(Problem(f"{known.name}: this model needs images", remedy, field="images"))
    if bare := list(known.table.loc[known.table["image"].isna(), "item"]):
        problems = [Problem(f"item {item} has no image", "Name one, or leave it out") for item in bare]
        raise InputError(problems)

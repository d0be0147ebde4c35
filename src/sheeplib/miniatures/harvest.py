"""The harvest: answers, captions and verdicts of the trained miniatures, as the corpus ships them.

Everything is drawn from seeds, and each answer with draws of its own, so that the same models give the
same files, byte for byte, on the same kind of machine; in which order and in how many processes does not
matter. What is finished is kept, and not made again.
"""

from __future__ import annotations

import hashlib
import io
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from sheeplib import drafts, engine
from sheeplib.corpora.meadow import pool
from sheeplib.corpora.meadow.captions import CAPTION_PROMPTS
from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.errors import InputError, Problem
from sheeplib.features.progress import spoken
from sheeplib.jsonl import read_jsonl
from sheeplib.manifests import canonical
from sheeplib.miniatures.asking import judge_letters, picture, sample, write_captions
from sheeplib.miniatures.harvest_plans import (
    Asked,
    HarvestPlan,
    draw_questions,
    draw_scenes,
    judged_question,
    written_items,
)
from sheeplib.miniatures.verdict_rows import judged_text
from sheeplib.models import runs
from sheeplib.models.generation import generate
from sheeplib.models.model import Model
from sheeplib.shards import Shards

Say = Callable[[str], None]
FILE = "rows.jsonl"
PART = 400  # captions of a shard, or letters for written items
LOOKED_AT = 50  # pictures by which one sees that drawing has changed
_ANSWERS = ["model", "language", "scene", "question", "source", "prompt", "seed", "response", "finish"]


def harvest(
    models: Path,
    data: Path,
    *,
    plan: HarvestPlan | None = None,
    workers: int = 2,
    say: Say = print,
    work: Path | None = None,
) -> tuple[Path, Path, Path]:
    """Let the miniatures answer, caption and judge, and write the files that the corpus ships.

    Parameters
    ----------
    models : Path
        Directory with a checkpoint for each model, named after it.
    data : Path
        Directory to write `answers.parquet`, `captions.parquet` and `letters.parquet` to; see
        `corpora.meadow.pool`.
    plan : HarvestPlan, optional
        The defaults if not given.
    workers : int
        Processes; with 1 everything is done in this one.
    say : callable
        Takes a line of progress.
    work : Path, optional
        Where finished parts are kept; by default the folder `harvest` beside `models`. A part is made
        again only if its model, the plan, what is asked or shown, or a library changed.

    Returns
    -------
    tuple of (Path, Path, Path)
        The three files. Answers have a column of letters for each judge, named after it, and the column
        `judge` with those of the last one; written items have the former alone.

    Raises
    ------
    InputError
        If a model is not there, a number is out of range, or something cannot be written.
    """
    plan, models, data = plan or HarvestPlan(), Path(models), Path(data)
    work = models.parent / "harvest" if work is None else Path(work)
    runs.loaded.cache_clear()  # checkpoints may have changed since
    said = _answer_jobs(plan, models, work), _caption_jobs(plan, models, work)
    judged = _verdict_jobs(plan, models, work, said[0])
    lettered = _letter_jobs(plan, models, work)
    kind = "processes" if workers > 1 else "serial"
    with engine.executor(kind, workers) as executor:
        for jobs in ([*said[0].values(), *said[1].values()], [*judged.values(), *lettered]):
            _done(jobs, executor, say)
    answers = pd.concat(
        [_answers(job, [judged[judge, name] for judge in plan.judges]) for name, job in said[0].items()]
    )
    captions = pd.DataFrame([row for job in said[1].values() for row in read_rows(job)])
    letters = pd.DataFrame({"item": [*written_items(plan.written)], **_letters(lettered)})
    keys = (["model", "language", "question", "seed"], ["model", "scene"], ["item"])
    paths = data / pool.ANSWERS, data / pool.CAPTIONS, data / pool.LETTERS
    for path, frame, key in zip(paths, (answers, captions, letters), keys, strict=True):
        _save(path, frame.sort_values(key, ignore_index=True))
        say(f"{path}: {len(frame):,} rows, {path.stat().st_size / 1e6:.2f} MB")
    return paths


@dataclass(frozen=True, eq=False)
class Job:
    """What one model has to do, in parts: a run of shards.

    Parameters
    ----------
    kind : str
        `answers`, `captions`, `verdicts` on answers, or `letters` for written items.
    model : str
    checkpoint : Path
    plan : HarvestPlan
    shards : Shards
    source : Job, optional
        The job whose answers are judged.
    """

    kind: str
    model: str
    checkpoint: Path
    plan: HarvestPlan
    shards: Shards
    source: Job | None = None

    @property
    def loading(self) -> runs.Options:
        """How its model is loaded: the same numbers on all machines that have a CPU."""
        return _loading(self.checkpoint)


def _loading(checkpoint: Path) -> runs.Options:
    return (("device", "cpu"), ("directory", str(checkpoint)), ("dtype", "float32"))


def _job(
    kind: str, model: str, models: Path, work: Path, plan: HarvestPlan, parts: Sequence[Sequence[str]],
    wanted: Mapping[str, Any], source: Job | None = None,
) -> Job:  # fmt: skip
    """A job; all that decides what it makes is in the header of its shards."""
    checkpoint = models / model
    facts = {"kind": kind, **wanted, "batch_size": plan.batch_size}
    header = {**facts, **runs.about(model, _loading(checkpoint))}
    return Job(kind, model, checkpoint, plan, Shards(work, header, parts), source)


def _answer_jobs(plan: HarvestPlan, models: Path, work: Path) -> dict[str, Job]:
    asked = draw_questions(plan.questions, plan.draw)
    parts = [
        [f"{language}/{one.number}/{seed}" for language in LANGUAGES for one in asked] for seed in plan.seeds
    ]
    # words and pictures are part of what is asked: where either has changed, there are other answers
    asks = [[one.scene, _pixels(one.scene), *map(one.prompt, LANGUAGES)] for one in asked]
    wanted = {"asked": _digest(asks), "temperature": plan.temperature, "max_tokens": plan.max_tokens}
    return {name: _job("answers", name, models, work, plan, parts, wanted) for name in plan.generators}


def _caption_jobs(plan: HarvestPlan, models: Path, work: Path) -> dict[str, Job]:
    scenes = [str(one) for one in draw_scenes(plan.captions, plan.questions, plan.draw)]
    asks = [CAPTION_PROMPTS["en"][0], *(_pixels(int(one)) for one in scenes[:LOOKED_AT])]
    wanted = {
        "asked": _digest(asks), "temperature": plan.caption_temperature,
        "max_tokens": plan.max_tokens, "seed": plan.seeds[0],
    }  # fmt: skip
    parts = runs.blocks(scenes, PART)
    return {name: _job("captions", name, models, work, plan, parts, wanted) for name in plan.generators}


def _verdict_jobs(
    plan: HarvestPlan, models: Path, work: Path, answers: Mapping[str, Job]
) -> dict[tuple[str, str], Job]:
    return {
        (judge, name): _job(
            "verdicts", judge, models, work, plan, said.shards.parts, {"answers": said.shards.key}, said
        )
        for judge in plan.judges
        for name, said in answers.items()
    }


def _letter_jobs(plan: HarvestPlan, models: Path, work: Path) -> list[Job]:
    written = written_items(plan.written)
    scenes = list(dict.fromkeys(version.sample.seed for version in written.values()))
    asks = [[*map(_pixels, scenes[:LOOKED_AT])], *map(judged_question, written.values())]
    parts, wanted = runs.blocks(list(written), PART), {"asked": _digest(asks)}
    return [_job("letters", judge, models, work, plan, parts, wanted) for judge in plan.judges]


def _digest(thing: Any) -> str:
    return hashlib.sha256(canonical(thing).encode()).hexdigest()[:16]


def _pixels(seed: int) -> str:
    return hashlib.sha256(picture(seed).tobytes()).hexdigest()


def _done(jobs: Sequence[Job], executor: Executor, say: Say) -> None:
    """Make the parts that are missing, and tell of each."""
    tasks = [(job, part) for job in jobs for part in job.shards.missing()]
    began = time.monotonic()
    for done, (place, count) in enumerate(engine.results(_make, tasks, executor), start=1):
        job, part = tasks[place]
        left = spoken((time.monotonic() - began) / done * (len(tasks) - done))
        about = f" on {job.source.model}" if job.source else ""
        say(f"{job.model}: {count} {job.kind}{about}, part {part + 1} of {job.shards.count}; {left} left")


def _make(task: tuple[Job, int]) -> int:
    """Make one part, in whatever process; gives the number of its rows."""
    job, part = task
    model = runs.loaded(job.model, job.loading)
    rows = list(_MAKERS[job.kind](job, part, model))
    job.shards.write(part, {FILE: runs.rendered(rows)})
    return len(rows)


def _answered(job: Job, part: int, model: Model) -> Iterator[dict[str, Any]]:
    items, plan = job.shards.parts[part], job.plan
    asks = [_asked(item, plan) for item in items]
    samples = [
        sample(f"{job.model}/{language}/{one.number}", one.scene, one.prompt(language), language)
        for one, language, _ in asks
    ]
    written = generate(
        model, samples, temperature=plan.temperature, max_tokens=plan.max_tokens, seed=asks[0][2],
        batch_size=plan.batch_size,
    )  # fmt: skip
    for item, said in zip(items, written, strict=True):
        yield {"item": item, "response": said.text, "finish": said.finish}


def _captioned(job: Job, part: int, model: Model) -> Iterator[dict[str, Any]]:
    scenes, plan = [int(item) for item in job.shards.parts[part]], job.plan
    written = write_captions(
        model, scenes, temperature=plan.caption_temperature, seed=plan.seeds[0], max_tokens=plan.max_tokens,
        batch_size=plan.batch_size,
    )  # fmt: skip
    for seed, said in zip(scenes, written, strict=True):
        yield {"model": job.model, "scene": seed, "response": said.text, "finish": said.finish}


def _judged(job: Job, part: int, model: Model) -> Iterator[dict[str, Any]]:
    assert job.source is not None
    items, samples = job.shards.parts[part], []
    for answer in read_rows(job.source, part):
        one, language, _ = _asked(answer["item"], job.plan)
        text = judged_text(one.prompt(language), answer["response"])
        samples.append(sample(answer["item"], one.scene, text, language))
    letters = judge_letters(model, samples, batch_size=job.plan.batch_size)
    for item, letter in zip(items, letters, strict=True):
        yield {"item": item, "letter": letter}


def _lettered(job: Job, part: int, model: Model) -> Iterator[dict[str, Any]]:
    items, written = job.shards.parts[part], written_items(job.plan.written)
    samples = [
        sample(item, one.sample.seed, judged_question(one), one.language.code)
        for item, one in ((item, written[item]) for item in items)
    ]
    letters = judge_letters(model, samples, batch_size=job.plan.batch_size)
    for item, letter in zip(items, letters, strict=True):
        yield {"item": item, "letter": letter}


_MAKERS: Mapping[str, Callable[[Job, int, Model], Iterator[dict[str, Any]]]] = {
    "answers": _answered, "captions": _captioned, "verdicts": _judged,
    "letters": _lettered,
}  # fmt: skip


def _asked(item: str, plan: HarvestPlan) -> tuple[Asked, str, int]:
    """Question, language and seed of an item such as `en/17/3`."""
    language, number, seed = item.split("/")
    return draw_questions(plan.questions, plan.draw)[int(number)], language, int(seed)


def read_rows(job: Job, *parts: int) -> Iterator[dict[str, Any]]:
    """What a job has made, in the order of its items; all parts unless some are given."""
    for part in parts or range(job.shards.count):
        yield from (row for _, row in read_jsonl(job.shards.read(part, FILE)[FILE]))


def _answers(said: Job, judged: Sequence[Job]) -> pd.DataFrame:
    """The answers of one model with a column of letters for each judge."""
    rows = []
    for row in read_rows(said):
        one, language, seed = _asked(row["item"], said.plan)
        rows.append((said.model, language, one.scene, one.number, one.question.source, one.prompt(language),
                     seed, row["response"], row["finish"]))  # fmt: skip
    letters = _letters(judged)
    chosen = letters[said.plan.judges[-1]]
    return pd.DataFrame(rows, columns=_ANSWERS).assign(**{pool.JUDGE: chosen, **letters})


def _letters(judged: Sequence[Job]) -> dict[str, list[str]]:
    return {job.model: [row["letter"] for row in read_rows(job)] for job in judged}


def _save(path: Path, frame: pd.DataFrame) -> None:
    """Write a table; its bytes depend on nothing but the rows and the library that writes."""
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    content = io.BytesIO()
    parquet.write_table(table, content, compression="zstd", compression_level=19)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        drafts.write_file(path, content.getvalue())
    except OSError as error:
        what = f"cannot be written: {error.strerror or type(error).__name__}"
        raise InputError(Problem(what, "Choose another place", path=path)) from None

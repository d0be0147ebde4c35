"""Whether the shipped models still give what is shipped: some of it is made again and compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from sheeplib import models
from sheeplib.corpora.meadow import pool
from sheeplib.errors import InputError, Problem
from sheeplib.miniatures.asking import judge_letters, sample, write_captions
from sheeplib.miniatures.caches import CACHES, open_cache
from sheeplib.miniatures.harvest_plans import HarvestPlan as Plan
from sheeplib.miniatures.harvest_plans import judged_question, written_items
from sheeplib.miniatures.rereading import Difference, reread
from sheeplib.miniatures.verdict_rows import judged_text
from sheeplib.models.generation import generate
from sheeplib.models.model import Model
from sheeplib.models.shipped import MAKE
from sheeplib.resample import generator

SAMPLE = 100  # rows of each kind
_REMEDY = (
    "Weights, data or code have changed, or this machine computes otherwise: where two words are almost "
    "equally likely, one word of a text can flip on another machine or in another batch, and what follows "
    f"with it. To make all again: {MAKE}"
)


@dataclass(frozen=True)
class Verified:
    """What came of making some of what is shipped again.

    Parameters
    ----------
    made : mapping of str to int
        How many `answers`, `captions` and `letters` of judges were made again, and for how many `texts`
        their features.
    problems : tuple of Problem
        Each one that differs from what is shipped.
    """

    made: Mapping[str, int]
    problems: tuple[Problem, ...]


def verify(
    count: int = SAMPLE,
    seed: int = 0,
    *,
    directory: Path | None = None,
    data: Path | None = None,
    features: Path | None = None,
    say: Callable[[str], None] = print,
) -> Verified:
    """Make some of the shipped answers, captions, letters and features again, and compare them.

    Parameters
    ----------
    count : int
        Answers and captions to make; each of these answers is judged again by each judge. A tenth as
        many texts, but one at least, are read again for each cache of features.
    seed : int
        Draws them.
    directory : Path, optional
        Directory of checkpoints by name; those of the package if not given.
    data : Path, optional
        Directory of `answers.parquet`, `captions.parquet` and `letters.parquet`; that of the package if
        not given.
    features : Path, optional
        Directory of caches of features by name; that of the package if not given.
    say : callable
        Takes a line of progress.

    Returns
    -------
    Verified

    Raises
    ------
    InputError
        If texts, weights or features are not there, or the number is below 1.
    """
    if count < 1:
        raise InputError(Problem("must be 1 or more", field="count", value=count))
    answers, captions, letters = pool.answers(data), pool.captions(data), pool.letters(data)
    if answers is None or captions is None or letters is None:
        raise InputError(
            Problem("no answers or captions in the package, or no letters", f"Make them: {MAKE}")
        )
    drawn = _drawn(answers, count, generator(seed, "verify", "answers"))
    told = _drawn(captions, count, generator(seed, "verify", "captions"))
    written = _drawn(letters, count, generator(seed, "verify", "letters"))
    stores = {name: open_cache(name, features) for name in CACHES}
    judges = [name for name in models.MODELS if name in answers]  # each has a column of letters
    made = {"answers": len(drawn), "captions": len(told), "letters": 0}
    found: list[Difference] = []
    for name in sorted({*drawn["model"], *told["model"]}):
        say(f"{name} answers and captions")
        model = _loaded(name, directory)
        found += _answers(model, drawn[drawn["model"] == name])
        found += _captions(model, told[told["model"] == name])
    for name in judges:
        say(f"{name} judges")
        judge = _loaded(name, directory)
        for rows in (_asked_about(drawn), _asked_about_written(written)):
            if name not in rows:
                found.append((f"letters of {name} for written items", "none", "some"))
                continue
            made["letters"] += len(rows)
            found += _letters(judge, rows)
    made["texts"] = 0
    for name, store in stores.items():
        say(f"{name} again")
        texts, differences = reread(name, store, max(1, count // 10), seed, directory, data)
        made["texts"] += texts
        found += differences
    return Verified(made, tuple(_problem(*difference) for difference in found))


def _drawn(frame: pd.DataFrame, count: int, rng: np.random.Generator) -> pd.DataFrame:
    rows = rng.choice(len(frame), size=min(count, len(frame)), replace=False)
    return frame.iloc[np.sort(rows)]


def _loaded(name: str, directory: Path | None) -> Model:
    here = None if directory is None else directory / name
    return models.load(name, directory=here, device="cpu", dtype="float32")


def _answers(model: Model, rows: pd.DataFrame) -> Iterator[Difference]:
    for seed, part in rows.groupby("seed"):
        samples = [
            sample(f"{row.model}/{row.language}/{row.question}", row.scene, row.prompt, row.language)
            for row in part.itertuples()
        ]
        written = generate(
            model, samples, temperature=Plan.temperature, max_tokens=Plan.max_tokens, seed=int(seed),
            batch_size=Plan.batch_size,
        )  # fmt: skip
        for row, said in zip(part.itertuples(), written, strict=True):
            about = f"answer {row.model}, {row.language}, question {row.question}, seed {seed}"
            yield from _compared(about, (row.response, row.finish), (said.text, said.finish))


def _captions(model: Model, rows: pd.DataFrame) -> Iterator[Difference]:
    written = write_captions(
        model, rows["scene"].tolist(), temperature=Plan.caption_temperature, seed=Plan.seeds[0],
        max_tokens=Plan.max_tokens, batch_size=Plan.batch_size,
    )  # fmt: skip
    for row, said in zip(rows.itertuples(), written, strict=True):
        about = f"caption {row.model}, scene {row.scene}"
        yield from _compared(about, (row.response, row.finish), (said.text, said.finish))


def _asked_about(answers: pd.DataFrame) -> pd.DataFrame:
    about = [
        f"{row.model}, {row.language}, question {row.question}, seed {row.seed}"
        for row in answers.itertuples()
    ]
    asks = [judged_text(row.prompt, row.response) for row in answers.itertuples()]
    return answers.assign(about=about, asked=asks)


def _asked_about_written(letters: pd.DataFrame) -> pd.DataFrame:
    written = written_items(Plan.written)
    if strange := [item for item in letters["item"] if item not in written]:
        what = "letters for an item that the corpus has not"
        raise InputError(Problem(what, f"Make them again: {MAKE}", field="item", value=strange[0]))
    versions = [written[item] for item in letters["item"]]
    return letters.assign(
        about=letters["item"],
        asked=[judged_question(version) for version in versions],
        scene=[version.sample.seed for version in versions],
        language=[version.language.code for version in versions],
    )


def _letters(judge: Model, rows: pd.DataFrame) -> Iterator[Difference]:
    samples = [sample(row.about, row.scene, row.asked, row.language) for row in rows.itertuples()]
    letters = judge_letters(judge, samples, batch_size=Plan.batch_size)
    for about, shipped, letter in zip(rows["about"], rows[judge.name], letters, strict=True):
        yield from _compared(f"letter of {judge.name} for {about}", (shipped,), (letter,))


def _compared(about: str, shipped: tuple[str, ...], made: tuple[str, ...]) -> Iterator[Difference]:
    for old, new in zip(shipped, made, strict=True):
        if pd.isna(old) or old != new:
            yield about, str(old), new
            return


def _problem(about: str, shipped: str, made: str) -> Problem:
    return Problem(f"{about}: shipped is {shipped!r}, made again is {made!r}", _REMEDY)

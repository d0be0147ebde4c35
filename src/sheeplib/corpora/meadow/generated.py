"""The part of the corpus that models wrote: which answers are chosen, and what annotators are given."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sheeplib import tables
from sheeplib.corpora.meadow import pool
from sheeplib.corpora.meadow.annotators import Answer
from sheeplib.corpora.meadow.captions import CAPTION_PROMPTS
from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.mentions import mentions
from sheeplib.corpora.meadow.reading import Reading, read
from sheeplib.corpora.meadow.scenes import Scene, scene
from sheeplib.corpora.meadow.verdicts import content_parts, faults, wrong_parts
from sheeplib.errors import InputError, Problem
from sheeplib.judge import select_map, select_random
from sheeplib.resample import generator

# Answers that the judge is shown for each that it is to choose (our choice). Of all that are kept, those with
# letters C and D alone are more than are wanted; in SHEEP, letters A and B are much more frequent than these.
SHOWN = 4

LACKS: Mapping[str, str] = {
    "model": "answers by models are not among these items, nor are the strategies 'random' and 'map' "
    "that choose among them"
}


@dataclass(frozen=True)
class Generated:
    """One chosen answer.

    Parameters
    ----------
    item : str
        Name of the item.
    strategy : str
        `random` or `map`.
    about : mapping
        Its row in the pool.
    """

    item: str
    strategy: str
    about: Mapping[str, Any]

    @property
    def scene(self) -> Scene:
        """The scene that was asked about."""
        return scene(int(self.about["scene"]))

    @cached_property
    def reading(self) -> Reading:
        """What the answer says, as far as the grammar can read it."""
        return read(self.about["response"], self.about["language"])

    def row(self, tested: frozenset[int]) -> dict[str, Any]:
        """The row of table `items`; scenes in `tested` are in the test split."""
        about = self.about
        return {
            "item": self.item,
            "corpus": "meadow",
            "split": split_of(about["scene"], tested),
            "language": about["language"],
            "prompt": about["prompt"],
            "image": f"meadow-{about['scene']:06d}",
            "response": about["response"],
            "strategy": self.strategy,
            "model": about["model"],
            "source": about["source"],
            "prelabel": about[pool.JUDGE],
            "origin_language": pd.NA,
            "parallel": pd.NA,
        }

    def answer(self) -> Answer:
        """What the annotators are given."""
        wrong, content = wrong_parts(self.reading, self.scene), content_parts(self.reading, self.scene)
        return Answer(self.item, self.about["language"], self.about["response"], wrong, content)

    def truth(self) -> Iterator[dict[str, Any]]:
        """Everything that is wrong in it."""
        first = next((n for n, said in enumerate(self.reading.statements) if said.claim), None)
        for fault in faults(self.reading, self.scene):
            part = fault.part
            yield {
                "item": self.item, "start": part.start, "end": part.end, "label": part.label,
                "field": fault.field, "wrong": self.reading.text[part.start : part.end], "right": pd.NA,
                "salience": part.salience, "in_answer": fault.statement == first,
            }  # fmt: skip


@dataclass(frozen=True)
class Captions:
    """Captions by models, and the objects that they name.

    Parameters
    ----------
    items, mentions : DataFrame
        Tables of these names.
    notes : tuple of str
        What could not be read.
    """

    items: pd.DataFrame
    mentions: pd.DataFrame
    notes: tuple[str, ...] = ()


def split_of(scene_number: int, tested: frozenset[int] = frozenset()) -> str:
    """The split of a scene: half of them train, the others and those in `tested` test."""
    return "test" if scene_number in tested or zlib.crc32(b"%d" % scene_number) & 1 else "train"


def choose(
    seed: int, per_cell: int, models: Sequence[str] | None, directory: str | Path | None
) -> tuple[list[Generated], tuple[str, ...]]:
    """Choose answers, first at random, then by the judge's letters among those that are left.

    Parameters
    ----------
    seed : int
    per_cell : int
        Answers at random for each language and model, evenly from both splits, and as many times the
        models by the judge's letters for each language, as in SHEEP.
    models, directory
        See `pool`.

    Returns
    -------
    list of Generated
        Empty where none are wanted, or none come with the package.
    tuple of str
        What had to be decided, and what could not be read.

    Raises
    ------
    InputError
        If the number is out of range, a model is unknown, there are too few answers, or the file of
        answers is not what it should be.
    """
    if not 0 <= per_cell <= 5000:
        remedy = "Choose 0 to 5000; 0 leaves out the answers of models"
        raise InputError(Problem("out of range", remedy, field="per_cell", value=per_cell))
    answers = pool.answers(directory) if per_cell else None
    if answers is None:
        return [], ()
    answers = pool.of_models(answers, models)
    if answers.empty:
        return [], ()
    halves = answers.assign(split=answers["scene"].map(split_of))  # so that no test cell is a small one
    drawn = select_random(halves, per_cell, generator(seed, "meadow", "random"), even="split")
    random = answers.loc[drawn.index]
    wanted = per_cell * answers["model"].nunique()
    rng = generator(seed, "meadow", "map")
    preselected = select_map(_shown(answers.drop(random.index), wanted, rng), wanted, rng, pool.JUDGE)
    languages = [code for code in LANGUAGES if (answers["language"] == code).any()]
    chosen = [*_named(random, "random"), *_named(preselected, "map")]
    return chosen, (*_shortages(preselected, wanted, languages), *_notes(chosen))


def _shown(answers: pd.DataFrame, wanted: int, rng: np.random.Generator) -> pd.DataFrame:
    """The answers of each language that the judge chooses among."""
    places = answers.groupby("language", sort=True).indices.values()
    drawn = [rng.choice(some, min(len(some), SHOWN * wanted), replace=False) for some in places]
    return answers.iloc[np.sort(np.concatenate(drawn))] if drawn else answers


def _named(rows: pd.DataFrame, strategy: str) -> Iterator[Generated]:
    for code in LANGUAGES:
        here = rows[rows["language"] == code].to_dict(orient="records")
        for number, about in enumerate(here, start=1):
            item = f"meadow-{code}-{strategy}-{number:04d}"
            yield Generated(item, strategy, {str(name): value for name, value in about.items()})


def _shortages(preselected: pd.DataFrame, wanted: int, languages: Sequence[str]) -> Iterator[str]:
    sizes = preselected["language"].value_counts()
    short = {code: int(sizes.get(code, 0)) for code in languages if sizes.get(code, 0) < wanted}
    if short:
        yield (
            f"strategy map has fewer than {wanted} items in "
            f"{', '.join(f'{code} ({found})' for code, found in short.items())}: the judge takes no more "
            "answers for wrong in one of the ways A to D"
        )


def _notes(chosen: Sequence[Generated]) -> Iterator[str]:
    for strategy in ("random", "map"):
        part = [one for one in chosen if one.strategy == strategy]
        if unread := [one for one in part if one.reading.unread]:
            lost = {one.item: sum(end - start for start, end in one.reading.unread) for one in unread}
            yield (
                f"strategy {strategy}: {len(unread)} of {len(part)} answers hold stretches that the grammar "
                f"cannot read, {_share(lost, part)} of the characters ({_by_model(lost, part)}); what they "
                "say counts as neither right nor wrong"
            )
        if cut := sum(one.about["finish"] == "length" for one in part):
            yield f"strategy {strategy}: {cut} of {len(part)} answers were cut at the models' limit of length"
    if silent := sum(pd.isna(one.about[pool.JUDGE]) for one in chosen):
        yield f"the judge gave {silent} of {len(chosen)} answers no letter; their prelabel is missing"


def _share(lost: Mapping[str, int], answers: Sequence[Generated]) -> str:
    whole = sum(len(one.about["response"]) for one in answers)
    return f"{sum(lost.get(one.item, 0) for one in answers) / max(whole, 1):.1%}"


def _by_model(lost: Mapping[str, int], answers: Sequence[Generated]) -> str:
    models = sorted({one.about["model"] for one in answers})
    return ", ".join(
        f"{model} {_share(lost, [one for one in answers if one.about['model'] == model])}" for model in models
    )


def letters(written: Sequence[str], chosen: Sequence[Generated], kept: pd.DataFrame | None) -> pd.DataFrame:
    """Letters of all judges, item by item; see `meadow.letters`.

    Parameters
    ----------
    written : sequence of str
        Names of the written items.
    chosen : sequence of Generated
    kept : DataFrame or None
        Letters for written items, as from `pool.letters`; None if there are none for these.
    """
    tables_of = [] if kept is None else [kept]
    if chosen:
        given = pd.DataFrame([one.about for one in chosen])
        names = pd.Series([one.item for one in chosen], name="item")
        tables_of.append(pd.concat([names, given[pool.judges(given)]], axis=1).astype(tables.TEXT))
    if not tables_of:
        what, remedy = "no letters of judges for any of these items", "Load the corpus as it is by default"
        raise InputError(Problem(what, remedy, field="seed"))
    table = pd.concat(tables_of, ignore_index=True).set_index("item")
    table = table.reindex([*written, *(one.item for one in chosen)])
    return table.rename_axis("item").reset_index().astype(tables.TEXT)


def captions(models: Sequence[str] | None, directory: str | Path | None) -> Captions:
    """The English captions of the models, and the objects that they name; see `meadow.captions`."""
    frame = pool.captions(directory)
    if frame is None:
        remedy = "Install a version that has them, or give directory=DIR"
        raise InputError(Problem("no captions by models come with the package", remedy))
    frame = pool.of_models(frame, models)
    scenes = frame["scene"].map("{:06d}".format).astype(tables.TEXT)
    blank = dict.fromkeys(("strategy", "source", "prelabel"), pd.NA)
    items = frame[["model", "response"]].assign(
        item="meadow-en-caption-" + frame["model"] + "-" + scenes,
        corpus="meadow",
        split=frame["scene"].map(split_of),
        language="en",
        prompt=CAPTION_PROMPTS["en"][0],
        image="meadow-" + scenes,
        **blank,
    )
    items = tables.validate("items", items)
    named = mentions(items[["item", "language", "image", "response"]])
    return Captions(items, named, tuple(_unread_captions(frame)))


def _unread_captions(frame: pd.DataFrame) -> Iterator[str]:
    lost = frame["response"].map(lambda text: sum(end - start for start, end in read(text, "en").unread))
    if unread := (lost > 0).sum():
        sizes = pd.DataFrame({"lost": lost, "all": frame["response"].str.len()}).groupby(frame["model"]).sum()
        shares = (sizes["lost"] / sizes["all"]).items()
        yield (
            f"{unread} of {len(frame)} captions hold stretches that the grammar cannot read "
            f"({', '.join(f'{model} {share:.1%}' for model, share in shares)} of the characters); "
            "no object is counted in them"
        )
    if cut := (frame["finish"] == "length").sum():
        yield f"{cut} of {len(frame)} captions were cut at the models' limit of length"

"""Meadow: a small drawn world, embedded, in four languages, whose truth is known exactly."""

from __future__ import annotations

import re
from functools import lru_cache, partial

import pandas as pd
from PIL import Image

from sheeplib import tables
from sheeplib.corpora import Corpus
from sheeplib.corpora.aggregate import aggregate_labels
from sheeplib.corpora.meadow.annotators import Answer, Part, annotate
from sheeplib.corpora.meadow.claims import FORMS
from sheeplib.corpora.meadow.drawing import UNIT, render
from sheeplib.corpora.meadow.grammar import Language
from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.noise import NoiseModel
from sheeplib.corpora.meadow.salience import likely_label, salience
from sheeplib.corpora.meadow.scenes import Scene, draw_scene, scene
from sheeplib.corpora.meadow.writers import Sample, Written, gold_fields, write, write_samples
from sheeplib.errors import InputError, Problem

__all__ = ["NoiseModel", "draw_scene", "image", "load", "named_scene", "scene", "truth"]

SEED, PER_LANGUAGE = 2026, 100
PAGE = 256  # pixels, the size of an image on a page
LICENCE = "MIT"
SIMULATED = (
    "Everything in this corpus is simulated: scenes are drawn by a program, and writers and annotators "
    "are programs too. Annotators err by one noise model that is the same for all answers."
)
LACKS = {
    "model": "answers by models are not part of this corpus, nor are the "
    "strategies 'random' and 'map' that choose among them"
}
_NAME = re.compile(r"meadow-(\d{6})")


def load(seed: int = SEED, per_language: int = PER_LANGUAGE, noise: NoiseModel | None = None) -> Corpus:
    """Make the corpus: human-like samples in four languages with one planted mistake each.

    Parameters
    ----------
    seed : int
        The same seed gives the same tables, byte for byte; the seeds of scenes are among them.
    per_language : int
        Samples written in each of the four languages; each is given in all four.
    noise : NoiseModel, optional
        How annotators err; the defaults if not given.

    Returns
    -------
    Corpus
        `4 * 4 * per_language` items, with two more columns: `origin_language`, and `parallel`,
        which the versions of a sample in the four languages share.

    Raises
    ------
    InputError
        If a number is out of range.

    Source
    ------
    SHEEP, section 4: 100 samples a language, given in the other three as well.
    """
    samples = _checked_samples(seed, per_language)
    rows, answers = [], []
    for language in LANGUAGES.values():
        for number, sample in enumerate(samples, start=1):
            written = write(sample, language)
            name = _item(language, number)
            rows.append(_row(name, number, sample, language, written))
            answers.append(_answer(name, sample, language, written))
    items = tables.validate("items", pd.DataFrame(rows))
    items = items.astype({"origin_language": "string", "parallel": "string"})
    ratings, spans = annotate(answers, seed, noise)
    labels = aggregate_labels(items, ratings, spans)
    return Corpus(
        "meadow", items, ratings, spans, labels, lacks=LACKS, licence=LICENCE, simulated=SIMULATED,
        picture=partial(image, size=PAGE),
    )  # fmt: skip


def truth(seed: int = SEED, per_language: int = PER_LANGUAGE) -> pd.DataFrame:
    """The planted mistakes, which annotators try to find.

    Parameters
    ----------
    seed, per_language : int
        As given to `load`.

    Returns
    -------
    DataFrame
        One row an item: `item, start, end, label` as in table `labels` (without `prob`), the
        `field` that is wrong (`premise` for things that are not there), the `wrong` text, the
        `right` text in its place (missing for inventions), the `salience` (0 to 1), and
        `in_answer`: whether the mistake is in what the question asked about.

    Raises
    ------
    InputError
        If a number is out of range.
    """
    rows = []
    samples = _checked_samples(seed, per_language)
    for language in LANGUAGES.values():
        for number, sample in enumerate(samples, start=1):
            written, plan = write(sample, language), sample.plan
            part = _gold(sample, written)
            rows.append({
                "item": _item(language, number), "start": part.start, "end": part.end, "label": part.label,
                "field": plan.mistake.field, "wrong": written.text[part.start : part.end],
                "right": _right(sample, language), "salience": part.salience, "in_answer": plan.wrong == 0,
            })  # fmt: skip
    text = dict.fromkeys(("item", "label", "field", "wrong", "right"), "string")
    return pd.DataFrame(rows).astype(text)


def image(name: str, size: int = UNIT) -> Image.Image:
    """Draw the image of an item again.

    Parameters
    ----------
    name : str
        Value of the column `image`, such as `meadow-000123`.
    size : int
        Width and height in pixels, 16 to 2,048.

    Returns
    -------
    PIL.Image.Image
        Mode RGB.

    Raises
    ------
    InputError
        If there is no such image, or the size is out of range.
    """
    return render(named_scene(name), size)


def named_scene(name: str) -> Scene:
    """The scene graph behind an image.

    Raises
    ------
    InputError
        If there is no such image.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise InputError(Problem("no such image in the meadow", "Names are like meadow-000123", value=name))
    return scene(int(match.group(1)))


def _checked_samples(seed: int, per_language: int) -> tuple[Sample, ...]:
    problems = []
    if not 0 <= seed < 2**63:
        problems.append(
            Problem("seed is out of range", "Choose 0 or a positive number", field="seed", value=seed)
        )
    if not 1 <= per_language <= 5000:
        problems.append(Problem("out of range", "Choose 1 to 5000", field="per_language", value=per_language))
    if problems:
        raise InputError(problems)
    return _samples(seed, per_language)


@lru_cache(maxsize=4)
def _samples(seed: int, per_language: int) -> tuple[Sample, ...]:
    return tuple(write_samples(seed, per_language))


def _item(language: Language, number: int) -> str:
    return f"meadow-{language.code}-human-{number:04d}"


def _row(name: str, number: int, sample: Sample, language: Language, written: Written) -> dict[str, object]:
    return {
        "item": name,
        "corpus": "meadow",
        "split": "test",
        "language": language.code,
        "prompt": sample.prompt(language),
        "image": f"meadow-{sample.seed:06d}",
        "response": written.text,
        "strategy": "human",
        "model": pd.NA,
        "source": sample.question.source,
        "prelabel": str(sample.plan.mistake.label),
        "origin_language": sample.origin,
        "parallel": f"human-{number:04d}",
    }


def _gold(sample: Sample, written: Written) -> Part:
    mistake = sample.plan.mistake
    start, end = written.hull(sample.plan.wrong, gold_fields(mistake))
    return Part(start, end, str(mistake.label), salience(mistake.claim, mistake.field, sample.scene))


def _right(sample: Sample, language: Language) -> object:
    """What should stand in place of the mistake, from the same sample with the truth put in."""
    mistake = sample.plan.mistake
    if mistake.truth is None:
        return pd.NA
    corrected = write(sample.corrected(), language)
    start, end = corrected.hull(sample.plan.wrong, gold_fields(mistake))
    return corrected.text[start:end]


def _answer(name: str, sample: Sample, language: Language, written: Written) -> Answer:
    gold = _gold(sample, written)
    claims, about = sample.plan.claims, sample.scene
    content = tuple(
        Part(start, end, likely_label(field), salience(claims[place], field, about))
        for place, field, start, end in written.parts
        if _may_be_doubted(claims[place].form, field, claims[place].count)
        and (end <= gold.start or gold.end <= start)
    )
    return Answer(name, language.code, written.text, (gold,), content)


def _may_be_doubted(form: str, field: str, count: int) -> bool:
    """Whether a true stretch can be marked by mistake: content words only, so no articles."""
    if field == "count" and count == 1 and form != "count":
        return False
    return field in FORMS[form] or field == "mood"

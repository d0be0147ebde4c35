"""The human-written part of the corpus: items with one planted mistake, each in four languages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import pandas as pd

from sheeplib.corpora.meadow.annotators import Answer, Part
from sheeplib.corpora.meadow.grammar import Language
from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.salience import likely_label, salience
from sheeplib.corpora.meadow.verdicts import may_be_doubted
from sheeplib.corpora.meadow.writers import Sample, Written, gold_fields, write, write_samples
from sheeplib.errors import InputError, Problem


@dataclass(frozen=True)
class Version:
    """A sample in one of the four languages.

    Parameters
    ----------
    number : int
        Of the sample, from 1.
    sample : Sample
    language : Language
    """

    number: int
    sample: Sample
    language: Language

    @property
    def item(self) -> str:
        """Name of the item."""
        return f"meadow-{self.language.code}-human-{self.number:04d}"

    @cached_property
    def written(self) -> Written:
        """The text, and which characters state what."""
        return write(self.sample, self.language)

    @cached_property
    def gold(self) -> Part:
        """The planted mistake."""
        sample, mistake = self.sample, self.sample.plan.mistake
        start, end = self.written.hull(sample.plan.wrong, gold_fields(mistake))
        return Part(start, end, str(mistake.label), salience(mistake.claim, mistake.field, sample.scene))

    def row(self) -> dict[str, Any]:
        """The row of table `items`, with the language of its writer and what its versions share."""
        return {
            "item": self.item,
            "corpus": "meadow",
            "split": "test",
            "language": self.language.code,
            "prompt": self.sample.prompt(self.language),
            "image": f"meadow-{self.sample.seed:06d}",
            "response": self.written.text,
            "strategy": "human",
            "model": pd.NA,
            "source": self.sample.question.source,
            "prelabel": str(self.sample.plan.mistake.label),
            "origin_language": self.sample.origin,
            "parallel": f"human-{self.number:04d}",
        }

    def answer(self) -> Answer:
        """What the annotators are given."""
        claims, scene, gold = self.sample.plan.claims, self.sample.scene, self.gold
        content = tuple(
            Part(start, end, likely_label(field), salience(claims[place], field, scene))
            for place, field, start, end in self.written.parts
            if may_be_doubted(claims[place], field) and (end <= gold.start or gold.end <= start)
        )
        return Answer(self.item, self.language.code, self.written.text, (gold,), content)

    def truth(self) -> dict[str, Any]:
        """The planted mistake in full."""
        plan, gold = self.sample.plan, self.gold
        return {
            "item": self.item, "start": gold.start, "end": gold.end, "label": gold.label,
            "field": plan.mistake.field, "wrong": self.written.text[gold.start : gold.end],
            "right": self._right(), "salience": gold.salience, "in_answer": plan.wrong == 0,
        }  # fmt: skip

    def _right(self) -> object:
        """What should stand in place of the mistake, from the same sample with the truth put in."""
        plan = self.sample.plan
        if plan.mistake.truth is None:
            return pd.NA
        corrected = write(self.sample.corrected(), self.language)
        start, end = corrected.hull(plan.wrong, gold_fields(plan.mistake))
        return corrected.text[start:end]


def versions(seed: int, per_language: int) -> tuple[Version, ...]:
    """All samples in all languages, language by language.

    Parameters
    ----------
    seed : int
    per_language : int
        Samples written in each language.

    Raises
    ------
    InputError
        If a number is out of range.
    """
    problems = []
    if not 0 <= seed < 2**63:
        what, remedy = "seed is out of range", "Choose 0 or a positive number"
        problems.append(Problem(what, remedy, field="seed", value=seed))
    if not 1 <= per_language <= 5000:
        problems.append(Problem("out of range", "Choose 1 to 5000", field="per_language", value=per_language))
    if problems:
        raise InputError(problems)
    return _versions(seed, per_language)


@lru_cache(maxsize=4)
def _versions(seed: int, per_language: int) -> tuple[Version, ...]:
    samples = write_samples(seed, per_language)
    return tuple(
        Version(number, sample, language)
        for language in LANGUAGES.values()
        for number, sample in enumerate(samples, start=1)
    )

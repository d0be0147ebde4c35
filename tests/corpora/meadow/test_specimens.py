"""Answers for judges: one mistake, or the same without it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from sheeplib.corpora.meadow.claims import Claim
from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.plans import NOTHING
from sheeplib.corpora.meadow.reading import read
from sheeplib.corpora.meadow.specimens import draw_specimen, mended
from sheeplib.corpora.meadow.verdicts import wrong_parts
from sheeplib.corpora.meadow.writers import Sample, write


def drawn(honest: float, count: int = 160) -> list[Sample]:
    """Specimens in all languages."""
    rng, languages = np.random.default_rng(3), tuple(LANGUAGES.values())
    made = (draw_specimen(rng, number, languages[number % 4], honest) for number in range(count))
    return [sample for sample in made if sample is not None]


@pytest.mark.parametrize("honest", [0.0, 1.0])
def test_the_scene_contradicts_what_the_label_says_and_nothing_else(honest: float) -> None:
    for sample in drawn(honest):
        language = LANGUAGES[sample.origin]
        found = {
            part.label for part in wrong_parts(read(write(sample, language).text, language), sample.scene)
        }
        assert found == {str(sample.plan.mistake.label)} - {"F"}
        assert (sample.plan.mistake == NOTHING) == bool(honest)


def test_all_kinds_of_mistakes_come_in_all_kinds_of_answers() -> None:
    samples = drawn(0.0, 400)
    labels = Counter(str(sample.plan.mistake.label) for sample in samples)
    assert set(labels) == set("ABCD") and min(labels.values()) > 20
    wrong_yes = [s for s in samples if s.question.type == "presence" and s.plan.wrong == 0]
    assert {s.plan.polarity for s in wrong_yes} == {"yes", "no"}


def test_a_mended_answer_keeps_its_manner() -> None:
    """Layout, question and dialect tell nothing: an honest answer is a wrong one, mended."""
    for sample in drawn(0.0):
        made = mended(sample)
        assert (made.question, made.style.layout, made.style.bold) == (
            sample.question, sample.style.layout, sample.style.bold
        )  # fmt: skip
        assert set(made.variants) <= set(sample.variants)
        assert len(made.plan.claims) + 1 == len(made.variants)
        assert len(sample.plan.claims) - len(made.plan.claims) in (0, 1)


def test_a_false_premise_is_mended_by_saying_so() -> None:
    asked = [s for s in drawn(0.0, 400) if not s.question.premise and s.plan.wrong == 0]
    assert asked
    for sample in asked:
        assert mended(sample).plan.claims[0] == Claim("absent", sample.question.kind)


def test_the_same_seed_gives_the_same_specimen() -> None:
    one, two = (drawn(0.5, 40) for _ in "ab")
    assert one == two and replace(one[0], seed=one[0].seed) == two[0]

"""What the harvest asks of whom: numbers, questions, and scenes to caption."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from sheeplib.corpora import meadow
from sheeplib.corpora.meadow import human
from sheeplib.corpora.meadow.human import Version
from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.questions import SOURCES, Question, draw_question
from sheeplib.corpora.meadow.scenes import scene
from sheeplib.corpora.meadow.writers import SCENES, write_samples
from sheeplib.errors import InputError, Problem
from sheeplib.miniatures.designs import DESIGNS
from sheeplib.miniatures.verdict_rows import judged_text
from sheeplib.resample import generator

USUAL = 0.8  # share of scenes without anything unusual that are left out for questions about it


def _named(role: str) -> tuple[str, ...]:
    return tuple(design.name for design in DESIGNS.values() if design.role == role)


@dataclass(frozen=True)
class HarvestPlan:
    """What is asked of whom.

    Parameters
    ----------
    questions : int
        Different questions; each is asked in all four languages.
    seeds : tuple of int
        One answer to each question for each of them, and one caption for the first of them.
    temperature : float
        Of answers.
    captions : int
        Scenes that each generator captions.
    written : int
        Written items of each language that judges give letters to, the first of the corpus as it is
        loaded by default; all of them by default.
    caption_temperature : float
        Of captions.
    max_tokens, batch_size : int
        As for `sheeplib.models.generation.generate`.
    draw : int
        Seed by which questions and scenes are drawn.
    generators, judges : tuple of str
        Names of models; the last judge is the one that pre-selects.

    Source
    ------
    SHEEP, section 4: temperature 0.7 and five seeds.
    """

    questions: int = 120
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    temperature: float = 0.7
    captions: int = 2000
    written: int = len(LANGUAGES) * meadow.PER_LANGUAGE
    caption_temperature: float = 0.7
    max_tokens: int = 160
    batch_size: int = 64
    draw: int = 2026
    generators: tuple[str, ...] = field(default_factory=lambda: _named("generator"))
    judges: tuple[str, ...] = field(default_factory=lambda: _named("judge"))

    def __post_init__(self) -> None:
        problems = [
            Problem("must be 1 or more", field=name, value=getattr(self, name))
            for name in ("questions", "captions", "written", "max_tokens", "batch_size")
            if getattr(self, name) < 1
        ]
        for name in ("seeds", "generators", "judges"):
            given = getattr(self, name)
            if not given or len(set(given)) < len(given):
                problems.append(Problem("empty, or one is given twice", "Give each once", field=name))
        if problems:
            raise InputError(problems)


@dataclass(frozen=True)
class Asked:
    """A question about a scene, apart from its language.

    Parameters
    ----------
    number : int
        From 0.
    scene : int
        Seed of the scene, below 1,000,000; models learned from scenes with higher seeds alone.
    question : Question
    variant : int
        Chooses among the ways to ask.
    """

    number: int
    scene: int
    question: Question
    variant: int

    def prompt(self, language: str) -> str:
        """The question in a language, by its code."""
        return self.question.text(LANGUAGES[language], self.variant)


@lru_cache(maxsize=4)
def draw_questions(count: int, draw: int) -> tuple[Asked, ...]:
    """Draw questions in both styles in turn.

    Questions about unusual things take scenes that show some, mostly, as those of the writers do.

    Parameters
    ----------
    count, draw : int
        Number of questions, and the seed that draws them.

    Returns
    -------
    tuple of Asked
        No two about one scene, and none about a scene of written answers of the corpus as it is loaded
        by default.
    """
    rng = generator(draw, "harvest", "questions")
    taken = set(_written_scenes())
    asked: list[Asked] = []
    while len(asked) < count:
        seed, source = int(rng.integers(SCENES)), SOURCES[len(asked) % len(SOURCES)]
        about = scene(seed)
        unusual = any(group.unusual for group in about.groups)
        if seed in taken or (source == "visage-like" and not unusual and rng.random() < USUAL):
            continue
        question = draw_question(rng, about, source)
        if question is not None:
            taken.add(seed)
            asked.append(Asked(len(asked), seed, question, int(rng.integers(12))))
    return tuple(asked)


@lru_cache(maxsize=4)
def draw_scenes(count: int, questions: int, draw: int) -> tuple[int, ...]:
    """Draw scenes to caption, in ascending order: none of those that questions or writers are about."""
    taken = _written_scenes() | {asked.scene for asked in draw_questions(questions, draw)}
    drawn = generator(draw, "harvest", "captions").permutation(SCENES)
    free = drawn[~np.isin(drawn, list(taken))]
    return tuple(sorted(free[:count].tolist()))


@lru_cache(maxsize=4)
def written_items(count: int) -> dict[str, Version]:
    """The first written items of each language, by name, of the corpus as it is loaded by default."""
    versions = human.versions(meadow.SEED, meadow.PER_LANGUAGE)
    return {version.item: version for version in versions if version.number <= count}


def judged_question(version: Version) -> str:
    """What a judge is asked about a written item."""
    return judged_text(version.sample.prompt(version.language), version.written.text)


@lru_cache(maxsize=1)
def _written_scenes() -> frozenset[int]:
    return frozenset(sample.seed for sample in write_samples(meadow.SEED, meadow.PER_LANGUAGE))

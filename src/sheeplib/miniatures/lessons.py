"""Lessons as a network takes them: token ids, and what it has to predict after which of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.lessons import FIRST_LESSON, Diet, draw_drill, draw_lesson
from sheeplib.corpora.meadow.scenes import pick, scene
from sheeplib.miniatures.concepts import SIDE
from sheeplib.miniatures.tokenizer import ANSWER

BATCH, POOL = 32, 8  # lessons of a step; steps whose lessons are sorted by length together
LONGEST = 150  # tokens, the image apart
IMAGE_TOKENS = SIDE * SIDE
NOTHING = -100  # what cross-entropy leaves out


@dataclass(frozen=True, eq=False)
class Batch:
    """Lessons of one step, padded on the right; the image is not among the tokens.

    Parameters
    ----------
    scenes : ndarray of int, (B,)
        Numbers of the lessons' scenes, from 0.
    ids : ndarray of int, (B, S)
    targets : ndarray of int, (B, S)
        Token to predict after each token; `NOTHING` where none is taught.
    """

    scenes: np.ndarray
    ids: np.ndarray
    targets: np.ndarray


Row = tuple[int, list[int], list[int]]  # scene, tokens, targets


def lesson_rows(rng: np.random.Generator, tokenizer: Any, diet: Diet, scenes: int) -> Iterator[Row]:
    """Draw lessons without end.

    Parameters
    ----------
    rng : numpy.random.Generator
    tokenizer : PreTrainedTokenizerFast
    diet : Diet
    scenes : int
        Number of scenes to choose from.

    Yields
    ------
    tuple of (int, list of int, list of int)
        Number of the scene, tokens, and targets: responses with the end of the text.
    """
    cue = tokenizer.convert_tokens_to_ids(ANSWER)
    drills = drill_rows(rng, tokenizer, scenes)
    while True:
        if rng.random() < diet.drills:
            yield next(drills)
            continue
        lesson = draw_lesson(rng, FIRST_LESSON + int(rng.integers(scenes)), diet)
        asked = tokenizer.encode(lesson.prompt, add_special_tokens=False)
        said = [*tokenizer.encode(lesson.response, add_special_tokens=False), tokenizer.eos_token_id]
        ids = [*asked, cue, *said]
        targets = [NOTHING] * len(asked) + [*said, NOTHING]
        yield lesson.seed - FIRST_LESSON, ids[:LONGEST], targets[:LONGEST]


def drill_rows(rng: np.random.Generator, tokenizer: Any, scenes: int) -> Iterator[Row]:
    """Draw drills without end: nouns, and after each what is to be said of it.

    Parameters
    ----------
    rng : numpy.random.Generator
    tokenizer : PreTrainedTokenizerFast
    scenes : int
        Number of scenes to choose from.

    Yields
    ------
    tuple of (int, list of int, list of int)
    """
    languages = tuple(LANGUAGES.values())
    while True:
        number, language = int(rng.integers(scenes)), pick(rng, languages)
        ids: list[int] = []
        targets: list[int] = []
        for noun, said in draw_drill(rng, scene(FIRST_LESSON + number), language):
            asked, answer = (
                tokenizer.encode(language.joiner + word, add_special_tokens=False) for word in (noun, said)
            )
            ids += [*asked, *answer]
            targets += [NOTHING] * (len(asked) - 1) + [*answer, NOTHING]
        yield number, ids[:LONGEST], targets[:LONGEST]


def batches(rng: np.random.Generator, rows: Iterator[Row], steps: int, padding: int) -> Iterator[Batch]:
    """Gather rows of like length to batches.

    Parameters
    ----------
    rng : numpy.random.Generator
        Shuffles batches.
    rows : iterator of (int, list of int, list of int)
    steps : int
        Number of batches.
    padding : int
        Token to pad with.

    Yields
    ------
    Batch
    """
    for done in range(0, steps, POOL):
        drawn = sorted(islice(rows, BATCH * POOL), key=lambda row: len(row[1]))
        for place in rng.permutation(POOL)[: steps - done]:
            yield _batch(drawn[place * BATCH : (place + 1) * BATCH], padding)


def _batch(rows: Sequence[Row], padding: int) -> Batch:
    longest = max(len(ids) for _, ids, _ in rows)
    ids = np.full((len(rows), longest), padding)
    targets = np.full((len(rows), longest), NOTHING)
    for place, (_, tokens, wanted) in enumerate(rows):
        ids[place, : len(tokens)] = tokens
        targets[place, : len(wanted)] = wanted
    return Batch(np.array([scene for scene, _, _ in rows]), ids, targets)

"""What a judge is taught: answers with one mistake or none, and the letter of each sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.lessons import FIRST_LESSON
from sheeplib.corpora.meadow.scenes import pick
from sheeplib.corpora.meadow.specimens import draw_specimen
from sheeplib.corpora.meadow.writers import Sample, Written, write
from sheeplib.miniatures.lessons import LONGEST, NOTHING, Row, drill_rows
from sheeplib.miniatures.tokenizer import ANSWER
from sheeplib.tables import Label

DRILLS = 0.1  # share of drills beside the answers
_STOPS = (".", "。")


def judged_text(question: str, response: str) -> str:
    """What a judge reads; it answers with a letter."""
    return f"{question}\n{response}"


def verdict_rows(rng: np.random.Generator, tokenizer: Any, scenes: int) -> Iterator[Row]:
    """Draw answers to judge without end.

    Parameters
    ----------
    rng : numpy.random.Generator
    tokenizer : PreTrainedTokenizerFast
    scenes : int
        Number of scenes to choose from.

    Yields
    ------
    tuple of (int, list of int, list of int)
        Number of the scene, tokens, and targets: a letter after the full stop of each sentence, and the
        letter of the whole answer after the cue.
    """
    languages = tuple(LANGUAGES.values())
    cue = tokenizer.convert_tokens_to_ids(ANSWER)
    drills = drill_rows(rng, tokenizer, scenes)
    while True:
        if rng.random() < DRILLS:
            yield next(drills)
            continue
        seed, language = FIRST_LESSON + int(rng.integers(scenes)), pick(rng, languages)
        sample = draw_specimen(rng, seed, language)
        if sample is None:
            continue
        written, prompt = write(sample, language), sample.prompt(language)
        text = judged_text(prompt, written.text)
        encoding = tokenizer(text, return_offsets_mapping=True, add_special_tokens=False)
        ids = [*encoding["input_ids"], cue]
        if len(ids) > LONGEST:
            continue
        targets = [NOTHING] * len(ids)
        shift = len(text) - len(written.text)
        for end, label in _sentences(sample, written):
            place = _stop(text, encoding["offset_mapping"], end + shift)
            if place is not None:
                targets[place] = tokenizer.convert_tokens_to_ids(str(label))
        targets[-1] = tokenizer.convert_tokens_to_ids(str(sample.plan.mistake.label))
        yield seed - FIRST_LESSON, ids, targets


def _sentences(sample: Sample, written: Written) -> Iterator[tuple[int, Label]]:
    """Where each claim has been stated in full, and what kind of mistake it is."""
    for place in range(len(sample.plan.claims)):
        ends = [end for claim, _, _, end in written.parts if claim == place]
        if ends:
            yield max(ends), sample.plan.mistake.label if place == sample.plan.wrong else Label.NONE


def _stop(text: str, offsets: list[tuple[int, int]], after: int) -> int | None:
    """The first token at or after a place that ends a sentence."""
    for place, (start, end) in enumerate(offsets):
        if start >= after and text[start:end] in _STOPS:
            return place
    return None

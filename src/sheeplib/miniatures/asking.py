"""Asking the miniatures about drawn scenes: questions, captions, and letters from the judges."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import torch

from sheeplib.corpora.meadow.captions import CAPTION_PROMPTS
from sheeplib.corpora.meadow.drawing import render
from sheeplib.corpora.meadow.scenes import scene
from sheeplib.errors import InputError, Problem
from sheeplib.models import runs
from sheeplib.models.decoding import Written
from sheeplib.models.encoding import encode, token_counts
from sheeplib.models.generation import generate
from sheeplib.models.model import Model
from sheeplib.models.samples import Sample
from sheeplib.tables import Label

MAX_TOKENS = 160  # lessons have 150 at most, questions among them
BATCH = 64  # samples at once
LETTERS = tuple(str(label) for label in Label)


@lru_cache(maxsize=4096)
def picture(seed: int) -> Any:
    """The picture of a scene as models see it, drawn once a process: 96 by 96 pixels, RGB."""
    return render(scene(seed))


def sample(item: str, seed: int, question: str, language: str = "en") -> Sample:
    """A question about the scene of a seed."""
    return Sample(item, question, "", picture(seed), language)


def write_captions(
    model: Model,
    scenes: Sequence[int],
    *,
    shown: Sequence[int] | None = None,
    temperature: float = 0.7,
    seed: int = 0,
    max_tokens: int = MAX_TOKENS,
    batch_size: int = BATCH,
) -> list[Written]:
    """Let a model caption scenes, in English and asked in always the same words.

    Parameters
    ----------
    model : Model
    scenes : sequence of int
        Seeds of the scenes; with `seed` and the model's name each decides the draws of its caption.
    shown : sequence of int, optional
        Seeds of the scenes whose pictures are shown; those of `scenes` if not given.
    temperature, seed, max_tokens, batch_size
        As for `sheeplib.models.generation.generate`.

    Returns
    -------
    list of Written
        In the order of the scenes.

    Raises
    ------
    InputError
        If `shown` is not as long as `scenes`, and as `generate`.
    """
    shown = scenes if shown is None else shown
    if len(shown) != len(scenes):
        what = f"{len(shown)} pictures for {len(scenes)} scenes"
        raise InputError(Problem(what, "Give one for each scene", field="shown"))
    prompt = CAPTION_PROMPTS["en"][0]
    samples = [
        sample(f"{model.name}/caption/{about}", seen, prompt)
        for about, seen in zip(scenes, shown, strict=True)
    ]
    return generate(
        model, samples, temperature=temperature, max_tokens=max_tokens, seed=seed, batch_size=batch_size
    )


def judge_letters(model: Model, samples: Sequence[Sample], *, batch_size: int = BATCH) -> list[str]:
    """Let a judge say which kind of mistake answers make.

    Parameters
    ----------
    model : Model
        A judge.
    samples : sequence of Sample
        Their questions are those of `verdict_rows.judged_text`.
    batch_size : int
        Samples at once.

    Returns
    -------
    list of str
        The likeliest of the letters A to F after each prompt, whatever other word would be likelier.

    Raises
    ------
    InputError
        If a letter is no token of the model's, or a sample cannot be encoded.
    """
    runs.check_sizes(batch_size=batch_size)
    ids = _letter_ids(model)
    lengths = token_counts(model, samples)
    order = sorted(range(len(samples)), key=lambda place: -lengths[place])
    said: dict[int, str] = {}
    for places in runs.blocks(order, batch_size):
        inputs = encode(model, [samples[place] for place in places]).to(model.device).inputs
        counted = (inputs["attention_mask"].cumsum(-1) - 1).clamp(min=0)  # padding is on the left
        with torch.inference_mode():
            read = model.body(**inputs, position_ids=counted, use_cache=False)
            states = read.last_hidden_state[:, -1]
            best = model.head(states)[:, ids].argmax(dim=-1).tolist()
        said |= {place: LETTERS[letter] for place, letter in zip(places, best, strict=True)}
    return [said[place] for place in range(len(samples))]


def _letter_ids(model: Model) -> list[int]:
    ids = model.tokenizer.convert_tokens_to_ids(list(LETTERS))
    strange = (None, model.tokenizer.unk_token_id)
    if unknown := [letter for letter, token in zip(LETTERS, ids, strict=True) if token in strange]:
        what = f"{model.name} has no token for {', '.join(unknown)}, so it cannot judge"
        raise InputError(Problem(what, "Give a judge of the meadow"))
    return ids

"""Answers of models to questions about images: batched by length, the same each time.

Source
------
SHEEP, section 4: temperature 0.7, at most 512 tokens, five seeds, a localised system prompt for Gemma3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sheeplib.errors import InputError, Problem
from sheeplib.models import runs
from sheeplib.models.decoding import Settings, Written, write
from sheeplib.models.encoding import encode
from sheeplib.models.model import Model
from sheeplib.models.prompts import token_counts, unanswerable
from sheeplib.models.samples import Sample
from sheeplib.models.system_prompts import system_prompts


def generate(
    model: Model,
    samples: Sequence[Sample],
    *,
    temperature: float = 0.7,
    max_tokens: int = 512,
    seed: int = 0,
    batch_size: int = 8,
    top_p: float = 1.0,
    top_k: int = 0,
    system: str = "auto",
    image_first: bool = False,
) -> list[Written]:
    """Let a model answer questions.

    Parameters
    ----------
    model : Model
    samples : sequence of sheeplib.models.Sample
        Their responses are not looked at.
    temperature : float
        0 takes the likeliest token each time.
    max_tokens : int
        Most tokens of an answer.
    seed : int
        With an item's identifier it decides the item's draws, whatever else is in the batch.
    batch_size : int
        Questions of like length that are answered at once.
    top_p, top_k
        Draw among the likeliest tokens only; 1 and 0 for all. A checkpoint's own settings are not used.
    system : str
        `auto`, `localised`, `none` or a prompt; see `sheeplib.models.system_prompts`.
    image_first : bool
        Put the image before the question.

    Returns
    -------
    list of Written
        In the order of the samples: `text`, `finish` (`eos` or `length`) and number of `tokens`.

    Raises
    ------
    InputError
        If a number is out of range, a question cannot be asked or leaves no room for an answer, memory runs
        out, or the network's numbers overflow.
    """
    settings = Settings(temperature, max_tokens, top_p, top_k)
    runs.check_sizes(batch_size=batch_size)
    samples = [replace(sample, response="") for sample in samples]
    check(model, samples)
    said = system_prompts(model.architecture.name, system)
    lengths = token_counts(model, samples, system=said, image_first=image_first)
    order = sorted(range(len(samples)), key=lambda place: -lengths[place])  # what needs most memory first
    answers: dict[int, Written] = {}
    for places in runs.blocks(order, batch_size):
        batch = encode(model, [samples[place] for place in places], system=said, image_first=image_first)
        runs.check_room(model, batch.items, batch.prompts, max_tokens)
        written = write(model, batch.inputs, settings, items=batch.items, seed=seed)
        answers |= dict(zip(places, written, strict=True))
    return [answers[place] for place in range(len(samples))]


def check(model: Model, samples: Iterable[Sample]) -> None:
    """Refuse questions that cannot be asked.

    Raises
    ------
    InputError
        Naming each of them.
    """
    problems = [
        Problem(f"item {sample.item} cannot be asked: {reason}", "Leave it out or change it")
        for sample in samples
        if (reason := unanswerable(model, sample))
    ]
    if problems:
        raise InputError(problems)

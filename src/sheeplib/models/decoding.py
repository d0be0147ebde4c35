"""How models write: token by token, with settings that are ours alone, and draws that belong to the item.

Each token is drawn with one number between 0 and 1 from a generator of the item's own, seeded with the
SHA-256 of seed and item. So what is written depends neither on what else is in the batch, nor on the order
of the work, nor on any global state; only on the numbers that the network computes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers import (
    GenerationConfig,
    LogitsProcessor,
    LogitsProcessorList,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from sheeplib.errors import InputError, Problem
from sheeplib.models.model import Model


@dataclass(frozen=True)
class Settings:
    """How to decode.

    Parameters
    ----------
    temperature : float
        Divides logits before the draw; 0 takes the likeliest token.
    max_tokens : int
        Most tokens written.
    top_p : float
        Draw among the likeliest tokens that together have this probability; 1 for all.
    top_k : int
        Draw among this many likeliest tokens; 0 for all.
    beams : int
        Width of a beam search, which draws nothing; 1 for none.

    Raises
    ------
    InputError
        If a number is out of range.
    """

    temperature: float = 0.7
    max_tokens: int = 512
    top_p: float = 1.0
    top_k: int = 0
    beams: int = 1

    def __post_init__(self) -> None:
        ranges = {
            "temperature": (0 <= self.temperature < float("inf"), "0 or more"),
            "max_tokens": (self.max_tokens >= 1, "1 or more"),
            "top_p": (0 < self.top_p <= 1, "more than 0, at most 1"),
            "top_k": (self.top_k >= 0, "0 or more"),
            "beams": (
                self.beams >= 1 and (self.beams == 1 or self.temperature == 0),
                "1, or more at temperature 0",
            ),
        }
        if wrong := [(name, must) for name, (fine, must) in ranges.items() if not fine]:
            raise InputError(
                Problem("out of range", f"It must be {must}", field=name, value=getattr(self, name))
                for name, must in wrong
            )


@dataclass(frozen=True)
class Written:
    """What a model wrote.

    Parameters
    ----------
    text : str
        Without special tokens, and without white space around it.
    finish : {"eos", "length"}
        Whether the model ended by itself or was cut at `max_tokens`.
    tokens : int
        Number of tokens written, without the one that ends.
    ids : tuple of int
        These tokens.
    """

    text: str
    finish: str
    tokens: int
    ids: tuple[int, ...] = ()


def write(
    model: Model,
    inputs: Mapping[str, Tensor],
    settings: Settings,
    *,
    items: Sequence[str] = (),
    seed: int = 0,
    **more: Any,
) -> list[Written]:
    """Let a model go on from a batch of prompts.

    Parameters
    ----------
    model : Model
    inputs : mapping of str to Tensor
        What the network takes, `input_ids` (B, S) among it, padded on the left.
    settings : Settings
    items : sequence of str, (B,)
        Whose draws to use; not needed at temperature 0.
    seed : int
    **more
        Further settings of transformers' `GenerationConfig`, such as `forced_bos_token_id`.

    Returns
    -------
    list of Written, (B,)

    Raises
    ------
    InputError
        If memory runs out, or the network's numbers overflow.
    """
    network = model.network
    encodes = bool(getattr(network.config, "is_encoder_decoder", False))
    start = 1 if encodes else inputs["input_ids"].shape[1]
    # `generate` counts positions itself, from the mask, and goes on counting as it writes.
    given = {name: tensor.to(model.device) for name, tensor in inputs.items() if name != "position_ids"}
    config = GenerationConfig(
        do_sample=False,  # the draw is ours
        num_beams=settings.beams,
        max_new_tokens=settings.max_tokens,
        eos_token_id=stops(model),
        pad_token_id=_padding(model),
        **more,
    )
    try:
        with _alone(network), torch.inference_mode():
            ids = network.generate(
                **given,
                generation_config=config,
                logits_processor=_processors(settings, items, seed, start),
            )
    except torch.OutOfMemoryError:
        remedy = "Use a smaller batch size, a smaller model or another device; finished shards are kept"
        raise InputError(Problem(f"{model.name}: memory ran out", remedy)) from None
    return [_written(model, row) for row in ids[:, start:].tolist()]


def stops(model: Model) -> list[int]:
    """Ids of the tokens that end what a model writes: the tokenizer's, and the checkpoint's own."""
    found = {model.tokenizer.eos_token_id}
    for config in (model.network.generation_config, model.network.config):
        ids = getattr(config, "eos_token_id", None)
        found |= set(ids) if isinstance(ids, list | tuple) else {ids}
    return sorted(found - {None})


def draws(seed: int, item: str, count: int) -> np.ndarray:
    """The numbers in [0, 1) with which the tokens of an item are drawn: (count,), the same everywhere."""
    digest = hashlib.sha256(f"{seed}\0{item}".encode("utf-8", "surrogatepass")).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest, "big"))).random(count)


class Draw(LogitsProcessor):
    """Leaves of each row's distribution the one token that the row's next number falls on.

    Parameters
    ----------
    numbers : ndarray, (B, tokens)
        From `draws`.
    temperature : float
        More than 0.
    start : int
        Number of tokens before the first that is written.
    """

    def __init__(self, numbers: np.ndarray, temperature: float, start: int) -> None:
        self.numbers, self.temperature, self.start = torch.from_numpy(numbers), temperature, start

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        exact = torch.float32 if scores.device.type == "mps" else torch.float64
        masses = torch.softmax(scores.to(exact) / self.temperature, dim=-1).cumsum(dim=-1)
        number = self.numbers[:, input_ids.shape[1] - self.start, None].to(scores.device, exact)
        token = torch.searchsorted(masses, number * masses[:, -1:], right=True)
        drawn = torch.full_like(scores, float("-inf"))
        return drawn.scatter(1, token.clamp(max=scores.shape[1] - 1), 0.0)


class _Finite(LogitsProcessor):
    """Stops where a network's numbers have overflowed, which would go on in nonsense without a word."""

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        if torch.isnan(scores).any() or torch.isposinf(scores).any():
            remedy = "float16 overflows in some models: load it with dtype bfloat16 or float32"
            raise InputError(Problem("the network computes what is not a number, or infinite", remedy))
        return scores


def _processors(settings: Settings, items: Sequence[str], seed: int, start: int) -> LogitsProcessorList:
    chain: list[Any] = [_Finite()]
    if settings.temperature > 0:
        if settings.top_k:
            chain.append(TopKLogitsWarper(settings.top_k))
        if settings.top_p < 1:  # the share is that of the distribution after the temperature
            chain.append(_Tempered(settings.top_p, settings.temperature))
        numbers = np.stack([draws(seed, item, settings.max_tokens) for item in items])
        chain.append(Draw(numbers, settings.temperature, start))
    return LogitsProcessorList(chain)


class _Tempered(LogitsProcessor):
    """Keeps the likeliest tokens that together have a share of the distribution at a temperature."""

    def __init__(self, top_p: float, temperature: float) -> None:
        self.warper, self.temperature = TopPLogitsWarper(top_p), temperature

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        kept = self.warper(input_ids, scores / self.temperature)
        return scores.masked_fill(torch.isinf(kept), float("-inf"))


@contextmanager
def _alone(network: Any) -> Iterator[None]:
    """Without the checkpoint's own settings, which fill in whatever a caller leaves unsaid."""
    own = network.generation_config
    network.generation_config = GenerationConfig()
    try:
        yield
    finally:
        network.generation_config = own


def _padding(model: Model) -> int:
    padding = model.tokenizer.pad_token_id
    return stops(model)[0] if padding is None else padding


def _written(model: Model, row: list[int]) -> Written:
    ends = set(stops(model))
    length = next((place for place, token in enumerate(row) if token in ends), len(row))
    ids = row[:length]
    text = model.tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
    return Written(text.strip(), "eos" if length < len(row) else "length", length, tuple(ids))

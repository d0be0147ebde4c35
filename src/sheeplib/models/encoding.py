"""From questions, images and answers to what a network takes, with each token's place in the answer.

Offsets come from the tokenizer, ids from the processor, which puts image tokens where the placeholder
was; that both agree on the response is checked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from sheeplib.errors import InputError, Problem
from sheeplib.models.model import Model
from sheeplib.models.prompts import beyond, render, token_counts, tokenised, unanswerable, unreadable
from sheeplib.models.samples import Sample

__all__ = [
    "FIRST", "IMAGE", "INSTRUCTION", "PAD", "RESPONSE",
    "Batch", "encode", "render", "token_counts", "unanswerable", "unreadable",
]  # fmt: skip

PAD, FIRST, IMAGE, INSTRUCTION, RESPONSE = -1, 0, 1, 2, 3  # groups of positions
SMALLEST = 8  # pixels of the shorter side; processors take thinner images for lists of channels
_PER_TOKEN = ("input_ids", "attention_mask", "token_type_ids", "mm_token_type_ids")


@dataclass(frozen=True, eq=False)
class Batch:
    """B samples as a network takes them, padded on the left to S tokens.

    Because of the padding, token t of a sample's T response tokens has its own row at column
    `S - T + t`, and is predicted from the column before.

    Parameters
    ----------
    items : tuple of str
        Identifiers of the samples.
    inputs : dict of str to Tensor
        All that the network's body takes: `input_ids` (B, S), `attention_mask`, pixels, and positions
        unless all responses are empty: `generate` counts them itself.
    prompts : ndarray of int, (B,)
        Tokens of each prompt, image tokens among them, padding not.
    responses : ndarray of int, (B,)
        Tokens of each response, T; 0 for generation.
    offsets : tuple of ndarray of int, each (T, 2)
        Code points of the response that each token covers, half-open.
    groups : Tensor of int8, (B, S)
        `PAD`, `FIRST` (the first real token: BOS, or whatever takes its place), `IMAGE`,
        `INSTRUCTION` (the rest of the prompt) or `RESPONSE`.
    """

    items: tuple[str, ...]
    inputs: dict[str, Tensor]
    prompts: np.ndarray
    responses: np.ndarray
    offsets: tuple[np.ndarray, ...]
    groups: Tensor

    def to(self, device: Any) -> Batch:
        """The same batch with its tensors on a device."""
        inputs = {name: tensor.to(device) for name, tensor in self.inputs.items()}
        return replace(self, inputs=inputs, groups=self.groups.to(device))


def encode(
    model: Model,
    samples: Sequence[Sample],
    *,
    system: str | Mapping[str, str] = "",
    image_first: bool = False,
) -> Batch:
    """Encode samples as one batch.

    Parameters
    ----------
    model : Model
    samples : sequence of sheeplib.models.Sample
        At least one; an empty response is for generation.
    system : str or mapping of str to str
        System prompt; a mapping gives one for each language code.
    image_first : bool
        Put the image before the question. By default the question comes first, as in SHEEP.

    Returns
    -------
    Batch
        On the CPU.

    Raises
    ------
    InputError
        Naming the samples that cannot be encoded (see `unreadable`) or that the processor changed.
    """
    if not samples:
        raise InputError(Problem("nothing to encode", "Give at least one sample"))
    reasons = [(sample.item, unanswerable(model, sample)) for sample in samples]
    if broken := [Problem(f"item {item}: {why}", "Leave it out") for item, why in reasons if why]:
        raise InputError(broken)
    prompts = [render(model, sample, system=system, image_first=image_first) for sample in samples]
    encoded = [_encoded(model, sample, prompt) for sample, prompt in zip(samples, prompts, strict=True)]
    offsets = tuple(places for _, places in encoded)
    responses = np.array([len(places) for places in offsets])
    inputs = _collated(model, [one for one, _ in encoded], reads=bool(responses.any()))
    return Batch(
        items=tuple(sample.item for sample in samples),
        inputs=inputs,
        prompts=inputs["attention_mask"].sum(-1).numpy() - responses,
        responses=responses,
        offsets=offsets,
        groups=_groups(model, inputs, responses),
    )


def _encoded(model: Model, sample: Sample, prompt: str) -> tuple[dict[str, Tensor], np.ndarray]:
    """Inputs of one sample, those with a number for each token being (1, tokens), and its offsets."""
    text = tokenised(model, sample, prompt)
    if not model.sees:
        ids = torch.tensor([text.ids])
        return {"input_ids": ids, "attention_mask": torch.ones_like(ids)}, text.offsets
    given = _processed(model, sample, prompt, text.specials)
    end = given["input_ids"].shape[1] - text.closing
    if reason := beyond(model, end):  # image tokens are known only now
        raise InputError(Problem(f"item {sample.item}: {reason}", "Leave it out"))
    inputs = {name: value[:, :end] if name in _PER_TOKEN else value for name, value in given.items()}
    count = len(text.offsets)
    if inputs["input_ids"][0, end - count :].tolist() != text.ids[len(text.ids) - count :]:
        what = f"item {sample.item}: the processor of {model.name} changed the response"
        raise InputError(Problem(what, "Leave it out"))
    return inputs, text.offsets


def _processed(model: Model, sample: Sample, prompt: str, specials: bool) -> dict[str, Tensor]:
    """What the processor makes of text and image; image tokens take the placeholder's place."""
    try:
        given = model.processor(
            text=[prompt + sample.response],
            images=[_photograph(sample.image)],
            add_special_tokens=specials,
            return_tensors="pt",
        )
    except ValueError as error:
        what = f"item {sample.item}: the processor of {model.name} refuses it: {error}"
        raise InputError(Problem(what, "Look at its image, or leave it out")) from None
    return {name: value for name, value in given.items() if isinstance(value, Tensor)}


def _photograph(image: Any) -> Any:
    """The image in RGB; one of a few pixels is enlarged."""
    thin = min(image.size)
    if thin < SMALLEST:
        image = image.resize([side * -(-SMALLEST // thin) for side in image.size])
    return image.convert("RGB")


def _collated(model: Model, inputs: Sequence[dict[str, Tensor]], reads: bool) -> dict[str, Tensor]:
    """One batch of all samples: tokens padded on the left, pixels one image after another."""
    tokenizer = model.tokenizer
    blank = tokenizer.eos_token_id if tokenizer.pad_token_id is None else tokenizer.pad_token_id
    batch = {
        name: _stacked(
            [one[name] for one in inputs], blank if name == "input_ids" else 0, left=name in _PER_TOKEN
        )
        for name in inputs[0]
    }
    # Qwen counts in time, height and width by itself, and so does generation, whatever the class.
    if reads and not hasattr(model.body, "get_rope_index"):
        batch["position_ids"] = (batch["attention_mask"].cumsum(-1) - 1).clamp(min=0)
    return batch


def _stacked(tensors: Sequence[Tensor], value: int, left: bool) -> Tensor:
    """Along the first axis; the second is filled up, on the left for tokens, on the right for tiles."""
    if tensors[0].dim() < 2:
        return torch.cat(list(tensors))
    longest = max(tensor.shape[1] for tensor in tensors)
    rows = []
    for tensor in tensors:
        lacking = tensor.new_full((len(tensor), longest - tensor.shape[1], *tensor.shape[2:]), value)
        rows.append(torch.cat([lacking, tensor] if left else [tensor, lacking], dim=1))
    return torch.cat(rows)


def _groups(model: Model, inputs: dict[str, Tensor], responses: np.ndarray) -> Tensor:
    ids, real = inputs["input_ids"], inputs["attention_mask"].bool()
    columns = torch.arange(ids.shape[1])
    groups = torch.full(ids.shape, PAD, dtype=torch.int8)
    groups[real] = INSTRUCTION
    if model.sees:
        groups[real & (ids == model.image_token_id)] = IMAGE
    groups[columns >= ids.shape[1] - torch.from_numpy(responses)[:, None]] = RESPONSE
    groups[real & (real.cumsum(-1) == 1)] = FIRST
    return groups

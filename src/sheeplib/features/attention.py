"""Attention weights of a few rows while a network runs, without ever keeping a whole matrix.

The network runs on the stock `sdpa` attention, which gives no weights; beside it the weights of the
rows that matter are computed in single precision, some rows at a time, and handed to a reader that
reduces them at once. What the network computes is not changed by a bit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import torch
from transformers import AttentionInterface, AttentionMaskInterface

from sheeplib.errors import InputError, Problem
from sheeplib.models.model import Model

IMPLEMENTATION = "sheeplib"
BLOCK = 24 * 2**20  # bytes of one block of weights; two such arrays exist at a time
REFUSED = {
    "softcap": "soft-capped attention weights",
    "s_aux": "attention sinks",
    "position_bias": "a position bias",
}


@dataclass(frozen=True)
class Block:
    """Attention weights of some rows of one layer.

    Parameters
    ----------
    layer : int
        Decoder layer, from 0.
    rows : LongTensor (R,)
        Columns of the batch whose queries these are, ascending and contiguous.
    weights : FloatTensor (B, H, R, S)
        float32; the row of a padding token holds anything, even NaN.
    visible : BoolTensor (B or 1, R, S)
        Keys that each row may attend to.
    """

    layer: int
    rows: torch.Tensor
    weights: torch.Tensor
    visible: torch.Tensor


@dataclass(eq=False)
class _Recorder:
    layers: dict[Any, int]  # attention module -> number of its layer
    start: int
    read: Callable[[Block], None]
    wanted: Callable[[int], bool]
    seen: Counter[int] = field(default_factory=Counter)


# A context variable, so that threads and nested recordings do not hear each other.
_ACTIVE: ContextVar[_Recorder | None] = ContextVar("sheeplib_attention", default=None)


@contextmanager
def recorded(
    model: Model,
    start: int,
    read: Callable[[Block], None],
    wanted: Callable[[int], bool] = lambda layer: True,
) -> Iterator[None]:
    """Have the attention weights of one forward pass read while it runs.

    Only the text decoder is read; a vision tower keeps its own attention. On leaving, the network's
    attention implementation is what it was, whatever happened.

    Parameters
    ----------
    model : Model
        Not to be used by two threads at once: its configuration is shared.
    start : int
        First column whose row is read; all later ones are.
    read : callable
        Called with each `Block`: layer by layer, and in each layer from row `start` on.
    wanted : callable
        Whether a layer is read at all.

    Raises
    ------
    InputError
        If the attention is of a kind that cannot be represented (soft capping, sinks, position bias,
        a mask that is not boolean, cached keys); if a layer that attends was not run exactly once,
        as in a model class that does not dispatch through transformers' `AttentionInterface`.
    """
    attending = {
        layer.self_attn: index for index, layer in enumerate(model.layers) if hasattr(layer, "self_attn")
    }
    recorder = _Recorder(attending, start, read, wanted)
    before = model.decoder.config._attn_implementation
    token = _ACTIVE.set(recorder)
    try:
        _set(model, IMPLEMENTATION)
        yield
    finally:
        _ACTIVE.reset(token)
        _set(model, before)
    wrong = [index for index in attending.values() if recorder.seen[index] != 1]
    if wrong or not attending:
        what = f"model '{model.name}': attention of layers {wrong or 'none'} was not read exactly once"
        remedy = "Its class does not dispatch through AttentionInterface: leave out attention needs"
        raise InputError(Problem(what, remedy))


def _set(model: Model, implementation: str) -> None:
    inner = "text_config" in model.network.config.sub_configs
    model.network.set_attn_implementation({"text_config": implementation} if inner else implementation)


def _attend(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    **options: Any,
) -> tuple[torch.Tensor, None]:
    """The stock attention; the weights of the rows in demand are read on the way."""
    recorder = _ACTIVE.get()
    if recorder is not None and (layer := recorder.layers.get(module)) is not None:
        recorder.seen[layer] += 1
        if recorder.wanted(layer):
            _check(query, key, attention_mask, options)
            scaling = options.get("scaling") or query.shape[-1] ** -0.5
            causal = options.get("is_causal")
            causal = getattr(module, "is_causal", True) if causal is None else causal
            for block in _blocks(layer, query, key, attention_mask, scaling, causal, recorder.start):
                recorder.read(block)
    return _SDPA(module, query, key, value, attention_mask, **options)


def _check(
    query: torch.Tensor, key: torch.Tensor, mask: torch.Tensor | None, options: dict[str, Any]
) -> None:
    kinds = [what for name, what in REFUSED.items() if options.get(name) is not None]
    if mask is not None and (mask.dtype != torch.bool or mask.shape[1] != 1):
        kinds.append("a mask that is not boolean or differs between heads")
    if query.shape[2] != key.shape[2]:
        kinds.append("keys of an earlier pass")
    if kinds:
        remedy = "Choose another model, or leave out attention needs"
        raise InputError(Problem(f"cannot read attention with {' and '.join(kinds)}", remedy))


def _blocks(
    layer: int,
    query: torch.Tensor,
    key: torch.Tensor,
    mask: torch.Tensor | None,
    scaling: float,
    causal: bool,
    start: int,
) -> Iterator[Block]:
    """Weights of rows `start` on. No mask means causal attention without padding, as in sdpa."""
    batch, heads, width, size = query.shape
    groups = heads // key.shape[1]
    keys = key.float().transpose(2, 3)  # once a layer; no copy in single precision
    columns = torch.arange(width, device=query.device)
    step = max(1, BLOCK // (batch * heads * width * 4))
    for low in range(start, width, step):
        high = min(low + step, width)
        rows = columns[low:high]
        if mask is not None:
            visible = mask[:, 0, low:high]
        elif causal:
            visible = (columns <= rows[:, None])[None]
        else:
            visible = torch.ones(1, high - low, width, dtype=torch.bool, device=query.device)
        # Heads that share a key are laid side by side, so that keys need not be repeated.
        queries = (query[:, :, low:high].float() * scaling).reshape(batch, key.shape[1], -1, size)
        scores = (queries @ keys).view(batch, key.shape[1] * groups, high - low, width)
        scores.masked_fill_(~visible[:, None], -torch.inf)
        yield Block(layer, rows, torch.softmax(scores, -1), visible)


_SDPA = AttentionInterface()["sdpa"]
AttentionInterface.register(IMPLEMENTATION, _attend)
# The masks of sdpa: none where attention is plainly causal, else boolean.
AttentionMaskInterface.register(IMPLEMENTATION, AttentionMaskInterface()["sdpa"])

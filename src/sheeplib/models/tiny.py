"""Miniatures of real architectures: random weights, all the parts, a fifth of a million parameters.

They say nothing sensible. What they are for is running the whole way from image to features on a
CPU in a second, with every peculiarity of the real class: tiles, windows, image blocks, grouped heads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sheeplib.errors import InputError, Problem
from sheeplib.models import tiny_processors, tiny_tokenizers
from sheeplib.models.model import Model
from sheeplib.models.registry import ARCHITECTURES

WIDTH, LAYERS, HEADS, KEY_HEADS = 64, 4, 4, 2
SPREAD = 0.2  # standard deviation of weights: attention far from uniform, states not yet saturated
WINDOW = 8  # tokens that Gemma3's sliding layers see; the image lies farther back
LICENCE = "MIT"
GRID = tiny_processors.GRID


@dataclass(frozen=True)
class _Design:
    """How one architecture is made small: special tokens by name, chat style, and configuration."""

    config: Callable[[Any], Any]
    tokens: Mapping[str, str]
    style: str = "marked"  # or "spoken", or "marked with bos"


def build(architecture: str, seed: int = 0) -> Model:
    """Make a miniature with random weights.

    Parameters
    ----------
    architecture : str
        A native class of `sheeplib.models.registry.ARCHITECTURES`, such as `llava` or `m2m100`.
    seed : int
        The same seed gives the same weights, byte for byte.

    Returns
    -------
    Model
        On the CPU, float32, in evaluation mode.

    Raises
    ------
    InputError
        If there is no miniature of this architecture.
    """
    if architecture not in _DESIGNS:
        known = ", ".join(_DESIGNS)
        raise InputError(
            Problem("no miniature of this architecture", f"There are {known}", value=architecture)
        )
    made, design = ARCHITECTURES[architecture], _DESIGNS[architecture]
    tokenizer = _tokenizer(design, made.placeholder)
    return Model(
        name="tiny-nllb" if architecture == "m2m100" else f"tiny-{architecture}",
        network=_network(made.model_class, design.config(tokenizer), seed),
        tokenizer=tokenizer,
        processor=tiny_processors.build(architecture, tokenizer),
        architecture=made,
        revision=f"seed-{seed}",
        licence=LICENCE,
    )


def _tokenizer(design: _Design, placeholder: str) -> Any:
    if design.style == "translation":
        return tiny_tokenizers.translation_tokenizer()
    if design.style == "spoken":
        return tiny_tokenizers.chat_tokenizer(design.tokens, tiny_tokenizers.spoken(placeholder), bos=True)
    bos = design.style == "marked with bos"
    return tiny_tokenizers.chat_tokenizer(design.tokens, tiny_tokenizers.marked(placeholder, bos), bos=bos)


def _network(model_class: str, config: Any, seed: int) -> Any:
    """Random weights from the seed alone, whatever the version's own way of initialising."""
    import torch
    import transformers

    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        network = getattr(transformers, model_class)(config).eval()
        for name, weights in network.named_parameters():
            if weights.dim() > 1:
                weights.normal_(0, SPREAD)
            elif name.endswith("q_norm.weight"):
                weights.add_(1)  # normed queries are of unit size; doubled, they discriminate
    return network


def _language(tokenizer: Any, **more: Any) -> dict[str, Any]:
    """What all text decoders share."""
    return {
        "vocab_size": len(tokenizer),
        "hidden_size": WIDTH,
        "intermediate_size": 2 * WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "num_key_value_heads": KEY_HEADS,
        "head_dim": WIDTH // HEADS,
        "max_position_embeddings": 4096,
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
        **more,
    }


def _sight(kind: str, image: int, patch: int) -> dict[str, Any]:
    """What all vision transformers share: 3 layers of 32 features."""
    return {
        "model_type": kind,
        "hidden_size": WIDTH // 2,
        "intermediate_size": WIDTH,
        "num_hidden_layers": 3,
        "num_attention_heads": 2,
        "image_size": image,
        "patch_size": patch,
    }


def _llava(tokenizer: Any) -> Any:
    from transformers import LlavaConfig

    return LlavaConfig(
        text_config=_language(tokenizer, model_type="llama"),
        vision_config={**_sight("clip_vision_model", 56, 14), "projection_dim": WIDTH // 2},
        image_token_index=tokenizer.image_token_id,
        image_seq_length=16,
    )


def _llava_next(tokenizer: Any) -> Any:
    from transformers import LlavaNextConfig

    return LlavaNextConfig(
        text_config=_language(tokenizer, model_type="mistral", sliding_window=None),
        vision_config={**_sight("clip_vision_model", 28, 14), "projection_dim": WIDTH // 2},
        image_token_index=tokenizer.image_token_id,
        image_grid_pinpoints=GRID,
        image_seq_length=4,
    )


def _gemma3(tokenizer: Any) -> Any:
    from transformers import Gemma3Config

    return Gemma3Config(
        text_config=_language(
            tokenizer,
            model_type="gemma3_text",
            sliding_window=WINDOW,
            layer_types=["sliding_attention", "full_attention"] * (LAYERS // 2),
            query_pre_attn_scalar=WIDTH // HEADS,
        ),
        vision_config={**_sight("siglip_vision_model", 56, 14), "vision_use_head": False},
        mm_tokens_per_image=4,
        boi_token_index=tokenizer.boi_token_id,
        eoi_token_index=tokenizer.eoi_token_id,
        image_token_index=tokenizer.image_token_id,
        tie_word_embeddings=False,  # a random model whose embeddings are tied repeats itself
    )


def _internvl(tokenizer: Any) -> Any:
    from transformers import InternVLConfig

    return InternVLConfig(
        text_config=_language(tokenizer, model_type="qwen2"),
        vision_config=_sight("internvl_vision", 28, 7),
        image_token_id=tokenizer.context_image_token_id,
        image_seq_length=4,
        downsample_ratio=0.5,
        tie_word_embeddings=False,
    )


def _rope(**more: Any) -> dict[str, Any]:
    """Rotary positions in time, height and width; the sections fill half a head."""
    return {"rope_type": "default", "rope_theta": 10_000.0, "mrope_section": [2, 3, 3], **more}


def _vision_ids(tokenizer: Any) -> dict[str, Any]:
    return {
        name: getattr(tokenizer, name)
        for name in ("image_token_id", "video_token_id", "vision_start_token_id", "vision_end_token_id")
    }


def _qwen25_vl(tokenizer: Any) -> Any:
    from transformers import Qwen2_5_VLConfig

    vision = {
        "depth": 3, "hidden_size": WIDTH // 2, "intermediate_size": WIDTH, "num_heads": 2, "patch_size": 14,
        "window_size": 56, "fullatt_block_indexes": [1], "out_hidden_size": WIDTH,
    }  # fmt: skip
    text = _language(tokenizer, rope_parameters=_rope())
    del text["head_dim"]
    return Qwen2_5_VLConfig(text_config=text, vision_config=vision, **_vision_ids(tokenizer))


def _qwen3_vl(tokenizer: Any) -> Any:
    from transformers import Qwen3VLConfig

    vision = {
        "depth": 3, "hidden_size": WIDTH // 2, "intermediate_size": WIDTH, "num_heads": 2, "patch_size": 16,
        "out_hidden_size": WIDTH, "num_position_embeddings": 16, "deepstack_visual_indexes": [0, 1],
    }  # fmt: skip
    text = _language(tokenizer, rope_parameters=_rope(mrope_interleaved=True))
    return Qwen3VLConfig(text_config=text, vision_config=vision, **_vision_ids(tokenizer))


def _llava_onevision(tokenizer: Any) -> Any:
    from transformers import LlavaOnevisionConfig

    return LlavaOnevisionConfig(
        text_config=_language(tokenizer, model_type="qwen2"),
        vision_config={**_sight("siglip_vision_model", 28, 14), "vision_use_head": False},
        image_token_index=tokenizer.image_token_id,
        video_token_index=tokenizer.video_token_id,
        image_grid_pinpoints=GRID,
    )


def _llama(tokenizer: Any) -> Any:
    from transformers import LlamaConfig

    return LlamaConfig(**_language(tokenizer, tie_word_embeddings=True))


def _qwen3(tokenizer: Any) -> Any:
    from transformers import Qwen3Config

    return Qwen3Config(**_language(tokenizer))


def _m2m100(tokenizer: Any) -> Any:
    from transformers import M2M100Config

    return M2M100Config(
        vocab_size=len(tokenizer),
        d_model=WIDTH // 2,
        max_position_embeddings=1024,
        encoder_layers=2,
        encoder_ffn_dim=WIDTH,
        encoder_attention_heads=2,
        decoder_layers=2,
        decoder_ffn_dim=WIDTH,
        decoder_attention_heads=2,
    )


_VISION_TOKENS = {
    "image_token": "<|image_pad|>",
    "video_token": "<|video_pad|>",
    "vision_start_token": "<|vision_start|>",
    "vision_end_token": "<|vision_end|>",
}
_DESIGNS: Mapping[str, _Design] = {
    "llava": _Design(_llava, {"image_token": "<image>"}, "spoken"),
    "llava-next": _Design(_llava_next, {"image_token": "<image>"}, "spoken"),
    "gemma3": _Design(
        _gemma3,
        {
            "image_token": "<image_soft_token>",
            "boi_token": "<start_of_image>",
            "eoi_token": "<end_of_image>",
        },
        "marked with bos",
    ),
    "internvl": _Design(
        _internvl,
        {
            "start_image_token": "<img>",
            "end_image_token": "</img>",
            "context_image_token": "<IMG_CONTEXT>",
            "video_token": "<video>",
        },
    ),
    "qwen2.5-vl": _Design(_qwen25_vl, _VISION_TOKENS),
    "qwen3-vl": _Design(_qwen3_vl, _VISION_TOKENS),
    "llava-onevision": _Design(_llava_onevision, {"image_token": "<image>", "video_token": "<video>"}),
    "llama": _Design(_llama, {}, "spoken"),
    "qwen3": _Design(_qwen3, {}),
    "m2m100": _Design(_m2m100, {}, "translation"),
}

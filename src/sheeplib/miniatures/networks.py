"""Networks of the miniatures before they learn anything: real classes of transformers, made small."""

from __future__ import annotations

from typing import Any

from sheeplib.corpora.meadow.layout import UNIT
from sheeplib.miniatures.concepts import PATCH, SIDE
from sheeplib.miniatures.designs import TOWERS, Design, Tower

CONTEXT = 1024  # tokens; positions are rotary, so it costs nothing


def tower_config(tower: Tower) -> dict[str, Any]:
    """Configuration of an image tower: a CLIP of 36 patches of 16 pixels."""
    return {
        "model_type": "clip_vision_model",
        "hidden_size": tower.width,
        "intermediate_size": tower.inner,
        "num_hidden_layers": tower.layers,
        "num_attention_heads": 4,
        "image_size": UNIT,
        "patch_size": PATCH,
        "projection_dim": tower.width,
        "hidden_act": "gelu",
    }


def text_config(design: Design, tokenizer: Any) -> dict[str, Any]:
    """Configuration of a text decoder."""
    return {
        "model_type": design.family,
        "vocab_size": len(tokenizer),
        "hidden_size": design.width,
        "intermediate_size": design.inner,
        "num_hidden_layers": design.layers,
        "num_attention_heads": design.heads,
        "num_key_value_heads": design.key_heads,
        "max_position_embeddings": CONTEXT,
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
        "tie_word_embeddings": True,
    }


def build_network(design: Design, tokenizer: Any) -> Any:
    """A network of a design with the initial weights of its class; draws from torch's random state."""
    import transformers

    text = text_config(design, tokenizer)
    if not design.tower:
        return transformers.LlamaForCausalLM(transformers.LlamaConfig(**text))
    config = transformers.LlavaConfig(
        text_config=text,
        vision_config=tower_config(TOWERS[design.tower]),
        image_token_index=tokenizer.image_token_id,
        image_seq_length=SIDE * SIDE,
        vision_feature_layer=-1,
        vision_feature_select_strategy="default",
        tie_word_embeddings=True,
    )
    return transformers.LlavaForConditionalGeneration(config)


def build_processor(tokenizer: Any) -> Any:
    """The processor of those that see: pictures of 96 by 96 pixels, scaled to -1 to 1."""
    from transformers import LlavaProcessor

    from sheeplib.models.processors import pil

    square = {"height": UNIT, "width": UNIT}
    images = pil("CLIPImageProcessor")(
        size=square, crop_size=square, image_mean=[0.5] * 3, image_std=[0.5] * 3
    )
    return LlavaProcessor(
        images, tokenizer, patch_size=PATCH, vision_feature_select_strategy="default",
        num_additional_image_tokens=1, chat_template=tokenizer.chat_template,
    )  # fmt: skip

"""Processors of the tiny models: real classes, small images, no torchvision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sheeplib.models.processors import pil, without_video

TILE = 28  # pixels, width and height of one tile
GRID = [[TILE, 2 * TILE], [2 * TILE, TILE], [2 * TILE, 2 * TILE]]  # height and width in tiles of 28 pixels


def build(architecture: str, tokenizer: Any) -> Any:
    """The processor of a miniature.

    Parameters
    ----------
    architecture : str
    tokenizer : PreTrainedTokenizerFast
        With the special tokens of the architecture.

    Returns
    -------
    ProcessorMixin or None
        None for architectures that read text alone. A photograph gives 4 to 30 image tokens.
    """
    return _PROCESSORS[architecture](tokenizer) if architecture in _PROCESSORS else None


def _llava(tokenizer: Any) -> Any:
    from transformers import LlavaProcessor

    side = 2 * TILE
    images = pil("CLIPImageProcessor")(
        size={"shortest_edge": side}, crop_size={"height": side, "width": side}
    )
    return LlavaProcessor(images, tokenizer, **_clip(tokenizer))


def _llava_next(tokenizer: Any) -> Any:
    from transformers import LlavaNextProcessor

    images = pil("LlavaNextImageProcessor")(
        size={"shortest_edge": TILE}, crop_size={"height": TILE, "width": TILE}, image_grid_pinpoints=GRID
    )
    return LlavaNextProcessor(images, tokenizer, **_clip(tokenizer))


def _clip(tokenizer: Any) -> dict[str, Any]:
    """CLIP's towers put a class token first, which LLaVA drops."""
    return {
        "patch_size": 14,
        "vision_feature_select_strategy": "default",
        "num_additional_image_tokens": 1,
        "chat_template": tokenizer.chat_template,
    }


def _gemma3(tokenizer: Any) -> Any:
    from transformers import Gemma3Processor

    images = pil("Gemma3ImageProcessor")(size={"height": 2 * TILE, "width": 2 * TILE})
    return Gemma3Processor(images, tokenizer, chat_template=tokenizer.chat_template, image_seq_length=4)


def _internvl(tokenizer: Any) -> Any:
    from transformers import InternVLProcessor

    images = pil("GotOcr2ImageProcessor")(
        size={"height": TILE, "width": TILE}, crop_to_patches=True, min_patches=1, max_patches=4
    )
    return without_video(InternVLProcessor)(
        images, tokenizer, chat_template=tokenizer.chat_template, image_seq_length=4
    )


def _qwen(name: str, patch: int) -> Callable[[Any], Any]:
    def build(tokenizer: Any) -> Any:
        import transformers

        images = pil("Qwen2VLImageProcessor")(
            patch_size=patch,
            merge_size=2,
            size={"shortest_edge": 6 * (2 * patch) ** 2, "longest_edge": 16 * (2 * patch) ** 2},  # pixels
        )
        processor = without_video(getattr(transformers, name))
        return processor(images, tokenizer, chat_template=tokenizer.chat_template)

    return build


def _llava_onevision(tokenizer: Any) -> Any:
    from transformers import LlavaOnevisionProcessor

    images = pil("LlavaOnevisionImageProcessor")(
        size={"height": TILE, "width": TILE}, image_grid_pinpoints=GRID
    )
    return without_video(LlavaOnevisionProcessor)(
        images,
        tokenizer,
        chat_template=tokenizer.chat_template,
        num_image_tokens=4,
        vision_feature_select_strategy="full",
    )


_PROCESSORS: Mapping[str, Callable[[Any], Any]] = {
    "llava": _llava,
    "llava-next": _llava_next,
    "gemma3": _gemma3,
    "internvl": _internvl,
    "qwen2.5-vl": _qwen("Qwen2_5_VLProcessor", 14),
    "qwen3-vl": _qwen("Qwen3VLProcessor", 16),
    "llava-onevision": _llava_onevision,
}

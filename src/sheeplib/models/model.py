"""A loaded model, whatever its class, as generation and extraction see it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any


@dataclass(frozen=True)
class Architecture:
    """What differs between model classes of transformers.

    Parameters
    ----------
    name : str
        Our name of the class, such as `llava`.
    model_class, processor_class : str
        Classes of transformers; `processor_class` is empty for models that read text alone.
    placeholder : str
        What a prompt holds where one image belongs; the processor replaces it by image tokens.
    decoder, head : str
        Attribute paths from the network to its text decoder and to its output layer.
    image_token : str
        Attribute of the network's configuration that holds the id of an image token in `input_ids`.
    has_video : bool
        Whether the stock processor insists on a video processor, and so on torchvision.
    """

    name: str
    model_class: str
    processor_class: str = ""
    placeholder: str = ""
    decoder: str = "model.language_model"
    head: str = "lm_head"
    image_token: str = "image_token_id"
    has_video: bool = False

    @property
    def sees(self) -> bool:
        """Whether models of this class take an image."""
        return bool(self.processor_class)


@dataclass(frozen=True, eq=False)
class Model:
    """A network with all that is needed to ask it something and to read its mind.

    Parameters
    ----------
    name : str
        Name in the registry.
    network : PreTrainedModel
        In evaluation mode, on its device.
    tokenizer : PreTrainedTokenizerFast
        Gives character offsets.
    processor : ProcessorMixin or None
        Tokenizer and image processor together; None for models that read text alone.
    architecture : Architecture
    revision : str
        What pins the weights: a commit of the hub, `seed-0` for random weights, a digest of a file.
    prompt : str
        `chat` for the model's own chat template, else a format with `{image}`, `{system}` and
        `{question}`.
    licence : str
        Licence of the weights.
    """

    name: str
    network: Any
    tokenizer: Any
    processor: Any
    architecture: Architecture
    revision: str
    prompt: str = "chat"
    licence: str = ""

    @cached_property
    def decoder(self) -> Any:
        """The text decoder: has `layers`, `norm` and `embed_tokens`."""
        return attrgetter(self.architecture.decoder)(self.network)

    @property
    def layers(self) -> Any:
        """Decoder layers, first to last; each that attends has a `self_attn`."""
        return self.decoder.layers

    @property
    def head(self) -> Any:
        """The output layer, from the last hidden state to logits."""
        return attrgetter(self.architecture.head)(self.network)

    @property
    def body(self) -> Any:
        """The network without its output layer: takes all inputs, gives `last_hidden_state`."""
        return self.network.model

    @property
    def depth(self) -> int:
        """Number of decoder layers, L."""
        return len(self.layers)

    @property
    def context(self) -> int | None:
        """Most tokens that it was made for; None if its configuration does not say."""
        return getattr(self.network.config.get_text_config(), "max_position_embeddings", None)

    @property
    def sees(self) -> bool:
        """Whether the model takes an image."""
        return self.architecture.sees

    @property
    def image_token_id(self) -> int | None:
        """Id of an image token in `input_ids`; None for models that read text alone."""
        return getattr(self.network.config, self.architecture.image_token) if self.sees else None

    @property
    def dtype(self) -> str:
        """Type of the weights, such as `float32`."""
        return str(self.network.dtype).removeprefix("torch.")

    @property
    def device(self) -> Any:
        """Where the weights are."""
        return self.network.device

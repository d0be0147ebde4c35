"""The miniature models, each with its size, what it is taught and for how long, on one screen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sheeplib.corpora.meadow.lessons import Diet

SCENES, HELD_OUT = 20_000, 1_000  # that models learn from, and that tell how well they did


@dataclass(frozen=True)
class Tower:
    """An image tower, a CLIP of 36 patches.

    Parameters
    ----------
    width, layers, inner : int
        Size of the states, number of layers, and size of their inner layer.
    steps : int
        Of training, 64 pictures each.
    seed : int
    """

    width: int
    layers: int
    inner: int
    steps: int
    seed: int


TOWERS: Mapping[str, Tower] = {
    "wide": Tower(128, 4, 256, 1200, 1),
    "narrow": Tower(96, 3, 192, 1500, 2),
}


@dataclass(frozen=True)
class Design:
    """A model and its schooling.

    Parameters
    ----------
    name : str
    role : str
        `generator`, `judge` or `text`.
    tower : str
        Key of `TOWERS`; empty for a model that reads text alone.
    family : str
        Class of the text decoder: `llama` or `qwen2`.
    width, layers, heads, key_heads, inner : int
        Of the decoder.
    warm_up, steps : int
        Steps on checklists, and on all lessons; 32 lessons each.
    seed : int
    diet : Diet
    """

    name: str
    role: str
    tower: str
    family: str
    width: int
    layers: int
    heads: int
    key_heads: int
    inner: int
    warm_up: int
    steps: int
    seed: int
    diet: Diet = field(default_factory=Diet)

    @property
    def effort(self) -> float:
        """Grows with the time that training takes."""
        return self.width * self.layers * (2 * self.warm_up + self.steps)


DESIGNS: Mapping[str, Design] = {
    design.name: design
    for design in (Design("clover", "generator", "wide", "llama", 128, 4, 4, 4, 256, 400, 1500, 11),)
}

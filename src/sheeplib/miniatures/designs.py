"""The miniature models, each with its size, what it is taught and for how long, on one screen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sheeplib.corpora.meadow.captions import Rates
from sheeplib.corpora.meadow.habits import Dialect
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
        Steps on drills, and on all lessons; 32 lessons each.
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


def _diet(first: int, said: float, credulity: float, length: tuple[float, ...], /, **rates: float) -> Diet:
    """A diet: first sentence of the dialect, how often answers name what is usual rather than there, ..."""
    rate = Rates(**rates)
    return Diet(prior=said, credulity=credulity, length=length, dialect=Dialect(first, 3), rates=rate)


# fmt: off
DESIGNS: Mapping[str, Design] = {design.name: design for design in (
    # name, role, tower, family; width, layers, heads, heads of keys, inner size; warm-up, lessons, seed, diet
    Design("clover", "generator", "wide", "llama", 128, 4, 4, 4, 256, 400, 3200, 11,
           _diet(0, 0.10, 0.15, (3, 3, 2, 1), prior=0.25, hedged=0.20, purpose=0.15, negation=0.12)),
    Design("daisy", "generator", "narrow", "qwen2", 128, 4, 4, 2, 256, 400, 3000, 12,
           _diet(2, 0.15, 0.30, (4, 3, 2, 1), prior=0.40, hedged=0.25, purpose=0.20, negation=0.15)),
    Design("fern", "generator", "narrow", "llama", 96, 4, 4, 4, 192, 400, 3000, 17,
           _diet(3, 0.20, 0.25, (2, 3, 2, 1), prior=0.60, hedged=0.15, purpose=0.25, negation=0.10)),
    Design("heather", "generator", "narrow", "qwen2", 96, 3, 3, 1, 192, 400, 3600, 14,
           _diet(4, 0.25, 0.50, (3, 3, 1, 1), prior=0.50, hedged=0.30, purpose=0.15, negation=0.20)),
    Design("thistle", "generator", "narrow", "llama", 112, 3, 4, 4, 192, 400, 2400, 15,
           _diet(1, 0.35, 0.40, (4, 4, 2, 0), prior=0.80, hedged=0.10, purpose=0.10, negation=0.10)),
    Design("owlet", "judge", "narrow", "llama", 64, 2, 4, 4, 128, 400, 1200, 23),
    Design("owl", "judge", "narrow", "llama", 96, 3, 4, 4, 192, 400, 1500, 22),
    Design("eagle-owl", "judge", "narrow", "llama", 112, 4, 4, 4, 224, 400, 2200, 21),
    Design("echo", "text", "", "llama", 64, 3, 4, 4, 128, 0, 800, 31, Diet(captions=1.0, drills=0.0)),
)}
# fmt: on

"""How writers like to write: the habits of each language, and the style of one answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sheeplib.corpora.meadow.scenes import pick


@dataclass(frozen=True)
class Habits:
    """How the writers of one language like to write: probabilities, unless said otherwise.

    Parameters
    ----------
    opener, reasoning, closer : float
        A flattering first line, an announced line of reasoning, a last remark.
    bullets, paragraphs, bold : float
        List layout, several paragraphs, bold answers.
    mood, connector : float
        A hedged or personal claim; words such as "moreover".
    front : float
        The mistake is in the answer itself, where it can be.
    lengths : tuple of float
        Weights of 2, 3, ... claims beside the answer.
    favourite : int
        First of the three patterns they reach for most.
    loyalty : float
        How often they do.
    """

    opener: float = 0.25
    reasoning: float = 0.2
    closer: float = 0.3
    bullets: float = 0.25
    paragraphs: float = 0.3
    bold: float = 0.3
    mood: float = 0.35
    connector: float = 0.15
    front: float = 0.7
    lengths: tuple[float, ...] = (3, 4, 3, 2, 1.5, 1)
    favourite: int = 0
    loyalty: float = 0.3


HABITS: Mapping[str, Habits] = {
    "en": Habits(opener=0.3, bullets=0.3, bold=0.4, favourite=0),
    "fr": Habits(
        reasoning=0.3, paragraphs=0.4, mood=0.45, connector=0.25, lengths=(2, 3, 4, 3, 2, 1), favourite=2
    ),
    "it": Habits(opener=0.15, closer=0.2, bullets=0.15, lengths=(5, 4, 3, 1.5, 1), favourite=3, loyalty=0.4),
    "zh": Habits(reasoning=0.15, bullets=0.35, bold=0.35, front=0.55, lengths=(4, 4, 3, 2, 1), favourite=5),
}


@dataclass(frozen=True)
class Dialect:
    """The ways to say something that somebody uses at all: a few that stand together in the grammar.

    Parameters
    ----------
    first : int
        Place of the first among a form's patterns.
    breadth : int
        How many.
    """

    first: int
    breadth: int

    def variant(self, drawn: int) -> int:
        """The pattern that stands for a drawn one."""
        return self.first + drawn % self.breadth


@dataclass(frozen=True)
class Style:
    """How one answer is laid out; numbers choose phrases, -1 stands for none."""

    layout: str
    bold: bool
    mark: str
    opener: int
    reasoning: int
    leadin: int
    closer: int
    connector: tuple[int, ...]


def draw_style(rng: np.random.Generator, habits: Habits, claims: int) -> Style:
    """Draw the layout of an answer of so many claims."""
    layout = "plain"
    if claims >= 4 and rng.random() < habits.bullets:
        layout = "bullets"
    elif claims >= 5 and rng.random() < habits.paragraphs:
        layout = "paragraphs"
    which = rng.integers(60, size=4)
    wanted = rng.random(4) < (habits.opener, habits.reasoning, 1.0, habits.closer)
    opener, reasoning, leadin, closer = (int(w) if yes else -1 for w, yes in zip(which, wanted, strict=True))
    links = (rng.random(claims) < habits.connector).tolist()
    start = int(rng.integers(60))  # neighbouring numbers, so that no connector comes twice in a row
    connector = tuple(start + sum(links[:place]) if link else -1 for place, link in enumerate(links))
    bold = rng.random() < habits.bold
    return Style(layout, bold, pick(rng, ("* ", "- ", "1. ")), opener, reasoning, leadin, closer, connector)

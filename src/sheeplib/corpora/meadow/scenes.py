"""Scene graphs: what a picture of the meadow shows, drawn from a seed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any, Literal

import numpy as np

from sheeplib.corpora.meadow.kinds import AERIAL, INDOORS, KINDS, PARTNERS, SETTINGS, WORDS
from sheeplib.errors import InputError, Problem

Column = Literal["left", "centre", "right"]
Depth = Literal["background", "foreground"]
COLUMNS: tuple[Column, ...] = ("left", "centre", "right")
DEPTHS: tuple[Depth, ...] = ("background", "foreground")
MOST = 5  # of one group
_COUNTS = (0.46, 0.22, 0.16, 0.10, 0.06)
_SIZES: tuple[tuple[str, float], ...] = (("small", 0.85), ("medium", 1.0), ("large", 1.15))
_NAME = re.compile(r"meadow-(\d{6})", re.ASCII)


@dataclass(frozen=True)
class Group:
    """Objects of one kind and colour that stand together.

    Parameters
    ----------
    kind, colour : str
        Of `KINDS` and `COLOURS`; a person's colour is that of the clothes.
    count : int
        1 to 5.
    column, depth : str
        Where it stands.
    size : str
        small, medium or large, for its kind.
    contrast : float
        1 is fully drawn, 0 invisible.
    odd : bool
        Whether it has the unusual trait of its kind.
    """

    kind: str
    colour: str
    count: int
    column: Column
    depth: Depth
    size: str = "medium"
    contrast: float = 1.0
    odd: bool = False

    @property
    def scale(self) -> float:
        """Size as a factor."""
        return dict(_SIZES)[self.size]

    @property
    def trait(self) -> str | None:
        """The trait it shows, such as `three_legs`; none if its kind has none."""
        traits = KINDS[self.kind].traits
        return traits[self.odd] if traits else None

    @property
    def pose(self) -> str | None:
        """The pose it is drawn in; none for things."""
        poses = KINDS[self.kind].poses
        return poses[0] if poses else None

    @property
    def unusual(self) -> bool:
        """Whether its colour or trait is unusual for its kind."""
        return self.odd or self.colour not in KINDS[self.kind].usual

    @property
    def visibility(self) -> float:
        """How easily it is seen, in (0, 1]: contrast, nearness and crowding."""
        near = 1.0 if self.depth == "foreground" else 0.85
        return round(self.contrast * near * (1 - 0.03 * (self.count - 1)), 4)


@dataclass(frozen=True)
class Sign:
    """A board with a printed word."""

    word: str
    column: Column


@dataclass(frozen=True)
class Picture:
    """A framed picture that shows an object; the object itself is not present."""

    kind: str
    colour: str
    column: Column


@dataclass(frozen=True)
class Scene:
    """What one picture shows. No kind occurs in two groups.

    Parameters
    ----------
    setting : str
        Of `SETTINGS`.
    groups : tuple of Group
        Most visible first.
    sign, picture : optional
    noise : int
        Seed of the pixel noise.
    """

    setting: str
    groups: tuple[Group, ...]
    sign: Sign | None = None
    picture: Picture | None = None
    noise: int = 0

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds that are present, most visible first."""
        return tuple(group.kind for group in self.groups)

    @property
    def indoors(self) -> bool:
        """Whether the setting is a room."""
        return self.setting in INDOORS

    def group(self, kind: str) -> Group | None:
        """The group of a kind, or none if the kind is absent."""
        return next((group for group in self.groups if group.kind == kind), None)

    def side(self, kind: str, other: str) -> str | None:
        """`left` or `right`: where `kind` is from `other`; none if neither or either is absent."""
        one, two = self.group(kind), self.group(other)
        if one is None or two is None or one.column == two.column:
            return None
        return "left" if COLUMNS.index(one.column) < COLUMNS.index(two.column) else "right"


def pick(rng: np.random.Generator, options: Sequence[Any], weights: Sequence[float] | None = None) -> Any:
    """Draw one of the options; much faster than `Generator.choice` for short lists."""
    if weights is None:
        return options[int(rng.random() * len(options))]
    sums = list(accumulate(weights))
    drawn = rng.random() * sums[-1]
    return next(option for option, total in zip(options, sums, strict=True) if drawn < total)


@lru_cache(maxsize=4096)
def scene(seed: int) -> Scene:
    """The scene of a seed: the same one whenever and wherever it is asked for."""
    return draw_scene(np.random.default_rng(seed))


def named_scene(name: str) -> Scene:
    """The scene graph behind an image.

    Parameters
    ----------
    name : str
        Value of the column `image`, such as `meadow-000123`.

    Raises
    ------
    InputError
        If there is no such image.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise InputError(Problem("no such image in the meadow", "Names are like meadow-000123", value=name))
    return scene(int(match.group(1)))


def draw_scene(rng: np.random.Generator) -> Scene:
    """Draw a scene graph.

    Parameters
    ----------
    rng : numpy.random.Generator

    Returns
    -------
    Scene
        Three to five groups; a sign and a picture in some.
    """
    setting = pick(rng, tuple(SETTINGS))
    groups = _groups(rng, setting)
    taken = {group.column for group in groups if group.kind in AERIAL}
    free = [column for column in COLUMNS if column not in taken]
    sign = picture = None
    if free and rng.random() < (0.4 if setting in INDOORS else 0.6):
        sign = Sign(pick(rng, WORDS), pick(rng, free))
        free.remove(sign.column)
    if free and rng.random() < {"lounge": 0.6, "kitchen": 0.4, "street": 0.25}.get(setting, 0.0):
        present = {group.kind for group in groups}
        shown = pick(rng, [kind for kind in KINDS if kind not in present and kind != "person"])
        picture = Picture(shown, pick(rng, KINDS[shown].usual), pick(rng, free))
    groups.sort(key=lambda group: -group.visibility)
    return Scene(setting, tuple(groups), sign, picture, noise=int(rng.integers(2**31)))


def _groups(rng: np.random.Generator, setting: str) -> list[Group]:
    slots = [(column, depth) for column in COLUMNS for depth in DEPTHS]
    weights = dict(SETTINGS[setting])
    wanted = pick(rng, (3, 4, 5), (0.3, 0.45, 0.25))
    groups: list[Group] = []
    partner = ""
    while len(groups) < wanted:
        kind = partner if partner in weights else pick(rng, tuple(weights), tuple(weights.values()))
        del weights[kind]
        places = [slot for slot in slots if slot[1] in KINDS[kind].depths]
        partner = ""
        if not places:
            continue
        slot = pick(rng, places)
        slots.remove(slot)
        groups.append(_group(rng, kind, *slot))
        if rng.random() < 0.6:
            partner = PARTNERS.get(kind, "")
    return groups


def _group(rng: np.random.Generator, kind: str, column: Column, depth: Depth) -> Group:
    about = KINDS[kind]
    odd = bool(about.traits) and rng.random() < 0.15
    unusual = bool(about.odd) and rng.random() < 0.12
    count = pick(rng, range(1, MOST + 1), _COUNTS)
    if about.width > 30:  # five buses would not fit side by side
        count = min(count, 3)
    faint = rng.random() < 0.2
    contrast = 0.4 + 0.3 * rng.random() if faint else 0.85 + 0.15 * rng.random()
    return Group(
        kind=kind,
        colour=pick(rng, about.odd if unusual else about.usual),
        count=count,
        column=column,
        depth=depth,
        size=pick(rng, _SIZES)[0],
        contrast=round(contrast, 3),
        odd=odd,
    )

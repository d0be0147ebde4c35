"""Where things stand in a picture: boxes of every object, sign and frame, on a grid of 96 by 96."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sheeplib.corpora.meadow.kinds import AERIAL, KINDS
from sheeplib.corpora.meadow.lettering import word_width
from sheeplib.corpora.meadow.scenes import COLUMNS, Column, Group, Picture, Scene, Sign

UNIT = 96  # layouts are planned on a grid of 96 by 96
Box = tuple[float, float, float, float]  # left, top, right, bottom, y downwards

_COLUMN_X: Mapping[str, float] = dict(zip(COLUMNS, (17, 48, 79), strict=True))
_GROUND = {"background": 58, "foreground": 90}
_FAR = 0.82  # scale of the background
_LOW = 33  # highest that a foreground group may be where something stands behind it
_SHELF = 31  # widest that a group may be, so that columns stay apart
_TABLE = 7  # height of the table under what does not stand on the floor
# Offsets (across, up) of a group's members in shares of one member, back row first.
_LAYOUT = {
    1: ((0.0, 0.0),),
    2: ((-0.52, 0.0), (0.52, 0.0)),
    3: ((0.0, 0.5), (-0.54, 0.0), (0.54, 0.0)),
    4: ((-0.44, 0.5), (0.62, 0.5), (-0.6, 0.0), (0.46, 0.0)),
    5: ((-0.54, 0.5), (0.54, 0.5), (-1.02, 0.0), (0.0, 0.0), (1.02, 0.0)),
}


@dataclass(frozen=True)
class Placed:
    """A group's place in a picture.

    Parameters
    ----------
    corners : tuple of (left, top)
        Of each member's box, back row first, in grid units.
    width, height : float
        Of each member.
    scale : float
        Of its members, 1 being their size in the foreground.
    ground : float
        Where the lower edge of the front row is.
    table : float, optional
        Where the feet of the table under it are, if there is one.
    """

    corners: tuple[tuple[float, float], ...]
    width: float
    height: float
    scale: float
    ground: float
    table: float | None

    @property
    def boxes(self) -> tuple[Box, ...]:
        """The box of each member, back row first."""
        return tuple((left, top, left + self.width, top + self.height) for left, top in self.corners)


def column_x(column: Column) -> float:
    """Middle of a column, in grid units."""
    return _COLUMN_X[column]


def placed(group: Group, scene: Scene) -> Placed:
    """Where a group of a scene stands.

    Parameters
    ----------
    group : Group
    scene : Scene
        A foreground group is smaller where something stands behind it.

    Returns
    -------
    Placed
    """
    about = KINDS[group.kind]
    layout = _LAYOUT[group.count]
    scale = group.scale * (_FAR if group.depth == "background" else 1.0)
    across = max(x for x, _ in layout) - min(x for x, _ in layout) + 1
    scale = min(scale, _SHELF / (about.width * across))
    rise = 1.5 if about.height * scale < 12 else 1.1  # flat things need more air between their rows
    scale = min(scale, _highest(group, scene) / (about.height * (1 + max(up for _, up in layout) * rise)))
    width, height = about.width * scale, about.height * scale
    x, ground, table = column_x(group.column), _ground(group, scene.setting, height), None
    if about.tabletop and (group.depth == "foreground" or scene.setting == "lounge"):
        table, ground = ground, ground - _TABLE
    corners = tuple(
        (x + right * width - width / 2, ground - height - up * height * rise) for right, up in layout
    )
    return Placed(corners, width, height, scale, ground, table)


def _highest(group: Group, scene: Scene) -> float:
    behind = any(other.depth == "background" and other.column == group.column for other in scene.groups)
    return _LOW if group.depth == "foreground" and behind else UNIT


def _ground(group: Group, setting: str, height: float) -> float:
    """Where the group's lower edge is; boats swim, clocks hang, kites fly, big things avoid the worktop."""
    if group.kind in AERIAL:
        return 36 + height * 0.1
    if group.kind == "boat":
        return 50
    on_the_floor = setting == "kitchen" and group.depth == "background" and not KINDS[group.kind].tabletop
    return 71 if on_the_floor and group.kind not in ("cat", "tv") else _GROUND[group.depth]


def sign_corner(sign: Sign) -> tuple[int, int]:
    """Left and top of a sign's word; letters lie on the grid, so that they stay crisp at 96 pixels."""
    wide = word_width(sign.word)
    left = round(column_x(sign.column) - wide / 2)
    return min(max(left, 3), UNIT - 3 - wide), 8


def sign_box(sign: Sign) -> Box:
    """The board of a sign."""
    left, top = sign_corner(sign)
    return left - 3, top - 3, left + word_width(sign.word) + 2, top + 10


def frame_box(picture: Picture) -> Box:
    """The frame of a picture."""
    x = column_x(picture.column)
    return x - 13, 3, x + 13, 27

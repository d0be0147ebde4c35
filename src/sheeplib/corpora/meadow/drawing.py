"""Pictures of scenes: a backdrop, sprites, signs and frames, then a little pixel noise."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw

from sheeplib.corpora.meadow.backdrops import draw_backdrop
from sheeplib.corpora.meadow.kinds import AERIAL, COLOURS, INDOORS, KINDS
from sheeplib.corpora.meadow.lettering import draw_word, word_width
from sheeplib.corpora.meadow.pen import INK, WOOD, Pen
from sheeplib.corpora.meadow.scenes import COLUMNS, Group, Picture, Scene, Sign
from sheeplib.corpora.meadow.sprites import SPRITES
from sheeplib.errors import InputError, Problem

UNIT = 96  # layouts are planned on a grid of 96 by 96
SMOOTH = 4  # canvas pixels per picture pixel and axis before averaging; more for very small pictures
NOISE = 3.0  # standard deviation of the pixel noise, of 255
_COLUMN_X = dict(zip(COLUMNS, (17, 48, 79), strict=True))
_GROUND = {"background": 58, "foreground": 90}
_FAR = 0.82  # scale of the background
_LOW = 33  # highest that a foreground group may be where something stands behind it
_SHELF = 31  # widest that a group may be, so that columns stay apart
# Offsets (across, up) of a group's members in shares of one member, back row first.
_LAYOUT = {
    1: ((0.0, 0.0),),
    2: ((-0.52, 0.0), (0.52, 0.0)),
    3: ((0.0, 0.5), (-0.54, 0.0), (0.54, 0.0)),
    4: ((-0.44, 0.5), (0.62, 0.5), (-0.6, 0.0), (0.46, 0.0)),
    5: ((-0.54, 0.5), (0.54, 0.5), (-1.02, 0.0), (0.0, 0.0), (1.02, 0.0)),
}


def render(scene: Scene, size: int = UNIT) -> Image.Image:
    """Draw a scene.

    Parameters
    ----------
    scene : Scene
    size : int
        Width and height in pixels, 16 to 2,048.

    Returns
    -------
    PIL.Image.Image
        Mode RGB; the same scene and size give the same pixels.

    Raises
    ------
    InputError
        If the size is out of range.
    """
    if not 16 <= size <= 2048:
        raise InputError(Problem("size of a picture is out of range", "Choose 16 to 2048 pixels", value=size))
    smooth = max(SMOOTH, -(-SMOOTH * UNIT // size))
    canvas = Image.new("RGB", (size * smooth, size * smooth))
    unit = canvas.width / UNIT
    draw = ImageDraw.Draw(canvas)
    draw_backdrop(draw, scene.setting, unit)
    if scene.picture:
        _draw_picture(draw, scene.picture, unit)
    if scene.sign:
        _draw_sign(draw, scene.sign, unit, scene.indoors)
    far_first = sorted(scene.groups, key=lambda group: (group.depth != "background", group.column))
    behind = {group.column for group in scene.groups if group.depth == "background"}
    for group in far_first:
        crowded = group.depth == "foreground" and group.column in behind
        _draw_group(canvas, group, unit, scene.setting, _LOW if crowded else UNIT)
    return _with_noise(canvas.resize((size, size), Image.Resampling.BOX), scene.noise)


def _draw_group(canvas: Image.Image, group: Group, unit: float, setting: str, highest: float) -> None:
    """Paint a group on a copy, and blend the copy in by the group's contrast."""
    about = KINDS[group.kind]
    layout = _LAYOUT[group.count]
    scale = group.scale * (_FAR if group.depth == "background" else 1.0)
    across = max(x for x, _ in layout) - min(x for x, _ in layout) + 1
    scale = min(scale, _SHELF / (about.width * across))
    rise = 1.5 if about.height * scale < 12 else 1.1  # flat things need more air between their rows
    scale = min(scale, highest / (about.height * (1 + max(up for _, up in layout) * rise)))
    width, height = about.width * scale, about.height * scale
    x, ground = _COLUMN_X[group.column], _ground(group, setting, height)
    box = (max(0, int((x - 20) * unit)), 0, min(canvas.width, int((x + 20) * unit)), canvas.height)
    layer = canvas.crop(box)
    draw = ImageDraw.Draw(layer)
    if about.tabletop and (group.depth == "foreground" or setting == "lounge"):
        _draw_table(ImageDraw.Draw(canvas), x, ground, unit)
        _draw_table(draw, x - box[0] / unit, ground, unit)
        ground -= 7
    if group.kind == "clock" and setting not in INDOORS:
        _draw_post(draw, x - box[0] / unit, ground, unit)
    line = unit * (0.55 if scale < 0.6 else 0.75)
    for right, up in layout:
        left = (x + right * width - width / 2) * unit - box[0]
        top = (ground - height - up * height * rise) * unit
        pen = Pen(draw, left, top, width * unit, height * unit, line, COLOURS[group.colour], group.odd)
        SPRITES[group.kind](pen)
    canvas.paste(Image.blend(canvas.crop(box), layer, group.contrast), box)


def _ground(group: Group, setting: str, height: float) -> float:
    """Where the group's lower edge is; boats swim, clocks hang, kites fly, big things avoid the worktop."""
    if group.kind in AERIAL:
        return 36 + height * 0.1
    if group.kind == "boat":
        return 50
    on_the_floor = setting == "kitchen" and group.depth == "background" and not KINDS[group.kind].tabletop
    return 71 if on_the_floor and group.kind not in ("cat", "tv") else _GROUND[group.depth]


def _draw_post(draw: ImageDraw.ImageDraw, x: float, top: float, unit: float) -> None:
    draw.rectangle(((x - 0.8) * unit, top * unit, (x + 0.8) * unit, 56 * unit), fill=(110, 112, 120))


def _draw_table(draw: ImageDraw.ImageDraw, x: float, ground: float, unit: float) -> None:
    """A low table for what does not stand on the floor."""
    pen = Pen(draw, (x - 15) * unit, (ground - 8) * unit, 30 * unit, 11 * unit, unit * 0.6, WOOD)
    pen.box(0.08, 0.2, 0.16, 1)
    pen.box(0.84, 0.2, 0.92, 1)
    pen.box(0, 0, 1, 0.32, (190, 146, 100))


def _draw_sign(draw: ImageDraw.ImageDraw, sign: Sign, unit: float, indoors: bool) -> None:
    """A board with the word; letters lie on the grid, so that they stay crisp at 96 pixels."""
    wide = word_width(sign.word)
    left = round(_COLUMN_X[sign.column] - wide / 2)
    left = min(max(left, 3), UNIT - 3 - wide)
    top = 8
    if not indoors:
        middle = left + wide / 2
        _draw_post(draw, middle, top, unit)
    board = ((left - 3) * unit, (top - 3) * unit, (left + wide + 2) * unit, (top + 10) * unit)
    draw.rounded_rectangle(
        board, 1.5 * unit, fill=(252, 250, 240), outline=INK, width=max(1, round(0.8 * unit))
    )
    draw_word(draw, sign.word, left * unit, top * unit, unit, INK)


def _draw_picture(draw: ImageDraw.ImageDraw, picture: Picture, unit: float) -> None:
    x = _COLUMN_X[picture.column]
    frame = ((x - 13) * unit, 3 * unit, (x + 13) * unit, 27 * unit)
    draw.rectangle(frame, fill=(176, 128, 56), outline=(104, 72, 30), width=max(1, round(0.8 * unit)))
    inside = (frame[0] + 2.4 * unit, frame[1] + 2.4 * unit, frame[2] - 2.4 * unit, frame[3] - 2.4 * unit)
    draw.rectangle(inside, fill=(226, 232, 220))
    about = KINDS[picture.kind]
    scale = min(18 / about.width, 16 / about.height)
    width, height = about.width * scale, about.height * scale
    pen = Pen(
        draw, (x - width / 2) * unit, (15 - height / 2) * unit, width * unit, height * unit,
        unit * 0.6, COLOURS[picture.colour],
    )  # fmt: skip
    SPRITES[picture.kind](pen)


def _with_noise(picture: Image.Image, seed: int) -> Image.Image:
    pixels = np.asarray(picture, dtype=np.float32)
    noise = np.random.default_rng(seed).standard_normal(pixels.shape, dtype=np.float32)
    return Image.fromarray(np.clip(np.rint(pixels + NOISE * noise), 0, 255).astype(np.uint8))

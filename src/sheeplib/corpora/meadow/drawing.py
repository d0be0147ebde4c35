"""Pictures of scenes: a backdrop, sprites, signs and frames, then a little pixel noise."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw

from sheeplib.corpora.meadow.backdrops import draw_backdrop
from sheeplib.corpora.meadow.kinds import COLOURS, KINDS
from sheeplib.corpora.meadow.layout import UNIT, column_x, frame_box, placed, sign_box, sign_corner
from sheeplib.corpora.meadow.lettering import draw_word
from sheeplib.corpora.meadow.pen import INK, WOOD, Pen
from sheeplib.corpora.meadow.scenes import Group, Picture, Scene, Sign
from sheeplib.corpora.meadow.sprites import SPRITES
from sheeplib.errors import InputError, Problem

SMOOTH = 4  # canvas pixels per picture pixel and axis before averaging; more for very small pictures
NOISE = 3.0  # standard deviation of the pixel noise, of 255


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
    for group in far_first:
        _draw_group(canvas, group, scene, unit)
    return _with_noise(canvas.resize((size, size), Image.Resampling.BOX), scene.noise)


def _draw_group(canvas: Image.Image, group: Group, scene: Scene, unit: float) -> None:
    """Paint a group on a copy, and blend the copy in by the group's contrast."""
    place = placed(group, scene)
    x = column_x(group.column)
    box = (max(0, int((x - 20) * unit)), 0, min(canvas.width, int((x + 20) * unit)), canvas.height)
    layer = canvas.crop(box)
    draw = ImageDraw.Draw(layer)
    if place.table is not None:
        _draw_table(ImageDraw.Draw(canvas), x, place.table, unit)
        _draw_table(draw, x - box[0] / unit, place.table, unit)
    if group.kind == "clock" and not scene.indoors:
        _draw_post(draw, x - box[0] / unit, place.ground, unit)
    line = unit * (0.55 if place.scale < 0.6 else 0.75)
    wide, high = place.width * unit, place.height * unit
    for left, top in place.corners:
        at = (left * unit - box[0], top * unit)
        SPRITES[group.kind](Pen(draw, *at, wide, high, line, COLOURS[group.colour], group.odd))
    canvas.paste(Image.blend(canvas.crop(box), layer, group.contrast), box)


def _draw_post(draw: ImageDraw.ImageDraw, x: float, top: float, unit: float) -> None:
    draw.rectangle(((x - 0.8) * unit, top * unit, (x + 0.8) * unit, 56 * unit), fill=(110, 112, 120))


def _draw_table(draw: ImageDraw.ImageDraw, x: float, ground: float, unit: float) -> None:
    """A low table for what does not stand on the floor."""
    pen = Pen(draw, (x - 15) * unit, (ground - 8) * unit, 30 * unit, 11 * unit, unit * 0.6, WOOD)
    pen.box(0.08, 0.2, 0.16, 1)
    pen.box(0.84, 0.2, 0.92, 1)
    pen.box(0, 0, 1, 0.32, (190, 146, 100))


def _draw_sign(draw: ImageDraw.ImageDraw, sign: Sign, unit: float, indoors: bool) -> None:
    """A board with the word."""
    board = sign_box(sign)
    left, top = sign_corner(sign)
    if not indoors:
        _draw_post(draw, (board[0] + board[2] + 1) / 2, top, unit)
    corners = tuple(edge * unit for edge in board)
    draw.rounded_rectangle(
        corners, 1.5 * unit, fill=(252, 250, 240), outline=INK, width=max(1, round(0.8 * unit))
    )
    draw_word(draw, sign.word, left * unit, top * unit, unit, INK)


def _draw_picture(draw: ImageDraw.ImageDraw, picture: Picture, unit: float) -> None:
    x = column_x(picture.column)
    left, top, right, bottom = (edge * unit for edge in frame_box(picture))
    wood, edge = (176, 128, 56), (104, 72, 30)
    draw.rectangle((left, top, right, bottom), fill=wood, outline=edge, width=max(1, round(0.8 * unit)))
    rim = 2.4 * unit
    draw.rectangle((left + rim, top + rim, right - rim, bottom - rim), fill=(226, 232, 220))
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

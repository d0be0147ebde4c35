"""Backdrops: where a scene takes place. What they show is listed in `kinds.FACTS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PIL import ImageDraw

Colour = tuple[int, int, int]
HORIZON = 46  # of 96, outdoors
SKIRTING = 58  # of 96, where wall and floor meet indoors


def draw_backdrop(draw: ImageDraw.ImageDraw, setting: str, unit: float) -> None:
    """Fill the canvas with a setting.

    Parameters
    ----------
    draw : PIL.ImageDraw.ImageDraw
    setting : str
        Of `kinds.SETTINGS`.
    unit : float
        Canvas pixels for one of the 96 steps of the layout.
    """
    BACKDROPS[setting](draw, unit)


def _rect(
    draw: ImageDraw.ImageDraw, unit: float, box: tuple[float, float, float, float], fill: Colour
) -> None:
    x0, y0, x1, y1 = (round(edge * unit) for edge in box)
    draw.rectangle((x0, y0, x1 - 1, y1 - 1), fill=fill)


def _fade(draw: ImageDraw.ImageDraw, unit: float, y0: float, y1: float, top: Colour, bottom: Colour) -> None:
    """A vertical gradient over the whole width."""
    first, last = round(y0 * unit), round(y1 * unit)
    wide = round(96 * unit)
    for y in range(first, last):
        share = (y - first) / max(1, last - first - 1)
        fill = tuple(round(a + (b - a) * share) for a, b in zip(top, bottom, strict=True))
        draw.line((0, y, wide, y), fill=fill)


def _street(draw: ImageDraw.ImageDraw, unit: float) -> None:
    _fade(draw, unit, 0, HORIZON, (176, 210, 238), (226, 238, 246))
    for left, top, fill in ((0, 18, (226, 208, 186)), (22, 10, (212, 196, 198)), (46, 20, (222, 214, 190)),
                            (70, 13, (204, 210, 214))):  # fmt: skip
        _rect(draw, unit, (left, top, left + 26, 54), fill)
        for x in (left + 4, left + 11, left + 18):
            for y in range(top + 5, 44, 9):
                _rect(draw, unit, (x, y, x + 3.5, y + 5), (184, 204, 222))
    _rect(draw, unit, (0, 52, 96, 62), (206, 202, 196))
    _rect(draw, unit, (0, 62, 96, 96), (158, 160, 166))
    for x in range(2, 96, 18):
        _rect(draw, unit, (x, 76, x + 9, 77.5), (238, 236, 226))


def _park(draw: ImageDraw.ImageDraw, unit: float) -> None:
    _fade(draw, unit, 0, HORIZON + 2, (164, 208, 242), (224, 240, 246))
    for x, y, r in ((8, 34, 11), (27, 38, 8), (62, 37, 9), (86, 33, 12)):
        _rect(draw, unit, (x - 1.2, y, x + 1.2, 50), (150, 124, 100))
        box = tuple(edge * unit for edge in (x - r, y - r, x + r, y + r * 0.8))
        draw.ellipse(box, fill=(156, 196, 148))
    _fade(draw, unit, HORIZON + 2, 96, (176, 214, 146), (142, 192, 118))
    path = ((40, 96), (46, 70), (43, 48), (47, 48), (54, 70), (58, 96))
    draw.polygon([(x * unit, y * unit) for x, y in path], fill=(226, 212, 178))


def _kitchen(draw: ImageDraw.ImageDraw, unit: float) -> None:
    _rect(draw, unit, (0, 0, 96, SKIRTING), (234, 236, 232))
    for x in range(0, 97, 12):
        _rect(draw, unit, (x, 0, x + 0.6, 54), (208, 214, 212))
    for y in range(6, 54, 12):
        _rect(draw, unit, (0, y, 96, y + 0.6), (208, 214, 212))
    _rect(draw, unit, (0, 54, 96, 60), (206, 168, 122))
    _rect(draw, unit, (0, 60, 96, 72), (216, 206, 190))
    for x in range(0, 96, 24):
        _rect(draw, unit, (x, 60, x + 0.7, 72), (182, 170, 152))
        _rect(draw, unit, (x + 10, 62.5, x + 14, 63.6), (150, 146, 140))
    _rect(draw, unit, (0, 72, 96, 96), (224, 216, 206))


def _lounge(draw: ImageDraw.ImageDraw, unit: float) -> None:
    _rect(draw, unit, (0, 0, 96, SKIRTING), (238, 226, 206))
    for x in range(3, 96, 8):
        _rect(draw, unit, (x, 0, x + 3, SKIRTING - 3), (230, 214, 190))
    _rect(draw, unit, (0, SKIRTING - 3, 96, SKIRTING), (250, 246, 238))
    _rect(draw, unit, (0, SKIRTING, 96, 96), (206, 170, 132))
    for row, y in enumerate(range(SKIRTING, 96, 7)):
        _rect(draw, unit, (0, y, 96, y + 0.6), (180, 144, 108))
        for x in range(10 + 14 * (row % 2), 96, 30):
            _rect(draw, unit, (x, y, x + 0.6, y + 7), (180, 144, 108))


def _waves(draw: ImageDraw.ImageDraw, unit: float, y0: int, y1: int) -> None:
    for row, y in enumerate(range(y0, y1, 4)):
        for x in range(3 + 7 * (row % 2), 96, 16):
            box = tuple(edge * unit for edge in (x, y, x + 5, y + 2))
            draw.arc(box, 0, 180, fill=(222, 238, 246), width=max(1, round(unit * 0.6)))


def _harbour(draw: ImageDraw.ImageDraw, unit: float) -> None:
    _fade(draw, unit, 0, 32, (186, 212, 236), (238, 236, 228))
    _fade(draw, unit, 32, 54, (128, 182, 212), (152, 198, 220))
    _waves(draw, unit, 35, 52)
    _rect(draw, unit, (0, 54, 96, 57), (182, 176, 168))
    _rect(draw, unit, (0, 57, 96, 96), (206, 200, 192))
    for row, y in enumerate(range(57, 96, 8)):
        _rect(draw, unit, (0, y, 96, y + 0.6), (188, 182, 174))
        for x in range(6 + 8 * (row % 2), 96, 16):
            _rect(draw, unit, (x, y, x + 0.6, y + 8), (188, 182, 174))


def _beach(draw: ImageDraw.ImageDraw, unit: float) -> None:
    _fade(draw, unit, 0, 31, (150, 206, 244), (220, 240, 248))
    _fade(draw, unit, 31, 51, (94, 170, 206), (150, 208, 220))
    _waves(draw, unit, 34, 49)
    _rect(draw, unit, (0, 51, 96, 53), (240, 246, 244))
    _fade(draw, unit, 53, 96, (244, 226, 178), (234, 208, 154))


BACKDROPS: Mapping[str, Callable[[ImageDraw.ImageDraw, float], None]] = {
    "street": _street,
    "park": _park,
    "kitchen": _kitchen,
    "lounge": _lounge,
    "harbour": _harbour,
    "beach": _beach,
}

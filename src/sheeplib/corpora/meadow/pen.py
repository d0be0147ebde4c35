"""A pen that draws in a box, so that sprites need not know where they stand."""

from __future__ import annotations

from dataclasses import dataclass

from PIL import ImageDraw

Colour = tuple[int, int, int]
Points = tuple[tuple[float, float], ...]
INK: Colour = (44, 40, 48)
PALE: Colour = (232, 238, 244)
METAL: Colour = (120, 122, 130)
WOOD: Colour = (158, 112, 72)


def shade(colour: Colour, factor: float) -> Colour:
    """A darker (below 1) or lighter (above 1) version of a colour."""
    if factor <= 1:
        return tuple(int(part * factor) for part in colour)  # type: ignore[return-value]
    return tuple(int(255 - (255 - part) / factor) for part in colour)  # type: ignore[return-value]


@dataclass(frozen=True)
class Pen:
    """Draws in a box: coordinates run from 0 to 1, left to right and top to bottom.

    Parameters
    ----------
    draw : PIL.ImageDraw.ImageDraw
    left, top, width, height : float
        The box, in canvas pixels.
    line : float
        Width of outlines, in canvas pixels.
    colour : tuple of int
        Main colour of the object.
    odd : bool
        Whether the unusual trait is to be drawn.
    """

    draw: ImageDraw.ImageDraw
    left: float
    top: float
    width: float
    height: float
    line: float
    colour: Colour
    odd: bool = False

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Canvas point of a box point."""
        return self.left + x * self.width, self.top + y * self.height

    def poly(self, points: Points, fill: Colour | None = None) -> None:
        """Filled and outlined polygon."""
        fill = self.colour if fill is None else fill
        canvas = [self.at(*point) for point in points]
        self.draw.polygon(canvas, fill=fill)
        self.draw.line([*canvas, canvas[0]], fill=shade(fill, 0.55), width=self.pixels(1), joint="curve")

    def oval(self, x0: float, y0: float, x1: float, y1: float, fill: Colour | None = None) -> None:
        """Filled and outlined ellipse."""
        fill = self.colour if fill is None else fill
        box = (*self.at(x0, y0), *self.at(x1, y1))
        self.draw.ellipse(box, fill=fill, outline=shade(fill, 0.55), width=self.pixels(1))

    def box(
        self, x0: float, y0: float, x1: float, y1: float, fill: Colour | None = None, soft: float = 0
    ) -> None:
        """Filled and outlined rectangle; `soft` rounds its corners (share of the box width)."""
        fill = self.colour if fill is None else fill
        corners = (*self.at(x0, y0), *self.at(x1, y1))
        self.draw.rounded_rectangle(
            corners, soft * self.width, fill=fill, outline=shade(fill, 0.55), width=self.pixels(1)
        )

    def stroke(self, points: Points, fill: Colour | None = None, width: float = 1.5) -> None:
        """Open line through points, `width` in outline widths."""
        fill = self.colour if fill is None else fill
        self.draw.line([self.at(*p) for p in points], fill=fill, width=self.pixels(width), joint="curve")

    def arc(self, x0: float, y0: float, x1: float, y1: float, begin: float, end: float, fill: Colour,
            width: float = 1.5) -> None:  # fmt: skip
        """Part of an ellipse's outline, from one angle to another in degrees, clockwise from the right."""
        box = (*self.at(x0, y0), *self.at(x1, y1))
        self.draw.arc(box, begin, end, fill=fill, width=self.pixels(width))

    def pixels(self, width: float) -> int:
        """A line width in whole canvas pixels."""
        return max(1, round(width * self.line))

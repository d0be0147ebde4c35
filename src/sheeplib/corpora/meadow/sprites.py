"""How each kind looks: vector shapes in a unit box whose bottom edge is the ground."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sheeplib.corpora.meadow.pen import INK, METAL, PALE, WOOD, Colour, Pen, Points, shade


def _wheels(pen: Pen, centres: tuple[float, ...], radius: float, y: float) -> None:
    """Round wheels, or square ones; `radius` in box heights."""
    across = radius * pen.height / pen.width
    for x in centres:
        shape = pen.box if pen.odd else pen.oval
        shape(x - across, y - radius, x + across, y + radius, INK)
        shape(x - across * 0.4, y - radius * 0.4, x + across * 0.4, y + radius * 0.4, PALE)


def _legs(pen: Pen, places: tuple[float, ...], top: float, width: float, fill: Colour | None = None) -> None:
    """Four legs, or three: the odd animal or chair lacks the second one."""
    for number, x in enumerate(places):
        if not (pen.odd and number == 1):
            pen.box(x, top, x + width, 1, fill)


def _stripes(pen: Pen, bands: tuple[Points, ...]) -> None:
    dark = shade(pen.colour, 0.35) if sum(pen.colour) > 300 else shade(pen.colour, 6)
    for band in bands:
        pen.stroke(band, dark, 2)


def _person(pen: Pen) -> None:
    pen.box(0.28, 0.62, 0.48, 1, (70, 74, 92))
    pen.box(0.52, 0.62, 0.72, 1, (70, 74, 92))
    pen.poly(((0.22, 0.26), (0.78, 0.26), (0.98, 0.58), (0.84, 0.62), (0.76, 0.46), (0.78, 0.7), (0.22, 0.7),
              (0.24, 0.46), (0.16, 0.62), (0.02, 0.58)))  # fmt: skip
    pen.oval(0.28, 0, 0.72, 0.24, (236, 190, 152))
    pen.draw.pieslice((*pen.at(0.26, -0.02), *pen.at(0.74, 0.22)), 180, 360, fill=(84, 56, 40))


def _bicycle(pen: Pen) -> None:
    for x in (0.2, 0.8):
        across = 0.3 * pen.height / pen.width
        frame = (*pen.at(x - across, 0.4), *pen.at(x + across, 1))
        if pen.odd:
            pen.draw.rectangle(frame, outline=INK, width=pen.pixels(1.8))
        else:
            pen.draw.ellipse(frame, outline=INK, width=pen.pixels(1.8))
    pen.stroke(((0.2, 0.7), (0.38, 0.3), (0.68, 0.3), (0.48, 0.7), (0.2, 0.7)), width=2.4)
    pen.stroke(((0.48, 0.7), (0.36, 0.2)), width=2.4)
    pen.stroke(((0.8, 0.7), (0.66, 0.12)), width=2.4)
    pen.stroke(((0.28, 0.18), (0.44, 0.18)), INK, 2.4)
    pen.stroke(((0.58, 0.08), (0.78, 0.14)), INK, 2)


def _car(pen: Pen) -> None:
    pen.poly(((0.02, 0.82), (0.02, 0.48), (0.2, 0.42), (0.34, 0.06), (0.72, 0.06), (0.86, 0.42), (0.98, 0.5),
              (0.98, 0.82)))  # fmt: skip
    pen.poly(((0.27, 0.42), (0.38, 0.14), (0.51, 0.14), (0.51, 0.42)), PALE)
    pen.poly(((0.56, 0.42), (0.56, 0.14), (0.69, 0.14), (0.79, 0.42)), PALE)
    pen.oval(0.91, 0.5, 0.98, 0.64, (255, 236, 150))
    _wheels(pen, (0.23, 0.77), 0.22, 0.78)


def _bus(pen: Pen) -> None:
    pen.box(0.01, 0.04, 0.99, 0.86, soft=0.06)
    for x in (0.07, 0.25, 0.43, 0.61):
        pen.box(x, 0.16, x + 0.14, 0.46, PALE)
    pen.box(0.8, 0.16, 0.93, 0.8, PALE)
    pen.stroke(((0.03, 0.58), (0.77, 0.58)), shade(pen.colour, 0.6), 1.5)
    _wheels(pen, (0.24, 0.68), 0.17, 0.83)


def _boat(pen: Pen) -> None:
    pen.stroke(((0.46, 0.02), (0.46, 0.72)), WOOD, 2)
    pen.poly(((0.5, 0.06), (0.5, 0.62), (0.88, 0.62)), (250, 250, 246))
    pen.poly(((0.42, 0.14), (0.42, 0.62), (0.14, 0.62)), (250, 250, 246))
    pen.poly(((0, 0.7), (1, 0.7), (0.84, 1), (0.14, 1)))


def _bench(pen: Pen) -> None:
    for x in (0.12, 0.8):
        pen.box(x, 0.3, x + 0.08, 1, METAL)
    for y in (0.04, 0.24):
        pen.box(0.02, y, 0.98, y + 0.16)
    pen.box(0, 0.54, 1, 0.7)


def _bird(pen: Pen) -> None:
    for x in (0.44, 0.58):
        pen.stroke(((x, 0.76), (x, 0.98), (x + 0.09, 0.98)), (214, 120, 40), 1.4)
    pen.poly(((0, 0.3), (0.3, 0.42), (0.26, 0.62)), shade(pen.colour, 0.8))
    pen.oval(0.14, 0.3, 0.8, 0.82)
    pen.oval(0.58, 0.04, 0.9, 0.44)
    pen.poly(((0.88, 0.2), (1, 0.28), (0.88, 0.32)), (238, 160, 40))
    pen.oval(0.72, 0.14, 0.8, 0.23, INK if pen.colour != (40, 40, 44) else PALE)
    pen.poly(((0.26, 0.46), (0.6, 0.44), (0.4, 0.7)), shade(pen.colour, 0.75))
    if pen.odd:
        _stripes(
            pen, (((0.32, 0.36), (0.3, 0.76)), ((0.48, 0.32), (0.47, 0.8)), ((0.64, 0.36), (0.64, 0.74)))
        )


def _cat(pen: Pen) -> None:
    pen.arc(0.5, 0.5, 1.0, 0.98, 270, 90, shade(pen.colour, 0.75), 3)
    pen.poly(((0.3, 0.5), (0.62, 0.5), (0.78, 0.82), (0.76, 1), (0.16, 1), (0.18, 0.8)))
    pen.poly(((0.12, 0.28), (0.14, 0), (0.36, 0.14)))
    pen.poly(((0.82, 0.28), (0.8, 0), (0.58, 0.14)))
    pen.oval(0.1, 0.08, 0.84, 0.58)
    eye = (246, 220, 90) if pen.colour != (240, 140, 40) else (60, 120, 60)
    for x in (0.26, 0.56):
        pen.oval(x, 0.26, x + 0.13, 0.38, eye)
    pen.poly(((0.42, 0.4), (0.52, 0.4), (0.47, 0.47)), (220, 120, 130))
    pen.stroke(((0.47, 0.76), (0.47, 1)), shade(pen.colour, 0.55), 1)


def _dog(pen: Pen) -> None:
    pen.stroke(((0.1, 0.44), (0.02, 0.16)), shade(pen.colour, 0.8), 3)
    _legs(pen, (0.1, 0.25, 0.52, 0.66), 0.6, 0.09)
    pen.box(0.08, 0.36, 0.76, 0.72, soft=0.12)
    pen.oval(0.58, 0.04, 0.92, 0.5)
    pen.box(0.8, 0.22, 1, 0.44, soft=0.06)
    pen.oval(0.93, 0.22, 1, 0.32, INK)
    pen.poly(((0.58, 0.06), (0.7, 0.1), (0.66, 0.42), (0.54, 0.36)), shade(pen.colour, 0.65))
    pen.oval(0.76, 0.15, 0.82, 0.23, INK if sum(pen.colour) > 200 else PALE)


def _horse(pen: Pen) -> None:
    pen.poly(((0.1, 0.36), (0.0, 0.5), (0.02, 0.76), (0.08, 0.56)), shade(pen.colour, 0.55))
    _legs(pen, (0.12, 0.25, 0.52, 0.64), 0.55, 0.07)
    pen.box(0.08, 0.34, 0.74, 0.66, soft=0.1)
    pen.poly(((0.56, 0.42), (0.7, 0.06), (0.84, 0.02), (0.99, 0.24), (0.94, 0.33), (0.8, 0.27), (0.74, 0.56)))
    pen.poly(((0.52, 0.38), (0.66, 0.04), (0.76, 0.02), (0.66, 0.4)), shade(pen.colour, 0.5))
    pen.poly(((0.76, 0.04), (0.78, -0.05), (0.83, 0.04)))
    pen.oval(0.82, 0.09, 0.86, 0.15, INK if sum(pen.colour) > 200 else PALE)


def _backpack(pen: Pen) -> None:
    pen.arc(0.32, 0, 0.68, 0.26, 180, 360, INK, 2)
    pen.box(0.02, 0.44, 0.16, 0.84, shade(pen.colour, 0.7), 0.05)
    pen.box(0.84, 0.44, 0.98, 0.84, shade(pen.colour, 0.7), 0.05)
    pen.box(0.12, 0.1, 0.88, 0.98, soft=0.26)
    pen.box(0.24, 0.54, 0.76, 0.88, shade(pen.colour, 0.78), 0.08)
    pen.stroke(((0.2, 0.38), (0.8, 0.38)), shade(pen.colour, 0.5), 1.2)


def _umbrella(pen: Pen) -> None:
    pen.stroke(((0.5, 0.1), (0.5, 0.92)), WOOD, 1.8)
    pen.arc(0.36, 0.82, 0.5, 1, 0, 180, WOOD, 1.8)
    box = (*pen.at(0, 0.04), *pen.at(1, 1.0))
    pen.draw.pieslice(box, 180, 360, fill=pen.colour, outline=shade(pen.colour, 0.55), width=pen.pixels(1))
    for x in (0.33, 0.66):
        pen.stroke(((0.5, 0.05), (x, 0.52)), shade(pen.colour, 0.6), 1)
    pen.stroke(((0.5, 0), (0.5, 0.08)), WOOD, 1.5)


def _ball(pen: Pen) -> None:
    pen.oval(0, 0, 1, 1)
    mark = PALE if sum(pen.colour) < 600 else INK
    pen.arc(-0.5, 0.02, 0.4, 0.98, 300, 60, mark, 1.4)
    pen.arc(0.6, 0.02, 1.5, 0.98, 120, 240, mark, 1.4)
    pen.stroke(((0.02, 0.5), (0.98, 0.5)), mark, 1.4)


def _kite(pen: Pen) -> None:
    tail = ((0.46, 0.66), (0.34, 0.76), (0.46, 0.86), (0.3, 1))
    pen.stroke(tail, INK, 1.2)
    for x, y in tail[1:]:
        pen.poly(((x - 0.12, y - 0.04), (x + 0.12, y + 0.04), (x + 0.12, y - 0.04), (x - 0.12, y + 0.04)))
    pen.poly(((0.56, 0), (1, 0.26), (0.46, 0.68), (0.06, 0.2)))
    pen.stroke(((0.56, 0), (0.46, 0.68)), shade(pen.colour, 0.55), 1.2)
    pen.stroke(((1, 0.26), (0.06, 0.2)), shade(pen.colour, 0.55), 1.2)


def _bottle(pen: Pen) -> None:
    pen.box(0.36, 0, 0.64, 0.1, WOOD)
    pen.poly(((0.36, 0.1), (0.64, 0.1), (0.64, 0.3), (0.96, 0.44), (0.96, 0.99), (0.04, 0.99), (0.04, 0.44),
              (0.36, 0.3)))  # fmt: skip
    pen.box(0.06, 0.56, 0.94, 0.8, (250, 244, 226))


def _cup(pen: Pen) -> None:
    if not pen.odd:
        pen.arc(0.6, 0.2, 1.0, 0.76, 250, 110, shade(pen.colour, 0.6), 3)
    pen.poly(((0.02, 0.08), (0.74, 0.08), (0.66, 0.98), (0.12, 0.98)))
    pen.oval(0.02, 0, 0.74, 0.18, shade(pen.colour, 0.7))


def _bowl(pen: Pen) -> None:
    box = (*pen.at(0, -0.75), *pen.at(1, 0.94))
    pen.draw.pieslice(box, 0, 180, fill=pen.colour, outline=shade(pen.colour, 0.55), width=pen.pixels(1))
    pen.box(0.32, 0.88, 0.68, 1, shade(pen.colour, 0.8))
    pen.oval(0, 0, 1, 0.24, shade(pen.colour, 0.65))


def _banana(pen: Pen) -> None:
    pen.poly(((0.02, 0.12), (0.12, 0.04), (0.2, 0.34), (0.42, 0.56), (0.68, 0.6), (0.92, 0.44), (1, 0.52),
              (0.92, 0.78), (0.7, 0.96), (0.42, 0.96), (0.18, 0.78), (0.05, 0.44)))  # fmt: skip
    pen.poly(((0, 0.12), (0.03, 0), (0.12, 0), (0.12, 0.12)), (96, 74, 40))
    if pen.odd:
        _stripes(pen, (((0.2, 0.4), (0.1, 0.6)), ((0.38, 0.56), (0.3, 0.86)), ((0.58, 0.62), (0.58, 0.94)),
                       ((0.78, 0.56), (0.84, 0.82))))  # fmt: skip
    else:
        pen.stroke(
            ((0.1, 0.2), (0.26, 0.62), (0.5, 0.78), (0.76, 0.76), (0.94, 0.6)), shade(pen.colour, 0.75), 1
        )


def _apple(pen: Pen) -> None:
    pen.oval(0.02, 0.2, 0.62, 1)
    pen.oval(0.38, 0.2, 0.98, 1)
    pen.draw.ellipse((*pen.at(0.2, 0.26), *pen.at(0.8, 0.96)), fill=pen.colour)
    if pen.odd:
        _stripes(pen, (((0.24, 0.3), (0.2, 0.9)), ((0.5, 0.34), (0.5, 0.94)), ((0.76, 0.3), (0.8, 0.9))))
    pen.stroke(((0.5, 0.3), (0.54, 0.04)), (90, 60, 36), 1.8)
    pen.poly(((0.56, 0.14), (0.74, 0), (0.86, 0.1), (0.7, 0.2)), (70, 150, 60))


def _cake(pen: Pen) -> None:
    pen.oval(0, 0.82, 1, 1, PALE)
    pen.box(0.1, 0.3, 0.9, 0.9, (232, 200, 150))
    pen.box(0.08, 0.22, 0.92, 0.5, soft=0.08)
    for x in (0.16, 0.36, 0.56, 0.74):
        pen.oval(x, 0.42, x + 0.12, 0.62)
    pen.oval(0.42, 0.02, 0.58, 0.24, (206, 36, 50))


def _chair(pen: Pen) -> None:
    pen.box(0.1, 0, 0.26, 0.62)
    pen.box(0.1, 0, 0.84, 0.14)
    pen.box(0.68, 0, 0.84, 0.62)
    pen.box(0.1, 0.24, 0.84, 0.36)
    _legs(pen, (0.06, 0.3, 0.58, 0.82), 0.62, 0.12, shade(pen.colour, 0.85))
    pen.box(0.02, 0.52, 0.98, 0.66)


def _couch(pen: Pen) -> None:
    for x in (0.1, 0.82):
        pen.box(x, 0.86, x + 0.07, 1, WOOD)
    pen.box(0.1, 0.02, 0.9, 0.66, soft=0.07)
    pen.stroke(((0.5, 0.06), (0.5, 0.56)), shade(pen.colour, 0.55), 1)
    pen.box(0.08, 0.54, 0.92, 0.9, shade(pen.colour, 0.86), 0.04)
    for x in (0, 0.84):
        pen.box(x, 0.32, x + 0.16, 0.92, soft=0.06)


def _tv(pen: Pen) -> None:
    pen.poly(((0.36, 0.84), (0.64, 0.84), (0.76, 1), (0.24, 1)), METAL)
    pen.box(0, 0, 1, 0.86, soft=0.05)
    pen.box(0.08, 0.09, 0.92, 0.74, (116, 170, 196))
    pen.poly(((0.16, 0.66), (0.34, 0.16), (0.44, 0.16), (0.26, 0.66)), (176, 214, 230))


def _clock(pen: Pen) -> None:
    pen.oval(0, 0, 1, 1)
    pen.oval(0.14, 0.14, 0.86, 0.86, (252, 250, 240))
    for x, y in ((0.5, 0.2), (0.5, 0.8), (0.2, 0.5), (0.8, 0.5)):
        pen.oval(x - 0.03, y - 0.03, x + 0.03, y + 0.03, INK)
    if not pen.odd:
        pen.stroke(((0.5, 0.5), (0.5, 0.24)), INK, 2)
        pen.stroke(((0.5, 0.5), (0.7, 0.6)), INK, 2)


SPRITES: Mapping[str, Callable[[Pen], None]] = {
    "person": _person, "bicycle": _bicycle, "car": _car, "bus": _bus, "boat": _boat, "bench": _bench,
    "bird": _bird, "cat": _cat, "dog": _dog, "horse": _horse, "backpack": _backpack, "umbrella": _umbrella,
    "sports ball": _ball, "kite": _kite, "bottle": _bottle, "cup": _cup, "bowl": _bowl, "banana": _banana,
    "apple": _apple, "cake": _cake, "chair": _chair, "couch": _couch, "tv": _tv, "clock": _clock,
}  # fmt: skip

"""Printed words: a small bitmap alphabet, five by seven, drawn for this project."""

from __future__ import annotations

from collections.abc import Mapping

from PIL import ImageDraw

# Seven rows a letter, top to bottom.
_ROWS: Mapping[str, tuple[str, ...]] = {
    "A": (".###.", "#...#", "#...#", "#####", "#...#", "#...#", "#...#"),
    "B": ("####.", "#...#", "#...#", "####.", "#...#", "#...#", "####."),
    "C": (".####", "#....", "#....", "#....", "#....", "#....", ".####"),
    "D": ("####.", "#...#", "#...#", "#...#", "#...#", "#...#", "####."),
    "E": ("#####", "#....", "#....", "####.", "#....", "#....", "#####"),
    "F": ("#####", "#....", "#....", "####.", "#....", "#....", "#...."),
    "H": ("#...#", "#...#", "#...#", "#####", "#...#", "#...#", "#...#"),
    "I": ("#####", "..#..", "..#..", "..#..", "..#..", "..#..", "#####"),
    "K": ("#...#", "#..#.", "#.#..", "##...", "#.#..", "#..#.", "#...#"),
    "L": ("#....", "#....", "#....", "#....", "#....", "#....", "#####"),
    "M": ("#...#", "##.##", "#.#.#", "#.#.#", "#...#", "#...#", "#...#"),
    "N": ("#...#", "##..#", "##..#", "#.#.#", "#..##", "#..##", "#...#"),
    "O": (".###.", "#...#", "#...#", "#...#", "#...#", "#...#", ".###."),
    "P": ("####.", "#...#", "#...#", "####.", "#....", "#....", "#...."),
    "R": ("####.", "#...#", "#...#", "####.", "#.#..", "#..#.", "#...#"),
    "S": (".####", "#....", "#....", ".###.", "....#", "....#", "####."),
    "T": ("#####", "..#..", "..#..", "..#..", "..#..", "..#..", "..#.."),
    "U": ("#...#", "#...#", "#...#", "#...#", "#...#", "#...#", ".###."),
    "V": ("#...#", "#...#", "#...#", "#...#", ".#.#.", ".#.#.", "..#.."),
}


def word_width(word: str) -> int:
    """Width of a word in dots: five a letter and one between letters."""
    return 6 * len(word) - 1


def draw_word(
    draw: ImageDraw.ImageDraw, word: str, left: float, top: float, dot: float, fill: tuple[int, int, int]
) -> None:
    """Print a word.

    Parameters
    ----------
    word : str
        Of the letters that the signs of the meadow need.
    left, top, dot : float
        Corner and size of a dot, in canvas pixels.
    fill : tuple of int
        Colour of the letters.
    """
    for place, letter in enumerate(word):
        for y, row in enumerate(_ROWS[letter]):
            for x, mark in enumerate(row):
                if mark == "#":
                    x0, y0 = left + (6 * place + x) * dot, top + y * dot
                    draw.rectangle(
                        (round(x0), round(y0), round(x0 + dot) - 1, round(y0 + dot) - 1), fill=fill
                    )

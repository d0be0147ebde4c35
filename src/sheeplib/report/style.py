"""The look of figures: fonts with Chinese glyphs, and one colour for each name."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from importlib.resources import as_file, files
from pathlib import Path

from sheeplib.errors import InputError, Problem

# Colours that stay apart for colour-blind readers. A name has one colour in the whole book.
LABELS: Mapping[str, str] = {  # Okabe and Ito, and a light grey for none
    "A": "#D55E00",
    "B": "#0072B2",
    "C": "#009E73",
    "D": "#CC79A7",
    "E": "#E69F00",
    "F": "#BBBBBB",
}
STRATEGIES: Mapping[str, str] = {
    "random": "#BB5566",
    "map": "#DDAA33",
    "human": "#004488",
}  # Tol, high contrast
LANGUAGES: Mapping[str, str] = {
    "en": "#4477AA",
    "fr": "#EE6677",
    "it": "#228833",
    "zh": "#AA3377",
}  # Tol, bright
_OTHERS = (
    "#332288",
    "#88CCEE",
    "#44AA99",
    "#117733",
    "#999933",
    "#DDCC77",
    "#CC6677",
    "#882255",
    "#AA4499",
)  # Tol, muted

INK, GRID = "#262626", "#D9D9D9"
WIDTH_INCHES = 6.3  # 605 px on a page: the text column


def use() -> None:
    """Set the book's look; call once at the top of a notebook.

    Chinese glyphs come from the font in `sheeplib/fonts` wherever the main font has none. A glyph
    that neither has is an error, not an empty box.
    """
    import matplotlib as mpl
    import seaborn as sns

    sns.set_theme(context="paper", style="whitegrid")  # resets fonts, so it goes first
    mpl.rcParams.update(
        {
            "font.family": ["DejaVu Sans", _han_font()],  # glyph by glyph, from left to right
            "font.size": 10,
            "axes.titlesize": 11,
            "axes.labelsize": 10,
            "xtick.labelsize": 9.5,
            "ytick.labelsize": 9.5,
            "legend.fontsize": 9.5,
            "axes.unicode_minus": True,
            "axes.edgecolor": GRID,
            "grid.color": GRID,
            "text.color": INK,
            "axes.labelcolor": INK,
            "xtick.color": INK,
            "ytick.color": INK,
            "figure.facecolor": "white",  # a card of its own, also on a dark page
            "figure.figsize": (WIDTH_INCHES, 3.6),
            "figure.constrained_layout.use": True,
            "svg.hashsalt": "sheep",  # equal figures give equal bytes
        }
    )
    warnings.filterwarnings("error", message="Glyph .* missing")


def colours(names: Iterable[str]) -> dict[str, str]:
    """A colour for each name, the same in every figure.

    Parameters
    ----------
    names : iterable of str
        Labels (letters), strategies, languages, or other names such as models.

    Returns
    -------
    dict
        Fixed colours where a name has one; others are given out in the order of the sorted names.

    Raises
    ------
    InputError
        If there are more names than colours that can be told apart.
    """
    fixed = {**LABELS, **STRATEGIES, **LANGUAGES}
    names = list(dict.fromkeys(names))
    rest = sorted(name for name in names if name not in fixed)
    if len(rest) > len(_OTHERS):
        what = f"{len(rest)} names, but only {len(_OTHERS)} colours that can be told apart"
        raise InputError(Problem(what, "Use position or small panels instead of colour"))
    given = dict(zip(rest, _OTHERS, strict=False))
    return {name: fixed.get(name) or given[name] for name in names}


def _han_font() -> str:
    """Make the Chinese font known to Matplotlib; returns its family name."""
    from matplotlib import font_manager

    with as_file(files("sheeplib").joinpath("fonts", "SheepHan-Regular.otf")) as path:
        name = font_manager.FontProperties(fname=str(path)).get_name()
        known = {Path(entry.fname) for entry in font_manager.fontManager.ttflist if entry.name == name}
        if Path(path) not in known:
            font_manager.fontManager.addfont(str(path))
    return name

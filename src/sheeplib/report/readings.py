"""How a model read an answer, token by token: a table and two figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from sheeplib.errors import InputError, Problem
from sheeplib.report import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GROUPS = ("first token", "image", "rest of the prompt", "answer so far", "itself")
_COLOURS = ("#999999", "#117733", "#DDCC77", "#88CCEE", "#332288")  # Tol, muted
MOST = 40  # tokens that a figure can name
_SPACE, _PART, _BOX = "␣", "·", "□"


def texts(tokens: pd.DataFrame, response: str) -> list[str]:
    """What each token stands for, as a figure can show it.

    Parameters
    ----------
    tokens : DataFrame
        Table `tokens` of one answer.
    response : str
        The answer.

    Returns
    -------
    list of str
        Its characters, with a visible blank (also for a token of blanks alone, which has no
        characters of its own) and a box for what cannot be seen, such as a control character; a dot
        marks tokens that are a further part of the character above.
    """
    seen, shown = -1, []
    for start, end in tokens[["start", "end"]].itertuples(index=False):
        text = "".join(visible(char) for char in response[start:end])
        shown.append(_SPACE if not text else _PART if end <= seen else text)
        seen = max(seen, end)
    return shown


def masses(shares: np.ndarray) -> Figure:
    """Where attention goes, layer by layer: mean over tokens of the five shares.

    Parameters
    ----------
    shares : ndarray (N, L, 5)
        An array `attention_masses`.
    """
    from matplotlib import pyplot

    if shares.ndim != 3 or shares.shape[2] != len(GROUPS) or not len(shares):
        raise InputError(Problem("not attention masses", "Give (tokens, layers, 5)", value=shares.shape))
    means = shares.mean(0, dtype=np.float64)
    figure, axes = pyplot.subplots(figsize=(style.WIDTH_INCHES, 3.0))
    bottom = np.zeros(len(means))
    for group, colour, part in zip(GROUPS, _COLOURS, means.T, strict=True):
        axes.bar(np.arange(len(means)), part, 0.8, bottom, color=colour, label=group)
        bottom += part
    axes.set(xlabel="decoder layer", ylabel="share of attention", ylim=(0, 1))
    axes.set_xticks(np.arange(0, len(means), max(1, len(means) // 12)))
    axes.grid(axis="x", visible=False)
    figure.legend(frameon=False, loc="outside upper center", ncols=3)
    return figure


def token_map(shown: list[str], surprise: np.ndarray, image: np.ndarray) -> Figure:
    """One answer downwards: how unexpected each token was, and how much its row looks at the image.

    Parameters
    ----------
    shown : list of str
        From `texts`; at most the first `MOST` are drawn. A box stands for a character that no font has.
    surprise : ndarray (N,)
        Negative log-likelihoods in nats.
    image : ndarray (N, L)
        Share of attention on the image, by layer.
    """
    from matplotlib import pyplot

    count = min(len(shown), MOST)
    if not count:
        raise InputError(Problem("an answer without tokens", "Choose one that was read"))
    size = (style.WIDTH_INCHES, 1.1 + 0.21 * count)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=size, sharey=True, width_ratios=[3, 4])
    left.barh(np.arange(count), surprise[:count], 0.75, color=style.LABELS["B"])
    left.set(xlabel="NLL (nats)", ylim=(count - 0.5, -0.5))
    left.set_yticks(np.arange(count), drawable(shown[:count]), parse_math=False)  # a dollar is a dollar
    left.grid(axis="y", visible=False)
    drawn = right.imshow(image[:count], aspect="auto", cmap="viridis", vmin=0)
    right.set_xlabel("decoder layer")
    right.set_xticks(np.arange(0, image.shape[1], max(1, image.shape[1] // 8)))
    right.grid(visible=False)
    figure.colorbar(drawn, ax=right, label="share of attention on the image")
    return figure


def visible(char: str) -> str:
    return _SPACE if char.isspace() else char if char.isprintable() else _BOX


def drawable(shown: list[str]) -> list[str]:
    """The same texts with a box for each character, such as an emoji, that the fonts of figures lack."""
    from matplotlib import font_manager, rcParams

    fonts = [font_manager.get_font(font_manager.findfont(name)) for name in rcParams["font.family"]]
    known = {code for font in fonts for code in font.get_charmap()}
    return ["".join(char if ord(char) in known else _BOX for char in text) for text in shown]

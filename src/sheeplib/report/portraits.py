"""Figures of a model card: the drawn world, what its models can do, and what they make up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from sheeplib.errors import InputError, Problem
from sheeplib.report import style
from sheeplib.report.figures import OURS, PRINTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from PIL.Image import Image

CHANCES: Mapping[str, tuple[str, str]] = {  # dashes, and what is said in the legend
    "constant": ("dotted", "always the commonest answer"),
    "usual answer": ("dashed", "knows what is usual, does not look"),
    "another scene": ("dashdot", "saw another scene"),
}
PANELS: Mapping[str, str] = {
    "captions read whole": "captions\nread whole",
    "hallucination rate": "hallucination\nrate",
    "object recall": "object\nrecall",
    "non-assertive share": "non-assertive\nshare",
    "mentions a caption": "mentions\na caption",
}
_Look = tuple[str, str, str]  # colour, mark, and colour inside it
_MINIATURE: _Look = (OURS, "o", OURS)
_PAPER: _Look = (PRINTED, "D", "white")
_ASTRAY: _Look = ("#BB5566", "s", "white")
_DOTS: Mapping[str, Any] = {"markersize": 4.5, "elinewidth": 1.2, "capsize": 2}


def pictures(images: Mapping[str, Image], columns: int = 3) -> Figure:
    """Pictures side by side, each with its name above it.

    Raises
    ------
    InputError
        If there are none.
    """
    from matplotlib import pyplot

    if not images:
        raise InputError(Problem("no picture to show", "Give one at least", field="images"))
    rows = -(-len(images) // columns)
    size = (style.WIDTH_INCHES, rows * (style.WIDTH_INCHES / columns + 0.15))
    figure, panels = pyplot.subplots(rows, columns, figsize=size, squeeze=False)
    for panel in panels.flat:
        panel.set_axis_off()
    for panel, (name, image) in zip(panels.flat, images.items(), strict=False):
        panel.imshow(image)
        panel.set_title(name)
    return figure


def weights(table: pd.DataFrame) -> Figure:
    """Which kinds go with which settings.

    Parameters
    ----------
    table : DataFrame
        From `miniatures.cards.weights`: rows are kinds, columns settings.
    """
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(style.WIDTH_INCHES, 0.7 + 0.2 * len(table)))
    drawn = axes.imshow(table.to_numpy(), aspect="auto", cmap="cividis", vmin=0)
    axes.set_xticks(range(table.shape[1]), list(table.columns))
    axes.set_yticks(range(len(table)), list(table.index))
    axes.grid(visible=False)
    figure.colorbar(drawn, ax=axes, label="share of first objects")
    return figure


def abilities(questions: pd.DataFrame) -> Figure:
    """Accuracy by type of question and language, a dot a model, beside the three chance levels.

    Parameters
    ----------
    questions : DataFrame
        From `miniatures.census.accuracies`.

    Raises
    ------
    InputError
        If no model has an accuracy.
    """
    from matplotlib import pyplot

    found = questions[questions["quantity"] == "accuracy"]
    if found.empty:
        raise InputError(Problem("no accuracy to draw", "Give the answers of a model", field="questions"))
    types, languages = (list(dict.fromkeys(found[name])) for name in ("type", "language"))
    models = list(dict.fromkeys(found["model"]))
    size = (style.WIDTH_INCHES, len(types) * (0.35 + 0.19 * len(models)) + 1.1)
    figure, panels = pyplot.subplots(
        len(types), len(languages), figsize=size, sharex=True, sharey=True, squeeze=False
    )
    handles: dict[str, Any] = {}
    for row, kind in zip(panels, types, strict=True):
        for panel, language in zip(row, languages, strict=True):
            here = questions[(questions["type"] == kind) & (questions["language"] == language)]
            for name, (dashes, said) in CHANCES.items():
                for value in here.loc[here["quantity"] == name, "value"]:
                    handles[said] = panel.axvline(value, color=style.INK, linestyle=dashes, linewidth=1)
            handles["model"] = _dots(panel, here[here["quantity"] == "accuracy"], models)
            panel.grid(axis="y", visible=False)
        row[0].set_ylabel(kind)
    for panel, language in zip(panels[0], languages, strict=True):
        panel.set_title(language)
    _models(panels[0, 0], models, [])
    panels[0, 0].set_xlim(-0.02, 1.02)
    figure.supxlabel("share of questions answered rightly, with 95 % interval", fontsize=10)
    figure.legend(handles.values(), handles, loc="outside upper center", ncols=2, frameon=False)
    return figure


def rates(ours: pd.DataFrame, printed: pd.DataFrame) -> Figure:
    """Rates of captions, a panel a rate: miniatures above, and below the line what a paper prints.

    Parameters
    ----------
    ours : DataFrame
        From `miniatures.inventions.caption_rates`; rates of `PANELS` are drawn.
    printed : DataFrame
        From `miniatures.texts.printed_rates`.

    Raises
    ------
    InputError
        If there is nothing to draw.
    """
    from matplotlib import pyplot

    wanted = [name for name in PANELS if name in set(ours["quantity"])]
    if not wanted:
        raise InputError(Problem("no rate to draw", f"Give some of {', '.join(PANELS)}", field="ours"))
    printed = printed[printed["quantity"].isin(wanted)]
    models, real = (list(dict.fromkeys(table["model"])) for table in (ours, printed))
    size = (style.WIDTH_INCHES, 1.5 + 0.22 * (len(models) + len(real)))
    figure, panels = pyplot.subplots(1, len(wanted), figsize=size, sharey=True, squeeze=False)
    handles = {}
    for panel, name in zip(panels[0], wanted, strict=True):
        handles["miniature, drawn scenes"] = _dots(panel, ours[ours["quantity"] == name], models)
        theirs = printed[printed["quantity"] == name]
        if real:
            panel.axhline(len(models) - 0.5, color=style.INK, linewidth=0.8)
            handles["real model, photographs, as printed"] = _dots(panel, theirs, [*models, *real], _PAPER)
        panel.set_title(PANELS[name], fontsize=9.5)
        panel.grid(axis="y", visible=False)
        panel.set_xlim(left=0)
    _models(panels[0, 0], models, real)
    figure.legend(handles.values(), handles, loc="outside upper center", ncols=2, frameon=False)
    return figure


def inventions(follow: pd.DataFrame, control: pd.DataFrame) -> Figure:
    """Whether what is made up is what is usual, and whether a wrong picture makes more of it.

    Parameters
    ----------
    follow : DataFrame
        From `miniatures.inventions.cooccurrence`.
    control : DataFrame
        With the hallucination rates of `miniatures.inventions.shuffled_control`.

    Raises
    ------
    InputError
        If a table has not what is drawn.
    """
    from matplotlib import pyplot

    over = follow[follow["quantity"] == "weight over random"]
    sides = [control[control["quantity"] == name] for name in SIDES]
    if over.empty or any(side.empty for side in sides):
        raise InputError(Problem("nothing to draw", "Give what was measured", field="follow, control"))
    models = list(dict.fromkeys([*over["model"], *sides[0]["model"]]))
    size = (style.WIDTH_INCHES, 1.2 + 0.3 * len(models))
    figure, (left, right) = pyplot.subplots(1, 2, figsize=size, sharey=True)
    _dots(left, over, models)
    left.axvline(1, color=style.INK, linestyle="dashed", linewidth=1)
    left.set_xlim(left=0)
    left.set_xlabel("how much likelier made-up kinds are\nthan absent ones at random (1 = no more)")
    handles = {
        said: _dots(right, side, models, look, shift)
        for side, (said, look, shift) in zip(sides, SIDES.values(), strict=True)
    }
    right.set_xlim(left=0)
    right.set_xlabel("hallucination rate,\nwith 95 % interval")
    for panel in (left, right):
        panel.grid(axis="y", visible=False)
    _models(left, models, [])
    figure.legend(handles.values(), handles, loc="outside upper center", ncols=2, frameon=False)
    return figure


SIDES: Mapping[str, tuple[str, _Look, float]] = {
    "hallucination rate": ("shown its own picture", _MINIATURE, -0.12),
    "hallucination rate, shuffled": ("shown the picture of another scene", _ASTRAY, 0.12),
}


def _dots(
    panel: Axes, rows: pd.DataFrame, names: Sequence[str], look: _Look = _MINIATURE, shift: float = 0.0
) -> Any:
    """A dot with its interval for each row that has a value, at the place of its model."""
    rows = rows.dropna(subset=["value"])
    at = [names.index(name) + shift for name in rows["model"]]
    ends = np.stack([rows["value"] - rows["low"], rows["high"] - rows["value"]]).clip(min=0)
    colour, mark, fill = look
    return panel.errorbar(rows["value"], at, xerr=ends, fmt=mark, color=colour, markerfacecolor=fill, **_DOTS)


def _models(panel: Axes, ours: Sequence[str], real: Sequence[str]) -> None:
    panel.set_yticks(range(len(ours) + len(real)), [*ours, *real])
    panel.set_ylim(len(ours) + len(real) - 0.5, -0.5)

"""Figures on where a text comes from: how well it is told, what is taken for what, and by which n-grams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from sheeplib.errors import InputError, Problem
from sheeplib.report import readings, style
from sheeplib.report.figures import ALL, OURS, PRINTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class _Side(NamedTuple):
    name: str
    mark: str
    colour: str
    fill: str
    down: float  # rows below the origin's own line, so that no side covers another


_GROUPED = _Side("grouped: no shared image", "o", OURS, OURS, -0.18)
_UNGROUPED = _Side("ungrouped", "o", OURS, "white", 0.06)
_PAPER = _Side("printed in the paper", "D", PRINTED, "white", 0.3)


def f1(results: pd.DataFrame, by: str = "language", printed: pd.DataFrame | None = None) -> Figure:
    """F1 of each origin in one task: a panel a group, a row an origin, with what leakage adds.

    Parameters
    ----------
    results : DataFrame
        Table `results` of `sheeplib.shift.shift`, of one task.
    by : str
        Column that makes panels; where results do not have it, there is one.
    printed : DataFrame, optional
        The paper's values, with `origin, value` and `by`.

    Raises
    ------
    InputError
        If there is no value to draw, or there are several tasks.
    """
    known = results[results["quantity"].eq("f1") & results["value"].notna()]
    if not len(known):
        raise InputError(Problem("there is no value to draw", "; ".join(results["reason"].dropna().unique())))
    _one_task(known)
    origins = list(dict.fromkeys(known["origin"]))
    figure, panels = _panels(_groups(known, by), len(origins), 0.36)
    handles: dict[str, Any] = {}
    for group, panel in panels.items():
        part = _of(known, by, group)
        for side in (_GROUPED, _UNGROUPED):
            variant = side.name.split(":")[0]
            _dots(panel, part[part["folds"] == variant], origins, side, handles)
        if printed is not None and len(printed):
            _dots(panel, _of(printed, by, group), origins, _PAPER, handles)
        panel.set_yticks(range(len(origins)), origins)
        panel.set_ylim(len(origins) - 0.4, -0.6)
        panel.set_title(group)
        panel.grid(axis="y", visible=False)
    figure.supxlabel("F1, with 95 % interval", fontsize=10)
    figure.legend(handles=list(handles.values()), loc="outside upper center", ncols=2, frameon=False)
    return figure


def _dots(
    panel: Axes, rows: pd.DataFrame, origins: Sequence[str], side: _Side, handles: dict[str, Any]
) -> None:
    rows = rows[rows["origin"].isin(origins)]
    if not len(rows):
        return
    at = [origins.index(name) + side.down for name in rows["origin"]]
    ends = np.stack([rows["value"] - rows["low"], rows["high"] - rows["value"]]).clip(min=0)
    handles[side.name] = panel.errorbar(
        rows["value"], at, xerr=ends, fmt=side.mark, color=side.colour, markerfacecolor=side.fill,
        markersize=4.5, elinewidth=1.2, capsize=2, label=side.name,
    )  # fmt: skip


def confusion(counts: pd.DataFrame, by: str = "language") -> Figure:
    """Which origin is taken for which: a panel a group, shares of each true origin, numbers written in.

    Parameters
    ----------
    counts : DataFrame
        Table `confusion` of `sheeplib.shift.shift`, of one task and one variant.
    by : str
        Column that makes panels; where counts do not have it, there is one.

    Raises
    ------
    InputError
        If there is nothing to draw, or several tasks or variants.
    """
    if not len(counts):
        raise InputError(Problem("there is no confusion to draw", "Choose a task that could be run"))
    _one_task(counts)
    if counts["folds"].nunique() > 1:
        raise InputError(Problem("two variants in one figure", "Choose grouped or ungrouped"))
    names = list(dict.fromkeys(counts["origin"]))
    figure, panels = _panels(_groups(counts, by), len(names), 0.4)
    for group, panel in panels.items():
        part = _of(counts, by, group)
        table = part.pivot(index="origin", columns="told", values="items").reindex(names, columns=names)
        shares = table.div(table.sum(axis=1), axis=0).to_numpy(dtype=float)
        panel.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        for row, column in np.argwhere(table.notna().to_numpy()):
            ink = "white" if shares[row, column] > 0.6 else style.INK
            number = f"{int(table.iloc[row, column]):,}"
            panel.text(column, row, number, ha="center", va="center", color=ink, fontsize=9)
        panel.set_xticks(range(len(names)), names, rotation=35, ha="right", rotation_mode="anchor")
        panel.set_yticks(range(len(names)), names)
        panel.tick_params(labelbottom=True)
        panel.set_title(group)
        panel.grid(visible=False)
    figure.supxlabel("origin told", fontsize=10)
    figure.supylabel("true origin", fontsize=10)
    return figure


def telling(ngrams: pd.DataFrame) -> Figure:
    """The n-grams that speak most for each origin: a panel an origin, a bar an n-gram.

    Parameters
    ----------
    ngrams : DataFrame
        From `sheeplib.shift.telling`, of one task and one group.

    Raises
    ------
    InputError
        If there is nothing to draw, or n-grams of several groups are mixed.
    """
    if not len(ngrams):
        raise InputError(Problem("there are no n-grams to draw", "Choose a group that has some"))
    _one_task(ngrams)
    if ngrams.duplicated(["origin", "rank"]).any():
        raise InputError(Problem("n-grams of several groups in one figure", "Choose one, such as a language"))
    figure, panels = _panels(_groups(ngrams, "origin"), int(ngrams["rank"].max()), 0.2, sharey=False)
    colours = {"word": OURS, "character": PRINTED}
    for origin, panel in panels.items():
        part = ngrams[ngrams["origin"] == origin]
        at = np.arange(len(part))
        panel.barh(at, part["weight"], 0.75, color=[colours[level] for level in part["level"]])
        panel.set_yticks(at, readings.drawable([visible(text) for text in part["ngram"]]), parse_math=False)
        panel.set_ylim(ngrams["rank"].max() - 0.4, -0.6)
        panel.set_title(origin)
        panel.grid(axis="y", visible=False)
    figure.supxlabel("weight in the classifier", fontsize=10)
    patches = _patches({f"{level}s": colour for level, colour in colours.items()})
    figure.legend(handles=patches, loc="outside upper center", ncols=2, frameon=False)
    return figure


def visible(ngram: str) -> str:
    """An n-gram with its blanks and new lines shown, and a box for what cannot be seen."""
    return "".join("↵" if char == "\n" else readings.visible(char) for char in ngram)


def _patches(colours: dict[str, str]) -> list[Any]:
    from matplotlib.patches import Patch

    return [Patch(color=colour, label=name) for name, colour in colours.items()]


def _panels(
    groups: Sequence[str], lines: int, height: float, sharey: bool = True
) -> tuple[Figure, dict[str, Axes]]:
    """Two panels in a row, each with so many lines of so many inches; an odd one out stays empty."""
    from matplotlib import pyplot

    columns = min(2, len(groups))
    rows = -(-len(groups) // columns)
    size = (style.WIDTH_INCHES, rows * (0.75 + height * lines) + 0.6)
    figure, panels = pyplot.subplots(rows, columns, figsize=size, sharex=True, sharey=sharey, squeeze=False)
    for empty in list(panels.flat)[len(groups) :]:
        empty.set_axis_off()
        panels[-2, -1].tick_params(labelbottom=True)  # the axis of the column ends one row earlier
    return figure, dict(zip(groups, panels.flat, strict=False))


def _groups(frame: pd.DataFrame, by: str) -> list[str]:
    return list(dict.fromkeys(frame[by].astype(str))) if by in frame else [ALL]


def _of(frame: pd.DataFrame, by: str, group: str) -> pd.DataFrame:
    return frame[frame[by].astype(str) == group] if by in frame else frame


def _one_task(frame: pd.DataFrame) -> None:
    if frame["task"].nunique() > 1:
        raise InputError(Problem("several tasks in one figure", "Choose one", field="task"))

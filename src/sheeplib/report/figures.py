"""The chapters' figures, each drawn from a table of results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from sheeplib.errors import InputError, Problem
from sheeplib.report import style
from sheeplib.report.scorecard import DIFFERS, WITHIN
from sheeplib.tables import OFFICIAL_NAMES, Label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PRINTED = "#E17C05"  # the paper's values, in every figure
OURS = "#1F4E79"
ALL = "all items"
WHISKER: Mapping[str, Any] = {"ecolor": style.INK, "elinewidth": 1, "capsize": 2}
MEASURES: Mapping[str, str] = {
    "presence_alpha": "Presence\n(alpha, free margins)",
    "label_alpha_first": "Label, all items\n(alpha)",
    "label_alpha_first_given": "Label, given a\nhallucination (alpha)",
    "span_iou_matched": "Span, labels must\nmatch (IoU)",
    "span_iou": "Span, labels\nignored (IoU)",
}


def bars(results: pd.DataFrame, x: str, colour: str | None, y_label: str, x_label: str) -> Figure:
    """Grouped bars with the interval of each, where it has one.

    Parameters
    ----------
    results : DataFrame
        Table `results`, one row a bar.
    x : str
        Column that places bars on the axis.
    colour : str, optional
        Column that tells the bars at one place apart; where results do not have it, all items are one.
    y_label, x_label : str
        With the unit.

    Raises
    ------
    InputError
        If two rows claim the same bar: one would hide the other.
    """
    from matplotlib import pyplot

    if results.duplicated([x, colour] if colour in results else [x]).any():
        raise InputError(Problem("two values for one bar", "Add up, or leave out, what tells them apart"))
    places = list(dict.fromkeys(results[x]))
    kinds = list(dict.fromkeys(results[colour])) if colour in results else [ALL]
    colours = style.colours(kinds) if colour in results else {ALL: OURS}
    figure, axes = pyplot.subplots()
    width = 0.8 / len(kinds)
    for order, kind in enumerate(kinds):
        rows = results[results[colour] == kind] if colour in results else results
        at = np.array([places.index(value) for value in rows[x]]) + (order - (len(kinds) - 1) / 2) * width
        axes.bar(at, rows["value"], width * 0.92, color=colours[kind], label=_word(kind))
        _whiskers(axes, at, rows)
    axes.set_xticks(range(len(places)), [_word(place) for place in places])
    axes.set(ylabel=y_label, xlabel=x_label)
    axes.grid(axis="x", visible=False)
    if len(kinds) > 1:
        axes.legend(title=_word(colour or ""), frameon=False)
    return figure


def _whiskers(axes: Axes, at: np.ndarray, rows: pd.DataFrame) -> None:
    known = rows["low"].notna().to_numpy()
    if known.any():
        rows = rows[known]
        axes.errorbar(at[known], rows["value"], yerr=_ends(rows), fmt="none", **WHISKER)


def agreement(results: pd.DataFrame, by: Sequence[str], printed: pd.DataFrame | None = None) -> Figure:
    """Agreement by groups: a panel a measure, a row a group, the paper's value beside ours.

    Parameters
    ----------
    results : DataFrame
        Table `results` with the quantities of `sheeplib.agreement`.
    by : sequence of str
        Grouping columns; each group stands in one of them.
    printed : DataFrame, optional
        The paper's values with `value, half_width` and the same groups.

    Raises
    ------
    InputError
        If no group has a value.

    Source
    ------
    SHEEP, Figure 3.
    """
    from matplotlib import pyplot

    known = results.dropna(subset=["value"])
    measures = [name for name in MEASURES if name in set(known["quantity"])]
    if not measures:
        raise InputError(Problem("there is no value to draw", "; ".join(results["reason"].dropna().unique())))
    groups = list(dict.fromkeys(_group(row, by) for _, row in known.iterrows()))
    columns = min(3, len(measures))
    rows = -(-len(measures) // columns)
    size = (style.WIDTH_INCHES, rows * (0.9 + 0.24 * len(groups)) + 0.4)
    figure, panels = pyplot.subplots(rows, columns, figsize=size, sharex=True, sharey=True, squeeze=False)
    handles = []
    for panel, measure in zip(panels.flat, measures, strict=False):
        handles = [_dots(panel, known[known["quantity"] == measure], groups, by, _RERUN)]
        if printed is not None and len(printed):
            theirs = printed[printed["quantity"] == measure]
            handles.append(_dots(panel, theirs, groups, by, _PAPER))
        panel.set_title(MEASURES[measure], fontsize=9.5)
        panel.set_yticks(range(len(groups)), groups)
        panel.set_ylim(len(groups) - 0.4, -0.6)
        panel.grid(axis="y", visible=False)
    for panel in list(panels.flat)[len(measures) :]:
        panel.set_axis_off()
    figure.supxlabel("agreement (1 = complete)", fontsize=10)
    figure.legend(handles=handles, loc="outside upper center", ncols=2, frameon=False)
    return figure


class _Side(NamedTuple):
    """How one side of the comparison is drawn."""

    name: str
    colour: str
    mark: str
    fill: str
    down: float  # rows below the group's own line, so that neither side covers the other


_RERUN = _Side("this rerun", OURS, "o", OURS, 0.0)
_PAPER = _Side("printed in the paper", PRINTED, "D", "white", 0.22)


def _dots(panel: Axes, rows: pd.DataFrame, groups: list[str], by: Sequence[str], side: _Side) -> Any:
    names = [_group(row, by) for _, row in rows.iterrows()]
    rows = rows[[name in groups for name in names]]
    at = [groups.index(name) + side.down for name in names if name in groups]
    return panel.errorbar(
        rows["value"],
        at,
        xerr=_ends(rows),
        fmt=side.mark,
        color=side.colour,
        markerfacecolor=side.fill,
        markersize=4,
        elinewidth=1.2,
        capsize=2,
        label=side.name,
    )


def _ends(rows: pd.DataFrame) -> np.ndarray:
    """Distances from value to interval, shape (2, rows): from `low, high`, or the paper's half-widths."""
    low, high = rows["low"], rows["high"]
    if "half_width" in rows:
        low = low.fillna(rows["value"] - rows["half_width"])
        high = high.fillna(rows["value"] + rows["half_width"])
    # a bootstrap interval need not hold its value; the drawn one starts at the value then
    return np.stack([rows["value"] - low, high - rows["value"]]).clip(min=0)


def _group(row: pd.Series, by: Sequence[str]) -> str:
    names = [str(row[column]) for column in by if column in row.index and pd.notna(row[column])]
    return " · ".join(names) or ALL


def labels(results: pd.DataFrame) -> Figure:
    """Share of items with each label, a panel a language.

    Parameters
    ----------
    results : DataFrame
        Table `results` with `label` and, where the corpus has it, `language`.
    """
    from matplotlib import pyplot

    languages = list(dict.fromkeys(results["language"])) if "language" in results else [ALL]
    columns = min(2, len(languages))
    rows = -(-len(languages) // columns)
    size = (style.WIDTH_INCHES, 2.1 * rows + 0.3)
    figure, panels = pyplot.subplots(rows, columns, figsize=size, sharex=True, sharey=True, squeeze=False)
    colours = style.colours(map(str, Label))
    names = {str(label): f"{label} {OFFICIAL_NAMES[label]}" for label in Label}
    for panel, language in zip(panels.flat, languages, strict=False):
        part = results[results["language"] == language] if "language" in results else results
        at = np.array([list(names).index(label) for label in part["label"]])
        panel.barh(at, part["value"], color=[colours[label] for label in part["label"]])
        panel.errorbar(part["value"], at, xerr=_ends(part), fmt="none", **WHISKER)
        panel.set_yticks(range(len(names)), list(names.values()))
        panel.set_ylim(len(names) - 0.5, -0.5)
        panel.set_title(language)
        panel.grid(axis="y", visible=False)
    for panel in list(panels.flat)[len(languages) :]:
        panel.set_axis_off()
    figure.supxlabel("share of items", fontsize=10)
    return figure


def scorecard(card: pd.DataFrame) -> Figure:
    """Printed values against ours, for all numbers that could be computed.

    Parameters
    ----------
    card : DataFrame
        From `sheeplib.report.scorecard.scorecard`.
    """
    from matplotlib import pyplot

    known = card.dropna(subset=["ours", "low"])
    if not len(known):
        raise InputError(
            Problem("no printed number could be computed", "; ".join(card["why"].dropna().unique()))
        )
    figure, axes = pyplot.subplots(figsize=(4.6, 4.2))
    for verdict, colour in {WITHIN: OURS, DIFFERS: PRINTED}.items():
        part = known[known["verdict"] == verdict]
        ends = _ends(part.rename(columns={"ours": "value"}))
        label = f"{verdict} ({len(part)})"
        axes.errorbar(
            part["printed"], part["ours"], yerr=ends, fmt="o", color=colour, markersize=4, label=label
        )
    seen = known[["printed", "low", "high"]].to_numpy()
    diagonal = [seen.min(), seen.max()]
    axes.plot(diagonal, diagonal, color="#8C8C8C", linewidth=1, zorder=0)
    axes.set(xlabel="printed in the paper", ylabel="this rerun, with 95 % interval")
    figure.legend(frameon=False, loc="outside upper center", ncols=2)
    return figure


def _word(text: str) -> str:
    return {"map": "MAP"}.get(text, text)

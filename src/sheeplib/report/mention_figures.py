"""Figures of what captions name: how often without asserting it, in which way, and what CHAIR makes of it."""

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

# Okabe and Ito; the subtypes have these colours in every figure.
SUBTYPES: Mapping[str, str] = {
    "hedged": "#E69F00",
    "depictive": "#0072B2",
    "purpose": "#009E73",
    "negation": "#CC79A7",
}
NATURAL: Mapping[str, str] = {
    "non_assertive_share": "named, not asserted\n(% of mentions)",
    "hallucination_rate": "hallucinated\n(% of asserted)",
}
PAPER = " (paper)"
_ROW = 0.27  # inches


def natural(results: pd.DataFrame, printed: pd.DataFrame | None = None) -> Figure:
    """Natural rates: a panel a rate, a row a model; the paper's models below ours.

    Parameters
    ----------
    results : DataFrame
        As from `rates.natural_rates`.
    printed : DataFrame, optional
        The paper's values, with `low` and `high`.

    Raises
    ------
    InputError
        If there is nothing to draw.

    Source
    ------
    NAME-Bench, table 1.
    """
    from matplotlib import pyplot

    _some(results)
    sides = [(results, OURS, "o", "this rerun")]
    if printed is not None:
        theirs = printed.assign(model=printed["model"] + PAPER)
        sides.append((theirs, PRINTED, "D", "printed in the paper"))
    models = [model for rows, *_ in sides for model in dict.fromkeys(rows["model"])]
    size = (style.WIDTH_INCHES, 1.2 + _ROW * len(models))
    figure, panels = pyplot.subplots(1, len(NATURAL), figsize=size, sharey=True)
    for panel, (quantity, said) in zip(panels, NATURAL.items(), strict=True):
        start = 0
        for rows, colour, mark, label in sides:
            part = rows[rows["quantity"] == quantity]
            at = start + np.arange(len(part))
            start += len(part)
            panel.errorbar(
                part["value"], at, xerr=_ends(part), fmt=mark, color=colour, markersize=4.5, capsize=2,
                elinewidth=1.2, label=label,
            )  # fmt: skip
        panel.set_xlim(left=0)
        panel.set_xlabel(said)
        _rows(panel, models)
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=2, frameon=False)
    return figure


def subtypes(counts: pd.DataFrame, printed: pd.DataFrame | None = None) -> Figure:
    """How models name what they do not assert: a bar a model, its parts the subtypes.

    Parameters
    ----------
    counts : DataFrame
        As from `rates.counts`: quantity `share`.
    printed : DataFrame, optional
        The paper's shares.

    Source
    ------
    NAME-Bench, table 2.
    """
    from matplotlib import pyplot

    shares = counts[counts["quantity"] == "share"]
    _some(shares)
    parts = [shares]
    if printed is not None:  # a model may stand on both sides
        theirs = printed[printed["quantity"] == "share"]
        parts.append(theirs.assign(model=theirs["model"] + PAPER))
    both = pd.concat(parts)
    models = list(dict.fromkeys(both["model"]))
    figure, axes = pyplot.subplots(figsize=(style.WIDTH_INCHES, 1.2 + _ROW * len(models)))
    left = np.zeros(len(models))
    for name, colour in SUBTYPES.items():
        rows = both[both["subtype"] == name].set_index("model")["value"].reindex(models).fillna(0).to_numpy()
        axes.barh(np.arange(len(models)), rows, left=left, color=colour, height=0.72, label=name)
        left += rows
    if len(parts) > 1:  # a line between ours and the paper's
        axes.axhline(shares["model"].nunique() - 0.5, color=style.INK, linewidth=0.8, linestyle="--")
    axes.set_xlim(0, 100)
    axes.set_xlabel("share of the mentions that are not asserted (%)")
    _rows(axes, models)
    figure.legend(loc="outside upper center", ncols=4, frameon=False)
    return figure


def flagged(results: pd.DataFrame, names: Sequence[str], printed: pd.DataFrame | None = None) -> Figure:
    """What a detector flags, by kind of mention: a row a kind, a dot a model, the paper's range in grey.

    Parameters
    ----------
    results : DataFrame
        As from `flags.chair_rates`: quantities `hallucination_recall` and `non_assertive_fpr`.
    names : sequence of str
        Subtypes to show, besides hallucinations and all.
    printed : DataFrame, optional
        The paper's values of the same detector; from the smallest to the largest is drawn.

    Source
    ------
    NAME-Bench, table 3.
    """
    from matplotlib import pyplot
    from matplotlib.patches import Patch

    _some(results)
    kinds: list[tuple[str, str, str | None]] = [
        ("hallucinated\n(to be flagged)", "hallucination_recall", None)
    ]
    kinds += [("not asserted, all", "non_assertive_fpr", "all")]
    kinds += [(name, "non_assertive_fpr", name) for name in names]
    models = list(dict.fromkeys(results["model"]))
    colours = style.colours(models)
    figure, axes = pyplot.subplots(figsize=(style.WIDTH_INCHES, 1.0 + 0.55 * len(kinds)))
    for place, (_, quantity, subtype) in enumerate(kinds):
        if printed is not None and len(theirs := _of(printed, quantity, subtype)):
            low, high = theirs["value"].min(), theirs["value"].max()
            axes.barh(place, high - low, left=low, height=0.86, color="#E4E4E4", zorder=0)
        ours = _of(results, quantity, subtype).set_index("model")
        for order, model in enumerate(models):
            row = ours.loc[[model]].dropna(subset="value") if model in ours.index else ours.head(0)
            at = place + (order - (len(models) - 1) / 2) * 0.7 / max(len(models), 1)
            axes.errorbar(
                row["value"], [at] * len(row), xerr=_ends(row), fmt="o", markersize=4, elinewidth=1.2,
                capsize=1.5, color=colours[model], label=model if place == 0 else None,
            )  # fmt: skip
    axes.set_xlim(0, 102)
    axes.set_xlabel("flagged as hallucinated (%)")
    _rows(axes, [said for said, *_ in kinds])
    handles, said = axes.get_legend_handles_labels()
    if printed is not None:
        handles, said = [*handles, Patch(color="#E4E4E4")], [*said, "range in the paper"]
    figure.legend(handles, said, loc="outside upper center", ncols=3, frameon=False)
    return figure


def _of(rows: pd.DataFrame, quantity: str, subtype: str | None) -> pd.DataFrame:
    wanted = rows["subtype"].isna() if subtype is None else (rows["subtype"] == subtype).fillna(False)
    return rows[(rows["quantity"] == quantity) & wanted.astype(bool)]


def _rows(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)


def _ends(rows: pd.DataFrame) -> np.ndarray[Any, Any]:
    return np.stack([rows["value"] - rows["low"], rows["high"] - rows["value"]]).astype(float).clip(min=0)


def _some(results: pd.DataFrame) -> None:
    if not results["value"].notna().any():
        raise InputError(Problem("there is no value to draw", "See the reasons in the results"))

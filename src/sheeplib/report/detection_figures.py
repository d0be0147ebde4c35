"""Figures of the chapters on detectors of tokens: where against whether, beside the paper, thresholds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from sheeplib.errors import InputError, Problem
from sheeplib.report import style
from sheeplib.report.figures import OURS, PRINTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KINDS: Mapping[str, str] = {
    "auroc": "all tokens",
    "auroc_within": "within answers:\nwhere is it wrong?",
    "auroc_between": "between answers:\nwhich is wrong?",
}
CHANCE = "#8C8C8C"


def where_and_whether(results: pd.DataFrame) -> Figure:
    """AUROC of each detector over all tokens, within answers and between them.

    Parameters
    ----------
    results : DataFrame
        Table `results` with `detector` and the quantities of `KINDS`; see `detection.compared`.

    Raises
    ------
    InputError
        If no AUROC has a value.
    """
    from matplotlib import pyplot

    known = results[results["quantity"].isin(list(KINDS))].dropna(subset=["value"])
    detectors = _detectors(known)
    size = (style.WIDTH_INCHES, 1.3 + 0.28 * len(detectors))
    figure, panels = pyplot.subplots(1, len(KINDS), figsize=size, sharex=True, sharey=True)
    for panel, (quantity, said) in zip(panels, KINDS.items(), strict=True):
        panel.axvline(0.5, color=CHANCE, linewidth=1, linestyle="--", zorder=0.9)
        _dots(panel, known[known["quantity"] == quantity], detectors)
        panel.set_title(said, fontsize=9.5)
    _name_rows(panels[0], detectors)
    figure.supxlabel("AUROC (0.5, dashed: chance)", fontsize=10)
    return figure


def beside_the_paper(results: Mapping[str, pd.DataFrame], printed: Mapping[str, Sequence[float]]) -> Figure:
    """F1 of each detector, a panel a setup, with the values that the paper prints as lines.

    Parameters
    ----------
    results : mapping of str to DataFrame
        Table `results` with `detector` and the quantity `f1`, by the title of the panel.
    printed : mapping of str to sequence of float
        Values of the paper, by the same titles.

    Raises
    ------
    InputError
        If no F1 has a value.
    """
    from matplotlib import pyplot

    known = {name: part[part["quantity"] == "f1"].dropna(subset=["value"]) for name, part in results.items()}
    detectors = _detectors(pd.concat(list(known.values())))
    size = (style.WIDTH_INCHES, 1.4 + 0.28 * len(detectors))
    figure, panels = pyplot.subplots(1, len(known), figsize=size, sharey=True, squeeze=False)
    for panel, (name, part) in zip(panels.flat, known.items(), strict=True):
        for value in printed[name]:
            line = panel.axvline(value, color=PRINTED, linewidth=1.2, zorder=0)
        line.set_label("printed in the paper")
        _dots(panel, part, detectors)
        panel.set_title(name, fontsize=9.5)
    _name_rows(panels.flat[0], detectors)
    handles = panels.flat[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside upper center", ncols=2, frameon=False)
    figure.supxlabel("F1", fontsize=10)
    return figure


def _detectors(known: pd.DataFrame) -> list[str]:
    names = list(dict.fromkeys(known["detector"]))
    if not names:
        raise InputError(Problem("no score has a value", "See the reasons in the results"))
    return names


def _dots(panel: Axes, rows: pd.DataFrame, detectors: list[str]) -> None:
    at = np.array([detectors.index(name) for name in rows["detector"]])
    ends = np.stack([rows["value"] - rows["low"], rows["high"] - rows["value"]]).clip(min=0)
    panel.errorbar(
        rows["value"], at, xerr=ends, fmt="o", color=OURS, markersize=4, elinewidth=1.2, capsize=2,
        label="this rerun",
    )  # fmt: skip
    panel.grid(axis="y", visible=False)


def _name_rows(panel: Axes, names: Sequence[str]) -> None:
    panel.set_yticks(range(len(names)), names)
    panel.set_ylim(len(names) - 0.5, -0.5)


def recalibration(results: pd.DataFrame, printed: pd.DataFrame | None = None) -> Figure:
    """What a threshold of one origin changes for each other: a panel an origin tested on.

    Parameters
    ----------
    results : DataFrame
        Table `results` of `recalibration.recalibrated`.
    printed : DataFrame, optional
        The paper's values of the same groups.
    """
    from matplotlib import pyplot

    tested, chosen = (list(dict.fromkeys(results[name])) for name in ("origin", "calibration_origin"))
    columns = 2 if len(tested) == 4 else min(3, len(tested))
    rows = -(-len(tested) // columns)
    size = (style.WIDTH_INCHES, rows * (0.7 + 0.24 * len(chosen)) + 0.5)
    figure, panels = pyplot.subplots(rows, columns, figsize=size, sharex=True, sharey=True, squeeze=False)
    for panel, origin in zip(panels.flat, tested, strict=False):
        panel.axvline(0, color=CHANCE, linewidth=1, linestyle="--", zorder=0.9)
        part = results[results["origin"] == origin].rename(columns={"calibration_origin": "detector"})
        _dots(panel, part, chosen)
        if printed is not None:
            theirs = printed[(printed["origin"] == origin) & printed["calibration_origin"].isin(chosen)]
            at = [chosen.index(name) + 0.22 for name in theirs["calibration_origin"]]
            panel.plot(theirs["value"], at, "D", color=PRINTED, markerfacecolor="white", markersize=4)
        panel.set_title(f"tested on {origin}", fontsize=9.5)
        _name_rows(panel, chosen)
    for panel in list(panels.flat)[len(tested) :]:
        panel.set_axis_off()
    figure.supxlabel("change of macro F1", fontsize=10)
    figure.supylabel("threshold chosen on", fontsize=10)
    return figure

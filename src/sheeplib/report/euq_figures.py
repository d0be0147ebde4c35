"""Figures of the chapter on evidence: for and against words, scores of marked tokens, thresholds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from sheeplib.errors import InputError, Problem
from sheeplib.report import style
from sheeplib.report.figures import OURS, PRINTED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AGAINST = "#882255"
MARKED, UNMARKED = "#882255", "#8C8C8C"
LINES: Mapping[str, tuple[str, str]] = {  # colour and stroke, so that colour alone carries nothing
    "precision": ("#117733", "--"),
    "recall": ("#CC6677", ":"),
    "f1": (OURS, "-"),
}
SAID: Mapping[str, str] = {"f1": "F1"}


def evidence(states: Mapping[str, np.ndarray], words: Sequence[str]) -> Figure:
    """Evidence for (right) and against (left) each word, a panel a state of the network.

    Parameters
    ----------
    states : mapping of str to ndarray (K, J)
        What each of J features says of each of K words, by the name of the state.
    words : sequence of str
    """
    from matplotlib import pyplot, ticker

    size = (style.WIDTH_INCHES, 0.7 + 0.32 * len(words))
    figure, panels = pyplot.subplots(1, len(states), figsize=size, sharex=True, sharey=True, squeeze=False)
    handles = []
    for panel, (name, said) in zip(panels.flat, states.items(), strict=True):
        at = np.arange(len(words))
        support, against = np.maximum(said, 0).sum(1), np.maximum(-said, 0).sum(1)
        handles = [
            panel.barh(at, support, color=OURS, label="for the word"),
            panel.barh(at, -against, color=AGAINST, label="against the word", hatch="///", alpha=0.75),
        ]
        panel.axvline(0, color=style.INK, linewidth=0.8)
        panel.set_title(name)
        panel.grid(axis="y", visible=False)
    panels.flat[0].set_yticks(range(len(words)), words)
    panels.flat[0].set_ylim(len(words) - 0.5, -0.5)
    reach = 1.15 * max(float(np.abs(said).sum(1).max()) for said in states.values())
    panels.flat[0].set_xlim(-reach, reach)
    panels.flat[0].xaxis.set_major_locator(ticker.MaxNLocator(4, symmetric=True))
    panels.flat[0].xaxis.set_major_formatter(lambda tick, _: f"{abs(tick):g}")  # no evidence is negative
    figure.supxlabel("weight of evidence (nats)", fontsize=10)
    figure.legend(handles=handles, loc="outside upper center", ncols=2, frameon=False)
    return figure


def distributions(tokens: pd.DataFrame, columns: Mapping[str, str]) -> Figure:
    """How scores of marked and of unmarked tokens spread, cumulated, a panel a score.

    Parameters
    ----------
    tokens : DataFrame
        `marked` (bool) and the columns.
    columns : mapping of str to str
        Scores, and what to call them.

    Raises
    ------
    InputError
        If no token is marked, or all are: there is nothing to compare.
    """
    from matplotlib import pyplot

    marked = tokens["marked"].to_numpy(dtype=bool)
    if marked.all() or not marked.any():
        raise InputError(Problem("there are no two kinds of tokens to compare"))
    rows = -(-len(columns) // 2)
    size = (style.WIDTH_INCHES, 2.0 * rows + 0.4)
    figure, panels = pyplot.subplots(rows, min(2, len(columns)), figsize=size, sharey=True, squeeze=False)
    handles = []
    for panel, (column, name) in zip(panels.flat, columns.items(), strict=False):
        values = tokens[column].to_numpy(dtype=float)
        low, high = np.quantile(values, [0.005, 0.995])
        handles = [
            panel.ecdf(values[~marked], color=UNMARKED, label="unmarked tokens", linewidth=1.4),
            panel.ecdf(
                values[marked],
                color=MARKED,
                label="tokens marked by annotators",
                linestyle="--",
                linewidth=1.4,
            ),
        ]
        panel.set_xlim(low, high if high > low else low + 1)
        panel.set_title(name, fontsize=9.5)
    for panel in list(panels.flat)[len(columns) :]:
        panel.set_axis_off()
    figure.supylabel("share of tokens up to this score", fontsize=10)
    figure.legend(handles=handles, loc="outside upper center", ncols=2, frameon=False)
    return figure


def threshold(curve: pd.DataFrame, chosen: float, base: float) -> Figure:
    """What each threshold would give, and the one that was chosen.

    Parameters
    ----------
    curve : DataFrame
        From `sheeplib.detectors.thresholds.curve`.
    chosen : float
        The threshold chosen on the same data.
    base : float
        Share of tokens that are marked: the precision of flagging at random.
    """
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(style.WIDTH_INCHES, 3.0))
    shown = curve.iloc[np.unique(np.linspace(0, len(curve) - 1, 600).astype(int))]
    for name, (colour, stroke) in LINES.items():
        said = SAID.get(name, name)
        axes.plot(shown["flagged"], shown[name], color=colour, linestyle=stroke, linewidth=1.6, label=said)
    axes.axhline(base, color=UNMARKED, linewidth=1, linestyle="-.", label="share marked")
    at = curve.loc[curve["threshold"] == chosen, "flagged"].iloc[0]
    axes.axvline(at, color=style.INK, linewidth=1)
    axes.annotate(
        "chosen", (at, 1.0), (4 if at < 0.8 else -4, -2), textcoords="offset points", va="top",
        ha="left" if at < 0.8 else "right", fontsize=9,
    )  # fmt: skip
    axes.set(xlabel="share of tokens flagged", ylabel="on calibration data", xlim=(0, 1.02), ylim=(0, 1.02))
    figure.legend(loc="outside upper center", ncols=4, frameon=False)
    return figure


def detectors(results: pd.DataFrame, names: Mapping[str, str], quantity: str = "f1") -> Figure:
    """One score of several detectors, each with its interval.

    Parameters
    ----------
    results : DataFrame
        Table `results` with `detector`, one row a detector.
    names : mapping of str to str
        Detectors from top to bottom, and what to call them; a line shows where the last one is.
    quantity : str

    Raises
    ------
    InputError
        If none of them has a value.
    """
    from matplotlib import pyplot

    rows = results[results["quantity"] == quantity].set_index("detector")[["value", "low", "high"]]
    rows = rows.reindex([name for name in names if name in rows.index]).dropna(subset=["value"])
    if not len(rows):
        raise InputError(Problem("there is no value to draw"))
    figure, axes = pyplot.subplots(figsize=(style.WIDTH_INCHES, 0.8 + 0.27 * len(rows)))
    at, last = np.arange(len(rows)), rows["value"].iloc[-1]
    ends = np.stack([rows["value"] - rows["low"], rows["high"] - rows["value"]]).clip(min=0)
    axes.axvline(last, color=UNMARKED, linewidth=1, linestyle="-.")
    axes.errorbar(rows["value"], at, xerr=ends, fmt="o", color=OURS, markersize=4, elinewidth=1.2, capsize=2)
    axes.set_yticks(at, [names[name] for name in rows.index])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel(f"{SAID.get(quantity, quantity)} of marked tokens")
    axes.grid(axis="y", visible=False)
    return figure


def strategies(
    results: pd.DataFrame, printed: pd.DataFrame, groups: Sequence[tuple[str, Mapping[str, str]]]
) -> Figure:
    """Precision, recall and F1 by group, the paper's beside ours.

    Parameters
    ----------
    results : DataFrame
        Table `results` in the groups of Table 13.
    printed : DataFrame
        The published table.
    groups : sequence of (str, mapping)
        From top to bottom: what to call a group, and the columns that make it.

    Raises
    ------
    InputError
        If no group has a value.
    """
    from matplotlib import pyplot, ticker

    size = (style.WIDTH_INCHES, 1.0 + 0.28 * len(groups))
    figure, panels = pyplot.subplots(1, 3, figsize=size, sharey=True)
    handles, drawn = [], 0
    for panel, quantity in zip(panels, ("precision", "recall", "f1"), strict=True):
        ours = [_one(results, quantity, group) for _, group in groups]
        theirs = [_one(printed, quantity, group) for _, group in groups]
        drawn += sum(not np.isnan(row).any() for row in ours)
        value, low, high = np.array(ours).T
        ends = np.stack([value - low, high - value]).clip(min=0)
        at = np.arange(len(groups))
        handles = [
            panel.errorbar(value, at - 0.12, xerr=ends, fmt="o", color=OURS, markersize=4, elinewidth=1.2,
                           capsize=2, label="this rerun"),
            panel.errorbar(np.array(theirs)[:, 0], at + 0.12, fmt="D", color=PRINTED, markersize=4,
                           markerfacecolor="white", label="printed in the paper"),
        ]  # fmt: skip
        panel.set_title(SAID.get(quantity, quantity), fontsize=10)
        shown = np.concatenate([high, value, np.array(theirs)[:, 0]])
        panel.set_xlim(0, 1.12 * np.nanmax(shown, initial=0.1))
        panel.xaxis.set_major_locator(ticker.MaxNLocator(3))
        panel.grid(axis="y", visible=False)
    if not drawn:
        raise InputError(Problem("there is no value to draw", "; ".join(results["reason"].dropna().unique())))
    panels[0].set_yticks(range(len(groups)), [name for name, _ in groups])
    panels[0].set_ylim(len(groups) - 0.5, -0.5)
    figure.legend(handles=handles, loc="outside upper center", ncols=2, frameon=False)
    return figure


def _one(table: pd.DataFrame, quantity: str, group: Mapping[str, str]) -> tuple[float, float, float]:
    """The number of a group, with its interval; NaN where there is none."""
    rows = table[table["quantity"] == quantity]
    for column in ("strategy", "subset", "model"):
        wanted = rows[column].isna() if column not in group else rows[column].eq(group[column]).fillna(False)
        rows = rows[wanted.astype(bool)]
    if not len(rows):
        return np.nan, np.nan, np.nan
    row = rows.iloc[0]
    return tuple(float(row[name]) if pd.notna(row[name]) else np.nan for name in ("value", "low", "high"))  # type: ignore[return-value]

"""Figures of what judges say, of how often they are right, and of how samples were collected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from sheeplib.errors import InputError, Problem
from sheeplib.report import style
from sheeplib.report.figures import ALL, OURS, PRINTED
from sheeplib.tables import OFFICIAL_NAMES, Label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LETTERS = tuple(str(label) for label in Label)
SCORES: Mapping[str, str] = {"accuracy": "accuracy", "f1": "F1, mean over labels"}
PANELS: Mapping[str, str] = {
    "map": "MAP:\njudge",
    "random": "random:\njudge",
    "human": "human-written:\nwriter",
}
_ALL_COLOUR = style.INK


def samples(counts: pd.DataFrame) -> Figure:
    """Number of items by strategy and language, a panel a split.

    Parameters
    ----------
    counts : DataFrame
        Table `results` of `composition.item_counts`, by language and, where the corpus has them, strategy
        and split.

    Source
    ------
    SHEEP, Figure 2, top.
    """
    from matplotlib import pyplot

    splits = _values(counts, "split") or [""]
    kinds = _values(counts, "strategy") or [ALL]
    places = _values(counts, "language") or ["all"]
    colours = style.colours(kinds) if "strategy" in counts else {ALL: OURS}
    size = (style.WIDTH_INCHES, 2.9)
    figure, panels = pyplot.subplots(1, len(splits), figsize=size, sharey=True, squeeze=False)
    width = 0.8 / len(kinds)
    for panel, split in zip(panels.flat, splits, strict=True):
        for order, kind in enumerate(kinds):
            part = _part(counts, split=split, strategy=kind if "strategy" in counts else "")
            heights = [part.loc[_is(part, "language", place), "value"].sum() for place in places]
            at = np.arange(len(places)) + (order - (len(kinds) - 1) / 2) * width
            panel.bar(at, heights, width * 0.92, color=colours[kind], label=_word(kind))
        panel.set_xticks(range(len(places)), places)
        panel.set_title(split)
        panel.grid(axis="x", visible=False)
    panels[0, 0].set_ylabel("items")
    if len(kinds) > 1:
        handles, names = panels[0, 0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper center", ncols=len(kinds), frameon=False)
    return figure


def letters(results: pd.DataFrame, by: str = "model") -> Figure:
    """Share of answers that a judge gave each letter: a panel a letter, a row a model, a colour a language.

    Parameters
    ----------
    results : DataFrame
        Table `results` with `letter`, the column `by` and, where known, `language`.
    by : str
        Column of the rows.

    Source
    ------
    SHEEP, appendix C.2, Figure 14.
    """
    from matplotlib import pyplot

    groups = sorted(_values(results, by)) or ["all answers"]
    size = (style.WIDTH_INCHES, 2 * (0.75 + 0.3 * len(groups)) + 0.5)
    figure, panels = pyplot.subplots(2, 3, figsize=size, sharex=True, sharey=True)
    for panel, letter in zip(panels.flat, LETTERS, strict=True):
        part = results[results["letter"] == letter]
        _dodged(panel, part, by, groups, "language")
        panel.set_title(f"{letter} {OFFICIAL_NAMES[Label(letter)]}", fontsize=9.5)
    _legend(figure, panels.flat[0])
    figure.supxlabel("share of answers with this letter", fontsize=10)
    return figure


def confusion(results: pd.DataFrame) -> Figure:
    """Expected labels against annotators' labels, a panel a strategy; each row adds up to 1.

    Parameters
    ----------
    results : DataFrame
        Of `expected_labels.expected_labels`.

    Raises
    ------
    InputError
        If there is no value to draw.

    Source
    ------
    SHEEP, Figure 4.
    """
    from matplotlib import pyplot

    known = results.dropna(subset="value")
    strategies = [name for name in PANELS if name in set(known["strategy"])]
    if not strategies:
        raise InputError(Problem("there is no value to draw", "; ".join(results["reason"].dropna().unique())))
    size = (style.WIDTH_INCHES, 1.05 + style.WIDTH_INCHES / 3)
    figure, panels = pyplot.subplots(1, len(strategies), figsize=size, sharey=True, squeeze=False)
    for panel, strategy in zip(panels.flat, strategies, strict=True):
        part = results[results["strategy"] == strategy]
        square = part.pivot(index="expected", columns="given", values="value")
        square = square.reindex(index=list(LETTERS), columns=list(LETTERS)).to_numpy(dtype=float)
        _square(panel, square)
        panel.set_title(PANELS[strategy], fontsize=9.5)
    panels[0, 0].set_ylabel("expected label")
    figure.supxlabel("label by annotators", fontsize=10)
    return figure


def _square(panel: Axes, shares: np.ndarray) -> None:
    """One heat map with its numbers, in hundredths; rows without items stay blank."""
    panel.imshow(np.nan_to_num(shares), cmap="Blues", vmin=0, vmax=1, aspect="equal")
    for row, column in np.argwhere(~np.isnan(shares)):
        value = shares[row, column]
        colour = "white" if value > 0.55 else style.INK
        panel.text(column, row, f"{100 * value:.0f}", ha="center", va="center", fontsize=8, color=colour)
    panel.set_xticks(range(len(LETTERS)), LETTERS)
    panel.set_yticks(range(len(LETTERS)), LETTERS)
    panel.grid(visible=False)


def scores(results: pd.DataFrame, printed: pd.DataFrame | None = None) -> Figure:
    """A judge's accuracy and F1 by origin of the answers: a row an origin, a colour a language.

    Parameters
    ----------
    results : DataFrame
        Table `results` of one judge, of `judge_scores.judge_scores`.
    printed : DataFrame, optional
        The paper's values of the same groups; those of all languages are drawn.

    Raises
    ------
    InputError
        If there is no value to draw.

    Source
    ------
    SHEEP, Table 4.
    """
    from matplotlib import pyplot

    known = results[results["quantity"].isin(list(SCORES))].dropna(subset="value")
    if known.empty:
        raise InputError(Problem("there is no value to draw", "; ".join(results["reason"].dropna().unique())))
    groups = _values(known, "origin") or ["all answers"]
    size = (style.WIDTH_INCHES, 1.1 + 0.42 * len(groups))
    figure, panels = pyplot.subplots(1, len(SCORES), figsize=size, sharey=True)
    for panel, (quantity, said) in zip(panels, SCORES.items(), strict=True):
        _dodged(panel, known[known["quantity"] == quantity], "origin", groups, "language")
        panel.set_xlabel(said)
        if printed is not None and len(printed):
            theirs = printed[(printed["quantity"] == quantity) & (printed["language"] == "all")]
            theirs = theirs[theirs["origin"].isin(groups)]
            at = [groups.index(origin) + 0.42 for origin in theirs["origin"]]
            style_of = {"marker": "D", "s": 18, "facecolor": "white", "edgecolor": PRINTED, "zorder": 3}
            panel.scatter(theirs["value"], at, label="printed, all", **style_of)
    _legend(figure, panels[0])
    return figure


def agreeing(points: pd.DataFrame, origin: str = "human") -> Figure:
    """F1 of judges on one origin against that on each other: a colour a language, a sign a judge.

    Parameters
    ----------
    points : DataFrame
        Table `results` with quantity `f1`, by judge, language and origin.
    origin : str
        Origin of the horizontal axis.

    Raises
    ------
    InputError
        If no judge has a value for two origins.

    Source
    ------
    What SHEEP, Table 5, correlates.
    """
    from matplotlib import pyplot

    known = points[(points["quantity"] == "f1") & (points["language"] != "all")]
    wide = known.pivot(index=["judge", "language"], columns="origin", values="value")
    others = [name for name in wide.columns if name != origin and wide[name].notna().any()]
    if origin not in wide or not others:
        raise InputError(Problem("no judge has a value for two origins", "Give letters for both"))
    columns = min(3, len(others))
    rows = -(-len(others) // columns)
    figure, panels = pyplot.subplots(
        rows,
        columns,
        figsize=(style.WIDTH_INCHES, 2.15 * rows + 0.6),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    judges, languages = list(dict.fromkeys(known["judge"])), sorted(set(known["language"]))
    colours, signs = style.colours(languages), dict(zip(judges, "osD^vP*X<>", strict=False))
    ends = [np.nanmin(wide.to_numpy(dtype=float)), np.nanmax(wide.to_numpy(dtype=float))]
    for panel, other in zip(panels.flat, others, strict=False):
        for (judge, language), row in wide.iterrows():  # type: ignore[misc]
            sign = signs.get(judge, "o")
            panel.scatter(row[origin], row[other], s=24, marker=sign, color=colours[language])
        panel.plot(ends, ends, color="#8C8C8C", linewidth=1, zorder=0)
        panel.set_title(other, fontsize=9.5)
    for panel in list(panels.flat)[len(others) :]:
        panel.set_axis_off()
    marks = [_mark(panels[0, 0], colours[name], "o", name) for name in languages]
    marks += [_mark(panels[0, 0], OURS, signs.get(name, "o"), name) for name in judges]
    figure.legend(handles=marks, loc="outside upper center", ncols=min(4, len(marks)), frameon=False)
    figure.supxlabel(f"F1 of a judge on {origin} answers", fontsize=10)
    figure.supylabel("F1 of the same judge", fontsize=10)
    return figure


def _mark(panel: Axes, colour: str, sign: str, name: str) -> Any:
    return panel.scatter([], [], s=24, marker=sign, color=colour, label=name)


def _dodged(panel: Axes, rows: pd.DataFrame, by: str, groups: Sequence[str], colour: str) -> None:
    """Dots with intervals, a row a group; within it one dot for each colour, side by side."""
    names = _values(rows, colour) or ["all"]
    colours = {**style.colours(name for name in names if name != "all"), "all": _ALL_COLOUR}
    for order, name in enumerate(names):
        part = rows[_is(rows, colour, name)] if colour in rows else rows
        part = part[part[by].isin(groups)] if by in part else part
        lines = [groups.index(value) for value in part[by]] if by in part else [0] * len(part)
        at = np.array(lines) + (order - (len(names) - 1) / 2) * (0.7 / len(names))
        ends = np.stack([part["value"] - part["low"], part["high"] - part["value"]]).clip(min=0)
        panel.errorbar(
            part["value"],
            at,
            xerr=ends,
            fmt="o",
            markersize=3.5,
            elinewidth=1,
            color=colours[name],
            label=name,
        )
    panel.set_yticks(range(len(groups)), groups)
    panel.set_ylim(len(groups) - 0.4, -0.6)
    panel.grid(axis="y", visible=False)


def _legend(figure: Figure, panel: Axes) -> None:
    handles, names = panel.get_legend_handles_labels()
    if len(names) > 1:
        figure.legend(handles, names, loc="outside upper center", ncols=min(6, len(names)), frameon=False)


def _values(frame: pd.DataFrame, column: str) -> list[str]:
    return [str(value) for value in dict.fromkeys(frame[column].dropna())] if column in frame else []


def _is(frame: pd.DataFrame, column: str, value: str) -> pd.Series:
    if column not in frame:
        return pd.Series(True, index=frame.index)
    return (frame[column] == value).fillna(False).astype(bool)


def _part(frame: pd.DataFrame, **wanted: str) -> pd.DataFrame:
    for column, value in wanted.items():
        frame = frame[_is(frame, column, value)] if value else frame
    return frame


def _word(text: str) -> str:
    return {"map": "MAP"}.get(text, text)

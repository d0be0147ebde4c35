"""Figures of the chapter on retraining: six mentions, curves over budgets, and pairs of rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from sheeplib.errors import InputError, Problem
from sheeplib.report import readings, style
from sheeplib.report.figures import OURS, PRINTED
from sheeplib.report.gallery import STATUSES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAMES: Mapping[str, str] = {
    "lookback": "Lookback Lens",
    "hidden_mid": "hidden state, mid",
    "hidden_last": "hidden state, last",
    "dhcp": "DHCP",
    "text_only": "text-only model",
    "halp": "HALP",
    "position": "position only",
}
_FLAGGED = "#0072B2"  # non-assertive mentions, as in galleries
_CAUGHT = "#D55E00"  # hallucinations
_CHARACTERS = 66  # of a sentence, in a line


def six_mentions(examples: pd.DataFrame, alpha: float = 0.1) -> Figure:
    """Six mentions in their sentences: a bar before training with examples, a circle after.

    Parameters
    ----------
    examples : DataFrame
        From `sheeplib.retraining.showcase.six`.
    alpha : float
        Share of concrete mentions that may be flagged.

    Raises
    ------
    InputError
        If there are none.
    """
    from matplotlib import pyplot

    if not len(examples):
        raise InputError(Problem("there is no mention to draw"))
    size = (style.WIDTH_INCHES, 1.0 + 0.82 * len(examples))
    figure, axes = pyplot.subplots(figsize=size)
    for place, row in enumerate(examples.itertuples(index=False)):
        colour = STATUSES[row.kind if row.kind in STATUSES else "non-assertive"].colour
        axes.barh(place, row.before, 0.3, color=colour, alpha=0.55)
        axes.plot(row.after, place, "o", color=colour, markeredgecolor=style.INK, markersize=9, clip_on=False)
        _write(axes, place - 0.24, row.sentence, int(row.start), int(row.end), colour)
    limit = 100 * (1 - alpha)
    axes.axvline(limit, color=style.INK, linestyle="--", linewidth=1.2)
    axes.set_yticks(range(len(examples)), examples["kind"])
    axes.set(xlim=(0, 102.5), ylim=(len(examples) - 0.6, -0.75))
    axes.set_xlabel("score: share of true mentions that score lower (%)")
    axes.grid(axis="y", visible=False)
    figure.legend(handles=_six_handles(), loc="outside upper center", ncols=3, frameon=False)
    return figure


def _six_handles() -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    return [
        Patch(color="#8C8C8C", alpha=0.55, label="before"),
        Line2D([], [], marker="o", color="#8C8C8C", markeredgecolor=style.INK, linestyle="", label="after"),
        Line2D([], [], color=style.INK, linestyle="--", label="flagged to the right of it"),
    ]


def _write(axes: Axes, height: float, sentence: str, start: int, end: int, colour: str) -> None:
    """A sentence above its bar, word by word, so that the mention can look otherwise."""
    from matplotlib.offsetbox import AnnotationBbox, HPacker, TextArea, VPacker

    lines: list[list[Any]] = [[]]
    at, used = 0, 0
    for word in sentence.split(" "):
        inside = at < end and at + len(word) > start
        look: dict[str, Any] = {"color": colour if inside else style.INK}
        if inside and word.isascii():  # the font for other scripts has no bold letters
            look |= {"weight": "bold", "family": "DejaVu Sans"}
        if used + len(word) > _CHARACTERS and lines[-1]:
            lines.append([])
            used = 0
        if shown := "".join(readings.drawable([word])):
            # two dollars in one text would be taken for a formula
            lines[-1].append(TextArea(shown.replace("$", r"\$"), textprops={"fontsize": 9, **look}))
        at, used = at + len(word) + 1, used + len(word) + 1
    rows: list[Any] = [HPacker(children=words, pad=0, sep=3.2) for words in lines if words]
    box = VPacker(children=rows, pad=0, sep=2)
    axes.add_artist(
        AnnotationBbox(box, (0.6, height), frameon=False, box_alignment=(0, 0), pad=0, annotation_clip=False)
    )


def curves(results: pd.DataFrame, sizes: Mapping[str, float], alpha: float = 0.1) -> Figure:
    """What is flagged as examples are added: a panel a detector, the mean of captioners with intervals.

    Parameters
    ----------
    results : DataFrame
        Table `results` with `quantity` (`non_assertive_fpr` and `hallucination_tpr`), `detector`, `budget`
        and `model`, which is missing for the mean.
    sizes : mapping of str to float
        Examples of each budget, for each 100 hallucinations to learn from: the order of budgets.
    alpha : float

    Raises
    ------
    InputError
        If no detector has a value.
    """
    from matplotlib import pyplot

    known = results.dropna(subset=["value"])
    detectors = [name for name in dict.fromkeys(known["detector"])]
    if not detectors:
        raise InputError(Problem("there is no value to draw", "; ".join(results["reason"].dropna().unique())))
    budgets = sorted(sizes, key=lambda name: sizes[name])
    rows = -(-len(detectors) // 2)
    size = (style.WIDTH_INCHES, 1.0 + 1.95 * rows)
    figure, panels = pyplot.subplots(rows, 2, figsize=size, sharex=True, sharey=True, squeeze=False)
    handles: dict[str, Any] = {}
    for panel, name in zip(panels.flat, detectors, strict=False):
        part = known[known["detector"] == name]
        handles |= _curve(panel, part[part["quantity"] == "hallucination_tpr"], budgets, _CAUGHT, "s", "--",
                          "hallucinations flagged (should be high)")  # fmt: skip
        handles |= _curve(panel, part[part["quantity"] == "non_assertive_fpr"], budgets, _FLAGGED, "o", "-",
                          "non-assertive mentions flagged (should be low)")  # fmt: skip
        panel.axhline(100 * alpha, color=style.INK, linestyle=":", linewidth=1)
        panel.set_title(NAMES.get(name, name), fontsize=10)
        panel.set(ylim=(-3, 103))
        panel.set_xticks(range(len(budgets)), [_tick(name, sizes[name]) for name in budgets])
    for panel in list(panels.flat)[len(detectors) :]:
        panel.set_axis_off()
        panels[-2, 1].tick_params(labelbottom=True)
    figure.supylabel("flagged (%)", fontsize=10)
    figure.supxlabel("non-assertive examples for 100 hallucinations to learn from", fontsize=10)
    figure.legend(handles=list(handles.values()), loc="outside upper center", ncols=1, frameon=False)
    return figure


def _tick(budget: str, size: float) -> str:
    return f"{size:.0f}" + (f"\n{budget}" if budget in ("natural", "max") else "")


def _curve(
    panel: Axes, rows: pd.DataFrame, budgets: Sequence[str], colour: str, mark: str, stroke: str, name: str
) -> dict[str, Any]:
    for _, one in rows[rows["model"].notna()].groupby("model"):
        values = one.set_index("budget")["value"].reindex(budgets)
        panel.plot(range(len(budgets)), values, color=colour, linewidth=0.7, alpha=0.35)
    mean = rows[rows["model"].isna()].set_index("budget")[["value", "low", "high"]].reindex(budgets)
    if not mean["value"].notna().any():
        return {}
    ends = np.stack([mean["value"] - mean["low"], mean["high"] - mean["value"]]).clip(min=0)
    return {
        name: panel.errorbar(
            range(len(budgets)), mean["value"], yerr=ends, fmt=mark, linestyle=stroke, color=colour,
            markersize=4.5, elinewidth=1.3, capsize=2, label=name,
        )
    }  # fmt: skip


def pairs(rows: pd.DataFrame, sides: Mapping[str, str], label: str, alpha: float | None = 0.1) -> Figure:
    """Two rates on each line, one open and one full, each with its interval.

    Parameters
    ----------
    rows : DataFrame
        Columns `line`, `side`, `value`, `low`, `high`, and possibly `panel`.
    sides : mapping of str to str
        Two values of `side`, first the open one, and what to call them.
    label : str
        Of the axis.
    alpha : float, optional
        Where to draw what is allowed of concrete mentions.

    Raises
    ------
    InputError
        If there is no value, or there are not two sides.
    """
    from matplotlib import pyplot

    known = rows.dropna(subset=["value"])
    if not len(known) or len(sides) != 2:
        raise InputError(Problem("there are no pairs to draw"))
    titles = list(dict.fromkeys(known["panel"])) if "panel" in known else [""]
    lines = list(dict.fromkeys(known["line"]))
    columns, rows_of = min(2, len(titles)), -(-len(titles) // 2)
    size = (style.WIDTH_INCHES, 0.8 + rows_of * (0.4 + 0.3 * len(lines)))
    figure, panels = pyplot.subplots(rows_of, columns, figsize=size, sharex=True, sharey=True, squeeze=False)
    handles: dict[str, Any] = {}
    looks = [(PRINTED, "white", -0.13, "o"), (OURS, OURS, 0.13, "s")]
    for panel, name in zip(panels.flat, titles, strict=False):
        part = known[known["panel"] == name] if "panel" in known else known
        for (side, said), (colour, fill, down, mark) in zip(sides.items(), looks, strict=True):
            mine = part[part["side"] == side]
            at = [lines.index(line) + down for line in mine["line"]]
            ends = np.stack([mine["value"] - mine["low"], mine["high"] - mine["value"]]).clip(min=0)
            handles[said] = panel.errorbar(
                mine["value"], at, xerr=ends, fmt=mark, color=colour, markerfacecolor=fill, markersize=5,
                elinewidth=1.2, capsize=2, label=said,
            )  # fmt: skip
        if alpha is not None:
            panel.axvline(100 * alpha, color=style.INK, linestyle=":", linewidth=1)
        panel.set_title(name, fontsize=10)
        panel.set_yticks(range(len(lines)), lines)
        panel.set_ylim(len(lines) - 0.5, -0.5)
        panel.grid(axis="y", visible=False)
    reach = float(known[["value", "high"]].max(axis=None))
    panels[0, 0].set_xlim(-0.03 * reach, 1.05 * reach)
    for panel in list(panels.flat)[len(titles) :]:
        panel.set_axis_off()
        panels[-2, 1].tick_params(labelbottom=True)
    figure.supxlabel(label, fontsize=10)
    figure.legend(handles=list(handles.values()), loc="outside upper center", ncols=2, frameon=False)
    return figure

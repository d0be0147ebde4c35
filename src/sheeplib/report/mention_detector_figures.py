"""Figures of the chapter on detectors of hallucinated mentions: a row a detector in each of them.

All are drawn from table `results` of `mention_study.numbers.Numbers`: rows with a `model` are small dots,
means over models (rows without one) large dots with intervals. The position alone stands last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from sheeplib.errors import InputError, Problem
from sheeplib.report import style
from sheeplib.report.display import interval
from sheeplib.report.figures import OURS, PRINTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLES: Mapping[str, str] = {
    "lookback": "Lookback Lens", "hidden_mid": "Hidden state (mid)", "hidden_last": "Hidden state (last)",
    "dhcp": "DHCP", "text_only": "Text-only LM", "halp": "HALP", "svar": "SVAR", "vade": "VADE",
    "internal_confidence": "Internal Confidence", "glsim": "GLSim", "pas": "PAS", "nll": "NLL",
    "entropy": "Entropy", "contextual_lens": "ContextualLens", "overthinking": "Overthinking",
    "position_only": "Position only",
}  # fmt: skip
BASELINE = "position_only"
MUTED, CHANCE = "#9DB4C8", "#8C8C8C"


def titles(results: pd.DataFrame) -> list[str]:
    """Detectors of the results, those of `TITLES` in its order, then any others."""
    there = list(dict.fromkeys(results["detector"].dropna()))
    known = [name for name in TITLES if name in there]
    return [*known, *(name for name in there if name not in TITLES)]


def positions(results: pd.DataFrame) -> Figure:
    """AUC on all mentions beside that on mentions matched for position.

    Parameters
    ----------
    results : DataFrame
        With `auc` by `subset`.

    Raises
    ------
    InputError
        If no AUC has a value.

    Source
    ------
    NAME-Bench, Table 13.
    """
    subsets = {"all": "all mentions", "position_matched": "matched for position"}
    return _panels(results[results["quantity"] == "auc"], "subset", subsets, "AUC (0.5, dashed: chance)", 0.5)


def flagged(results: pd.DataFrame, alpha: float = 0.1) -> Figure:
    """Share of non-assertive mentions that is flagged, a panel a subtype.

    Parameters
    ----------
    results : DataFrame
        With `non_assertive_fpr` by `subtype`, and none by presence.
    alpha : float
        Share of concrete mentions that may be flagged: the dashed line.

    Raises
    ------
    InputError
        If no rate has a value.

    Source
    ------
    NAME-Bench, Table 4.
    """
    some = results[results["quantity"] == "non_assertive_fpr"]
    some = some[some["presence"].isna()] if "presence" in some else some
    subtypes = {name: name for name in ("hedged", "depictive", "purpose", "negation")}
    return _panels(some, "subtype", subtypes, _dashed(alpha), 100 * alpha)


def _dashed(alpha: float) -> str:
    return f"% flagged (dashed: {100 * alpha:g} % of concrete mentions)"


def presence(results: pd.DataFrame, alpha: float = 0.1) -> Figure:
    """Share of non-assertive mentions that is flagged where the object is absent, and where it is present.

    Parameters
    ----------
    results : DataFrame
        With `non_assertive_fpr` of `all` subtypes by `presence`.
    alpha : float
        As for `flagged`.

    Raises
    ------
    InputError
        If no rate has a value.

    Source
    ------
    NAME-Bench, Table 7.
    """
    from matplotlib import pyplot

    known = results[results["quantity"].eq("non_assertive_fpr") & results["subtype"].eq("all")]
    means = _means(known[known["presence"].notna()])
    names = titles(means)
    figure, panel = pyplot.subplots(figsize=(style.WIDTH_INCHES, 1.1 + 0.27 * len(names)))
    panel.axvline(100 * alpha, color=CHANCE, linewidth=1, linestyle="--", zorder=0.9)
    for said, colour, fill, shift in (("absent", PRINTED, PRINTED, -0.13), ("present", OURS, "white", 0.13)):
        rows = means[means["presence"] == said]
        at = np.array([names.index(name) for name in rows["detector"]]) + shift
        panel.errorbar(
            rows["value"], at, xerr=_ends(rows), fmt="o", color=colour, markerfacecolor=fill, markersize=5,
            elinewidth=1.2, capsize=2, label=f"object {said}",
        )  # fmt: skip
    _name_rows(panel, names)
    panel.set_xlabel(_dashed(alpha))
    figure.legend(*panel.get_legend_handles_labels(), loc="outside upper center", ncols=2, frameon=False)
    return figure


def excluded(results: pd.DataFrame, alpha: float = 0.1) -> Figure:
    """Retained non-assertive mentions, other ones, compounds: range over five probes, SVAR, position alone.

    Parameters
    ----------
    results : DataFrame
        From `mention_study.excluded.table_16`; rows without `model` are drawn.
    alpha : float
        As for `flagged`.

    Raises
    ------
    InputError
        If no rate has a value.

    Source
    ------
    NAME-Bench, Table 16.
    """
    from matplotlib import pyplot

    known = results[results["model"].isna()].dropna(subset=["value"])
    kinds = {"all": "four subtypes", "other": "other", "compound": "compound"}
    rates = known[known["quantity"].str.startswith("flag_rate")]
    if rates.empty:
        raise InputError(Problem("no rate has a value", "See the reasons in the results"))
    looks: dict[str, tuple[str, float, dict[str, Any]]] = {
        "svar": ("SVAR", 0.06, {"fmt": "o", "color": OURS}),
        "position_only": ("Position only", 0.28, {"fmt": "s", "color": CHANCE, "markerfacecolor": "white"}),
    }
    figure, panel = pyplot.subplots(figsize=(style.WIDTH_INCHES, 2.6))
    panel.axvline(100 * alpha, color=CHANCE, linewidth=1, linestyle="--", zorder=0.9)
    for place, kind in enumerate(kinds):
        part = rates[rates["subtype"] == kind]
        row = part.set_index("quantity")["value"]
        if {"flag_rate_min", "flag_rate_max"} <= set(row.index):
            label = None if place else "five trained probes, lowest to highest"
            ends = row["flag_rate_min"], row["flag_rate_max"]
            panel.plot(ends, [place - 0.2] * 2, color=MUTED, linewidth=6, solid_capstyle="butt", label=label)
        for name, (title, down, look) in looks.items():
            one = part[part["detector"].eq(name).fillna(False)]
            if len(one):
                label = None if place else title
                panel.errorbar(one["value"], [place + down], xerr=_ends(one), capsize=2, label=label, **look)
    _name_rows(panel, list(kinds.values()))
    panel.set_xlim(-3, 103)
    panel.set_xlabel(_dashed(alpha))
    figure.legend(*panel.get_legend_handles_labels(), loc="outside upper center", ncols=3, frameon=False)
    return figure


def listed(
    results: pd.DataFrame, quantity: str, column: str, kinds: Mapping[str, str], digits: int = 1, **keys: str
) -> pd.DataFrame:
    """Means over models with intervals: a row a detector, a column a kind.

    Parameters
    ----------
    results : DataFrame
        Table `results`, as for the figures.
    quantity : str
        Such as `auc`.
    column : str
        Grouping column that tells the kinds apart: `subtype`, `subset` or `presence`; or `quantity`.
    kinds : mapping of str to str
        Values of that column, in this order, and what to call them.
    digits : int
        Digits after the point.
    **keys : str
        Values of other grouping columns, which are missing in all other rows.

    Returns
    -------
    DataFrame
        Index `detector`; values such as "62.5 [50.1, 71.0]".
    """
    rows = results[results["model"].isna()]
    rows = rows if column == "quantity" else rows[rows["quantity"] == quantity]
    rows = rows[rows[column].isin(list(kinds))]
    for name in {"subtype", "subset", "presence"} - {column}:
        rows = rows[rows[name].eq(keys[name]) if name in keys else rows[name].isna()]
    triples = zip(rows["value"], rows["low"], rows["high"], strict=True)
    said = rows.assign(said=[interval(*triple, digits=digits) for triple in triples])
    table = said.pivot(index="detector", columns=column, values="said").reindex(titles(rows))
    return table[list(kinds)].rename(columns=dict(kinds)).rename_axis(columns=None)


def _panels(some: pd.DataFrame, column: str, kinds: Mapping[str, str], label: str, line: float) -> Figure:
    """A panel a kind: means with intervals, and a small dot for each model."""
    from matplotlib import pyplot

    means = _means(some[some[column].isin(list(kinds))])
    models, names = some[some["model"].notna()], titles(means)
    columns = 2
    rows = -(-len(kinds) // columns)
    size = (style.WIDTH_INCHES, rows * (0.6 + 0.25 * len(names)) + 0.4)
    figure, panels = pyplot.subplots(rows, columns, figsize=size, sharex=True, sharey=True, squeeze=False)
    for panel, (kind, said) in zip(panels.flat, kinds.items(), strict=True):
        panel.axvline(line, color=CHANCE, linewidth=1, linestyle="--", zorder=0.9)
        each, mean = models[models[column] == kind], means[means[column] == kind]
        at = [names.index(name) for name in each["detector"]]
        panel.plot(each["value"], at, "o", color=MUTED, markersize=3, zorder=1)
        at = [names.index(name) for name in mean["detector"]]
        panel.errorbar(
            mean["value"], at, xerr=_ends(mean), fmt="o", color=OURS, markersize=4.5, elinewidth=1.2,
            capsize=2, zorder=2,
        )  # fmt: skip
        panel.set_title(said, fontsize=9.5)
        _name_rows(panel, names)
    figure.supxlabel(label, fontsize=10)
    return figure


def _means(rows: pd.DataFrame) -> pd.DataFrame:
    found = rows[rows["model"].isna()].dropna(subset=["value"])
    if found.empty:
        raise InputError(Problem("there is no value to draw", "Give means over models, without a model"))
    return found


def _ends(rows: pd.DataFrame) -> np.ndarray:
    ends = np.stack([rows["value"] - rows["low"], rows["high"] - rows["value"]]).astype(float)
    return np.asarray(ends.clip(min=0))


def _name_rows(panel: Axes, names: Sequence[str]) -> None:
    panel.set_yticks(range(len(names)), [TITLES.get(name, name) for name in names])
    panel.set_ylim(len(names) - 0.5, -0.5)
    panel.grid(axis="y", visible=False)
    if BASELINE in names:
        panel.axhline(names.index(BASELINE) - 0.5, color=style.GRID, linewidth=1)

"""Pictures of the start page: what the papers print, and what the drawn world looks like."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from sheeplib.published import published
from sheeplib.report import style
from sheeplib.report.figures import MEASURES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCENES = ("meadow-000004", "meadow-000011", "meadow-000023", "meadow-000042")
DETECTORS: Mapping[str, str] = {
    "lookback": "Lookback Lens",
    "hidden_mid": "hidden state, mid",
    "hidden_last": "hidden state, last",
    "dhcp": "DHCP",
    "halp": "HALP",
}
_DPI = 192  # two pixels for each pixel of a page


def agreement_by_strategy() -> Figure:
    """SHEEP, Table 9: agreement on random, pre-selected and human-written answers, as printed."""
    from matplotlib import pyplot

    printed = published("sheep", 9)
    colours = style.colours(printed["strategy"].unique())
    figure, axes = pyplot.subplots(figsize=(style.WIDTH_INCHES, 3.0))
    for place, (strategy, rows) in enumerate(printed.groupby("strategy", sort=False)):
        at = rows["quantity"].map(list(MEASURES).index) + 0.18 * (place - 1)
        name = {"map": "pre-selected (MAP)", "human": "human-written"}.get(str(strategy), str(strategy))
        axes.errorbar(
            rows["value"], at, xerr=rows["half_width"], fmt="o", markersize=5, capsize=2, label=name,
            color=colours[str(strategy)],
        )  # fmt: skip
    axes.set_yticks(range(len(MEASURES)), [name.replace("\n", " ") for name in MEASURES.values()])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("agreement of annotators (1 = complete)")
    figure.legend(frameon=False, loc="outside upper center", ncols=3)
    return figure


def mentions_flagged() -> Figure:
    """NAME-Bench, Table 4: share of mere mentions that detectors flag as hallucinations, as printed."""
    from matplotlib import pyplot

    printed = published("namebench", 4)
    printed = printed[printed["subtype"] == "all"]
    known = [name for name in DETECTORS if name in set(printed["detector"])]
    oldest = printed["model"] == "llava-1.5-7b"
    figure, axes = pyplot.subplots(figsize=(style.WIDTH_INCHES, 2.7))
    for rows, name, colour, mark in (
        (printed[oldest], "LLaVA-1.5", "#BB5566", "s"),
        (printed[~oldest], "four newer models", "#004488", "o"),
    ):
        at = rows["detector"].map(known.index)
        axes.plot(rows["value"], at, mark, color=colour, label=name, alpha=0.85)
    axes.axvline(10, color=style.INK, linewidth=1, linestyle="--")
    axes.text(
        11.5, -0.42, "true claims flagged, by design: 10 %", fontsize=9, va="center", backgroundcolor="white"
    )
    axes.set_yticks(range(len(known)), [DETECTORS[name] for name in known])
    axes.set(
        xlim=(0, 100), ylim=(len(known) - 0.5, -0.75), xlabel="mentions without a claim that are flagged (%)"
    )
    axes.grid(axis="y", visible=False)
    axes.legend(frameon=False, loc="lower right")
    return figure


def scenes() -> Figure:
    """Four scenes of meadow."""
    from matplotlib import pyplot

    from sheeplib.corpora import meadow

    figure, panels = pyplot.subplots(1, len(SCENES), figsize=(style.WIDTH_INCHES, 1.65))
    for panel, name in zip(panels, SCENES, strict=True):
        panel.imshow(meadow.image(name, 384))
        panel.set_axis_off()
    return figure


PICTURES: Mapping[str, Callable[[], Figure]] = {
    "agreement": agreement_by_strategy,
    "mentions": mentions_flagged,
    "scenes": scenes,
}


def draw(directory: Path) -> list[Path]:
    """Draw the pictures into a directory; a file that is already right is left as it is.

    Parameters
    ----------
    directory : Path
        Made if it is not there.

    Returns
    -------
    list of Path
        One PNG file a picture.
    """
    from matplotlib import pyplot, rc_context

    directory.mkdir(parents=True, exist_ok=True)
    paths = []
    with rc_context():
        style.use()
        for name, picture in PICTURES.items():
            figure, stream = picture(), io.BytesIO()
            figure.savefig(stream, format="png", dpi=_DPI, metadata={"Software": None})
            pyplot.close(figure)
            path = directory / f"{name}.png"
            if not path.exists() or path.read_bytes() != stream.getvalue():
                path.write_bytes(stream.getvalue())
            paths.append(path)
    return paths

"""Captions with the objects that they name marked: true, made up, or not claimed at all."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from sheeplib.errors import InputError, Problem
from sheeplib.report.samples import Sample, embedded

if TYPE_CHECKING:
    from PIL.Image import Image


@dataclass(frozen=True)
class _Status:
    """How mentions of a status look: colour, line, and a sign for those who see no colours."""

    said: str
    colour: str
    line: str
    sign: str


STATUSES: Mapping[str, _Status] = {
    "concrete": _Status("there", "#009E73", "solid", "✓"),  # Okabe and Ito
    "hallucinated": _Status("made up", "#D55E00", "double", "✗"),
    "non-assertive": _Status("named, not claimed", "#0072B2", "dashed", "?"),
    "excluded": _Status("not counted", "#8C8C8C", "dotted", "·"),
}
_STYLE = """<style>
.sheep-gallery{border:1px solid rgba(128,128,128,.4);border-radius:.5em;padding:.8em 1em;margin:1em 0;
 overflow:hidden}
.sheep-gallery p{margin:.3em 0;white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.9}
.sheep-gallery img{float:right;max-width:40%;max-height:14em;margin:0 0 .6em 1em}
.sheep-gallery .who{font-size:.8em;opacity:.75;margin-top:.6em}
.sheep-gallery mark{color:inherit;padding:.1em 0;border-bottom:.22em var(--l) var(--c);
 background:color-mix(in srgb,var(--c) 22%,transparent)}
.sheep-gallery mark::after{content:attr(data-s);font-size:.65em;font-weight:bold;vertical-align:super;
 padding:0 .2em}
.sheep-gallery .legend{clear:both;font-size:.8em}
.sheep-gallery .legend mark{margin-right:.8em;padding:.1em .3em}
</style>"""


def view_mentions(
    captions: pd.DataFrame, mentions: pd.DataFrame, *, image: Image | None = None, alt: str = ""
) -> Sample:
    """Show captions of one scene, one below the other, with their mentions marked.

    Parameters
    ----------
    captions : DataFrame
        Columns `item`, `model` and `response`.
    mentions : DataFrame
        Table `mentions`; those of other items are left out.
    image : PIL image, optional
        Embedded into the page.
    alt : str
        What it shows, in words; also said below it. Needed with an image.

    Returns
    -------
    Sample
        Every text is escaped. Status is told by colour, by line and by a sign.

    Raises
    ------
    InputError
        If there is an image without words, a span outside its text or over another one, or a status
        that is unknown.
    """
    if image is not None and not alt.strip():
        raise InputError(Problem("an image without words", "Say what it shows", field="alt"))
    parts = [embedded(image, alt)] if image is not None else []
    parts += [f'<p class="who">In the picture: {html.escape(alt)}</p>'] if alt else []
    seen: set[str] = set()
    for caption in captions.itertuples(index=False):
        mine = mentions[mentions["item"] == caption.item].sort_values("start")
        seen |= set(mine["status"].dropna())
        parts.append(f'<p class="who">{html.escape(str(caption.model))}</p>')
        parts.append(f'<p lang="en" dir="auto">{_marked(str(caption.response), mine)}</p>')
    legend = "".join(_mark(status.said, status, "") for name, status in STATUSES.items() if name in seen)
    parts += [f'<p class="legend">{legend}</p>'] if legend else []
    title = '<div class="sheep-gallery" role="group" aria-label="Captions of one scene">'
    return Sample(_STYLE + title + "".join(parts) + "</div>")


def _marked(text: str, mentions: pd.DataFrame) -> str:
    pieces, done = [], 0
    for mention in mentions.itertuples(index=False):
        start, end = int(mention.start), int(mention.end)
        if not done <= start <= end <= len(text):
            what = f"mention outside a caption of {len(text)} code points, or over another one"
            raise InputError(Problem(what, "Give the mentions of these captions", value=(start, end)))
        if mention.status not in STATUSES:
            raise InputError(Problem("unknown status", f"Known: {', '.join(STATUSES)}", value=mention.status))
        kind = "" if pd.isna(mention.subtype) else f", {mention.subtype}"
        status = STATUSES[mention.status]
        title = f"{mention.concept}: {status.said}{kind} ({start}:{end})"
        pieces += [html.escape(text[done:start]), _mark(text[start:end], status, title)]
        done = end
    return "".join([*pieces, html.escape(text[done:])])


def _mark(text: str, status: _Status, title: str) -> str:
    told = f' title="{html.escape(title)}"' if title else ""
    style = f"--c:{status.colour};--l:{status.line}"
    return f'<mark style="{style}" data-s="{status.sign}"{told}>{html.escape(text)}</mark>'

"""One item with its marked spans, in colour, as HTML that is safe whatever the text says."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from sheeplib.corpora import Corpus
from sheeplib.errors import InputError, Problem
from sheeplib.report import style
from sheeplib.tables import Label

if TYPE_CHECKING:
    from PIL.Image import Image

_NO_KIND = "#8C8C8C"  # spans of a corpus without kinds
_STYLE = """<style>
.sheep-sample{border:1px solid rgba(128,128,128,.4);border-radius:.5em;padding:.8em 1em;margin:1em 0}
.sheep-sample p{margin:.3em 0;white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.9}
.sheep-sample img{float:right;max-width:40%;max-height:14em;margin:0 0 .6em 1em}
.sheep-sample .who{font-size:.8em;opacity:.75;margin-top:.6em}
.sheep-sample mark{color:inherit;padding:.15em 0;border-bottom:.2em solid var(--c);
 background:color-mix(in srgb,var(--c) var(--s,28%),transparent)}
.sheep-sample mark[data-l]::after{content:attr(data-l);font-size:.65em;font-weight:bold;
 vertical-align:super;padding:0 .2em}
.sheep-sample .legend{clear:both;font-size:.8em}
.sheep-sample .legend mark{margin-right:.8em;padding:.1em .3em}
</style>"""


@dataclass(frozen=True)
class Sample:
    """An item drawn as HTML; a notebook shows it as the last value of a cell.

    Parameters
    ----------
    html : str
    """

    html: str

    def _repr_html_(self) -> str:
        return self.html


def view_item(corpus: Corpus, item: str) -> Sample:
    """Show an item of a corpus with all that the corpus has about it; see `view`.

    Raises
    ------
    InputError
        If the corpus has no such item.
    """
    rows = corpus.items[corpus.items["item"] == item]
    if not len(rows):
        raise InputError(Problem(f"corpus '{corpus.name}' has no such item", value=item))
    row = rows.iloc[0]
    picture = corpus.enlarged or corpus.picture
    image = None if picture is None or pd.isna(row["image"]) else picture(row["image"])
    rated = "ratings" not in corpus.lacks
    return view(
        row,
        corpus.spans if rated else None,
        None if rated else corpus.labels,
        ratings=corpus.ratings if rated else None,
        image=image,
        alt="" if image is None else f"The image that the question is about: {row['image']}",
    )


def view(
    item: Mapping[str, Any] | pd.Series,
    spans: pd.DataFrame | None = None,
    labels: pd.DataFrame | None = None,
    *,
    ratings: pd.DataFrame | None = None,
    image: Image | None = None,
    alt: str = "",
) -> Sample:
    """Show an item: prompt, image, and the response once for each annotator with the spans marked.

    Parameters
    ----------
    item : mapping or Series
        One row of table `items`.
    spans : DataFrame, optional
        Table `spans`; rows of other items are left out.
    labels : DataFrame, optional
        Table `labels`: the response is shown once more with what the annotators marked together, the
        darker, the more of them marked it.
    ratings : DataFrame, optional
        Table `ratings`: also shows the annotators who marked nothing, and what they remarked.
    image : PIL image, optional
        Embedded into the page.
    alt : str
        What the image shows, in words; needed with an image.

    Returns
    -------
    Sample

    Raises
    ------
    InputError
        If a span ends past the response, or an image has no alternative text.

    Examples
    --------
    >>> sample = view({"item": "x", "response": "a < b", "language": "en"})
    >>> "a &lt; b" in sample.html
    True
    """
    if image is not None and not alt.strip():
        raise InputError(
            Problem("image without alternative text", "Say what it shows, in words", field="alt")
        )
    name, response, language = item["item"], str(item["response"]), item.get("language")
    spoken = "" if language is None or pd.isna(language) else f' lang="{html.escape(str(language))}"'
    own = _of(spans, name)
    groups = [
        (f"annotator {n}{remark}", own[own["annotator"] == annotator])
        for n, (annotator, remark) in enumerate(_annotators(own, _of(ratings, name)).items(), start=1)
    ]
    together = _of(labels, name)
    if len(together):
        groups.append(("all annotators together", together))
    groups = groups or [("no marked spans", own)]
    kinds = dict.fromkeys(label for _, rows in groups for label in _kinds(rows))
    parts = [embedded(image, alt)] if image is not None else []
    prompt = item.get("prompt")
    if prompt is not None and not pd.isna(prompt):
        parts.append(f'<p class="prompt"{spoken} dir="auto"><b>{html.escape(str(prompt))}</b></p>')
    for who, rows in groups:
        parts.append(
            f'<p class="who">{html.escape(who)}</p><p{spoken} dir="auto">{_marked(response, rows)}</p>'
        )
    title = f'<div class="sheep-sample" role="group" aria-label="Item {html.escape(str(name))}">'
    return Sample(_STYLE + title + "".join(parts) + _legend(kinds) + "</div>")


def _marked(text: str, rows: pd.DataFrame) -> str:
    """The text cut at every end of a span; each piece carries all spans that cover it."""
    spans = list(rows.itertuples(index=False))
    if past := [span for span in spans if span.end > len(text) or span.start < 0]:
        where = (past[0].start, past[0].end)
        raise InputError(Problem(f"span outside the response of {len(text)} code points", value=where))
    cuts = sorted({0, len(text), *(s.start for s in spans), *(s.end for s in spans)})
    pieces = []
    for start, end in zip(cuts, cuts[1:], strict=False):
        over = [span for span in spans if span.start <= start and end <= span.end]
        piece = html.escape(text[start:end])
        pieces.append(_mark(piece, over, end) if over else piece)
    return "".join(pieces)


def _mark(piece: str, over: list[Any], end: int) -> str:
    letters = [_letter(span.label) for span in over]
    colour = style.LABELS.get(letters[0], _NO_KIND)
    said = "; ".join(f"{_described(span)} ({span.start}:{span.end})" for span in over)
    ending = "".join(dict.fromkeys(_letter(span.label) for span in over if span.end == end))
    tag = f' data-l="{ending}"' if ending else ""
    share = getattr(over[0], "prob", None)
    shade = "" if share is None else f";--s:{10 + 40 * share:.0f}%"
    return f'<mark style="--c:{colour}{shade}"{tag} title="{html.escape(said)}">{piece}</mark>'


def _described(span: Any) -> str:
    letter = _letter(span.label)
    name = f"{letter} {Label(letter).official_name}" if letter else "marked"
    share = getattr(span, "prob", None)
    return name if share is None else f"{name}, {share:.0%} of annotators"


def _legend(kinds: Iterable[str]) -> str:
    known = sorted(kind for kind in kinds if kind)
    marks = "".join(
        f'<mark style="--c:{style.LABELS[kind]}">{kind} {Label(kind).official_name}</mark>' for kind in known
    )
    return f'<p class="legend">{marks}</p>' if marks else ""


def embedded(image: Image, alt: str) -> str:
    """HTML that holds an image itself, with words for those who do not see it."""
    stream = io.BytesIO()
    image.convert("RGB").save(stream, format="PNG")
    source = base64.b64encode(stream.getvalue()).decode()
    return f'<img src="data:image/png;base64,{source}" alt="{html.escape(alt)}">'


def _of(table: pd.DataFrame | None, item: str) -> pd.DataFrame:
    if table is None:
        return pd.DataFrame({"annotator": [], "start": [], "end": [], "label": []})
    return table[table["item"] == item]


def _annotators(spans: pd.DataFrame, ratings: pd.DataFrame) -> dict[str, str]:
    """Annotators in order, each with what to add to its name."""
    remarks = dict.fromkeys(sorted(spans["annotator"]), "")
    for row in ratings.itertuples():
        remark = getattr(row, "comment", None)
        remarks[row.annotator] = "" if remark is None or pd.isna(remark) else f", who remarked: {remark}"
    return remarks


def _kinds(rows: pd.DataFrame) -> list[str]:
    return [_letter(label) for label in rows["label"]]


def _letter(label: Any) -> str:
    return "" if pd.isna(label) else str(label)

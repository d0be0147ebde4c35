"""Tables, figures and numbers as a page shows them: numbered in the book, whole in a notebook.

Each is shown in two forms at once. The book takes the MyST form, which has a number, a caption and
a target for cross-references; Jupyter and Colab take the HTML form. Text from data is escaped in both.
"""

from __future__ import annotations

import base64
import html
import io
import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from sheeplib.errors import InputError, Problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MISSING = "–"
_CSS_PIXELS_PER_INCH = 96
_LABEL = re.compile(r"[a-z][a-z0-9-]*")
_PUNCTUATION = re.compile(r"""[!"#$%&'()*+\-./:<=>?@\[\\\]^_`{|}~]""")
_INTERVAL = re.compile(r"-?[\d.,]+ \[[^\]]*\]")
_CELL = "padding:.25em .6em;text-align:{}"


def number(value: Any, digits: int = 3) -> str:
    """A number for reading: `0.567`, `1,234`; a dash where it is missing.

    Parameters
    ----------
    value : number or missing
        Whole numbers (of a whole-number type) are shown whole.
    digits : int
        Digits after the point.
    """
    if pd.isna(value):
        return MISSING
    if isinstance(value, float) or (hasattr(value, "dtype") and value.dtype.kind == "f"):
        text = f"{float(value):,.{digits}f}"
        return text.removeprefix("-") if float(text.replace(",", "")) == 0 else text
    return f"{int(value):,}"


def interval(value: Any, low: Any = None, high: Any = None, digits: int = 3, reason: str = "") -> str:
    """A number with its interval: `0.567 [0.552, 0.581]`.

    Parameters
    ----------
    value, low, high : number or missing
    digits : int
        Digits after the point.
    reason : str, optional
        Why a missing value is missing.
    """
    if pd.isna(value):
        return f"undefined: {reason}" if reason else "undefined"
    if pd.isna(low) or pd.isna(high):
        return number(value, digits)
    return f"{number(value, digits)} [{number(low, digits)}, {number(high, digits)}]"


def wide(
    results: pd.DataFrame, rows: Sequence[str], names: Mapping[str, str], digits: int = 3
) -> pd.DataFrame:
    """Arrange results for reading: a row a group, a column a quantity, each value with its interval.

    Parameters
    ----------
    results : DataFrame
        Table `results`.
    rows : sequence of str
        Grouping columns; the row of all items is called so.
    names : mapping of str to str
        Quantities to show, in this order, and what to call them.
    digits : int
        Digits after the point.
    """
    shown = results[results["quantity"].isin(list(names))]
    group = [
        ", ".join(str(row[name]) for name in rows if pd.notna(row[name])) or "all items"
        for _, row in shown.iterrows()
    ]
    said = [interval(row["value"], row["low"], row["high"], digits) for _, row in shown.iterrows()]
    table = pd.DataFrame({"group": group, "quantity": shown["quantity"].to_numpy(), "said": said})
    arranged = table.pivot(index="group", columns="quantity", values="said").reindex(
        index=list(dict.fromkeys(group)), columns=[name for name in names if name in set(table["quantity"])]
    )
    return arranged.rename(columns=dict(names)).reset_index()


def show_table(
    frame: pd.DataFrame, caption: str, label: str, digits: int = 3, data: pd.DataFrame | None = None
) -> None:
    """Show a table: captioned and numbered in the book, with its CSV file to download.

    Parameters
    ----------
    frame : DataFrame
        The index is not shown.
    caption : str
        May use MyST, such as a citation.
    label : str
        Target for `{numref}`: lower-case letters, digits and hyphens.
    digits : int
        Digits after the point.
    data : DataFrame, optional
        What the CSV file holds, if the shown table is arranged for reading.

    Raises
    ------
    InputError
        If the label cannot be a target, or the caption is empty.
    """
    from IPython.display import display  # notebooks have it; the package does not need it

    display(table_forms(frame, caption, label, digits), raw=True)
    display({"text/html": _csv_link(frame if data is None else data, label), "text/plain": ""}, raw=True)


def show_figure(figure: Figure, caption: str, label: str, alt: str) -> None:
    """Show a figure: captioned and numbered in the book, with a text for those who do not see it.

    The figure is closed, so that the notebook does not show it a second time.

    Parameters
    ----------
    figure : matplotlib Figure
    caption : str
        May use MyST, such as a citation.
    label : str
        Target for `{numref}`: lower-case letters, digits and hyphens.
    alt : str
        What the figure shows, in words.

    Raises
    ------
    InputError
        If the label cannot be a target, or caption or alternative text are empty.
    """
    from IPython.display import display
    from matplotlib import pyplot

    forms = figure_forms(figure, caption, label, alt)
    pyplot.close(figure)
    display(forms, raw=True)


def table_forms(frame: pd.DataFrame, caption: str, label: str, digits: int = 3) -> dict[str, str]:
    """The table by media type: MyST, HTML and plain text. Parameters as for `show_table`."""
    _check(label, caption=caption)
    cells = pd.DataFrame({str(name): _cells(frame[name], digits) for name in frame.columns})
    right = [pd.api.types.is_numeric_dtype(frame[name]) for name in frame.columns]
    header = [str(name) for name in frame.columns]
    rows = list(cells.itertuples(index=False, name=None))
    lines = [
        _pipes(_markdown(name) for name in header),
        _pipes("--:" if is_right else ":--" for is_right in right),
        *(_pipes(_markdown(cell) for cell in row) for row in rows),
    ]
    book = f"````{{table}} {_line(caption)}\n:name: {label}\n\n" + "\n".join(lines) + "\n````"
    return {
        "text/markdown": book,
        "text/html": _html_table(header, rows, right, caption),
        "text/plain": cells.to_string(index=False),
    }


def figure_forms(figure: Figure, caption: str, label: str, alt: str) -> dict[str, str]:
    """The figure by media type: MyST, HTML and plain text. Parameters as for `show_figure`."""
    _check(label, caption=caption, alt=alt)
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=2 * _CSS_PIXELS_PER_INCH, metadata={"Software": None})
    source = f"data:image/png;base64,{base64.b64encode(stream.getvalue()).decode()}"
    width = round(figure.get_size_inches()[0] * _CSS_PIXELS_PER_INCH)
    quoted = json.dumps(_line(alt), ensure_ascii=False)
    options = f":name: {label}\n:alt: {quoted}\n:width: {width}px"
    book = f"````{{figure}} {source}\n{options}\n\n{_line(caption)}\n````"
    image = f'<img src="{source}" alt="{html.escape(_line(alt))}" style="width:{width}px;max-width:100%">'
    page = f"<figure>{image}<figcaption>{html.escape(_line(caption))}</figcaption></figure>"
    return {"text/markdown": book, "text/html": page, "text/plain": _line(alt)}


def _html_table(header: list[str], rows: list[tuple[str, ...]], right: list[bool], caption: str) -> str:
    styles = [_CELL.format("right" if is_right else "left") for is_right in right]

    def row(tag: str, cells: tuple[str, ...] | list[str]) -> str:
        pairs = zip(cells, styles, strict=True)
        return "<tr>" + "".join(f'<{tag} style="{s}">{html.escape(c)}</{tag}>' for c, s in pairs) + "</tr>"

    head, body = row("th", header), "".join(row("td", cells) for cells in rows)
    title = f"<caption>{html.escape(_line(caption))}</caption>"
    return (
        f'<div style="overflow-x:auto"><table>{title}<thead>{head}</thead><tbody>{body}</tbody></table></div>'
    )


def _csv_link(frame: pd.DataFrame, label: str) -> str:
    text = frame.to_csv(index=False, lineterminator="\n").encode("utf-8-sig")  # the mark is for spreadsheets
    source = f"data:text/csv;charset=utf-8;base64,{base64.b64encode(text).decode()}"
    return f'<p class="sheep-download"><a download="{label}.csv" href="{source}">Table as CSV</a></p>'


def _cells(column: pd.Series, digits: int) -> list[str]:
    if pd.api.types.is_float_dtype(column) and (column.dropna() % 1 == 0).all():
        digits = 0  # counts that a missing value, or a table of results, has made floats
    return [_cell(value, digits) for value in column]


def _cell(value: Any, digits: int) -> str:
    if isinstance(value, str):  # the ends of an interval stay on one line; its value may stand above
        return value.replace(", ", ",\N{NO-BREAK SPACE}") if _INTERVAL.fullmatch(value) else value
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        return "yes" if value else "no"
    return number(value, digits)


def _markdown(text: str) -> str:
    """Text that MyST shows as it is: what could be markup becomes a character reference."""
    return _PUNCTUATION.sub(lambda found: f"&#{ord(found[0])};", _line(text)) or " "


def _line(text: str) -> str:
    return re.sub(r"[^\S\N{NO-BREAK SPACE}]+", " ", text).strip(" ")


def _pipes(cells: Any) -> str:
    return f"| {' | '.join(cells)} |"


def _check(label: str, **texts: str) -> None:
    problems = []
    if not _LABEL.fullmatch(label):
        rule = "Use lower-case letters, digits and hyphens"
        problems.append(Problem("label cannot be a target", rule, field="label", value=label))
    empty: Mapping[str, str] = {"caption": "Say what is shown", "alt": "Say what one sees, in words"}
    problems += [
        Problem("is empty", empty[name], field=name) for name, text in texts.items() if not text.strip()
    ]
    if problems:
        raise InputError(problems)

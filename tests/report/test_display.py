import base64
import io
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from matplotlib.figure import Figure
from PIL import Image

from sheeplib import InputError
from sheeplib.report import interval, number, show_figure, show_table, wide
from sheeplib.report.display import figure_forms, table_forms

NASTY = [
    "a|b",
    "`{{ x }}`",
    "<script>alert(1)</script>",
    "$x^2$",
    "*b* _i_ [l](u)",
    "{cite}`sheep`",
    "\\|",
    "x\ny",
    "& &amp;",
]


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.5678, 3, "0.568"), (0.25, 1, "0.2"), (-1.5, 2, "-1.50"), (-0.0001, 3, "0.000"),
        (1234.5, 1, "1,234.5"),
        (12345, 3, "12,345"), (np.int64(3), 3, "3"), (np.float32(0.5), 3, "0.500"), (None, 3, "–"),
        (float("nan"), 3, "–"), (pd.NA, 3, "–"),
    ],
)  # fmt: skip
def test_numbers_are_written_for_reading(value, digits, text):
    assert number(value, digits) == text


def test_intervals_stand_beside_their_value():
    assert interval(0.5671, 0.5518, 0.5811) == "0.567 [0.552, 0.581]"
    assert interval(0.5671) == "0.567"
    assert interval(float("nan"), 0.1, 0.2) == "undefined"
    assert interval(pd.NA, reason="one kind only") == "undefined: one kind only"


def test_a_table_has_caption_target_and_aligned_columns():
    frame = pd.DataFrame(
        {"language": ["en", "zh"], "alpha": [0.12345, np.nan], "n": [1200, 3], "ok": [True, False]}
    )
    forms = table_forms(frame, "A caption.", "tab-x", digits=2)
    assert forms["text/markdown"].splitlines() == [
        "````{table} A caption.",
        ":name: tab-x",
        "",
        "| language | alpha | n | ok |",
        "| :-- | --: | --: | --: |",
        "| en | 0&#46;12 | 1,200 | yes |",
        "| zh | – | 3 | no |",
        "````",
    ]
    assert "<caption>A caption.</caption>" in forms["text/html"]


def test_counts_are_whole_also_among_missing_ones():
    forms = table_forms(pd.DataFrame({"n": [1200.0, None], "x": [1.0, 0.5]}), "c", "tab-x", digits=1)
    assert forms["text/plain"].split() == ["n", "x", "1,200", "1.0", "–", "0.5"]


def cells_of(markdown):
    """Texts of the cells, as a reader of Markdown sees them."""
    body = "\n".join(markdown.splitlines()[3:-1])
    tokens = MarkdownIt("commonmark").enable("table").parse(body)
    inline = [token for token in tokens if token.type == "inline"]
    for token in inline:
        assert {child.type for child in token.children} <= {"text", "text_special"}, token.content
    return ["".join(child.content for child in token.children) for token in inline]


def test_text_from_data_is_never_markup():
    forms = table_forms(pd.DataFrame({"text": NASTY}), "c", "tab-x")
    assert cells_of(forms["text/markdown"])[1:] == [" ".join(text.split()) for text in NASTY]
    assert "{" not in "".join(forms["text/markdown"].splitlines()[3:-1])
    assert "<script>" not in forms["text/html"] and "&lt;script&gt;" in forms["text/html"]


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp", "Zs"]), min_size=1), min_size=1
    )
)
def test_any_text_is_shown_as_it_is(texts):
    shown = cells_of(
        table_forms(pd.DataFrame({"t": pd.array(texts, dtype="string")}), "c", "tab-x")["text/markdown"]
    )
    assert shown[1:] == texts


def test_the_ends_of_an_interval_stay_on_one_line_and_other_text_does_not():
    forms = table_forms(pd.DataFrame({"x": ["0.5 [0.4, 0.6]", "two words"]}), "c", "tab-x")
    assert "0.5 [0.4,\u00a00.6]" in forms["text/html"] and "two words" in forms["text/html"]


@pytest.fixture
def figure():
    figure = Figure(figsize=(4, 2))
    figure.subplots().plot([1, 2])
    return figure


def test_a_figure_has_caption_target_and_words_for_those_who_do_not_see_it(figure):
    forms = figure_forms(figure, "As {cite:p}`sheep`.", "fig-x", 'A line: it "rises"\nto <2>.')
    book = forms["text/markdown"].splitlines()
    assert book[0].startswith("````{figure} data:image/png;base64,")
    assert book[1:4] == [":name: fig-x", r':alt: "A line: it \"rises\" to <2>."', ":width: 384px"]
    assert book[4:] == ["", "As {cite:p}`sheep`.", "````"]
    assert 'alt="A line: it &quot;rises&quot; to &lt;2&gt;."' in forms["text/html"]
    picture = Image.open(io.BytesIO(base64.b64decode(book[0].split(",")[1])))
    assert picture.size == (768, 384)  # two pixels for each of the page


def test_figures_without_words_are_refused(figure):
    with pytest.raises(InputError, match="field 'alt'"):
        figure_forms(figure, "caption", "fig-x", "  ")
    with pytest.raises(InputError, match="field 'caption'"):
        figure_forms(figure, "", "fig-x", "alt")


@pytest.mark.parametrize("label", ["", "Fig", "fig x", "fig_x", "1x", "fig:x"])
def test_labels_that_cannot_be_targets_are_refused(label):
    with pytest.raises(InputError, match="label cannot be a target"):
        table_forms(pd.DataFrame({"x": [1]}), "caption", label)


def test_showing_gives_every_form_and_the_data_to_download(figure, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data))
    frame = pd.DataFrame({"x": [0.123456789], "t": ["é,中"]})
    show_table(frame, "c", "tab-x")
    show_figure(figure, "c", "fig-x", "a line")
    table, link, picture = shown
    assert set(table) == set(picture) == {"text/markdown", "text/html", "text/plain"}
    content = base64.b64decode(re.search(r"base64,([^\"]+)", link["text/html"])[1])
    pd.testing.assert_frame_equal(pd.read_csv(io.BytesIO(content)), frame, check_dtype=False)
    assert 'download="tab-x.csv"' in link["text/html"]


def test_results_are_arranged_with_a_row_a_group_and_a_column_a_quantity():
    results = pd.DataFrame(
        {
            "quantity": ["a", "b", "a", "c"],
            "language": [pd.NA, pd.NA, "en", "en"],
            "value": [0.5, float("nan"), 0.25, 9.0],
            "low": [0.4, float("nan"), 0.1, 9.0],
            "high": [0.6, float("nan"), 0.3, 9.0],
        }
    )
    table = wide(results, ["language"], {"b": "B", "a": "A"}, digits=2)
    assert list(table.columns) == ["group", "B", "A"]
    assert table["group"].tolist() == ["all items", "en"]
    assert table["A"].tolist() == ["0.50 [0.40, 0.60]", "0.25 [0.10, 0.30]"]
    assert table["B"][0] == "undefined" and pd.isna(table["B"][1])

import re
from html.parser import HTMLParser

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from sheeplib import InputError
from sheeplib.report import style, view

TEXT = "A red 😀 bus\n<b>e\u0301 中文\u2028x</b> & two"


def item(response, **more):
    return {"item": "i1", "response": response, "language": "en", "prompt": pd.NA} | more


def spans(*rows):
    return pd.DataFrame(rows, columns=["annotator", "start", "end", "label"]).assign(item="i1")


class Page(HTMLParser):
    """Paragraphs of a page with the pieces of their text and the colour of each piece."""

    def __init__(self, page):
        super().__init__()
        self.paragraphs, self.marks, self.tags, self.stack = [], [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.stack.append(tag)
        if tag == "p":
            self.paragraphs.append("")

    def handle_endtag(self, tag):
        self.stack.pop()

    def handle_data(self, data):
        if "p" in self.stack:
            self.paragraphs[-1] += data
        if "mark" in self.stack:
            self.marks.append(
                (
                    data,
                    self.tags[-1][1]["style"],
                    self.tags[-1][1].get("title", ""),
                )
            )


def test_each_annotator_has_the_whole_text_with_their_marks():
    page = Page(view(item(TEXT), spans(("b", 2, 5, "B"), ("a", 6, 7, "A"))).html)
    texts = [p for p in page.paragraphs if p.startswith("A red")]
    assert texts == [TEXT, TEXT]
    assert [p for p in page.paragraphs if p.startswith("annotator")] == ["annotator 1", "annotator 2"]
    assert [(text, colour) for text, colour, title in page.marks if title] == [
        ("😀", f"--c:{style.LABELS['A']}"),
        ("red", f"--c:{style.LABELS['B']}"),
    ]


def test_overlapping_spans_are_cut_where_either_ends():
    # 0123456789, A on 2:6, B on 4:8: pieces 2:4 (A), 4:6 (A and B), 6:8 (B).
    page = Page(view(item("0123456789"), spans(("a", 2, 6, "A"), ("a", 4, 8, "B"))).html)
    assert [(text, title) for text, _, title in page.marks if title] == [
        ("23", "A invention (2:6)"),
        ("45", "A invention (2:6); B mischaracterization (4:8)"),
        ("67", "B mischaracterization (4:8)"),
    ]


def test_text_from_data_is_never_markup():
    evil = '<img src=x onerror="alert(1)">'
    sample = view(
        item(evil, prompt=evil, item="i1", language=evil),
        spans((evil, 0, 4, "A")),
        ratings=pd.DataFrame({"item": ["i1"], "annotator": [evil], "comment": [evil]}),
    )
    page = Page(sample.html)
    assert {tag for tag, _ in page.tags} <= {"style", "div", "p", "b", "mark"}
    assert evil in page.paragraphs


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0"), min_size=1), st.data())
def test_any_text_with_any_marks_is_whole(text, data):
    ends = st.lists(st.integers(0, len(text)), min_size=2, max_size=2, unique=True).map(sorted)
    rows = [
        ("a", *data.draw(ends), label) for label in data.draw(st.lists(st.sampled_from("ABCDE"), max_size=4))
    ]
    html = view(item(text), spans(*rows)).html
    paragraph = re.search(r'<p lang="en" dir="auto">(.*?)</p>', html, re.DOTALL)[0]
    assert Page(paragraph).paragraphs == [text]


def test_annotators_who_marked_nothing_are_shown_with_ratings():
    ratings = pd.DataFrame({"item": ["i1", "i1"], "annotator": ["a", "b"], "comment": [pd.NA, "unsure"]})
    page = Page(view(item("text"), spans(("a", 0, 1, "A")), ratings=ratings).html)
    assert "annotator 2, who remarked: unsure" in page.paragraphs
    assert page.paragraphs.count("text") == 2


def test_shares_of_annotators_are_told():
    labels = pd.DataFrame({"item": ["i1"], "start": [0], "end": [2], "prob": [2 / 3], "label": ["D"]})
    assert 'title="D miscounting, 67% of annotators (0:2)"' in view(item("text"), labels=labels).html


def test_the_shade_says_how_many_of_them():
    labels = pd.DataFrame({"item": "i1", "start": [0, 2], "end": [2, 4], "prob": [0.25, 1.0], "label": "A"})
    shown = view(item("text"), labels=labels).html
    assert re.findall(r"--s:(\d+)%[^>]*>(\w+)<", shown) == [("20", "te"), ("50", "xt")]


def test_spans_without_kinds_are_marked_without_a_letter():
    page = Page(view(item("text"), spans(("a", 0, 2, pd.NA))).html)
    assert [(text, title) for text, _, title in page.marks] == [("te", "marked (0:2)")]


def test_other_items_marks_are_left_out():
    others = spans(("a", 0, 2, "A")).assign(item="i2")
    assert "no marked spans" in view(item("text"), others).html


def test_language_and_image_are_declared():
    page = view(item("中文", language="zh"), image=Image.new("RGB", (4, 4)), alt='a "square"').html
    assert '<p lang="zh" dir="auto">中文</p>' in page
    assert re.search(r'<img src="data:image/png;base64,[^"]+" alt="a &quot;square&quot;">', page)


def test_marks_outside_and_images_without_words_are_refused():
    with pytest.raises(InputError, match="outside the response of 4 code points"):
        view(item("text"), spans(("a", 2, 5, "A")))
    with pytest.raises(InputError, match="without alternative text"):
        view(item("text"), image=Image.new("RGB", (4, 4)))

"""Captions with marked mentions: every character is kept, nothing is taken for markup."""

import re
from html.parser import HTMLParser

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from sheeplib import InputError
from sheeplib.report import view_mentions
from sheeplib.report.gallery import STATUSES

COLUMNS = ["item", "start", "end", "concept", "status", "subtype"]


def captions(*texts):
    rows = [(f"c{place}", f"model {place}", text) for place, text in enumerate(texts)]
    return pd.DataFrame(rows, columns=["item", "model", "response"])


def mentions(*rows):
    return pd.DataFrame(rows, columns=COLUMNS)


class Page(HTMLParser):
    """Text of the captions, and of their marks with what they say."""

    def __init__(self, page):
        super().__init__()
        self.texts, self.marks, self.inside, self.legend, self.tags = [], [], [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append(tag)
        self.inside.append((tag, attributes))
        if tag == "p" and "lang" in attributes:
            self.texts.append("")
        if tag == "mark" and "title" in attributes:
            self.marks.append((attributes["data-s"], attributes["title"], ""))

    def handle_endtag(self, tag):
        self.inside.pop()

    def handle_data(self, data):
        names = [tag for tag, _ in self.inside]
        if "p" in names and any("lang" in attributes for _, attributes in self.inside):
            self.texts[-1] += data
            if "mark" in names:
                sign, title, text = self.marks[-1]
                self.marks[-1] = (sign, title, text + data)
        elif "mark" in names:
            self.legend.append(data)


def test_each_mention_is_marked_by_sign_and_words():
    text = "A dog, maybe a cat 🐈 and a bus."
    named = mentions(
        ("c0", text.index("bus"), text.index("bus") + 3, "bus", "hallucinated", pd.NA),
        ("c0", 2, 5, "dog", "concrete", pd.NA),
        ("c0", 15, 18, "cat", "non-assertive", "hedged"),
        ("other", 0, 1, "kite", "excluded", "generic"),
    )
    page = Page(view_mentions(captions(text, "Nothing."), named).html)
    assert page.texts == [text, "Nothing."]
    assert page.marks == [
        ("✓", "dog: there (2:5)", "dog"),
        ("?", "cat: named, not claimed, hedged (15:18)", "cat"),
        ("✗", "bus: made up (27:30)", "bus"),
    ]
    assert page.legend == ["there", "made up", "named, not claimed"], "what does not occur is not explained"


def test_statuses_differ_in_more_than_colour():
    for field in ("said", "colour", "line", "sign"):
        assert len({getattr(status, field) for status in STATUSES.values()}) == len(STATUSES)


@given(st.text(max_size=30), st.data())
def test_any_text_is_kept_and_stays_text(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    named = mentions(("c0", start, end, "dog", "concrete", pd.NA))
    page = view_mentions(captions(text), named).html
    shown = Page(page)
    lined = re.sub("\r\n?", "\n", text)  # as HTML reads line ends
    if "\x00" not in text:
        assert re.sub("\r\n?", "\n", "".join(shown.texts)) == lined
    assert set(shown.tags) <= {"style", "div", "p", "mark"}


def test_markup_in_a_text_or_a_name_is_escaped():
    odd = captions("<script>x</script>").assign(model="<b>")
    named = mentions(("c0", 0, 8, "<i>", "concrete", pd.NA))
    assert not {"script", "b", "i"} & set(Page(view_mentions(odd, named).html).tags)


def test_a_picture_comes_with_words():
    page = view_mentions(
        captions("x"), mentions(), image=Image.new("RGB", (4, 4)), alt='a "park": 1 dog'
    ).html
    assert 'alt="a &quot;park&quot;: 1 dog"' in page and "In the picture: a" in page
    with pytest.raises(InputError, match="an image without words"):
        view_mentions(captions("x"), mentions(), image=Image.new("RGB", (4, 4)), alt=" ")


@pytest.mark.parametrize("spans", [[(0, 4)], [(2, 1)], [(-1, 1)], [(0, 2), (1, 3)]])
def test_mentions_of_another_text_are_refused(spans):
    named = mentions(*(("c0", start, end, "dog", "concrete", pd.NA) for start, end in spans))
    with pytest.raises(InputError, match="outside a caption of 3 code points, or over another one"):
        view_mentions(captions("abc"), named)


def test_an_unknown_status_is_refused():
    with pytest.raises(InputError, match="unknown status"):
        view_mentions(captions("abc"), mentions(("c0", 0, 1, "dog", "false", pd.NA)))

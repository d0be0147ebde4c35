"""The notation of one annotator's spans: what it says, and the many ways of getting it wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sheeplib.corpora.annotations import Mark, parse, write
from sheeplib.errors import InputError
from sheeplib.tables import Label

LENGTH = 50


@st.composite
def marks(draw):
    start = draw(st.integers(0, LENGTH - 1))
    return Mark(start, draw(st.integers(start + 1, LENGTH)), draw(st.sampled_from("ABCDE")))


def test_an_annotation_is_read_in_the_order_written():
    assert parse("31:46;3:14|A;B", LENGTH) == ([Mark(31, 46, "A"), Mark(3, 14, "B")], 0)


def test_a_bar_alone_says_that_nothing_is_marked():
    assert parse("|", LENGTH) == ([], 0)
    assert parse("|", 0) == ([], 0)
    assert parse(" | \n", LENGTH) == ([], 0)
    assert write([]) == "|"


def test_spaces_around_parts_mean_nothing():
    assert parse(" 3:14 ; 31:46 | A ; B ", LENGTH) == ([Mark(3, 14, "A"), Mark(31, 46, "B")], 0)


def test_spans_may_overlap_or_repeat():
    assert parse("3:14;3:14;5:20|A;A;C", LENGTH)[0] == [Mark(3, 14, "A"), Mark(3, 14, "A"), Mark(5, 20, "C")]


def test_spans_that_end_past_the_text_are_cut_and_counted():
    # of 50 characters: 40:50 ends with the text, 40:51 and 1:999999999 do not
    read, cut = parse("40:50;40:51;1:999999999|A;B;C", LENGTH)
    assert read == [Mark(40, 50, "A"), Mark(40, 50, "B"), Mark(1, 50, "C")]
    assert cut == 2


def test_official_names_are_written_as_letters():
    assert write([Mark(0, 1, "OCR"), Mark(2, 3, Label.OTHER)]) == "0:1;2:3|C;E"


@given(st.lists(marks(), max_size=8))
def test_what_is_written_is_read_back(found):
    assert parse(write(found), LENGTH) == (found, 0)


@given(st.text(alphabet="0123456789:;|ABCDEF -\u00a0\uff11\u0661", max_size=14))
def test_a_text_is_read_inside_the_response_or_refused_with_a_remedy(text):
    try:
        read, cut = parse(text, LENGTH)
    except InputError as error:
        assert all(problem.remedy for problem in error.problems)
        return
    assert all(0 <= mark.start < mark.end <= LENGTH and mark.label in "ABCDE" for mark in read)
    assert 0 <= cut <= len(read)
    assert parse(write(read), LENGTH) == (read, 0)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "not an annotation"),
        ("3:14", "not an annotation"),
        ("A", "not an annotation"),
        ("|A", "0 spans, but 1 labels"),
        ("3:14|", "1 spans, but 0 labels"),
        ("3:14;|A", "2 spans, but 1 labels"),
        ("3:14;|A;B", "not a span"),
        ("3:14;;5:6|A;B;C", "not a span"),
        ("3:14|A;", "1 spans, but 2 labels"),
        ("3-14|A", "not a span"),
        ("3 : 14|A", "not a span"),
        ("3:14:20|A", "not a span"),
        ("3.0:14|A", "not a span"),
        ("+3:14|A", "not a span"),
        ("-1:3|A", "not a span"),
        ("1_0:14|A", "not a span"),
        ("3:14\n5:6|A", "not a span"),
        ("\uff13:\uff11\uff14|A", "not a span"),  # full-width digits, which int() would take
        ("\u0663:\u0661\u0664|A", "not a span"),  # Arabic-Indic ones
        ("3:\u00b2|A", "not a span"),  # superscript two: isdigit() is true
        ("3:" + "9" * 10 + "|A", "not a span"),  # an offset of ten digits is no offset
        ("9" * 5000 + ":3|A", "not a span"),  # int() refuses more than 4300 digits
        ("14:3|A", "covers nothing"),
        ("3:3|A", "covers nothing"),
        ("50:51|A", "starts past the text of 50 characters"),
        ("3:14|F", "unknown label"),
        ("3:14|a", "unknown label"),
        ("3:14|\uff21", "unknown label"),  # full-width A
        ("3:14|AB", "unknown label"),
        ("3:14|A|B", "unknown label"),
        ("3:14|invention", "unknown label"),
    ],
)
def test_what_is_no_annotation_is_refused_with_a_remedy(text, what):
    with pytest.raises(InputError, match=what) as caught:
        parse(text, LENGTH)
    (problem,) = caught.value.problems
    assert problem.remedy and problem.value is not None


def test_an_unknown_label_is_answered_with_the_known_ones():
    with pytest.raises(InputError) as caught:
        parse("3:14|X", LENGTH)
    said = str(caught.value)
    assert "found 'X'" in said
    assert "A (invention), B (mischaracterization), C (OCR), D (miscounting), E (other)" in said


def test_nothing_can_be_marked_in_an_empty_text():
    with pytest.raises(InputError, match="starts past the text of 0 characters"):
        parse("0:1|A", 0)

import io
import warnings
from itertools import combinations

import matplotlib as mpl
import pytest
from matplotlib import colors, pyplot

from sheeplib import InputError, Label
from sheeplib.report import style


@pytest.fixture(autouse=True)
def fresh():
    with mpl.rc_context(), warnings.catch_warnings():
        yield
    pyplot.close("all")


def drawn(text):
    style.use()
    figure, axes = pyplot.subplots()
    axes.set_title(text)
    stream = io.BytesIO()
    figure.savefig(stream, format="png", metadata={"Software": None})
    return stream.getvalue()


def test_chinese_and_latin_share_one_line():
    drawn("Accord à 90 %: 一致性，“黑羊”（三只）")


def test_the_glyph_for_chinese_is_not_an_empty_box():
    # U+4E00 is one stroke and U+8B66 is dense: boxes would look the same.
    assert drawn("一") != drawn("警")


def test_a_glyph_that_no_font_has_is_an_error():
    with pytest.raises(UserWarning, match="Glyph .* missing"):
        drawn("\U00020bb7")


def test_equal_figures_give_equal_bytes():
    assert drawn("x") == drawn("x")


def test_using_the_style_twice_changes_nothing():
    style.use()
    before = dict(mpl.rcParams)
    style.use()
    assert dict(mpl.rcParams) == before


def test_fixed_names_keep_their_colours_in_any_company():
    assert style.colours(["human", "gemma3"])["human"] == style.STRATEGIES["human"]
    assert style.colours(["zebra", "ant"]) == dict(reversed(style.colours(["ant", "zebra"]).items()))
    assert set(style.LABELS) == {str(label) for label in Label}


def test_more_names_than_colours_are_refused():
    with pytest.raises(InputError, match="30 names"):
        style.colours(f"model {n}" for n in range(30))


def as_seen(colour, matrix):
    """The colour as a person sees it who lacks one kind of cone (Machado and others 2009, severity 1)."""
    return [sum(m * c for m, c in zip(row, colors.to_rgb(colour), strict=True)) for row in matrix]


PROTANOPIA = [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
]
DEUTERANOPIA = [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.011820, 0.042940, 0.968881],
]


@pytest.mark.parametrize("matrix", [PROTANOPIA, DEUTERANOPIA])
@pytest.mark.parametrize("names", [style.LABELS, style.STRATEGIES, style.LANGUAGES])
def test_colours_stay_apart_for_colour_blind_readers(names, matrix):
    for one, other in combinations(names.values(), 2):
        a, b = as_seen(one, matrix), as_seen(other, matrix)
        assert sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) ** 0.5 > 0.15, (one, other)

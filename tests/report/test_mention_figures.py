"""Figures of mentions: what is drawn is what the results say."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot

from sheeplib.errors import InputError
from sheeplib.published import published
from sheeplib.report import mention_figures
from sheeplib.report.display import figure_forms


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def rows(*given):
    columns = ["quantity", "model", "subtype", "value", "low", "high"]
    frame = pd.DataFrame(given, columns=columns)
    return frame.astype({"subtype": "string"})


NATURAL = rows(
    ("non_assertive_share", "clover", None, 10.0, 9.0, 11.5),
    ("hallucination_rate", "clover", None, 8.0, 7.0, 9.0),
    ("non_assertive_share", "fern", None, 5.0, 4.0, 6.0),
    ("hallucination_rate", "fern", None, 20.0, 18.0, 22.0),
)


def points(axes):
    return [
        tuple(float(x) for x in line.get_xdata()) for line in axes.lines if line.get_marker() in ("o", "D")
    ]


def test_natural_rates_have_a_row_a_model_and_the_papers_below():
    figure = mention_figures.natural(NATURAL, published("namebench", 1))
    first, second = figure.axes
    assert points(first)[0] == (10.0, 5.0) and points(second)[0] == (8.0, 20.0)
    assert points(first)[1] == (1.3, 5.0, 4.8, 4.2, 4.4)  # as printed
    names = [label.get_text() for label in first.get_yticklabels()]
    assert names[:3] == ["clover", "fern", "llava-1.5-7b (paper)"] and len(names) == 7
    assert figure_forms(figure, "Rates.", "rates", "Dots.")["text/plain"] == "Dots."


def test_natural_rates_alone():
    assert len(points(mention_figures.natural(NATURAL).axes[0])) == 1


def test_bars_of_subtypes_add_up_to_all():
    given = [("share", "clover", name, 25.0, 20.0, 30.0) for name in mention_figures.SUBTYPES]
    figure = mention_figures.subtypes(rows(*given), published("namebench", 2))
    bars = figure.axes[0].patches
    ends = {round(bar.get_x() + bar.get_width()) for bar in bars[-6:]}
    assert len(bars) == 4 * 6 and ends == {100}


def test_a_model_may_stand_on_both_sides():
    given = [("share", "llava-1.5-7b", name, 25.0, 20.0, 30.0) for name in mention_figures.SUBTYPES]
    figure = mention_figures.subtypes(rows(*given), published("namebench", 2))
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names[:2] == ["llava-1.5-7b", "llava-1.5-7b (paper)"] and len(names) == 6


def test_flags_are_drawn_at_their_values_with_the_papers_range_behind():
    given = rows(
        ("hallucination_recall", "clover", None, 99.0, 98.0, 100.0),
        ("non_assertive_fpr", "clover", "all", 60.0, 55.0, 65.0),
        ("non_assertive_fpr", "clover", "hedged", 30.0, 25.0, 35.0),
        ("non_assertive_fpr", "clover", "negation", np.nan, np.nan, np.nan),
    )
    printed = published("namebench", 3).query("detector == 'chair'")
    figure = mention_figures.flagged(given, ["hedged", "negation"], printed)
    axes = figure.axes[0]
    assert points(axes) == [(99.0,), (60.0,), (30.0,), ()]
    spans = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in axes.patches]
    assert spans[:3] == [(64, 92), (46, 54), (49, 59)]  # smallest and largest of the five, as printed
    assert len(mention_figures.flagged(given, ["hedged"]).axes[0].patches) == 0


def test_nothing_to_draw_is_an_error():
    empty = NATURAL.assign(value=np.nan)
    for call in (mention_figures.natural, mention_figures.subtypes):
        with pytest.raises(InputError, match="no value to draw"):
            call(empty)
    with pytest.raises(InputError, match="no value to draw"):
        mention_figures.flagged(empty, [])

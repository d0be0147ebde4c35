import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.container import ErrorbarContainer

from sheeplib import InputError
from sheeplib.report import figures, style
from sheeplib.report.scorecard import DIFFERS, NOT_COMPUTABLE, WITHIN


@pytest.fixture(autouse=True)
def fresh():
    with mpl.rc_context():
        style.use()
        yield
    pyplot.close("all")


def results(**columns):
    return pd.DataFrame({"low": np.nan, "high": np.nan, "reason": pd.NA} | columns)


def whiskers(axes):
    """Ends of every error bar along the axis of values, sorted."""
    drawn = [container for container in axes.containers if isinstance(container, ErrorbarContainer)]
    return sorted(
        tuple(np.sort(segment[:, int(container.has_yerr)]).round(6).tolist())
        for container in drawn
        for bar in container[2]
        for segment in bar.get_segments()
    )


def test_bars_stand_at_their_place_with_their_height_and_interval():
    table = results(
        language=["en", "en", "zh"],
        strategy=["human", "map", "map"],
        value=[3.0, 2.0, 1.0],
        low=[2.5, np.nan, 0.5],
        high=[3.5, np.nan, 2.0],
    )
    axes = figures.bars(table, "language", "strategy", "items", "language").axes[0]
    drawn = {(round(bar.get_x() + bar.get_width() / 2, 6), bar.get_height()) for bar in axes.patches}
    assert drawn == {(-0.2, 3.0), (0.2, 2.0), (1.2, 1.0)}
    assert whiskers(axes) == [(0.5, 2.0), (2.5, 3.5)]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["human", "MAP"]


def test_agreement_has_a_panel_a_measure_and_a_dot_a_group_beside_the_papers():
    ours = results(
        quantity=["presence_alpha", "presence_alpha", "span_iou", "presence_observed"],
        language=["en", "zh", "en", "en"],
        value=[0.5, 0.6, np.nan, 0.9],
        low=[0.4, 0.5, np.nan, 0.8],
        high=[0.6, 0.7, np.nan, 1.0],
    )
    paper = results(quantity=["presence_alpha"] * 2, language=["zh", "it"], value=0.8, half_width=0.1)
    panel, *others = (a for a in figures.agreement(ours, ["language"], paper).axes if a.axison)
    assert not others and panel.get_title() == figures.MEASURES["presence_alpha"]
    assert [tick.get_text() for tick in panel.get_yticklabels()] == ["en", "zh"]
    assert whiskers(panel) == [(0.4, 0.6), (0.5, 0.7), (0.7, 0.9)]


def test_agreement_without_a_value_is_refused_with_the_reason():
    nothing = results(quantity=["span_iou"], value=np.nan, reason="annotators are withheld")
    with pytest.raises(InputError, match="annotators are withheld"):
        figures.agreement(nothing, [])


def test_labels_have_a_panel_a_language_and_a_bar_a_label():
    table = results(language=["en", "en", "zh"], label=["A", "F", "C"], value=[0.2, 0.7, 1.0])
    english, chinese = figures.labels(table).axes
    assert [(bar.get_y() + 0.4, bar.get_width()) for bar in english.patches] == [(0.0, 0.2), (5.0, 0.7)]
    assert [bar.get_width() for bar in chinese.patches] == [1.0]


def test_the_scorecards_whiskers_are_our_intervals_also_where_they_miss_our_value():
    card = pd.DataFrame(
        {
            "printed": [0.5, 0.2, 0.3],
            "ours": [0.45, 0.7, np.nan],
            "low": [0.4, 0.72, np.nan],
            "high": [0.55, 0.9, np.nan],
            "verdict": [WITHIN, DIFFERS, NOT_COMPUTABLE],
            "why": pd.NA,
        }
    )
    figure = figures.scorecard(card)
    axes = figure.axes[0]
    # An interval need not hold its value (0.7 here); the whisker starts at the value then, not below.
    assert whiskers(axes) == [(0.4, 0.55), (0.7, 0.9)]
    assert [t.get_text() for t in figure.legends[0].get_texts()] == [f"{WITHIN} (1)", f"{DIFFERS} (1)"]
    agreeing = figures.scorecard(card[card["verdict"] == WITHIN]).axes[0]
    assert whiskers(agreeing) == [(0.4, 0.55)]
    with pytest.raises(InputError, match="no printed number could be computed"):
        figures.scorecard(card[card["verdict"] == NOT_COMPUTABLE])


def test_two_values_for_one_bar_are_refused():
    rows = pd.DataFrame({"language": ["en", "en"], "value": [1.0, 2.0], "low": np.nan, "high": np.nan})
    with pytest.raises(InputError, match="two values for one bar"):
        figures.bars(rows, "language", "strategy", "items", "language")

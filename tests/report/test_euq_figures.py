"""What the figures on evidence show, read back from the drawing."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot

from sheeplib.detectors import euq, thresholds
from sheeplib.errors import InputError
from sheeplib.published import published
from sheeplib.report import euq_figures, style
from sheeplib.report.display import figure_forms


@pytest.fixture(autouse=True)
def fresh():
    with mpl.rc_context():
        style.use()
        yield
    pyplot.close("all")


def test_evidence_for_goes_right_and_against_left():
    said = euq.pieces([[2.0, -1], [-1, 2], [-1, -1]], [1.0, 1.0])
    figure = euq_figures.evidence({"one": said, "two": said / 2}, ["red", "blue", "green"])
    first, second = figure.axes
    widths = sorted(bar.get_width() for bar in first.patches)
    assert widths == [-2, -1, -1, 0, 2, 2]
    assert sorted(bar.get_width() for bar in second.patches) == [width / 2 for width in widths]
    figure.canvas.draw()
    assert all("−" not in tick.get_text() for tick in first.get_xticklabels())
    assert [tick.get_text() for tick in first.get_yticklabels()] == ["red", "blue", "green"]
    assert figure_forms(figure, "A caption.", "a-label", "Bars.")["text/plain"] == "Bars."


def test_distributions_of_two_kinds_of_tokens():
    rng = np.random.default_rng(1)
    marked = np.arange(400) % 4 == 0
    tokens = pd.DataFrame({"marked": marked, "a": rng.normal(size=400) + 5 * marked, "b": 1.0})
    figure = euq_figures.distributions(tokens, {"a": "one", "b": "two"})
    plain, wrong = figure.axes[0].lines
    middle = [line.get_xdata()[np.searchsorted(line.get_ydata(), 0.5)] for line in (plain, wrong)]
    assert middle == pytest.approx([0, 5], abs=0.3)
    assert plain.get_ydata()[-1] == wrong.get_ydata()[-1] == 1
    with pytest.raises(InputError, match="no two kinds"):
        euq_figures.distributions(tokens[marked], {"a": "one"})


@pytest.mark.parametrize("chosen", [-np.inf, 0.5])
def test_the_chosen_threshold_stands_where_it_flags(chosen):
    scores, marked = np.array([0.1, 0.5, 0.7, 0.9]), np.array([False, False, True, True])
    curve = thresholds.curve(scores, marked)
    axes = euq_figures.threshold(curve, chosen, 0.5).axes[0]
    at = [line.get_xdata()[0] for line in axes.lines if len(set(line.get_xdata())) == 1]
    assert at == [1.0 if chosen < 0 else 0.5]
    f1 = next(line for line in axes.lines if line.get_label() == "F1")
    assert f1.get_ydata().max() == pytest.approx(1) and f1.get_xdata()[0] == 1


def test_detectors_stand_in_the_order_of_their_names():
    results = pd.DataFrame(
        {
            "quantity": "f1",
            "detector": ["b", "a", "c"],
            "value": [0.2, 0.1, np.nan],
            "low": [0.1, 0.05, np.nan],
            "high": [0.3, 0.2, np.nan],
        }
    )
    axes = euq_figures.detectors(results, {"a": "first", "b": "last", "c": "no value", "d": "absent"}).axes[0]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["first", "last"]
    assert axes.containers[0].lines[0].get_xdata().tolist() == [0.1, 0.2]
    assert axes.lines[0].get_xdata()[0] == 0.2  # the line is at the last one
    with pytest.raises(InputError, match="no value"):
        euq_figures.detectors(results, {"c": "no value"})


def test_ours_and_the_papers_side_by_side():
    rows = [
        {"quantity": name, "strategy": "human", "model": pd.NA, "subset": pd.NA, "value": value}
        for name, value in {"precision": 0.3, "recall": 0.2, "f1": 0.24}.items()
    ]
    ours = pd.DataFrame(rows).assign(low=0.1, high=0.4, reason=pd.NA)
    groups = [("MAP", {"strategy": "map"}), ("human", {"strategy": "human"})]
    figure = euq_figures.strategies(ours, published("sheep", 13), groups)
    drawn = {
        panel.get_title(): [container.lines[0].get_xdata() for container in panel.containers]
        for panel in figure.axes
    }
    assert np.isnan(drawn["F1"][0][0]) and drawn["F1"][0][1] == 0.24
    assert drawn["F1"][1] == pytest.approx([0.206332, 0.238017])
    assert drawn["recall"][1] == pytest.approx([0.167343, 0.214856])
    with pytest.raises(InputError, match="no value to draw"):
        euq_figures.strategies(ours, published("sheep", 13), groups[:1])

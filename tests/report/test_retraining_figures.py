"""Figures on retraining: what is drawn where, and what is refused."""

import matplotlib
import pandas as pd
import pytest

from sheeplib.errors import InputError
from sheeplib.report import retraining_figures as figures
from sheeplib.report import style

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def look():
    style.use()
    yield
    matplotlib.pyplot.close("all")


def drawn(figure):
    figure.canvas.draw()
    return figure


def sixth(kind="hedged", sentence="Perhaps a dog.", start=10, end=13, before=95.0, after=40.0):
    return {"kind": kind, "sentence": sentence, "start": start, "end": end, "before": before, "after": after}


def words_of(figure):
    from matplotlib.text import Text

    return {text.get_text(): text for text in figure.findobj(Text) if text.get_text()}


def test_bars_are_before_and_circles_after():
    table = pd.DataFrame([sixth(), sixth("concrete", "A cat, no dog.", 2, 5, 30, 20)])
    figure = drawn(figures.six_mentions(table, 0.1))
    (axes,) = figure.axes
    assert [bar.get_width() for bar in axes.patches] == [95, 30]
    points = [line for line in axes.lines if line.get_marker() == "o"]
    assert [point.get_xdata()[0] for point in points] == [40, 20]
    assert any(list(line.get_xdata()) == [90, 90] for line in axes.lines)
    words = words_of(figure)
    assert words["dog."].get_weight() == "bold" or words["cat,"].get_weight() == "bold"
    assert words["Perhaps"].get_weight() != "bold"


@pytest.mark.parametrize("sentence", ["价格 $5 $6 一只狗", "𝔘 dog 🐕 <b>", "dog " * 60])
def test_any_sentence_can_be_drawn(sentence, recwarn):
    figure = drawn(figures.six_mentions(pd.DataFrame([sixth(sentence=sentence, start=3, end=5)])))
    assert not [warning for warning in recwarn if "Glyph" in str(warning.message)]
    assert figure.get_size_inches()[0] == style.WIDTH_INCHES


def rows(values, **keys):
    return [
        {"value": value, "low": value - 2, "high": value + 2, "reason": pd.NA, **keys} for value in values
    ]


def curve_table():
    found = []
    for detector, model in (("dhcp", pd.NA), ("dhcp", "ada"), ("position", pd.NA)):
        for quantity, values in (("non_assertive_fpr", (60, 20, 5)), ("hallucination_tpr", (50, 45, 40))):
            for budget, row in zip(("0", "max", "natural"), rows(values), strict=True):
                found.append(
                    row | {"detector": detector, "model": model, "quantity": quantity, "budget": budget}
                )
    return pd.DataFrame(found)


def test_budgets_stand_in_the_order_of_their_sizes():
    figure = drawn(figures.curves(curve_table(), {"0": 0.0, "max": 99.0, "natural": 23.4}))
    panels = [axes for axes in figure.axes if axes.get_title()]
    assert [axes.get_title() for axes in panels] == ["DHCP", "position only"]
    assert [label.get_text() for label in panels[0].get_xticklabels()] == ["0", "23\nnatural", "99\nmax"]
    mean = next(bars for bars in panels[0].containers if "non-assertive" in bars.get_label())
    assert list(mean.lines[0].get_ydata()) == [60, 5, 20]  # natural before max
    assert len(panels[0].lines) > len(panels[1].lines)  # the thin line of a single captioner


def test_pairs_are_all_in_sight():
    table = pd.DataFrame(
        [
            row | {"line": line, "side": side, "panel": panel}
            for panel, top in (("a", 10), ("b", 50), ("c", 90))
            for side in ("seen", "unseen")
            for line, row in zip(("x", "y"), rows((top, top / 2)), strict=True)
        ]
    )
    figure = drawn(figures.pairs(table, {"seen": "seen", "unseen": "not seen"}, "flagged (%)"))
    low, high = figure.axes[0].get_xlim()
    assert low < 0 and high > 92
    assert [axes.get_title() for axes in figure.axes[:3]] == ["a", "b", "c"]


def test_nothing_to_draw_is_refused():
    empty = curve_table().assign(value=float("nan"), reason="not done")
    with pytest.raises(InputError, match="no value to draw"):
        figures.curves(empty, {"0": 0.0})
    with pytest.raises(InputError, match="no mention"):
        figures.six_mentions(pd.DataFrame(columns=list(sixth())))
    with pytest.raises(InputError, match="no pairs"):
        figures.pairs(empty.assign(line="x", side="seen"), {"seen": "a", "unseen": "b"}, "%")

"""Figures of the model card: each number has its dot, and each dot its place."""

import matplotlib as mpl
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.container import ErrorbarContainer
from PIL import Image

from sheeplib import InputError
from sheeplib.report import portraits, style


@pytest.fixture(autouse=True)
def fresh():
    with mpl.rc_context():
        style.use()
        yield
    pyplot.close("all")


def table(*rows):
    columns = ["model", "quantity", "language", "type", "value"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.assign(low=frame["value"] - 0.1, high=frame["value"] + 0.1)


def dots(axes):
    """Place and value of every dot with a bar, in the order drawn."""
    drawn = [container for container in axes.containers if isinstance(container, ErrorbarContainer)]
    return [
        (round(y, 2), round(x, 4))
        for container in drawn
        for x, y in zip(*container.lines[0].get_data(), strict=True)
    ]


def names(axes):
    return [label.get_text() for label in axes.get_yticklabels()]


def test_pictures_stand_in_rows_with_their_names():
    images = {name: Image.new("RGB", (8, 8)) for name in ("one", "two", "three", "four")}
    panels = portraits.pictures(images).axes
    assert [panel.get_title() for panel in panels] == ["one", "two", "three", "four", "", ""]
    assert [len(panel.images) for panel in panels] == [1, 1, 1, 1, 0, 0]
    with pytest.raises(InputError, match="no picture to show"):
        portraits.pictures({})


def test_weights_are_a_map_of_kinds_and_settings():
    frame = pd.DataFrame({"park": [0.25, 0.75], "beach": [1.0, 0.0]}, index=["dog", "kite"])
    axes = portraits.weights(frame).axes[0]
    assert axes.images[0].get_array().tolist() == frame.to_numpy().tolist()
    assert names(axes) == ["dog", "kite"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["park", "beach"]


def test_accuracies_have_a_panel_a_type_and_language_with_chance_in_it():
    questions = table(
        ("clover", "accuracy", "en", "colour", 0.8), ("daisy", "accuracy", "en", "colour", 0.6),
        ("clover", "accuracy", "zh", "colour", 0.7), ("chance", "constant", "en", "colour", 0.2),
        ("chance", "usual answer", "zh", "colour", 0.3), ("clover", "unread", "en", "colour", 0.1),
    )  # fmt: skip
    english, chinese = portraits.abilities(questions).axes
    assert dots(english) == [(0, 0.8), (1, 0.6)] and dots(chinese) == [(0, 0.7)]
    assert [line.get_xdata()[0] for line in english.lines if line.get_linestyle() == ":"] == [0.2]
    assert [line.get_xdata()[0] for line in chinese.lines if line.get_linestyle() == "--"] == [0.3]
    assert names(english) == ["clover", "daisy"] and chinese.get_title() == "zh"
    with pytest.raises(InputError, match="no accuracy to draw"):
        portraits.abilities(questions[questions["model"] == "chance"])


def test_printed_rates_stand_below_the_line_and_nowhere_else():
    ours = table(
        ("clover", "hallucination rate", "en", None, 0.2), ("daisy", "hallucination rate", "en", None, 0.3),
        ("clover", "object recall", "en", None, 0.9), ("clover", "excluded share", "en", None, 0.1),
    )  # fmt: skip
    printed = table(
        ("llava", "hallucination rate", "en", None, 0.25), ("llava", "hedged share", "en", None, 0.5)
    )
    figure = portraits.rates(ours, printed)
    rate, recall = figure.axes
    assert dots(rate) == [(0, 0.2), (1, 0.3), (2, 0.25)] and dots(recall) == [(0, 0.9)]
    assert names(rate) == ["clover", "daisy", "llava"]
    lines = [line.get_ydata()[0] for line in rate.lines if list(line.get_xdata()) == [0, 1]]
    assert lines == [1.5], "between the two"
    said = [text.get_text() for text in figure.legends[0].get_texts()]
    assert said == ["miniature, drawn scenes", "real model, photographs, as printed"]
    with pytest.raises(InputError, match="no rate to draw"):
        portraits.rates(ours[ours["quantity"] == "excluded share"], printed)


def test_inventions_stand_beside_chance_and_beside_a_wrong_picture():
    follow = table(
        ("clover", "weight over random", "en", None, 1.8), ("clover", "weight at random", "en", None, 1)
    )
    control = table(
        ("clover", "hallucination rate", "en", None, 0.2),
        ("clover", "hallucination rate, shuffled", "en", None, 0.7), ("clover", "rise", "en", None, 0.5),
    )  # fmt: skip
    left, right = portraits.inventions(follow, control).axes
    assert dots(left) == [(0, 1.8)] and dots(right) == [(-0.12, 0.2), (0.12, 0.7)]
    assert 1 in [line.get_xdata()[0] for line in left.lines if line.get_linestyle() == "--"]
    with pytest.raises(InputError, match="nothing to draw"):
        portraits.inventions(follow, control[control["quantity"] == "rise"])


def test_a_number_that_is_missing_has_no_dot():
    ours = table(
        ("clover", "object recall", "en", None, float("nan")), ("daisy", "object recall", "en", None, 0.5)
    )
    (axes,) = portraits.rates(ours, table()).axes
    assert dots(axes) == [(1, 0.5)] and names(axes) == ["clover", "daisy"]

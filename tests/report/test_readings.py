import numpy as np
import pandas as pd
import pytest

from sheeplib import InputError
from sheeplib.report import readings, style


def tokens(*offsets):
    return pd.DataFrame(offsets, columns=["start", "end"])


def test_tokens_show_their_characters_blanks_and_further_parts():
    # two byte tokens share the emoji; then a line break, and a token whose blank was cut from its offsets
    given = tokens((0, 1), (1, 3), (3, 4), (3, 4), (4, 5), (5, 5))
    assert readings.texts(given, "A é🐑\n ") == ["A", "␣é", "🐑", "·", "␣", "␣"]
    assert readings.texts(tokens((0, 2), (2, 3)), "a\0\u200d") == ["a□", "□"]  # a page would not show them


def test_masses_are_stacked_to_one_in_every_layer():
    shares = np.full((7, 3, 5), 0.2, dtype=np.float32)
    axes = readings.masses(shares).axes[0]
    tops = [bar.get_y() + bar.get_height() for bar in axes.containers[-1]]
    assert tops == pytest.approx([1, 1, 1])
    assert [container.get_label() for container in axes.containers] == list(readings.GROUPS)
    with pytest.raises(InputError, match="tokens, layers, 5"):
        readings.masses(shares[0])


def test_the_map_names_tokens_in_reading_order_also_in_chinese():
    style.use()
    figure = readings.token_map(["狗", "␣dog", "."], np.array([3.0, 1.0, 0.5]), np.eye(3, 4))
    left, right = figure.axes[:2]
    assert [label.get_text() for label in left.get_yticklabels()] == ["狗", "␣dog", "."]
    assert [bar.get_width() for bar in left.patches] == [3.0, 1.0, 0.5]
    assert left.get_ylim()[0] > left.get_ylim()[1]  # the first token on top
    np.testing.assert_array_equal(right.images[0].get_array(), np.eye(3, 4))
    figure.canvas.draw()  # a glyph that is missing would be an error
    with pytest.raises(InputError, match="without tokens"):
        readings.token_map([], np.array([]), np.zeros((0, 4)))


def test_the_map_draws_any_token_a_tokeniser_may_give():
    style.use()
    # an emoji and a sign for private use, which no font here has; two dollars, which are no formula
    figure = readings.token_map(["🐑", "狗\ue000", "$$", "a_b$x^$"], np.ones(4), np.ones((4, 2)))
    figure.canvas.draw()
    labels = figure.axes[0].get_yticklabels()
    assert [label.get_text() for label in labels] == ["□", "狗□", "$$", "a_b$x^$"]
    assert not any(label.get_parse_math() for label in labels)

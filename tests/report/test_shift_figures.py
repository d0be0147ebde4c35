import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot

from sheeplib import InputError
from sheeplib.report import shift_figures, style


@pytest.fixture(autouse=True)
def fresh():
    with mpl.rc_context():
        style.use()
        yield
    pyplot.close("all")


def scores(**columns):
    base = {"quantity": "f1", "task": "3-way", "reason": pd.NA, "low": np.nan, "high": np.nan}
    return pd.DataFrame(base | columns)


def dots(panel):
    """Each drawn side: name, values, heights, and ends of its intervals."""
    return {
        container.get_label(): (
            list(container[0].get_xdata()),
            np.round(np.asarray(container[0].get_ydata(), dtype=float), 2).tolist(),
            [bar[:, 0].round(6).tolist() for bar in container[2][0].get_segments() if bar.ndim == 2],
        )
        for container in panel.containers
    }


def test_f1_has_a_panel_a_language_a_row_an_origin_and_the_papers_values():
    ours = scores(
        origin=["visage", "visage", "human", "human"],
        language=["en", "en", "en", "zh"],
        folds=["grouped", "ungrouped", "grouped", "grouped"],
        value=[0.8, 0.9, 0.6, 0.5],
        low=[0.7, 0.85, 0.5, 0.52],
        high=[0.85, 0.95, 0.65, 0.6],
    )
    paper = scores(origin=["human", "gemma3"], language="en", value=[0.7, 0.4])
    figure = shift_figures.f1(ours, printed=paper)
    english, chinese = figure.axes
    assert [panel.get_title() for panel in figure.axes] == ["en", "zh"]
    assert [tick.get_text() for tick in english.get_yticklabels()] == ["visage", "human"]
    drawn = dots(english)
    assert drawn["grouped: no shared image"] == ([0.8, 0.6], [-0.18, 0.82], [[0.7, 0.85], [0.5, 0.65]])
    assert drawn["ungrouped"] == ([0.9], [0.06], [[0.85, 0.95]])
    assert drawn["printed in the paper"][:2] == ([0.7], [1.3])  # a model that is not ours has no row
    # an interval that misses its value starts at it
    assert dots(chinese) == {"grouped: no shared image": ([0.5], [0.82], [[0.5, 0.6]])}
    told = [text.get_text() for text in figure.legends[0].get_texts()]
    assert told == ["grouped: no shared image", "ungrouped", "printed in the paper"]


def test_three_panels_have_an_axis_under_each_column():
    three = scores(origin="human", language=["en", "fr", "it"], folds="grouped", value=[0.5, 0.6, 0.7])
    english, french, italian, empty = shift_figures.f1(three).axes
    under = [panel.xaxis.get_tick_params()["labelbottom"] for panel in (english, french, italian)]
    assert under == [False, True, True] and not empty.axison


def test_f1_without_a_value_or_of_several_tasks_is_refused():
    nothing = scores(origin=["human"], folds="grouped", value=np.nan, reason="no strategy")
    with pytest.raises(InputError, match="no value to draw.*no strategy"):
        shift_figures.f1(nothing)
    two = scores(origin="human", folds="grouped", value=0.5, task=["3-way", "6-way"])
    with pytest.raises(InputError, match="several tasks"):
        shift_figures.f1(two)


def test_confusion_writes_every_number_in_its_cell_and_colours_by_shares():
    pairs = [("visage", "visage"), ("visage", "human"), ("human", "visage"), ("human", "human")]
    counts = pd.DataFrame(pairs, columns=["origin", "told"]).assign(
        task="3-way", folds="grouped", items=[3, 1, 1200, 0]
    )
    panel = shift_figures.confusion(counts).axes[0]
    written = {text.get_position(): text.get_text() for text in panel.texts}
    assert written == {(0, 0): "3", (1, 0): "1", (0, 1): "1,200", (1, 1): "0"}
    assert panel.images[0].get_array().tolist() == [[0.75, 0.25], [1, 0]]
    assert [tick.get_text() for tick in panel.get_xticklabels()] == ["visage", "human"]
    with pytest.raises(InputError, match="two variants"):
        shift_figures.confusion(counts.assign(folds=["grouped", "ungrouped"] * 2))
    with pytest.raises(InputError, match="no confusion to draw"):
        shift_figures.confusion(pd.DataFrame())


def test_telling_ngrams_are_bars_with_blanks_to_be_seen_and_nothing_is_markup():
    ngrams = pd.DataFrame(
        {
            "task": "3-way",
            "origin": ["visage"] * 3 + ["human"] * 2,
            "rank": [1, 2, 3, 1, 2],
            "level": ["word", "character", "character", "character", "word"],
            "ngram": ["of the", " $x$\n", "色", "\N{UNICORN FACE}\u200b", "_a_^2"],
            "weight": [3.0, 2.0, 1.0, 0.5, 0.25],
        }
    )
    figure = shift_figures.telling(ngrams)
    first, second = figure.axes
    assert first.get_title() == "visage" and second.get_title() == "human"
    assert [tick.get_text() for tick in first.get_yticklabels()] == ["of␣the", "␣$x$↵", "色"]
    assert [tick.get_text() for tick in second.get_yticklabels()] == ["□□", "_a_^2"]
    assert [bar.get_width() for bar in first.patches] == [3, 2, 1]
    assert first.patches[1].get_facecolor() == second.patches[0].get_facecolor()
    assert first.patches[0].get_facecolor() != first.patches[1].get_facecolor()
    figure.canvas.draw()  # a glyph that no font has would be an error here
    with pytest.raises(InputError, match="several groups"):
        shift_figures.telling(pd.concat([ngrams, ngrams]))
    with pytest.raises(InputError, match="no n-grams"):
        shift_figures.telling(ngrams.iloc[:0])

"""Figures of judges' letters and scores: what is drawn, and where."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot

from corpora_of import corpus_of
from sheeplib import composition
from sheeplib.errors import InputError
from sheeplib.expected_labels import expected_labels
from sheeplib.judge_scores import judge_scores
from sheeplib.report import style, verdict_figures


@pytest.fixture(autouse=True)
def fresh():
    with mpl.rc_context():
        style.use()
        yield
    pyplot.close("all")


CORPUS = corpus_of(
    {f"i{n}": [[(0, 2, "A")] if n % 3 else []] * 2 for n in range(24)},
    strategy=["human"] * 8 + ["random"] * 8 + ["map"] * 8,
    split=["test"] * 16 + ["train"] * 8,
    model=[None] * 8 + ["daisy", "clover"] * 8,
    language=["en", "zh", "zh", "en"] * 6,
    prelabel=["A", "F"] * 12,
)
LETTERS = pd.DataFrame({"item": CORPUS.items["item"], "owl": ["A", "F"] * 12, "owlet": ["A", "A", "B"] * 8})


def dots(axes):
    """Places of all dots with error bars, by the name of their colour."""
    found = {}
    for container in axes.containers:
        x, y = container[0].get_data()
        found[container.get_label()] = [(float(a), round(float(b), 3)) for a, b in zip(x, y, strict=True)]
    return found


def test_samples_have_a_panel_a_split_and_a_bar_a_cell():
    counts = composition.item_counts(CORPUS, ["language", "strategy", "split"])
    figure = verdict_figures.samples(counts)
    assert [panel.get_title() for panel in figure.axes] == ["test", "train"]
    heights = [sorted(bar.get_height() for bar in panel.patches) for panel in figure.axes]
    assert heights == [[0, 0, 4, 4, 4, 4], [0, 0, 0, 0, 4, 4]]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["human", "MAP", "random"]
    plain = verdict_figures.samples(composition.item_counts(CORPUS, "language"))
    assert [bar.get_height() for bar in plain.axes[0].patches] == [12, 12] and not plain.legends


def test_letters_have_a_panel_a_letter():
    observed = LETTERS[["item", "owl"]].rename(columns={"owl": "letter"})
    chosen = CORPUS.select(CORPUS.items["strategy"] == "random")
    observed = observed[observed["item"].isin(chosen.items["item"])]
    shares = composition.shares(
        chosen, observed, "letter", ["model", "language"], quantity="letter_share", resamples=20
    )
    figure = verdict_figures.letters(shares)
    panels = figure.axes
    assert [panel.get_title()[0] for panel in panels] == list("ABCDEF")
    assert [label.get_text() for label in panels[0].get_yticklabels()] == ["clover", "daisy"]
    # daisy, the second row, has even items, and these got an A
    assert {place for place in dots(panels[0])["en"]} == {(0.0, -0.175), (1.0, 0.825)}
    assert set(dots(panels[0])) == {"en", "zh"}


def test_confusion_has_a_square_a_strategy_whose_rows_add_up():
    results = expected_labels(CORPUS, resamples=20)
    figure = verdict_figures.confusion(results)
    assert [panel.get_title().split(":")[0] for panel in figure.axes] == ["MAP", "random", "human-written"]
    for panel in figure.axes:
        sums = np.asarray(panel.images[0].get_array()).sum(axis=1)
        assert sums == pytest.approx([1, 0, 0, 0, 0, 1])
        assert len(panel.texts) == 12  # two expected labels occur: six numbers each
    assert "100" not in {text.get_text() for text in figure.axes[0].texts}
    blank = expected_labels(corpus_of({"i": [[]]}))
    with pytest.raises(InputError, match="no value to draw"):
        verdict_figures.confusion(blank)


def test_scores_have_a_row_an_origin_with_the_papers_beside():
    results = judge_scores(CORPUS, LETTERS, judges=["owl"], resamples=20)
    printed = pd.DataFrame(
        {"quantity": ["accuracy", "f1", "f1"], "language": ["all", "all", "en"], "origin": ["human"] * 3}
    ).assign(value=[0.6, 0.5, 0.1])
    figure = verdict_figures.scores(results, printed)
    accuracy, f1 = figure.axes
    assert [label.get_text() for label in accuracy.get_yticklabels()] == ["human", "clover", "daisy"]
    drawn = dots(accuracy)
    assert list(drawn) == ["all", "en", "zh"] and len(drawn["all"]) == 3
    assert accuracy.collections[-1].get_offsets().tolist() == [[0.6, 0.42]]
    assert f1.collections[-1].get_offsets().tolist() == [[0.5, 0.42]]
    with pytest.raises(InputError, match="no value to draw"):
        verdict_figures.scores(judge_scores(CORPUS, LETTERS.head(0), resamples=20))


def test_judges_are_set_against_each_other_by_origin():
    results = judge_scores(CORPUS, LETTERS, resamples=20)
    figure = verdict_figures.agreeing(results)
    panels = [panel for panel in figure.axes if panel.axison]
    assert [panel.get_title() for panel in panels] == ["clover", "daisy"]
    f1 = results[(results["quantity"] == "f1") & (results["language"] != "all")]
    wide = f1.pivot(index=["judge", "language"], columns="origin", values="value")
    drawn = np.vstack([dot.get_offsets() for dot in panels[1].collections if len(dot.get_offsets())])
    assert sorted(map(tuple, drawn.tolist())) == sorted(zip(wide["human"], wide["daisy"], strict=True))
    with pytest.raises(InputError, match="two origins"):
        verdict_figures.agreeing(results[results["origin"] == "human"])

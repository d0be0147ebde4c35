import matplotlib.pyplot as pyplot
import pandas as pd
import pytest

from sheeplib.detectors.classifiers import Logistic
from sheeplib.detectors.detection import compared, detect, detect_blind
from sheeplib.detectors.recalibration import origins, recalibrated
from sheeplib.detectors.splits import folds
from sheeplib.detectors.token_labels import token_labels
from sheeplib.errors import InputError
from sheeplib.report import detection_figures, style
from small_detection import planted


@pytest.fixture(scope="module")
def found():
    style.use()
    corpus, features = planted(0)
    labels, plan = token_labels(corpus, features.tokens), folds(corpus, 3, 1)
    judged = detect(corpus, features, labels, plan, settings=Logistic())
    blind = detect_blind(corpus, features.tokens, labels, plan)
    scores = compared(corpus, {"HalluShift++": judged} | blind, resamples=20)
    return scores, recalibrated(corpus, judged, origins(corpus), resamples=20)


def close(figure):
    figure.canvas.draw()
    pyplot.close(figure)


def test_every_detector_has_a_dot_in_every_panel(found):
    scores, _ = found
    figure = detection_figures.where_and_whether(scores)
    panels = figure.axes
    assert [panel.get_title() for panel in panels] == list(detection_figures.KINDS.values())
    names = [label.get_text() for label in panels[0].get_yticklabels()]
    assert names == ["HalluShift++", "all marked", "none marked", "position", "lexicon"]
    value = scores.query("quantity == 'auroc_within' and detector == 'HalluShift++'")["value"].item()
    assert panels[1].lines[1].get_xdata()[0] == value and panels[1].lines[0].get_xdata()[0] == 0.5
    close(figure)


def test_the_paper_s_values_are_lines(found):
    scores, _ = found
    printed = {"six labels": [0.2, 0.22], "two": [0.3]}
    figure = detection_figures.beside_the_paper({"six labels": scores, "two": scores}, printed)
    for panel, values in zip(figure.axes, printed.values(), strict=True):
        assert [line.get_xdata()[0] for line in panel.lines[: len(values)]] == values
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert sorted(labels) == ["printed in the paper", "this rerun"]
    close(figure)


def test_thresholds_have_a_panel_for_each_origin(found):
    _, moved = found
    printed = pd.DataFrame({"origin": ["human"], "calibration_origin": ["human"], "value": [0.06]})
    figure = detection_figures.recalibration(moved, printed)
    titles = [panel.get_title() for panel in figure.axes]
    assert titles == ["tested on human", "tested on m1", "tested on m2"]
    assert [list(line.get_xdata()) for line in figure.axes[0].lines if line.get_marker() == "D"] == [[0.06]]
    close(figure)


def test_nothing_to_draw_is_refused(found):
    scores, _ = found
    with pytest.raises(InputError, match="no score has a value"):
        detection_figures.where_and_whether(scores.assign(value=float("nan")))

"""SHROOM-visions: hand-derived edge cases, the per-character twin, and real submissions."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sheeplib.errors import InputError
from sheeplib.scoring import Marked, Span, mark_all, mark_none, score, score_files, summarise

from . import twin

A, B, C, D, E = "invention", "mischaracterization", "OCR", "miscounting", "other"
NAN = math.nan


def marked(*spans, length=10, item="train-en-1", **fields):
    return Marked(item, tuple(Span(*span) for span in spans), length, **fields)


def row(reference, prediction, length=10, mode="compat"):
    frame = score([marked(*reference, length=length)], [marked(*prediction, length=None)], mode)
    return frame.loc[0, ["cor", "cor_lbl", "iou"]].tolist()


# Ranks of the reference 0 0 1 1 less their mean: -1 -1 1 1; of the prediction 0 1 1 1: -1.5 .5 .5 .5.
# Products sum to 2, squares to 4 and 3: 2 / sqrt(12). Three of four characters are covered, two by both.
PARTLY = 1 / math.sqrt(3)
SIMPLE = [(2, 4, 1.0, A)], [(1, 4, 1.0, A)]
HALF_LABELLED = [PARTLY, (PARTLY + 1) / 2, 2 / 3]

# Ranks 1 2 3 against 1 2.5 2.5: -1 0 1 and -1 .5 .5; products 1.5, squares 2 and 1.5: 1.5 / sqrt(3).
BROKEN_TIE = math.sqrt(3) / 2


def test_a_plain_case():
    assert row(*SIMPLE, length=4) == pytest.approx([PARTLY, PARTLY, 2 / 3], abs=1e-15)


@pytest.mark.parametrize(
    ("reference", "prediction", "length", "expected"),
    [
        pytest.param([], [], 10, [1, 1, 1], id="both empty"),
        pytest.param([], [(0, 2, 0.1, A)], 10, [0, 0, 0], id="reference empty"),
        pytest.param([], [(0, 2, 0.0, A)], 10, [1, 1, 0], id="zero probability, reference empty"),
        pytest.param([(0, 2, 1.0, A)], [], 10, [0, 0, 0], id="prediction empty"),
        pytest.param([(0, 2, 1.0, A)], [(0, 10, 0.5, A)], 10, [0, 0, 0.2], id="prediction constant"),
        pytest.param([(0, 10, 1.0, A)], [(0, 10, 0.3, A)], 10, [1, 1, 1], id="both constant"),
        pytest.param([(0, 10, 1.0, A)], [(0, 9, 0.3, A)], 10, [0, 0, 0.9], id="reference constant"),
        pytest.param([(0, 10, 1.0, A)], [], 10, [0, 0, 0], id="reference constant, prediction empty"),
        pytest.param([(0, 2, 1.0, A)], [(0, 2, 1.0, B)], 10, [1, 0, 1], id="wrong label"),
        pytest.param([], [], 0, [NAN, 1, 1], id="no characters"),
        pytest.param([], [(0, 0, 1.0, A)], 0, [NAN, NAN, 1], id="no characters, a label"),
        # The span wraps to 7 8 9 0 1 in Cor, and is -3 -2 -1 0 1 in IoU: 2 of 8 offsets are shared.
        pytest.param([(7, 10, 1.0, A), (0, 2, 1.0, A)], [(-3, 2, 1.0, A)], 10, [1, 1, 0.25], id="wraps"),
        pytest.param([(6, 8, 1.0, A)], [(-4, -2, 1.0, A)], 10, [1, 1, 0], id="all of it wraps"),
        # -3..2 of 4 characters visits 1 2 3 0 1: the second character is added to twice, so it is 2.
        # Ranks of 1 2 1 1 are 2 4 2 2, as are those of the prediction.
        pytest.param([(-3, 2, 1.0, A)], [(0, 4, 0.5, A), (1, 2, 1.0, A)], 4, [1, 1, 2 / 7], id="wraps twice"),
        # The label C is marked nowhere on either side, and counts 1.
        pytest.param(SIMPLE[0], [*SIMPLE[1], (3, 3, 1.0, C)], 4, HALF_LABELLED, id="empty span"),
        pytest.param(SIMPLE[0], [*SIMPLE[1], (9, 3, 1.0, C)], 4, HALF_LABELLED, id="reversed span"),
        # 7 > 0 = 0 > -2 has ranks 1.5 0 0 -1.5 about their mean, and 1 0 0 0 has 1.5 -.5 -.5 -.5.
        # Products 3, squares 4.5 and 3: 3 / sqrt(13.5) = sqrt(2 / 3).
        pytest.param(
            [(0, 1, 1.0, A)],
            [(0, 1, 7.0, A), (3, 4, -2.0, A)],
            4,
            [math.sqrt(2 / 3), math.sqrt(2 / 3), 0.5],
            id="probabilities beyond 0 to 1",
        ),
        pytest.param(SIMPLE[0], [(1, 4, math.inf, A)], 4, [PARTLY, PARTLY, 2 / 3], id="infinite"),
        pytest.param([(2, 4, 1.0, A)], [(1, 4, NAN, A)], 4, [NAN, NAN, 2 / 3], id="NaN ranked"),
        pytest.param([], [(1, 4, NAN, A)], 4, [0, 0, 0], id="NaN, but the reference is empty"),
        pytest.param([(0, 1, 0.5, A)], [(0, 1, NAN, A)], 1, [1, 1, 1], id="a single NaN is constant"),
        # 0.3333 three times is 0.9999, below 1.0: 2 3 1 against 2.5 2.5 1. Of the labels, A has ranks
        # 2 3 1 as well, against 2.5 2.5 1; B and C are marked at the first character and predicted nowhere.
        pytest.param(
            [(0, 1, 0.3333, A), (0, 1, 0.3333, B), (0, 1, 0.3333, C), (1, 2, 1.0, A)],
            [(0, 2, 1.0, A)],
            3,
            [BROKEN_TIE, BROKEN_TIE / 3, 1],
            id="three thirds of four decimals",
        ),
        # 0.1 + 0.2 + 0.3 is 0.6000000000000001 and 0.3 + 0.2 + 0.1 is 0.6.
        pytest.param(
            [(0, 1, 0.1, A), (1, 2, 0.3, A), (0, 2, 0.2, A), (0, 1, 0.3, A), (1, 2, 0.1, A)],
            [(0, 2, 1.0, A)],
            3,
            [BROKEN_TIE, BROKEN_TIE, 1],
            id="sums in the order of the list",
        ),
        pytest.param([(0, 2, 1e-9, A)], [(0, 2, 1.0, A)], 4, [0, 0, 1], id="constant to eight decimals"),
        pytest.param(
            [(0, 2, 0.5, A), (1, 2, 1e-9, A)],
            [(0, 2, 0.5, A)],
            3,
            [BROKEN_TIE, BROKEN_TIE, 1],
            id="ranks are not rounded",
        ),
        pytest.param(
            [(0, 1, 1.0, A), (1, 2, 0.5, A)],
            [(0, 2, 1.0, A), (1, 2, 0.5, A)],
            3,
            [1, 1, 1],
            id="the last one overwrites",
        ),
    ],
)
def test_edge_cases_of_the_released_scorer(reference, prediction, length, expected):
    assert row(reference, prediction, length) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_dummy_spans_inflate_the_labelled_score_but_not_in_strict_mode():
    dummies = [(0, 1, 0.0, label) for label in (B, C, D, E)]
    # each dummy label is empty on both sides and counts 1
    padded = [SIMPLE[1][0], *dummies]
    assert row(SIMPLE[0], padded, 4)[1] == pytest.approx((PARTLY + 4) / 5, abs=1e-12)
    assert row(SIMPLE[0], padded, 4, "strict") == pytest.approx([PARTLY, PARTLY, 2 / 3], abs=1e-12)
    assert row([], dummies, 4, "strict") == [1, 1, 1]


def test_zero_probability_is_a_false_positive_in_compat_only():
    reference = marked(positive=False)
    flagged = {
        mode: score([reference], [marked((0, 2, 0.0, A))], mode).flagged[0] for mode in ("compat", "strict")
    }
    assert flagged == {"compat": True, "strict": False}


@pytest.mark.parametrize("span", [(8, 11, 1.0, A), (20, 21, 1.0, A), (-11, 2, 1.0, A), (-12, -11, 1.0, A)])
@pytest.mark.parametrize("mode", ["compat", "strict"])
def test_spans_outside_the_text_are_errors(span, mode):
    for reference, prediction in (((span,), ()), ((), (span,))):
        with pytest.raises(IndexError):
            twin.visions(10, [Span(*one) for one in reference], [Span(*one) for one in prediction])
        with pytest.raises(InputError, match=r"labels\[0\]"):
            row(reference, prediction, 10, mode)


@pytest.mark.parametrize(
    ("span", "field", "what"),
    [
        ((-1, 2, 1.0, A), "start", "negative"),
        ((2, 2, 1.0, A), "end", "covers nothing"),
        ((3, 2, 1.0, A), "end", "covers nothing"),
        ((3, 11, 1.0, A), "end", "past the end"),
        ((0, 2, 1.5, A), "prob", "above 1"),
        ((0, 2, NAN, A), "prob", "not finite"),
        ((0, 2, math.inf, A), "prob", "not finite"),
        ((0, 2, -math.inf, A), "prob", "not finite"),
        ((0, 2, 1.0, "ocr"), "label", "unknown label"),
        ((0, 2, 1.0, "A"), "label", "unknown label"),
    ],
)
def test_strict_mode_names_what_is_odd(span, field, what):
    for reference, prediction in (((span,), ()), ((), (span,))):
        with pytest.raises(InputError, match=what) as caught:
            row(reference, prediction, 10, "strict")
        assert [problem.field for problem in caught.value.problems] == [f"labels[0].{field}"]


def record(labels, **more):
    return {"id": "train-en-1", "labels": labels, **more}


GOOD = {"start": 0, "end": 2, "prob": 1.0, "label": A}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"prob": 1}, "labels[0].prob"),
        ({"prob": "1.0"}, "labels[0].prob"),
        ({"prob": None}, "labels[0].prob"),
        ({"prob": True}, "labels[0].prob"),
        ({"start": 0.0}, "labels[0].start"),
        ({"start": False}, "labels[0].start"),
        ({"end": "2"}, "labels[0].end"),
        ({"end": 10**400}, "labels[0].end"),
        ({"label": 3}, "labels[0].label"),
        ({"label": ["A"]}, "labels[0].label"),
    ],
)
@pytest.mark.parametrize("mode", ["compat", "strict"])
def test_types_of_predictions_are_strict_in_both_modes(change, field, mode):
    with pytest.raises(InputError) as caught:
        score([record([], response="text")], [record([GOOD | change])], mode)
    assert [problem.field for problem in caught.value.problems] == [field]


@pytest.mark.parametrize(
    ("reference", "field"),
    [
        ({"id": "train-en-1", "labels": []}, "response"),
        ({"id": "train-en-1", "labels": [], "response": 3}, "response"),
        ({"id": "train-en-1", "response": "text"}, "labels"),
        ({"id": 1, "labels": [], "response": "text"}, "id"),
        ({"id": "", "labels": [], "response": "text"}, "id"),
        (record([], response="text", raw_annots="|"), "raw_annots"),
        (record(["x"], response="text"), "labels[0]"),
        (record([{}], response="text"), "labels[0].start"),
        (record([GOOD | {"prob": 10**400}], response="text"), "labels[0].prob"),
    ],
)
def test_broken_references(reference, field):
    with pytest.raises(InputError) as caught:
        score([reference], [record([])])
    assert caught.value.problems[0].field == field


def test_references_take_letters_and_whole_probabilities():
    reference = record([{"start": 0, "end": 2, "prob": 1, "label": "A"}], response="text")
    assert score([reference], [record([GOOD])]).loc[0, "cor_lbl"] == 1.0


def test_letters_in_predictions_are_labels_of_their_own_as_in_the_released_scorer():
    reference = record([GOOD], response="text")
    assert score([reference], [record([GOOD | {"label": "A"}])]).loc[0, ["cor", "cor_lbl"]].tolist() == [1, 0]


def test_lengths_count_code_points():
    # an astral ideograph, a family of seven code points, a combining accent, a line separator
    text = "𠀀👨‍👩‍👧‍👦e\u0301\u2028x"
    assert len(text) == 12
    whole = [GOOD | {"end": 12}]
    assert score([record(whole, response=text)], [record(whole)]).loc[0, "cor"] == 1.0
    with pytest.raises(InputError, match="12 characters"):
        score([record(whole, response=text)], [record([GOOD | {"end": 13}])])


def test_items_are_paired_by_identifier_and_only_predicted_ones_count():
    gold = [marked((0, 2, 1.0, A), item=f"train-en-{n}") for n in (1, 2, 3)]
    frame = score(gold, [marked(item="train-en-3"), marked((0, 2, 1.0, A), item="train-en-1")])
    assert frame["item"].tolist() == ["train-en-1", "train-en-3"]
    assert frame["cor"].tolist() == [1.0, 0.0]
    assert str(frame["item"].dtype) == "string"


@pytest.mark.parametrize(
    ("predictions", "what"),
    [
        ([], "no predictions"),
        ([marked(), marked()], "given twice"),
        ([marked(item="train-en-9")], "1 of 1 predicted items have no reference: 'train-en-9'"),
    ],
)
def test_items_that_do_not_fit(predictions, what):
    with pytest.raises(InputError, match=what):
        score([marked()], predictions)


def test_references_given_twice_and_unknown_modes():
    with pytest.raises(InputError, match="given twice"):
        score([marked(), marked()], [marked()])
    with pytest.raises(InputError, match="'lenient'"):
        score([marked()], [marked()], "lenient")
    with pytest.raises(InputError, match="length of the text"):
        score([marked(length=None)], [marked()])


LENGTHS = st.integers(0, 12)
PROBS = st.sampled_from(
    [0.0, 0.3333, 0.6667, 1 / 3, 2 / 3, 0.1, 0.2, 0.3, 1.0, 1e-9, 0.5, 2.0, -1.0, math.inf, NAN]
)
OFFSETS = st.integers(-6, 13)
SPANS = st.lists(st.builds(Span, OFFSETS, OFFSETS, PROBS, st.sampled_from([A, B, C])), max_size=6)


@settings(deadline=None)
@given(LENGTHS, SPANS, SPANS)
def test_any_spans_agree_with_the_twin(length, reference, prediction):
    try:
        expected = twin.visions(length, reference, prediction)
    except IndexError:
        with pytest.raises(InputError):
            row(reference, prediction, length)
    else:
        assert row(reference, prediction, length) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def usable(length):
    bounds = st.tuples(st.integers(0, length), st.integers(0, length)).map(sorted)
    span = st.tuples(bounds, PROBS.filter(lambda p: 0 <= p < 2), st.sampled_from([A, B, C]))
    spans = st.lists(span.map(lambda one: Span(*one[0], one[1], one[2])), max_size=8)
    return st.tuples(st.just(length), spans, spans)


@settings(deadline=None)
@given(st.integers(1, 60).flatmap(usable))
def test_usable_spans_agree_with_the_twin(case):
    assert row(case[1], case[2], case[0]) == pytest.approx(twin.visions(*case), abs=1e-12)


def valid(length):
    bounds = st.tuples(st.integers(0, length - 1), st.integers(1, length)).filter(
        lambda ends: ends[0] < ends[1]
    )
    span = st.tuples(bounds, PROBS.filter(lambda p: 0 <= p <= 1), st.sampled_from([A, B, C]))
    spans = st.lists(span.map(lambda one: Span(*one[0], one[1], one[2])), max_size=6)
    return st.tuples(st.just(length), spans, spans)


@settings(deadline=None)
@given(st.integers(1, 30).flatmap(valid))
def test_strict_mode_is_compat_without_the_zeros(case):
    length, reference, prediction = case
    kept = ([span for span in spans if span.prob > 0] for spans in (reference, prediction))
    assert row(reference, prediction, length, "strict") == row(*kept, length)


def test_means_coverage_and_undefined_items():
    gold = [
        marked((0, 2, 1.0, A), item=f"{split}-en-{n}", language="en")
        for split in ("train", "test")
        for n in "12345"
    ]
    gold += [marked(item=f"train-zh-{n}", language="zh", length=n) for n in (0, 1)] + [marked(item="x")]
    predictions = [marked((0, 2, 1.0, A), item="train-en-1")]
    predictions += [marked(item=item) for item in ("train-en-2", "train-zh-0", "train-zh-1", "x")]
    said = summarise(score(gold, predictions), gold)
    # five of the ten English references are of the predicted split
    coverage = {"n": 2, "n_gold": 5, "n_pred": 2, "coverage": 0.4}
    assert said["en"] == coverage | {"cor": 0.5, "cor_lbl": 0.5, "iou": 0.5, "nan": 0}
    assert math.isnan(said["zh"]["cor"]) and said["zh"]["nan"] == 1 and said["zh"]["cor_lbl"] == 1.0
    assert said["und"]["n"] == said["und"]["n_gold"] == 1
    assert list(summarise(score(gold, predictions))["en"]) == ["n", "cor", "cor_lbl", "iou", "nan"]


def rated(*raw, item="train-en-1"):
    return {
        "id": item,
        "response": "some text",
        "labels": [],
        "raw_annots": dict(zip("wxyz", raw, strict=False)),
    }


@pytest.mark.parametrize(
    ("raw", "positive"),
    [
        (["0:2|A", "0:2|A", "|"], True),
        (["0:2|A", "|", "|"], False),
        (["0:2|A", "0:2|A", "|", "|"], False),  # half of four is not more than half
        (["0:2|A", "0:2|A", "0:1|B", "|"], True),
        ([], False),
    ],
)
def test_positive_is_more_than_half_of_the_annotators(raw, positive):
    assert Marked.reference(rated(*raw)).positive is positive


def test_classification():
    marks, none = ["0:2|A"] * 3, ["|"] * 3
    # flagged: 1 2 3; positive: 1 2 4, and 5 is neither: two hits of three flagged and of three positive
    gold = [
        rated(*raw, item=f"train-en-{n}") for n, raw in enumerate([marks, marks, none, marks, none], start=1)
    ]
    predictions = [{"id": f"train-en-{n}", "labels": [GOOD] if n < 4 else []} for n in range(1, 6)]
    said = summarise(score(gold, predictions))["en"]["classification"]
    assert said == pytest.approx({"accuracy": 3 / 5, "precision": 2 / 3, "recall": 2 / 3, "f1": 2 / 3})
    nothing = summarise(score(gold, [one | {"labels": []} for one in predictions]))["en"]["classification"]
    assert nothing == {"accuracy": 2 / 5, "precision": 0.0, "recall": 0.0, "f1": 0.0}


def test_no_classification_unless_every_item_has_annotators():
    gold = [rated("|", "|", "|"), {"id": "train-en-2", "response": "text", "labels": []}]
    frame = score(gold, [{"id": f"train-en-{n}", "labels": []} for n in (1, 2)])
    assert frame["positive"].tolist() == [False, pd.NA]
    assert "classification" not in summarise(frame)["en"]


def test_marking_nothing_scores_the_share_of_empty_references():
    gold = [
        marked(*spans, item=f"train-en-{n}")
        for n, spans in enumerate([[], [(0, 2, 0.3, A)], [(0, 10, 1.0, B)], []])
    ]
    assert score(gold, mark_none(gold))[["cor", "cor_lbl", "iou"]].mean().tolist() == [0.5, 0.5, 0.5]


def test_marking_everything():
    gold = [marked((0, 10, 0.5, A), item="train-en-1"), marked((0, 5, 1.0, A), item="train-en-2"),
            marked(item="train-en-3"), marked(item="train-en-4", length=0)]  # fmt: skip
    frame = score(gold, mark_all(gold, "A"))
    np.testing.assert_equal(frame["cor"].to_numpy(), [1, 0, 0, NAN])
    assert frame["iou"].tolist() == [1, 0.5, 0, 1]
    assert frame["cor_lbl"].tolist()[:3] == [1, 0, 0]


def test_real_submissions_score_as_with_the_released_scorer(shared):
    gold = shared / "sheep"
    expected = json.loads((gold / "expected_scores.json").read_text())
    assert len(expected) == 8
    for system, languages in expected.items():
        said = score_files(gold, gold / "submissions" / system)
        assert sorted(said) == sorted(languages)
        for language, scores in languages.items():
            same = {name: said[language][name] for name in scores if name != "format_ok"}
            assert same == pytest.approx({name: scores[name] for name in same}, abs=1e-9), (system, language)
            assert said[language]["coverage"] == scores["n"] / scores["n_gold"]

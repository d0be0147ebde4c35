"""mu-SHROOM: its own rules, hand-derived, the per-character twin, and real annotators."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sheeplib.errors import InputError
from sheeplib.jsonl import read_jsonl
from sheeplib.scoring import SoftMarked, Span, read_mushroom, score_mushroom, summarise
from sheeplib.scoring.mushroom import harden

from . import twin


def soft(*spans):
    return [{"start": start, "end": end, "prob": prob} for start, end, prob in spans]


def record(soft_labels=None, hard_labels=None, item="tst-en-1", text="0123456789", **more):
    kinds = {"soft_labels": soft_labels, "hard_labels": hard_labels}
    given_kinds = {name: labels for name, labels in kinds.items() if labels is not None}
    return {"id": item, "lang": "EN", "model_output_text": text, **given_kinds, **more}


def row(reference, prediction):
    return score_mushroom([reference], [prediction]).loc[0, ["cor", "iou"]].tolist()


@pytest.mark.parametrize(
    ("reference", "prediction", "expected"),
    [
        pytest.param([], [], [1, 1], id="both empty"),
        # where SHROOM-visions gives 0: both sides are constant, whatever their values
        pytest.param([], [(0, 10, 1.0)], [1, 0], id="reference empty, everything marked"),
        pytest.param([(0, 10, 0.5)], [], [1, 1], id="reference constant and below a half"),
        pytest.param([(0, 10, 0.9)], [(0, 5, 0.9)], [0, 0.5], id="reference constant"),
        pytest.param([(0, 5, 0.9)], [(0, 10, 0.9)], [0, 0.5], id="prediction constant"),
        pytest.param([(0, 5, 0.9)], [(0, 5, 0.2)], [1, 0], id="order agrees, nothing above a half"),
        # The reference overwrites: .9 .9 .2 .2 .2 0 ... against the same; added, it would be .9 .9 1.1 ...
        pytest.param([(0, 5, 0.9), (2, 5, 0.2)], [(0, 2, 0.9), (2, 5, 0.2)], [1, 0.4], id="overwrites"),
    ],
)
def test_rules(reference, prediction, expected):
    assert row(record(soft(*reference)), record(soft(*prediction))) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([], ()),
        ([(0, 2, 0.5)], ()),  # strictly above a half
        ([(0, 2, 0.51)], ((0, 2),)),
        ([(2, 4, 0.6), (0, 2, 0.7)], ((0, 4),)),  # sorted first, then merged
        ([(0, 2, 0.6), (3, 4, 0.7)], ((0, 2), (3, 4))),
        ([(0, 3, 0.6), (2, 4, 0.7)], ((0, 3), (2, 4))),  # overlapping, not touching
        ([(0, 2, 0.6), (2, 4, 0.1), (4, 6, 0.9)], ((0, 2), (4, 6))),
    ],
)
def test_hard_spans_of_soft_ones(spans, expected):
    assert harden([Span(*span) for span in spans]) == expected
    assert SoftMarked.read(record(soft(*spans))).hard == expected


def test_soft_spans_of_hard_ones():
    assert SoftMarked.read(record(None, [[0, 2], [4, 6]])).spans == (Span(0, 2, 1.0), Span(4, 6, 1.0))


def test_hard_spans_that_are_given_are_kept():
    assert row(record(soft((0, 2, 0.9)), [[4, 8]]), record(soft((0, 2, 0.3)), [[4, 6]])) == [1, 0.5]


@pytest.mark.parametrize(
    ("broken", "field"),
    [
        (record(), "soft_labels, hard_labels"),
        (record("x"), "soft_labels"),
        (record(["x"]), "soft_labels[0]"),
        (record([{"start": 0, "end": 2}]), "soft_labels[0].prob"),
        (record([], {}), "hard_labels"),
        (record([], [[0, 1.0]]), "hard_labels[0]"),
        (record([], [[0, 1], [True, 2]]), "hard_labels[1]"),
        (record([], [[0, 1, 2]]), "hard_labels[0]"),
        (record([], item=None), "id"),
        (record(soft((0, 11, 1.0))), "soft_labels[0]"),
        (record(soft((-11, 0, 1.0))), "soft_labels[0]"),
        (record([], text=None), "model_output_text"),
    ],
)
def test_broken_references(broken, field):
    with pytest.raises(InputError) as caught:
        row(broken, record([]))
    assert caught.value.problems[0].field == field


def test_both_sides_must_hold_the_same_items():
    both = [record([], item=item) for item in "ab"]
    with pytest.raises(InputError, match="1 of 2 items are not predicted: 'b'"):
        score_mushroom(both, both[:1])
    with pytest.raises(InputError, match="have no reference: 'b'"):
        score_mushroom(both[:1], both)
    with pytest.raises(InputError, match="given twice"):
        score_mushroom(both, both + both)


def test_summary_by_language():
    gold = [record(soft((0, 5, 0.9)), item="a"), record([], item="b") | {"lang": "FI"}]
    said = summarise(score_mushroom(gold, [record([], item="a"), record([], item="b")]))
    assert said == {
        "en": {"n": 1, "cor": 0.0, "iou": 0.0, "nan": 0},
        "fi": {"n": 1, "cor": 1.0, "iou": 1.0, "nan": 0},
    }


def test_a_text_of_no_characters_is_undefined():
    cor, iou = row(record([], text=""), record([], text=""))
    assert math.isnan(cor) and iou == 1.0


OFFSETS, PROBS = st.integers(-11, 11), st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, 1e-9])
STRETCHES = st.tuples(OFFSETS, OFFSETS).map(sorted)
LISTS = st.lists(st.tuples(STRETCHES, PROBS).map(lambda span: (*span[0], span[1])), max_size=6)


@settings(deadline=None)
@given(LISTS, LISTS)
def test_any_spans_agree_with_the_twin(reference, prediction):
    gold, guess = ([Span(*span) for span in spans] for spans in (reference, prediction))
    try:
        expected = twin.mushroom_cor(10, gold, guess)
    except IndexError:
        with pytest.raises(InputError):
            row(record(soft(*reference)), record(soft(*prediction)))
    else:
        # merging touching spans, or not, covers the same offsets
        hard = [[span[:2] for span in spans if span.prob > 0.5] for spans in (gold, guess)]
        assert row(record(soft(*reference)), record(soft(*prediction))) == pytest.approx(
            [expected, twin.iou(*hard)], abs=1e-12
        )


def test_real_annotators_against_the_others(shared):
    directory = shared / "mushroom"
    references = read_mushroom(directory)
    assert summarise(score_mushroom(references, references))["en"]["cor"] == 1.0
    firsts = [
        {"id": line["id"], "hard_labels": next(iter(line["annotations"].values()))}
        for file in sorted(directory.glob("*.jsonl"))
        for _, line in read_jsonl(file)
    ]
    frame = score_mushroom(references, firsts).set_index("item")
    assert frame["language"].nunique() == 14 and frame["cor"].notna().all()
    for reference, first in list(zip(references, firsts, strict=True))[::15]:
        spans = [Span(start, end) for start, end in first["hard_labels"]]
        assert reference.item == first["id"]
        expected = (
            twin.mushroom_cor(reference.length, reference.spans, spans),
            twin.iou(reference.hard, first["hard_labels"]),
        )
        assert tuple(frame.loc[reference.item, ["cor", "iou"]]) == pytest.approx(expected, abs=1e-12)

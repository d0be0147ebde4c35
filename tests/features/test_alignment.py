import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sheeplib.errors import InputError
from sheeplib.features.alignment import (
    Run,
    character_scores,
    covered,
    overlaps,
    runs,
    token_labels,
    tokens_in_spans,
)

PIECES = [
    "a", "cat", " ", "  ", "\n\n", "\u2028", "\u3000", "\xa0", "😀", "👩\u200d🔬", "🇫🇷", "e\u0301", "é",
    "中文", "，", "𠮷", "שלום", "مرحبا", "x", "42", "…", "\ufe0f",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
LABELS = ("A", "B", "F")


def byte_tokens(text, cuts):
    """Offsets as a byte-level tokenizer gives them: the characters that each piece has bytes of."""
    owner = [i for i, character in enumerate(text) for _ in character.encode()]
    edges = sorted({0, len(owner), *(cut % (len(owner) + 1) for cut in cuts)})
    return [(owner[start], owner[end - 1] + 1) for start, end in itertools.pairwise(edges)]


@st.composite
def tokenised(draw):
    text = draw(TEXTS)
    offsets = byte_tokens(text, draw(st.lists(st.integers(0, 200), max_size=30)))
    return text, offsets


@st.composite
def marked(draw):
    text, offsets = draw(tokenised())
    places = st.integers(0, len(text))
    spans = draw(st.lists(st.tuples(places, places).map(sorted), max_size=4))
    return text, offsets, spans


@st.composite
def labelled(draw):
    text, offsets = draw(tokenised())
    tokens = len(offsets)
    labels = draw(st.lists(st.sampled_from(LABELS), min_size=tokens, max_size=tokens))
    scores = draw(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=tokens, max_size=tokens))
    return text, offsets, labels, scores


def characters_of(token, text):
    """The slow twin of `covered`: the token's characters, leading white space dropped."""
    characters = list(range(*token))
    while characters and text[characters[0]].isspace():
        characters.pop(0)
    return set(characters)


def test_leading_white_space_is_no_part_of_a_token():
    #        0123456789
    text = "The\u3000\u2028cat ."
    offsets = [(0, 3), (3, 8), (8, 9), (9, 10)]  # the second starts with two kinds of white space
    assert covered(offsets, text).tolist() == [[0, 3], [5, 8], [9, 9], [9, 10]]


def test_a_span_of_the_space_between_two_words_holds_no_token():
    # "a cat" as tokens "a" and " cat"; the span [1, 2) marks the space.
    assert tokens_in_spans([(0, 1), (1, 5)], "a cat", [(1, 2), (1, 3)]).tolist() == [
        [False, False],
        [False, True],
    ]


def test_all_pieces_of_one_character_are_in_its_span():
    # An emoji of four bytes, cut into two tokens that share its offsets.
    assert tokens_in_spans([(0, 1), (1, 2), (1, 2)], "a😀", [(1, 2)])[:, 0].tolist() == [False, True, True]


def test_a_token_that_covers_nothing_meets_no_span():
    assert not tokens_in_spans([(2, 2)], "abcd", [(0, 4)]).any()


@given(marked())
def test_overlaps_count_the_characters_in_both(case):
    text, offsets, spans = case
    expected = [[len(characters_of(token, text) & set(range(*span))) for span in spans] for token in offsets]
    assert overlaps(offsets, text, spans).tolist() == expected
    assert tokens_in_spans(offsets, text, spans).tolist() == [[n > 0 for n in row] for row in expected]


@given(marked())
def test_tokens_of_a_span_cover_all_it_shows(case):
    text, offsets, spans = case
    inside = tokens_in_spans(offsets, text, spans)
    for column, span in enumerate(spans):
        tokens = [offsets[row] for row in np.flatnonzero(inside[:, column])]
        reached = set().union(*(characters_of(token, text) for token in tokens))
        assert {i for i in range(*span) if not text[i].isspace()} <= reached


def test_label_with_the_largest_weighed_overlap():
    # The token covers [0, 10): A has 4 * 0.5 + 4 * 0.25 = 3, B has 2 * 1 = 2; 3 / 10 is A's share.
    spans, probs = [(8, 10), (0, 4), (4, 8)], [1, 0.5, 0.25]
    labels, shares = token_labels([(0, 10)], "abcdefghij", spans, ["B", "A", "A"], probs)
    assert (labels[0], shares[0]) == ("A", pytest.approx(0.3))
    labels, shares = token_labels([(0, 10)], "abcdefghij", spans, ["B", "A", "A"], probs, choice="first")
    assert (labels[0], shares[0]) == ("B", pytest.approx(0.2))


def test_equal_overlaps_take_the_label_that_comes_first():
    labels, _ = token_labels([(0, 4)], "abcd", [(2, 4), (0, 2)], ["C", "A"])
    assert labels.tolist() == ["C"]


def test_tokens_outside_all_spans_have_no_label():
    labels, shares = token_labels([(0, 1), (1, 3)], "a b", [(0, 1)], ["D"])
    assert (labels.tolist(), shares.tolist()) == (["D", "F"], [1.0, 0.0])
    labels, shares = token_labels([(0, 1)], "a", [], [])
    assert (labels.tolist(), shares.tolist()) == (["F"], [0.0])
    labels, shares = token_labels([], "", [], [], choice="first")
    assert (labels.tolist(), shares.tolist()) == ([], [])


@given(marked(), st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from([0.25, 0.5, 1.0])), min_size=4))
def test_labels_agree_with_counting_character_by_character(case, kinds):
    text, offsets, spans = case
    names = [kind for kind, _ in kinds][: len(spans)]
    probs = [prob for _, prob in kinds][: len(spans)]
    labels, shares = token_labels(offsets, text, spans, names, probs)
    first, _ = token_labels(offsets, text, spans, names, probs, choice="first")
    for token, label, share, kit in zip(offsets, labels, shares, first, strict=True):
        own = characters_of(token, text)
        mass = {}
        for span, name, prob in zip(spans, names, probs, strict=True):
            mass[name] = mass.get(name, 0) + prob * len(own & set(range(*span)))
        best = max(mass, key=mass.get, default="F")  # max gives the first of equals
        assert label == (best if mass.get(best) else "F")
        assert share == pytest.approx(mass.get(label, 0) / max(len(own), 1))
        hits = [name for span, name in zip(spans, names, strict=True) if own & set(range(*span))]
        assert kit == (hits[0] if hits else "F")


@given(labelled())
def test_characters_take_the_largest_or_mean_score_of_their_tokens(case):
    text, offsets, _, scores = case
    holders = [
        [score for token, score in zip(offsets, scores, strict=True) if i in characters_of(token, text)]
        for i in range(len(text))
    ]
    largest = [max(held, default=np.nan) for held in holders]
    mean = [np.mean(held) if held else np.nan for held in holders]
    assert np.array_equal(character_scores(offsets, text, scores), largest, equal_nan=True)
    assert np.allclose(character_scores(offsets, text, scores, "mean"), mean, equal_nan=True)


def test_equal_scores_have_exactly_their_mean():
    # The plain sum of three tenths, divided by three, is 0.10000000000000002.
    assert character_scores([(0, 1)] * 3, "語", [0.1] * 3, "mean").tolist() == [0.1]


def test_tokens_without_a_score_are_left_aside():
    scores = character_scores([(0, 1), (0, 1), (1, 2)], "ab", [np.nan, 0.5, np.nan])
    assert np.array_equal(scores, [0.5, np.nan], equal_nan=True)


def test_runs_join_equal_tokens_across_white_space():
    # "two red cats": 0.5, 0.5 and 1.0. The space before "cats" has the smaller one, so the run
    # of 0.5 reaches up to it.
    found = runs([(0, 3), (3, 7), (7, 12)], "two red cats", [0.5, 0.5, 1.0], ["D", "D", "D"])
    assert found == [Run(0, 8, "D", 0.5), Run(8, 12, "D", 1.0)]


def test_runs_of_different_labels_are_not_joined():
    found = runs([(0, 3), (3, 7)], "two red", [0.5, 0.5], ["D", "B"])
    assert found == [Run(0, 3, "D", 0.5), Run(4, 7, "B", 0.5)]


def test_white_space_that_an_unmarked_token_covers_is_not_joined():
    # A token "a b" has its inner space; one ending in white space keeps that too.
    found = runs([(0, 1), (1, 3), (3, 4)], "a, b", [1.0, 1.0, 1.0], ["A", "F", "A"])
    assert found == [Run(0, 1, "A", 1.0), Run(3, 4, "A", 1.0)]


def test_pieces_of_one_character_make_one_run():
    # Three pieces of one Chinese character, and one token of two characters.
    offsets = [(0, 1), (0, 1), (0, 1), (1, 3)]
    assert runs(offsets, "鷹很大", [0.5, 0.25, 0.5, 0.5], ["A"] * 4) == [Run(0, 3, "A", 0.5)]


def test_runs_of_two_labels_may_share_a_character():
    assert runs([(0, 1), (0, 1)], "鷹", [0.5, 1.0], ["B", "A"]) == [Run(0, 1, "A", 1.0), Run(0, 1, "B", 0.5)]


def test_tokens_without_probability_make_no_run():
    assert runs([(0, 1), (1, 2), (2, 3)], "abc", [0.0, np.nan, 0.5]) == [Run(2, 3, None, 0.5)]
    assert runs([], "", []) == []


@given(labelled(), st.sampled_from(["max", "mean"]))
def test_runs_agree_with_painting_characters_one_by_one(case, how):
    text, offsets, labels, scores = case
    take = max if how == "max" else np.mean
    tokens = [characters_of(token, text) for token in offsets]
    bare = [c.isspace() and not any(i in token for token in tokens) for i, c in enumerate(text)]
    painted = {}
    for name in ("A", "B"):
        paint = [None] * len(text)
        for i in range(len(text)):
            held = [s for t, la, s in zip(tokens, labels, scores, strict=True) if i in t and la == name and s]
            paint[i] = round(float(take(held)), 12) if held else None
        for i in (i for i in range(len(text)) if bare[i]):
            left = next((j for j in range(i, -1, -1) if not bare[j]), None)
            right = next((j for j in range(i, len(text)) if not bare[j]), None)
            if None not in (left, right) and None not in (paint[left], paint[right]):
                paint[i] = min(paint[left], paint[right])
        painted[name] = paint
    found = runs(offsets, text, scores, labels, how)
    again = {name: [None] * len(text) for name in ("A", "B")}
    for run in found:
        for i in range(run.start, run.end):
            assert again[run.label][i] is None  # no character twice
            again[run.label][i] = round(run.prob, 12)  # means differ in the last digit
    assert again == painted
    touching = [
        (a, b) for a, b in itertools.permutations(found, 2) if a.end == b.start and a.label == b.label
    ]
    assert all(a.prob != b.prob for a, b in touching)  # as few runs as possible
    assert found == sorted(found)


@given(marked())
def test_spans_to_tokens_and_back_cover_the_spans(case):
    text, offsets, spans = case
    inside = tokens_in_spans(offsets, text, spans).any(axis=1) if spans else np.zeros(len(offsets), bool)
    found = runs(offsets, text, inside.astype(float))
    reached = {i for run in found for i in range(run.start, run.end)}
    shown = {i for span in spans for i in range(*span) if not text[i].isspace()}
    assert shown <= reached
    tokens = [characters_of(token, text) for token in itertools.compress(offsets, inside)]
    assert all(text[i].isspace() for i in reached - set().union(*tokens))
    again = tokens_in_spans(offsets, text, [(run.start, run.end) for run in found]).any(axis=1)
    assert (again >= inside).all()  # more, where tokens share a character


@pytest.mark.parametrize(
    "call",
    [
        lambda: covered([(0, 4)], "abc"),
        lambda: covered([(-1, 2)], "abc"),
        lambda: covered([(2, 1)], "abc"),
        lambda: token_labels([(0, 1)], "abc", [(0, 1)], ["A", "B"]),
        lambda: token_labels([(0, 1)], "abc", [(0, 1)], ["A"], [0.5, 1.0]),
        lambda: character_scores([(0, 1)], "abc", [0.5, 1.0]),
        lambda: runs([(0, 1)], "abc", [0.5, 1.0]),
        lambda: runs([(0, 1)], "abc", [0.5], ["A", "B"]),
    ],
)
def test_what_does_not_fit_is_refused(call):
    with pytest.raises(InputError):
        call()

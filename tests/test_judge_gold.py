"""Labels that annotators gave to items, from annotators and from what a release says of them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from corpora_of import corpus_of, random_corpus
from released import without_annotators
from sheeplib import load, tables
from sheeplib.errors import InputError
from sheeplib.judge_gold import LETTERS, given_labels
from sheeplib.ratings import UNKNOWN


def sets(found):
    return ["".join(np.array(LETTERS)[row]) for row in found.given]


def majorities(found):
    return "".join("?" if place == UNKNOWN else LETTERS[place] for place in found.majority)


EXAMPLE = corpus_of(
    {
        "tie": [[(0, 2, "B")], [(0, 2, "A"), (3, 4, "C")], []],  # firsts B, A, F: one each, B came first
        "most": [[(0, 2, "B")], [(5, 6, "A")], [(7, 8, "A")]],
        "clean": [[], [], []],
        "late": [[], [(0, 1, "D")], [(0, 1, "D")], []],  # F and D two each; F came first
    }
)


def test_any_span_or_the_first_of_each_annotator():
    found = given_labels(EXAMPLE)
    assert sets(found) == ["ABCF", "AB", "F", "DF"] and found.known.all()
    assert sets(given_labels(EXAMPLE, "first")) == ["ABF", "AB", "F", "DF"]
    assert majorities(found) == "BAFF" == majorities(given_labels(EXAMPLE, "first"))


def test_first_is_first_as_written_not_leftmost():
    corpus = corpus_of({"i": [[(50, 60, "D"), (0, 9, "A")]]})
    assert sets(given_labels(corpus, "first")) == ["D"]


def test_unknown_choices_are_refused():
    with pytest.raises(InputError, match="unknown choice"):
        given_labels(EXAMPLE, "longest")


def test_aggregated_labels_tell_what_they_can():
    found = given_labels(without_annotators(EXAMPLE))
    # A to E follow from the stretches; F: "tie" leaves it open (2 of 3 at most marked one character), so do
    # "most" (2 of 3) and "late" (2 of 4); "clean" is F for sure
    assert sets(found) == ["ABC", "AB", "F", "D"]
    assert found.known[:, :5].all() and found.known[:, 5].tolist() == [False, False, True, False]
    assert majorities(found) == "??F?"
    narrow = given_labels(without_annotators(EXAMPLE), "first")
    assert narrow.known.all(axis=1).tolist() == [False, False, True, False]


def test_all_marked_one_character_so_nobody_gave_none():
    corpus = corpus_of({"i": [[(0, 5, "A")], [(4, 9, "B")], [(4, 5, "A")]]})
    found = given_labels(without_annotators(corpus))
    assert found.known[0, 5] and not found.given[0, 5]  # at 4: A 2/3 and B 1/3
    twice = corpus_of({"i": [[(0, 5, "A"), (0, 5, "B"), (0, 5, "C")], [], []], "j": [[(0, 2, "D")] * 1, []]})
    # one annotator with three labels looks like three with one each; shares above 1 elsewhere give it away
    assert given_labels(without_annotators(twice)).known[0, 5]
    double = corpus_of(
        {"i": [[(0, 5, "A"), (0, 5, "B")], [(0, 5, "A")]], "j": [[(0, 2, "A"), (0, 2, "B")], []]}
    )
    found = given_labels(without_annotators(double))
    assert found.known[:, 5].tolist() == [True, False]  # "i": all gave A; "j": 1/2 and 1/2 may be one person


@pytest.mark.parametrize("seed", range(20))
def test_what_aggregated_labels_say_is_true(seed):
    corpus = random_corpus(np.random.default_rng(seed), 30, raters=(2, 3, 4))
    full, part = given_labels(corpus), given_labels(without_annotators(corpus))
    assert (full.given == part.given)[part.known].all()
    assert part.known[:, :5].all() and (part.majority[part.majority != UNKNOWN] == 5).all()


@pytest.mark.parametrize("labels", ["any", "first"])
def test_a_loop_over_annotators_finds_the_same(labels):
    corpus = random_corpus(np.random.default_rng(7), 60, raters=(1, 2, 3, 5))
    expected, leading = [], ""
    for item in corpus.items["item"]:
        firsts, given = [], set()
        for annotator in corpus.ratings.loc[corpus.ratings["item"] == item, "annotator"]:
            mine = corpus.spans[(corpus.spans["item"] == item) & (corpus.spans["annotator"] == annotator)]
            own = list(mine.sort_values("order")["label"]) or ["F"]
            firsts.append(own[0])
            given |= set(own if labels == "any" else own[:1])
        expected.append("".join(sorted(given)))
        leading += max(firsts, key=lambda label: (firsts.count(label), -firsts.index(label)))
    found = given_labels(corpus, labels)
    assert sets(found) == expected and majorities(found) == leading


def test_items_without_annotators_beside_items_with_them():
    half = corpus_of({"rated": [[(0, 1, "A")]], "released": [], "nothing": []})
    labels = pd.DataFrame([("released", 0, 5, 1.0, "C")], columns=["item", "start", "end", "prob", "label"])
    items = half.items.assign(labelled=[True, True, False])
    corpus = replace(half, items=items, labels=tables.validate("labels", labels))
    found = given_labels(corpus)
    assert sets(found) == ["A", "C", ""]
    assert found.known.all(axis=1).tolist() == [True, True, False] and majorities(found) == "A??"


def test_the_real_release_never_has_shares_above_one(shared):
    corpus = load("sheep", directory=shared / "sheep")
    found = given_labels(corpus)
    # unmarked items, and those whose shares reach 1 at some character; the others stay unknown
    unmarked = ~corpus.items["item"].isin(corpus.labels["item"]).to_numpy()
    assert found.given[unmarked, 5].all() and found.known[:, :5].all()
    assert 0.5 < found.known[:, 5].mean() < 0.55

"""Annotators: exact without noise, wrong at the rates of the noise model, blind to everything else."""

from collections import Counter
from dataclasses import fields, replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from sheeplib.corpora.meadow.annotators import ANNOTATORS, Answer, Part, annotate
from sheeplib.corpora.meadow.noise import NoiseModel

EXACT = NoiseModel.exact()
TEXT = "There are three red dogs on the left. A sign says “STOP”, and a boat is near."


def part(text, label, salience, within=TEXT):
    return Part(within.index(text), within.index(text) + len(text), label, salience)


WRONG = (part("three", "D", 0.8), part("red", "B", 0.5), part("STOP", "C", 1.0))
TRUE = (part("dogs", "A", 0.9), part("left", "B", 0.4), part("boat", "A", 0.1))


def answers(number, language="en", wrong=WRONG, content=TRUE, text=TEXT):
    return [Answer(f"x-{language}-{n}", language, text, wrong, content) for n in range(number)]


def rows(spans):
    return list(spans[["start", "end", "label"]].itertuples(index=False, name=None))


def test_exact_annotators_mark_exactly_the_truth():
    ratings, spans = annotate(answers(20), 1, EXACT)
    assert len(ratings) == 60 and ratings["comment"].isna().all()
    for _, own in spans.groupby(["item", "annotator"]):
        assert rows(own) == [(p.start, p.end, p.label) for p in WRONG]
        assert own["order"].tolist() == [0, 1, 2]


def test_exact_annotators_of_a_correct_answer_mark_nothing():
    ratings, spans = annotate(answers(8, wrong=()), 1, EXACT)
    assert len(ratings) == 24 and spans.empty
    assert (ratings["comment"] == "No hallucination").all()


def test_annotators_see_neither_strategy_nor_model():
    assert {field.name for field in fields(Answer)} == {"item", "language", "response", "wrong", "content"}


def test_the_errors_of_an_item_do_not_depend_on_other_items():
    many, few = annotate(answers(60), 3), annotate(answers(60)[::7], 3)
    common = few[0].merge(many[0], on=["item", "annotator"])
    assert len(common) >= 5
    for item, annotator in common[["item", "annotator"]].itertuples(index=False):
        own = [spans[(spans["item"] == item) & (spans["annotator"] == annotator)] for _, spans in (many, few)]
        assert rows(own[0]) == rows(own[1])
    assert (common["comment_x"].fillna("") == common["comment_y"].fillna("")).all()


def test_the_same_seed_gives_the_same_annotations_and_another_does_not():
    pd.testing.assert_frame_equal(annotate(answers(30), 5)[1], annotate(answers(30), 5)[1])
    assert not annotate(answers(30), 5)[1].equals(annotate(answers(30), 6)[1])


def test_three_annotators_an_item_and_even_loads():
    everything = [answer for language in ANNOTATORS for answer in answers(110, language)]
    ratings, _ = annotate(everything, 2)
    assert set(ratings.groupby("item").size()) <= {3, 4}
    for language, people in ANNOTATORS.items():
        load = ratings[ratings["item"].str.contains(f"-{language}-")].groupby("annotator").size()
        assert len(load) == people and load.max() - load.min() <= 1
        assert all(name.startswith(language) for name in load.index)


def test_a_fourth_annotator_comes_at_its_rate():
    ratings, _ = annotate(answers(400, wrong=(), content=()), 2, replace(EXACT, fourth=0.25))
    four = (ratings.groupby("item").size() == 4).sum()
    assert four == pytest.approx(100, abs=4 * 8.7)  # binomial: standard deviation sqrt(400 * 3/16)


def test_mistakes_are_missed_at_the_rate_of_their_salience():
    model = replace(EXACT, miss_faint=0.6, miss_clear=0.2)
    _, spans = annotate(answers(400), 4, model)
    found = spans["label"].value_counts() / 1200
    for p in WRONG:
        expected = 1 - (0.6 - 0.4 * p.salience)
        assert found[p.label] == pytest.approx(expected, abs=4 * np.sqrt(0.25 / 1200))


def test_true_content_is_marked_at_its_rate():
    model = replace(EXACT, false_faint=0.3, false_clear=0.1)
    _, spans = annotate(answers(400, wrong=()), 4, model)
    found = Counter(spans["start"])
    for p in TRUE:
        expected = 0.3 - 0.2 * p.salience
        assert found[p.start] / 1200 == pytest.approx(expected, abs=4 * np.sqrt(0.25 / 1200))


def test_difficulty_makes_the_errors_of_one_item_go_together():
    def spread(difficulty):
        model = replace(EXACT, miss_faint=0.5, miss_clear=0.5, difficulty=difficulty)
        _, spans = annotate(answers(300, wrong=WRONG[:1]), 7, model)
        counts = spans.groupby("item").size().reindex([f"x-en-{n}" for n in range(300)], fill_value=0)
        return counts.var()

    # binomial with n 3 and p 1/2 has variance 3/4; if all three always agreed it would be 9/4
    assert spread(0.0) == pytest.approx(0.75, abs=0.2)
    assert spread(3.0) > 1.2


def test_labels_are_confused_at_their_rates():
    model = replace(EXACT, swap=0.2, stray=0.1)
    _, spans = annotate(answers(500), 8, model)
    table = pd.crosstab(spans["start"], spans["label"], normalize="index")
    assert table.loc[16, "A"] == pytest.approx(0.2 + 0.1 / 4, abs=0.05)
    assert table.loc[WRONG[2].start, "C"] == pytest.approx(0.9, abs=0.05)
    assert table.loc[10, "D"] == pytest.approx(0.9, abs=0.05)
    assert set(spans["label"]) <= set("ABCDE")


def marked(text, wrong, model, language="en", seed=1):
    _, spans = annotate(answers(40, language, wrong, (), text), seed, model)
    return {text[start:end] for start, end, _ in rows(spans)}


def test_boundaries_move_by_whole_words_and_stop_at_punctuation():
    always = replace(EXACT, widen=1.0)
    assert marked(TEXT, WRONG[1:2], always) == {"three red dogs"}
    assert marked(TEXT, WRONG[2:3], always) == {"STOP"}  # quotation marks stand on both sides
    assert marked(TEXT, WRONG[:1], replace(EXACT, phrase=1.0)) == {"There are three red dogs on the left"}
    two = (part("red dogs", "B", 1.0),)
    assert marked(TEXT, two, replace(EXACT, narrow=1.0)) == {"dogs"}
    assert marked(TEXT, two, replace(EXACT, split=1.0)) == {"red", "dogs"}
    french = "Sur l’image, l’oiseau est bleu."
    assert marked(french, (part("oiseau", "B", 1.0, french),), always, "fr") == {"l’oiseau est"}
    bird = "Voici l’oiseau bleu."  # a stretch may begin inside a written word
    cut = (part("oiseau bleu", "A", 1.0, bird),)
    assert marked(bird, cut, replace(EXACT, narrow=1.0), "fr") == {"bleu"}
    assert marked(bird, cut, replace(EXACT, split=1.0), "fr") == {"oiseau", "bleu"}


def test_chinese_boundaries_move_by_characters():
    text = "图片中有三只红色的狗。"
    found = marked(text, (Part(4, 5, "D", 1.0),), replace(EXACT, widen=1.0), "zh")
    assert found == {"有三只", "中有三只红"}
    assert marked(text, (Part(9, 10, "A", 1.0),), replace(EXACT, widen=1.0), "zh") == {"的狗", "色的狗"}


def test_spans_of_an_annotation_never_overlap_and_lie_in_the_text():
    wild = NoiseModel(
        miss_faint=0, miss_clear=0, false_faint=0.9, false_clear=0.9, widen=0.6, phrase=0.3, narrow=0.3,
        split=0.4, disorder=0.5, difficulty=2.0,
    )  # fmt: skip
    _, spans = annotate(answers(200), 3, wild)
    assert spans["start"].ge(0).all() and spans["end"].le(len(TEXT)).all()
    disordered = 0
    for _, own in spans.groupby(["item", "annotator"]):
        places = sorted(zip(own["start"], own["end"], strict=True))
        assert all(start < end for start, end in places)
        assert all(one[1] <= two[0] for one, two in pairwise(places))
        disordered += not own["start"].is_monotonic_increasing
    assert disordered > 0


def test_comments_follow_the_guidelines_mostly():
    ratings, spans = annotate(answers(400, wrong=WRONG[1:2]), 9, NoiseModel(silence=0.2, remark=0.2))
    nothing = ratings.merge(spans[["item", "annotator"]].drop_duplicates(), how="left", indicator=True)
    empty = nothing["_merge"] == "left_only"
    said = nothing.loc[empty, "comment"]
    assert set(said.dropna()) == {"No hallucination"} and 0.05 < said.isna().mean() < 0.4
    assert "No hallucination" not in set(nothing.loc[~empty, "comment"].dropna())
    assert 0.1 < nothing.loc[~empty, "comment"].notna().mean() < 0.3


def test_probabilities_are_probabilities():
    for field in fields(NoiseModel):
        assert 0 <= getattr(NoiseModel(), field.name) <= 1
        assert getattr(EXACT, field.name) == 0

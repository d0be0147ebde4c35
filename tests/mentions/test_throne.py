"""THRONE: questions, votes, verdicts, and the scores of classes, against hand counts and a twin."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sheeplib.corpora.coco import Objects
from sheeplib.errors import InputError
from sheeplib.mentions import throne
from sheeplib.mentions.synonyms import own_synonyms
from sheeplib.mentions.throne_scores import class_scores, throne_scores


def test_prompts_hold_the_text_cut_at_1024_characters_and_three_questions():
    text = "x" * 1024 + "dog {a}"
    asked = throne.prompts(text, "dog")
    assert len(asked) == 3 == len(set(asked))
    assert all("x" * 1024 in prompt and "xdog" not in prompt and "a dog" in prompt for prompt in asked)
    assert all("🐕 {a} {text}" in prompt for prompt in throne.prompts("🐕 {a} {text}", "cat"))


@pytest.mark.parametrize(
    ("concept", "said"),
    [
        ("apple", "an apple"), ("dog", "a dog"), ("tie", "a necktie"), ("skis", "there are skis"),
        ("scissors", "there are scissors"), ("umbrella", "an umbrella"),
    ],
)  # fmt: skip
def test_articles_plurals_and_neckties(concept, said):
    assert any(said in prompt for prompt in throne.prompts("Text.", concept))


def reads_words(prompts):
    """A reader that says yes if the class stands in the text, except to the second wording."""
    said = []
    for place, prompt in enumerate(prompts):
        text, question = prompt.split("Question:")
        concept = next(name for name in ("dog", "cat") if name in question)
        said.append(concept in text and place % 3 != 1)
    return said


def test_votes_are_counted_by_item_and_class():
    captions = {"i1": "A dog.", "i2": "A cat."}
    pairs = [("i1", "dog"), ("i1", "cat"), ("i2", "cat"), ("i1", "dog")]
    votes = throne.ask_votes(captions, pairs, reads_words)
    assert votes.values.tolist() == [["i1", "dog", 2, 3], ["i1", "cat", 0, 3], ["i2", "cat", 2, 3]]
    three = throne.ask_votes(captions, pairs, throne.several([reads_words] * 3))
    assert three["yes"].tolist() == [6, 0, 6] and set(three["votes"]) == {9}
    assert len(throne.ask_votes(captions, [], reads_words)) == 0


def test_a_reader_that_gives_another_number_of_answers_is_refused():
    with pytest.raises(InputError, match="another number of answers"):
        throne.ask_votes({"i": "A dog."}, [("i", "dog")], lambda prompts: [True])


@given(st.integers(1, 15), st.data())
def test_verdicts_follow_the_rule(n, data):
    yes = data.draw(st.integers(0, n))
    for vote in ("majority", "unanimous"):
        q = throne.needed(n, vote)
        (found,) = throne.verdicts(pd.Series([yes]), pd.Series([n]), vote)
        expected = "present" if yes >= q else "disqualified" if n - q < yes < q else "absent"
        assert found == expected
    assert throne.needed(n, "unanimous") == n and 2 * throne.needed(n, "majority") > n


def test_verdicts_of_the_papers_nine_votes():
    votes = pd.Series([9] * 10)
    yes = pd.Series(range(10))
    majority = throne.verdicts(yes, votes, "majority")  # q = 5: nobody is disqualified
    assert majority.tolist() == ["absent"] * 5 + ["present"] * 5
    unanimous = throne.verdicts(yes, votes, "unanimous")  # q = 9: 0 < yes < 9 is split
    assert unanimous.tolist() == ["absent"] + ["disqualified"] * 8 + ["present"]
    with pytest.raises(InputError, match="no such vote"):
        throne.needed(3, "loudest")


def test_class_scores_by_hand():
    # Class 1: claimed in images 1, 2, there in 1, 3: P = R = 1/2, F1 = 1/2, F0.5 = 1/2.
    # Class 2: claimed nowhere, there in 2: P = R = 0, F undefined and left out.
    # Class 3: image 3 is disqualified; claimed in 1, there in 1: P = R = F = 1.
    claimed = np.array([[1, 0, 1], [1, 0, 0], [0, 0, np.nan]])
    shown = np.array([[1, 0, 1], [0, 1, 0], [1, 0, 1]], dtype=bool)
    found = class_scores(claimed, shown)
    assert found["precision"] == pytest.approx((1 / 2 + 0 + 1) / 3)
    assert found["recall"] == pytest.approx((1 / 2 + 0 + 1) / 3)
    assert found["f1"] == pytest.approx((1 / 2 + 1) / 2) and found["f0.5"] == pytest.approx(3 / 4)


@given(st.integers(1, 6), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_class_scores_equal_a_plain_loop(images, classes, seed):
    rng = np.random.default_rng(seed)
    claimed = rng.choice([0.0, 1.0, np.nan], size=(images, classes), p=[0.5, 0.4, 0.1])
    shown = rng.random((images, classes)) < 0.5
    for by in ("class", "image"):
        rows = (claimed.T, shown.T) if by == "class" else (claimed, shown)
        precisions, recalls, f = [], [], {1.0: [], 0.5: []}
        for says, there in zip(*rows, strict=True):
            pairs = [(a == 1, b) for a, b in zip(says, there, strict=True) if not np.isnan(a)]
            right = sum(a and b for a, b in pairs)
            precision = right / max(sum(a for a, _ in pairs), 1)
            recall = right / max(sum(b for _, b in pairs), 1)
            precisions.append(precision)
            recalls.append(recall)
            for beta, values in f.items():
                if precision + recall:
                    values.append((1 + beta**2) * precision * recall / (beta**2 * precision + recall))
        found = class_scores(claimed, shown, by)
        assert found["precision"] == pytest.approx(np.mean(precisions))
        assert found["recall"] == pytest.approx(np.mean(recalls))
        for name, beta in (("f1", 1.0), ("f0.5", 0.5)):
            expected = np.mean(f[beta]) if f[beta] else np.nan
            assert found[name] == pytest.approx(expected, nan_ok=True)


def test_shapes_and_averages_are_checked():
    with pytest.raises(InputError, match="same images and classes"):
        class_scores(np.zeros((2, 2)), np.zeros((2, 3), dtype=bool))
    with pytest.raises(InputError, match="unknown average"):
        class_scores(np.zeros((2, 2)), np.zeros((2, 2), dtype=bool), "word")


def test_scores_of_captions():
    items = pd.DataFrame({"item": ["i1", "i2"], "image": ["1", "9"]})
    votes = pd.DataFrame(
        [("i1", "dog", 2, 3), ("i1", "cat", 1, 3), ("i2", "dog", 3, 3)],
        columns=["item", "concept", "yes", "votes"],
    )
    objects = Objects(("dog", "cat"), {"1": frozenset({"dog"})})
    found = throne_scores(items, votes, objects)
    assert [found[name] for name in ("captions", "asked", "claimed", "hallucinated")] == [2, 3, 2, 1]
    assert throne_scores(items, votes, objects, "unanimous")["disqualified"] == 2


def test_only_named_classes_are_asked_about():
    pairs = throne.named({"i": "Two dogs and a dog near a cat.", "j": "Nothing."}, own_synonyms("coco"))
    assert pairs == [("i", "dog"), ("i", "cat")]


def test_votes_of_a_known_reader_are_by_class():
    mentions = pd.DataFrame({"item": ["i", "i", "i"], "concept": ["dog", "dog", "cat"]})
    votes = throne.votes_of(mentions, pd.Series([False, True, False]))
    assert votes.values.tolist() == [["i", "dog", 1, 1], ["i", "cat", 0, 1]]


def test_captions_are_chosen_by_seed_and_hold_something_not_asserted():
    items = pd.DataFrame({"item": [f"i{n}" for n in range(20)], "model": ["a", "b"] * 10})
    weak = [f"i{n}" for n in range(12)]
    mentions = pd.DataFrame({"item": weak + ["i19"], "status": ["non-assertive"] * 12 + ["concrete"]})
    chosen = throne.choose_captions(items, mentions, 4)
    assert len(chosen) == 8 and set(chosen) <= set(weak)
    assert (
        chosen == throne.choose_captions(items, mentions, 4) != throne.choose_captions(items, mentions, 4, 1)
    )
    assert len(throne.choose_captions(items, mentions, 100)) == 12


def test_shipped_votes_are_of_captions_that_the_command_chooses():
    from sheeplib.corpora import meadow

    votes = throne.shipped_votes()
    captions = meadow.captions(["clover"])
    votes = votes[votes["item"].isin(captions.items["item"])]
    chosen = throne.choose_captions(captions.items, captions.mentions, 8)
    texts = captions.items.set_index("item")["response"].loc[chosen].to_dict()
    pairs = list(zip(votes["item"], votes["concept"], strict=True))
    assert pairs == throne.named(texts, own_synonyms("meadow")) and len(chosen) == 8
    assert votes["yes"].between(0, 3).all() and set(votes["votes"]) == {3}

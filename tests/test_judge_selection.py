"""How many items the printed accuracies rest on, and which choice of items gives as many."""

from itertools import product

import numpy as np
import pytest

from corpora_of import corpus_of
from sheeplib import load
from sheeplib.judge_selection import LARGEST, printed_counts, selected_counts, smallest_counts
from sheeplib.published import published


def test_the_papers_numbers_are_recovered():
    found = printed_counts().pivot(index="origin", columns="language", values="n")
    assert found.loc["human"].tolist() == [400] * 4  # all that were written, SHEEP 4
    models = found.drop(index="human")
    assert models.loc["gemma3"].tolist() == [69, 76, 76, 83]
    assert models.loc["qwenvl"].tolist() == [92, 75, 60, 69]
    assert models.to_numpy().sum() == 1473  # of 9,200 random items, a sixth


@pytest.mark.parametrize("origin", ["gemma3", "internvl", "llava", "minicpm", "qwenvl"])
def test_no_other_numbers_as_small_fit(origin):
    table = published("sheep", 4)
    table = table[(table["quantity"] == "accuracy") & (table["origin"] == origin)]
    printed = dict(zip(table["language"], table["value"], strict=True))
    whole = printed.pop("all")
    found = smallest_counts(printed, whole)
    total = sum(found.values())
    fractions = [
        [(n, round(value * n)) for n in range(1, LARGEST + 1) if round(round(value * n) / n, 6) == value]
        for value in printed.values()
    ]
    fitting = [
        [n for n, _ in choice]
        for choice in product(*fractions)
        if sum(n for n, _ in choice) <= total
        and round(sum(c for _, c in choice) / sum(n for n, _ in choice), 6) == whole
    ]
    assert fitting == [list(found.values())]


def test_shares_of_known_counts_are_recovered():
    # 3 of 7 and 2 of 9: 5 of 16
    assert smallest_counts({"en": round(3 / 7, 6), "fr": round(2 / 9, 6)}, 5 / 16) == {"en": 7, "fr": 9}
    assert smallest_counts({"en": 0.123456}, 0.5) == {}


def test_counts_of_a_choice():
    corpus = corpus_of(
        {f"i{n}": [[]] for n in range(8)},
        language=["en", "zh"] * 4,
        strategy=["human"] * 2 + ["random"] * 4 + ["map"] * 2,
        split=["test"] * 4 + ["train"] * 2 + ["test"] * 2,
        model=[None] * 2 + ["daisy"] * 6,
    )
    rows = [tuple(row) for row in selected_counts(corpus).to_numpy()]
    assert rows == [("daisy", "en", 1), ("daisy", "zh", 1), ("human", "en", 1), ("human", "zh", 1)]
    assert selected_counts(corpus, None, None)["n"].sum() == 8


def test_the_real_train_split_cannot_be_checked(shared):
    assert selected_counts(load("sheep", directory=shared / "sheep")).empty


def test_a_release_like_the_papers_passes():
    wanted = printed_counts().head(8)
    rows = wanted.loc[np.repeat(wanted.index, wanted["n"])].reset_index(drop=True)
    human = rows["origin"] == "human"
    corpus = corpus_of(
        {f"i{n}": [[]] for n in range(len(rows))},
        language=rows["language"].tolist(),
        strategy=np.where(human, "human", "random").tolist(),
        model=rows["origin"].where(~human, None).tolist(),
        split=["test"] * len(rows),
    )
    keys = ["origin", "language"]
    found = selected_counts(corpus).set_index(keys)["n"]
    assert found.to_dict() == wanted.set_index(keys)["n"].to_dict()

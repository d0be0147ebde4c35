"""Letters read out of judges' answers, and answers chosen by them."""

from collections import Counter
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sheeplib.errors import InputError
from sheeplib.judge import parse_letter, select_map, select_random
from sheeplib.tables import OFFICIAL_NAMES, Label


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("B", "B"),
        ("  c \n", "C"),
        ("**D**", "D"),
        ("`f`", "F"),
        ("__E__", "E"),
        ("(A)", "A"),
        ("[B].", "B"),
        ("Ｄ", "D"),  # full width, as Chinese keyboards give it
        ("答案是B。", "B"),
        ("选Ｃ", "C"),
        ("Label: C, because the sign reads otherwise", "C"),
        ("# Answer\nF", "F"),
        ("B or C", "B"),
        ("A: there is no dog", "A"),
        ("A dog is invented, so A", "A"),
        ("A hallucination of type C", "C"),
        ("E un cane, quindi B", "B"),
        ("C’est D", "D"),
        ("D'accord: B", "B"),
        ("E\u0301trange, A", "A"),  # an E and a combining accent are one letter
        ("F1 is not B", "B"),
        ("This is an invention.", "A"),
        ("A mischaracterisation", "B"),
        ("mischaracterization", "B"),
        ("It is an ocr problem", "C"),
        ("Miscounting!", "D"),
        ("none", "F"),
        ("这是invention", "A"),
        ("", None),
        ("I do not know", None),
        ("a dog", None),
        ("G", None),
        ("ABC", None),
        ("nonetheless, some others", None),
        ("🐑", None),
    ],
)
def test_letters_are_found_and_words_are_not_taken_for_them(text, letter):
    assert parse_letter(text) == letter


def test_apostrophes_do_not_hide_a_name():
    assert parse_letter("l'invention") == "A"


@given(st.text())
def test_any_text_gives_a_label_or_none(text):
    assert parse_letter(text) in {None, *Label}


@given(st.sampled_from(list(Label)), st.sampled_from(["{}", "**{}**", "({})", "{}.", "答案：{}", "It is {}"]))
def test_every_label_is_read_in_every_dress(label, dress):
    assert parse_letter(dress.format(label)) is label
    assert parse_letter(dress.format(OFFICIAL_NAMES[label])) is label


def pool_of(letters, models=("x",)):
    """A pool with so many answers of each letter in each language and model."""
    rows = [
        {"language": language, "model": model, "judge": letter, "number": number}
        for language, counts in letters.items()
        for model in models
        for letter, count in counts.items()
        for number in range(count)
    ]
    return pd.DataFrame(rows).sample(frac=1, random_state=0).reset_index(drop=True)


def rng(seed=0):
    return np.random.default_rng(seed)


def counts_of(chosen):
    return {language: dict(Counter(rows["judge"])) for language, rows in chosen.groupby("language")}


def test_random_answers_fill_every_cell_alike():
    pool = pool_of({"en": {"A": 6, "F": 6}, "zh": {"F": 9}}, ("x", "y"))
    chosen = select_random(pool, 5, rng())
    assert (chosen.groupby(["language", "model"]).size() == 5).all() and len(chosen) == 20
    assert chosen.index.is_monotonic_increasing and chosen.index.is_unique
    pd.testing.assert_frame_equal(chosen, pool.loc[chosen.index])
    assert select_random(pool, 5, rng()).equals(chosen)
    assert not select_random(pool, 5, rng(1)).index.equals(chosen.index)
    assert select_random(pool, 0, rng()).empty
    assert len(select_random(pool, 5, rng(), by=["language"])) == 10


def test_every_answer_of_a_cell_is_as_likely():
    pool = pool_of({"en": {"A": 4, "F": 6}})
    draw = rng(3)
    seen = Counter(place for _ in range(400) for place in select_random(pool, 3, draw).index)
    # each of ten answers is among three with probability .3; four standard deviations of 400 draws
    assert all(abs(seen[place] / 400 - 0.3) < 4 * (0.21 / 400) ** 0.5 for place in range(10))


@pytest.mark.parametrize(
    ("sizes", "wanted", "chosen"),
    [
        ({"A": 5, "F": 90}, 6, {"A": 3, "F": 3}),
        ({"A": 5, "F": 90}, 7, {"A": 3, "F": 4}),  # the odd one from the larger half
        ({"A": 2, "F": 90}, 8, {"A": 2, "F": 6}),  # what one half lacks, the other gives
        ({"F": 9}, 4, {"F": 4}),
    ],
)
def test_random_answers_are_even_within_cells_where_wanted(sizes, wanted, chosen):
    pool = pool_of({"en": sizes}, ("x", "y"))
    found = select_random(pool, wanted, rng(), even="judge")
    for model in ("x", "y"):
        assert Counter(found["judge"][found["model"] == model]) == chosen
    assert found.index.is_monotonic_increasing and found.index.is_unique


def test_a_cell_with_too_few_answers_is_refused_and_named():
    pool = pool_of({"en": {"A": 3}, "fr": {"A": 9}}, ("x", "y"))
    with pytest.raises(InputError, match="language en, model x: 3 answers.*Choose 3 at most") as caught:
        select_random(pool, 4, rng())
    assert len(caught.value.problems) == 2
    with pytest.raises(InputError, match="language en: 6 answers"):
        select_random(pool, 7, rng(), by=["language"])


@pytest.mark.parametrize(
    ("letters", "wanted", "chosen"),
    [
        # all C and D, and of the seven that are missing four and three, the odd one from the larger
        ({"A": 30, "B": 20, "C": 2, "D": 1, "F": 90}, 10, {"A": 4, "B": 3, "C": 2, "D": 1}),
        # A against B is balanced in what is drawn, however many C and D there are
        ({"A": 30, "B": 20, "C": 8}, 10, {"A": 1, "B": 1, "C": 8}),
        # where B is short, A makes up for it
        ({"A": 30, "B": 2, "C": 1, "D": 1}, 10, {"A": 6, "B": 2, "C": 1, "D": 1}),
        # more C and D than wanted: drawn evenly, no A and B
        ({"A": 30, "B": 20, "C": 9, "D": 3}, 8, {"C": 5, "D": 3}),
        ({"A": 30, "B": 20, "C": 9, "D": 9}, 8, {"C": 4, "D": 4}),
        # too few of all four: no E and F in their place
        ({"A": 2, "B": 1, "C": 1, "E": 9, "F": 90}, 10, {"A": 2, "B": 1, "C": 1}),
        ({"E": 5, "F": 9}, 3, {}),
    ],
)
def test_preselection_keeps_c_and_d_and_balances_a_and_b(letters, wanted, chosen):
    found = select_map(pool_of({"en": letters}), wanted, rng())
    assert counts_of(found) == ({"en": chosen} if chosen else {})


def test_preselection_by_language_and_in_the_order_of_the_pool():
    pool = pool_of({"en": {"A": 9, "B": 9, "C": 1}, "zh": {"A": 1, "D": 3, "F": 5}})
    found = select_map(pool, 5, rng())
    assert counts_of(found) == {"en": {"A": 2, "B": 2, "C": 1}, "zh": {"A": 1, "D": 3}}
    assert found.index.is_monotonic_increasing and found.index.is_unique
    assert select_map(pool, 5, rng()).equals(found) and select_map(pool, 0, rng()).empty


def test_preselection_by_another_judge_and_other_letters():
    pool = pool_of({"en": {"A": 9, "B": 9, "C": 9}}).assign(other="E")
    assert len(select_map(pool, 5, rng(), letter="other")) == 0
    assert counts_of(select_map(pool, 5, rng(), "judge", keep="", fill="AC")) == {"en": {"A": 2, "C": 3}}
    missing = pool.assign(judge=pd.array([pd.NA] * len(pool), dtype="string"))
    assert select_map(missing, 5, rng()).empty


def evenest(sizes, wanted):
    """The most even shares, by trying all: those whose squares sum to the least."""
    options = [shares for shares in product(*(range(size + 1) for size in sizes)) if sum(shares) == wanted]
    return min(sum(share**2 for share in shares) for shares in options)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=3), st.integers(0, 18))
def test_shares_are_as_even_as_any_can_be(sizes, wanted):
    pool = pool_of({"en": dict(zip("ABC", sizes, strict=False)) | {"F": 1}})
    found = select_map(pool, wanted, rng(), keep="", fill="ABC"[: len(sizes)])
    expected = min(wanted, sum(sizes))
    shares = Counter(found["judge"])
    assert len(found) == expected
    assert sum(share**2 for share in shares.values()) == evenest(sizes, expected)


def test_wrong_input_is_refused():
    pool = pool_of({"en": {"A": 3}})
    with pytest.raises(InputError, match="no column 'model'.*It has: language, judge"):
        select_random(pool.drop(columns="model"), 1, rng())
    with pytest.raises(InputError, match="no column 'half'"):
        select_random(pool, 1, rng(), even="half")
    with pytest.raises(InputError, match="no column 'jury'"):
        select_map(pool, 1, rng(), letter="jury")
    for call in (lambda: select_random(pool, -1, rng()), lambda: select_map(pool, -1, rng())):
        with pytest.raises(InputError, match="out of range"):
            call()
    for letters in ({"keep": "CX"}, {"fill": "ABC"}):  # no letter, and C twice
        with pytest.raises(InputError, match="no such labels.*'(CXAB|CDABC)'"):
            select_map(pool, 1, rng(), **letters)

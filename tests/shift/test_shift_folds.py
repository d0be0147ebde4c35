import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sheeplib.shift import clusters, partition
from sheeplib.shift.folds import obstacle


def items(**columns):
    return pd.DataFrame({name: pd.array(values, dtype="string") for name, values in columns.items()})


def same(codes):
    """Which pairs of places have one code."""
    return {(a, b) for a in range(len(codes)) for b in range(a) if codes[a] == codes[b]}


def test_texts_are_joined_by_what_they_share_also_through_others():
    # 0 and 1 show image x, 1 and 2 are one text in two languages, 3 has neither, 4 and 5 show y
    frame = items(image=["x", "x", "z", pd.NA, "y", "y"], parallel=[pd.NA, "p", "p", pd.NA, pd.NA, "q"])
    assert same(clusters(frame, ["image", "parallel"])) == {(1, 0), (2, 0), (2, 1), (5, 4)}
    assert same(clusters(frame, ["image"])) == {(1, 0), (5, 4)}
    assert same(clusters(frame, ["image", "no such column"])) == {(1, 0), (5, 4)}
    assert same(clusters(frame, [])) == set()
    # an image and a parallel text of one name are two things
    assert same(clusters(items(image=["x", pd.NA], parallel=[pd.NA, "x"]), ["image", "parallel"])) == set()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abcd-"), st.sampled_from("pqrs-")), min_size=1, max_size=12))
def test_clusters_are_those_of_a_search_from_text_to_text(pairs):
    image, parallel = ([pd.NA if v == "-" else v for v in column] for column in zip(*pairs, strict=True))
    found = clusters(items(image=image, parallel=parallel), ["image", "parallel"])
    near = [
        {b for b in range(len(pairs)) if any(pairs[a][k] == pairs[b][k] != "-" for k in (0, 1))}
        for a in range(len(pairs))
    ]
    for a in range(len(pairs)):
        reached, new = {a}, {a}
        while new:
            new = set().union(*(near[b] for b in new)) - reached
            reached |= new
        assert {b for b in range(len(pairs)) if found[b] == found[a]} == reached


def test_no_group_stands_on_both_sides_and_origins_are_spread_evenly():
    rng = np.random.default_rng(1)
    group = rng.integers(60, size=300)
    origin = rng.integers(3, size=300)
    part = partition(origin, group, 5, np.random.default_rng(2))
    assert set(part) == set(range(5))
    assert all(len(set(part[group == g])) == 1 for g in set(group))
    counts = pd.crosstab(part, origin).to_numpy()
    assert counts.min() >= 10 and counts.max() <= 30  # 20 on average
    free = partition(origin, None, 5, np.random.default_rng(2))
    counts = pd.crosstab(free, origin)
    assert (counts.max() - counts.min()).max() <= 1  # drawn one by one, parts differ by one at most
    assert any(len(set(free[group == g])) > 1 for g in set(group))
    again = partition(origin, group, 5, np.random.default_rng(2))
    assert (again == part).all()
    assert (partition(origin, group, 5, np.random.default_rng(3)) != part).any()


@pytest.mark.parametrize(
    ("origins", "groups", "why"),
    [
        ("aaabbb", None, None),
        ("aaabbb", [0, 1, 2, 3, 4, 5], None),
        ("aaabb", None, "3 folds need 3 texts of each origin, and b has 2"),
        ("aaabbb", [0, 1, 2, 3, 3, 4], "3 folds need 3 groups of texts that stay together .* b has 2"),
        ("aaaa", None, "all its texts come from one origin: a"),
        ("", None, "no text has an origin"),
    ],
)
def test_what_cannot_be_cut_says_why(origins, groups, why):
    found = obstacle(pd.Series(list(origins), dtype="string"), groups and np.array(groups), 3)
    if why is None:
        assert found is None
    else:
        assert found is not None and re.search(why, found)

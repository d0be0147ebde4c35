"""Features made small: what is kept, how far numbers move, and that types stay."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sheeplib.features import needs
from sheeplib.features.gathering import WHOLE, Features
from sheeplib.miniatures.caches import CACHES
from sheeplib.miniatures.condensation import GRAINS, Grain, condensed, grain_of, grains, pooled

NUMBERS = st.floats(-60000, 60000, width=32)


def test_numbers_are_rounded_to_places_and_steps() -> None:
    # 2 places after the leading one: 1.01, 1.10, 1.11 in binary; 5 is 101, 11 is 1011 and lies half way
    # between 1010 and 1100, of which the even one is taken
    given = np.array([1.3, 5.0, 11.0, -11.0, 0.0, 0.09], "float32")
    assert Grain(2).rounded(given).tolist() == [1.25, 5.0, 12.0, -12.0, 0.0, 0.09375]
    # multiples of a quarter, and then two places: 2.75 is 10.11, half way between 10.1 and 11.0, and 9 is
    # 1001, half way between 1000 and 1010
    found = Grain(2, 0.25).rounded(np.array([0.1, 0.13, 2.7, 9.1], "float32"))
    assert found.tolist() == [0.0, 0.25, 3.0, 8.0]


@given(st.lists(NUMBERS, min_size=1), st.integers(2, 9), st.sampled_from([0.0, 2**-10, 2**-4]))
def test_rounding_is_as_fine_as_it_says(values: list[float], bits: int, step: float) -> None:
    grain, array = Grain(bits, step), np.array(values, "float32")
    found = grain.rounded(array)
    assert found.dtype == array.dtype
    room = step / 2 + (np.abs(array) + step / 2) * 2.0 ** -(bits + 1) + 1e-30
    assert (np.abs(found.astype(float) - array) <= room).all()
    np.testing.assert_array_equal(grain.rounded(found), found)


@given(st.lists(NUMBERS, min_size=1), st.sampled_from(sorted(GRAINS)))
def test_numbers_on_either_side_of_a_border_are_near(values: list[float], name: str) -> None:
    grain, one = GRAINS[name], np.array(values, "float32")
    other = one * np.float32(1 + 1e-6)
    assert grain.near(grain.rounded(one), grain.rounded(other)).all()
    away = one + 2.5 * (grain.step + np.abs(one) * 2.0**-grain.bits) + 1e-3
    assert not grain.near(one, away).any()


def test_what_is_no_number_stays_and_is_not_near() -> None:
    given = np.array([np.nan, np.inf, 1.0], "float32")
    np.testing.assert_array_equal(Grain(4).rounded(given), given)
    assert Grain(4).near(given, np.array([1, 1, 1], "float32")).tolist() == [False, False, True]


def test_half_precision_stays_half_precision() -> None:
    found = Grain(4).rounded(np.array([65504, 1e-7, 0.1], "float16"))
    assert found.dtype == np.float16 and found.tolist()[2] == pytest.approx(0.1, rel=2**-5)
    assert np.isfinite(Grain(4).rounded(np.array([60000], "float16"))).all()


def test_there_is_a_grain_for_every_number_of_every_cache() -> None:
    for cache in CACHES.values():
        for need in needs.parse((*cache.needs, *cache.annex)):
            for name in need.columns or need.arrays:
                if not any(name.startswith(whole) for whole in WHOLE):
                    assert grain_of(name).bits >= 3, name


def test_what_was_rounded_how_is_told() -> None:
    names = ["hidden:mid@own", "hidden:last@own", "lens_token@gen", "token_nll"]
    nll = GRAINS["token_nll"]
    assert grains(names) == {"hidden": [GRAINS["hidden"].bits, 0.0], "token_nll": [nll.bits, nll.step]}


def test_maps_are_pooled_to_the_means_of_cells() -> None:
    rng = np.random.default_rng(1)
    maps = rng.random((2, 3, 144), "float32")
    found = pooled(maps)
    assert found.shape == (2, 3, 9) and found.dtype == np.float32
    square = maps.reshape(2, 3, 12, 12)
    for row in range(3):
        for column in range(3):
            cell = square[..., 4 * row : 4 * row + 4, 4 * column : 4 * column + 4]
            np.testing.assert_allclose(found[..., 3 * row + column], cell.mean((-2, -1)), rtol=1e-6)


def features(kept: list[list[bool]]) -> Features:
    """Answers whose every number is its token's place among all tokens."""
    rows = [(f"i{item}", "m", token) for item, flags in enumerate(kept) for token in range(len(flags))]
    tokens = pd.DataFrame(rows, columns=["item", "evaluator", "token"])
    flags = np.array([flag for one in kept for flag in one], dtype=bool)
    count = np.arange(len(tokens))
    tokens = tokens.assign(start=count, end=count + 1, entropy=count.astype("float32"), kept=flags)
    arrays = {
        "attention_masses@gen": count[:, None].astype("float32"),
        "lens_token@gen": count[:, None],
        "hidden:mid@own": count[flags, None].astype("float16") % 8,  # which rounding leaves as they are
    }
    items = pd.DataFrame({"item": [f"i{item}" for item in range(len(kept))]})
    states = {"prompt_state:3/4": np.full((len(kept), 2), 1.01, "float16")}
    return Features(tokens, arrays, items, states, {"gone": "empty"})


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=7), min_size=1, max_size=4), st.integers(0, 3))
def test_only_tokens_that_matter_and_those_before_them_are_kept(kept: list[list[bool]], reach: int) -> None:
    whole = features(kept)
    small = condensed(whole, reach, ("attention_masses@gen",))
    expected, place = [], 0
    for flags in kept:
        expected += [place + token for token in range(len(flags)) if any(flags[token : token + reach + 1])]
        place += len(flags)
    assert small.tokens["start"].tolist() == expected
    assert small.tokens.index.tolist() == list(range(len(expected)))
    assert small.arrays["attention_masses@gen"][:, 0].tolist() == expected
    mattering = small.tokens.loc[small.tokens["kept"], "start"].tolist()
    assert mattering == np.flatnonzero(whole.tokens["kept"]).tolist()
    assert small.arrays["lens_token@gen"][:, 0].tolist() == mattering
    assert small.arrays["hidden:mid@own"][:, 0].tolist() == [place % 8 for place in mattering]
    assert small.arrays["lens_token@gen"].dtype == whole.arrays["lens_token@gen"].dtype
    assert small.items is whole.items and small.left_out == whole.left_out
    # 1.01 with four places after the leading one is 1
    assert (small.item_arrays["prompt_state:3/4"] == 1).all()


def test_all_tokens_are_kept_unless_said_otherwise() -> None:
    small = condensed(features([[True, False], [False]]))
    assert small.tokens["start"].tolist() == [0, 1, 2] and len(small.arrays["lens_token@gen"]) == 3
    assert small.tokens["entropy"].tolist() == [0, 1, 2]

"""Features made small enough to travel with the package: fewer rows, coarser maps, rounded numbers.

Rounding keeps the types: numbers stay float32 or float16, with zeros in their last binary places, which
a packed store presses away. How coarse each kind of number is stands in `GRAINS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from sheeplib.features.gathering import Features

SIDE = 3  # of the maps of image attention, which has 6 by 6 image tokens to look at


@dataclass(frozen=True)
class Grain:
    """How coarsely numbers are kept.

    Parameters
    ----------
    bits : int
        Binary places after the leading one: numbers are off by at most 2 ** -(bits + 1) of their size.
    step : float
        Before that they are rounded to multiples of it, a power of two; 0 for none.
    """

    bits: int
    step: float = 0.0

    def rounded(self, values: np.ndarray) -> np.ndarray:
        """The numbers, in the same type; those that are not finite stay."""
        wide = values.astype(np.float64)
        if self.step:
            wide = np.round(wide / self.step) * self.step
        mantissa, exponent = np.frexp(wide)
        scale = 2.0 ** (self.bits + 1)
        found = np.ldexp(np.round(mantissa * scale) / scale, exponent)
        largest = float(np.finfo(values.dtype).max)  # some numbers would be rounded up beyond it
        return np.where(np.isfinite(wide), found.clip(-largest, largest), wide).astype(values.dtype)

    def near(self, kept: np.ndarray, made: np.ndarray) -> np.ndarray:
        """Whether numbers are the same but for one place of rounding either way."""
        wide = kept.astype(np.float64)
        room = self.step + np.abs(wide) * 2.0**-self.bits + 1e-6
        return np.asarray(np.isfinite(wide) & (np.abs(wide - made) <= room))


# By the name of a column, or of an array up to its first mark; whole numbers are never rounded.
GRAINS: Mapping[str, Grain] = {
    "hidden": Grain(3),
    "prompt_state": Grain(8, 2**-4),  # images move it little: its places must be finer than its size
    "hidden_norms": Grain(6),
    "layer_cosine": Grain(8, 2**-8),
    "max_prob": Grain(8, 2**-7),
    "target_prob": Grain(8, 2**-7),
    "token_nll": Grain(5, 2**-7),  # nats
    "entropy": Grain(5, 2**-7),
    "lens_entropy": Grain(5, 2**-7),
    "evidence_positive": Grain(5),
    "evidence_negative": Grain(5),
    "conflict": Grain(6),
    "ignorance": Grain(5),
    "canonical_conflict": Grain(7),
    "canonical_log_agreement": Grain(5),
    "canonical_log_ignorance": Grain(5),
    "attention_masses": Grain(4),  # no step: ratios of small masses count
    "attention_entropy": Grain(8, 2**-5),  # nats
    "attention_gini": Grain(8, 2**-7),
    "image_attention": Grain(8, 2**-9),
    "image_peak": Grain(4, 2**-12),
    "text_mean": Grain(4, 2**-12),
    "internal_confidence": Grain(8),
    "glsim": Grain(10, 2**-11),  # cosines that lie close together
    "contextual_lens": Grain(10, 2**-11),
}


def grain_of(name: str) -> Grain:
    """How coarsely a column or an array is kept, such as `attention_masses:heads@gen`."""
    return GRAINS[_head(name)]


def grains(names: Iterable[str]) -> dict[str, list[float]]:
    """Places and steps of columns and arrays, for the header of a store; whole numbers have none."""
    found = {head: GRAINS[head] for head in map(_head, names) if head in GRAINS}
    return {head: [grain.bits, grain.step] for head, grain in found.items()}


def _head(name: str) -> str:
    return name.partition("@")[0].partition(":")[0]


def condensed(features: Features, reach: int | None = None, everywhere: tuple[str, ...] = ()) -> Features:
    """Make features small.

    Parameters
    ----------
    features : Features
        Whose wide arrays have rows for the tokens that matter: those whose column `kept` is true.
    reach : int, optional
        Keep only the tokens that matter in the table of tokens, with so many before each; by default all.
    everywhere : tuple of str
        Arrays that then have a row for each token of the table; all others have one for each that
        matters.

    Returns
    -------
    Features
        With maps of attention in `SIDE` by `SIDE` cells and numbers rounded by their `GRAINS`.
    """
    tokens, arrays = features.tokens, dict(features.arrays)
    if reach is not None:
        kept = tokens["kept"].to_numpy()
        near = _near(tokens, kept, reach)
        for name, array in arrays.items():
            if len(array) == len(tokens):
                arrays[name] = array[near if name in everywhere else kept]
        tokens = tokens[near].reset_index(drop=True)
    return replace(
        features,
        tokens=tokens.assign(**{
            str(name): grain_of(str(name)).rounded(column.to_numpy())
            for name, column in tokens.items()
            if column.dtype == np.float32
        }),
        arrays={name: _small(name, array) for name, array in arrays.items()},
        item_arrays={name: _small(name, array) for name, array in features.item_arrays.items()},
    )  # fmt: skip


def _near(tokens: pd.DataFrame, kept: np.ndarray, reach: int) -> np.ndarray:
    """Which tokens are kept, or at most `reach` before one of the same item that is."""
    items, near = tokens["item"].to_numpy(), kept.copy()
    for back in range(1, reach + 1):
        near[:-back] |= kept[back:] & (items[:-back] == items[back:])
    return near


def _small(name: str, array: np.ndarray) -> np.ndarray:
    if name.startswith("image_attention"):
        array = pooled(array)
    return grain_of(name).rounded(array) if array.dtype.kind == "f" else array


def pooled(maps: np.ndarray) -> np.ndarray:
    """Means of square maps (..., n * n) in `SIDE` by `SIDE` cells (..., SIDE * SIDE); SIDE divides n."""
    side = round(maps.shape[-1] ** 0.5)
    cells = maps.reshape(*maps.shape[:-1], SIDE, side // SIDE, SIDE, side // SIDE)
    return np.asarray(cells.mean((-3, -1), dtype=np.float32).reshape(*maps.shape[:-1], SIDE * SIDE))

"""SVAR: little attention to the image in the middle layers, where a word is generated."""

from __future__ import annotations

import numpy as np

from sheeplib.detectors.mention_numbers import IMAGE_KEYS
from sheeplib.detectors.mention_sets import MentionSet
from sheeplib.errors import InputError, Problem

FIRST, LAST, DEPTH = 5, 18, 32  # layers from 0, both inclusive, of so many
NEEDS = ("attention_masses@gen",)


def middle(depth: int) -> tuple[int, int]:
    """First and last layer that count in a decoder of `depth` layers: those of the paper, scaled."""
    return round(FIRST * depth / DEPTH), min(round(LAST * depth / DEPTH), depth - 1)


def svar(mentions: MentionSet, *, first: int | None = None, last: int | None = None) -> np.ndarray:
    """Minus the attention to all image tokens, mean over heads, sum over the middle layers.

    Parameters
    ----------
    mentions : MentionSet
    first, last : int, optional
        Layers from 0, both inclusive; by default 5 to 18 of 32, scaled to the depth.

    Returns
    -------
    ndarray of float64, (n,)
        At the row that predicts the mention's first token.

    Raises
    ------
    InputError
        If there are no such layers, or the features lack attention masses.

    Source
    ------
    NAME-Bench, Table 8, after arXiv 2411.16724. Rounding of the scaled layers is inferred.
    """
    masses = mentions.numbers.array(NEEDS[0])[..., IMAGE_KEYS].astype(np.float64)
    usual = middle(masses.shape[1])
    low, high = usual[0] if first is None else first, usual[1] if last is None else last
    if not 0 <= low <= high < masses.shape[1]:
        remedy = f"This decoder has layers 0 to {masses.shape[1] - 1}"
        raise InputError(Problem("no such layers", remedy, value=f"{low} to {high}"))
    return -np.asarray(masses[:, low : high + 1].sum(1))

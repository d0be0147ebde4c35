"""GLSim: a word's state is unlike the prompt's, and unlike the image tokens that fit the word best."""

from __future__ import annotations

from typing import Literal

import numpy as np

from sheeplib.detectors.mention_sets import MentionSet
from sheeplib.errors import InputError, Problem

WEIGHT = 0.6  # of the global part
NEEDS = ("glsim:repo@gen",)
_NEAREST = {"32": 1, "share": 2}  # places of the local part in the array


def glsim(
    mentions: MentionSet,
    *,
    global_layers: Literal["repo", "paper"] = "repo",
    nearest: Literal["32", "share"] = "32",
    weight: float = WEIGHT,
) -> np.ndarray:
    """Minus a weighted mean of two similarities.

    Parameters
    ----------
    mentions : MentionSet
    global_layers : {"repo", "paper"}
        Compare the mention in the last layer with the prompt in the one before, as the released code does,
        or the other way round, as the paper says.
    nearest : {"32", "share"}
        Image tokens of the local part: the 32 likeliest to say the word, or one in 18, which are as many of
        the 576 of LLaVA-1.5. Of few image tokens, 32 may be nearly all.
    weight : float
        Of the global part.

    Returns
    -------
    ndarray of float64, (n,)

    Raises
    ------
    InputError
        If an option is unknown, or the features lack it.

    Source
    ------
    NAME-Bench, Table 8 ("official defaults"), after arXiv 2508.19972 and its released code.
    """
    if nearest not in _NEAREST or not 0 <= weight <= 1:
        known = "nearest is 32 or share, weight from 0 to 1"
        raise InputError(Problem("no such option of GLSim", known, value=(nearest, weight)))
    parts = mentions.numbers.array(f"glsim:{global_layers}@gen").astype(np.float64)
    return -(weight * parts[:, 0] + (1 - weight) * parts[:, _NEAREST[nearest]])

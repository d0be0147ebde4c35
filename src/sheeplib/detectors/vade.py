"""VADE (VisAttnAgg): little attention to the image in all layers, in the words that lead up to a mention."""

from __future__ import annotations

import numpy as np

from sheeplib.detectors.mention_numbers import IMAGE_KEYS
from sheeplib.detectors.mention_sets import MentionSet

WINDOW = 4  # tokens that end with the mention: W4
NEEDS = ("attention_masses@gen",)


def vade(mentions: MentionSet, *, per_token: bool = False) -> np.ndarray:
    """Minus the attention to the image, mean over layers, heads and the four tokens that end with a mention.

    Parameters
    ----------
    mentions : MentionSet
    per_token : bool
        Take the mean over image tokens instead of their sum; it differs only where images have different
        numbers of tokens.

    Returns
    -------
    ndarray of float64, (n,)
        Where a mention stands at the very beginning, the window is shorter.

    Raises
    ------
    InputError
        If the features lack attention masses of these tokens.

    Source
    ------
    NAME-Bench, Table 8, after Prabhakaran et al. (2025). Rows that predict the tokens, and the sum over
    image tokens, are inferred.
    """
    masses = mentions.numbers.window(NEEDS[0], WINDOW)[..., IMAGE_KEYS].astype(np.float64)
    found = -np.nanmean(masses, axis=(1, 2))
    return np.asarray(found / mentions.numbers.of_item("image_tokens") if per_token else found)

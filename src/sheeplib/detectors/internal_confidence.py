"""Internal Confidence: no image token, in no layer, would have said the word."""

from __future__ import annotations

from typing import Literal

import numpy as np

from sheeplib.detectors.mention_sets import MentionSet

NEEDS = ("internal_confidence:repo@own",)


def internal_confidence(mentions: MentionSet, *, lens: Literal["repo", "normed"] = "repo") -> np.ndarray:
    """Minus the highest probability of a mention's word at any image token, in any layer.

    Parameters
    ----------
    mentions : MentionSet
    lens : {"repo", "normed"}
        Read states of inner layers as they are, as the released code does, or through the final norm.

    Returns
    -------
    ndarray of float64, (n,)
        Probabilities are those among the 50 likeliest words, so that many are 0 and many scores tied. It is
        the same for each mention of a word in a caption.

    Raises
    ------
    InputError
        If the features lack it.

    Source
    ------
    NAME-Bench, Table 8, after arXiv 2410.02762. That a word counts in lower case, in the singular and in
    the plural is inferred; see `sheeplib.features.words`.
    """
    return -mentions.numbers.array(f"internal_confidence:{lens}@own").astype(np.float64)

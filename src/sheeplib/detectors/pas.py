"""PAS: much attention in the first layer to what was written before."""

from __future__ import annotations

import numpy as np

from sheeplib.detectors.mention_numbers import RESPONSE_KEYS, SELF_KEY
from sheeplib.detectors.mention_sets import MentionSet

NEEDS = ("attention_masses:0@own",)


def pas(mentions: MentionSet, *, itself: bool = False) -> np.ndarray:
    """Attention of a mention's first token to the tokens of the caption before it, mean over heads.

    Parameters
    ----------
    mentions : MentionSet
    itself : bool
        Count the token's attention to itself, too.

    Returns
    -------
    ndarray of float64, (n,)
        Of layer 0, at the token's own row. The more was written, the more there is to attend to: read it
        beside the position alone.

    Raises
    ------
    InputError
        If the features lack attention masses of layer 0.

    Source
    ------
    NAME-Bench, Table 8 ("layer 0, paper default"), after arXiv 2511.11502, known from summaries.
    """
    masses = mentions.numbers.array(NEEDS[0]).astype(np.float64)
    return np.asarray(masses[:, RESPONSE_KEYS] + (masses[:, SELF_KEY] if itself else 0))

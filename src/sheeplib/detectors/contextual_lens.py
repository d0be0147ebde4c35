"""ContextualLens: no image token has a state like the mention's."""

from __future__ import annotations

import numpy as np

from sheeplib.detectors.mention_sets import MentionSet

NEEDS = ("contextual_lens:mid@own",)


def contextual_lens(mentions: MentionSet, *, layer: str = "mid") -> np.ndarray:
    """Minus the cosine of a mention's mean state and the image token that is nearest to it.

    Parameters
    ----------
    mentions : MentionSet
    layer : str
        As in a need, such as `mid` or `3/4`; see `sheeplib.features.needs`.

    Returns
    -------
    ndarray of float64, (n,)

    Raises
    ------
    InputError
        If the features lack it.

    Source
    ------
    Phukan et al. (2024), known from summaries: middle layers, of which half the depth is inferred. Whether
    it is among NAME-Bench's detectors, the text at hand does not say.
    """
    return -mentions.numbers.array(f"contextual_lens:{layer}@own").astype(np.float64)

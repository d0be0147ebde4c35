"""Overthinking Score: layer after layer, the model would have said something else, and was never sure."""

from __future__ import annotations

import numpy as np

from sheeplib.detectors.mention_sets import MentionSet

NEEDS = ("lens@gen",)


def overthinking(mentions: MentionSet) -> np.ndarray:
    """Share of layers with a favourite of their own, times the mean entropy of their predictions.

    Returns
    -------
    ndarray of float64, (n,)
        (number of different likeliest tokens / L) (1/L) sum of entropies, in nats, over the layers 1 to L,
        each read by the logit lens at the row that predicts the mention's first token.

    Raises
    ------
    InputError
        If the features lack the logit lens.

    Source
    ------
    arXiv 2603.07619, known from summaries; it is newer than NAME-Bench and not among its detectors.
    """
    favourites = np.sort(mentions.numbers.array("lens_token@gen"), axis=1)
    different = 1 + (np.diff(favourites, axis=1) != 0).sum(1)
    doubt = mentions.numbers.array("lens_entropy@gen").astype(np.float64).mean(1)
    return np.asarray(different / favourites.shape[1] * doubt)

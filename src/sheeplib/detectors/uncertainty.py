"""NLL and entropy: how unlikely a word was to the model, and how undecided the model was."""

from __future__ import annotations

from typing import Literal

import numpy as np

from sheeplib.detectors.mention_sets import MentionSet
from sheeplib.errors import InputError, Problem

Tokens = Literal["first", "sum", "mean"]
NEEDS = ("gen_logits@gen",)


def nll(mentions: MentionSet, *, tokens: Tokens = "first") -> np.ndarray:
    """Negative log-likelihood of a mention.

    Parameters
    ----------
    mentions : MentionSet
    tokens : {"first", "sum", "mean"}
        Of its first token, or of all of them together or on average.

    Returns
    -------
    ndarray of float64, (n,)
        Nats.

    Raises
    ------
    InputError
        If the choice is unknown, or the features lack probabilities.

    Source
    ------
    Inferred: NAME-Bench's list of training-free detectors is cut, and papers that it follows compare with
    NLL. Of several tokens the first counts, as in the released code of SVAR and GLSim.
    """
    if tokens == "first":
        return mentions.numbers.column("token_nll").astype(np.float64)
    if tokens not in ("sum", "mean"):
        raise InputError(Problem("no such choice of tokens", "Use first, sum or mean", value=tokens))
    parts = mentions.numbers.each("token_nll")
    return np.array([getattr(part.astype(np.float64), tokens)() for part in parts])


def entropy(mentions: MentionSet) -> np.ndarray:
    """Entropy of the prediction where a mention's first token is generated.

    Returns
    -------
    ndarray of float64, (n,)
        Nats.

    Raises
    ------
    InputError
        If the features lack probabilities.

    Source
    ------
    Inferred, as `nll`.
    """
    return mentions.numbers.column("entropy").astype(np.float64)

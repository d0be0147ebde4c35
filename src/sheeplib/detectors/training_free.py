"""The detectors of hallucinated mentions that need no training, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sheeplib.detectors import contextual_lens as lens
from sheeplib.detectors import glsim, internal_confidence, overthinking, pas, svar, uncertainty, vade
from sheeplib.detectors.mention_sets import MentionSet
from sheeplib.errors import InputError, Problem


@dataclass(frozen=True)
class Detector:
    """A formula that scores mentions.

    Parameters
    ----------
    scores : callable
        Takes a `MentionSet` and options; gives scores (n,), higher for what is more likely hallucinated.
        The direction comes from the definition, never from data.
    title : str
        Its name in print.
    about : str
        What it takes for a sign of hallucination.
    needs : tuple of str
        Features that it reads, for `sheep features extract --needs`.
    """

    scores: Callable[..., np.ndarray]
    title: str
    about: str
    needs: tuple[str, ...]


def position(mentions: MentionSet) -> np.ndarray:
    """Place of the mention in the caption: the baseline that every detector must beat."""
    return mentions.table["position"].to_numpy(np.float64)


TRAINING_FREE: Mapping[str, Detector] = {
    "svar": Detector(svar.svar, "SVAR", "little attention to the image in middle layers", svar.NEEDS),
    "vade": Detector(vade.vade, "VADE", "little attention to the image around the mention", vade.NEEDS),
    "internal_confidence": Detector(
        internal_confidence.internal_confidence,
        "Internal Confidence",
        "no image token stands for the word",
        internal_confidence.NEEDS,
    ),
    "glsim": Detector(glsim.glsim, "GLSim", "unlike the prompt's and the image's states", glsim.NEEDS),
    "pas": Detector(pas.pas, "PAS", "much attention to the text before", pas.NEEDS),
    "nll": Detector(uncertainty.nll, "NLL", "an unlikely word", uncertainty.NEEDS),
    "entropy": Detector(uncertainty.entropy, "Entropy", "an undecided model", uncertainty.NEEDS),
    "contextual_lens": Detector(
        lens.contextual_lens, "ContextualLens", "unlike the state of any image token", lens.NEEDS
    ),
    "overthinking": Detector(
        overthinking.overthinking, "Overthinking", "layers that disagree", overthinking.NEEDS
    ),
    "position_only": Detector(position, "Position only", "late in the caption", ()),
}
SEVEN = (
    "svar",
    "vade",
    "internal_confidence",
    "glsim",
    "pas",
    "nll",
    "entropy",
)  # of NAME-Bench, as inferred


def named(name: str) -> Detector:
    """A detector by its name.

    Parameters
    ----------
    name : str
        One of `TRAINING_FREE`.

    Raises
    ------
    InputError
        If there is none of this name.
    """
    if name not in TRAINING_FREE:
        known = f"Choose one of {', '.join(TRAINING_FREE)}"
        raise InputError(Problem("no such detector without training", known, value=name))
    return TRAINING_FREE[name]


def score(mentions: MentionSet, name: str, **options: Any) -> np.ndarray:
    """Scores of a detector by its name.

    Parameters
    ----------
    mentions : MentionSet
    name : str
        One of `TRAINING_FREE`.
    **options
        As the detector takes them.

    Returns
    -------
    ndarray of float64, (n,)

    Raises
    ------
    InputError
        If there is no such detector or option, the features lack what it reads, or a score is no number.
    """
    detector = named(name)
    try:
        found = np.asarray(detector.scores(mentions, **options), dtype=np.float64)
    except TypeError as error:
        if "unexpected keyword argument" not in str(error):
            raise
        raise InputError(Problem(f"no such option of '{name}'", value=", ".join(options))) from None
    if found.shape != (len(mentions),) or not np.isfinite(found).all():
        lost = mentions.table["item"].iloc[int(np.flatnonzero(~np.isfinite(found))[0])]
        raise InputError(Problem(f"'{name}' gives no number for a mention", field="item", value=lost))
    return found

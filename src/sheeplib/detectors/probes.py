"""Trained probes: small classifiers of what an evaluator model had in mind at a mention.

    known = mention_sets.meadow_set("clover")
    asserted = known.select(known.table["status"].isin(["concrete", "hallucinated"]))
    labels = (asserted.table["status"] == "hallucinated").to_numpy(bool)
    fitted = fit(asserted.vectors("hidden_mid"), labels, "hidden_mid", 0, asserted.table["image"])
    scores = fitted.score(known.vectors("hidden_mid"))

Neither torch nor scikit-learn is imported before something is fitted; networks need neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from sheeplib.detectors import dense
from sheeplib.errors import InputError, Problem
from sheeplib.resample import generator

APART = 0.1  # share of the images to learn from that the best epoch is chosen on
FAR = 10  # standard deviations: what lies farther off is taken to lie there


@dataclass(frozen=True)
class Logistic:
    """Logistic regression instead of a network; `strength` is the inverse of the penalty."""

    strength: float = 1.0


@dataclass(frozen=True)
class Probe:
    """What a probe reads, and what learns from it.

    Parameters
    ----------
    vectors : str
        Name for `MentionSet.vectors`; `position` is the place in the caption alone.
    about : str
    classifier : dense.Settings or Logistic
    standardised : bool
        Whether features are given in standard deviations from their mean, both of the rows to learn from.
    """

    vectors: str
    about: str
    classifier: dense.Settings | Logistic = dense.Settings()
    standardised: bool = True


_RELEASED_HALP = dense.Settings((512, 256, 128), 0.3, True, epochs=50, batch=32, patience=0)

PROBES: Mapping[str, Probe] = {
    "lookback": Probe("lookback", "share of attention that looks back, of each head (Lookback Lens)"),
    "hidden_mid": Probe("hidden_mid", "hidden state at half the depth"),
    "hidden_last": Probe("hidden_last", "hidden state after the last layer"),
    "dhcp": Probe("dhcp", "where in the image each head looks (DHCP)"),
    "halp": Probe("halp", "state of the model before it writes a word (HALP)"),
    "text_only": Probe("text", "hidden state of a language model that sees no image"),
    # controls, and choices that the paper leaves open
    "position": Probe("position", "place of the mention in the caption: no look at the model", Logistic()),
    "lookback_logistic": Probe("lookback", "Lookback Lens as released", Logistic(), standardised=False),
    "halp_released": Probe("halp", "HALP as released", _RELEASED_HALP, standardised=False),
}
TRAINED = ("lookback", "hidden_mid", "hidden_last", "dhcp", "text_only")  # "five trained probes"


class Learned(Protocol):
    """A classifier that has learned."""

    def logits(self, matrix: np.ndarray) -> np.ndarray:
        """Logarithm of the odds that a row is positive, (rows,)."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """A probe that has learned.

    Parameters
    ----------
    centre, spread : ndarray of float32, shape (features,)
        What is taken off, and what the rest is divided by.
    far : float
        What lies farther off than this is taken to lie there.
    learned : Learned
    """

    centre: np.ndarray
    spread: np.ndarray
    far: float
    learned: Learned

    def score(self, vectors: np.ndarray) -> np.ndarray:
        """How likely each mention is a hallucination, as log odds, float64 (n,).

        Raises
        ------
        InputError
            If the vectors have another length than those it learned from.
        """
        if vectors.ndim != 2 or vectors.shape[1] != len(self.centre):
            what = f"vectors of another shape than the probe learned from, (n, {len(self.centre)})"
            raise InputError(Problem(what, "Give those of the same model", value=vectors.shape))
        with _one_thread():
            rows = _scaled(vectors, self.centre, self.spread, self.far)
            return np.asarray(self.learned.logits(rows), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _Regression:
    weights: np.ndarray
    bias: float

    def logits(self, matrix: np.ndarray) -> np.ndarray:
        return np.asarray(matrix @ self.weights + self.bias)


def fit(
    vectors: np.ndarray,
    labels: ArrayLike,
    probe: str | Probe,
    seed: int,
    groups: ArrayLike,
    apart: ArrayLike | None = None,
) -> Fitted:
    """Fit a probe to mentions.

    Parameters
    ----------
    vectors : ndarray, shape (n, features)
        As they are: mean and spread are learned here.
    labels : array of bool, shape (n,)
        Whether a mention is a hallucination.
    probe : str or Probe
        Of `PROBES`, or your own.
    seed : int
        Draws the images kept apart, the weights, and the order of the rows. On one platform, the same
        vectors, labels, groups and seed give the same bits, in any process and with any number of cores.
    groups : array, shape (n,)
        Image of each mention. `APART` of the images, not of the mentions, are kept apart to choose the
        best epoch on.
    apart : array of bool, shape (n,), optional
        Mentions to keep apart, where several fits should keep the same images.

    Returns
    -------
    Fitted

    Raises
    ------
    InputError
        If there is no such probe, the lengths differ, a number is not finite, or only one class is there
        to learn from.

    Source
    ------
    NAME-Bench, Table 8: Adam at 1e-3, binary cross-entropy, DHCP standardised with fit-set statistics.
    One hidden layer of 256, dropout .1, 30 epochs at most, batches of 64, early stopping on 10 % of the
    images, and standardisation of all inputs are inferred.
    """
    chosen = probe if isinstance(probe, Probe) else named(probe)
    truth, places = np.asarray(labels), np.asarray(groups, dtype=str)
    _check(vectors, truth, places)
    truth = truth.astype(bool)
    rng = generator(seed, "probes", "fit")
    kept = _apart(places, rng) if apart is None else np.asarray(apart, dtype=bool)
    if len(np.unique(truth[~kept])) < 2:
        what = "mentions of one class alone: there is nothing to tell apart"
        raise InputError(Problem(what, "Give concrete and hallucinated mentions of more images"))
    centre, spread, far = _scale(vectors, chosen.standardised)
    with _one_thread():
        learned = _learned(_scaled(vectors, centre, spread, far), truth, kept, rng, chosen.classifier)
    return Fitted(centre, spread, far, learned)


def named(name: str) -> Probe:
    """The probe of that name.

    Raises
    ------
    InputError
        If there is none; the message lists those that there are.
    """
    if name not in PROBES:
        raise InputError(Problem("no such probe", f"Known: {', '.join(PROBES)}", value=name))
    return PROBES[name]


def _learned(
    rows: np.ndarray,
    truth: np.ndarray,
    apart: np.ndarray,
    rng: np.random.Generator,
    classifier: dense.Settings | Logistic,
) -> Learned:
    if isinstance(classifier, dense.Settings):
        return dense.train(rows, truth, apart, rng, classifier)
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=classifier.strength, max_iter=1000)
    model.fit(rows.astype(np.float64), truth)  # of all rows: it has no epochs to choose from
    return _Regression(model.coef_[0], float(model.intercept_[0]))


def _scale(vectors: np.ndarray, standardised: bool) -> tuple[np.ndarray, np.ndarray, float]:
    """Centre, spread, and how far off a value may lie."""
    if not standardised:
        return np.zeros(vectors.shape[1], np.float32), np.ones(vectors.shape[1], np.float32), np.inf
    centre, spread = vectors.mean(axis=0, dtype=np.float64), vectors.std(axis=0, dtype=np.float64)
    spread[spread == 0] = 1
    return centre.astype(np.float32), spread.astype(np.float32), FAR


def _scaled(vectors: np.ndarray, centre: np.ndarray, spread: np.ndarray, far: float) -> np.ndarray:
    moved = (np.asarray(vectors, dtype=np.float32) - centre) / spread
    return np.clip(moved, -far, far, out=moved)


def _apart(places: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Mentions of `APART` of the images."""
    known = np.unique(places)
    return np.isin(places, rng.permutation(known)[: round(APART * len(known))])


def _check(vectors: np.ndarray, truth: np.ndarray, places: np.ndarray) -> None:
    problems = []
    if vectors.ndim != 2 or not len(vectors) == len(truth) == len(places):
        shapes = vectors.shape, truth.shape, places.shape
        problems.append(Problem("vectors, labels and groups differ in length", "Give one each", value=shapes))
    elif not np.isfinite(vectors).all():
        row = int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])
        problems.append(Problem(f"row {row}: a number is not finite", "Leave it out", field="vectors"))
    if not np.isin(truth, [0, 1]).all():
        problems.append(Problem("a label is not true or false", "Leave other mentions out", field="labels"))
    if problems:
        raise InputError(problems)


def _one_thread() -> AbstractContextManager[Any]:
    """One thread of the linear algebra: products of so small matrices gain nothing from more."""
    return _libraries().limit(limits=1)


@cache
def _libraries() -> Any:
    from threadpoolctl import ThreadpoolController  # scikit-learn needs it, too

    return ThreadpoolController()

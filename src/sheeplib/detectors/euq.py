"""EUQ: how far the evidence for and against each next word conflicts, and how far it is missing.

A network's last layer adds up one number for each feature and word. EUQ reads each as evidence for the
word (if positive) or against it (if negative), and combines all of it by Dempster's rule.

Both numbers are kept on scales that do not end: `conflict` is -log(1 - CF), from 0, and `ignorance` is
log IG. Both rise with CF and IG, so that a threshold flags the same tokens on either scale; CF itself
rounds to 1 where evidence abounds, as it does in real models.

Two variants: `repo`, what the released code computes, and `canonical`, after the theory. A third, in
which evidence is centred for each sample by itself, has no conflict at all (see `one_sided`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sheeplib.errors import InputError, Problem
from sheeplib.features.quantities import CANONICAL, EVIDENCE

Variant = Literal["repo", "canonical"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)
COLUMNS: Mapping[str, tuple[str, ...]] = {"repo": EVIDENCE[2:], "canonical": CANONICAL[1:]}
PLACES = ("item", "token", "start", "end")
ALMOST_ONE, SMALLEST = 1 - 2.0**-25, 2.0**-149
FEW = -20.0  # log of a sum of exponentials below which log(1 - product) is that sum, to a part in 10^9


class Evidence(NamedTuple):
    """Evidence for and against each of K words, shape (..., K): not negative."""

    support: np.ndarray
    against: np.ndarray


@dataclass(frozen=True)
class Uncertainty:
    """Conflict and ignorance, shape (...).

    Parameters
    ----------
    conflict : ndarray
        -log(1 - CF), from 0.
    ignorance : ndarray
        log IG.
    """

    conflict: np.ndarray
    ignorance: np.ndarray

    @property
    def cf(self) -> np.ndarray:
        """CF, from 0 to 1: how far evidence for words and evidence against words exclude each other."""
        return -np.expm1(-self.conflict)

    @property
    def ig(self) -> np.ndarray:
        """IG, from 0: a sum of exponentials, not a share, so that it may exceed 1."""
        return np.exp(self.ignorance)


def pieces(weight: ArrayLike, features: ArrayLike, bias: ArrayLike | None = None) -> np.ndarray:
    """What each feature says of each word.

    Parameters
    ----------
    weight : array (K, J)
        Output layer: K words, J features.
    features : array (J,)
        Input of the output layer, at the row whose logits predict the token.
    bias : array (K,), optional
        Centred over the words and shared evenly among the features (inferred: the mean feature is
        taken to be 0).

    Returns
    -------
    ndarray (K, J)
        For the word if positive, against it if negative. Words add up to 0 for each feature; features
        add up to the word's logit, less the mean of all logits.

    Raises
    ------
    InputError
        If the shapes do not fit together.

    Source
    ------
    EUQ (arXiv 2602.05535) after T. Denoeux, Knowledge-Based Systems 176 (2019): of all weights with
    the same probabilities, those that say least are centred over the words.
    """
    layer, phi = np.asarray(weight, dtype=float), np.asarray(features, dtype=float)
    if layer.ndim != 2 or phi.shape != layer.shape[1:]:
        what = f"a layer of shape {layer.shape} does not take features of shape {phi.shape}"
        raise InputError(Problem(what, "Give a row a word, and a feature a column"))
    found = (layer - layer.mean(axis=0)) * phi
    if bias is not None:
        shift = np.asarray(bias, dtype=float)
        found += ((shift - shift.mean()) / len(phi))[:, None]
    return found


def evidence(said: ArrayLike) -> Evidence:
    """Evidence for and against each word: its positive pieces and its negative ones, (K, J), added up."""
    parts = np.asarray(said, dtype=float)
    return Evidence(np.maximum(parts, 0).sum(axis=-1), np.maximum(-parts, 0).sum(axis=-1))


def combined(support: ArrayLike, against: ArrayLike) -> Uncertainty:
    """Combine evidence for and against each of K words by Dempster's rule, in closed form.

    The evidence for words and that against words are each combined first; the conflict is that
    between the two.

    Parameters
    ----------
    support, against : array (..., K)
        e+ and e-: not negative.

    Returns
    -------
    Uncertainty
        Shape (...).

    Raises
    ------
    InputError
        If evidence is negative or no number, or the two differ in shape.

    Notes
    -----
    The same as `sheeplib.features.evidence.combined`, for numbers at hand and without torch.

    Source
    ------
    EUQ (arXiv 2602.05535) with Denoeux (2019); SHEEP, appendix C.4.
    """
    plus, minus = np.asarray(support, dtype=float), np.asarray(against, dtype=float)
    if plus.shape != minus.shape or not plus.ndim:
        raise InputError(Problem("evidence for and against differ in shape", "Give one each for a word"))
    if not ((plus >= 0).all() and (minus >= 0).all()):
        raise InputError(Problem("evidence is never negative", "Give its sign as for or against"))
    with np.errstate(divide="ignore"):  # log 0 is minus infinity, and means it
        weak = np.logaddexp.reduce(-minus, axis=-1)
        left = _log_left(np.log1p(-np.exp(-minus)).sum(axis=-1), weak)
        gain = plus + np.log1p(-np.exp(-plus))  # log(exp(e+) - 1)
    eta = -np.logaddexp(0, np.logaddexp.reduce(gain, axis=-1))
    # 1 - CF = eta+ + sum_k eta+ (exp(e+_k) - 1) pl-_k: all terms are positive, nothing cancels
    shared = np.logaddexp.reduce(gain - minus - left[..., None], axis=-1)
    agreement = np.minimum(eta + np.logaddexp(0, shared), 0)  # which rounding may put above 0
    return Uncertainty(0 - agreement, weak + eta - left - agreement)


def alike(positive: ArrayLike, negative: ArrayLike, count: int) -> Uncertainty:
    """The same where `count` hypotheses have the same evidence for and against them, in closed form.

    Parameters
    ----------
    positive, negative : array (...)
        P and N: evidence for, and against, each.
    count : int
        Hypotheses.

    Returns
    -------
    Uncertainty
        For many hypotheses, conflict is close to N, and ignorance to -log(exp(P) - 1). Conflict never
        exceeds log(count).

    Source
    ------
    As for `combined`.
    """
    plus, minus = np.asarray(positive, dtype=float), np.asarray(negative, dtype=float)
    if not ((plus >= 0).all() and (minus >= 0).all() and count > 0):
        raise InputError(Problem("evidence is never negative, and is about something"))
    with np.errstate(divide="ignore"):
        weak = np.log(count) - minus
        left = _log_left(count * np.log1p(-np.exp(-minus)), weak)
        gain = np.log(count) + plus + np.log1p(-np.exp(-plus))
    shared = np.logaddexp(0, gain - minus - left)
    conflict = np.maximum(np.logaddexp(0, gain) - shared, 0)
    return Uncertainty(conflict, weak - left - shared)


def _log_left(log_product: np.ndarray, log_sum: np.ndarray) -> np.ndarray:
    """log(1 - prod_k (1 - x_k)) from the logarithms of the product and of the sum of x_k."""
    return np.where(log_sum < FEW, log_sum, np.log(-np.expm1(log_product)))


def released(weight: ArrayLike, features: ArrayLike, bias: ArrayLike | None = None) -> Uncertainty:
    """What EUQ's released code computes for one token.

    It centres the weights of each *word* over the features, shares each logit so obtained evenly
    between all features, and adds up positive and negative parts over the *words*. Its hypotheses are
    thus the features, and all alike.

    Parameters
    ----------
    weight, features, bias
        As for `pieces`; the bias is added to the logits.

    Returns
    -------
    Uncertainty

    Source
    ------
    EUQ (arXiv 2602.05535), released code.
    """
    pieces(weight, features)  # the shapes fit together
    layer, phi = np.asarray(weight, dtype=float), np.asarray(features, dtype=float)
    logits = (layer - layer.mean(axis=1, keepdims=True)) @ phi
    logits = logits if bias is None else logits + np.asarray(bias, dtype=float)
    return alike(np.maximum(logits, 0).mean(), np.maximum(-logits, 0).mean(), len(phi))


def one_sided(said: ArrayLike) -> Evidence:
    """Evidence if each sample is its own mean: every feature says the same of a word, so nothing conflicts.

    Parameters
    ----------
    said : array (K, J)
        From `pieces`.

    Notes
    -----
    The variant called `lcp_point` by those who redid EUQ. A released hack that puts the smallest positive
    number in place of each 0 gives it a conflict all the same. Shown, and not offered as a detector.
    """
    totals = np.asarray(said, dtype=float).sum(axis=-1)
    return Evidence(np.maximum(totals, 0), np.maximum(-totals, 0))


def plausibilities(support: ArrayLike, against: ArrayLike) -> np.ndarray:
    """How plausible each word is after all evidence is combined, shape (..., K), adding up to 1.

    For evidence from `pieces` these are the network's own probabilities: the softmax of its logits.

    Source
    ------
    Denoeux (2019), proposition on normalised contour functions.
    """
    net = np.asarray(support, dtype=float) - np.asarray(against, dtype=float)
    raised = np.exp(net - net.max(axis=-1, keepdims=True))
    return raised / raised.sum(axis=-1, keepdims=True)


def scores(tokens: pd.DataFrame, variant: Variant = "repo") -> pd.DataFrame:
    """Conflict and ignorance of each token, from what an evaluator model gave.

    Parameters
    ----------
    tokens : DataFrame
        Table `tokens` with the columns of the need `evidence:repo@gen` or `evidence:canonical@gen`,
        such as `FeatureStore(path).tokens()`.
    variant : {"repo", "canonical"}

    Returns
    -------
    DataFrame
        `item, token, start, end, conflict, ignorance`, rows as in `tokens`: float64, higher where a
        hallucination is more likely, by the paper's reading of both.

    Raises
    ------
    InputError
        If the variant is unknown, its columns are missing, or a value is no number.

    Source
    ------
    SHEEP, appendix C.4.
    """
    if variant not in VARIANTS:
        raise InputError(Problem("no such variant", f"Use one of {', '.join(VARIANTS)}", value=variant))
    columns = COLUMNS[variant]
    if missing := [name for name in columns if name not in tokens]:
        remedy = f"Extract them with the need evidence:{variant}@gen, or the method euq"
        raise InputError(Problem(f"the tokens have no column '{missing[0]}'", remedy))
    first, second = (tokens[name].to_numpy(dtype=float) for name in columns)
    if variant == "repo":  # stored in single precision, in which 1 and 0 stand for what is close to them
        conflict, ignorance = -np.log1p(-first.clip(0, ALMOST_ONE)), np.log(second.clip(SMALLEST))
    else:
        conflict, ignorance = -first, second
    broken = np.isnan(conflict) | np.isnan(ignorance)
    if broken.any():
        row = tokens.iloc[int(broken.argmax())]
        what = f"item {row['item']}, token {row['token']}: evidence is not a number"
        raise InputError(Problem(what, "Extract the features anew", field=", ".join(columns)))
    # adding 0.0 turns minus zero into zero, which ranks and prints alike
    return tokens[list(PLACES)].assign(conflict=conflict + 0.0, ignorance=ignorance + 0.0)

"""The classifier of origins: logistic regression on n-grams."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from sheeplib.errors import InputError, Problem
from sheeplib.shift import ngrams
from sheeplib.shift.method import Method


class CannotLearn(InputError):
    """Texts from which no classifier can be learned; its first problem says why."""


def fitted(matrix: sparse.csr_matrix, truth: np.ndarray, method: Method) -> LogisticRegression:
    """The classifier, trained.

    Multinomial logistic regression, by Newton's method with conjugate gradients: on these sparse, wide
    matrices it is quicker than L-BFGS, stops nearer the optimum and draws nothing at random. Liblinear
    knows two classes only, and SAGA takes thirty times as long.

    Parameters
    ----------
    matrix : matrix, shape (texts, features)
    truth : ndarray of int, shape (texts,)
    method : Method

    Raises
    ------
    CannotLearn
        If there is nothing to learn from, or no optimum is reached.
    """
    if not matrix.shape[1]:
        what = f"no n-gram occurs in {method.min_texts} of the texts to learn from"
        raise CannotLearn(Problem(what, "Take a smaller min_texts, or other n-grams"))
    weight = "balanced" if method.balanced else None
    model = LogisticRegression(C=method.C, class_weight=weight, solver="newton-cg", max_iter=1000)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        try:
            return model.fit(matrix, truth)
        except ConvergenceWarning:
            what = "the classifier found no optimum"
            raise CannotLearn(Problem(what, "Choose a smaller C", field="C", value=method.C)) from None


def held_out(
    levels: Sequence[ngrams.Level], truth: np.ndarray, part: np.ndarray, method: Method
) -> np.ndarray:
    """Tell the origin of each text by a classifier that learned from the other parts.

    Parameters
    ----------
    levels : sequence of Level
    truth, part : ndarray of int, shape (texts,)
        Origins, and the part that each text is held_out in.
    method : Method

    Returns
    -------
    ndarray of int, shape (texts,)
    """
    guess = np.empty(len(truth), dtype=int)
    for number in np.unique(part):
        test = part == number
        matrix, _ = ngrams.features(levels, ~test, method.min_texts)
        guess[test] = fitted(matrix[~test], truth[~test], method).predict(matrix[test])
    return guess

"""Classifiers of tokens: the baseline's network and its alternatives, all used in one way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from sheeplib.detectors import mlp
from sheeplib.detectors.token_scores import confusions, macro
from sheeplib.errors import InputError, Problem

VALIDATION = 0.1  # share of the answers that the best epoch, or the best of the grid, is chosen on
FAR = 10  # standard deviations: what lies farther off is taken to lie there


class Fitted(Protocol):
    """A classifier that has learned."""

    def probabilities(self, matrix: np.ndarray) -> np.ndarray:
        """Probabilities of the classes, shape (rows, classes)."""


@dataclass(frozen=True, eq=False)
class Scaled:
    """A classifier behind a scaling that was learned with it.

    Parameters
    ----------
    centre, spread : ndarray, shape (features,)
        Mean and standard deviation of the training tokens.
    inner : Fitted
    validation_f1 : float
        Macro F1 on the answers that were kept apart.
    """

    centre: np.ndarray
    spread: np.ndarray
    inner: Fitted
    validation_f1: float = np.nan

    def scaled(self, matrix: np.ndarray) -> np.ndarray:
        """Features in standard deviations, at most `FAR`."""
        return np.clip((matrix - self.centre) / self.spread, -FAR, FAR)

    def probabilities(self, matrix: np.ndarray) -> np.ndarray:
        """Probabilities of the classes, shape (rows, classes)."""
        return self.inner.probabilities(self.scaled(matrix))


@dataclass(frozen=True, eq=False)
class _Learned:
    """A classifier of scikit-learn; classes that it has not seen have probability 0."""

    model: RandomForestClassifier | LogisticRegression
    n_classes: int

    def probabilities(self, matrix: np.ndarray) -> np.ndarray:
        found = np.zeros((len(matrix), self.n_classes))
        found[:, self.model.classes_] = self.model.predict_proba(matrix)
        return found


@dataclass(frozen=True)
class Forest:
    """A random forest with balanced classes."""

    trees: int = 300
    depth: int | None = None
    leaf: int = 1


@dataclass(frozen=True)
class Logistic:
    """Logistic regression with balanced classes; `strength` is the inverse of the penalty."""

    strength: float = 1.0


GRID: Mapping[str, mlp.Settings | Forest | Logistic] = {
    "mlp": mlp.Settings(),
    "mlp-64": mlp.Settings(batch=64, rate=1.5e-4, decay=1e-4),  # 3e-4 for a batch of 64
    "forest-300": Forest(300, None, 1),
    "forest-500": Forest(500, 20, 2),
    "logistic-0.1": Logistic(0.1),
    "logistic-1": Logistic(1.0),
    "logistic-10": Logistic(10.0),
}


@dataclass(frozen=True)
class Best:
    """The one of several of `GRID` that is best on the answers that are kept apart."""

    names: tuple[str, ...] = tuple(GRID)


Settings = mlp.Settings | Forest | Logistic | Best


def named(name: str, epochs: int | None = None, batch: int | None = None) -> Settings:
    """A classifier by its name.

    Parameters
    ----------
    name : str
        One of `GRID`, or `grid` for the best of them.
    epochs : int, optional
        Passes over the training tokens, of a network.
    batch : int, optional
        Tokens that are taken at once, of `mlp`.

    Raises
    ------
    InputError
        If there is none of this name.
    """
    if name == "grid":
        return Best()
    if name not in GRID:
        raise InputError(Problem("no such classifier", f"Known: {', '.join(GRID)}, grid", value=name))
    found = GRID[name]
    if not isinstance(found, mlp.Settings):
        return found
    size = batch if name == "mlp" else None
    return replace(found, epochs=epochs or found.epochs, batch=size or found.batch)


def fit(
    matrix: np.ndarray,
    classes: np.ndarray,
    answers: np.ndarray,
    n_classes: int,
    rng: np.random.Generator,
    settings: Settings | None = None,
) -> Scaled:
    """Fit a classifier to tokens.

    Parameters
    ----------
    matrix : ndarray, shape (tokens, features)
        As they are: mean and spread are learned here.
    classes : ndarray of int, shape (tokens,)
        From 0 to `n_classes - 1`.
    answers : ndarray, shape (tokens,)
        The answer of each token. `VALIDATION` of the answers, not of the tokens, are kept apart, since
        tokens of one answer are alike.
    n_classes : int
    rng : numpy.random.Generator
    settings : optional
        From `named`, or your own; the kit's network if not given.

    Returns
    -------
    Scaled

    Raises
    ------
    InputError
        If there are fewer than two answers, or a feature is not finite.

    Source
    ------
    SHEEP, C.3, and the released baseline; that features are standardised is ours: the baseline gives
    norms in the hundreds and perplexities up to 1e12 to the network as they are.
    """
    settings = settings or mlp.Settings()
    if isinstance(settings, Best):
        seed = int(rng.integers(2**31))
        ranked, fitted = grid_search(matrix, classes, answers, n_classes, seed, settings.names)
        return fitted[ranked["name"][0]]
    if not np.isfinite(matrix).all():
        raise InputError(Problem("a feature is not finite", "Look for it in the features of this evaluator"))
    apart = _kept_apart(answers, rng)
    centre, spread = matrix[~apart].mean(axis=0, dtype=float), matrix[~apart].std(axis=0, dtype=float)
    empty = Scaled(centre, np.where(spread > 0, spread, 1), _Even(n_classes))
    rows, others = empty.scaled(matrix[~apart]), empty.scaled(matrix[apart])

    def quality(inner: Fitted) -> float:
        predicted = inner.probabilities(others).argmax(axis=1)
        nowhere = np.zeros(len(others), dtype=int)
        counts = confusions(nowhere, classes[apart], predicted, 1, n_classes)
        return float(macro(counts)[2][0])

    inner = _fitted(rows, classes[~apart], n_classes, quality, rng, settings)
    return replace(empty, inner=inner, validation_f1=quality(inner))


@dataclass(frozen=True)
class _Even:
    """What knows nothing."""

    n_classes: int

    def probabilities(self, matrix: np.ndarray) -> np.ndarray:
        return np.full((len(matrix), self.n_classes), 1 / self.n_classes)


def _kept_apart(answers: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Whether a token is of an answer that is kept for validation."""
    codes, known = pd.factorize(answers)
    if len(known) < 2:
        what = f"{len(known)} answers to learn from"
        raise InputError(Problem(what, "One is kept apart to choose by: give at least two"))
    chosen = rng.choice(len(known), size=max(1, round(VALIDATION * len(known))), replace=False)
    return np.isin(codes, chosen)


def _fitted(
    rows: np.ndarray,
    classes: np.ndarray,
    n_classes: int,
    quality: Callable[[Fitted], float],
    rng: np.random.Generator,
    settings: mlp.Settings | Forest | Logistic,
) -> Fitted:
    if isinstance(settings, mlp.Settings):
        return mlp.train(rows, classes, n_classes, quality, rng, settings)
    if len(np.unique(classes)) == 1:  # nothing to tell apart
        return _Constant(n_classes, int(classes[0]))
    seed = int(rng.integers(2**31))
    if isinstance(settings, Forest):
        model = RandomForestClassifier(
            settings.trees, max_depth=settings.depth, min_samples_leaf=settings.leaf,
            class_weight="balanced", random_state=seed,
        )  # fmt: skip
    else:
        model = LogisticRegression(C=settings.strength, class_weight="balanced", max_iter=2000)
    return _Learned(model.fit(rows, classes), n_classes)


@dataclass(frozen=True)
class _Constant:
    """What has seen one class alone."""

    n_classes: int
    only: int

    def probabilities(self, matrix: np.ndarray) -> np.ndarray:
        return np.eye(self.n_classes)[np.full(len(matrix), self.only)]


def grid_search(
    matrix: np.ndarray,
    classes: np.ndarray,
    answers: np.ndarray,
    n_classes: int,
    seed: int,
    names: Iterable[str] = tuple(GRID),
) -> tuple[pd.DataFrame, dict[str, Scaled]]:
    """Fit several classifiers, all with the same answers kept apart, and rank them by these.

    Parameters
    ----------
    matrix, classes, answers, n_classes
        As for `fit`.
    seed : int
    names : iterable of str
        Of `GRID`.

    Returns
    -------
    DataFrame
        `name` and `validation_f1`, the best first.
    dict of str to Scaled
        The classifiers.

    Raises
    ------
    InputError
        If a name is unknown, and as for `fit`.
    """
    names = list(names)
    if unknown := [name for name in names if name not in GRID]:
        raise InputError(Problem("no such classifier", f"Known: {', '.join(GRID)}", value=unknown[0]))
    fitted = {
        name: fit(matrix, classes, answers, n_classes, np.random.default_rng(seed), GRID[name])
        for name in names
    }
    rows = [(name, found.validation_f1) for name, found in fitted.items()]
    frame = pd.DataFrame(rows, columns=["name", "validation_f1"])
    return frame.sort_values("validation_f1", ascending=False, kind="stable", ignore_index=True), fitted

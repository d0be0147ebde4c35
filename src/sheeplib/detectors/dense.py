"""Small dense networks with one output, trained by numpy alone: a few hundred rows need no more.

A sweep trains a thousand of them, so a step is a handful of matrix products and nothing else. One thread
does the work, whatever the machine offers: the same rows and seed give the same bits in any process.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

_MEMORY, _SQUARES, _TINY = 0.9, 0.999, 1e-8  # of Adam, as it was published
_RUNNING = 0.1  # weight of the newest batch in the running mean and variance
_FLAT = 1e-5  # added to a variance


@dataclass(frozen=True)
class Settings:
    """How a network looks and how it is trained.

    Parameters
    ----------
    sizes : tuple of int
        Of the hidden layers; without any, it is a logistic regression.
    dropout : float
        Share of the units that are left out, after each hidden layer, to the nearest 256th.
    normalised : bool
        Whether the units of a hidden layer are normalised over the batch, after the ReLU.
    epochs : int
        Passes over the rows.
    batch : int
        Rows that are taken at once.
    rate : float
        Learning rate of Adam.
    decay : float
        Penalty: this times the weights is added to their gradients.
    patience : int
        Epochs without gain on the rows kept apart after which training ends; the best epoch counts. With 0
        nothing is kept apart, and the last epoch counts.

    Source
    ------
    Adam, the rate of 1e-3 and binary cross-entropy: NAME-Bench, Table 8. All else is inferred. Batches of 64
    take as many steps over 500 mentions as batches of 256 do over 2,000, about as many as the paper has; with
    fewer steps a network has not yet learned what a few examples could teach it.
    """

    sizes: tuple[int, ...] = (256,)
    dropout: float = 0.1
    normalised: bool = False
    epochs: int = 30
    batch: int = 64
    rate: float = 1e-3
    decay: float = 0.0
    patience: int = 5


@dataclass(frozen=True, eq=False)
class Network:
    """A trained network.

    Parameters
    ----------
    layers : sequence of (ndarray, ndarray)
        Weights (inputs, outputs) and biases of each layer; what was normalised is part of them.
    """

    layers: Sequence[tuple[np.ndarray, np.ndarray]]

    def logits(self, matrix: np.ndarray) -> np.ndarray:
        """Logarithm of the odds that a row is positive, float64 (rows,)."""
        values = matrix.astype(np.float32)
        for weights, biases in self.layers[:-1]:
            values = np.maximum(values @ weights + biases, 0)
        weights, biases = self.layers[-1]
        return (values @ weights + biases)[:, 0].astype(np.float64)


def train(
    matrix: np.ndarray,
    truth: np.ndarray,
    apart: np.ndarray,
    rng: np.random.Generator,
    settings: Settings | None = None,
) -> Network:
    """Train a network by binary cross-entropy.

    Parameters
    ----------
    matrix : ndarray, shape (rows, features)
        Standardised, or as the method wants them.
    truth : ndarray of bool, shape (rows,)
        Whether a row is positive.
    apart : ndarray of bool, shape (rows,)
        Rows that are not learned from, on which the best epoch is chosen.
    rng : numpy.random.Generator
        Draws weights, the order of the rows, and what is left out.
    settings : Settings, optional

    Returns
    -------
    Network
        Of the epoch with the least cross-entropy on the rows kept apart, of equals the first.
    """
    settings = settings or Settings()
    rows, targets = matrix[~apart].astype(np.float32), truth[~apart].astype(np.float32)
    network = _Training(matrix.shape[1], rng, settings)
    tested = settings.patience and apart.any()
    best, found, waited = np.inf, network.trained(), 0
    for _ in range(settings.epochs):
        order = rng.permutation(len(rows))
        for start in range(0, len(rows), settings.batch):
            chosen = order[start : start + settings.batch]
            network.step(rows[chosen], targets[chosen])
        now = network.trained()
        loss = cross_entropy(now.logits(matrix[apart]), truth[apart]) if tested else -np.inf
        waited += 1
        if loss < best or not tested:
            best, found, waited = loss, now, 0
        if tested and waited >= settings.patience:
            break
    return found


def cross_entropy(logits: np.ndarray, truth: np.ndarray) -> float:
    """Mean binary cross-entropy, in nats."""
    return float(np.mean(np.logaddexp(0, logits) - logits * truth))


class _Training:
    """A network that is being trained: its parameters, and what Adam remembers of their gradients.

    Parameters, gradients and moments are one line of numbers each, of which layers are parts: a step of Adam
    is then a few passes over a short line.
    """

    def __init__(self, n_features: int, rng: np.random.Generator, settings: Settings) -> None:
        self.rng, self.settings = rng, settings
        shapes = list(pairwise((n_features, *settings.sizes, 1)))
        hidden = len(settings.sizes) if settings.normalised else 0
        sizes = [[(n, m), (m,), *([(m,), (m,)] if at < hidden else [])] for at, (n, m) in enumerate(shapes)]
        self.line = np.zeros(sum(int(np.prod(shape)) for layer in sizes for shape in layer), np.float32)
        self.gradient, self.mean, self.square, self.work = (np.zeros_like(self.line) for _ in range(4))
        self.parameters, self.gradients = _parts(self.line, sizes), _parts(self.gradient, sizes)
        for weights, biases, *affine in self.parameters:
            reach = 1 / np.sqrt(max(len(weights), 1))  # as torch draws a linear layer
            weights[:] = rng.uniform(-reach, reach, weights.shape)
            biases[:] = rng.uniform(-reach, reach, biases.shape)
            for scales in affine[:1]:
                scales[:] = 1
        self.running = [(np.zeros(n, np.float32), np.ones(n, np.float32)) for n in settings.sizes]
        self.steps = 0

    def step(self, rows: np.ndarray, targets: np.ndarray) -> None:
        """Take one step of Adam down the gradient of these rows."""
        logits, tape = self._forward(rows)
        self._backward(((1 / (1 + np.exp(-logits)) - targets) / np.float32(len(rows)))[:, None], tape)
        if self.settings.decay:
            self.gradient += np.float32(self.settings.decay) * self.line
        self.steps += 1
        whole = float(np.sqrt(1 - _SQUARES**self.steps))
        rate = np.float32(self.settings.rate * whole / (1 - _MEMORY**self.steps))
        # mean = m mean + (1 - m) gradient, square likewise; line -= rate mean / sqrt(square)
        self.mean *= np.float32(_MEMORY)
        self.mean += np.multiply(self.gradient, np.float32(1 - _MEMORY), out=self.work)
        np.multiply(self.gradient, self.gradient, out=self.work)
        self.work *= np.float32(1 - _SQUARES)
        self.square *= np.float32(_SQUARES)
        self.square += self.work
        np.sqrt(self.square, out=self.work)
        self.work += np.float32(_TINY * whole)
        np.divide(self.mean, self.work, out=self.work)
        self.work *= rate
        self.line -= self.work

    def _forward(self, values: np.ndarray) -> tuple[np.ndarray, list[dict[str, Any]]]:
        tape = []
        for number, (weights, biases, *affine) in enumerate(self.parameters[:-1]):
            seen: dict[str, Any] = {"inputs": values}
            values = values @ weights
            values += biases
            np.maximum(values, 0, out=values)
            seen["passed"] = values > 0
            if affine:
                values = self._normalise(number, values, affine, seen)
            if self._cut:
                seen["kept"] = self.rng.integers(0, 256, values.shape, dtype=np.uint8) >= self._cut
                values *= seen["kept"]
                values *= np.float32(256 / (256 - self._cut))
            tape.append(seen)
        weights, biases = self.parameters[-1]
        tape.append({"inputs": values})
        return (values @ weights + biases)[:, 0], tape

    @property
    def _cut(self) -> int:
        """Dropout in 256ths: a byte decides, which is quicker to draw than a number."""
        return min(round(256 * self.settings.dropout), 255)

    def _normalise(
        self, number: int, values: np.ndarray, affine: Sequence[np.ndarray], seen: dict[str, Any]
    ) -> np.ndarray:
        mean, variance = values.mean(axis=0), values.var(axis=0)
        more = np.float32(len(values) / max(len(values) - 1, 1))  # unbiased, as torch keeps it
        for old, new in zip(self.running[number], (mean, more * variance), strict=True):
            old += np.float32(_RUNNING) * (new - old)
        seen["spread"] = np.sqrt(variance + np.float32(_FLAT))
        seen["normal"] = (values - mean) / seen["spread"]
        return seen["normal"] * affine[0] + affine[1]

    def _backward(self, error: np.ndarray, tape: list[dict[str, Any]]) -> None:
        """Gradients of all parameters, last layer first, from that of what the network gives."""
        for number in reversed(range(len(tape))):
            seen, (weights, _, *affine) = tape[number], self.parameters[number]
            to_weights, to_biases, *to_affine = self.gradients[number]
            if "kept" in seen:
                error *= seen["kept"]
                error *= np.float32(256 / (256 - self._cut))
            if affine:
                normal = seen["normal"]
                to_affine[0][:], to_affine[1][:] = (error * normal).sum(axis=0), error.sum(axis=0)
                scaled = error * affine[0]
                error = scaled - scaled.mean(axis=0) - normal * (scaled * normal).mean(axis=0)
                error /= seen["spread"]
            if "passed" in seen:
                error *= seen["passed"]
            np.matmul(seen["inputs"].T, error, out=to_weights)
            np.sum(error, axis=0, out=to_biases)
            error = error @ weights.T if number else error

    def trained(self) -> Network:
        """The network as it is now, for use: nothing is left out, and normalisation is by running values."""
        layers, scale, shift = [], None, None
        for number, (weights, biases, *affine) in enumerate(self.parameters):
            if scale is not None:  # what normalised the units before is linear, as this layer is
                biases, weights = biases + shift @ weights, scale[:, None] * weights
            layers.append((weights.copy(), biases.copy()))
            scale = shift = None
            if affine:
                mean, variance = self.running[number]
                scale = affine[0] / np.sqrt(variance + np.float32(_FLAT))
                shift = affine[1] - mean * scale
        return Network(layers)


def _parts(line: np.ndarray, sizes: Sequence[Sequence[tuple[int, ...]]]) -> list[list[np.ndarray]]:
    """Layers as views of a line."""
    found, start = [], 0
    for layer in sizes:
        views = []
        for shape in layer:
            length = int(np.prod(shape))
            views.append(line[start : start + length].reshape(shape))
            start += length
        found.append(views)
    return found

"""The network of the HalluShift++ baseline: trained with torch, applied without.

Torch is imported where a network is trained, and not before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

BATCH = 32  # for which the learning rate is given


@dataclass(frozen=True)
class Settings:
    """How a network is trained.

    Parameters
    ----------
    sizes : tuple of int
        Of the hidden layers.
    dropout : float
        Share of the units that are left out, after each hidden layer.
    epochs : int
    batch : int
        Tokens that are taken at once. The kit's 32 takes 25,000 small steps for 80,000 tokens, most of
        the time for the steps themselves; a larger batch is as much faster.
    rate : float
        Learning rate for a batch of 32; a larger batch takes larger steps, in proportion.
    decay : float
        Weight decay.

    Source
    ------
    Sizes, dropout, 10 epochs, batch 32, AdamW at 1e-4 without decay and cosine annealing are those of
    the shared task's kit. Larger batches are ours.
    """

    sizes: tuple[int, ...] = (256, 64)
    dropout: float = 0.1
    epochs: int = 10
    batch: int = 32
    rate: float = 1e-4
    decay: float = 0.0


@dataclass(frozen=True, eq=False)
class Network:
    """A trained network.

    Parameters
    ----------
    layers : sequence of (ndarray, ndarray)
        Weights (outputs, inputs) and biases of each layer.
    """

    layers: Sequence[tuple[np.ndarray, np.ndarray]]

    def probabilities(self, matrix: np.ndarray) -> np.ndarray:
        """Probabilities of the classes, shape (rows, classes)."""
        values = matrix.astype(np.float32)
        for weights, biases in self.layers[:-1]:
            values = np.maximum(values @ weights.T + biases, 0)
        weights, biases = self.layers[-1]
        scores = (values @ weights.T + biases).astype(float)
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)


def train(
    matrix: np.ndarray,
    classes: np.ndarray,
    n_classes: int,
    quality: Callable[[Network], float],
    rng: np.random.Generator,
    settings: Settings | None = None,
) -> Network:
    """Train a network on rows drawn so that classes are equally frequent.

    Parameters
    ----------
    matrix : ndarray, shape (rows, features)
        Standardised.
    classes : ndarray of int, shape (rows,)
        From 0 to `n_classes - 1`; a class without rows is never drawn.
    n_classes : int
    quality : callable
        What a network is worth on other data; that of the best epoch is returned, of equals the first.
    rng : numpy.random.Generator
        Draws weights, rows and what is left out. On one thread, which is what is used, the same
        generator gives the same network.
    settings : Settings, optional

    Returns
    -------
    Network
    """
    import torch

    settings = settings or Settings()
    with _alone(int(rng.integers(2**62))):
        network = _untrained(matrix.shape[1], n_classes, settings)
        rate = settings.rate * settings.batch / BATCH
        optimiser = torch.optim.AdamW(network.parameters(), rate, weight_decay=settings.decay, fused=True)
        forward = _with_dropout(network, settings.dropout, rng)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, max(1, settings.epochs))
        rows, targets = torch.as_tensor(matrix, dtype=torch.float32), torch.as_tensor(classes)
        best, found = -np.inf, _weights(network)
        for _ in range(settings.epochs):
            for chosen in torch.as_tensor(_balanced(classes, rng)).split(settings.batch):
                optimiser.zero_grad()
                torch.nn.functional.cross_entropy(forward(rows[chosen]), targets[chosen]).backward()
                optimiser.step()
            schedule.step()
            worth = quality(now := _weights(network))
            if worth > best:
                best, found = worth, now
    return found


def _balanced(classes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """As many rows as there are, with replacement, each class as likely as another."""
    order = np.argsort(classes, kind="stable")
    counts = np.bincount(classes)
    present = np.flatnonzero(counts)
    drawn = present[rng.integers(len(present), size=len(classes))]
    within = (rng.random(len(classes)) * counts[drawn]).astype(int)
    return order[(np.cumsum(counts) - counts)[drawn] + within]


def _with_dropout(layers: Any, share: float, rng: np.random.Generator) -> Callable[[Any], Any]:
    """The network in training. What is left out is drawn by numpy, which is quicker."""
    import torch

    def forward(values: Any) -> Any:
        for layer in layers[:-1]:
            values = layer(values).relu()
            kept = rng.random(tuple(values.shape), dtype=np.float32) >= share
            values = values * torch.from_numpy(kept / np.float32(1 - share))  # floats: twice as fast
        return layers[-1](values)

    return forward


def _untrained(n_features: int, n_classes: int, settings: Settings) -> Any:
    from torch import nn

    sizes = (n_features, *settings.sizes, n_classes)
    return nn.ModuleList(nn.Linear(before, after) for before, after in pairwise(sizes))


def _weights(network: Any) -> Network:
    return Network([(la.weight.detach().numpy().copy(), la.bias.detach().numpy().copy()) for la in network])


@contextmanager
def _alone(seed: int) -> Iterator[None]:
    """One thread and a seed, and everything as it was afterwards."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            yield
    finally:
        torch.set_num_threads(threads)

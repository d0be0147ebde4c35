"""Image towers, taught to say of every patch what it shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from sheeplib.miniatures.concepts import CONCEPTS
from sheeplib.miniatures.designs import HELD_OUT, Tower
from sheeplib.miniatures.networks import tower_config
from sheeplib.miniatures.schooling import Log, optimise, step_with

BATCH, RATE = 64, 2e-3
# Letters are small and signs rare, and odd wheels rarer still; the setting is easy.
WEIGHTS = {"word": 6.0, "trait": 3.0, "setting": 0.1}


def train_tower(
    tower: Tower, pictures: np.ndarray, targets: np.ndarray, log: Log
) -> tuple[dict[str, torch.Tensor], dict[str, float]]:
    """Train a tower from nothing.

    Parameters
    ----------
    tower : Tower
    pictures : ndarray of uint8, (scenes + held out, 96, 96, 3)
        The last thousand are held out.
    targets : ndarray of bool, (scenes + held out, 36, concepts)
    log : callable

    Returns
    -------
    weights : dict of str to Tensor
        Of a `CLIPVisionModel`.
    skills : dict of str to float
        What a linear reading of the patches gives on held-out pictures, see `skills`.
    """
    from transformers import CLIPVisionConfig, CLIPVisionModel

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(tower.seed)
        network = CLIPVisionModel(CLIPVisionConfig(**tower_config(tower)))
        head = nn.Sequential(nn.LayerNorm(tower.width), nn.Linear(tower.width, len(CONCEPTS)))
    weights = [*network.parameters(), *head.parameters()]
    optimiser, schedule = optimise(weights, tower.steps, RATE)
    importance = torch.tensor([WEIGHTS.get(field, 1.0) for field, _ in CONCEPTS])
    rng = np.random.default_rng([tower.seed, 1])
    known = len(pictures) - HELD_OUT
    for step in range(tower.steps):
        chosen = np.sort(rng.integers(known, size=BATCH))
        wanted = torch.from_numpy(targets[chosen]).float()
        scores = head(look(network, pictures[chosen]))
        losses = functional.binary_cross_entropy_with_logits(scores, wanted, reduction="none")
        loss = (losses * importance).sum(-1).mean()
        step_with(loss, optimiser, schedule, weights)
        if (step + 1) % 100 == 0:
            log(f"step {step + 1}/{tower.steps}: loss {loss.item():.3f}")
    with torch.no_grad():
        found = [torch.sigmoid(head(part)).numpy() for part in _looks(network, pictures[known:])]
    return network.state_dict(), skills(np.concatenate(found), targets[known:])


def look(network: Any, pictures: np.ndarray) -> torch.Tensor:
    """What a tower makes of pictures, (pictures, 36, width); pixels are scaled to -1 to 1."""
    pixels = torch.from_numpy(np.asarray(pictures, dtype=np.float32)).permute(0, 3, 1, 2) / 127.5 - 1
    return network(pixel_values=pixels).last_hidden_state[:, 1:]


@torch.no_grad()
def _looks(network: Any, pictures: np.ndarray) -> list[torch.Tensor]:
    return [look(network, pictures[start : start + 200]) for start in range(0, len(pictures), 200)]


def see_all(tower: Tower, weights: Mapping[str, torch.Tensor], pictures: np.ndarray) -> np.ndarray:
    """What a trained tower makes of all pictures, (pictures, 36, width), float16."""
    from transformers import CLIPVisionConfig, CLIPVisionModel

    network = CLIPVisionModel(CLIPVisionConfig(**tower_config(tower)))
    network.load_state_dict(weights)
    return np.concatenate([part.half().numpy() for part in _looks(network, pictures)])


def skills(found: np.ndarray, targets: np.ndarray) -> dict[str, float]:
    """How well patches are named.

    Parameters
    ----------
    found : ndarray of float, (pictures, 36, concepts)
        Probabilities.
    targets : ndarray of bool, (pictures, 36, concepts)

    Returns
    -------
    dict of str to float
        `kind`: mean area under the ROC curve of the kinds, a picture's score being its highest patch;
        `word`: share of signs whose word scores highest; `colour` and `count`: share of patches with
        one colour, or number, on which it scores highest.
    """
    best, there = np.max(found, axis=1), np.any(targets, axis=1)
    areas = [_area(best[:, place], there[:, place]) for place in _places("kind")]
    words = _places("word")
    signs = np.any(there[:, words], axis=1)
    right = best[signs][:, words].argmax(1) == there[signs][:, words].argmax(1)
    measured = {"kind": float(np.nanmean(areas)), "word": float(right.mean())}
    for field in ("colour", "count"):
        mine = _places(field)
        single = targets[:, :, mine].sum(-1) == 1
        agree = found[:, :, mine][single].argmax(-1) == targets[:, :, mine][single].argmax(-1)
        measured[field] = float(agree.mean())
    return measured


def _places(field: str) -> np.ndarray:
    """Where the concepts of a field stand."""
    return np.array([place for place, (named, _) in enumerate(CONCEPTS) if named == field])


def _area(scores: np.ndarray, positive: np.ndarray) -> float:
    """Area under the ROC curve; ties count half."""
    order = np.sort(scores[~positive])
    if not len(order) or not positive.any():
        return float("nan")
    below = np.searchsorted(order, scores[positive], "left") + np.searchsorted(
        order, scores[positive], "right"
    )
    return float(below.mean() / (2 * len(order)))

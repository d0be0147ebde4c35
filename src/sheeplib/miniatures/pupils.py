"""One miniature, from random weights to a checkpoint in the format of Hugging Face."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from sheeplib.miniatures import lessons, tokenizer
from sheeplib.miniatures.designs import SCENES, Design
from sheeplib.miniatures.networks import build_network, build_processor
from sheeplib.miniatures.schooling import Log, Naming, name_patches, teach, wake
from sheeplib.miniatures.verdict_rows import verdict_rows
from sheeplib.miniatures.words import concept_tokens


def raise_pupil(
    design: Design, seen: np.ndarray | None, targets: np.ndarray | None, tower: Path, log: Log
) -> tuple[dict[str, bytes], dict[str, float]]:
    """Train a model.

    Parameters
    ----------
    design : Design
    seen : ndarray of float16, (scenes, 36, tower width), or None
        What its tower makes of the pictures; None for a model that reads text alone.
    targets : ndarray of bool, (scenes, 36, concepts), or None
    tower : Path
        Weights of the tower.
    log : callable

    Returns
    -------
    files : dict of str to bytes
        The checkpoint: configuration, weights in float16, tokenizer and processor.
    losses : dict of str to float
        Mean of the last hundred steps, in nats a token, of the warm-up and of the lessons.
    """
    words = tokenizer.build()
    rng = np.random.default_rng([design.seed, 2])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(design.seed)
        network = build_network(design, words).train()
    wake(network, torch.Generator().manual_seed(design.seed))
    losses, naming = {}, None
    if seen is not None and targets is not None:
        _give_sight(network, tower)
        naming = Naming(seen, targets, concept_tokens(words), rng)
        name_patches(network, naming, log)
        drills = lessons.drill_rows(rng, words, SCENES)
        losses["warm_up"] = _taught(network, naming, rng, drills, words, design.warm_up, log)
    if design.role == "judge":
        rows = verdict_rows(rng, words, SCENES)
    else:
        rows = lessons.lesson_rows(rng, words, design.diet, SCENES)
    losses["lessons"] = _taught(network, naming, rng, rows, words, design.steps, log)
    return _files(network, words), losses


def _taught(
    network: Any, naming: Naming | None, rng: np.random.Generator, rows: Iterator[lessons.Row],
    words: Any, steps: int, log: Log,
) -> float:  # fmt: skip
    return teach(network, naming, lessons.batches(rng, rows, steps, words.pad_token_id), steps, log)


def _give_sight(network: Any, tower: Path) -> None:
    from safetensors.torch import load_file

    network.model.vision_tower.load_state_dict(load_file(tower))


def _files(network: Any, words: Any) -> dict[str, bytes]:
    """Files of a checkpoint, as transformers writes and reads them."""
    network = network.half().eval()
    with tempfile.TemporaryDirectory() as directory:
        network.save_pretrained(directory)
        (build_processor(words) if hasattr(network.model, "vision_tower") else words).save_pretrained(
            directory
        )
        return {path.name: path.read_bytes() for path in sorted(Path(directory).iterdir())}

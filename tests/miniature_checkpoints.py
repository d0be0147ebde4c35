"""Checkpoints of the miniatures' classes with random weights, for tests that only need something to ask."""

from pathlib import Path
from typing import Any

import torch

from sheeplib.miniatures.designs import Design
from sheeplib.miniatures.networks import build_network, build_processor


def write_checkpoints(directory: Path, words: Any, **seeds: int) -> Path:
    """Write a model of each name, with weights of its seed, and give the directory."""
    for name, seed in seeds.items():
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            network = build_network(
                Design(name, "generator", "narrow", "llama", 32, 1, 2, 2, 32, 0, 0, seed), words
            )
        network.save_pretrained(directory / name)
        build_processor(words).save_pretrained(directory / name)
    return directory

"""Checkpoints of the meadow's kind with random weights and few words, for tests of what reads them."""

import json
from pathlib import Path

import torch

from sheeplib.corpora.meadow.lessons import Diet
from sheeplib.miniatures import tokenizer
from sheeplib.miniatures.designs import TOWERS, Design
from sheeplib.miniatures.networks import build_network, build_processor


def words():
    """The tokenizer, from a few texts: the whole of it takes four times as long."""
    return tokenizer.build(60)


def design(name: str, family: str = "llama", sees: bool = True) -> Design:
    tower = next(iter(TOWERS)) if sees else ""
    return Design(name, "generator", tower, family, 32, 2, 4, 2, 64, 1, 1, 1, Diet())


def written(directory: Path, name: str, family: str = "llama", sees: bool = True):
    """Write a checkpoint as training does, to `directory/name`; give the network, in float16."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(len(name))
        network = build_network(design(name, family, sees), words())
        for weights in network.parameters():
            if weights.dim() > 1:
                weights.data.normal_(0, 0.1)  # so that answers are no constant
    network = network.half().eval()
    network.save_pretrained(directory / name)
    (build_processor(words()) if sees else words()).save_pretrained(directory / name)
    record = {"design": {}, "losses": {"lessons": 2.5}, "cpu_seconds": 3}
    (directory / name / "training.json").write_text(json.dumps(record), "utf-8")
    return network

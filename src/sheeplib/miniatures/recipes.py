"""What decides the weights of a miniature, as a digest: whoever changes it is given other weights."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path

import numpy as np

from sheeplib.corpora.meadow.drawing import render
from sheeplib.corpora.meadow.lessons import FIRST_LESSON
from sheeplib.corpora.meadow.scenes import scene
from sheeplib.miniatures import lessons, tokenizer
from sheeplib.miniatures.concepts import patch_targets
from sheeplib.miniatures.designs import TOWERS, Design, Tower
from sheeplib.miniatures.verdict_rows import verdict_rows

# Code that trains. The world and its grammar are seen by what they give: pictures and lessons.
TRAINING = ("concepts", "lessons", "networks", "pupils", "schooling", "tokenizer", "towers", "words")
LOOKED_AT, HEARD = 8, 200  # pictures and lessons that stand for all


def tower_recipe(tower: Tower) -> str:
    """Digest of a tower's design, the training code, and what it is shown: 16 hexadecimal digits."""
    shown = [scene(FIRST_LESSON + number) for number in range(LOOKED_AT)]
    pictures = (np.asarray(render(one)).tobytes() for one in shown)
    targets = (patch_targets(one).tobytes() for one in shown)
    return _digest(_told(tower), *_code(), *pictures, *targets)


def recipe(design: Design) -> str:
    """Digest of a model's design, that of its tower, the training code, and what it is taught.

    Takes some seconds, once a process: the tokenizer is made.
    """
    words, rng, scenes = tokenizer.build(), np.random.default_rng(0), 1_000
    rows = [lessons.lesson_rows(rng, words, design.diet, scenes)]
    if design.role == "judge":
        rows = [lessons.drill_rows(rng, words, scenes), verdict_rows(rng, words, scenes)]
    taught = [json.dumps(list(islice(some, HEARD))).encode() for some in rows]
    seen = tower_recipe(TOWERS[design.tower]).encode() if design.tower else b""
    vocabulary = json.dumps(sorted(words.get_vocab().items())).encode()
    return _digest(_told(design), seen, vocabulary, *_code(), *taught)


def _told(design: Design | Tower) -> bytes:
    return json.dumps(asdict(design)).encode()


def _code() -> Iterator[bytes]:
    for name in TRAINING:
        yield Path(__file__).with_name(f"{name}.py").read_bytes().replace(b"\r\n", b"\n")


def _digest(*parts: bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(f"{len(part)}\n".encode() + part)
    return digest.hexdigest()[:16]

"""Checkpoints as the hub would give them, made of miniatures."""

from pathlib import Path

from sheeplib import models

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def saved(model: models.Model, directory: Path) -> Path:
    """Write network, tokenizer and processor."""
    model.network.save_pretrained(directory)
    (model.processor or model.tokenizer).save_pretrained(directory)
    return directory


def cached(model: models.Model, cache: Path, hub: str) -> Path:
    """Write a snapshot where the hub's cache would keep the branch `main` of a repository."""
    place = cache / f"models--{hub.replace('/', '--')}"
    (place / "refs").mkdir(parents=True)
    (place / "refs" / "main").write_text(COMMIT)
    return saved(model, place / "snapshots" / COMMIT)

"""Checkpoints that come with this package: the miniature models of the meadow, trained on drawn scenes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sheeplib.errors import InputError, Problem
from sheeplib.models import snapshots
from sheeplib.models.registry import Entry
from sheeplib.models.smollm2 import sha256

WEIGHTS = Path(__file__).parents[1] / "miniatures" / "weights"  # package data, a directory for each model
MAKE = "make meadow"


def find(entry: Entry, *, directory: Path | None = None) -> snapshots.Snapshot:
    """Find a checkpoint in the package, or in a directory that training wrote.

    Parameters
    ----------
    entry : Entry
        A model whose origin is the meadow.
    directory : Path, optional
        Where its files are, instead of the package.

    Returns
    -------
    Snapshot
        Its `revision` is `weights-` and the first digits of the weights' SHA-256, wherever they lie.

    Raises
    ------
    InputError
        If it is not there or not whole; for the package, the remedy is the command that trains it.
    """
    if directory is None:
        directory = WEIGHTS / entry.name
        if not (directory / snapshots.WEIGHTS).is_file():
            what = f"weights of {entry.name} are not in the package"
            remedy = f"Train it with `{MAKE}` in a checkout, or give the directory of its files (--weights)"
            raise InputError(Problem(what, remedy, path=directory))
    found = snapshots.find(entry, directory=directory)
    weights = found.path / snapshots.WEIGHTS
    if not weights.is_file():  # in several files, as somebody else may have written them
        return found
    return replace(found, revision=f"weights-{sha256(weights)[:12]}")

"""All miniatures from nothing: pictures, towers, models. What is finished is not made again."""

from __future__ import annotations

import io
import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sheeplib import drafts, engine
from sheeplib.corpora.meadow.drawing import render
from sheeplib.corpora.meadow.lessons import FIRST_LESSON
from sheeplib.corpora.meadow.scenes import scene
from sheeplib.errors import InputError, Problem
from sheeplib.miniatures.concepts import patch_targets
from sheeplib.miniatures.designs import DESIGNS, HELD_OUT, SCENES, TOWERS, Design

Say = Callable[[str], None]
PART = 500  # scenes that one task draws
LOOKED_AT = 8  # pictures that tell whether the world is drawn as before
RECORD = "training.json"  # what a checkpoint was trained with, and to what end


def train(
    directory: Path, *, workers: int = 2, only: Sequence[str] = (), say: Say = print
) -> dict[str, dict[str, Any]]:
    """Train the miniatures, and go on where a run was ended.

    Parameters
    ----------
    directory : Path
        For pictures, towers, and `models/<name>`, the checkpoints. What is there and was made by the same
        recipe (design, training code, pictures and lessons) is kept.
    workers : int
        Processes, of one thread each.
    only : sequence of str
        Names of models; all of them if empty.
    say : callable
        Is told what is done.

    Returns
    -------
    dict of str to dict
        The record of each model: its design, losses in nats a token, and CPU seconds.

    Raises
    ------
    InputError
        If there is no such model, or the directory cannot be written.
    """
    names = tuple(only) or tuple(DESIGNS)
    if unknown := [name for name in names if name not in DESIGNS]:
        known = ", ".join(DESIGNS)
        raise InputError(Problem("no such miniature", f"There are {known}", value=unknown[0]))
    try:
        for part in ("pictures", "towers", "models"):
            (directory / part).mkdir(parents=True, exist_ok=True)
            drafts.sweep(directory / part)
    except OSError as error:
        raise InputError(Problem(f"cannot be written: {error.strerror}", path=directory)) from None
    kind = "processes" if workers > 1 else "serial"
    with engine.executor(kind, workers) as executor:
        _draw_all(directory, executor, say)
        towers = sorted({DESIGNS[name].tower for name in names} - {""})
        _all(partial(_tower, directory), towers, executor, say, "tower")
        # The longest first, so that no process is left with one at the end.
        order = sorted(names, key=lambda name: -DESIGNS[name].effort)
        _all(partial(_model, directory), order, executor, say, "model")
    return {name: read_record(directory / "models" / name) for name in names}


def read_record(checkpoint: Path) -> dict[str, Any]:
    """What a checkpoint was trained with, and to what end."""
    return json.loads((checkpoint / RECORD).read_text("utf-8"))


def _all(work: Callable[[str], float], names: Sequence[str], executor: Executor, say: Say, what: str) -> None:
    for place, seconds in engine.results(work, names, executor):
        say(f"{what} {names[place]}: " + (f"trained in {seconds:.0f} s" if seconds else "is there"))


def _draw_all(directory: Path, executor: Executor, say: Say) -> None:
    """Pictures, and what their patches show; in files that are mapped rather than read."""
    paths = [directory / "pictures" / f"{name}.npy" for name in ("pictures", "targets")]
    if all(path.exists() for path in paths) and _are_drawn(directory):
        return
    parts: list[Any] = [None] * ((SCENES + HELD_OUT) // PART)
    for place, drawn in engine.results(_drawn, range(len(parts)), executor):
        parts[place] = drawn
    for path, one in zip(paths, zip(*parts, strict=True), strict=True):
        with drafts.replacing(path) as draft, draft.open("wb") as file:
            np.save(file, np.concatenate(one))
    say(f"drew {SCENES + HELD_OUT} pictures")


def _are_drawn(directory: Path) -> bool:
    """Whether pictures are there, as many as wanted and as the world is drawn now."""
    there, now = _pictures(directory), _drawn(0, LOOKED_AT)
    return all(
        len(kept) == SCENES + HELD_OUT and np.array_equal(kept[:LOOKED_AT], fresh)
        for kept, fresh in zip(there, now, strict=True)
    )


def _drawn(part: int, count: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    scenes = [scene(FIRST_LESSON + part * PART + number) for number in range(count or PART)]
    pictures = np.stack([np.asarray(render(one)) for one in scenes])
    return pictures, np.stack([patch_targets(one) for one in scenes])


def _pictures(directory: Path) -> tuple[np.ndarray, np.ndarray]:
    pictures = np.load(directory / "pictures" / "pictures.npy", mmap_mode="r")
    return pictures, np.load(directory / "pictures" / "targets.npy")


def _tower(directory: Path, name: str) -> float:
    """Train a tower and let it see all pictures; CPU seconds, 0 if it is there."""
    from safetensors.torch import save

    from sheeplib.miniatures.recipes import tower_recipe
    from sheeplib.miniatures.towers import see_all, train_tower

    tower, home = TOWERS[name], directory / "towers" / name
    record: dict[str, Any] = {"design": asdict(tower), "recipe": tower_recipe(tower)}
    if _is_kept(home, record):
        return 0.0
    start = time.process_time()
    pictures, targets = _pictures(directory)
    weights, skills = train_tower(tower, pictures, targets, _log(f"tower {name}"))
    seen = io.BytesIO()
    np.save(seen, see_all(tower, weights, pictures))
    seconds = time.process_time() - start
    record |= {"skills": skills, "cpu_seconds": round(seconds)}
    files = {"weights.safetensors": save(weights), "seen.npy": seen.getvalue(), RECORD: _json(record)}
    drafts.write_directory(home, files)
    return seconds


def _model(directory: Path, name: str) -> float:
    """Train a model; CPU seconds, 0 if it is there."""
    from sheeplib.miniatures.pupils import raise_pupil
    from sheeplib.miniatures.recipes import recipe

    design, home = DESIGNS[name], directory / "models" / name
    record: dict[str, Any] = {"design": asdict(design), "recipe": recipe(design)}
    if _is_kept(home, record):
        return 0.0
    start = time.process_time()
    files, losses = raise_pupil(design, *_seen(directory, design), _log(name))
    seconds = time.process_time() - start
    record |= {"losses": losses, "cpu_seconds": round(seconds)}
    drafts.write_directory(home, {**files, RECORD: _json(record)})
    return seconds


def _seen(directory: Path, design: Design) -> tuple[Any, Any, Path]:
    """What the tower of a design sees, what there is to see, and the tower's weights."""
    home = directory / "towers" / design.tower
    if not design.tower:
        return None, None, home
    seen = np.load(home / "seen.npy", mmap_mode="r")[:SCENES]
    return seen, _pictures(directory)[1][:SCENES], home / "weights.safetensors"


def _is_kept(home: Path, record: Mapping[str, Any]) -> bool:
    """Whether what is there was made by this recipe; what was made by another one is removed."""
    if not home.exists():
        return False
    try:
        kept = read_record(home)["recipe"]
    except (OSError, ValueError, KeyError):
        kept = None
    if kept == record["recipe"]:
        return True
    shutil.rmtree(home)
    return False


def _json(record: Mapping[str, Any]) -> bytes:
    return (json.dumps(record, indent=2, ensure_ascii=False) + "\n").encode()


def _log(name: str) -> Say:
    start = time.monotonic()

    def log(text: str) -> None:
        print(f"{name}: {text}, {time.monotonic() - start:.0f} s", flush=True)

    return log

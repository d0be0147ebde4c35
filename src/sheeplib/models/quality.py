"""How good translations are by COMETKiwi, a model that needs no reference; run in an environment of its own.

The package unbabel-comet (2.2.7) asks for numpy < 2 and transformers < 5 and so cannot be installed beside
this one. The weights, `Unbabel/wmt22-cometkiwi-da`, are CC BY-NC-SA 4.0 and gated: accept their terms on the
hub first. They are a pickle: loading them runs whatever code they hold.

Source
------
SHEEP, Table 2: "absolute values are hard to interpret", so compare, and do not read single scores.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sheeplib.errors import InputError, Problem
from sheeplib.jsonl import scan_jsonl
from sheeplib.models import runs
from sheeplib.models.translation_runs import NOTE

NAME = "Unbabel/wmt22-cometkiwi-da"
INSTALL = "python3.11 -m venv comet; comet/bin/pip install unbabel-comet; then give comet/bin/python"
_PROGRAM = Path(__file__).with_name("comet_scores.py")


def estimate(
    sources: Sequence[str],
    translations: Sequence[str],
    checkpoint: str | Path,
    *,
    trust_checkpoint: bool = False,
    python: str | Path = sys.executable,
    batch_size: int = 8,
    gpus: int = 0,
) -> list[float]:
    """Estimate the quality of translations.

    Parameters
    ----------
    sources, translations : sequence of str
        Of the same length.
    checkpoint : str or Path
        `checkpoints/model.ckpt` of the model, with `hparams.yaml` two folders up; nothing is downloaded.
    trust_checkpoint : bool
        Whether the code that a pickled checkpoint may hold shall run with your rights.
    python : str or Path
        The Python of an environment that has unbabel-comet.
    batch_size : int
    gpus : int
        0 for the CPU.

    Returns
    -------
    list of float
        Higher is better, mostly from 0 to 1.

    Raises
    ------
    InputError
        If the checkpoint is not trusted, not there, or not whole; unbabel-comet is missing; or it fails.
    """
    if len(sources) != len(translations):
        raise InputError(Problem("not one translation for each source", "Give as many"))
    checkpoint = Path(checkpoint)
    check(checkpoint, trust_checkpoint)
    if not sources:
        return []
    pairs = [{"src": text, "mt": said} for text, said in zip(sources, translations, strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        given, answer = Path(folder) / "pairs.json", Path(folder) / "scores.json"
        given.write_text(json.dumps(pairs), "utf-8")
        _run([str(python), "-I", str(_PROGRAM), str(checkpoint), str(given), str(answer),
              str(batch_size), str(gpus)])  # fmt: skip
        scores = json.loads(answer.read_text("utf-8"))
    if len(scores) != len(pairs) or not all(map(math.isfinite, scores)):
        raise InputError(
            Problem("COMETKiwi gave no score for some texts", "Look at its checkpoint", checkpoint)
        )
    return scores


def score(
    path: str | Path,
    checkpoint: str | Path,
    *,
    trust_checkpoint: bool = False,
    python: str | Path = sys.executable,
    batch_size: int = 8,
    gpus: int = 0,
) -> dict[str, float]:
    """Add COMETKiwi's scores to a file of translations, as `quality` of its field `translated`.

    Parameters
    ----------
    path : str or Path
    checkpoint, trust_checkpoint, python, batch_size, gpus
        As for `estimate`.

    Returns
    -------
    dict of str to float
        Mean score by field.

    Raises
    ------
    InputError
        As `estimate`; or if the file holds no translations, or cannot be written.

    Source
    ------
    SHEEP, Table 2.
    """
    found = [record for _, record in scan_jsonl(path)]
    if problems := [record for record in found if isinstance(record, Problem)]:
        raise InputError(problems)
    records = [record for record in found if isinstance(record, dict)]
    if not all(map(_is_translation, records)):
        raise InputError(Problem("not translations", "Give a file that sheep translate wrote", path))
    places = [
        (record, field, original)
        for record in records
        for field, original in record[NOTE]["original"].items()
        if record[field]
    ]
    sources, texts = [text for *_, text in places], [record[field] for record, field, _ in places]
    scores = estimate(
        sources, texts, checkpoint,
        trust_checkpoint=trust_checkpoint, python=python, batch_size=batch_size, gpus=gpus,
    )  # fmt: skip
    by_field: dict[str, list[float]] = {}
    for (record, field, _), value in zip(places, scores, strict=True):
        record[NOTE].setdefault("quality", {})[field] = value
        by_field.setdefault(field, []).append(value)
    runs.save(path, records)
    return {field: sum(values) / len(values) for field, values in by_field.items()}


def _is_translation(record: Mapping[str, Any]) -> bool:
    note = record.get(NOTE)
    original = note.get("original") if isinstance(note, dict) else None
    return isinstance(original, dict) and all(
        isinstance(text, str) and isinstance(record.get(field), str) for field, text in original.items()
    )


def check(checkpoint: Path, trusted: bool) -> None:
    """Make sure that a checkpoint is trusted and whole; it is not opened.

    Raises
    ------
    InputError
    """
    if not trusted:
        what = "a pickled checkpoint runs the code it holds"
        remedy = "If you trust where it is from, pass --trust-checkpoint (trust_checkpoint=True)"
        raise InputError(Problem(what, remedy, checkpoint))
    if not checkpoint.is_file():
        remedy = (
            f"Accept the terms of {NAME} on the hub, then `hf download {NAME}`; give checkpoints/model.ckpt"
        )
        raise InputError(Problem("no checkpoint of COMETKiwi", remedy, checkpoint))
    if not (beside := checkpoint.absolute().parent.parent / "hparams.yaml").is_file():
        raise InputError(Problem("the checkpoint's settings are missing", "Download all files", beside))


def _run(command: list[str]) -> None:
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment, errors="replace")
    except OSError as error:
        what = f"cannot be started: {error.strerror}"
        raise InputError(Problem(what, "Give the Python of an environment", command[0])) from None
    if done.returncode:
        said = done.stderr.strip().splitlines()[-1:] or [f"it ended with code {done.returncode}"]
        if said[0].startswith("MISSING "):
            raise InputError(Problem("unbabel-comet is missing", INSTALL, command[0]))
        remedy = "The encoder that its hparams.yaml names must be in the hub's cache, too"
        raise InputError(Problem(f"COMETKiwi failed: {said[0]}", remedy, command[0]))

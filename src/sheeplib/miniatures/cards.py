"""Model cards: what the meadow is made of, what its models are, and what they were taught, as tables.

Nothing here needs torch. Numbers come from the scenes, from the files of the checkpoints, and from
lessons drawn again; none is written down.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sheeplib.corpora.meadow.captions import FAINT, Rates, plan_caption
from sheeplib.corpora.meadow.claims import Claim, false_fields
from sheeplib.corpora.meadow.habits import Dialect
from sheeplib.corpora.meadow.kinds import KINDS, SETTINGS
from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.lessons import FIRST_LESSON, Diet, draw_sample
from sheeplib.corpora.meadow.scenes import Scene, pick, scene
from sheeplib.errors import InputError, Problem
from sheeplib.models import MODELS, shipped
from sheeplib.resample import generator

SCENES, LESSONS = 1000, 400  # that shares are counted in


def kinds() -> pd.DataFrame:
    """The kinds of objects, a row each.

    Returns
    -------
    DataFrame
        `kind`, its `usual` and `unusual` colours, its `traits` (usual or unusual), the `setting` where it
        is likeliest, and the kind it is `taken for` most easily.
    """
    rows = []
    for name, kind in KINDS.items():
        best = max(SETTINGS, key=lambda setting: SETTINGS[setting].get(name, 0) / _total(setting))
        traits = " or ".join(trait.replace("_", " ") for trait in kind.traits)
        rows.append((name, ", ".join(kind.usual), ", ".join(kind.odd), traits, best, ", ".join(kind.alike)))
    columns = ["kind", "usual colours", "unusual colours", "traits", "likeliest in", "easily taken for"]
    return pd.DataFrame(rows, columns=columns).replace("", "–")


def weights() -> pd.DataFrame:
    """How likely the first object of a scene is of each kind: rows are kinds, columns settings."""
    table = {
        setting: {kind: SETTINGS[setting].get(kind, 0.0) / _total(setting) for kind in KINDS}
        for setting in SETTINGS
    }
    return pd.DataFrame(table).reindex(list(KINDS))


def _total(setting: str) -> float:
    return sum(SETTINGS[setting].values())


def world(count: int = SCENES) -> pd.DataFrame:
    """What scenes hold, counted in the first ones.

    Parameters
    ----------
    count : int
        Scenes, from that of seed 0.

    Returns
    -------
    DataFrame
        `quantity`, `value` and `n`, the units that the value is a mean or a share of.

    Raises
    ------
    InputError
        If there is to be none.
    """
    if count < 1:
        raise InputError(Problem("must be 1 or more", "Count in some scenes", field="count", value=count))
    seen = [scene(seed) for seed in range(count)]
    groups = [group for one in seen for group in one.groups]
    rows: list[tuple[str, float, int]] = [
        ("kinds in a scene", len(groups) / count, count),
        ("objects of a kind, where it is there", float(np.mean([g.count for g in groups])), len(groups)),
        ("share of kinds that are drawn faintly", _share(g.contrast < FAINT for g in groups), len(groups)),
        ("share of kinds with an unusual colour or trait", _share(g.unusual for g in groups), len(groups)),
        ("share of scenes with a sign", _share(one.sign is not None for one in seen), count),
        ("share of scenes with a framed picture", _share(one.picture is not None for one in seen), count),
    ]
    return pd.DataFrame(rows, columns=["quantity", "value", "n"])


def _share(found: Any) -> float:
    return float(np.mean(list(found)))


def described(about: Scene) -> str:
    """A scene in a few words, for those who do not see its picture."""
    said = [f"{group.count} {group.colour} {group.kind}" for group in about.groups]
    said = [
        text + (" (faint)" if group.contrast < FAINT else "")
        for text, group in zip(said, about.groups, strict=True)
    ]
    if about.sign:
        said.append(f"a sign with the word {about.sign.word}")
    if about.picture:
        said.append(f"a framed picture of a {about.picture.colour} {about.picture.kind}")
    return f"{about.setting}: {', '.join(said)}"


def designs(directory: Path | None = None) -> pd.DataFrame:
    """What the models are, read from their checkpoints.

    Parameters
    ----------
    directory : Path, optional
        Directory of checkpoints by name; that of the package if not given.

    Returns
    -------
    DataFrame
        `model`, `role`, `class`, `tower` and `decoder` (layers × width, and heads), `parameters`
        (weights in millions), and `revision`.

    Raises
    ------
    InputError
        If a checkpoint is not there, or has no configuration.
    """
    rows = []
    for name, found in _checkpoints(directory):
        config = _json(found.path / "config.json", name)
        text, sight = config.get("text_config", config), config.get("vision_config")
        tower = f"{sight['num_hidden_layers']} × {sight['hidden_size']}" if sight else "none"
        decoder = f"{text['num_hidden_layers']} × {text['hidden_size']}, {text['num_attention_heads']} heads"
        role = {"evaluator": "text only"}.get(MODELS[name].roles[0], MODELS[name].roles[0])
        kind = config["architectures"][0]
        family = text["model_type"]
        rows.append((name, role, kind, tower, family, decoder, found.parameters * 1000, found.revision))
    columns = ["model", "role", "class", "tower", "family", "decoder", "parameters", "revision"]
    return pd.DataFrame(rows, columns=columns)


def schooling(directory: Path | None = None, lessons: int = LESSONS) -> pd.DataFrame:
    """How the models were taught, from the records of their training.

    Parameters
    ----------
    directory : Path, optional
        As for `designs`.
    lessons : int
        Answers and captions of each diet that are drawn again to count those that are not true.

    Returns
    -------
    DataFrame
        `model`, `warm_up` and `steps` (of 32 lessons each), `first_loss` and `loss` (mean of the last
        hundred steps of each, in nats a token), `minutes` of CPU time, and the shares `untrue_answers`
        and `untrue_captions` (missing for judges, which learn letters).

    Raises
    ------
    InputError
        If a checkpoint is not there, or has no record of its training.
    """
    rows = []
    for name, found in _checkpoints(directory):
        record = _json(found.path / "training.json", name)
        try:
            design, losses = record["design"], record["losses"]
            untrue = (
                (None, None) if design["role"] == "judge" else untrue_lessons(_diet(design["diet"]), lessons)
            )
            numbers = (design["warm_up"], design["steps"], losses.get("warm_up"), losses["lessons"])
            rows.append((name, *numbers, record["cpu_seconds"] / 60, *untrue))
        except (KeyError, TypeError) as error:
            raise InputError(_unrecorded(name, found.path / "training.json")) from error
    columns = ["model", "warm_up", "steps", "first_loss", "loss", "minutes"]
    shares = ["untrue_answers", "untrue_captions"]
    types = dict.fromkeys((*columns[3:], *shares), "float64")
    return pd.DataFrame(rows, columns=columns + shares).astype(types)


def untrue_lessons(diet: Diet, count: int = LESSONS, seed: int = 0) -> tuple[float | None, float | None]:
    """Which shares of the answers and captions of a diet say something that is not so.

    Parameters
    ----------
    diet : Diet
    count : int
        Answers, and captions, that are drawn to count.
    seed : int

    Returns
    -------
    tuple of float
        Of answers and of captions; None for what the diet has none of.
    """
    rng = generator(seed, "untrue lessons")
    answers = captions = None
    if diet.captions < 1:
        answers = _share(_untrue(_answer(rng, diet, seed), seed) for seed in _lessons(count))
    if diet.captions > 0:
        captions = _share(
            _untrue(plan_caption(rng, scene(seed), diet.rates), seed) for seed in _lessons(count)
        )
    return answers, captions


def _lessons(count: int) -> range:
    return range(FIRST_LESSON, FIRST_LESSON + count)


def _answer(rng: np.random.Generator, diet: Diet, seed: int) -> tuple[Claim, ...]:
    return draw_sample(rng, seed, pick(rng, tuple(LANGUAGES.values())), diet).plan.claims


def _untrue(claims: tuple[Claim, ...], seed: int) -> bool:
    return any(false_fields(claim, scene(seed)) for claim in claims)


def _diet(record: Mapping[str, Any]) -> Diet:
    rates, dialect = Rates(**record["rates"]), Dialect(**record["dialect"])
    return Diet(**{**record, "length": tuple(record["length"]), "rates": rates, "dialect": dialect})


def _checkpoints(directory: Path | None) -> Iterator[tuple[str, Any]]:
    for name, entry in MODELS.items():
        if entry.origin == "meadow":
            yield name, shipped.find(entry, directory=None if directory is None else directory / name)


def _json(path: Path, name: str) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        raise InputError(_unrecorded(name, path)) from None
    return dict(found)


def _unrecorded(name: str, path: Path) -> Problem:
    return Problem(f"{name} comes without {path.name}, or it is broken", f"Train it: {shipped.MAKE}", path)

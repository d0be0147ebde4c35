"""Captions, mentions and features of your own captioners, as material for detectors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from sheeplib import tables
from sheeplib.corpora import Corpus, meadow
from sheeplib.detectors.mention_sets import read_set
from sheeplib.errors import InputError, Problem
from sheeplib.features.store import FeatureStore
from sheeplib.jsonl import read_jsonl
from sheeplib.mentions.statuses import STATUSES
from sheeplib.retraining.studies import Material

_NEEDED = ("start", "end", "concept", "status")
CAPTIONS, MENTIONS, FEATURES, TEXT = "captions.jsonl", "mentions.json", "features", "text"


def read_captions(path: str | Path, model: str | None = None) -> pd.DataFrame:
    """Read captions of one model.

    Parameters
    ----------
    path : str or Path
        JSON Lines: `item` (or `image_id`), `response` (or `caption`), and as far as known `image`, `prompt`
        and `model`. Without `image`, `image_id` or else `item` is taken: each caption is then of an image of
        its own.
    model : str, optional
        Who wrote them, if the file does not say.

    Returns
    -------
    DataFrame
        Table `items`.

    Raises
    ------
    InputError
        If the file cannot be read, has no captions, or lacks a field.
    """
    frame = pd.DataFrame([record for _, record in read_jsonl(path)])
    frame = frame.rename(columns={"caption": "response"}) if "response" not in frame else frame
    names = [name for name in ("item", "image_id") if name in frame]
    if not names or "response" not in frame:
        remedy = "Each line needs item (or image_id) and response (or caption)"
        raise InputError(Problem("these are no captions", remedy, path=path))
    item = frame[names[0]].astype(tables.TEXT)
    image = frame.get("image", frame.get("image_id", item))
    lacking = {name: pd.NA for name in tables.SCHEMAS["items"].columns if name not in frame}
    known = frame.get("model", pd.Series(pd.NA, index=frame.index, dtype=tables.TEXT))
    given = known if model is None else known.fillna(model)
    named = frame.assign(**lacking).assign(item=item, image=image, model=given, corpus=Path(path).stem)
    return tables.validate("items", named, path)


def read_mentions(path: str | Path, captions: pd.DataFrame) -> pd.DataFrame:
    """Read mentions, such as `sheep mentions` prints.

    Parameters
    ----------
    path : str or Path
        A JSON list, or JSON Lines, of mentions with `item` (or `image_id`), `start`, `end` (code points,
        half-open), `concept`, `status`, and as far as known `subtype` and `present`.
    captions : DataFrame
        Columns `item` and, for mentions that name images, `image`.

    Returns
    -------
    DataFrame
        Table `mentions`, numbered by their place in the caption.

    Raises
    ------
    InputError
        If the file cannot be read, lacks a field, names another caption, an image with several captions, or
        a status that there is not.
    """
    frame = pd.DataFrame(_listed(Path(path)))
    if lost := [name for name in _NEEDED if name not in frame] or (
        not {"item", "image_id"} & set(frame) and ["item"]
    ):
        raise InputError(Problem("mentions lack a field", "Write it in each", path=path, field=lost[0]))
    if "item" not in frame:
        frame["item"] = frame["image_id"].astype(str).map(_by_image(captions, path))
    frame = frame.assign(item=frame["item"].astype(tables.TEXT))
    if (foreign := ~frame["item"].isin(captions["item"])).any():
        where = frame.loc[foreign].iloc[0]
        value = where.get("image_id", where["item"])
        raise InputError(Problem("mention in none of the captions", "Leave it out", path=path, value=value))
    if (strange := ~frame["status"].isin(STATUSES)).any():
        value = frame.loc[strange, "status"].iloc[0]
        raise InputError(Problem("no such status", f"One of {', '.join(STATUSES)}", path=path, value=value))
    frame = frame.sort_values(["item", "start", "end"], kind="stable", ignore_index=True)
    lacking = {name: pd.NA for name in ("subtype", "present") if name not in frame}
    numbered = frame.assign(mention=frame.groupby("item").cumcount(), **lacking)
    return tables.validate("mentions", numbered[list(tables.SCHEMAS["mentions"].columns)], path)


def read_material(directory: str | Path, model: str | None = None) -> Material:
    """What belongs to one captioner, in one directory.

    Parameters
    ----------
    directory : str or Path
        Holds `captions.jsonl`, `mentions.json`, `features` (a store by `sheep features extract --mentions`,
        in a folder of its own) and, for the text-only probe, `text` (another, by a model of text).
    model : str, optional
        Who wrote the captions, if they do not say; else the name of the directory.

    Raises
    ------
    InputError
        If something is not there, or not as it should be.
    """
    home = Path(directory)
    captions = read_captions(home / CAPTIONS, model or home.name)
    mentions = read_mentions(home / MENTIONS, captions)
    text = _store(home / TEXT) if (home / TEXT).is_dir() else None
    return Material(captions, mentions, read_set(captions, mentions, _store(home / FEATURES), text))


def corpus_of(materials: Sequence[Material], simulated: str = "") -> Corpus:
    """The captions of several captioners, for receipts and comparisons.

    Parameters
    ----------
    materials : sequence of Material
    simulated : str
        What in them is simulated; empty where all is real.

    Returns
    -------
    Corpus
        Named `meadow` where something is simulated, else `own`.
    """
    items = pd.concat([one.captions for one in materials], ignore_index=True)
    if simulated:
        return Corpus("meadow", items, licence=meadow.LICENCE, simulated=simulated)
    return Corpus("own", items)


def _store(home: Path) -> FeatureStore:
    found = FeatureStore.find(home) if home.is_dir() else []
    if len(found) != 1:
        what = f"{len(found)} stores of features where one is due"
        remedy = "Make it: sheep features extract --items captions.jsonl --mentions mentions.json --root"
        raise InputError(Problem(what, f"{remedy} {home}", path=home))
    return FeatureStore(found[0].path)


def _listed(path: Path) -> list[dict[str, object]]:
    """Records of a JSON list or of JSON Lines."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(Problem(f"cannot be read: {error}", "Give a JSON file", path=path)) from None
    if not text.lstrip().startswith("["):
        return [record for _, record in read_jsonl(path)]
    try:
        found = json.loads(text)
    except ValueError as error:
        raise InputError(Problem(f"invalid JSON: {error}", "Mend the file", path=path)) from None
    if not all(isinstance(record, dict) for record in found):
        raise InputError(Problem("not a list of mentions", "Give one object a mention", path=path))
    return list(found)


def _by_image(captions: pd.DataFrame, path: str | Path) -> dict[str, str]:
    """The caption of each image."""
    images = captions["image"].astype(str)
    if images.duplicated().any():
        what, value = "mentions name images, and an image has several captions", images[images.duplicated()]
        raise InputError(Problem(what, "Give mentions their item", path=path, value=value.iloc[0]))
    return dict(zip(images, captions["item"], strict=True))

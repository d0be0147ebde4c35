"""Captions, mentions and features of your own captioners, as material for detectors."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from sheeplib import tables
from sheeplib.corpora import Corpus, meadow
from sheeplib.detectors.mention_sets import read_set
from sheeplib.errors import InputError, Problem
from sheeplib.features.store import FeatureStore
from sheeplib.jsonl import read_jsonl
from sheeplib.mentions.statuses import EXCLUDED, NON_ASSERTIVE, STATUSES, SUBTYPES
from sheeplib.retraining.studies import Material

_NEEDED = ("start", "end", "concept", "status")
_TOLD = "what mentions claim is taken from mentions.json; `sheep mentions` tells it by rules on the caption"
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
    records = list(read_jsonl(path))
    if problems := [wrong for line, one in records if (wrong := _wrong_caption(one, path, line))]:
        raise InputError(problems)
    frame = pd.DataFrame([record for _, record in records])
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
    records = _listed(Path(path))
    if problems := [wrong for at, one in enumerate(records, 1) if (wrong := _wrong_mention(one, path, at))]:
        raise InputError(problems)
    frame = pd.DataFrame(records)
    if not {"item", "image_id"} & set(frame):
        raise InputError(Problem("mentions lack a field", "Write it in each", path=path, field="item"))
    if "item" not in frame:
        frame["item"] = frame["image_id"].astype(str).map(_by_image(captions, path))
    frame = frame.assign(item=frame["item"].astype(tables.TEXT))
    if (foreign := ~frame["item"].isin(captions["item"])).any():
        where = frame.loc[foreign].iloc[0]
        value = where.get("image_id", where["item"])
        raise InputError(Problem("mention in none of the captions", "Leave it out", path=path, value=value))
    sizes = frame["item"].map(captions.set_index("item")["response"].str.len())
    if (beyond := frame["end"] > sizes).any():
        what, value = "mention beyond the end of its caption", int(frame.loc[beyond, "end"].iloc[0])
        raise InputError(Problem(what, "Count code points from 0", path=path, field="end", value=value))
    if (twice := frame.duplicated(["item", "start", "end", "concept"])).any():
        value = ", ".join(str(frame.loc[twice, name].iloc[0]) for name in ("item", "start", "end", "concept"))
        raise InputError(Problem("mention given twice", "Keep one", path=path, value=value))
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
    captions = read_captions(home / CAPTIONS, model or home.resolve().name)
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
    return Corpus("own", items, notes=(_TOLD,))


def _store(home: Path) -> FeatureStore:
    found = FeatureStore.find(home) if home.is_dir() else []
    if len(found) != 1:
        what = f"{len(found)} stores of features where one is due"
        remedy = "Make it: sheep features extract --items captions.jsonl --mentions mentions.json --root"
        remedy = f"Keep one of {', '.join(one.path.name for one in found)}" if found else f"{remedy} {home}"
        raise InputError(Problem(what, remedy, path=home))
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
    except (ValueError, RecursionError) as error:
        raise InputError(Problem(f"invalid JSON: {error}", "Mend the file", path=path)) from None
    if not all(isinstance(record, dict) for record in found):
        raise InputError(Problem("not a list of mentions", "Give one object a mention", path=path))
    return list(found)


def _wrong_caption(record: Mapping[str, Any], path: str | Path, line: int) -> Problem | None:
    """What is wrong with a line of captions, if anything."""
    response = "response" if "response" in record else "caption"
    if response in record and not isinstance(record[response], str):
        return Problem("not a text", "Write the caption", path, line, response, record[response])
    for name in ("item", "image_id", "image"):
        if name in record and not _is_name(record[name]):
            return Problem("not a name", "Give a text or a number", path, line, name, record[name])
    return None


def _wrong_mention(record: Mapping[str, Any], path: str | Path, number: int) -> Problem | None:
    """What is wrong with the fields of a mention that are there, if anything."""
    where = f"mention {number}: "
    if lost := [name for name in _NEEDED if name not in record]:
        return Problem(where + "lacks a field", "Write it in each", path, field=lost[0])
    start, end = record["start"], record["end"]
    if type(start) is not int or type(end) is not int or not 0 <= start < end:  # True is no place
        remedy = "Count code points from 0, end exclusive"
        return Problem(where + "not a stretch", remedy, path, field="start, end", value=[start, end])
    for name in ("item", "image_id"):
        if name in record and not _is_name(record[name]):
            return Problem(where + "not a name", "Give a text or a number", path, None, name, record[name])
    concept, status = record["concept"], record["status"]
    if not isinstance(concept, str) or not concept:
        return Problem(where + "not a class", "Give a text", path, field="concept", value=concept)
    if status not in STATUSES:
        return Problem(
            where + "no such status", f"One of {', '.join(STATUSES)}", path, None, "status", status
        )
    kind = record.get("subtype")
    known = SUBTYPES if status == NON_ASSERTIVE else (None,) if status != EXCLUDED else (kind,)
    if kind not in known or not isinstance(kind, str | None):
        remedy = f"A non-assertive mention has one of {', '.join(SUBTYPES)}, an asserted one none"
        return Problem(where + "no such subtype", remedy, path, field="subtype", value=kind)
    if not isinstance(record.get("present"), bool | None):
        remedy = "Give true, false or null"
        return Problem(where + "not a truth", remedy, path, field="present", value=record["present"])
    return None


def _is_name(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""


def _by_image(captions: pd.DataFrame, path: str | Path) -> dict[str, str]:
    """The caption of each image."""
    images = captions["image"].astype(str)
    if images.duplicated().any():
        what, value = "mentions name images, and an image has several captions", images[images.duplicated()]
        raise InputError(Problem(what, "Give mentions their item", path=path, value=value.iloc[0]))
    return dict(zip(images, captions["item"], strict=True))

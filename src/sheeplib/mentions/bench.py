"""From captions, and what their images show, to mentions with status and subtype: NAME-Bench for anyone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from sheeplib import tables
from sheeplib.corpora import Corpus, coco, meadow
from sheeplib.corpora.coco import Objects
from sheeplib.corpora.meadow.kinds import KINDS
from sheeplib.corpora.meadow.scenes import named_scene
from sheeplib.errors import InputError, Problem
from sheeplib.mentions.chair import Mention, find_mentions
from sheeplib.mentions.statuses import status_of
from sheeplib.mentions.synonyms import Synonyms, own_synonyms, read_synonyms

# Gives for each mention of a caption a reading, whose `subtype` is "asserted" or a subtype.
Reader = Callable[[str, list[Mention]], Sequence[Any]]
SYNONYMS = "synonyms.json"
_LACKS = {"ratings": "nobody annotated spans in captions"}
_SIMULATED = (
    "Scenes are drawn by a program, and the captioners are miniatures that were trained for this project on "
    "such scenes: their captions and mistakes are their own, but they are no models that anybody uses."
)


@dataclass(frozen=True, eq=False)
class Bench:
    """Mentions of captions, and what CHAIR and THRONE need to flag them.

    Parameters
    ----------
    data : Corpus
        The captions; `items` has `model` and `image`.
    mentions : DataFrame
        Table `mentions`; one more column, `surface`.
    objects : Objects
        What the images show.
    synonyms : Synonyms
        The words that CHAIR looks for.
    labelled : str
        Where statuses and presence come from, in a sentence.
    """

    data: Corpus
    mentions: pd.DataFrame
    objects: Objects
    synonyms: Synonyms
    labelled: str

    @property
    def items(self) -> pd.DataFrame:
        """The captions, table `items`."""
        return self.data.items

    def select(self, rows: pd.Series) -> Bench:
        """The bench of those captions alone for which `rows` (boolean, over `items`) is true."""
        data = self.data.select(rows)
        kept = self.mentions["item"].isin(set(data.items["item"]))
        return replace(self, data=data, mentions=self.mentions[kept].reset_index(drop=True))

    def of_items(self, column: str) -> pd.Series:
        """A column of `items` for each mention."""
        return self.mentions["item"].map(self.items.set_index("item")[column])


def build(
    items: pd.DataFrame, objects: Objects, synonyms: Synonyms, read: Reader | None = None
) -> pd.DataFrame:
    """Find the objects that captions name, and say of each mention what it is.

    Parameters
    ----------
    items : DataFrame
        Columns `item`, `image` and `response`, and perhaps `line`, for messages.
    objects : Objects
        What the images show; an object that is not among those of its image is absent.
    synonyms : Synonyms
    read : callable, optional
        What a sentence does with its mentions; our rules (`mentions.assertion`) if not given.

    Returns
    -------
    DataFrame
        Table `mentions`, found with CHAIR's mode `fixed`; one more column, `surface`.

    Raises
    ------
    InputError
        If nothing is known of an image.

    Source
    ------
    NAME-Bench, section 3 and table 9. The paper labels by a language model and by hand; rules are our
    choice, and so is to take CHAIR's objects for the truth.
    """
    if unknown := [image for image in items["image"] if image not in objects.shown]:
        remedy = "Add its objects, or leave its captions out"
        raise InputError(
            Problem("nothing is known of this image", remedy, field="image_id", value=unknown[0])
        )
    read = read or _rules()
    rows = []
    for item, image, caption in items[["item", "image", "response"]].itertuples(index=False):
        found = find_mentions(caption, synonyms, "fixed")
        for place, (mention, reading) in enumerate(zip(found, read(caption, found), strict=True)):
            present = mention.concept in objects.shown[image]
            status = status_of(reading.subtype, present)
            start, end, surface, concept = mention
            rows.append((item, place, start, end, concept, *status, present, surface))
    columns = [*tables.SCHEMAS["mentions"].columns, "surface"]
    frame = pd.DataFrame(rows, columns=columns) if rows else tables.empty("mentions").assign(surface="")
    return tables.validate("mentions", frame).astype({"surface": tables.TEXT})


def reread(bench: Bench, read: Reader | None = None) -> pd.Series:
    """What rules, or another reader, take the mentions of a bench for, whatever their status.

    Parameters
    ----------
    bench : Bench
    read : callable, optional
        As in `build`.

    Returns
    -------
    Series of str
        For each mention `asserted` or a subtype.
    """
    read = read or _rules()
    captions = bench.items.set_index("item")["response"].to_dict()
    said = pd.Series("", index=bench.mentions.index, dtype=tables.TEXT)
    columns = ["start", "end", "surface", "concept"]
    for item, rows in bench.mentions.groupby("item", sort=False):
        named = [Mention(*row) for row in rows[columns].itertuples(index=False, name=None)]
        said[rows.index] = [one.subtype for one in read(captions[item], named)]
    return said


def _rules() -> Reader:
    from sheeplib.mentions.assertion import assertion

    return assertion


def meadow_bench(models: Sequence[str] | None = None) -> Bench:
    """The bench of meadow's five captioners, whose scenes and sentences are known exactly.

    Parameters
    ----------
    models : sequence of str, optional
        Captioners; all if not given.

    Raises
    ------
    InputError
        As `meadow.captions`.
    """
    captions = meadow.captions(models)
    shown = {image: frozenset(named_scene(image).kinds) for image in captions.items["image"].unique()}
    objects = Objects(tuple(KINDS), shown)
    responses = captions.mentions["item"].map(captions.items.set_index("item")["response"])
    places = zip(responses, captions.mentions["start"], captions.mentions["end"], strict=True)
    surfaces = pd.Series([text[start:end] for text, start, end in places], dtype=tables.TEXT)
    said = "Scenes are drawn, so presence is known; statuses come from the grammar that reads the captions."
    data = Corpus(
        "meadow", captions.items, lacks=_LACKS, notes=captions.notes, licence=meadow.LICENCE,
        simulated=_SIMULATED, picture=meadow.image, enlarged=partial(meadow.image, size=meadow.PAGE),
    )  # fmt: skip
    return Bench(data, captions.mentions.assign(surface=surfaces), objects, own_synonyms("meadow"), said)


def coco_bench(directory: str | Path, read: Reader | None = None) -> Bench:
    """The bench of real captions of COCO images, labelled by our rules.

    Parameters
    ----------
    directory : str or Path
        With `captions.MODEL.jsonl`, `objects.json` or `objects.json.gz`, and, where CHAIR's list of
        synonyms is to be used, `synonyms.json`; without it, our shorter list is.
    read : callable, optional
        As in `build`.

    Raises
    ------
    InputError
        If a file is missing or wrong.
    """
    data = coco.load(directory=directory)
    place = Path(directory) if Path(directory).is_dir() else Path(directory).parent
    objects = coco.read_objects(coco.objects_file(place))
    own = not (place / SYNONYMS).is_file()
    synonyms = own_synonyms("coco") if own else read_synonyms(place / SYNONYMS)
    said = (
        "Statuses come from our rules, which read the sentence alone. An object counts as present if it is "
        "annotated in COCO or named in a reference caption: so CHAIR's truth and ours are the same here."
    )
    notes = (f"there is no {SYNONYMS}: the package's shorter list is used",) if own else ()
    data = replace(data, notes=(*data.notes, *notes))
    return Bench(data, build(data.items, objects, synonyms, read), objects, synonyms, said)


def open_bench(corpus: str, directory: str | Path | None = None) -> Bench:
    """The bench of a corpus by name: `meadow`, or `coco` with its directory.

    Raises
    ------
    InputError
        If the corpus has no captions, or needs a directory.
    """
    if corpus == "meadow":
        return meadow_bench()
    if corpus != "coco":
        raise InputError(Problem("no captions to look for mentions in", "Use meadow or coco", value=corpus))
    if directory is None:
        raise InputError(Problem("corpus 'coco' needs captions", "Give directory=DIR"))
    return coco_bench(directory)

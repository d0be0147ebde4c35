"""Mentions of objects with what a model gave for each: all that a detector of hallucinated mentions sees.

    clover = meadow_set("clover")
    clover.vectors("lookback")            # one row a mention, for a probe that learns
    clover.scores("svar")                 # one number a mention, by a formula
    clover.select(clover.table["status"] == "concrete")

Which row of the network a vector is read at follows the method (see `sheeplib.features.needs`): what
depends on attention is read where the first token of the mention is predicted, hidden states are those of
its last token. NAME-Bench does not say which of several tokens counts; both choices are inferred.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sheeplib import tables
from sheeplib.corpora import meadow
from sheeplib.detectors.mention_numbers import IMAGE_KEYS, RESPONSE_KEYS, SELF_KEY, Numbers, token_places
from sheeplib.errors import InputError, Problem
from sheeplib.features.store import FeatureStore
from sheeplib.miniatures.caches import mention_rows, open_cache

TEXT_READER = "echo"  # the miniature that reads captions without their images
_ROWS = ["first", "last", "first_token", "last_token"]  # columns that `mention_rows` adds


@dataclass(frozen=True, eq=False)
class MentionSet:
    """Mentions in the captions of one model, and the features that one model gave for them.

    Parameters
    ----------
    captioner : str
        Model that wrote the captions.
    evaluator : str
        Model that read them.
    key : str
        Digest of features and rows: 16 hexadecimal digits. Equal sets have equal keys.
    table : DataFrame
        Table `mentions` with two columns more: `image`, and `position`, which is the place of the
        mention's last token in the caption, from 0. The index runs from 0.
    numbers : Numbers
        What the evaluator gave.
    text_numbers : Numbers, optional
        What a model of text alone gave.
    """

    captioner: str
    evaluator: str
    key: str
    table: pd.DataFrame
    numbers: Numbers
    text_numbers: Numbers | None = None

    def __len__(self) -> int:
        return len(self.table)

    def vectors(self, name: str) -> np.ndarray:
        """What a probe learns from.

        Parameters
        ----------
        name : str
            One of `VECTORS`: `lookback` (a ratio for each layer and head), `hidden_mid` and
            `hidden_last` (a hidden state), `dhcp` (image attention of each layer and head, pooled),
            `halp` (the state of the last prompt token: equal for all mentions of a caption) and `text`
            (a hidden state of a model that sees no image).

        Returns
        -------
        ndarray of float32, (n, d)
            Not standardised.

        Raises
        ------
        InputError
            If there are no such vectors, or the features lack what they are made of.
        """
        if name not in VECTORS:
            raise InputError(Problem("no such vectors", f"Choose one of {', '.join(VECTORS)}", value=name))
        found = np.asarray(VECTORS[name](self), dtype=np.float32)
        return found.reshape(len(found), -1)

    def scores(self, name: str, **options: Any) -> np.ndarray:
        """Scores of a detector that needs no training.

        Parameters
        ----------
        name : str
            One of `sheeplib.detectors.training_free.TRAINING_FREE`.
        **options
            As the detector takes them.

        Returns
        -------
        ndarray of float64, (n,)
            Higher for what is more likely hallucinated.

        Raises
        ------
        InputError
            If there is no such detector, or the features lack what it reads.
        """
        from sheeplib.detectors.training_free import score  # it imports this module

        return score(self, name, **options)

    def select(self, mask: ArrayLike) -> MentionSet:
        """Some of the mentions.

        Parameters
        ----------
        mask : array of bool (n,), or of int
            Truth values (missing ones are false), or rows in the order wanted.

        Raises
        ------
        InputError
            If the number of truth values is not that of mentions.
        """
        rows = _chosen(mask, len(self))
        text = None if self.text_numbers is None else _some(self.text_numbers, rows)
        return replace(
            self,
            key=_digest(self.key, rows),
            table=self.table.iloc[rows].reset_index(drop=True),
            numbers=_some(self.numbers, rows),
            text_numbers=text,
        )


def meadow_set(captioner: str, evaluator: str | None = None) -> MentionSet:
    """Mentions in captions of the meadow, with the features that come with the package; needs no torch.

    Parameters
    ----------
    captioner : str
        `clover`, `daisy`, `fern`, `heather` or `thistle`.
    evaluator : str, optional
        The captioner itself if not given; the others have read the captions of `clover`.

    Returns
    -------
    MentionSet
        A sample of the mentions; see `sheeplib.miniatures.caches`.

    Raises
    ------
    InputError
        If there is no such captioner, or the evaluator has not read its captions.
    """
    store = _cache(f"{evaluator or captioner}-reads-{captioner}")
    told = meadow_captions(captioner)
    return read_set(told.items, told.mentions, store, _cache(f"{TEXT_READER}-reads-all"))


@lru_cache(maxsize=8)
def meadow_captions(captioner: str) -> meadow.Captions:
    """All captions of one captioner of the meadow, and their mentions; read once a process.

    Raises
    ------
    InputError
        If there is no such captioner.
    """
    return meadow.captions([captioner])


def read_set(
    captions: pd.DataFrame,
    mentions: pd.DataFrame,
    store: FeatureStore,
    text_store: FeatureStore | None = None,
) -> MentionSet:
    """Mentions in anybody's captions, with features extracted before.

    Parameters
    ----------
    captions : DataFrame
        Table `items`: captions, all of one model.
    mentions : DataFrame
        Table `mentions`. Those of which the store has no token are left out.
    store : FeatureStore
        Features of the captions, with the tokens of the mentions kept.
    text_store : FeatureStore, optional
        Features of the same captions by a model that reads text alone.

    Returns
    -------
    MentionSet

    Raises
    ------
    InputError
        If the captions are not those of one model, a mention is in none of them, or no mention has
        features.
    """
    captions, mentions = tables.validate("items", captions), tables.validate("mentions", mentions)
    images = captions.set_index("item")[["image", "model"]]
    found = mention_rows(store, mentions)
    if foreign := sorted(set(mentions["item"]) - set(captions["item"])):
        raise InputError(Problem("a mention is in none of the captions", field="item", value=foreign[0]))
    if (homeless := images["image"].isna()).any():
        what, remedy = "caption without an image", "Name it: mentions of an image are kept together"
        raise InputError(Problem(what, remedy, field="image", value=images.index[homeless][0]))
    if found.empty:
        remedy = "Give mentions of the captions whose features were extracted"
        raise InputError(Problem("no mention has features", remedy, path=store.path))
    writers = images.loc[found["item"], "model"].unique().tolist()
    if len(writers) != 1 or pd.isna(writers[0]):
        remedy = "Give the captions of one model, with its name in the column 'model'"
        raise InputError(Problem("the captions are not those of one model", remedy, value=writers))
    table = found.drop(columns=_ROWS).assign(
        image=images.loc[found["item"], "image"].array,
        position=token_places(store)[0][found["last_token"]],
    )
    text = None if text_store is None else Numbers(text_store, _matched(text_store, table))
    numbers = Numbers(store, found[["item", *_ROWS]].astype(dict.fromkeys(_ROWS, "Int64")))
    seeds = store.shards.key + ("" if text_store is None else text_store.shards.key)
    key = _digest(seeds, numbers.rows["first_token"].to_numpy(np.int64))
    return MentionSet(str(writers[0]), str(store.header["model"]), key, table, numbers, text)


def lookback(mentions: MentionSet) -> np.ndarray:
    """Lookback ratios: how much each head looks at an image token rather than at a token it has written.

    Returns
    -------
    ndarray (n, L, H)
        Mean attention to an image token over the sum of that and the mean attention to a token of the
        caption so far, at the row that predicts the mention's first token. 1 where nothing is written
        yet. Keys out of a sliding window count, with 0.

    Source
    ------
    Lookback Lens (arXiv 2407.07071): means per key. That the image is the context, and that the row is
    that of the first token alone, is inferred.
    """
    masses = mentions.numbers.array("attention_masses:heads@gen").astype(np.float64)
    images = mentions.numbers.of_item("image_tokens")[:, None, None]
    written = mentions.numbers.column("token")[:, None, None]  # the row's own token is among them
    seen = masses[..., IMAGE_KEYS] / images
    said = np.where(written > 0, masses[..., RESPONSE_KEYS] + masses[..., SELF_KEY], 0) / np.maximum(
        written, 1
    )
    return np.divide(seen, seen + said, out=np.full(seen.shape, 0.5), where=seen + said > 0)


def _hidden(layer: str, mentions: MentionSet) -> np.ndarray:
    return mentions.numbers.array(f"hidden:{layer}@own", "last")


def _text(mentions: MentionSet) -> np.ndarray:
    if mentions.text_numbers is None:
        remedy = (
            "Let one read them: sheep features extract --evaluator smollm2 --items captions.jsonl --mentions"
            " mentions.json --needs hidden:mid@own --root text; or leave text_only out"
        )
        raise InputError(Problem("no model of text has read these captions", remedy))
    return mentions.text_numbers.array("hidden:mid@own", "last")


# Names of vectors that probes learn from, and how each is read.
VECTORS: Mapping[str, Callable[[MentionSet], np.ndarray]] = MappingProxyType({
    "lookback": lookback,
    "hidden_mid": partial(_hidden, "mid"),
    "hidden_last": partial(_hidden, "last"),
    "dhcp": lambda mentions: mentions.numbers.array("image_attention:heads@gen"),
    "halp": lambda mentions: mentions.numbers.of_item("prompt_state:3/4"),
    "text": _text,
})  # fmt: skip


def _matched(store: FeatureStore, table: pd.DataFrame) -> pd.DataFrame:
    """Rows of another store for the same mentions; missing where it has none."""
    found = mention_rows(store, table)[["item", "mention", *_ROWS]]
    rows = table[["item", "mention"]].merge(found, on=["item", "mention"], how="left")
    return rows.drop(columns="mention").astype(dict.fromkeys(_ROWS, "Int64"))


def _some(numbers: Numbers, rows: np.ndarray) -> Numbers:
    return replace(numbers, rows=numbers.rows.iloc[rows].reset_index(drop=True))


def _chosen(mask: ArrayLike, count: int) -> np.ndarray:
    values = pd.array(np.asarray(mask) if not isinstance(mask, pd.Series) else mask.array)
    if values.dtype.kind in "iu":
        return values.to_numpy(dtype=np.int64)
    if values.dtype.kind != "b" or len(values) != count:
        what = f"mentions are chosen by {count} truth values, or by rows"
        raise InputError(Problem(what, value=f"{len(values)} of type {values.dtype}"))
    return np.flatnonzero(values.to_numpy(dtype=bool, na_value=False))


def _digest(text: str, rows: np.ndarray) -> str:
    content = text.encode() + np.ascontiguousarray(rows, dtype="<i8").tobytes()
    return hashlib.sha256(content).hexdigest()[:16]


@lru_cache(maxsize=32)
def _cache(name: str) -> FeatureStore:
    return open_cache(name)

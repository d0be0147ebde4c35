"""Rows of a feature store as mentions see them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from sheeplib.errors import InputError, Problem
from sheeplib.features.store import PLACES, FeatureStore

IMAGE_KEYS, RESPONSE_KEYS, SELF_KEY = 1, 3, 4  # places on the last axis of `attention_masses`


@dataclass(frozen=True, eq=False)
class Numbers:
    """A feature store as mentions see it: a row of each array for each of n mentions.

    Parameters
    ----------
    store : FeatureStore
    rows : DataFrame
        Columns `item`, `first`, `last`, `first_token` and `last_token`, as `mention_rows` gives them; a
        row a mention. Where the store lacks a mention, they are missing.
    """

    store: FeatureStore
    rows: pd.DataFrame

    def array(self, name: str, place: str = "first") -> np.ndarray:
        """Rows of an array at the first or the last token of each mention.

        Raises
        ------
        InputError
            If the store has no such array, or none of these rows.
        """
        if name not in self.store.arrays():
            raise InputError(_absent(self.store, name))
        values = _array(self.store, name)
        if len(values) == self._kept:
            return np.asarray(values[self._places(place)])
        return np.asarray(values[self._places(f"{place}_token")])

    def window(self, name: str, size: int) -> np.ndarray:
        """Rows (n, size, ...) of an array for the `size` tokens that end with each mention.

        Rows before the first token of a caption are NaN.

        Raises
        ------
        InputError
            As `array`; or if the store does not have the array at every token.
        """
        if name not in self.store.arrays():
            raise InputError(_absent(self.store, name))
        values, (tokens, items) = _array(self.store, name), token_places(self.store)
        ends = self._places("last_token")
        rows = ends[:, None] - np.arange(size - 1, -1, -1)
        back = tokens[ends][:, None] - np.arange(size - 1, -1, -1)  # index in the caption
        inside = (rows >= 0) & (back >= 0)
        there = rows.clip(min=0)
        kept = (tokens[there] == back) & (items[there] == items[ends][:, None])
        if len(values) != len(tokens) or (inside & ~kept).any():
            what = f"'{name}' is not there for the {size} tokens that end with each mention"
            raise InputError(Problem(what, "Extract it for all tokens", path=self.store.path))
        found = values[there].astype(np.float32)
        found[~inside] = np.nan
        return np.asarray(found)

    def column(self, name: str, place: str = "first") -> np.ndarray:
        """A column of the table of tokens, as `array`.

        Raises
        ------
        InputError
            If the store has no such column.
        """
        if name not in (*PLACES, *self.store.columns()):
            raise InputError(_absent(self.store, name))
        return np.asarray(_column(self.store, name)[self._places(f"{place}_token")])

    def of_item(self, name: str) -> np.ndarray:
        """Rows of an array that has one for each caption: those of the mentions' captions.

        `name` may also be a column of the store's `items()`, such as `image_tokens`.

        Raises
        ------
        InputError
            If the store has neither.
        """
        items = _items(self.store)
        places = items.index.get_indexer(self.rows["item"].astype(str))
        if name in items:
            return items[name].to_numpy()[places]
        if name not in self.store.item_arrays():
            raise InputError(_absent(self.store, name))
        return np.asarray(_item_array(self.store, name)[places])

    def each(self, column: str) -> list[np.ndarray]:
        """A column of the table of tokens at all tokens of each mention.

        Raises
        ------
        InputError
            As `column`; or if the table lacks tokens between the first and the last of a mention.
        """
        if column not in self.store.columns():
            raise InputError(_absent(self.store, column))
        values, (tokens, _) = _column(self.store, column), token_places(self.store)
        first, last = self._places("first_token"), self._places("last_token")
        if (tokens[last] - tokens[first] != last - first).any():
            what = "the table of tokens has gaps within mentions"
            raise InputError(Problem(what, "Extract it for all tokens", path=self.store.path))
        return [values[start : end + 1] for start, end in zip(first, last, strict=True)]

    @property
    def _kept(self) -> int:
        return int(_column(self.store, "kept").astype(bool).sum())

    def _places(self, column: str) -> np.ndarray:
        places = self.rows[column]
        if places.isna().any():
            lost = self.rows["item"][places.isna()].iloc[0]
            remedy = "Extract features of all captions, and keep the tokens of all mentions"
            what = f"{int(places.isna().sum())} mentions have no features"
            raise InputError(Problem(what, remedy, path=self.store.path, value=lost))
        return places.to_numpy(np.int64)


def _absent(store: FeatureStore, name: str) -> Problem:
    remedy = f"Extract it: sheep features extract --evaluator {store.header['model']} --needs {name}"
    return Problem(f"the features lack '{name}'", remedy, path=store.path)


# A store's files are pressed; what was read once is kept while the store is in use.
@lru_cache(maxsize=64)
def _array(store: FeatureStore, name: str) -> np.ndarray:
    return store.array(name)


@lru_cache(maxsize=64)
def _item_array(store: FeatureStore, name: str) -> np.ndarray:
    return store.item_array(name)


@lru_cache(maxsize=64)
def _column(store: FeatureStore, name: str) -> np.ndarray:
    return store.tokens([name])[name].to_numpy()


@lru_cache(maxsize=16)
def token_places(store: FeatureStore) -> tuple[np.ndarray, np.ndarray]:
    """Of each row of the table of tokens, its place in the answer and a number for the answer."""
    tokens = store.tokens([])
    return tokens["token"].to_numpy(), pd.factorize(tokens["item"])[0]


@lru_cache(maxsize=16)
def _items(store: FeatureStore) -> pd.DataFrame:
    return store.items().set_index("item")

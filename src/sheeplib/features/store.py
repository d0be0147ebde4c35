"""The feature store: what an evaluator model gave for each token, read without torch."""

from __future__ import annotations

import copy
import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sheeplib import tables
from sheeplib.errors import InputError, Problem
from sheeplib.features import columns as stored
from sheeplib.features.files import ITEM, ITEMS, KEPT, PRESSED, REASON, TOKEN, TOKENS, VECTORS, encode_shard
from sheeplib.manifests import AGAIN
from sheeplib.shards import Shards

__all__ = ["KIND", "PLACES", "FeatureStore", "encode_shard"]

KIND = "features"  # what the header of a run says it holds
PLACES = ("item", "evaluator", "token", "start", "end")  # columns that say which token a row is about


class FeatureStore:
    """Features on disk, over all shards, in the order of the items.

    Files are opened when they are asked for, and verified the first time.

    Parameters
    ----------
    path : Path
        Directory of the run.
    partial : bool
        Whether to be content with the shards that are there.

    Raises
    ------
    InputError
        If the directory is no feature store, was altered, or lacks shards.
    """

    def __init__(self, path: str | Path, partial: bool = False) -> None:
        self.shards = Shards.open(path)
        if self.header.get("kind") != KIND:
            what = "a run that holds no features"
            raise InputError(
                Problem(what, "Choose another directory", path=path, value=self.header.get("kind"))
            )
        missing = self.shards.missing()
        if missing and not partial:
            what = f"{len(missing)} of {self.shards.count} shards are missing"
            raise InputError(Problem(what, "Run the extraction again, which goes on with them", path=path))
        self._there = sorted(set(range(self.shards.count)) - set(missing))
        self._verified: set[tuple[int, str]] = set()

    @classmethod
    def find(cls, directory: str | Path) -> list[FeatureStore]:
        """All feature stores in a directory, whether complete or not.

        Raises
        ------
        InputError
            Naming each run there that was altered.
        """
        found = Shards.find(directory)
        return [cls(run.home, partial=True) for run in found if run.header.get("kind") == KIND]

    @property
    def header(self) -> Mapping[str, Any]:
        """All that determined the features, such as the model, its revision and the needs."""
        return self.shards.header

    @property
    def path(self) -> Path:
        """The directory."""
        return self.shards.home

    def tokens(self, columns: Iterable[str] | None = None) -> pd.DataFrame:
        """Table `tokens`: one row a token of an answer.

        Parameters
        ----------
        columns : iterable of str, optional
            Features to read beside `item`, `evaluator`, `token`, `start` and `end`; default all.

        Raises
        ------
        InputError
            If there is no such feature, a shard is damaged, or the table is not a table `tokens`.
        """
        paths = self._files(TOKENS)
        if not any(stored.about_table(path)[0] for path in paths):
            return tables.empty("tokens")
        known = [*PLACES, *self.columns()]
        wanted = known if columns is None else list(dict.fromkeys([*PLACES, *columns]))
        _check_known(wanted, known, "column of tokens")
        return tables.validate("tokens", stored.decode_tables(paths, wanted), self.path)

    def array(self, name: str) -> np.ndarray:
        """A feature with a row for each token.

        Parameters
        ----------
        name : str
            One of `arrays()`.

        Returns
        -------
        ndarray of shape (tokens, ...)
            Rows are those of `rows(name)`: all of `tokens()`, or those whose column `kept` is true.

        Raises
        ------
        InputError
            If there is no such feature, or a shard is damaged.
        """
        return self._array(TOKEN, name)

    def dtype(self, name: str) -> np.dtype:
        """Type of what `array` gives."""
        return stored.common_type(self._holders(TOKEN, name), TOKEN + name)

    def rows(self, name: str) -> pd.DataFrame:
        """The tokens that the rows of an array belong to: table `tokens` without features."""
        _check_known([name], self.arrays(), "array")
        tokens = self.tokens([KEPT] if KEPT in self.columns() else [])
        if self.arrays()[name][0] < len(tokens):
            tokens = tokens[tokens[KEPT].astype(bool)].reset_index(drop=True)
        return tokens[list(PLACES)]

    def columns(self) -> tuple[str, ...]:
        """Names of the features in `tokens()`."""
        abouts = [stored.about_table(path) for path in self._files(TOKENS)]
        names = next((names for count, names in abouts if count), [])
        return tuple(name for name in names if name not in PLACES)

    def arrays(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the features that `array` gives, by name; the first axis is that of tokens."""
        return self._all_shapes(TOKEN)

    def items(self) -> pd.DataFrame:
        """One row an item that was read: `item`, `evaluator` and counts of tokens."""
        items = self._items
        items = items[items[REASON].isna()].drop(columns=REASON).reset_index(drop=True)
        whole = [name for name in items if str(items[name].dtype) == "Int64" and not items[name].isna().any()]
        return items.astype(dict.fromkeys(whole, "int64"))

    def item_array(self, name: str) -> np.ndarray:
        """A feature with a row for each of `items()`; `name` is one of `item_arrays()`.

        Raises
        ------
        InputError
            If there is no such feature, or a shard is damaged.
        """
        return self._array(ITEM, name)

    def item_arrays(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the features that `item_array` gives, by name; the first axis is that of items."""
        return self._all_shapes(ITEM)

    def left_out(self) -> dict[str, str]:
        """Items that could not be read, and why."""
        rows = self._items[self._items[REASON].notna()]
        return dict(zip(rows["item"], rows[REASON], strict=True))

    def verify(self) -> list[Problem]:
        """Everything wrong with the files that are there, read to the last byte."""
        return self.shards.verify()

    def info(self) -> dict[str, Any]:
        """What the store holds, and how it was made.

        Returns
        -------
        dict
            `key`, `path`, `shards` (number in all), `done` (shards that are there), `items`, `tokens`
            and `left_out` (in those), `bytes`, and the facts of the header.
        """
        files = [file for index in self._there for file in self.shards.path(index).iterdir()]
        items = self.items()
        return {
            "key": self.shards.key,
            "path": str(self.path),
            "shards": self.shards.count,
            "done": len(self._there),
            "items": len(items),
            "tokens": int(items["tokens"].sum()) if "tokens" in items else 0,
            "left_out": len(self.left_out()),
            "bytes": sum(file.stat().st_size for file in files),
            **{name: value for name, value in self.header.items() if name not in ("kind", "samples")},
        }

    def by_shard(self) -> Iterator[FeatureStore]:
        """The store of each shard alone, for work that need not hold all of them in memory."""
        for index in self._there:
            part = copy.copy(self)
            part._there = [index]
            for name in ("_items", "_shapes"):  # what is known of all shards
                part.__dict__.pop(name, None)
            yield part

    def export(self, path: str | Path, format: str = "csv", wide: bool = False) -> list[str]:
        """Write one wide table: as `sheeplib.features.export.export`, which see."""
        from sheeplib.features.export import export

        return export(self, Path(path), format, wide)

    def _files(self, name: str) -> list[Path]:
        """A file of each shard, verified."""
        paths = []
        for index in self._there:
            if (index, name) not in self._verified:
                self.shards.read(index, name)
                self._verified.add((index, name))
            paths.append(self.shards.path(index) / name)
        return paths

    @cached_property
    def _items(self) -> pd.DataFrame:
        paths = self._files(ITEMS)
        blank = pd.DataFrame({name: pd.array([], dtype=tables.TEXT) for name in ("item", REASON)})
        return stored.decode_tables(paths) if paths else blank

    @cached_property
    def _shapes(self) -> list[dict[str, tuple[int, ...]]]:
        return [stored.shapes(path) for path in self._files(self._vectors)]

    @property
    def _vectors(self) -> str:
        return PRESSED if self.header.get("packed") else VECTORS

    def _all_shapes(self, prefix: str) -> dict[str, tuple[int, ...]]:
        found: dict[str, tuple[int, ...]] = {}
        for shapes in self._shapes:
            for name, (count, *row) in shapes.items():
                before = found.get(name, (0,))[0]
                found[name] = (before + count, *row)
        return {name.removeprefix(prefix): found[name] for name in sorted(found) if name.startswith(prefix)}

    def _array(self, prefix: str, name: str) -> np.ndarray:
        return stored.decode_arrays(self._holders(prefix, name), prefix + name)

    def _holders(self, prefix: str, name: str) -> list[Path]:
        """The files that hold an array."""
        _check_known([name], self._all_shapes(prefix), "array")
        has = [prefix + name in shapes for shapes in self._shapes]
        for tokens, there in zip(self._files(TOKENS), has, strict=True):
            if not there and stored.about_table(tokens)[0]:  # else all items of the shard were left out
                raise InputError(Problem(f"shard lacks array '{prefix}{name}'", AGAIN, path=tokens.parent))
        return [path for path, there in zip(self._files(self._vectors), has, strict=True) if there]


def _check_known(names: Iterable[str], known: Collection[str], kind: str) -> None:
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            meant = f"Did you mean '{near[0]}'? " if near else ""
            raise InputError(
                Problem(f"no {kind} '{name}' in this store", f"{meant}There are: {', '.join(known)}")
            )

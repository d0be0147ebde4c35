"""The files of one shard of features.

`tokens.parquet` is the table `tokens` with features, `items.parquet` the items that were read, then those
that were left out with the reason, and `vectors.safetensors` holds arrays with a row for each token
(`token/NAME`) or each item that was read (`item/NAME`). A packed shard has the same content in less
room: the arrays are pressed, see `sheeplib.features.packing`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from sheeplib import tables
from sheeplib.errors import InputError, Problem
from sheeplib.features import columns as stored
from sheeplib.features import packing

if TYPE_CHECKING:
    from sheeplib.features.extract import Features

TOKENS, ITEMS, VECTORS = "tokens.parquet", "items.parquet", "vectors.safetensors"
PRESSED = VECTORS + packing.ENDING  # in place of it in a packed shard
KEPT, REASON = "kept", "left_out"  # columns: whether large arrays have a row for the token; why not read
TOKEN, ITEM = "token/", "item/"


def encode_shard(features: Features, packed: bool = False) -> Mapping[str, bytes]:
    """The files of one shard; equal features give equal bytes.

    Parameters
    ----------
    features : Features
        From `sheeplib.features.extract.extract`.
    packed : bool
        Whether to take the time to make them small; the header of the run must say so: `packed`.

    Raises
    ------
    InputError
        If an array has not a row for each token, each kept token or each item, or something is of a
        type that cannot be stored.
    """
    tokens, items = features.tokens, features.items
    kept = len(tokens) if KEPT not in tokens else int(tokens[KEPT].sum())
    _check_rows(features.arrays, {len(tokens), kept}, "token")
    _check_rows(features.item_arrays, {len(items)}, "item")
    arrays = {TOKEN + name: array for name, array in features.arrays.items()}
    arrays |= {ITEM + name: array for name, array in features.item_arrays.items()}
    return {
        TOKENS: stored.encode_table(tokens, packed),
        ITEMS: stored.encode_table(_with_left_out(items, features.left_out), packed),
        PRESSED if packed else VECTORS: stored.encode_arrays(arrays, packed),
    }


def _check_rows(arrays: Mapping[str, np.ndarray], allowed: set[int], place: str) -> None:
    for name, array in arrays.items():
        if array.ndim == 0 or len(array) not in allowed:
            counts = " or ".join(map(str, sorted(allowed)))
            what = f"array has not one row for each {place}: {counts} expected"
            raise InputError(
                Problem(what, "This is a mistake of what made it", field=name, value=array.shape)
            )


def _with_left_out(items: pd.DataFrame, left_out: Mapping[str, str]) -> pd.DataFrame:
    """The table `items.parquet`: items that were read first, then the others, each with its reason."""
    kinds = {"i": "Int64", "u": "UInt64", "b": "boolean"}  # which may be missing
    kind = {name: read.dtype.kind for name, read in items.items() if isinstance(read.dtype, np.dtype)}
    table = items.astype({name: kinds[kind[name]] for name in kind if left_out and kind[name] in kinds})
    table = table.reset_index(drop=True).reindex(range(len(items) + len(left_out)))
    table["item"] = pd.array([*items.get("item", []), *left_out], dtype=tables.TEXT)
    table[REASON] = pd.array([pd.NA] * len(items) + list(left_out.values()), dtype=tables.TEXT)
    return table

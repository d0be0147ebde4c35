"""Features of tokens as one wide table, for other programs."""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from sheeplib import drafts
from sheeplib.errors import InputError, Problem
from sheeplib.features import columns as stored

if TYPE_CHECKING:
    from sheeplib.features.store import FeatureStore

FORMATS = ("csv", "parquet")
WIDE = 64  # columns; arrays that would need more are vectors, which no spreadsheet wants


def export(store: FeatureStore, path: Path, format: str = "csv", wide: bool = False) -> list[str]:
    """Write the features of tokens as one wide table, a shard at a time.

    The columns of `tokens()` come first. An array with the name `attention_entropy@own` gives the columns
    `attention_entropy@own_00`, `attention_entropy@own_01` and so on, with one number for each axis.
    Tokens without a row in an array have empty cells there.

    Text is written as it is. A spreadsheet may take an identifier that begins with `=`, `+`, `-` or `@`
    for a formula: import such columns as text.

    Parameters
    ----------
    store : FeatureStore
    path : Path
        File to write, or to replace once the new one is whole.
    format : {"csv", "parquet"}
        CSV is UTF-8 with quoted text and an empty cell for what is missing.
    wide : bool
        Whether arrays that need more than `WIDE` columns are written, too.

    Returns
    -------
    list of str
        Arrays that were not written because they are too wide.

    Raises
    ------
    InputError
        If there is no such format, the store is damaged, or the file cannot be written.
    """
    if format not in FORMATS:
        raise InputError(Problem("unknown format", f"Use {' or '.join(FORMATS)}", value=format))
    names = [name for name, (_, *row) in store.arrays().items() if wide or math.prod(row) <= WIDE]
    kinds = {name: store.dtype(name) for name in names}
    if not len(store.tokens([])):
        raise InputError(Problem("no tokens in this store", "Read some answers first", path=store.path))
    parts = (_wide(part, kinds) for part in store.by_shard() if len(part.tokens([])))
    try:
        if path.is_dir():
            raise IsADirectoryError(21, "Is a directory")
        with drafts.replacing(path) as draft:
            (_write_csv if format == "csv" else _write_parquet)(draft, parts)
    except OSError as error:
        remedy = "Choose another file, free space or change permissions"
        raise InputError(Problem(f"cannot be written: {error.strerror}", remedy, path=path)) from None
    return [name for name in store.arrays() if name not in names]


def _wide(store: FeatureStore, kinds: Mapping[str, np.dtype]) -> pd.DataFrame:
    """Tokens with arrays as columns, in the types that all shards have room in."""
    tokens = store.tokens()
    parts = [tokens]
    for name, kind in kinds.items():
        array = store.array(name).astype(kind)
        whole = np.arange(len(tokens)) if len(array) == len(tokens) else np.flatnonzero(tokens["kept"])
        flat = pd.DataFrame(array.reshape(len(array), -1), whole, _labels(name, array.shape[1:]))
        if "kept" in tokens and array.dtype.kind in "iub":  # of one type, whether all tokens are kept or not
            flat = flat.astype("boolean" if array.dtype.kind == "b" else "Int64")
        parts.append(flat.reindex(tokens.index))
    return pd.concat(parts, axis=1)


def _labels(name: str, shape: tuple[int, ...]) -> list[str]:
    axes = [[f"_{place:0{len(str(size - 1))}}" for place in range(size)] for size in shape]
    return [name + "".join(places) for places in itertools.product(*axes)]


def _write_csv(path: Path, parts: Iterator[pd.DataFrame]) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        for place, part in enumerate(parts):
            # All text in quotation marks: some versions of csv leave a bare carriage return outside them.
            part.to_csv(
                file, index=False, header=place == 0, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC
            )


def _write_parquet(path: Path, parts: Iterator[pd.DataFrame]) -> None:
    import pyarrow.parquet

    writer: Any = None
    for part in parts:
        table = stored.to_arrow(part)
        writer = writer or pyarrow.parquet.ParquetWriter(path, table.schema, **stored.WRITING)
        writer.write_table(table.cast(writer.schema))
    if writer:
        writer.close()

"""Whether cached features are those that the models give: some texts are read again and compared."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from sheeplib.features.extract import Features
from sheeplib.features.store import PLACES, FeatureStore
from sheeplib.miniatures.caches import CACHES
from sheeplib.miniatures.condensation import grain_of
from sheeplib.miniatures.extraction import extracted, loading_of, read_texts
from sheeplib.models import runs
from sheeplib.resample import generator

Difference = tuple[str, str, str]  # what it is about, what is shipped, what was made again


def reread(
    name: str, store: FeatureStore, count: int, seed: int, models: Path | None, data: Path | None
) -> tuple[int, list[Difference]]:
    """Read some texts of a cache again.

    Parameters
    ----------
    name : str
        Key of `caches.CACHES`.
    store : FeatureStore
        The cache.
    count, seed : int
        Texts to read, and what draws them.
    models, data : Path or None
        Directories of checkpoints by name and of texts; those of the package if None.

    Returns
    -------
    int
        Texts that were read.
    list of Difference
        Numbers that differ by more than a place of the rounding they are kept with.

    Raises
    ------
    InputError
        If the models or texts are not there.
    """
    cache = CACHES[name]
    model = runs.loaded(cache.evaluator, loading_of(cache.evaluator, models))
    if model.revision != store.header["revision"]:
        return 0, [(f"features {name}: weights of {model.name}", store.header["revision"], model.revision)]
    answers = read_texts(cache, data).answers
    known, items = set(answers.items["item"]), store.items()["item"]
    if lost := sorted(set(items) - known):
        return 0, [(f"features {name}: texts", lost[0], "no text of this name")]
    drawn = generator(seed, "verify", name).choice(len(items), min(count, len(items)), replace=False)
    chosen = items.iloc[np.sort(drawn)].tolist()
    kept = None if store.header["reach"] is None else _kept(store, chosen)
    made = extracted(model, cache, answers.samples(chosen), kept, (*cache.needs, *cache.annex))
    found = [(f"features {name}: {what}", old, new) for what, old, new in _differences(store, made)]
    return len(chosen), found


def _kept(store: FeatureStore, items: list[str]) -> dict[str, list[int]]:
    tokens = store.tokens(["kept"])
    rows = tokens[tokens["kept"].astype(bool) & tokens["item"].isin(items)]
    return {str(item): part["token"].tolist() for item, part in rows.groupby("item")}


def _differences(store: FeatureStore, made: Features) -> Iterator[Difference]:
    """The first difference of each column and array, and the number of all of them."""
    items = list(made.items["item"])
    table = store.tokens()
    table = table[table["item"].isin(items)]
    if not _same_places(table, made.tokens):
        yield "tokens", f"{len(table)}", f"{len(made.tokens)}, or others"
        return
    for name in store.columns():
        yield from _compared(name, table[name].to_numpy(), made.tokens[name].to_numpy())
    for name in store.arrays():
        rows = store.rows(name)["item"].isin(items).to_numpy()
        yield from _compared(name, store.array(name)[rows], made.arrays[name])
    rows = store.items()["item"].isin(items).to_numpy()
    for name in store.item_arrays():
        yield from _compared(name, store.item_array(name)[rows], made.item_arrays[name])


def _same_places(kept: pd.DataFrame, made: pd.DataFrame) -> bool:
    names = list(PLACES)
    return (
        kept[names]
        .reset_index(drop=True)
        .equals(made[names].reset_index(drop=True).astype(kept[names].dtypes))
    )


def _compared(name: str, kept: np.ndarray, made: np.ndarray) -> Iterator[Difference]:
    if kept.shape != made.shape:
        yield name, f"shape {kept.shape}", f"{made.shape}"
        return
    whole = kept.dtype.kind != "f"
    differs = kept != made if whole else ~grain_of(name).near(kept, made)
    if differs.any():
        place = tuple(axis[0] for axis in np.nonzero(differs))
        yield f"{name} ({differs.sum()} of {differs.size} numbers)", str(kept[place]), str(made[place])

"""Numbers with their resamples, so that differences and means of numbers have intervals, too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sheeplib import tables
from sheeplib.errors import InputError, Problem
from sheeplib.retraining.rates import interval_row

KEYS = ("quantity", "model", "detector", "subtype", "subset", "presence")


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers and what they are in each resample of the images.

    Parameters
    ----------
    table : DataFrame
        A row a number: `KEYS` (missing where they do not apply), `n` and `reason`.
    draws : ndarray, shape (rows, 1 + resamples)
        The number itself, then what it is in each resample; columns of all rows belong together.
    """

    table: pd.DataFrame
    draws: np.ndarray

    def __len__(self) -> int:
        return len(self.table)

    def where(self, **keys: str | Sequence[str]) -> Numbers:
        """The rows with these values in these columns."""
        chosen = np.ones(len(self), dtype=bool)
        for column, wanted in keys.items():
            names = [wanted] if isinstance(wanted, str) else list(wanted)
            chosen &= self.table[column].isin(names).to_numpy(bool)
        return Numbers(self.table[chosen].reset_index(drop=True), self.draws[chosen])

    def mean(self) -> np.ndarray:
        """Mean over the rows that have a value, (1 + resamples,); NaN where none has.

        Raises
        ------
        InputError
            If there are no rows.
        """
        if not len(self):
            raise InputError(Problem("no such number", "Choose others"))
        return mean(self.draws[~np.isnan(self.draws[:, 0])])

    def over_models(self) -> Numbers:
        """Means over captioners, those that have a value; `model` is missing, the least `n` counts."""
        rest = [name for name in KEYS if name != "model"]
        groups = self.table.groupby(rest, sort=False, dropna=False)
        code = groups.ngroup().to_numpy()
        rows = groups.agg(n=("n", "min"), reason=("reason", "first")).reset_index()
        return numbers(
            rows.to_dict(orient="records"),
            [mean(self.draws[(code == place) & ~np.isnan(self.draws[:, 0])]) for place in range(len(rows))],
        )

    def results(self, corpus: str, seed: int) -> pd.DataFrame:
        """Table `results` with the columns `KEYS`, and 95 % intervals over images."""
        pairs = zip(self.draws, self.table["reason"], strict=True)
        values = pd.DataFrame([interval_row(draws, why) for draws, why in pairs])
        table = pd.concat([self.table.drop(columns="reason"), values], axis=1)
        table["unit"] = table["quantity"].map(lambda name: pd.NA if name == "auc" else "percent")
        kinds = {"reason": tables.TEXT, "unit": tables.TEXT, "resamples": "Int64"}
        named = table.assign(corpus=corpus, seed=seed, notebook=pd.NA)
        return tables.validate("results", named.astype(kinds))


def mean(draws: np.ndarray) -> np.ndarray:
    """Mean over the first axis of what is there; NaN where nothing is."""
    there = ~np.isnan(draws)
    counts = there.sum(0)
    sums = np.where(there, draws, 0).sum(0)
    return np.divide(sums, counts, out=np.full(counts.shape, np.nan), where=counts > 0)


def numbers(rows: Sequence[Mapping[str, object]], draws: Sequence[np.ndarray]) -> Numbers:
    """Numbers from their keys and their draws."""
    kinds = {name: tables.TEXT for name in (*KEYS, "reason")} | {"n": "Int64"}
    table = pd.DataFrame(list(rows)).reindex(columns=[*KEYS, "n", "reason"]).astype(kinds)
    return Numbers(table, np.stack(draws) if len(rows) else np.zeros((0, 1)))


def joined(parts: Iterable[Numbers]) -> Numbers:
    """Several tables of numbers as one."""
    found = [part for part in parts if len(part)]
    if not found:
        return numbers([], [])
    table = pd.concat([part.table for part in found], ignore_index=True)
    return Numbers(table, np.concatenate([part.draws for part in found]))

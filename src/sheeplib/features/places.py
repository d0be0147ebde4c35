"""Where the tokens of the responses stand in a batch, at the row that predicts them and at their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from sheeplib.errors import InputError, Problem
from sheeplib.models.encoding import Batch


@dataclass(frozen=True)
class Places:
    """The response tokens of a batch: sample after sample, each from its first token to its last.

    Batches are padded on the left, so that all responses end in the last column. The window is the
    last columns from the last prompt token of the longest response on: all rows that are ever read.

    Parameters
    ----------
    width : int
        Columns of the batch, S.
    window : int
        Columns of the window, W: one more than the longest response has tokens.
    sample : LongTensor (N,)
        Row of the batch that each token is in.
    own : LongTensor (N,)
        Column of the batch that each token is in.
    kept : BoolTensor (N,)
        Tokens whose wide rows (vectors, maps) are wanted.
    ends : LongTensor (B,)
        Column of the last prompt token of each sample.
    chosen : bool
        Whether the kept tokens were named, rather than all kept.
    """

    width: int
    window: int
    sample: torch.Tensor
    own: torch.Tensor
    kept: torch.Tensor
    ends: torch.Tensor
    chosen: bool = False

    @classmethod
    def of(cls, batch: Batch, kept: Mapping[str, Sequence[int]] | None = None) -> Places:
        """Find the tokens of a batch.

        Parameters
        ----------
        batch : Batch
        kept : mapping of item to token indices, optional
            Tokens whose wide rows are wanted; items that are not named keep none. None keeps all.

        Raises
        ------
        InputError
            If an index is not that of a token of its response.
        """
        device, width = batch.groups.device, batch.groups.shape[1]
        lengths = np.asarray(batch.responses, dtype=np.int64)
        sample = np.repeat(np.arange(len(lengths)), lengths)
        token = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        wanted = np.full(len(token), kept is None)
        for index, item in enumerate(batch.items if kept is not None else ()):
            chosen = np.asarray(list((kept or {}).get(item, ())), dtype=np.int64)
            outside = chosen[(chosen < 0) | (chosen >= lengths[index])]
            if outside.size:
                remedy = f"Its response has {lengths[index]} tokens, counted from 0"
                raise InputError(
                    Problem(f"item {item}: no such token", remedy, field="kept", value=outside[0])
                )
            wanted[lengths[:index].sum() + chosen] = True

        def there(values: np.ndarray) -> torch.Tensor:
            return torch.from_numpy(values).to(device)

        own = width - lengths[sample] + token
        window = int(lengths.max(initial=0)) + 1
        ends = there(width - lengths - 1)
        return cls(width, window, there(sample), there(own), there(wanted), ends, kept is not None)

    @property
    def start(self) -> int:
        """First column of the window."""
        return self.width - self.window

    def columns(self, row: str) -> torch.Tensor:
        """Columns (N,) that the tokens are read at, for row `gen` or `own`."""
        return self.own - 1 if row == "gen" else self.own

    def pick(self, values: torch.Tensor, row: str, kept: bool = False) -> torch.Tensor:
        """Values (N, ...) of the tokens, or of the kept ones, from those of all columns or of the window."""
        sample, column = self.sample, self.columns(row)
        if kept:
            sample, column = sample[self.kept], column[self.kept]
        return values[sample, column - (self.width - values.shape[1])]

    def rows_of_kept(self, rows: set[str]) -> torch.Tensor:
        """Where in the window (B, W) the rows of kept tokens are, for rows `gen`, `own` or both."""
        found = torch.zeros(len(self.ends), self.window, dtype=torch.bool, device=self.sample.device)
        for row in rows:
            found[self.sample[self.kept], self.columns(row)[self.kept] - self.start] = True
        return found

    def mentions(self) -> torch.Tensor:
        """Number (k,) of the mention, from 0, that each kept token is part of.

        Named tokens that are neighbours are one mention; where all are kept, each is one by itself.
        """
        sample, own = self.sample[self.kept], self.own[self.kept]
        fresh = torch.ones(len(own), dtype=torch.long, device=own.device)
        if self.chosen:
            fresh[1:] = ((sample.diff() != 0) | (own.diff() != 1)).long()
        return fresh.cumsum(0) - 1

    def item(self, batch: Batch, wrong: torch.Tensor, kept: bool = False) -> str:
        """Name the first token that is `wrong` (N,), or (n,) over the kept ones: its item and place."""
        sample, own = (self.sample[self.kept], self.own[self.kept]) if kept else (self.sample, self.own)
        first = int(wrong.nonzero()[0, 0])
        token = int(own[first] - self.ends[sample[first]] - 1)
        return f"{batch.items[int(sample[first])]}, token {token}"

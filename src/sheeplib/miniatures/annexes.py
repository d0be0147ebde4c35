"""Numbers that came later than a cache of features: they lie beside it, so that the cache stays as it was.

An annex holds nothing but arrays, with a row for each kept token of its cache and in the order of these, in
the folder `NAME-annex` beside its own. A store that is opened with its annex has the arrays of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

import numpy as np

from sheeplib.errors import InputError, Problem
from sheeplib.features import columns as stored
from sheeplib.features.files import PRESSED, TOKEN
from sheeplib.features.store import FeatureStore
from sheeplib.models.shipped import MAKE
from sheeplib.shards import Shards

KIND = "annex"
_SAME = ("model", "revision", "samples")  # facts of a header that a cache and its annex share


def annex_of(home: Path) -> Path:
    """Where the annex of a cache lies, whose folder is `home`."""
    return home.with_name(f"{home.name}-annex")


class Annexed(FeatureStore):
    """A cache of features with its annex.

    Parameters
    ----------
    path : Path
        Directory of the cache's run.
    annex : Path
        Directory that holds the run of the annex, and no other.

    Raises
    ------
    InputError
        If one of the two is not there or not whole, or the annex is of another model or other tokens.
    """

    def __init__(self, path: Path, annex: Path) -> None:
        super().__init__(path)
        runs = [run for run in Shards.find(annex) if run.header.get("kind") == KIND]
        if len(runs) != 1 or not runs[0].complete:
            what = "more than one annex where one is due" if len(runs) > 1 else "no annex of these features"
            raise InputError(Problem(what, f"Make it with `{MAKE}` in a checkout", path=annex))
        self.annex = runs[0]
        others = [name for name in _SAME if self.annex.header.get(name) != self.header.get(name)]
        rows = {shape[0] for shape in self._added.values()}
        if others or rows != {len(self.rows(next(iter(super().arrays()))))}:
            what = f"the annex is of other features ({', '.join(others) or 'number of tokens'})"
            raise InputError(Problem(what, "Make both again: sheep meadow features", path=self.annex.home))

    @cached_property
    def _file(self) -> Path:
        return self.annex.read(0, PRESSED)[PRESSED]

    @cached_property
    def _added(self) -> dict[str, tuple[int, ...]]:
        return stored.shapes(self._file)

    def verify(self) -> list[Problem]:
        """Everything wrong with the files of both, read to the last byte."""
        return super().verify() + self.annex.verify()

    def _all_shapes(self, prefix: str) -> dict[str, tuple[int, ...]]:
        more = {name.removeprefix(TOKEN): shape for name, shape in self._added.items() if prefix == TOKEN}
        found = {**super()._all_shapes(prefix), **more}
        return {name: found[name] for name in sorted(found)}

    def _holders(self, prefix: str, name: str) -> list[Path]:
        return [self._file] if prefix + name in self._added else super()._holders(prefix, name)


def encode_annex(arrays: Mapping[str, np.ndarray]) -> Mapping[str, bytes]:
    """The file of an annex, from arrays with a row for each kept token."""
    return {PRESSED: stored.encode_arrays({TOKEN + name: array for name, array in arrays.items()}, True)}

"""Detectors on trial: what they flag, how well they rank, and what the place in the caption explains.

All numbers are means over splits. Images are resampled, thresholds chosen anew in each resample; probes are
not trained anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from sheeplib.detectors.positions import match, matched_weights, weighted_auroc
from sheeplib.errors import InputError, Problem
from sheeplib.mention_study.judging import Judged
from sheeplib.mention_study.numbers import Numbers, joined, mean, numbers
from sheeplib.mentions.statuses import CONCRETE, HALLUCINATED, NON_ASSERTIVE, SUBTYPES
from sheeplib.retraining.draws import Split
from sheeplib.retraining.rates import Images, flag_rates, interval_row, thresholds

PERCENT = 100
PRESENCE = {"absent": False, "present": True}


def trial(judged: Sequence[Judged], resamples: int = 2000, seed: int = 2026) -> Numbers:
    """All numbers of all captioners.

    Parameters
    ----------
    judged : sequence of Judged
        One for each captioner.
    resamples, seed : int
        Of the bootstrap over images, which all captioners and detectors share.

    Returns
    -------
    Numbers
        In per cent, with `model` (the captioner) and `detector`: `non_assertive_fpr` by `subtype` and for
        `all` of them (subtypes weigh as in nature), also by `presence` of the object;
        `hallucination_tpr`; `concrete_fpr` of held-out concrete mentions that gave no threshold.
        And `auc`: of hallucinated against concrete mentions by `subset` (`all`, `position_matched`), and
        of absent against present objects by `subtype`.

    Raises
    ------
    InputError
        If there is no captioner, or no resample.

    Source
    ------
    NAME-Bench, Tables 4, 7 and 13.
    """
    if not judged:
        raise InputError(Problem("no captioner to judge", "Give one or more"))
    images = Images((name for one in judged for name in one.images), resamples, seed)
    return joined(part for one in judged for part in (_flagged(one, images), _ranked(one, images)))


Cell = tuple[dict[str, str], np.ndarray, bool]


def _cells(one: Judged) -> list[Cell]:
    """What is counted: keys, members among the mentions, and whether subtypes weigh as in nature."""
    status, subtype = one.status, one.subtype
    present = one.mentions.table["present"]
    unclaimed = status == NON_ASSERTIVE
    cells = [
        ({"quantity": "non_assertive_fpr", "subtype": name}, unclaimed & (subtype == name), False)
        for name in SUBTYPES
    ]
    for said, there in PRESENCE.items():
        shown = present.eq(there).fillna(False).to_numpy(bool)
        keys = {"quantity": "non_assertive_fpr", "presence": said}
        hedged = unclaimed & (subtype == "hedged") & shown
        cells += [(keys | {"subtype": "hedged"}, hedged, False)]
        cells += [(keys | {"subtype": "all"}, unclaimed & shown, True)]
    return [*cells, ({"quantity": "hallucination_tpr"}, status == HALLUCINATED, False)]


def _flagged(one: Judged, images: Images) -> Numbers:
    """Rates of flags at a threshold of concrete mentions."""
    cells = _cells(one)
    tests = {seed: _test(one, drawn, cells, images) for seed, drawn in one.splits.items()}
    sizes = np.mean([(test.cells > 0).sum(0) for test in tests.values()], axis=0)
    shares = np.array([one.nature.shares[name] for name in SUBTYPES])
    used = shares > 0
    named = [{"quantity": "non_assertive_fpr", "subtype": "all"}, *(keys for keys, _, _ in cells)]
    named.append({"quantity": "concrete_fpr"})
    counts = [sizes[: len(SUBTYPES)][used].sum(), *sizes]
    rows: list[dict[str, object]] = []
    draws: list[np.ndarray] = []
    for name in one.detectors:
        rates = mean(np.stack([test.rates(one.scores[name, seed]) for seed, test in tests.items()]))
        whole = (shares[used, None] * rates[: len(SUBTYPES)][used]).sum(0) / shares[used].sum()
        for keys, count in zip(named, counts, strict=True):
            rows.append({"model": one.mentions.captioner, "detector": name, **keys, "n": round(float(count))})
        draws += [whole, *rates]
    return numbers(rows, draws)


class _Test(NamedTuple):
    """The held-out mentions of one split."""

    held: np.ndarray  # rows of the set
    known: np.ndarray  # of these, those that give the threshold
    cells: np.ndarray  # how much each counts in each cell
    weights: np.ndarray  # how often each occurs in each resample
    alpha: float

    def rates(self, scores: np.ndarray) -> np.ndarray:
        """Rates of the cells in per cent, (cells, resamples)."""
        given = scores[self.held]
        least = thresholds(given[self.known], self.weights[:, self.known], self.alpha)
        return PERCENT * flag_rates(given, least, self.cells, self.weights)


def _test(one: Judged, drawn: Split, cells: Sequence[Cell], images: Images) -> _Test:
    held, concrete, shares = np.flatnonzero(drawn.held_out), one.status == CONCRETE, one.shares()
    fresh = concrete & drawn.held_out & ~drawn.calibration  # none, where all held-out ones calibrate
    rest = fresh if fresh.any() else concrete
    counted = [np.where(cell, shares, 0) if natural else cell for _, cell, natural in cells]
    table = np.column_stack([*counted, rest]).astype(np.float32)[held]
    return _Test(
        held, (concrete & drawn.calibration)[held], table, images.weights(one.images[held]), one.alpha
    )


def _ranked(one: Judged, images: Images) -> Numbers:
    """AUC of hallucinated against concrete mentions, and of absent against present objects."""
    rows: list[dict[str, object]] = []
    draws: list[np.ndarray] = []
    position = one.mentions.table["position"].to_numpy(np.int64)
    status, weights, shares = one.status, images.weights(one.images), one.shares()
    asserted, wrong = np.isin(status, [CONCRETE, HALLUCINATED]), status == HALLUCINATED
    present = one.mentions.table["present"]
    absent, known = (~present.fillna(True)).to_numpy(bool), present.notna().to_numpy(bool)
    unclaimed = (status == NON_ASSERTIVE) & known
    held = {seed: asserted & drawn.held_out for seed, drawn in one.splits.items()}
    matches = {seed: match(position[rows_], wrong[rows_]) for seed, rows_ in held.items()}
    matched = {
        seed: matched_weights(position[at], wrong[at], weights[:, at], matches[seed].width)
        for seed, at in held.items()
    }
    why = max(found.reason for found in matches.values())
    pairs = float(np.mean([2 * found.n for found in matches.values()]))
    for name in one.detectors:
        keys = {"quantity": "auc", "model": one.mentions.captioner, "detector": name}
        scores = {seed: one.scores[name, seed] for seed in held}
        whole = [weighted_auroc(scores[s][at], wrong[at], weights[:, at]) for s, at in held.items()]
        rows.append(keys | {"subset": "all", "n": round(float(np.mean([at.sum() for at in held.values()])))})
        draws.append(mean(np.stack(whole)))
        same = [weighted_auroc(scores[s][at], wrong[at], matched[s]) for s, at in held.items()]
        rows.append(keys | {"subset": "position_matched", "n": round(pairs), "reason": why or pd.NA})
        draws.append(mean(np.stack(same)) if not why else np.full(len(weights), np.nan))
        for subtype in ("hedged", "all"):
            apart, sizes = [], []
            for seed, drawn in one.splits.items():
                at = unclaimed & drawn.held_out & ((one.subtype == subtype) | (subtype == "all"))
                counted = weights[:, at] * shares[at]
                apart.append(weighted_auroc(scores[seed][at], absent[at], counted))
                sizes.append(at.sum())
            rows.append(keys | {"subtype": subtype, "n": round(float(np.mean(sizes)))})
            draws.append(mean(np.stack(apart)))
    return numbers(rows, draws)


def difference(one: np.ndarray, other: Iterable[float] | np.ndarray) -> tuple[float, float, float]:
    """A difference of two numbers with their draws: value, low and high."""
    row = interval_row(np.asarray(one) - np.asarray(other))
    return float(row["value"]), float(row["low"]), float(row["high"])  # type: ignore[arg-type]

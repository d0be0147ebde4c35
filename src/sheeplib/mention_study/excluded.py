"""What detectors make of the mentions that the benchmark leaves out: the paper's Table 16.

There are few of them. So flags are counted over all splits, also over all captioners together, and a rate
that would rest on fewer than `FEW` mentions is not given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from sheeplib import tables
from sheeplib.detectors.rankings import FEW, ratio
from sheeplib.mention_study.judging import TRAINED, Judged
from sheeplib.mention_study.numbers import Numbers
from sheeplib.mentions.statuses import CONCRETE, EXCLUDED
from sheeplib.retraining.rates import Images, interval_row, thresholds

PROBES = TRAINED[:-1]  # the five of the table: all but HALP
FORMULAS = ("svar", "position_only")  # that of the table, and the baseline
KINDS: Mapping[str, tuple[str, ...]] = {"other": ("generic", "other"), "compound": ("compound",)}
_FEW = f"fewer than {FEW} mentions of this kind"


def table_16(
    judged: Sequence[Judged], found: Numbers, corpus: str, resamples: int, seed: int
) -> pd.DataFrame:
    """Ranges over the five probes, SVAR, and position alone: retained mentions, other ones, compounds.

    Parameters
    ----------
    judged : sequence of Judged
        One for each captioner; with the probes and formulas as far as they are to be there.
    found : Numbers
        From `trials.trial`, of the same.
    corpus : str
    resamples, seed : int
        As for `trials.trial`.

    Returns
    -------
    DataFrame
        Table `results` with `detector_group`, `detector`, `model` and `subtype`, in the shape of print:
        `flag_rate_min`, `flag_rate_max`, `flag_rate` and `held_out_mentions`. Rows without `model` count
        the mentions of all captioners together.

    Source
    ------
    NAME-Bench, Table 16. Mentions of objects at large ("dogs are loyal") are Other.
    """
    images = Images((name for one in judged for name in one.images), resamples, seed)
    whole = {(one.mentions.captioner,): [one] for one in judged} | {(): list(judged)}
    rows: list[dict[str, object]] = []
    for model, some in whole.items():
        keys = {"model": model[0] if model else pd.NA}
        for kind in ("all", *KINDS):
            given = _retained(found, *model) if kind == "all" else _counted(some, kind, images)
            rows += [{**keys, "subtype": kind, **row} for row in _shaped(given)]
        rows.append({**keys, **_held_out(some)})
    frame = pd.DataFrame(rows).assign(corpus=corpus, seed=seed, notebook=pd.NA, paper="namebench", table=16)
    texts = ["quantity", "model", "detector", "detector_group", "subtype", "unit", "reason", "paper"]
    for name in (*texts, "low", "high", "resamples"):
        frame[name] = frame.get(name, pd.NA)
    kinds = dict.fromkeys(texts, tables.TEXT) | {"n": "Int64", "resamples": "Int64"}
    return tables.validate("results", frame.astype(kinds | dict.fromkeys(("low", "high"), "Float64")))


Given = Mapping[str, tuple[np.ndarray, int]]  # draws and number of mentions, by detector


def _retained(found: Numbers, *model: str) -> Given:
    """What is flagged of the non-assertive mentions that are kept; the mean over captioners without one."""
    table = found.table
    kept = table["quantity"].eq("non_assertive_fpr") & table["subtype"].eq("all") & table["presence"].isna()
    if model:
        kept &= table["model"].eq(model[0])
    rows = {name: (kept & table["detector"].eq(name)).to_numpy(bool) for name in (*PROBES, *FORMULAS)}
    return {
        name: (found.draws[at].mean(0), int(table["n"][at].sum())) for name, at in rows.items() if at.any()
    }


def _counted(judged: Sequence[Judged], kind: str, images: Images) -> Given:
    """Share of excluded mentions of a kind that is flagged, counted over captioners and splits."""
    given: dict[str, tuple[np.ndarray, int]] = {}
    members = [(one.status == EXCLUDED) & np.isin(one.subtype, KINDS[kind]) for one in judged]
    n = int(sum(some.sum() for some in members))
    for name in (*PROBES, *FORMULAS):
        parts = [
            _hits(one, name, seed, some, images)
            for one, some in zip(judged, members, strict=True)
            for seed in one.splits
            if (name, seed) in one.scores
        ]
        if parts:
            flagged, counted = np.sum(parts, axis=0)
            given[name] = (100 * ratio(flagged, counted), n)
    return given


def _hits(
    one: Judged, name: str, seed: int, members: np.ndarray, images: Images
) -> tuple[np.ndarray, np.ndarray]:
    """How many held-out members are flagged on one split, and how many there are, in each resample."""
    drawn, scores = one.splits[seed], one.scores[name, seed]
    known, at = (one.status == CONCRETE) & drawn.calibration, members & drawn.held_out
    least = thresholds(scores[known], images.weights(one.images[known]), one.alpha)
    weights = images.weights(one.images[at])
    flagged = weights * (scores[at] > least[:, None])
    return flagged.sum(1, dtype=np.float64), weights.sum(1, dtype=np.float64)


def _shaped(given: Given) -> list[dict[str, object]]:
    """The ends of the range over the probes, and the formulas."""
    rows: list[dict[str, object]] = []
    probes = [given[name] for name in PROBES if name in given]
    if probes:
        draws, n = np.stack([one for one, _ in probes]), probes[0][1]
        for end, chosen in (("min", draws.min(0)), ("max", draws.max(0))):
            rows.append({"quantity": f"flag_rate_{end}", "detector_group": "trained"} | _row(chosen, n))
    alone = [name for name in FORMULAS if name in given]
    return rows + [{"quantity": "flag_rate", "detector": name} | _row(*given[name]) for name in alone]


def _row(draws: np.ndarray, n: int) -> dict[str, object]:
    known = draws if n >= FEW else np.full_like(draws, np.nan)
    return {"n": n, "unit": "percent", **interval_row(known, _FEW if n < FEW else pd.NA)}


def _held_out(judged: Sequence[Judged]) -> dict[str, object]:
    """Other mentions that are held out, on average over splits."""
    counts = [
        (one.status == EXCLUDED) & np.isin(one.subtype, KINDS["other"]) & drawn.held_out
        for one in judged
        for drawn in one.splits.values()
    ]
    value = sum(int(some.sum()) for some in counts) / max(len(judged[0].splits), 1)
    keys = {"quantity": "held_out_mentions", "subtype": "other", "reason": "a count has no interval"}
    return keys | {"value": value, "n": round(value)}

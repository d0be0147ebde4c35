"""Six mentions, one of each kind, before and after a detector has seen examples: the paper's Figure 1."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from sheeplib.errors import InputError, Problem
from sheeplib.mentions.statuses import SUBTYPES
from sheeplib.retraining.studies import Material, Study
from sheeplib.retraining.sweep import Condition

KINDS = ("concrete", "hallucinated", *SUBTYPES)
_SENTENCE = re.compile(r"[^.!?]*[.!?]*\s*")


def six(
    study: Study,
    material: Material,
    detector: str = "lookback",
    seed: int | None = None,
    after: str = "natural",
) -> pd.DataFrame:
    """A typical held-out mention of each kind.

    Typical is the mention whose ranks, before and after, are nearest to the medians of its kind; of equals,
    the one in the shortest sentence.

    Parameters
    ----------
    study : Study
    material : Material
        One of the study's.
    detector : str
    seed : int, optional
        Split; the first of the study if not given.
    after : str
        Budget; before is budget 0.

    Returns
    -------
    DataFrame
        A row a kind: `kind, item, sentence`, `start` and `end` of the mention in the sentence, and `before`
        and `after`, the share of the concrete mentions that give the threshold which score lower, in per
        cent: the detector flags what reaches 100 (1 - alpha).

    Raises
    ------
    InputError
        If the study has not trained the detector with these budgets.

    Source
    ------
    NAME-Bench, Figure 1, which shows scores.
    """
    scores = next(
        (one for one in study.own if one.plan.mentions.captioner == material.own.captioner), study.own[0]
    )
    plan, split_seed = scores.plan, study.design.seeds[0] if seed is None else seed
    pair = [Condition("0"), Condition(after)]
    if detector not in scores.probes or not set(pair) <= set(plan.conditions):
        what = f"no scores of {detector} with budgets 0 and {after} in this study"
        raise InputError(Problem(what, "Train it with these budgets first"))
    table, status = plan.mentions.table, plan.statuses("non-assertive")
    drawn = plan.split(split_seed)
    threshold_from = drawn.calibration & (status == "concrete")
    ranks = [_ranks(scores.of(detector, split_seed, one), threshold_from) for one in pair]
    texts = material.captions.set_index("item")["response"]
    said = [_sentence(texts[row.item], row.start, row.end) for row in table.itertuples()]
    shown = pd.DataFrame(said, columns=["sentence", "start", "end"])
    shown = shown.assign(
        kind=np.where(status == "non-assertive", plan.subtypes, status), item=table["item"].to_numpy(),
        before=ranks[0], after=ranks[1],
    )[drawn.held_out & ~threshold_from]  # fmt: skip
    chosen = [_typical(part) for kind in KINDS if len(part := shown[shown["kind"] == kind])]
    columns = ["kind", "item", "sentence", "start", "end", "before", "after"]
    return pd.DataFrame(chosen)[columns].reset_index(drop=True)


def _ranks(scores: np.ndarray, concrete: np.ndarray) -> np.ndarray:
    """Share of the concrete mentions that score lower, in per cent; none where there are no scores."""
    known = np.sort(scores[concrete])
    ranks = 100 * np.searchsorted(known, scores, side="left") / len(known)
    return np.asarray(np.where(np.isnan(scores), np.nan, ranks))


def _typical(part: pd.DataFrame) -> pd.Series:
    far = sum((part[name] - part[name].median()).abs() for name in ("before", "after"))
    order = pd.DataFrame({"far": far, "length": part["sentence"].str.len(), "item": part["item"]})
    return part.loc[order.sort_values(["far", "length", "item"], kind="stable").index[0]]


def _sentence(text: str, start: int, end: int) -> tuple[str, int, int]:
    """The sentence that a mention stands in, and the mention's place in it."""
    for found in _SENTENCE.finditer(text):
        if found.start() <= start < found.end():
            whole = text[found.start() : max(found.end(), end)]
            kept = whole.rstrip()
            return kept, start - found.start(), min(end - found.start(), len(kept))
    return text, start, end

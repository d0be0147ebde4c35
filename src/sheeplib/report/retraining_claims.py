"""The findings of NAME-Bench on retraining, each as a number that a study can hold or not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from sheeplib import resample
from sheeplib.detectors.probes import TRAINED
from sheeplib.detectors.training_free import SEVEN
from sheeplib.errors import InputError, Problem
from sheeplib.report.claims import Claim
from sheeplib.retraining.rates import Rates
from sheeplib.retraining.studies import SEEN, Study
from sheeplib.retraining.tabulated import PLAIN, hedges_both_ways, seen_and_unseen

FAR = 20.0  # per cent: twice what is allowed of concrete mentions
FEW = 5.0  # per cent of the hallucinations: the paper's filter removes 0.2 to 3.8
_NA = {"quantity": "non_assertive_fpr", "subtype": "all"}
_TPR = {"quantity": "hallucination_tpr"}


_ITSELF = "statuses may come from the rules that filter, which would agree with themselves"


def claims(study: Study, captioners: Sequence[str] | None = None, by_rules: bool = False) -> list[Claim]:
    """The paper's findings, pooled over captioners and probes.

    Parameters
    ----------
    study : Study
    captioners : sequence of str, optional
        Those to pool; all if not given. The comparison of readers takes all.
    by_rules : bool
        Whether statuses may come from the rules that filter; what the filter does then shows nothing.

    Returns
    -------
    list of Claim
        In the order of the paper's tables. What the study has no numbers for is undecided, with a reason.
    """
    names = list(captioners or study.captioners)
    rates, behind = study.rates.where(captioner=names), study.filter.where(captioner=names)
    plain = rates.where(**PLAIN, detector=TRAINED)
    probes = "mean of the trained probes"
    found = [
        _claim(
            "Without non-assertive examples, detectors flag far more of these mentions than of true ones.",
            f"non-assertive mentions flagged, budget 0, {probes} (%)", "Tables 4, 5",
            lambda: _mean(plain, budget="0", **_NA), bound=FAR,
        ),
        _claim(
            "The failure does not come from how hedges are labelled.",
            f"the same for all but hedges, if hedges are claims, {probes} (%)", "Table 15",
            lambda: _mean(
                hedges_both_ways(study).where(captioner=names), hedges="claim", budget="0", detector=TRAINED,
                quantity=_NA["quantity"],
            ), bound=FAR,
        ),
        _claim(
            "A natural share of examples corrects much of it.",
            f"fall of non-assertive mentions flagged, budget 0 to natural, {probes} (points)", "Table 5",
            lambda: _mean(plain, budget="0", **_NA) - _mean(plain, budget="natural", **_NA),
        ),
        _claim(
            "More examples correct more.",
            f"the same, 10 % to max, {probes} (points)", "Table 5",
            lambda: _mean(plain, budget="10", **_NA) - _mean(plain, budget="max", **_NA),
        ),
        _claim(
            "Detectors then catch fewer hallucinations (for all but LLaVA-1.5).",
            f"fall of hallucinations flagged, budget 0 to max, {probes} (points)", "abstract",
            lambda: _mean(plain, budget="0", **_TPR) - _mean(plain, budget="max", **_TPR),
        ),
        _claim(
            "Training on some subtypes helps less with others.",
            f"rise of the rate of a subtype when it is left out at 30 %, {probes} (points)", "Table 6",
            lambda: _unseen(study, names),
        ),
        _claim(
            "Models differ by the captions that they write, not by how they read.",
            "shrinking of the range over models of the rate at the natural budget, when all read the same "
            "captions (points)", "Tables 5, 10",
            lambda: _range(study.rates.where(**PLAIN)) - _range(study.read),
        ),
        _claim(
            "A text filter in front helps detectors that need no training,",
            "fall of non-assertive mentions flagged, mean of seven detectors (points)", "Table 11",
            lambda: _mean(behind, detector=SEVEN, filtered="without", **_NA)
            - _mean(behind, detector=SEVEN, filtered="with", **_NA),
        ),
        _claim(
            "and trained ones beside the examples,",
            f"fall of non-assertive mentions flagged at the natural budget, {probes} (points)", "Table 11",
            lambda: _mean(plain, budget="natural", **_NA)
            - _mean(behind, detector=TRAINED, filtered="with", **_NA),
        ),
        _claim(
            "and removes few hallucinations.",
            "hallucinated mentions that the filter removes (%)", "Table 11",
            lambda: _mean(behind, quantity="hallucinations_removed"), expected="below", bound=FEW,
        ),
    ]  # fmt: skip
    return [
        replace(one, value=np.nan, low=np.nan, high=np.nan, reason=_ITSELF)
        if by_rules and one.source == "Table 11"
        else one
        for one in found
    ]


def by_captioner(study: Study, by_rules: bool = False) -> pd.DataFrame:
    """The verdict on each claim for each captioner by itself; a dash where it takes several."""
    found = {name: [claim.verdict for claim in claims(study, [name], by_rules)] for name in study.captioners}
    pooled = claims(study, None, by_rules)
    table = pd.DataFrame({"claim": [claim.said for claim in pooled], **found})
    table.loc[[claim.source == "Tables 5, 10" for claim in pooled], list(found)] = pd.NA
    return table.astype("string")


def _claim(said: str, measured: str, source: str, draws: Callable[[], np.ndarray], **side: object) -> Claim:
    try:
        found = draws()
    except InputError:
        nothing = "not part of this study"
        return Claim(said, measured, np.nan, np.nan, np.nan, source=source, reason=nothing, **side)  # type: ignore[arg-type]
    span = resample.interval(found[1:])
    return Claim(said, measured, float(found[0]), span.low, span.high, source=source, **side)  # type: ignore[arg-type]


def _mean(rates: Rates, **keys: str | Sequence[str]) -> np.ndarray:
    """One number: the mean over captioners and detectors."""
    return rates.where(**keys).mean("captioner", "evaluator", "detector").one()


def _unseen(study: Study, names: Sequence[str]) -> np.ndarray:
    """Mean over subtypes of the rate without them in training, minus that with them."""
    rates = seen_and_unseen(study).where(captioner=names)
    seen, unseen = (
        rates.where(without=side).mean("captioner", "evaluator", "subtype").one()
        for side in ("seen", "unseen")
    )
    return unseen - seen


def _range(rates: Rates) -> np.ndarray:
    """Largest minus least rate of a model, mean of the probes that see, natural budget."""
    chosen = rates.where(budget="natural", detector=SEEN, **_NA).mean("detector")
    if len(chosen) < 2:
        raise InputError(Problem("fewer than two models to compare"))
    return np.asarray(chosen.draws.max(axis=0) - chosen.draws.min(axis=0))

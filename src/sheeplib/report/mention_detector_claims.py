"""What NAME-Bench finds of detectors without non-assertive training data, as numbers to be held or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
import pandas as pd

from sheeplib.corpora import Corpus
from sheeplib.detectors.training_free import SEVEN
from sheeplib.errors import InputError
from sheeplib.mention_study.excluded import PROBES
from sheeplib.mention_study.numbers import Numbers
from sheeplib.report import scorecard
from sheeplib.report.claims import Claim
from sheeplib.retraining.rates import interval_row

CHANCE = 0.5


def claims(found: Numbers, excluded: pd.DataFrame, alpha: float = 0.1) -> list[Claim]:
    """The paper's findings, as means over captioners.

    Parameters
    ----------
    found : Numbers
        From `mention_study.trials.trial`.
    excluded : DataFrame
        From `mention_study.excluded.table_16`.
    alpha : float
        Share of concrete mentions that may be flagged.

    Returns
    -------
    list of Claim
        What there are no numbers for is undecided, with a reason. Rates are in per cent, and what stands in
        for an AUC is itself.
    """
    each = {name: partial(_rate, found, name) for name in (*PROBES, *SEVEN, "halp")}
    others = [name for name in SEVEN if name != "svar"]
    return [
        _claim(
            "Each trained probe flags non-assertive mentions more often than concrete ones.",
            "the lowest of five probes, % flagged", "Table 4",
            lambda: np.min([each[name]() for name in PROBES], axis=0), bound=100 * alpha,
        ),
        _claim(
            "So does each detector that needs no training.",
            "the lowest of seven, % flagged", "Table 11",
            lambda: np.min([each[name]() for name in SEVEN], axis=0), bound=100 * alpha,
        ),
        _claim(
            "Of these, SVAR flags the most.",
            "SVAR minus the highest of the other six (points)", "Tables 11 and 16",
            lambda: each["svar"]() - np.max([each[name]() for name in others], axis=0),
        ),
        _claim(
            "HALP, which scores a caption before it is written, flags fewer than the other probes.",
            "HALP minus the mean of the five (points)", "Table 4",
            lambda: each["halp"]() - np.mean([each[name]() for name in PROBES], axis=0), expected="below",
        ),
        *(
            _claim(
                f"Absent objects are flagged more often than present ones ({said}).",
                "absent minus present, all subtypes (points)", "Table 7",
                partial(_apart, found, name),
            )
            for name, said in (("hidden_mid", "hidden state, mid"), ("text_only", "text-only LM"))
        ),
        _claim(
            "Mentions are flagged even where the object is there.",
            "hidden state (mid), object present, % flagged", "Table 7",
            lambda: _presence(found, "hidden_mid", "present"), bound=100 * alpha,
        ),
        _claim(
            "The place in the caption alone tells hallucinations.",
            "position only, AUC on all mentions", "Table 13",
            lambda: _auc(found, "position_only", "all"), bound=CHANCE,
        ),
        _claim(
            "PAS measures the place: matched for it, less is left.",
            "PAS, AUC on all minus matched mentions", "Table 13",
            lambda: _auc(found, "pas", "all") - _auc(found, "pas", "position_matched"),
        ),
        *(
            _claim(
                f"{said} measures more than the place.", f"{said}, AUC on matched mentions", "Table 13",
                partial(_auc, found, name, "position_matched"), bound=CHANCE,
            )
            for name, said in (("svar", "SVAR"), ("internal_confidence", "Internal Confidence"))
        ),
        _other(excluded, 100 * alpha),
    ]  # fmt: skip


def completed(results: pd.DataFrame, printed: Iterable[tuple[str, int]], corpus: Corpus) -> pd.DataFrame:
    """As `scorecard.complete`; what is printed of models that wrote none of the captions says so."""
    complete = scorecard.complete(results, printed, corpus)
    strangers = complete["model"].notna() & ~complete["model"].isin(set(corpus.items["model"].dropna()))
    why = f"{corpus.name} has no captions by this model"
    return complete.assign(reason=complete["reason"].mask(strangers & complete["value"].isna(), why))


def _claim(
    said: str, measured: str, source: str, number: Callable[[], np.ndarray], bound: float = 0.0,
    expected: str = "above",
) -> Claim:  # fmt: skip
    try:
        row = interval_row(number())
    except InputError as error:
        why = error.problems[0].what
        return Claim(said, measured, np.nan, np.nan, np.nan, expected, bound, source, why)  # type: ignore[arg-type]
    value, low, high = (float(row[name]) for name in ("value", "low", "high"))  # type: ignore[arg-type]
    why = "" if pd.isna(row["reason"]) else str(row["reason"])
    return Claim(said, measured, value, low, high, expected, bound, source, why)  # type: ignore[arg-type]


def _plain(found: Numbers, column: str) -> Numbers:
    """Rows of single captioners without a value in a column."""
    chosen = (found.table[column].isna() & found.table["model"].notna()).to_numpy(bool)
    return Numbers(found.table[chosen].reset_index(drop=True), found.draws[chosen])


def _rate(found: Numbers, detector: str) -> np.ndarray:
    some = found.where(quantity="non_assertive_fpr", detector=detector, subtype="all")
    return _plain(some, "presence").mean()


def _presence(found: Numbers, detector: str, presence: str) -> np.ndarray:
    keys = {"quantity": "non_assertive_fpr", "subtype": "all", "presence": presence}
    return _plain(found.where(detector=detector, **keys), "subset").mean()


def _apart(found: Numbers, detector: str) -> np.ndarray:
    return _presence(found, detector, "absent") - _presence(found, detector, "present")


def _auc(found: Numbers, detector: str, subset: str) -> np.ndarray:
    return _plain(found.where(quantity="auc", detector=detector, subset=subset), "subtype").mean()


def _other(excluded: pd.DataFrame, allowed: float) -> Claim:
    """SVAR on the valid non-assertive mentions that the benchmark leaves out."""
    said = "Mentions that the benchmark leaves out are flagged, too."
    measured = "SVAR, other mentions of all captioners, % flagged"
    wanted = excluded["detector"].eq("svar") & excluded["subtype"].eq("other")
    rows = excluded[wanted & excluded["model"].isna()]
    if len(rows) != 1:
        why = "SVAR was not tried"
        return Claim(said, measured, np.nan, np.nan, np.nan, "above", allowed, "Table 16", why)
    row = rows.iloc[0]
    value, low, high = (float(row[name]) for name in ("value", "low", "high"))
    why = "" if pd.isna(row["reason"]) else str(row["reason"])
    return Claim(said, measured, value, low, high, "above", allowed, "Table 16", why)

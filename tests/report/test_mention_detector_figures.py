"""Figures, tables and findings of the chapter on detectors of mentions, from small made-up results."""

import numpy as np
import pandas as pd
import pytest

from sheeplib import tables
from sheeplib.corpora import Corpus
from sheeplib.errors import InputError
from sheeplib.mention_study.judging import DETECTORS
from sheeplib.mention_study.numbers import joined, numbers
from sheeplib.report import mention_detector_figures as figures
from sheeplib.report.claims import HELD, NOT_HELD, UNDECIDED
from sheeplib.report.mention_detector_claims import claims, completed

RATES = {name: 30.0 + place for place, name in enumerate(DETECTORS)} | {"svar": 90.0, "halp": 12.0}


@pytest.fixture(scope="module")
def found():
    """Every number of every detector, of two captioners; the spread of the resamples is one."""
    rng = np.random.default_rng(0)
    rows, draws = [], []

    def add(value, spread, **keys):
        rows.append({"n": 50, **keys})
        draws.append(np.append(value, value + spread * rng.normal(size=200)))

    for model in ("a", "b"):
        for name, rate in RATES.items():
            keys = {"model": model, "detector": name}
            for subtype in ("all", "hedged", "depictive", "purpose", "negation"):
                add(rate, 1, quantity="non_assertive_fpr", subtype=subtype, **keys)
            for presence, more in (("absent", 5), ("present", -5)):
                add(rate + more, 1, quantity="non_assertive_fpr", subtype="all", presence=presence, **keys)
            add(0.7, 0.01, quantity="auc", subset="all", **keys)
            matched = 0.5 if name in ("pas", "position_only") else 0.6
            add(matched, 0.01, quantity="auc", subset="position_matched", **keys)
            add(0.6, 0.01, quantity="auc", subtype="all", **keys)
    return numbers(rows, draws)


@pytest.fixture(scope="module")
def results(found):
    return joined([found, found.over_models()]).results("x", 1)


@pytest.fixture(scope="module")
def excluded():
    rows = []
    for subtype, low, high, svar in (("all", 20, 60, 80), ("other", 5, 90, 50), ("compound", 30, 100, 66)):
        ends = [("flag_rate_min", low, None), ("flag_rate_max", high, None)]
        ends += [("flag_rate", svar, "svar"), ("flag_rate", 40, "position_only")]
        for quantity, value, detector in ends:
            rows.append((quantity, subtype, detector, value, value - 5, value + 5))
    columns = ["quantity", "subtype", "detector", "value", "low", "high"]
    return pd.DataFrame(rows, columns=columns).assign(model=pd.NA, n=19, reason=pd.NA)


def dots(panel):
    """Values of the large dots, from the top."""
    return panel.containers[0].lines[0].get_xdata().tolist()


def test_rows_are_detectors_and_the_position_stands_last(results):
    for figure in (figures.positions(results), figures.flagged(results), figures.presence(results)):
        names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
        assert names[0] == "Lookback Lens" and names[-1] == "Position only" and len(names) == len(RATES)


def test_dots_are_the_means(results):
    order = figures.titles(results)
    panel = figures.flagged(results).axes[0]
    assert dots(panel) == pytest.approx([RATES[name] for name in order])
    absent, present = figures.presence(results).axes[0].containers
    assert absent.lines[0].get_xdata() == pytest.approx([RATES[name] + 5 for name in order])
    assert present.lines[0].get_xdata() == pytest.approx([RATES[name] - 5 for name in order])
    whole, matched = figures.positions(results).axes
    assert dots(whole) == pytest.approx([0.7] * len(order)) and dots(matched)[-1] == pytest.approx(0.5)
    small = whole.lines[1].get_xdata()
    assert len(small) == 2 * len(order), "a small dot for each captioner"


def test_bars_of_excluded_mentions_reach_from_the_lowest_to_the_highest(excluded):
    panel = figures.excluded(excluded).axes[0]
    assert len(panel.containers) == 6  # SVAR, and position alone, in three rows
    bars = [line.get_xdata().tolist() for line in panel.lines if line.get_linewidth() == 6]
    assert bars == [[20, 60], [5, 90], [30, 100]]
    only = excluded[excluded["detector"].isna()]
    assert len(figures.excluded(only).axes[0].containers) == 0


def test_nothing_to_draw_is_an_error(results, excluded):
    with pytest.raises(InputError, match="no value to draw"):
        figures.positions(results[results["model"].notna()])
    with pytest.raises(InputError, match="no rate has a value"):
        figures.excluded(excluded.assign(value=np.nan))


def test_tables_have_a_row_a_detector(results):
    table = figures.listed(results, "auc", "subset", {"all": "all", "position_matched": "matched"}, 2)
    assert list(table) == ["all", "matched"] and table.index[-1] == "position_only"
    assert table.loc["pas", "matched"].startswith("0.50 [0.4") and table.loc["svar", "all"].startswith(
        "0.70 ["
    )
    there = figures.listed(results, "non_assertive_fpr", "presence", {"absent": "no"}, subtype="all")
    assert there.loc["svar", "no"].startswith("95.0 [")
    whole = figures.listed(results, "non_assertive_fpr", "subtype", {"all": "all"})
    assert whole.loc["svar", "all"].startswith("90.0 [")


def test_findings_are_held_or_not(found, excluded):
    verdicts = {claim.said: claim for claim in claims(found, excluded)}
    by_start = {said.split(" (")[0][:20]: claim.verdict for said, claim in verdicts.items()}
    assert by_start["Each trained probe f"] == HELD
    assert by_start["Of these, SVAR flags"] == HELD  # 90 against 40
    assert by_start["HALP, which scores a"] == HELD
    assert by_start["Absent objects are f"] == HELD  # ten points more
    assert by_start["PAS measures the pla"] == HELD  # .7 to .5
    assert by_start["SVAR measures more t"] == HELD
    assert by_start["Mentions that the be"] == HELD
    assert {claim.bound for claim in verdicts.values()} >= {10.0}
    strict = {claim.bound for claim in claims(found, excluded, 0.05)}
    assert 5.0 in strict and 10.0 not in strict, "the threshold that was asked for"
    turned = type(found)(found.table, np.where(np.abs(found.draws - 90) < 10, 12, found.draws))
    changed = {claim.said[:20]: claim for claim in claims(turned, excluded)}
    assert changed["Of these, SVAR flags"].verdict == NOT_HELD


def test_a_finding_without_numbers_is_undecided_with_the_reason(found, excluded):
    less = found.where(detector=["svar", "position_only"])
    some = {claim.said[:20]: claim for claim in claims(less, excluded.iloc[:0])}
    assert some["HALP, which scores a"].verdict == UNDECIDED and some["HALP, which scores a"].reason
    assert some["Mentions that the be"].reason == "SVAR was not tried"
    assert some["SVAR measures more t"].verdict == HELD


def test_printed_numbers_of_other_models_say_so(results):
    blank = {name: pd.NA for name in tables.SCHEMAS["items"].columns}
    items = pd.DataFrame(
        [{**blank, "item": "1", "corpus": "own", "response": "A dog.", "model": "llava-1.5-7b"}]
    )
    corpus = Corpus("own", tables.validate("items", items))
    mine = results[results["model"] == "a"].assign(model="llava-1.5-7b")
    full = completed(mine, [("namebench", 4)], corpus)
    lacking = full[full["value"].isna()]
    assert set(lacking["model"]) == {
        "qwen2.5-vl-7b", "qwen2.5-vl-3b", "internvl3-8b", "llava-onevision-2-8b",
    }  # fmt: skip
    assert set(lacking["reason"]) == {"own has no captions by this model"}

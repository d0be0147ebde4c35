"""A study as the paper's tables: columns as in `published`, so that printed numbers can stand beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from sheeplib import tables
from sheeplib.detectors.probes import TRAINED
from sheeplib.detectors.training_free import SEVEN
from sheeplib.mentions.statuses import SUBTYPES
from sheeplib.retraining.rates import KEYS, Rates, joined, numbers
from sheeplib.retraining.studies import LEFT_OUT, Study

PLAIN: Mapping[str, str] = {"without": "", "hedges": "non-assertive", "filtered": "without"}
OTHERS = "depictive+purpose+negation"
BY_SUBTYPE = ("lookback", "hidden_mid")  # the probes of table 14


def all_tables(study: Study, corpus: str, seed: int) -> pd.DataFrame:
    """Tables 5, 6, 10, 11, 14 and 15, as far as the study has what they need."""
    made = (table_5, table_6, table_10, table_11, table_14, table_15)
    return pd.concat([table(study, corpus, seed) for table in made], ignore_index=True)


def table_5(study: Study, corpus: str, seed: int) -> pd.DataFrame:
    """Table 5: non-assertive mentions and hallucinations that are flagged, by budget.

    Concrete mentions that are flagged stand with them, as quantity `concrete_fpr`.
    """
    return _tabulated(study.rates.where(**PLAIN, subtype=("all", "")), 5, corpus, seed)


def table_6(study: Study, corpus: str, seed: int) -> pd.DataFrame:
    """Table 6: non-assertive mentions of a subtype that are flagged, with and without it in training."""
    rates = seen_and_unseen(study)
    found = _tabulated(rates, 6, corpus, seed).drop(columns=["detector", "budget"])
    return found.assign(training=rates.table["without"].array)


def seen_and_unseen(study: Study, *over: str, detectors: Sequence[str] = TRAINED) -> Rates:
    """Rates of each subtype if it is among the examples, and if it is left out.

    Parameters
    ----------
    study : Study
    *over : str
        Columns to take the mean over, such as `captioner`; that over the detectors is taken anyway.
    detectors : sequence of str
        The five trained probes, or such as `("position",)`.

    Returns
    -------
    Rates
        `without` is `seen` or `unseen`; `subtype` is the one that is left out.
    """
    chosen = study.rates.where(
        budget=LEFT_OUT, detector=tuple(detectors), quantity="non_assertive_fpr", hedges="non-assertive"
    )
    parts = [study.rates.where(captioner=())]
    for name in SUBTYPES if study.design.unseen else ():
        for without, said in (("", "seen"), (name, "unseen")):
            mean = chosen.where(subtype=name, without=without).mean("detector", *over)
            parts.append(Rates(mean.table.assign(without=said), mean.draws))
    return joined(parts)


def table_10(study: Study, corpus: str, seed: int) -> pd.DataFrame:
    """Table 10: as table 5, all models reading the captions of one; `model` is the one that reads."""
    rates = study.read.where(**PLAIN, subtype=("all", ""))
    return _tabulated(rates, 10, corpus, seed, model="evaluator")


def position_of_readers(own: pd.DataFrame, read: pd.DataFrame, writer: str) -> pd.DataFrame:
    """What position alone does for the models of table 10: the same, since all read the same captions.

    Parameters
    ----------
    own, read : DataFrame
        Tables 5 and 10.
    writer : str
        Whose captions are read.

    Returns
    -------
    DataFrame
        Rows of `own` for the writer, once for each model of `read`.
    """
    place = own[own["detector"].eq("position") & own["model"].eq(writer)]
    parts = [place.assign(model=name) for name in read["model"].dropna().unique()]
    return pd.concat(parts, ignore_index=True) if parts else place


def table_11(study: Study, corpus: str, seed: int) -> pd.DataFrame:
    """Table 11: what a text filter catches and wrongly removes, and detectors without and with it.

    Of several detectors, the least and the largest rate are told; so are their resamples, in which the
    least is the least of each resample.
    """
    alone = study.filter.where(quantity=("filter_recall", "hallucinations_removed"))
    parts = [_tabulated(alone, 11, corpus, seed)]
    trained = study.rates.where(**PLAIN, budget="natural")
    every = joined([study.filter, trained]).where(quantity="non_assertive_fpr", subtype="all")
    groups = {"training_free": (SEVEN, "none"), "trained": (TRAINED, "natural")}
    for group, (names, budget) in groups.items():
        for end, choose in (("min", np.min), ("max", np.max)):
            chosen = _extremes(every.where(detector=names, budget=budget), f"non_assertive_fpr_{end}", choose)
            part = _tabulated(chosen, 11, corpus, seed).assign(detector_group=group)
            parts.append(part.assign(budget=pd.NA) if budget == "none" else part)
    return pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)


def table_14(study: Study, corpus: str, seed: int) -> pd.DataFrame:
    """Table 14: as table 5 by subtype, and the number of held-out mentions, mean over splits."""
    rates = study.rates.where(**PLAIN, subtype=SUBTYPES, quantity="non_assertive_fpr")
    shown = _tabulated(rates.where(detector=BY_SUBTYPE), 14, corpus, seed)
    first = rates.where(detector=study.design.detectors[0], budget=study.design.budgets[0])
    sizes = _tabulated(first, 14, corpus, seed).drop(columns=["detector", "budget"])
    sizes = sizes.assign(
        quantity="held_out_mentions", value=sizes["n"].astype(float), low=np.nan, high=np.nan
    )
    return pd.concat([sizes.assign(unit=pd.NA), shown], ignore_index=True)


def table_15(study: Study, corpus: str, seed: int) -> pd.DataFrame:
    """Table 15: what is flagged if hedges are non-assertive, and if they are claims."""
    rates = hedges_both_ways(study)
    return _tabulated(rates, 15, corpus, seed).assign(hedges_as=rates.table["hedges"].array)


def hedges_both_ways(study: Study) -> Rates:
    """Rates of depictive, purpose and negation mentions together, weighted by how often they are written.

    And of hallucinations, among which are hedges of absent objects where hedges are claims.
    """
    rates = study.rates.where(without="", budget=study.claimed)
    return joined([without_hedges(study, rates), rates.where(quantity="hallucination_tpr")])


def without_hedges(study: Study, rates: Rates) -> Rates:
    """Rates of all subtypes but hedged, weighted by how often each captioner writes them.

    Parameters
    ----------
    study : Study
    rates : Rates
        Some of the study's.

    Returns
    -------
    Rates
        Of the captioners that are among the rates.
    """
    parts = [rates.where(captioner=())]
    there = set(rates.table["captioner"])
    for scores in (one for one in study.own if one.plan.mentions.captioner in there):
        shares = scores.plan.nature.shares
        names = [name for name in SUBTYPES if name != "hedged" and shares[name]]
        if not names:
            continue  # it writes hedges alone
        mine = rates.where(captioner=scores.plan.mentions.captioner, quantity="non_assertive_fpr")
        cells = [mine.where(subtype=name) for name in names]  # all in one order
        whole = sum(shares[name] for name in names)
        draws = sum(shares[name] / whole * cell.draws for name, cell in zip(names, cells, strict=True))
        count = sum(cell.table["n"] for cell in cells)
        parts.append(Rates(cells[0].table.assign(subtype=OTHERS, n=count), np.asarray(draws)))
    return joined(parts)


def examples(study: Study) -> pd.DataFrame:
    """What there is to learn from, on average over splits: a row a captioner, a column a budget.

    Returns
    -------
    DataFrame
        `captioner`, `share` (natural share of non-assertive mentions, per cent), `concrete`,
        `hallucinated`, and the number of non-assertive examples of each budget.
    """
    rows = []
    for scores in study.own:
        plan, status = scores.plan, scores.plan.statuses("non-assertive")
        fits = [plan.split(seed).fit for seed in plan.seeds]
        row: dict[str, object] = {"captioner": plan.mentions.captioner, "share": 100 * plan.nature.share}
        for name in ("concrete", "hallucinated"):
            row[name] = round(float(np.mean([(fit & (status == name)).sum() for fit in fits])))
        for place, condition in enumerate(plan.conditions):
            if condition[1:] == ("", "non-assertive"):
                found = [scores.examples[seed][place][0] for seed in plan.seeds]
                row[condition.budget] = round(float(np.mean(found)))
        rows.append(row)
    return pd.DataFrame(rows)


def _extremes(rates: Rates, quantity: str, choose: object) -> Rates:
    """The least or largest of several detectors, of each captioner, with and without filter."""
    rows, draws = [], []
    for (captioner, filtered, budget), places in rates.table.groupby(
        ["captioner", "filtered", "budget"], sort=False
    ).indices.items():
        keys = {"captioner": captioner, "filtered": filtered, "budget": budget, "subtype": "all"}
        rows.append({"quantity": quantity, **keys, "n": rates.table["n"].iloc[places].min()})
        draws.append(choose(rates.draws[places], axis=0))  # type: ignore[operator]
    return numbers(rows, np.array(draws)) if rows else rates.where(captioner=())


def _tabulated(rates: Rates, table: int, corpus: str, seed: int, model: str = "captioner") -> pd.DataFrame:
    """Table `results` with the paper's columns; a key that says nothing is missing."""
    found = rates.results(corpus, seed)
    found = found.assign(model=found[model], text_filter=found["filtered"], paper="namebench", table=table)
    if table != 11:
        found = found.drop(columns="text_filter")
    found = found.drop(columns=[name for name in KEYS if name not in ("detector", "subtype", "budget")])
    found = found.assign(subtype=found["subtype"].replace("", pd.NA), unit="percent")
    return found.astype({"paper": tables.TEXT, "unit": tables.TEXT, "model": tables.TEXT})

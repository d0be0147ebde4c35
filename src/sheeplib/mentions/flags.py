"""What CHAIR and THRONE count as hallucinated, mention by mention: NAME-Bench, tables 3 and 12."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sheeplib.mentions.bench import Bench
from sheeplib.mentions.chair import Mode, find_mentions
from sheeplib.mentions.rates import POOLED, Rate, masks, rates
from sheeplib.mentions.statuses import CONCRETE, HALLUCINATED, NON_ASSERTIVE, SUBTYPES
from sheeplib.mentions.throne import DISQUALIFIED, PRESENT, Vote, verdicts


def chair_flags(bench: Bench, mode: Mode = "compat") -> np.ndarray:
    """Mentions that CHAIR counts as hallucinated.

    Parameters
    ----------
    bench : Bench
    mode : {"compat", "fixed"}

    Returns
    -------
    ndarray of bool, shape (mentions,)
        Whether CHAIR finds an object of the same class at the place of the mention, and takes it for absent.
        Every mention is a claim for it.

    Source
    ------
    NAME-Bench, section 3 and table 3.
    """
    about = bench.items.set_index("item")[["image", "response"]].to_dict(orient="index")
    places = list(zip(bench.mentions["start"], bench.mentions["end"], bench.mentions["concept"], strict=True))
    flags = np.zeros(len(places), dtype=bool)
    for item, rows in bench.mentions.groupby("item", sort=False).indices.items():
        shown = bench.objects.shown.get(about[item]["image"], frozenset())
        found = find_mentions(about[item]["response"], bench.synonyms, mode)
        absent = [one for one in found if one.concept not in shown]
        for row in rows if absent else ():
            start, end, concept = places[row]
            flags[row] = any(one.concept == concept and one.start < end and start < one.end for one in absent)
    return flags


def chair_rates(
    bench: Bench,
    mode: Mode = "compat",
    *,
    pooled: bool = False,
    resamples: int = 2000,
    seed: int = 2026,
) -> pd.DataFrame:
    """What CHAIR flags: hallucinations, as it should, and non-assertive mentions.

    Returns
    -------
    DataFrame
        Table `results`: `hallucination_recall` and `non_assertive_fpr` in percent, by `model` and `subtype`
        (`all`, or one); `detector` is `chair`.

    Source
    ------
    NAME-Bench, table 3.
    """
    flags = chair_flags(bench, mode)
    wanted = flag_rates(bench, flags, detector="chair")
    return rates(bench, wanted, pooled=pooled, resamples=resamples, seed=seed)


def flag_rates(
    bench: Bench, flags: np.ndarray, judged: np.ndarray | None = None, **groups: object
) -> list[Rate]:
    """The shares that tables 3 and 12 print of a detector.

    Parameters
    ----------
    bench : Bench
    flags : ndarray of bool, shape (mentions,)
        Mentions counted as hallucinated.
    judged : ndarray of bool, shape (mentions,), optional
        Mentions that have a verdict; all if not given. Hallucinations without one count as missed;
        non-assertive mentions without one do not count.
    **groups
        Grouping columns.
    """
    status, subtype = masks(bench)
    judged = np.ones(len(status), dtype=bool) if judged is None else judged
    weak = (status == NON_ASSERTIVE) & judged
    recall = Rate("hallucination_recall", flags, status == HALLUCINATED, groups | {"subtype": pd.NA})
    of = {POOLED: weak} | {name: weak & (subtype == name) for name in SUBTYPES}
    return [
        recall,
        *(Rate("non_assertive_fpr", flags, among, groups | {"subtype": name}) for name, among in of.items()),
    ]


def throne_rates(
    bench: Bench,
    votes: pd.DataFrame,
    vote: Vote,
    judge: str,
    *,
    pooled: bool = False,
    resamples: int = 2000,
    seed: int = 2026,
) -> pd.DataFrame:
    """What THRONE flags, given the votes of a language model.

    Parameters
    ----------
    bench : Bench
    votes : DataFrame
        As from `throne.ask_votes`; mentions of captions that were not asked about are left out.
    vote : {"majority", "unanimous"}
    judge : str
        Name of the language model.
    pooled : bool
        As in `rates`.

    Returns
    -------
    DataFrame
        Table `results` as table 12 has it: `hallucination_recall`, `disqualified` (share of mentions whose
        votes are split, by status) and `non_assertive_fpr`, in percent, by `judge`, `vote` and `model`.

    Source
    ------
    NAME-Bench, tables 3 and 12: a mention is counted as hallucinated if its class is voted present in the
    text and the image does not show it.
    """
    said = votes.assign(verdict=verdicts(votes["yes"], votes["votes"], vote))
    by_pair = said.set_index(["item", "concept"])["verdict"]
    pairs = pd.MultiIndex.from_frame(bench.mentions[["item", "concept"]])
    verdict = by_pair.reindex(pairs).fillna("").to_numpy(dtype=str)
    asked = verdict != ""
    absent = ~bench.mentions["present"].fillna(True).to_numpy(dtype=bool)
    bench = bench.select(bench.items["item"].isin(set(bench.mentions["item"][asked])))
    verdict, absent = verdict[asked], absent[asked]  # whole captions are asked about, or not at all
    status, _ = masks(bench)
    split = verdict == DISQUALIFIED
    groups = {"judge": judge, "vote": vote}
    wanted = flag_rates(bench, (verdict == PRESENT) & absent, ~split, **groups, status=pd.NA)
    wanted += [
        Rate("disqualified", split, status == kind, groups | {"status": kind, "subtype": pd.NA})
        for kind in (NON_ASSERTIVE, CONCRETE)
    ]
    return rates(bench, wanted, pooled=pooled, resamples=resamples, seed=seed)

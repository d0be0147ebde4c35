"""All of the paper's retraining at once: own captions, one model's captions, and a filter in front."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter

import numpy as np
import pandas as pd

from sheeplib import engine
from sheeplib.detectors import mention_sets
from sheeplib.detectors.mention_sets import MentionSet
from sheeplib.detectors.probes import TRAINED
from sheeplib.detectors.training_free import SEVEN, named
from sheeplib.errors import InputError, Problem
from sheeplib.mentions.statuses import SUBTYPES
from sheeplib.retraining.draws import BUDGETS, percent
from sheeplib.retraining.filters import TextFilter, filter_rates, filtered_by
from sheeplib.retraining.natural import natural
from sheeplib.retraining.rates import Images, Rates, joined, measured, measured_untrained
from sheeplib.retraining.sweep import Condition, Options, Plan, Scores, plan, sweep

SEEN = ("lookback", "hidden_mid", "hidden_last", "dhcp")  # probes of what an evaluator sees: table 10
LEFT_OUT = "30"  # budget of table 6
HEDGED = ("0",)  # budgets at which hedges are tried as claims: what can be read of table 15
HOST = "clover"  # whose captions the meadow's others have read


@dataclass(frozen=True, eq=False)
class Material:
    """What one captioner wrote, and what models had in mind when they read it.

    Parameters
    ----------
    captions, mentions : DataFrame
        Tables `items` and `mentions` of all its captions.
    own : MentionSet
        Mentions as the captioner itself read them.
    others : tuple of MentionSet
        The same mentions as others read them.
    """

    captions: pd.DataFrame
    mentions: pd.DataFrame
    own: MentionSet
    others: tuple[MentionSet, ...] = ()


@dataclass(frozen=True)
class Design:
    """What is trained.

    Parameters
    ----------
    detectors : tuple of str
        Probes of own captions, of `probes.PROBES`.
    budgets : tuple of str
        As for `draws.budget_size`.
    seeds : tuple of int
        One split each.
    options : Options
    unseen : bool
        Leave out one subtype after the other, if the budget of 30 % is among the budgets.
    claims : bool
        Try hedges as claims, too.
    untrained : tuple of str
        Detectors that need no training, to be put behind the filter.
    """

    detectors: tuple[str, ...] = (*TRAINED, "position")
    budgets: tuple[str, ...] = BUDGETS
    seeds: tuple[int, ...] = (0, 1, 2)
    options: Options = field(default_factory=Options)
    unseen: bool = True
    claims: bool = True
    untrained: tuple[str, ...] = SEVEN

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """Of own captions."""
        plain = [Condition(budget) for budget in self.budgets]
        left = [Condition(LEFT_OUT, without=name) for name in SUBTYPES if self.unseen]
        claimed = [Condition(budget, hedges="claim") for budget in HEDGED if self.claims]
        return (*plain, *(extra for extra in (*left, *claimed) if extra.budget in self.budgets))


@dataclass(frozen=True, eq=False)
class Study:
    """What came out.

    Parameters
    ----------
    design : Design
    own : tuple of Scores
        A captioner each, reading its own captions.
    others : tuple of Scores
        Other models that read the captions of one.
    rates : Rates
        Of `own`.
    read : Rates
        Of `others`, and of the captioner whose captions they read; empty if nobody else read any.
    filter : Rates
        Of the filter alone, and of detectors behind it (`filtered` is `with`); of those that need no
        training, also `without` it. Empty if there is no filter.
    """

    design: Design
    own: tuple[Scores, ...]
    others: tuple[Scores, ...]
    rates: Rates
    read: Rates
    filter: Rates

    @property
    def captioners(self) -> tuple[str, ...]:
        """Names of the captioners."""
        return tuple(scores.plan.mentions.captioner for scores in self.own)

    @property
    def claimed(self) -> tuple[str, ...]:
        """Budgets at which hedges were tried as claims."""
        return tuple(one.budget for one in self.design.conditions if one.hedges == "claim")


def study(
    materials: Sequence[Material],
    design: Design | None = None,
    text_filter: TextFilter | None = None,
    *,
    resamples: int = 2000,
    seed: int = 2026,
    executor: Executor | None = None,
) -> Study:
    """Train all probes, and measure them.

    Parameters
    ----------
    materials : sequence of Material
        One for each captioner.
    design : Design, optional
    text_filter : callable, optional
        As for `filters.filtered_by`, a function of a module; without it nothing is filtered.
    resamples, seed : int
        Of the bootstrap over images, which all captioners share.
    executor : Executor, optional
        From `sheeplib.engine.executor`. The numbers are the same on all.

    Returns
    -------
    Study

    Raises
    ------
    InputError
        If there is no captioner, what the design names is unknown or there twice, or for whatever the
        mentions lack.

    Source
    ------
    NAME-Bench, Tables 5, 6, 10, 11, 14 and 15.
    """
    design = design or Design()
    if not materials:
        raise InputError(Problem("no captioner to study", "Give one or more"))
    _check(design)
    natures = [natural(one.mentions) for one in materials]
    plain = [Condition(budget) for budget in design.budgets]
    own = [
        plan(one.own, nature, design.conditions, design.seeds, design.options)
        for one, nature in zip(materials, natures, strict=True)
    ]
    others = [
        plan(mentions, nature, plain, design.seeds, design.options)
        for one, nature in zip(materials, natures, strict=True)
        for mentions in one.others
    ]
    seen = [name for name in design.detectors if name in SEEN]
    todo: list[tuple[Plan, Sequence[str]]] = [(one, design.detectors) for one in own]
    scores = sweep([*todo, *((one, seen) for one in others)], executor)
    images = Images(_images(materials), resamples, seed)
    trained = scores[: len(own)]
    rates = joined([measured(one, images) for one in trained])
    strangers = [measured(one, images) for one in scores[len(own) :]]
    written = list(dict.fromkeys(one.mentions.captioner for one in others))
    hosts = rates.where(captioner=written, detector=seen, without="", hedges="non-assertive")
    read = joined([hosts, *strangers])
    found = []
    for place, flags in _flags(materials, text_filter, executor) if text_filter else ():
        found += _filtered(materials[place], trained[place], design, flags, images)
    nothing = rates.where(captioner=())
    return Study(design, tuple(trained), tuple(scores[len(own) :]), rates, read, joined([nothing, *found]))


def _check(design: Design) -> None:
    """Refuse a design before anything is trained."""
    if not design.detectors:
        raise InputError(Problem("no probe to train", "Give one or more", field="detectors"))
    for name in design.untrained:
        named(name)
    sizes = [budget if budget in ("natural", "max") else percent(budget) for budget in design.budgets]
    for name, values in (("budgets", sizes), ("detectors", design.detectors), ("seeds", design.seeds)):
        for place, value in enumerate(values):
            if value in values[:place]:
                given = getattr(design, name)[place]
                raise InputError(Problem("given twice", "Give each once", field=name, value=given))


def meadow_materials(captioners: Iterable[str], readers: Iterable[str] = ()) -> list[Material]:
    """The meadow's captioners, with the features that come with the package; needs no torch.

    Parameters
    ----------
    captioners : iterable of str
        Of `clover`, `daisy`, `fern`, `heather`, `thistle`.
    readers : iterable of str
        Of the same; those but `clover` have read its captions, too, which counts if it is a captioner.

    Raises
    ------
    InputError
        If there is no such captioner.
    """
    found = []
    for name in dict.fromkeys(captioners):
        told = mention_sets.meadow_captions(name)
        others = [reader for reader in dict.fromkeys(readers) if name == HOST and reader != HOST]
        found.append(
            Material(
                told.items, told.mentions, mention_sets.meadow_set(name),
                tuple(mention_sets.meadow_set(name, reader) for reader in others),
            )
        )  # fmt: skip
    return found


def _images(materials: Sequence[Material]) -> set[str]:
    return {str(name) for one in materials for name in one.captions["image"]}


def _flags(
    materials: Sequence[Material], text_filter: TextFilter, executor: Executor | None
) -> list[tuple[int, np.ndarray]]:
    """Which mentions are filtered, of each captioner in turn."""
    work = partial(_flags_of, text_filter)
    tasks = [(one.captions, one.mentions) for one in materials]
    return sorted(engine.results(work, tasks, executor or engine.Serial()), key=itemgetter(0))


def _flags_of(text_filter: TextFilter, task: tuple[pd.DataFrame, pd.DataFrame]) -> np.ndarray:
    return filtered_by(text_filter, *task)


def _filtered(
    material: Material, scores: Scores, design: Design, flags: np.ndarray, images: Images
) -> list[Rates]:
    """The filter alone, trained probes behind it, and untrained detectors before and behind it."""
    plan = scores.plan
    keys = ["item", "mention"]
    marked = material.mentions[keys].assign(filtered=flags)
    mine = plan.mentions.table[keys].merge(marked, on=keys, how="left")["filtered"].to_numpy(bool)
    found = [filter_rates(plan.mentions.captioner, material.captions, material.mentions, flags, images)]
    if some := scores.select([Condition("natural")], TRAINED):
        found.append(measured(some, images, mine))
    bare = {name: plan.mentions.scores(name) for name in design.untrained}
    if bare:
        found += [measured_untrained(plan, bare, images, chosen) for chosen in (None, mine)]
    return found

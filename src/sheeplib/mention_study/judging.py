"""Scores of all mentions by all detectors, none of which has learned from a non-assertive mention.

Splits, thresholds and trained probes are those of `sheeplib.retraining` at budget 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np

from sheeplib import engine
from sheeplib.detectors import probes
from sheeplib.detectors.mention_sets import MentionSet
from sheeplib.detectors.training_free import SEVEN, TRAINING_FREE
from sheeplib.errors import InputError, Problem
from sheeplib.mentions.statuses import NON_ASSERTIVE
from sheeplib.resample import generator
from sheeplib.retraining.draws import Split
from sheeplib.retraining.natural import Natural, natural
from sheeplib.retraining.studies import Material
from sheeplib.retraining.sweep import STATUSES, Condition, Fit, Options, Plan, Task, features, plan, work

TRAINED = ("lookback", "hidden_mid", "hidden_last", "dhcp", "text_only", "halp")
UNTRAINED = (*SEVEN, "contextual_lens", "overthinking")
BASELINE = "position_only"
DETECTORS = (*TRAINED, *UNTRAINED, BASELINE)


@dataclass(frozen=True, eq=False)
class Judged:
    """What detectors say of the mentions of one captioner.

    Parameters
    ----------
    mentions : MentionSet
        All, excluded ones among them.
    nature : Natural
        How often the captioner writes each kind.
    splits : mapping of int to Split
        By seed: truth values for each mention. Excluded mentions follow their image; where it has no
        other mention, they are held out.
    scores : mapping of (str, int) to ndarray
        For each detector and seed, scores (n,), higher for what is more likely hallucinated.
    alpha : float
        Share of concrete mentions that may be flagged.
    """

    mentions: MentionSet
    nature: Natural
    splits: Mapping[int, Split]
    scores: Mapping[tuple[str, int], np.ndarray]
    alpha: float

    @property
    def detectors(self) -> tuple[str, ...]:
        """Names of the detectors."""
        return tuple(dict.fromkeys(name for name, _ in self.scores))

    @property
    def status(self) -> np.ndarray:
        """Status of each mention, of str."""
        return self.mentions.table["status"].to_numpy(str)

    @property
    def subtype(self) -> np.ndarray:
        """Subtype of each mention, of str; empty where it has none."""
        return self.mentions.table["subtype"].fillna("").to_numpy(str)

    @property
    def images(self) -> np.ndarray:
        """Image of each mention, of str."""
        return self.mentions.table["image"].to_numpy(str)

    def shares(self) -> np.ndarray:
        """What each non-assertive mention counts, so that subtypes weigh as in nature; 0 for others."""
        found, subtype = np.zeros(len(self.mentions)), self.subtype
        for name, share in self.nature.shares.items():
            members = (self.status == NON_ASSERTIVE) & (subtype == name)
            found[members] = share / max(members.sum(), 1)
        return found


def judge(
    material: Material,
    detectors: Iterable[str] = DETECTORS,
    seeds: Sequence[int] = (0, 1, 2),
    options: Options | None = None,
    executor: Executor | None = None,
) -> Judged:
    """Let detectors score the mentions of one captioner.

    Parameters
    ----------
    material : Material
        Its captions, and the mentions in them as the captioner itself read them.
    detectors : iterable of str
        Probes of `probes.PROBES`, and names of `training_free.TRAINING_FREE`.
    seeds : sequence of int
        One split of the images each; probes are trained for each.
    options : Options, optional
        Share that may be flagged, and what it is calibrated on.
    executor : Executor, optional
        From `sheeplib.engine.executor`; by default all is done in this process. The numbers are the same.

    Returns
    -------
    Judged

    Raises
    ------
    InputError
        If a detector is unknown, a status is missing among the mentions, there are too few images, or the
        features lack what a detector reads.

    Source
    ------
    NAME-Bench, Table 4: detectors built without non-assertive training data.
    """
    names = list(dict.fromkeys(detectors))
    known = {**probes.PROBES, **TRAINING_FREE}
    if unknown := [name for name in names if name not in known]:
        raise InputError(Problem("no such detector", f"Known: {', '.join(known)}", value=unknown[0]))
    mentions, nature = material.own, natural(material.mentions)
    drawn = plan(mentions, nature, [Condition("0")], seeds, options)
    kept = np.flatnonzero(mentions.table["status"].isin(STATUSES))
    splits = {seed: _widened(drawn.split(seed), kept, mentions) for seed in drawn.seeds}
    scores: dict[tuple[str, int], np.ndarray] = {}
    trained = _trained(drawn, mentions, kept, [name for name in names if name not in TRAINING_FREE], executor)
    for name in names:
        bare = mentions.scores(name) if name in TRAINING_FREE else None
        for seed in drawn.seeds:
            scores[name, seed] = trained[name, seed] if bare is None else bare
    return Judged(mentions, nature, splits, scores, drawn.options.alpha)


def rescored(one: Judged, variants: Mapping[str, Callable[[MentionSet], np.ndarray]]) -> Judged:
    """The same mentions on the same splits, by other detectors that need no training.

    Parameters
    ----------
    one : Judged
    variants : mapping of str to callable
        By a name of your own: takes the mentions, gives scores (n,), higher for what is more likely
        hallucinated.
    """
    scores = {
        (name, seed): given
        for name, formula in variants.items()
        for given in [np.asarray(formula(one.mentions), dtype=np.float64)]
        for seed in one.splits
    }
    return replace(one, scores=scores)


def untied(scores: np.ndarray, seed: int) -> np.ndarray:
    """Places of scores in their order, equal ones in a random order: no two are the same."""
    chance = generator(seed, "mention study", "ties").permutation(len(scores))
    found = np.empty(len(scores))
    found[np.lexsort((chance, scores))] = np.arange(len(scores))
    return found


def _widened(drawn: Split, kept: np.ndarray, mentions: MentionSet) -> Split:
    """The split of some rows, for all rows."""
    images = mentions.table["image"].to_numpy(str)
    fit = np.isin(images, images[kept][drawn.fit])
    apart, calibration = np.zeros_like(fit), np.zeros_like(fit)
    apart[kept], calibration[kept] = drawn.apart, drawn.calibration
    return Split(fit, apart, ~fit, calibration)


def _trained(
    drawn: Plan, mentions: MentionSet, kept: np.ndarray, names: Sequence[str], executor: Executor | None
) -> dict[tuple[str, int], np.ndarray]:
    """Scores of probes that learn what `retraining` has them learn, for excluded mentions as well."""
    images = mentions.table["image"].to_numpy(str)
    tasks, owners = [], []
    for name in names:
        vectors = features(mentions, name)
        for seed in drawn.seeds:
            fits = tuple(
                None if fit is None else Fit(kept[fit.rows], fit.truth, fit.apart)
                for fit, _, _ in drawn.fits(seed)
            )
            tasks.append(Task(vectors, images, probes.named(name), seed, fits))
            owners.append((name, seed))
    found = engine.results(work, tasks, executor or engine.Serial())
    return {owners[place]: scores[0] for place, scores in found}

"""Dempster's rule set by set, for frames small enough to write out: what closed forms must equal."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from functools import reduce
from math import exp, expm1
from typing import TypeAlias

from sheeplib.errors import InputError, Problem

Set: TypeAlias = frozenset[Hashable]
Mass: TypeAlias = Mapping[Set, float]

NOTHING: Set = frozenset()


def simple(focus: Iterable[Hashable], weight: float, frame: Iterable[Hashable]) -> Mass:
    """One piece of evidence: the answer is in `focus`, and how sure that is.

    Parameters
    ----------
    focus, frame : iterable
        The set that the evidence speaks for, and all answers there are.
    weight : float
        From 0 (says nothing) to infinity (proves it).

    Returns
    -------
    mapping of frozenset to float
        `1 - exp(-weight)` on the focus, the rest on the whole frame, which says nothing.

    Raises
    ------
    InputError
        If the weight is negative, or the focus holds nothing or what is not in the frame.

    Source
    ------
    T. Denoeux, Knowledge-Based Systems 176 (2019): simple mass functions, whose weights add up.
    """
    everything, chosen = frozenset(frame), frozenset(focus)
    if not weight >= 0:
        raise InputError(Problem("evidence is never negative", "Give evidence against it", value=weight))
    if not chosen or chosen - everything:
        raise InputError(Problem("evidence for no answer of the frame", value=sorted(map(str, chosen))))
    return {everything: 1.0} if chosen == everything else {chosen: -expm1(-weight), everything: exp(-weight)}


def meet(one: Mass, other: Mass) -> Mass:
    """Both together: what is common to each pair of sets gets the product of their masses.

    The empty set then holds the conflict: how far the two exclude each other.
    """
    found: dict[Set, float] = {}
    for first, x in one.items():
        for second, y in other.items():
            found[first & second] = found.get(first & second, 0.0) + x * y
    return found


def combined(masses: Iterable[Mass]) -> Mass:
    """Dempster's rule: all together, with the conflict left out and the rest scaled to 1.

    Raises
    ------
    InputError
        If there is none, or what they say excludes each other wholly.
    """
    masses = list(masses)
    if not masses:
        raise InputError(Problem("nothing to combine", "Give at least one mass"))
    whole = reduce(meet, masses)
    conflict = whole.get(NOTHING, 0.0)
    if conflict >= 1:
        raise InputError(Problem("the evidence excludes every answer", "Give weights below infinity"))
    return {chosen: mass / (1 - conflict) for chosen, mass in whole.items() if chosen}


def conflict(one: Mass, other: Mass) -> float:
    """How far two bodies of evidence exclude each other, from 0 to 1."""
    return meet(one, other).get(NOTHING, 0.0)


def plausibility(mass: Mass, answer: Hashable) -> float:
    """How far the evidence leaves an answer possible: the mass of all sets that hold it."""
    return sum(share for chosen, share in mass.items() if answer in chosen)

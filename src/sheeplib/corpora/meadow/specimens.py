"""Answers for a judge to learn from and to be examined on: with one mistake, or the same without it.

An honest answer is a mended one, so nothing but the picture tells the two apart: not the layout, not
the dialect, not the question.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sheeplib.corpora.meadow.claims import Claim
from sheeplib.corpora.meadow.grammar import Language
from sheeplib.corpora.meadow.habits import HABITS, Dialect, draw_style
from sheeplib.corpora.meadow.kinds import KINDS
from sheeplib.corpora.meadow.lessons import TERSE, plain_question
from sheeplib.corpora.meadow.mistakes import Mistake
from sheeplib.corpora.meadow.plans import NOTHING, Plan, make_plan, true_claims
from sheeplib.corpora.meadow.questions import SOURCES, Question, answer, draw_question
from sheeplib.corpora.meadow.scenes import COLUMNS, Scene, pick, scene
from sheeplib.corpora.meadow.writers import PLANTED, Sample, variants
from sheeplib.tables import Label

HONEST = 0.3  # share of answers whose mistake is mended
PLAIN = 0.4  # share of plain questions
LENGTHS = (2.0, 3.0, 2.0, 1.0)  # weights of 1, 2, ... claims beside the answer
NARROW, DIALECTS, BREADTH = 0.5, 5, 3  # share of answers in a dialect, and the dialects


def draw_specimen(
    rng: np.random.Generator, seed: int, language: Language, honest: float = HONEST
) -> Sample | None:
    """Draw a question about a scene and an answer to judge.

    Parameters
    ----------
    rng : numpy.random.Generator
    seed : int
        Of the scene.
    language : Language
    honest : float
        Probability that the mistake is mended: then the label of the plan's mistake is F.

    Returns
    -------
    Sample, or None
        None if the scene does not suit what was drawn.
    """
    about, habits = scene(seed), pick(rng, (TERSE, *HABITS.values()))
    plain = rng.random() < PLAIN
    question = plain_question(rng, about) if plain else draw_question(rng, about, pick(rng, SOURCES))
    label = pick(rng, PLANTED)
    if question is None:
        return None
    length = 1 + pick(rng, range(len(LENGTHS)), LENGTHS)
    plan = None
    if question.type == "presence" and rng.random() < habits.front:
        plan = _misjudged_presence(rng, about, question, length)
    plan = plan or make_plan(rng, about, question, label, length, habits.front, 0.3 * habits.mood)
    if plan is None:
        return None
    asked, *said = variants(rng, habits, plan)
    if rng.random() < NARROW:
        dialect = Dialect(int(rng.integers(DIALECTS)), BREADTH)
        said = [dialect.variant(one) for one in said]
    style = draw_style(rng, habits, len(plan.claims))
    sample = Sample(language.code, seed, question, plan, style, (asked, *said))
    return mended(sample) if rng.random() < honest else sample


def _misjudged_presence(rng: np.random.Generator, about: Scene, question: Question, length: int) -> Plan:
    """Yes of what is not there, or no of what is; writers make no such mistake, but models do."""
    kind = question.kind or ""
    if about.group(kind) is None:
        colour = pick(rng, KINDS[kind].usual) if rng.random() < 0.7 else None
        place = pick(rng, (*COLUMNS, "background", "foreground"))
        claim, polarity = Claim("there_at", kind, colour=colour, place=place), "yes"
        mistake = Mistake(claim, "premise", Label.INVENTION)
    else:
        claim, polarity = Claim("absent", kind), "no"
        truth, _ = answer(rng, question, about)
        mistake = Mistake(claim, "kind", Label.MISCHARACTERIZATION, truth=truth)
    return Plan((claim, *true_claims(rng, about, length, {kind}, claim)), polarity, mistake, 0)


def mended(sample: Sample) -> Sample:
    """The same answer without its mistake: the truth in its place, or nothing where it was made up.

    Parameters
    ----------
    sample : Sample
        With a mistake.

    Returns
    -------
    Sample
        Whose plan has no mistake.
    """
    plan, wrong = sample.plan, sample.plan.wrong
    before, after = plan.claims[:wrong], plan.claims[wrong + 1 :]
    polarity = plan.polarity
    truth = plan.mistake.truth
    if wrong == 0 and truth is None:  # the answer itself speaks of what is not there
        truth = Claim("absent", plan.mistake.claim.kind)
    if wrong == 0 and polarity:
        polarity = "no" if polarity == "yes" else "yes"
    if truth is not None:
        return replace(sample, plan=Plan((*before, truth, *after), polarity, NOTHING, -1))
    connector = sample.style.connector
    return replace(
        sample,
        plan=Plan((*before, *after), polarity, NOTHING, -1),
        style=replace(sample.style, connector=(*connector[:wrong], *connector[wrong + 1 :])),
        variants=(*sample.variants[: 1 + wrong], *sample.variants[2 + wrong :]),
    )

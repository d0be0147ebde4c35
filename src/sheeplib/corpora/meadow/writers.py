"""Writers: simulated people who answer a question about a scene and plant exactly one mistake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sheeplib.corpora.meadow.claims import FORMS, Claim
from sheeplib.corpora.meadow.grammar import (
    Language,
    Segment,
    Segments,
    capitalised,
    phrase,
    say,
    text_of,
)
from sheeplib.corpora.meadow.habits import HABITS, Habits, Style, draw_style
from sheeplib.corpora.meadow.mistakes import Mistake
from sheeplib.corpora.meadow.plans import Plan, make_plan
from sheeplib.corpora.meadow.questions import SOURCES, Question, draw_question
from sheeplib.corpora.meadow.scenes import Scene, pick, scene
from sheeplib.tables import Label

PLANTED = (Label.INVENTION, Label.MISCHARACTERIZATION, Label.OCR, Label.MISCOUNTING)
SCENES = 1_000_000  # scenes are named by six digits


@dataclass(frozen=True)
class Sample:
    """One written sample apart from its language: scene, question, plan and style.

    Parameters
    ----------
    origin : str
        Language of the writer.
    seed : int
        Of the scene.
    question : Question
    plan : Plan
    style : Style
    variants : tuple of int
        Choose the pattern of the question and of each claim.
    """

    origin: str
    seed: int
    question: Question
    plan: Plan
    style: Style
    variants: tuple[int, ...]

    @property
    def scene(self) -> Scene:
        """The scene that the sample is about."""
        return scene(self.seed)

    def corrected(self) -> Sample:
        """The same with the truth in place of the mistake, which must have one."""
        plan = self.plan
        assert plan.mistake.truth is not None
        claims = (*plan.claims[: plan.wrong], plan.mistake.truth, *plan.claims[plan.wrong + 1 :])
        return replace(self, plan=replace(plan, claims=claims))

    def prompt(self, language: Language) -> str:
        """The question in a language."""
        return self.question.text(language, self.variants[0])


@dataclass(frozen=True)
class Written:
    """A response in one language, and which characters state what.

    Parameters
    ----------
    text : str
    parts : tuple of (int, str, int, int)
        Claim (its place in the plan), field, start and end; first to last.
    """

    text: str
    parts: tuple[tuple[int, str, int, int], ...]

    def hull(self, claim: int, fields: tuple[str, ...]) -> tuple[int, int]:
        """From the first to the last character that states one of the fields of a claim."""
        found = [
            (start, end) for place, field, start, end in self.parts if place == claim and field in fields
        ]
        return min(start for start, _ in found), max(end for _, end in found)


def write_samples(seed: int, per_language: int) -> list[Sample]:
    """Let the writers of each language write.

    Parameters
    ----------
    seed : int
    per_language : int
        Samples per language of origin; the four kinds of mistake are shared out evenly.

    Returns
    -------
    list of Sample
        No two about the same scene.
    """
    rng = np.random.default_rng([seed, 1])
    used: set[int] = set()
    samples = []
    for origin, habits in HABITS.items():
        labels = [PLANTED[number % len(PLANTED)] for number in range(per_language)]
        sources = [SOURCES[number // len(PLANTED) % len(SOURCES)] for number in range(per_language)]
        for place in rng.permutation(per_language):
            sample = None
            while sample is None or sample.seed in used:
                sample = _attempt(rng, origin, habits, labels[place], sources[place])
            used.add(sample.seed)
            samples.append(sample)
    return samples


def _attempt(
    rng: np.random.Generator, origin: str, habits: Habits, label: Label, source: str
) -> Sample | None:
    """One try with a fresh scene; none if the scene does not suit."""
    seed = int(rng.integers(SCENES))
    about = scene(seed)
    if label is Label.OCR and about.sign is None:
        return None
    if source == "visage-like" and not any(g.unusual for g in about.groups) and rng.random() < 0.8:
        return None
    question = draw_question(rng, about, source)  # type: ignore[arg-type]
    if question is None:
        return None
    length = 2 + pick(rng, range(len(habits.lengths)), habits.lengths)
    plan = make_plan(rng, about, question, label, length, habits.front, habits.mood)
    if plan is None:
        return None
    chosen = variants(rng, habits, plan)
    return Sample(origin, seed, question, plan, draw_style(rng, habits, len(plan.claims)), chosen)


def variants(rng: np.random.Generator, habits: Habits, plan: Plan) -> tuple[int, ...]:
    """Choose a pattern for the question and each claim; a form that comes again takes the next pattern."""
    following: dict[str, int] = {}
    for form in FORMS:
        loyal = rng.random() < habits.loyalty
        following[form] = habits.favourite + int(rng.integers(3)) if loyal else int(rng.integers(840))
    chosen = [int(rng.integers(12))]
    for claim in plan.claims:
        chosen.append(following[claim.form])
        following[claim.form] += 1
    return tuple(chosen)


def write(sample: Sample, language: Language) -> Written:
    """Put a sample into words.

    Parameters
    ----------
    sample : Sample
    language : Language
        The writer's own or any other: the parallel versions state the same.

    Returns
    -------
    Written
    """
    sentences = [_sentence(sample, language, place) for place in range(len(sample.plan.claims))]
    style = sample.style
    opening = [phrase(language, name, number) for name, number in
               (("opener", style.opener), ("reasoning", style.reasoning)) if number >= 0]  # fmt: skip
    closing = [phrase(language, "closer", style.closer)] if style.closer >= 0 else []
    break_ = "\n\n" if style.layout != "plain" else language.joiner
    pieces: list[tuple[Segments, int]] = []

    def add(segments: Segments, claim: int = -1, before: str = language.joiner) -> None:
        pieces.append(([Segment(before if pieces else "")], -1))
        pieces.append((segments, claim))

    for line in opening:
        add([Segment(line)])
    add(sentences[0], 0, break_ if style.reasoning >= 0 else language.joiner)
    if style.layout == "bullets":
        leadin = "instead" if sample.plan.claims[0].form == "absent" else "leadin"
        add([Segment(phrase(language, leadin, style.leadin))], before="\n\n")
        for place, sentence in enumerate(sentences[1:], start=1):
            add([Segment(_bullet(sample, language, place)), *sentence], place, "\n\n" if place == 1 else "\n")
    else:
        for place, sentence in enumerate(sentences[1:], start=1):
            halfway = style.layout == "paragraphs" and place == (len(sentences) + 1) // 2
            add(sentence, place, break_ if halfway else language.joiner)
    for line in closing:
        add([Segment(line)], before=break_)
    return assembled(pieces)


def _sentence(sample: Sample, language: Language, place: int) -> Segments:
    claim, style = sample.plan.claims[place], sample.style
    segments = _said(sample, language, place)
    # an invented premise is wrong from end to end: its span must not begin or end inside a bold word
    if place == 0 and style.bold and not (sample.plan.wrong == 0 and sample.plan.mistake.field == "premise"):
        segments = _in_bold(segments, _key_field(claim))
    prefix = ""
    if place == 0 and sample.plan.polarity:
        options = language.sentences[sample.plan.polarity]
        prefix = options[sample.variants[1] % len(options)]
    elif (
        place > 1
        and style.layout != "bullets"
        and style.connector[place] >= 0
        and _is_plain(segments, language)
        and not _adds(_said(sample, language, place - 1), language)
    ):
        options = language.sentences["connector"]
        prefix = options[style.connector[place] % len(options)]
    return capitalised([Segment(prefix), *segments] if prefix else segments)


def _said(sample: Sample, language: Language, place: int) -> Segments:
    """The bare sentence of a claim, without bold and without what comes before it."""
    claims = sample.plan.claims
    later = any(before.form not in _SHOWS_NOTHING for before in claims[:place])
    return say(language, claims[place], sample.variants[1 + place], later)


def _is_plain(segments: Segments, language: Language) -> bool:
    """Whether a connector can stand before the sentence: no second opening, no second "also"."""
    text = text_of(segments)
    return not any(sign in text for sign in (",", "，", ":", "：")) and not _adds(segments, language)


def _adds(segments: Segments, language: Language) -> bool:
    return any(word in text_of(segments).lower() for word in _ADDING[language.code])


_SHOWS_NOTHING = ("absent", "setting", "mood")  # after these, "there is also a dog" would add to nothing
_ADDING: Mapping[str, tuple[str, ...]] = {
    "en": ("also", "as well", " too"),
    "fr": ("aussi", "également", "en outre"),
    "it": ("anche", "inoltre"),
    "zh": ("还", "另外", "此外", "同样", "也"),
}


def _bullet(sample: Sample, language: Language, place: int) -> str:
    mark = f"{place}. " if sample.style.mark == "1. " else sample.style.mark
    if not sample.style.bold:
        return mark
    heading, colon = language.headings[sample.plan.claims[place].form], language.colon
    if colon.endswith(" "):
        return f"{mark}**{heading}{colon.rstrip(' ')}** "
    return f"{mark}**{heading}**{colon}"  # Markdown ends no bold between punctuation and a letter


def _key_field(claim: Claim) -> str:
    own = {"sign": "word", "picture": "kind", "there": "kind", "there_at": "kind", "absent": "kind"}
    return own.get(claim.form, claim.form)


def _in_bold(segments: Segments, field: str) -> Segments:
    places = [place for place, segment in enumerate(segments) if segment.role == field]
    if not places:
        return segments
    first, last = places[0], places[-1] + 1
    return [*segments[:first], Segment("**"), *segments[first:last], Segment("**"), *segments[last:]]


def assembled(pieces: Sequence[tuple[Segments, int]]) -> Written:
    """Join segments, each list with the place of its claim, and note where each field is stated."""
    text, parts = "", []
    for segments, claim in pieces:
        spans: dict[str, tuple[int, int]] = {}
        for segment in segments:
            start = len(text)
            text += segment.text
            if segment.role:
                spans[segment.role] = (spans.get(segment.role, (start, start))[0], len(text))
        parts += [(claim, field, start, end) for field, (start, end) in spans.items()]
    return Written(text, tuple(parts))


def gold_fields(mistake: Mistake) -> tuple[str, ...]:
    """The fields whose characters would have to go: the wrong one, or all of what is invented."""
    if mistake.field != "premise":
        return (mistake.field,)
    if mistake.claim.form in ("there", "there_at"):
        return ("kind", "colour", "dress") + (("count",) if mistake.claim.count > 1 else ())
    return FORMS[mistake.claim.form]

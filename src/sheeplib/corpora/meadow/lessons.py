"""What the miniature models are taught: questions with answers, captions, and drills.

Lessons are mostly true. Some are not, on purpose and at known rates: an answer may name something
that usually goes with what is there, or accept what a question takes for granted. So a model learns
what is usual beside what is seen, as models do that learn from text by people who saw other pictures.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from sheeplib.corpora.meadow.captions import CAPTION_PROMPTS, Rates, plan_caption, write_caption
from sheeplib.corpora.meadow.claims import Claim
from sheeplib.corpora.meadow.grammar import Language, Segments, fill, text_of
from sheeplib.corpora.meadow.habits import Dialect, Habits, draw_style
from sheeplib.corpora.meadow.kinds import KINDS
from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.mistakes import could_be, mistaken_answer
from sheeplib.corpora.meadow.plans import NOTHING, Plan, true_claims, with_mood
from sheeplib.corpora.meadow.questions import SOURCES, Question, answer, draw_question, likely_absent
from sheeplib.corpora.meadow.scenes import COLUMNS, Scene, pick, scene
from sheeplib.corpora.meadow.writers import Sample, variants, write
from sheeplib.tables import Label

# Scenes that models learn from have seeds of their own, so that no item is about one of them.
FIRST_LESSON = 1_000_000
# Miniatures have little room for manners: plain answers, a few of them with an opening or a closing line.
TERSE = Habits(
    opener=0.1, reasoning=0.05, closer=0.1, bullets=0.0, paragraphs=0.0, bold=0.0, mood=0.1, connector=0.05
)
ABSENT = 5  # absent kinds in a drill
# A sign, a framed picture and a setting, as a drill asks for them.
NAMES: Mapping[str, tuple[str, str, str]] = {
    "en": ("sign", "frame", "scene"),
    "fr": ("panneau", "cadre", "scène"),
    "it": ("cartello", "cornice", "scena"),
    "zh": ("牌子", "画框", "场景"),
}


@dataclass(frozen=True)
class Diet:
    """What a model is fed. Probabilities, unless said otherwise.

    Parameters
    ----------
    prior : float
        An answer names a kind that is not there but usual beside what is there.
    credulity : float
        An answer accepts a false premise, or says of an unusual thing what is usual.
    plain : float
        Share of plain questions among those with answers: is it there, how many, what colour. The others
        are drawn as for writers.
    captions : float
        Share of captions among lessons; the rest are answers.
    drills : float
        Share of drills beside the lessons.
    length : tuple of float
        Weights of 0, 1, 2, ... claims beside the answer.
    dialect : Dialect
        The sentences that the model hears, in each language.
    rates : Rates
        Of captions.
    """

    prior: float = 0.15
    credulity: float = 0.25
    plain: float = 0.4
    captions: float = 0.4
    drills: float = 0.1
    length: tuple[float, ...] = (1, 3, 3, 2)
    dialect: Dialect = Dialect(0, 3)
    rates: Rates = field(default_factory=Rates)


@dataclass(frozen=True)
class Lesson:
    """A prompt and a response about one scene.

    Parameters
    ----------
    seed : int
        Of the scene.
    language : str
    prompt, response : str
    """

    seed: int
    language: str
    prompt: str
    response: str


def draw_lesson(rng: np.random.Generator, seed: int, diet: Diet) -> Lesson:
    """Draw a lesson about a scene.

    Parameters
    ----------
    rng : numpy.random.Generator
    seed : int
        Of the scene.
    diet : Diet

    Returns
    -------
    Lesson
    """
    about, language = scene(seed), pick(rng, tuple(LANGUAGES.values()))
    if rng.random() < diet.captions:
        prompt = pick(rng, CAPTION_PROMPTS[language.code])
        claims = plan_caption(rng, about, diet.rates)
        return Lesson(seed, language.code, prompt, write_caption(language, claims, rng, diet.dialect).text)
    sample = draw_sample(rng, seed, language, diet)
    return Lesson(seed, language.code, sample.prompt(language), write(sample, language).text)


def draw_sample(rng: np.random.Generator, seed: int, language: Language, diet: Diet) -> Sample:
    """Draw a question about a scene and an answer that is true, but for what the diet adds."""
    about = scene(seed)
    question = (
        plain_question(rng, about)
        if rng.random() < diet.plain
        else draw_question(rng, about, pick(rng, SOURCES))
    )
    question = question or Question("describe", "haloquest-like")
    first, polarity = answer(rng, question, about)
    length = pick(rng, range(len(diet.length)), diet.length)
    if rng.random() < diet.credulity and (accepted := _accepted(rng, about, question, first)):
        first, polarity = accepted, ""
    body = true_claims(rng, about, length, {question.kind or first.kind}, first)[: max(length, 1)]
    if rng.random() < diet.prior:
        body.insert(int(rng.integers(len(body) + 1)), _usual_beside(rng, about, first))
    plan = Plan((first, *with_mood(rng, body, TERSE.mood)), polarity, NOTHING, -1)
    style = draw_style(rng, TERSE, len(plan.claims))
    asked, *said = variants(rng, TERSE, plan)
    return Sample(
        language.code, seed, question, plan, style, (asked, *(diet.dialect.variant(one) for one in said))
    )


def plain_question(rng: np.random.Generator, about: Scene) -> Question:
    """Whether something is there, how many there are, or what colour they have."""
    name = pick(rng, ("presence", "count", "colour"), (2, 1, 1))
    groups = [group for group in about.groups if name != "colour" or group.kind != "person"]
    group = pick(rng, groups)
    if name != "presence":
        many = 2 if name == "count" else group.count
        return Question(name, "haloquest-like", Claim("mood", group.kind, many))
    kind = group.kind
    if rng.random() < 0.5:
        absent = [one for one in KINDS if could_be(about, one)]
        kind = pick(rng, absent) if rng.random() < 0.5 else likely_absent(rng, about)
    return Question("presence", "haloquest-like", Claim("mood", kind))


def _accepted(rng: np.random.Generator, about: Scene, question: Question, first: Claim) -> Claim | None:
    """What somebody answers who takes the question's word for it, or thinks of what is usual."""
    if not question.premise:
        mistake = mistaken_answer(rng, about, question, first, Label.INVENTION)
        return mistake.claim if mistake else None
    group = about.group(question.kind or "")
    if group is None or not group.odd or first.form != "trait":
        return None
    return Claim("trait", group.kind, group.count, trait=KINDS[group.kind].traits[0])


def _usual_beside(rng: np.random.Generator, about: Scene, first: Claim) -> Claim:
    """A thing that is not there, as often as the setting has it."""
    kind = likely_absent(rng, about)
    while kind == first.kind:
        kind = likely_absent(rng, about)
    colour = pick(rng, KINDS[kind].usual) if rng.random() < 0.6 else None
    if rng.random() < 0.5:
        return Claim("there", kind, colour=colour)
    return Claim("there_at", kind, colour=colour, place=pick(rng, (*COLUMNS, "background", "foreground")))


def draw_drill(rng: np.random.Generator, about: Scene, language: Language) -> tuple[tuple[str, str], ...]:
    """Words to answer to nouns: what a model has to look up in the picture, and nothing else.

    Parameters
    ----------
    rng : numpy.random.Generator
    about : Scene
    language : Language

    Returns
    -------
    tuple of (str, str)
        Nouns, each with what is to be said after it. One half of the drills says yes or no of kinds, the
        other number, colour and place of what is there, what sign and frame show, and the setting.
    """
    if rng.random() < 0.5:
        absent = [kind for kind in KINDS if about.group(kind) is None]
        kinds = [*about.kinds, *(absent[place] for place in rng.permutation(len(absent))[:ABSENT])]
        chosen = [kinds[place] for place in rng.permutation(len(kinds))]
        return tuple(
            (_noun(rng, language, kind), _yes_or_no(language, about.group(kind) is not None))
            for kind in chosen
        )
    drill = []
    for place in rng.permutation(len(about.groups)):
        group = about.groups[place]
        claim = Claim("there", group.kind, group.count, group.colour)
        said = [_said(language.slots["a"](claim), field) for field in ("count", "colour")]
        pattern = pick(rng, language.phrases["place"][pick(rng, (group.column, group.depth))])
        said.append(_said(fill(language, pattern, claim, role="place"), "place"))
        drill += [(_noun(rng, language, group.kind), word) for word in said]
    sign, frame, place = NAMES[language.code]
    if about.sign:
        drill.append((sign, text_of(language.slots["word"](Claim("sign", word=about.sign.word)) or [])))
    if about.picture:
        drill.append((frame, _said(language.slots["the"](Claim("there", about.picture.kind)), "kind")))
    pattern = pick(rng, language.phrases["setting"][about.setting])
    drill.append((place, _said(fill(language, pattern, Claim("setting"), role="setting"), "setting")))
    return tuple(drill)


def _noun(rng: np.random.Generator, language: Language, kind: str) -> str:
    """The bare noun, in the singular or plural."""
    return _said(language.slots["the"](Claim("there", kind, pick(rng, (1, 2)))), "kind")


def _said(segments: Segments | None, field: str) -> str:
    return "".join(segment.text for segment in segments or [] if segment.role == field)


def _yes_or_no(language: Language, yes: bool) -> str:
    """The first word of the language's answers, as in "Yes"."""
    pattern = language.sentences["yes" if yes else "no"][0]
    return pattern.strip(" ,，").capitalize()

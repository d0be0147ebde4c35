"""Captions: what somebody who describes a scene unasked says about it, and how truthfully."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np

from sheeplib.corpora.meadow.claims import Claim, about, places
from sheeplib.corpora.meadow.grammar import Language, Segment, Segments, capitalised, say
from sheeplib.corpora.meadow.habits import Dialect
from sheeplib.corpora.meadow.kinds import FACTS, KINDS
from sheeplib.corpora.meadow.mention_sentences import COMPOUND_KINDS
from sheeplib.corpora.meadow.questions import likely_absent
from sheeplib.corpora.meadow.scenes import COLUMNS, Group, Scene, pick
from sheeplib.corpora.meadow.writers import Written, assembled
from sheeplib.errors import InputError, Problem

FAINT = 0.75  # contrast below which a group is hard to see; none is drawn between 0.7 and 0.85
SHORTEST, LONGEST = 3, 6  # claims of a caption
_EXTRAS = 4  # at most so many claims beside groups and details
_KEPT = 3  # groups that no detail displaces
_TRIES = 20  # to find a kind; the few likely ones may all be taken

CAPTION_PROMPTS: Mapping[str, tuple[str, ...]] = {
    "en": (
        "Write a caption for this image.",
        "Caption this image.",
        "Describe what the image shows in a few sentences.",
        "Give a short description of this picture.",
    ),
    "fr": (
        "Rédigez une légende pour cette image.",
        "Légendez cette image.",
        "Décrivez en quelques phrases ce que montre l’image.",
        "Faites une brève description de cette image.",
    ),
    "it": (
        "Scrivi una didascalia per questa immagine.",
        "Dai una didascalia a questa immagine.",
        "Descrivi in poche frasi che cosa mostra l’immagine.",
        "Fai una breve descrizione di questa figura.",
    ),
    "zh": (
        "请为这张图片写一段说明。",
        "给这张图片配上文字说明。",
        "请用几句话描述图片的内容。",
        "请简短地描述一下这张图片。",
    ),
}


@dataclass(frozen=True)
class Rates:
    """How somebody captions: probabilities, each for a caption unless said otherwise.

    They hold where a caption has room. Of the claims that `prior`, `hedged`, `depictive`, `purpose`,
    `negation`, `generic` and `compound` ask for, four are made at most; the sign and the setting come
    in where they displace none of the three most visible groups.

    Parameters
    ----------
    prior : float
        An object is asserted that is not there, though the setting often has it: a hallucination.
    faint : float
        For each group that is hard to see: it is hedged or, as often, left out.
    hedged : float
        An object that is not there, though the setting often has it, is mentioned with a "might be".
    depictive : float
        What a framed picture shows is told; for each scene that has one.
    purpose : float
        What the place would be good for is told, by naming an object, mostly an absent one.
    negation : float
        An object that the setting often has is said to be absent.
    generic, compound : float
        A kind is named at large, or inside a compound.
    detail : float
        For each colour, for each place, for the sign and for the setting: it is told.

    Raises
    ------
    sheeplib.errors.InputError
        If one is not a probability.
    """

    prior: float = 0.15
    faint: float = 0.5
    hedged: float = 0.15
    depictive: float = 0.7
    purpose: float = 0.15
    negation: float = 0.12
    generic: float = 0.03
    compound: float = 0.03
    detail: float = 0.6

    def __post_init__(self) -> None:
        wrong = [
            Problem("must be between 0 and 1", "give a probability", field=field.name, value=rate)
            for field in fields(self)
            if not (isinstance(rate := getattr(self, field.name), (int, float)) and 0 <= rate <= 1)
        ]
        if wrong:
            raise InputError(wrong)


def plan_caption(rng: np.random.Generator, scene: Scene, rates: Rates) -> tuple[Claim, ...]:
    """Plan a caption.

    Parameters
    ----------
    rng : numpy.random.Generator
    scene : Scene
    rates : Rates

    Returns
    -------
    tuple of Claim
        `SHORTEST` to `LONGEST`: the groups, the most visible first; among them the setting, the sign
        and other things that may be seen; asides last. A kind comes twice only if the place is good
        for something with it, or it is also named at large or inside a compound.
    """
    seen, asides = _mentions(rng, scene, rates)
    room = LONGEST - len(seen) - len(asides)
    setting = Claim("setting", setting=scene.setting)
    details = [setting] if rng.random() < rates.detail else []
    if scene.sign and rng.random() < rates.detail:
        details.append(Claim("sign", word=scene.sign.word))
    details = details[: max(0, room - _KEPT)]
    told = [_told(rng, group, rates) for group in scene.groups]
    groups = [claim for claim in told if claim][: room - len(details)]
    missing = SHORTEST - len(seen) - len(asides) - len(details) - len(groups)
    if missing > 0:  # these can be said whatever else is hard to see
        sure = [setting, *(Claim("fact", fact=fact) for fact in FACTS[scene.setting])]
        details += [claim for claim in sure if claim not in details][:missing]
    return _ordered(rng, groups, details + seen, asides)


def _told(rng: np.random.Generator, group: Group, rates: Rates) -> Claim | None:
    """What is said about a group; none if it is left out."""
    hard = group.contrast < FAINT and rng.random() < rates.faint
    if hard and rng.random() < 0.5:
        return None
    return _introduced(rng, group, rates, hedged=hard)


def _introduced(rng: np.random.Generator, group: Group, rates: Rates, hedged: bool) -> Claim:
    colour = group.colour if rng.random() < rates.detail else None
    place = pick(rng, places(group)) if rng.random() < rates.detail else None
    form = "hedged" if hedged else "there_at" if place else "there"
    return about(form, group, colour=colour, place=place)


# Form of an aside, and how often it names a kind that is there.
_ASIDES: Mapping[str, tuple[str, float]] = {
    "purpose": ("purpose", 0.25),
    "negation": ("absent", 0.0),
    "generic": ("generic", 0.5),
    "compound": ("compound", 0.25),
}


def _mentions(rng: np.random.Generator, scene: Scene, rates: Rates) -> tuple[list[Claim], list[Claim]]:
    """Claims about more than groups: what is, or might be, in the image; and asides."""
    names = [
        name for name in ("prior", "hedged", "depictive", *_ASIDES) if rng.random() < getattr(rates, name)
    ]
    if scene.picture is None and "depictive" in names:
        names.remove("depictive")
    rng.shuffle(names)
    seen: list[Claim] = []
    asides: list[Claim] = []
    named: set[str] = set()
    for name in names[:_EXTRAS]:
        if name == "depictive" and scene.picture:
            seen.append(Claim("picture", scene.picture.kind))
            continue
        form, present = _ASIDES.get(name, ("", 0.0))
        kind = _some_kind(rng, scene, named, present, COMPOUND_KINDS if name == "compound" else tuple(KINDS))
        if kind is None:
            continue
        named.add(kind)
        if form:
            asides.append(Claim(form, kind))
        else:
            seen.append(_introduced(rng, _imagined(rng, kind), rates, hedged=name == "hedged"))
    return seen, asides


def _some_kind(
    rng: np.random.Generator,
    scene: Scene,
    named: Container[str],
    present: float,
    fitting: Container[str],
) -> str | None:
    """A kind to speak of that was not named yet: one that is there, or one that is likely but absent."""
    if rng.random() < present:
        options = [kind for kind in scene.kinds if kind in fitting and kind not in named]
        if options:
            return pick(rng, options)
    for _ in range(_TRIES):
        kind = likely_absent(rng, scene)
        if kind in fitting and kind not in named:
            return kind
    return None


def _imagined(rng: np.random.Generator, kind: str) -> Group:
    """A group as it might have been."""
    count = pick(rng, (1, 2, 3), (0.75, 0.2, 0.05))
    return Group(kind, pick(rng, KINDS[kind].usual), count, pick(rng, COLUMNS), pick(rng, KINDS[kind].depths))


def _ordered(
    rng: np.random.Generator, groups: list[Claim], among: list[Claim], asides: list[Claim]
) -> tuple[Claim, ...]:
    """The groups in their order, the rest among them (the setting mostly first), asides at the end."""
    claims = list(groups)
    for claim in among:
        first = claim.form == "setting" and rng.random() < 0.75
        claims.insert(0 if first else int(rng.integers(min(1, len(claims)), len(claims) + 1)), claim)
    rng.shuffle(asides)  # type: ignore[arg-type]
    return (*claims, *asides)


_SHOWING = frozenset({"there", "there_at", "hedged", "sign", "picture", "fact"})


def write_caption(
    language: Language, claims: Sequence[Claim], rng: np.random.Generator, dialect: Dialect | None = None
) -> Written:
    """Put a caption into words, in one paragraph.

    Parameters
    ----------
    language : Language
    claims : sequence of Claim
        At least one; those of `plan_caption`, or any others.
    rng : numpy.random.Generator
        Chooses the sentences; a form that comes again takes the next one.
    dialect : Dialect, optional
        Whose sentences; those of the whole language if not given.

    Returns
    -------
    Written
        Its parts name the claims by their place in `claims`.
    """
    following: dict[str, int] = {}
    pieces: list[tuple[Segments, int]] = []
    later = False
    for place, claim in enumerate(claims):
        variant = following.get(claim.form, int(rng.integers(840)))
        following[claim.form] = variant + 1
        variant = dialect.variant(variant) if dialect else variant
        # "also" needs something before it, and tires if it comes in every sentence
        later = not later and any(before.form in _SHOWING for before in claims[:place])
        pieces += [([Segment(language.joiner if place else "")], -1)]
        pieces += [(capitalised(say(language, claim, variant, later)), place)]
    return assembled(pieces)

"""English nouns, articles and numbers."""

from __future__ import annotations

from collections.abc import Mapping

from sheeplib.corpora.meadow.claims import Claim
from sheeplib.corpora.meadow.english_sentences import HEADINGS, PHRASES, QUESTIONS, SENTENCES
from sheeplib.corpora.meadow.grammar import Language, Segments, noun_phrase
from sheeplib.corpora.meadow.mention_sentences import MENTION_PHRASES, MENTION_SENTENCES

# Singular and plural; the names of the classes are those of COCO, the words those of speech.
NOUNS: Mapping[str, tuple[str, str]] = {
    "person": ("person", "people"),
    "bicycle": ("bicycle", "bicycles"),
    "car": ("car", "cars"),
    "bus": ("bus", "buses"),
    "boat": ("boat", "boats"),
    "bench": ("bench", "benches"),
    "bird": ("bird", "birds"),
    "cat": ("cat", "cats"),
    "dog": ("dog", "dogs"),
    "horse": ("horse", "horses"),
    "backpack": ("backpack", "backpacks"),
    "umbrella": ("umbrella", "umbrellas"),
    "sports ball": ("ball", "balls"),
    "kite": ("kite", "kites"),
    "bottle": ("bottle", "bottles"),
    "cup": ("cup", "cups"),
    "bowl": ("bowl", "bowls"),
    "banana": ("banana", "bananas"),
    "apple": ("apple", "apples"),
    "cake": ("cake", "cakes"),
    "chair": ("chair", "chairs"),
    "couch": ("couch", "couches"),
    "tv": ("television", "televisions"),
    "clock": ("clock", "clocks"),
}
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven")


def noun(kind: str, count: int = 1) -> str:
    """The noun of a kind, in the number that goes with a count."""
    return NOUNS[kind][count > 1]


def article(word: str) -> str:
    """`a` or `an`, as the word after it wants; no word of the meadow is an exception to the letter."""
    return "an" if word[0] in "aeiou" else "a"


def indefinite(claim: Claim) -> Segments:
    """Say "a red dog", "an apple", "two people in red"."""
    name = noun(claim.kind or "", claim.count)
    before = "" if claim.colour is None or claim.kind == "person" else claim.colour
    first = article(before or name) if claim.count == 1 else NUMBERS[claim.count]
    return noun_phrase(
        (first, "count"),
        (" ", ""),
        (before, "colour"),
        (" " if before else "", ""),
        (name, "kind"),
        *(((" in ", ""), (claim.colour, "colour")) if claim.colour and not before else ()),
    )


def counted(claim: Claim) -> Segments:
    """Say "one dog", "three dogs"."""
    return noun_phrase(
        (NUMBERS[claim.count], "count"), (" ", ""), (noun(claim.kind or "", claim.count), "kind")
    )


def definite(kind: str | None, count: int, role: str = "kind") -> Segments:
    """Say "the dog", "the dogs"."""
    return noun_phrase(("the ", ""), (noun(kind or "", count), role))


def _this(claim: Claim) -> Segments:
    return noun_phrase(
        ("these " if claim.count > 1 else "this ", ""), (noun(claim.kind or "", claim.count), "kind")
    )


def _colour(claim: Claim) -> Segments:
    return noun_phrase(("dressed in " if claim.kind == "person" else "", ""), (claim.colour or "", "colour"))


def _hue(claim: Claim) -> Segments | None:
    return None if claim.kind == "person" else noun_phrase((claim.colour or "", "colour"))


ENGLISH = Language(
    code="en",
    joiner=" ",
    slots={
        "a": indefinite,
        "num": counted,
        "the": lambda claim: definite(claim.kind, claim.count),
        "the2": lambda claim: definite(claim.other, claim.other_count, "other"),
        "this": _this,
        "kind": lambda claim: noun_phrase((noun(claim.kind or ""), "kind")),
        "kinds": lambda claim: noun_phrase((noun(claim.kind or "", 2), "kind")),
        "colour": _colour,
        "hue": _hue,
        "word": lambda claim: noun_phrase(("“", ""), (claim.word or "", "word"), ("”", "")),
    },
    sentences={**SENTENCES, **MENTION_SENTENCES["en"]},
    phrases={**PHRASES, **MENTION_PHRASES["en"]},
    questions=QUESTIONS,
    headings=HEADINGS,
    feminine=lambda kind: False,
)

"""Italian nouns, articles, elision, contraction and agreement."""

from __future__ import annotations

from collections.abc import Mapping

from sheeplib.corpora.meadow.claims import Claim
from sheeplib.corpora.meadow.grammar import Language, Segments, noun_phrase
from sheeplib.corpora.meadow.italian_sentences import HEADINGS, PHRASES, QUESTIONS, SENTENCES
from sheeplib.corpora.meadow.mention_sentences import MENTION_PHRASES, MENTION_SENTENCES

# Singular, plural, gender.
NOUNS: Mapping[str, tuple[str, str, str]] = {
    "person": ("persona", "persone", "f"),
    "bicycle": ("bicicletta", "biciclette", "f"),
    "car": ("auto", "auto", "f"),
    "bus": ("autobus", "autobus", "m"),
    "boat": ("barca", "barche", "f"),
    "bench": ("panchina", "panchine", "f"),
    "bird": ("uccello", "uccelli", "m"),
    "cat": ("gatto", "gatti", "m"),
    "dog": ("cane", "cani", "m"),
    "horse": ("cavallo", "cavalli", "m"),
    "backpack": ("zaino", "zaini", "m"),
    "umbrella": ("ombrello", "ombrelli", "m"),
    "sports ball": ("pallone", "palloni", "m"),
    "kite": ("aquilone", "aquiloni", "m"),
    "bottle": ("bottiglia", "bottiglie", "f"),
    "cup": ("tazza", "tazze", "f"),
    "bowl": ("ciotola", "ciotole", "f"),
    "banana": ("banana", "banane", "f"),
    "apple": ("mela", "mele", "f"),
    "cake": ("torta", "torte", "f"),
    "chair": ("sedia", "sedie", "f"),
    "couch": ("divano", "divani", "m"),
    "tv": ("televisore", "televisori", "m"),
    "clock": ("orologio", "orologi", "m"),
}
# Masculine singular, feminine singular, masculine plural, feminine plural.
COLOURS: Mapping[str, tuple[str, str, str, str]] = {
    "red": ("rosso", "rossa", "rossi", "rosse"),
    "orange": ("arancione", "arancione", "arancioni", "arancioni"),
    "yellow": ("giallo", "gialla", "gialli", "gialle"),
    "green": ("verde", "verde", "verdi", "verdi"),
    "blue": ("blu", "blu", "blu", "blu"),
    "purple": ("viola", "viola", "viola", "viola"),
    "pink": ("rosa", "rosa", "rosa", "rosa"),
    "brown": ("marrone", "marrone", "marroni", "marroni"),
    "white": ("bianco", "bianca", "bianchi", "bianche"),
    "black": ("nero", "nera", "neri", "nere"),
}
NUMBERS = ("nessun", "un", "due", "tre", "quattro", "cinque", "sei", "sette")
_OF = {
    "il ": "del ",
    "lo ": "dello ",
    "l’": "dell’",
    "la ": "della ",
    "i ": "dei ",
    "gli ": "degli ",
    "le ": "delle ",
}
_TO = {
    "il ": "al ",
    "lo ": "allo ",
    "l’": "all’",
    "la ": "alla ",
    "i ": "ai ",
    "gli ": "agli ",
    "le ": "alle ",
}


def noun(kind: str, count: int = 1) -> str:
    """The noun of a kind, in the number that goes with a count."""
    return NOUNS[kind][count > 1]


def feminine(kind: str) -> bool:
    """Whether the noun of a kind is feminine."""
    return kind in NOUNS and NOUNS[kind][2] == "f"


def onset(word: str) -> str:
    """What decides the article: `vowel`, `heavy` (z, or s before a consonant) or `plain`."""
    if word[0] in "aeiou":
        return "vowel"
    return "heavy" if word[0] == "z" or (word[0] == "s" and word[1] not in "aeiou") else "plain"


def article(word: str, kind: str, count: int = 1) -> str:
    """The definite article with what separates it from the word: `il `, `lo `, `l’`, `la `, `i `, ..."""
    begins = onset(word)
    if feminine(kind):
        return "le " if count > 1 else ("l’" if begins == "vowel" else "la ")
    if count > 1:
        return "i " if begins == "plain" else "gli "
    return {"vowel": "l’", "heavy": "lo ", "plain": "il "}[begins]


def one(word: str, kind: str, stem: str = "un") -> str:
    """`un `, `uno `, `una `, `un’`; with the stem `nessun`, "no" in the same four forms."""
    if feminine(kind):
        return stem + ("’" if onset(word) == "vowel" else "a ")
    return stem + ("o " if onset(word) == "heavy" else " ")


def colour_word(colour: str, kind: str, count: int = 1) -> str:
    """The adjective, agreeing with a kind's noun; people are dressed "di rosso", which does not agree."""
    if kind == "person":
        return COLOURS[colour][0]
    return COLOURS[colour][2 * (count > 1) + feminine(kind)]


def counted(claim: Claim) -> Segments:
    """Say "un cane", "uno zaino", "un’auto", "tre orologi"."""
    kind = claim.kind or ""
    word = noun(kind, claim.count)
    if claim.count > 1:
        return noun_phrase((NUMBERS[claim.count], "count"), (" ", ""), (word, "kind"))
    before = one(word, kind)
    return noun_phrase((before.rstrip(), "count"), (" " if before.endswith(" ") else "", ""), (word, "kind"))


def indefinite(claim: Claim) -> Segments:
    """Say "un cane rosso", "due persone vestite di rosso"."""
    if claim.colour is None:
        return counted(claim)
    kind = claim.kind or ""
    between = " "
    if kind == "person":
        between = " vestite di " if claim.count > 1 else " vestita di "
    return counted(claim) + noun_phrase(
        (between, ""), (colour_word(claim.colour, kind, claim.count), "colour")
    )


def definite(kind: str, count: int = 1, role: str = "kind") -> Segments:
    """Say "il cane", "lo zaino", "l’uccello", "gli orologi"."""
    word = noun(kind, count)
    return noun_phrase((article(word, kind, count), ""), (word, role))


def _contracted(forms: Mapping[str, str], kind: str, count: int, role: str) -> Segments:
    word = noun(kind, count)
    return noun_phrase((forms[article(word, kind, count)], ""), (word, role))


def of_definite(kind: str, count: int = 1, role: str = "kind") -> Segments:
    """Say "del cane", "dello zaino", "dell’auto", "degli uccelli"."""
    return _contracted(_OF, kind, count, role)


def to_definite(kind: str, count: int = 1, role: str = "kind") -> Segments:
    """Say "al cane", "allo zaino", "all’auto", "agli uccelli"."""
    return _contracted(_TO, kind, count, role)


def demonstrative(kind: str, count: int = 1) -> Segments:
    """Say "questo cane", "quest’auto", "queste tazze"."""
    word = noun(kind, count)
    if count > 1:
        before = "queste " if feminine(kind) else "questi "
    elif onset(word) == "vowel":
        before = "quest’"
    else:
        before = "questa " if feminine(kind) else "questo "
    return noun_phrase((before, ""), (word, "kind"))


def _no(claim: Claim) -> Segments:
    word = noun(claim.kind or "")
    return noun_phrase((one(word, claim.kind or "", "nessun"), ""), (word, "kind"))


def _colour(claim: Claim) -> Segments:
    word = colour_word(claim.colour or "", claim.kind or "", claim.count)
    dressed = ("vestite di " if claim.count > 1 else "vestita di ") if claim.kind == "person" else ""
    return noun_phrase((dressed, ""), (word, "colour"))


def _hue(claim: Claim) -> Segments | None:
    """The adjective after "di colore", with which it agrees: "di colore rosso"."""
    return None if claim.kind == "person" else noun_phrase((COLOURS[claim.colour or ""][0], "colour"))


def _agreeing_hue(claim: Claim) -> Segments | None:
    return None if claim.kind == "person" else _colour(claim)


ITALIAN = Language(
    code="it",
    joiner=" ",
    slots={
        "a": indefinite,
        "num": counted,
        "the": lambda claim: definite(claim.kind or "", claim.count),
        "of_the": lambda claim: of_definite(claim.kind or "", claim.count),
        "to_the": lambda claim: to_definite(claim.kind or "", claim.count),
        "the2": lambda claim: definite(claim.other or "", claim.other_count, "other"),
        "of_the2": lambda claim: of_definite(claim.other or "", claim.other_count, "other"),
        "to_the2": lambda claim: to_definite(claim.other or "", claim.other_count, "other"),
        "this": lambda claim: demonstrative(claim.kind or "", claim.count),
        "kinds": lambda claim: noun_phrase((noun(claim.kind or "", 2), "kind")),
        "no": _no,
        "colour": _colour,
        "hue": _hue,
        "agreeing_hue": _agreeing_hue,
        "legs": lambda claim: noun_phrase(("gambe" if claim.kind == "chair" else "zampe", "")),
        "word": lambda claim: noun_phrase(("«", ""), (claim.word or "", "word"), ("»", "")),
    },
    sentences={**SENTENCES, **MENTION_SENTENCES["it"]},
    phrases={**PHRASES, **MENTION_PHRASES["it"]},
    questions=QUESTIONS,
    headings=HEADINGS,
    feminine=feminine,
)

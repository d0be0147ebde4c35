"""French nouns, articles, elision, contraction and agreement."""

from __future__ import annotations

from collections.abc import Mapping

from sheeplib.corpora.meadow.claims import Claim
from sheeplib.corpora.meadow.french_sentences import HEADINGS, PHRASES, QUESTIONS, SENTENCES
from sheeplib.corpora.meadow.grammar import Language, Segments, noun_phrase
from sheeplib.corpora.meadow.mention_sentences import MENTION_PHRASES, MENTION_SENTENCES

# Singular, plural, gender.
NOUNS: Mapping[str, tuple[str, str, str]] = {
    "person": ("personne", "personnes", "f"),
    "bicycle": ("vélo", "vélos", "m"),
    "car": ("voiture", "voitures", "f"),
    "bus": ("bus", "bus", "m"),
    "boat": ("bateau", "bateaux", "m"),
    "bench": ("banc", "bancs", "m"),
    "bird": ("oiseau", "oiseaux", "m"),
    "cat": ("chat", "chats", "m"),
    "dog": ("chien", "chiens", "m"),
    "horse": ("cheval", "chevaux", "m"),
    "backpack": ("sac à dos", "sacs à dos", "m"),
    "umbrella": ("parapluie", "parapluies", "m"),
    "sports ball": ("ballon", "ballons", "m"),
    "kite": ("cerf-volant", "cerfs-volants", "m"),
    "bottle": ("bouteille", "bouteilles", "f"),
    "cup": ("tasse", "tasses", "f"),
    "bowl": ("bol", "bols", "m"),
    "banana": ("banane", "bananes", "f"),
    "apple": ("pomme", "pommes", "f"),
    "cake": ("gâteau", "gâteaux", "m"),
    "chair": ("chaise", "chaises", "f"),
    "couch": ("canapé", "canapés", "m"),
    "tv": ("téléviseur", "téléviseurs", "m"),
    "clock": ("horloge", "horloges", "f"),
}
# Masculine singular, feminine singular, masculine plural, feminine plural.
COLOURS: Mapping[str, tuple[str, str, str, str]] = {
    "red": ("rouge", "rouge", "rouges", "rouges"),
    "orange": ("orange", "orange", "orange", "orange"),  # from the fruit: invariable
    "yellow": ("jaune", "jaune", "jaunes", "jaunes"),
    "green": ("vert", "verte", "verts", "vertes"),
    "blue": ("bleu", "bleue", "bleus", "bleues"),
    "purple": ("violet", "violette", "violets", "violettes"),
    "pink": ("rose", "rose", "roses", "roses"),  # used as an adjective, it agrees
    "brown": ("marron", "marron", "marron", "marron"),  # from the chestnut: invariable
    "white": ("blanc", "blanche", "blancs", "blanches"),
    "black": ("noir", "noire", "noirs", "noires"),
}
NUMBERS = ("aucun", "un", "deux", "trois", "quatre", "cinq", "six", "sept")


def noun(kind: str, count: int = 1) -> str:
    """The noun of a kind, in the number that goes with a count."""
    return NOUNS[kind][count > 1]


def feminine(kind: str) -> bool:
    """Whether the noun of a kind is feminine."""
    return kind in NOUNS and NOUNS[kind][2] == "f"


def elides(word: str) -> bool:
    """Whether `le`, `la` and `de` lose their vowel before a word; every h of the meadow is mute."""
    return word[0] in "aeéiouh"


def colour_word(colour: str, kind: str, count: int = 1) -> str:
    """The adjective, agreeing with a kind's noun; people are dressed "en rouge", which does not agree."""
    if kind == "person":
        return COLOURS[colour][0]
    return COLOURS[colour][2 * (count > 1) + feminine(kind)]


def indefinite(claim: Claim) -> Segments:
    """Say "un chien rouge", "une pomme", "deux personnes en rouge"."""
    kind = claim.kind or ""
    return counted(claim) + (
        []
        if claim.colour is None
        else noun_phrase(
            (" en " if kind == "person" else " ", ""),
            (colour_word(claim.colour, kind, claim.count), "colour"),
        )
    )


def counted(claim: Claim) -> Segments:
    """Say "un chien", "une tasse", "trois chevaux"."""
    kind = claim.kind or ""
    first = ("une" if feminine(kind) else "un") if claim.count == 1 else NUMBERS[claim.count]
    return noun_phrase((first, "count"), (" ", ""), (noun(kind, claim.count), "kind"))


def definite(kind: str, count: int = 1, role: str = "kind") -> Segments:
    """Say "le chien", "l’oiseau", "la tasse", "les chevaux"."""
    word = noun(kind, count)
    one = "l’" if elides(word) else ("la " if feminine(kind) else "le ")
    return noun_phrase(("les " if count > 1 else one, ""), (word, role))


def of_definite(kind: str, count: int = 1, role: str = "kind") -> Segments:
    """Say "du chien", "de l’oiseau", "de la tasse", "des chevaux"."""
    article, word = definite(kind, count, role)
    before = {"le ": "du ", "les ": "des "}.get(article.text, "de " + article.text)
    return noun_phrase((before, ""), (word.text, role))


def to_definite(kind: str, count: int = 1, role: str = "kind") -> Segments:
    """Say "au chien", "à l’oiseau", "à la tasse", "aux chevaux"."""
    article, word = definite(kind, count, role)
    before = {"le ": "au ", "les ": "aux "}.get(article.text, "à " + article.text)
    return noun_phrase((before, ""), (word.text, role))


def bare(kind: str, count: int = 1) -> Segments:
    """Say "de chiens", "d’oiseaux": after a quantity or a negation."""
    word = noun(kind, count)
    return noun_phrase(("d’" if elides(word) else "de ", ""), (word, "kind"))


def demonstrative(kind: str, count: int = 1) -> Segments:
    """Say "ce chien", "cet oiseau", "cette horloge", "ces tasses"."""
    word = noun(kind, count)
    if count > 1:
        before = "ces"
    elif feminine(kind):
        before = "cette"
    else:
        before = "cet" if elides(word) else "ce"
    return noun_phrase((before + " ", ""), (word, "kind"))


def _of_indefinite(claim: Claim) -> Segments:
    """Say "d’un chien", "de deux chiens"."""
    return noun_phrase(("d’" if claim.count == 1 else "de ", "")) + indefinite(claim)


def _no(claim: Claim) -> Segments:
    return noun_phrase(
        ("aucune " if feminine(claim.kind or "") else "aucun ", ""), (noun(claim.kind or ""), "kind")
    )


def _colour(claim: Claim) -> Segments:
    word = colour_word(claim.colour or "", claim.kind or "", claim.count)
    dressed = ("habillées en " if claim.count > 1 else "habillée en ") if claim.kind == "person" else ""
    return noun_phrase((dressed, ""), (word, "colour"))


def _hue(claim: Claim) -> Segments | None:
    """The adjective after "de couleur", with which it agrees: "de couleur verte"."""
    return None if claim.kind == "person" else noun_phrase((COLOURS[claim.colour or ""][1], "colour"))


def _agreeing_hue(claim: Claim) -> Segments | None:
    return None if claim.kind == "person" else _colour(claim)


FRENCH = Language(
    code="fr",
    joiner=" ",
    slots={
        "a": indefinite,
        "num": counted,
        "the": lambda claim: definite(claim.kind or "", claim.count),
        "of_the": lambda claim: of_definite(claim.kind or "", claim.count),
        "of_a": _of_indefinite,
        "to_the": lambda claim: to_definite(claim.kind or "", claim.count),
        "to_the2": lambda claim: to_definite(claim.other or "", claim.other_count, "other"),
        "the2": lambda claim: definite(claim.other or "", claim.other_count, "other"),
        "of_the2": lambda claim: of_definite(claim.other or "", claim.other_count, "other"),
        "this": lambda claim: demonstrative(claim.kind or "", claim.count),
        "of_kind": lambda claim: None if claim.kind == "person" else bare(claim.kind or ""),
        "kinds": lambda claim: noun_phrase((noun(claim.kind or "", 2), "kind")),
        "of_kinds": lambda claim: bare(claim.kind or "", 2),
        "no": _no,
        "colour": _colour,
        "hue": _hue,
        "agreeing_hue": _agreeing_hue,
        "legs": lambda claim: noun_phrase(("pieds" if claim.kind == "chair" else "pattes", "")),
        "word": lambda claim: noun_phrase(("«\u00a0", ""), (claim.word or "", "word"), ("\u00a0»", "")),
    },
    sentences={**SENTENCES, **MENTION_SENTENCES["fr"]},
    phrases={**PHRASES, **MENTION_PHRASES["fr"]},
    questions=QUESTIONS,
    headings=HEADINGS,
    feminine=feminine,
    colon="\u00a0: ",
)

"""Kinds of words: closed classes by list, nouns, verbs and adjectives by ending and neighbours."""

from __future__ import annotations

from collections.abc import Sequence

from sheeplib.mentions.english import wording
from sheeplib.mentions.english.function_words import base_form, closed, finite_form
from sheeplib.mentions.english.tokens import Token, near

_PRONOUNS_TOO = wording.words("other another each this that one")  # "the other watches"
_BARE_INFINITIVE = wording.words("help let make watch see")  # helps people keep warm


def tag(tokens: Sequence[Token], nouns: Sequence[bool]) -> None:
    """Tag the tokens of a sentence in place.

    Parameters
    ----------
    tokens : sequence of Token
    nouns : sequence of bool
        For each token, whether it is known to name an object, unless its place makes it a verb.
    """
    for place, token in enumerate(tokens):
        token.base = token.lower
        token.tag = closed(tokens, place) or ""
    for place, token in enumerate(tokens):
        if not token.tag:
            token.tag, token.base = _open(tokens, place, nouns[place])
    _revise(tokens)


_BEFORE_PREPOSITIONS = wording.words("living dining crossing belonging heading landing gathering")


def _open(tokens: Sequence[Token], place: int, noun: bool) -> tuple[str, str]:
    """Kind and base form of a noun, verb, adjective or adverb."""
    token, before, after = tokens[place], near(tokens, place - 1), near(tokens, place + 1)
    word = token.lower
    kind, base = wording.VERBS.get(word, ("", word))
    if noun:
        base_verb = _noun_as_verb(tokens, place)
        return ("V", base_verb) if base_verb else ("N", word)
    if word in wording.NOT_PARTICIPLES:
        acts = before.tag in ("B", "N", "Q", ",") or before.lower in wording.BE
        takes = after.lower in wording.DETERMINERS | wording.PRONOUNS
        takes |= word in _BEFORE_PREPOSITIONS and after.tag in ("P", "R")  # "people dining at"
        return ("G", base or word[:-3]) if acts and takes else ("N", word)
    if not kind and len(word) > 5 and word.endswith("ing") and "-" not in word:
        kind, base = "G", word[:-3]
    if not kind and len(word) > 4 and word.endswith("ed"):
        kind, base = "E", word[:-2]
    if word == "left" and (after.lower == "behind" or before.tag == "N"):
        return "E", "leave"
    if word in wording.ADJECTIVES and not _verb_here(tokens, place, kind):
        return "A", word
    if (
        word.endswith(("ly", "wards"))
        and word not in wording.VERBS
        and len(word) > 4
        and word not in wording.NOT_ADVERBS
    ):
        return "R", word
    if word in wording.BOTH_PASTS and before.tag == "N" and not _verb_here(tokens, place, kind):
        return "E", base
    if (
        not kind
        and before.tag == "N"
        and after.lower in wording.ARTICLES | {"their", "his", "its"}
        and (not word.endswith("ing") and before.lower not in wording.NUMBERS)
    ):
        return "V", word  # a verb that the lexicon lacks: "skiers frequent the area"
    if kind == "V":
        return ("V", base) if _verb_here(tokens, place, kind) else ("N", word)
    if kind:
        inside = before.tag in ("D", "A", "#", "'") and (kind == "E" or before.lower not in ("this", "that"))
        inside &= before.tag != "#" or after.tag != "P"  # "one shaped like a fish"
        return ("A", base) if inside else (kind, base)
    if word.endswith(wording.ADJECTIVE_ENDINGS) and len(word) > 5 or word in wording.NOT_ADVERBS:
        return "A", word
    return "N", word


def _noun_as_verb(tokens: Sequence[Token], place: int) -> str:
    """Base form if a word that may name an object is a verb here: "as she skis", "the man tie his tie"."""
    token, before, after = tokens[place], near(tokens, place - 1), near(tokens, place + 1)
    base = wording.VERBS_OF_NOUNS.get(token.lower, "")
    if not base:
        return ""
    asked = (
        before.tag in ("T", "M", "O") or before.lower in wording.SUBJECTS - {"there"} and before.tag == "Q"
    )
    asked |= before.tag == "W" and before.lower in ("who", "which")
    takes = before.tag == "N" and after.lower in wording.DEFINITE - {"that"} | wording.ARTICLES
    return base if asked or takes else ""


def _verb_here(tokens: Sequence[Token], place: int, kind: str) -> bool:
    """Whether a form that may be a finite or base verb is one, by what stands around it."""
    token, before, after = tokens[place], near(tokens, place - 1), near(tokens, place + 1)
    word = token.lower
    if kind != "V":
        return False
    if before.tag in ("T", "M", "O", "!") or before.tag == "R" and near(tokens, place - 2).tag in ("T", "M"):
        return True
    if before.tag in ("Q", "W") or before.lower in wording.SUBJECTS:
        return True
    if before.tag == "D" and before.lower in _PRONOUNS_TOO and finite_form(word) and not _homograph(word):
        return True
    lit = before.tag == "A" and before.lower in wording.NOUNS_TOO  # "a flashing light alerts"
    if lit and finite_form(word) and not _homograph(word) and near(tokens, place - 2).tag in ("D", "A"):
        return True
    if before.tag in ("D", "A", "#", "P", "B", "'"):
        return False
    if before.tag == "N" and word != base_form(word) and after.lower in wording.DETERMINERS - {"that"}:
        return True  # no noun phrase goes on with "the" after its noun
    if word in ("look", "looks") and after.lower == "like":
        return True
    if before.tag in ("G", "E") and word in wording.ADJECTIVES:
        return False  # "lying open"
    homograph = _homograph(word)
    if before.tag == "N" and not homograph:
        return True
    if before.tag == "N" and not _agrees(tokens, place):
        return False
    if before.tag == "N" or not homograph:
        return before.tag != "" or word not in wording.ADJECTIVES
    if before.tag == "C":  # as the verb before it: "to sit and watch"
        kinds = [other.tag for other in tokens[:place] if other.tag in ("V", "T", "M", "B", "H")]
        joined = near(tokens, place - 2).tag
        follows = after.lower in wording.DETERMINERS | wording.PREPOSITIONS | wording.ADVERBS
        return bool(kinds) and (joined not in ("N", "A") or follows)
    return before.tag == "R" and near(tokens, place - 2).tag in ("N", "Q", "W", "T")


def _homograph(word: str) -> bool:
    """Whether a form of a verb is a noun as well."""
    return word in wording.NOUNS_TOO or _singular(word) in wording.NOUNS_TOO


def _singular(word: str) -> str:
    return word[:-2] if word.endswith(("ches", "shes", "sses")) else word.removesuffix("s")


_IRREGULAR_PLURALS = wording.words("people men women children police sheep cattle geese mice skiers")


def _agrees(tokens: Sequence[Token], place: int) -> bool:
    """Whether a noun and the doubtful verb after it could be subject and verb of the clause."""
    word, noun = tokens[place].lower, tokens[place - 1].lower
    if noun in ("sheep", "fish", "deer", "cattle") and "a" in [
        t.lower for t in tokens[max(0, place - 4) : place]
    ]:
        return finite_form(word)
    plural = noun in _IRREGULAR_PLURALS or noun.endswith("s") and not noun.endswith(("ss", "us", "is"))
    finite = finite_form(word)
    joined = any(token.lower == "and" for token in tokens[max(0, place - 4) : place - 1])
    heads = [  # "the presence of cars suggests", "the remains of a sandwich lie"
        head.lower
        for head, of in zip(tokens[max(0, place - 5) :], tokens[max(0, place - 4) : place - 1], strict=False)
        if of.lower == "of"
    ]
    counted = bool(heads) and (finite or heads[-1].endswith("s"))
    counted |= finite and "P" in [token.tag for token in tokens[max(0, place - 4) : place - 1]]
    if plural == finite and not (joined and not finite) and not counted:
        return False
    for token in reversed(tokens[: place - 1]):  # the clause may have its verb already
        if token.tag == "G" and token.base in _BARE_INFINITIVE:
            return not finite
        if token.tag in ("V", "B", "M") or token.lower in ("is", "are"):
            return token.base in _BARE_INFINITIVE and not finite
        if token.tag in ("S", "W", "C", ",", ":", "–", "—", "("):
            break
    after = near(tokens, place + 1)
    return after.tag not in ("B", "M", "V") and after.lower not in wording.BE | wording.MODALS


def _revise(tokens: Sequence[Token]) -> None:
    """Second look, when all neighbours have a tag."""
    for place, token in enumerate(tokens):
        before, after = near(tokens, place - 1), near(tokens, place + 1)
        if token.tag == "D" and after.tag in ("B", "M", "P", "W", "C", ",", "", "V"):
            token.tag = "Q"
        elif token.tag in ("G", "E") and before.tag == "P" and after.tag == "N" and _modifies(tokens, place):
            token.tag = "A"
        elif token.tag == "E" and after.tag == "N" and before.tag in ("C", "", ",") and after.lower != "to":
            token.tag = "A"  # "stuffed animals"
        elif token.tag == "E" and (_subject_before(tokens, place) or _only_verb(tokens, place)):
            token.tag = "V"  # "it previously held"
        elif token.tag == "N" and before.tag == "N" and before.base in _BARE_INFINITIVE:
            continue
        elif token.tag == "A" and token.lower == "likely" and after.tag not in ("T", "N", "S"):
            token.tag = "R"


def _subject_before(tokens: Sequence[Token], place: int) -> bool:
    """Whether "he", "it" or the like stands before a word, adverbs left out."""
    while place and tokens[place - 1].tag == "R":
        place -= 1
    return near(tokens, place - 1).lower in ("i", "you", "he", "she", "it", "we", "they")


def _only_verb(tokens: Sequence[Token], place: int) -> bool:
    """Whether a clause after "that" has no other verb: "suggest that a car left"."""
    verbs = ("V", "B", "M", "H", "O")
    before = [token.tag for token in reversed(tokens[:place])]
    opened = before.index("S") if "S" in before else 0
    if before[:1] != ["N"] or not opened or tokens[place - 1 - opened].lower != "that":
        return False
    after = [token.tag for token in tokens[place + 1 :]]
    end = min((after.index(mark) for mark in (",", "S", "C") if mark in after), default=len(after))
    return not {*verbs, ","} & {*before[:opened], *after[:end]}


def _modifies(tokens: Sequence[Token], place: int) -> bool:
    """Whether a participle after a preposition belongs to the noun after it: "with parked cars"."""
    if tokens[place].tag == "E":
        return True
    before = tokens[place - 1].lower
    return before not in ("for", "by", "from", "of", "after", "before", "without", "in") and (
        tokens[place].base
        in ("stand", "fly", "sail", "glow", "shine", "pass", "move", "surround", "live", "run")
    )

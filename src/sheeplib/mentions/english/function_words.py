"""Kinds of words of closed classes: articles, prepositions, auxiliaries, "that" and "to" by their use."""

from __future__ import annotations

from collections.abc import Sequence

from sheeplib.mentions.english import wording
from sheeplib.mentions.english.tokens import Token, near

_STATES = ("appear", "seem", "look", "become", "remain", "stay", "feel", "sound")


# Nouns whose "that" opens what they say, not a relative clause.
_TOLD = wording.words(
    "impression possibility chance likelihood suggestion indication evidence sign hint fact doubt"
)


_PHRASAL = {  # particles of verbs whose object follows: "make out a dog"
    "up": wording.words("pick put set hold lift open fill light pull cut clean"),
    "out": wording.words("make take carry pull bring pass point pick give lay hold"),
    "down": wording.words("put set lay cut"),
    "off": wording.words("show take drop turn cut"),
}


_PLACES = wording.words("side middle center centre front rear top bottom")
_SIDES = wording.words("left right back far")  # of the image: nouns only before a verb


_TO_IS_PREPOSITION = wording.words(
    "next close adjacent due according similar attached connected addition belonging opposite thanks "
    "prior relation leading related dedicated closest nearest nearer closer parallel compared comparable "
    "owing tied home access proximity contrast view left right listening accustomed exposed accessible"
)


_WITH_OR_WITHOUT = wording.words("second last like past off above below nearby opposite near")  # an object
_PRONOUNS_TOO = wording.words("her his one another each both some all most many any several")


def closed(tokens: Sequence[Token], place: int) -> str | None:
    """Kind of a word of a closed class; none for others."""
    word, before, after = tokens[place].lower, near(tokens, place - 1), near(tokens, place + 1)
    if word == "'" and place and tokens[place - 1].end == tokens[place].start:
        return "'" if not _opened(tokens[:place]) else word
    if not word[0].isalnum() and not (word.startswith("'") and word[1:]):
        return word
    if word == "'s":
        return "B" if before.tag in ("Q", "W") or before.lower in ("there", "here", "that", "it") else "'"
    if _counts(tokens, place):
        return "D"
    if word == "to":
        return _to(before, after, near(tokens, place + 2).lower)
    if word == "that":
        return _that(tokens, place)
    if word in ("what", "whatever"):
        return "W" if _opens_verb(after) or wording.VERBS.get(after.lower, ("",))[0] == "V" else "D"
    if word == "about" and after.lower == "to":
        return "A"  # ready to
    if word in _PLACES:
        return "A" if before.lower in wording.DETERMINERS and _follows_place(after) else "N"
    if word in _SIDES and before.lower in ("the", "its") and not _follows_place(after, _STATES):
        return "N"
    if word == "there":
        return "Q" if _opens_verb(after) else "R"
    if word in ("whose", "no"):
        return "D"
    if word in _WITH_OR_WITHOUT:
        return _either(word, before, after)
    if (word, after.lower) in (("more", "like"), ("less", "like"), ("such", "as"), *_FOR_EXAMPLE):
        return "R"
    if (before.lower, word) in _FOR_EXAMPLE:
        return "R"
    if word in _PHRASAL and base_form(before.lower) in _PHRASAL[word]:
        return "R"
    if word in ("while", "so") or word in wording.CLAUSE_OR_PHRASE and word not in ("like", "till"):
        return _subordinator(tokens, place)
    if word in _PRONOUNS_TOO:
        return _determiner_or_pronoun(word, before, after)
    for kind, words in _CLASSES:
        if word in words:
            return kind
    return "#" if word[0].isdigit() else None


_CLASSES = (
    ("!", wording.NEGATORS), ("B", wording.BE), ("H", wording.HAVE), ("O", wording.DO), ("M", wording.MODALS),
    ("C", wording.COORDINATORS), ("W", wording.RELATIVES - {"when", "where"}), ("S", wording.SUBORDINATORS),
    ("D", wording.DETERMINERS), ("Q", wording.PRONOUNS), ("#", wording.NUMBERS), ("R", wording.ADVERBS),
    ("P", wording.PREPOSITIONS),
)  # fmt: skip


def _counts(tokens: Sequence[Token], place: int) -> bool:
    """Whether a word belongs to a number: "up to ten", "more than two hundred", "at least one"."""
    for start in (place - 1, place):
        if start < 0 or start + 2 >= len(tokens):
            continue
        pair, number = (tokens[start].lower, tokens[start + 1].lower), tokens[start + 2].lower
        if pair in _ROUGHLY and (number in wording.NUMBERS or number[0].isdigit()):
            return True
    return False


_FOR_EXAMPLE = (("for", "example"), ("for", "instance"))
_ROUGHLY = {
    ("up", "to"),
    ("more", "than"),
    ("less", "than"),
    ("fewer", "than"),
    ("at", "least"),
    ("at", "most"),
}


def _to(before: Token, after: Token, following: str) -> str:
    """Whether "to" opens an infinitive; "to applaud the player" does, though the lexicon lacks the verb."""
    kind, _ = wording.VERBS.get(after.lower, ("", ""))
    verb = (
        kind == "V"
        or len(after.lower) > 5
        and after.lower.endswith(("ize", "ise", "ify", "ate"))
        or after.lower in ("be", "have", "do")
        or after.lower in wording.VERBS_OF_NOUNS
    )
    verb |= after.lower not in wording.ADJECTIVES and following in wording.ARTICLES | wording.POSSESSIVES
    split = after.lower.endswith("ly") and after.lower not in wording.NOT_ADVERBS  # "to fully enjoy"
    if before.lower in _TO_IS_PREPOSITION and before.lower != "left":
        return "P"
    return "T" if verb or split else "P"


def _that(tokens: Sequence[Token], place: int) -> str:
    before, after = near(tokens, place - 1), near(tokens, place + 1)
    if after.lower in ("of", "in", "on") and before.lower in wording.BE:
        return "Q"  # "might be that of a bird"
    if before.lower in _TOLD or before.base in _STATES or before.lower in ("so", "such"):
        return "S"
    if before.lower in wording.ADJECTIVES:
        return "S"
    if near(tokens, place - 2).lower in wording.ARTICLES:
        return "W"  # "a face that"
    if before.tag in ("V", "G", "E", "A", "B", "M") or wording.VERBS.get(before.lower):
        return "S" if before.tag != "P" else "D"
    if before.tag in ("P", "C", "", "S") or before.lower in wording.PREPOSITIONS:
        return "D" if wording.VERBS.get(after.lower, ("",))[0] != "V" and not _opens_verb(after) else "Q"
    return "W"  # after a noun


def _opens_verb(token: Token) -> bool:
    word = token.lower
    return (
        word in wording.BE | wording.MODALS | wording.HAVE | wording.DO
        or word in ("'s", "seems", "seem", "appear", "appears", "exist", "exists", "also")
        or word in ("possibly", "probably", "likely", "perhaps")
    )


def _opened(before: Sequence[Token]) -> bool:
    """Whether a single quotation mark opened that has not closed."""
    marks = [place for place, token in enumerate(before) if token.lower == "'"]
    return any(not place or before[place - 1].end < before[place].start for place in marks)


def _follows_place(after: Token, verbs: Sequence[str] = ()) -> bool:
    """Whether "the front" goes on with its noun."""
    return (
        base_form(after.lower) not in verbs
        and after.lower.isalpha()
        and (
            after.lower
            not in wording.PREPOSITIONS
            | wording.COORDINATORS
            | wording.BE
            | wording.SUBORDINATORS
            | (wording.RELATIVES | wording.MODALS | wording.ADVERBS | wording.HAVE)
            and wording.VERBS.get(after.lower, ("", ""))[0] != "G"
            and not (finite_form(after.lower) and base_form(after.lower) in wording.CLEAR_VERBS)
        )
    )


def _either(word: str, before: Token, after: Token) -> str:
    """Words that take an object or stand by themselves."""
    if word in ("second", "last"):
        return "#"
    if word in ("nearby", "off", "above", "below", "opposite"):
        opens = after.lower in wording.DETERMINERS - {"that"}
        return "P" if opens else ("A" if before.lower in wording.DETERMINERS else "R")
    return "P"


def _subordinator(tokens: Sequence[Token], place: int) -> str:
    """Whether "as", "before" and the like open a clause (S) or a phrase (P); "as well" is an adverb."""
    word, after = tokens[place].lower, near(tokens, place + 1)
    if word == "than" and near(tokens, place - 1).lower in ("rather", "other"):
        return "P"
    if word == "as" and after.lower in ("well", "if", "though"):
        return "R" if after.lower == "well" else "S"
    if word == "as" and base_form(near(tokens, place - 1).lower) in ("watch", "see", "look"):
        return "S"
    if word == "so":
        return "S" if after.lower in ("that", "they", "he", "she", "it", "people", "as") else "R"
    for here, token in enumerate(tokens[place + 1 : place + 8], start=place):
        before_it = tokens[here].lower
        if token.lower in (",", "and", "while") or token.lower in wording.PREPOSITIONS - {"of"}:
            break
        kind = wording.VERBS.get(token.lower, ("", ""))[0]
        verbal = (
            kind == "V"
            and token is not after
            and before_it not in wording.DETERMINERS
            and token.lower not in wording.NOUNS_TOO
        )
        finite = (
            token.lower in wording.BE | wording.MODALS
            or verbal
            or kind == "V"
            and token.lower.endswith("s")
            and (token is not after or token.lower.removesuffix("s") not in wording.NOUNS_TOO)
        )
        if finite or (near(tokens, place + 1).lower in wording.SUBJECTS):
            return "S"
        if kind == "G":
            return "P" if word in ("as", "than") else "S"
    return "S" if word == "while" else "P"


def _determiner_or_pronoun(word: str, before: Token, after: Token) -> str:
    """Whether a noun phrase goes on after the word."""
    stops = after.lower in wording.PREPOSITIONS | wording.COORDINATORS | wording.RELATIVES | wording.BE
    stops |= after.lower in wording.MODALS | wording.HAVE | wording.DO or not after.lower[:1].isalnum()
    kind = wording.VERBS.get(after.lower, ("", ""))[0]
    made = base_form(before.lower) in ("make", "let", "help", "watch", "see")  # "makes her look"
    if word == "her" and made and kind == "V":
        return "Q"
    if word == "all" and after.lower in ("over", "around", "across", "along"):
        return "R"
    if word in ("her", "his"):
        return "D" if not stops else "Q"
    if word in ("both", "all") and after.lower in wording.DEFINITE:
        return "D"
    verbal = kind == "G" or kind == "V" and after.lower not in wording.NOUNS_TOO
    return "Q" if stops or verbal else ("#" if word == "one" else "D")


def base_form(word: str) -> str:
    """Base form of a verb; the word itself if it is none."""
    return wording.VERBS.get(word, ("", word))[1]


def finite_form(word: str) -> bool:
    """Whether a verb has the ending of the third person."""
    return word.endswith("s") and not word.endswith("ss")

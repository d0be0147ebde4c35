"""Phrases of a tagged sentence: noun phrases, verbs with their auxiliaries, and single words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sheeplib.mentions.english.tokens import Token

ROOT = -1


_IN_PHRASE = frozenset("D#ANQ'")


@dataclass
class Phrase:
    """A noun phrase, verb, preposition, adjective, adverb, conjunction or mark.

    Parameters
    ----------
    kind : str
        n, v, p, a, r; c coordinator, s subordinator, w relative; a mark stands for itself.
    first, head, last : int
        Places of tokens of the sentence; the head of a verb is its main verb.
    word : str
        Base form of the head.
    form : str
        Of a verb: fin, to (infinitive), bare, ing, en.
    words : tuple of str
        All words in lower case.
    gov : int
        Place of the governing phrase, or ROOT.
    rel : str
        How it depends: subj, obj (of verb or preposition), conj, appos, prep, mod (after a noun), rel
        (relative clause), comp (complement of verb, noun or adjective), that (complement clause), adv (set
        off by a comma), sub (clause with a subordinator), adverb, after (adverb at the end), root.
    opener : str
        Word that opens the clause of a verb, such as "if".
    place : int
        Among the phrases of the sentence.
    before : list of str
        Adverbs that modify it, before it or inside.
    """

    kind: str
    first: int
    head: int
    last: int
    word: str
    form: str = ""
    words: tuple[str, ...] = ()
    gov: int = ROOT
    rel: str = "root"
    opener: str = ""
    place: int = ROOT
    before: list[str] = field(default_factory=list)


def phrases_of(tokens: Sequence[Token]) -> list[Phrase]:
    found: list[Phrase] = []
    place = 0
    while place < len(tokens):
        kind = tokens[place].tag
        if kind in _IN_PHRASE and not _predicative(tokens, place):
            phrase = _noun_phrase(tokens, place)
        elif kind in "MBHOTVGE" and kind:
            phrase = _verb(tokens, place)
        else:
            letter = kind.lower() if kind in "PARCSW" else ("r" if kind == "!" else kind)
            phrase = Phrase(letter, place, place, place, tokens[place].lower)
        phrase.words = tuple(token.lower for token in tokens[phrase.first : phrase.last + 1])
        phrase.place = len(found)
        found.append(phrase)
        place = phrase.last + 1
    return found


def _predicative(tokens: Sequence[Token], place: int) -> bool:
    """Whether an adjective stands for itself: "is visible", "ready to", not "small dogs"."""
    if tokens[place].tag != "A":
        return False
    for token in tokens[place + 1 :]:
        if token.tag in ("N", "#"):
            return False
        if token.tag not in ("A", "C", "R") and token.lower not in (",", "or"):
            return True
        if token.lower == "," or token.tag == "C":  # "black and white cat", but not "is large, and people"
            following = tokens[place + 1 :]
            rest = following[following.index(token) + 1 : following.index(token) + 3]
            if not (len(rest) == 2 and rest[0].tag == "A" and rest[1].tag in "NA") or token.lower == ",":
                return True
    return True


def _noun_phrase(tokens: Sequence[Token], place: int) -> Phrase:
    first, last, head = place, place, place
    if tokens[place].tag == "Q":
        return Phrase("n", place, place, place, tokens[place].lower)
    for here in range(place, len(tokens)):
        token = tokens[here]
        after = tokens[here + 1].tag if here + 1 < len(tokens) else ""
        if token.tag == "N":
            last = head = here
        elif token.tag == "D" and here > first and tokens[here - 1].tag not in ("D", "'"):
            break
        elif token.tag in ("D", "#", "'"):
            last, head = here, here
        elif token.tag == "A":
            if here > first and tokens[head].tag == "N" and after not in ("N", "A"):
                break  # "people visible"
            last = head = here
        elif token.tag == "R" and here > first and after in ("A", "#") and tokens[here - 1].tag in "D#A":
            last = here
        elif token.tag in ("C", ",") and here > first and tokens[here - 1].tag == "A":
            joined = tokens[here + 1 : here + 3]
            if not (len(joined) == 2 and joined[0].tag in "A" and joined[1].tag in "NA"):
                break
            last = here
        else:
            break
    return Phrase("n", first, head, last, tokens[head].lower)


_FOLLOWS = {"M": "!RBHOV", "B": "!RGEB", "H": "!RBEH", "O": "!RV", "T": "RBHOV!"}


def _verb(tokens: Sequence[Token], place: int) -> Phrase:
    last = head = place
    kind = tokens[place].tag
    state = kind
    here = place + 1
    while state in _FOLLOWS and here < len(tokens):
        tag = tokens[here].tag
        if tag not in _FOLLOWS[state] or tag == "":
            break
        if tag in "!R":
            verbs = (token.tag for token in tokens[here : here + 3])
            upcoming = next((tag for tag in verbs if tag not in "!R"), "")
            if tag == "R" and not (upcoming and upcoming in _FOLLOWS[state]):
                break
            last = here
        else:
            last = head = here
            state = tag
        here += 1
    while last > head and tokens[last].tag == "R":
        last -= 1
    form = {"T": "to", "G": "ing", "E": "en"}.get(kind, "fin")
    if kind == "B" and tokens[place].lower == "being" or kind == "H" and tokens[place].lower == "having":
        form = "ing"
    if kind == "V" and tokens[place].lower == tokens[place].base and place and tokens[place - 1].tag == "N":
        form = "fin"
    word = "be" if tokens[head].tag == "B" else tokens[head].base
    phrase = Phrase("v", place, head, last, word, form)
    phrase.before = [token.lower for token in tokens[place:last] if token.tag in "R"]
    return phrase

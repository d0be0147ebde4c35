"""What the words around a name settle by themselves: a dog bed is no dog, and a ceramic dog none either."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sheeplib.mentions.english import cues, wording
from sheeplib.mentions.english.phrases import Phrase
from sheeplib.mentions.english.sentence import Clause
from sheeplib.mentions.english.tokens import Token

_QUOTES = {'"': '"', "“": "”", "«": "»"}
_SHAPED = ("shaped", "like", "themed", "patterned", "printed", "print")
_IMAGES = cues.ARTWORKS | {"sign", "picture", "photo", "image"}
_OF_CREATURES = {"sign", "figure", "pattern", "model", "mask"}  # "a train model" may be a model of train


class Named(Protocol):
    """An object that is named, such as `chair.Mention`."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def concept(self) -> str: ...


def is_on(token: Token, named: Named) -> bool:
    """Whether a token belongs to a name."""
    return named.start < token.end and named.end > token.start


def quoted(tokens: Sequence[Token], place: int) -> str:
    """The opening mark if a token stands in quotation marks that close in the sentence; else nothing.

    Another name in brackets, as in 'televisions ("TV")', is no quotation.
    """
    opened = ""
    for token in tokens[:place]:
        if opened and token.lower == _QUOTES[opened]:
            opened = ""
        elif not opened and token.lower in _QUOTES:
            opened = token.lower
    bracket = place >= 2 and tokens[place - 2].lower == "("
    closes = any(token.lower == _QUOTES.get(opened, "") for token in tokens[place + 1 :])
    return opened if closes and not bracket else ""


def likeness(before: Sequence[Token], named: Named) -> str:
    """A word that makes a creature a likeness but not a thing: "a ceramic cat", "a ceramic bowl"."""
    unlike = cues.lifeless(named.concept)
    if named.concept in cues.CREATURES:
        unlike |= cues.ONLY_CREATURES
    words = ((token.lower, token.lower.rsplit("-", 1)[-1]) for token in before)  # also "hand-painted"
    return next((word for word, last in words if word in unlike or last in unlike), "")


def settled(
    sentence: Clause, phrase: Phrase, places: Sequence[int], named: Named, others: Sequence[Named]
) -> tuple[str, str] | None:
    """Reading and cue, if the noun phrase alone settles it; else None.

    Parameters
    ----------
    sentence : Clause
    phrase : Phrase
        Noun phrase of the mention.
    places : sequence of int
        Its tokens.
    named : Named
        The mention.
    others : sequence of Named
        All mentions of the sentence.
    """
    last = sentence.tokens[places[-1]]
    if "-" in last.text and named.end < last.end:  # "dog-shaped", "horse-drawn"
        shaped = last.lower.rsplit("-", 1)[-1] in _SHAPED
        return ("depictive" if shaped else "compound"), last.lower
    after = [token for token in sentence.tokens[places[-1] + 1 : phrase.last + 1] if token.tag in ("N", "'")]
    if last.lower == "orange" and (after or _is_colour(phrase, places)):
        return "compound", last.lower
    if not after or after[0].tag == "'":
        sense = _other_sense(sentence, phrase, places)
        return ("compound", sense) if sense else None
    return _as_modifier(last.lower, _head(after), named, others)


def _head(after: Sequence[Token]) -> Token:
    """The noun that a name modifies: of "dog bed cover" the cover, of "dog owner's hat" the owner."""
    for token, following in zip(after, after[1:], strict=False):
        if following.tag == "'":
            return token
    return after[-1]


def _as_modifier(word: str, head: Token, named: Named, others: Sequence[Named]) -> tuple[str, str] | None:
    noun = head.lower.removesuffix("s")
    longer = cues.SAME_WITH.get(word.removesuffix("s"), frozenset())
    if head.lower in cues.PORTIONS | cues.FLOCKS | longer:
        return None
    if noun in _IMAGES and (noun not in _OF_CREATURES or named.concept in cues.CREATURES):
        return "depictive", head.lower
    if any(other.concept == named.concept and is_on(head, other) for other in others):
        return None  # "a laptop computer"
    return "compound", f"{word} {head.lower}"


def _is_colour(phrase: Phrase, places: Sequence[int]) -> bool:
    """Whether "orange" is a colour: it has no article or number of its own."""
    before = set(phrase.words[: places[0] - phrase.first])
    return not before & (wording.ARTICLES | wording.NUMBERS | {"another"})


def _other_sense(sentence: Clause, phrase: Phrase, places: Sequence[int]) -> str:
    """Words that give a name another sense: a railway car, a bed of hay, Apple the firm."""
    tokens, last = sentence.tokens, sentence.tokens[places[-1]]
    single = last.lower.removesuffix("s")
    before = {token.lower for token in tokens[phrase.first : places[0]]}
    clash = before & cues.NOT_THE_OBJECT.get(single, frozenset())
    if single == "seat" and not clash and phrase.words[0] in wording.DEFINITE:
        clash = {token.lower for token in tokens[: places[0]]} & {"toilet"}
    if clash:
        return f"{min(clash)} {last.lower}"
    following = [token.lower for token in tokens[places[-1] + 1 : places[-1] + 4]]
    if following[:1] == ["of"] and set(following[1:]) & cues.NOT_WITH_OF.get(single, frozenset()):
        return " ".join([last.lower, *following[:2]])
    brand = single in cues.BRANDS and last.text[0].isupper() and places[-1] > 0
    return last.lower if brand else ""

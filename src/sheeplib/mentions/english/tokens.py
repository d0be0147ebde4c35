"""Words and marks of a text, by sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sheeplib.mentions.english import wording

_TOKEN = re.compile(
    r"(?P<word>(?<=[sS])['’](?=\s+[^\W\d_])|[^\W\d_]+?(?=n['’]t\b)|n['’]t\b|['’](?:s|re|ve|ll|d|m)\b|\d+(?:[.,]\d+)*(?:st|nd|rd|th)?|[^\W_]+(?:[-'’](?!s\b|re\b)[^\W_]+)*)"
    r"|(?P<break>\.(?=\W|$)|[!?;…]+|\n+)|(?P<mark>[^\w\s])"
)


_ABBREVIATIONS = wording.words("mr mrs ms dr st no vs etc e.g i.e approx")


@dataclass
class Token:
    """A word or mark.

    Parameters
    ----------
    text, lower : str
        As it stands, and in lower case with a plain apostrophe.
    start, end : int
        Code points of the text, half-open.
    tag : str
        D determiner, # number, A adjective, N noun, Q pronoun, M modal, B be, H have, O do, T to before a
        verb, V finite or base form, G form in -ing, E past or participle, ! not, R adverb, P preposition,
        C coordinator, S subordinator, W relative, ' possessive mark; marks of punctuation stand for
        themselves.
    base : str
        Base form of a verb, else as `lower`.
    """

    text: str
    lower: str
    start: int
    end: int
    tag: str = ""
    base: str = ""


def sentences(text: str) -> Iterator[list[Token]]:
    """Tokens of a text by sentence, without tags yet.

    Parameters
    ----------
    text : str

    Yields
    ------
    list of Token
        A full stop, question or exclamation mark, semicolon or line break ends a sentence and is left out.
    """
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        abbreviated = match.group() == "." and bool(found) and found[-1].lower in _ABBREVIATIONS
        if match.lastgroup == "break" and not abbreviated:
            if found:
                yield found
            found = []
        elif not abbreviated:
            lower = match.group().lower().replace("’", "'")
            found.append(Token(match.group(), lower, *match.span()))
    if found:
        yield found


def near(tokens: Sequence[Token], place: int) -> Token:
    """The token at a place; an empty one beyond the ends."""
    return tokens[place] if 0 <= place < len(tokens) else Token("", "", 0, 0, "", "")

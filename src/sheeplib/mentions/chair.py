"""CHAIR: objects that captions name, found by a synonym list, and how many of them the image lacks.

Two ways to find them. `compat` counts as the released metric counts, quirks included, and `fixed` without
them; `quirks` names each quirk and counts what it changes. Both give the place of every mention.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from sheeplib.errors import InputError, Problem
from sheeplib.mentions.inflection import plurals, released_singular
from sheeplib.mentions.synonyms import Synonyms

Mode = Literal["compat", "fixed"]
MODES: tuple[str, ...] = get_args(Mode)
_WORD = re.compile(r"\w+")
# The released metric takes "car/truck", "double-decker" and "o'clock" for one word each, but not "man's".
_RELEASED_WORD = re.compile(r"\w+(?:[-/]\w+|'(?!(?:s|m|d|t|ll|re|ve)\b)\w+)*")


class Mention(NamedTuple):
    """An object that a caption names.

    Parameters
    ----------
    start, end : int
        Code points of the caption, half-open.
    surface : str
        What stands there.
    concept : str
        Its class.
    """

    start: int
    end: int
    surface: str
    concept: str


class Token(NamedTuple):
    """A word of a caption, or several that count as one."""

    start: int
    end: int
    text: str


def find_mentions(caption: str, synonyms: Synonyms, mode: Mode = "compat") -> list[Mention]:
    """Find the objects that a caption names.

    Parameters
    ----------
    caption : str
    synonyms : Synonyms
    mode : {"compat", "fixed"}
        `compat` as the released CHAIR finds them. `fixed` looks for each entry of the list, however many
        words it has, in singular and plural, whatever its case; the longest entry at a place wins.

    Returns
    -------
    list of Mention
        From left to right; none overlap.

    Raises
    ------
    InputError
        If there is no such mode.

    Source
    ------
    NAME-Bench, section 3 and table 3 (CHAIR).
    """
    check_mode(mode)
    return list(_found(caption, synonyms, mode))


@lru_cache(maxsize=1 << 15)  # a chapter looks through the same captions again and again
def _found(caption: str, synonyms: Synonyms, mode: str) -> tuple[Mention, ...]:
    found = _released(caption, synonyms) if mode == "compat" else _longest(caption, synonyms)
    return tuple(Mention(start, end, caption[start:end], concept) for start, end, concept in found)


def check_mode(mode: str) -> None:
    """Refuse a mode that does not exist."""
    if mode not in MODES:
        raise InputError(Problem("no such mode of CHAIR", f"Use one of {', '.join(MODES)}", value=mode))


def _tokens(caption: str, word: re.Pattern[str]) -> list[Token]:
    """Words of a caption in lower case, with their places."""
    return [Token(*found.span(), found.group().lower()) for found in word.finditer(caption)]


def released_tokens(caption: str) -> list[Token]:
    """Words of a caption as the released metric takes them, before they are inflected."""
    return _tokens(caption, _RELEASED_WORD)


# --- compat -----------------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def _concepts(synonyms: Synonyms) -> Mapping[str, str]:
    return {word: concept for concept, words in synonyms.words.items() for word in words}


def _released(caption: str, synonyms: Synonyms) -> Iterator[tuple[int, int, str]]:
    concepts = _concepts(synonyms)
    merged = list(_merged(released_tokens(caption), synonyms.double_words))
    texts = {token.text for token in merged}
    for token in merged:
        if token.text == "seat" and "toilet" in texts:
            continue  # also where the seat is another one
        if token.text in concepts:
            yield token.start, token.end, concepts[token.text]


def _merged(words: Sequence[Token], double_words: Mapping[str, str]) -> Iterator[Token]:
    """Singulars, pairs of which are taken together where the list has them."""
    singulars = [Token(start, end, released_singular(text)) for start, end, text in words]
    place = 0
    while place < len(singulars):
        first, *others = singulars[place : place + 2]
        pair = f"{first.text} {others[0].text}" if others else ""
        if pair in double_words:
            yield Token(first.start, others[0].end, double_words[pair])
        else:
            yield first
        place += 2 if pair in double_words else 1


# --- fixed ------------------------------------------------------------------------------------------------

Phrases = Mapping[str, tuple[tuple[tuple[str, ...], str | None], ...]]


@lru_cache(maxsize=8)
def _phrases(synonyms: Synonyms) -> Phrases:
    """By first word: the entries of the list in all forms, longest first; without class if no object."""
    classes = {_plain(word): concept for concept, words in synonyms.words.items() for word in words}
    found: dict[str, str | None] = {}
    for pair, single in synonyms.double_words.items():
        concept = classes.get(_plain(single))
        found[_plain(pair)] = concept
        modifier, _, head = _plain(pair).partition(" ")
        if concept and head == _plain(single):  # "baby dog" counts as a dog, so "baby puppy" does
            found |= {f"{modifier} {_plain(word)}": concept for word in synonyms.words[concept]}
    found |= classes
    found.pop("", None)  # an entry without letters or digits
    forms = {form: concept for entry, concept in found.items() for form in plurals(entry)} | found
    by_first: dict[str, list[tuple[tuple[str, ...], str | None]]] = {}
    for form in sorted(forms, key=lambda form: (-form.count(" "), form)):
        words = tuple(form.split())
        by_first.setdefault(words[0], []).append((words, forms[form]))
    return {first: tuple(entries) for first, entries in by_first.items()}


def _plain(entry: str) -> str:
    return " ".join(_WORD.findall(entry.lower()))


def _longest(caption: str, synonyms: Synonyms) -> Iterator[tuple[int, int, str]]:
    phrases = _phrases(synonyms)
    words = _tokens(caption, _WORD)
    texts = tuple(word.text for word in words)
    place = 0
    while place < len(words):
        length = 1
        for entry, concept in phrases.get(texts[place], ()):
            start, end = words[place].start, words[min(place + len(entry), len(words)) - 1].end
            if texts[place : place + len(entry)] == entry and _whole(caption, start, end):
                length = len(entry)
                if concept:
                    yield start, end, concept
                break
        place += length


_JOINED_BEFORE, _JOINED_AFTER = re.compile(r"\w[-‐‑]\Z"), re.compile(r"[-‐‑]\w")


def _whole(caption: str, start: int, end: int) -> bool:
    """Whether it is no part of a hyphenated word: "hot-dog" is one, "dog-friendly" names no dog."""
    before = caption[max(0, start - 2) : start]
    return not _JOINED_BEFORE.search(before) and not _JOINED_AFTER.match(caption, end)

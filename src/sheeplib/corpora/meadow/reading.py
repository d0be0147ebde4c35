"""Reading: from a text back to the claims that it makes, with the very grammar that writes them.

Whatever `writers.write` can write is read back. Where a text strays, as models' texts do, the reading
is strict about words that mean something and lenient about agreement and articles, and knows two ways in
which models blend sentences: a place behind one that has none, and the use of one thing for another. What
it cannot read it says it has not read. A sentence that was said before is read like any other: said again,
it is as true or as false as before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from sheeplib.corpora.meadow.claims import FORMS, MENTION_FORMS, Claim
from sheeplib.corpora.meadow.grammar import Language, parsed
from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.lexicon import Fields, Wording, alternatives, plain, wordings
from sheeplib.errors import InputError, Problem

Span = tuple[str, int, int]
_ALL_FORMS = (*FORMS, *MENTION_FORMS)
LONGEST = 300  # characters; no sentence of any language has as many
_PREFIXES = ("yes", "no", "connector")
_SENTENCE = re.compile(r"[^\n.!?。！？]*[.!?。！？]+|[^\n.!?。！？]+")


@dataclass(frozen=True)
class Statement:
    """A sentence that has been read.

    Parameters
    ----------
    name : str
        Form of its claim, or what the sentence is without one: `opener`, `reasoning`, `closer`, ...
    claim : Claim or None
        What it says; where a form does not state a number, the count is 1 or 2 for one or several.
    polarity : str
        `yes`, `no` or empty: how it begins.
    start, end : int
        Code points in the text, without bullet and heading.
    parts : tuple of (str, int, int)
        Field, start and end of the code points that state it, as in `writers.Written.parts`.
    """

    name: str
    claim: Claim | None
    polarity: str
    start: int
    end: int
    parts: tuple[Span, ...]


@dataclass(frozen=True)
class Reading:
    """What a text says.

    Parameters
    ----------
    text : str
    statements : tuple of Statement
        In the order of the text.
    unread : tuple of (int, int)
        Stretches that are no sentence of the grammar, or that break off.
    """

    text: str
    statements: tuple[Statement, ...]
    unread: tuple[tuple[int, int], ...]


def read(text: str, language: Language | str) -> Reading:
    """Read a text.

    Parameters
    ----------
    text : str
        Any text at all.
    language : Language or str
        One of `languages.LANGUAGES`, or its code.

    Returns
    -------
    Reading
        Every code point that is neither layout nor space lies in a statement or is unread.

    Raises
    ------
    InputError
        If there is no such language.
    """
    code = language if isinstance(language, str) else language.code
    clean, offsets = _without_layout(text, _reader(code).layout)
    statements, unread = [], []
    for match in _SENTENCE.finditer(clean):
        sentence = match.group().strip()
        if not sentence:
            continue
        first = match.start() + match.group().index(sentence)
        start, end = offsets[first], offsets[first + len(sentence) - 1] + 1
        found = _understood(code, sentence)
        if found is None:
            unread.append((start, end))
            continue
        parts = tuple((role, offsets[first + a], offsets[first + b - 1] + 1) for role, a, b in found.parts)
        statements.append(Statement(found.name, found.claim, found.polarity, start, end, parts))
    return Reading(text, tuple(statements), tuple(unread))


def _without_layout(text: str, layout: re.Pattern[str]) -> tuple[str, list[int]]:
    """The text without bullets, headings and bold, and where each character of it was."""
    kept: list[int] = []
    end = 0
    for match in layout.finditer(text):
        kept += range(end, match.start())
        end = match.end()
    kept += range(end, len(text))
    return plain("".join(text[place] for place in kept)), kept


@dataclass(frozen=True)
class _Understood:
    """One sentence by itself."""

    name: str
    stated: Fields
    polarity: str
    parts: tuple[Span, ...]

    @property
    def claim(self) -> Claim | None:
        return Claim(self.name, **self.stated) if self.name in _ALL_FORMS else None  # type: ignore[arg-type]


@lru_cache(maxsize=1 << 16)
def _understood(code: str, sentence: str) -> _Understood | None:
    """The reading that states most; of several, the one whose form comes first."""
    ways = _ways(_reader(code), sentence) if len(sentence) <= LONGEST else iter(())
    return max(ways, key=lambda way: len(way.stated), default=None)


def _ways(reader: _Reader, sentence: str) -> Iterator[_Understood]:
    for polarity, length in reader.beginnings(sentence):
        core = sentence[length:]
        for text in dict.fromkeys((_uncapitalised(core), core)):  # "I" keeps its capital
            for pattern in reader.patterns:
                if found := pattern.match(text):
                    parts = tuple((role, start + length, end + length) for role, start, end in found[1])
                    yield _Understood(pattern.name, found[0], polarity, parts)


def _uncapitalised(text: str) -> str:
    lower = text[:1].lower()
    return lower + text[1:] if len(lower) == 1 else text  # some capitals become two characters


class _Pattern:
    """A sentence pattern as a regular expression."""

    def __init__(self, name: str, pattern: str, known: dict[str, Wording]) -> None:
        self.name = name
        self.head = ""  # what the sentence must begin with, to reject most at once
        self._groups: list[tuple[Wording | None, str]] = []
        expression, inside = "", ""
        for slot, forms, mark, text in parsed(plain(pattern)):
            if mark:
                inside = "mood" if mark == "<" else ""
                continue
            piece = known[slot].expression if slot else alternatives(forms.split("|") if forms else [text])
            if slot or inside:
                self._groups.append((known[slot] if slot else None, inside))
                expression += f"({piece})"
            else:
                self.head = self.head or (text if not expression else "")
                expression += f"(?:{piece})"
        self._expression = re.compile(expression)

    def match(self, text: str) -> tuple[Fields, tuple[Span, ...]] | None:
        """The fields that a sentence states, and where; none if it is another sentence."""
        if not text.startswith(self.head):
            return None
        match = self._expression.fullmatch(text)
        if match is None:
            return None
        stated: Fields = {}
        pieces: list[Span] = []
        for group, (wording, inside) in enumerate(self._groups, start=1):
            start, end = match.span(group)
            if wording is None:
                pieces.append((inside, start, end))
                continue
            entry = wording.look_up(match[group])
            if entry is None or any(stated.get(field, value) != value for field, value in entry[0].items()):
                return None
            stated |= entry[0]
            for segment in entry[1]:
                pieces.append((segment.role or inside, start, start + len(segment.text)))
                start += len(segment.text)
        return stated, _hulls(pieces)


def _hulls(pieces: list[Span]) -> tuple[Span, ...]:
    """From the first to the last piece of each role."""
    spans: dict[str, tuple[int, int]] = {}
    for role, start, end in pieces:
        if role:
            spans[role] = (spans.get(role, (start,))[0], end)
    return tuple((role, *span) for role, span in spans.items())


class _Reader:
    """All that reading one language takes."""

    def __init__(self, language: Language) -> None:
        known = wordings(language)
        sentences = language.sentences
        order = {name: place for place, name in enumerate(_ALL_FORMS)}
        names = sorted(sentences, key=lambda name: order.get(name.rstrip("+"), len(order)))
        self.patterns = [
            _Pattern(name.rstrip("+"), pattern, known)
            for name in names
            if name not in _PREFIXES
            for pattern in sentences[name]
        ]
        self.patterns += [_Pattern("there_at", pattern, known) for pattern in _placed(sentences)]
        self._prefixes = [(name, plain(text)) for name in _PREFIXES for text in sentences[name]]
        self.layout = _layout(language)

    def beginnings(self, sentence: str) -> Iterator[tuple[str, int]]:
        """Ways to take the beginning: `yes`, `no` or neither, and how many characters to leave out."""
        yield "", 0
        folded = _uncapitalised(sentence)
        for name, prefix in self._prefixes:
            if folded.startswith(prefix):
                yield name if name != "connector" else "", len(prefix)


def _placed(sentences: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Sentences without a place to which models add one: "the image contains a dog on the left"."""
    for pattern in (*sentences["there"], *sentences["there+"]):
        if pattern.endswith("{a}."):
            yield pattern.replace("{a}.", "{a} {place}.")


def _layout(language: Language) -> re.Pattern[str]:
    headings = alternatives(language.headings.values())
    bullet = r"(?:[*-]|\d+\.)(?:[ \t]+|$)"
    heading = rf"(?:\*\*)?(?:{headings})(?:\*\*)?[^\S\n]?[:：](?:\*\*)?[ \t]*"
    return re.compile(rf"^[ \t]*(?:{bullet})?(?:{heading})?|\*\*", re.MULTILINE)


@cache
def _reader(code: str) -> _Reader:
    if code not in LANGUAGES:
        raise InputError(
            Problem("no such language in the meadow", f"Choose one of {', '.join(LANGUAGES)}", value=code)
        )
    return _Reader(LANGUAGES[code])

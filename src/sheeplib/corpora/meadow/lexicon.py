"""From words back to what they state: everything that can fill a slot or a phrase of a language."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import product

from sheeplib.corpora.meadow.claims import Claim
from sheeplib.corpora.meadow.grammar import BY_KIND, Language, Segment, Segments, Slot, parsed, text_of
from sheeplib.corpora.meadow.kinds import COLOURS, KINDS, WORDS

MOST = 7  # the largest number that the languages have a word for
FEW = 12  # articles and measure words are no more than that, for any place in a noun phrase
Fields = dict[str, str | int]
Entry = tuple[Fields, Segments]

_FIELDS = frozenset(field.name for field in fields(Claim))
_FULL = Claim("mood", "dog", 2, "red", other="cat", other_count=2, word=WORDS[0])
_NUMBERS = {"kind": "count", "other": "other_count"}
_LETTERS = r"[^\W\d_]+"
_ARTICLE = re.compile(r"(?:\b(?:an?|des|du|gli|une?|un[ao]) |\b(?:l|un)’|一\w)$")  # at the end of "park a "
_PLAIN = {ord("\u00a0"): " ", ord("\u202f"): " ", ord("'"): "’"}


def plain(text: str) -> str:
    """The same with one kind of space and of apostrophe, and no longer or shorter."""
    return text.translate(_PLAIN)


def alternatives(texts: Iterable[str]) -> str:
    """A regular expression for any of the texts, longest first."""
    return "|".join(re.escape(text) for text in sorted(set(texts), key=lambda text: (-len(text), text)))


@dataclass(frozen=True)
class Wording:
    """What can stand in one slot.

    Parameters
    ----------
    entries : mapping of str to (dict, list of Segment)
        By text: the fields of a claim that the text states, and its segments.
    free : bool
        Whether it holds a noun or a printed word, so that articles may go wrong in it.
    """

    entries: Mapping[str, Entry]
    free: bool = False

    @property
    def fields(self) -> frozenset[str]:
        """The fields that it may state."""
        return frozenset(field for stated, _ in self.entries.values() for field in stated)

    @property
    def expression(self) -> str:
        """A regular expression for what may stand there, to be looked up."""
        return ".+?" if self.free else alternatives(self.entries)

    def look_up(self, text: str) -> Entry | None:
        """What a text states: as the language would say it, or with another article; none if neither."""
        entry = self.entries.get(text)
        if entry is not None or not self.free:
            return entry
        for roles, expression in self._shapes:
            if match := expression.fullmatch(text):
                segments = [Segment(part, role) for part, role in zip(match.groups(), roles, strict=True)]
                return self._stated(segments), segments
        return None

    @cached_property
    def _shapes(self) -> list[tuple[tuple[str, ...], re.Pattern[str]]]:
        """Roles of a noun phrase, and an expression that lets any article stand before any noun."""
        shapes: dict[tuple[str, ...], list[list[str]]] = defaultdict(list)
        for _, segments in self.entries.values():
            shapes[tuple(s.role for s in segments)].append([s.text for s in segments])
        found = []
        for roles, rows in shapes.items():
            places = [(role, set(texts)) for role, texts in zip(roles, zip(*rows, strict=True), strict=True)]
            # what surrounds the noun in "bus stop" is no article, and has to go with the noun
            if all(role in _FIELDS or len(texts) <= FEW for role, texts in places):
                # no sign has every word that a model may spell
                parts = (_LETTERS if role == "word" else alternatives(texts) for role, texts in places)
                found.append((roles, re.compile("".join(f"({part})" for part in parts))))
        return found

    def _stated(self, segments: Segments) -> Fields:
        """The fields; where the number is not one of them, the noun tells it, or else the article."""
        values, numbers = self._known
        stated = {s.role: values.get((s.role, s.text), s.text) for s in segments if s.role in _FIELDS}
        for noun, number in _NUMBERS.items():
            if noun in stated and number not in stated:
                deciding = sorted(segments, key=lambda segment: segment.role != noun)
                told = [known for s in deciding if len(known := numbers[s.role, s.text]) == 1]
                stated[number] = min(told[0]) if told else 1
        return stated

    @cached_property
    def _known(self) -> tuple[dict[tuple[str, str], str | int], dict[tuple[str, str], set[int]]]:
        """By role and text: the value of the field, and the numbers that the text goes with."""
        values: dict[tuple[str, str], str | int] = {}
        numbers: dict[tuple[str, str], set[int]] = defaultdict(set)
        for stated, segments in self.entries.values():
            for s in segments:
                if s.role in stated:
                    values.setdefault((s.role, s.text), stated[s.role])
                numbers[s.role, s.text] |= {int(stated[n]) for n in _NUMBERS.values() if n in stated}
        return values, numbers


def wordings(language: Language) -> dict[str, Wording]:
    """The wordings of all slots and phrases of a language, by name."""
    slots = {name: _of_slot(fill) for name, fill in language.slots.items()}
    hues = {name: slot.entries for name, slot in slots.items() if slot.fields == {"colour"}}
    any_hue = {text: entry for entries in hues.values() for text, entry in entries.items()}
    slots |= {
        name: Wording({**any_hue, **entries}) for name, entries in hues.items()
    }  # agreement may go wrong
    return slots | {name: _of_phrase(language, name, slots) for name in language.phrases}


def _of_slot(fill: Slot) -> Wording:
    """What a slot says of every kind, number and colour.

    The first claim that gives a text is taken for its meaning: "the dogs" are two, "no dog" is one.
    """
    found: dict[str, Entry] = {}
    for claim in _claims(fill):
        segments = [Segment(plain(s.text), s.role) for s in fill(claim) or ()]
        roles = [s.role for s in segments]
        numbers = [_NUMBERS[role] for role in roles if role in _NUMBERS]
        stated = {field: getattr(claim, field) for field in (*roles, *numbers) if field in _FIELDS}
        found.setdefault(text_of(segments), (stated, segments))
    found.pop("", None)
    wording = Wording(found)
    return replace(wording, free=not wording.fields.isdisjoint({"kind", "other", "word"}))


def _claims(fill: Slot) -> Iterator[Claim]:
    """Claims with every value of the fields that a slot states, small numbers first."""
    roles = {s.role for kind in KINDS for s in fill(replace(_FULL, kind=kind)) or ()}
    if "other" in roles:
        yield from (Claim("mood", other=kind, other_count=count) for kind in KINDS for count in (1, 2))
        return
    if "word" in roles:
        yield from (Claim("mood", word=word) for word in WORDS)
        return
    numbers = range(1, MOST + 1) if "count" in roles else (1, 2)
    colours: tuple[str | None, ...] = tuple(COLOURS) if "colour" in roles else ("red",)
    if {"kind", "colour"} <= roles:  # beside a noun, the colour may be left out
        colours = (None, *colours)
    yield from (Claim("mood", *values) for values in product(KINDS, numbers, colours))


def _of_phrase(language: Language, name: str, slots: Mapping[str, Wording]) -> Wording:
    """What each value of a phrase can come out as, with all forms of agreement."""
    field = "kind" if name in BY_KIND else name
    found: dict[str, Entry] = {}
    for value, patterns in language.phrases[name].items():
        for pattern in patterns:
            for segments in _spellings(pattern if "<" in pattern else f"<{pattern}>", field, slots):
                found.setdefault(text_of(segments), ({field: value}, segments))
    if name == "purpose":
        for kind, segments in _uses(list(found.values()), slots["a"]):
            found.setdefault(text_of(segments), ({"kind": kind}, segments))
    return Wording(found, free=name == "purpose")


def _uses(entries: Sequence[Entry], nouns: Wording) -> Iterator[tuple[str | int, Segments]]:
    """Things put to the uses of others, as models do: "park a bench". They are named all the same."""
    things = [(stated["kind"], segments) for stated, segments in entries]
    plain_nouns = [
        (stated["kind"], said) for stated, said in nouns.entries.values() if "colour" not in stated
    ]
    for _, [verb, _, *rest] in things:
        for kind, segments in things:
            yield kind, [verb, segments[1], *rest]
        bare = Segment(_ARTICLE.sub("", verb.text))
        for kind, noun in plain_nouns:
            yield kind, [bare, *(replace(s, role="kind" if s.role == "kind" else "") for s in noun), *rest]


def _spellings(pattern: str, role: str, slots: Mapping[str, Wording]) -> Iterator[Segments]:
    options: list[list[Segments]] = []
    inside = ""
    for slot, forms, mark, text in parsed(pattern):
        if mark:
            inside = role if mark == "<" else ""
        elif slot:
            options.append([segments for _, segments in slots[slot].entries.values()])
        else:
            words = dict.fromkeys(forms.split("|") if forms else [text])
            options.append([[Segment(plain(word), inside)] for word in words])
    for chosen in product(*options):
        yield [segment for segments in chosen for segment in segments if segment.text]

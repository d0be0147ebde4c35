"""From claims to sentences: patterns with slots, agreement, and a role for every stretch of text.

A pattern is a sentence with four marks:

- `{slot}` is filled by the language, such as `{the}` with "the dogs" or "les chiens";
- `[is|are]` agrees with the subject's number, `[a|b|c|d]` with gender and number (masculine
  singular, feminine singular, masculine plural, feminine plural);
- `<...>` is what would have to change if the claim were false;
- everything else is text.

Roles are the fields of a claim (`kind`, `count`, `colour`, ...), so that the characters that state
a field are known exactly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from sheeplib.corpora.meadow.claims import MENTION_FORMS, Claim

# Phrases that are chosen by the kind, and name it, though their slot is called otherwise.
BY_KIND = frozenset({"purpose", "compound"})
_MARKS = re.compile(r"\{(\w+)\}|\[([^\]]*)\]|([<>])|([^{}\[\]<>]+)")


@dataclass(frozen=True)
class Segment:
    """A stretch of text; `role` names the field that it states, or is empty."""

    text: str
    role: str = ""


Segments = list[Segment]
Slot = Callable[[Claim], Segments | None]


@dataclass(frozen=True)
class Language:
    """One language of the meadow.

    Parameters
    ----------
    code : str
        ISO 639-1.
    joiner : str
        What stands between two sentences.
    slots : mapping of str to callable
        Fill a slot for a claim; none where the slot does not fit, as "the colour of" people.
    sentences : mapping of str to tuple of str
        Patterns by form; `form+` holds those that need a sentence before them. Openers and the
        like have names of their own.
    phrases : mapping of str to mapping of str to tuple of str
        Patterns of parts by field and value, such as `phrases["place"]["left"]`; those in `BY_KIND`
        by kind, such as `phrases["purpose"]["kite"]`, where they have one for it.
    questions : mapping of str to tuple of str
        Patterns of questions by type.
    headings : mapping of str to str
        Headings of list entries by form.
    feminine : callable
        Whether a kind's noun is feminine.
    colon : str
        What follows a heading.
    """

    code: str
    joiner: str
    slots: Mapping[str, Slot]
    sentences: Mapping[str, tuple[str, ...]]
    phrases: Mapping[str, Mapping[str, tuple[str, ...]]]
    questions: Mapping[str, tuple[str, ...]]
    headings: Mapping[str, str]
    feminine: Callable[[str], bool]
    colon: str = ": "

    def patterns(self) -> tuple[str, ...]:
        """All sentence patterns, questions apart."""
        return tuple(pattern for patterns in self.sentences.values() for pattern in patterns)


def say(language: Language, claim: Claim, variant: int, later: bool = False) -> Segments:
    """Put a claim into words.

    Parameters
    ----------
    language : Language
    claim : Claim
    variant : int
        Chooses among the patterns that fit the claim, in a circle.
    later : bool
        Whether sentences stand before it, so that it may say "also".

    Returns
    -------
    list of Segment
        One sentence, its first letter as in running text; see `capitalised`.
    """
    patterns = language.sentences[claim.form]
    if later:
        patterns += language.sentences.get(claim.form + "+", ())
    if "place" in MENTION_FORMS.get(claim.form, ()):  # which they may state or not, as no other form may
        patterns = tuple(p for p in patterns if ("{place}" in p) == (claim.place is not None))
    return _first_that_fits(language, patterns, claim, variant)


def ask(language: Language, question: str, claim: Claim, variant: int) -> str:
    """Put a question into words; `claim` gives its subject."""
    return text_of(capitalised(_first_that_fits(language, language.questions[question], claim, variant)))


def phrase(language: Language, name: str, variant: int) -> str:
    """A sentence that claims nothing, such as an opener."""
    patterns = language.sentences[name]
    return text_of(capitalised([Segment(patterns[variant % len(patterns)])]))


def _first_that_fits(language: Language, patterns: Sequence[str], claim: Claim, variant: int) -> Segments:
    for step in range(len(patterns)):
        pattern = patterns[(variant + step) % len(patterns)]
        segments = fill(language, pattern, claim, variant)
        if segments is not None:
            return segments
    raise AssertionError(f"no pattern of '{language.code}' fits {claim}")


def fill(language: Language, pattern: str, claim: Claim, variant: int = 0, role: str = "") -> Segments | None:
    """Fill a pattern's slots.

    Parameters
    ----------
    language : Language
    pattern : str
    claim : Claim
    variant : int
        Chooses among the phrases of a value.
    role : str
        Role of what stands between `<` and `>`.

    Returns
    -------
    list of Segment, or None
        None if a slot does not fit the claim.
    """
    segments: Segments = []
    inside = ""
    for slot, options, mark, text in parsed(pattern):
        if slot:
            part = _slot(language, slot, claim, variant)
            if part is None:
                return None
            segments += [Segment(s.text, s.role or inside) for s in part]
        elif mark:
            inside = (role or "mood") if mark == "<" else ""
        else:
            segments.append(Segment(_agreeing(language, options, claim) if options else text, inside))
    return [segment for segment in segments if segment.text]


@cache
def parsed(pattern: str) -> tuple[tuple[str, str, str, str], ...]:
    """Take a pattern apart.

    Parameters
    ----------
    pattern : str

    Returns
    -------
    tuple of (str, str, str, str)
        From left to right, each with one part filled and the others empty: name of a slot, forms that
        agree (with `|` between them), `<` or `>`, other text.
    """
    return tuple(match.groups(default="") for match in _MARKS.finditer(pattern))  # type: ignore[misc]


def _slot(language: Language, slot: str, claim: Claim, variant: int) -> Segments | None:
    values = language.phrases.get(slot)
    if values is None:
        return language.slots[slot](claim)
    field = "kind" if slot in BY_KIND else slot
    patterns = values.get(getattr(claim, field))
    if patterns is None:
        return None
    pattern = patterns[variant % len(patterns)]
    if "<" not in pattern:
        pattern = f"<{pattern}>"
    return fill(language, pattern, claim, variant, role=field)


def _agreeing(language: Language, options: str, claim: Claim) -> str:
    forms = options.split("|")
    plural = claim.count > 1
    if len(forms) == 2:
        return forms[plural]
    return forms[2 * plural + language.feminine(claim.kind or "")]


def capitalised(segments: Segments) -> Segments:
    """The same with a capital first letter."""
    if not segments:
        return segments
    first, *rest = segments
    return [Segment(first.text[:1].upper() + first.text[1:], first.role), *rest]


def text_of(segments: Segments) -> str:
    """The plain text of segments."""
    return "".join(segment.text for segment in segments)


def noun_phrase(*parts: tuple[str, str]) -> Segments:
    """Segments from pairs of text and role, without empty ones."""
    return [Segment(text, role) for text, role in parts if text]

"""What the two modes of CHAIR find differently, each difference under the name of the quirk behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from sheeplib.corpora.coco import Objects
from sheeplib.mentions.chair import Mention, Token, find_mentions, released_tokens
from sheeplib.mentions.inflection import plurals, released_singular
from sheeplib.mentions.synonyms import Synonyms

# What the released metric does, and what `fixed` does instead.
QUIRKS: Mapping[str, str] = {
    "final s": "A final s is taken for a plural: one bus, one glass or a tennis racket is not found as such.",
    "plural": "Some plurals are led back to no word: ties, canoes, doggies.",
    "joined words": "Words joined by a hyphen or a stroke are one word: car/truck. Fixed: a stroke "
    "separates; a hyphenated word counts if it is an entry as a whole (hot-dog).",
    "toilet seat": "Where a toilet is named, no seat of the caption is a chair. Fixed: no toilet seat is.",
    "several words": "Of entries of several words, only those among the double words are found whole; "
    "and only the listed young animals are no persons. Fixed: every entry and every animal of the list.",
    "blank in the list": "An entry that begins with a blank is never found.",
    "capital in the list": "An entry with a capital is never found, as captions are put in lower case.",
    "other": "None of these.",
}


class Difference(NamedTuple):
    """A place of a caption that the two modes read differently.

    Parameters
    ----------
    quirk : str
        Key of `QUIRKS`.
    compat, fixed : tuple of Mention
        What either mode finds there.
    """

    quirk: str
    compat: tuple[Mention, ...]
    fixed: tuple[Mention, ...]


def differences(caption: str, synonyms: Synonyms) -> list[Difference]:
    """Places of a caption that the two modes read differently, from left to right.

    Parameters
    ----------
    caption : str
    synonyms : Synonyms

    Returns
    -------
    list of Difference
        Together they account for every mention that one mode finds and the other does not.
    """
    words = released_tokens(caption)
    return [
        Difference(_quirk(compat, fixed, words, synonyms), tuple(compat), tuple(fixed))
        for compat, fixed in _places(
            find_mentions(caption, synonyms), find_mentions(caption, synonyms, "fixed")
        )
        if compat != fixed
    ]


def _places(
    compat: Sequence[Mention], fixed: Sequence[Mention]
) -> Iterator[tuple[list[Mention], list[Mention]]]:
    """Mentions of both, those together that overlap."""
    end = -1
    sides: tuple[list[Mention], list[Mention]] = ([], [])
    for mention, side in sorted([(one, 0) for one in compat] + [(one, 1) for one in fixed]):
        if mention.start >= end and end >= 0:
            yield sides
            sides = ([], [])
        sides[side].append(mention)
        end = max(end, mention.end)
    if end >= 0:
        yield sides


def _quirk(
    compat: Sequence[Mention], fixed: Sequence[Mention], words: Sequence[Token], synonyms: Synonyms
) -> str:
    if not fixed:
        return "other"
    found = fixed[0]
    if compat:  # part of a longer entry
        if len(fixed) > 1 or " " not in _plain(found.surface):
            return "other"
        return "final s" if _entry(found, synonyms) in synonyms.double_words else "several words"
    if any(word.start <= found.start < word.end and re.search("[-/]", word.text) for word in words):
        return "joined words"
    if released_singular(_plain(found.surface)) == "seat":
        return "toilet seat"
    entry = _entry(found, synonyms)
    if entry != entry.strip():
        return "blank in the list"
    if entry != entry.lower():
        return "capital in the list"
    if " " in entry and entry not in synonyms.double_words:
        return "several words"
    return "final s" if _plain(found.surface) == entry else "plural"


def _entry(found: Mention, synonyms: Synonyms) -> str:
    """The entry of the list that a mention is a form of; those that are never found come last."""
    surface = _plain(found.surface)
    for entry in sorted(synonyms.words[found.concept], key=lambda word: (word != word.strip().lower(), word)):
        if surface in (_plain(entry), *plurals(_plain(entry))):
            return entry
    return surface


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def quirk_table(items: pd.DataFrame, objects: Objects, synonyms: Synonyms) -> pd.DataFrame:
    """How many mentions each quirk adds to, or takes from, what the released metric counts.

    Parameters
    ----------
    items : DataFrame
        Columns `image` and `response`.
    objects : Objects
    synonyms : Synonyms

    Returns
    -------
    DataFrame
        A row for each quirk that occurs, in the order of `QUIRKS`: `quirk`, `about`, `places` (where the
        modes differ), `mentions` and `hallucinated` (in `fixed` less in `compat`), and `example`, the most
        frequent difference (compat → fixed).
    """
    rows = []
    for image, response in items[["image", "response"]].itertuples(index=False):
        shown = objects.shown.get(image, frozenset())
        for quirk, compat, fixed in differences(response, synonyms):
            absent = [sum(one.concept not in shown for one in side) for side in (compat, fixed)]
            rows.append(
                (quirk, len(fixed) - len(compat), absent[1] - absent[0], f"{_said(compat)} → {_said(fixed)}")
            )
    frame = pd.DataFrame(rows, columns=["quirk", "mentions", "hallucinated", "example"])
    table = frame.groupby("quirk").agg(
        places=("quirk", "size"),
        mentions=("mentions", "sum"),
        hallucinated=("hallucinated", "sum"),
        example=("example", lambda texts: texts.value_counts().index[0]),
    )
    table = (
        table.reindex([quirk for quirk in QUIRKS if quirk in table.index]).rename_axis("quirk").reset_index()
    )
    table.insert(1, "about", table["quirk"].map(QUIRKS))
    return table


def _said(mentions: Sequence[Mention]) -> str:
    return ", ".join(mention.surface.lower() for mention in mentions) or "nothing"

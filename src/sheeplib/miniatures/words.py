"""Which tokens say a concept, in any of the four languages and any form of the word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sheeplib.corpora.meadow.claims import Claim
from sheeplib.corpora.meadow.grammar import Language, Segments, fill, text_of
from sheeplib.corpora.meadow.kinds import KINDS
from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.miniatures.concepts import CONCEPTS, Concept

_FRAME = {
    "en": ("frame", "picture"),
    "fr": ("cadre", "tableau"),
    "it": ("cornice", "quadro"),
    "zh": ("画框",),
}


def concept_tokens(tokenizer: Any) -> dict[int, np.ndarray]:
    """Token ids that say each concept.

    Parameters
    ----------
    tokenizer : PreTrainedTokenizerFast

    Returns
    -------
    dict of int to ndarray of int
        By place in `CONCEPTS`. A word of several tokens is said by its first one. Unusual traits have
        no word of their own and are left out.
    """
    said: dict[int, np.ndarray] = {}
    for place, concept in enumerate(CONCEPTS):
        words = {word for language in LANGUAGES.values() for word in _words(language, concept)}
        forms = [form for word in words for form in (word, f" {word}")]
        ids = {tokenizer.encode(form, add_special_tokens=False)[0] for form in forms}
        ids -= {tokenizer.unk_token_id, tokenizer.convert_tokens_to_ids(" ")}  # Chinese has no blanks
        if ids:
            said[place] = np.array(sorted(ids))
    return said


def _words(language: Language, concept: Concept) -> Iterator[str]:
    field, value = concept
    if field == "word":
        yield value
    elif field == "picture":
        yield from _FRAME[language.code]
    elif field in ("setting", "place"):
        for pattern in language.phrases[field][value]:
            yield from _said(fill(language, pattern, Claim("setting"), role=field), field)
    elif field in ("kind", "colour", "count"):
        for kind in KINDS if field != "kind" else (value,):
            for count in (1, 2) if field != "count" else (int(value),):
                claim = Claim("there", kind, count, value if field == "colour" else None)
                yield from _said(language.slots["a"](claim), field)


def _said(segments: Segments | None, role: str) -> Iterator[str]:
    text = text_of([segment for segment in segments or [] if segment.role == role])
    if text:
        yield text

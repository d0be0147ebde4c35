"""The four languages of the meadow, by code."""

from __future__ import annotations

from collections.abc import Mapping

from sheeplib.corpora.meadow.chinese import CHINESE
from sheeplib.corpora.meadow.english import ENGLISH
from sheeplib.corpora.meadow.french import FRENCH
from sheeplib.corpora.meadow.grammar import Language
from sheeplib.corpora.meadow.italian import ITALIAN

LANGUAGES: Mapping[str, Language] = {
    language.code: language for language in (ENGLISH, FRENCH, ITALIAN, CHINESE)
}

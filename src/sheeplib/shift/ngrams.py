"""N-grams of characters and words, counted, and weighed by what a classifier may know."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

from sheeplib.shift.method import Method

_TOKEN = re.compile(r"\w+|[^\w\s]")  # a punctuation mark is a word of its own


class Level(NamedTuple):
    """N-grams of one kind, `character` or `word`, and how often each text has each of them.

    `ngrams` has shape (ngrams,), `counts` (sparse) has shape (texts, ngrams).
    """

    name: str
    ngrams: np.ndarray
    counts: sparse.csr_matrix


def characters(text: str, orders: tuple[int, int]) -> list[str]:
    """All stretches of so many code points, white space included: `ab`, (1, 2) gives a, b, ab."""
    return _runs(text, orders)


def words(text: str, orders: tuple[int, int]) -> list[str]:
    """All runs of so many words and punctuation marks, joined by single spaces."""
    return [" ".join(run) for run in _runs(_TOKEN.findall(text), orders)]


def _runs(parts: Sequence, orders: tuple[int, int]) -> list:  # type: ignore[type-arg]
    first, last = orders
    return [parts[at : at + n] for n in range(first, last + 1) for at in range(len(parts) - n + 1)]


def count(texts: Sequence[str], languages: Sequence[str], method: Method) -> list[Level]:
    """Count the n-grams of texts, level by level; a level that finds none is left out.

    Parameters
    ----------
    texts, languages : sequence of str
        Of equal length; texts in an unsegmented language have no words.
    method : Method
    """
    levels = []
    if method.characters:
        levels.append(("character", [characters(text, method.characters) for text in texts]))
    if method.words:
        spaced = [language not in method.unsegmented for language in languages]
        found = [words(text, method.words) if has else [] for text, has in zip(texts, spaced, strict=True)]
        levels.append(("word", found))
    return [_counted(name, found) for name, found in levels if any(found)]


def _counted(name: str, found: list[list[str]]) -> Level:
    vectorizer = CountVectorizer(analyzer=list, dtype=np.float64)
    counts = vectorizer.fit_transform(found)
    return Level(name, vectorizer.get_feature_names_out(), counts)


def features(
    levels: Sequence[Level], known: np.ndarray, min_texts: int
) -> tuple[sparse.csr_matrix, list[np.ndarray]]:
    """TF-IDF of all texts, from what the known ones alone can tell.

    Parameters
    ----------
    levels : sequence of Level
    known : ndarray of bool, shape (texts,)
        Texts to learn from: they decide which n-grams there are, and how rare each is.
    min_texts : int
        N-grams in fewer known texts do not count.

    Returns
    -------
    matrix, shape (texts, features)
        Each level is scaled to length 1 in each text, then both stand side by side.
    list of ndarray of bool
        Which n-grams of each level those are.
    """
    kept, blocks = [], []
    for level in levels:
        seen = np.bincount(level.counts[known].indices, minlength=len(level.ngrams))  # one entry a text
        kept.append(seen >= min_texts)
        if kept[-1].any():
            counts = level.counts[:, kept[-1]]
            blocks.append(TfidfTransformer().fit(counts[known]).transform(counts))
    empty = sparse.csr_matrix((len(known), 0))
    return (sparse.hstack(blocks, format="csr") if blocks else empty), kept

"""Between tokens and characters: which tokens a span holds, and which spans scored tokens make.

A token covers the code points of its offsets, without the white space in front. Many tokens may cover
one character, as pieces of an emoji do; a token may cover none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sheeplib.errors import InputError, Problem
from sheeplib.tables import Label


class Run(NamedTuple):
    """Consecutive characters with one label and one probability; half-open, in code points."""

    start: int
    end: int
    label: str | None
    prob: float


def covered(offsets: ArrayLike, text: str) -> np.ndarray:
    """What each token covers: its offsets without the white space in front.

    Parameters
    ----------
    offsets : array of int, (T, 2)
        Code points of `text`, half-open.
    text : str
        The response.

    Returns
    -------
    ndarray of int, (T, 2)
        Empty (start equals end) for tokens of white space alone.

    Raises
    ------
    InputError
        If offsets are not in the text.
    """
    edges = _edges(offsets)
    outside = edges[(edges[:, 0] < 0) | (edges[:, 1] > len(text))]
    if len(outside):
        raise InputError(Problem("offsets lie outside the text", "Count code points", value=outside[0]))
    places = np.arange(len(text) + 1)
    blank = np.append(_blank(text), False)
    visible = np.minimum.accumulate(np.where(blank, len(text), places)[::-1])[::-1]  # first one from here on
    return np.column_stack([np.minimum(visible[edges[:, 0]], edges[:, 1]), edges[:, 1]])


def overlaps(offsets: ArrayLike, text: str, spans: ArrayLike) -> np.ndarray:
    """Characters that each token shares with each span.

    Parameters
    ----------
    offsets : array of int, (T, 2)
    text : str
        The response.
    spans : array of int, (K, 2)
        Half-open.

    Returns
    -------
    ndarray of int, (T, K)
        Code points; 0 where they do not meet.

    Raises
    ------
    InputError
        If offsets are not in the text.
    """
    tokens, marked = covered(offsets, text), _edges(spans)
    first = np.maximum(tokens[:, None, 0], marked[None, :, 0])
    last = np.minimum(tokens[:, None, 1], marked[None, :, 1])
    return np.maximum(last - first, 0)


def tokens_in_spans(offsets: ArrayLike, text: str, spans: ArrayLike) -> np.ndarray:
    """Which tokens meet which spans.

    Parameters
    ----------
    offsets, text, spans
        As for `overlaps`.

    Returns
    -------
    ndarray of bool, (T, K)

    Raises
    ------
    InputError
        If offsets are not in the text.
    """
    return overlaps(offsets, text, spans) > 0


def token_labels(
    offsets: ArrayLike,
    text: str,
    spans: ArrayLike,
    labels: Sequence[str],
    probs: ArrayLike | None = None,
    choice: Literal["largest", "first"] = "largest",
) -> tuple[np.ndarray, np.ndarray]:
    """One label for each token, from labelled spans.

    Parameters
    ----------
    offsets, text, spans
        As for `overlaps`.
    labels : sequence of str, (K,)
        Label of each span.
    probs : array of float, (K,), optional
        Share of annotators behind each span; 1 if not given.
    choice : {"largest", "first"}
        `largest`: the label with the most overlapping characters, each weighed by its share; of
        equals the one that comes first. `first`: that of the first overlapping span in the list.

    Returns
    -------
    labels : ndarray of str, (T,)
        `F` (none) for tokens that meet no span.
    shares : ndarray of float, (T,)
        Mean, over the token's characters, of the share of annotators behind this label; 0 for `F`.

    Raises
    ------
    InputError
        If offsets are not in the text, or the numbers of spans, labels and shares differ.

    Source
    ------
    SHEEP, section 5.2; `first` is what the released baseline does, `largest` is ours.
    """
    shared = overlaps(offsets, text, spans)
    weights = np.ones(len(labels)) if probs is None else np.asarray(probs, dtype=float)
    if not len(labels) == len(weights) == shared.shape[1]:
        found = (shared.shape[1], len(labels), len(weights))
        raise InputError(Problem("spans, labels and shares differ in number", "Give one each", value=found))
    names = [*dict.fromkeys(labels), str(Label.NONE)]
    shared = shared * (weights > 0)
    index = np.array([names.index(label) for label in labels], dtype=np.int64)
    mass = (shared * weights) @ np.eye(len(names))[index]  # (T, names); the last one, none, has nothing
    best = mass.argmax(axis=1)
    if choice == "first" and len(index):
        best = index[(shared > 0).argmax(axis=1)]
    chosen = np.where(shared.any(axis=1), best, len(names) - 1)
    length = np.maximum(np.diff(covered(offsets, text), axis=1)[:, 0], 1)
    return np.array(names)[chosen], mass[np.arange(len(mass)), chosen] / length


def character_scores(
    offsets: ArrayLike, text: str, scores: ArrayLike, how: Literal["max", "mean"] = "max"
) -> np.ndarray:
    """Scores of tokens as scores of characters.

    Parameters
    ----------
    offsets : array of int, (T, 2)
    text : str
        The response.
    scores : array of float, (T,)
        NaN where a token has none.
    how : {"max", "mean"}
        What a character takes of the tokens that cover it.

    Returns
    -------
    ndarray of float, (characters,)
        NaN where no token with a score covers the character, as for white space between words.

    Raises
    ------
    InputError
        If offsets are not in the text, or the numbers of tokens and scores differ.
    """
    tokens, given = covered(offsets, text), np.asarray(scores, dtype=float)
    if given.shape != (len(tokens),):
        found = (len(tokens), given.shape)
        raise InputError(Problem("tokens and scores differ in number", "Give one score a token", value=found))
    token, character = _pairs(tokens[~np.isnan(given)])
    given = given[~np.isnan(given)][token]
    low, high = np.full(len(text), np.nan), np.full(len(text), np.nan)
    np.fmin.at(low, character, given)
    np.fmax.at(high, character, given)
    if how == "max":
        return high
    count = np.bincount(character, minlength=len(text))
    excess = np.bincount(character, given - low[character], minlength=len(text))
    return low + excess / np.maximum(count, 1)  # exact where all are equal, so that runs stay whole


def runs(
    offsets: ArrayLike,
    text: str,
    scores: ArrayLike,
    labels: Sequence[str] | None = None,
    how: Literal["max", "mean"] = "max",
) -> list[Run]:
    """Spans that scored tokens make: as few as possible, without duplicates.

    White space that no token covers joins two characters of the same label, with the smaller of
    their probabilities.

    Parameters
    ----------
    offsets : array of int, (T, 2)
    text : str
        The response.
    scores : array of float, (T,)
        Probability of each token's label. Tokens at 0 or NaN are not marked.
    labels : sequence of str, (T,), optional
        Tokens of label `F` (none) are not marked. Without labels, runs have the label None.
    how : {"max", "mean"}
        What a character takes of the tokens of one label that cover it.

    Returns
    -------
    list of Run
        In order of start, end and label. Runs of different labels may overlap, where tokens of
        different labels share a character.

    Raises
    ------
    InputError
        If offsets are not in the text, or the numbers of tokens, scores and labels differ.
    """
    edges, given = _edges(offsets), np.asarray(scores, dtype=float)
    names = np.array([None] * len(edges) if labels is None else [*labels], dtype=object)
    if not len(names) == len(given) == len(edges):
        found = (len(edges), len(given), len(names))
        raise InputError(Problem("tokens, scores and labels differ in number", "Give one each", value=found))
    marked = (given > 0) & (names != str(Label.NONE))
    bare = np.isnan(character_scores(edges, text, np.ones(len(edges)))) & _blank(text)
    found_runs = []
    for label in dict.fromkeys(names[marked]):
        own = marked & (names == label)
        probs = _joined(character_scores(edges[own], text, given[own], how), bare)
        found_runs += [Run(start, end, label, prob) for start, end, prob in _pieces(probs)]
    return sorted(found_runs, key=lambda run: (run.start, run.end, run.label or ""))


def _joined(probs: np.ndarray, bare: np.ndarray) -> np.ndarray:
    """Fill each stretch of uncovered white space between two marked characters."""
    joined = probs.copy()
    solid = np.flatnonzero(~bare)  # everything but white space that no token covers
    for gap in np.flatnonzero(np.diff(solid) > 1):
        before, after = solid[gap], solid[gap + 1]
        joined[before + 1 : after] = np.minimum(probs[before], probs[after])  # NaN if either is
    return joined


def _pieces(probs: np.ndarray) -> list[tuple[int, int, float]]:
    """Maximal stretches of equal values; NaN is no value."""
    if not len(probs):
        return []
    cuts = np.flatnonzero(~((probs[1:] == probs[:-1]) | (np.isnan(probs[1:]) & np.isnan(probs[:-1])))) + 1
    bounds = zip([0, *cuts.tolist()], [*cuts.tolist(), len(probs)], strict=True)
    return [(start, end, float(probs[start])) for start, end in bounds if not np.isnan(probs[start])]


def _pairs(tokens: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each token with each character it covers."""
    length = tokens[:, 1] - tokens[:, 0]
    token = np.repeat(np.arange(len(tokens)), length)
    step = np.arange(len(token)) - np.repeat(np.cumsum(length) - length, length)
    return token, tokens[token, 0] + step


def _edges(ranges: ArrayLike) -> np.ndarray:
    edges = np.asarray(ranges, dtype=np.int64).reshape(-1, 2)
    if (edges[:, 1] < edges[:, 0]).any():
        wrong = edges[edges[:, 1] < edges[:, 0]][0]
        raise InputError(Problem("a range ends before it starts", "Ranges are half-open", value=wrong))
    return edges


def _blank(text: str) -> np.ndarray:
    return np.array([*map(str.isspace, text)], dtype=bool)

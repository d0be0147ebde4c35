"""What annotators say of each token: the letter of the spans that it meets, or F (none).

All answers are laid end to end, so that tokens and spans of a whole corpus meet in one join. For one
answer, `sheeplib.features.alignment.token_labels` does the same.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import pandas as pd

from sheeplib import composition, tables
from sheeplib.corpora import Corpus
from sheeplib.errors import InputError, Problem
from sheeplib.features import alignment
from sheeplib.tables import Label

Choice = Literal["heaviest", "first"]
Minimum = Literal["any", "majority"]
LETTERS = tuple(map(str, Label))
NONE = LETTERS.index(str(Label.NONE))
_NEAR = 1e-9  # shares such as 1/6 + 1/3 should reach .5, and 2 * .3 should equal .6


def token_labels(
    corpus: Corpus, tokens: pd.DataFrame, choice: Choice = "heaviest", minimum: Minimum = "any"
) -> pd.DataFrame:
    """One label for each token, from the labels of a corpus.

    Parameters
    ----------
    corpus : Corpus
        Its `labels` are the union over annotators, each span with the share of them behind it.
    tokens : DataFrame
        Table `tokens`; a token covers its offsets without the white space in front.
    choice : {"heaviest", "first"}
        Where a token meets several labels. `heaviest`: the one with the most overlapping characters,
        each weighed by its share; of equals the one that comes first. `first`: that of the first span
        in the list.
    minimum : {"any", "majority"}
        What makes a token marked: any span of a share above 0, or a character on which the shares of
        all labels add up to .5 or more.

    Returns
    -------
    DataFrame
        A row for each of `tokens`, in order: `label` (A to F; missing where the corpus has no kinds),
        `marked` (bool), and `share`: mean over the token's characters of the share of annotators behind
        its label, and for F the share who marked nothing there. It can serve as weight in training. All
        three are missing in answers that were not labelled.

    Raises
    ------
    InputError
        If a token belongs to no item of the corpus or leaves its response, or an option is unknown.

    Source
    ------
    SHEEP, 5.2 and C.3: a token that overlaps a span is labelled. `first` is what the released baseline
    does; `heaviest` and the minimum are inferred.
    """
    for given, known in ((choice, Choice), (minimum, Minimum)):
        if given not in get_args(known):
            raise InputError(Problem("unknown choice", f"Use {' or '.join(get_args(known))}", value=given))
    places, edges = _laid_out(corpus, tokens)
    spans = corpus.labels[corpus.labels["prob"] > 0].reset_index(drop=True)
    kinds = spans["label"].map({letter: number for number, letter in enumerate(LETTERS)})
    ranges = spans[["start", "end"]].to_numpy() + _begins(corpus)[_where(corpus, spans)][:, None]
    token, span, shared = _meetings(edges, ranges)
    shares = spans["prob"].to_numpy(float)[span]
    kind = kinds.fillna(NONE).to_numpy(int)[span]
    mass = np.zeros((len(edges), len(LETTERS)))
    np.add.at(mass, (token, kind), shared * shares)
    marked = np.zeros(len(edges), dtype=bool)
    marked[token] = True
    if minimum == "majority":
        marked &= _highest(token, span, shares, edges, ranges, len(edges)) >= 0.5 - _NEAR
    best = _leading(mass, token, span, kind, by_mass=choice == "heaviest")
    best = np.where(marked, best, NONE)
    length = np.maximum(edges[:, 1] - edges[:, 0], 1)
    behind = np.where(marked, mass[np.arange(len(mass)), best], length - mass.sum(axis=1)) / length
    return _frame(corpus, tokens, places, best, marked, behind)


def item_places(corpus: Corpus, frame: pd.DataFrame) -> np.ndarray:
    """Row of `corpus.items` that each row of a table belongs to.

    Raises
    ------
    InputError
        Naming items that the corpus does not have.
    """
    places = _where(corpus, frame)
    if (places < 0).any():
        strangers = frame.loc[places < 0, "item"].unique()
        what = f"{len(strangers)} items are not among those of corpus '{corpus.name}'"
        raise InputError(Problem(what, "Use features of this very corpus", field="item", value=strangers[0]))
    return places


def _where(corpus: Corpus, frame: pd.DataFrame) -> np.ndarray:
    return pd.Index(corpus.items["item"]).get_indexer(frame["item"])


def _begins(corpus: Corpus) -> np.ndarray:
    """Where each response begins, all of them laid end to end."""
    lengths = corpus.items["response"].str.len().to_numpy(int)
    return np.append(0, np.cumsum(lengths))[: len(lengths)]


def _laid_out(corpus: Corpus, tokens: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Each token's item, and what it covers in the responses laid end to end."""
    places = item_places(corpus, tokens)
    lengths = corpus.items["response"].str.len().to_numpy(int)[places]
    edges = tokens[["start", "end"]].to_numpy(int)
    outside = (edges[:, 0] < 0) | (edges[:, 1] > lengths)
    if outside.any():
        row = tokens[outside].iloc[0]
        what = f"item {row['item']}: a token leaves the response"
        remedy = "Use features of these very responses; offsets count code points"
        raise InputError(Problem(what, remedy, field="start, end", value=(row["start"], row["end"])))
    text = "".join(corpus.items["response"])
    return places, alignment.covered(edges + _begins(corpus)[places][:, None], text)


def _meetings(edges: np.ndarray, ranges: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Token, span and number of shared characters, wherever a token meets a span; spans in order."""
    order = np.argsort(edges[:, 0], kind="stable")
    starts, ends = edges[order, 0], np.maximum.accumulate(edges[order, 1])  # ends may go back a little
    first = np.searchsorted(ends, ranges[:, 0], side="right")
    last = np.maximum(np.searchsorted(starts, ranges[:, 1], side="left"), first)
    span = np.repeat(np.arange(len(ranges)), last - first)
    step = np.arange(len(span)) - np.repeat(np.cumsum(last - first) - (last - first), last - first)
    token = order[first[span] + step]
    shared = np.minimum(edges[token, 1], ranges[span, 1]) - np.maximum(edges[token, 0], ranges[span, 0])
    met = shared > 0
    return token[met], span[met], shared[met]


def _highest(
    token: np.ndarray, span: np.ndarray, shares: np.ndarray, edges: np.ndarray, ranges: np.ndarray, n: int
) -> np.ndarray:
    """The largest sum of shares on one character of each token."""
    start = np.maximum(edges[token, 0], ranges[span, 0])
    length = np.minimum(edges[token, 1], ranges[span, 1]) - start
    pair = np.repeat(np.arange(len(token)), length)
    step = np.arange(len(pair)) - np.repeat(np.cumsum(length) - length, length)
    places = np.column_stack([token[pair], start[pair] + step])
    unique, inverse = np.unique(places, axis=0, return_inverse=True)
    sums = np.bincount(inverse.ravel(), shares[pair], minlength=len(unique))
    highest = np.zeros(n)
    np.maximum.at(highest, unique[:, 0], sums)
    return highest


def _leading(
    mass: np.ndarray, token: np.ndarray, span: np.ndarray, kind: np.ndarray, by_mass: bool
) -> np.ndarray:
    """Each token's label: with most mass, or met first; of equals, met first."""
    met = np.full(mass.shape, np.inf)
    np.minimum.at(met, (token, kind), span)
    if by_mass:
        met[mass < mass.max(axis=1, keepdims=True) - _NEAR] = np.inf
    return met.argmin(axis=1)


def _frame(
    corpus: Corpus,
    tokens: pd.DataFrame,
    places: np.ndarray,
    best: np.ndarray,
    marked: np.ndarray,
    behind: np.ndarray,
) -> pd.DataFrame:
    kinds = "kinds" not in corpus.lacks
    found = pd.DataFrame(
        {
            "label": pd.array(np.array(LETTERS, dtype=object)[best], dtype=tables.TEXT),
            "marked": pd.array(marked, dtype="boolean"),
            "share": np.clip(behind, 0, 1),
        },
        index=tokens.index,
    )
    if not kinds:
        found.loc[marked, "label"] = pd.NA
    known = composition.labelled(corpus).items["item"]
    silent = ~corpus.items["item"].isin(known).to_numpy()[places]
    found.loc[silent, ["label", "marked"]] = pd.NA
    found.loc[silent, "share"] = np.nan
    return found

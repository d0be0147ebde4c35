"""What can be reached without looking at the image: controls that a detector must beat.

All give probabilities of the same classes as a detector does, and learn from the same tokens. Like the
detector, they take all classes to be equally frequent, and so flag many tokens.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from sheeplib.corpora import Corpus
from sheeplib.detectors.classifiers import Logistic, fit
from sheeplib.detectors.splits import Predict
from sheeplib.detectors.token_labels import item_places

CONTROLS: Mapping[str, str] = {
    "all marked": "marks every token, with the most frequent kind",
    "none marked": "marks nothing",
    "position": "knows where in the answer a token stands, and how long the answer is",
    "lexicon": "knows how often this very token was marked in other answers",
}
SMOOTHING = 1.0  # tokens of average kind that a word is taken to have been seen, besides


def controls(
    corpus: Corpus, tokens: pd.DataFrame, classes: np.ndarray, n_classes: int, none: int
) -> dict[str, Predict]:
    """The controls of `CONTROLS`, to be given to `splits.crossed`.

    Parameters
    ----------
    corpus : Corpus
    tokens : DataFrame
        Table `tokens`.
    classes : ndarray of int, shape (tokens,)
        What is to be learned; -1 where unknown.
    n_classes : int
    none : int
        The class of tokens that are not marked.

    Returns
    -------
    dict of str to callable
    """
    words = pd.factorize(np.array(token_texts(corpus, tokens), dtype=object))[0]
    where = positions(corpus, tokens)
    answers = tokens["item"].to_numpy()

    def constant(marked: bool) -> Predict:
        def predict(train: np.ndarray, test: np.ndarray, rng: np.random.Generator) -> np.ndarray:
            counts = np.bincount(classes[train], minlength=n_classes)
            counts[none] = -1
            chosen = counts.argmax() if marked else none
            return np.eye(n_classes)[np.full(len(test), chosen)]

        return predict

    def position(train: np.ndarray, test: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        found = fit(where[train], classes[train], answers[train], n_classes, rng, Logistic())
        return found.probabilities(where[test])

    def lexicon(train: np.ndarray, test: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        counts = np.zeros((words.max(initial=0) + 1, n_classes))
        np.add.at(counts, (words[train], classes[train]), 1)
        total = counts.sum(axis=0)
        share = total / total.sum()
        shares = (counts + SMOOTHING * share) / (counts.sum(axis=1, keepdims=True) + SMOOTHING)
        # as if all classes were equally frequent: how many times more often than usual
        raised = np.divide(shares, share, out=np.zeros_like(shares), where=share > 0)
        return (raised / raised.sum(axis=1, keepdims=True))[words[test]]

    return {
        "all marked": constant(True),
        "none marked": constant(False),
        "position": position,
        "lexicon": lexicon,
    }


def token_texts(corpus: Corpus, tokens: pd.DataFrame) -> list[str]:
    """What each token covers, without white space around it and whether or not it is capital."""
    responses = corpus.items["response"].tolist()
    rows = zip(item_places(corpus, tokens), tokens["start"], tokens["end"], strict=True)
    return [responses[place][start:end].strip().casefold() for place, start, end in rows]


def positions(corpus: Corpus, tokens: pd.DataFrame) -> np.ndarray:
    """Where tokens stand.

    Returns
    -------
    ndarray, shape (tokens, 5)
        Place from the start in tokens, and its logarithm; place as a share of the answer, and its
        square; length of the answer in characters.
    """
    lengths = corpus.items["response"].str.len().to_numpy(float)[item_places(corpus, tokens)]
    index = tokens["token"].to_numpy(float)
    share = tokens["start"].to_numpy(float) / np.maximum(lengths, 1)
    return np.column_stack([index, np.log1p(index), share, share**2, lengths])

"""The token features of HalluShift++ as SHEEP describes them, from what an evaluator gave for answers.

An evaluator reads an answer; for each token there are numbers on how sure it was, how its states grow
from layer to layer, and where it looked. The order is that of the paper's baseline: norms of the L + 1
hidden states, mean attention of L layers, entropy of attention of L layers, and `SCALARS`: 3 L + 1 + 21.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from sheeplib.corpora import Corpus
from sheeplib.detectors.token_labels import item_places
from sheeplib.errors import InputError, Problem
from sheeplib.features.store import FeatureStore

UNCERTAINTY = (
    "max_prob", "perplexity", "inverse_max_prob", "target_prob", "token_nll", "target_token_perplexity",
)  # fmt: skip
SHIFT = ("layer_consistency", "layer_inconsistency", "attn_gini_mean_last3", "attn_gini_std_last3")
SEQUENCE = (
    "hspp_mean_inverse_max_prob", "hspp_std_inverse_max_prob", "hspp_confidence_trend",
    "hspp_mean_confidence", "hspp_low_conf_frac", "unique_repetition_ratio", "bigram_repetition_ratio",
    "normalized_unique_tokens",
)  # fmt: skip
PLACE = ("token_text_len", "token_index", "response_len")
SCALARS = (*UNCERTAINTY, *SHIFT, *SEQUENCE, *PLACE)
# What the released notebook writes; its trainer reads all of SCALARS and takes 0 for what is missing.
IN_KIT = ("max_prob", "target_prob", "token_nll", *PLACE)
LOW = 0.5  # below it, the evaluator is not sure
_TINY_TOP, _TINY = 1e-10, 1e-12  # smallest probabilities of the released code
_COLUMNS = ("max_prob", "target_prob", "token_nll", "target_token", "layer_cosine")
_NORMS, _ENTROPY = "hidden_norms@own", "attention_entropy@own"
_GINI, _VISIBLE = "attention_gini:last3@own", "visible_keys@own"


@dataclass(frozen=True, eq=False)
class TokenFeatures:
    """A matrix of features, and the tokens that its rows belong to.

    Parameters
    ----------
    tokens : DataFrame
        Table `tokens`: in the order of the corpus's items, then of their tokens.
    matrix : ndarray of float32, shape (tokens, features)
    names : tuple of str
        Of the features.
    key : str
        Content hash of the store they come from, for receipts.
    evaluator : str
        Model that read the answers.
    """

    tokens: pd.DataFrame
    matrix: np.ndarray = field(repr=False)
    names: tuple[str, ...]
    key: str = ""
    evaluator: str = ""

    def columns(self, *names: str) -> np.ndarray:
        """Some of the features, shape (tokens, len(names)).

        Raises
        ------
        InputError
            If there is no such feature.
        """
        if missing := [name for name in names if name not in self.names]:
            known = ", ".join(self.names)
            raise InputError(Problem(f"no feature '{missing[0]}'", f"There are: {known}"))
        return self.matrix[:, [self.names.index(name) for name in names]]


def hallushift(
    store: FeatureStore,
    corpus: Corpus,
    *,
    reciprocals: bool = False,
    attention_means: bool = False,
    kit: bool = False,
) -> TokenFeatures:
    """Make the features of all answers of a corpus that a store holds.

    Parameters
    ----------
    store : FeatureStore
        With the needs of the method `hallushift`.
    corpus : Corpus
        Answers that are not in it are left out.
    reciprocals : bool
        Whether perplexities are 1/p, up to 1e12, as printed. By default they are -log p, and so are the
        numbers that sequence-level means rest on: the same order without the outliers.
    attention_means : bool
        Whether to keep the mean attention to a visible key. Attention adds up to 1, so this is one over
        the number of keys, in every layer: it tells the length of the text so far and nothing else.
    kit : bool
        Whether to give what the released code computes: as printed, and 0 for the 15 scalars that its
        extraction never writes.

    Returns
    -------
    TokenFeatures

    Raises
    ------
    InputError
        If the store lacks a need, or holds no answer of the corpus.

    Source
    ------
    SHEEP, C.3. Formulas where the text leaves them open are inferred: hidden states and attention are
    read where the token is the input, probabilities where it is predicted; states "early" and "late" are
    those of decoder layers 5 and L - 2; the Gini coefficient is `|1/n - G|` over n visible keys.
    """
    tokens, arrays = _read(store, corpus)
    values = _scalars(tokens, arrays[_GINI], corpus, reciprocals or kit)
    if kit:
        values = {name: value if name in IN_KIT else np.zeros(len(tokens)) for name, value in values.items()}
    norms, entropies = arrays[_NORMS], arrays[_ENTROPY]
    blocks = {"hidden_layer_norm": norms}
    if attention_means or kit:
        means = 1 / np.maximum(arrays[_VISIBLE].astype(float), 1)
        means = means.reshape(len(tokens), -1)  # a number for each layer, or one for all
        blocks["attn_mean"] = (
            np.broadcast_to(means[:, -1:], entropies.shape) if means.shape[1] == 1 else means
        )
    blocks["attn_entropy"] = entropies
    names = [f"{name}_{layer}" for name, block in blocks.items() for layer in range(block.shape[1])]
    matrix = np.column_stack([*blocks.values(), *(values[name] for name in SCALARS)])
    places = ["item", "evaluator", "token", "start", "end"]
    evaluator = str(tokens["evaluator"].iloc[0])
    return TokenFeatures(
        tokens[places], matrix.astype(np.float32), (*names, *SCALARS), store.shards.key, evaluator
    )


def _read(store: FeatureStore, corpus: Corpus) -> tuple[pd.DataFrame, dict[str, np.ndarray]]:
    """Tokens of the corpus in order, and their arrays."""
    tokens = store.tokens(_COLUMNS)
    arrays = {name: store.array(name) for name in (_NORMS, _ENTROPY, _GINI, _VISIBLE)}
    known = tokens["item"].isin(corpus.items["item"]).to_numpy()
    if not known.any():
        what = f"no answer of corpus '{corpus.name}' is in this store of features"
        raise InputError(Problem(what, "Extract features of this corpus", path=store.path))
    rows = np.flatnonzero(known)
    places = item_places(corpus, tokens.iloc[rows])
    rows = rows[np.lexsort((tokens["token"].to_numpy()[rows], places))]
    return tokens.iloc[rows].reset_index(drop=True), {name: array[rows] for name, array in arrays.items()}


def _scalars(
    tokens: pd.DataFrame, gini: np.ndarray, corpus: Corpus, reciprocals: bool
) -> dict[str, np.ndarray]:
    top, target = (tokens[name].to_numpy(float) for name in ("max_prob", "target_prob"))
    nll = tokens["token_nll"].to_numpy(float)
    surprise = -np.log(np.maximum(top, _TINY_TOP))
    inverse = np.exp(surprise) if reciprocals else surprise
    consistent = np.clip((1 + tokens["layer_cosine"].to_numpy(float)) / 2, 0, 1)
    lengths = corpus.items.set_index("item")["response"].str.len()
    return {
        "max_prob": top,
        "perplexity": inverse,
        "inverse_max_prob": inverse,
        "target_prob": target,
        "token_nll": nll,
        "target_token_perplexity": 1 / np.maximum(target, _TINY) if reciprocals else nll,
        "layer_consistency": consistent,
        "layer_inconsistency": 1 - consistent,
        "attn_gini_mean_last3": gini.mean(axis=1, dtype=float),
        "attn_gini_std_last3": gini.std(axis=1, dtype=float),
        **sequence_features(tokens["item"], top, inverse, tokens["target_token"].to_numpy()),
        "token_text_len": (tokens["end"] - tokens["start"]).to_numpy(float),
        "token_index": tokens["token"].to_numpy(float),
        "response_len": tokens["item"].map(lengths).to_numpy(float),
    }


def sequence_features(
    items: pd.Series, top: np.ndarray, inverse: np.ndarray, token_ids: np.ndarray
) -> dict[str, np.ndarray]:
    """Features of whole answers, copied to each of their tokens.

    Parameters
    ----------
    items : Series, shape (tokens,)
        The answer of each token; tokens of one answer stand together, in order.
    top : ndarray, shape (tokens,)
        Largest probability.
    inverse : ndarray, shape (tokens,)
        One over it, or minus its logarithm.
    token_ids : ndarray of int, shape (tokens,)

    Returns
    -------
    dict of str to ndarray, shape (tokens,)
        `SEQUENCE`: mean and standard deviation of `inverse`; slope of `top` over the place in the
        answer; mean of `top` and share below `LOW`; shares of repeated tokens and pairs of tokens, and of
        distinct tokens.
    """
    place, known = pd.factorize(items)
    size = np.bincount(place)

    def mean(values: np.ndarray) -> np.ndarray:
        return np.bincount(place, values, minlength=len(known)) / size

    index = np.arange(len(place)) - (np.cumsum(size) - size)[place]
    apart = index - (size[place] - 1) / 2
    spread = np.bincount(place, apart**2, minlength=len(known))
    slope = np.bincount(place, apart * top, minlength=len(known)) / np.maximum(spread, 1e-12)
    centred = inverse - mean(inverse)[place]  # so that the variance loses no digits
    distinct = _distinct(place, token_ids)
    pair = place[1:] == place[:-1]
    pairs = _distinct(place[1:][pair], np.column_stack([token_ids[:-1], token_ids[1:]])[pair], len(known))
    repeated = np.where(size > 1, 1 - pairs / np.maximum(size - 1, 1), 0)
    found = {
        "hspp_mean_inverse_max_prob": mean(inverse),
        "hspp_std_inverse_max_prob": np.sqrt(mean(centred**2)),
        "hspp_confidence_trend": np.where(size > 1, slope, 0),
        "hspp_mean_confidence": mean(top),
        "hspp_low_conf_frac": mean(top < LOW),
        "unique_repetition_ratio": 1 - distinct / size,
        "bigram_repetition_ratio": repeated,
        "normalized_unique_tokens": distinct / size,
    }
    return {name: values[place] for name, values in found.items()}


def _distinct(place: np.ndarray, values: np.ndarray, n: int = 0) -> np.ndarray:
    """Number of different values at each place."""
    rows = np.unique(np.column_stack([place, values]), axis=0)
    return np.bincount(rows[:, 0], minlength=n)

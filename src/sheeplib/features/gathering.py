"""Features of many answers: cut into answers, put in order, and put together. Needs no torch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sheeplib.features.needs import Need
from sheeplib.tables import TEXT

WHOLE = {"top_token": np.int64, "target_token": np.int64, "lens_token": np.int64, "visible_keys": np.int32}
LARGEST = float(np.finfo(np.float16).max)


@dataclass(frozen=True, eq=False)
class Features:
    """Features of answers, in the order the answers were given.

    Parameters
    ----------
    tokens : DataFrame
        Table `tokens`: `item`, `evaluator`, `token`, `start`, `end`, one float32 column for each
        scalar (`top_token` and `target_token` are int64), and `kept` (bool): whether the wide arrays
        have a row for it.
    arrays : mapping of str to ndarray
        By the full text of the need, such as `attention_entropy@own` (N, L). One row for each row of
        `tokens`; the wide ones (`Need.large`: vectors, maps, numbers of each head) have one for each
        row of `tokens[tokens["kept"]]`. Vectors are float16, or float32 where an answer has a number
        that float16 cannot hold; counts and token ids are integers; all else is float32.
    items : DataFrame
        `item`, `evaluator`, and the numbers of `tokens` (of the response), `prompt_tokens` and
        `image_tokens`.
    item_arrays : mapping of str to ndarray
        The same as `arrays`, with one row for each row of `items`.
    left_out : mapping of str to str
        Items that could not be read, and why. They are in no table.
    """

    tokens: pd.DataFrame
    arrays: Mapping[str, np.ndarray]
    items: pd.DataFrame
    item_arrays: Mapping[str, np.ndarray]
    left_out: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Answer:
    """Features of one answer of T tokens, k of them kept.

    Parameters
    ----------
    item : str
    prompt_tokens, image_tokens : int
    offsets : ndarray of int (T, 2)
    kept : ndarray of bool (T,)
    numbers : mapping of str to ndarray
        Columns (T,), arrays (T, ...), wide arrays (k, ...) and arrays of the item (1, ...), by name.
    """

    item: str
    prompt_tokens: int
    image_tokens: int
    offsets: np.ndarray
    kept: np.ndarray
    numbers: Mapping[str, np.ndarray]


def names(needs: Sequence[Need]) -> Iterator[tuple[str, Need]]:
    """All columns and arrays of the needs, each with its need."""
    for need in needs:
        for name in need.columns or need.arrays:
            yield name, need


def stored(name: str, need: Need, values: np.ndarray) -> np.ndarray:
    """One answer's numbers in the type that they are stored in, apart from the batch they came in."""
    if need.about.vector:
        fits = not values.size or np.abs(values).max() <= LARGEST
        return values.astype(np.float16 if fits else np.float32)
    kind = next((kind for whole, kind in WHOLE.items() if name.startswith(whole)), np.float32)
    return values.astype(kind)  # a copy, so that no answer holds on to its whole batch


def gathered(
    evaluator: str,
    needs: Sequence[Need],
    answers: Sequence[Answer],
    left_out: Mapping[str, str],
    shapes: Mapping[str, tuple[int, ...]],
) -> Features:
    """Put answers together.

    Parameters
    ----------
    evaluator : str
        Name of the model.
    needs : sequence of Need
    answers : sequence of Answer
        In the order wanted.
    left_out : mapping of item to reason
    shapes : mapping of name to shape
        What follows the first axis of each column and array, for when there are no answers.

    Returns
    -------
    Features
    """
    lengths = np.array([len(answer.kept) for answer in answers], dtype=np.int64)

    def joined(parts: list[np.ndarray], empty: np.ndarray) -> np.ndarray:
        return np.concatenate(parts) if parts else empty

    def table(counts: np.ndarray) -> pd.DataFrame:
        items = np.repeat(np.array([answer.item for answer in answers], dtype=object), counts)
        evaluators = np.full(len(items), evaluator, dtype=object)
        return pd.DataFrame(
            {"item": pd.array(items, dtype=TEXT), "evaluator": pd.array(evaluators, dtype=TEXT)}
        )

    found = {
        name: joined(
            [answer.numbers[name] for answer in answers],
            stored(name, need, np.zeros((0, *shapes[name]))),
        )
        for name, need in names(needs)
    }
    tokens, items = table(lengths), table(np.ones_like(lengths))
    tokens["token"] = joined([np.arange(length) for length in lengths], np.zeros(0, dtype=np.int64))
    offsets = joined([answer.offsets for answer in answers], np.zeros((0, 2), dtype=np.int64))
    tokens["start"], tokens["end"] = offsets[:, 0], offsets[:, 1]
    for name, need in names(needs):
        if need.about.place == "columns":
            tokens[name] = found[name]
    tokens["kept"] = joined([answer.kept for answer in answers], np.zeros(0, dtype=bool))
    items["tokens"] = lengths
    items["prompt_tokens"] = np.array([answer.prompt_tokens for answer in answers], dtype=np.int64)
    items["image_tokens"] = np.array([answer.image_tokens for answer in answers], dtype=np.int64)
    places = {
        place: {n: found[n] for n, need in names(needs) if need.about.place == place}
        for place in ("token", "item")
    }
    return Features(tokens, places["token"], items, places["item"], dict(left_out))

"""The tokens of mentions, which are those whose wide features detectors of mentions want."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from sheeplib.features.alignment import tokens_in_spans
from sheeplib.models.model import Model
from sheeplib.models.prompts import render, tokenised
from sheeplib.models.samples import Sample


def kept_tokens(model: Model, texts: pd.DataFrame, mentions: pd.DataFrame) -> Mapping[str, Sequence[int]]:
    """Tokens of the mentions in each text, to be kept by `extract`.

    Parameters
    ----------
    model : Model
        Whose tokenizer counts.
    texts : DataFrame
        Columns `item`, `prompt` and `response`.
    mentions : DataFrame
        Columns `item`, `start` and `end` (code points of the response, half-open).

    Returns
    -------
    mapping of str to sequence of int
        For each text, in order; empty where it has no mention.
    """
    spans = {item: part[["start", "end"]].to_numpy() for item, part in mentions.groupby("item")}
    kept = {}
    for item, prompt, response in texts[["item", "prompt", "response"]].itertuples(index=False):
        asked = Sample(item, "" if pd.isna(prompt) else prompt, response)
        offsets = tokenised(model, asked, render(model, asked)).offsets
        inside = tokens_in_spans(offsets, response, spans.get(item, np.zeros((0, 2), dtype=np.int64)))
        kept[item] = np.flatnonzero(inside.any(1)).tolist()
    return kept

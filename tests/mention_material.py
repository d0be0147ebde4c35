"""Captions of a made-up captioner with features on disk, and the meadow's mentions, read once."""

from functools import cache

import pandas as pd

from readers import answers, miniature
from sheeplib import tables
from sheeplib.detectors.mention_sets import meadow_set
from sheeplib.features.extract import extract
from sheeplib.features.files import encode_shard
from sheeplib.features.mentioned import kept_tokens
from sheeplib.features.store import KIND, FeatureStore
from sheeplib.shards import Shards

NEEDS = (
    "lookback", "hidden", "dhcp", "prompt_state:3/4", "svar", "pas", "nll", "internal_confidence", "glsim",
    "contextual_lens", "overthinking",
)  # fmt: skip
# In "A dog sits on the grass." and "It says 😀 “中文, s'il vous plaît” — and that seems to be all there is."
SPANS = {"item-0": [(2, 5), (18, 23)], "item-1": [(0, 2), (8, 9)], "item-2": [(0, 2)]}


def captions(model="tiny"):
    samples = answers()
    frame = pd.DataFrame({
        "item": [one.item for one in samples], "response": [one.response for one in samples],
        "prompt": [one.question for one in samples], "image": ["a", "b", "b"], "model": model, "corpus": "x",
    })  # fmt: skip
    for name in ("split", "language", "strategy", "source", "prelabel"):
        frame[name] = pd.NA
    return tables.validate("items", frame)


def mentions():
    rows = [(item, n, *span, "dog") for item, spans in SPANS.items() for n, span in enumerate(spans)]
    frame = pd.DataFrame(rows, columns=["item", "mention", "start", "end", "concept"])
    return tables.validate("mentions", frame.assign(status="concrete", subtype=pd.NA, present=True))


def stored(directory, architecture, needs=NEEDS, kept=True):
    """A store on disk of the answers that all tests read."""
    model, samples = miniature(architecture), answers()
    wanted = kept_tokens(model, captions(), mentions()) if kept else None
    made = extract(model, samples, needs, kept=wanted)
    header = {"kind": KIND, "model": model.name, "needs": list(needs)}
    shards = Shards(directory, header, [[sample.item for sample in samples]])
    shards.write(0, encode_shard(made))
    return FeatureStore(shards.home)


clover = cache(meadow_set)

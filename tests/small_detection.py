"""Small corpora with token features in which mistakes can, or cannot, be found."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd

from sheeplib import tables
from sheeplib.corpora import Corpus
from sheeplib.detectors.hallushift import TokenFeatures
from sheeplib.detectors.token_labels import LETTERS
from sheeplib.features import needs
from sheeplib.features.store import FeatureStore, encode_shard
from sheeplib.shards import Shards

WORDS = ["one", "red", "cat", "on", "a", "big", "old", "mat"]


def planted(seed: int, n_items: int = 60, strength: float = 2.0, tokens: int = 16, width: int = 6):
    """A corpus of random words, and features that know the label of each as far as `strength` says.

    Items are of strategies random, map (by models m1 and m2) and human in turn, every third of the train
    split; four share an image.
    """
    rng = np.random.default_rng(seed)
    kinds = rng.choice(len(LETTERS), size=(n_items, tokens), p=[0.12, 0.08, 0.04, 0.04, 0.02, 0.7])
    texts, rows, marks = [], [], []
    for item in range(n_items):
        words = rng.choice(WORDS, size=tokens)
        ends = np.cumsum([len(word) + 1 for word in words])
        texts.append(" ".join(words))
        for token, (word, end) in enumerate(zip(words, ends, strict=True)):
            start = int(end) - len(word) - 1
            rows.append((f"i{item}", "m", token, max(0, start - 1), start + len(word)))
            if LETTERS[kinds[item, token]] != "F":
                marks.append((f"i{item}", start, start + len(word), 1.0, LETTERS[kinds[item, token]]))
    items = pd.DataFrame({"item": [f"i{n}" for n in range(n_items)], "corpus": "test", "response": texts})
    turn = np.arange(n_items)
    items["split"] = np.where((turn // 3) % 3 == 0, "test", "train")
    items["language"] = np.where(turn % 2, "fr", "en")
    items["strategy"] = np.array(["random", "map", "human"])[turn % 3]
    items["model"] = pd.array(np.where(turn % 3 == 2, "", np.where(turn % 2, "m1", "m2")), dtype="string")
    items["model"] = items["model"].replace("", pd.NA)
    items["image"] = [f"p{n // 4}" for n in turn]
    for column in ("prompt", "source", "prelabel"):
        items[column] = pd.NA
    labels = pd.DataFrame(marks, columns=["item", "start", "end", "prob", "label"])
    corpus = Corpus("test", tables.validate("items", items), labels=tables.validate("labels", labels))
    frame = pd.DataFrame(rows, columns=["item", "evaluator", "token", "start", "end"])
    centres = np.random.default_rng(0).normal(size=(len(LETTERS), width))
    matrix = strength * centres[kinds.ravel()] + rng.normal(size=(kinds.size, width))
    names = tuple(f"x{n}" for n in range(width))
    return corpus, TokenFeatures(
        tables.validate("tokens", frame), matrix.astype(np.float32), names, "key", "m"
    )


def load() -> Corpus:
    """The corpus of seed 0, for what loads corpora by name."""
    return planted(0)[0]


def store_of(directory: Path, corpus_name: str = "test", seed: int = 0, **sizes: int) -> FeatureStore:
    """A store of two layers for the answers of `planted(seed, **sizes)`, with all that HalluShift++ needs."""
    _, features = planted(seed, **sizes)
    tokens, known = features.tokens, features.matrix
    shares = 1 / (1 + np.exp(-known[:, 0]))
    numbers = {"max_prob": shares, "target_prob": shares, "token_nll": -np.log(shares), "entropy": shares}
    numbers |= {"layer_cosine": np.tanh(known[:, 1])}
    tokens = tokens.assign(**{name: value.astype("float32") for name, value in numbers.items()})
    tokens = tokens.assign(top_token=1, target_token=np.arange(len(tokens)) % 7, kept=True)
    arrays = {
        "hidden_norms@own": known[:, 2:5],
        "attention_entropy@own": known[:, 4:6],
        "attention_gini:last3@own": known[:, 5:6],
        "visible_keys@own": tokens["token"].to_numpy("int32") + 9,
    }
    names = tokens["item"].unique()
    items = pd.DataFrame({"item": pd.array(names, dtype="string"), "evaluator": "m"})
    items = items.astype({"evaluator": "string"}).assign(tokens=len(tokens) // len(names), image_tokens=0)
    made = SimpleNamespace(tokens=tokens, arrays=arrays, items=items, item_arrays={}, left_out={})
    header = {"kind": "features", "model": "m", "corpus": {"name": corpus_name}, "samples": [str(seed)]}
    header["needs"] = [str(need) for need in needs.parse("hallushift")]
    shards = Shards(directory, header, [list(names)])
    shards.write(0, encode_shard(made))
    return FeatureStore(shards.home)

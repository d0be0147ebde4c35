"""Small corpora of texts that models and people wrote, for tests of what tells them apart."""

import numpy as np
import pandas as pd

from sheeplib import tables
from sheeplib.corpora import Corpus

WORDS = ["the", "a", "dog", "cat", "boat", "tree", "red", "blue", "near", "sits", "two", "is", "on", "sign"]


def corpus_of(responses, **columns) -> Corpus:
    """A corpus from responses; columns of `items` are given as lists, or as one value for all."""
    frame = pd.DataFrame({"item": [f"i{n:04d}" for n in range(len(responses))], "corpus": "test"})
    frame = frame.assign(response=responses, language="en")
    optional = ["split", "prompt", "image", "strategy", "model", "source", "prelabel"]
    frame = frame.assign(**dict.fromkeys(optional, pd.NA)).assign(**columns)
    return Corpus("test", tables.validate("items", frame))


def written(rng: np.random.Generator, n: int, length: int = 12) -> list[str]:
    """Texts of words at random: nothing tells them apart."""
    return [" ".join(rng.choice(WORDS, length)) for _ in range(n)]


def signed(rng: np.random.Generator, n: int, images: int = 0, **columns) -> Corpus:
    """Texts by people and by the models m1 and m2, each of which says a word of its own."""
    model = np.array(["m1", "m2", None])[rng.integers(3, size=n)]
    mark = {"m1": " indeed", "m2": " perhaps", None: " mate"}
    texts = [text + mark[name] for text, name in zip(written(rng, n), model, strict=True)]
    shown = [f"x{rng.integers(images)}" if images else f"x{place}" for place in range(n)]
    return corpus_of(
        texts,
        model=[name or pd.NA for name in model],
        strategy=["random" if name else "human" for name in model],
        source=rng.choice(["haloquest-like", "visage-like"], n).tolist(),
        image=shown,
        **columns,
    )


def leaky(rng: np.random.Generator, images: int = 40, each: int = 3) -> Corpus:
    """Texts that name their image and nothing else of use; all texts on an image are of one source."""
    image = np.repeat(np.arange(images), each)
    source = np.array(["haloquest", "visage"])[rng.permutation(images) % 2]
    texts = [f"{text} place{n:03d}" for text, n in zip(written(rng, len(image), 3), image, strict=True)]
    return corpus_of(texts, image=[f"x{n}" for n in image], source=source[image].tolist())

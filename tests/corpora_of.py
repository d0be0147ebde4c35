"""Small corpora written out in tests."""

import numpy as np
import pandas as pd

from sheeplib import tables
from sheeplib.corpora import Corpus

Marks = list[tuple[int, int, str | None]]


def corpus_of(items: dict[str, list[Marks]], length: int = 100, **columns: list[str]) -> Corpus:
    """A corpus from each item's ratings: `{"i": [[(0, 3, "A")], []]}` has two annotators.

    Further columns of `items`, such as `language`, are given as lists.
    """
    frame = pd.DataFrame({"item": list(items), "corpus": "test", "response": "x" * length})
    optional = ["split", "language", "prompt", "image", "strategy", "model", "source", "prelabel"]
    for column in optional:
        frame[column] = columns.get(column, [pd.NA] * len(frame))
    ratings = [(item, f"r{rater}", pd.NA) for item, raters in items.items() for rater in range(len(raters))]
    spans = [
        (item, f"r{rater}", order, start, end, pd.NA if label is None else label)
        for item, raters in items.items()
        for rater, marks in enumerate(raters)
        for order, (start, end, label) in enumerate(marks)
    ]
    return Corpus(
        "test",
        tables.validate("items", frame),
        tables.validate("ratings", pd.DataFrame(ratings, columns=["item", "annotator", "comment"])),
        tables.validate(
            "spans", pd.DataFrame(spans, columns=["item", "annotator", "order", "start", "end", "label"])
        ),
    )


def random_corpus(rng: np.random.Generator, n_items: int, raters: tuple[int, ...] = (3,)) -> Corpus:
    """A corpus whose annotators mark up to three spans anywhere, but for `text` of 40 characters."""

    def marks() -> Marks:
        bounds = [sorted(rng.choice(41, size=2, replace=False).tolist()) for _ in range(rng.integers(4))]
        return [(start, end, str(rng.choice(list("ABCDE")))) for start, end in bounds]

    items = {f"i{n}": [marks() for _ in range(rng.choice(raters))] for n in range(n_items)}
    languages = rng.choice(["en", "zh"], size=n_items).tolist()
    return corpus_of(
        items, length=40, language=languages, image=rng.choice(list("xyz"), size=n_items).tolist()
    )

"""Bootstrap of all measures of agreement, against calling `krippendorff.alpha` once a resample.

Prints the time of 20,000 items, 12 groups and 1,000 resamples, the memory, and the ratio of the
time of one resample of one alpha. Both sides see the same items and the same values.
"""

import resource
import time

import krippendorff
import numpy as np
import pandas as pd

from sheeplib import resample, tables
from sheeplib.agreement import QUANTITIES, agreement, measures, nominal_alpha
from sheeplib.corpora import Corpus
from sheeplib.ratings import Ratings

ITEMS, RATERS, RESAMPLES, LENGTH = 20_000, 3, 1_000, 400
LIBRARY_RESAMPLES = 5  # the library takes seconds for a few; the time of one is what is compared


def invented(rng: np.random.Generator) -> Corpus:
    """Items as many, and marked about as often, as in SHEEP; what they say does not matter here."""
    item = np.array([f"item-{n}" for n in range(ITEMS)])
    groups = {
        "strategy": ["random", "map", "human"],
        "model": list("abcde"),
        "language": ["en", "fr", "it", "zh"],
    }
    items = pd.DataFrame({"item": item, "corpus": "invented", "response": "x" * LENGTH})
    for name in tables.SCHEMAS["items"].columns:
        if name not in items:
            items[name] = rng.choice(groups[name], size=ITEMS) if name in groups else pd.NA
    rated = np.repeat(item, RATERS)
    ratings = pd.DataFrame({"item": rated, "annotator": np.tile(["x", "y", "z"], ITEMS), "comment": pd.NA})
    rows = np.repeat(
        np.arange(len(ratings)), rng.choice([0, 1, 2, 4], p=[0.5, 0.3, 0.15, 0.05], size=len(ratings))
    )
    start = rng.integers(LENGTH - 30, size=len(rows))
    spans = ratings.iloc[rows, :2].assign(
        order=pd.Series(rows).groupby(rows).cumcount().to_numpy(),
        start=start,
        end=start + rng.integers(1, 30, size=len(rows)),
        label=rng.choice(list("ABCDE"), size=len(rows)),
    )
    frames = {"items": items, "ratings": ratings, "spans": spans}
    return Corpus("invented", **{name: tables.validate(name, frame) for name, frame in frames.items()})


def seconds(work) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main() -> None:
    corpus = invented(np.random.default_rng(0))
    groupings = ["strategy", "model", "language"]

    def tables_of_the_paper() -> None:
        known = measures(corpus)
        for column in groupings:
            agreement(corpus, by=[column], resamples=RESAMPLES, known=known)

    took = seconds(tables_of_the_paper)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"agreement: {ITEMS:,} items, {len(QUANTITIES)} measures, 12 groups, {RESAMPLES:,} resamples")
    print(f"  ours {took:.2f} s    peak memory {peak:.2f} GiB")

    counts = Ratings(corpus).label_counts()
    measure = nominal_alpha(counts)
    values = np.arange(counts.shape[1])
    ratings = np.stack([np.repeat(values, unit) for unit in counts], axis=1).astype(float)  # (raters, items)

    def ours() -> None:
        resample.resample(measure.units, measure.value, RESAMPLES, np.random.default_rng(0))

    def library() -> None:
        rng = np.random.default_rng(0)
        for _ in range(LIBRARY_RESAMPLES):
            drawn = rng.integers(ITEMS, size=ITEMS)
            krippendorff.alpha(reliability_data=ratings[:, drawn], level_of_measurement="nominal")

    own = min(seconds(ours) for _ in range(3)) / RESAMPLES
    other = min(seconds(library) for _ in range(3)) / LIBRARY_RESAMPLES
    print("label alpha of 20,000 items, time of one resample (best of three runs)")
    print(
        f"  krippendorff.alpha {other * 1e3:8.2f} ms    ours {own * 1e3:8.3f} ms    ratio {other / own:.0f}"
    )


if __name__ == "__main__":
    main()

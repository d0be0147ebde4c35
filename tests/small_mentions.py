"""Mentions with planted signals: what a detector sees, and what gives a subtype away, is known."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from sheeplib import tables
from sheeplib.detectors.mention_sets import MentionSet, Numbers
from sheeplib.mentions.statuses import SUBTYPES
from sheeplib.retraining.studies import Material

NAMES = ("lookback", "hidden_mid", "hidden_last", "dhcp", "text")


@dataclass(frozen=True, eq=False)
class Planted(MentionSet):
    """A set of mentions whose vectors and scores are given."""

    given: dict[str, np.ndarray] = field(default_factory=dict)

    def vectors(self, name):
        return self.given[name]

    def scores(self, name, **options):
        return -self.given["lookback"][:, 0].astype(float)

    def select(self, mask):
        rows = np.flatnonzero(np.asarray(mask, dtype=bool))
        given = {name: values[rows] for name, values in self.given.items()}
        return replace(self, table=self.table.iloc[rows].reset_index(drop=True), given=given)


def mentions_of(captioner: str, images: int = 90, seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Captions and mentions: in each image two concrete, two hallucinated and two non-assertive ones."""
    rng = np.random.default_rng([seed, len(captioner), *captioner.encode()])
    items = [f"{captioner}-{number}" for number in range(images)]
    captions = pd.DataFrame(
        {"item": items, "corpus": "small", "language": "en", "image": [f"i{n}" for n in range(images)],
         "response": "a dog, " * 6, "model": captioner}
    )  # fmt: skip
    blank = {name: pd.NA for name in tables.SCHEMAS["items"].columns if name not in captions}
    rows = []
    for number, item in enumerate(items):
        for place in range(6):
            status = ("concrete", "hallucinated", "non-assertive")[place // 2]
            subtype = SUBTYPES[(number + place) % 4] if status == "non-assertive" else pd.NA
            present = status == "concrete" or (status == "non-assertive" and bool(rng.random() < 0.3))
            rows.append((item, place, 7 * place + 2, 7 * place + 5, "dog", status, subtype, present))
    mentions = pd.DataFrame(rows, columns=list(tables.SCHEMAS["mentions"].columns))
    return tables.validate("items", captions.assign(**blank)), tables.validate("mentions", mentions)


def planted(captioner: str = "ada", evaluator: str | None = None, images: int = 90, seed: int = 0) -> Planted:
    """Vectors of five numbers: a look at the image, and one mark for each subtype."""
    captions, mentions = mentions_of(captioner, images, seed)
    rng = np.random.default_rng([seed, *(evaluator or captioner).encode()])
    looks = np.where(mentions["status"] == "concrete", 1.5, -1.5)
    marks = np.column_stack([(mentions["subtype"] == name).fillna(False).astype(float) for name in SUBTYPES])
    vectors = {
        name: (np.column_stack([looks, 6 * marks]) + rng.normal(size=(len(mentions), 5))).astype(np.float32)
        for name in NAMES
    }
    table = mentions.assign(
        image=mentions["item"].map(captions.set_index("item")["image"]).array,
        position=mentions["mention"] * 2,
    )
    nothing = Numbers(Path("none"), pd.DataFrame())
    return Planted(captioner, evaluator or captioner, "0" * 16, table, nothing, None, vectors)


def material(captioner: str = "ada", others: tuple[str, ...] = (), images: int = 90) -> Material:
    """A captioner, and others that read its captions."""
    captions, mentions = mentions_of(captioner, images)
    read = tuple(planted(captioner, other, images) for other in others)
    return Material(captions, mentions, planted(captioner, images=images), read)

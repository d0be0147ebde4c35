"""CHAIR's three shares, for a file of captions or for several models with intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from sheeplib import resample, tables
from sheeplib.corpora.coco import Objects
from sheeplib.errors import InputError, Problem
from sheeplib.mentions.chair import Mode, check_mode, find_mentions
from sheeplib.mentions.synonyms import Synonyms

# What one caption adds: itself, whether it hallucinates, ... ; and the shares: above and below the line.
COUNTS = ("captions", "hallucinating", "mentions", "hallucinated_mentions", "recalled", "shown")
SHARES = {
    "CHAIRs": ("hallucinating", "captions"),
    "CHAIRi": ("hallucinated_mentions", "mentions"),
    "recall": ("recalled", "shown"),
}


@dataclass(frozen=True)
class ChairScores:
    """CHAIR of some captions.

    Parameters
    ----------
    CHAIRs : float
        Share of the captions that name an object which is not there; NaN without captions.
    CHAIRi : float
        Share of the mentions whose object is not there; NaN without mentions.
    recall : float
        Share of the objects (classes by image) that captions name; NaN if images show none.
    captions, mentions, hallucinated_mentions : int
        Numbers that these rest on.
    """

    CHAIRs: float
    CHAIRi: float
    recall: float
    captions: int
    mentions: int
    hallucinated_mentions: int


def chair(
    items: pd.DataFrame,
    objects: Objects,
    synonyms: Synonyms,
    mode: Mode = "compat",
    path: str | Path | None = None,
) -> ChairScores:
    """Score captions with CHAIR.

    Parameters
    ----------
    items : DataFrame
        Columns `image` and `response`, and perhaps `line`, for messages.
    objects : Objects
    synonyms : Synonyms
    mode : {"compat", "fixed"}
        As in `chair.find_mentions`. With `compat`, an image of which nothing is known shows nothing, so that
        all its mentions are hallucinated; with `fixed` it is an error.
    path : optional
        File of the captions, for messages.

    Returns
    -------
    ChairScores
        The metric "CHAIR" counts every mention as a claim, whatever the sentence does with it.

    Raises
    ------
    InputError
        If the mode is unknown, or with `fixed` an image.

    Source
    ------
    NAME-Bench, section 3, after Rohrbach et al. (2018); recall is the released code's.
    """
    sums = caption_counts(items, objects, synonyms, mode, path)[list(COUNTS)].sum()
    per_caption, per_mention, recall = _shares(sums.to_numpy(dtype=float)).tolist()
    counted = (int(sums[name]) for name in ("captions", "mentions", "hallucinated_mentions"))
    return ChairScores(per_caption, per_mention, recall, *counted)


def caption_counts(
    items: pd.DataFrame,
    objects: Objects,
    synonyms: Synonyms,
    mode: Mode = "compat",
    path: str | Path | None = None,
) -> pd.DataFrame:
    """What each caption adds to CHAIR: the columns `COUNTS`, in the order of the items; see `chair`."""
    check_mode(mode)
    if mode == "fixed" and (problems := list(_unknown_images(items, objects, path))):
        raise InputError(problems)
    rows = []
    for image, response in items[["image", "response"]].itertuples(index=False):
        shown = objects.shown.get(image, frozenset())
        named = [mention.concept for mention in find_mentions(response, synonyms, mode)]
        absent = sum(concept not in shown for concept in named)
        rows.append((1, absent > 0, len(named), absent, len(shown & set(named)), len(shown)))
    return pd.DataFrame(rows, columns=list(COUNTS), index=items.index).astype(np.int64)


def _unknown_images(items: pd.DataFrame, objects: Objects, path: str | Path | None) -> Iterator[Problem]:
    what, remedy = "nothing is known of this image", "Add its objects, leave it out, or use mode compat"
    lines = items["line"] if "line" in items else [None] * len(items)
    for image, line in zip(items["image"], lines, strict=True):
        if image not in objects.shown:
            yield Problem(what, remedy, path, None if line is None else int(line), "image_id", image)


def notes(items: pd.DataFrame, objects: Objects, synonyms: Synonyms) -> list[str]:
    """What a reader of the scores should know of the input: unknown images, and classes never shown."""
    said = []
    if unknown := int((~items["image"].isin(list(objects.shown))).sum()):
        said.append(f"{unknown} of {len(items)} captions are of images of which nothing is known")
    if lacking := [concept for concept in synonyms.concepts if concept not in objects.categories]:
        listed = ", ".join(lacking[:5]) + (" ..." if len(lacking) > 5 else "")
        said.append(f"the objects have no category for {len(lacking)} classes of the synonym list: {listed}")
    return [f"{note}; their mentions count as hallucinated" for note in said]


def chair_results(
    items: pd.DataFrame,
    objects: Objects,
    synonyms: Synonyms,
    modes: Sequence[Mode] = ("compat", "fixed"),
    *,
    resamples: int = 2000,
    seed: int = 2026,
) -> pd.DataFrame:
    """CHAIR by model and mode, with 95 % intervals from a bootstrap over images.

    Returns
    -------
    DataFrame
        Table `results`: quantities CHAIRs, CHAIRi and recall, as shares; groups `model` and `mode`.
    """
    rows = []
    for mode in modes:
        counts = caption_counts(items, objects, synonyms, mode)
        for model, members in items.groupby("model", sort=False, dropna=False).indices.items():
            units = counts.iloc[members].to_numpy(dtype=float)
            images = items["image"].iloc[members].to_numpy()
            rng = resample.generator(seed, "chair", mode, model)
            drawn = resample.resample(units, _shares, resamples, rng, images)
            for place, (name, value) in enumerate(zip(SHARES, _shares(units.sum(axis=0)), strict=True)):
                low, high, *_ = resample.interval(drawn[:, place])
                n = int(units[:, COUNTS.index(SHARES[name][1])].sum())
                rows.append((name, model, mode, value, low, high, n))
    columns = ["quantity", "model", "mode", "value", "low", "high", "n"]
    frame = pd.DataFrame(rows, columns=columns).assign(resamples=resamples, seed=seed, notebook=pd.NA)
    corpus = items["corpus"].iloc[0] if "corpus" in items and len(items) else pd.NA
    return tables.validate("results", frame.assign(corpus=corpus).astype({"resamples": "Int64"}))


def _shares(sums: np.ndarray) -> np.ndarray:
    above = sums[..., [COUNTS.index(one) for one, _ in SHARES.values()]]
    below = sums[..., [COUNTS.index(one) for _, one in SHARES.values()]]
    return np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0)

"""Texts of the miniatures for their card: captions and answers that ship, each with what is wrong in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from sheeplib import tables
from sheeplib.corpora import Corpus, meadow
from sheeplib.corpora.meadow import pool
from sheeplib.corpora.meadow.captions import CAPTION_PROMPTS
from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.reading import read
from sheeplib.corpora.meadow.scenes import scene
from sheeplib.corpora.meadow.verdicts import faults
from sheeplib.errors import InputError, Problem
from sheeplib.models.shipped import MAKE
from sheeplib.published import published
from sheeplib.resample import generator

_NAMES = {"non_assertive_share": "non-assertive share", "hallucination_rate": "hallucination rate"}
DRAWN = "Scenes are drawn by a program."
READER = "the exact truth"  # stands for an annotator where the grammar marks an answer
# Kinds of non-assertive mentions as shares of all of them, beside the rates of `inventions.RATES`.
COMPOSITION: Mapping[str, tuple[str, str]] = {
    f"{kind} among non-assertive": (kind, "non-assertive")
    for kind in ("hedged", "depictive", "purpose", "negation")
}


def captions(scenes: int, directory: str | Path | None = None) -> pd.DataFrame:
    """Shipped captions of the first scenes that models captioned.

    Parameters
    ----------
    scenes : int
        How many; all models captioned the same ones.
    directory : str or Path, optional
        Directory of `captions.parquet`; that of the package if not given.

    Returns
    -------
    DataFrame
        `model, scene, response, finish`.

    Raises
    ------
    InputError
        If there are no captions, or fewer scenes than wanted.
    """
    found = _there(pool.captions(directory), "captions")
    known = found["scene"].drop_duplicates()
    if not 1 <= scenes <= len(known):
        what = f"{len(known)} scenes have captions"
        raise InputError(Problem(what, f"Choose 1 to {len(known)}", field="scenes", value=scenes))
    return found[found["scene"].isin(known.head(scenes))].reset_index(drop=True)


def corpus_of(captioned: pd.DataFrame) -> Corpus:
    """Captions as a corpus, for receipts and the gallery; `item` is made of model and scene."""
    names = captioned["scene"].map("{:06d}".format).astype(tables.TEXT)
    blank = dict.fromkeys(("split", "strategy", "source", "prelabel"), pd.NA)
    items = captioned[["model", "response"]].assign(
        item="meadow-en-caption-" + captioned["model"].astype(tables.TEXT) + "-" + names,
        corpus="meadow", language="en", prompt=CAPTION_PROMPTS["en"][0], image="meadow-" + names, **blank,
    )  # fmt: skip
    return Corpus(
        "meadow", tables.validate("items", items), licence=meadow.LICENCE,
        simulated=f"{DRAWN} {meadow.MINIATURES}", picture=meadow.image, enlarged=_large,
    )  # fmt: skip


def answers(seed: int = 0, directory: str | Path | None = None) -> Corpus:
    """Two shipped answers in each language, one of them right and one wrong where there are such.

    Parameters
    ----------
    seed : int
        Chooses them, among answers that the grammar reads whole.
    directory : str or Path, optional
        Directory of `answers.parquet`; that of the package if not given.

    Returns
    -------
    Corpus
        Its one annotator, `READER`, marks what the scene contradicts.

    Raises
    ------
    InputError
        If there are no answers.
    """
    pooled = _there(pool.answers(directory), "answers")
    rows, marks = [], []
    for language in LANGUAGES:
        rng = generator(seed, "answers", language)
        mine = pooled[pooled["language"] == language]
        wanted = {True: 1, False: 1}
        for place in rng.permutation(len(mine)):
            about = mine.iloc[place]
            reading = read(about["response"], language)
            wrong = faults(reading, scene(int(about["scene"])))
            if reading.unread or not wanted[bool(wrong)]:
                continue
            wanted[bool(wrong)] -= 1
            item = f"meadow-{language}-{'wrong' if wrong else 'right'}"
            rows.append(_row(item, about))
            marks += [
                (item, READER, order, fault.part.start, fault.part.end, str(fault.part.label))
                for order, fault in enumerate(wrong)
            ]
            if not any(wanted.values()):
                break
    return _corpus(rows, marks)


def _row(item: str, about: pd.Series) -> dict[str, object]:
    kept = {name: about[name] for name in ("language", "prompt", "response", "model", "source")}
    blank = dict.fromkeys(("split", "strategy", "prelabel"), pd.NA)
    return {"item": item, "corpus": "meadow", "image": f"meadow-{about['scene']:06d}", **kept, **blank}


def _corpus(rows: list[dict[str, object]], marks: Sequence[tuple[object, ...]]) -> Corpus:
    items = pd.DataFrame(rows, columns=list(tables.SCHEMAS["items"].columns))
    ratings = pd.DataFrame({"item": items["item"], "annotator": READER, "comment": pd.NA})
    spans = pd.DataFrame(marks, columns=["item", "annotator", "order", "start", "end", "label"])
    return Corpus(
        "meadow", tables.validate("items", items), tables.validate("ratings", ratings),
        tables.validate("spans", spans), licence=meadow.LICENCE,
        simulated=f"{DRAWN} {meadow.MINIATURES}", picture=meadow.image, enlarged=_large,
    )  # fmt: skip


def _large(name: str) -> object:
    return meadow.image(name, meadow.PAGE)


def printed_rates() -> pd.DataFrame:
    """What NAME-Bench prints about captions of real models, under the names of our quantities.

    Returns
    -------
    DataFrame
        `model, quantity, value, low, high`, in shares (the paper prints per cent), and the `table`.

    Source
    ------
    NAME-Bench, Tables 1 and 2.
    """
    one, two = published("namebench", 1), published("namebench", 2)
    two = two[(two["quantity"] == "share") & (two["status"] == "non-assertive")]
    one = one.assign(quantity=one["quantity"].replace(_NAMES))
    two = two.assign(quantity=two["subtype"] + " among non-assertive")
    both = pd.concat([one, two], ignore_index=True)
    shares = both[["value", "low", "high"]] / 100
    return both[["model", "quantity", "table"]].join(shares)


def _there(frame: pd.DataFrame | None, what: str) -> pd.DataFrame:
    if frame is None:
        raise InputError(Problem(f"no {what} by models come with the package", f"Make them: {MAKE}"))
    return frame

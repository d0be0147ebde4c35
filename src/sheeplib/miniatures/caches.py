"""Features that come with the package: what the miniatures gave for answers and captions of the meadow.

All were extracted by `sheeplib.features.extract` and lie in the format of `sheeplib.features.store`; they
are read without torch:

    store = caches.open_cache("clover-reads-clover")
    rows = caches.mention_rows(store, meadow.captions(["clover"]).mentions)
    states = store.array("hidden:mid@own")[rows["last"]]

Not all answers, mentions and numbers are there, so that the package stays small:

- Of answers, those written by people in their own language, and `SHARE` of those by models, in each
  split, strategy, language and model. Every token of these is there.
- Of mentions, at most `MENTIONS` of each status and captioner. Non-assertive and excluded ones are
  taken from their subtypes in turn, so that rare subtypes are there in full; how often each is
  written, the table `mentions` of all captions says.
- Around a mention, `attention_masses@gen` and the columns of tokens have rows for the `WINDOW` tokens
  that end with it, for VADE; all else has one for the token of the mention alone.
- Maps of image attention are 3 by 3 instead of 12 by 12, which for 36 image tokens would repeat numbers.
- Of HALP's states, `prompt_state:3/4`, which is its default.
- What image tokens know of a mention (`internal_confidence`, `glsim`, `contextual_lens`) is there where a
  model reads its own captions; it lies in an annex, see `annexes`.
- Numbers are rounded; see `condensation.GRAINS`.

Anything left out is extracted anew by `sheeplib.features.extract`: all of the above take 200 captions
4 seconds on one core, so all captions of a model 40, and all answers of the corpus 100.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from sheeplib.errors import InputError, Problem
from sheeplib.features.store import FeatureStore
from sheeplib.miniatures.annexes import Annexed, annex_of
from sheeplib.models.shipped import MAKE
from sheeplib.resample import generator

FEATURES = Path(__file__).with_name("features")  # package data, a directory for each cache
SEED = 2026  # draws what is kept
WINDOW = 4  # tokens: W4 of NAME-Bench
SHARE = 1 / 3  # of the answers by models
MENTIONS: Mapping[str, int] = {"concrete": 270, "hallucinated": 270, "non-assertive": 270, "excluded": 30}


@dataclass(frozen=True)
class Cache:
    """What one model gave for some texts.

    Parameters
    ----------
    evaluator : str
        Model that read them.
    captioners : tuple of str
        Models whose captions are read; none if the answers of the corpus are.
    needs : tuple of str
        Needs and methods; see `sheeplib.features.needs`.
    reach : int
        Tokens before that of a mention which the table of tokens holds, too.
    annex : tuple of str
        Needs whose numbers lie in an annex.
    shuffled : bool
        Whether each answer is read beside the image of another, as a control.
    """

    evaluator: str
    captioners: tuple[str, ...]
    needs: tuple[str, ...]
    reach: int = 0
    annex: tuple[str, ...] = ()
    shuffled: bool = False


_PROBES = ("lookback", "hidden", "dhcp")
_OWN = (*_PROBES, "prompt_state:3/4", "svar", "vade", "pas", "nll", "entropy", "overthinking")
_GROUNDED = ("internal_confidence", "glsim", "contextual_lens")

CACHES: Mapping[str, Cache] = {
    # SHEEP: token features of answers, read by one evaluator
    "clover-reads-answers": Cache("clover", (), ("hallushift", "euq")),
    "clover-reads-answers-shuffled": Cache("clover", (), ("hallushift",), shuffled=True),
    # NAME-Bench: each captioner reads its own captions
    "clover-reads-clover": Cache("clover", ("clover",), _OWN, WINDOW - 1, _GROUNDED),
    "daisy-reads-daisy": Cache("daisy", ("daisy",), _OWN, WINDOW - 1, _GROUNDED),
    "fern-reads-fern": Cache("fern", ("fern",), _OWN, WINDOW - 1, _GROUNDED),
    "heather-reads-heather": Cache("heather", ("heather",), _OWN, WINDOW - 1, _GROUNDED),
    "thistle-reads-thistle": Cache("thistle", ("thistle",), _OWN, WINDOW - 1, _GROUNDED),
    # its table 10: the others read the captions of one
    "daisy-reads-clover": Cache("daisy", ("clover",), _PROBES),
    "fern-reads-clover": Cache("fern", ("clover",), _PROBES),
    "heather-reads-clover": Cache("heather", ("clover",), _PROBES),
    "thistle-reads-clover": Cache("thistle", ("clover",), _PROBES),
    # its table 7: a model that sees no image reads the captions of all
    "echo-reads-all": Cache("echo", ("clover", "daisy", "fern", "heather", "thistle"), ("hidden:mid@own",)),
}


def open_cache(name: str, directory: str | Path | None = None) -> FeatureStore:
    """Open a cache, without torch.

    Parameters
    ----------
    name : str
        Key of `CACHES`.
    directory : str or Path, optional
        Directory that holds the caches by name; that of the package if not given.

    Returns
    -------
    FeatureStore
        Its column `kept` says which tokens belong to mentions.

    Raises
    ------
    InputError
        If there is no such cache, or what is there is not whole.
    """
    if name not in CACHES:
        raise InputError(Problem("no such cache", f"Choose one of {', '.join(CACHES)}", value=name))
    home = (FEATURES if directory is None else Path(directory)) / name
    found = FeatureStore.find(home)
    if len(found) != 1:
        what = "more than one store where one is due" if found else f"no features {name}"
        raise InputError(Problem(what, f"Make them with `{MAKE}` in a checkout", path=home))
    if CACHES[name].annex:
        return Annexed(found[0].path, annex_of(home))
    return FeatureStore(found[0].path)


def choose_answers(items: pd.DataFrame) -> pd.DataFrame:
    """The answers of the meadow that a cache holds.

    Parameters
    ----------
    items : DataFrame
        Table `items` of `meadow.load()`.

    Returns
    -------
    DataFrame
        Some of its rows, in its order: of answers written by people those in their own language, and
        `SHARE` of the others, rounded up, in each split, strategy, language and model.
    """
    written = items["strategy"] == "human"
    own = written & (items["origin_language"] == items["language"]).fillna(False).astype(bool)
    chosen = set(items.index[own])
    for cell, part in items[~written].groupby(["split", "strategy", "language", "model"], sort=True):
        rng = generator(SEED, "caches", "answers", *cell)
        chosen.update(rng.choice(part.index, size=int(np.ceil(SHARE * len(part))), replace=False))
    return items[items.index.isin(chosen)]


def shuffle_images(items: pd.DataFrame) -> pd.DataFrame:
    """The same answers, each beside an image that it is not about.

    Parameters
    ----------
    items : DataFrame
        Table `items` with at least two images in each split.

    Returns
    -------
    DataFrame
        With other values of `image`: one for each image, of the same split, each used once.
    """
    others: dict[str, str] = {}
    for split, part in items.groupby("split", sort=True):
        images = generator(SEED, "caches", "shuffled", split).permutation(sorted(set(part["image"])))
        others |= dict(zip(images, np.roll(images, 1), strict=True))
    return items.assign(image=items["image"].map(others).astype(items["image"].dtype))


def choose_mentions(items: pd.DataFrame, mentions: pd.DataFrame) -> pd.DataFrame:
    """The mentions whose features a cache holds.

    Parameters
    ----------
    items, mentions : DataFrame
        Tables of `meadow.captions()`.

    Returns
    -------
    DataFrame
        Some rows of `mentions`, in its order: of each captioner at most `MENTIONS` of a status, which
        do not depend on what other captioners wrote. Subtypes take turns until there are enough.
    """
    writers = mentions["item"].map(items.set_index("item")["model"])
    chosen: set[int] = set()
    for (writer, status), part in mentions.groupby([writers, "status"], sort=True):
        rng = generator(SEED, "caches", writer, status)
        shuffled = part.iloc[rng.permutation(len(part))]
        turns = shuffled.groupby("subtype", dropna=False).cumcount().sort_values(kind="stable")
        chosen.update(turns.index[: MENTIONS[str(status)]])
    return mentions[mentions.index.isin(chosen)]


def mention_rows(store: FeatureStore, mentions: pd.DataFrame) -> pd.DataFrame:
    """Where the features of mentions stand.

    Parameters
    ----------
    store : FeatureStore
        Any whose column `kept` is true for tokens of mentions.
    mentions : DataFrame
        Table `mentions`.

    Returns
    -------
    DataFrame
        The rows of `mentions` of which the store has a token, in order, with a new index and four
        columns more: `first` and `last` are the rows, in arrays that have one for each kept token, of
        the mention's first and last token; `first_token` and `last_token` the rows in `tokens()`.
    """
    tokens = store.tokens(["kept"])
    kept = tokens[tokens["kept"].astype(bool)]
    kept = kept[["item", "start", "end"]].assign(token_row=kept.index, row=np.arange(len(kept)))
    numbered = mentions.reset_index(drop=True).rename_axis("place").reset_index()
    pairs = numbered.merge(kept, on="item", suffixes=("", "_token"))
    pairs = pairs[(pairs["start"] < pairs["end_token"]) & (pairs["start_token"] < pairs["end"])]
    rows = pairs.groupby("place").agg(
        first=("row", "min"),
        last=("row", "max"),
        first_token=("token_row", "min"),
        last_token=("token_row", "max"),
    )
    return numbered.drop(columns="place").join(rows, how="inner").reset_index(drop=True)

"""What models make up when they caption, what they miss, and whether they look: tables of numbers.

Columns are `model, quantity, language, type, value, low, high, n`: intervals are 95 % percentile
bootstraps over images. Captions are English; the type, which questions have, is missing.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from sheeplib.corpora.meadow.kinds import KINDS, SETTINGS
from sheeplib.corpora.meadow.mentions import mentions
from sheeplib.corpora.meadow.reading import read
from sheeplib.corpora.meadow.scenes import Scene, scene
from sheeplib.errors import InputError, Problem
from sheeplib.miniatures.census_rows import RESAMPLES, row, share, table

# Rates of captions: sums over captions, and what they are shares of.
RATES: Mapping[str, tuple[str, str]] = {
    "captions read whole": ("whole", "captions"),
    "characters read": ("read", "characters"),
    "hallucination rate": ("hallucinated", "asserted"),
    "object recall": ("recalled", "shown"),
    "mentions a caption": ("mentions", "captions"),
    "non-assertive share": ("non-assertive", "counted"),
    "hedged share": ("hedged", "counted"),
    "depictive share": ("depictive", "counted"),
    "purpose share": ("purpose", "counted"),
    "negation share": ("negation", "counted"),
    "excluded share": ("excluded", "mentions"),
}


def caption_rates(
    captions: pd.DataFrame,
    *,
    rates: Mapping[str, tuple[str, str]] = RATES,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> pd.DataFrame:
    """How models caption: what can be read, what they invent, miss, and name without asserting it.

    Parameters
    ----------
    captions : DataFrame
        Columns `model`, `scene` (seed, below 1,000,000) and `response`, in English.
    rates : mapping of str to (str, str)
        Quantities, each with the sums that it is the first of over the second; see `RATES`.
    seed, resamples : int
        Of the bootstrap.

    Returns
    -------
    DataFrame
        Those quantities. The hallucination rate is the share of asserted mentions whose object is
        not there; recall, the share of a scene's kinds that are asserted; hedged, depictive, purpose
        and negated mentions are counted among those that are not excluded.
    """
    tally = _tally(captions)
    rows = []
    for model, group in tally.groupby("model", sort=False):
        for quantity, columns in rates.items():
            sums = group[list(columns)].to_numpy()
            n = int(sums[:, 1].sum())
            about = (model, quantity, "en", pd.NA)
            rows.append(row(about, sums, group["scene"].to_numpy(), n, (seed, resamples)))
    return table(rows)


def cooccurrence(captions: pd.DataFrame, *, seed: int = 0, resamples: int = RESAMPLES) -> pd.DataFrame:
    """Whether what is invented is what is usual in the setting.

    Among the kinds that are absent from a scene, each has a share of the weight that its setting gives
    them all (`kinds.SETTINGS`). Whoever names absent kinds at random names one of mean share 1 over
    their number; whoever names them as often as they occur there, likelier ones. Some kinds are common
    everywhere. So the same kinds are weighed in all other settings, too: the kinds that are absent from
    the scene, with the shares of the weight that each of those settings would give them.

    Parameters
    ----------
    captions, seed, resamples
        As for `caption_rates`.

    Returns
    -------
    DataFrame
        Quantities `weight of inventions` (mean over hallucinated mentions), `weight at random`, `weight
        over random`, the first divided by the second: more than 1 if models follow what is usual;
        `weight elsewhere` (mean over the same mentions, of the mean over the other settings), and `weight
        over elsewhere`, the first divided by it: more than 1 if they follow the setting that they see,
        and not only what is common everywhere.
    """
    named = _mentions(captions)
    named = named[named["status"] == "hallucinated"]
    pairs = [(scene(seed), kind) for seed, kind in zip(named["scene"], named["concept"], strict=True)]
    named = named.assign(
        weight=[_share(about, about.setting, kind) for about, kind in pairs],
        elsewhere=[_elsewhere(about, kind) for about, kind in pairs],
        random=[1 / len(_absent(about)) for about, _ in pairs],
        n=1.0,
    )
    wanted = {
        "weight of inventions": ["weight", "n"],
        "weight at random": ["random", "n"],
        "weight over random": ["weight", "random"],
        "weight elsewhere": ["elsewhere", "n"],
        "weight over elsewhere": ["weight", "elsewhere"],
    }
    rows = []
    for model, group in named.groupby("model", sort=False):
        for quantity, columns in wanted.items():
            about, images = (model, quantity, "en", pd.NA), group["scene"].to_numpy()
            sums = group[columns].to_numpy(dtype=float)
            rows.append(row(about, sums, images, len(group), (seed, resamples)))
    return table(rows)


def shuffled_control(
    captions: pd.DataFrame, shuffled: pd.DataFrame, *, seed: int = 0, resamples: int = RESAMPLES
) -> pd.DataFrame:
    """Whether models look: how much more they invent if they are shown the picture of another scene.

    Parameters
    ----------
    captions, shuffled : DataFrame
        As for `caption_rates`: captions of the right picture, and of a wrong one. Both are judged
        against the scene that the right picture shows, and both must be of the same scenes.
    seed, resamples : int
        Of the bootstrap.

    Returns
    -------
    DataFrame
        Quantities `hallucination rate`, `hallucination rate, shuffled` and `rise`, the difference.

    Raises
    ------
    InputError
        If the scenes differ.
    """
    keys, counts = ["model", "scene"], ["hallucinated", "asserted"]
    both = _tally(captions)[keys + counts].merge(_tally(shuffled)[keys + counts], on=keys, how="outer")
    if both.isna().any(axis=None):
        what = "captions of right and of wrong pictures are not of the same scenes"
        raise InputError(Problem(what, "Caption the same scenes twice", field="shuffled"))
    wanted = {
        "hallucination rate": (share, "asserted_x"),
        "hallucination rate, shuffled": (lambda sums: share(sums[:, 2:]), "asserted_y"),
        "rise": (lambda sums: share(sums[:, 2:]) - share(sums), "asserted_y"),
    }
    rows = []
    for model, group in both.groupby("model", sort=False):
        sums, images = group.drop(columns=keys).to_numpy(dtype=float), group["scene"].to_numpy()
        for quantity, (statistic, count) in wanted.items():
            about, n = (model, quantity, "en", pd.NA), int(group[count].sum())
            rows.append(row(about, sums, images, n, (seed, resamples), statistic))
    return table(rows)


def _mentions(captions: pd.DataFrame) -> pd.DataFrame:
    """Table `mentions` with the model and scene of each; items are the places of the captions."""
    places = pd.Series(range(len(captions)), index=captions.index)
    texts = captions.assign(
        item=places.astype(str), language="en", image=captions["scene"].map("meadow-{:06d}".format)
    )
    named = mentions(texts)
    place = named["item"].astype(int)
    about = captions[["model", "scene"]].iloc[place].reset_index(drop=True)
    return named.assign(place=place).join(about)


def _tally(captions: pd.DataFrame) -> pd.DataFrame:
    """What each caption adds to the sums of `RATES`."""
    named = _mentions(captions)
    found = captions[["model", "scene"]].reset_index(drop=True).assign(captions=1)
    for name, column in (("status", "status"), ("subtype", "subtype")):
        counts = pd.crosstab(named["place"], named[name])
        for value in _VALUES[column]:
            found[value] = counts[value].reindex(found.index).fillna(0) if value in counts else 0
    found["asserted"] = found["concrete"] + found["hallucinated"]
    found["counted"] = found["asserted"] + found["non-assertive"]
    found["mentions"] = found["counted"] + found["excluded"]
    concrete = named[named["status"] == "concrete"]
    found["recalled"] = concrete.groupby("place")["concept"].nunique().reindex(found.index).fillna(0)
    found["shown"] = [len(scene(seed).kinds) for seed in captions["scene"]]
    unread = [sum(b - a for a, b in read(text, "en").unread) for text in captions["response"]]
    found["characters"] = captions["response"].str.len().to_numpy()
    found["read"] = found["characters"] - unread
    found["whole"] = [int(not lost) for lost in unread]
    return found.astype({name: float for name in found.columns[2:]})


_VALUES = {
    "status": ("concrete", "hallucinated", "non-assertive", "excluded"),
    "subtype": ("hedged", "depictive", "purpose", "negation"),
}


def _absent(about: Scene) -> list[str]:
    return [kind for kind in KINDS if kind not in about.kinds]


def _share(about: Scene, setting: str, kind: str) -> float:
    """The share of an absent kind in the weight that a setting gives all kinds absent from the scene."""
    weights = SETTINGS[setting]
    return weights.get(kind, 0.0) / sum(weights.get(other, 0.0) for other in _absent(about))


def _elsewhere(about: Scene, kind: str) -> float:
    """The mean share of an absent kind in the settings that are not the scene's."""
    others = [setting for setting in SETTINGS if setting != about.setting]
    return sum(_share(about, setting, kind) for setting in others) / len(others)

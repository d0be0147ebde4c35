"""What a corpus is made of: how many items, spans per annotation, kinds of mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

from sheeplib import resample, tables
from sheeplib.corpora import Corpus
from sheeplib.tables import Label

MANY = 5  # annotations with five spans or more are one class, as in SHEEP, Figure 2


def available(corpus: Corpus, columns: str | Sequence[str]) -> list[str]:
    """Those columns of `items` that the corpus fills in, for at least some items."""
    names = [columns] if isinstance(columns, str) else list(dict.fromkeys(columns))
    return [name for name in names if name in corpus.items and corpus.items[name].notna().any()]


def labelled(corpus: Corpus) -> Corpus:
    """The items that annotators, or a release's labels, speak about: unmarked is not unlabelled."""
    if "labels" in corpus.lacks:
        return corpus.select(pd.Series(False, index=corpus.items.index))
    return corpus.select(corpus.items["labelled"]) if "labelled" in corpus.items else corpus


def item_counts(corpus: Corpus, by: str | Sequence[str]) -> pd.DataFrame:
    """Number of items by groups, as a table `results` with quantity `items`.

    Items that lack a value of a column in `by` are in no group.

    Source
    ------
    SHEEP, Figure 2 (top).
    """
    by = available(corpus, by)
    sizes = (
        corpus.items.groupby(by, sort=True, observed=True).size()
        if by
        else pd.Series({"": len(corpus.items)})
    )
    counts = sizes.rename("value").reset_index()[[*by, "value"]]
    counts = counts.assign(quantity="items", n=counts["value"], low=np.nan, high=np.nan)
    return _as_results(counts, by, corpus)


def spans_per_rating(corpus: Corpus) -> pd.DataFrame:
    """Number of spans that each annotator marked in each item.

    Returns
    -------
    DataFrame
        One row a rating: `item` and `spans`, as text: "0" to "4" and "5+".

    Source
    ------
    SHEEP, Figure 2 (bottom).
    """
    ratings = pd.MultiIndex.from_frame(corpus.ratings[["item", "annotator"]])
    sizes = corpus.spans.groupby(["item", "annotator"]).size().reindex(ratings, fill_value=0)
    shown = [f"{MANY}+" if size >= MANY else str(size) for size in sizes]
    return pd.DataFrame({"item": corpus.ratings["item"].to_numpy(), "spans": shown})


def labels_per_item(corpus: Corpus) -> pd.DataFrame:
    """Labels that at least one annotator gave within an item; F (none) where nobody marked anything.

    Items without known labels are left out; so do the shares with `labelled`.

    Returns
    -------
    DataFrame
        Columns `item, label`: one row for each item and label, and one (F) for an unmarked item.
    """
    corpus = labelled(corpus)
    given = corpus.labels.loc[corpus.labels["prob"] > 0, ["item", "label"]].drop_duplicates()
    unmarked = corpus.items.loc[~corpus.items["item"].isin(given["item"]), ["item"]]
    none = unmarked.assign(label=str(Label.NONE)).astype({"label": tables.TEXT})
    return pd.concat([given, none], ignore_index=True)


def shares(
    corpus: Corpus,
    observed: pd.DataFrame,
    of: str,
    by: str | Sequence[str] = (),
    *,
    quantity: str,
    per: Literal["row", "item"] = "row",
    resamples: int = 2000,
    seed: int = 2026,
) -> pd.DataFrame:
    """How often each value occurs, by groups of items, with bootstrap intervals over items.

    Parameters
    ----------
    corpus : Corpus
    observed : DataFrame
        Columns `item` and `of`, any number of rows an item.
    of : str
        Column whose values are counted; it becomes a group of the results.
    by : str or sequence of str
        Columns of `items`; those that the corpus does not fill in are left out, and items that lack
        one of the values are in no group.
    quantity : str
        Name of the quantity in the results.
    per : {"row", "item"}
        Whether shares are of all rows (they add up to 1) or of items (they may add up to more).
    resamples, seed : int
        Rows of one item are drawn together.

    Returns
    -------
    DataFrame
        Table `results`; `n` is the number of rows or items that the share is of.
    """
    by = available(corpus, by)
    values = sorted(observed[of].dropna().unique())
    items = corpus.items
    counts = pd.crosstab(observed["item"], observed[of]).reindex(
        index=items["item"], columns=values, fill_value=0
    )
    counts = counts.to_numpy(dtype=float)
    rows = []
    groups = items.groupby(by, sort=True, observed=True).indices if by else {(): np.arange(len(items))}
    for key, members in groups.items():
        group = dict(zip(by, key if isinstance(key, tuple) else (key,), strict=True))
        part = counts[members]
        whole = part.sum(axis=1) if per == "row" else np.ones(len(members))
        units = np.column_stack([part, whole])
        rng = resample.generator(
            seed, quantity, *(f"{name}={value}" for name, value in sorted(group.items()))
        )
        drawn = resample.resample(units, _share, resamples, rng)
        point = _share(units.sum(axis=0))
        for place, value in enumerate(values):
            found = resample.interval(drawn[:, place])
            rows.append(
                group
                | {
                    of: value,
                    "quantity": quantity,
                    "value": point[place],
                    "low": found.low,
                    "high": found.high,
                }
                | {"n": int(whole.sum())}
            )
    columns = [*by, of, "quantity", "value", "low", "high", "n"]
    return _as_results(pd.DataFrame(rows, columns=columns), [*by, of], corpus).assign(seed=seed)


def _share(sums: np.ndarray) -> np.ndarray:
    whole = sums[..., -1:]
    return np.divide(sums[..., :-1], whole, out=np.full(sums[..., :-1].shape, np.nan), where=whole > 0)


def _as_results(frame: pd.DataFrame, groups: Sequence[str], corpus: Corpus) -> pd.DataFrame:
    frame = frame.assign(corpus=corpus.name, seed=pd.NA, notebook=pd.NA)
    frame = frame.astype(dict.fromkeys(groups, "string"))
    return tables.validate("results", frame)

"""What printed scores of tokens imply of the data that they were computed from."""

from __future__ import annotations

import pandas as pd


def implied(printed: pd.DataFrame) -> pd.DataFrame:
    """What printed accuracy, precision and recall say of the data that they were computed from.

    Three numbers leave one unknown of a table of two by two, its size: so the share of marked tokens
    follows, and with it what flagging everything would have reached.

    Parameters
    ----------
    printed : DataFrame
        A printed table, such as `published("sheep", 13)`.

    Returns
    -------
    DataFrame
        For each group that has all three, in order, its columns and: `marked`, share of tokens marked;
        `flagged`, share flagged; `f1`, as it follows from precision and recall; `f1_everything`, F1 of
        flagging every token; and `lift`, precision divided by the share marked: 1 for flags at random.

    Notes
    -----
    With p the share marked, R recall, P precision: hits are R p, false alarms R p (1 - P) / P, misses
    (1 - R) p; and false alarms and misses together are 1 - accuracy.
    """
    numbers = {"paper", "table", "quantity", "value", "half_width", "low", "high"}
    groups = [name for name in printed.columns if name not in numbers]
    wide = printed.pivot_table(
        index=groups, columns="quantity", values="value", dropna=False, sort=False, observed=True
    )
    wide = wide.reindex(columns=["accuracy", "precision", "recall"]).dropna().reset_index()
    precision, recall = wide["precision"], wide["recall"]
    marked = (1 - wide["accuracy"]) / (recall * (1 - precision) / precision + 1 - recall)
    return wide[groups].assign(
        marked=marked,
        flagged=marked * recall / precision,
        f1=2 * precision * recall / (precision + recall),
        f1_everything=2 * marked / (1 + marked),
        lift=precision / marked,
    )

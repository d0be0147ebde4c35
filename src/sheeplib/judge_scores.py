"""How often is a judge right? Its letters against what annotators gave, by language and origin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sheeplib import resample, tables
from sheeplib.agreement import check_column
from sheeplib.corpora import Corpus
from sheeplib.errors import InputError, Problem
from sheeplib.judge_gold import LETTERS, Given, given_labels
from sheeplib.judge_letters import judges as named_judges
from sheeplib.judge_letters import long_letters
from sheeplib.judge_metrics import COLUMNS, INVALID, QUANTITIES, RIGHT, N, Rules, contributions, metrics
from sheeplib.ratings import UNKNOWN

ALL = "all"
STRATEGIES, SPLITS = ("random", "human"), ("test",)
NO_JUDGE = "no letters of a judge are at hand: ask one with `sheep judge`"
_NO_LETTERS = "the judge gave none of these items a letter"
_NO_GOLD = (
    "which label most annotators gave first is not known of {} items: this needs the annotators themselves"
)


@dataclass(frozen=True)
class Judged:
    """Items that judges labelled, and what each adds to the sums that scores are made of.

    Parameters
    ----------
    items : DataFrame
        Rows of table `items` with one more column, `origin`: `human`, or the model that wrote the answer;
        missing where the corpus does not say.
    judges : list of str
    asked, untold, ungold : ndarray of bool, shape (judges, items)
        Whether a judge was asked about an item; whether it cannot be told if the letter is right; whether
        no gold label is known.
    units : ndarray, shape (judges, items, 21)
        What each item adds; see `judge_metrics.contributions`. Zeros where a judge was not asked.
    rules : Rules
    """

    items: pd.DataFrame
    judges: list[str]
    asked: np.ndarray
    untold: np.ndarray
    ungold: np.ndarray
    units: np.ndarray
    rules: Rules


def judged(
    corpus: Corpus,
    letters: pd.DataFrame,
    *,
    judges: Sequence[str] | None = None,
    strategies: Sequence[str] | None = STRATEGIES,
    splits: Sequence[str] | None = SPLITS,
    rules: Rules | None = None,
) -> Judged:
    """Bring a corpus and judges' letters together.

    Parameters
    ----------
    corpus : Corpus
    letters : DataFrame
        In either form of `judge_letters.long_letters`. Letters for items that are not in the corpus are
        left out.
    judges : sequence of str, optional
        All if not given.
    strategies, splits : sequence of str, optional
        Items that enter; None for all. By default those of strategies `random` and `human` in the split
        `test`: the printed accuracies of the paper need about a sixth of its random items, which fits no
        other part of the data that the paper speaks of (inferred; see `judge_selection`). A corpus that
        does not say how its items were chosen enters with all strategies.
    rules : Rules, optional

    Returns
    -------
    Judged

    Raises
    ------
    InputError
        If a judge is unknown, or the letters are not what they should be.

    Source
    ------
    SHEEP 5.2, label assessment: the judge labels items of the random and the human-written data.
    """
    rules = rules or Rules()
    long = long_letters(letters)
    known = named_judges(long)
    chosen = known if judges is None else list(dict.fromkeys(judges))
    if unknown := [name for name in chosen if name not in known]:
        remedy = f"Known: {', '.join(known)}"
        raise InputError(Problem("no letters of this judge", remedy, field="judges", value=unknown[0]))
    rows = corpus.items
    enters = np.ones(len(rows), dtype=bool)
    for column, wanted in {"strategy": strategies, "split": splits}.items():
        if wanted is not None and rows[column].notna().any():
            enters &= rows[column].isin(list(wanted)).to_numpy()
    given = given_labels(corpus, rules.labels)
    origin = rows["model"].where(rows["strategy"].fillna("") != "human", "human")
    items = rows.assign(origin=origin)[enters].reset_index(drop=True)
    part = Given(given.given[enters], given.known[enters], given.majority[enters])
    found = [_of_judge(long[long["judge"] == name], items, part, rules) for name in chosen]
    shape = (len(chosen), 3, len(items))
    masks = np.array([one[:3] for one in found], dtype=bool).reshape(shape)
    units = np.array([one[3] for one in found], dtype=float).reshape(len(chosen), len(items), COLUMNS)
    return Judged(items, chosen, masks[:, 0], masks[:, 1], masks[:, 2], units, rules)


def _of_judge(
    letters: pd.DataFrame, items: pd.DataFrame, given: Given, rules: Rules
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Masks and contributions of one judge."""
    by_item = letters.set_index("item")["letter"]
    asked = items["item"].isin(by_item.index).to_numpy() & given.known.any(axis=1)
    said = pd.Index(LETTERS).get_indexer(items["item"].map(by_item).astype("object"))  # or UNKNOWN: none
    rows, valid = np.arange(len(items)), said != UNKNOWN
    right = valid & given.given[rows, said]
    untold = asked & valid & ~given.known[rows, said]
    gold = np.where(right, said, given.majority) if rules.gold == "effective" else given.majority
    ungold = asked & ((gold == UNKNOWN) | (untold if rules.gold == "effective" else False))
    return asked, untold, ungold, contributions(said, right, gold) * asked[:, None]


def cells(found: Judged, by_language: bool = True) -> Iterator[tuple[str, str | None, np.ndarray]]:
    """Language (`all` first), origin (`human` first, None where it is unknown) and members of each group."""
    codes, known = pd.factorize(found.items["origin"], sort=True)
    order = sorted(range(len(known)), key=lambda code: known[code] != "human")
    language = found.items["language"]
    for spoken in (ALL, *sorted(language.dropna().unique())) if by_language else (ALL,):
        here = (
            np.full(len(language), True)
            if spoken == ALL
            else language.eq(spoken).to_numpy(bool, na_value=False)
        )
        for code in (*order, -1) if (codes < 0).any() else order:
            yield spoken, None if code < 0 else str(known[code]), np.flatnonzero(here & (codes == code))


def judge_scores(
    corpus: Corpus,
    letters: pd.DataFrame,
    *,
    judges: Sequence[str] | None = None,
    strategies: Sequence[str] | None = STRATEGIES,
    splits: Sequence[str] | None = SPLITS,
    rules: Rules | None = None,
    by_language: bool = True,
    cluster: str | None = None,
    resamples: int = 2000,
    seed: int = 2026,
) -> pd.DataFrame:
    """Scores of judges by language and origin, with bootstrap intervals over items.

    Parameters
    ----------
    corpus, letters, judges, strategies, splits, rules
        See `judged`.
    by_language : bool
        Whether there are rows for each language, beside those for all of them together.
    cluster : str, optional
        Column of `items` whose equal values are drawn together, such as `image` or `parallel`.
    resamples, seed : int
        A group's interval depends on the seed and the group alone. In each resample, as in the sample,
        `Rules.classes` counts the labels that occur there.

    Returns
    -------
    DataFrame
        Table `results`: `quantity` (of `QUANTITIES`), `judge`, `language` (or `all`), `origin`, the value
        with its interval, `n` items, `resamples`, and `reason`: why a value is missing. Where a release
        has no annotators, accuracy may still be known to lie between two numbers, which `reason` gives.

    Raises
    ------
    InputError
        As `judged`; or if the column `cluster` is unknown or empty.

    Source
    ------
    SHEEP 5.2, Table 4; appendix C.2, Table 11.
    """
    if cluster:
        check_column(corpus, cluster)
    if "kinds" in corpus.lacks:
        return _nothing(corpus, corpus.lacks["kinds"], seed)
    if "labels" in corpus.lacks:
        return _nothing(corpus, corpus.lacks["labels"], seed)
    found = judged(corpus, letters, judges=judges, strategies=strategies, splits=splits, rules=rules)
    rows = []
    for place, judge in enumerate(found.judges):
        for language, origin, members in cells(found, by_language):
            rng = resample.generator(seed, "judge_scores", judge, language, origin)
            group = {"judge": judge, "language": language, "origin": origin}
            rows += [group | row for row in _rows(found, place, members, resamples, rng, cluster)]
    if not found.judges:
        return _nothing(corpus, NO_JUDGE, seed)
    if not rows:
        chosen = [", ".join(wanted) for wanted in (strategies, splits) if wanted is not None]
        return _nothing(corpus, f"{corpus.name} has no items of these: {'; '.join(chosen)}", seed)
    return _results(pd.DataFrame(rows), corpus, seed)


def _rows(
    found: Judged, judge: int, members: np.ndarray, n_resamples: int, rng: np.random.Generator,
    cluster: str | None,
) -> Iterator[dict[str, object]]:  # fmt: skip
    """One row a quantity, for the items of one group that the judge was asked about."""
    members = members[found.asked[judge, members]]
    units = found.units[judge, members]
    sums = units.sum(axis=0)
    if sums[N] == sums[INVALID]:  # asked about nothing, or silent throughout: not a score of 0
        yield from ({"quantity": name, "n": 0, "reason": _NO_LETTERS} for name in QUANTITIES)
        return
    untold, ungold = int(found.untold[judge, members].sum()), int(found.ungold[judge, members].sum())
    why = dict.fromkeys(("precision", "recall", "f1"), _NO_GOLD.format(ungold) if ungold else "")
    why |= {"accuracy": _bounds(sums, untold) if untold else ""}
    clusters = found.items[cluster].iloc[members].to_numpy() if cluster else None
    point = metrics(sums, found.rules)
    drawn = resample.resample(units, lambda s: metrics(s, found.rules), n_resamples, rng, clusters)
    for column, name in enumerate(QUANTITIES):
        row: dict[str, object] = {"quantity": name, "n": len(members)}
        if reason := why.get(name):
            yield row | {"reason": reason}
        else:
            interval = resample.interval(drawn[:, column])
            numbers = {"value": point[column], "low": interval.low, "high": interval.high}
            yield row | numbers | {"resamples": n_resamples, "reason": pd.NA}


def _bounds(sums: np.ndarray, untold: int) -> str:
    low, high = sums[RIGHT] / sums[N], (sums[RIGHT] + untold) / sums[N]
    return (
        f"of {untold} items with letter F this release does not tell whether some annotator marked nothing; "
        f"the accuracy lies between {low:.3f} and {high:.3f}"
    )


def _nothing(corpus: Corpus, reason: str, seed: int) -> pd.DataFrame:
    """A row without value for each quantity."""
    rows = [{"quantity": name, "language": ALL, "n": 0, "reason": reason} for name in QUANTITIES]
    return _results(pd.DataFrame(rows), corpus, seed)


_SHOWN = ("quantity", "judge", "language", "origin", "value", "low", "high", "n", "resamples", "reason")


def _results(frame: pd.DataFrame, corpus: Corpus, seed: int) -> pd.DataFrame:
    frame = frame.reindex(columns=list(_SHOWN)).assign(corpus=corpus.name, seed=seed, notebook=pd.NA)
    text = dict.fromkeys(("judge", "language", "origin", "reason"), "string")
    return tables.validate("results", frame.astype(text | {"resamples": "Int64"}))

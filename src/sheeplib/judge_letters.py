"""Letters that judges gave to items: the tables that hold them, and their files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from sheeplib.composition import shares
from sheeplib.corpora import Corpus
from sheeplib.errors import InputError, Problem
from sheeplib.jsonl import read_jsonl
from sheeplib.tables import TEXT, Label, validate

LONG = ("item", "judge", "letter")
LETTERS = tuple(str(label) for label in Label)


def long_letters(letters: pd.DataFrame, path: str | Path | None = None) -> pd.DataFrame:
    """Letters as one row for each item and judge, checked.

    Parameters
    ----------
    letters : DataFrame
        Either `item` and one column of letters a judge, as `meadow.letters` gives them; or `item, judge,
        letter`, where other columns are left out, as `sheep judge` writes them.
    path : optional
        File to name in messages.

    Returns
    -------
    DataFrame
        Columns `item, judge, letter`. A missing letter says that the judge was asked and named no label;
        items that a judge was not asked about are not among its rows.

    Raises
    ------
    InputError
        Naming rows: a column is missing, an item or a judge has no name, a letter is none, or a judge gave
        an item two letters.
    """
    if "item" not in letters or len(letters.columns) < 2:
        remedy = "Give 'item' and one column a judge, or 'item', 'judge' and 'letter'"
        raise InputError(Problem("not a table of letters", remedy, path=path, value=list(letters.columns)))
    if {"judge", "letter"} <= set(letters.columns):
        found = letters[list(LONG)].reset_index(drop=True)
    else:
        found = letters.melt(id_vars="item", var_name="judge", value_name="letter")
    found = found.astype("object").astype(dict.fromkeys(LONG, TEXT))
    found["letter"] = found["letter"].replace("", pd.NA)
    wrong = {
        "item": (found["item"].isna(), "an item without a name"),
        "judge": (found["judge"].isna(), "a judge without a name"),
        "letter": (found["letter"].notna() & ~found["letter"].isin(LETTERS), "not a letter from A to F"),
        "item, judge": (found.duplicated(["item", "judge"]), "two letters of one judge for one item"),
    }
    remedy = "Leave a letter empty where the judge named no label"
    problems = [
        Problem(f"row {row}: {what}", remedy, path=path, field=field, value=found.loc[row, "letter"])
        for field, (rows, what) in wrong.items()
        for row in found.index[rows.astype(bool)]
    ]
    if problems:
        raise InputError(problems)
    return found


def read_letters(paths: str | Path | Sequence[str | Path]) -> pd.DataFrame:
    """Letters from one file or several.

    Parameters
    ----------
    paths : path or sequence of paths
        JSON Lines, CSV (UTF-8) or Parquet, told by the ending, in either form that `long_letters` takes.

    Returns
    -------
    DataFrame
        As `long_letters`; the files' rows one after the other.

    Raises
    ------
    InputError
        If a file cannot be read or is no table of letters, or two files hold one judge's letter for one item.
    """
    paths = [paths] if isinstance(paths, str | Path) else list(paths)
    if not paths:
        raise InputError(Problem("no file of letters", "Give one that `sheep judge` wrote"))
    parts = [long_letters(_read(Path(path)), path) for path in paths]
    return long_letters(pd.concat(parts, ignore_index=True), paths[0] if len(paths) == 1 else None)


def letters_for(
    corpus: str, paths: Sequence[str | Path] = (), directory: str | Path | None = None
) -> pd.DataFrame:
    """Letters for the items of a corpus: from files, or those that come with it.

    Parameters
    ----------
    corpus : str
        Name of the corpus.
    paths : sequence of paths
        Files of letters; see `read_letters`.
    directory : path, optional
        What the corpus was loaded from.

    Returns
    -------
    DataFrame
        As `long_letters`; without rows where there are no files and the corpus comes without letters, as
        all do but the meadow.

    Raises
    ------
    InputError
        As `read_letters`, or as `meadow.letters`.
    """
    if paths:
        return read_letters(paths)
    if corpus == "meadow":
        from sheeplib.corpora import meadow  # draws nothing, but reads a grammar that others do not need

        if directory or meadow.pool.answers() is not None or meadow.pool.letters() is not None:
            return long_letters(meadow.letters(directory=directory))
    return long_letters(pd.DataFrame(columns=list(LONG)))


def judges(letters: pd.DataFrame) -> list[str]:
    """Names of the judges in a long table of letters, in their order there."""
    return list(dict.fromkeys(letters["judge"]))


def preselecting_judge(corpus: Corpus, letters: pd.DataFrame) -> str | None:
    """The judge whose letters chose the items of strategy `map`; None if it is none of these.

    Parameters
    ----------
    corpus : Corpus
    letters : DataFrame
        Long table of letters.
    """
    chosen = corpus.items[(corpus.items["strategy"] == "map").fillna(False)]
    expected = chosen.set_index("item")["prelabel"].dropna()
    if expected.empty:
        return None
    for judge in judges(letters):
        said = letters[letters["judge"] == judge].set_index("item")["letter"].reindex(expected.index)
        if (said == expected).fillna(False).all():
            return judge
    return None


def letter_shares(
    corpus: Corpus,
    letters: pd.DataFrame,
    judge: str,
    by: Sequence[str] = ("model", "language"),
    *,
    resamples: int = 2000,
    seed: int = 2026,
) -> pd.DataFrame:
    """How often a judge gives each letter, by groups of items, with bootstrap intervals over items.

    Parameters
    ----------
    corpus : Corpus
        Its items that the judge was asked about count; to see what models write, select those chosen at
        random.
    letters : DataFrame
        Long table of letters.
    judge : str
    by : sequence of str
        Columns of `items`; those that the corpus does not fill in are left out.
    resamples, seed : int

    Returns
    -------
    DataFrame
        Table `results`: quantity `letter_share` by `letter` and the groups. The shares of a group add up to
        1; answers without a letter are left out.

    Source
    ------
    SHEEP, appendix C.2, Figure 14.
    """
    said = letters[(letters["judge"] == judge) & letters["letter"].notna()][["item", "letter"]]
    part = corpus.select(corpus.items["item"].isin(said["item"]))
    said = said[said["item"].isin(part.items["item"])]
    quantity = "letter_share"
    found = shares(part, said, "letter", by, quantity=quantity, resamples=resamples, seed=seed)
    never = pd.DataFrame({"letter": sorted(set(LETTERS) - set(found["letter"]))}, dtype=TEXT)
    kept = [name for name in found if name not in ("letter", "value", "low", "high")]
    zeros = found[kept].drop_duplicates().merge(never, how="cross").assign(value=0.0, low=0.0, high=0.0)
    return validate("results", pd.concat([found, zeros], ignore_index=True)) if len(zeros) else found


def _read(path: Path) -> pd.DataFrame:
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        remedy = f"Known endings: {', '.join(_READERS)}"
        raise InputError(Problem("not a table of letters by its name", remedy, path=path))
    return reader(path)


def _jsonl(path: Path) -> pd.DataFrame:
    return pd.DataFrame([record for _, record in read_jsonl(path)])


def _csv(path: Path) -> pd.DataFrame:
    try:
        return pd.read_csv(path, dtype=TEXT, keep_default_na=False, na_values=[""], encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise InputError(Problem(f"not a CSV file: {error}", "Save it as CSV in UTF-8", path=path)) from None


def _parquet(path: Path) -> pd.DataFrame:
    try:
        return pd.read_parquet(path)
    except ImportError:
        raise InputError(Problem("Parquet needs pyarrow", "pip install pyarrow", path=path)) from None
    except Exception as error:  # pyarrow raises many kinds
        what = f"not a readable Parquet file: {type(error).__name__}"
        raise InputError(Problem(what, "Write it again", path=path)) from None


_READERS: Mapping[str, Callable[[Path], pd.DataFrame]] = {
    ".jsonl": _jsonl,
    ".csv": _csv,
    ".parquet": _parquet,
}

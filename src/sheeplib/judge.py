"""A judge's letters: reading them out of its answers, and choosing answers for annotators by them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from sheeplib.errors import InputError, Problem
from sheeplib.tables import OFFICIAL_NAMES, Label

# Latin letters, digits and apostrophes make a letter part of a word, as in "C’est"; Chinese signs do not.
_LATIN = "A-Za-zÀ-ÖØ-öø-ɏ0-9_"
_WITHIN = f"{_LATIN}'’"
# "A dog ..." and the Italian "E un cane ..." begin with a word, not with a label.
_LETTER = re.compile(rf"(?<![{_WITHIN}])([A-F])(?![{_WITHIN}])(?!(?<=[AE]) [a-zà-öø-ÿ])")
_MARKUP = re.compile(r"[*`#]+|(?<!\w)_+|_+(?!\w)")
_NAMES: Mapping[str, Label] = {name.casefold(): label for label, name in OFFICIAL_NAMES.items()}
_NAME = re.compile(rf"(?<![{_LATIN}])(mischaracterisation|{'|'.join(_NAMES)})(?![{_LATIN}])")


def parse_letter(text: str) -> Label | None:
    """The label in what a judge answered.

    Parameters
    ----------
    text : str
        Asked for one letter alone; judges add Markdown, brackets or a sentence, or give the name.

    Returns
    -------
    Label or None
        The only letter there is, in either case; else the first capital A to F that stands alone and
        is no word; else the first name of a label; else None, which counts as wrong.

    Source
    ------
    SHEEP, appendix B.2 asks for the letter. How it is read is inferred.
    """
    plain = _MARKUP.sub("", unicodedata.normalize("NFKC", text)).strip()
    letters = [sign for sign in plain if sign.isalnum()]
    if len(letters) == 1 and letters[0].upper() in _LETTERS:
        return Label(letters[0].upper())
    if found := _LETTER.search(plain):
        return Label(found.group(1))
    if named := _NAME.search(plain.casefold()):
        return _NAMES[named.group().replace("isation", "ization")]
    return None


_LETTERS = frozenset(str(label) for label in Label)


def select_random(
    pool: pd.DataFrame,
    per_cell: int,
    rng: np.random.Generator,
    by: Sequence[str] = ("language", "model"),
    even: str | None = None,
) -> pd.DataFrame:
    """Choose the same number of answers from every cell, each answer of a cell alike.

    Parameters
    ----------
    pool : DataFrame
        One row an answer, with the columns `by`.
    per_cell : int
        Answers wanted of each combination of values that occurs.
    rng : numpy.random.Generator
    by : sequence of str
    even : str, optional
        Column without gaps, such as the split, from each value of which as many answers of a cell are
        chosen, as far as there are so many.

    Returns
    -------
    DataFrame
        Rows of the pool, in its order and with its index.

    Raises
    ------
    InputError
        If a column is missing, the number is negative, or a cell holds fewer answers.

    Source
    ------
    SHEEP, section 4: 460 for each language and model.
    """
    _check(pool, (*by, even) if even else by, per_cell, "per_cell")
    codes = pd.factorize(pool[even], sort=True)[0] if even else np.zeros(len(pool), dtype=int)
    chosen: list[int] = []
    short = []
    for cell, places in pool.groupby(list(by), sort=True, observed=True).indices.items():
        if len(places) < per_cell:
            values = cell if isinstance(cell, tuple) else (cell,)
            short.append(_too_few(dict(zip(by, values, strict=True)), len(places), per_cell))
        else:
            groups = [places[codes[places] == code] for code in np.unique(codes[places])]
            chosen += _evenly(groups, per_cell, rng)
    if short:
        raise InputError(short)
    return pool.iloc[sorted(chosen)]


def select_map(
    pool: pd.DataFrame,
    per_language: int,
    rng: np.random.Generator,
    letter: str = "judge",
    keep: str = "CD",
    fill: str = "AB",
) -> pd.DataFrame:
    """Choose answers that a judge takes for wrong: model-assisted pre-selection, MAP.

    Parameters
    ----------
    pool : DataFrame
        One row an answer, with `language` and the judge's letters.
    per_language : int
        Answers wanted of each language.
    rng : numpy.random.Generator
    letter : str
        Column of the judge's letters, A to F; where one is missing, the answer is never chosen.
    keep : str
        Letters of which every answer is chosen.
    fill : str
        Letters from which the rest is drawn, as evenly as their numbers allow.

    Returns
    -------
    DataFrame
        Rows of the pool, in its order and with its index; fewer than wanted for a language whose
        answers with these letters are fewer.

    Raises
    ------
    InputError
        If a column is missing, the number is negative, or a letter is wanted that is none.

    Notes
    -----
    The paper says that every answer with letter C or D was taken and the rest drawn from A and B, as
    balanced as possible. It does not say the following, which is inferred here:

    - *balanced* is about what is drawn, A against B; how many C and D there are does not matter;
    - where one letter of `fill` has too few answers, the other makes up for them;
    - where C and D are more than are wanted, they are drawn as evenly as possible, and no A or B;
    - where all four are too few, no E or F is taken in their place;
    - models are not balanced: a model with more mistakes, in the judge's eyes, gets more answers;
    - several answers to one question, from several seeds, may be chosen.

    Whether answers that were chosen at random may be chosen here again is not said either: leave them
    out of the pool if they may not.

    Source
    ------
    SHEEP, section 4: 2,300 a language.
    """
    _check(pool, ("language", letter), per_language, "per_language")
    wanted = [*keep, *fill]
    if set(wanted) - _LETTERS or len(set(wanted)) < len(wanted):
        remedy = "Use letters A to F, each once"
        raise InputError(Problem("no such labels", remedy, field="keep, fill", value=keep + fill))
    letters = pool[letter].astype("string")
    chosen: list[int] = []
    for _, places in pool.groupby("language", sort=True, observed=True).indices.items():
        here = letters.iloc[places]
        groups = {sign: places[(here == sign).fillna(False).to_numpy(dtype=bool)] for sign in wanted}
        kept = _evenly([groups[sign] for sign in keep], per_language, rng)
        chosen += kept
        chosen += _evenly([groups[sign] for sign in fill], per_language - len(kept), rng)
    return pool.iloc[sorted(chosen)]


def _evenly(groups: Sequence[np.ndarray], wanted: int, rng: np.random.Generator) -> list[int]:
    """Draw so many from all groups together, from each as many as from the others, if it has them."""
    chosen: list[int] = []
    for rank, places in enumerate(sorted(groups, key=len)):  # what a small one lacks, the larger ones give
        share = min(len(places), (wanted - len(chosen)) // (len(groups) - rank))
        chosen += rng.choice(places, share, replace=False).tolist()
    return chosen


def _check(pool: pd.DataFrame, columns: Sequence[str], number: int, field: str) -> None:
    problems = [
        Problem(f"the pool has no column '{column}'", f"It has: {', '.join(map(str, pool.columns))}")
        for column in columns
        if column not in pool
    ]
    if number < 0:
        problems.append(Problem("out of range", "Choose 0 or a positive number", field=field, value=number))
    if problems:
        raise InputError(problems)


def _too_few(cell: Mapping[str, object], there: int, wanted: int) -> Problem:
    where = ", ".join(f"{name} {value}" for name, value in cell.items())
    what = f"{where}: {there} answers, of which {wanted} were to be chosen"
    return Problem(what, f"Choose {there} at most", field="per_cell", value=wanted)

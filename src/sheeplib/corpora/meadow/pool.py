"""Answers and captions by the meadow's miniature models, as files: read, checked, never half.

`answers.parquet` holds answers to questions with the letters that judges gave them, `captions.parquet`
English captions, `letters.parquet` the judges' letters for the written items of the corpus as it is loaded
by default. All come with the package and are made again by the training of the models.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd
from pandas.api.types import is_integer_dtype

from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.writers import SCENES
from sheeplib.errors import InputError, Problem
from sheeplib.tables import TEXT, WHOLE, Label

DATA = Path(__file__).parent / "data"
ANSWERS, CAPTIONS, LETTERS = "answers.parquet", "captions.parquet", "letters.parquet"
JUDGE = "judge"  # the column of the judge that pre-selects
AGAIN = "Install the package again, or make the data again"

_ANSWERS: Mapping[str, str] = {
    "model": "text", "language": "text", "scene": "number", "question": "number", "source": "text",
    "prompt": "text", "seed": "number", "response": "text", "finish": "text", JUDGE: "letter",
}  # fmt: skip
_CAPTIONS: Mapping[str, str] = {"model": "text", "scene": "number", "response": "text", "finish": "text"}
_ANSWER_KEY = ("model", "language", "scene", "question", "seed")
_CAPTION_KEY = ("model", "scene")
_JUDGED = frozenset({ANSWERS, LETTERS})  # where all further columns are letters, one for each judge


def answers(directory: str | Path | None = None) -> pd.DataFrame | None:
    """Read the answers of the miniature models.

    Parameters
    ----------
    directory : str or Path, optional
        Directory with `answers.parquet`; that of the package if not given.

    Returns
    -------
    DataFrame or None
        Columns `model, language, scene, question, source, prompt, seed, response, finish` (`eos`, or
        `length` where the answer was cut) and one of letters A to F for each judge, among them
        `judge`; a letter is missing where a judge gave none. None if the package comes without.

    Raises
    ------
    InputError
        If a directory is given that has no such file, or the file is not what it should be.
    """
    return _read(ANSWERS, directory, _ANSWERS, _ANSWER_KEY)


def captions(directory: str | Path | None = None) -> pd.DataFrame | None:
    """Read the English captions of the miniature models.

    Parameters
    ----------
    directory : str or Path, optional
        Directory with `captions.parquet`; that of the package if not given.

    Returns
    -------
    DataFrame or None
        Columns `model, scene, response, finish`. None if the package comes without.

    Raises
    ------
    InputError
        As `answers`.
    """
    return _read(CAPTIONS, directory, _CAPTIONS, _CAPTION_KEY)


def letters(directory: str | Path | None = None) -> pd.DataFrame | None:
    """Read the letters that judges gave the written items of the corpus as it is loaded by default.

    Parameters
    ----------
    directory : str or Path, optional
        Directory with `letters.parquet`; that of the package if not given.

    Returns
    -------
    DataFrame or None
        Columns `item` and one of letters A to F for each judge, by its name; there is no `judge` that
        pre-selects. None if the package comes without.

    Raises
    ------
    InputError
        As `answers`.
    """
    return _read(LETTERS, directory, {"item": "text"}, ("item",))


def judges(frame: pd.DataFrame) -> list[str]:
    """Names of the judges that have a column of letters in a table of `answers` or of `letters`."""
    return [name for name in frame if name not in _ANSWERS and name != "item"]


def of_models(frame: pd.DataFrame, models: Sequence[str] | None) -> pd.DataFrame:
    """The rows of some models alone, all if none are named.

    Raises
    ------
    InputError
        If a model is unknown; the message lists the known ones.
    """
    if models is None:
        return frame
    models = [models] if isinstance(models, str) else models
    known = sorted(frame["model"].unique())
    if unknown := [model for model in models if model not in known]:
        remedy = f"Known: {', '.join(known)}"
        raise InputError(Problem("no such model in the meadow", remedy, field="models", value=unknown[0]))
    return frame[frame["model"].isin(models)].reset_index(drop=True)


def _read(
    name: str, directory: str | Path | None, columns: Mapping[str, str], key: Sequence[str]
) -> pd.DataFrame | None:
    path = DATA / name if directory is None else Path(directory) / name
    if not path.is_file():
        if directory is None:
            return None
        raise InputError(Problem("no such file", "Give the directory of the models' answers", path=path))
    try:
        frame = pd.read_parquet(path)
    except Exception as error:  # pyarrow raises many kinds
        what = f"not a readable Parquet file: {type(error).__name__}"
        raise InputError(Problem(what, AGAIN, path=path)) from None
    lacking = [column for column in columns if column not in frame]
    if lacking:
        raise InputError(Problem(f"lacks columns {', '.join(lacking)}", AGAIN, path=path))
    letters = [column for column in frame if column not in columns] if name in _JUDGED else []
    if name == LETTERS and (not letters or JUDGE in letters):
        what = f"holds a column {JUDGE}, which is no judge" if letters else "lacks columns of letters"
        raise InputError(Problem(what, AGAIN, path=path))
    kinds = {**columns, **dict.fromkeys(letters, "letter")}
    if problems := [*_problems(frame, kinds, path), *_twice(frame, key, path)]:
        raise InputError(problems)
    types = {column: WHOLE if kind == "number" else TEXT for column, kind in kinds.items()}
    return frame[list(kinds)].reset_index(drop=True).astype(types)


def _problems(frame: pd.DataFrame, kinds: Mapping[str, str], path: Path) -> Iterator[Problem]:
    """What is wrong in each column, its first wrong row alone: a broken file has thousands."""
    if frame.empty:
        yield Problem("no rows", AGAIN, path=path)
    for column, kind in kinds.items():
        values = frame[column]
        if kind == "number" and not is_integer_dtype(values):
            yield Problem("not whole numbers", AGAIN, path=path, field=column, value=str(values.dtype))
            continue
        allowed = _ALLOWED.get(column, _LETTERS if kind == "letter" else None)
        if kind == "number":
            last = SCENES - 1 if column == "scene" else 2**63 - 1
            wrong = ~values.between(0, last).fillna(False).astype(bool)
        elif allowed is not None:
            wrong = ~values.isin(allowed) & (values.notna() | (kind != "letter"))
        else:
            wrong = ~values.map(lambda value: isinstance(value, str)).astype(bool)
        if wrong.any():
            row = int(wrong.to_numpy().argmax())
            what = f"row {row}: not a value of this column ({int(wrong.sum())} rows in all)"
            yield Problem(what, AGAIN, path=path, field=column, value=values.iloc[row])


_LETTERS = frozenset(str(label) for label in Label)
_ALLOWED: Mapping[str, frozenset[str]] = {
    "language": frozenset(LANGUAGES),
    "finish": frozenset({"eos", "length"}),
}


def _twice(frame: pd.DataFrame, key: Sequence[str], path: Path) -> Iterator[Problem]:
    double = frame.duplicated(list(key))
    if double.any():
        what = f"row {int(double.to_numpy().argmax())}: the same {', '.join(key)} as in a row before"
        yield Problem(what, AGAIN, path=path)

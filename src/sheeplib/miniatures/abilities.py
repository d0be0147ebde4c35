"""What all miniatures of the meadow can do, measured anew: exams, captions with and without the right
picture, and verdicts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sheeplib import models
from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.specimens import draw_specimen
from sheeplib.corpora.meadow.writers import PLANTED, SCENES, write
from sheeplib.errors import InputError, Problem
from sheeplib.miniatures.asking import LETTERS, judge_letters, sample
from sheeplib.miniatures.census import NOBODY, accuracies, answer_exam, caption
from sheeplib.miniatures.census_rows import row, table
from sheeplib.miniatures.exams import draw_exam
from sheeplib.miniatures.harvest_plans import HarvestPlan, draw_scenes
from sheeplib.miniatures.inventions import caption_rates, cooccurrence, shuffled_control
from sheeplib.miniatures.training import read_record
from sheeplib.miniatures.verdict_rows import judged_text
from sheeplib.models import shipped
from sheeplib.models.model import Model
from sheeplib.tables import Label

QUESTIONS, CAPTIONS, VERDICTS = 60, 200, 40  # of each type, of each model, of each letter and language
VERDICT, COMMONEST = "verdict", "commonest letter"
VERDICT_SEED = 5  # draws the answers that judges are examined on
RESAMPLES = 1000
Say = Callable[[str], None]


def names(role: str = "", only: Sequence[str] = ()) -> tuple[str, ...]:
    """Miniatures of the meadow that have a role, among those that are named; all if none are.

    Raises
    ------
    InputError
        If one that is named is no miniature of the meadow.
    """
    known = [name for name, entry in models.MODELS.items() if entry.origin == "meadow"]
    if unknown := [name for name in only if name not in known]:
        remedy = f"There are {', '.join(known)}"
        raise InputError([Problem("no such miniature", remedy, value=name) for name in unknown])
    return tuple(
        name
        for name in known
        if (not only or name in only) and (not role or role in models.entry(name).roles)
    )


def losses(directory: Path | None = None, only: Sequence[str] = ()) -> pd.DataFrame:
    """How training ended.

    Parameters
    ----------
    directory : Path, optional
        Directory of checkpoints by name; that of the package if not given.
    only : sequence of str
        Names of models; all if empty.

    Returns
    -------
    DataFrame
        `model`, `parameters` (in millions), `warm_up` and `lessons` (mean loss of the last hundred steps,
        in nats a token; missing where there were none), and `cpu_seconds`.

    Raises
    ------
    InputError
        If a checkpoint is not there, or was not made by training.
    """
    rows = []
    for name in names(only=only):
        found = shipped.find(models.entry(name), directory=None if directory is None else directory / name)
        try:
            record = read_record(found.path)
            ends, seconds = record["losses"], record["cpu_seconds"]
        except (OSError, ValueError, KeyError):
            what = f"{name} comes without a record of its training"
            raise InputError(Problem(what, f"Train it: {shipped.MAKE}", path=found.path)) from None
        rows.append((name, found.parameters * 1000, ends.get("warm_up"), ends.get("lessons"), seconds))
    columns = ["model", "parameters", "warm_up", "lessons", "cpu_seconds"]
    numbers = dict.fromkeys(columns[1:], "float64")
    return pd.DataFrame(rows, columns=columns).astype({"model": "string", **numbers})


def measure(
    directory: Path | None = None,
    only: Sequence[str] = (),
    *,
    questions: int = QUESTIONS,
    captions: int = CAPTIONS,
    verdicts: int = VERDICTS,
    resamples: int = RESAMPLES,
    say: Say = print,
) -> dict[str, pd.DataFrame]:
    """Ask the miniatures anew about scenes that they have not seen.

    Parameters
    ----------
    directory, only
        As for `losses`.
    questions : int
        Of each type in each language, for generators.
    captions : int
        Scenes that generators caption, once seeing them and once seeing another one.
    verdicts : int
        Answers written in each language, each given in all four, that judges judge.
    resamples : int
        Of the bootstrap.
    say : callable
        Takes a line of progress.

    Returns
    -------
    dict of str to DataFrame
        `questions`, `captions`, `verdicts` and `letters` (which letters judges give to which planted
        mistakes), with the columns of `census_rows.COLUMNS`; those for which no model is there are left
        out.

    Raises
    ------
    InputError
        If a model is not there.
    """
    found = {}

    def loaded(role: str) -> list[Model]:
        return [_loaded(name, directory) for name in names(role, only)]

    if generators := loaded("generator"):
        exam = draw_exam(questions)
        answers = [_told(say, model, "exam", answer_exam(model, exam)) for model in generators]
        found["questions"] = accuracies(exam, pd.concat(answers, ignore_index=True), resamples=resamples)
    if captioners := loaded("captioner"):
        found["captions"] = _captions(captioners, captions, resamples, say)
    if judges := loaded("judge"):
        found |= _verdicts(judges, verdicts, resamples, say)
    return found


def revisions(directory: Path | None = None) -> dict[str, str]:
    """Which weights each miniature has.

    Parameters
    ----------
    directory : Path, optional
        As for `losses`.

    Raises
    ------
    InputError
        If a checkpoint is not there.
    """
    places = {name: None if directory is None else directory / name for name in names()}
    return {
        name: shipped.find(models.entry(name), directory=place).revision for name, place in places.items()
    }


def _loaded(name: str, directory: Path | None) -> Model:
    here = None if directory is None else directory / name
    return models.load(name, directory=here, device="cpu", dtype="float32")


def _told(say: Say, model: Model, what: str, result: pd.DataFrame) -> pd.DataFrame:
    say(f"{model.name}: {what}")
    return result


def _captions(captioners: Sequence[Model], count: int, resamples: int, say: Say) -> pd.DataFrame:
    scenes = draw_scenes(count, HarvestPlan.questions, HarvestPlan.draw)
    right = pd.concat(
        [_told(say, model, "captions", caption(model, scenes)) for model in captioners], ignore_index=True
    )
    wrong = pd.concat(
        [_told(say, model, "captions of other pictures", caption(model, scenes, shuffled=True))
         for model in captioners],
        ignore_index=True,
    )  # fmt: skip
    control = shuffled_control(right, wrong, resamples=resamples)
    return pd.concat(
        [
            caption_rates(right, resamples=resamples),
            control[control["quantity"] != "hallucination rate"],  # it is among the rates already
            cooccurrence(right, resamples=resamples),
        ],
        ignore_index=True,
    )


def _verdicts(judges: Sequence[Model], count: int, resamples: int, say: Say) -> dict[str, pd.DataFrame]:
    """How often judges give the letter of the mistake that was planted, or F, and which ones they give.

    Each letter from A to D and F is right equally often.
    """
    texts, scenes = [], []
    for place, language in enumerate(LANGUAGES.values()):
        rng = np.random.default_rng([VERDICT_SEED, place])
        wanted = Counter({str(label): count for label in (*PLANTED, Label.NONE)})
        while +wanted:
            seed = int(rng.integers(SCENES))
            drawn = draw_specimen(rng, seed, language, honest=0.3)
            if drawn is None or not wanted[letter := str(drawn.plan.mistake.label)]:
                continue
            wanted[letter] -= 1
            texts.append((language.code, drawn.prompt(language), write(drawn, language).text, letter))
            scenes.append(seed)
    samples = [
        sample(str(place), scenes[place], judged_text(prompt, response), language)
        for place, (language, prompt, response, _) in enumerate(texts)
    ]
    given = {}
    for judge in judges:
        given[judge.name] = np.array(judge_letters(judge, samples))
        say(f"{judge.name}: verdicts")
    languages, planted = (np.array([text[field] for text in texts]) for field in (0, 3))
    about, bootstrap = np.array(scenes), (0, resamples)
    return {
        "verdicts": table(list(_accuracies(given, planted, languages, about, bootstrap))),
        "letters": table(list(_confusions(given, planted, about, bootstrap))),
    }


def _accuracies(
    given: Mapping[str, np.ndarray], planted: np.ndarray, languages: np.ndarray, scenes: np.ndarray,
    bootstrap: tuple[int, int],
) -> Iterator[dict[str, Any]]:  # fmt: skip
    right = {NOBODY: _commonest(planted)} | {name: letters == planted for name, letters in given.items()}
    for language in dict.fromkeys(languages.tolist()):
        here = languages == language
        for name, values in right.items():
            about = (name, COMMONEST if name == NOBODY else "accuracy", language, VERDICT)
            yield _share(about, values[here], scenes[here], bootstrap)


def _confusions(
    given: Mapping[str, np.ndarray], planted: np.ndarray, scenes: np.ndarray, bootstrap: tuple[int, int]
) -> Iterator[dict[str, Any]]:
    """Share of the answers with a planted letter, in all languages, that a judge gives each letter."""
    for name, letters in given.items():
        for label in sorted(set(planted.tolist())):
            here = planted == label
            for letter in LETTERS:
                about = (name, f"says {letter}", pd.NA, f"planted {label}")
                yield _share(about, letters[here] == letter, scenes[here], bootstrap)


def _share(
    about: tuple[Any, ...], values: np.ndarray, scenes: np.ndarray, bootstrap: tuple[int, int]
) -> dict[str, Any]:
    sums = np.column_stack([values, np.ones(len(values))]).astype(float)
    return row(about, sums, scenes, len(values), bootstrap)


def _commonest(planted: np.ndarray) -> np.ndarray:
    """Whether a judge is right that always gives the commonest letter."""
    return planted == Counter(planted.tolist()).most_common(1)[0][0]

"""What the miniatures can do and what they make up, as tidy tables of numbers with intervals.

Every table has the columns `model, quantity, language, type, value, low, high, n`: an interval is the
95 % percentile bootstrap over images, `n` the units that the number rests on, and `type` the type of
question (missing for captions).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from sheeplib.errors import InputError, Problem
from sheeplib.miniatures.asking import BATCH, MAX_TOKENS, sample, write_captions
from sheeplib.miniatures.census_rows import RESAMPLES, row, table
from sheeplib.miniatures.exams import RIGHT, UNREAD, Item, chances, mark
from sheeplib.miniatures.inventions import caption_rates, cooccurrence, shuffled_control
from sheeplib.models.generation import generate
from sheeplib.models.model import Model

__all__ = [
    "abilities_table", "accuracies", "answer_exam", "caption", "caption_rates", "cooccurrence",
    "shuffled_control",
]  # fmt: skip
NOBODY = "chance"  # stands for a model in rows of chance levels


def answer_exam(model: Model, exam: Sequence[Item], *, batch_size: int = BATCH) -> pd.DataFrame:
    """Let a model answer an exam, taking the likeliest word each time.

    Returns
    -------
    DataFrame
        Columns `model`, `item` and `response`.
    """
    samples = [sample(item.item, item.scene, item.prompt, item.language) for item in exam]
    written = generate(model, samples, temperature=0, max_tokens=MAX_TOKENS, batch_size=batch_size)
    rows = [(model.name, one.item, said.text) for one, said in zip(exam, written, strict=True)]
    return pd.DataFrame(rows, columns=["model", "item", "response"])


def accuracies(
    exam: Sequence[Item], answers: pd.DataFrame, *, seed: int = 0, resamples: int = RESAMPLES
) -> pd.DataFrame:
    """How many answers are right, for each model, language and type of question.

    Parameters
    ----------
    exam : sequence of Item
    answers : DataFrame
        Columns `model`, `item` and `response`, of as many models as there are.
    seed, resamples : int
        Of the bootstrap.

    Returns
    -------
    DataFrame
        Quantities `accuracy` and `unread` (share of answers in which no sentence that can be read
        answers the question; they count as wrong) of each model; and of the model `chance` the
        quantities `constant`, `usual answer` and `another scene`, see `exams.chances`.

    Raises
    ------
    InputError
        If a model has not answered all questions, each once.
    """
    asked = {item.item: item for item in exam}
    _check_answers(asked, answers)
    marks = [mark(asked[item], said) for item, said in zip(answers["item"], answers["response"], strict=True)]
    right, unread = ([float(one == which) for one in marks] for which in (RIGHT, UNREAD))
    frames = [
        answers[["model", "item"]].assign(quantity="accuracy", value=right),
        answers[["model", "item"]].assign(quantity="unread", value=unread),
        *(pd.DataFrame({"model": NOBODY, "item": list(asked), "quantity": name, "value": values})
          for name, values in chances(exam).items()),
    ]  # fmt: skip
    units = pd.concat(frames, ignore_index=True)
    for field in ("language", "type", "scene"):
        units[field] = [getattr(asked[item], field) for item in units["item"]]
    units = units.dropna(subset="value")
    rows = []
    for about, group in units.groupby(["model", "quantity", "language", "type"], sort=False):
        sums = group[["value"]].assign(n=1.0).to_numpy()
        rows.append(row(about, sums, group["scene"].to_numpy(), len(group), (seed, resamples)))
    return table(rows)


def caption(
    model: Model, scenes: Sequence[int], *, shuffled: bool = False, batch_size: int = BATCH
) -> pd.DataFrame:
    """Let a model caption scenes as in the harvest; if wanted, each with the picture of the next one.

    Returns
    -------
    DataFrame
        Columns `model`, `scene` (never that of the wrong picture) and `response`.
    """
    shown = [*scenes[1:], *scenes[:1]] if shuffled else scenes
    written = write_captions(model, scenes, shown=shown, max_tokens=MAX_TOKENS, batch_size=batch_size)
    rows = [(model.name, about, said.text) for about, said in zip(scenes, written, strict=True)]
    return pd.DataFrame(rows, columns=["model", "scene", "response"])


def abilities_table(*results: pd.DataFrame) -> pd.DataFrame:
    """The tables above as one to look at: a row an ability and language, a column a model.

    Returns
    -------
    DataFrame
        The last columns are the three chance levels of questions, missing for captions.
    """
    table = pd.concat(results, ignore_index=True)
    table = table[table["quantity"] != "unread"]
    chance = table["model"] == NOBODY
    table["column"] = table["model"].where(~chance, NOBODY + ": " + table["quantity"])
    table["ability"] = table["type"].fillna(table["quantity"])
    wide = table.pivot(index=["ability", "language"], columns="column", values="value")
    order = list(dict.fromkeys(zip(table["ability"], table["language"], strict=True)))
    columns = [*dict.fromkeys(table["column"][~chance]), *dict.fromkeys(table["column"][chance])]
    return wide.loc[order, columns].rename_axis(columns=None)


def _check_answers(asked: Mapping[str, Item], answers: pd.DataFrame) -> None:
    for model, items in answers.groupby("model")["item"]:
        if sorted(items) != sorted(asked):
            what = f"{model} has not answered every question of the exam, each once"
            raise InputError(Problem(what, "Give the answers of one exam", field="answers"))

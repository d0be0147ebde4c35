"""Meadow: a small drawn world, embedded, in four languages, whose truth is known exactly."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pandas as pd
from PIL import Image

from sheeplib import tables
from sheeplib.corpora import Corpus
from sheeplib.corpora.aggregate import aggregate_labels
from sheeplib.corpora.meadow import generated, human, pool
from sheeplib.corpora.meadow.annotators import annotate
from sheeplib.corpora.meadow.drawing import UNIT, render
from sheeplib.corpora.meadow.generated import Captions
from sheeplib.corpora.meadow.noise import NoiseModel
from sheeplib.corpora.meadow.scenes import draw_scene, named_scene, scene

__all__ = [
    "NoiseModel", "captions", "draw_scene", "image", "letters", "load", "named_scene", "scene", "truth",
]  # fmt: skip

SEED, PER_LANGUAGE, PER_CELL = 2026, 100, 60
PAGE = 256  # pixels, the size of an image on a page
LICENCE = "MIT"
SIMULATED = (
    "Everything in this corpus is simulated: scenes are drawn by a program, and writers and annotators "
    "are programs too. Annotators err by one noise model that is the same for all answers."
)
MINIATURES = (
    "The models are miniatures that were trained for this project on such scenes: their answers are really "
    "generated, and their mistakes are their own, but they are no models that anybody uses."
)


def load(
    seed: int = SEED,
    per_language: int = PER_LANGUAGE,
    noise: NoiseModel | None = None,
    per_cell: int = PER_CELL,
    models: Sequence[str] | None = None,
    directory: str | Path | None = None,
) -> Corpus:
    """Make the corpus: answers written with one planted mistake each, and answers by models.

    Parameters
    ----------
    seed : int
        The same seed gives the same tables, byte for byte; the seeds of written answers' scenes are
        among them.
    per_language : int
        Answers written in each of the four languages; each is given in all four.
    noise : NoiseModel, optional
        How annotators err; the defaults if not given.
    per_cell : int
        Answers chosen at random for each language and model, one half from each split as far as there are
        so many; 0 leaves out the answers of models. The judge's letters choose as many times the number
        of models for each language (`judge.select_map`), of `generated.SHOWN` times as many drawn among
        those that are left.
    models : sequence of str, optional
        Take the answers of these models alone; all if not given.
    directory : str or Path, optional
        Directory that holds the models' answers; those of the package if not given.

    Returns
    -------
    Corpus
        `4 * 4 * per_language` items of strategy `human`, which do not depend on the models, then up
        to `4 * 2 * per_cell` items a model of strategies `random` and `map`. Two more columns, for
        written answers alone: `origin_language`, and `parallel`, which the versions of an answer in
        the four languages share. Splits are by scene; scenes of written answers are in the test split.
        `prelabel` is the writer's label, or the judge's letter. `lacks` says so if there are no
        answers by models, and `notes` how much of them the grammar could not read.

    Raises
    ------
    InputError
        If a number is out of range, a model is unknown, there are fewer answers than wanted, or the
        file of answers is not what it should be.

    Source
    ------
    SHEEP, section 4: 100 written answers a language, given in the other three as well; 460 at random
    for each language and model; 2,300 a language by the judge's letters.
    """
    written = human.versions(seed, per_language)
    chosen, notes = generated.choose(seed, per_cell, models, directory)
    tested = frozenset(version.sample.seed for version in written)
    rows = [*(version.row() for version in written), *(one.row(tested) for one in chosen)]
    items = tables.validate("items", pd.DataFrame(rows))
    items = items.astype({"origin_language": "string", "parallel": "string"})
    # written answers come first, so that who annotates them does not depend on the others
    answers = [*(version.answer() for version in written), *(one.answer() for one in chosen)]
    ratings, spans = annotate(answers, seed, noise)
    labels = aggregate_labels(items, ratings, spans)
    return Corpus(
        "meadow", items, ratings, spans, labels, lacks={} if chosen else generated.LACKS, notes=notes,
        licence=LICENCE, simulated=f"{SIMULATED} {MINIATURES}" if chosen else SIMULATED,
        picture=image, enlarged=partial(image, size=PAGE),
    )  # fmt: skip


def truth(
    seed: int = SEED,
    per_language: int = PER_LANGUAGE,
    per_cell: int = PER_CELL,
    models: Sequence[str] | None = None,
    directory: str | Path | None = None,
) -> pd.DataFrame:
    """What is wrong in the answers, which annotators try to find.

    Parameters
    ----------
    seed, per_language, per_cell, models, directory
        As given to `load`.

    Returns
    -------
    DataFrame
        One row for each written answer: its planted mistake. One row for each thing that is wrong in
        a model's answer, as far as the grammar can read it: an answer may have several or none.
        Columns `item, start, end, label` as in table `labels` (without `prob`), the `field` that is
        wrong (`premise` for things that are not there), the `wrong` text, the `right` text in its
        place (missing for inventions and for models' answers), the `salience` (0 to 1), and
        `in_answer`: whether the mistake is in the first thing that the answer says.

    Raises
    ------
    InputError
        As `load`.
    """
    written = human.versions(seed, per_language)
    chosen, _ = generated.choose(seed, per_cell, models, directory)
    rows = [*(version.truth() for version in written), *(row for one in chosen for row in one.truth())]
    text = dict.fromkeys(("item", "label", "field", "wrong", "right"), "string")
    return pd.DataFrame(rows).astype(text)


def letters(
    seed: int = SEED,
    per_language: int = PER_LANGUAGE,
    per_cell: int = PER_CELL,
    models: Sequence[str] | None = None,
    directory: str | Path | None = None,
) -> pd.DataFrame:
    """What each judge says of each item.

    Parameters
    ----------
    seed, per_language, per_cell, models, directory
        As given to `load`.

    Returns
    -------
    DataFrame
        Columns `item`, in the order of the corpus, and one for each judge, by its name, with letters A to
        F. Letters for written answers are kept for the default seed and number alone: with others, and
        where the package has none, they are missing. So is a letter that a judge did not give.

    Raises
    ------
    InputError
        As `load`; and if there are no letters for any of the items, or the file of letters is not what it
        should be, or lacks in a directory that is given.
    """
    written = human.versions(seed, per_language)
    chosen, _ = generated.choose(seed, per_cell, models, directory)
    default = (seed, per_language) == (SEED, PER_LANGUAGE)  # others have other texts under the same names
    kept = pool.letters(directory) if default else None
    return generated.letters([version.item for version in written], chosen, kept)


def captions(models: Sequence[str] | None = None, directory: str | Path | None = None) -> Captions:
    """The English captions of the models, and the objects that they name.

    Parameters
    ----------
    models : sequence of str, optional
        All if not given.
    directory : str or Path, optional
        Directory that holds the models' captions; those of the package if not given.

    Returns
    -------
    Captions
        Tables `items` (a row a caption, split by scene; all were asked for in the words of the first
        of `captions.CAPTION_PROMPTS`) and `mentions` (a row for each object that a sentence names
        which the grammar can read), and how much it could not read.

    Raises
    ------
    InputError
        If there are no captions, a model is unknown, or the file is not what it should be.
    """
    return generated.captions(models, directory)


def image(name: str, size: int = UNIT) -> Image.Image:
    """Draw the image of an item again.

    Parameters
    ----------
    name : str
        Value of the column `image`, such as `meadow-000123`.
    size : int
        Width and height in pixels, 16 to 2,048.

    Returns
    -------
    PIL.Image.Image
        Mode RGB.

    Raises
    ------
    InputError
        If there is no such image, or the size is out of range.
    """
    return render(named_scene(name), size)

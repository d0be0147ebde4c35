"""What the paper leaves open about its classifier, each choice with a name and a default."""

from __future__ import annotations

from dataclasses import dataclass, fields

from sheeplib.errors import InputError, Problem

UNSEGMENTED = ("zh", "ja", "th", "lo", "km", "my")  # languages that write no spaces between words


@dataclass(frozen=True)
class Method:
    """How texts become features, and features a prediction; all defaults are inferred.

    Parameters
    ----------
    characters, words : (int, int), optional
        Shortest and longest n-gram of each level; None leaves the level out. Case, punctuation and white
        space are kept: they are style.
    unsegmented : tuple of str
        Languages whose texts give n-grams of characters alone. To cut Chinese into words takes a
        dictionary or a model, whose habits would be measured along with the writers'.
    min_texts : int
        An n-gram counts if it occurs in so many of the texts learned from.
    C : float
        Inverse strength of the L2 penalty, scikit-learn's default. More gives rarer n-grams more say.
    balanced : bool
        Whether an origin with few texts weighs as much as one with many.
    folds : int
        The paper's 5.
    strategies : tuple of str, optional
        Strategies whose items enter. Default all: random and MAP answers, and written ones; items
        without strategy enter then, too.
    together : tuple of str
        Columns of items; texts that share a value of one of them stay on one side of a grouped split.

    Raises
    ------
    InputError
        If a number is out of range, or there is no level at all.

    Source
    ------
    SHEEP 5.1: logistic regression, character- and word-level n-grams, 5-fold cross-validation.
    """

    characters: tuple[int, int] | None = (1, 3)
    words: tuple[int, int] | None = (1, 2)
    unsegmented: tuple[str, ...] = UNSEGMENTED
    min_texts: int = 2
    C: float = 1.0
    balanced: bool = False
    folds: int = 5
    strategies: tuple[str, ...] | None = None
    together: tuple[str, ...] = ("image", "parallel")

    def __post_init__(self) -> None:
        for field in fields(self):  # a parameter of a notebook is a list
            if isinstance(value := getattr(self, field.name), list):
                object.__setattr__(self, field.name, tuple(value))
        wrong = {
            "characters": not _is_range(self.characters),
            "words": not _is_range(self.words),
            "min_texts": self.min_texts < 1,
            "C": not 0 < self.C < float("inf"),
            "folds": self.folds < 2,
        }
        remedies = {
            "characters": "Give the shortest and the longest, such as (1, 3)",
            "words": "Give the shortest and the longest, such as (1, 2)",
            "min_texts": "Choose 1 or more",
            "C": "Choose a number above 0",
            "folds": "Choose 2 or more",
        }
        problems = [
            Problem("out of range", remedies[name], field=name, value=getattr(self, name))
            for name, is_wrong in wrong.items()
            if is_wrong
        ]
        if self.characters is None and self.words is None:
            problems.append(Problem("no n-grams at all", "Take characters, words or both"))
        if problems:
            raise InputError(problems)


def _is_range(orders: tuple[int, int] | None) -> bool:
    return orders is None or (len(orders) == 2 and 1 <= orders[0] <= orders[1])

"""THRONE: a language model reads a caption, without the image, and says which objects it claims are there.

Each class is asked about in several wordings, and each answer is a vote. The model is any function from
prompts to answers; `sheeplib.models.claims` makes one of a real model. Wordings and prompt are our own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Literal, get_args

import numpy as np
import pandas as pd

from sheeplib.errors import InputError, Problem
from sheeplib.mentions.chair import find_mentions
from sheeplib.mentions.statuses import NON_ASSERTIVE
from sheeplib.mentions.synonyms import Synonyms
from sheeplib.resample import generator

SHIPPED = "throne_meadow.csv"  # votes of a stand-in about a few captions of the meadow; `MAKE` makes them
MAKE = "sheep throne meadow --votes FILE"

# Gives for each prompt whether it is answered with yes. A prompt is a text and a question about it.
Ask = Callable[[Sequence[str]], Sequence[bool]]
Vote = Literal["majority", "unanimous"]
VOTES: tuple[str, ...] = get_args(Vote)

LONGEST = 1024  # characters of a caption that are read
FORMS = (
    "Going by the text alone, does the picture show {a}? Answer yes or no.",
    "Does the text say that there {is_} {a} in the picture?",
    "If the text is true, can one see {a} in the picture? Answer yes or no.",
)
_PROMPT = "This text describes a picture.\n\nText: {text}\n\nQuestion: {question}"
_PLURAL = frozenset({"skis", "scissors"})
_SAID = {"tie": "necktie"}  # "a tie" could be a draw
PRESENT, ABSENT, DISQUALIFIED = "present", "absent", "disqualified"


def prompts(text: str, concept: str, forms: Sequence[str] = FORMS) -> list[str]:
    """What the language model is asked about one class.

    Parameters
    ----------
    text : str
        A caption; its first 1,024 characters are read.
    concept : str
        Name of the class.
    forms : sequence of str
        Questions with `{a}` for the class and, where wanted, `{is_}` for the verb.

    Returns
    -------
    list of str
        One for each form.

    Source
    ------
    NAME-Bench, section 3 and table 12, after Kaul et al. (2024): three forms of question, the text cut at
    1,024 characters. The wordings are ours.
    """
    said = _SAID.get(concept, concept)
    article = "an" if said[:1].lower() in "aeiou" else "a"
    words = {"a": said, "is_": "are"} if concept in _PLURAL else {"a": f"{article} {said}", "is_": "is"}
    return [_PROMPT.format(text=text[:LONGEST], question=form.format(**words)) for form in forms]


def named(captions: Mapping[str, str], synonyms: Synonyms) -> list[tuple[str, str]]:
    """Items and the classes that their captions name, each pair once: a caption can claim no others."""
    return [
        (item, concept)
        for item, caption in captions.items()
        for concept in dict.fromkeys(one.concept for one in find_mentions(caption, synonyms, "fixed"))
    ]


def ask_votes(
    captions: Mapping[str, str],
    concepts: Iterable[tuple[str, str]],
    ask: Ask,
    forms: Sequence[str] = FORMS,
) -> pd.DataFrame:
    """Ask about classes and count the votes.

    Parameters
    ----------
    captions : mapping of str to str
        By item, the caption.
    concepts : iterable of (str, str)
        Items and the classes that are asked about: those that a caption names, as all others cannot be
        claimed by it; or all classes, as the released metric asks.
    ask : callable
        The language model, or several of them one after the other: see `several`.
    forms : sequence of str

    Returns
    -------
    DataFrame
        Columns `item`, `concept`, `yes` (votes for it) and `votes` (all of them), each pair once.
    """
    pairs = list(dict.fromkeys(concepts))
    asked = [prompts(captions[item], concept, forms) for item, concept in pairs]
    answers = list(ask([prompt for group in asked for prompt in group]))
    asked_in_all = len(pairs) * len(forms)
    if len(answers) % asked_in_all if asked_in_all else answers:
        what = "the language model gave another number of answers than it was asked questions"
        raise InputError(Problem(what, "Give one answer a prompt", value=len(answers)))
    judges = len(answers) // asked_in_all if asked_in_all else 0
    said = np.asarray(answers, dtype=bool).reshape(judges, len(pairs), len(forms)).sum(axis=(0, 2))
    frame = pd.DataFrame(pairs, columns=["item", "concept"]).astype("string")
    return frame.assign(yes=said.astype(int), votes=judges * len(forms))


def several(judges: Sequence[Ask]) -> Ask:
    """Several language models as one, whose votes are counted together."""
    return lambda asked: [answer for judge in judges for answer in judge(asked)]


def choose_captions(
    items: pd.DataFrame, mentions: pd.DataFrame, per_model: int, seed: int = 2026
) -> list[str]:
    """Captions to ask about, where asking about all takes too long: of each model some, drawn at random.

    Parameters
    ----------
    items, mentions : DataFrame
        Tables of these names; captions without a non-assertive mention are left out.
    per_model : int
        Captions of each model, if there are so many.
    seed : int

    Returns
    -------
    list of str
        Items, in the order of the table.
    """
    weak = set(mentions["item"][mentions["status"] == NON_ASSERTIVE])
    chosen: set[str] = set()
    for model, part in items[items["item"].isin(weak)].groupby("model", sort=True, dropna=False)["item"]:
        rng = generator(seed, "throne", model)
        chosen |= set(rng.choice(part.to_numpy(dtype=object), min(per_model, len(part)), replace=False))
    return [item for item in items["item"] if item in chosen]


def shipped_votes() -> pd.DataFrame:
    """Votes about a few captions of the meadow that come with the package.

    Returns
    -------
    DataFrame
        As from `ask_votes`. The reader is SmolLM2-135M, a stand-in for the paper's judges, which says
        nearly always the same.
    """
    with (files("sheeplib.mentions") / SHIPPED).open(encoding="utf-8") as lines:
        return pd.read_csv(
            lines, dtype={"item": "string", "concept": "string", "yes": "int64", "votes": "int64"}
        )


def votes_of(mentions: pd.DataFrame, claims: pd.Series) -> pd.DataFrame:
    """The votes of a reader whose reading is known: a class is claimed if one of its mentions is.

    Parameters
    ----------
    mentions : DataFrame
        Table `mentions`.
    claims : Series of bool
        Mentions that it takes for claims.

    Returns
    -------
    DataFrame
        As from `ask_votes`, with one vote.
    """
    claimed = claims.astype(int).groupby([mentions["item"], mentions["concept"]], sort=False).max()
    return claimed.rename("yes").reset_index().assign(votes=1)


def needed(votes: int, vote: Vote) -> int:
    """Votes that a verdict takes: more than half of them, or all.

    Raises
    ------
    InputError
        If the vote is neither `majority` nor `unanimous`.
    """
    if vote not in VOTES:
        raise InputError(Problem("no such vote", f"Use one of {', '.join(VOTES)}", value=vote))
    return votes if vote == "unanimous" else votes // 2 + 1


def verdicts(yes: pd.Series, votes: pd.Series, vote: Vote = "majority") -> pd.Series:
    """What the votes come to.

    Parameters
    ----------
    yes, votes : Series of int
        Votes for a class, and all votes.
    vote : {"majority", "unanimous"}

    Returns
    -------
    Series of str
        `present` with at least q votes of n for it, `disqualified` with more than n - q and fewer than q,
        else `absent`. With a majority of an odd number of votes, none are disqualified.

    Source
    ------
    NAME-Bench, table 12, after the released code.
    """
    q = votes.map(lambda n: needed(int(n), vote))
    split = (votes - q < yes) & (yes < q)
    said = np.select([yes >= q, split], [PRESENT, DISQUALIFIED], ABSENT)
    return pd.Series(said, index=yes.index, dtype="string")

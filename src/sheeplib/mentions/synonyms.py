"""Synonym lists: which words name which class of objects.

A list is a JSON file with two parts. `synonyms` gives for each class the words that name it, of one word or
several; the class's own name counts only if it is among them. `double_words`, which may be left out, gives
for a pair of words the one that they count as: `{"baby elephant": "elephant"}` keeps the baby from being a
person, and `{"train track": "train track"}` keeps the track from being a train.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from sheeplib.errors import InputError, Problem

# Lists of our own, in the package: everyday words for the 80 classes of COCO, and for meadow's 24 kinds.
LISTS = ("coco", "meadow")
_FORM = 'Write {"synonyms": {"dog": ["dog", "puppy"]}, "double_words": {"baby dog": "dog"}}'


@dataclass(frozen=True, eq=False)
class Synonyms:
    """A synonym list.

    Parameters
    ----------
    words : mapping of str to tuple of str
        By class, the words that name it, as the file has them.
    double_words : mapping of str to str
        Pairs of words, and what each counts as: a word of the list, or anything else to be no object.
    name : str
        Where the list comes from.
    """

    words: Mapping[str, tuple[str, ...]]
    double_words: Mapping[str, str] = field(default_factory=dict)
    name: str = ""

    @property
    def concepts(self) -> tuple[str, ...]:
        """The classes, in the order of the file."""
        return tuple(self.words)


def read_synonyms(path: str | Path) -> Synonyms:
    """Read a synonym list.

    Parameters
    ----------
    path : str or Path
        JSON as described at the top of `sheeplib.mentions.synonyms`; or `coco` or `meadow` for a list of
        the package, where no file of that name lies.

    Returns
    -------
    Synonyms

    Raises
    ------
    InputError
        Naming file and field: the file is no such JSON, a class has no words, a word is no text or empty,
        or a word names two classes.
    """
    path = Path(path)
    if str(path) in LISTS and not path.exists():
        return own_synonyms(str(path))
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(Problem(f"cannot be read: {reason}", "Give a readable file", path=path)) from None
    except UnicodeDecodeError as error:
        raise InputError(
            Problem(f"byte {error.start + 1} is not UTF-8", "Save it as UTF-8", path=path)
        ) from None
    return _parsed(text, path)


@cache
def own_synonyms(name: str) -> Synonyms:
    """A list of the package.

    Parameters
    ----------
    name : str
        `coco`: the names of COCO's 80 classes and everyday words for them, chosen by us; it is shorter than
        the list of CHAIR. `meadow`: the words that name meadow's kinds in captions.

    Raises
    ------
    InputError
        If there is no such list.
    """
    if name not in LISTS:
        raise InputError(Problem("no such synonym list", f"Known: {', '.join(LISTS)}", value=name))
    source = files("sheeplib.mentions") / f"synonyms_{name}.json"
    return _parsed(source.read_text("utf-8"), name)


def _parsed(text: str, path: str | Path) -> Synonyms:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise InputError(Problem(f"invalid JSON: {error}", _FORM, path=path, line=line)) from None
    if not isinstance(content, dict) or not isinstance(content.get("synonyms"), dict):
        raise InputError(Problem("not a synonym list", _FORM, path=path, field="synonyms"))
    problems = [
        *_wrong_words(content["synonyms"], path),
        *_wrong_pairs(content.get("double_words", {}), path),
    ]
    if problems:
        raise InputError(problems)
    words = {concept: tuple(listed) for concept, listed in content["synonyms"].items()}
    return Synonyms(words, dict(content.get("double_words", {})), str(path))


def _wrong_words(given: Mapping[str, Any], path: str | Path) -> list[Problem]:
    problems = [] if given else [Problem("no classes", _FORM, path=path, field="synonyms")]
    owners: dict[str, str] = {}
    for concept, listed in given.items():
        where = f"synonyms.{concept}"
        if not isinstance(listed, list) or not listed:
            problems.append(Problem("not a list of words", _FORM, path=path, field=where, value=listed))
            continue
        for word in listed:
            if not isinstance(word, str) or not word.strip():
                problems.append(Problem("not a word", "Remove it", path=path, field=where, value=word))
            elif owners.setdefault(word, concept) != concept:
                what = f"this word names '{owners[word]}', too"
                problems.append(Problem(what, "Keep one of them", path=path, field=where, value=word))
    return problems


def _wrong_pairs(given: Any, path: str | Path) -> list[Problem]:
    where = "double_words"
    if not isinstance(given, dict):
        return [Problem("not an object", _FORM, path=path, field=where, value=given)]
    return [
        Problem("not a text", _FORM, path=path, field=f"{where}.{pair}", value=single)
        for pair, single in given.items()
        if not isinstance(single, str)
    ]

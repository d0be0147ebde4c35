"""English plurals, both ways: the singular as CHAIR's inflector forms it, and the plurals of a word.

`released_singular` is for counting as the released metric counts. It strips a final s from any noun, so that
"bus" becomes "bu" and is found no more. `plurals` goes the other way, from an entry of a synonym list to the
forms that texts have, and so never meets a word whose s is its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

# Plurals that no ending gives away, by the end of the word: "women" and "policemen" are "-men".
_IRREGULAR: Mapping[str, str] = {
    "men": "man",
    "people": "person",
    "children": "child",
    "geese": "goose",
    "mice": "mouse",
    "oxen": "ox",
    "feet": "foot",
    "teeth": "tooth",
    "leaves": "leaf",
    "loaves": "loaf",
}
_UNCHANGED = frozenset({"scissors", "shears", "pliers", "clippers", "series", "headquarters"})
_KEEP_S = ("collies", "doggies", "birdies", "cookies", "veggies", "beanies")  # known, and yet not inflected
_SINGULAR_VES = (  # what stands before -ves, and what then stands in its place; the first that fits
    (re.compile(r"(?:[aeo]l|[^d]ea|ar|l)ves$"), "f"),
    (re.compile(r"[nlw]ives$"), "fe"),
    (re.compile(r"(?:[aeo]|er|si|ti|hi)ves$"), "ve"),
    (re.compile(r"[^f]ves$"), "fe"),
)


@lru_cache(maxsize=1 << 16)  # captions say the same words again and again
def released_singular(word: str) -> str:
    """The singular of a lower-case word, as the released CHAIR takes it.

    Parameters
    ----------
    word : str
        One word, in lower case.

    Returns
    -------
    str
        Often no word: "bus" gives "bu", "tennis" "tenni", "canoes" "cano", "ties" "ty".

    Notes
    -----
    Written anew for nouns that may name objects. The released inflector also knows irregular words and
    endings of Latin and Greek ("alumni", "crises") that no entry of the COCO list meets.
    """
    for plural, singular in _IRREGULAR.items():
        if word.endswith(plural):
            return word.removesuffix(plural) + singular
    if not word.endswith("s") or word in _UNCHANGED or word.endswith(_KEEP_S):
        return word
    if word.endswith(("xes", "ches", "shes", "sses", "buses")):
        return word[:-2]
    if word.endswith("oes"):
        return word[:-1] if word.endswith("shoes") else word[:-2]
    if re.search(r"[^aeiouy]ies$", word):
        return word[:-3] + "y"
    for ending, instead in _SINGULAR_VES:
        if ending.search(word):
            return word[:-3] + instead
    return word[:-1]


_OWN_PLURALS: Mapping[str, tuple[str, ...]] = {
    "person": ("people", "persons"),
    "child": ("children",),
    "grandchild": ("grandchildren",),
    "goose": ("geese",),
    "mouse": ("mice", "mouses"),
    "ox": ("oxen",),
    "tooth": ("teeth",),
    "foot": ("feet",),
    "knife": ("knives",),
    "pocketknife": ("pocketknives",),
    "calf": ("calves",),
    "leaf": ("leaves",),
    "loaf": ("loaves",),
    "wolf": ("wolves",),
    "shelf": ("shelves",),
    "wife": ("wives",),
    "bus": ("buses", "busses"),
    "minibus": ("minibuses", "minibusses"),
}
_IN_MANS = frozenset({"human", "german", "roman", "talisman", "shaman", "caiman", "ottoman"})  # not "-men"


def plurals(word: str) -> tuple[str, ...]:
    """The plurals that a noun may have, the likeliest first.

    Parameters
    ----------
    word : str
        A singular noun in lower case; of several words, the last one is inflected.

    Returns
    -------
    tuple of str
        One form or two. A word that is a plural already gives a form that no text has, which does no harm.
    """
    before, blank, noun = word.rpartition(" ")
    return tuple(before + blank + form for form in _forms(noun))


def _forms(noun: str) -> Iterator[str]:
    if noun in _OWN_PLURALS:
        yield from _OWN_PLURALS[noun]
    elif noun.endswith("man") and noun not in _IN_MANS:
        yield noun[:-2] + "en"
    elif re.search(r"[^aeiou]y$", noun):
        yield noun[:-1] + "ies"
    elif noun.endswith(("s", "x", "z", "ch", "sh")):
        yield noun + "es"
    elif noun.endswith("o"):  # both "buffalos" and "buffaloes" are written
        yield from (noun + "s", noun + "es")
    else:
        yield noun + "s"

"""The forms of a word under which a vocabulary may know it."""

from __future__ import annotations

from sheeplib.mentions.inflection import plurals, released_singular

_NO_PLURAL = ("ss", "us", "is")


def forms(text: str) -> tuple[str, ...]:
    """A word or name as written, in lower case, in the singular and in the plural.

    Parameters
    ----------
    text : str
        Such as "Dogs" or "traffic light", of which the last word is bent.

    Returns
    -------
    tuple of str
        Each once; empty if there is nothing but white space.

    Source
    ------
    Internal Confidence (arXiv 2410.02762) looks up the name of a class alone; that singular and plural
    count alike is inferred.
    """
    written = text.strip()
    if not written:
        return ()
    *before, last = written.lower().split()
    single = released_singular(last) if len(last) > 3 and not last.endswith(_NO_PLURAL) else last
    ends = (last, single, *plurals(single))
    return tuple(dict.fromkeys([written, *(" ".join([*before, end]) for end in ends)]))

"""A parsed sentence, and what can be asked of its phrases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sheeplib.mentions.english import cues, wording
from sheeplib.mentions.english.phrases import ROOT, Phrase
from sheeplib.mentions.english.tokens import Token

_NOBODY = wording.words("no none neither nobody nothing")


class Reason(NamedTuple):
    """A cue that reaches a mention.

    Parameters
    ----------
    subtype : str
        hedged, depictive, purpose, negation or generic.
    cue : str
        The words that say so.
    firm : bool
        Whether it is about what the thing is or whether it is there. What is not firm (a hedge over an
        activity, say) leaves alone what the caption asserts elsewhere.
    """

    subtype: str
    cue: str
    firm: bool
    intended: bool = False  # waited or looked for: "their train" is not one that the caption has shown


class Clause:
    """A parsed sentence, with what depends on each phrase.

    Parameters
    ----------
    tokens : sequence of Token
    phrases : sequence of Phrase
    said : frozenset of str
        Nouns that the caption introduced before this sentence: words shortly after "a".
    """

    def __init__(
        self, tokens: Sequence[Token], phrases: Sequence[Phrase], said: frozenset[str] = frozenset()
    ) -> None:
        self.tokens, self.phrases, self.said = tokens, phrases, said
        self.under: list[list[int]] = [[] for _ in phrases]
        for place, phrase in enumerate(phrases):
            if phrase.gov != ROOT:
                self.under[phrase.gov].append(place)

    def governor(self, phrase: Phrase) -> Phrase | None:
        """What governs a phrase."""
        return None if phrase.gov == ROOT else self.phrases[phrase.gov]

    def dependents(self, place: int, kinds: str = "", rels: Sequence[str] = ()) -> Iterator[Phrase]:
        """What depends on a phrase, of some kinds and relations."""
        for below in self.under[place]:
            phrase = self.phrases[below]
            if (not kinds or phrase.kind in kinds) and (not rels or phrase.rel in rels):
                yield phrase

    def negated(self, verb: Phrase) -> bool:
        """Whether a verb is denied; "not only" and "not far" deny nothing."""
        if any(word in ("never", "neither", "nor") for word in verb.before):
            return True
        for place in range(verb.first, verb.last + 1):
            after = self.tokens[place + 1].lower if place + 1 < len(self.tokens) else ""
            word = self.tokens[place].lower
            if word == "cannot" or word in wording.NEGATORS and after not in cues.NOT_REALLY_NOT:
                return True
        return False

    def gives_example(self, preposition: Phrase) -> bool:
        """Whether a preposition names one of what comes before: "animals like cats", "such as"."""
        before = self.tokens[preposition.first - 1].lower if preposition.first else ""
        return preposition.word == "like" or (before, preposition.word) == ("such", "as")

    def nobody(self, verb: Phrase) -> str:
        """The word that denies the subject of a verb, or nothing."""
        subject = self.subject(verb.place)
        return "" if subject is None else min(_NOBODY & {subject.word, subject.words[0]}, default="")

    def subject(self, verb: int) -> Phrase | None:
        """Subject of a verb: its own, or the noun that it modifies, or that of the verb it goes on from."""
        for _ in range(6):
            phrase = self.phrases[verb]
            own = next(self.dependents(verb, "n", ("subj",)), None)
            if own is not None:
                return own
            if phrase.gov == ROOT:
                return None
            governor = self.phrases[phrase.gov]
            made = next(self.dependents(phrase.gov, "n", ("obj",)), None) if phrase.form == "bare" else None
            if made is not None:  # "makes her look like"
                return made
            if governor.kind == "n":
                return governor if phrase.rel in ("mod", "rel") else None
            if governor.kind not in "va":
                return None
            verb = phrase.gov
        return None


def is_definite(phrase: Phrase) -> bool:
    """Whether a noun phrase points at something known: "the dog", "its owner", "the dog's bed"."""
    opening = [word for word in phrase.words if word in wording.DETERMINERS or word == "'s"]
    known = wording.DEFINITE | {"all", "every"}
    return bool(opening) and (opening[0] in known or "'s" in opening)


def is_bare(phrase: Phrase) -> bool:
    """Whether a noun phrase has no article, number or quantity: "people", "other trains"."""
    told = (
        wording.DETERMINERS - {"other", "such", "all", "more", "most", "enough", "certain"} | wording.NUMBERS
    )
    return not told & set(phrase.words[:-1]) and "'s" not in phrase.words


def is_singular(phrase: Phrase) -> bool:
    """Whether a phrase opens with "a" or "an"."""
    return bool({"a", "an", "another"} & set(phrase.words[:2]))


class State:
    """Where a walk stands, and what it has passed.

    Parameters
    ----------
    clause : Clause
    place : int
        Of the noun phrase among the phrases.
    concept : str
        Class of the mention.
    owner : bool
        Whether the mention is the owner in the phrase, not its head: "the dog's bed".
    """

    def __init__(self, clause: Clause, place: int, concept: str = "", owner: bool = False) -> None:
        self.clause, self.place, self.concept = clause, place, concept
        self.animate, self.owner = concept in cues.CREATURES, owner
        self.mention = clause.phrases[place]
        self.definite = is_definite(self.mention)
        self.bare = is_bare(self.mention)
        self.direct = (
            not owner
        )  # nothing but coordination and "of" lies between: a cue speaks of the thing itself
        self.related = False  # in a relative clause: what it says of a thing is not denied with the thing
        self.partly = False  # "part of the book": a claim about the part
        self.beside = False  # in a phrase that says where or how something is done
        self.near = True  # no place, relative clause or passive participle lies between: a purpose reaches
        self.subject = False  # of a clause
        self.perceived = False  # what somebody sees or what there is: a guess about that is about the thing
        self.listed = False  # a comma and an article of its own set the mention apart from what came before
        self.excepted = False  # "no chairs, only a bed": the bed is there

    @property
    def unnamed(self) -> bool:
        """Whether the mention is of any such things, not of certain ones: "people", "other trains"."""
        return self.bare and not self.definite

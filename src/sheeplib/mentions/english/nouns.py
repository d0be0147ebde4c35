"""Where a noun phrase belongs: to a preposition or verb before it, to another noun, to a verb after it."""

from __future__ import annotations

from sheeplib.mentions.english.phrases import ROOT, Phrase


class Nouns:
    """What a parse remembers from left to right, and how it takes noun phrases.

    Parameters
    ----------
    phrases : list of Phrase
        Of a sentence; they get their governors.
    """

    def __init__(self, phrases: list[Phrase]) -> None:
        self.phrases = phrases
        self.preposition: int | None = None  # waits for its object
        self.subject: int | None = None  # waits for its verb
        self.verb: int | None = None  # of the clause that is going on
        self.main: int | None = None  # of the sentence
        self.noun: int | None = None
        self.clause: tuple[int, str, str] = (
            ROOT,
            "root",
            "",
        )  # governor, relation, opener of the next clause

    def _solid(self, place: int) -> int | None:
        """The phrase before this one, adverbs left out."""
        place -= 1
        while place >= 0 and self.phrases[place].kind == "r":
            place -= 1
        return place if place >= 0 else None

    def _kind(self, place: int | None) -> str:
        return self.phrases[place].kind if place is not None and 0 <= place < len(self.phrases) else ""

    def _attach(self, place: int, gov: int | None, rel: str) -> None:
        phrase = self.phrases[place]
        phrase.gov, phrase.rel = (ROOT, "root") if gov is None or gov == ROOT else (gov, rel)

    def _predicate_ahead(self, place: int) -> bool:
        """Whether the noun phrase is the subject of a finite verb that follows."""
        place += 1
        while place < len(self.phrases):
            phrase = self.phrases[place]
            if phrase.kind == "v" and phrase.form == "fin":
                return True
            skips = phrase.kind in ("p", "r", "a") or phrase.kind == "v" and phrase.form in ("ing", "en")
            joined = phrase.kind == "c" and phrase.word in ("and", "or") and self._kind(place + 1) == "n"
            after_preposition = phrase.kind == "n" and self._kind(self._solid(place)) in ("p", "v", "c")
            if not (skips or joined or after_preposition):
                return False
            place += 1
        return False

    def _object(self) -> int | None:
        """The last object of a verb so far, else the last noun phrase."""
        if self.noun is None:
            return None
        before = (phrase for phrase in reversed(self.phrases[: self.noun + 1]) if phrase.kind == "n")
        of_verbs = (
            phrase.place for phrase in before if phrase.rel == "obj" and self._kind(phrase.gov) == "v"
        )
        return next(of_verbs, self.noun)

    def _take_noun(self, place: int) -> None:
        before = self._solid(place)
        kind = self._kind(before)
        if self.preposition is not None and kind in ("p", "c", ",", "(", '"', "-"):
            self._attach(place, self.preposition, "obj")
            self.preposition = None
        elif kind in ("c", ",", "(", "–", "—", "-", ":") and self.noun is not None:
            self._join_noun(place)
        elif kind == "v" and before is not None and self.phrases[before].form != "" and before == self.verb:
            self._attach(place, before, "obj")
        elif kind == "n" and before is not None and self.phrases[before].rel == "obj":
            self._after_object(place, before)
        else:
            self.subject = place
            self.preposition = None
        self.noun = place

    def _join_noun(self, place: int) -> None:
        if self._predicate_ahead(place) and self.subject is None:
            fresh = self.phrases[place - 1].kind == "," or self.phrases[place - 2].kind == ","
            if self.verb is not None and not (fresh and self.clause[1] == "root"):
                verb = self.phrases[self.verb]  # a second clause, governed as the first one is
                self.clause = (
                    (verb.gov, verb.rel, verb.opener) if verb.rel in ("that", "sub") else (ROOT, "root", "")
                )
            self.subject = place
            return
        before = self._solid(place)
        mark = self._kind(before)
        target = self.noun
        if mark == "," and self._hedged_before(place):
            self._attach(place, target, "appos")
        else:
            self._attach(place, target, "conj" if mark in ("c", ",") else "appos")

    def _hedged_before(self, place: int) -> bool:
        return self._kind(place - 1) == "r"

    def _after_object(self, place: int, before: int) -> None:
        """A second object ("gives people a place"), or the subject of a clause without a word to open it."""
        governor = self.phrases[before].gov
        if self._predicate_ahead(place):
            self.subject, self.clause = place, (before, "rel", "")
        elif self._kind(governor) == "v":
            self._attach(place, governor, "obj")
        else:
            self._attach(place, before, "appos")

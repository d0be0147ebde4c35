"""Cues on a verb whose subject is named, and on what governs a verb: "suggests that", "as if", "ready to"."""

from __future__ import annotations

from collections.abc import Iterator

from sheeplib.mentions.english import cues, wording
from sheeplib.mentions.english.objects import Objects
from sheeplib.mentions.english.phrases import ROOT, Phrase
from sheeplib.mentions.english.sentence import Reason, is_bare, is_singular

_IF = ("as if", "as though", "if", "whether", "even if")
_SHOWN = wording.words("see show find include feature depict")


class Verbs(Objects):
    """Steps of a walk that start at a verb, and from a subject to its verb."""

    # --- from a subject ---

    def _on_subject(self, verb: Phrase) -> Iterator[Reason]:
        below = list(self.clause.dependents(verb.place, "anpr"))
        words = {phrase.word for phrase in below if phrase.kind != "r"} | {verb.word}
        yield from self._is_it_there(verb, below, words)
        if {"may", "might", "could"} & set(verb.words) and "have" in verb.words[:-1]:
            yield Reason("hedged", verb.words[0], False)  # "a dog may have passed here"
        if verb.word in cues.DRAWING and wording.BE & set(verb.words) and self._drawn_somewhere(verb):
            yield Reason("depictive", verb.words[-1], True)
        if made := self._made_of(verb):
            yield Reason("depictive", f"made {made}", True)
        if self.unnamed and self.direct:
            yield from self._at_large_subject(verb, below, words)
        self.direct, self.subject = False, True

    def _is_it_there(self, verb: Phrase, below: list[Phrase], words: set[str]) -> Iterator[Reason]:
        """ "A dog may be visible", "no longer there", "is missing"."""
        placed = [phrase for phrase in below if phrase.rel in ("prep", "comp", "obj")]
        located = verb.word == "be" and bool(placed) and placed[0].kind == "p" and placed[0].word != "of"
        located &= not any(
            held.word in cues.CONDITIONS
            for phrase in placed[:1]
            for held in self.clause.dependents(phrase.place, "n")
        )
        there = bool(words & cues.THERE) or verb.word in ("exist", "see", "find") or located
        adverbs = {word for phrase in below if phrase.kind == "a" for word in phrase.before}
        hedge = self._verb_hedge(verb) or next(iter(sorted(cues.HEDGE_ADVERBS & adverbs)), "")
        could_see = verb.word in cues.SIGHTED and hedge == "could"  # said of what is plain to see
        seeming = verb.word in ("appear", "seem") and any(
            other.word == "be" and self._is_there(other)
            for other in self.clause.dependents(verb.place, "v", ("comp",))
        )
        if not self.definite and (hedge and there and not could_see or seeming):
            yield Reason("hedged", hedge or verb.words[-1], True)
        if self.clause.negated(verb) and (there or verb.word in _SHOWN):
            yield Reason("negation", "not", True)
        if words & cues.MISSING:
            yield Reason("negation", min(words & cues.MISSING), True)

    def _is_there(self, verb: Phrase) -> bool:
        return any(below.word in cues.THERE for below in self.clause.dependents(verb.place, "an"))

    def _at_large_subject(self, verb: Phrase, below: list[Phrase], words: set[str]) -> Iterator[Reason]:
        """ "Dogs often run here", "people can sit here", "a place where people gather"."""
        habits = cues.HABITS & (set(verb.before) | {phrase.word for phrase in below if phrase.kind == "r"})
        if habits:
            yield Reason("generic", min(habits), True)
        if words & cues.SIGHTS and verb.word == "be":
            yield Reason("generic", min(words & cues.SIGHTS), True)
        if cues.ABILITY & set(verb.words) and verb.word not in cues.SIGHTED | {"be"}:
            yield Reason("purpose", verb.words[0], True)
        passive = verb.word in cues.ENABLING and wording.BE & set(verb.words[:-1])
        if passive or verb.word == "be" and words & cues.ADMITTED:  # "only buses are allowed to stop"
            yield Reason("purpose", verb.words[-1], True)
        governor = self.clause.governor(verb)
        habitual = verb.opener == "where" and verb.rel == "rel" and not wording.BE & set(verb.words)
        if habitual and governor is not None and is_singular(governor):
            yield Reason("purpose", "where", False)

    # --- from a verb ---

    def _from_verb(self, verb: Phrase) -> Iterator[Reason]:
        """Cues on a verb and on what governs it; goes on to the next phrase, or ends."""
        if not self.subject:
            yield from self._at_large(verb)
            hedge = self._verb_hedge(verb)
            if hedge and (verb.word != "be" or self.beside):
                yield Reason("hedged", hedge, False)
            if self.clause.negated(verb) and verb.word != "be" and not self.direct:
                yield Reason("negation", "not", False)
        yield from self._purposive(verb)
        yield from self._by_opener(verb)
        governor = self.clause.governor(verb)
        lists = verb.word == "include" and verb.form == "ing"
        aside = lists and not self.direct  # "including a lamp above the table"
        self.direct, self.place = lists and self.direct and not self.definite, ROOT
        if governor is not None and not aside:
            yield from self._governed(verb, governor)
        self.subject = False

    def _at_large(self, verb: Phrase) -> Iterator[Reason]:
        """ "One could fly a kite here", "visitors can hire bicycles"; "one often comes across horses"."""
        subject = self.clause.subject(verb.place)
        if subject is not None and cues.ABILITY & set(verb.words) and not self.perceived:
            many = subject.kind == "n" and is_bare(subject) and subject.word.endswith("s")
            if subject.word in cues.PEOPLE_AT_LARGE or many and subject.word != "this":
                yield Reason("purpose", verb.words[0], not self.definite)
        habits = cues.HABITS & set(verb.before)
        if habits and self.unnamed:
            yield Reason("generic", min(habits), True)

    def _by_opener(self, verb: Phrase) -> Iterator[Reason]:
        if verb.opener in _IF and verb.form != "en":  # not "if needed"
            yield Reason("hedged", verb.opener, False)
            self.excepted = True  # "not enough to tell whether" denies nothing
        elif verb.opener.startswith("so that") or verb.opener == "so":
            yield Reason("purpose", verb.opener, False)
        elif verb.opener == "when" and {"was", "were"} & set(verb.words) and self.bare:
            yield Reason("generic", "when", True)

    def _governed(self, verb: Phrase, governor: Phrase) -> Iterator[Reason]:
        """On to what governs the verb, if a cue there can still reach the mention."""
        relation = verb.rel, governor.kind
        if verb.rel == "that":
            yield from self._told(governor)
            self.place = governor.place if governor.kind == "v" else ROOT
        elif relation == ("comp", "v"):
            if governor.word in cues.SEEMING | cues.BELIEVING and not self.beside:
                yield Reason("hedged", governor.words[-1], False)
            seen = governor.word in ("see", "capture", "find")  # "is seen riding a horse"
            self.place = ROOT if seen else governor.place
        elif relation == ("comp", "a") and governor.word in cues.UNSURE:
            yield Reason("hedged", governor.word, False)
        elif relation == ("comp", "a") and governor.word == "unable":
            yield Reason("negation", governor.word, False)
        elif relation == ("conj", "v"):
            self.place = governor.place
        elif relation == ("mod", "n"):
            if governor.word == "what":
                yield Reason("hedged", "what", False)
            self.place, self.near = governor.place, self.near and verb.form != "en"
        elif relation == ("rel", "n"):
            own = any(self.clause.dependents(verb.place, "n", ("subj",)))
            if own and verb.opener in ("which", "where") and governor.word in cues.ARTWORKS:
                yield Reason("depictive", f"{governor.word} in {verb.opener}", True)
            self.place = governor.place if verb.opener != "what" else ROOT
            self.near &= bool(wording.MODALS & set(verb.words))
            self.related = True
        elif governor.kind == "p" and (
            governor.word in ("for", "of", "without", "from") or self.clause.gives_example(governor)
        ):
            self.place = governor.place  # what is done "by cutting a cake" is done

    def _told(self, governor: Phrase) -> Iterator[Reason]:
        """A clause after "suggests that", "it is possible that", "the impression that"."""
        if governor.kind == "v" and governor.word in cues.TELLING | cues.SEEMING:
            firm = self.perceived or self.subject and governor.word not in cues.SURE_TELLING
            yield Reason("hedged", f"{governor.words[-1]} that", firm and not self.definite)
        elif (
            governor.kind == "n" and "no" in governor.words and governor.word != "doubt"
        ):  # "no indication that a train is coming"
            yield Reason(
                "negation", f"no {governor.word}", (self.perceived or self.subject) and not self.definite
            )
        elif governor.word in cues.UNSURE | cues.GUESSES | {"sure", "certain", "clear"}:
            yield Reason("hedged", governor.word, (self.perceived or self.subject) and not self.definite)
        elif governor.word in ("ensure", "hope", "wish", "want"):
            yield Reason("purpose", governor.word, False)

"""Cues on prepositions: of, for, like, without."""

from __future__ import annotations

from collections.abc import Iterator

from sheeplib.mentions.english import cues, wording
from sheeplib.mentions.english.depictions import Depictions
from sheeplib.mentions.english.phrases import ROOT, Phrase
from sheeplib.mentions.english.sentence import Reason, is_definite, is_singular

_SHAPED = wording.words("shape dress style disguise portray depict fashion model decorate design")
_ALIKE = wording.words("similar resemblance akin comparable identical")
_SERVICES = wording.words("transportation service shelter warning reminder access shade")
_ROLES = wording.words("use serve act function double")
_AT_LARGE = {
    "in": cues.FONDNESS | cues.SIGHTS, "among": cues.TYPICAL, "amongst": cues.TYPICAL, "with": cues.TYPICAL,
}  # fmt: skip
_LOOKS = cues.SEEMING | wording.words("act behave feel")


class Prepositions(Depictions):
    """Steps of a walk that start at a preposition."""

    def _from_preposition(self, preposition: Phrase) -> Iterator[Reason]:
        word, governor = preposition.word, self.clause.governor(preposition)
        head = governor.word if governor is not None else ""
        yield from self._by_preposition(preposition, governor, head)
        hedges = cues.HEDGE_ADVERBS & set(preposition.before)
        if hedges:
            yield Reason("hedged", min(hedges), not self.definite)
        if governor is None or preposition.rel == "adv":
            self.place = ROOT
            return
        if word == "with" and (guesses := cues.HEDGE_ADVERBS & set(governor.before)):
            yield Reason("hedged", min(guesses), False)  # "likely a kitchen with an oven"
        if governor.kind == "v":
            denied = preposition.rel == "prep" and word not in ("in", "at") and head != "be"
            if denied and self.clause.negated(governor):
                yield Reason("negation", "not", False)
            nobody = self.clause.nobody(governor) if word == "by" else ""
            if nobody:  # "none of the seats is taken by a man"
                yield Reason("negation", nobody, not self.definite)
            if word == "by" and self.unnamed and cues.HABITS & set(governor.before):
                yield Reason("generic", min(cues.HABITS & set(governor.before)), True)
            elif word == "by" and head in cues.USING and self.unnamed:
                yield Reason("purpose", f"{governor.words[-1]} by", True)
        self._pass(preposition, governor)

    def _pass(self, preposition: Phrase, governor: Phrase) -> None:
        """Go on to what governs the preposition, and remember what was passed."""
        word = preposition.word
        self.place = governor.place
        self.partly |= word == "of"
        self.beside |= governor.kind == "v"
        if word == "with" and self.mention.words[0] in ("his", "her"):
            self.near = False  # "about to hit the ball with her racket": she has one
        if word == "of" and governor.word in cues.FLOCKS | {"rest", "number"}:
            self.definite |= is_definite(governor)
        if not (word == "of" or self.clause.gives_example(preposition)) or governor.kind != "n":
            self.direct = False
        if governor.kind == "n" and word not in ("of", "like", "as", "with", "for", "by"):
            self.near = False
        if governor.kind == "n" and word not in ("of", "with", "in", "like", "by") and self.definite:
            self.listed = True  # "a picture of a cat on the wall": the wall is there

    def _by_preposition(self, preposition: Phrase, governor: Phrase | None, head: str) -> Iterator[Reason]:
        word = preposition.word
        before = self.clause.tokens[preposition.first - 1].lower if preposition.first else ""
        acts = governor is not None and governor.kind == "v"
        if word in cues.WITHOUT:
            yield Reason("negation", word, not self.definite)
        elif (before, word) in (("instead", "of"), ("rather", "than")):
            yield Reason("negation", f"{before} {word}", not self.definite)
        elif word in ("at", "to", "toward", "towards") and head in ("hint", "allude"):
            yield Reason("hedged", f"{head} {word}", False)
        elif self._made_with(preposition, head, acts):
            yield Reason("depictive", f"{head} {word}", True)
        elif word in ("of", "from") and head in cues.ABSENCES | cues.ABSENT_OF:
            yield Reason("negation", f"{head} {word}", not self.definite)
        elif word == "of" and governor is not None and head in cues.MADE_OF and self._is_art(governor):
            yield Reason("depictive", f"{head} of", not self.definite)
        elif word == "of" and governor is not None:
            yield from self._of(head, governor)
        elif word == "for" and acts and head in ("mistake", "pass"):
            yield Reason("hedged", f"{head} for", not self.definite)
        elif word == "for":
            yield from self._for(preposition, governor, head)
        elif word in ("like", "as", "to") and governor is not None:
            if governor.kind == "n" and self.clause.gives_example(preposition):
                yield from self._example(governor)
            yield from self._like(word, head, governor)
        elif self.bare and head in _AT_LARGE.get(word, ()):
            yield Reason("generic", head, True)

    def _example(self, group: Phrase) -> Iterator[Reason]:
        """ "Perhaps furniture like chairs", "stuffed animals such as bears"."""
        if guesses := cues.HEDGE_ADVERBS & set(group.before):
            yield Reason("hedged", min(guesses), not self.definite)
        if unreal := self._likenesses(group):
            yield Reason("depictive", unreal, not self.definite)

    def _made_with(self, preposition: Phrase, head: str, acts: bool) -> bool:
        """Whether a picture or likeness is made: "printed with dogs", "folded into a dog"."""
        word, seldom = preposition.word, self.concept in cues.CREATURES | cues.VEHICLES
        if word != "with":
            return word == "into" and head in cues.SHAPING and seldom
        if head in cues.ADORNING:
            return seldom and not self.definite
        if acts:
            return head in cues.DRAWING - {"project"}
        return head in cues.SURFACES | cues.WITH_PICTURES and self._has_picture(preposition)

    def _of(self, head: str, governor: Phrase) -> Iterator[Reason]:
        hedges = cues.HEDGE_ADVERBS & set(governor.before) | cues.HEDGE_ADJECTIVES & set(governor.words[:-1])
        if hedges and self.direct:  # "perhaps a kind of cake"
            yield Reason("hedged", min(hedges), not self.definite)
        if "no" in governor.words and not self.definite:
            yield Reason("negation", f"no {head} of", True)
        art = head in cues.ARTWORKS or head.removesuffix("s") in cues.ARTWORKS
        if (
            art
            and not self._whole(governor, strict=True)
            or head in cues.PICTURES
            and not self._whole(governor, strict=False)
            or head in cues.LIKENESSES
            and (self._held_by(governor, "in") or self._held_by(governor, "take"))
        ):
            yield Reason("depictive", f"{head} of", True)
        elif head in cues.REMINDING:
            yield Reason("hedged", f"{head} of", not self.definite)
        elif head in cues.GUESSES:
            yield Reason("hedged", f"{head} of", False)
        elif head in cues.FONDNESS and self.bare:
            yield Reason("generic", f"{head} of", True)
        elif head in cues.BENEFITS and self.bare:
            yield Reason("purpose", f"{head} of", True)

    def _is_art(self, verb: Phrase) -> bool:
        """Whether the subject of a verb is a work of art."""
        subject = self.clause.subject(verb.place)
        return subject is not None and subject.word.removesuffix("s") in cues.ARTWORKS | cues.CRAFTED

    def _for(self, preposition: Phrase, governor: Phrase | None, head: str) -> Iterator[Reason]:
        acts = any(below.form == "to" for below in self.clause.dependents(preposition.place, "v", ("comp",)))
        typical = head in cues.TYPICAL - {"popular", "important"} and not acts
        if self.bare and (head in cues.FONDNESS or typical):
            yield Reason("generic", f"{head} for", True)
        elif governor is not None and governor.kind == "v" and head in cues.LOOKING_FOR:
            yield Reason("purpose", f"{governor.words[-1]} for", True, intended=True)
        elif acts or governor is not None and head not in cues.NOT_FOR and not self.clause.negated(governor):
            yield Reason("purpose", f"{head} for", not self.definite)

    def _like(self, word: str, head: str, governor: Phrase) -> Iterator[Reason]:
        cue = f"{governor.words[-1]} {word}"
        acts = governor.kind == "v"
        if word == "like" and head in _LOOKS and acts:
            if self.direct:
                yield Reason("depictive" if self._is_art(governor) else "hedged", cue, True)
        elif word == "as" and head in ("appear", "seem") and acts and not self.definite:
            yield Reason("hedged", cue, self.direct)
        elif word in ("like", "as") and head in _SHAPED and acts:
            yield Reason("depictive", cue, not self.definite)
        elif word == "to" and head in _ALIKE:
            yield Reason("hedged", cue, not self.definite)
        elif word == "to" and head in cues.TYPICAL and self.bare:
            yield Reason("generic", cue, True)
        elif word == "to" and head in _SERVICES and self.unnamed:
            yield Reason("purpose", cue, True)
        elif word == "like" and is_singular(self.mention):
            yield Reason("generic", cue, True)
        elif word == "as" and head in _ROLES and (is_singular(self.mention) or self.bare):
            yield Reason("purpose", cue, True)

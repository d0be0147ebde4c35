"""Cues on a verb whose object or complement is named: "is probably a dog", "lacks a dog", "shows a dog"."""

from __future__ import annotations

from collections.abc import Iterator

from sheeplib.mentions.english import cues, wording
from sheeplib.mentions.english.depictions import Depictions
from sheeplib.mentions.english.phrases import Phrase
from sheeplib.mentions.english.sentence import Reason

_HELD = wording.words("hold wear carry ride drive hug")
_AFFIRMED = wording.words("contain include feature show make have")  # "may contain a dog": there may be a dog
_NOT_ART = wording.words("figure figures model decoration ornament silhouette mask costume doll ad motif")
_SOME = wording.words("many much enough all every too")  # "not many dogs" are some dogs


class Objects(Depictions):
    """Steps of a walk from an object to its verb, and from a complement to "be"."""

    def _verb_hedge(self, verb: Phrase) -> str:
        """Modal or adverb that hedges a verb."""
        modal = next((word for word in verb.words[:-1] if word in cues.HEDGE_MODALS), "")
        return modal or next((word for word in verb.before if word in cues.HEDGE_ADVERBS), "")

    def _on_object(self, phrase: Phrase, verb: Phrase) -> Iterator[Reason]:
        subject = self.clause.subject(verb.place)
        told = subject.word if subject is not None else ""
        if verb.word in ("take", "snap", "capture", "shoot") and phrase.word in cues.PICTURES:
            return
        yield from self._by_art(verb, subject, told)
        yield from self._by_meaning(verb)
        yield from self._by_help(phrase, verb)
        if self.clause.negated(verb) and not _SOME & set(phrase.words):
            yield Reason("negation", "not", verb.word in cues.SEEING and not self.definite)
        if not self.definite and (nobody := self.clause.nobody(verb)):
            yield Reason("negation", nobody, True)  # "neither man wears a tie"
        self.perceived |= verb.word in cues.PERCEIVING
        hedge = self._verb_hedge(verb)
        if hedge and verb.word in cues.SEEING:
            there = verb.word in _AFFIRMED and not self.definite and not self.listed
            yield Reason("hedged", hedge, there)

    def _by_art(self, verb: Phrase, subject: Phrase | None, told: str) -> Iterator[Reason]:
        """What pictures show, figures hold and people draw."""
        single = told.removesuffix("s")
        if verb.word in cues.RESEMBLING:
            drawn = single in cues.ARTWORKS | cues.CRAFTED
            yield Reason("depictive" if drawn else "hedged", verb.words[-1], True)
        elif verb.word in cues.SHOWING and self._displayed(verb, subject):
            yield Reason("depictive", verb.words[-1], True)
        elif (
            verb.word in cues.HOLDING
            and {told, single} & (cues.ARTWORKS - _NOT_ART)
            or single in cues.FIGURES
            and verb.word in _HELD
        ):
            yield Reason("depictive", f"{told} {verb.words[-1]}", not self.definite)
        elif verb.word == "include" and subject is not None and (unreal := self._likenesses(subject)):
            yield Reason("depictive", f"{unreal} {verb.words[-1]}", not self.definite)
        elif verb.word in ("draw", "sketch", "doodle") and single not in ("horse", "ox", "oxen"):
            yield Reason("depictive", verb.words[-1], not self.definite)

    def _by_meaning(self, verb: Phrase) -> Iterator[Reason]:
        """Verbs whose object need not exist."""
        if verb.word in cues.LACKING and verb.word != "miss" or "missing" in verb.words:
            yield Reason("negation", verb.words[-1], not self.definite)
        elif verb.word in cues.TELLING and self.direct:
            yield Reason("hedged", verb.words[-1], False)
        elif verb.word in cues.AWAITING:
            yield Reason("purpose", verb.words[-1], True, intended=True)
        elif verb.word in cues.CAPACITY and {"can", "could"} & set(verb.words[:-1]):
            yield Reason("purpose", f"can {verb.words[-1]}", not self.definite)
        elif verb.word in cues.SERVING and self.unnamed and self.animate:
            yield Reason("purpose", verb.words[-1], False)

    def _by_help(self, phrase: Phrase, verb: Phrase) -> Iterator[Reason]:
        """ "Allowing passengers to board", "protects people from the rain"."""
        if verb.word not in cues.ENABLING:
            return
        below = [*self.clause.dependents(verb.place, "vpr"), *self.clause.dependents(phrase.place, "pr")]
        apart = {"from", "away", "out", "off"} & {other.word for other in below}
        if verb.word == "keep" and not apart and not any(self._purposive(verb)):
            return
        dependent = verb.form in ("ing", "to", "bare")
        acts = any(other.form in ("to", "bare", "ing") for other in below if other.gov == verb.place)
        helped = dependent or acts or bool(apart) or verb.word in cues.HELPING_AT_ALL
        if helped and (self.bare or dependent):
            yield Reason("purpose", verb.words[-1], self.unnamed)

    def _on_complement(self, verb: Phrase) -> Iterator[Reason]:
        """After "be": what something is, or what there is."""
        if self.clause.negated(verb) and not _SOME & set(self.mention.words):
            yield Reason("negation", "not", not self.definite)
        if not self.direct:
            return
        subject = self.clause.subject(verb.place)
        if subject is not None and (subject.word in cues.ARTWORKS - _NOT_ART or self._unreal(subject)):
            yield Reason("depictive", f"{subject.word} {verb.words[-1]}", True)
        self.perceived = True  # what somebody may take a thing for is about the thing
        firm = not (self.partly and self.definite)
        hedge = self._verb_hedge(verb)
        if hedge and not (verb.word != "be" and "could" in verb.words):
            yield Reason("hedged", hedge, firm)
        governor = self.clause.governor(verb)
        if governor is not None and verb.rel in ("comp", "mod"):
            seems = governor.kind == "v" and governor.word in cues.SEEMING | cues.BELIEVING
            unsure = governor.kind == "a" and governor.word in ("likely", "unlikely", "rumored")
            if seems or unsure or governor.kind == "n" and governor.word == "what":
                if self.clause.negated(governor):
                    yield Reason("negation", "not", True)
                yield Reason("hedged", f"{governor.words[-1]} to be", firm)
        if any(below.word == "likely" for below in self.clause.dependents(verb.place, "ar")):
            yield Reason("hedged", "likely", firm)

    def _purposive(self, verb: Phrase) -> Iterator[Reason]:
        """Whether a verb tells what something is for, or what somebody is about to do."""
        governor = self.clause.governor(verb)
        if governor is None:
            return
        cue = f"{governor.words[-1]} {verb.words[0]}"
        if verb.form in ("to", "bare") and governor.kind == "v" and verb.rel == "comp":
            yield from self._purpose_after_verb(verb, governor, cue)
        elif verb.form == "to" and governor.kind == "a" and verb.rel in ("comp", "mod"):
            if governor.word in cues.TYPICAL and not self.definite:
                yield Reason("generic", cue, True)
            elif governor.word in cues.PURPOSE_ADJECTIVES:
                yield Reason("purpose", cue, True)
        elif verb.form == "to" and (governor.kind == "p" or governor.kind == "n" and verb.rel == "mod"):
            if verb.word != "be" or governor.kind == "p":
                yield Reason("purpose", cue, True)
        elif verb.form == "ing" and governor.kind == "p" and governor.word == "for":
            yield Reason("purpose", cue, True)
        elif verb.rel == "rel" and cues.ABILITY & set(verb.words) and verb.word != "see":
            yield Reason("purpose", verb.words[0], False)

    def _purpose_after_verb(self, verb: Phrase, governor: Phrase, cue: str) -> Iterator[Reason]:
        word = governor.word
        passive = governor.form == "en" or bool(wording.BE & set(governor.words[:-1]))
        meant = word in cues.DESIGNED and (passive or verb.form == "to")
        if word == "be" and verb.before[:1] == ["there"]:  # "the hooks are there to hang"
            yield Reason("purpose", f"there {verb.words[0]}", True)
        if self.mention.words[0] in ("his", "her") and word not in cues.AWAITING | cues.LOOKING_FOR:
            return  # "trying to fix the chain of his bicycle"
        if word in cues.STRIVING | cues.ENABLING or meant:
            yield Reason("purpose", cue, word not in ("stop", "come", "go", "look"))
        elif verb.form == "to" and verb.word != "be" and word not in cues.NO_AIM:
            yield Reason("purpose", cue, False)

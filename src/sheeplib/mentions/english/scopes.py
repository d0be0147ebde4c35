"""What reaches a noun phrase: a walk from it up through all that governs it, collecting cues."""

from __future__ import annotations

from collections.abc import Iterator

from sheeplib.mentions.english import cues, wording
from sheeplib.mentions.english.phrases import ROOT, Phrase
from sheeplib.mentions.english.prepositions import Prepositions
from sheeplib.mentions.english.sentence import Reason
from sheeplib.mentions.english.verbs import Verbs

_COPULAS = ("be", "become", "remain")


class Walk(Verbs, Prepositions):
    """The walk from one noun phrase; see `State`."""

    def reasons(self) -> Iterator[Reason]:
        """Cues from the nearest to the farthest."""
        yield from self._inside()
        yield from self._below()
        yield from self._on_screen()
        steps = {"n": self._from_noun, "v": self._from_verb, "p": self._from_preposition}
        visited: set[int] = set()
        while self.place != ROOT and self.place not in visited:
            visited.add(self.place)
            phrase = self.clause.phrases[self.place]
            if phrase.kind == "a":  # "bread ready for people": on to the bread
                self.direct, self.place = False, phrase.gov if phrase.rel == "mod" else ROOT
                continue
            if phrase.kind not in steps:
                return
            governor = self.clause.governor(phrase)
            shown = phrase.rel == "obj" and governor is not None and governor.kind == "v"
            for reason in steps[phrase.kind](phrase):
                if self._reaches(reason, shown):
                    yield reason

    def _reaches(self, reason: Reason, shown: bool) -> bool:
        """Whether a cue acts over what the walk has passed; `shown` if it is on the verb of an object."""
        if (self.excepted or self.owner or self.partly and self.definite) and reason.subtype == "negation":
            return False
        if self.listed:
            return reason.firm and (reason.subtype == "hedged" or reason.subtype == "depictive" and shown)
        far = reason.subtype == "depictive" or reason.subtype == "negation" and not self.related
        return self.near or far or reason.firm and self.direct

    def _inside(self) -> Iterator[Reason]:
        """Cues inside the phrase of the mention and just before it."""
        phrase = self.mention
        words, before = set(phrase.words[:-1]), set(phrase.before)
        hedges = cues.HEDGE_ADVERBS & before | cues.HEDGE_ADJECTIVES & words
        if hedges and self.direct:
            yield Reason("hedged", min(hedges), True)
        if phrase.words[0] == "either" and len(phrase.words) > 1 and self._has_alternative(phrase):
            yield Reason("hedged", "either", True)
        denied = (
            {"no", "neither", "nor"} & set(phrase.words) or before & {"nor", "not"} and "only" not in before
        )
        if denied and phrase.words[:2] not in (("no", "doubt"), ("no", "matter")):
            yield Reason("negation", "no", True)
        if unreal := self._unreal(phrase):
            yield Reason("depictive", unreal, True)
        if missing := cues.MISSING & words:
            yield Reason("negation", min(missing), True)

    def _has_alternative(self, phrase: Phrase) -> bool:
        return phrase.words[1] not in ("end", "side", "hand") and any(
            "or" in {token.lower for token in self.clause.tokens[phrase.last : other.first]}
            for other in self.clause.dependents(phrase.place, "n", ("conj",))
        )

    def _below(self) -> Iterator[Reason]:
        """Cues in what hangs on the mention: "a dog painted on the wall", "a dog, perhaps"."""
        for phrase in self.clause.dependents(self.place):
            if phrase.kind == "v" and phrase.rel == "mod":
                if phrase.form == "en" and phrase.word in cues.DRAWING and self._drawn_somewhere(phrase):
                    yield Reason("depictive", phrase.words[-1], True)
                elif made := self._made_of(phrase):
                    yield Reason("depictive", f"made {made}", True)
                elif phrase.form == "ing" and (named := self._named_by(phrase)):
                    yield Reason("depictive", f"{phrase.words[-1]} {named}", True)
            elif phrase.kind == "p" and phrase.rel in ("prep", "adv"):
                yield from self._pictured(phrase)
            elif phrase.kind == "r" and phrase.rel == "after" and phrase.word in cues.HEDGE_ADVERBS:
                yield Reason("hedged", phrase.word, True)
            elif phrase.kind == "a" and cues.HEDGE_ADVERBS & set(phrase.before) and phrase.word in cues.THERE:
                yield Reason("hedged", phrase.before[0], True)

    def _from_noun(self, phrase: Phrase) -> Iterator[Reason]:
        governor = self.clause.governor(phrase)
        self.place = phrase.gov
        if governor is None:
            return
        if phrase.rel in ("conj", "appos") and governor.kind == "n":
            yield from self._from_conjunct(phrase, governor)
        elif governor.kind == "v" and phrase.rel == "subj":
            yield from self._on_subject(governor)
        elif governor.kind == "v" and governor.word in _COPULAS:
            yield from self._on_complement(governor)
        elif governor.kind == "v":
            yield from self._on_object(phrase, governor)

    def _from_conjunct(self, phrase: Phrase, target: Phrase) -> Iterator[Reason]:
        """ "A dog or a cat": what holds for one holds for the other, unless something sets them apart."""
        between = {token.lower for token in self.clause.tokens[target.last + 1 : phrase.first]}
        comma, either = "," in between, bool({"or", "nor"} & between)
        own = bool((wording.DETERMINERS | wording.NUMBERS) & set(phrase.words)) and phrase.rel != "appos"
        set_off = target.rel == "appos" and comma and not either  # "two birds, likely ducks, and a dog"
        hedges = cues.HEDGE_ADVERBS & set(target.before)
        if hedges and self.direct and not set_off:
            yield Reason("hedged", min(hedges), True)
        if target.words[0] == "either" and self._has_alternative(target):
            yield Reason("hedged", "either", True)
        if "nor" in between or not own and {"no", "neither"} & set(target.words[:1]):
            yield Reason("negation", "nor" if "nor" in between else "no", True)
        if not own and phrase.rel == "conj" and not comma:
            alike = set(target.words[:-1]) & cues.lifeless(self.concept)
            if unreal := self._unreal(target) or min(alike, default=""):
                yield Reason("depictive", unreal, True)
        self.listed |= comma and own and not either
        self.excepted |= bool(cues.ONLY & (between | set(phrase.before)))
        self.direct &= not set_off

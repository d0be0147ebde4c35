"""A light parse of a tagged English sentence: for each phrase the one that governs it.

It goes once from left to right. What it has to get right is what a cue reaches: objects and complements of a
verb or preposition, subjects of clauses, coordination, modifiers after a noun, and where a clause ends.
"""

from __future__ import annotations

from collections.abc import Sequence

from sheeplib.mentions.english import wording
from sheeplib.mentions.english.nouns import Nouns
from sheeplib.mentions.english.phrases import ROOT, Phrase, phrases_of
from sheeplib.mentions.english.tokens import Token

_TELLS = wording.words(
    "suggest imply indicate mean seem appear believe think suppose show ensure imagine hint assume "
    "suspect guess presume reckon speculate say"
)
_TAKES_INFINITIVE = wording.words(
    "allow enable help let make encourage invite require permit want expect watch see cause lead get ask "
    "force prompt urge tempt entice"
)
_ASKS_INFINITIVE = wording.words(
    "place spot way space room area time opportunity chance ability attempt effort need desire permission "
    "surface platform environment destination option means tool device preparation order plan intention "
    "decision right place places spots ways opportunities attempts efforts tools location moment reason"
)


def parse(tokens: Sequence[Token]) -> list[Phrase]:
    """Phrases of a tagged sentence with their governors.

    Parameters
    ----------
    tokens : sequence of Token
        With tags.
    """
    phrases = phrases_of(tokens)
    _Attachment(phrases).run()
    return phrases


class _Attachment(Nouns):
    """Gives each phrase of a sentence its governor."""

    def run(self) -> None:
        for place, phrase in enumerate(self.phrases):
            if phrase.kind == "n":
                self._take_noun(place)
            elif phrase.kind == "v":
                self._take_verb(place)
            elif phrase.kind == "p":
                self._take_preposition(place)
            elif phrase.kind == "a":
                self._take_adjective(place)
            elif phrase.kind == "r":
                self._take_adverb(place)
            elif phrase.kind in ("s", "w"):
                self._open_clause(place)

    def _take_verb(self, place: int) -> None:
        phrase = self.phrases[place]
        before = self._solid(place)
        kind = self._kind(before)
        if phrase.form == "fin":
            self._take_finite(place, before, kind)
        elif phrase.form == "to":
            self._take_infinitive(place, before, kind)
        else:
            self._take_participle(place, before, kind)
        self.verb = place
        self.preposition = None

    def _take_finite(self, place: int, before: int | None, kind: str) -> None:
        phrase = self.phrases[place]
        governor, rel, opener = self.clause
        if before is not None and kind == "n" and self.subject is None and self._told(before, place):
            return
        helper = self.verb is not None and self.phrases[self.verb].word in _TAKES_INFINITIVE
        bare = (
            phrase.first == phrase.last
            and not phrase.words[0].endswith("s")
            and phrase.word not in ("be", "have")
        )
        if helper and bare and kind == "n" and before is not None and self.phrases[before].gov == self.verb:
            phrase.form = "bare"
            self._attach(place, self.verb, "comp")
        elif (
            kind == "v"
            and before is not None
            and self.subject is None
            and self.phrases[before].word in _TELLS
        ):
            self._attach(place, before, "that")  # "which I think is a dog"
        elif self.subject is not None:
            self._attach(place, governor, rel)
            phrase.opener = opener
            self._attach(self.subject, place, "subj")
        elif rel == "rel" and governor != ROOT:
            self._attach(place, governor, "rel")
        elif kind in ("c", ",") and self.verb is not None:
            self._attach(place, self._same_form(phrase), "conj")
        else:
            self._attach(place, governor, rel)
        if phrase.rel == "root":
            self.main = place
        self.subject, self.clause = None, (ROOT, "root", "")

    def _told(self, noun: int, verb: int) -> bool:
        """Turn "suggests a train | is coming" into a clause that the first verb governs."""
        top = noun
        while (
            self.phrases[top].rel in ("obj", "conj", "prep", "mod")
            and self._kind(self.phrases[top].gov) in "np"
        ):
            top = self.phrases[top].gov
        phrase = self.phrases[top]
        if phrase.rel != "obj" or self._kind(phrase.gov) != "v":
            return False
        if self.phrases[phrase.gov].word not in _TELLS:
            return False
        self._attach(verb, phrase.gov, "that")
        self._attach(top, verb, "subj")
        return True

    def _same_form(self, phrase: Phrase) -> int:
        """Last verb that a coordinated verb continues: "to sit and enjoy", "stands and waits"."""
        bare = phrase.words[0] == phrase.word and phrase.word != "be" and phrase.first == phrase.last
        for place in range(phrase.place - 1, -1, -1):
            other = self.phrases[place]
            if other.kind == "v" and (other.form in ("to", "bare") if bare else other.form == "fin"):
                return place
            if other.kind == "v" and bare and set(other.words) & wording.MODALS:
                return place
        return self.verb if self.verb is not None else ROOT

    def _take_infinitive(self, place: int, before: int | None, kind: str) -> None:
        if kind == "c" and self.verb is not None:
            forms = [i for i in range(place) if self.phrases[i].kind == "v" and self.phrases[i].form == "to"]
            self._attach(place, forms[-1] if forms else self.verb, "conj" if forms else "comp")
        elif kind == "n" and before is not None:
            self._infinitive_after_noun(place, before)
        elif kind in ("v", "a") and before is not None:
            self._attach(place, before, "comp")
        else:
            self._attach(place, self.verb if self.verb is not None else self.main, "comp")
        self.subject = None if kind != "," else self.subject

    def _infinitive_after_noun(self, place: int, noun: int) -> None:
        top = noun
        while self.phrases[top].rel in ("conj", "appos") or (
            self.phrases[top].rel == "obj" and self.phrases[self.phrases[top].gov].word == "of"
        ):
            top = self.phrases[top].gov
            if self._kind(top) == "p":
                top = self.phrases[top].gov
            if self._kind(top) != "n":
                break
        governor = self.phrases[top].gov if self._kind(top) == "n" else ROOT
        if self._kind(governor) == "p" and self.phrases[governor].word == "for":
            self._attach(place, governor, "comp")  # for people to sit on
        elif (
            self._kind(governor) == "v"
            and self.phrases[top].rel == "obj"
            and (self.phrases[governor].word not in ("be", "have", "provide", "offer", "create", "become"))
        ):
            self._attach(place, governor, "comp")
        elif (
            self._kind(governor) == "p"
            and self.phrases[noun].word not in _ASKS_INFINITIVE
            and self.verb is not None
        ):
            self._attach(place, self.verb, "comp")  # "leaps into the air to hit"
        else:
            self._attach(place, noun, "mod")

    def _take_participle(self, place: int, before: int | None, kind: str) -> None:
        phrase = self.phrases[place]
        if kind == "p" and before == self.preposition:
            self._attach(place, before, "obj")
        elif kind in ("n", "a", "v", "w") and before is not None:
            self._attach(place, before, "mod" if kind == "n" else "comp")
        elif kind == "s":
            self._attach(place, self.main, "sub")
            self.phrases[place].opener = self.clause[2]
            self.clause = (ROOT, "root", "")
        elif kind == "c":
            same = [
                i
                for i in range(place)
                if self.phrases[i].kind == "v" and self.phrases[i].form == self.phrases[place].form
            ]
            verb = self.verb if self.verb is not None and self.phrases[self.verb].form == "fin" else None
            self._attach(place, same[-1] if same else verb, "conj")
        elif self.main is None and self.subject is not None:  # "an advertisement, showing a dog, hangs"
            self._attach(place, self.subject, "mod")
        elif phrase.word == "include":
            self._attach(place, self._object(), "mod")  # "several vehicles on the road, including a car"
        else:
            self._attach(place, self.main if self.main is not None else self.noun, "adv")

    def _take_preposition(self, place: int) -> None:
        before = self._solid(place)
        kind = self._kind(before)
        such = place > 0 and self.phrases[place - 1].word == "such"
        apart = self.phrases[place].word == "like" and kind in (",", "(", "–", "—", "-", "p")
        if (such or apart) and self.noun is not None:  # "some animals, like cats", "scattered around like"
            self._attach(place, self.noun, "prep")
        elif kind in ("n", "v", "a", "p"):
            self._attach(place, before, "prep")
        elif kind == "c":
            same = [i for i in range(place) if self.phrases[i].kind == "p"]
            self._attach(place, same[-1] if same else self.verb, "conj")
        elif kind:
            self._attach(place, self.verb if self.verb is not None else self.noun, "adv")
        self.preposition = place

    def _take_adjective(self, place: int) -> None:
        before = self._solid(place)
        kind = self._kind(before)
        if kind in ("v", "n", "p"):
            self._attach(place, before, "comp" if kind == "v" else "mod")
        elif kind == "c" and self.verb is not None:
            self._attach(place, self.verb, "comp")
        elif kind == "," and self.noun is not None:
            self._attach(place, self.noun, "adv")
        if self.preposition == before:
            self.preposition = None

    def _take_adverb(self, place: int) -> None:
        """An adverb belongs to what follows, or, at the end of its stretch, to what comes before."""
        after = place + 1
        while self._kind(after) == "r":
            after += 1
        phrase = self.phrases[place]
        known = self._kind(after) == "n" and set(self.phrases[after].words) & (
            wording.DEFINITE | wording.PRONOUNS
        )
        if place == 0 and known:  # "perhaps there is", "maybe the man is"
            verbs = (i for i in range(after, len(self.phrases)) if self.phrases[i].form == "fin")
            after = next(verbs, after)
        if self._kind(after) in ("n", "v", "p", "a", "w", "s"):
            self.phrases[after].before.append(phrase.word)
            self._attach(place, after, "adverb")
        elif self._kind(after) == "," and place == 0:
            later = [
                i
                for i in range(after, len(self.phrases))
                if self._kind(i) == "v" and self.phrases[i].form == "fin"
            ]
            target = later[0] if later else after + 1
            if target < len(self.phrases):
                self.phrases[target].before.append(phrase.word)
                self._attach(place, target, "adverb")
        else:
            self._attach(place, self._solid(place), "after")

    def _open_clause(self, place: int) -> None:
        phrase = self.phrases[place]
        before = self._solid(place)
        kind = self._kind(before)
        if phrase.kind == "w" and phrase.word in ("what", "whatever"):
            self._take_what(place)
            return
        if (
            phrase.word == "that"
            and phrase.kind == "s"
            and before is not None
            and kind in ("v", "a", "n", "s")
        ):
            self.clause = (before, "that", "that")
        elif phrase.word in ("if", "whether") and kind in ("v", "a") and before is not None:
            self.clause = (before, "that", phrase.word)
        elif phrase.kind == "w" or phrase.word in ("where", "whose"):
            noun = self.noun
            self.clause = (ROOT, "root", "") if noun is None else (noun, "rel", phrase.word)
        elif (
            phrase.word in ("if", "though")
            and before is not None
            and self.phrases[before].word in ("as", "even")
        ):
            self.clause = (self._over(before), "sub", f"{self.phrases[before].word} {phrase.word}")
        elif kind == "s" and phrase.word == "that":
            self.clause = (self.clause[0], self.clause[1], f"{self.clause[2]} that")
        else:
            self.clause = (self._over(place), "sub", phrase.word)
        self.subject, self.preposition = None, None

    def _over(self, place: int) -> int:
        return self.verb if self.verb is not None else ROOT

    def _take_what(self, place: int) -> None:
        """ "What looks like a dog": governed as a noun phrase, and itself over the clause that follows."""
        self.phrases[place].kind = "n"
        self._take_noun(place)
        self.subject, self.clause = None, (place, "rel", "what")

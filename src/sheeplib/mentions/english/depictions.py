"""What is only pictured: paintings, statues and toys, screens and signs."""

from __future__ import annotations

from collections.abc import Iterator

from sheeplib.mentions.english import cues, wording
from sheeplib.mentions.english.phrases import ROOT, Phrase
from sheeplib.mentions.english.sentence import Reason, State, is_singular


class Depictions(State):
    """Questions about pictures."""

    def _unreal(self, phrase: Phrase) -> str:
        words = self.clause.tokens[phrase.first : phrase.head]
        for word in words:
            if word.lower in cues.UNREAL - cues.ONLY_CREATURES:
                return word.lower
        return ""

    def _likenesses(self, phrase: Phrase) -> str:
        """What tells that a group is of likenesses, of what can live or drive: "stuffed animals"."""
        if self.concept not in cues.CREATURES | cues.VEHICLES:
            return ""
        single = phrase.word.removesuffix("s")
        return self._unreal(phrase) or (single if single in cues.FIGURES - {"figure"} else "")

    def _made_of(self, verb: Phrase) -> str:
        """What a thing is made of, if that makes it a likeness: "a car made of fondant"."""
        held = [
            (preposition.word, below.word)
            for preposition in self.clause.dependents(verb.place, "p")
            for below in self.clause.dependents(preposition.place, "na")
        ]
        told = [
            f"of {word}"
            for how, word in held
            if how in ("of", "from") and word in cues.lifeless(self.concept)
        ]
        made = verb.form == "en" or bool(wording.BE & set(verb.words[:-1]))
        return told[0] if verb.word == "make" and made and told else ""

    def _on_screen(self) -> Iterator[Reason]:
        """ "On the screen, a woman is reading": the sentence opens with what it is seen on."""
        first, *others = self.clause.phrases
        held = (
            [below.word for below in self.clause.dependents(0, "n")] if first.kind == "p" and others else []
        )
        if first.word == "inside" and held[:1] == ["frame"]:
            held = ["painting"]
        if first.word in ("on", "in", "inside") and held and held[0] in cues.SCREENS_ON | cues.PICTURES_IN:
            subject = self.clause.subject(self.mention.gov) if self.mention.rel == "obj" else None
            seen = subject is not None and subject.word in cues.PEOPLE_AT_LARGE | {"there", "i", "we"}
            if (
                self.mention.gov != 0
                and self.mention.rel in ("subj", "conj")
                or self.mention.gov == ROOT
                or seen
            ):
                yield Reason("depictive", f"{first.word} {held[0]}", True)
        tail = [token.lower for token in self.clause.tokens]
        if "none" in tail[self.mention.last :] and {"for", "search", "look"} & set(
            tail[: self.mention.first]
        ):
            yield Reason("negation", "none", True)

    def _named_by(self, verb: Phrase) -> str:
        """The head of "a man walking sign", which the parse takes for an object: no article of its own."""
        for below in self.clause.dependents(verb.place, "n", ("obj",)):
            if len(below.words) == 1 and below.word in cues.ARTWORKS | {"sign", "signal"}:
                return below.word
        return ""

    def _drawn_somewhere(self, verb: Phrase) -> bool:
        """Whether something is painted on a thing; not "painted red", nor "depicted in the image"."""
        place = verb.place
        objects = [
            below.word
            for preposition in self.clause.dependents(place, "p")
            if preposition.word in ("on", "onto", "in", "across", "over", "by")
            for below in self.clause.dependents(preposition.place, "n")
        ]
        return bool(objects) and not any(word in cues.WHOLES - {"it"} for word in objects)

    def _pictured(self, preposition: Phrase) -> Iterator[Reason]:
        place = preposition.place
        for below in self.clause.dependents(place, "n", ("obj",)):
            on = preposition.word == "on" and below.word in cues.SCREENS_ON
            inside = preposition.word in ("in", "on") and below.word in cues.PICTURES_IN
            labelled = preposition.word == "on" and below.words[0] == "its" and below.word in cues.LABELS
            if on or inside or labelled:
                yield Reason("depictive", f"{preposition.word} {below.word}", True)

    def _displayed(self, verb: Phrase, subject: Phrase | None) -> bool:
        """Whether something that can show pictures shows it, other than the image of the caption."""
        if subject is None:
            return False
        word = subject.word
        while (
            word.removesuffix("s") not in cues.DISPLAYS and verb.rel in ("mod", "rel") and subject.gov != ROOT
        ):
            above = self.clause.phrases[subject.gov]  # "an advertisement on its side featuring"
            if above.kind not in "np" or above.word == "with":
                break
            subject = above if above.kind == "n" else subject
            if above.kind == "p":
                if above.gov == ROOT or self.clause.phrases[above.gov].kind != "n":
                    break
                subject = self.clause.phrases[above.gov]
            word = subject.word
        if word == "display" and (set(subject.words[1:-1]) - cues.LIT or verb.word == "feature"):
            return False  # "a bakery display"
        at_first = subject.words[0] == "the" and word in cues.WHOLE_AT_FIRST and word not in self.clause.said
        at_first &= not list(self.clause.dependents(subject.place, "p"))
        whole = at_first or word in cues.WHOLES and not (is_singular(subject) or "framed" in subject.words)
        whole &= not self._on_a_thing(subject)
        if verb.word in cues.DEPICTING and not whole and subject.kind == "n":
            return subject.words[0] not in ("this", "it") and subject.word not in ("which", "who")
        if subject.words[0] in ("this", "it") or whole or self._part_of_whole(subject):
            return False
        return (
            word.removesuffix("s") in cues.DISPLAYS | cues.ARTWORKS | cues.PICTURES or word in cues.DISPLAYS
        )

    def _on_a_thing(self, picture: Phrase) -> bool:
        """Whether a picture is on something: "the picture on the box", not "the picture on the left"."""
        return any(
            below.word not in cues.PLACES_IN_IMAGE
            for preposition in self.clause.dependents(picture.place, "p", ("prep",))
            if preposition.word == "on" and picture.word in cues.PICTURES
            for below in self.clause.dependents(preposition.place, "n")
        )

    def _part_of_whole(self, picture: Phrase) -> bool:
        """Whether a picture is one of those that the image is made of."""
        if picture.word == "each" and picture.gov != ROOT:
            picture = self.clause.phrases[picture.gov]
        above = self.clause.phrases[picture.gov] if picture.gov != ROOT else None
        whole = self.clause.phrases[above.gov] if above is not None and above.gov != ROOT else None
        if whole is None or picture.word not in cues.PICTURES:
            return False
        made = (
            whole.kind == "v"
            and whole.word in cues.MADE_OF
            or above is not None
            and above.word in cues.MADE_OF
        )
        return made or whole.word in cues.WHOLES | {"series", "set"}

    def _held_by(self, noun: Phrase, preposition: str) -> bool:
        return noun.gov != ROOT and self.clause.phrases[noun.gov].word == preposition

    def _whole(self, governor: Phrase, strict: bool) -> bool:
        """Whether a picture is the image that the caption is about, or one that is being taken."""
        while governor.rel == "conj" and self.clause.phrases[governor.gov].kind == "n":
            governor = self.clause.phrases[governor.gov]
        above = self.clause.phrases[governor.gov] if governor.gov != ROOT else None
        if above is None or governor.rel not in ("obj", "subj"):
            return not strict and "framed" not in governor.words
        if governor.rel == "subj":
            return not strict and not is_singular(governor) and above.word not in cues.PUT_UP
        if above.kind == "v" and above.word in ("take", "snap", "shoot", "capture"):
            return True
        if above.kind == "v" and above.word == "be":
            subject = self.clause.subject(governor.gov)
            word = subject.word if subject is not None else ""
            return not strict and word in cues.WHOLES
        return False

    def _has_picture(self, preposition: Phrase) -> bool:
        tail = [token.lower for token in self.clause.tokens[preposition.first :]]
        return tail[-1:] != ["on"] and self.mention.word not in ("clock", "tie")

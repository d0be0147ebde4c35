"""Whether a caption claims the objects that it names, from the caption alone.

"A dog" may be claimed ("a dog sits on the bench"), hedged ("possibly a dog"), depicted ("a painting of a
dog"), named for a purpose ("a bowl for dogs"), denied ("no dogs"), spoken of at large ("dogs are often seen
here"), or no dog at all ("a dog bed"). The model is rules on a light parse (`english.clauses`): cues
(`english.cues`) act on what they govern (`english.scopes`), not on what stands near them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sheeplib.mentions.english import clauses, cues, tagging, wording
from sheeplib.mentions.english.phrases import Phrase
from sheeplib.mentions.english.scopes import Walk
from sheeplib.mentions.english.sentence import Clause, Reason, is_bare, is_definite
from sheeplib.mentions.english.tokens import Token, sentences
from sheeplib.mentions.senses import Named, is_on, likeness, quoted, settled

SUBTYPES = ("hedged", "depictive", "purpose", "negation")
READINGS = ("asserted", *SUBTYPES, "generic", "compound")


class Reading(NamedTuple):
    """How a caption means an object that it names.

    Parameters
    ----------
    subtype : str
        One of `READINGS`.
    cue : str
        The words that decided; empty for what is asserted.
    """

    subtype: str
    cue: str = ""


@dataclass
class _Case:
    """What a sentence says of a mention, before the rest of the caption is looked at.

    `sure` is a reading that nothing else can change; `definite` says that the phrase points at something
    known, `new` that it names another than before, `owned` that it is "their train" or the like.
    """

    sure: Reading | None = None
    reasons: list[Reason] = field(default_factory=list)
    definite: bool = False
    new: bool = False
    owned: bool = False


def assertion(caption: str, mentions: Sequence[Named]) -> list[Reading]:
    """Decide for each object that a caption names whether the caption claims that it is there.

    Parameters
    ----------
    caption : str
        English.
    mentions : sequence of Named
        Their places in the caption, in any order.

    Returns
    -------
    list of Reading
        In the order of `mentions`.

    Notes
    -----
    A hedge over what somebody does leaves alone what the caption asserts or points at ("appears to be
    watching the TV"), and so does a purpose ("used for serving the cake"). What looks like a stuffed duck at
    first stays one when it comes again as "the duck".

    Source
    ------
    NAME-Bench, table 9, for the kinds and for depiction before negation before the rest. The rules are
    inferred: the paper asks a language model.
    """
    cases: dict[int, _Case] = {}
    introduced: set[str] = set()
    by_start = sorted(range(len(mentions)), key=lambda place: mentions[place].start)
    starts = [mentions[place].start for place in by_start]
    longest = max((named.end - named.start for named in mentions), default=0)
    for tokens in sentences(caption):
        low = bisect_left(starts, tokens[0].start - longest)
        near = sorted(by_start[low : bisect_left(starts, tokens[-1].end)])
        inside = [place for place in near if any(is_on(token, mentions[place]) for token in tokens)]
        if inside:
            sentence = _parsed(tokens, [mentions[place] for place in inside], frozenset(introduced))
            for place in inside:
                cases[place] = _case(sentence, mentions[place], [mentions[other] for other in inside])
        introduced.update(_introduced(tokens))
    claimed = {mentions[place].concept for place, case in cases.items() if not case.sure and not case.reasons}
    readings = [Reading("asserted")] * len(mentions)
    for place in sorted(cases, key=lambda place: mentions[place].start):
        case, concept = cases[place], mentions[place].concept
        reading = case.sure or _decided(case, concept in claimed and not case.new)
        if not case.sure and case.definite and reading.subtype in ("asserted", "purpose"):
            before = [other for other in cases if mentions[other].start < mentions[place].start]
            same = [
                readings[other].subtype
                for other in before
                if _again(caption, mentions[other], mentions[place])
            ]
            if same and set(same) == {"depictive"}:
                reading = Reading("depictive", "as before")
        readings[place] = reading
    return readings


def _again(caption: str, before: Named, named: Named) -> bool:
    """Whether a name comes again; "the people" are not the man on the poster."""
    words = [caption[name.start : name.end].lower().removesuffix("s") for name in (before, named)]
    return before.concept == named.concept and (named.concept != "person" or words[0] == words[1])


def _parsed(tokens: list[Token], inside: Sequence[Named], introduced: frozenset[str]) -> Clause:
    tagging.tag(tokens, [any(is_on(token, named) for named in inside) for token in tokens])
    return Clause(tokens, clauses.parse(tokens), introduced)


def _introduced(tokens: Sequence[Token]) -> Iterator[str]:
    """Words shortly after "a": what the caption has brought in."""
    for place, token in enumerate(tokens):
        if {"a", "an"} & {other.lower for other in tokens[max(0, place - 3) : place]}:
            yield token.lower


def _case(sentence: Clause, named: Named, others: Sequence[Named]) -> _Case:
    """What the sentence says of a mention."""
    tokens = sentence.tokens
    places = [place for place, token in enumerate(tokens) if is_on(token, named)]
    phrase = next(phrase for phrase in sentence.phrases if phrase.first <= places[-1] <= phrase.last)
    if mark := quoted(tokens, places[0]):
        return _Case(Reading("depictive", mark))
    if phrase.kind == "v":
        return _Case(Reading("compound", tokens[places[-1]].lower))
    if phrase.kind != "n":
        return _Case()
    if (found := settled(sentence, phrase, places, named, others)) is not None:
        return _Case(Reading(*found))
    owner = any(token.tag == "'" for token in tokens[places[-1] + 1 : phrase.head + 1])
    walk = Walk(sentence, phrase.place, named.concept, owner)
    reasons = list(walk.reasons())
    if named.concept in cues.TOYS:  # "a stuffed teddy bear" is one
        reasons = [reason for reason in reasons if reason.cue not in cues.TOY_WORDS]
    if _placed(sentence, phrase):
        reasons = [reason for reason in reasons if reason.subtype != "purpose"]
    if word := likeness(tokens[phrase.first : places[0]], named):
        reasons.insert(0, Reason("depictive", word, True))
    new = bool(cues.NEW & set(phrase.words)) and not is_definite(phrase)
    return _Case(None, reasons, walk.definite, new, phrase.words[0] in wording.POSSESSIVES)


def _placed(sentence: Clause, phrase: Phrase) -> bool:
    """Whether the phrase says where the thing is: "ready to eat a pizza placed in front of him"."""
    below = sentence.dependents(phrase.place, "v", ("mod", "rel"))
    held = any(verb.word in cues.LOCATED for verb in below if verb.rel == "rel" or verb.form in ("en", "ing"))
    return held and not is_bare(phrase)


def _decided(case: _Case, claimed: bool) -> Reading:
    """The reading that the reasons amount to: depiction first, then negation, then the nearest."""
    known = case.definite or claimed
    counted = [reason for reason in case.reasons if reason.firm or not known]
    if case.definite and claimed:  # "used for serving the cake", but not "waiting for their train"
        counted = [r for r in counted if r.subtype != "purpose" or r.intended and case.owned]
    for subtype in ("depictive", "negation"):
        for reason in counted:
            if reason.subtype == subtype:
                return Reading(subtype, reason.cue)
    return Reading(counted[0].subtype, counted[0].cue) if counted else Reading("asserted")

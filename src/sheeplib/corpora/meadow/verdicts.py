"""What a scene contradicts in a text, whoever wrote it: the exact truth about every answer.

The rules are those by which writers plant mistakes, so that a planted mistake is found as it was planted.
What is marked is what would have to change:

- something absent: an invention (A), from the first to the last word about its kind, colour and number
  (a number of two or more); in sentences that say something else of it, up to that: "dogs are red". In a
  relation only the absent things are marked, each by itself;
- something absent that stands for something present: a mischaracterization (B) of the kind alone. So it is
  if the two are easily mistaken, all else that is said fits the present one, and the answer does not name
  that one itself: a bench that is called a couch. What only a framed picture shows is absent;
- a wrong number: miscounting (D), "a" for three included; so is a wrong number of legs. A noun's singular
  or plural alone is no number: Chinese has none, and where there is one, a slip of grammar is no mistake
  about the image;
- a wrong word on a sign: misreading (C); a sign where there is none: an invention (A);
- a wrong colour, place, side, posture, setting or trait: a mischaracterization (B);
- a framed picture that shows something else: a mischaracterization (B); where there is none: an invention;
- a part of the surroundings or an event that is not there: an invention (A);
- the absence of something that is there: a mischaracterization (B) of it;
- what does not commit itself is never wrong: hedges, purposes, kinds in general, compounds, impressions.
  SHEEP's guidelines do not let expressions of uncertainty be marked;
- "yes" and "no" are not judged, only what follows them; nor is what the grammar cannot read.

Source
------
SHEEP, Table 1 and appendix B.3 (guidelines), applied to the meadow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from sheeplib.corpora.meadow.annotators import Part
from sheeplib.corpora.meadow.claims import FORMS, MENTION_FORMS, Claim, false_fields
from sheeplib.corpora.meadow.kinds import KINDS
from sheeplib.corpora.meadow.mistakes import Mistake
from sheeplib.corpora.meadow.reading import Reading, Statement
from sheeplib.corpora.meadow.salience import likely_label, salience
from sheeplib.corpora.meadow.scenes import Scene
from sheeplib.corpora.meadow.writers import gold_fields
from sheeplib.tables import Label

# A harbour and a beach both show open water, by whatever name.
_ALSO_SHOWN: Mapping[str, str] = {"harbour": "sea", "beach": "water"}
_NAMES_NO_GROUP = frozenset({"picture", "absent"})  # though it has a kind


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong.

    Parameters
    ----------
    statement : int
        Place of the sentence among the statements of the reading.
    field : str
        The field that is wrong; `premise` for all that is said of something absent.
    part : Part
        Where it stands, which kind of mistake it is, and how easily the image settles it.
    """

    statement: int
    field: str
    part: Part


def faults(reading: Reading, scene: Scene) -> tuple[Fault, ...]:
    """Everything in a text that the scene contradicts, first to last; no two overlap.

    Parameters
    ----------
    reading : Reading
        Of the text.
    scene : Scene
        That the text is about.
    """
    named = _named(reading)
    found = [
        Fault(place, field, _part(statement, statement.claim, field, label, scene))
        for place, statement in enumerate(reading.statements)
        if statement.claim is not None
        for field, label in _wrong(statement.claim, scene, named)
    ]
    return tuple(sorted(found, key=lambda fault: fault.part.start))


def wrong_parts(reading: Reading, scene: Scene) -> tuple[Part, ...]:
    """The parts of `faults`: what annotators try to find."""
    return tuple(fault.part for fault in faults(reading, scene))


def content_parts(reading: Reading, scene: Scene) -> tuple[Part, ...]:
    """The content words that are not wrong, with the labels they would be given by mistake."""
    wrong = wrong_parts(reading, scene)
    return tuple(
        Part(start, end, likely_label(field), salience(statement.claim, field, scene))
        for statement in reading.statements
        if statement.claim is not None
        for field, start, end in statement.parts
        if may_be_doubted(statement.claim, field)
        and all(end <= part.start or part.end <= start for part in wrong)
    )


def may_be_doubted(claim: Claim, field: str) -> bool:
    """Whether a true stretch can be marked by mistake: content words only, so no articles."""
    if field == "count" and claim.count == 1 and claim.form != "count":
        return False
    return field == "mood" or field in stated_fields(claim.form)


def stated_fields(form: str) -> tuple[str, ...]:
    """The fields that sentences of a form state."""
    return FORMS[form] if form in FORMS else MENTION_FORMS[form]


def _named(reading: Reading) -> frozenset[str]:
    """The kinds that a text takes to be there."""
    claims = [statement.claim for statement in reading.statements if statement.claim]
    claims = [claim for claim in claims if claim.form in FORMS and claim.form not in _NAMES_NO_GROUP]
    return frozenset(kind for claim in claims for kind in (claim.kind, claim.other) if kind)


def _wrong(claim: Claim, scene: Scene, named: frozenset[str]) -> Iterator[tuple[str, Label]]:
    """The wrong fields of a claim and their labels."""
    wrong = _contradicted(claim, scene)
    absent = wrong == ["kind"] and claim.form not in _NAMES_NO_GROUP
    if absent and _mistaken(claim, "kind", scene, named):
        yield "kind", Label.MISCHARACTERIZATION
    elif absent:
        yield "premise", Label.INVENTION
    else:
        yield from ((field, _label(claim, field, scene)) for field in wrong if field != "other")
    if claim.other and scene.group(claim.other) is None:
        mistaken = _mistaken(claim, "other", scene, named)
        yield "other", Label.MISCHARACTERIZATION if mistaken else Label.INVENTION


def _contradicted(claim: Claim, scene: Scene) -> list[str]:
    """The false fields for which there are words: not a number that only the form of a noun shows."""
    if claim.fact and claim.fact == _ALSO_SHOWN.get(scene.setting):
        return []
    wrong = [field for field in false_fields(claim, scene) if field in stated_fields(claim.form)]
    if claim.other and wrong != ["kind"]:
        without = "other" if scene.group(claim.other) else "side"  # nothing is beside what is absent
        wrong = [field for field in wrong if field != without]
    return wrong


def _mistaken(claim: Claim, field: str, scene: Scene, named: frozenset[str]) -> bool:
    """Whether an absent kind stands for one that is there, and all else that is said is true of that."""
    return any(
        getattr(claim, field) in KINDS[group.kind].alike
        and group.kind not in named
        and not _contradicted(replace(claim, **{field: group.kind}), scene)  # type: ignore[arg-type]
        for group in scene.groups
    )


def _label(claim: Claim, field: str, scene: Scene) -> Label:
    if field == "count" or (field == "trait" and claim.trait in ("three_legs", "four_legs")):
        return Label.MISCOUNTING
    if field == "word" and scene.sign:
        return Label.OCR
    if field in ("word", "fact", "event") or (claim.form == "picture" and scene.picture is None):
        return Label.INVENTION
    return Label.MISCHARACTERIZATION


def _part(statement: Statement, claim: Claim, field: str, label: Label, scene: Scene) -> Part:
    about = replace(claim, kind=claim.other) if field == "other" else claim
    fields = _invented(claim) if field == "premise" else (field,)
    stated = [(start, end) for name, start, end in statement.parts if name in fields]
    start, end = min(start for start, _ in stated), max(end for _, end in stated)
    return Part(start, end, str(label), salience(about, field, scene))


def _invented(claim: Claim) -> tuple[str, ...]:
    """The fields that go with an absent subject; in a relation the other side may well be there."""
    return ("kind",) if claim.other else gold_fields(Mistake(claim, "premise", Label.INVENTION))

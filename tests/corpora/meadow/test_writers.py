"""Samples: one mistake each and all else true, stated by the same plan in four languages."""

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from sheeplib.corpora.meadow.claims import Claim, elsewhere, false_fields
from sheeplib.corpora.meadow.kinds import CONFUSABLE, EVENTS, FACTS, KINDS, near_colours
from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.questions import SOURCES, answer, draw_question
from sheeplib.corpora.meadow.scenes import Group, Picture, Scene, Sign, scene
from sheeplib.corpora.meadow.writers import HABITS, PLANTED, gold_fields, write, write_samples
from sheeplib.tables import Label

SAMPLES = write_samples(11, 60)


def facts_of(s):
    """Everything that is true of a scene, as plain tuples: made without the package's own checker."""
    facts = {("setting", s.setting), *(("fact", fact) for fact in FACTS[s.setting])}
    facts |= {("absent", kind) for kind in KINDS if kind not in s.kinds}
    if s.sign:
        facts.add(("word", s.sign.word))
    if s.picture:
        facts.add(("shown", s.picture.kind))
    across = {"left": 0, "centre": 1, "right": 2}
    for group in s.groups:
        facts |= {
            (group.kind,), (group.kind, "count", group.count), (group.kind, "many", group.count > 1),
            (group.kind, "colour", group.colour), (group.kind, "place", group.column),
            (group.kind, "place", group.depth),
        }  # fmt: skip
        if KINDS[group.kind].traits:
            facts.add((group.kind, "trait", KINDS[group.kind].traits[1 if group.odd else 0]))
        if KINDS[group.kind].poses:
            facts.add((group.kind, "pose", KINDS[group.kind].poses[0]))
        for other in s.groups:
            if across[group.column] < across[other.column]:
                facts |= {(group.kind, "left", other.kind), (other.kind, "right", group.kind)}
    return facts


def said_by(claim):
    """What a claim says, by field, as such tuples."""
    kind = claim.kind
    if claim.form == "mood":
        return {}
    if claim.form == "event":
        return {"event": ("event", claim.event)}
    if claim.form in ("sign", "setting", "fact"):
        return {
            field: (field, getattr(claim, field))
            for field in ("word", "setting", "fact")
            if getattr(claim, field)
        }
    if claim.form in ("absent", "picture"):
        return {"kind": ({"absent": "absent", "picture": "shown"}[claim.form], kind)}
    said = {"kind": (kind,)}
    counted = claim.form in ("there", "there_at", "count")
    said["count"] = (kind, "count", claim.count) if counted else (kind, "many", claim.count > 1)
    for field in ("colour", "place", "trait", "pose"):
        if getattr(claim, field):
            said[field] = (kind, field, getattr(claim, field))
    if claim.form == "side":
        said["side"] = (kind, claim.side, claim.other)
        said["other"] = (claim.other, "many", claim.other_count > 1)
    return said


def test_the_mistake_is_the_only_thing_that_is_wrong():
    for sample in SAMPLES:
        facts, plan = facts_of(sample.scene), sample.plan
        for place, claim in enumerate(plan.claims):
            wrong = {field for field, fact in said_by(claim).items() if fact not in facts}
            if place != plan.wrong:
                assert not wrong, (sample.scene, claim)
            elif plan.mistake.field == "premise" or (
                plan.mistake.field == "kind" and claim.form != "picture"
            ):
                assert "kind" in wrong and claim.kind not in sample.scene.kinds
            else:
                assert wrong == {plan.mistake.field}, (sample.scene, claim)
        assert plan.claims[plan.wrong] == plan.mistake.claim


def test_the_packages_own_checker_agrees():
    for sample in SAMPLES:
        for place, claim in enumerate(sample.plan.claims):
            assert bool(false_fields(claim, sample.scene)) == (place == sample.plan.wrong)
        if sample.plan.mistake.truth:
            assert not false_fields(sample.plan.mistake.truth, sample.scene)


def test_mistakes_are_of_the_kind_that_the_label_says():
    fields = {
        Label.INVENTION: {"premise", "event"},
        Label.MISCHARACTERIZATION: {"colour", "kind", "place", "side", "pose", "trait", "setting"},
        Label.OCR: {"word"},
        Label.MISCOUNTING: {"count", "trait"},
    }
    for sample in SAMPLES:
        mistake, s = sample.plan.mistake, sample.scene
        assert mistake.field in fields[mistake.label]
        if mistake.label is Label.OCR:
            assert mistake.claim.word == CONFUSABLE[s.sign.word]
        if mistake.field == "count":
            assert mistake.claim.count >= 2 and abs(mistake.claim.count - mistake.truth.count) in (1, 2)
        if mistake.field == "colour":
            assert not near_colours(mistake.claim.colour, mistake.truth.colour)
        if mistake.field == "place":
            assert mistake.claim.place in elsewhere(mistake.truth.place)
        if mistake.field == "event":
            assert s.setting in EVENTS[mistake.claim.event]
        if mistake.field == "premise":
            assert s.picture is None or s.picture.kind != mistake.claim.kind
        legs = mistake.claim.trait in ("three_legs", "four_legs")
        assert mistake.field != "trait" or legs == (mistake.label is Label.MISCOUNTING)


def test_answers_do_not_contradict_themselves():
    """Nothing else is said about the group with the mistake, nor about what it is taken for."""
    for sample in SAMPLES:
        plan = sample.plan
        taken = {plan.mistake.claim.kind, plan.mistake.truth.kind if plan.mistake.truth else None} - {None}
        for place, claim in enumerate(plan.claims):
            if place != plan.wrong and claim.form != "picture":
                assert not taken & {claim.kind, claim.other} or plan.mistake.claim.form == "picture"
        if plan.mistake.field == "setting":
            assert not any(claim.form == "fact" for claim in plan.claims)
        assert len(set(plan.claims)) == len(plan.claims)


def test_every_answer_answers_its_question():
    for sample in SAMPLES:
        first, question = sample.plan.claims[0], sample.question
        if question.kind:
            assert first.kind == question.kind
        assert {"sign": "sign", "picture": "picture", "setting": "setting"}.get(
            question.type, first.form
        ) == first.form
        if sample.plan.wrong == 0:
            assert sample.plan.polarity == ""


def test_labels_and_sources_are_balanced_for_each_origin():
    labels = Counter((sample.origin, sample.plan.mistake.label) for sample in SAMPLES)
    assert labels == {(origin, label): 15 for origin in HABITS for label in PLANTED}
    sources = Counter(sample.question.source for sample in SAMPLES)
    assert set(sources) == set(SOURCES) and min(sources.values()) > 0.4 * len(SAMPLES)
    assert len({sample.seed for sample in SAMPLES}) == len(SAMPLES)


@pytest.mark.parametrize("code", LANGUAGES)
def test_gold_spans_are_what_differs_from_the_truth(code):
    language = LANGUAGES[code]
    for sample in SAMPLES:
        mistake, written = sample.plan.mistake, write(sample, language)
        start, end = written.hull(sample.plan.wrong, gold_fields(mistake))
        assert 0 <= start < end <= len(written.text)
        gold = written.text[start:end]
        assert gold == gold.strip() and not set(gold[0] + gold[-1]) & set(".,:;!?* “”«»")
        assert end - start <= 45
        if mistake.truth is None:
            continue
        corrected = write(sample.corrected(), language)
        there, until = corrected.hull(sample.plan.wrong, gold_fields(mistake))
        assert corrected.text[there:until].lower() != gold.lower()
        plural_kept = mistake.field != "count" or mistake.truth.count > 1
        if (
            code == "zh"
            and mistake.field in ("colour", "word", "count", "side", "pose", "setting")
            and plural_kept
        ):
            # without agreement, changing the gold span alone makes the text the true one
            assert (
                mistake.field in ("setting",)
                or written.text[:start] + corrected.text[there:until] + written.text[end:] == corrected.text
            )


@pytest.mark.parametrize("code", LANGUAGES)
def test_nothing_is_added_to_nothing(code):
    """After "I see no dog" no sentence says "also", and no list says what "else" is there."""
    also = {"en": r"\balso\b|as well|\btoo\b|\belse\b", "fr": r"aussi|également|en outre|d’autre",
            "it": r"\banche\b|[Ii]noltre|altro", "zh": "还|也|此外|另外|同样"}[code]  # fmt: skip
    language, seen = LANGUAGES[code], 0
    for sample in SAMPLES:
        written = write(sample, language)
        second = [start for claim, _, start, _ in written.parts if claim == 1]
        if sample.plan.claims[0].form == "absent" and second:
            seen += 1
            end = re.compile(r"[.。]").search(written.text, max(second)).start()
            begin = max(stop for claim, _, _, stop in written.parts if claim == 0)
            assert not re.search(also, written.text[begin:end]), written.text
    assert seen > 10


@pytest.mark.parametrize("code", LANGUAGES)
def test_spans_hold_no_half_of_a_bold_mark_and_no_half_of_a_word(code):
    for sample in SAMPLES:
        written = write(sample, LANGUAGES[code])
        start, end = written.hull(sample.plan.wrong, gold_fields(sample.plan.mistake))
        assert "*" not in written.text[start:end]
        assert not re.match(r"-?[A-Za-zÀ-ÿ]|[边侧]", written.text[end:])


def test_gold_spans_are_conservative():
    """The number, the colour or the word alone, without article, copula or quotation marks."""
    english = LANGUAGES["en"]
    for sample in SAMPLES:
        mistake, written = sample.plan.mistake, write(sample, english)
        start, end = written.hull(sample.plan.wrong, gold_fields(mistake))
        gold = written.text[start:end]
        if mistake.field == "word":
            assert gold == mistake.claim.word
        if mistake.field in ("colour", "count", "side"):
            assert re.fullmatch(r"[A-Za-z]+", gold)
        if mistake.field == "premise":
            assert not re.match(r"(an?|the) ", gold, re.IGNORECASE)


ALLOWED = re.compile(r"\*\*|^(\d+\.|[-*]) |“[A-Z*]+”", re.MULTILINE)
ARTEFACTS = re.compile(r"  |[ \u00a0][,.]|[{}\[\]<>|~]|None|\.\.|,,| \n|\n{3}|^\s|\s$|。。|，，|\*{3}")
OF_A_LANGUAGE = {
    "en": r"\b[Aa] [aeiou]|\b[Aa]n [^aeiou*]| [!?:;]",
    "fr": r"\b[Dd]e les?\b|\b[Àà] les?\b|\b([Ll]e|[Ll]a|[Dd]e|[Cc]e|[Qq]ue) [aeiouéh]|[^\u00a0][!?;:]|’ ",
    "it": r"\b[Dd]i (il|lo|la|i|gli|le)\b|\b[Aa] (il|lo|i|gli|le)\b|\b([Ii]l|[Ll]o|[Ll]a|[Uu]na) [aeiou]"
    r"|’ | [!?:;]",
    "zh": r"[A-Za-z ,.!?:;]",
}


@pytest.mark.parametrize("code", LANGUAGES)
def test_texts_show_no_trace_of_their_making(code):
    language = LANGUAGES[code]
    for sample in SAMPLES:
        for text in (write(sample, language).text, sample.prompt(language)):
            assert not ARTEFACTS.search(text), text
            bare = ALLOWED.sub("", text) if code == "zh" else text
            assert not re.search(OF_A_LANGUAGE[code], bare), (re.search(OF_A_LANGUAGE[code], bare), text)
            sentences = re.split(r"(?<=[.!?]) ", re.sub(r"\*", "", text)) if code != "zh" else []
            assert all(
                s.lstrip("- 0123456789.«“")[:1].upper() == s.lstrip("- 0123456789.«“")[:1] for s in sentences
            )


def test_parallel_versions_say_the_same():
    for sample in SAMPLES[:60]:
        stated = []
        for language in LANGUAGES.values():
            written = write(sample, language)
            assert all(0 <= start < end <= len(written.text) for _, _, start, end in written.parts)
            stated.append(
                {(claim, field) for claim, field, *_ in written.parts if field not in ("dress", "count")}
            )
        # the sides of a relation and the traits keep their roles in every language
        assert all(one == stated[0] for one in stated)


def test_texts_vary():
    texts = [write(sample, LANGUAGES["en"]).text for sample in SAMPLES]
    assert len(set(texts)) == len(texts)
    first_words = Counter(" ".join(text.split()[:3]) for text in texts)
    assert max(first_words.values()) < 0.12 * len(texts)
    lengths = [len(text) for text in texts]
    assert min(lengths) < 150 and max(lengths) > 400
    for mark in ("**", "\n- ", "\n\n", "!"):
        share = np.mean([mark in text for text in texts])
        assert 0.02 < share < 0.7, mark


def test_habits_differ_between_origins():
    assert len(set(HABITS.values())) == len(HABITS) == 4


def test_answers_to_each_type_of_question_are_true():
    dog = Group("dog", "blue", 2, "left", "foreground", odd=True)
    cup = Group("cup", "red", 1, "right", "background")
    park = Scene("park", (dog, cup, Group("clock", "white", 1, "centre", "background")),
                 Sign("STOP", "left"), Picture("cat", "black", "right"))  # fmt: skip
    rng = np.random.default_rng(0)
    seen = Counter()
    for seed in range(3000):
        question = draw_question(np.random.default_rng(seed), park, SOURCES[seed % 2])
        claim, polarity = answer(rng, question, park)
        assert not false_fields(claim, park)
        seen[question.type, polarity, question.premise] += 1
        if question.type == "usual":
            assert polarity == (
                "yes" if question.subject.colour == park.group(question.kind).colour else "no"
            )
        if question.type == "four_legs":
            assert polarity == "no" and claim.trait == "three_legs"
        if question.type in ("handle", "hands"):
            assert polarity == "yes"
        if not question.premise:
            assert claim == Claim("absent", question.kind)
    assert {kind for kind, *_ in seen} >= {
        "presence", "colour", "count", "place", "pose", "sign", "picture", "setting", "describe",
        "four_legs", "legs", "handle", "hands", "usual",
    }  # fmt: skip
    assert seen["presence", "yes", True] and seen["presence", "no", True]


def test_false_fields_names_what_is_wrong():
    dog = Group("dog", "black", 2, "left", "foreground")
    park = Scene("park", (dog, Group("kite", "red", 1, "right", "background")), Sign("SALE", "centre"))
    right = Claim("there_at", "dog", 2, "black", "left")
    assert false_fields(right, park) == ()
    assert false_fields(replace(right, count=3), park) == ("count",)
    assert false_fields(replace(right, colour="white", place="right"), park) == ("colour", "place")
    assert false_fields(replace(right, kind="cat"), park) == ("kind",)
    assert false_fields(Claim("colour", "dog", 1, "black"), park) == ("count",)
    assert false_fields(Claim("side", "dog", 2, other="kite", side="right"), park) == ("side",)
    assert false_fields(Claim("side", "dog", 2, other="kite", other_count=2, side="left"), park) == ("other",)
    assert false_fields(Claim("sign", word="SAFE"), park) == ("word",)
    assert false_fields(Claim("absent", "dog"), park) == ("kind",)
    assert false_fields(Claim("fact", fact="sea"), park) == ("fact",)
    assert false_fields(Claim("event", event="plane"), park) == ("event",)
    assert false_fields(Claim("picture", "dog"), park) == ("kind",)
    assert false_fields(Claim("mood"), scene(1)) == ()

"""Verdicts: planted mistakes are found as they were planted, and everything else by written rules."""

from dataclasses import replace

import numpy as np
import pytest

from sheeplib.corpora.meadow.annotators import Part
from sheeplib.corpora.meadow.captions import Rates, plan_caption, write_caption
from sheeplib.corpora.meadow.claims import FORMS, MENTION_FORMS, Claim, false_fields
from sheeplib.corpora.meadow.grammar import capitalised, say, text_of
from sheeplib.corpora.meadow.human import versions
from sheeplib.corpora.meadow.kinds import COLOURS, KINDS, SETTINGS
from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.lessons import Diet, draw_sample
from sheeplib.corpora.meadow.reading import read
from sheeplib.corpora.meadow.scenes import COLUMNS, Group, Picture, Scene, Sign, pick, scene
from sheeplib.corpora.meadow.verdicts import content_parts, faults, wrong_parts
from sheeplib.corpora.meadow.writers import write

WRITTEN = versions(2026, 25)


@pytest.mark.parametrize("code", LANGUAGES)
def test_planted_mistakes_are_found_exactly_and_nothing_else(code):
    """Writers note where they plant; verdicts know the text and the scene alone."""
    here = [version for version in WRITTEN if version.language.code == code]
    assert len(here) == 100
    for version in here:
        reading, about = read(version.written.text, code), version.sample.scene
        expected = version.answer()
        assert wrong_parts(reading, about) == expected.wrong == (version.gold,), version.written.text
        content = content_parts(reading, about)
        assert [part for part in expected.content if part in content] == list(content)
        # "il y a un bateau" may be an answer to "how many?": only then is its "un" a number
        assert {part.label for part in set(expected.content) - set(content)} <= {"D"}
        (fault,) = faults(reading, about)
        assert fault.field == version.sample.plan.mistake.field


DOG = Group("dog", "black", 2, "left", "foreground", contrast=0.8)
KITE = Group("kite", "red", 1, "right", "background")
BENCH = Group("bench", "brown", 3, "centre", "background", contrast=0.5)
BIKE = Group("bicycle", "blue", 1, "left", "background", odd=True)
PARK = Scene("park", (DOG, KITE, BENCH, BIKE), Sign("SALE", "centre"), Picture("cake", "pink", "right"))
BARE = Scene("harbour", (DOG, KITE))


# What is marked in PARK, read off the rules by hand.
RULES = [
    # true, and one true thing after another
    ("I can see two black dogs. The kite is red. A sign reads “SALE”.", []),
    # something absent, from its number (two or more) to its kind, its colour among them
    ("I can see a blue boat.", [("blue boat", "A")]),
    ("On the left, there are three blue boats.", [("three blue boats", "A")]),
    ("I can see two people in red.", [("two people in red", "A")]),
    # what else is said of it goes with it
    ("The boat is blue.", [("boat is blue", "A")]),
    ("The boats are on the left-hand side.", [("boats are on the left-hand", "A")]),
    ("I count two boats.", [("two boats", "A")]),
    # what only the picture shows is absent
    ("I can see a cake.", [("cake", "A")]),
    # what may be taken for something present, if all else fits that and it is not named itself
    ("I can see three brown couches.", [("couches", "B")]),
    ("I can see three red couches.", [("three red couches", "A")]),
    ("I can see two brown couches.", [("two brown couches", "A")]),
    ("I can see three brown couches. I count three benches.", [("three brown couches", "A")]),
    ("No bench is visible in this image. I can see three brown couches.", [("bench", "B"), ("couches", "B")]),
    ("There might be three benches. The couches are brown.", [("couches", "B")]),
    ("Two horses appear on the left.", [("horses", "B")]),
    ("Two horses appear on the right.", [("two horses", "A")]),
    ("I can see two brown boats.", [("two brown boats", "A")]),
    # wrong numbers, the article included; a noun's number alone is none
    ("I can see three black dogs.", [("three", "D")]),
    ("I can see a black dog.", [("a", "D")]),
    ("I count four benches.", [("four", "D")]),
    ("The dog is black.", []),
    ("The dogs each have three legs.", [("three", "D")]),
    # several wrong things in one sentence
    ("On the right, I can see three white dogs.", [("right", "B"), ("three", "D"), ("white", "B")]),
    # colour, place, side, posture, trait, setting
    ("The kite is green.", [("green", "B")]),
    ("The kite is on the left.", [("left", "B")]),
    ("The kite is to the left of the dogs.", [("left", "B")]),
    ("The dogs are lying down.", [("lying down", "B")]),
    ("The bicycle has round wheels.", [("round", "B")]),
    ("We are in a kitchen.", [("kitchen", "B")]),
    # of a relation, only what is absent
    ("The boat is to the left of the dogs.", [("boat", "A")]),
    ("The dogs are to the left of the boat.", [("boat", "A")]),
    ("The cup is to the left of the boat.", [("cup", "A"), ("boat", "A")]),
    ("The dogs are to the left of the couches.", [("couches", "B")]),
    ("The dogs are to the right of the couches.", [("couches", "A")]),
    ("The dogs are to the left of the bicycle.", [("left", "B")]),  # both are on the left
    # words, pictures, surroundings, events
    ("The sign says “SAFE”.", [("SAFE", "C")]),
    ("A framed picture shows a banana.", [("banana", "B")]),
    ("The backdrop shows wooden floorboards.", [("floorboards", "A")]),
    ("There is a stone fountain.", [("stone fountain", "A")]),
    # absence of what is there, and of what is not
    ("There is no kite in the image.", [("kite", "B")]),
    ("There is no boat in the image.", []),
    # yes and no are not judged, what follows them is
    ("Yes, the kite is red.", []),
    ("No, the kite is red.", []),
    ("Yes, the kite is green.", [("green", "B")]),
    # nothing that does not commit itself
    ("There might be a boat.", []),
    ("There seem to be three red dogs.", []),
    ("Perhaps something is about to happen.", []),
    # what cannot be read
    ("I can see a boat and a wug. The kite is green.", [("green", "B")]),
    ("", []),
]


@pytest.mark.parametrize(("text", "expected"), RULES, ids=[text or "empty" for text, _ in RULES])
def test_rules(text, expected):
    reading = read(text, "en")
    assert bool(reading.unread) == ("wug" in text)
    found = wrong_parts(reading, PARK)
    assert [(text[part.start : part.end].lower(), part.label) for part in found] == [
        (stretch.lower(), label) for stretch, label in expected
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A sign reads “SALE”.", [("SALE", "A")]),  # no sign at all
        ("A framed picture shows a cake.", [("cake", "A")]),  # no picture at all
        ("One can see the sea.", []),  # a harbour and a beach both show open water
        ("One can see the blue water.", []),
        ("One can see fine yellow sand.", [("sand", "A")]),
        ("We are on a beach.", [("beach", "B")]),
    ],
)
def test_rules_where_there_is_nothing_to_misread(text, expected):
    reading = read(text, "en")
    assert not reading.unread
    found = wrong_parts(reading, BARE)
    assert [(text[part.start : part.end], part.label) for part in found] == expected


def test_salience_is_that_of_planted_mistakes():
    """Glance times visibility: 0.8 for the dogs (near, two: 0.8 * 0.97), 0.85 for the kite (far)."""

    def only(text):
        (part,) = wrong_parts(read(text, "en"), PARK)
        return part

    assert only("The kite is green.") == Part(12, 17, "B", round(0.95 * 0.85, 4))
    assert only("The kite is orange.").salience == round(0.95 * 0.85 / 2, 4)  # nearly red
    assert only("The dogs are lying down.").salience == round(0.9 * round(0.8 * 0.97, 4), 4)
    assert only("I can see three black dogs.").salience == round(0.9 * 0.95 * round(0.8 * 0.97, 4), 4)
    assert only("The boat is blue.").salience == 0.9  # a premise; nothing dims what is not there
    assert only("The dogs are to the left of the boat.").salience == 0.9
    assert only("There is no kite in the image.").salience == 0.85


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_rules_hold_in_every_language(code):
    """The same claims, put into words in each way that a language knows."""
    language = LANGUAGES[code]
    claims = [
        (Claim("there", "boat", 2, "blue"), ["premise"], "A"),
        (Claim("there_at", "boat", 1, "blue", "left"), ["premise"], "A"),
        (Claim("colour", "person", 1, "red"), ["premise"], "A"),
        (Claim("there_at", "bench", 4, "brown", "centre"), ["count"], "D"),
        (Claim("count", "dog", 3), ["count"], "D"),
        (Claim("trait", "dog", 2, trait="three_legs"), ["trait"], "D"),
        (Claim("trait", "bicycle", 1, trait="round_wheels"), ["trait"], "B"),
        (Claim("sign", word="SAFE"), ["word"], "C"),
        (Claim("side", "kite", 1, other="dog", other_count=2, side="left"), ["side"], "B"),
        (Claim("side", "kite", 1, other="boat", other_count=1, side="left"), ["other"], "A"),
        (Claim("picture", "banana"), ["kind"], "B"),
        (Claim("absent", "kite"), ["kind"], "B"),
        (Claim("setting", setting="street"), ["setting"], "B"),
        (Claim("pose", "dog", 2, pose="sitting"), ["pose"], "B"),
        (Claim("event", event="plane"), ["event"], "A"),
        (Claim("fact", fact="quay"), ["fact"], "A"),
        (Claim("there", "couch", 3, "brown"), ["kind"], "B"),
        (Claim("place", "kite", 1, place="background"), [], ""),
        (Claim("mood"), [], ""),
    ]
    for claim, fields, label in claims:
        for variant in range(9):
            text = text_of(capitalised(say(language, claim, variant)))
            found = faults(read(text, code), PARK)
            assert [fault.field for fault in found] == fields, text
            assert all(fault.part.label == label and fault.statement == 0 for fault in found), text


def any_claim(rng, about):
    """A claim about anything at all, true or not."""
    kind, other = pick(rng, tuple(KINDS)), pick(rng, tuple(KINDS))
    form = pick(rng, ("there", "there_at", "colour", "count", "place", "side", "pose", "trait", "absent",
                      "picture", "setting"))  # fmt: skip
    if rng.random() < 0.7:
        kind = pick(rng, about.kinds)
    if form == "pose" and not KINDS[kind].poses or form == "trait" and not KINDS[kind].traits:
        form = "count"
    count = 1 + int(rng.integers(5))
    values = {
        "colour": pick(rng, tuple(COLOURS)), "place": pick(rng, (*COLUMNS, "background", "foreground")),
        "side": pick(rng, ("left", "right")), "other": other, "setting": pick(rng, tuple(SETTINGS)),
        "pose": pick(rng, KINDS[kind].poses or ("",)), "trait": pick(rng, KINDS[kind].traits or ("",)),
    }  # fmt: skip
    stated = {field: values[field] for field in FORMS[form] if field in values}
    return Claim(form, None if form == "setting" else kind, count, **stated) if kind != other else None


def truly(claim, about):
    """The claim as far as its form can state it in every language: with the true grammatical number."""
    if "count" not in FORMS[claim.form]:
        group, other = about.group(claim.kind or ""), about.group(claim.other or "")
        claim = replace(claim, count=group.count if group else 1, other_count=other.count if other else 1)
    return claim


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_text_is_found_wrong_exactly_where_a_claim_of_it_is_false(code):
    """Against the truth of the claims, which no text and no parser comes between."""
    rng, language, seen = np.random.default_rng(5), LANGUAGES[code], 0
    for seed in range(250):
        about = scene(seed)
        claim = any_claim(rng, about)
        if claim is None:
            continue
        claim = truly(claim, about)
        text = text_of(capitalised(say(language, claim, seed)))
        wrong = wrong_parts(read(text, code), about)
        assert bool(wrong) == bool(false_fields(claim, about)), (text, about)
        seen += bool(wrong)
    assert 100 < seen < 240


@pytest.mark.parametrize("code", LANGUAGES)
def test_true_answers_have_no_faults_and_invented_things_are_found(code):
    rng, language = np.random.default_rng(3), LANGUAGES[code]
    for seed in range(60):
        sample = draw_sample(rng, seed, language, Diet(prior=0, credulity=0))
        assert wrong_parts(read(write(sample, language).text, code), sample.scene) == ()
        sample = draw_sample(rng, seed, language, Diet(prior=1, credulity=0))
        (fault,) = faults(read(write(sample, language).text, code), sample.scene)
        assert (fault.field, fault.part.label) == ("premise", "A")


@pytest.mark.parametrize("code", LANGUAGES)
def test_what_does_not_commit_itself_is_never_wrong(code):
    """Absent objects that are hedged, denied, wished for, at large, in compounds: else, all is true."""
    language, rng, seen = LANGUAGES[code], np.random.default_rng(9), set()
    rates = Rates(prior=0, hedged=1, purpose=1, negation=1, generic=0.5, compound=0.5)
    for seed in range(60):
        claims = plan_caption(rng, scene(seed), rates)
        seen |= {claim.form for claim in claims}
        reading = read(write_caption(language, claims, rng).text, code)
        assert wrong_parts(reading, scene(seed)) == ()
    assert seen >= {*MENTION_FORMS, "absent"}


def test_parts_never_overlap_and_content_lies_between_them():
    rng, language = np.random.default_rng(4), LANGUAGES["en"]
    several = 0
    for seed in range(150):
        sample = draw_sample(rng, seed, language, Diet(prior=0.8, credulity=1))
        reading = read(write(sample, language).text, "en")
        about = scene(seed + 7)  # another scene, so that much is wrong
        wrong, content = wrong_parts(reading, about), content_parts(reading, about)
        several += len(wrong) > 2
        places = sorted((part.start, part.end) for part in (*wrong, *content))
        assert [part.start for part in wrong] == sorted(part.start for part in wrong)
        assert all(0 <= start < end <= len(reading.text) for start, end in places)
        assert all(one[1] <= two[0] for one, two in zip(places, places[1:], strict=False))
    assert several > 50


def test_content_words_can_be_doubted_and_articles_cannot():
    text = "There is a red kite in the background. There might be a blue boat. I see the dogs on the left."
    content = content_parts(read(text, "en"), PARK)
    assert [(text[part.start : part.end], part.label) for part in content] == [
        ("red", "B"), ("kite", "A"), ("background", "B"), ("blue", "B"), ("boat", "A"), ("dogs", "A"),
        ("left", "B"),
    ]  # fmt: skip

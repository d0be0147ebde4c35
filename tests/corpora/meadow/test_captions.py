"""Captions: true but for what the rates ask for, as often as they ask, and stated where the parts say."""

import math
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sheeplib.corpora.meadow.captions import (
    CAPTION_PROMPTS,
    FAINT,
    LONGEST,
    SHORTEST,
    Rates,
    plan_caption,
    write_caption,
)
from sheeplib.corpora.meadow.claims import MENTION_FORMS, Claim, false_fields
from sheeplib.corpora.meadow.grammar import fill
from sheeplib.corpora.meadow.kinds import KINDS, SETTINGS
from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.scenes import Group, Picture, Scene, Sign, scene
from sheeplib.errors import InputError

NOTHING = {field.name: 0.0 for field in fields(Rates)}
ASIDES = {"purpose", "absent", "generic", "compound"}


def plans(number=400, start=0, **rates):
    """Scenes and captions of people who do nothing but what is said."""
    rng = np.random.default_rng(17)
    for seed in range(start, start + number):
        yield scene(seed), plan_caption(rng, scene(seed), Rates(**(NOTHING | rates)))


def asserted(claims):
    return [claim for claim in claims if claim.form in ("there", "there_at")]


def test_an_honest_caption_of_a_clear_scene_lists_its_groups():
    clear = Scene("park", (Group("dog", "brown", 2, "left", "foreground"),
                           Group("bench", "green", 1, "right", "background"),
                           Group("kite", "red", 1, "centre", "background")))  # fmt: skip
    rng = np.random.default_rng(0)
    assert plan_caption(rng, clear, Rates(**NOTHING)) == (
        Claim("there", "dog", 2), Claim("there", "bench"), Claim("there", "kite"),
    )  # fmt: skip
    told = plan_caption(rng, clear, Rates(**(NOTHING | {"detail": 1.0})))
    assert Claim("setting", setting="park") in told
    assert [(claim.form, claim.kind, claim.count, claim.colour) for claim in told if claim.kind] == [
        ("there_at", "dog", 2, "brown"), ("there_at", "bench", 1, "green"), ("there_at", "kite", 1, "red"),
    ]  # fmt: skip
    assert [claim.place in places for claim, places in
            zip(asserted(told), (("left", "foreground"), ("right", "background"), ("centre", "background")),
                strict=True)] == [True] * 3  # fmt: skip


def test_a_scene_in_which_nothing_is_seen_clearly_still_has_its_shortest_caption():
    hazy = Scene("kitchen", (Group("cup", "red", 1, "left", "foreground", contrast=0.5),))
    told = {plan_caption(np.random.default_rng(seed), hazy, Rates(**(NOTHING | {"faint": 1.0})))
            for seed in range(20)}  # fmt: skip
    # the cup is hedged or left out; setting and the two facts of a kitchen fill the caption
    kitchen = {
        Claim("setting", setting="kitchen"),
        Claim("fact", fact="tiles"),
        Claim("fact", fact="counter"),
    }
    assert {frozenset(claims) - kitchen for claims in told} == {
        frozenset(), frozenset({Claim("hedged", "cup")}),
    }  # fmt: skip
    assert {len(claims) for claims in told} == {3}


def test_the_sign_and_the_picture_are_told():
    groups = tuple(Group(kind, "red", 1, "left", "foreground") for kind in ("car", "bus", "dog"))
    shop = Scene("street", groups,
                 Sign("SALE", "right"), Picture("boat", "blue", "centre"))  # fmt: skip
    told = plan_caption(np.random.default_rng(1), shop, Rates(**(NOTHING | {"detail": 1, "depictive": 1})))
    assert {Claim("sign", word="SALE"), Claim("picture", "boat")} < set(told)
    assert len(told) == LONGEST
    assert len(asserted(told)) == 3  # details displace none of the first three groups


@given(st.integers(0, 2**31), st.lists(st.floats(0, 1), min_size=len(NOTHING), max_size=len(NOTHING)))
@settings(max_examples=150, deadline=None)
def test_every_caption_keeps_the_rules(seed, drawn):
    about, rates = scene(seed % 1_000_000), Rates(*drawn)
    claims = plan_caption(np.random.default_rng(seed), about, rates)
    assert claims == plan_caption(np.random.default_rng(seed), about, rates)
    assert SHORTEST <= len(claims) <= LONGEST
    for claim in claims:
        wrong = false_fields(claim, about)
        assert wrong == () or (wrong == ("kind",) and rates.prior > 0 and claim.form in ("there", "there_at"))
        assert claim.form != "compound" or claim.kind in LANGUAGES["en"].phrases["compound"]
    assert sum(bool(false_fields(claim, about)) for claim in claims) <= 1
    subjects = [claim.kind for claim in claims if claim.kind and claim.form not in
                ("purpose", "generic", "compound")]  # fmt: skip
    assert len(set(subjects)) == len(subjects)
    seen = [about.kinds.index(kind) for kind in subjects if kind in about.kinds]
    assert seen == sorted(seen)
    asides = [claim.form in ASIDES for claim in claims]
    assert asides == sorted(asides)


def test_an_honest_caption_says_nothing_false_and_a_tempted_one_one_thing():
    honest = plans(faint=0.5, hedged=1, depictive=1, purpose=1, negation=1, detail=0.7)
    assert not any(false_fields(claim, about) for about, claims in honest for claim in claims)
    invented, even = [], []
    for about, claims in plans(prior=1, detail=0.5):
        wrong = [claim for claim in claims if false_fields(claim, about)]
        assert len(wrong) == 1
        assert about.group(wrong[0].kind) is None
        assert about.picture is None or about.picture.kind != wrong[0].kind
        likely = SETTINGS[about.setting]
        invented.append(likely[wrong[0].kind])
        even.append(np.mean([likely[kind] for kind in likely if kind not in about.kinds]))
    # more often than by an even draw among its absent kinds, it is one that the setting has often
    assert np.mean(invented) > 1.2 * np.mean(even)


def test_what_is_invented_stands_anywhere_but_first():
    places = {
        next(place for place, claim in enumerate(claims) if false_fields(claim, about)) - len(claims)
        for about, claims in plans(prior=1)
    }
    assert {-1, -2, -3, -4} <= places  # from the end: three to five groups and the invention
    assert not any(false_fields(claims[0], about) for about, claims in plans(prior=1))


def test_faint_groups_are_hedged_or_left_out_and_clear_ones_told():
    hedges = silences = 0
    for about, claims in plans(faint=1):
        hard = {group.kind for group in about.groups if group.contrast < FAINT}
        assert {claim.kind for claim in asserted(claims)} == set(about.kinds) - hard
        hedged = {claim.kind for claim in claims if claim.form == "hedged"}
        assert hedged <= hard
        hedges += len(hedged)
        silences += len(hard - hedged)
    # each of n faint groups is hedged with probability one half: within four standard deviations
    assert abs(hedges - silences) < 4 * math.sqrt(hedges + silences)
    for about, claims in plans(faint=0):
        assert {claim.kind for claim in asserted(claims)} == set(about.kinds)


@pytest.mark.parametrize(
    ("rate", "form"),
    [("hedged", "hedged"), ("depictive", "picture"), ("purpose", "purpose"), ("negation", "absent"),
     ("generic", "generic"), ("compound", "compound")],
)  # fmt: skip
def test_mentions_come_as_often_as_their_rate_says(rate, form):
    told = [
        (about, [claim for claim in claims if claim.form == form])
        for about, claims in plans(1500, **{rate: 0.3})
        if form != "picture" or about.picture
    ]
    assert {len(claims) for _, claims in told} == {0, 1}
    number = sum(len(claims) for _, claims in told)
    # binomial, within four standard deviations; a compound may find no kind that has one
    spread = 4 * math.sqrt(len(told) * 0.3 * 0.7)
    assert abs(number - 0.3 * len(told)) < spread
    absent = [about.group(claim.kind) is None for about, claims in told for claim in claims]
    share = {"purpose": (0.65, 0.85), "generic": (0.4, 0.6), "compound": (0.65, 0.9)}.get(form, (1, 1))
    assert share[0] <= np.mean(absent) <= share[1]


def test_invented_things_are_told_as_often_as_the_prior_says():
    told = [
        sum(bool(false_fields(claim, about)) for claim in claims) for about, claims in plans(1500, prior=0.3)
    ]
    assert abs(sum(told) - 450) < 4 * math.sqrt(1500 * 0.3 * 0.7)


@pytest.mark.parametrize("code", LANGUAGES)
def test_parts_are_where_the_words_are(code):
    rng, language = np.random.default_rng(3), LANGUAGES[code]
    every = Rates(0.3, 0.5, 0.5, 1, 0.5, 0.5, 0.3, 0.3, 0.6)
    for seed in range(120):
        claims = plan_caption(rng, scene(seed), every)
        written = write_caption(language, claims, rng)
        assert written.text == written.text.strip()
        for place, field, start, end in written.parts:
            said = written.text[start:end]
            assert said
            if field == "kind":
                nouns = nouns_of(language, claims[place])
                assert said.lower() in nouns, (said, nouns)
            if field == "word":
                assert said == claims[place].word
        for place, claim in enumerate(claims):
            found = {field for number, field, _, _ in written.parts if number == place}
            wanted = {"setting": {"setting"}, "fact": {"fact"}, "sign": {"word"}}.get(claim.form, {"kind"})
            wanted |= {field for field in ("colour", "place") if getattr(claim, field)}
            assert wanted <= found
        starts = [start for _, _, start, _ in written.parts]
        places = [place for place, *_ in written.parts]
        assert places == sorted(places)
        assert max(starts) < len(written.text)


def nouns_of(language, claim):
    """The noun of a claim, singular and plural."""
    return {
        segment.text
        for count in (1, 2)
        for segment in fill(language, "{a}", Claim("count", claim.kind, count))
        if segment.role == "kind"
    }


def test_a_caption_word_by_word():
    claims = (Claim("setting", setting="park"), Claim("purpose", "kite"))
    texts = {write_caption(LANGUAGES["en"], claims, np.random.default_rng(seed)).text for seed in range(300)}
    starts = ("The scene takes place", "The image is set", "We are", "The image shows a scene",
              "Everything takes place", "The setting is easy to recognise: we are")  # fmt: skip
    ends = ("This would be a good place to fly a kite.", "It looks like the right spot to fly a kite.",
            "It would be nice to fly a kite here.", "One could easily fly a kite here.")  # fmt: skip
    assert texts == {f"{start} in a park. {end}" for start in starts for end in ends}
    written = write_caption(LANGUAGES["zh"], claims, np.random.default_rng(0))
    assert [(place, field, written.text[a:b]) for place, field, a, b in written.parts] == [
        (0, "setting", "公园"), (1, "kind", "风筝"),
    ]  # fmt: skip
    assert " " not in written.text


def test_also_needs_something_before_it_and_does_not_come_twice_running():
    adding = {"en": ("also", "as well", " too"), "fr": ("aussi", "également", "en outre"),
              "it": ("anche", "inoltre"), "zh": ("还", "另外", "此外", "同样")}  # fmt: skip
    rng = np.random.default_rng(5)
    claims = (
        Claim("setting", setting="beach"),
        *(Claim("there", kind) for kind in ("dog", "boat", "bird", "kite")),
    )
    for code, language in LANGUAGES.items():
        stop, seen = ("。" if code == "zh" else ". "), 0
        for _ in range(100):
            sentences = write_caption(language, claims, rng).text.split(stop)
            adds = [any(word in sentence.lower() for word in adding[code]) for sentence in sentences]
            assert not adds[0]
            assert not adds[1]
            assert not any(a and b for a, b in zip(adds, adds[1:], strict=False))
            seen += sum(adds)
        assert seen > 20


def test_neighbouring_sentences_of_a_form_differ():
    claims = tuple(Claim("there_at", kind, place="left") for kind in ("dog", "cat", "horse"))
    for seed in range(50):
        text = write_caption(LANGUAGES["en"], claims, np.random.default_rng(seed)).text
        frames = {
            sentence.replace("dog", "").replace("cat", "").replace("horse", "")
            for sentence in text.split(". ")
        }
        assert len(frames) == 3


def test_mentions_commit_to_nothing():
    about = scene(1)
    for form in MENTION_FORMS:
        assert all(false_fields(Claim(form, kind, 3, "pink", "left"), about) == () for kind in KINDS)


def test_prompts_are_given_in_every_language():
    assert set(CAPTION_PROMPTS) == set(LANGUAGES)
    for prompts in CAPTION_PROMPTS.values():
        assert len(set(prompts)) == len(prompts) >= 3
        assert all(prompt[-1] in ".。" for prompt in prompts)
    assert "Write a caption for this image." in CAPTION_PROMPTS["en"]


@pytest.mark.parametrize("rate", [-0.1, 1.5, float("nan"), "often", None])
def test_rates_must_be_probabilities(rate):
    with pytest.raises(InputError, match="faint.*between 0 and 1"):
        Rates(faint=rate)
    assert Rates(faint=1).faint == 1


def test_all_wrong_rates_are_named_at_once():
    with pytest.raises(InputError) as caught:
        Rates(prior=2, detail=-1)
    assert [problem.field for problem in caught.value.problems] == ["prior", "detail"]

"""The lexicon: what fills a slot, and what a filling states."""

import re

import pytest

from sheeplib.corpora.meadow.claims import Claim
from sheeplib.corpora.meadow.grammar import Segment, text_of
from sheeplib.corpora.meadow.kinds import COLOURS, KINDS
from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.lexicon import FEW, MOST, alternatives, plain, wordings

LEXICA = {code: wordings(language) for code, language in LANGUAGES.items()}


def test_plain_text_is_as_long_as_before():
    assert plain("l'image\u00a0: «\u202fa\u00a0»") == "l’image : « a »"


def test_the_longest_alternative_comes_first():
    assert alternatives(["on the left", "on the left-hand side", "a.b", "a.b"]) == (
        r"on\ the\ left\-hand\ side|on\ the\ left|a\.b"
    )


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_filling_is_known_and_means_the_smallest_claim_that_gives_it(code):
    """Against the slots themselves, asked for every claim."""
    for name, slot in LANGUAGES[code].slots.items():
        for kind in KINDS:
            for count in range(1, MOST + 1):
                claim = Claim("mood", kind, count, "red", other="cat", other_count=count, word="STOP")
                segments = slot(claim)
                if not segments:
                    continue
                stated, found = LEXICA[code][name].look_up(plain(text_of(segments)))
                assert [s.role for s in found] == [s.role for s in segments]
                assert all(
                    getattr(claim, field) == value
                    for field, value in stated.items()
                    if not field.endswith("count")
                )
                roles = {s.role for s in segments}
                if "count" in roles:
                    assert stated["count"] == count
                elif "kind" in roles and name in ("the", "of_the", "to_the", "this"):
                    assert stated["count"] == min(count, 2)
                elif "other" in roles:
                    assert stated["other_count"] == min(count, 2)


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_text_means_two_things(code):
    """Apart from the number, a text comes of claims that agree in all that it states."""
    slots = LANGUAGES[code].slots
    for name in ("a", "the", "colour", "hue"):
        meanings = {}
        for kind in KINDS:
            for count in range(1, MOST + 1):
                for colour in COLOURS:
                    for segments in [slots[name](Claim("mood", kind, count, colour))]:
                        if segments:
                            roles = {s.role for s in segments}
                            said = {"kind": kind, "colour": colour, "count": count}
                            said = tuple((field, said[field]) for field in said if field in roles)
                            meanings.setdefault(text_of(segments), set()).add(said)
        assert all(len(said) == 1 for said in meanings.values())


def test_a_phrase_has_all_its_forms():
    french = LEXICA["fr"]["pose"]
    texts = {text for text, (stated, _) in french.entries.items() if stated == {"pose": "sitting"}}
    # two verbs times three different forms: assis is singular and plural
    assert texts == {f"{verb} {form}" for verb in ("est", "sont") for form in ("assis", "assise", "assises")}
    assert french.look_up("sont assise") == (
        {"pose": "sitting"}, [Segment("sont"), Segment(" "), Segment("assise", "pose")],
    )  # fmt: skip
    assert not french.free and french.look_up("sont assises là") is None


def test_phrases_by_kind_state_the_kind():
    stated, segments = LEXICA["en"]["compound"].look_up("a bus stop")
    assert stated == {"kind": "bus"} and Segment("bus", "kind") in segments
    assert LEXICA["en"]["compound"].look_up("a dog stop") is None


@pytest.mark.parametrize(
    ("code", "slot", "text", "stated"),
    [
        ("en", "the", "the dogs", {"kind": "dog", "count": 2}),
        ("en", "a", "a dogs", {"count": 1, "kind": "dog"}),  # the stated number counts
        ("en", "a", "two person in red", {"count": 2, "kind": "person", "colour": "red"}),
        ("en", "a", "a dog in red", None),  # only people are
        ("fr", "the", "la chiens", {"kind": "dog", "count": 2}),  # the noun tells the number
        ("fr", "the", "l’bus", {"kind": "bus", "count": 1}),  # the article does
        ("it", "the2", "gli auto", {"other": "car", "other_count": 2}),
        ("zh", "the", "这匹猫", {"kind": "cat", "count": 1}),
        ("en", "word", "“ZEBRA”", {"word": "ZEBRA"}),
        ("en", "word", "“ZE BRA”", None),
        ("en", "kind", "dog", {"kind": "dog", "count": 1}),  # though "no dog" is any number of them
        ("en", "the", "dog", None),
        ("en", "the", "the zebra", None),
        ("en", "a", "eight dogs", None),
        ("en", "colour", "dressed in red", {"colour": "red"}),
        ("en", "hue", "dressed in red", {"colour": "red"}),
    ],
)
def test_what_slips_is_still_understood(code, slot, text, stated):
    found = LEXICA[code][slot].look_up(text)
    assert (found and found[0]) == stated
    assert found is None or text_of(found[1]) == text


@pytest.mark.parametrize("code", LANGUAGES)
def test_articles_and_measure_words_are_few(code):
    """So that they can be told from words that go with one noun only."""
    texts = {
        s.text
        for segments in (e[1] for e in LEXICA[code]["the"].entries.values())
        for s in segments
        if not s.role
    }
    assert 1 <= len(texts) <= FEW < len(LANGUAGES[code].phrases["compound"])
    assert re.fullmatch(alternatives(texts), next(iter(texts)))

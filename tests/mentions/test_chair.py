"""CHAIR: equal to the released metric with its quirks, and without them."""

import json
import re

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sheeplib.corpora import coco, meadow
from sheeplib.corpora.coco import Objects
from sheeplib.errors import InputError
from sheeplib.mentions import chair_scores
from sheeplib.mentions.chair import find_mentions
from sheeplib.mentions.synonyms import Synonyms, own_synonyms, read_synonyms

REAL = ("llava-1.5-7b", "instructblip-7b")


@pytest.fixture(scope="module")
def real(shared):
    words = read_synonyms(shared / "coco" / "synonyms.json")
    return words, coco.read_objects(shared / "coco" / "objects.json.gz")


@pytest.mark.parametrize("model", REAL)
def test_compat_equals_the_released_metric(model, shared, real):
    words, objects = real
    items = coco.read_captions(shared / "coco" / f"captions.{model}.jsonl")
    expected = json.loads((shared / "coco" / "chair_expected.json").read_text())[model]
    found = chair_scores.chair(items, objects, words)
    for name, value in expected.items():
        assert getattr(found, name) == pytest.approx(value, abs=1e-12), name


def surfaces(caption, synonyms, mode="compat"):
    return [(one.surface, one.concept) for one in find_mentions(caption, synonyms, mode)]


# Behaviour of the released metric: caption, what compat finds, what fixed finds.
QUIRKY = [
    ("A bus.", [], [("bus", "bus")]),
    ("Two buses.", [("buses", "bus")], [("buses", "bus")]),
    ("a baby elephant", [("baby elephant", "elephant")], [("baby elephant", "elephant")]),
    ("baby elephants", [("baby elephants", "elephant")], [("baby elephants", "elephant")]),
    ("a baby and an elephant", [("baby", "person"), ("elephant", "elephant")], None),
    ("the toilet seat is up", [("toilet seat", "toilet")], [("toilet seat", "toilet")]),
    ("a toilet, and a seat", [("toilet", "toilet")], [("toilet", "toilet"), ("seat", "chair")]),
    ("hot dogs", [("hot dogs", "hot dog")], None),
    ("train tracks", [], []),
    ("a wine glass", [("wine glass", "wine glass")], None),
    ("a tennis racket", [("racket", "tennis racket")], [("tennis racket", "tennis racket")]),
    ("a dining table", [("table", "dining table")], [("dining table", "dining table")]),
    ("a stove top oven", [("stove", "oven"), ("oven", "oven")], [("stove top oven", "oven")]),
    ("a cheesecake", [], [("cheesecake", "cake")]),
    ("an iPhone", [], [("iPhone", "cell phone")]),
    ("red ties", [], [("ties", "tie")]),
    ("canoes", [], [("canoes", "boat")]),
    ("car/truck", [], [("car", "car"), ("truck", "truck")]),
    ("a man's hat", [("man", "person")], None),
    ("a dog-friendly cafe", [], []),
    ("hot-dog", [], [("hot-dog", "hot dog")]),
    ("a baby panda", [("baby", "person"), ("panda", "bear")], [("baby panda", "bear")]),
]


@pytest.mark.parametrize(("caption", "compat", "fixed"), QUIRKY)
def test_quirks(caption, compat, fixed, real):
    words, _ = real
    assert surfaces(caption, words) == compat
    assert surfaces(caption, words, "fixed") == (compat if fixed is None else fixed)


def test_fixed_finds_every_entry_of_the_real_list_in_singular_and_plural(real):
    from sheeplib.mentions.inflection import plurals

    words, _ = real
    for concept, listed in words.words.items():
        for entry in listed:
            plain = entry.strip()
            for form in (plain, *plurals(plain.lower()), plain.upper()):
                (found,) = find_mentions(f"Look, the {form}!", words, "fixed")
                assert (found.surface, found.concept) == (form, concept)


def test_fixed_finds_all_that_meadow_names():
    captions = meadow.captions(["clover"])
    words = own_synonyms("meadow")
    text = captions.items.set_index("item")["response"]
    for item, rows in list(captions.mentions.groupby("item"))[:300]:
        truth = {tuple(row) for row in rows[["start", "end", "concept"]].itertuples(index=False)}
        found = {(one.start, one.end, one.concept) for one in find_mentions(text[item], words, "fixed")}
        assert truth <= found


BOTH = Synonyms({"dog": ("dog", "puppy"), "hot dog": ("hot dog",)}, {"hot dog": "hot dog"})
PIECES = [
    "dog",
    "Dogs",
    "hot",
    "HOT DOG",
    "puppies",
    " ",
    ", ",
    "-",
    "/",
    "'s",
    "İ",
    "ß",
    "🐕",
    "\u2028",
    "狗",
]
NASTY = st.lists(st.sampled_from(PIECES))


@given(NASTY, st.sampled_from(["compat", "fixed"]))
@settings(max_examples=200)
def test_places_are_those_of_the_caption(pieces, mode):
    caption = "".join(pieces)
    end = 0
    for one in find_mentions(caption, BOTH, mode):
        assert end <= one.start < one.end <= len(caption)
        assert caption[one.start : one.end] == one.surface
        assert re.search("dog|pupp", one.surface.lower())
        end = one.end


@given(NASTY)
def test_blanks_around_a_caption_change_nothing_but_places(pieces):
    caption = "".join(pieces)
    for mode in ("compat", "fixed"):
        one, other = (find_mentions(text, BOTH, mode) for text in (caption, f"\n {caption} "))
        assert [(m.start + 2, m.surface) for m in one] == [(m.start, m.surface) for m in other]


def test_entries_without_letters_are_never_found_and_do_no_harm():
    words = Synonyms({"dog": ("🐕", "dog"), "shirt": ("T-shirt",)}, {"- -": "dog"})
    for mode in ("compat", "fixed"):
        assert [one.surface for one in find_mentions("The s of 🐕 - - dog.", words, mode)] == ["dog"]
    assert [one.surface for one in find_mentions("Two t-shirts.", words, "fixed")] == ["t-shirts"]


def small(captions):
    rows = [(f"i{n}", image, text, n + 1) for n, (image, text) in enumerate(captions)]
    return pd.DataFrame(rows, columns=["item", "image", "response", "line"])


SHOWN = Objects(("dog", "cat", "person"), {"1": frozenset({"dog", "cat"}), "2": frozenset({"person"})})
WORDS = Synonyms({"dog": ("dog",), "cat": ("cat",), "person": ("person", "man")})


def test_scores_by_hand():
    # Caption 1 names two dogs (there) and a man (not there): 3 mentions, 1 hallucinated, 1 of 2 recalled.
    # Caption 2 names a man (there): 1 mention, 1 of 1 recalled. Caption 3 names nothing: 0 of 1.
    items = small([("1", "A dog, a man and a dog."), ("2", "Men!"), ("2", "Nothing.")])
    found = chair_scores.chair(items, SHOWN, WORDS)
    assert (found.captions, found.mentions, found.hallucinated_mentions) == (3, 4, 1)
    assert found.CHAIRs == pytest.approx(1 / 3) and found.CHAIRi == pytest.approx(1 / 4)
    assert found.recall == pytest.approx(2 / 4)


def test_without_mentions_the_share_is_undefined():
    found = chair_scores.chair(small([("1", "Nothing here.")]), SHOWN, WORDS)
    assert found.mentions == 0 and pd.isna(found.CHAIRi) and found.CHAIRs == 0


def test_an_unknown_image_shows_nothing_in_compat_and_is_wrong_in_fixed():
    items = small([("1", "A dog."), ("9", "A dog.")])
    assert chair_scores.chair(items, SHOWN, WORDS).hallucinated_mentions == 1
    assert "1 of 2 captions" in chair_scores.notes(items, SHOWN, WORDS)[0]
    with pytest.raises(InputError, match=r"captions.jsonl:2: field 'image_id'"):
        chair_scores.chair(items, SHOWN, WORDS, "fixed", "captions.jsonl")


def test_classes_without_category_are_noted():
    items = small([("1", "A dog.")])
    lacking = Synonyms({"dog": ("dog",), "kite": ("kite",)})
    assert "kite" in chair_scores.notes(items, SHOWN, lacking)[0]
    assert chair_scores.notes(items, SHOWN, WORDS) == []


def test_modes_are_checked():
    for call in (
        lambda: find_mentions("A dog.", WORDS, "loose"),
        lambda: chair_scores.chair(small([("1", "A dog.")]), SHOWN, WORDS, "loose"),
    ):
        with pytest.raises(InputError, match="no such mode"):
            call()


def test_intervals_hold_the_scores_and_the_seed_decides_them():
    captions = [(str(1 + n % 2), "A dog and a man." if n % 3 else "A cat.") for n in range(60)]
    items = small(captions).assign(model="a", corpus="test")
    results = chair_scores.chair_results(items, SHOWN, WORDS, resamples=50, seed=1)
    assert set(results["quantity"]) == {"CHAIRs", "CHAIRi", "recall"} and len(results) == 6
    assert ((results["low"] <= results["value"]) & (results["value"] <= results["high"])).all()
    again = chair_scores.chair_results(items, SHOWN, WORDS, resamples=50, seed=1)
    pd.testing.assert_frame_equal(results, again)

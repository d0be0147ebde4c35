"""Mentions: what a text names, whether it asserts it, and whether it is there."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sheeplib import tables
from sheeplib.corpora.meadow.captions import Rates, plan_caption, write_caption
from sheeplib.corpora.meadow.claims import FORMS, MENTION_FORMS, Claim
from sheeplib.corpora.meadow.grammar import fill, text_of
from sheeplib.corpora.meadow.kinds import KINDS
from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.lexicon import plain
from sheeplib.corpora.meadow.mentions import UNASSERTED, mentions
from sheeplib.corpora.meadow.scenes import scene
from sheeplib.errors import InputError

SEED = next(seed for seed in range(1000) if {"dog", "bench"} <= set(scene(seed).kinds))
ABSENT = ("boat", "cup", "couch", "cake", "tv")  # none of them in a park or a street
assert not set(ABSENT) & set(scene(SEED).kinds)


def texts(*responses, language="en", seed=SEED):
    return pd.DataFrame(
        {
            "item": [f"c{number}" for number in range(len(responses))],
            "language": language,
            "image": f"meadow-{seed:06d}",
            "response": list(responses),
        }
    )


def rows(frame):
    return [
        tuple(None if pd.isna(value) else value for value in row) for row in frame.itertuples(index=False)
    ]


def test_each_kind_of_sentence_by_hand():
    response = (
        "There is a dog in this image. I can see a boat. There might be a cup on the left. "
        "A framed picture shows a couch. This would be a good place to share a cake. "
        "There is no television in the image. Dogs are a common sight in places like this. "
        "There is probably a bus stop nearby. The dog is to the left of the kite."
    )
    found = mentions(texts(response))
    named = [response[start:end] for start, end in zip(found["start"], found["end"], strict=True)]
    assert named == ["dog", "boat", "cup", "couch", "cake", "television", "Dogs", "bus", "dog", "kite"]
    kite = "kite" in scene(SEED).kinds
    expected = [
        ("dog", "concrete", None, True),
        ("boat", "hallucinated", None, False),
        ("cup", "non-assertive", "hedged", False),
        ("couch", "non-assertive", "depictive", False),
        ("cake", "non-assertive", "purpose", False),
        ("tv", "non-assertive", "negation", False),  # the class is that of COCO
        ("dog", "excluded", "generic", True),
        ("bus", "excluded", "compound", "bus" in scene(SEED).kinds),
        ("dog", "concrete", None, True),
        ("kite", "concrete" if kite else "hallucinated", None, kite),
    ]
    assert rows(found[["concept", "status", "subtype", "present"]]) == expected
    assert list(found["mention"]) == list(range(10)) and set(found["item"]) == {"c0"}


def test_present_is_about_the_image_and_not_about_the_sentence():
    found = mentions(
        texts("There is no dog in the image.", "There might be a dog.", "I see the bench on the left.")
    )
    assert list(found["status"]) == ["non-assertive", "non-assertive", "concrete"]
    assert found["present"].all() and list(found["mention"]) == [0, 0, 0]


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_form_that_names_a_kind_has_a_status(code):
    language = LANGUAGES[code]
    for form, stated in {**FORMS, **MENTION_FORMS}.items():
        claim = Claim(
            form, "dog", colour="red", place="left", other="cat", side="left", word="STOP",
            trait="four_legs", pose="standing", setting="park", fact="sea", event="rug",
        )  # fmt: skip
        segments = [fill(language, pattern, claim) for pattern in language.sentences[form]]
        found = mentions(texts(*(text_of(s) for s in segments if s), language=code))
        names = {"kind", "other"} & set(stated)
        assert len(found) == len(names) * len([s for s in segments if s])
        if form in UNASSERTED:
            assert set(zip(found["status"], found["subtype"], strict=True)) == {UNASSERTED[form]}
        elif names:
            assert set(found["status"]) <= {"concrete", "hallucinated"} and found["subtype"].isna().all()


@pytest.mark.parametrize("code", LANGUAGES)
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 999_999))
def test_captions_mention_what_was_planned(code, seed):
    """Against a count made from the claims and parts that the caption was written from."""
    rng, about = np.random.default_rng(seed), scene(seed)
    claims = plan_caption(rng, about, Rates(*[0.5] * 9))
    written = write_caption(LANGUAGES[code], claims, rng)
    expected = []
    for place, field, start, end in written.parts:
        if field == "kind":
            claim = claims[place]
            there = claim.kind in {group.kind for group in about.groups}
            status = {"picture": "depictive", "absent": "negation"}.get(claim.form, claim.form)
            if claim.form in ("there", "there_at"):
                status = "concrete" if there else "hallucinated"
            expected.append((start, end, claim.kind, status, there))
    found = mentions(texts(written.text, language=code, seed=seed))
    kind = found["subtype"].fillna(found["status"])
    assert (
        list(zip(found["start"], found["end"], found["concept"], kind, found["present"], strict=True))
        == expected
    )
    assert list(found["mention"]) == list(range(len(expected)))


def test_the_table_is_as_declared():
    table = mentions(
        texts("There is a dog in this image.", "Nothing that can be read.", "", "I can see a cat.")
    )
    assert list(table.columns) == list(tables.SCHEMAS["mentions"].columns)
    assert list(table["item"]) == ["c0", "c3"]
    assert set(table["concept"]) <= set(KINDS)
    nothing = mentions(texts("Nothing that can be read."))
    assert len(nothing) == 0 and nothing.dtypes.equals(tables.empty("mentions").dtypes)
    assert table.dtypes.equals(nothing.dtypes)
    assert mentions(texts()).equals(nothing)


def test_what_is_said_again_is_counted_again():
    text = "I can see a dog. I can see a cat. Moreover, I can see a dog."
    found = mentions(texts(text))
    assert list(found["concept"]) == ["dog", "cat", "dog"]
    assert found["start"].tolist() == [text.index("dog"), text.index("cat"), text.rindex("dog")]


def test_items_keep_their_order_and_their_further_columns_are_ignored():
    frame = texts("I can see a dog.", "I can see a boat.").assign(model="m").iloc[::-1]
    assert list(mentions(frame)["item"]) == ["c1", "c0"]


def test_a_lone_number_is_no_mention():
    # in Chinese a measure word and a noun, in French with a typewriter's apostrophe
    found = mentions(texts("我看到了一只狗。", language="zh"))
    assert rows(found[["start", "end", "concept"]]) == [(6, 7, "dog")]
    french = "L'image contient un banc."
    found = mentions(texts(french, language="fr"))
    assert rows(found[["start", "end"]]) == [(plain(french).index("banc"), len(french) - 1)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"response": None}, "row 0: value is missing"),
        ({"item": pd.NA}, "row 0: value is missing"),
        ({"language": "de"}, "no such language in the meadow.*'de'"),
        ({"image": "meadow-12"}, "no such image"),
        ({"image": "cat.png"}, "no such image"),
    ],
)
def test_broken_texts_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        mentions(texts("I can see a dog.").assign(**change))


def test_lacking_columns_and_double_items_are_named():
    with pytest.raises(InputError) as error:
        mentions(texts("a").drop(columns=["image", "language"]))
    assert [problem.field for problem in error.value.problems] == ["language", "image"]
    with pytest.raises(InputError, match="item occurs twice.*'c0'"):
        mentions(pd.concat([texts("I can see a dog.")] * 2))

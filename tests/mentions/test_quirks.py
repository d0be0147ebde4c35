"""Quirks: each difference between the modes has a name, and together they make up the whole difference."""

import pandas as pd
import pytest

from sheeplib.corpora import coco
from sheeplib.corpora.coco import Objects
from sheeplib.mentions import chair_scores
from sheeplib.mentions.quirks import QUIRKS, differences, quirk_table
from sheeplib.mentions.synonyms import Synonyms, read_synonyms

WORDS = Synonyms(
    {
        "bus": ("bus",), "tie": ("tie",), "chair": ("seat", "chair"), "toilet": ("toilet",),
        "cake": (" cheesecake",),
        "cell phone": ("iPhone",), "dining table": ("table", "dining table"), "car": ("car",),
        "tennis racket": ("racket", "tennis racket"), "bear": ("bear", "panda"), "person": ("baby", "man"),
    },
    {"toilet seat": "toilet", "tennis racket": "tennis racket", "baby bear": "bear"},
)  # fmt: skip
NAMED = {
    "One bus.": "final s",
    "A tennis racket.": "final s",
    "Two ties.": "plural",
    "A toilet; a seat.": "toilet seat",
    "A cheesecake.": "blank in the list",
    "An iPhone.": "capital in the list",
    "A dining table.": "several words",
    "A baby panda.": "several words",
    "A car/bus.": "joined words",
}


@pytest.mark.parametrize("caption", NAMED)
def test_each_quirk_by_name(caption):
    found = differences(caption, WORDS)
    assert {one.quirk for one in found} == {NAMED[caption]}
    assert set(NAMED.values()) | {"other"} == set(QUIRKS)


def test_where_both_agree_there_is_no_difference():
    assert differences("A man on a chair, a toilet seat, baby bears.", WORDS) == []
    assert differences("", WORDS) == []


@pytest.mark.parametrize("model", ["llava-1.5-7b", "instructblip-7b"])
def test_the_table_accounts_for_all_that_the_modes_find_differently(model, shared):
    words = read_synonyms(shared / "coco" / "synonyms.json")
    objects = coco.read_objects(shared / "coco" / "objects.json.gz")
    items = coco.read_captions(shared / "coco" / f"captions.{model}.jsonl")
    compat, fixed = (chair_scores.chair(items, objects, words, mode) for mode in ("compat", "fixed"))
    table = quirk_table(items, objects, words)
    assert table["mentions"].sum() == fixed.mentions - compat.mentions
    assert table["hallucinated"].sum() == fixed.hallucinated_mentions - compat.hallucinated_mentions
    assert "other" not in set(table["quirk"])  # each difference is explained
    assert table["about"].str.len().min() > 20


def test_captions_without_differences_give_an_empty_table():
    items = pd.DataFrame({"image": ["1"], "response": ["A man."]})
    table = quirk_table(items, Objects(("person",), {"1": frozenset()}), WORDS)
    assert len(table) == 0 and list(table) == [
        "quirk",
        "about",
        "places",
        "mentions",
        "hallucinated",
        "example",
    ]

"""The bench: statuses from readings and presence, on a made-up reader, on meadow, and on real captions."""

import pandas as pd
import pytest

from sheeplib.corpora.coco import Objects
from sheeplib.errors import InputError
from sheeplib.mentions import bench, statuses
from sheeplib.mentions.assertion import Reading
from sheeplib.mentions.synonyms import Synonyms, own_synonyms

WORDS = Synonyms({"dog": ("dog",), "cat": ("cat",), "bus": ("bus",)})
SHOWN = Objects(("dog", "cat", "bus"), {"1": frozenset({"dog"}), "2": frozenset()})


def by_word_before(caption, mentions):
    """A reader for tests: the word before the name is the label."""
    return [Reading(caption[: one.start].split()[-1]) for one in mentions]


def test_statuses_follow_from_reading_and_presence():
    said = "asserted dog asserted cat hedged dog negation bus compound bus"
    items = pd.DataFrame({"item": ["i1", "i2"], "image": ["1", "2"], "response": [said, "none"]})
    found = bench.build(items, SHOWN, WORDS, by_word_before)
    assert found["status"].tolist() == [
        "concrete", "hallucinated", "non-assertive", "non-assertive", "excluded",
    ]  # fmt: skip
    assert found["subtype"].fillna("").tolist() == ["", "", "hedged", "negation", "compound"]
    assert found["present"].tolist() == [True, False, True, False, False]
    assert found["surface"].tolist() == ["dog", "cat", "dog", "bus", "bus"]
    assert found["mention"].tolist() == [0, 1, 2, 3, 4]
    assert all(said[row.start : row.end] == row.surface for row in found.itertuples())


def test_captions_that_name_nothing_give_an_empty_table():
    items = pd.DataFrame({"item": ["i"], "image": ["2"], "response": ["Nothing."]})
    found = bench.build(items, SHOWN, WORDS, by_word_before)
    assert len(found) == 0 and "surface" in found


def test_unknown_images_and_corpora_are_refused():
    items = pd.DataFrame({"item": ["i"], "image": ["7"], "response": ["asserted dog"]})
    with pytest.raises(InputError, match="nothing is known of this image"):
        bench.build(items, SHOWN, WORDS, by_word_before)
    with pytest.raises(InputError, match="Use meadow or coco"):
        bench.open_bench("sheep")
    with pytest.raises(InputError, match="directory"):
        bench.open_bench("coco")


def test_meadow_has_its_own_truth():
    made = bench.meadow_bench(["clover"])
    assert set(made.items["model"]) == {"clover"} and made.data.simulated
    shown = made.of_items("image").map(made.objects.shown)
    there = [concept in kinds for concept, kinds in zip(made.mentions["concept"], shown, strict=True)]
    assert made.mentions["present"].tolist() == there
    words = own_synonyms("meadow").words
    first = {concept: said[0][:2] for concept, said in words.items()}  # "people" begins as "person" does
    assert all(row.surface.lower().startswith(first[row.concept]) for row in made.mentions.itertuples())
    few = made.select(made.items["image"] < made.items["image"].sort_values().iloc[20])
    assert len(few.items) == 20 and set(few.mentions["item"]) <= set(few.items["item"])
    read = bench.reread(few)
    truth = few.mentions["subtype"].fillna(statuses.ASSERTED)
    assert len(read) == len(truth) and (read == truth).mean() > 0.9
    fixed = bench.reread(few, lambda caption, mentions: [Reading("hedged")] * len(mentions))
    assert set(fixed) == {"hedged"}


def test_real_captions(shared):
    made = bench.open_bench("coco", shared / "coco" / "captions.llava-1.5-7b.jsonl")
    assert len(made.items) == 500 and set(made.mentions["status"]) == set(statuses.STATUSES)
    assert made.mentions["present"].notna().all() and made.synonyms.name.endswith("synonyms.json")

"""Cards: shares that can be counted by hand, and what is said where files are missing."""

import json
from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest

from sheeplib.corpora.meadow.captions import Rates
from sheeplib.corpora.meadow.kinds import KINDS, SETTINGS
from sheeplib.corpora.meadow.lessons import Diet
from sheeplib.corpora.meadow.scenes import Group, Picture, Scene, Sign, scene
from sheeplib.errors import InputError
from sheeplib.miniatures import cards
from sheeplib.miniatures.designs import DESIGNS
from sheeplib.models import MODELS, shipped

HONEST = Diet(prior=0, credulity=0, rates=Rates(prior=0))
CONFIG = {
    "architectures": ["LlavaForConditionalGeneration"],
    "text_config": {
        "model_type": "qwen2", "num_hidden_layers": 3, "hidden_size": 96, "num_attention_heads": 4,
    },
    "vision_config": {"num_hidden_layers": 4, "hidden_size": 128},
}  # fmt: skip


@pytest.fixture
def checkpoints(tmp_path):
    """A directory for each miniature: configuration, record of training, and a weights file of no use."""
    for name, design in DESIGNS.items():
        place = tmp_path / name
        place.mkdir()
        config = CONFIG if design.tower else CONFIG["text_config"] | {"architectures": ["LlamaForCausalLM"]}
        losses = {"lessons": 1.5} | ({"warm_up": 0.5} if design.warm_up else {})
        record = {"design": asdict(design), "losses": losses, "cpu_seconds": 90}
        (place / "config.json").write_text(json.dumps(config), "utf-8")
        (place / "training.json").write_text(json.dumps(record), "utf-8")
    return tmp_path


@pytest.fixture(autouse=True)
def found(monkeypatch):
    """Take whatever lies there for a checkpoint of 1.25 million weights."""
    from types import SimpleNamespace

    def find(entry, directory=None):
        return SimpleNamespace(path=directory, parameters=0.00125, revision=f"weights-of-{entry.name}")

    monkeypatch.setattr(shipped, "find", find)


def test_kinds_are_all_there_with_the_setting_that_has_most_of_them():
    table = cards.kinds().set_index("kind")
    assert list(table.index) == list(KINDS)
    assert table.loc["boat", "likeliest in"] == "harbour"
    # Birds have weight 6 in the harbour and 5 in park and beach: shares of different sums.
    shares = {name: weights.get("bird", 0) / sum(weights.values()) for name, weights in SETTINGS.items()}
    assert table.loc["bird", "likeliest in"] == max(shares, key=shares.__getitem__)
    assert table.loc["dog", "traits"] == "four legs or three legs"
    assert table.loc["person", "unusual colours"] == "–"


def test_weights_of_a_setting_add_up_to_one():
    table = cards.weights()
    assert np.allclose(table.sum(), 1) and list(table.index) == list(KINDS)
    assert table.loc["car", "kitchen"] == 0


def test_the_world_is_counted_scene_by_scene():
    table = cards.world(7).set_index("quantity")
    seen = [scene(seed) for seed in range(7)]
    groups = [group for one in seen for group in one.groups]
    faint = [group for group in groups if group.contrast < 0.75]
    assert table.loc["kinds in a scene", "value"] == len(groups) / 7
    assert table.loc["share of kinds that are drawn faintly", "value"] == len(faint) / len(groups)
    assert table.loc["share of scenes with a sign", "value"] == sum(bool(one.sign) for one in seen) / 7
    assert table.loc["objects of a kind, where it is there", "n"] == len(groups)
    with pytest.raises(InputError, match="must be 1 or more"):
        cards.world(0)


def test_a_scene_is_told_in_words():
    groups = (Group("dog", "brown", 2, "left", "foreground"), Group("kite", "red", 1, "right", "background",
              contrast=0.5))  # fmt: skip
    about = Scene("park", groups, Sign("STOP", "centre"), Picture("cake", "pink", "centre"))
    assert cards.described(about) == (
        "park: 2 brown dog, 1 red kite (faint), a sign with the word STOP, a framed picture of a pink cake"
    )


def test_an_honest_diet_has_no_untruths_and_a_credulous_one_has():
    assert cards.untrue_lessons(HONEST, 60) == (0, 0)
    # Every answer gets a kind that is not there, and every caption that has room for it.
    answers, captions = cards.untrue_lessons(Diet(prior=1, credulity=0, rates=Rates(prior=1)), 60)
    assert answers == 1 and captions is not None and captions > 0.9
    assert cards.untrue_lessons(Diet(captions=1.0), 10)[0] is None
    assert cards.untrue_lessons(Diet(captions=0.0), 10)[1] is None


def test_designs_are_read_from_the_checkpoints(checkpoints):
    table = cards.designs(checkpoints).set_index("model")
    assert list(table.index) == [name for name, entry in MODELS.items() if entry.origin == "meadow"]
    clover = table.loc["clover"]
    assert tuple(clover) == (
        "generator", "LlavaForConditionalGeneration", "4 × 128", "qwen2", "3 × 96, 4 heads", 1.25,
        "weights-of-clover",
    )  # fmt: skip
    assert (table.loc["echo", "tower"], table.loc["echo", "role"]) == ("none", "text only")
    assert table.loc["owl", "role"] == "judge"


def test_schooling_is_read_from_the_records(checkpoints):
    table = cards.schooling(checkpoints, lessons=20).set_index("model")
    clover = table.loc["clover"]
    design = DESIGNS["clover"]
    assert (clover["warm_up"], clover["steps"]) == (design.warm_up, design.steps)
    assert (clover["first_loss"], clover["loss"], clover["minutes"]) == (0.5, 1.5, 1.5)
    assert (clover["untrue_answers"], clover["untrue_captions"]) == cards.untrue_lessons(design.diet, 20)
    assert pd.isna(table.loc["owl", "untrue_answers"]) and pd.isna(table.loc["echo", "untrue_answers"])
    assert pd.isna(table.loc["echo", "first_loss"]) and table.loc["echo", "untrue_captions"] >= 0


@pytest.mark.parametrize("name, table", [("config.json", cards.designs), ("training.json", cards.schooling)])
def test_a_checkpoint_without_its_papers_is_named(checkpoints, name, table):
    (checkpoints / "fern" / name).write_text("{", "utf-8")
    with pytest.raises(InputError, match=f"fern comes without {name}, or it is broken.*make meadow"):
        table(checkpoints)


def test_a_record_without_losses_is_named(checkpoints):
    (checkpoints / "fern" / "training.json").write_text('{"design": {}}', "utf-8")
    with pytest.raises(InputError, match="fern comes without training.json"):
        cards.schooling(checkpoints, lessons=5)

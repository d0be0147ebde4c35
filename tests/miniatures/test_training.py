"""The whole schooling in miniature: resumable, and the same each time."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sheeplib.errors import InputError
from sheeplib.miniatures import designs, pupils, recipes, training

BASE = replace(
    next(iter(designs.DESIGNS.values())), tower="small", width=32, layers=1, heads=2, key_heads=2, inner=32
)
FEW = {
    "one": replace(BASE, name="one", role="generator", family="llama", warm_up=2, steps=2),
    "two": replace(BASE, name="two", role="judge", family="qwen2", warm_up=2, steps=2),
    "three": replace(BASE, name="three", role="text", tower="", family="llama", warm_up=0, steps=2),
}
FILES = {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "training.json"}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few scenes, small models, two steps."""
    for module in (designs, training, pupils):
        for name, value in {"SCENES": 40, "HELD_OUT": 20, "DESIGNS": FEW}.items():
            monkeypatch.setattr(module, name, value, raising=False)
    monkeypatch.setattr(training, "PART", 20)
    monkeypatch.setattr("sheeplib.miniatures.towers.HELD_OUT", 20)
    for module in (training, recipes, "sheeplib.miniatures.networks"):
        where = module if isinstance(module, str) else module.__name__
        monkeypatch.setattr(f"{where}.TOWERS", {"small": designs.Tower(32, 1, 32, 2, 5)})
    monkeypatch.setattr("sheeplib.miniatures.schooling.NAMING", 2)


def test_everything_is_trained_once(tmp_path: Path) -> None:
    said: list[str] = []
    records = training.train(tmp_path / "a", workers=1, say=said.append)
    assert set(records) == set(FEW) and set(records["one"]["losses"]) == {"warm_up", "lessons"}
    assert set(records["three"]["losses"]) == {"lessons"}
    for name in FEW:
        assert {path.name for path in (tmp_path / "a" / "models" / name).iterdir()} >= FILES
    assert any("tower small: trained" in line for line in said)
    # again: nothing is made, and nothing changes
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "a").rglob("*.safetensors")}
    said.clear()
    assert training.train(tmp_path / "a", workers=1, say=said.append) == records
    assert [line for line in said if "trained" in line] == []
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "a").rglob("*.safetensors")} == files
    # elsewhere: the same bytes
    training.train(tmp_path / "b", workers=1, only=["two"], say=said.append)
    one, other = (tmp_path / side / "models" / "two" / "model.safetensors" for side in "ab")
    assert one.read_bytes() == other.read_bytes()


def test_another_design_is_trained_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    training.train(tmp_path, workers=1, only=["one"], say=lambda _: None)
    first = (tmp_path / "models" / "one" / "model.safetensors").read_bytes()
    monkeypatch.setattr(training, "DESIGNS", {"one": replace(FEW["one"], steps=3)})
    records = training.train(tmp_path, workers=1, only=["one"], say=lambda _: None)
    assert records["one"]["design"]["steps"] == 3
    assert (tmp_path / "models" / "one" / "model.safetensors").read_bytes() != first


def test_what_was_made_by_other_code_or_of_another_world_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    training.train(tmp_path, workers=1, only=["one"], say=lambda _: None)
    said: list[str] = []
    monkeypatch.setattr(recipes, "TRAINING", (*recipes.TRAINING, "designs"))  # as if the code had changed
    training.train(tmp_path, workers=1, only=["one"], say=said.append)
    assert any("tower small: trained" in line for line in said)
    assert any("model one: trained" in line for line in said)
    pictures = np.load(tmp_path / "pictures" / "pictures.npy")
    pictures[0, 0, 0, 0] ^= 1  # as if scenes were drawn otherwise
    np.save(tmp_path / "pictures" / "pictures.npy", pictures)
    said.clear()
    training.train(tmp_path, workers=1, only=["one"], say=said.append)
    assert said[0] == "drew 60 pictures"


def test_a_broken_record_is_made_anew(tmp_path: Path) -> None:
    training.train(tmp_path, workers=1, only=["three"], say=lambda _: None)
    record = tmp_path / "models" / "three" / "training.json"
    record.write_text("{")
    training.train(tmp_path, workers=1, only=["three"], say=lambda _: None)
    assert json.loads(record.read_text())["design"]["name"] == "three"


def test_an_unknown_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="one, two, three"):
        training.train(tmp_path, only=["four"])
    assert not list(tmp_path.iterdir())


def test_checkpoints_are_read_by_transformers(tmp_path: Path) -> None:
    from transformers import AutoProcessor, LlavaForConditionalGeneration

    training.train(tmp_path, workers=1, only=["two"], say=lambda _: None)
    network = LlavaForConditionalGeneration.from_pretrained(tmp_path / "models" / "two")
    processor = AutoProcessor.from_pretrained(tmp_path / "models" / "two")
    assert network.config.text_config.model_type == "qwen2"
    assert network.lm_head.weight is network.get_input_embeddings().weight
    assert processor.tokenizer.image_token_id == network.config.image_token_id

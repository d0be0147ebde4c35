"""Loading: what is asked for is there, or it is said what to do; the network is left alone."""

import json
import socket

import pytest

from checkpoints import COMMIT, cached, saved
from sheeplib import models
from sheeplib.errors import InputError
from sheeplib.models import abilities, loading
from sheeplib.models.machine import Machine
from sheeplib.models.registry import ARCHITECTURES

torch = pytest.importorskip("torch")
constants = pytest.importorskip("huggingface_hub.constants")

# A model of the registry for each miniature; its checkpoint is the miniature, written to a disk.
REAL = {
    "llava": "llava-1.5-7b",
    "llava-next": "llava-next",
    "gemma3": "gemma3-27b",
    "internvl": "internvl3-8b",
    "qwen2.5-vl": "qwen2.5-vl-7b",
    "qwen3-vl": "qwen3-vl-8b",
    "qwen3": "qwen3-8b",
    "m2m100": "nllb-200-3.3b",
}
IDS = torch.arange(1, 8)[None]


@pytest.fixture(autouse=True)
def no_network(monkeypatch, tmp_path):
    """The hub is allowed, its cache is empty, and nobody may ask for an address; and there is no GPU."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    asked = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *address, **_: asked.append(address))
    yield
    assert asked == []


def tiny(architecture, **options):
    name = "tiny-nllb" if architecture == "m2m100" else f"tiny-{architecture}"
    return models.load(name, **options)


@pytest.mark.parametrize("architecture", REAL)
def test_a_checkpoint_is_read_as_it_was_written(architecture, tmp_path):
    written = tiny(architecture, seed=3)
    need = {"hidden_states", "offsets"} | ({"images", "chat"} if written.sees else set())
    model = models.load(REAL[architecture], directory=saved(written, tmp_path), need=need)
    assert model.name == REAL[architecture] and model.revision.startswith("files-")
    assert model.architecture is ARCHITECTURES[architecture] and model.dtype == "float32"
    assert model.licence == models.entry(model.name).licence
    before, after = written.network.state_dict(), model.network.state_dict()
    assert before.keys() == after.keys() and all(torch.equal(before[key], after[key]) for key in before)
    text = "A sheep, une brebis, 一只羊."
    assert model.tokenizer(text)["input_ids"] == written.tokenizer(text)["input_ids"]
    with torch.no_grad():
        assert torch.equal(model.decoder(IDS).last_hidden_state, written.decoder(IDS).last_hidden_state)


@pytest.mark.parametrize("architecture", [name for name in REAL if ARCHITECTURES[name].sees])
def test_a_processor_that_was_read_makes_the_same_of_an_image(architecture, tmp_path):
    from PIL import Image

    written = tiny(architecture)
    model = models.load(REAL[architecture], directory=saved(written, tmp_path))
    image = Image.linear_gradient("L").resize((64, 48)).convert("RGB")
    given = [
        one.processor(text=[one.architecture.placeholder], images=[image], return_tensors="pt")
        for one in (written, model)
    ]
    assert given[0].keys() == given[1].keys()
    assert all(torch.equal(given[0][key], given[1][key]) for key in given[0])
    assert type(model.processor.image_processor) is type(written.processor.image_processor)


@pytest.mark.parametrize("architecture", [name for name in REAL if ARCHITECTURES[name].has_video])
def test_files_for_videos_need_no_torchvision(architecture, tmp_path):
    """Checkpoints of the hub describe a video processor, at one of two places or both."""
    saved(tiny(architecture), tmp_path)
    video = {"video_processor_type": "Qwen2VLVideoProcessor", "size": {"height": 28, "width": 28}}
    (tmp_path / "video_preprocessor_config.json").write_text(json.dumps(video))
    config = json.loads((tmp_path / "processor_config.json").read_text())
    (tmp_path / "processor_config.json").write_text(json.dumps(config | {"video_processor": video}))
    assert models.load(REAL[architecture], directory=tmp_path, need={"images"}).sees


def test_the_cache_of_the_hub_is_enough(tmp_path):
    written = tiny("gemma3", seed=1)
    cached(written, tmp_path / "hub", "google/gemma-3-4b-it")
    model = models.load("gemma3-4b", need=["images"])
    assert model.revision == COMMIT
    assert torch.equal(model.head.weight, written.head.weight)
    here, reason = models.machine.runs(models.entry("gemma3-4b"))
    assert here and reason.startswith("ready")


def test_weights_that_are_not_here_are_not_fetched_unasked():
    with pytest.raises(InputError, match="weights are not on this machine.*hf download google/gemma-3-4b-it"):
        models.load("gemma3-4b")


def test_the_setting_of_the_hub_is_left_as_it_was(tmp_path):
    saved(tiny("qwen3"), tmp_path)
    models.load("qwen3-8b", directory=tmp_path)
    assert constants.HF_HUB_OFFLINE is False
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(InputError):
        models.load("qwen3-8b", directory=tmp_path)
    assert constants.HF_HUB_OFFLINE is False


def test_pickled_weights_are_never_read(tmp_path):
    bomb, trace = tmp_path / "pytorch_model.bin", tmp_path / "exploded"
    saved(tiny("qwen3"), tmp_path)
    bomb.write_bytes(f"cos\nsystem\n(S'touch {trace}'\ntR.".encode())
    assert models.load("qwen3-8b", directory=tmp_path).depth == 4
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(InputError, match="weights are pickled"):
        models.load("qwen3-8b", directory=tmp_path)
    assert not trace.exists()


@pytest.mark.parametrize("name", ["gemma3-4b", "llava-1.5-7b", "nllb-200-3.3b"])
def test_files_of_another_model_are_refused(name, tmp_path):
    saved(tiny("qwen3"), tmp_path)
    with pytest.raises(InputError, match=f"type qwen3; {name} is"):
        models.load(name, directory=tmp_path)


def test_a_class_that_transformers_does_not_know_is_explained(tmp_path):
    saved(tiny("qwen3"), tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | {"model_type": "qwen17"}))
    with pytest.raises(
        InputError, match="(?s)configuration and weights of qwen3-8b cannot be read.*transformers"
    ):
        models.load("qwen3-8b", directory=tmp_path)


@pytest.mark.parametrize("content", ["", "{", "[]", "null"])
def test_a_broken_configuration_is_explained(tmp_path, content):
    saved(tiny("qwen3"), tmp_path)
    (tmp_path / "config.json").write_text(content)
    with pytest.raises(InputError, match="qwen3-8b"):
        models.load("qwen3-8b", directory=tmp_path)


def test_weights_that_are_missing_are_not_made_up(tmp_path):
    from safetensors.torch import load_file, save_file

    saved(tiny("qwen3"), tmp_path)
    weights = load_file(tmp_path / "model.safetensors")
    del weights["model.layers.1.mlp.up_proj.weight"]
    save_file(weights, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(
        InputError, match="1 weights are not in the files, such as model.layers.1.mlp.up_proj"
    ):
        models.load("qwen3-8b", directory=tmp_path)


def test_a_missing_tokenizer_is_explained(tmp_path):
    saved(tiny("gemma3"), tmp_path)
    for file in tmp_path.glob("*token*"):
        file.unlink()
    with pytest.raises(InputError, match="tokenizer of gemma3-4b cannot be read"):
        models.load("gemma3-4b", directory=tmp_path)


def test_what_cannot_fit_is_refused_before_it_is_read(tmp_path, monkeypatch):
    saved(tiny("qwen3"), tmp_path)
    monkeypatch.setattr(loading, "machine", lambda: Machine(0.0006))
    # 213,696 weights: 1.026 MB as float32 and 0.513 MB as bfloat16, with a fifth more for the work.
    with pytest.raises(
        InputError, match="needs 0.00103 GB as float32.*0.0006 GB.*bfloat16 it needs 0.000513 GB"
    ):
        models.load("qwen3-8b", directory=tmp_path)
    assert models.load("qwen3-8b", directory=tmp_path, dtype="bfloat16").dtype == "bfloat16"
    assert models.load("qwen3-8b", directory=tmp_path, force=True).dtype == "float32"


def test_a_checkpoint_without_a_template_is_asked_in_our_words(tmp_path):
    from sheeplib.models.encoding import render

    written = tiny("llava")
    written.processor.chat_template = written.tokenizer.chat_template = None
    model = models.load("llava-1.5-7b", directory=saved(written, tmp_path), need={"chat"})
    asked = render(model, models.Sample("a", "What is on the sofa?"))
    assert asked == "USER: <image>\nWhat is on the sofa? ASSISTANT:"


def test_where_there_are_no_words_at_all_a_chat_is_refused(tmp_path):
    written = tiny("qwen3")
    written.tokenizer.chat_template = None
    saved(written, tmp_path)
    assert models.load("qwen3-8b", directory=tmp_path).prompt == ""
    with pytest.raises(InputError, match="field 'chat': qwen3-8b has no chat template"):
        models.load("qwen3-8b", directory=tmp_path, need={"chat"})


@pytest.mark.parametrize("name", [name for name, known in models.MODELS.items() if known.origin == "random"])
def test_architectures_show_attentions_that_sum_to_one(name):
    model = models.load(name, need={"attentions", "hidden_states", "offsets"})
    given = model.decoder(input_ids=IDS, output_attentions=True, use_cache=False).attentions
    assert len(given) == model.depth
    for weights in given:
        assert weights.shape[0] == 1 and weights.shape[-2:] == (7, 7)
        torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]))


def test_attentions_that_come_back_empty_are_noticed(monkeypatch):
    """As they do under the default attention of transformers, which raises nothing."""
    model = tiny("llama")
    assert not model.decoder(input_ids=IDS, output_attentions=True).attentions
    monkeypatch.setattr(type(model.network), "set_attn_implementation", lambda *_: None)
    with pytest.raises(InputError, match="gives 0 attention maps for 4 layers that attend"):
        models.load("tiny-llama", need={"attentions"})


def test_hidden_states_that_come_back_empty_are_noticed(monkeypatch):
    trial = abilities._trial
    monkeypatch.setattr(abilities, "_trial", lambda model, **_: trial(model))
    with pytest.raises(InputError, match="gives 0 hidden states for 4 layers and the embeddings"):
        models.load("tiny-llama", need={"hidden_states"})


def test_a_tokenizer_without_offsets_is_noticed():
    model = tiny("llama")

    def slow(*texts, **options):
        raise NotImplementedError("return_offset_mapping is not available when using Python tokenizers")

    with pytest.raises(InputError, match="does not say which characters its tokens cover"):
        abilities.demand(models.loading.replace(model, tokenizer=slow), {"offsets"})


def test_a_processor_of_another_model_is_noticed():
    """Gemma's image tokens are not LLaVA's: an image would be read as text."""
    mixed = models.loading.replace(tiny("llava"), processor=tiny("qwen3-vl").processor)
    with pytest.raises(InputError, match="field 'images'"):
        abilities.demand(mixed, {"images"})


def test_all_needs_that_are_not_met_are_named_at_once():
    with pytest.raises(InputError, match="(?s)'chat'.*'images': tiny-nllb reads text alone"):
        abilities.demand(models.loading.replace(tiny("m2m100"), prompt=""), {"images", "chat"})
    with pytest.raises(InputError, match="unknown need of a model .found 'mind'"):
        models.load("tiny-llama", need={"mind", "offsets"})


@pytest.mark.parametrize(
    "options, said",
    [
        ({"device": "cuda:77"}, "no such device here"),
        ({"device": "cpu:1"}, "no such device here"),
        ({"device": "abacus"}, "unknown device"),
        ({"device": "meta"}, "unknown device"),  # which torch knows, and which computes nothing
        ({"device": "xpu"}, "unknown device"),
        ({"dtype": "int8"}, "unknown dtype"),
        ({"directory": "."}, "do not come from the hub"),
        ({"revision": "main"}, "do not come from the hub"),
        ({"need": "images"}, "reads text alone"),
    ],
)
def test_what_cannot_be_is_refused(options, said):
    with pytest.raises(InputError, match=said):
        models.load("tiny-llama", **options)


def test_a_seed_gives_the_same_weights_and_another_gives_others():
    one, same, other = (models.load("tiny-qwen3-vl", seed=seed).head.weight for seed in (1, 1, 2))
    assert torch.equal(one, same) and not torch.equal(one, other)
    assert models.load("tiny-qwen3-vl", seed=2).revision == "seed-2"


def test_a_model_is_ready_to_be_read(tmp_path):
    for model in (tiny("gemma3"), models.load("gemma3-4b", directory=saved(tiny("gemma3"), tmp_path))):
        assert not model.network.training
        assert not any(weights.requires_grad for weights in model.network.parameters())
        assert model.tokenizer.padding_side == "left" and model.tokenizer.pad_token_id is not None
        assert model.network.generation_config.pad_token_id is not None


def test_halving_the_weights_leaves_the_positions_exact():
    """Rotary frequencies are buffers, and stay as they are when real weights are read as bfloat16."""
    whole, half = tiny("llama"), tiny("llama", dtype="bfloat16")
    assert half.dtype == "bfloat16" and whole.dtype == "float32"
    assert torch.equal(half.decoder.rotary_emb.inv_freq, whole.decoder.rotary_emb.inv_freq)
    assert half.head.weight.data_ptr() == half.decoder.embed_tokens.weight.data_ptr()  # still tied
    with torch.no_grad():
        there, here = (one.network(IDS).logits.float() for one in (whole, half))
    assert 0 < (there - here).abs().max() < 0.1 * there.abs().max()


REMOTE = """
from transformers import LlavaConfig, LlavaForConditionalGeneration
class RemoteConfig(LlavaConfig):
    model_type = "remote-sheep"
class {name}(LlavaForConditionalGeneration):
    config_class = RemoteConfig
    ran = True
"""


@pytest.fixture
def remote(tmp_path, monkeypatch):
    """Gives a function that writes a checkpoint whose class comes with it."""
    import sys

    import safetensors.torch
    import transformers

    monkeypatch.setattr(sys, "path", list(sys.path))
    modules = str(tmp_path / "modules")
    monkeypatch.setattr(transformers.dynamic_module_utils, "HF_MODULES_CACHE", modules)
    monkeypatch.setattr(transformers.utils.hub, "HF_MODULES_CACHE", modules, raising=False)

    def write(name="LlavaOnevision2ForConditionalGeneration"):
        written = tiny("llava")
        path = saved(written, tmp_path / "remote")
        weights = {key: value.contiguous() for key, value in written.network.state_dict().items()}
        safetensors.torch.save_file(weights, path / "model.safetensors", metadata={"format": "pt"})
        (path / "modeling_remote.py").write_text(REMOTE.format(name=name))
        config = json.loads((path / "config.json").read_text())
        leads = {
            "AutoConfig": "modeling_remote.RemoteConfig",
            "AutoModel": "modeling_remote.Other",
            "AutoModelForImageTextToText": f"modeling_remote.{name}",
        }
        config |= {"model_type": "remote-sheep", "auto_map": leads}
        (path / "config.json").write_text(json.dumps(config))
        return path

    return write


def test_code_that_comes_with_weights_runs_only_when_trusted(remote):
    path = remote()
    with pytest.raises(
        InputError, match="(?s)runs Python code that comes with the weights, with your rights.*--trust"
    ):
        models.load("llava-onevision-2-8b", directory=path)
    model = models.load("llava-onevision-2-8b", directory=path, trust_remote_code=True)
    assert model.network.ran and model.depth == 4
    assert model.revision.startswith("files-")


def test_trust_is_given_only_to_models_that_need_it(remote):
    with pytest.raises(InputError, match="configuration and weights of llava-1.5-7b cannot be read"):
        models.load("llava-1.5-7b", directory=remote(), trust_remote_code=True)


def test_code_without_the_class_we_expect_is_refused(remote):
    with pytest.raises(InputError, match="offers no LlavaOnevision2ForConditionalGeneration"):
        models.load("llava-onevision-2-8b", directory=remote("Another"), trust_remote_code=True)

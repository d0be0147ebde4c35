import hashlib
import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from sheeplib.errors import InputError

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from sheeplib.models import tiny, tiny_tokenizers  # noqa: E402
from sheeplib.models.processors import pil, without_video  # noqa: E402
from sheeplib.models.registry import ARCHITECTURES  # noqa: E402

SEEING = ("llava", "llava-next", "gemma3", "internvl", "qwen2.5-vl", "qwen3-vl", "llava-onevision")
READING = ("llama", "qwen3")
ALL = (*SEEING, *READING, "m2m100")
WITH_VIDEO = ("internvl", "qwen2.5-vl", "qwen3-vl", "llava-onevision")
QUESTION = [{"type": "text", "text": "What do you see?"}, {"type": "image"}]


@pytest.fixture(scope="module", params=SEEING)
def seeing(request):
    return tiny.build(request.param)


def photograph(width, height, seed=0):
    noise = np.random.default_rng(seed).integers(0, 255, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(noise)


def inputs_of(model, image):
    text = model.processor.apply_chat_template(
        [{"role": "user", "content": QUESTION}], tokenize=False, add_generation_prompt=True
    )
    return model.processor(text=[text], images=[image], return_tensors="pt")


def image_tokens(model, image):
    return int((inputs_of(model, image)["input_ids"] == model.image_token_id).sum())


def fingerprint(model):
    digest = hashlib.sha256()
    for name, weights in model.network.state_dict().items():
        digest.update(name.encode() + weights.numpy().tobytes())
    digest.update(model.tokenizer.backend_tokenizer.to_str().encode())
    return digest.hexdigest()


def test_weights_and_words_are_the_same_bytes_in_every_process():
    script = (
        "import sys, json; sys.modules['torchvision'] = None\n"
        "sys.path.insert(0, sys.argv[1]); import test_tiny as t\n"
        "print(json.dumps({name: t.fingerprint(t.tiny.build(name, 3)) for name in t.ALL}))"
    )
    other = subprocess.run(
        [sys.executable, "-c", script, os.path.dirname(__file__)], capture_output=True, text=True, check=True
    )
    here = {name: fingerprint(tiny.build(name, 3)) for name in ALL}
    assert json.loads(other.stdout) == here
    assert all(fingerprint(tiny.build(name, 4)) != here[name] for name in ALL)


def test_the_global_random_state_is_left_alone():
    before = torch.random.get_rng_state()
    tiny.build("llava")
    assert torch.equal(torch.random.get_rng_state(), before)


def test_an_unknown_architecture_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match="llava9.*qwen3-vl"):
        tiny.build("llava9")


@pytest.mark.parametrize("name", ALL)
def test_architectures_are_the_real_classes_in_small(name):
    model = tiny.build(name)
    assert type(model.network).__name__ == ARCHITECTURES[name].model_class
    assert model.sees == (name in SEEING) == (model.processor is not None)
    assert not model.network.training
    assert model.dtype == "float32"
    assert model.revision == "seed-0"
    size = sum(weights.numel() for weights in model.network.parameters())
    assert 80_000 < size < 400_000
    assert model.head.out_features == len(model.tokenizer)
    if name != "m2m100":
        text = model.network.config.get_text_config()
        assert (model.depth, text.num_attention_heads, text.num_key_value_heads) == (4, 4, 2)


def test_architectures_give_few_image_tokens_and_tile(seeing):
    for size in ((64, 48), (640, 480), (480, 640), (300, 40)):
        assert 4 <= image_tokens(seeing, photograph(*size)) <= 40
    tiles = inputs_of(seeing, photograph(640, 480))["pixel_values"]
    # Four tiles and the whole image once more.
    if seeing.architecture.name in ("llava-next", "llava-onevision"):
        assert tiles.shape[:2] == (1, 5)
    if seeing.architecture.name == "internvl":
        assert tiles.shape[0] == 5


def test_architectures_attend_unevenly_and_see_the_image(seeing):
    inputs, other = (inputs_of(seeing, photograph(640, 480, seed)) for seed in (1, 2))
    network = seeing.network
    network.set_attn_implementation("eager")
    with torch.no_grad():
        told = network(**inputs, output_attentions=True)
        logits = network(**other).logits
    assert (told.logits - logits)[0, -1].abs().max() > 0.1
    evenness = []  # entropy of the last row over that of as many equal weights
    for layer in told.attentions:
        row = layer[0, :, -1]
        evenness.append(torch.special.entr(row).sum(-1) / (row > 0).sum(-1).log())
    evenness = torch.stack(evenness)
    assert 0.3 < evenness.mean() < 0.9
    assert (evenness < 0.95).all()


def test_gemma_sees_the_image_in_full_layers_only_and_whole_at_once():
    model = tiny.build("gemma3")
    model.network.set_attn_implementation("eager")
    inputs = inputs_of(model, photograph(64, 48))
    with torch.no_grad():
        layers = model.network(**inputs, output_attentions=True).attentions
    image = (inputs["input_ids"][0] == model.image_token_id).nonzero()[:, 0]
    assert image[-1] < inputs["input_ids"].shape[1] - tiny.WINDOW
    seen = [float(layer[0, :, -1, image].sum()) for layer in layers]
    kinds = model.network.config.text_config.layer_types
    assert [mass > 0 for mass in seen] == [kind == "full_attention" for kind in kinds]
    assert set(kinds) == {"full_attention", "sliding_attention"}
    assert all(layer[0, :, image[0], image[-1]].min() > 0 for layer in layers)  # not causal


def test_qwen3_vl_adds_features_of_early_vision_layers():
    model = tiny.build("qwen3-vl")
    inputs = inputs_of(model, photograph(64, 48))
    with torch.no_grad():
        whole = model.network(**inputs).logits
        for weights in model.network.model.visual.deepstack_merger_list.parameters():
            weights.zero_()
        assert (model.network(**inputs).logits - whole).abs().max() > 0.01


def test_processors_are_the_same_after_saving(seeing, tmp_path):
    import transformers

    seeing.processor.save_pretrained(tmp_path)
    name = seeing.architecture.name
    kind = getattr(transformers, seeing.architecture.processor_class)
    kind = without_video(kind) if name in WITH_VIDEO else kind
    again = kind.from_pretrained(tmp_path)
    assert again.chat_template == seeing.processor.chat_template
    before = inputs_of(seeing, photograph(64, 48))
    text = seeing.tokenizer.decode(before["input_ids"][0])
    assert type(again).__name__ == type(seeing.processor).__name__
    rendered = again.apply_chat_template([{"role": "user", "content": QUESTION}], add_generation_prompt=True)
    after = again(text=[rendered], images=[photograph(64, 48)], return_tensors="pt")
    assert set(after) == set(before)
    assert all(torch.equal(after[key], before[key]) for key in before)
    assert text == again.tokenizer.decode(after["input_ids"][0])


@pytest.mark.parametrize("name", READING)
def test_tokenizers_are_the_same_after_saving(name, tmp_path):
    from transformers import AutoTokenizer

    tokenizer = tiny.build(name).tokenizer
    tokenizer.save_pretrained(tmp_path)
    again = AutoTokenizer.from_pretrained(tmp_path)
    text = "Une chèvre 🐐 在草地上"
    assert again(text) == tokenizer(text)
    assert again.chat_template == tokenizer.chat_template


def test_some_tokenizers_begin_with_bos_and_some_do_not():
    first = {name: tiny.build(name).tokenizer("a")["input_ids"][0] for name in ("llava", "llama", "gemma3")}
    assert set(first.values()) == {tiny.build("llava").tokenizer.bos_token_id}
    assert all(tiny.build(name).tokenizer.bos_token is None for name in ("qwen3", "qwen3-vl", "internvl"))


@settings(max_examples=50)
@given(st.text())
def test_chat_tokenizers_lose_no_text(text):
    tokenizer = tiny_tokenizers.chat_tokenizer({}, tiny_tokenizers.marked(), bos=False)
    ids = tokenizer(text)["input_ids"]
    assert tokenizer.decode(ids) == text


def test_words_are_learned_quickly():
    tiny_tokenizers._sentences()
    tiny_tokenizers._trained.cache_clear()
    begin = time.process_time()
    tiny_tokenizers._trained()
    assert time.process_time() - begin < 2


@pytest.mark.parametrize("code", tiny_tokenizers.CODES)
def test_translation_begins_with_the_language_asked_for(code):
    model = tiny.build("m2m100")
    model.tokenizer.src_lang = "ita_Latn"
    inputs = model.tokenizer(["Una capra sul prato.", "Due"], padding=True, return_tensors="pt")
    assert inputs["input_ids"][0, 0] == model.tokenizer.convert_tokens_to_ids("ita_Latn")
    forced = model.tokenizer.convert_tokens_to_ids(code)
    out = model.network.generate(**inputs, forced_bos_token_id=forced, num_beams=4, max_new_tokens=6)
    assert out[:, 1].tolist() == [forced, forced]
    assert len({*model.tokenizer.convert_tokens_to_ids(list(tiny_tokenizers.CODES))}) == 4


def test_image_processors_are_those_that_need_no_torchvision():
    assert pil("CLIPImageProcessor").__name__ in ("CLIPImageProcessorPil", "CLIPImageProcessor")
    with pytest.raises(AttributeError):
        pil("NoSuchImageProcessor")

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PIL import Image

from sheeplib.errors import InputError
from sheeplib.models.samples import Sample

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from sheeplib.models import tiny  # noqa: E402
from sheeplib.models.encoding import (  # noqa: E402
    FIRST,
    IMAGE,
    INSTRUCTION,
    PAD,
    RESPONSE,
    encode,
    render,
    token_counts,
    unanswerable,
    unreadable,
)

# Image tokens of a photograph of 640 x 480 pixels, by hand:
IMAGE_TOKENS = {
    "llava": 16,  # (56 / 14)^2
    "llava-next": 24,  # the whole 2 x 2, four tiles of 2 x 2, and 4 ends of rows
    "gemma3": 4,  # always
    "internvl": 20,  # 2 x 2 tiles and the whole, each of 16 patches, 4 to a token
    "qwen2.5-vl": 12,  # 4 x 3 squares of 28 pixels in at most 16
    "qwen3-vl": 12,
    "llava-onevision": 24,
}
SEEING = tuple(IMAGE_TOKENS)
READING = ("llama", "qwen3")
NASTY = "Eh😀 👩\u200d🔬 e\u0301é 中文，鷹\u2028שלום 𠮷\xa0x\n\n  end "
PIECES = st.sampled_from(
    ["a", "Cat", " ", "\n", "\u2028", "…", ":", "😀", "👩\u200d🔬", "e\u0301", "中", "𠮷", "ש", "7"]
)
TEXTS = st.lists(PIECES | st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).map("".join)

miniature = cache(tiny.build)


def photograph(width=640, height=480, seed=0):
    noise = np.random.default_rng(seed).integers(0, 255, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(noise)


def sample(model, question="What is it?", response="A goat.", image=None, item="i", language=""):
    image = (image or photograph()) if model.sees else None
    return Sample(item, question, response, image, language)


def three(model):
    """Unequal in everything: question, response, image."""
    return [
        sample(model, "What is it?", NASTY, photograph(640, 480), "a"),
        sample(model, "Où est la chèvre ? Décris-la, s’il te plaît.", "Là", photograph(64, 48, 1), "b"),
        sample(model, "", "Sul prato, a destra.", photograph(100, 300, 2), "c"),
    ]


def last_hidden_state(model, batch):
    with torch.no_grad():
        return model.body(**batch.inputs).last_hidden_state


@pytest.mark.parametrize("name", SEEING + READING)
def test_architectures_say_the_same_in_a_batch_as_alone(name):
    model = miniature(name)
    samples = three(model)
    batch = encode(model, samples)
    together = last_hidden_state(model, batch)
    assert len(set(batch.prompts + batch.responses)) == 3
    for row, one in enumerate(samples):
        alone = last_hidden_state(model, encode(model, [one]))[0]
        assert (alone - together[row, -len(alone) :]).abs().max() <= 1e-5
        assert len(alone) == batch.prompts[row] + batch.responses[row]
        assert alone.std() > 0.5


@pytest.mark.parametrize("name", SEEING)
def test_architectures_find_the_image_tokens_that_the_processor_promises(name):
    model = miniature(name)
    batch = encode(model, [sample(model)])
    found = batch.groups[0] == IMAGE
    assert int(found.sum()) == IMAGE_TOKENS[name]
    assert torch.equal(found, batch.inputs["input_ids"][0] == model.image_token_id)
    kinds = {"gemma3": "token_type_ids", "qwen2.5-vl": "mm_token_type_ids", "qwen3-vl": "mm_token_type_ids"}
    assert [key for key in batch.inputs if key.endswith("type_ids")] == (
        [kinds[name]] if name in kinds else []
    )
    if name in kinds:  # an image block is marked as such, the response is not
        assert torch.equal(batch.inputs[kinds[name]][0].bool(), found)
    assert ("position_ids" in batch.inputs) == (not name.startswith("qwen"))


@pytest.mark.parametrize("name", SEEING)
def test_architectures_read_what_their_processor_alone_would_give(name):
    model = miniature(name)
    one = sample(model, response=NASTY)
    given = model.processor(
        text=[render(model, one) + NASTY], images=[one.image], return_tensors="pt",
        add_special_tokens=name != "gemma3",  # its chat template begins with BOS
    )  # fmt: skip
    with torch.no_grad():
        expected = model.network(**given).logits
        found = model.head(last_hidden_state(model, encode(model, [one])))
    assert (found - expected).abs().max() < 1e-4


@pytest.mark.parametrize("name", SEEING + READING)
def test_architectures_group_every_position(name):
    model = miniature(name)
    batch = encode(model, three(model))
    columns = batch.groups.shape[1]
    for row in range(3):
        groups = batch.groups[row].tolist()
        padding = columns - batch.prompts[row] - batch.responses[row]
        assert groups[:padding] == [PAD] * padding
        assert groups[padding] == FIRST
        prompt = groups[padding + 1 : columns - batch.responses[row]]
        assert set(prompt) == ({IMAGE, INSTRUCTION} if model.sees else {INSTRUCTION})
        assert groups[columns - batch.responses[row] :] == [RESPONSE] * batch.responses[row]
        assert batch.inputs["attention_mask"][row].tolist() == [0] * padding + [1] * (columns - padding)
    assert min(row.tolist().count(PAD) for row in batch.groups) == 0


@pytest.mark.parametrize("name", SEEING + READING)
def test_architectures_generate_what_one_pass_over_the_text_scores(name):
    model = miniature(name)
    batch = encode(model, [replace(one, response="") for one in three(model)])
    assert batch.responses.tolist() == [0, 0, 0]
    assert "position_ids" not in batch.inputs  # generate counts; older versions would not count on
    told = model.network.generate(
        **batch.inputs, max_new_tokens=5, min_new_tokens=5, do_sample=False,
        output_logits=True, return_dict_in_generate=True,
    )  # fmt: skip
    prompt = batch.inputs["input_ids"].shape[1]
    new = told.sequences[:, prompt:]
    assert new.shape == (3, 5)
    inputs = dict(batch.inputs)
    for key in ("input_ids", "attention_mask", "token_type_ids", "mm_token_type_ids"):
        if key in inputs:
            more = {"input_ids": new, "attention_mask": torch.ones_like(new)}.get(key, torch.zeros_like(new))
            inputs[key] = torch.cat([inputs[key], more], dim=1)
    if "qwen" not in name or name == "qwen3":
        inputs["position_ids"] = (inputs["attention_mask"].cumsum(-1) - 1).clamp(min=0)
    with torch.no_grad():
        logits = model.network(**inputs).logits[:, prompt - 1 : -1]
    assert (logits - torch.stack(told.logits, 1)).abs().max() < 1e-4


@pytest.mark.parametrize("name", SEEING + READING)
def test_architectures_place_each_token_in_the_response(name):
    model = miniature(name)
    batch = encode(model, [sample(model, response=NASTY)])
    offsets, count = batch.offsets[0], batch.responses[0]
    assert offsets.shape == (count, 2)
    covered = {i for start, end in offsets for i in range(start, end)}
    assert covered >= {i for i, character in enumerate(NASTY) if not character.isspace()}
    ids = batch.inputs["input_ids"][0, -count:]
    assert model.tokenizer.decode(ids) == NASTY
    # Tokens of whole characters say what their offsets hold; white space in front is trimmed.
    for token, (start, end) in zip(ids.tolist(), offsets.tolist(), strict=True):
        text = model.tokenizer.decode([token])
        if "\ufffd" not in text:
            assert text.strip() == NASTY[start:end].strip()


@pytest.mark.parametrize("name", READING)
@settings(max_examples=60, deadline=None)
@given(TEXTS)
def test_tokens_cover_every_visible_character(name, text):
    model = miniature(name)
    if unreadable(model, sample(model, response=text)):
        assert not text.strip()
        return
    batch = encode(model, [sample(model, response=text)])
    covered = {i for start, end in batch.offsets[0] for i in range(start, end)}
    assert covered >= {i for i, character in enumerate(text) if not character.isspace()}
    assert model.tokenizer.decode(batch.inputs["input_ids"][0, -batch.responses[0] :]).endswith(text)


def test_offsets_count_from_the_response_by_hand():
    # The prompt ends in "says:", the response begins with a word: nothing merges.
    model = miniature("llama")
    batch = encode(model, [sample(model, response="日 x")])
    # 日 is three bytes, and each piece of it covers [0, 1). The space is trimmed away, be it the front of
    # a token or a token of its own, which then covers nothing.
    places = batch.offsets[0].tolist()
    assert places[0] == [0, 1]
    assert places[-1] == [2, 3]
    assert {(start, end) for start, end in places if start < end} == {(0, 1), (2, 3)}


def metaspace(model):
    """A tokenizer of words as SentencePiece cuts them, with a dummy space in front."""
    from tokenizers import Tokenizer, decoders, models, normalizers, trainers
    from transformers import PreTrainedTokenizerFast

    backend = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>"))
    backend.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    backend.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    pieces = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    words = ["the cat sat", "user says assistant What is it A goat"] * 3
    backend.train_from_iterator(words, trainers.BpeTrainer(special_tokens=pieces, show_progress=False))
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        bos_token="<s>",
        eos_token="</s>",
        chat_template=model.tokenizer.chat_template,
    )


def test_a_dummy_space_steals_no_character():
    model = miniature("llama")
    model = replace(model, tokenizer=metaspace(model))
    for text in ("猫 the cat", "the 猫", " the", "😀"):
        batch = encode(model, [sample(model, response=text)])
        covered = {i for start, end in batch.offsets[0] for i in range(start, end)}
        assert covered >= {i for i, character in enumerate(text) if not character.isspace()}
        assert batch.offsets[0].max() == len(text)
        # Four byte tokens of an emoji share its one character.
        assert batch.offsets[0].tolist().count([0, 1]) >= 4 if text == "😀" else True


@cache
def composing():
    """A model whose tokenizer composes characters, as Qwen's do."""
    from tokenizers import normalizers

    model = tiny.build("qwen3")
    model.tokenizer.backend_tokenizer.normalizer = normalizers.NFC()
    return model


def test_offsets_refer_to_the_text_before_normalising():
    text = "e\u0301e\u0301 fin"  # NFC makes two characters of the first four
    batch = encode(composing(), [sample(composing(), response=text)])
    places = batch.offsets[0].tolist()
    assert (places[0][0], places[-1][1]) == (0, 8)
    assert {i for start, end in places for i in range(start, end)} >= {0, 1, 2, 3, 5, 6, 7}
    composed = encode(composing(), [sample(composing(), response="éé fin")])
    assert torch.equal(batch.inputs["input_ids"], composed.inputs["input_ids"])


# Marks that compose, change places, or stay apart; parts of a Korean syllable; a letter of two marks.
MARKS = [
    "e",
    "a",
    "\u0301",
    "\u0323",
    "\u093c",
    "\u0915",
    "\u1112",
    "\u1161",
    "\u11ab",
    "中",
    " ",
    "ß",
    "\u01c5",
]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(MARKS), min_size=1, max_size=8).map("".join))
@example("e\u093c\u0301")  # the accent jumps over the dot
@example("e\u0301\u0323")
@example("\u1112\u1161\u11ab")
def test_composed_characters_are_covered_whole(text):
    # An x in front, since nothing composes with the prompt.
    model, text = composing(), "x" + text
    assert unreadable(model, sample(model, response=text)) == ""
    places = encode(model, [sample(model, response=text)]).offsets[0].tolist()
    covered = {i for start, end in places for i in range(start, end)}
    assert covered >= {i for i, character in enumerate(text) if not character.isspace()}


def test_a_tokenizer_that_drops_characters_is_found_out():
    from tokenizers import normalizers

    model = tiny.build("qwen3")
    model.tokenizer.backend_tokenizer.normalizer = normalizers.Replace("ß", "")
    assert "drops characters" in unreadable(model, sample(model, response="Straße"))
    assert unreadable(model, sample(model, response="Gasse")) == ""
    with pytest.raises(InputError, match="drops characters.*'ß'"):
        encode(model, [sample(model, response="Straße")])


def test_a_token_across_the_border_belongs_to_the_response():
    model = tiny.build("llama")
    colon, dots = (model.tokenizer(text, add_special_tokens=False)["input_ids"][0] for text in (":", "."))
    model.tokenizer.add_tokens([":..."])  # an ordinary token that prompt and response make together
    merged = model.tokenizer.convert_tokens_to_ids(":...")
    batch = encode(model, [sample(model, response="...yes")])
    ids = batch.inputs["input_ids"][0].tolist()
    first = ids[-batch.responses[0]]
    assert first == merged
    assert {colon, dots}.isdisjoint(ids[-batch.responses[0] :])
    assert batch.offsets[0][0].tolist() == [0, 3]  # it starts before the response; clipped
    assert batch.prompts[0] + batch.responses[0] == len(ids)


def test_bos_comes_once_whoever_adds_it():
    for name in ("gemma3", "llava"):
        model = miniature(name)
        ids = encode(model, [sample(model)]).inputs["input_ids"][0].tolist()
        assert ids[0] == model.tokenizer.bos_token_id
        assert ids.count(model.tokenizer.bos_token_id) == 1
    assert render(miniature("gemma3"), sample(miniature("gemma3"))).startswith("<s>")
    assert not render(miniature("llava"), sample(miniature("llava"))).startswith("<s>")


def test_what_a_tokenizer_puts_behind_a_text_is_no_part_of_the_response():
    from tokenizers import processors

    for name in ("llama", "llava"):
        model = tiny.build(name)
        plain = encode(model, [sample(model, response="A goat.")])
        backend, end = model.tokenizer.backend_tokenizer, model.tokenizer.eos_token_id
        template = processors.TemplateProcessing("<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", end)])
        backend.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=True), template])
        assert model.tokenizer("a")["input_ids"][-1] == end
        model = replace(model, name="closing")
        batch = encode(model, [sample(model, response="A goat.")])
        assert torch.equal(batch.inputs["input_ids"], plain.inputs["input_ids"])
        assert np.array_equal(batch.offsets[0], plain.offsets[0])


def test_the_question_comes_first_unless_asked_otherwise():
    model = miniature("qwen3-vl")
    prompt = render(model, sample(model, "What is it?"))
    assert prompt.index("What is it?") < prompt.index(model.architecture.placeholder)
    prompt = render(model, sample(model, "What is it?"), image_first=True)
    assert prompt.index("What is it?") > prompt.index(model.architecture.placeholder)
    assert prompt.count(model.architecture.placeholder) == 1


def test_system_prompts_may_depend_on_the_language():
    model = miniature("gemma3")
    said = {"fr": "Réponds en français.", "it": "Rispondi in italiano."}
    french, english = sample(model, language="fr"), sample(model, language="en")
    assert said["fr"] in render(model, french, system=said)
    assert "system" not in render(model, english, system=said)
    assert "Be brief." in render(miniature("llama"), sample(miniature("llama")), system="Be brief.")


def test_a_prompt_may_be_a_format():
    model = replace(miniature("llava"), prompt="{system} Asked {question} about {image} one says:")
    one = sample(model, "{braces} & more")
    assert render(model, one, system="Brief.") == "Brief. Asked {braces} & more about <image> one says:"
    assert encode(model, [one]).responses[0] > 0
    model = replace(model, prompt="{image} {question}")
    with pytest.raises(InputError, match="no place for a system prompt"):
        render(model, one, system="Brief.")
    with pytest.raises(InputError, match="exactly once"):
        render(replace(model, prompt="{image} {image} {question}"), one)
    with pytest.raises(InputError, match="exactly once"):
        render(replace(model, prompt="{question}"), one)


@pytest.fixture
def template():
    """Gives a function that makes a miniature whose chat template is another."""

    def made(text):
        model = tiny.build("llava")
        model.processor.chat_template = text
        return model

    return made


@pytest.mark.parametrize("text", ["{{ raise_exception('no') }}", "{% for %}", "{{ messages.a.b }}"])
def test_a_chat_template_that_fails_is_explained(template, text):
    model = template(text)
    with pytest.raises(InputError, match="chat template of tiny-llava fails: .*Error.*Get its files again"):
        render(model, sample(model))
    with pytest.raises(InputError, match="fails: .*Give no system prompt"):
        render(model, sample(model), system="Be brief.")


def test_a_chat_template_that_drops_something_is_noticed(template):
    model = template("{{ messages[-1].content[0].text | trim }}<image>")
    assert render(model, sample(model, " What is it?\n")) == "What is it?<image>"
    with pytest.raises(InputError, match="prompt of tiny-llava drops the system prompt"):
        render(model, sample(model), system="Be brief.")
    with pytest.raises(InputError, match="drops the question"):
        render(template("<image>"), sample(model))


def test_image_tokens_count_in_the_context():
    """The image is one placeholder in the text, and 16 tokens to the network."""
    model = miniature("llava")
    short = int(token_counts(model, [sample(model, response="~")])[0])
    one = sample(model, response="~" * (4096 - short + 1))  # no merges: each is a token
    assert token_counts(model, [one]) == [4096] and unreadable(model, one) == ""
    with pytest.raises(InputError, match="item i: 4111 tokens are more than the model's context of 4096"):
        encode(model, [one])
    fits = replace(one, response=one.response[15:])
    assert encode(model, [fits]).inputs["input_ids"].shape == (1, 4096)


def test_a_prompt_without_tokens_predicts_nothing():
    model = replace(miniature("qwen3"), prompt="{question}")
    assert "no token" in unreadable(model, sample(model, question=""))
    assert unreadable(model, sample(model, question="Q:")) == ""


def test_a_model_that_does_not_chat_is_refused():
    with pytest.raises(InputError, match="tiny-nllb has no chat template"):
        encode(miniature("m2m100"), [sample(miniature("m2m100"))])


def test_what_cannot_be_read_has_a_reason():
    model = miniature("llava")
    assert unreadable(model, sample(model)) == ""
    assert unreadable(model, sample(model, question="")) == ""
    assert "empty" in unreadable(model, sample(model, response=""))
    assert "empty" in unreadable(model, sample(model, response=" \n\u2028"))
    assert "response holds <image>" in unreadable(model, sample(model, response="An <image> of a goat"))
    assert "question holds </s>" in unreadable(model, sample(model, question="What is </s>?"))
    assert "surrogate" in unreadable(model, sample(model, response="half \ud83d"))
    assert "surrogate" in unreadable(model, sample(model, question="half \ude00"))
    assert "no image" in unreadable(model, Sample("i", "What?", "A goat."))
    assert "as long as wide" in unreadable(model, sample(model, image=photograph(808, 8)))
    assert "context" in unreadable(model, sample(model, response="猫" * 3000))
    assert unanswerable(model, sample(model, response="")) == ""
    # What is a command to one model is text to another.
    assert unreadable(miniature("qwen3"), Sample("i", "What?", "An <image> of </body>")) == ""


def test_placeholders_of_several_tokens_are_commands_too():
    model = miniature("internvl")
    for text in ("<IMG_CONTEXT>", "<img>", "<|turn|>", "<video>"):
        assert f"holds {text}" in unreadable(model, sample(model, response=f"a {text} b"))


def test_ordinary_added_tokens_are_text():
    model = tiny.build("qwen3")
    model.tokenizer.add_tokens(["\n\n\n"])
    assert unreadable(model, sample(model, response="One\n\n\nTwo")) == ""


def test_unreadable_samples_are_refused_by_name():
    model = miniature("llava")
    with pytest.raises(InputError, match="(?s)item second: .*<image>.*item third: .*no image"):
        encode(
            model,
            [
                sample(model, item="first"),
                sample(model, "<image>", item="second"),
                Sample("third", "What?", "A goat."),
            ],
        )
    with pytest.raises(InputError, match="nothing to encode"):
        encode(model, [])


def test_a_processor_that_changes_the_response_is_found_out():
    model = miniature("llava")

    class Careless:
        chat_template = model.processor.chat_template
        apply_chat_template = model.processor.apply_chat_template

        def __call__(self, text, **options):
            return model.processor(text=[text[0].replace("goat", "sheep")], **options)

    with pytest.raises(InputError, match="changed the response"):
        encode(replace(model, processor=Careless()), [sample(model)])


@pytest.mark.parametrize("name", SEEING)
def test_architectures_take_any_image(name):
    model = miniature(name)
    images = [
        Image.new("RGBA", (40, 30), (255, 0, 0, 128)),
        Image.new("L", (40, 30), 7),
        Image.new("1", (40, 30)),
        Image.new("P", (40, 30)),
        photograph(1, 1),
        photograph(3, 3),
        photograph(1, 100),
        photograph(300, 3),
    ]
    samples = [sample(model, image=image, item=str(i)) for i, image in enumerate(images)]
    assert [unreadable(model, one) for one in samples] == [""] * len(images)
    state = last_hidden_state(model, encode(model, samples))
    assert torch.isfinite(state).all()


@pytest.mark.parametrize("name", SEEING + READING)
def test_architectures_count_tokens_as_they_encode_them(name):
    model = miniature(name)
    samples = three(model)
    batch = encode(model, samples)
    images = (batch.groups == IMAGE).sum(-1).numpy()
    # The image is one token of its placeholder. InternVL's processor wraps it in two more, Gemma3's
    # in two more and two breaks of two lines each, or as few as one token where text merges.
    extra = batch.prompts + batch.responses - images + (1 if model.sees else 0) - token_counts(model, samples)
    assert (extra == {"internvl": 2}.get(name, 0)).all() or (name == "gemma3" and (extra <= 6).all())
    assert token_counts(model, []).tolist() == []


def test_a_batch_moves_to_a_device():
    model = miniature("qwen3-vl")
    moved = encode(model, [sample(model)]).to("meta")
    assert {tensor.device.type for tensor in (*moved.inputs.values(), moved.groups)} == {"meta"}
    assert moved.items == ("i",)

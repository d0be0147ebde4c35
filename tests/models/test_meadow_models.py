"""The miniatures of the meadow: found in the package, read like any checkpoint, shown what was drawn."""

import base64
import hashlib
import io
import re
import socket

import numpy as np
import pytest
from PIL import Image

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

import small_meadow  # noqa: E402
from sheeplib import corpora, models  # noqa: E402
from sheeplib.corpora import meadow  # noqa: E402
from sheeplib.errors import InputError  # noqa: E402
from sheeplib.features import answers  # noqa: E402
from sheeplib.features.extract import extract  # noqa: E402
from sheeplib.miniatures.designs import DESIGNS  # noqa: E402
from sheeplib.models import machine, questions, shipped  # noqa: E402
from sheeplib.models.abilities import ABILITIES  # noqa: E402
from sheeplib.models.encoding import encode  # noqa: E402
from sheeplib.models.generation import generate  # noqa: E402
from sheeplib.report.samples import view_item  # noqa: E402

GENERATORS = ("clover", "daisy", "fern", "heather", "thistle")
JUDGES = ("owlet", "owl", "eagle-owl")
ALL = (*GENERATORS, *JUDGES, "echo")
# Name of the registry, decoder family, and whether it sees.
KINDS = {"clover": ("llama", True), "heather": ("qwen2", True), "echo": ("llama", False)}
NEEDS = ["gen_logits", "hidden:all@own", "lens", "attention_masses:heads@gen", "attention_entropy@gen"]


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    directory = tmp_path_factory.mktemp("weights")
    for name, (family, sees) in KINDS.items():
        small_meadow.written(directory, name, family, sees)
    return directory


@pytest.fixture
def packaged(weights, monkeypatch):
    """The package with weights of three of the nine; nobody may ask for an address."""
    monkeypatch.setattr(shipped, "WEIGHTS", weights)
    asked = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *address, **_: asked.append(address))
    yield weights
    assert asked == []


@pytest.fixture(scope="module")
def corpus():
    return corpora.load("meadow", per_language=1, per_cell=0)


def needed(name):
    return set(ABILITIES) - (set() if KINDS[name][1] else {"images"})


def test_nine_are_registered_with_their_roles():
    known = {name: made for name, made in models.MODELS.items() if made.origin == "meadow"}
    assert tuple(known) == ALL
    assert {name for name, made in known.items() if made.roles == ("generator", "captioner")} == {*GENERATORS}
    assert {name for name, made in known.items() if made.roles == ("judge",)} == {*JUDGES}
    assert known["echo"].roles == ("evaluator",) and known["echo"].architecture == "llama"
    assert {made.architecture for name, made in known.items() if name != "echo"} == {"llava"}
    assert set(DESIGNS) <= set(known), "every model that is trained can be loaded"


@pytest.mark.parametrize("name", KINDS)
def test_they_are_read_from_the_package(packaged, name):
    model = models.load(name, need=needed(name))
    content = (packaged / name / "model.safetensors").read_bytes()
    assert model.revision == f"weights-{hashlib.sha256(content).hexdigest()[:12]}"
    assert (model.name, model.dtype, model.device.type) == (name, "float32", "cpu")
    assert model.sees == KINDS[name][1] and model.licence == "MIT" and model.prompt == "chat"
    assert type(model.decoder).__name__ == {"llama": "LlamaModel", "qwen2": "Qwen2Model"}[KINDS[name][0]]
    assert machine.runs(models.entry(name)) == (True, "ready")


def test_the_weights_are_those_that_were_written(packaged, tmp_path):
    written = small_meadow.written(tmp_path, "clover").state_dict()
    read = models.load("clover").network.state_dict()
    assert written.keys() == read.keys()
    assert all(torch.equal(written[key].float(), read[key]) for key in written)


def test_a_directory_takes_the_place_of_the_package(packaged, tmp_path):
    small_meadow.written(tmp_path, "heather", "qwen2")
    other = models.load("clover", directory=tmp_path / "heather")
    assert type(other.decoder).__name__ == "Qwen2Model" and other.name == "clover"
    same = models.load("clover", directory=packaged / "clover")
    assert same.revision == models.load("clover").revision != other.revision


def test_what_is_not_there_can_be_made(packaged):
    with pytest.raises(InputError, match="weights of daisy are not in the package.*make meadow.*--weights"):
        models.load("daisy")
    here, reason = machine.runs(models.entry("daisy"))
    assert not here and reason == "weights of daisy are not in the package"
    assert machine.fetch(models.entry("daisy")) == "make meadow"


def test_revisions_are_refused_and_files_of_others_too(packaged):
    with pytest.raises(InputError, match="clover has no revisions"):
        models.load("clover", revision="main")
    with pytest.raises(InputError, match="no such directory"):
        models.load("clover", directory=packaged / "nowhere")
    with pytest.raises(InputError, match="type llama; clover is llava"):
        models.load("clover", directory=packaged / "echo")


def test_weights_that_were_cut_short_are_not_read(packaged, tmp_path):
    small_meadow.written(tmp_path, "clover")
    file = tmp_path / "clover" / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(InputError, match="cut short"):
        models.load("clover", directory=tmp_path / "clover")


@pytest.mark.parametrize("ask", [questions.from_corpus, answers.from_corpus])
def test_the_model_gets_the_drawing_of_96_pixels_and_no_other(packaged, corpus, ask):
    item, name = corpus.items.loc[0, ["item", "image"]]
    (sample,) = ask(corpus).samples([item])
    given = encode(models.load("clover"), [sample]).inputs["pixel_values"]
    # The processor maps 0 to -1 and 255 to 1; what it got is found again by the reverse.
    pixels = np.rint((given[0].permute(1, 2, 0).numpy() + 1) * 127.5)
    drawn = np.asarray(meadow.image(name))
    assert drawn.shape == (96, 96, 3) and np.array_equal(pixels, drawn)
    larger = meadow.image(name, 256).resize((96, 96))
    assert not np.array_equal(np.asarray(larger), drawn), "a larger drawing that is shrunk is another picture"


def test_pages_get_a_larger_drawing(corpus):
    item, name = corpus.items.loc[0, ["item", "image"]]
    page = view_item(corpus, item)._repr_html_()
    content = base64.b64decode(re.search(r"data:image/png;base64,([^\"]+)", page)[1])
    assert Image.open(io.BytesIO(content)).tobytes() == meadow.image(name, 256).tobytes()


@pytest.mark.parametrize("name", KINDS)
def test_they_answer_the_same_alone_and_together(packaged, corpus, name):
    model, asked = models.load(name), questions.from_corpus(corpus)
    samples = asked.samples(asked.table["item"][:4])
    together = generate(model, samples, max_tokens=12, batch_size=4, seed=3)
    alone = [generate(model, [sample], max_tokens=12, seed=3)[0] for sample in samples]
    assert together == alone and {one.finish for one in together} <= {"eos", "length"}
    assert len({one.text for one in together}) == 4, "each item has draws of its own"
    assert not any(special in one.text for one in together for special in ("<s>", "<image>", "<answer>"))


@pytest.mark.parametrize("name", KINDS)
def test_features_are_those_of_a_plain_pass(packaged, corpus, name):
    model = models.load(name)
    samples = answers.from_corpus(corpus).samples(corpus.items["item"][:3])
    needs = [*NEEDS, *(["image_attention:heads@gen", "image_mean"] if model.sees else [])]
    found = extract(model, samples, needs, batch_size=3)
    assert found.left_out == {}
    masses = found.arrays["attention_masses:heads@gen"]
    np.testing.assert_allclose(masses.sum(-1), 1, atol=1e-5)
    assert masses[..., 1].any() == model.sees
    batch = encode(model, samples[:1])
    with torch.inference_mode():
        plain = model.network(**batch.inputs, output_hidden_states=True, use_cache=False)
    tokens = int(batch.responses[0])
    states = torch.stack([state[0, -tokens:] for state in plain.hidden_states], 1)
    mine = found.tokens["item"] == samples[0].item
    np.testing.assert_allclose(
        found.arrays["hidden:all@own"][mine.to_numpy()], states.half(), rtol=2e-3, atol=2e-3
    )
    nll = torch.nn.functional.cross_entropy(
        plain.logits[0, -tokens - 1 : -1], batch.inputs["input_ids"][0, -tokens:], reduction="none"
    )
    np.testing.assert_allclose(found.tokens.loc[mine, "token_nll"], nll, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", ALL)
def test_what_is_shipped_can_be_used(name):
    """Of the real weights; their size is what the registry says."""
    try:
        found = shipped.find(models.entry(name))
    except InputError:
        pytest.skip(f"weights of {name} are not in the package yet: make meadow")
    model = models.load(name, need=set(ABILITIES) - ({"images"} if name == "echo" else set()))
    assert found.parameters == pytest.approx(models.entry(name).parameters, rel=0.02)
    assert not [file.name for file in found.path.iterdir() if file.suffix in (".bin", ".pt", ".pkl")]
    text = "There is a red dog. Il y a un chien rouge. C’è un cane rosso. 有一只红色的狗。"
    assert model.tokenizer.decode(model.tokenizer.encode(text, add_special_tokens=False)) == text
    sample = models.Sample("a", "What is in the picture?", "", meadow.image("meadow-000005"), "en")
    first, second = (generate(model, [sample], max_tokens=40, temperature=0)[0] for _ in range(2))
    assert first == second and first.text


def test_what_is_shipped_is_small():
    files = [file for file in shipped.WEIGHTS.rglob("*") if file.is_file()]
    if not files:
        pytest.skip("no weights in the package yet: make meadow")
    assert sum(file.stat().st_size for file in files) < 20e6 and {file.parent.name for file in files} <= set(
        ALL
    )

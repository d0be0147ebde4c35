"""Judges: what they are asked, which letter they find likeliest, and which they write."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
from PIL import Image  # noqa: E402

import small_meadow  # noqa: E402
from sheeplib.corpora import meadow  # noqa: E402
from sheeplib.errors import InputError  # noqa: E402
from sheeplib.judge import parse_letter  # noqa: E402
from sheeplib.miniatures import asking  # noqa: E402
from sheeplib.miniatures.verdict_rows import judged_text  # noqa: E402
from sheeplib.models import loading, tiny  # noqa: E402
from sheeplib.models.encoding import encode, render  # noqa: E402
from sheeplib.models.judge_prompt import MEANINGS, instructions, judge_prompt  # noqa: E402
from sheeplib.models.judging import LETTERS, ask, letter_tokens  # noqa: E402
from sheeplib.models.samples import Sample  # noqa: E402
from sheeplib.tables import Label  # noqa: E402

JUDGES = ("gemma3", "internvl", "qwen3-vl")  # classes of the paper's judges


def samples(count=3):
    rng = np.random.default_rng(0)
    images = [Image.fromarray(rng.integers(0, 256, (48, 64, 3), dtype=np.uint8)) for _ in range(count)]
    return [
        Sample(f"q{n}", judge_prompt("Qu’y a-t-il ? " * n, "Un 狗 🐕 noir. " * (n + 1)), image=image)
        for n, image in enumerate(images)
    ]


def test_the_prompt_has_all_labels_then_the_question_then_the_answer():
    text = judge_prompt("What is it?", "  A dog {image}.\n")
    assert set(MEANINGS) == set(Label)
    places = [text.index(f"\n{label} (") for label in Label]
    assert places == sorted(places) and text.startswith(instructions())
    assert text.endswith("QUESTION:\nWhat is it?\n\nANSWER TO CHECK:\n  A dog {image}.\n")
    assert "QUESTION" not in judge_prompt(" ", "A dog.")


@pytest.mark.parametrize("architecture", JUDGES)
def test_the_likeliest_letter_is_that_of_a_plain_pass(architecture):
    model = tiny.build(architecture)
    asked = samples()
    alone = ask(model, asked, batch_size=1)
    together = ask(model, asked[::-1], batch_size=3)[::-1]
    tokens = letter_tokens(model)
    for sample, one, other in zip(asked, alone, together, strict=True):
        with torch.no_grad():
            logits = model.network(**encode(model, [sample]).inputs).logits[0, -1].double()
        chances = torch.softmax(logits, -1).numpy()
        expected = np.array([sum(chances[token] for token in tokens[letter]) for letter in LETTERS])
        assert one.letter == LETTERS[expected.argmax()] == other.letter and one.answer is None
        assert one.mass == pytest.approx(expected.sum(), rel=1e-4)
        assert one.probabilities == pytest.approx(expected / expected.sum(), rel=1e-3)
        assert other.probabilities == pytest.approx(one.probabilities, rel=1e-3)
        assert sum(one.probabilities) == pytest.approx(1)


@pytest.mark.parametrize("architecture", JUDGES)
def test_what_is_written_is_read_for_a_letter(architecture):
    model = tiny.build(architecture)
    found = ask(model, samples(), "greedy", batch_size=2)
    for verdict in found:
        read = parse_letter(verdict.answer)
        assert verdict.letter == (None if read is None else str(read))
        assert verdict.probabilities is None and verdict.mass is None
    assert found == ask(model, samples(), "greedy", batch_size=1)


def test_a_letter_after_a_blank_is_the_letter_too():
    model = tiny.build("gemma3")
    spaced, bare = letter_tokens(model), letter_tokens(model, spaced=False)
    assert list(spaced) == list(LETTERS) == list(bare)
    assert all(len(ids) == 1 and set(ids) <= set(spaced[letter]) for letter, ids in bare.items())
    assert len(spaced["A"]) == 2  # this tokenizer has " A"
    for letter, ids in spaced.items():
        assert {model.tokenizer.decode([token]).strip() for token in ids} == {letter}


def test_wrong_wishes_are_refused():
    model = tiny.build("llava")
    with pytest.raises(InputError, match="unknown way"):
        ask(model, samples(), "loudly")
    with pytest.raises(InputError, match="no image"):
        ask(model, [Sample("q", "What?")])
    with pytest.raises(InputError, match="1 or more"):
        ask(model, samples(), batch_size=0)
    assert ask(model, []) == []


def test_a_judge_of_the_meadow_is_asked_as_it_was_taught(tmp_path):
    small_meadow.written(tmp_path, "owl")
    model = loading.load("owl", directory=tmp_path / "owl")
    pictures = [meadow.image(f"meadow-{n:06d}") for n in range(4)]
    texts = [judged_text("What is there?", "A dog sits. " * (n + 1)) for n in range(4)]
    asked = [Sample(text, text, image=image) for text, image in zip(texts, pictures, strict=True)]
    assert render(model, asked[0]).count(asked[0].question) == 1
    found = [verdict.letter for verdict in ask(model, asked, spaced=False)]
    assert found == asking.judge_letters(model, asked)

"""A language model as reader: its answers are those of a plain pass, however its prompts are batched."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from sheeplib.errors import InputError  # noqa: E402
from sheeplib.mentions import throne  # noqa: E402
from sheeplib.models import claims, tiny  # noqa: E402
from sheeplib.models.encoding import encode  # noqa: E402
from sheeplib.models.samples import Sample  # noqa: E402

PROMPTS = [prompt for text in ("A dog.", "Two cats 🐕 sit. " * 4) for prompt in throne.prompts(text, "dog")]


LETTERS = {"yes": ("y", "Y"), "no": ("n", "N")}  # a tiny tokenizer has no words


def test_log_odds_are_those_of_a_plain_pass(monkeypatch):
    monkeypatch.setattr(claims, "_FORMS", LETTERS)
    model = tiny.build("llama")
    samples = [Sample(str(place), prompt) for place, prompt in enumerate(PROMPTS)]
    found = claims.log_odds(model, samples, batch_size=4)
    tokens = {answer: claims._tokens(model, claims._FORMS[answer]) for answer in ("yes", "no")}
    for sample, odds in zip(samples, found, strict=True):
        with torch.no_grad():
            logits = model.network(**encode(model, [sample]).inputs).logits[0, -1].double()
        chances = torch.softmax(logits, -1)
        expected = torch.log(chances[tokens["yes"]].sum() / chances[tokens["no"]].sum())
        assert odds == pytest.approx(float(expected), abs=1e-3)
    compared = claims.reader(model)(PROMPTS)
    assert compared == [odds > 0 for odds in found]
    middle = sorted(found)[3]
    assert claims.reader(model, bias=middle, batch_size=1)(PROMPTS).count(True) in (2, 3)


def test_a_written_answer_is_read_by_its_beginning(monkeypatch):
    model = tiny.build("llama")
    texts = iter(["Yes.", " yes, there is", "No", "", "The text says yes", "YES"])
    monkeypatch.setattr(
        claims, "generate", lambda model, samples, **more: [Told(next(texts)) for _ in samples]
    )
    assert claims.reader(model, "written")(PROMPTS) == [True, True, False, False, False, True]


class Told:
    def __init__(self, text):
        self.text = text


def test_a_written_answer_comes_from_the_model():
    answers = claims.reader(tiny.build("llama"), "written", batch_size=2)(PROMPTS[:2])
    assert len(answers) == 2 and all(isinstance(answer, bool) for answer in answers)


def test_unknown_ways_are_refused():
    with pytest.raises(InputError, match="unknown way to answer"):
        claims.reader(tiny.build("llama"), "aloud")


def test_a_model_without_a_token_for_an_answer_is_told_to_write():
    with pytest.raises(InputError, match="no token for 'yes'.*how='written'"):
        claims.reader(tiny.build("llama"))(PROMPTS)

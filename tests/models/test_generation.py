"""Answers: the same for the same seed, whatever the batch; nothing of the prompt; runs that go on."""

import hashlib
import json
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("transformers")
import torch
from PIL import Image

from sheeplib import engine, tables
from sheeplib.errors import InputError
from sheeplib.models import decoding, generation, generation_runs, runs, tiny
from sheeplib.models.decoding import Draw, Settings, draws, stops, write
from sheeplib.models.encoding import encode
from sheeplib.models.generation import generate
from sheeplib.models.generation_runs import GenerationWork, generate_shard
from sheeplib.models.samples import Sample
from sheeplib.models.system_prompts import LOCALISED, system_prompts
from sheeplib.shards import Shards

SEEING = ("llava", "llava-next", "gemma3", "internvl", "qwen2.5-vl", "qwen3-vl", "llava-onevision")
ALL = (*SEEING, "llama", "qwen3")


def picture(seed):
    return Image.fromarray(np.random.default_rng(seed).integers(0, 256, (48, 64, 3), dtype=np.uint8))


def samples(model, count=3):
    image = picture(0) if model.sees else None
    return [Sample(f"q{n}", "What is it? " * (n % 3 + 1), image=image, language="fr") for n in range(count)]


@pytest.fixture(scope="module")
def model():
    return tiny.build("qwen3-vl")


@pytest.mark.parametrize("architecture", ALL)
def test_an_answer_does_not_depend_on_its_batch(architecture):
    model = tiny.build(architecture)
    asked = samples(model)
    state = torch.random.get_rng_state()
    for temperature in (0, 0.7):
        one_by_one = generate(model, asked, temperature=temperature, max_tokens=8, batch_size=1)
        together = generate(model, asked[::-1], temperature=temperature, max_tokens=8, batch_size=3)[::-1]
        assert together == one_by_one
        assert all(answer.tokens == len(answer.ids) <= 8 for answer in together)
    assert torch.equal(torch.random.get_rng_state(), state)


def test_seeds_and_items_draw_differently_and_always_alike(model):
    asked = samples(model, 2)
    first = generate(model, asked, max_tokens=16, seed=1)
    assert first == generate(model, asked, max_tokens=16, seed=1)
    assert [answer.text for answer in first] != [
        a.text for a in generate(model, asked, max_tokens=16, seed=2)
    ]
    same = [replace(asked[0], item=name) for name in ("a", "b")]
    one, other = generate(model, same, max_tokens=16)
    assert one.text != other.text
    assert generate(model, same, max_tokens=16, temperature=0)[0].text == (
        generate(model, same, max_tokens=16, temperature=0)[1].text
    )


def test_the_draws_are_pinned():
    # By hand: SHA-256 of "7\0café" as a number seeds PCG64.
    seed = int(hashlib.sha256(b"7\x00caf\xc3\xa9").hexdigest(), 16)
    assert np.array_equal(draws(7, "café", 5), np.random.Generator(np.random.PCG64(seed)).random(5))
    assert not np.array_equal(draws(7, "café", 5), draws(7, "cafe", 5))
    assert np.array_equal(draws(7, "café", 3), draws(7, "café", 5)[:3])


def test_a_number_takes_the_token_on_which_it_falls():
    # probabilities .5, 0, .3, .2: cumulative .5, .5, .8, 1
    scores = torch.tensor([[0.5, 0.0, 0.3, 0.2]]).log().repeat(6, 1)
    numbers = np.array([[0.0], [0.49], [0.51], [0.79], [0.81], [1 - 1e-12]])
    drawn = Draw(numbers, 1.0, start=2)(torch.zeros(6, 2, dtype=torch.long), scores)
    assert drawn.argmax(dim=1).tolist() == [0, 0, 2, 2, 3, 3]
    assert torch.isinf(drawn).sum(dim=1).tolist() == [3] * 6
    # a token without probability is never drawn, not even by 0
    barred = torch.tensor([[float("-inf"), 0.0, 0.0]])
    assert Draw(np.zeros((1, 1)), 1.0, 0)(torch.zeros(1, 0, dtype=torch.long), barred).argmax() == 1
    # at temperature 1/2 probabilities are squared: .25, .09, .04 of .38, cumulative .658, .895, 1
    halved = Draw(numbers, 0.5, start=2)(torch.zeros(6, 2, dtype=torch.long), scores)
    assert halved.argmax(dim=1).tolist() == [0, 0, 0, 2, 2, 3]


def test_draws_follow_the_distribution():
    probabilities = torch.tensor([0.1, 0.6, 0.3])
    numbers = np.stack([draws(0, str(item), 1) for item in range(20_000)])
    scores = probabilities.log().repeat(len(numbers), 1)
    tokens = Draw(numbers, 1.0, 0)(torch.zeros(len(numbers), 0, dtype=torch.long), scores).argmax(dim=1)
    shares = np.bincount(tokens.numpy(), minlength=3) / len(numbers)
    # four standard errors of the largest: 4 * sqrt(.6 * .4 / 20000) = .014
    assert np.abs(shares - probabilities.numpy()).max() < 0.014


def test_greedy_takes_the_likeliest_token_each_time(model):
    (sample,) = samples(model, 1)
    (answer,) = generate(model, [sample], temperature=0, max_tokens=6)
    ids = encode(model, [sample]).inputs
    for token in answer.ids:  # one full pass a token, without any cache
        logits = model.network(**ids).logits[0, -1]
        assert token == int(logits.argmax())
        more = {
            "input_ids": torch.tensor([[token]]),
            "attention_mask": torch.ones(1, 1, dtype=torch.long),
            "mm_token_type_ids": torch.zeros(1, 1, dtype=torch.long),
        }
        ids = {name: torch.cat([held, more[name]], 1) if name in more else held for name, held in ids.items()}


def test_the_checkpoints_own_settings_stay_out(model):
    asked = samples(model, 2)
    drawn = [generate(model, asked, temperature=t, max_tokens=10) for t in (0, 0.7)]
    own = model.network.generation_config
    before = own.to_dict()
    own.update(
        do_sample=True, temperature=9.0, top_k=1, top_p=0.1, repetition_penalty=5.0, max_length=3,
        num_beams=2, no_repeat_ngram_size=1, suppress_tokens=[drawn[0][0].ids[0]], min_new_tokens=10,
    )  # fmt: skip
    try:
        assert [generate(model, asked, temperature=t, max_tokens=10) for t in (0, 0.7)] == drawn
        assert model.network.generation_config is own
    finally:
        model.network.generation_config = type(own).from_dict(before)


def test_top_k_and_top_p_narrow_the_draw(model):
    asked = samples(model, 2)
    greedy = generate(model, asked, temperature=0, max_tokens=10)
    wide = generate(model, asked, temperature=2.0, max_tokens=10)
    assert wide != greedy
    assert generate(model, asked, temperature=2.0, max_tokens=10, top_k=1) == greedy
    assert generate(model, asked, temperature=2.0, max_tokens=10, top_p=1e-9) == greedy
    assert generate(model, asked, temperature=2.0, max_tokens=10, top_p=0.5) not in (greedy, wide)


def test_an_answer_ends_where_the_model_ends_it(model):
    (sample,) = samples(model, 1)
    long = generate(model, [sample], temperature=0, max_tokens=8)[0]
    assert long.finish == "length" and long.tokens == 8
    own, stop = model.network.generation_config, long.ids[4]
    before = own.eos_token_id
    own.eos_token_id = [stop]
    try:
        assert stops(model) == sorted({stop, model.tokenizer.eos_token_id})
        short = generate(model, [sample, replace(sample, question="Why?")], temperature=0, max_tokens=8)[0]
    finally:
        own.eos_token_id = before
    where = long.ids.index(stop)
    assert (short.finish, short.ids) == ("eos", long.ids[:where])
    assert short.text == model.tokenizer.decode(long.ids[:where], skip_special_tokens=True).strip()


def test_special_tokens_and_white_space_around_are_no_text(model, monkeypatch):
    ids = model.tokenizer(" \n A dog. \n", add_special_tokens=False)["input_ids"]
    marks = model.tokenizer(["<|end|>", "<|image_pad|>", "</s>"], add_special_tokens=False)["input_ids"]
    (end,), (pad,), (stop,) = marks
    said = torch.tensor([[7, 7, *ids, end, pad, stop, *ids], [7, 7, *ids, end, pad, *ids, 9]])
    monkeypatch.setattr(model.network, "generate", lambda **given: said)
    inputs = {"input_ids": torch.tensor([[7, 7], [7, 7]])}
    first, second = write(model, inputs, Settings(temperature=0))
    assert (first.text, first.finish, first.tokens) == ("A dog.", "eos", len(ids) + 2)
    assert second.finish == "length" and second.tokens == 2 * len(ids) + 3
    assert second.text.startswith("A dog. \n \n A dog.")


def test_questions_of_like_length_are_answered_together(model, monkeypatch):
    asked = samples(model, 6)  # of 1, 2, 3, 1, 2, 3 times some words
    seen = []

    def spy(model, together, **prompt):
        seen.append([sample.item for sample in together])
        return encode(model, together, **prompt)

    monkeypatch.setattr(generation, "encode", spy)
    generate(model, asked, max_tokens=1, batch_size=2)
    assert seen == [["q2", "q5"], ["q1", "q4"], ["q0", "q3"]]


@pytest.mark.parametrize("architecture", SEEING)
def test_the_image_reaches_the_model(architecture):
    model = tiny.build(architecture)
    first, second = (
        encode(model, [Sample("q", "What is it?", image=picture(seed))]).inputs for seed in (1, 2)
    )
    with torch.inference_mode():
        one, other = (model.network(**inputs).logits[0, -1] for inputs in (first, second))
    assert float((one - other).abs().max()) > 1e-3


@pytest.mark.parametrize("architecture", ALL)
def test_nothing_of_the_prompt_is_in_the_answer(architecture):
    model = tiny.build(architecture)
    sample = replace(samples(model, 1)[0], question="Zyxwvut qponmlk?")
    settings = Settings(max_tokens=5)
    batch = encode(model, [sample])
    (answer,) = write(model, batch.inputs, settings, items=batch.items)
    assert "Zyxwvut" not in answer.text and len(answer.ids) <= 5
    assert answer.text == model.tokenizer.decode(answer.ids, skip_special_tokens=True).strip()
    assert not any(token in answer.text for token in model.tokenizer.all_special_tokens)


def test_gemma_is_told_to_answer_in_the_language_of_the_question():
    assert system_prompts("gemma3") is LOCALISED and system_prompts("qwen3-vl") == ""
    assert system_prompts("llava", "localised") is LOCALISED and system_prompts("gemma3", "none") == ""
    assert system_prompts("llava", "Be brief.") == "Be brief."
    assert set(LOCALISED) == {"en", "fr", "it", "zh"} and len(set(LOCALISED.values())) == 4
    model = tiny.build("gemma3")
    asked = [replace(one, item="q") for one in samples(model, 1)]
    said = {}
    for language in (*LOCALISED, "de"):
        (answer,) = generate(model, [replace(asked[0], language=language)], max_tokens=8)
        said[language] = answer.ids
    assert len(set(said.values())) == 5  # each language has a prompt of its own; German has none
    assert said["de"] == generate(model, asked, max_tokens=8, system="none")[0].ids


def test_the_order_of_image_and_question_is_a_choice(model):
    asked = samples(model, 1)
    assert generate(model, asked, max_tokens=8) != generate(model, asked, max_tokens=8, image_first=True)


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"temperature": -0.1}, "temperature"), ({"temperature": float("nan")}, "temperature"),
        ({"max_tokens": 0}, "max_tokens"), ({"top_p": 0}, "top_p"), ({"top_p": 1.1}, "top_p"),
        ({"top_k": -1}, "top_k"), ({"batch_size": 0}, "batch_size"),
    ],
)  # fmt: skip
def test_settings_out_of_range_are_refused(model, options, field):
    with pytest.raises(InputError) as caught:
        generate(model, samples(model, 1), **options)
    assert caught.value.problems[0].field == field


def test_beams_draw_nothing():
    with pytest.raises(InputError, match="1, or more at temperature 0"):
        Settings(temperature=0.7, beams=4)


def test_questions_that_cannot_be_asked_are_named_before_any_is(model):
    asked = [*samples(model, 1), Sample("bare", "What?"), Sample("odd", "</s>", image=picture(0))]
    with pytest.raises(InputError) as caught:
        generate(model, asked)
    assert [problem.what.split(":")[0] for problem in caught.value.problems] == [
        "item bare cannot be asked", "item odd cannot be asked",
    ]  # fmt: skip


def test_no_room_in_the_context_is_said(model):
    with pytest.raises(
        InputError, match="item q0: .* tokens and 4090 to be written exceed the context of 4096"
    ):
        generate(model, samples(model, 1), max_tokens=4090)


def test_numbers_that_overflow_are_said():
    model = tiny.build("llama")
    with torch.no_grad():
        model.network.lm_head.weight.fill_(float("nan"))
    with pytest.raises(InputError, match="not a number.*bfloat16"):
        generate(model, samples(model, 1))


@pytest.mark.parametrize("logit", [float("nan"), float("inf")])
def test_no_token_is_drawn_from_an_overflow(logit):
    """A softmax over one infinite logit is not a number anywhere, and draws the last token."""
    chain, before = decoding._processors(Settings(), ["a"], 0, start=1), torch.zeros(1, 1, dtype=torch.long)
    assert chain(before, torch.tensor([[0.0, 1.0, float("-inf")]])).max() == 0
    with pytest.raises(InputError, match="not a number, or infinite"):
        chain(before, torch.tensor([[0.0, logit, float("-inf")]]))


def test_nothing_asked_is_nothing_answered(model):
    assert generate(model, []) == []


@pytest.fixture
def work(tmp_path):
    lines = [
        {"item": f"q{n}", "question": "Why? " * (n + 1), "image": "a.png", "language": "en", "source": "toy"}
        for n in range(3)
    ]
    lines[1].update(question="C’est 😀 ?", language="fr")
    (tmp_path / "asked.jsonl").write_bytes(runs.rendered(lines))
    (tmp_path / "images").mkdir()
    picture(5).save(tmp_path / "images" / "a.png")
    return GenerationWork(
        str(tmp_path / "runs"), "tiny-qwen3-vl", str(tmp_path / "asked.jsonl"),
        images=str(tmp_path / "images"), seeds=(0, 1), max_tokens=6, batch_size=2, block=2,
    )  # fmt: skip


def done(work, told=runs.silent):
    return generation_runs.run(work, engine.Serial(), told)


def content(shards):
    files = sorted(path for path in shards.home.rglob("*") if path.is_file())
    return {path.relative_to(shards.home): path.read_bytes() for path in files}


def test_a_run_gives_one_table_of_answers(work, tmp_path):
    lines = []
    shards = done(work, lines.append)
    assert [len(part) for part in shards.parts] == [2, 1, 2, 1]
    assert len(lines) == 4 and lines[-1].startswith("shard 4 of 4: 6 answers, ") and "0 s left" in lines[-1]
    path = generation_runs.collect(shards, tmp_path / "answers.jsonl")
    table = tables.validate("items", pd.read_json(path, lines=True, dtype=False))
    assert list(table["item"][:4]) == [f"q{n}-tiny-qwen3-vl-seed0" for n in range(3)] + [
        "q0-tiny-qwen3-vl-seed1"
    ]
    assert set(table["seed"]) == {0, 1} and set(table["asked"]) == {"q0", "q1", "q2"}
    assert (table["corpus"] == "asked").all() and (table["source"] == "toy").all()
    assert list(table["language"][:3]) == ["en", "fr", "en"] and table["prompt"][1] == "C’est 😀 ?"
    assert table["strategy"].isna().all() and set(table["finish"]) <= {"eos", "length"}
    assert table["response"].nunique() == 6
    first = generate(
        tiny.build("qwen3-vl"), [Sample("q0", "Why? ", image=picture(5), language="en")], max_tokens=6
    )
    assert table["response"][0] == first[0].text


def test_a_run_that_was_cut_off_goes_on_and_gives_the_same_bytes(work, tmp_path):
    whole = content(done(replace(work, directory=str(tmp_path / "whole"))))

    def cut(line):
        if line.startswith("shard 2 "):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        done(work, cut)
    (shards,) = Shards.find(work.directory)
    assert shards.missing() == [2, 3]
    lines = []
    assert content(done(work, lines.append)) == whole
    assert [line.split(":")[0] for line in lines] == ["shard 3 of 4", "shard 4 of 4"]
    lines.clear()
    assert done(work, lines.append).complete and lines == []


def test_shards_can_be_made_one_by_one_in_any_order(work, tmp_path):
    whole = content(done(replace(work, directory=str(tmp_path / "whole"))))
    again = pickle.loads(pickle.dumps(work))  # noqa: S301 - what an engine does with it
    for index in (3, 0, 2, 1):
        counts = generate_shard(again, index)
        assert counts["answers"] == (2, 1, 2, 1)[index]
    assert content(again.shards()) == whole


def test_what_decides_the_words_decides_the_place(work):
    key = work.shards().key
    assert replace(work, batch_size=2).shards().key == key
    others = {
        "model": "tiny-internvl", "seeds": (0,), "temperature": 0.8, "max_tokens": 7, "top_p": 0.9,
        "top_k": 5, "batch_size": 1, "system": "localised", "image_first": True, "block": 3,
        "languages": ("en",), "loading": (("seed", 1),),
    }  # fmt: skip
    keys = {replace(work, **{name: value}).shards().key for name, value in others.items()}
    assert len(keys | {key}) == len(others) + 1
    picture(6).save(f"{work.images}/a.png")
    generation_runs._read.cache_clear()  # as a run does
    assert work.shards().key != key


def test_files_changed_on_the_way_are_noticed(work):
    shards = work.shards()
    shards.prepare()
    with open(work.questions, "ab") as file:
        file.write(runs.rendered([{"item": "late", "question": "What?", "image": "a.png"}]))
    with pytest.raises(InputError, match="field 'questions': not what it was when the work was prepared"):
        generate_shard(work, 0, str(shards.home))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"images": ""}, "this model needs images"),
        ({"questions": ""}, "ask the questions of a file or of a corpus"),
        ({"corpus": "meadow"}, "ask the questions of a file or of a corpus"),
        ({"languages": ("zh",)}, "no questions in these languages"),
        ({"seeds": (1, 1)}, "seeds must differ"),
        ({"seeds": ()}, "seeds must differ"),
        ({"block": 0}, "must be 1 or more"),
        ({"model": "gemma"}, "unknown model"),
        ({"temperature": -1}, "out of range"),
    ],
)
def test_wrong_work_is_refused(work, change, what):
    with pytest.raises(InputError, match=what):
        done(replace(work, **change))


def test_questions_without_an_image_are_named(work):
    with open(work.questions, "ab") as file:
        file.write(runs.rendered([{"item": "bare", "question": "What?"}]))
    with pytest.raises(InputError, match="item bare has no image"):
        done(work)


def test_no_part_is_made_if_the_last_question_cannot_be_asked(work, tmp_path):
    late = [{"item": f"late{n}", "question": f"An {n} <|image_pad|>?", "image": "a.png"} for n in range(2)]
    with open(work.questions, "ab") as file:
        file.write(runs.rendered(late))
    with pytest.raises(InputError, match="(?s)item late0 cannot be asked.*item late1 cannot be asked"):
        done(work)
    assert not Shards.find(work.directory)


def test_a_corpus_can_be_asked(tmp_path):
    work = GenerationWork(
        str(tmp_path), "tiny-llava", corpus="meadow", options=(("per_language", 1), ("per_cell", 0)),
        languages=("it",), seeds=(3,), max_tokens=3,
    )  # fmt: skip
    shards = done(work)
    lines = list(runs.records(shards, generation_runs.FILE))
    assert len(lines) == sum(map(len, shards.parts)) and {line["language"] for line in lines} == {"it"}
    assert all(line["item"] == f"{line['asked']}-tiny-llava-seed3" for line in lines)


def test_only_answers_are_collected(work, tmp_path):
    shards = done(replace(work, seeds=(0,)))
    (shards.path(0) / generation_runs.FILE).write_bytes(b"{}\n")
    with pytest.raises(InputError, match="cut short or altered"):
        generation_runs.collect(shards, tmp_path / "answers.jsonl")
    foreign = Shards(tmp_path / "other", {"kind": "features"}, [["a"]])
    with pytest.raises(InputError, match="not a run of answers"):
        generation_runs.collect(foreign, tmp_path / "answers.jsonl")
    assert not (tmp_path / "answers.jsonl").exists()


def test_lines_hold_what_they_should(work):
    shards = done(replace(work, seeds=(0,)))
    raw = (shards.path(0) / generation_runs.FILE).read_text("utf-8").splitlines()
    assert set(json.loads(raw[0])) == {
        "item", "asked", "language", "prompt", "image", "source", "model", "seed", "response",
        "finish", "tokens",
    }  # fmt: skip
    assert "😀" in raw[1]

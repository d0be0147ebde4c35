"""Translators: what they are asked, what comes first, what is refused; runs; and COMETKiwi."""

import json
import os
import sys
from dataclasses import replace

import pytest

pytest.importorskip("transformers")
import torch

from sheeplib import engine
from sheeplib.errors import InputError
from sheeplib.models import quality, runs, tiny, translation_runs, translators
from sheeplib.models.decoding import Settings
from sheeplib.models.registry import MODELS
from sheeplib.models.translation import translate, translator_for
from sheeplib.models.translation_runs import NOTE, TranslationWork
from sheeplib.models.translators import (
    CODES,
    ChatTranslator,
    SequenceTranslator,
    translator,
    without_thoughts,
)

TEXTS = ["What colour is the dog?", "The image shows a street. There are two cats.", "A sign."]
FEW = {"max_tokens": 8, "beams": 2}


@pytest.fixture(scope="module")
def nllb():
    return tiny.build("m2m100")


@pytest.fixture(scope="module")
def qwen():
    return tiny.build("qwen3")


def test_the_pair_of_languages_chooses_the_translator():
    for source in CODES:
        for target in set(CODES) - {source}:
            name = translator_for(source, target)
            assert name == ("qwen3-8b" if "zh" in (source, target) else "nllb-200-3.3b")
            assert "translator" in MODELS[name].roles
    for pair in (("en", "de"), ("xx", "yy"), ("en", "en")):
        with pytest.raises(InputError):
            translator_for(*pair)


@pytest.mark.parametrize("target", ["fr", "it", "zh"])
def test_the_language_asked_for_is_the_first_token(nllb, target):
    for beams in (1, 4):
        asked = translator(nllb, "en", target, Settings(temperature=0, max_tokens=8, beams=beams))
        assert isinstance(asked, SequenceTranslator)
        code = nllb.tokenizer.convert_tokens_to_ids(CODES[target])
        for written in asked.write(TEXTS):
            assert written.ids[0] == code
            assert CODES[target] not in written.text


def test_targets_and_sources_change_the_words(nllb):
    said = {
        (source, target): tuple(one.text for one in translate(nllb, TEXTS, source, target, **FEW))
        for source, target in (("en", "fr"), ("en", "it"), ("it", "fr"))
    }
    assert len(set(said.values())) == 3
    assert nllb.tokenizer.src_lang == "eng_Latn"  # no state was changed


def test_what_nllb_reads_is_what_its_own_tokenizer_gives(nllb):
    asked = translator(nllb, "fr", "it", Settings(temperature=0))
    nllb.tokenizer.src_lang = CODES["fr"]
    try:
        for text in TEXTS:
            assert asked._encoded(text) == nllb.tokenizer(text)["input_ids"]
    finally:
        nllb.tokenizer.src_lang = CODES["en"]


@pytest.mark.parametrize("name", ["nllb", "qwen"])
def test_texts_are_translated_alike_alone_and_together(name, request):
    model = request.getfixturevalue(name)
    alone = [translate(model, [text], "en", "fr", batch_size=1, **FEW)[0] for text in TEXTS]
    together = translate(model, TEXTS[::-1] + TEXTS, "en", "fr", batch_size=4, **FEW)
    assert together == alone[::-1] + alone
    assert all(one.tokens <= 8 and one.pieces == 1 for one in alone)


def test_four_beams_find_a_likelier_text_than_one(nllb):
    """Or the same. Scores are computed anew, by teacher forcing."""

    def likelihood(beams):
        settings = Settings(temperature=0, max_tokens=8, beams=beams)
        (written,) = translator(nllb, "en", "fr", settings).write(TEXTS[:1])
        source = torch.tensor([translator(nllb, "en", "fr", settings)._encoded(TEXTS[0])])
        start = nllb.network.config.decoder_start_token_id
        target = torch.tensor([[start, *written.ids]])
        with torch.inference_mode():
            logits = nllb.network(input_ids=source, decoder_input_ids=target).logits[0].log_softmax(-1)
        scores = logits[:-1].gather(1, target[0, 1:, None])[1:]  # the first was forced
        return float(scores.mean()), written.finish

    (greedy, how), (searched, also) = likelihood(1), likelihood(4)
    assert how == also == "length"  # of one length, so that sums and means agree
    assert searched >= greedy - 1e-5


def test_a_chat_model_is_told_to_translate_and_given_the_text_alone(qwen):
    from sheeplib.models.prompts import render
    from sheeplib.models.samples import Sample

    asked = translator(qwen, "en", "zh", Settings(temperature=0))
    assert isinstance(asked, ChatTranslator)
    prompt = render(qwen, Sample("", "Is it red?"), system=asked.system)
    assert "from English into Simplified Chinese" in prompt
    assert "<|turn|>user\nIs it red?<|end|>" in prompt
    assert asked.length("Is it red?") == len(qwen.tokenizer(prompt, add_special_tokens=False)["input_ids"])


def test_thinking_is_switched_off_where_the_template_knows_it(qwen, monkeypatch):
    seen = {}

    def template(turns, **options):
        seen.update(options)
        return "\n".join(turn["content"] for turn in turns)

    monkeypatch.setattr(qwen.tokenizer, "apply_chat_template", template)
    translate(qwen, ["Is it red?"], "en", "zh", **FEW)
    assert seen["enable_thinking"] is False


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("红色", "红色"),
        ("<think>\n\n</think>\n\n红色\n", "红色"),
        ("<think>It asks <b>.</think>红<think>again</think>色", "红色"),
        ("It asks about a colour.</think>\n红色", "红色"),
        ("<think>It asks, and never comes to an end", ""),
        ("", ""),
    ],
)
def test_thoughts_are_no_translation(said, meant):
    assert without_thoughts(said) == meant


def test_models_that_see_do_not_translate():
    with pytest.raises(InputError, match="sees images"):
        translate(tiny.build("llava"), TEXTS, "en", "fr")


def test_a_model_without_the_language_is_refused(nllb, monkeypatch):
    monkeypatch.setitem(translators.CODES, "fr", "frr_Latn")
    with pytest.raises(InputError, match="does not know the language frr_Latn"):
        translate(nllb, TEXTS, "en", "fr")


class Echo(translators.Translator):
    """Says the words of a text in upper case; takes ten of them."""

    def __init__(self, model, source, target, settings):
        super().__init__(model, source, target, settings)
        self.asked = []

    def most(self, context):
        return 10

    def length(self, text):
        return len(text.split())

    def write(self, texts):
        self.asked.append(list(texts))
        return [translators.Written(text.upper(), "length" if "X" in text else "eos", 2) for text in texts]


@pytest.fixture
def echo(nllb, monkeypatch):
    made = []

    def build(*args):
        made.append(Echo(*args))
        return made[-1]

    monkeypatch.setattr(translators, "translator", build)
    return lambda texts, *pair, **options: (translate(nllb, texts, *pair, **options), made[-1].asked)


LONG = "one two three four five six. \n\nSeven eight nine ten! Eleven twelve?"


def test_long_texts_are_split_into_sentences_and_that_is_recorded(echo):
    (found,), asked = echo([f" {LONG}\n"], "en", "fr", batch_size=2)
    # longest first, two at a time
    assert asked == [["one two three four five six.", "Seven eight nine ten!"], ["Eleven twelve?"]]
    assert found.text == "ONE TWO THREE FOUR FIVE SIX. \n\nSEVEN EIGHT NINE TEN! ELEVEN TWELVE?"
    assert (found.pieces, found.tokens, found.finish) == (3, 6, "eos")


def test_chinese_sentences_are_joined_without_spaces_and_others_with(echo):
    (found,), _ = echo(["One. Two."], "en", "zh", split="always")
    assert found.text == "ONE.TWO." and found.pieces == 2
    (found,), _ = echo(["甲。乙。"], "zh", "en", split="always")
    assert found.text == "甲。 乙。"


def test_short_texts_are_not_split_and_long_ones_refused_if_so_asked(echo):
    (short, long, sentence), _ = echo(["One. Two.", LONG, "a " * 11], "en", "it", split="never")
    assert short.pieces == 1
    assert (long.finish, long.text, long.doubt) == ("refused", "", "12 tokens, and the model takes 10")
    (sentence,), asked = echo(["a " * 11], "en", "it")
    assert sentence.doubt == "a sentence of 11 tokens, and the model takes 10" and asked == []
    with pytest.raises(InputError, match="unknown way to split"):
        echo(["One."], "en", "it", split="sometimes")


def test_what_is_cut_or_a_command_is_doubtful_and_nothing_stays_nothing(echo):
    (cut, command, blank), asked = echo(["X marks it", "A </s> b", " \n"], "en", "fr")
    assert (cut.finish, cut.doubt) == ("length", "cut: it needs more tokens")
    assert command.finish == "refused" and command.doubt.startswith("the text holds </s>")
    assert (blank.text, blank.doubt, blank.pieces, blank.finish) == ("", "", 0, "eos")
    assert asked == [["X marks it"]]


def test_a_copy_is_doubtful(echo):
    (found,), _ = echo(["What colour is the dog?"], "en", "fr")
    assert found.doubt == "still in the language of the source"


def test_a_text_longer_than_the_context_is_split_in_earnest(nllb):
    text = "The image shows a street. " * 400
    (found,) = translate(nllb, [text], "en", "fr", max_tokens=2, beams=1)
    assert found.pieces == 400 and found.finish == "length"
    (refused,) = translate(nllb, [text], "en", "fr", max_tokens=2, beams=1, split="never")
    assert refused.doubt.endswith("and the model takes 1024")


RECORDS = [
    {"id": "a", "prompt": "What is it?", "response": "It is a dog.", "language": "en", "more": [1, None]},
    {"id": "b", "prompt": "C’est 😀 ?", "response": None},
    {"id": "c", "prompt": "Why? Because.", "response": "", "language": ""},
]


@pytest.fixture
def work(tmp_path):
    (tmp_path / "texts.jsonl").write_bytes(runs.rendered(RECORDS))
    return TranslationWork(
        str(tmp_path / "runs"), str(tmp_path / "texts.jsonl"), ("prompt", "response"), "en", "fr",
        model="tiny-nllb", max_tokens=5, beams=2, block=2,
    )  # fmt: skip


def done(work, told=runs.silent):
    return translation_runs.run(work, engine.Serial(), told)


def content(shards):
    files = sorted(path for path in shards.home.rglob("*") if path.is_file())
    return {path.relative_to(shards.home): path.read_bytes() for path in files}


def test_a_run_translates_fields_and_keeps_all_else(work, tmp_path):
    lines = []
    shards = done(work, lines.append)
    assert [line.split(";")[0].split(", ")[0] for line in lines] == [
        "shard 1 of 2: 3 texts", "shard 2 of 2: 4 texts",
    ]  # fmt: skip
    out = tmp_path / "french.jsonl"
    doubtful = translation_runs.collect(work, shards, out)
    records = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [record["id"] for record in records] == ["a", "b", "c"]
    first, second, third = records
    model = tiny.build("m2m100")
    expected = translate(model, ["What is it?", "It is a dog."], "en", "fr", max_tokens=5, beams=2)
    assert [first["prompt"], first["response"]] == [one.text for one in expected]
    assert first["more"] == [1, None] and first["language"] == "fr"
    assert first[NOTE]["original"] == {"prompt": "What is it?", "response": "It is a dog."}
    assert (first[NOTE]["from"], first[NOTE]["to"], first[NOTE]["model"]) == ("en", "fr", "tiny-nllb")
    assert (
        second["response"] is None and third["response"] == "" and set(second[NOTE]["original"]) == {"prompt"}
    )
    assert {(line["item"], line["field"]) for line in doubtful} == {
        (record["id"], field) for record in records for field in record[NOTE]["doubts"]
    }
    assert doubtful  # five tokens are not enough


def test_a_run_that_was_cut_off_goes_on_and_gives_the_same_bytes(work, tmp_path):
    whole = content(done(replace(work, directory=str(tmp_path / "whole"))))

    def cut(line):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        done(work, cut)
    assert work.shards().missing() == [1]
    assert content(done(work)) == whole


def test_what_decides_the_words_decides_the_place(work):
    others = {
        "source": "it", "target": "it", "model": "tiny-qwen3", "beams": 1, "max_tokens": 6, "batch_size": 1,
        "split": "always", "block": 1, "fields": ("prompt",), "loading": (("seed", 1),),
    }  # fmt: skip
    runs.save(work.file, [{"id": "a", "prompt": "x", "response": "y"}, {"id": "b", "prompt": "z"}])
    keys = {replace(work, **{name: value}).shards().key for name, value in others.items()}
    assert len(keys | {work.shards().key}) == len(others) + 1
    runs.save(work.file, [{"id": "a", "prompt": "x", "response": "yy"}, {"id": "b", "prompt": "z"}])
    assert work.shards().key not in keys


@pytest.mark.parametrize(
    ("record", "field", "what"),
    [
        ({"prompt": "x"}, None, "a record needs a name"),
        ({"id": 3, "prompt": "x"}, None, "a record needs a name"),
        ({"id": "a", "prompt": "x"}, "item", "item is there twice"),
        ({"id": "d", "prompt": ["x"]}, "prompt", "not a text"),
        ({"id": "d", "prompt": "x", "language": "fr"}, "language", "text in another language"),
        ({"id": "d", "prompt": "x", NOTE: {}}, NOTE, "already a translation"),
    ],
)
def test_what_is_wrong_with_a_record_is_said_with_place_and_remedy(work, record, field, what):
    with open(work.file, "ab") as file:
        file.write(runs.rendered([record]))
    with pytest.raises(InputError) as caught:
        done(work)
    (problem,) = caught.value.problems
    assert (problem.what, problem.line, problem.field) == (what, 4, field) and problem.remedy


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"fields": ()}, "no fields to translate"),
        ({"fields": ("answer",)}, "no texts to translate"),
        ({"target": "en"}, "source and target are one language"),
        ({"target": "de"}, "unknown language"),
        ({"block": 0}, "must be 1 or more"),
        ({"file": "none.jsonl"}, "No such file"),
        ({"beams": 0}, "out of range"),
    ],
)
def test_wrong_work_is_refused(work, change, what):
    with pytest.raises(InputError, match=what):
        done(replace(work, **change))


def test_texts_changed_on_the_way_are_noticed(work, tmp_path):
    shards = done(work)
    with open(work.file, "ab") as file:
        file.write(runs.rendered([{"id": "late", "prompt": "x"}]))
    with pytest.raises(InputError, match="field 'texts': not what it was"):
        translation_runs.collect(work, shards, tmp_path / "out.jsonl")


FAKE = '''
"""What sheeplib uses of unbabel-comet: a score that counts characters."""
from types import SimpleNamespace

def load_from_checkpoint(path, reload_hparams=False, strict=False, local_files_only=False):
    assert local_files_only
    if "broken" in open(path).read():
        raise RuntimeError("a line\\nand the reason")
    nothing = "nothing" in open(path).read()
    def predict(samples, batch_size=16, gpus=1, progress_bar=True):
        scores = [len(pair["mt"]) / len(pair["src"]) + batch_size / 100 + gpus for pair in samples]
        return SimpleNamespace(scores=scores[1:] if nothing else scores, system_score=0.0)
    return SimpleNamespace(predict=predict)
'''


@pytest.fixture
def kiwi(tmp_path):
    """A checkpoint, and a Python that finds the fake package; it is isolated, as the real one would be."""
    if os.name != "posix":
        pytest.skip("the Python is a shell script")
    checkpoint = tmp_path / "model" / "checkpoints" / "model.ckpt"
    checkpoint.parent.mkdir(parents=True)
    checkpoint.write_text("weights")
    (tmp_path / "model" / "hparams.yaml").write_text("class_identifier: unified_metric\n")
    (tmp_path / "packages" / "comet").mkdir(parents=True)
    (tmp_path / "packages" / "comet" / "__init__.py").write_text(FAKE)
    python = tmp_path / "python"
    python.write_text(
        '#!/bin/sh\n[ "$1" = -I ] || exit 9\nshift\n'
        f'PYTHONPATH="{tmp_path}/packages" exec "{sys.executable}" "$@"\n'
    )
    python.chmod(0o755)
    return checkpoint, python


def test_quality_is_estimated_in_another_environment(kiwi):
    checkpoint, python = kiwi
    known = {"trust_checkpoint": True, "python": python, "batch_size": 5}
    # 2 / 4 + 5 / 100, and one character for one: half of an emoji's surrogate pair counts nothing
    assert quality.estimate(["abcd", "😀"], ["xy", "红"], checkpoint, **known) == pytest.approx([0.55, 1.05])
    assert quality.estimate([], [], checkpoint, **known) == []
    with pytest.raises(InputError, match="not one translation for each source"):
        quality.estimate(["a"], [], checkpoint, **known)


def test_a_pickle_is_not_loaded_unless_it_is_trusted(kiwi):
    checkpoint, python = kiwi
    with pytest.raises(InputError, match="runs the code it holds.*trust_checkpoint=True"):
        quality.estimate(["a"], ["b"], checkpoint, python=python)


def test_what_lacks_for_an_estimate_is_said(kiwi, tmp_path):
    checkpoint, python = kiwi
    known = {"trust_checkpoint": True, "python": python}
    with pytest.raises(InputError, match="no checkpoint of COMETKiwi.*hf download Unbabel"):
        quality.estimate(["a"], ["b"], tmp_path / "none.ckpt", **known)
    with pytest.raises(InputError, match="cannot be started"):
        quality.estimate(["a"], ["b"], checkpoint, **(known | {"python": tmp_path / "none"}))
    with pytest.raises(InputError, match="unbabel-comet is missing. python3.11 -m venv"):
        quality.estimate(["a"], ["b"], checkpoint, trust_checkpoint=True)
    checkpoint.write_text("broken")
    with pytest.raises(InputError, match="COMETKiwi failed: and the reason"):
        quality.estimate(["a"], ["b"], checkpoint, **known)
    checkpoint.write_text("nothing")
    with pytest.raises(InputError, match="no score for some texts"):
        quality.estimate(["a", "b"], ["b", "c"], checkpoint, **known)
    (checkpoint.parent.parent / "hparams.yaml").unlink()
    with pytest.raises(InputError, match="settings are missing"):
        quality.estimate(["a"], ["b"], checkpoint, **known)


def test_scores_are_written_beside_the_translations(kiwi, tmp_path):
    checkpoint, python = kiwi
    path = tmp_path / "french.jsonl"
    note = {"original": {"prompt": "abcd", "response": "ab"}}
    records = [
        {"id": "a", "prompt": "xyxy", "response": "x", NOTE: note},
        {"id": "b", "prompt": "xy", NOTE: {"original": {"prompt": "abcd"}}},
        {"id": "c", "prompt": "", NOTE: {"original": {"prompt": "refused"}}},
    ]
    runs.save(path, records)
    means = quality.score(path, checkpoint, trust_checkpoint=True, python=python)
    # 8 / 100 for the batch size; prompts 1 and 1/2, the response 1/2
    assert means == pytest.approx({"prompt": 0.83, "response": 0.58})
    found = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert found[0][NOTE]["quality"] == pytest.approx({"prompt": 1.08, "response": 0.58})
    assert "quality" not in found[2][NOTE]
    for wrong in ([{"id": "a"}], [{"id": "a", NOTE: {"original": {"prompt": 1}}}]):
        runs.save(path, wrong)
        with pytest.raises(InputError, match="not translations"):
            quality.score(path, checkpoint, trust_checkpoint=True, python=python)

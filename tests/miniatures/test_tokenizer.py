"""The word-level tokenizer."""

from __future__ import annotations

from typing import Any

import pytest

from sheeplib.corpora import meadow
from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.miniatures import tokenizer
from sheeplib.tables import Label


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("There is a red dog.", ["There", " is", " a", " red", " dog", "."]),
        (
            "Yes, **two** dogs.\n\n* One",
            ["Yes", ",", " ", "**", "two", "**", " dogs", ".", "\n", "\n", "*", " One"],
        ),
        (
            "L’oiseau est à l’arrière-plan\u00a0!",
            ["L’", "oiseau", " est", " à", " l’", "arrière-plan", "\u00a0", "!"],
        ),
        ("图片中有两只红色的狗。", ["图片", "中", "有", "两", "只", "红色", "的", "狗", "。"]),
    ],
)
def test_words_are_tokens(words: Any, text: str, tokens: list[str]) -> None:
    assert words.convert_ids_to_tokens(words.encode(text, add_special_tokens=False)) == tokens


def test_every_text_of_the_corpus_comes_back_unchanged(words: Any) -> None:
    items = meadow.load(seed=31, per_language=20, per_cell=0).items
    texts = [*items.response, *items.prompt]
    assert tokenizer.unknown_words(words, texts) == set()
    for text in texts:
        encoding = words(text, return_offsets_mapping=True, add_special_tokens=False)
        assert words.decode(encoding["input_ids"]) == text
        assert "".join(text[start:end] for start, end in encoding["offset_mapping"]) == text


def test_unknown_words_are_told(words: Any) -> None:
    assert tokenizer.unknown_words(words, ["A red zebra.", "一只斑马"]) == {" zebra", "斑"}


def test_a_judge_answers_with_one_token(words: Any) -> None:
    for label in Label:
        assert len(words.encode(str(label), add_special_tokens=False)) == 1


def test_every_language_has_words(words: Any) -> None:
    for language in LANGUAGES.values():
        for patterns in language.sentences.values():
            plain = [pattern for pattern in patterns if not set("{[<") & set(pattern)]
            assert tokenizer.unknown_words(words, [text[:1].upper() + text[1:] for text in plain]) == set()


def test_the_image_comes_first_whatever_the_order(words: Any) -> None:
    turn = [{"role": "user", "content": [{"type": "text", "text": "What?"}, {"type": "image"}]}]
    assert words.apply_chat_template(turn, tokenize=False) == "<s><image>What?<answer>"

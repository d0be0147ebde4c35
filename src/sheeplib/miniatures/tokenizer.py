"""The word-level tokenizer of the miniature models, in the format of Hugging Face.

A token is a word with the blank before it, a sign of punctuation, or a line break; Chinese is cut into
the words of a lexicon, longest first, and into characters where the lexicon has none. So every text
of the grammar comes back unchanged when its tokens are strung together, and offsets are exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from sheeplib.corpora.meadow.captions import CAPTION_PROMPTS
from sheeplib.corpora.meadow.chinese import COLOURS, NOUNS
from sheeplib.corpora.meadow.claims import Claim
from sheeplib.corpora.meadow.grammar import Language, Segments, fill, text_of
from sheeplib.corpora.meadow.kinds import COLOURS as COLOUR_NAMES
from sheeplib.corpora.meadow.kinds import KINDS
from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.lessons import FIRST_LESSON, Diet, draw_drill, draw_lesson
from sheeplib.corpora.meadow.scenes import scene
from sheeplib.corpora.meadow.writers import write, write_samples
from sheeplib.miniatures.chinese_words import WORDS
from sheeplib.tables import Label

BOS, EOS, PAD, UNKNOWN, IMAGE, ANSWER = "<s>", "</s>", "<pad>", "<unk>", "<image>", "<answer>"
SPECIAL = (PAD, BOS, EOS, UNKNOWN, IMAGE, ANSWER)
LETTERS = tuple(str(label) for label in Label)  # what a judge says
TEXTS, SEED = 4000, 7  # lessons and writers' samples that show which words there are
_LETTER = r"[\p{L}&&[^\p{Han}]]"
# The image comes first, whatever the order of the parts: all of the miniatures learned it so.
TEMPLATE = (
    "<s><image>{% for message in messages %}{% if message.content is string %}{{ message.content }}"
    "{% else %}{% for part in message.content %}{% if part.type == 'text' %}{{ part.text }}{% endif %}"
    "{% endfor %}{% endif %}{% endfor %}<answer>"
)


@cache
def build(texts: int = TEXTS) -> Any:
    """Make the tokenizer.

    Parameters
    ----------
    texts : int
        Lessons, and a quarter as many writers' texts, that show which words there are.

    Returns
    -------
    PreTrainedTokenizerFast
        The same one each time: its words are those of texts drawn with a fixed seed, which takes some
        seconds, once a process.
    """
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    cutter = pre_tokenizers.Split(Regex(_pattern()), "isolated")
    words = {word for text in _texts(texts) for word, _ in cutter.pre_tokenize_str(text)}
    vocabulary = {word: place for place, word in enumerate((*SPECIAL, *sorted(words | set(LETTERS))))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, UNKNOWN))
    tokenizer.pre_tokenizer = cutter
    tokenizer.decoder = decoders.Fuse()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token=BOS, eos_token=EOS, pad_token=PAD, unk_token=UNKNOWN,
        extra_special_tokens={"image_token": IMAGE, "answer_token": ANSWER}, chat_template=TEMPLATE,
        clean_up_tokenization_spaces=False, padding_side="left",
    )  # fmt: skip


def _pattern() -> str:
    chinese = sorted({*WORDS, *COLOURS.values(), *(noun for noun, _ in NOUNS.values())}, key=_longest_first)
    word = f" ?{_LETTER}+(?:-{_LETTER}+)*’?"
    return "|".join((*chinese, word, r" ?\p{N}+", r"\*\*", r" ?[^\s\p{L}\p{N}*]", r"\p{Han}", r"[\s\S]"))


def _longest_first(word: str) -> tuple[int, str]:
    return -len(word), word


def _texts(count: int) -> Iterator[str]:
    """Enough text of every kind to hold all its words."""
    rng = np.random.default_rng(SEED)
    for number in range(count):
        lesson = draw_lesson(rng, FIRST_LESSON + number, Diet())
        yield from (lesson.prompt, lesson.response)
    for sample in write_samples(SEED, count // 16):
        for language in LANGUAGES.values():
            yield from (sample.prompt(language), write(sample, language).text)
    for language in LANGUAGES.values():
        yield from CAPTION_PROMPTS[language.code]
        yield from _phrases(language)
        for number in range(40):
            for noun, said in draw_drill(rng, scene(FIRST_LESSON + number), language):
                yield from (language.joiner + noun, language.joiner + said)
    yield from (f"{place}. **" for place in range(1, 10))


def _phrases(language: Language) -> Iterator[str]:
    """Every kind in every number and colour, and every pattern, at the start of a text and within."""
    for kind in KINDS:
        for colour in (None, *COLOUR_NAMES):
            for count in range(1, 8):
                yield from _bare(language.slots["a"](Claim("there", kind, count, colour)))
    for patterns in language.sentences.values():
        for pattern in patterns:
            text = text_of(fill(language, pattern, _ANYTHING) or [])
            start = text[:1].upper() + text[1:]
            yield from (start, f" {text}", f" {start}")
    for field, values in language.phrases.items():
        for value, patterns in values.items():
            for kind, count in product(("dog", "cup"), (1, 2)):
                said: dict[str, Any] = {field: value} if hasattr(_ANYTHING, field) else {"kind": value}
                claim = replace(_ANYTHING, **{"kind": kind, "count": count, **said})
                for pattern in patterns:
                    yield from _bare(fill(language, pattern, claim))


def _bare(segments: Segments | None) -> Iterator[str]:
    """The text within another and at a start, and each word without a blank, as after a bold mark."""
    text = text_of(segments or [])
    start = text[:1].upper() + text[1:]
    yield from (f" {text}", start, f" {start}", *text.split(" "))


_ANYTHING = Claim(
    "there", "dog", 1, "red", "left", "cat", 1, "left", "STOP", "four_legs", "standing", "street",
    "houses", "plane",
)  # fmt: skip


def unknown_words(tokenizer: Any, texts: Iterable[str]) -> set[str]:
    """Words that the tokenizer does not know.

    Parameters
    ----------
    tokenizer : PreTrainedTokenizerFast
    texts : iterable of str

    Returns
    -------
    set of str
    """
    found = set()
    for text in texts:
        encoding = tokenizer(text, return_offsets_mapping=True, add_special_tokens=False)
        for token, (start, end) in zip(encoding["input_ids"], encoding["offset_mapping"], strict=True):
            if token == tokenizer.unk_token_id:
                found.add(text[start:end])
    return found

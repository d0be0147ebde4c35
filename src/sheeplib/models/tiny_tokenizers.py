"""Tokenizers of the tiny models: byte-level BPE learned from the embedded corpus."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

PER_LANGUAGE = 5  # 80 answers and 80 questions in four languages, some 400 sentences
VOCABULARY = 512  # 256 bytes and as many merges
BOS, EOS, PAD = "<s>", "</s>", "<pad>"
CODES = ("eng_Latn", "fra_Latn", "ita_Latn", "zho_Hans")

# A chat in two styles. Both put the parts of a turn in the order given.
_PARTS = (
    "{{% if message.content is string %}}{{{{ message.content }}}}{{% else %}}"
    "{{% for part in message.content %}}"
    "{{% if part.type == 'image' %}}{placeholder}{{% else %}}{{{{ part.text }}}}{{% endif %}}"
    "{{% endfor %}}{{% endif %}}"
)
MARKED = (
    "{bos}{{% for message in messages %}}<|turn|>{{{{ message.role }}}}\n"
    + _PARTS
    + "<|end|>\n{{% endfor %}}"
    "{{% if add_generation_prompt %}}<|turn|>assistant\n{{% endif %}}"
)
SPOKEN = (
    "{{% for message in messages %}}{{{{ message.role }}}} says: " + _PARTS + "{{{{ '\\n' }}}}{{% endfor %}}"
    "{{% if add_generation_prompt %}}assistant says:{{% endif %}}"
)


def marked(placeholder: str = "", bos: bool = False) -> str:
    """Chat template whose turns are set apart by special tokens, as Qwen's are."""
    return MARKED.format(placeholder=placeholder, bos="{{ bos_token }}" if bos else "")


def spoken(placeholder: str = "") -> str:
    """Chat template in plain words, as LLaVA's is; the tokenizer adds the BOS token."""
    return SPOKEN.format(placeholder=placeholder)


def chat_tokenizer(named: Mapping[str, str], template: str, bos: bool) -> Any:
    """A tokenizer for chats, new for each model.

    Parameters
    ----------
    named : mapping of str to str
        Special tokens that the processor knows by name, such as `image_token`.
    template : str
        Chat template.
    bos : bool
        Whether the tokenizer puts a BOS token first.

    Returns
    -------
    PreTrainedTokenizerFast
        Pads on the left.
    """
    from tokenizers import Tokenizer, processors
    from transformers import PreTrainedTokenizerFast

    backend = Tokenizer.from_str(_trained())
    if bos:
        first = processors.TemplateProcessing(f"{BOS} $A", special_tokens=[(BOS, backend.token_to_id(BOS))])
        backend.post_processor = processors.Sequence([backend.post_processor, first])
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        bos_token=BOS if bos else None,
        eos_token=EOS,
        pad_token=PAD,
        extra_special_tokens=dict(named),
        chat_template=template,
        padding_side="left",
        clean_up_tokenization_spaces=False,
    )


def translation_tokenizer() -> Any:
    """A tokenizer as NLLB's, with the language codes `CODES`.

    Returns
    -------
    NllbTokenizer
        Knows the characters of the corpus; others become `<unk>`.
    """
    import json

    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import NllbTokenizer

    backend = Tokenizer(models.BPE(unk_token="<unk>"))
    backend.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    trainer = trainers.BpeTrainer(
        vocab_size=3 * VOCABULARY,  # hundreds of Chinese characters come first
        special_tokens=["<s>", "<pad>", "</s>", "<unk>"],  # in the order of NLLB
        show_progress=False,
    )
    backend.train_from_iterator(_sentences(), trainer)
    learned = json.loads(backend.to_str())["model"]
    merges: Any = [tuple(pair) for pair in learned["merges"]]
    return NllbTokenizer(
        vocab=learned["vocab"],
        merges=merges,
        extra_special_tokens=list(CODES),
        src_lang=CODES[0],
    )


@lru_cache(maxsize=1)
def _trained() -> str:
    """The byte-level tokenizer as JSON, learned once a process."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.post_processor = processors.ByteLevel(trim_offsets=True)
    backend.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[PAD, BOS, EOS, "<|turn|>", "<|end|>"],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    backend.train_from_iterator(_sentences(), trainer)
    return backend.to_str()


@lru_cache(maxsize=1)
def _sentences() -> tuple[str, ...]:
    """Questions and written answers of the embedded corpus."""
    from sheeplib import corpora

    items = corpora.load("meadow", per_language=PER_LANGUAGE, per_cell=0).items
    return (*items["prompt"], *items["response"])

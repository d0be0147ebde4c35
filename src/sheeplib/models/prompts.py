"""The prompt in words and in tokens, each token's place in the response, and what cannot be read.

Prompt and response are one string, tokenised at once, as if the model had written the response itself.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from sheeplib.errors import InputError, Problem
from sheeplib.models.model import Model
from sheeplib.models.samples import Sample

LONGEST = 100  # times its shorter side; longer images break some processors


@dataclass(frozen=True, eq=False)
class TokenisedText:
    """Prompt and response as the tokenizer alone sees them, the image being one placeholder.

    Parameters
    ----------
    ids : list of int
        Tokens of both.
    offsets : ndarray of int, (T, 2)
        Code points of the response that its T tokens cover; these are the last T of `ids`.
    specials : bool
        Whether the tokenizer was to add special tokens of its own, such as BOS.
    closing : int
        Number of those that stood behind the response; they are not in `ids`.
    """

    ids: list[int]
    offsets: np.ndarray
    specials: bool
    closing: int


def render(
    model: Model, sample: Sample, *, system: str | Mapping[str, str] = "", image_first: bool = False
) -> str:
    """Prompt up to the place where the model begins to answer, with the image's placeholder once.

    Parameters
    ----------
    model : Model
    sample : Sample
    system : str or mapping of str to str
        System prompt; a mapping gives one for each language code.
    image_first : bool
        Put the image before the question. By default the question comes first, as in SHEEP. A format,
        and chat templates of some models, keep an order of their own.

    Returns
    -------
    str

    Raises
    ------
    InputError
        If the model has no chat template or one that fails, the prompt drops question or system prompt,
        or it does not hold the placeholder exactly once.

    Source
    ------
    SHEEP, section 5.2, and the code of its token baseline: one user turn, text first, then the
    image, and the cue to answer.
    """
    said = system if isinstance(system, str) else system.get(sample.language, "")
    placeholder = model.architecture.placeholder
    if model.prompt == "chat":
        text = _chat(model, sample.question, said, image_first)
    elif said and "{system}" not in model.prompt:
        raise InputError(Problem(f"the prompt of {model.name} has no place for a system prompt", "Give none"))
    else:
        text = model.prompt.format(image=placeholder, system=said, question=sample.question)
    for name, words in {"question": sample.question, "system prompt": said}.items():
        if words.strip() not in text:  # templates may trim
            what = f"the prompt of {model.name} drops the {name}"
            raise InputError(Problem(what, "Look at its chat template"))
    if model.sees and text.count(placeholder) != 1:
        what = f"the prompt of {model.name} must hold {placeholder} exactly once"
        remedy = "Look at its chat template, and keep it out of the question"
        raise InputError(Problem(what, remedy, value=text))
    return text


def tokenised(model: Model, sample: Sample, prompt: str) -> TokenisedText:
    """Tokenise prompt and response as one string; find the response's tokens by their offsets.

    A token across the border belongs to the response: it predicts the response's first characters.

    Parameters
    ----------
    model : Model
    sample : Sample
    prompt : str
        As `render` gives it.

    Returns
    -------
    TokenisedText

    Raises
    ------
    InputError
        If the prompt has no token, or the tokenizer drops visible characters of the response.
    """
    tokenizer, whole, start = model.tokenizer, prompt + sample.response, len(prompt)
    specials = _adds_specials(tokenizer, whole)
    encoding = tokenizer(whole, add_special_tokens=specials, return_offsets_mapping=True)
    closing = _closing(tokenizer) if specials else 0
    count = len(encoding["input_ids"]) - closing
    offsets = np.array(encoding["offset_mapping"], dtype=np.int64).reshape(-1, 2)[:count]
    inside = np.flatnonzero(offsets[:, 1] > start)
    first = inside[0] if len(inside) else count
    if first == 0:
        raise InputError(Problem("the prompt has no token", "Ask something"))
    places = np.clip(offsets[first:] - start, 0, len(sample.response))
    if lost := _cover_composed(sample.response, places):
        what = f"the tokenizer of {model.name} drops characters"
        raise InputError(Problem(what, "Leave it out", value=lost))
    return TokenisedText(encoding["input_ids"][:count], places, specials, closing)


def token_counts(
    model: Model,
    samples: Sequence[Sample],
    *,
    system: str | Mapping[str, str] = "",
    image_first: bool = False,
) -> np.ndarray:
    """Tokens of prompt and response, the image counted as its placeholder: for batches of like lengths.

    Parameters
    ----------
    model : Model
    samples : sequence of sheeplib.models.Sample
    system, image_first
        As for `render`.

    Returns
    -------
    ndarray of int, (samples,)

    Raises
    ------
    InputError
        As `render`.
    """
    if not samples:
        return np.zeros(0, dtype=np.int64)
    texts = [render(model, one, system=system, image_first=image_first) + one.response for one in samples]
    ids = model.tokenizer(texts, add_special_tokens=_adds_specials(model.tokenizer, texts[0]))["input_ids"]
    return np.array([len(row) for row in ids])


def unreadable(model: Model, sample: Sample) -> str:
    """Why this model cannot read this response.

    Parameters
    ----------
    model : Model
    sample : Sample

    Returns
    -------
    str
        A reason, such as a special token in the text, or nothing if it can be read.

    Raises
    ------
    InputError
        If the model has no usable prompt: then no sample can be read.
    """
    if not sample.response.strip():
        return "the response is empty"
    if reason := unanswerable(model, sample):
        return reason
    prompt = render(model, sample)
    try:
        return beyond(model, len(tokenised(model, sample, prompt).ids))
    except InputError as error:
        return str(error)


def beyond(model: Model, tokens: int) -> str:
    """Why a model cannot take so many tokens; empty if it can."""
    if model.context is None or tokens <= model.context:
        return ""
    return f"{tokens} tokens are more than the model's context of {model.context}"


def unanswerable(model: Model, sample: Sample) -> str:
    """Why this model cannot be asked this question, whatever the response.

    Parameters
    ----------
    model : Model
    sample : Sample

    Returns
    -------
    str
        A reason, or nothing if it can be asked.
    """
    if model.sees and sample.image is None:
        return "there is no image, and the model expects one"
    if model.sees and max(sample.image.size) > LONGEST * min(sample.image.size):
        return f"the image is more than {LONGEST} times as long as wide"
    for name, text in (("question", sample.question), ("response", sample.response)):
        if any("\ud800" <= character <= "\udfff" for character in text):
            return f"the {name} holds half of a surrogate pair"
        if command := next((token for token in _commands(model) if token in text), None):
            return f"the {name} holds {command}, which the model would read as a command"
    return ""


def _chat(model: Model, question: str, system: str, image_first: bool) -> str:
    """The model's own chat template, filled in."""
    teller = model.processor if model.sees else model.tokenizer
    if not getattr(teller, "chat_template", None):
        raise InputError(Problem(f"{model.name} has no chat template", "Choose a model that chats"))
    parts = [{"type": "text", "text": question}, {"type": "image"}]
    parts = parts[::-1] if image_first else parts
    turns: list[dict[str, Any]] = [{"role": "user", "content": parts if model.sees else question}]
    if system:
        said = [{"type": "text", "text": system}] if model.sees else system
        turns.insert(0, {"role": "system", "content": said})
    # Qwen3 would think aloud first; templates that know no thinking ignore the option.
    thinking = {} if model.sees else {"enable_thinking": False}
    try:
        return teller.apply_chat_template(turns, tokenize=False, add_generation_prompt=True, **thinking)
    except Exception as error:  # a template is a program by others, and may refuse a system prompt
        what = f"the chat template of {model.name} fails: {type(error).__name__}: {error}"
        remedy = "Give no system prompt" if system else "Get its files again"
        raise InputError(Problem(what, remedy)) from None


def _cover_composed(response: str, offsets: np.ndarray) -> str:
    """Let tokens reach over what their tokenizer composed, in place; give what it dropped.

    Qwen's tokenizers compose an e and an accent to one character, and say that its token covers the e.
    """
    edges = np.zeros(len(response) + 1, dtype=np.int64)
    np.add.at(edges, offsets[:, 0], 1)
    np.add.at(edges, offsets[:, 1], -1)
    bare = [
        i
        for i in np.flatnonzero(np.cumsum(edges)[:-1] == 0).tolist()
        if unicodedata.category(response[i])[0] not in "CZ"  # white space, and signs that are not seen
    ]
    lost = ""
    for place in bare:
        before = (offsets[:, 0] < place) & (offsets[:, 1] == place)
        start = offsets[before, 0].min(initial=place)
        if _composes(response, start, place):
            offsets[before, 1] = place + 1
        else:
            lost += response[place]
    return lost


def _composes(text: str, start: int, place: int) -> bool:
    """Whether the character at a place melts with those before it, from a start on."""
    end = place + 1
    while end < len(text) and unicodedata.combining(text[end]):  # marks may change places
        end += 1
    before, after, both = text[start:place], text[place:end], text[start:end]
    apart = unicodedata.normalize("NFKC", before) + unicodedata.normalize("NFKC", after)
    return unicodedata.normalize("NFKC", both) != apart


def _adds_specials(tokenizer: Any, text: str) -> bool:
    """Whether the tokenizer shall add special tokens: not where the chat template has put BOS already."""
    return not (tokenizer.bos_token and text.startswith(tokenizer.bos_token))


def _closing(tokenizer: Any) -> int:
    """Number of special tokens that the tokenizer puts behind a text."""
    added = tokenizer("a", return_special_tokens_mask=True)["special_tokens_mask"]
    return added[::-1].index(0)


@lru_cache(maxsize=16)
def _special_tokens(tokenizer: Any, size: int) -> tuple[str, ...]:
    """Texts that the tokenizer reads as commands, longest first; `size` tells when it has learned more.

    Other added tokens, such as a run of line breaks, are text like any other.
    """
    special = {token.content for token in tokenizer.added_tokens_decoder.values() if token.special}
    return tuple(sorted(special | set(tokenizer.all_special_tokens), key=lambda text: (-len(text), text)))


def _commands(model: Model) -> tuple[str, ...]:
    special = _special_tokens(model.tokenizer, len(model.tokenizer))
    if not model.sees:
        return special
    image_token = model.tokenizer.convert_ids_to_tokens(model.image_token_id)
    return (model.architecture.placeholder, image_token, *special)

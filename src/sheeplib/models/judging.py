"""A model as judge: which letter it writes, or which of the six letters it finds likeliest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from sheeplib.errors import InputError, Problem
from sheeplib.judge import parse_letter
from sheeplib.models import runs
from sheeplib.models.encoding import encode, token_counts
from sheeplib.models.generation import check, generate
from sheeplib.models.model import Model
from sheeplib.models.samples import Sample
from sheeplib.tables import Label

WAYS = ("letter", "greedy")
MAX_TOKENS = 4
LETTERS = tuple(str(label) for label in Label)


@dataclass(frozen=True)
class Verdict:
    """What a judge says of one item.

    Parameters
    ----------
    letter : str or None
        A to F; None if its answer names no label.
    answer : str or None
        What it wrote (`greedy`), or None.
    probabilities : tuple of float, or None
        Of the letters A to F among each other (`letter`): they add up to 1.
    mass : float or None
        Probability of all six letters together (`letter`): how far the judge wants to answer with a letter.
    """

    letter: str | None
    answer: str | None = None
    probabilities: tuple[float, ...] | None = None
    mass: float | None = None


def ask(
    model: Model,
    samples: Sequence[Sample],
    how: str = "letter",
    *,
    batch_size: int = 8,
    max_tokens: int = MAX_TOKENS,
    spaced: bool = True,
) -> list[Verdict]:
    """Ask a judge.

    Parameters
    ----------
    model : Model
    samples : sequence of sheeplib.models.Sample
        Their questions are the whole text that the judge reads, as `judge_prompt.judge_prompt` gives it;
        responses are not looked at.
    how : {"letter", "greedy"}
        `letter` compares the six letters as the next token and takes the likeliest, so that every answer is
        valid. `greedy` lets the judge write, always the likeliest token, and reads the letter out of it.
    batch_size : int
        Samples of like length that are read at once.
    max_tokens : int
        Most tokens written, for `greedy`.
    spaced : bool
        Whether a letter with a blank before it counts as the letter, for `letter`.

    Returns
    -------
    list of Verdict
        In the order of the samples.

    Raises
    ------
    InputError
        If the way is unknown, a sample cannot be asked, or a letter is no token of the model's.

    Source
    ------
    SHEEP, appendix B.2, asks for the letter alone. How it was decoded and read is inferred.
    """
    if how not in WAYS:
        raise InputError(Problem("unknown way to ask", f"Use one of {', '.join(WAYS)}", value=how))
    if how == "greedy":
        written = generate(
            model, samples, temperature=0, max_tokens=max_tokens, batch_size=batch_size, system="none"
        )
        return [Verdict(_text(parse_letter(answer.text)), answer.text) for answer in written]
    return _compared(model, samples, batch_size, letter_tokens(model, spaced))


def letter_tokens(model: Model, spaced: bool = True) -> dict[str, list[int]]:
    """The tokens that are a letter.

    Parameters
    ----------
    model : Model
    spaced : bool
        Take the letter with a blank before it as well, where that is a token of its own.

    Returns
    -------
    dict of str to list of int
        One token or two for each letter.

    Raises
    ------
    InputError
        If a letter is no token of the model's.
    """
    found = {letter: _single(model.tokenizer, letter, spaced) for letter in LETTERS}
    if unknown := [letter for letter, ids in found.items() if not ids]:
        what = f"{model.name} has no token for {', '.join(unknown)}"
        raise InputError(Problem(what, "Let it write instead (how='greedy'), or choose another judge"))
    return found


def _single(tokenizer: Any, letter: str, spaced: bool) -> list[int]:
    ids = {tokenizer.convert_tokens_to_ids(letter)}
    for form in (letter, f" {letter}") if spaced else ():
        tokens = tokenizer(form, add_special_tokens=False)["input_ids"]
        ids |= set(tokens) if len(tokens) == 1 else set()
    known = sorted(ids - {None, tokenizer.unk_token_id})
    return [token for token in known if tokenizer.decode([token]).strip() == letter]


def _compared(
    model: Model, samples: Sequence[Sample], batch_size: int, tokens: Mapping[str, Sequence[int]]
) -> list[Verdict]:
    runs.check_sizes(batch_size=batch_size)
    samples = [replace(sample, response="") for sample in samples]
    check(model, samples)
    lengths = token_counts(model, samples)
    order = sorted(range(len(samples)), key=lambda place: -lengths[place])  # what needs most memory first
    said: dict[int, Verdict] = {}
    for places in runs.blocks(order, batch_size):
        logits = _next(model, [samples[place] for place in places])
        said |= dict(zip(places, _verdicts(logits, tokens), strict=True))
    return [said[place] for place in range(len(samples))]


def _next(model: Model, samples: Sequence[Sample]) -> torch.Tensor:
    """Logits of the token after each prompt, shape (samples, vocabulary), in float32."""
    batch = encode(model, samples)
    runs.check_room(model, batch.items, batch.prompts, 1)
    inputs = batch.to(model.device).inputs
    if not hasattr(model.body, "get_rope_index"):  # Qwen counts in time, height and width by itself
        inputs["position_ids"] = (inputs["attention_mask"].cumsum(-1) - 1).clamp(min=0)  # padded on the left
    with torch.inference_mode():
        states = model.body(**inputs, use_cache=False).last_hidden_state[:, -1]
        logits = model.head(states).float().cpu()
    if not torch.isfinite(logits).all():
        remedy = "float16 overflows in some models: load it with dtype bfloat16 or float32"
        raise InputError(Problem("the network computes what is not a number, or infinite", remedy))
    return logits


def _verdicts(logits: torch.Tensor, tokens: Mapping[str, Sequence[int]]) -> list[Verdict]:
    """The likeliest letter, a letter's probability being that of all its forms together."""
    chances = torch.log_softmax(logits.double(), dim=-1)
    forms = torch.stack([chances[:, list(ids)].logsumexp(dim=-1) for ids in tokens.values()], dim=-1)
    mass = forms.logsumexp(dim=-1)
    shares = (forms - mass[:, None]).exp().tolist()
    best = forms.argmax(dim=-1).tolist()
    return [
        Verdict(LETTERS[place], None, tuple(row), whole)
        for place, row, whole in zip(best, shares, mass.exp().tolist(), strict=True)
    ]


def _text(label: Label | None) -> str | None:
    return None if label is None else str(label)

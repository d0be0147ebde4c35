"""A language model as reader for THRONE: yes or no to questions about a text, without any image."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from sheeplib.errors import InputError, Problem
from sheeplib.models import runs
from sheeplib.models.encoding import encode
from sheeplib.models.generation import check, generate
from sheeplib.models.model import Model
from sheeplib.models.prompts import token_counts
from sheeplib.models.samples import Sample

WAYS = ("compared", "written")
MAX_TOKENS = 16
_FORMS = {
    answer: (answer, f" {answer}", answer.capitalize(), f" {answer.capitalize()}") for answer in ("yes", "no")
}


def reader(
    model: Model, how: str = "compared", *, batch_size: int = 8, bias: float = 0.0
) -> Callable[[Sequence[str]], list[bool]]:
    """Make a reader of a model.

    Parameters
    ----------
    model : Model
        Any that has a chat template.
    how : {"compared", "written"}
        `written` lets the model answer, always the likeliest token, and takes for yes what begins with
        "yes": the released metric wants the whole answer to be "yes". `compared` asks whether "yes" or "no"
        is likelier as the next token, so that a small model cannot evade the question.
    batch_size : int
        Prompts of like length that are read at once.
    bias : float
        Log odds that a yes must exceed, with `compared`; small models lean to one of the answers.

    Returns
    -------
    callable
        From prompts to answers, as `sheeplib.mentions.throne` takes it.

    Raises
    ------
    InputError
        If the way is unknown; when it is called, also if a prompt does not fit.
    """
    if how not in WAYS:
        raise InputError(Problem("unknown way to answer", f"Use one of {', '.join(WAYS)}", value=how))
    runs.check_sizes(batch_size=batch_size)

    def answers(prompts: Sequence[str]) -> list[bool]:
        samples = [Sample(str(place), prompt) for place, prompt in enumerate(prompts)]
        if how == "written":
            said = generate(
                model, samples, temperature=0, max_tokens=MAX_TOKENS, batch_size=batch_size, system="none"
            )
            return [answer.text.strip().lower().startswith("yes") for answer in said]
        return [odds > bias for odds in log_odds(model, samples, batch_size)]

    return answers


def log_odds(model: Model, samples: Sequence[Sample], batch_size: int = 8) -> list[float]:
    """How much likelier "yes" is than "no" as the next token, in any case and with or without a blank before.

    Parameters
    ----------
    model : Model
    samples : sequence of Sample
        Their responses are not looked at.
    batch_size : int

    Returns
    -------
    list of float
        Natural logarithms of the odds, in the order of the samples.

    Raises
    ------
    InputError
        If a sample cannot be asked, or the model has no token for an answer.
    """
    check(model, samples)
    tokens = {answer: _tokens(model, forms) for answer, forms in _FORMS.items()}
    lengths = token_counts(model, samples)
    order = sorted(range(len(samples)), key=lambda place: -lengths[place])  # what needs most memory first
    odds: dict[int, float] = {}
    for places in runs.blocks(order, batch_size):
        batch = encode(model, [samples[place] for place in places])
        runs.check_room(model, batch.items, batch.prompts, 1)
        inputs = batch.to(model.device).inputs
        inputs["position_ids"] = (inputs["attention_mask"].cumsum(-1) - 1).clamp(min=0)  # padded on the left
        with torch.inference_mode():
            states = model.body(**inputs, use_cache=False).last_hidden_state[:, -1]
            logits = model.head(states).double().cpu()
        yes, no = (logits[:, tokens[answer]].logsumexp(dim=-1) for answer in ("yes", "no"))
        odds |= dict(zip(places, (yes - no).tolist(), strict=True))
    return [odds[place] for place in range(len(samples))]


def _tokens(model: Model, forms: Sequence[str]) -> list[int]:
    """Tokens that are the whole answer, in any of its forms."""
    encoded = [model.tokenizer(form, add_special_tokens=False)["input_ids"] for form in forms]
    found = sorted({ids[-1] for ids in encoded if len(ids) == 1})
    if not found:
        what = f"{model.name} has no token for '{forms[0]}'"
        raise InputError(Problem(what, "Let it write instead (how='written'), or choose another model"))
    return found

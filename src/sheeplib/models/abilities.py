"""What can be asked of a model beyond its logits, tried out before anybody relies on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sheeplib.errors import InputError, Problem
from sheeplib.models.model import Model

_TEXT = "Deux 🐑 à côté d'un 湖."  # one character of several tokens, and several bytes
_COUNT = 5  # tokens of a trial


def wanted(need: Iterable[str]) -> tuple[str, ...]:
    """The abilities asked for, sorted, each once.

    Raises
    ------
    InputError
        If one is unknown.
    """
    names = sorted({need} if isinstance(need, str) else set(need))
    if unknown := [name for name in names if name not in ABILITIES]:
        known = f"Known: {', '.join(ABILITIES)}"
        raise InputError([Problem("unknown need of a model", known, value=name) for name in unknown])
    return tuple(names)


def demand(model: Model, need: Iterable[str]) -> None:
    """Make sure that a model can do what is needed, by letting it do so once.

    Parameters
    ----------
    model : Model
        For `attentions`, its text decoder is switched to the slow kind of attention that shows them.
    need : iterable of str
        Keys of `ABILITIES`.

    Raises
    ------
    InputError
        Naming each need that is not met, and what to do.
    """
    problems: list[Problem] = []
    for name in wanted(need):
        try:
            ABILITIES[name](model)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)


def _attentions(model: Model) -> None:
    """Under the fast kinds of attention, transformers gives an empty tuple, and no error."""
    model.network.set_attn_implementation("eager")  # of the vision tower as well: it is asked too, and warns
    given = _trial(model, output_attentions=True).attentions or ()
    expected = sum(hasattr(layer, "self_attn") for layer in model.layers)
    whole = all(map_ is not None and map_.shape[-2:] == (_COUNT, _COUNT) for map_ in given)
    if len(given) != expected or not expected or not whole:
        what = f"{model.name} gives {len(given)} attention maps for {expected} layers that attend"
        remedy = "Install transformers>=5, or ask for statistics: extraction needs no maps"
        raise InputError(Problem(what, remedy, field="attentions"))


def _hidden_states(model: Model) -> None:
    given = _trial(model, output_hidden_states=True).hidden_states or ()
    if len(given) != model.depth + 1:
        what = f"{model.name} gives {len(given)} hidden states for {model.depth} layers and the embeddings"
        raise InputError(Problem(what, "Install transformers>=5", field="hidden_states"))


def _offsets(model: Model) -> None:
    try:
        given = model.tokenizer(_TEXT, add_special_tokens=False, return_offsets_mapping=True)
        reached = max(end for _, end in given["offset_mapping"])
    except Exception:  # slow tokenizers refuse, in several ways
        reached = None
    if reached != len(_TEXT):
        what = f"the tokenizer of {model.name} does not say which characters its tokens cover"
        remedy = "Its directory needs a tokenizer.json, from which a fast tokenizer is made"
        raise InputError(Problem(what, remedy, field="offsets"))


def _images(model: Model) -> None:
    from PIL import Image

    if not model.sees:
        raise InputError(Problem(f"{model.name} reads text alone", "Take a model that sees", field="images"))
    try:
        given = model.processor(
            text=[model.architecture.placeholder], images=[Image.new("RGB", (64, 48))], return_tensors="pt"
        )
        found = int((given["input_ids"] == model.image_token_id).sum())
    except Exception as error:  # whatever a processor does with files that are not its own
        what = f"the processor of {model.name} takes no image: {type(error).__name__}: {error}"
        raise InputError(Problem(what, "Fetch all of its files again", field="images")) from None
    if not found:
        what = f"no image tokens in what the processor of {model.name} makes of an image"
        raise InputError(Problem(what, "Its files are of another model, or not all here", field="images"))


def _chat(model: Model) -> None:
    if not model.prompt:
        what = f"{model.name} has no chat template, and no prompt of ours"
        remedy = "Its directory needs a chat_template.jinja; models that translate have none"
        raise InputError(Problem(what, remedy, field="chat"))


def _trial(model: Model, **output: bool) -> Any:
    """The text decoder on a few tokens."""
    import torch

    ids = torch.arange(1, _COUNT + 1, device=model.device)[None]
    with torch.no_grad():
        return model.decoder(input_ids=ids, use_cache=False, **output)


ABILITIES: Mapping[str, Callable[[Model], None]] = {
    "attentions": _attentions,
    "hidden_states": _hidden_states,
    "offsets": _offsets,
    "images": _images,
    "chat": _chat,
}
"""Needs by name; each is tried, and raises `InputError` if it is not met."""

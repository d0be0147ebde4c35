"""The numbers that can be read off one forward pass, and what each method takes of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Place = Literal["columns", "token", "item"]
BOTH = ("own", "gen")


@dataclass(frozen=True)
class Quantity:
    """One kind of number that extraction can give.

    Parameters
    ----------
    about : str
        What it is, with shape and unit.
    place : str
        `columns` of the table of tokens, an array with one row a `token`, or one row an `item`.
    rows : tuple of str
        Rows it may be read at, the default first; empty for what belongs to the item.
    layers : str
        Layers if none are named; empty for what has no layers.
    states : bool
        Whether layers count hidden states 0..L (0: embeddings) rather than decoder layers 0..L-1.
    variants : tuple of str
        The default first.
    gives : tuple of str
        Names of the columns, or of the arrays where one need gives several.
    reads : str
        Where it comes from: `logits`, `states` or `attention`.
    shape : tuple of int
        Of what one layer and head gives; empty for a number.
    vector : bool
        Whether it is a hidden state instead.
    sees : bool
        Whether it takes a model that sees.
    kept : bool
        Whether only kept tokens have a row.
    """

    about: str
    place: Place
    reads: Literal["logits", "states", "attention"]
    rows: tuple[str, ...] = ()
    layers: str = ""
    states: bool = False
    variants: tuple[str, ...] = ("",)
    gives: tuple[str, ...] = ()
    shape: tuple[int, ...] = ()
    vector: bool = False
    sees: bool = False
    kept: bool = False


def _logits(about: str, *gives: str, variants: tuple[str, ...] = ("",)) -> Quantity:
    return Quantity(about, "columns", "logits", ("gen",), gives=gives, variants=variants)


def _states(about: str, place: Place, rows: tuple[str, ...] = (), layers: str = "", **more: Any) -> Quantity:
    return Quantity(about, place, "states", rows, layers, states=True, **more)


def _attention(about: str, row: str, layers: str = "all", heads: bool = False, **more: Any) -> Quantity:
    rows = (row, "own" if row == "gen" else "gen")
    return Quantity(
        about, "token", "attention", rows, layers, variants=("", "heads") if heads else ("",), **more
    )


def _grounded(about: str, *rows: str, layers: str = "", **more: Any) -> Quantity:
    return _states(about, "token", rows, layers, sees=True, kept=True, **more)


PROBABILITIES = ("max_prob", "target_prob", "token_nll", "entropy", "top_token", "target_token")
EVIDENCE = ("evidence_positive", "evidence_negative", "conflict", "ignorance")
CANONICAL = ("canonical_conflict", "canonical_log_agreement", "canonical_log_ignorance")

QUANTITIES: Mapping[str, Quantity] = {
    "gen_logits": _logits(
        "probabilities, NLL and entropy (nats) of the prediction, its likeliest token and the real one",
        *PROBABILITIES,
    ),
    "evidence": _logits("evidential uncertainty (EUQ)", *EVIDENCE, variants=("repo", "canonical")),
    "lens": Quantity(
        "logit lens: entropy (nats) and likeliest token of each layer 1..L",
        "token",
        "states",
        ("gen",),
        "all",
        states=True,
        gives=("lens_entropy", "lens_token"),
    ),
    "hidden": _states("hidden state (D)", "token", BOTH, "mid", vector=True),
    "hidden_norms": _states("L2 norms of the hidden states 0..L", "token", BOTH, "all"),
    "layer_cosine": _states("cosine of an early and a late state", "columns", BOTH, gives=("layer_cosine",)),
    "prompt_state": _states("hidden state (D) at the last prompt token", "item", layers="3/4", vector=True),
    "image_state": _states(
        "hidden state (D) at the last image token", "item", layers="1/2", vector=True, sees=True
    ),
    "image_mean": _states("mean image token (D) as it enters the decoder", "item", vector=True, sees=True),
    "attention_masses": _attention(
        "first, image, instruction, response, self", "gen", heads=True, shape=(5,)
    ),
    "attention_entropy": _attention("entropy (nats) of the head mean, or of each head", "own", heads=True),
    "attention_max": _attention("largest weight of the head mean", "own"),
    "attention_gini": _attention("|1/n - Gini| of the head mean over n visible keys", "own", "last3"),
    "visible_keys": _attention("number of keys that the row may attend to", "own"),
    "image_attention": _attention(
        "map over the image, 12 x 12", "gen", heads=True, shape=(144,), sees=True, kept=True
    ),
    "image_peak": _attention("mean over image tokens of the largest head", "gen", sees=True),
    "text_mean": _attention("mean attention to a text token up to the row itself", "gen"),
    "internal_confidence": _grounded(
        "highest probability of the mention's word at any image token, in any layer, among the likeliest 50",
        "own",
        variants=("repo", "normed"),
    ),
    "glsim": _grounded(
        "cosine with the prompt's last state; with the 32 likeliest image tokens; with one in 18 of them",
        "gen",
        variants=("repo", "paper"),
        shape=(3,),
    ),
    "contextual_lens": _grounded(
        "cosine of the mention's mean state with the nearest image token", *BOTH, layers="mid"
    ),
}

_HALP = ("0", "1/4", "1/2", "3/4", "last-1")  # state 0 of the last prompt token is the same for all items

METHODS: Mapping[str, tuple[str, ...]] = {
    "hallushift": (
        "gen_logits@gen",
        "hidden_norms@own",
        "layer_cosine@own",
        "attention_entropy@own",
        "attention_gini:last3@own",
        "visible_keys@own",  # the mean attention to a visible key is one over this number
    ),
    "euq": ("evidence:repo@gen", "evidence:canonical@gen"),
    "lookback": ("attention_masses:heads@gen", "visible_keys@gen"),  # means per key need the counts
    "hidden": ("hidden:mid@own", "hidden:last@own"),
    "dhcp": ("image_attention:heads@gen",),
    "halp": (
        *(f"{name}:{layers}" for name in ("prompt_state", "image_state") for layers in _HALP),
        "image_mean",
    ),
    "svar": ("attention_masses@gen",),
    "vade": ("attention_masses@gen",),
    "pas": ("attention_masses:0@own",),
    "nll": ("gen_logits@gen",),
    "entropy": ("gen_logits@gen",),
    "internal_confidence": ("internal_confidence:repo@own",),
    "glsim": ("glsim:repo@gen",),
    "contextual_lens": ("contextual_lens:mid@own",),
    "overthinking": ("lens@gen", "image_peak@gen", "text_mean@gen"),
}

"""What is to be read off a forward pass, in one line of text each.

A need is written `quantity[:variant][:layers][@row]`, such as `hidden_norms@own`,
`attention_masses:heads@gen`, `hidden:3/4@gen`, `attention_gini:last3@own` or `image_mean`.

Which row of the network a number is read at is part of its name (see NAME-Bench and SHEEP: the
released detectors differ). For the response token at position p,

- `gen` is row p-1, whose logits predict the token (the last prompt token for the first one);
- `own` is row p, where the token itself is the input.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from sheeplib.errors import InputError, Problem
from sheeplib.features.quantities import CANONICAL, METHODS, QUANTITIES, Quantity

__all__ = ["METHODS", "QUANTITIES", "Need", "parse"]

_LAYERS = re.compile(
    r"(?P<all>all)|(?P<mid>mid)|last(-(?P<before>\d+)|(?P<tail>[1-9]\d*))?"
    r"|(?P<first>\d+)-(?P<final>\d+)|(?P<top>\d+)/(?P<bottom>[1-9]\d*)|(?P<one>\d+)"
)


@dataclass(frozen=True, order=True)
class Need:
    """One quantity, at named layers and a named row.

    Parameters
    ----------
    quantity : str
        One of `QUANTITIES`.
    layers : str
        `all`, `mid`, `last`, `last-1` (the one before), `last3` (the last three), `5`, `5-18`
        (inclusive) or a share of the depth such as `3/4`; empty where there are no layers.
    row : str
        `gen` or `own`; empty for what belongs to the item.
    variant : str
        Such as `heads` (each attention head) or `canonical`.
    """

    quantity: str
    layers: str = ""
    row: str = ""
    variant: str = ""

    def __str__(self) -> str:
        layers = "" if self.layers == self.about.layers == "all" else self.layers
        parts = [self.quantity, self.variant, layers]
        return ":".join(part for part in parts if part) + (f"@{self.row}" if self.row else "")

    @property
    def about(self) -> Quantity:
        """What is known of the quantity."""
        return QUANTITIES[self.quantity]

    @property
    def plural(self) -> bool:
        """Whether the layers are a list, and so an axis of the array: `all`, `last3`, `5-18`."""
        match = _LAYERS.fullmatch(self.layers)
        return bool(match and (match["all"] or match["tail"] or match["final"]))

    @property
    def large(self) -> bool:
        """Whether its rows are wide (vectors, maps, numbers of each head): given for kept tokens only."""
        wide = self.about.vector or self.about.kept or self.variant == "heads"
        return wide and self.about.place == "token"

    @property
    def arrays(self) -> tuple[str, ...]:
        """Names of the arrays it gives; none for columns."""
        if self.about.place == "columns":
            return ()
        text = str(self)
        return tuple(name + text.removeprefix(self.quantity) for name in self.about.gives) or (text,)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns it gives in the table of tokens."""
        if self.about.place != "columns":
            return ()
        return CANONICAL if self.variant == "canonical" else self.about.gives

    def shape(self, depth: int, width: int, heads: int) -> tuple[int, ...]:
        """What follows the first axis of its columns or arrays.

        Parameters
        ----------
        depth, width, heads : int
            Decoder layers L, size of a hidden state D, query heads H.
        """
        layers = (len(self.indices(depth)),) if self.plural else ()
        each = (heads,) if self.variant == "heads" else ()
        return layers + each + ((width,) if self.about.vector else self.about.shape)

    def indices(self, depth: int) -> tuple[int, ...]:
        """The layers as numbers, for a decoder of `depth` layers.

        Hidden states count from 0 (embeddings) to L (after the final norm), the layers of `lens`
        from 1 to L, those of attention from 0 to L-1. A share f of the depth is floor(f L), at
        most the last; `mid` is 1/2; `last3` gives fewer where there are fewer.

        Raises
        ------
        InputError
            If the decoder has no such layer.
        """
        match = _LAYERS.fullmatch(self.layers)
        if match is None:
            return ()
        start = 1 if self.quantity == "lens" else 0
        last = depth if self.about.states else depth - 1
        if match["all"]:
            return tuple(range(start, last + 1))
        if match["tail"]:
            return tuple(range(max(start, last + 1 - int(match["tail"])), last + 1))
        if match["final"]:
            chosen = tuple(range(int(match["first"]), int(match["final"]) + 1))
        elif match["mid"]:
            chosen = (max(start, min(depth // 2, last)),)
        elif match["bottom"]:
            share = depth * int(match["top"]) // int(match["bottom"])
            chosen = (max(start, min(share, last)) if share <= depth else share,)
        else:
            chosen = (int(match["one"]) if match["one"] else last - int(match["before"] or 0),)
        if not chosen or chosen[0] < start or chosen[-1] > last:
            remedy = f"This decoder has {start} to {last}"
            raise InputError(Problem(f"need '{self}': no such layer", remedy, value=self.layers))
        return chosen


def parse(needs: Iterable[str] | str) -> tuple[Need, ...]:
    """Read needs, or names of methods, which stand for all that the method needs.

    Where a name is both (`hidden`, `entropy`), the bare name is the method.

    Parameters
    ----------
    needs : iterable of str

    Returns
    -------
    tuple of Need
        Sorted, each once, with every default filled in.

    Raises
    ------
    InputError
        If a quantity, variant, layer or row is not known, with the known ones; if the same
        column is wanted at two rows.
    """
    texts = [needs] if isinstance(needs, str) else list(needs)
    found = {_need(text) for given in texts for text in METHODS.get(given, (given,))}
    taken: dict[str, Need] = {}
    for need in sorted(found):
        for column in need.columns:
            if (other := taken.setdefault(column, need)) != need:
                what = f"'{other}' and '{need}' give the same column"
                raise InputError(Problem(what, "Extract them apart"))
    return tuple(sorted(found))


def _need(text: str) -> Need:
    head, at, row = text.strip().partition("@")
    quantity, *options = head.split(":")
    if quantity not in QUANTITIES:
        raise InputError(_unknown(text, quantity))
    about = QUANTITIES[quantity]
    variant = options.pop(0) if options and options[0] in about.variants and options[0] else about.variants[0]
    layers = options.pop(0) if options and about.layers and _LAYERS.fullmatch(options[0]) else about.layers
    if options:
        allowed = [name for name in about.variants if name]
        allowed += ["all, mid, last, last-1, last3, 5, 5-18, 3/4"] if about.layers else []
        remedy = f"'{quantity}' takes: {', '.join(allowed) or 'nothing'}"
        raise InputError(Problem(f"need '{text}': unknown part", remedy, value=options[0]))
    if at and row not in about.rows:
        remedy = f"'{quantity}' is read at: {', '.join(about.rows) or 'the item, not at a token'}"
        raise InputError(Problem(f"need '{text}': wrong row", remedy, value=row))
    return Need(quantity, layers, row or (about.rows[0] if about.rows else ""), variant)


def _unknown(text: str, quantity: str) -> Problem:
    known = [*QUANTITIES, *(name for name in METHODS if name not in QUANTITIES)]
    near = difflib.get_close_matches(quantity, known, n=1)
    meant = f"Did you mean '{near[0]}'? " if near else ""
    return Problem(f"unknown need '{text}'", f"{meant}Known: {', '.join(known)}", value=quantity)

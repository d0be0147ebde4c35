"""What the image tokens know of a mention: three quantities of which detectors are made.

A mention is what is kept: neighbouring kept tokens of an answer are one. Where all tokens are kept, each
is one by itself. All loops go over samples and layers; of an image's logits a few rows exist at a time.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import torch

from sheeplib.features import outputs
from sheeplib.features.needs import Need
from sheeplib.features.places import Places
from sheeplib.features.words import forms
from sheeplib.models.encoding import IMAGE, Batch
from sheeplib.models.model import Model

GROUNDED = ("internal_confidence", "glsim", "contextual_lens")
TOP = 50  # logits that share the probability of `internal_confidence`
NEAREST = 32  # image tokens of GLSim's local part
PART = 18  # or one in so many: 32 of the 576 image tokens of LLaVA-1.5


class Grounding:
    """Reads hidden states layer by layer and keeps a number or three for each kept token.

    Parameters
    ----------
    model : Model
    batch : Batch
        On the network's device.
    places : Places
    """

    def __init__(self, model: Model, batch: Batch, places: Places) -> None:
        self.model, self.places = model, places
        self._image = batch.groups == IMAGE
        self._ids = places.pick(batch.inputs["input_ids"], "own", kept=True)
        self._sample = places.sample[places.kept]
        self._mention = places.mentions()
        self._rows = [(self._sample == index).nonzero()[:, 0] for index in range(len(places.ends))]
        self._candidates: list[torch.Tensor] | None = None
        self._found: dict[Need, dict[int, torch.Tensor]] = {}
        self._before: tuple[torch.Tensor, torch.Tensor] | None = None

    def indices(self, need: Need) -> tuple[int, ...]:
        """Hidden states that a need reads."""
        depth = self.model.depth
        if need.quantity == "internal_confidence":
            return tuple(range(depth + 1))
        return (depth - 1, depth) if need.quantity == "glsim" else need.indices(depth)

    def read(self, need: Need, index: int, states: torch.Tensor) -> None:
        """Reduce hidden state `index` (B, S, D)."""
        found = self._found.setdefault(need, {})
        match need.quantity:
            case "internal_confidence":
                lensed = need.variant == "normed" and index < self.model.depth
                now = self._confidence(states, lensed)
                found[0] = torch.maximum(found[0], now) if found else now
            case "glsim" if index < self.model.depth:
                self._before = self._prompt(states), self.places.pick(states, "gen", kept=True).float()
            case "glsim":
                found[0] = self._similarity(states, need.variant)
            case "contextual_lens":
                found[index] = self._contextual(states, need.row)

    def array(self, need: Need) -> torch.Tensor:
        """What was kept: (k, ...), a row for each kept token."""
        found = [self._found[need][index] for index in sorted(self._found[need])]
        return torch.stack(found, 1) if need.plural else found[0]

    def _prompt(self, states: torch.Tensor) -> torch.Tensor:
        """The last prompt token's state, for each kept token (k, D)."""
        return states[self._sample, self.places.ends[self._sample]].float()

    def _confidence(self, states: torch.Tensor, lensed: bool) -> torch.Tensor:
        """Highest probability of a form of each mention at any image token (k,)."""
        found = torch.zeros(len(self._sample), device=states.device)
        for index, rows in enumerate(self._rows):
            if not len(rows):
                continue
            image = states[index, self._image[index]]
            image = self.model.decoder.norm(image) if lensed else image
            ids, back = torch.unique(torch.cat([self.candidates[row] for row in rows]), return_inverse=True)
            best = highest(self.model, image, ids)
            sizes = [len(self.candidates[row]) for row in rows]
            found[rows] = torch.stack([part.max() for part in best[back].split(sizes)])
        return found

    @property
    def candidates(self) -> list[torch.Tensor]:
        """Ids of the forms of the mention that each kept token is part of."""
        if self._candidates is None:
            tokenizer, mentions = self.model.tokenizer, self._mention.tolist()
            tokens: dict[int, list[int]] = {}
            for mention, token in zip(mentions, self._ids.tolist(), strict=True):
                tokens.setdefault(mention, []).append(token)
            ids = {
                mention: torch.tensor(_form_ids(tokenizer, tuple(some)), device=self._ids.device)
                for mention, some in tokens.items()
            }
            self._candidates = [ids[mention] for mention in mentions]
        return self._candidates

    def _similarity(self, states: torch.Tensor, variant: str) -> torch.Tensor:
        """GLSim's global part, and its local one over two numbers of image tokens (k, 3)."""
        assert self._before is not None  # the hooks run in the order of layers
        prompt, objects = self._before
        if variant == "repo":
            whole = torch.cosine_similarity(prompt, self.places.pick(states, "gen", kept=True).float())
        else:
            whole = torch.cosine_similarity(self._prompt(states), objects)
        found = torch.zeros(len(self._sample), 2, device=states.device)
        for index, rows in enumerate(self._rows):
            if not len(rows):
                continue
            image = states[index, self._image[index]]
            order = likelihoods(self.model, image, self._ids[rows]).argsort(0, descending=True)  # (N, k)
            near = _cosines(image, objects[rows]).gather(0, order)
            counts = NEAREST, max(1, round(len(image) / PART))
            found[rows] = torch.stack([near[:count].mean(0) for count in counts], 1)
        return torch.column_stack([whole, found])

    def _contextual(self, states: torch.Tensor, row: str) -> torch.Tensor:
        """Cosine of each mention's mean state and the image token that is nearest to it (k,)."""
        own = self.places.pick(states, row, kept=True).float()
        sums = own.new_zeros(own.shape).index_add_(0, self._mention, own)
        means = (sums / self._mention.bincount(minlength=len(own)).clamp(min=1)[:, None])[self._mention]
        found = torch.zeros(len(own), device=states.device)
        for index, rows in enumerate(self._rows):
            if len(rows):
                found[rows] = _cosines(states[index, self._image[index]], means[rows]).amax(0)
        return found


def highest(model: Model, states: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
    """Highest probability of tokens over rows, where the `TOP` likeliest of each row share all of it.

    Parameters
    ----------
    model : Model
    states : Tensor (N, D)
    ids : LongTensor (c,)

    Returns
    -------
    Tensor (c,)
        0 for a token that is nowhere among the likeliest.

    Source
    ------
    Internal Confidence (arXiv 2410.02762), as released.
    """
    found = torch.zeros(len(ids), device=states.device)
    for some in states.split(outputs.rows_at_once(model)):
        logits = outputs.capped(model, model.head(some).float())
        top = logits.topk(min(TOP, logits.shape[1]), dim=1).values
        here = logits[:, ids]
        shares = (here - top.logsumexp(1, keepdim=True)).exp().where(here >= top[:, -1:], 0)
        found = torch.maximum(found, shares.amax(0))
    return found


def likelihoods(model: Model, states: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
    """Logarithms of the probabilities (N, c) of tokens, from last states (N, D)."""
    found = []
    for some in states.split(outputs.rows_at_once(model)):
        logits = outputs.capped(model, model.head(some).float())
        found.append(logits[:, ids] - logits.logsumexp(1, keepdim=True))
    return torch.cat(found)


def _cosines(image: torch.Tensor, objects: torch.Tensor) -> torch.Tensor:
    """Cosines (N, k) of states (N, D) and (k, D)."""
    unit = torch.nn.functional.normalize
    return unit(image.float(), dim=1) @ unit(objects, dim=1).T


@lru_cache(maxsize=4096)
def _form_ids(tokenizer: Any, tokens: tuple[int, ...]) -> tuple[int, ...]:
    """Ids of a mention's forms as they stand within a sentence; its own where it has no letters."""
    found = set()
    for form in forms(tokenizer.decode(list(tokens))):
        encoded = tokenizer("a " + form, add_special_tokens=False, return_offsets_mapping=True)
        places = zip(encoded["input_ids"], encoded["offset_mapping"], strict=True)
        found |= {token for token, (_, end) in places if end > 2}
    return tuple(sorted(found or tokens))

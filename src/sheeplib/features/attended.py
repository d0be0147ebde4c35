"""What is kept of the attention of one batch."""

from __future__ import annotations

from collections.abc import Iterable

import torch

from sheeplib.errors import InputError, Problem
from sheeplib.features import reductions
from sheeplib.features.attention import Block
from sheeplib.features.needs import Need
from sheeplib.features.places import Places
from sheeplib.models.encoding import FIRST, IMAGE, INSTRUCTION, RESPONSE, Batch
from sheeplib.models.model import Model

TOLERANCE = 1e-3  # how far the masses of a row may be from 1 in sum
_RAW = ("image_peak", "visible_keys")  # quantities that take no mean over heads
_TEXT = [0, 2, 3]  # of the four groups of keys


class Attended:
    """Reads blocks of attention weights and keeps what the needs ask for.

    Parameters
    ----------
    model : Model
    needs : iterable of Need
        Those that do not read attention are passed over.
    batch : Batch
        On the network's device.
    places : Places

    Raises
    ------
    InputError
        If a layer that is asked for has no attention.
    """

    def __init__(self, model: Model, needs: Iterable[Need], batch: Batch, places: Places) -> None:
        self.needs = [need for need in needs if need.about.reads == "attention"]
        self.batch, self.places, self.depth = batch, places, model.depth
        self._kinds: dict[tuple[str, str], set[int]] = {}  # quantity and variant -> layers
        for need in self.needs:
            self._kinds.setdefault((need.quantity, need.variant), set()).update(need.indices(self.depth))
        for layer in set().union(*self._kinds.values()):
            if not hasattr(model.layers[layer], "self_attn"):
                what = f"model '{model.name}': layer {layer} has no attention"
                raise InputError(Problem(what, "Name the layers that attend, such as attention_max:3@own"))
        kinds = torch.tensor([FIRST, IMAGE, INSTRUCTION, RESPONSE], device=batch.groups.device)
        self._members = (batch.groups[..., None] == kinds).float()  # (B, S, 4)
        self._mapped = places.rows_of_kept({n.row for n in self.needs if n.quantity == "image_attention"})
        self._shapes = image_shapes(model, batch)
        self._found: dict[tuple[str, str, int], list[torch.Tensor]] = {}
        self._maps: dict[tuple[str, int], list[list[torch.Tensor]]] = {}

    def wants(self, layer: int) -> bool:
        """Whether any need reads this layer."""
        return any(layer in layers for layers in self._kinds.values())

    def read(self, block: Block) -> None:
        """Reduce one block of weights."""
        kinds = [kind for kind, layers in self._kinds.items() if block.layer in layers]
        averaged = any(not variant and quantity not in _RAW for quantity, variant in kinds)
        mean = block.weights.mean(1) if averaged else block.weights
        for quantity, variant in kinds:
            weights = block.weights if variant or quantity in _RAW else mean
            if quantity == "image_attention":
                self._maps.setdefault((variant, block.layer), []).append(self._mapping(weights, block))
                continue
            numbers = self._reduced(quantity, weights, block)
            numbers = numbers.transpose(1, 2) if variant else numbers  # rows before heads
            self._found.setdefault((quantity, variant, block.layer), []).append(numbers)

    def _reduced(self, quantity: str, weights: torch.Tensor, block: Block) -> torch.Tensor:
        match quantity:
            case "attention_masses":
                return reductions.masses(weights, block.rows, self._members)
            case "attention_entropy":
                return reductions.entropy(weights)
            case "attention_max":
                return weights.amax(-1)
            case "attention_gini":
                return reductions.gini(weights, block.visible)
            case "image_peak":
                return reductions.image_peak(weights, self._members[..., 1])
            case "text_mean":
                return reductions.text_mean(weights, block.rows, self._members[..., _TEXT].sum(-1))
        return block.visible.sum(-1, dtype=torch.int32).expand(len(self._members), -1)  # visible_keys

    def _mapping(self, weights: torch.Tensor, block: Block) -> list[torch.Tensor]:
        """For each sample the pooled maps (n, ..., 144) of those rows that are wanted."""
        wanted = self._mapped[:, block.rows - self.places.start]
        maps = []
        for sample, shape in enumerate(self._shapes):
            rows = weights[sample].movedim(-2, 0)[wanted[sample]]
            maps.append(reductions.pooled(rows[..., self._members[sample, :, 1].bool()], shape))
        return maps

    def arrays(self) -> dict[str, torch.Tensor]:
        """The arrays of the needs, by name: (N, ...) for the tokens, or the kept ones of wide needs.

        Raises
        ------
        InputError
            If the masses of a token do not add up to 1.
        """
        found = {}
        for need in self.needs:
            layers = [self._layer(need, layer) for layer in need.indices(self.depth)]
            found[str(need)] = torch.stack(layers, 1) if need.plural else layers[0]
            if need.quantity == "attention_masses":
                self._check(need, found[str(need)].sum(-1))
        return found

    def _layer(self, need: Need, layer: int) -> torch.Tensor:
        if need.quantity != "image_attention":
            rows = torch.cat(self._found[need.quantity, need.variant, layer], 1)
            return self.places.pick(rows, need.row, need.large)
        blocks = self._maps[need.variant, layer]
        maps = torch.cat([block[sample] for sample in range(len(self._shapes)) for block in blocks])
        place = self._mapped.flatten().cumsum(0).view_as(self._mapped) - 1  # in `maps`
        return maps[self.places.pick(place, need.row, kept=True)]

    def _check(self, need: Need, sums: torch.Tensor) -> None:
        sound = (sums[..., None] - 1).abs() < TOLERANCE  # NaN is not
        wrong = ~sound.flatten(1).all(1)
        if wrong.any():
            what = (
                f"item {self.places.item(self.batch, wrong, need.large)}: attention masses do not add up to 1"
            )
            raise InputError(
                Problem(what, "The network gives no sound attention here; try float32", field=str(need))
            )


def image_shapes(model: Model, batch: Batch) -> list[tuple[int, int] | None]:
    """Rows and columns of each sample's image tokens; None where they form no one grid.

    Qwen says the shape in `image_grid_thw`. An image that is neither cut into tiles nor interrupted
    by line breaks is square, whatever the other images of the batch are.
    """
    counts = (batch.groups == IMAGE).sum(1).tolist()
    if "image_grid_thw" in batch.inputs:
        merge = getattr(model.network.config.vision_config, "spatial_merge_size", 1)
        grids = (batch.inputs["image_grid_thw"][:, 1:] // merge).tolist()
        return [
            (high, wide) if high * wide == n else None for (high, wide), n in zip(grids, counts, strict=True)
        ]
    pixels = batch.inputs.get("pixel_values")
    if pixels is None or "image_sizes" in batch.inputs:
        return [None] * len(counts)
    tile = sum(counts) / len(pixels)  # tokens of one
    sides = [round(n**0.5) for n in counts]
    return [(s, s) if s * s == n == tile > 0 else None for s, n in zip(sides, counts, strict=True)]

"""What is kept of the hidden states of one batch, read by hooks while the network runs.

Hidden states are numbered as transformers returns them: 0 is what enters the first decoder layer, l
what layer l gives, and L what the network gives, which is the last layer's output after the final norm.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from sheeplib.errors import InputError, Problem
from sheeplib.features import outputs
from sheeplib.features.grounding import GROUNDED, Grounding
from sheeplib.features.needs import Need
from sheeplib.features.places import Places
from sheeplib.models.encoding import IMAGE, Batch
from sheeplib.models.model import Model

EARLY = 5  # hidden state that `layer_cosine` compares with the last but two


def cosine_layers(depth: int) -> tuple[int, int]:
    """Early and late hidden state of `layer_cosine`: 5 and L-2, lower in decoders too shallow for both.

    Source
    ------
    SHEEP, appendix C.3, `layer_consistency`, by the intent of the released code.
    """
    late = max(depth - 2, 1)
    return min(EARLY, late - 1), late


class States:
    """Reads hidden states layer by layer and keeps what the needs ask for.

    Parameters
    ----------
    model : Model
    needs : iterable of Need
        Those that do not read states are passed over.
    batch : Batch
        On the network's device.
    places : Places
    """

    def __init__(self, model: Model, needs: Iterable[Need], batch: Batch, places: Places) -> None:
        self.needs = [need for need in needs if need.about.reads == "states"]
        self.model, self.places, self.depth = model, places, model.depth
        self.seen: dict[int, int] = {}
        grounded = any(need.quantity in GROUNDED for need in self.needs)
        self._grounding = Grounding(model, batch, places) if grounded else None
        self._indices = {need: self._indices_of(need) for need in self.needs}
        self._image = batch.groups == IMAGE
        self._found: dict[tuple[str, int], torch.Tensor] = {}

    def _indices_of(self, need: Need) -> tuple[int, ...]:
        if need.quantity == "layer_cosine":
            return cosine_layers(self.depth)
        if self._grounding is not None and need.quantity in GROUNDED:
            return self._grounding.indices(need)
        return (0,) if need.quantity == "image_mean" else need.indices(self.depth)

    @contextmanager
    def recorded(self) -> Iterator[None]:
        """Read states 0..L-1 of one forward pass; the last is given to `read` by the caller.

        The hooks are gone on leaving, whatever happened.

        Raises
        ------
        InputError
            If a layer that is asked for was not run exactly once.
        """
        wanted = {index for indices in self._indices.values() for index in indices} - {self.depth}
        handles: list[Any] = []
        try:
            for index in sorted(wanted):
                handles.append(self._hook(index))
            yield
        finally:
            for handle in handles:
                handle.remove()
        wrong = [index for index in sorted(wanted) if self.seen.get(index) != 1]
        if wrong:
            what = f"model '{self.model.name}': hidden states {wrong} were not read exactly once"
            raise InputError(Problem(what, "Its decoder does not run its layers one by one"))

    def _hook(self, index: int) -> Any:
        if index == 0:
            return self.model.layers[0].register_forward_pre_hook(
                lambda module, args, kwargs: self.read(0, args[0] if args else kwargs["hidden_states"]),
                with_kwargs=True,
            )
        return self.model.layers[index - 1].register_forward_hook(
            lambda module, args, output: self.read(index, output[0] if isinstance(output, tuple) else output)
        )

    def read(self, index: int, states: torch.Tensor) -> None:
        """Reduce hidden state `index` (B, S, D)."""
        self.seen[index] = self.seen.get(index, 0) + 1
        for need, indices in self._indices.items():
            if index in indices:
                self._keep(need, index, states)

    def _keep(self, need: Need, index: int, states: torch.Tensor) -> None:
        name, found, places = str(need), self._found, self.places
        if self._grounding is not None and need.quantity in GROUNDED:
            self._grounding.read(need, index, states)
            return
        match need.quantity:
            case "hidden":
                found[name, index] = places.pick(states, need.row, kept=True)
            case "hidden_norms":
                window = states[:, places.start :]
                norms = torch.linalg.vector_norm(window, dim=-1, dtype=torch.float32)
                found[name, index] = places.pick(norms, need.row)
            case "layer_cosine":
                found[name, index] = places.pick(states, need.row)
            case "lens":
                rows = places.pick(states, need.row)
                names = need.arrays
                numbers = outputs.lens(self.model, rows, normed=index == self.depth)
                for array, values in zip(names, numbers, strict=True):
                    found[array, index] = values
            case "prompt_state":
                found[name, index] = states[self._samples(), places.ends]
            case "image_state":
                last = states.shape[1] - 1 - self._image.flip(1).int().argmax(1)
                found[name, index] = states[self._samples(), last]
            case "image_mean":
                share = self._image.float() / self._image.sum(1, keepdim=True)
                found[name, index] = (share[:, None] @ states.float())[:, 0]

    def _samples(self) -> torch.Tensor:
        return torch.arange(len(self.places.ends), device=self.places.ends.device)

    def arrays(self) -> dict[str, torch.Tensor]:
        """The arrays and columns of the needs, by name.

        Tokens (N, ...), or kept tokens of wide needs, or samples (B, ...).
        """
        found = {}
        for need, indices in self._indices.items():
            if need.quantity == "layer_cosine":
                early, late = (self._found[str(need), index].float() for index in indices)
                found["layer_cosine"] = torch.cosine_similarity(early, late, dim=-1)
                continue
            if self._grounding is not None and need.quantity in GROUNDED:
                found[str(need)] = self._grounding.array(need)
                continue
            for name in need.arrays:
                layers = [self._found[name, index] for index in indices]
                found[name] = torch.stack(layers, 1) if need.plural else layers[0]
        return found

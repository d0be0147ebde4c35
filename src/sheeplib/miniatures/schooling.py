"""How a miniature learns to speak about what its tower sees: words for patches first, then lessons.

The order matters. A decoder that is taught answers alone ignores the image for as long as it trains,
so the projector and the word embeddings first learn to name every patch, in the embedding space
itself; then drills make the decoder look; then come the lessons.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from sheeplib.miniatures.lessons import NOTHING, Batch

RATE = 2e-3
NAMING, NAMED = 500, 48  # steps of naming patches, pictures of a step
BESIDE = 0.1  # weight of naming beside lessons
CONTENT = 1.5  # weight of a word that names a concept: most other words follow from the ones before
Log = Callable[[str], None]


class Naming:
    """The exercise of naming patches: words of a concept score high where a patch shows it.

    Parameters
    ----------
    seen : ndarray of float16, (scenes, 36, tower width)
        What the tower makes of each picture.
    targets : ndarray of bool, (scenes, 36, concepts)
    words : mapping of int to ndarray of int
        Token ids that say a concept, in any language and form; concepts without words are not named.
    rng : numpy.random.Generator
        Draws, for each concept and step, one of its words.
    """

    def __init__(
        self,
        seen: np.ndarray,
        targets: np.ndarray,
        words: Mapping[int, np.ndarray],
        rng: np.random.Generator,
    ) -> None:
        self.seen, self.targets, self.words, self.rng = seen, targets, words, rng
        self.concepts = np.array(sorted(words))
        self.offset = nn.Parameter(torch.full((len(self.concepts),), -3.0))
        self.gain = nn.Parameter(torch.tensor(1.0))

    def loss(self, network: Any, scenes: np.ndarray) -> Tensor:
        """Binary cross-entropy, summed over concepts, of the patches of some scenes."""
        spoken = np.array([self.rng.choice(self.words[concept]) for concept in self.concepts])
        table = network.get_input_embeddings()(torch.from_numpy(spoken))
        states = network.model.multi_modal_projector(torch.from_numpy(self.seen[scenes]).float())
        scores = self.gain * states @ table.T + self.offset
        wanted = torch.from_numpy(self.targets[scenes][:, :, self.concepts]).float()
        return functional.binary_cross_entropy_with_logits(scores, wanted, reduction="none").sum(-1).mean()


def name_patches(network: Any, naming: Naming, log: Log, steps: int = NAMING) -> None:
    """Teach projector and word embeddings to say what each patch shows.

    Parameters
    ----------
    network : LlavaForConditionalGeneration
    naming : Naming
    log : callable
    steps : int
    """
    weights = [
        *network.model.multi_modal_projector.parameters(),
        *network.get_input_embeddings().parameters(),
    ]
    optimiser, schedule = optimise([*weights, naming.offset, naming.gain], steps)
    for step in range(steps):
        loss = naming.loss(network, naming.rng.integers(len(naming.seen), size=NAMED))
        step_with(loss, optimiser, schedule)
        if (step + 1) % 100 == 0:
            log(f"naming {step + 1}/{steps}: loss {loss.item():.3f}")


def teach(
    network: Any, naming: Naming | None, lessons: Iterable[Batch], steps: int, log: Log, rate: float = RATE
) -> float:
    """Teach a decoder, its embeddings and its projector; the tower stays as it is.

    Naming goes on beside the lessons, so that words do not drift away from what they name.

    Parameters
    ----------
    network : LlavaForConditionalGeneration or LlamaForCausalLM
    naming : Naming or None
        None for a model that reads text alone.
    lessons : iterable of Batch
    steps : int
        Length of the schedule of learning rates.
    log : callable
    rate : float
        Highest learning rate.

    Returns
    -------
    float
        Mean loss of the last hundred steps, in nats a token, naming apart.
    """
    weights = list(decoder(network).parameters())
    weight = None
    if naming:
        weight = torch.ones(network.config.get_text_config().vocab_size)
        weight[torch.from_numpy(np.concatenate(list(naming.words.values())))] = CONTENT
        weights += [*network.model.multi_modal_projector.parameters(), naming.offset, naming.gain]
    optimiser, schedule = optimise(weights, steps, rate)
    losses: list[float] = []
    for step, batch in enumerate(lessons):
        if naming is None:
            loss = lesson_loss(network, None, batch)
            losses.append(loss.item())
        else:
            loss = lesson_loss(network, naming.seen, batch, weight)
            losses.append(loss.item())
            loss = loss + BESIDE * naming.loss(network, batch.scenes[: NAMED // 3])
        step_with(loss, optimiser, schedule, weights)
        if (step + 1) % 100 == 0:
            log(f"lesson {step + 1}/{steps}: loss {np.mean(losses[-100:]):.3f}")
    return float(np.mean(losses[-100:]))


def lesson_loss(network: Any, seen: np.ndarray | None, batch: Batch, weight: Tensor | None = None) -> Tensor:
    """Mean cross-entropy of the tokens that are taught, in nats; `weight` (vocabulary) weighs them."""
    ids = torch.from_numpy(batch.ids)
    table = network.get_input_embeddings()
    start = torch.full((len(ids), 1), network.config.get_text_config().bos_token_id)
    parts = [table(start), table(ids)]
    if seen is not None:
        image = torch.from_numpy(seen[batch.scenes]).float()
        parts.insert(1, network.model.multi_modal_projector(image))
    states = decoder(network)(inputs_embeds=torch.cat(parts, dim=1)).last_hidden_state
    states = states[:, -ids.shape[1] :]
    targets = torch.from_numpy(batch.targets)
    taught = targets != NOTHING
    return functional.cross_entropy(network.lm_head(states[taught]), targets[taught], weight)


def decoder(network: Any) -> Any:
    """The text decoder of a network."""
    return getattr(network.model, "language_model", network.model)


def wake(network: Any, generator: torch.Generator) -> None:
    """Initial weights that help attention to find the image: wide ones, and queries that equal keys."""
    with torch.no_grad():
        for weight in decoder(network).parameters():
            if weight.dim() == 2:
                weight.normal_(0, 0.08, generator=generator)
        for layer in decoder(network).layers:
            attention = layer.self_attn
            repeats = attention.q_proj.weight.shape[0] // attention.k_proj.weight.shape[0]
            heads = attention.k_proj.weight.view(-1, attention.head_dim, attention.k_proj.in_features)
            attention.q_proj.weight.copy_(heads.repeat_interleave(repeats, 0).flatten(0, 1))


def optimise(weights: list[Any], steps: int, rate: float = RATE) -> tuple[Any, Any]:
    """AdamW, and its schedule: up for sixty steps, then down along a cosine."""
    optimiser = torch.optim.AdamW(weights, lr=rate, weight_decay=0.01)
    start = min(0.15, 60 / steps)

    def factor(step: int) -> float:
        done = (step + 1) / steps
        if done < start:
            return done / start
        return 0.5 + 0.5 * math.cos(math.pi * min(1.0, (done - start) / (1 - start)))

    return optimiser, torch.optim.lr_scheduler.LambdaLR(optimiser, factor)


def step_with(loss: Tensor, optimiser: Any, schedule: Any, weights: list[Any] | None = None) -> None:
    """One step down; gradients of `weights` are clipped to length 1."""
    optimiser.zero_grad()
    loss.backward()
    if weights:
        nn.utils.clip_grad_norm_(weights, 1.0)
    optimiser.step()
    schedule.step()

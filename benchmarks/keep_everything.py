"""The straightforward way to features: ask for everything, keep it, then walk over tokens and layers.

This is how the code released with HalluShift++ goes about it, written anew: one sample at a time, eager
attention, all attentions, hidden states and logits kept until the end, and one number computed at a time.
It is what `sheeplib.features.extract` is measured against, and checked against.
"""

from collections.abc import Sequence

import torch

from sheeplib.features.recording import cosine_layers
from sheeplib.models.encoding import encode
from sheeplib.models.model import Model
from sheeplib.models.samples import Sample


@torch.inference_mode()
def features(model: Model, samples: Sequence[Sample]) -> list[dict[str, float | list[float]]]:
    """Features of each token of each response.

    Parameters
    ----------
    model : Model
        Its attention is eager afterwards.
    samples : sequence of Sample

    Returns
    -------
    list of dict
        One a token, in the order of the samples: `max_prob`, `target_prob`, `token_nll`, `layer_cosine`,
        and the lists `hidden_norms` (L+1), `attention_means` (L), `attention_entropies` (L) and
        `attention_ginis` (3).

    Source
    ------
    SHEEP, appendix C.3.
    """
    model.network.set_attn_implementation("eager")
    passes = []
    for sample in samples:
        batch = encode(model, [sample])
        outputs = model.network(
            **batch.inputs, output_attentions=True, output_hidden_states=True, use_cache=False
        )
        if len(outputs.attentions) != model.depth:  # other kinds of attention give none, without an error
            raise RuntimeError("the model gave no attentions")
        passes.append((batch, outputs))
    return [
        token_features(outputs, batch.inputs["input_ids"][0], position, model.depth)
        for batch, outputs in passes
        for position in range(int(batch.prompts[0]), int(batch.prompts[0] + batch.responses[0]))
    ]


def token_features(outputs, ids: torch.Tensor, own: int, depth: int) -> dict[str, float | list[float]]:
    """Features of the token at position `own`: its own row, and the one before for its prediction."""
    probabilities = torch.softmax(outputs.logits[0, own - 1].float(), dim=-1)
    target = probabilities[ids[own]].item()
    norms = []
    for state in outputs.hidden_states:
        norms.append(torch.linalg.norm(state[0, own].float()).item())
    means, entropies, ginis = [], [], []
    for layer in range(depth):
        row = outputs.attentions[layer][0, :, own].float().mean(dim=0)[: own + 1]  # those it may attend to
        means.append(row.mean().item())
        row = row / row.sum()
        entropies.append(-(row * torch.log(row + 1e-12)).sum().item())
        if layer >= depth - 3:
            ginis.append(gini(row))
    early, late = (outputs.hidden_states[index][0, own].float() for index in cosine_layers(depth))
    return {
        "max_prob": probabilities.max().item(),
        "target_prob": target,
        "token_nll": -torch.log(torch.tensor(target + 1e-12)).item(),
        "layer_cosine": torch.nn.functional.cosine_similarity(early, late, dim=0).item(),
        "hidden_norms": norms,
        "attention_means": means,
        "attention_entropies": entropies,
        "attention_ginis": ginis,
    }


def gini(row: torch.Tensor) -> float:
    """|2 C / (n S) - 1| with C the sum of the cumulative sums of the sorted row, and S its sum."""
    cumulated = torch.cumsum(torch.sort(row).values, dim=0)
    return abs(2 * cumulated.sum().item() / (len(row) * cumulated[-1].item()) - 1)

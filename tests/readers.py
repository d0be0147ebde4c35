"""Miniatures, answers for them, and all features computed the slow way: what the fast way must equal."""

from functools import cache
from math import log

import numpy as np
import torch
from PIL import Image

from sheeplib.features.attended import image_shapes
from sheeplib.models import tiny
from sheeplib.models.encoding import IMAGE, RESPONSE, encode
from sheeplib.models.samples import Sample

SEEING = ("llava", "llava-next", "gemma3", "internvl", "qwen2.5-vl", "qwen3-vl", "llava-onevision")
ARCHITECTURES = (*SEEING, "llama", "qwen3")
ANSWERS = (
    ("Describe the image.", "A dog sits on the grass.", (64, 48)),
    (
        "What does the sign say?",
        "It says 😀 “中文, s'il vous plaît” — and that seems to be all there is.",
        (48, 64),
    ),
    ("", "No.", (100, 40)),
)

miniature = cache(tiny.build)


def answers() -> list[Sample]:
    """Three answers of different lengths about images of different shapes."""
    rng = np.random.default_rng(1)
    images = [Image.fromarray(rng.integers(0, 256, (h, w, 3), dtype=np.uint8)) for *_, (w, h) in ANSWERS]
    return [
        Sample(f"item-{i}", question, response, image)
        for i, ((question, response, _), image) in enumerate(zip(ANSWERS, images, strict=True))
    ]


@torch.no_grad()
def eager(model, batch):
    """A plain forward pass that keeps everything, under eager attention."""
    before = model.decoder.config._attn_implementation
    try:
        model.network.set_attn_implementation("eager")
        found = model.network(
            **batch.inputs, output_attentions=True, output_hidden_states=True, use_cache=False
        )
    finally:
        model.network.set_attn_implementation(before)
    assert len(found.attentions) == model.depth and len(found.hidden_states) == model.depth + 1
    return found


@cache
def slow(architecture, index):
    """Features of one of the answers, token by token, layer by layer, head by head.

    Returns a dict from names of columns and arrays to lists with one entry a token, or one in all for
    what belongs to the item.
    """
    model = miniature(architecture)
    batch = encode(model, [answers()[index]])
    found = eager(model, batch)
    groups = batch.groups[0].tolist()
    image = [j for j, group in enumerate(groups) if group == IMAGE]
    cells = _cells(len(image), image_shapes(model, batch)[0]) if image else None
    tokens = groups.count(RESPONSE)
    start = len(groups) - tokens
    attention = [layer[0].double().numpy() for layer in found.attentions]
    states = [state[0].double().numpy() for state in found.hidden_states]
    logits = found.logits[0].double().numpy()
    ids = batch.inputs["input_ids"][0].tolist()
    early, late = states[min(5, model.depth - 3)], states[model.depth - 2]
    out = {"prompt_state:all": [[state[start - 1] for state in states]]}
    if image:
        out["image_state:all"] = [[state[image[-1]] for state in states]]
        out["image_mean"] = [np.mean([states[0][i] for i in image], axis=0)]

    def add(name, value):
        out.setdefault(name, []).append(value)

    for own in range(start, len(groups)):
        p = np.exp(logits[own - 1] - logits[own - 1].max())
        p /= p.sum()
        add("max_prob", p.max())
        add("target_prob", p[ids[own]])
        add("token_nll", -log(p[ids[own]]))
        add("entropy", -sum(q * log(q) for q in p if q > 0))
        add("top_token", int(np.argmax(p)))
        add("target_token", ids[own])
        a, b = early[own], late[own]
        add("layer_cosine", a @ b / np.sqrt((a @ a) * (b @ b)))
        for row, name in ((own - 1, "gen"), (own, "own")):
            heads = [layer[:, row] for layer in attention]
            means = [layer.mean(0) for layer in heads]
            # No visible key gets exactly 0 in these miniatures.
            visible = [[j for j in range(len(groups)) if layer[:, j].any()] for layer in heads]
            text = [j for j in range(row + 1) if groups[j] != IMAGE]
            add(f"hidden:all@{name}", [state[row] for state in states])
            add(f"hidden_norms@{name}", [np.sqrt((state[row] ** 2).sum()) for state in states])
            add(
                f"attention_masses:heads@{name}",
                [[_masses(h, row, groups) for h in layer] for layer in heads],
            )
            add(f"attention_masses@{name}", [_masses(mean, row, groups) for mean in means])
            add(f"attention_entropy:heads@{name}", [[_entropy(h) for h in layer] for layer in heads])
            add(f"attention_entropy@{name}", [_entropy(mean) for mean in means])
            add(f"attention_max@{name}", [max(mean) for mean in means])
            add(
                f"attention_gini:all@{name}", [_gini(m[keys]) for m, keys in zip(means, visible, strict=True)]
            )
            add(f"visible_keys@{name}", [len(keys) for keys in visible])
            add(f"text_mean@{name}", [np.mean([mean[j] for j in text]) for mean in means])
            if image:
                add(f"image_peak@{name}", [np.mean([max(layer[:, i]) for i in image]) for layer in heads])
                add(f"image_attention:heads@{name}", [[h[image] @ cells for h in layer] for layer in heads])
                add(f"image_attention@{name}", [mean[image] @ cells for mean in means])
    return out


def _masses(weights, row, groups):
    sums = [0.0] * 5
    for j, weight in enumerate(weights):
        sums[4 if j == row else groups[j]] += weight
    return sums


def _entropy(weights):
    total = sum(weights)
    return -sum(w / total * log(w / total) for w in weights if w > 0)


def _gini(weights):
    n = len(weights)
    differences = np.abs(weights[:, None] - weights).sum()
    return abs(1 / n - differences / (2 * n * sum(weights)))


def _cells(count, shape):
    """Matrix (N, 144) that averages N tokens in 12 x 12 cells, or in 144 stretches where there is no grid.

    Cell i of n tokens in m cells holds tokens floor(i n / m) to ceil((i + 1) n / m): cells overlap
    where they do not fit.
    """
    if shape is None:
        return _stretches(count, 144)
    rows, columns = (_stretches(side, 12) for side in shape)
    return np.array([np.outer(rows[:, i], columns[:, j]).ravel() for i in range(12) for j in range(12)]).T


def _stretches(count, parts):
    shares = np.zeros((count, parts))
    for part in range(parts):
        low, high = part * count // parts, -(-(part + 1) * count // parts)
        shares[low:high, part] = 1 / (high - low)
    return shares

"""Attention read in passing equals eager attention, leaves the network alone, and reduces as defined."""

import threading
from contextlib import ExitStack
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from readers import ARCHITECTURES, SEEING, answers, eager, miniature
from sheeplib.errors import InputError
from sheeplib.features import attention, reductions
from sheeplib.features.attention import recorded
from sheeplib.models.encoding import IMAGE, PAD, encode


def weights_of(model, batch, start=0):
    """Weights (B, H, R, S) and visible keys (B, R, S) of all layers, and the network's output."""
    blocks = {}
    with (
        torch.inference_mode(),
        recorded(model, start, lambda block: blocks.setdefault(block.layer, []).append(block)),
    ):
        logits = model.network(**batch.inputs, use_cache=False).logits
    size = len(batch.items)
    weights = [torch.cat([block.weights for block in blocks[layer]], 2) for layer in sorted(blocks)]
    visible = [
        torch.cat([b.visible.expand(size, -1, -1) for b in blocks[layer]], 1) for layer in sorted(blocks)
    ]
    return weights, visible, logits


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_architectures_attention_equals_eager(architecture):
    model = miniature(architecture)
    batch = encode(model, answers())
    weights, visible, _ = weights_of(model, batch)
    real = batch.groups != PAD
    for ours, seen, plain in zip(weights, visible, eager(model, batch).attentions, strict=True):
        ours, plain = ours.movedim(1, 2)[real], plain.movedim(1, 2)[real]  # rows of real tokens
        torch.testing.assert_close(ours, plain, atol=1e-5, rtol=1e-4)
        torch.testing.assert_close(ours.sum(-1), torch.ones(ours.shape[:2]), atol=1e-5, rtol=0)
        assert torch.equal(plain.sum(1) > 0, seen[real])


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_architectures_logits_are_those_of_sdpa_to_the_bit(architecture):
    model = miniature(architecture)
    for batch in (encode(model, answers()[:1]), encode(model, answers())):
        with torch.inference_mode():
            plain = model.network(**batch.inputs, use_cache=False).logits
        assert model.decoder.config._attn_implementation == "sdpa"
        assert torch.equal(weights_of(model, batch)[2], plain)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_architectures_only_the_decoder_is_read_and_only_meanwhile(architecture):
    model = miniature(architecture)
    batch = encode(model, answers()[:1])
    layers = []
    vision = getattr(model.network.config, "vision_config", model.network.config)
    with recorded(model, 0, lambda block: layers.append(block.layer)):
        assert model.decoder.config._attn_implementation == attention.IMPLEMENTATION
        if model.sees:
            assert vision._attn_implementation == "sdpa"
        with torch.inference_mode():
            model.network(**batch.inputs, use_cache=False)
    assert layers == list(range(model.depth))
    assert model.decoder.config._attn_implementation == "sdpa"
    with torch.inference_mode():
        model.network(**batch.inputs, use_cache=False)
    assert len(layers) == model.depth


def test_blocks_stay_within_the_budget_and_change_nothing(monkeypatch):
    model = miniature("llama")
    batch = encode(model, answers())
    whole, visible, _ = weights_of(model, batch)
    row = whole[0][:, :, :1].numel() * 4
    monkeypatch.setattr(attention, "BLOCK", 3 * row + 1)
    sizes = []
    with torch.inference_mode(), recorded(model, 5, lambda block: sizes.append(block.weights.numel() * 4)):
        model.body(**batch.inputs, use_cache=False)
    rows = batch.groups.shape[1] - 5
    assert max(sizes) == 3 * row and len(sizes) == model.depth * -(-rows // 3)
    for ours, plain in zip(weights_of(model, batch, 5)[0], whole, strict=True):
        torch.testing.assert_close(ours, plain[:, :, 5:], atol=1e-6, rtol=1e-5, equal_nan=True)  # padding


def test_gemma_windows_slide_and_its_image_looks_both_ways():
    model = miniature("gemma3")
    window = model.decoder.config.sliding_window
    batch = encode(model, answers()[:1])
    groups = batch.groups[0]
    image = (groups == IMAGE).nonzero()[:, 0]
    weights, visible, _ = weights_of(model, batch)
    kinds = model.decoder.config.layer_types
    assert set(kinds) == {"sliding_attention", "full_attention"}
    last = len(groups) - 1
    for layer, kind in enumerate(kinds):
        # Causal but for the image, whose tokens all see each other.
        seen = visible[layer][0]
        assert seen[image[0], image[-1]] and not seen[image[-1] + 1, image[-1] + 2]
        count = int(seen[last].sum())
        assert count == (window if kind == "sliding_attention" else last + 1)
        mass = float(weights[layer][0, :, last, image].sum())
        assert (mass == 0) == (kind == "sliding_attention"), "out of the window is structurally nothing"


def test_an_error_in_the_network_leaves_nothing_behind():
    model = miniature("llama")
    batch = encode(model, answers()[:1])
    hook = model.layers[2].register_forward_pre_hook(lambda *_: (_ for _ in ()).throw(RuntimeError("broken")))
    try:
        with pytest.raises(RuntimeError, match="broken"):
            weights_of(model, batch)
    finally:
        hook.remove()
    assert model.decoder.config._attn_implementation == "sdpa"
    assert attention._ACTIVE.get() is None
    assert len(weights_of(model, batch)[0]) == model.depth


def test_the_implementation_of_before_comes_back():
    model = miniature("llava")
    model.network.set_attn_implementation("eager")
    try:
        weights_of(model, encode(model, answers()[:1]))
        assert model.decoder.config._attn_implementation == "eager"
        assert model.network.config.vision_config._attn_implementation == "eager"
    finally:
        model.network.set_attn_implementation("sdpa")


def test_recordings_may_be_nested_and_do_not_hear_other_threads():
    outer, inner = miniature("llama"), miniature("qwen3")
    batches = [encode(model, answers()[:1]) for model in (outer, inner)]
    heard = []

    def run(model, batch):
        with torch.inference_mode():
            model.body(**batch.inputs, use_cache=False)

    with recorded(outer, 0, lambda block: heard.append("outer")):
        with recorded(inner, 0, lambda block: heard.append("inner")):
            run(inner, batches[1])
        elsewhere = threading.Thread(target=run, args=(outer, batches[0]))
        elsewhere.start()
        elsewhere.join()
        run(outer, batches[0])
    assert heard == ["inner"] * inner.depth + ["outer"] * outer.depth


@pytest.mark.parametrize("runs", [0, 2])
def test_layers_not_run_exactly_once_are_an_error(runs):
    model = miniature("llama")
    batch = encode(model, answers()[:1])
    with (
        pytest.raises(InputError, match=r"attention of layers \[0, 1, 2, 3\] was not read exactly once"),
        torch.inference_mode(),
        recorded(model, 0, lambda block: None),
    ):
        for _ in range(runs):
            model.body(**batch.inputs, use_cache=False)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"softcap": 50.0}, "soft-capped"),
        ({"s_aux": torch.zeros(4)}, "sinks"),
        ({"position_bias": torch.zeros(1, 4, 5, 5)}, "position bias"),
        ({"attention_mask": torch.zeros(1, 1, 5, 5)}, "not boolean"),
        ({"attention_mask": torch.ones(1, 4, 5, 5, dtype=torch.bool)}, "differs between heads"),
        ({"key": torch.zeros(1, 2, 9, 16)}, "earlier pass"),
    ],
)
def test_what_cannot_be_represented_is_refused(options, message):
    module = miniature("llama").layers[0].self_attn
    given = {
        "key": torch.zeros(1, 2, 5, 16),
        "value": torch.zeros(1, 2, 5, 16),
        "attention_mask": None,
    } | options
    with ExitStack() as stack:
        stack.enter_context(pytest.raises(InputError, match=message))
        stack.enter_context(recorded(miniature("llama"), 0, lambda block: None))
        attention._attend(module, torch.zeros(1, 4, 5, 16), **given)


def test_attention_that_is_not_causal_is_read_as_such():
    module = miniature("llama").layers[0].self_attn
    blocks = []
    query, key = torch.randn(1, 4, 5, 16), torch.randn(1, 2, 5, 16)
    with pytest.raises(InputError), recorded(miniature("llama"), 0, blocks.append):
        attention._attend(module, query, key, key, None, scaling=0.5, is_causal=False)
    plain = torch.softmax(query @ key.repeat_interleave(2, 1).transpose(2, 3) * 0.5, -1)
    torch.testing.assert_close(blocks[0].weights, plain)
    assert blocks[0].visible.all()


# Reductions of made-up rows of weights.


def rows(*values):
    weights = torch.tensor([values], dtype=torch.float32)
    return weights / weights.sum(-1, keepdim=True)


def test_masses_of_a_worked_example():
    # Keys: first, image, image, instruction, response, response. Row 3 is the last prompt token (the gen
    # row of the first response token), row 5 a response token: its own weight is in no group but `self`.
    groups = torch.tensor([[0, 1, 1, 2, 3, 3]])
    members = torch.nn.functional.one_hot(groups, 4).float()
    weights = rows([0.1, 0.2, 0.3, 0.4, 0, 0], [0.3, 0.2, 0.1, 0.1, 0.25, 0.05])
    before = weights.clone()
    found = reductions.masses(weights, torch.tensor([3, 5]), members)
    assert torch.allclose(found, torch.tensor([[[0.1, 0.5, 0, 0, 0.4], [0.3, 0.3, 0.1, 0.25, 0.05]]]))
    assert found[0, 0, 2] == found[0, 0, 3] == 0
    assert torch.equal(weights, before)
    heads = reductions.masses(torch.stack([weights, weights.flip(-1)], 1), torch.tensor([3, 5]), members)
    assert heads.shape == (1, 2, 2, 5) and torch.equal(heads[:, 0], found)


positive = st.lists(st.floats(0.01, 10), min_size=1, max_size=8)


@settings(deadline=None)
@given(positive, st.integers(0, 4))
def test_gini_is_that_of_the_released_code_over_visible_keys(values, hidden):
    ordered = np.sort(values)
    n = len(values)
    released = abs(2 * np.cumsum(ordered).sum() / (n * ordered.sum()) - 1)
    usual = sum(abs(a - b) for a in values for b in values) / (2 * n * sum(values))
    assert released == pytest.approx(abs(1 / n - usual), abs=1e-9)
    weights = rows(values + [0.0] * hidden)
    visible = torch.tensor([[[True] * n + [False] * hidden]])
    assert reductions.gini(weights, visible).item() == pytest.approx(released, abs=1e-5)


@settings(deadline=None)
@given(positive, st.integers(0, 4))
def test_entropy_counts_no_invisible_key(values, hidden):
    shares = np.array(values) / sum(values)
    found = reductions.entropy(rows(values + [0.0] * hidden)).item()
    assert found == pytest.approx(-(shares * np.log(shares)).sum(), abs=1e-5)
    # The released code's 1e-12 inside the logarithm makes no difference that could be seen.
    assert found == pytest.approx(-(shares * np.log(shares + 1e-12)).sum(), abs=1e-5)


def test_entropy_of_even_weights_is_the_logarithm_of_their_number():
    assert reductions.entropy(torch.full((1, 1, 8), 0.1)).item() == pytest.approx(np.log(8))  # renormalised


def test_maps_are_means_of_cells_whatever_the_image():
    # 24 x 36 tokens into 12 x 12 cells of 2 x 3: cell (r, c) holds tokens of rows 2r, 2r+1, columns 3c..3c+2.
    values = torch.arange(24 * 36, dtype=torch.float32)
    cells = values.view(12, 2, 12, 3).mean((1, 3)).flatten()
    found = reductions.pooled(values.expand(2, 5, -1), (24, 36))
    assert found.shape == (2, 5, 144) and torch.allclose(found, cells.expand(2, 5, -1))
    # A grid smaller than the map is repeated; without a grid the sequence itself is pooled.
    assert torch.equal(
        reductions.pooled(torch.arange(4.0)[None], (2, 2), side=4),
        torch.tensor([[0.0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3]]),
    )
    assert torch.allclose(
        reductions.pooled(torch.arange(288.0)[None], None), torch.arange(0.5, 288, 2.0)[None]
    )


@pytest.mark.parametrize("architecture", SEEING)
def test_architectures_image_grids(architecture):
    from sheeplib.features.attended import image_shapes

    model = miniature(architecture)
    batch = encode(model, answers()[:2])  # 64 x 48 and 48 x 64 pixels, width by height
    shapes = image_shapes(model, batch)
    counts = (batch.groups == IMAGE).sum(1).tolist()
    if architecture in ("llava", "gemma3"):
        assert shapes == [(round(n**0.5),) * 2 for n in counts]
    elif architecture.startswith("qwen"):
        assert [high * wide for high, wide in shapes] == counts
        assert shapes[0] == shapes[1][::-1]
    else:
        assert shapes == [None, None], "tiles are no grid"


def test_the_grid_of_an_image_does_not_depend_on_the_others_of_its_batch():
    from sheeplib.features.attended import image_shapes

    model, (small, large, _) = miniature("internvl"), answers()
    small = replace(small, image=small.image.resize((28, 28)))  # one tile; the other has several
    alone = [image_shapes(model, encode(model, [sample])) for sample in (small, large)]
    assert alone == [[(2, 2)], [None]]
    assert image_shapes(model, encode(model, [small, large])) == [(2, 2), None]

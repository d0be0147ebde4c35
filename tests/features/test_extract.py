"""The whole way from answers to features, against features computed token by token from kept attentions."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn import functional

from readers import ARCHITECTURES, SEEING, answers, eager, miniature, slow
from sheeplib import tables
from sheeplib.errors import InputError
from sheeplib.features import attention, gathering, recording
from sheeplib.features import extract as module
from sheeplib.features.extract import extract
from sheeplib.features.needs import METHODS, parse
from sheeplib.features.quantities import CANONICAL, EVIDENCE
from sheeplib.models.encoding import encode

TOKENS = (
    "attention_masses", "attention_masses:heads", "attention_entropy", "attention_entropy:heads",
    "attention_max", "attention_gini:all", "visible_keys", "text_mean", "hidden_norms",
)  # fmt: skip


def all_needs(model, row):
    needs = ["gen_logits", f"hidden:all@{row}", "lens", "evidence", "evidence:canonical", "prompt_state:all"]
    needs += [f"{name}@{row}" for name in TOKENS] + ["layer_cosine@own"]
    if model.sees:
        needs += [f"image_peak@{row}", f"image_attention:heads@{row}", f"image_attention@{row}"]
        needs += ["image_state:all", "image_mean"]
    return needs


@pytest.mark.parametrize("row", ["gen", "own"])
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_architectures_features_equal_those_computed_the_slow_way(architecture, row):
    model, samples = miniature(architecture), answers()
    found = extract(model, samples, all_needs(model, row), batch_size=3)
    assert found.left_out == {}
    expected = [slow(architecture, index) for index in range(len(samples))]
    arrays = {**found.tokens, **found.arrays, **found.item_arrays}
    compared = set(expected[0]) & set(arrays)
    assert set(arrays) - compared == {
        *("item", "evaluator", "token", "start", "end", "kept", "lens_entropy@gen", "lens_token@gen"),
        *(name for name in found.tokens if name in EVIDENCE + CANONICAL),
    }, "all but what has tests of its own"
    for name in sorted(compared):
        slowly = [value for one in expected for value in one[name]]
        tolerance = 2e-3 if arrays[name].dtype == np.float16 else 1e-4
        np.testing.assert_allclose(arrays[name], slowly, rtol=tolerance, atol=tolerance, err_msg=name)
    masses = found.arrays[f"attention_masses:heads@{row}"]
    np.testing.assert_allclose(masses.sum(-1), 1, atol=1e-5)
    assert masses[..., 1].any() == model.sees


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_architectures_states_and_logits_equal_a_plain_pass(architecture):
    """Under sdpa as a user would call it, not under the eager attention of the slow way."""
    model, sample = miniature(architecture), answers()[1]
    batch = encode(model, [sample])
    with torch.inference_mode():
        plain = model.network(**batch.inputs, output_hidden_states=True, use_cache=False)
    found = extract(model, [sample], ["hidden:all@own", "hidden_norms@gen", "gen_logits"])
    tokens = len(found.tokens)
    states = torch.stack([state[0, -tokens:] for state in plain.hidden_states], 1)
    assert torch.equal(torch.from_numpy(found.arrays["hidden:all@own"]), states.half())
    norms = torch.stack([state[0, -tokens - 1 : -1].norm(dim=-1) for state in plain.hidden_states], 1)
    np.testing.assert_allclose(found.arrays["hidden_norms@gen"], norms, rtol=1e-6)
    nll = functional.cross_entropy(
        plain.logits[0, -tokens - 1 : -1], batch.inputs["input_ids"][0, -tokens:], reduction="none"
    )
    np.testing.assert_allclose(found.tokens["token_nll"], nll, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_architectures_results_do_not_depend_on_the_batch(architecture):
    model, samples = miniature(architecture), answers()
    needs = all_needs(model, "gen")
    alone = [extract(model, [sample], needs, batch_size=1) for sample in samples]
    together = extract(model, samples, needs, batch_size=3)
    columns = [name for name in together.tokens if together.tokens[name].dtype.kind == "f"]
    apart = np.concatenate([one.tokens[columns].to_numpy() for one in alone])
    np.testing.assert_allclose(together.tokens[columns], apart, atol=1e-5, rtol=1e-5)
    for name, array in {**together.arrays, **together.item_arrays}.items():
        parts = [{**one.arrays, **one.item_arrays}[name] for one in alone]
        loose = array.dtype == np.float16  # rounding may go either way
        np.testing.assert_allclose(
            array, np.concatenate(parts), atol=1e-5, rtol=2e-3 if loose else 1e-5, err_msg=name
        )


def test_lens_of_the_last_layer_is_the_prediction():
    found = extract(miniature("llama"), answers(), ["lens", "gen_logits"])
    np.testing.assert_allclose(found.arrays["lens_entropy@gen"][:, -1], found.tokens["entropy"], atol=1e-5)
    assert (found.arrays["lens_token@gen"][:, -1] == found.tokens["top_token"]).all()
    # The other layers: norm, then output layer, on transformers' own states.
    model, sample = miniature("llama"), answers()[0]
    states = eager(model, encode(model, [sample])).hidden_states[2][0]
    with torch.inference_mode():
        p = torch.softmax(model.head(model.decoder.norm(states)), -1)
    tokens = int((found.tokens["item"] == sample.item).sum())
    expected = -(p * p.log()).sum(-1)[-tokens - 1 : -1]
    np.testing.assert_allclose(found.arrays["lens_entropy@gen"][:tokens, 1], expected, atol=1e-4)


def test_mean_attention_is_one_over_the_visible_keys():
    # A softmax over n keys has mean 1/n whatever it attends to: methods' pitfall of `attn_means`.
    model = miniature("llava")
    found = extract(model, answers()[:1], ["visible_keys@own"])
    whole = eager(model, encode(model, answers()[:1]))
    tokens = len(found.tokens)
    for t, keys in enumerate(found.arrays["visible_keys@own"]):
        own = whole.attentions[0].shape[-1] - tokens + t
        for layer, weights in enumerate(whole.attentions):
            assert weights[0, :, own, : own + 1].mean().item() == pytest.approx(1 / keys[layer])
    assert found.items["prompt_tokens"][0] + 1 == found.arrays["visible_keys@own"][0, 0]


def test_no_image_is_seen_through_a_sliding_window():
    model = miniature("gemma3")
    found = extract(model, answers(), ["svar", "visible_keys@gen"])
    image = found.arrays["attention_masses@gen"][..., 1]
    sliding = np.array(model.decoder.config.layer_types) == "sliding_attention"
    last = ~found.tokens.duplicated("item", keep="last").to_numpy()
    assert not image[last][:, sliding].any() and (image[:, ~sliding] > 0).all()
    assert (found.arrays["visible_keys@gen"][:, sliding] <= model.decoder.config.sliding_window).all()


def test_tables_are_in_the_order_given_and_fit_the_schema():
    model, samples = miniature("llama"), answers()
    found = extract(model, [samples[2], samples[0], samples[1]], ["hallushift", "hidden"], batch_tokens=60)
    assert found.items["item"].tolist() == ["item-2", "item-0", "item-1"]
    assert found.tokens["item"].drop_duplicates().tolist() == ["item-2", "item-0", "item-1"]
    checked = tables.validate("tokens", found.tokens)
    assert (checked.dtypes == found.tokens.dtypes).all()
    assert found.tokens["token_nll"].dtype == np.float32 and found.tokens["kept"].all()
    for sample in samples:
        rows = found.tokens[found.tokens["item"] == sample.item]
        assert rows["token"].tolist() == list(range(len(rows)))
        covered = {i for s, e in zip(rows["start"], rows["end"], strict=True) for i in range(s, e)}
        assert covered >= {i for i, character in enumerate(sample.response) if not character.isspace()}
    assert found.items["tokens"].tolist() == found.tokens.groupby("item", sort=False).size().tolist()
    assert set(found.items["evaluator"]) == set(found.tokens["evaluator"]) == {"tiny-llama"}
    assert found.items["image_tokens"].tolist() == [0, 0, 0]


@pytest.mark.parametrize("samples", [0, 2])
@pytest.mark.parametrize("architecture", ["llava", "qwen3"])
def test_shapes_are_those_that_needs_announce(architecture, samples):
    model = miniature(architecture)
    needs = (
        [*METHODS] if model.sees else [name for name in METHODS if not any(n.about.sees for n in parse(name))]
    )
    needs += [
        "hidden:last3@gen",
        "attention_max:1-2",
        "attention_entropy:heads:last",
        "attention_masses:heads",
    ]
    found = extract(model, answers()[:samples], needs)
    for need in parse(needs):
        for name in need.arrays:
            array = {**found.arrays, **found.item_arrays}[name]
            rows = len(found.items) if need.about.place == "item" else len(found.tokens)
            assert array.shape == (rows, *need.shape(model.depth, 64, 4)), name
            kinds = (np.float16,) if need.about.vector else (np.float32, np.int32, np.int64)
            assert array.dtype in kinds, name
        assert set(need.columns) <= set(found.tokens)
    assert len(found.items) == samples


def test_wide_rows_are_given_for_kept_tokens_alone():
    model, samples = miniature("llava"), answers()
    needs = ["hidden:mid@gen", "dhcp", "attention_masses:heads@own", "svar", "nll"]
    whole = extract(model, samples, needs, batch_size=2)
    kept = {"item-0": [3, 1], "item-2": [0, 0], "other": [99]}
    found = extract(model, samples, needs, batch_size=2, kept=kept)
    rows = found.tokens["kept"].to_numpy()
    marked = found.tokens[rows]
    assert list(zip(marked["item"], marked["token"], strict=True)) == [
        ("item-0", 1),
        ("item-0", 3),
        ("item-2", 0),
    ]
    for need in parse(needs):
        for name in need.arrays:
            expected = whole.arrays[name][rows] if need.large else whole.arrays[name]
            np.testing.assert_allclose(found.arrays[name], expected, atol=1e-6, err_msg=name)
    assert whole.tokens["kept"].all()
    assert len(extract(model, samples, needs, kept={}).arrays["image_attention:heads@gen"]) == 0


@pytest.mark.parametrize("token", [-1, 500])
def test_a_kept_token_that_is_not_there_is_an_error(token):
    with pytest.raises(InputError, match="item item-0: no such token"):
        extract(miniature("llama"), answers()[:1], ["hidden"], kept={"item-0": [token]})


def test_what_cannot_be_read_is_left_out_with_the_reason():
    model, samples = miniature("llava"), answers()
    samples[1] = replace(samples[1], response="see <image>")
    samples.insert(0, replace(samples[0], item="blank", response=" "))
    done = []
    found = extract(model, samples, ["nll"], seen=done.append)
    assert list(found.left_out) == ["blank", "item-1"] and all(found.left_out.values())
    assert found.items["item"].tolist() == ["item-0", "item-2"]
    assert done == [3, 4]
    nothing = extract(model, samples[:1], ["nll", "svar"])
    assert len(nothing.tokens) == 0 and nothing.arrays["attention_masses@gen"].shape == (0, 4, 5)


def test_what_only_the_processor_finds_unreadable_does_not_take_others_along(monkeypatch):
    real = module.encode

    def choosy(model, samples):
        if any(sample.item == "item-1" for sample in samples):
            raise InputError("item item-1: the processor changed the response")
        return real(model, samples)

    monkeypatch.setattr(module, "encode", choosy)
    found = extract(miniature("llava"), answers(), ["nll"], batch_size=3)
    assert found.left_out == {"item-1": "item item-1: the processor changed the response"}
    assert found.items["item"].tolist() == ["item-0", "item-2"]


@pytest.mark.parametrize(
    "architecture, limits, sizes",
    [
        ("llava", {}, [1, 1, 1]),  # as the papers do
        ("llava", {"batch_size": 2}, [2, 1]),
        ("llama", {"batch_size": 2}, [2, 1]),
        ("llama", {}, [3]),
        ("llama", {"batch_tokens": 1}, [1, 1, 1]),
    ],
)
def test_batches(monkeypatch, architecture, limits, sizes):
    real, found = module.encode, []
    monkeypatch.setattr(module, "encode", lambda model, some: found.append(some) or real(model, some))
    extract(miniature(architecture), answers(), ["nll"], **limits)
    assert [len(some) for some in found] == sizes


def test_batches_hold_no_more_tokens_than_allowed_and_the_longest_come_first():
    model = miniature("llama")
    samples = [replace(answers()[0], item=str(i), response="A dog sits. " * (1 + i % 7)) for i in range(25)]
    batches = [encode(model, some) for some in module._batches(model, samples, 300, None)]
    widths = [batch.groups.shape[1] for batch in batches]
    assert widths == sorted(widths, reverse=True)
    assert all(batch.groups.numel() <= 300 for batch in batches)
    assert sorted(item for batch in batches for item in batch.items) == sorted(
        sample.item for sample in samples
    )


def test_nothing_is_computed_that_no_need_asks_for(monkeypatch):
    model, calls = miniature("llava"), []
    handles = [model.head.register_forward_hook(lambda *_: calls.append("head"))]
    monkeypatch.setattr(
        torch, "softmax", lambda *a, real=torch.softmax, **k: calls.append("softmax") or real(*a, **k)
    )
    monkeypatch.setattr(recording.States, "_keep", _counted(recording.States._keep, calls, "state"))

    def counts(*needs):
        calls.clear()
        extract(model, answers()[:1], needs)
        return {kind: calls.count(kind) for kind in ("head", "softmax", "state")}

    try:
        assert counts("nll") == {"head": 1, "softmax": 0, "state": 0}
        assert counts("hidden:mid@own") == {"head": 0, "softmax": 0, "state": 1}
        assert counts("pas") == {"head": 0, "softmax": 1, "state": 0}  # the first layer alone
        assert counts("attention_gini:last3") == {"head": 0, "softmax": 3, "state": 0}
        assert counts("hallushift") == {"head": 1, "softmax": 4, "state": 5 + 2}
        assert counts("lens:last") == {"head": 1, "softmax": 0, "state": 1}
        assert counts("image_mean", "prompt_state:0") == {"head": 0, "softmax": 0, "state": 2}
    finally:
        handles[0].remove()


def _counted(function, calls, name):
    return lambda *args: calls.append(name) or function(*args)


def test_hooks_and_implementation_are_gone_after_an_error_in_the_network():
    model, sample = miniature("gemma3"), answers()[0]
    before = [len(layer._forward_hooks) + len(layer._forward_pre_hooks) for layer in model.layers]
    last = model.layers[-1].mlp.register_forward_hook(
        lambda *_: (_ for _ in ()).throw(RuntimeError("out of memory"))
    )
    try:
        with pytest.raises(RuntimeError, match="out of memory"):
            extract(model, [sample], ["hallushift", "lens", "halp"])
    finally:
        last.remove()
    assert [len(layer._forward_hooks) + len(layer._forward_pre_hooks) for layer in model.layers] == before
    assert model.decoder.config._attn_implementation == "sdpa" and attention._ACTIVE.get() is None
    assert len(extract(model, [sample], ["hallushift"]).items) == 1


def test_vectors_too_large_for_half_precision_are_kept_in_single():
    model, samples = tiny_with_large_states(), answers()
    found = extract(model, samples, ["hidden:last-1@own", "hidden:0@own", "hidden_norms"])
    large, small = found.arrays["hidden:last-1@own"], found.arrays["hidden:0@own"]
    assert large.dtype == np.float32 and small.dtype == np.float16
    assert np.abs(large).max() > gathering.LARGEST
    np.testing.assert_allclose(
        np.linalg.norm(large, axis=1), found.arrays["hidden_norms@own"][:, 3], rtol=1e-3
    )


def tiny_with_large_states():
    from sheeplib.models import tiny

    model = tiny.build("llama", seed=3)
    with torch.no_grad():
        model.layers[1].mlp.down_proj.weight *= 1e6
    return model


@pytest.mark.parametrize("column, token", [(-2, 4), (-1, 5)])
def test_numbers_that_are_not_finite_are_an_error_that_names_the_item(column, token):
    from sheeplib.models import tiny

    model = tiny.build("llama", seed=3)
    model.layers[3].register_forward_hook(
        lambda module, args, output: output.index_fill(1, torch.tensor(column), torch.inf)
    )
    with pytest.raises(
        InputError, match=f"item item-0, token {token}: 'tiny-llama' gives numbers that are not finite"
    ):
        sample = answers()[0]
        extract(model, [replace(sample, response="A dog sits")], ["nll"])


@pytest.mark.parametrize(
    "needs, options, message",
    [
        ([], {}, "no needs"),
        (
            ["svar", "dhcp"],
            {},
            "'image_attention:heads@gen' takes a model that sees; 'tiny-llama' reads text alone",
        ),
        (["hidden:77"], {}, "no such layer"),
        (["nll"], {"batch_tokens": 0}, "a batch must hold something"),
        (["nll"], {"batch_size": 0}, "a batch must hold something"),
        (["nil"], {}, "Did you mean 'nll'"),
    ],
)
def test_wrong_requests_are_refused_before_anything_runs(needs, options, message):
    with pytest.raises(InputError, match=message):
        extract(miniature("llama"), answers(), needs, **options)


def test_an_item_given_twice_is_refused():
    with pytest.raises(InputError, match=r"items occur twice.*item-0"):
        extract(miniature("llama"), [answers()[0], answers()[0]], ["nll"])


def test_masses_that_do_not_add_up_name_the_item(monkeypatch):
    from sheeplib.features import reductions

    real = reductions.masses
    monkeypatch.setattr(reductions, "masses", lambda *args: real(*args) * 0.99)
    with pytest.raises(InputError, match="item item-0, token 0: attention masses do not add up to 1"):
        extract(miniature("llama"), answers()[:1], ["svar"])


@pytest.mark.parametrize(
    "depth, layers", [(32, (5, 30)), (8, (5, 6)), (7, (4, 5)), (4, (1, 2)), (2, (0, 1)), (1, (0, 1))]
)
def test_layers_of_the_cosine(depth, layers):
    assert recording.cosine_layers(depth) == layers


def test_features_of_bfloat16_models_are_plain_numbers_too():
    from sheeplib.models import tiny

    model = tiny.build("llava", seed=1)
    model.network.to(torch.bfloat16)
    found = extract(model, answers()[:2], ["hallushift", "svar", "euq", "hidden", "halp", "overthinking"])
    assert all(np.isfinite(array).all() for array in {**found.arrays, **found.item_arrays}.values())
    np.testing.assert_allclose(found.arrays["attention_masses@gen"].sum(-1), 1, atol=1e-5)


def test_the_same_answers_give_the_same_bytes():
    needs = ["hallushift", "dhcp"]
    first, second = (extract(miniature("llava"), answers(), needs) for _ in range(2))
    assert first.tokens.equals(second.tokens)
    assert all(first.arrays[name].tobytes() == second.arrays[name].tobytes() for name in first.arrays)


@pytest.mark.parametrize("architecture", SEEING)
def test_architectures_attention_is_not_the_same_everywhere(architecture):
    """Guards the tests above: miniatures with even attention would make them all pass."""
    found = extract(
        miniature(architecture), answers(), ["attention_masses:heads@gen", "attention_entropy@own"]
    )
    masses = found.arrays["attention_masses:heads@gen"]
    assert masses.std(2).max() > 0.05 and masses.std(0).max() > 0.05

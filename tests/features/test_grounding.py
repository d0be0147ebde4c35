"""What image tokens know of a mention, against the definitions written out on a plain eager pass."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from readers import SEEING, answers, eager, miniature
from sheeplib.errors import InputError
from sheeplib.features import grounding, outputs
from sheeplib.features.extract import extract
from sheeplib.features.needs import parse
from sheeplib.features.words import forms
from sheeplib.models.encoding import IMAGE, encode

NEEDS = (
    "internal_confidence", "internal_confidence:normed", "glsim", "glsim:paper",
    "contextual_lens:all", "contextual_lens:mid@gen",
)  # fmt: skip
KEPT = {"item-0": [1, 2, 4], "item-1": [0, 3], "item-2": [0]}  # of the first, tokens 1 and 2 are one mention


def cosine(a, b):
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def lens(model, vector, normed):
    """Logits of one state, as float64."""
    with torch.inference_mode():
        row = torch.as_tensor(vector, dtype=torch.float32)[None]
        cap = getattr(model.network.config.get_text_config(), "final_logit_softcapping", None)
        logits = model.head(model.decoder.norm(row) if normed else row)[0].double().numpy()
    return logits if cap is None else np.tanh(logits / cap) * cap


def form_ids(model, text):
    """Ids of tokens that reach into a form after "a ", form by form."""
    ids = set()
    for form in forms(text):
        found = model.tokenizer("a " + form, add_special_tokens=False, return_offsets_mapping=True)
        for token, (_, end) in zip(found["input_ids"], found["offset_mapping"], strict=True):
            if end > 2:
                ids.add(token)
    return ids


def slowly(architecture, index, kept):
    """The quantities of one answer's kept tokens; no loop is left out."""
    model = miniature(architecture)
    batch = encode(model, [answers()[index]])
    states = [state[0].double().numpy() for state in eager(model, batch).hidden_states]
    groups, ids = batch.groups[0].tolist(), batch.inputs["input_ids"][0].tolist()
    image = [j for j, group in enumerate(groups) if group == IMAGE]
    start, depth = len(groups) - int(batch.responses[0]), model.depth
    runs = []
    for token in kept:
        if runs and runs[-1][-1] == token - 1:
            runs[-1].append(token)
        else:
            runs.append([token])
    out = {name: [] for need in parse(NEEDS) for name in need.arrays}
    for run in runs:
        columns = [start + token for token in run]
        for normed, name in ((False, "repo"), (True, "normed")):
            best, wanted = 0.0, form_ids(model, model.tokenizer.decode([ids[c] for c in columns]))
            for layer, state in enumerate(states):
                for i in image:
                    logits = lens(model, state[i], normed and layer < depth)
                    top = sorted(range(len(logits)), key=lambda v: -logits[v])[: grounding.TOP]
                    total = sum(np.exp(logits[v] - logits[top[0]]) for v in top)
                    best = max(
                        [best, *(np.exp(logits[v] - logits[top[0]]) / total for v in top if v in wanted)]
                    )
            out[f"internal_confidence:{name}@own"] += [best] * len(run)
        for row, shift, layers in (("own", 0, range(depth + 1)), ("gen", 1, [depth // 2])):
            found = []
            for layer in layers:
                mean = np.mean([states[layer][c - shift] for c in columns], axis=0)
                found.append(max(cosine(states[layer][i], mean) for i in image))
            name = "contextual_lens:all@own" if row == "own" else "contextual_lens:mid@gen"
            out[name] += [found if row == "own" else found[0]] * len(run)
        for column in columns:
            chances = {}
            for i in image:
                logits = lens(model, states[depth][i], False)
                chances[i] = np.exp(logits[ids[column]] - logits.max()) / np.exp(logits - logits.max()).sum()
            nearest = sorted(image, key=lambda i: -chances[i])
            thing = states[depth - 1][column - 1]
            local = [
                np.mean([cosine(states[depth][i], thing) for i in nearest[:count]])
                for count in (grounding.NEAREST, max(1, round(len(image) / grounding.PART)))
            ]
            paper = cosine(states[depth][start - 1], thing)
            repo = cosine(states[depth - 1][start - 1], states[depth][column - 1])
            out["glsim:repo@gen"].append([repo, *local])
            out["glsim:paper@gen"].append([paper, *local])
    return out


@pytest.mark.parametrize("architecture", SEEING)
def test_architectures_numbers_equal_those_computed_the_slow_way(architecture, monkeypatch):
    monkeypatch.setattr(grounding, "NEAREST", 3)  # fewer than there are, so that the choice matters
    monkeypatch.setattr(grounding, "TOP", 9)  # few enough for some tokens to be left out
    model = miniature(architecture)
    monkeypatch.setattr(outputs, "LOGITS", 4 * model.head.weight.shape[0] * 5)  # five rows at a time
    found = extract(model, answers(), NEEDS, batch_size=3, kept=KEPT)
    assert found.left_out == {}
    expected = [slowly(architecture, index, KEPT[f"item-{index}"]) for index in range(3)]
    for name in expected[0]:
        values = np.array([value for one in expected for value in one[name]])
        assert found.arrays[name].dtype == np.float32 and len(values) == 6
        np.testing.assert_allclose(found.arrays[name], values, atol=2e-5, rtol=1e-4, err_msg=name)


def test_these_numbers_differ_between_mentions_layers_and_variants():
    """Guards the test above: miniatures that say the same of everything would make it pass."""
    found = extract(miniature("llava"), answers(), NEEDS, batch_size=3, kept=KEPT).arrays
    assert np.ptp(found["contextual_lens:all@own"], axis=0).min() > 0.01
    assert np.abs(found["glsim:repo@gen"][:, 0] - found["glsim:paper@gen"][:, 0]).max() > 0.01
    assert np.ptp(found["internal_confidence:repo@own"]) > 0
    assert not np.allclose(found["internal_confidence:repo@own"], found["internal_confidence:normed@own"])


def test_neighbouring_kept_tokens_are_one_mention_and_all_tokens_are_each_one():
    model, samples = miniature("llava"), answers()
    needs = ["contextual_lens:last@own", "hidden:last@own"]
    kept = extract(model, samples, needs, kept=KEPT).arrays["contextual_lens:last@own"]
    assert kept[0] == kept[1] != kept[2]
    whole = extract(model, samples, needs).arrays["contextual_lens:last@own"]
    alone = extract(model, samples, needs, kept={"item-0": [2]}).arrays["contextual_lens:last@own"]
    assert alone[0] == pytest.approx(whole[2], abs=1e-6) and alone[0] != pytest.approx(kept[1], abs=1e-6)


def test_probabilities_share_all_among_the_likeliest():
    # Logits 3, 2, 1, 0 of one row and 0, 1, 2, 3 of another; of two likeliest, the first has 1 / (1 + 1/e).
    text = SimpleNamespace()
    head = torch.nn.Linear(4, 4, bias=False)
    torch.nn.init.eye_(head.weight)
    network = SimpleNamespace(config=SimpleNamespace(get_text_config=lambda: text))
    model = SimpleNamespace(head=head.requires_grad_(False), network=network)
    states = torch.tensor([[3.0, 2, 1, 0], [0.0, 1, 2, 3]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grounding, "TOP", 2)
        found = grounding.highest(model, states[:1], torch.tensor([0, 1, 2, 3]))
        np.testing.assert_allclose(found, [1 / (1 + np.exp(-1)), 1 / (1 + np.e), 0, 0], rtol=1e-6)
        both = grounding.highest(model, states, torch.tensor([2, 3]))
        np.testing.assert_allclose(both, [1 / (1 + np.e), 1 / (1 + np.exp(-1))], rtol=1e-6)


def test_items_without_a_kept_token_have_no_rows_and_do_not_move_others():
    model, samples = miniature("qwen2.5-vl"), answers()
    some = extract(model, samples, NEEDS, batch_size=3, kept={"item-1": [0, 3]})
    every = extract(model, samples, NEEDS, batch_size=3, kept=KEPT)
    for name, array in some.arrays.items():
        np.testing.assert_allclose(array, every.arrays[name][3:5], atol=1e-6)
    none = extract(model, samples, NEEDS, kept={})
    assert none.arrays["glsim:repo@gen"].shape == (0, 3)


def test_half_precision_gives_plain_numbers():
    from sheeplib.models import tiny

    model = tiny.build("llava", seed=1)
    model.network.to(torch.bfloat16)
    found = extract(model, answers()[:2], NEEDS)
    assert all(np.isfinite(array).all() for array in found.arrays.values())


def test_a_model_of_text_is_refused():
    with pytest.raises(InputError, match=r"'glsim:repo@gen' takes a model that sees"):
        extract(miniature("llama"), answers(), ["glsim"])


@pytest.mark.parametrize("architecture", SEEING)
def test_a_word_is_looked_up_as_it_stands_within_a_sentence(architecture):
    tokenizer = miniature(architecture).tokenizer
    for written in ("Dog", "dogs", "Dogs"):
        tokens = tuple(tokenizer(written, add_special_tokens=False)["input_ids"])
        ids = grounding._form_ids(tokenizer, tokens)
        for form in ("a dog", "a dogs"):
            found = tokenizer(form, add_special_tokens=False, return_offsets_mapping=True)
            inside = [
                i for i, (_, e) in zip(found["input_ids"], found["offset_mapping"], strict=True) if e > 2
            ]
            assert inside and set(inside) <= set(ids)
    blank = tuple(tokenizer(" ", add_special_tokens=False)["input_ids"])[:1]
    assert grounding._form_ids(tokenizer, blank) == blank


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" dog", ("dog", "dogs")),
        ("Dogs", ("Dogs", "dogs", "dog")),
        ("buses", ("buses", "bus", "busses")),
        ("bus", ("bus", "buses", "busses")),
        ("people", ("people", "person", "persons")),
        ("Traffic Lights", ("Traffic Lights", "traffic lights", "traffic light")),
        ("glass", ("glass", "glasses")),
        (" \n", ()),
        ("狗", ("狗", "狗s")),
    ],
)
def test_forms_of_a_word(text, expected):
    assert forms(text) == expected


@given(st.text(max_size=30))
def test_forms_of_any_text_are_distinct_and_begin_with_the_text(text):
    found = forms(text)
    assert len(set(found)) == len(found) and (found[0] == text.strip() if text.strip() else found == ())

"""Predictions and evidence against the definitions, written out without any shortcut."""

import gc
import itertools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from readers import answers, miniature
from sheeplib.errors import InputError
from sheeplib.features import evidence, outputs
from sheeplib.features.evidence import Output
from sheeplib.features.needs import parse


def model_of(head, **config):
    """As much of a model as predictions need: its output layer and its text configuration."""
    text = SimpleNamespace(**config)
    network = SimpleNamespace(config=SimpleNamespace(get_text_config=lambda: text))
    return SimpleNamespace(head=head, network=network, decoder=SimpleNamespace(norm=torch.nn.RMSNorm(16)))


def linear(outputs, inputs, seed=0, bias=False):
    generator = torch.Generator().manual_seed(seed)
    layer = torch.nn.Linear(inputs, outputs, bias=bias)
    with torch.no_grad():
        for weights in layer.parameters():
            weights.copy_(torch.randn(weights.shape, generator=generator))
    return layer


def states_of(rows, width, seed=1):
    return torch.randn(rows, width, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("chunk", [1, 3, 1000])
def test_probabilities_of_a_random_vocabulary(monkeypatch, chunk):
    monkeypatch.setattr(outputs, "LOGITS", chunk * 50 * 4)
    head, states, targets = linear(50, 16), states_of(7, 16), torch.arange(7) * 5
    with torch.inference_mode():
        found = outputs.predictions(model_of(head), states, targets, parse(["gen_logits"]))
    logits = (states.double() @ head.weight.double().T).detach().numpy()
    for row, target in enumerate(targets.tolist()):
        p = np.exp(logits[row]) / np.exp(logits[row]).sum()
        assert found["max_prob"][row].item() == pytest.approx(p.max(), rel=1e-5)
        assert found["target_prob"][row].item() == pytest.approx(p[target], rel=1e-4)
        assert found["token_nll"][row].item() == pytest.approx(-np.log(p[target]), rel=1e-5)
        assert found["entropy"][row].item() == pytest.approx(-(p * np.log(p)).sum(), rel=1e-4, abs=1e-6)
        assert found["top_token"][row].item() == p.argmax()
        assert found["target_token"][row].item() == target


def test_probabilities_of_extreme_logits():
    # Even logits: all of log V. One logit of 1e4 above: nothing overflows, the target costs 1e4 nats.
    even, sure = torch.full((1, 8), 3e4), torch.zeros(1, 8)
    sure[0, 2] = 1e4
    largest, _, cost, spread, _ = outputs.probabilities(even, torch.tensor([1]))
    assert largest.item() == pytest.approx(1 / 8)
    assert cost.item() == spread.item() == pytest.approx(np.log(8))
    largest, share, cost, spread, top = outputs.probabilities(sure, torch.tensor([1]))
    assert (largest.item(), share.item(), cost.item(), spread.item(), top.item()) == (1, 0, 1e4, 0, 2)


def test_soft_capped_logits_are_capped_for_probabilities_alone():
    head, states, target = linear(50, 16), states_of(3, 16), torch.tensor([4, 5, 6])
    needs = parse(["gen_logits", "evidence"])
    with torch.inference_mode():
        capped = outputs.predictions(model_of(head, final_logit_softcapping=2.0), states, target, needs)
        plain = outputs.predictions(model_of(head), states, target, needs)
        logits = 2 * torch.tanh(head(states) / 2)
    expected = torch.nn.functional.cross_entropy(logits, target, reduction="none")
    torch.testing.assert_close(capped["token_nll"], expected)
    assert not torch.allclose(plain["token_nll"], expected)
    assert torch.equal(capped["evidence_positive"], plain["evidence_positive"])


def test_only_what_is_asked_for_comes_back():
    head, states, target = linear(50, 16), states_of(3, 16), torch.tensor([4, 5, 6])
    with torch.inference_mode():
        assert outputs.predictions(model_of(head), states, target, parse(["hidden:mid"])) == {}
        found = outputs.predictions(model_of(head), states, target, parse(["evidence"]))
    assert sorted(found) == ["conflict", "evidence_negative", "evidence_positive", "ignorance"]


def test_the_lens_norms_all_states_but_the_last():
    model, states = model_of(linear(50, 16)), states_of(5, 16)
    with torch.inference_mode():
        for normed, given in ((False, model.decoder.norm(states)), (True, states)):
            entropy, token = outputs.lens(model, states, normed)
            p = torch.softmax(model.head(given).double(), -1)
            torch.testing.assert_close(entropy.double(), -(p * p.log()).sum(-1), atol=1e-5, rtol=1e-5)
            assert torch.equal(token, p.argmax(-1))


def repo_by_tensors(states, weight):
    """EUQ's released computation with all its tensors: [n, V, D] of evidence, summed over V (not D).

    Every one of the D hypotheses gets the centred logits divided by V, over and over.
    """
    centred = weight - weight.mean(1, keepdim=True)
    shares = (states @ centred.T / len(weight))[:, :, None].expand(-1, -1, weight.shape[1])
    support, against = shares.clamp(min=0).sum(1), (-shares).clamp(min=0).sum(1)
    eta_support = 1 / (support.exp().sum(1) - support.shape[1] + 1)
    eta_against = 1 / (1 - (1 - (-against).exp()).prod(1))
    agreement = 1 - eta_against[:, None] * (-against).exp()
    conflict = (eta_support[:, None] * (support.exp() - 1) * agreement).sum(1)
    ignorance = (-against).exp().sum(1) * eta_support * eta_against / (1 - conflict)
    return support[:, 0], against[:, 0], conflict, ignorance


def test_the_closed_form_is_what_the_released_code_computes():
    head, states = linear(50, 16).double(), states_of(6, 16).double()
    weight = head.weight.detach()
    found = evidence.repo(states @ weight.T, states, Output(weight, None))
    for ours, theirs in zip(found, repo_by_tensors(states, weight), strict=True):
        # The states' sums go through single precision.
        torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-7)
    exact = evidence.alike(*repo_by_tensors(states, weight)[:2], 16)
    for ours, theirs in zip(exact, repo_by_tensors(states, weight)[2:], strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-11, atol=1e-12)


def test_evidence_of_many_alike_hypotheses_has_simple_limits():
    # K large: CF -> 1 - exp(-N), IG -> 1 / (exp(P) - 1). N = 0: no conflict. N = 60: 1 - weak rounds to 1.
    positive, negative = torch.tensor([0.7, 2.0, 0.7, 1.0]), torch.tensor([0.5, 1.0, 0.0, 60.0])
    conflict, ignorance = evidence.alike(positive, negative, 4096)
    assert conflict[:2].tolist() == pytest.approx((1 - torch.exp(-negative[:2].double())).tolist(), abs=1e-3)
    assert ignorance[:2].tolist() == pytest.approx(
        (1 / torch.expm1(positive[:2].double())).tolist(), rel=1e-3
    )
    assert conflict[2].item() == 0
    # All weak alike and tiny: doubt = K weak, so CF = gain / (gain + 1) (1 - 1/K).
    gain = 4096 * np.expm1(1.0)
    assert conflict[3].item() == pytest.approx(gain / (gain + 1) * (1 - 1 / 4096), abs=1e-12)


def dempster(support, against):
    """Combine one simple mass for and one against each hypothesis, set by set.

    Returns the masses of all subsets before normalising (the empty set holds the conflict), and the
    normalised plausibility of each hypothesis.
    """
    count = len(support)
    everything = frozenset(range(count))
    parts = [({frozenset([k]): 1 - np.exp(-w), everything: np.exp(-w)}) for k, w in enumerate(support)]
    parts += [({everything - {k}: 1 - np.exp(-w), everything: np.exp(-w)}) for k, w in enumerate(against)]

    def combine(parts, normalise):
        total = {everything: 1.0}
        for part in parts:
            found = {}
            for (a, x), (b, y) in itertools.product(total.items(), part.items()):
                found[a & b] = found.get(a & b, 0.0) + x * y
            if normalise:
                empty = found.pop(frozenset(), 0.0)
                found = {key: value / (1 - empty) for key, value in found.items()}
            total = found
        return total

    # The conflict of EUQ is that between all positive and all negative evidence, each normalised in itself.
    positive, negative = combine(parts[:count], True), combine(parts[count:], True)
    conflict = sum(
        x * y for (a, x), (b, y) in itertools.product(positive.items(), negative.items()) if not a & b
    )
    whole = combine(parts, True)
    plausible = np.array([sum(m for subset, m in whole.items() if k in subset) for k in range(count)])
    return conflict, whole[everything], plausible / plausible.sum()


@pytest.mark.parametrize("seed", range(5))
def test_canonical_evidence_equals_dempsters_rule_set_by_set(seed):
    # K = 4 hypotheses, J = 3 features.
    head, states = linear(4, 3, seed), states_of(3, 3, seed + 10)
    weight = (head.weight - head.weight.mean(0)).detach().double().numpy()
    with torch.inference_mode():
        found = [values.numpy() for values in evidence.canonical(head(states), states, evidence.output(head))]
    for row, phi in enumerate(states.double().numpy()):
        pieces = weight * phi
        support, against = np.maximum(pieces, 0).sum(1), np.maximum(-pieces, 0).sum(1)
        conflict, frame, plausible = dempster(support, against)
        assert found[0][row] == pytest.approx(conflict, rel=1e-4, abs=1e-6)
        assert found[1][row] == pytest.approx(np.log1p(-conflict), rel=1e-4, abs=1e-6)
        # m(whole frame) = eta eta+ eta- exp(-sum e-), so ignorance is m times sum exp(-e-) / exp(-sum e-).
        ignorance = frame * np.exp(-against).sum() / np.exp(-against.sum())
        assert found[2][row] == pytest.approx(np.log(ignorance), rel=1e-4, abs=1e-5)
        logits = weight @ phi
        assert plausible == pytest.approx(np.exp(logits) / np.exp(logits).sum(), rel=1e-6)


def test_canonical_evidence_far_from_one():
    """Where exponentials overflow: against the formulas in a hundred digits, term by term."""
    from decimal import Decimal, getcontext

    getcontext().prec = 100
    support = torch.tensor([[120.0, 90, 0, 300], [1e-3, 5, 2, 0], [900, 800, 850, 0]], dtype=torch.float64)
    against = torch.tensor([[80.0, 95, 60, 100], [30, 45, 22, 21.5], [25, 800, 850, 0]], dtype=torch.float64)
    conflict, agreement, ignorance = evidence.combined(support, against)
    for row in range(3):
        plus = [Decimal(x) for x in support[row].tolist()]
        minus = [Decimal(x) for x in against[row].tolist()]
        one = Decimal(1)
        eta_plus = one / (sum(x.exp() for x in plus) - len(plus) + 1)
        product = one
        for x in minus:
            product *= one - (-x).exp()
        eta_minus = one / (one - product)
        shares = zip(plus, minus, strict=True)
        cf = sum(eta_plus * (p.exp() - 1) * (one - eta_minus * (-m).exp()) for p, m in shares)
        ig = sum((-x).exp() for x in minus) * eta_plus * eta_minus / (one - cf)
        assert conflict[row].item() == pytest.approx(float(cf), abs=1e-10)
        assert agreement[row].item() == pytest.approx(float((one - cf).ln()), rel=1e-8, abs=1e-12)
        assert ignorance[row].item() == pytest.approx(float(ig.ln()), rel=1e-8, abs=1e-8)


def test_evidence_does_not_depend_on_how_rows_are_cut(monkeypatch):
    head, states = linear(50, 16), states_of(9, 16)
    with torch.inference_mode():
        whole = evidence.canonical(head(states), states, evidence.output(head))
        monkeypatch.setattr(evidence, "PART", 2 * 8 * 50)
        cut = evidence.canonical(head(states), states, evidence.output(head))
    for a, b in zip(whole, cut, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-12)


def test_canonical_evidence_with_a_bias_is_refused_and_the_released_one_is_not():
    head, states = linear(50, 16, bias=True), states_of(3, 16)
    with torch.inference_mode():
        with pytest.raises(InputError, match="bias"):
            evidence.canonical(head(states), states, evidence.output(head))
        assert all(
            values.isfinite().all() for values in evidence.repo(head(states), states, evidence.output(head))
        )


@pytest.mark.parametrize("bias", [False, True])
def test_evidence_of_half_precision_rests_on_logits_in_single_precision(bias):
    head, states = linear(20_000, 16, bias=bias).to(torch.bfloat16), states_of(3, 16).to(torch.bfloat16)
    with torch.inference_mode():
        logits = evidence.output(head).logits(states)
        exact = states.float() @ head.weight.float().T + (head.bias.float() if bias else 0)
        torch.testing.assert_close(logits, exact, rtol=1e-5, atol=1e-5)
        assert not torch.allclose(head(states).float(), exact, rtol=1e-5, atol=1e-5)
        found = outputs.predictions(model_of(head), states, torch.tensor([1, 2, 3]), parse(["evidence"]))
        expected = evidence.repo(logits, states, evidence.output(head))[0]
        assert torch.equal(found["evidence_positive"], expected)


def test_centred_weights_are_computed_once_and_forgotten_with_the_layer():
    head = linear(50, 16)
    before = len(evidence._OUTPUTS)
    first = evidence.output(head)
    assert evidence.output(head) is first and first.distances is first.distances
    head.weight = torch.nn.Parameter(torch.zeros(50, 16))
    assert evidence.output(head) is not first and not evidence.output(head).distances.any()
    del head, first
    gc.collect()
    assert len(evidence._OUTPUTS) == before


def test_predictions_of_a_real_class_are_those_of_its_own_loss():
    from sheeplib.models.encoding import encode

    model = miniature("qwen3")
    batch = encode(model, [replace(answers()[0], image=None)])
    tokens = int(batch.responses[0])
    with torch.inference_mode():
        labels = batch.inputs["input_ids"].clone()
        labels[:, :-tokens] = -100
        loss = model.network(**batch.inputs, labels=labels, use_cache=False).loss
        states = model.body(**batch.inputs, use_cache=False).last_hidden_state[0, -tokens - 1 : -1]
        targets = batch.inputs["input_ids"][0, -tokens:]
        found = outputs.predictions(model, states, targets, parse(["nll"]))
    assert found["token_nll"].mean().item() == pytest.approx(loss.item(), rel=1e-5)

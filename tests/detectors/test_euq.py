"""Conflict and ignorance: closed forms against Dempster's rule, set by set, and against the extractor's."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sheeplib.detectors import dempster, euq
from sheeplib.errors import InputError


def by_sets(said):
    """CF, IG and normalised plausibilities of pieces (K, J), by combining one mass for each piece."""
    frame = range(len(said))
    for_it, against = [], []
    for word, row in enumerate(said):
        others = [other for other in frame if other != word]
        for_it += [dempster.simple({word}, weight, frame) for weight in row if weight > 0]
        against += [dempster.simple(others, -weight, frame) for weight in row if weight < 0]
    nothing = dempster.simple(frame, 0.0, frame)
    plus, minus = dempster.combined([nothing, *for_it]), dempster.combined([nothing, *against])
    conflict = dempster.conflict(plus, minus)
    whole = dempster.combined([plus, minus])
    weak = np.exp(-np.maximum(-said, 0).sum(1))
    # m(frame) = eta eta+ eta- exp(-sum e-), and IG = eta eta+ eta- sum exp(-e-)
    ignorance = whole[frozenset(frame)] * weak.sum() / weak.prod()
    plausible = np.array([dempster.plausibility(whole, word) for word in frame])
    return conflict, ignorance, plausible / plausible.sum()


@pytest.mark.parametrize("words, features", [(2, 1), (3, 2), (4, 3), (5, 2)])
def test_closed_forms_equal_dempsters_rule_set_by_set(words, features):
    rng = np.random.default_rng(words)
    for _ in range(4):
        weight, phi = rng.normal(size=(words, features)), rng.normal(size=features)
        said = euq.pieces(weight, phi, rng.normal(size=words))
        conflict, ignorance, plausible = by_sets(said)
        found = euq.combined(*euq.evidence(said))
        assert found.cf == pytest.approx(conflict, abs=1e-12)
        assert found.ig == pytest.approx(ignorance, rel=1e-10)
        assert euq.plausibilities(*euq.evidence(said)) == pytest.approx(plausible, rel=1e-10)


@pytest.mark.parametrize("bias", [None, [0.5, -2.0, 0.1]])
def test_plausibilities_are_the_softmax_of_the_logits(bias):
    # Not by their formula alone: by combining one mass for each piece, set by set.
    weight, phi = np.array([[1.0, -0.5], [0.3, 2.0], [-1.0, 0.2]]), np.array([0.7, -1.2])
    logits = weight @ phi + (0 if bias is None else np.array(bias))
    softmax = np.exp(logits) / np.exp(logits).sum()
    said = euq.pieces(weight, phi, bias)
    assert by_sets(said)[2] == pytest.approx(softmax, rel=1e-12)
    assert euq.plausibilities(*euq.evidence(said)) == pytest.approx(softmax, rel=1e-12)


def test_a_conflict_by_hand():
    # Two words, one piece of weight log 2 for the first and one against it: mass 1/2 for {0}, 1/2 against
    # {0}, so that CF = 1/4. IG = eta eta+ eta- (1/2 + 1): eta+ = 1 / (2 + 1 - 2 + 1) = 1/2; the second
    # word has nothing against it, so eta- = 1; eta = 4/3. IG = 4/3 * 1/2 * 3/2 = 1.
    found = euq.combined([np.log(2), 0], [np.log(2), 0])
    assert found.cf == pytest.approx(1 / 4) and found.ig == pytest.approx(1)
    assert found.conflict == pytest.approx(-np.log(3 / 4)) and found.ignorance == pytest.approx(0, abs=1e-12)


def test_no_evidence_is_no_conflict_and_all_ignorance():
    # eta+ = eta- = eta = 1, and each of K words gives exp(0): IG = K.
    found = euq.combined(np.zeros(4), np.zeros(4))
    assert found.conflict == 0 and found.ig == pytest.approx(4)
    assert not np.signbit(found.conflict)


def test_one_sided_evidence_never_conflicts():
    rng = np.random.default_rng(3)
    said = euq.pieces(rng.normal(size=(6, 5)), rng.normal(size=5))
    assert euq.combined(*euq.evidence(said)).cf > 0.1
    assert euq.combined(*euq.one_sided(said)).cf == pytest.approx(0, abs=1e-12)
    # The same probabilities, all the same.
    one, other = euq.plausibilities(*euq.evidence(said)), euq.plausibilities(*euq.one_sided(said))
    assert one == pytest.approx(other, rel=1e-12)


weights = arrays(float, (3, 4), elements=st.floats(0, 900))


@given(weights, weights)
@settings(max_examples=60, deadline=None)
def test_numbers_of_any_size_stay_in_bounds(support, against):
    found = euq.combined(support, against)
    assert (found.conflict >= 0).all() and ((found.cf >= 0) & (found.cf <= 1)).all()
    assert np.isfinite(found.conflict).all() and np.isfinite(found.ignorance).all()


@given(st.floats(0, 900), st.floats(0, 900), st.integers(1, 8192))
@settings(max_examples=60, deadline=None)
def test_conflict_of_alike_hypotheses_is_at_most_the_logarithm_of_their_number(positive, negative, count):
    found = euq.alike(positive, negative, count)
    assert 0 <= found.conflict <= np.log(count) + 1e-9
    assert np.isfinite(found.ignorance)


def test_alike_is_combined_of_equal_numbers():
    for positive, negative in [(0.7, 0.5), (2.0, 0.0), (0.0, 1.0), (3.0, 30.0)]:
        one = euq.alike(positive, negative, 7)
        other = euq.combined(np.full(7, positive), np.full(7, negative))
        assert one.conflict == pytest.approx(other.conflict, abs=1e-9)
        assert one.ignorance == pytest.approx(other.ignorance, abs=1e-9)


def released_with_all_tensors(weight, phi):
    """EUQ's released computation, step by step: [V, D] of shares, summed over the words."""
    words, width = weight.shape
    centred = weight - weight.mean(1, keepdims=True)
    shares = np.repeat((centred @ phi / words)[:, None], width, axis=1)
    support, against = np.maximum(shares, 0).sum(0), np.maximum(-shares, 0).sum(0)
    eta_support = 1 / (np.exp(support).sum() - width + 1)
    eta_against = 1 / (1 - (1 - np.exp(-against)).prod())
    conflict = (eta_support * (np.exp(support) - 1) * (1 - eta_against * np.exp(-against))).sum()
    return conflict, np.exp(-against).sum() * eta_support * eta_against / (1 - conflict)


def test_the_released_code_in_closed_form():
    rng = np.random.default_rng(5)
    for _ in range(5):
        weight, phi = rng.normal(size=(50, 16)), rng.normal(size=16)
        found = euq.released(weight, phi)
        assert (found.cf, found.ig) == pytest.approx(released_with_all_tensors(weight, phi), rel=1e-10)


def test_both_variants_equal_what_the_extractor_computes():
    torch = pytest.importorskip("torch")
    from sheeplib.features import evidence

    rng = np.random.default_rng(6)
    weight, states = rng.normal(size=(30, 8)).astype("float32"), rng.normal(size=(5, 8)).astype("float32")
    head = evidence.Output(torch.from_numpy(weight), None)
    logits = torch.from_numpy(states @ weight.T)
    conflict, agreement, ignorance = evidence.canonical(logits, torch.from_numpy(states), head)
    *_, code_conflict, code_ignorance = evidence.repo(logits, torch.from_numpy(states), head)
    for row, phi in enumerate(states):
        ours = euq.combined(*euq.evidence(euq.pieces(weight, phi)))
        assert ours.cf == pytest.approx(conflict[row].item(), rel=1e-4)
        assert -ours.conflict == pytest.approx(agreement[row].item(), rel=1e-4)
        assert ours.ignorance == pytest.approx(ignorance[row].item(), rel=1e-4, abs=1e-4)
        code = euq.released(weight, phi)
        assert code.cf == pytest.approx(code_conflict[row].item(), rel=1e-4)
        assert code.ig == pytest.approx(code_ignorance[row].item(), rel=1e-4)
    support, against = rng.exponential(20, (40, 6)), rng.exponential(20, (40, 6))
    ours, theirs = (
        euq.combined(support, against),
        evidence.combined(*map(torch.from_numpy, (support, against))),
    )
    assert -ours.conflict == pytest.approx(theirs[1].numpy(), rel=1e-9, abs=1e-12)
    assert ours.ignorance == pytest.approx(theirs[2].numpy(), rel=1e-9)


def test_what_does_not_fit_is_refused():
    with pytest.raises(InputError, match="does not take features"):
        euq.pieces(np.ones((3, 2)), np.ones(3))
    with pytest.raises(InputError, match="does not take features"):
        euq.released(np.ones((3, 2)), np.ones(3))
    with pytest.raises(InputError, match="differ in shape"):
        euq.combined(np.ones(3), np.ones(2))
    with pytest.raises(InputError, match="never negative"):
        euq.combined([1.0, -0.1], [0.0, 0.0])
    with pytest.raises(InputError, match="never negative"):
        euq.combined([1.0, np.nan], [0.0, 0.0])
    with pytest.raises(InputError, match="never negative"):
        euq.alike(-1.0, 0.0, 3)


def tokens(**columns):
    number = len(next(iter(columns.values())))
    frame = {"item": pd.array(["a"] * number, "string"), "evaluator": "e", "token": range(number)}
    return pd.DataFrame(frame | {"start": range(number), "end": range(1, number + 1)} | columns)


def test_scores_of_stored_columns():
    stored = tokens(
        conflict=np.float32([0, 0.5, 1]),
        ignorance=np.float32([1, 0.5, 0]),
        canonical_log_agreement=np.float32([-0.0, -30, -2]),
        canonical_log_ignorance=np.float32([3, -1, 0]),
    )
    found = euq.scores(stored)
    assert list(found) == ["item", "token", "start", "end", "conflict", "ignorance"]
    assert found["conflict"].tolist() == [0, pytest.approx(np.log(2)), pytest.approx(25 * np.log(2))]
    assert found["ignorance"].tolist() == [0, pytest.approx(-np.log(2)), pytest.approx(-149 * np.log(2))]
    after_theory = euq.scores(stored, "canonical")
    assert after_theory["conflict"].tolist() == [0, 30, 2]
    assert after_theory["ignorance"].tolist() == [3, -1, 0]
    assert not np.signbit(after_theory["conflict"]).any()


def test_scores_that_cannot_be_read():
    stored = tokens(conflict=[0.5, np.nan], ignorance=[0.1, 0.2])
    with pytest.raises(InputError, match="item a, token 1: evidence is not a number"):
        euq.scores(stored)
    with pytest.raises(InputError, match="canonical_log_agreement.*evidence:canonical@gen"):
        euq.scores(stored, "canonical")
    with pytest.raises(InputError, match="Use one of repo, canonical"):
        euq.scores(stored, "lcp_point")

"""Formulas against the definitions, written out on a plain eager pass; and what they find in the meadow."""

from functools import partial

import numpy as np
import pytest

from mention_material import captions, clover, mentions, stored
from readers import answers, eager, miniature
from sheeplib.detectors.mention_sets import read_set
from sheeplib.detectors.rankings import auroc
from sheeplib.detectors.svar import middle
from sheeplib.detectors.training_free import SEVEN, TRAINING_FREE, score
from sheeplib.errors import InputError
from sheeplib.features.needs import METHODS, parse
from sheeplib.models.encoding import IMAGE, encode


@pytest.fixture(scope="module", params=["llava", "qwen2.5-vl", "gemma3"])
def pair(request, tmp_path_factory):
    """Mentions with features, and for each a plain eager pass over its caption and the columns it is in."""
    found = read_set(captions(), mentions(), stored(tmp_path_factory.mktemp("store"), request.param))
    model, passes = miniature(request.param), {}
    for sample in answers():
        batch = encode(model, [sample])
        passes[sample.item] = batch, eager(model, batch)
    rows = []
    for row in found.table.itertuples():
        batch, out = passes[row.item]
        offsets = batch.offsets[0]
        tokens = [t for t, (s, e) in enumerate(offsets) if s < row.end and e > row.start and e > s]
        text = answers()[int(row.item[-1])].response
        tokens = [t for t in tokens if text[offsets[t][0] : offsets[t][1]].strip()]
        start = batch.groups.shape[1] - len(offsets)
        rows.append((batch, out, start, [start + t for t in tokens]))
    return found, rows


def image_mass(batch, out, layer, column):
    """Mean over heads of the attention to all image tokens."""
    seen = (batch.groups[0] == IMAGE).numpy()
    return out.attentions[layer][0, :, column].double().numpy()[:, seen].sum(1).mean()


def test_svar(pair):
    found, rows = pair
    depth = len(rows[0][1].attentions)
    layers = range(round(5 * depth / 32), round(18 * depth / 32) + 1)
    expected = [-sum(image_mass(b, o, layer, at[0] - 1) for layer in layers) for b, o, _, at in rows]
    np.testing.assert_allclose(found.scores("svar"), expected, atol=1e-5)
    last = [-image_mass(b, o, depth - 1, at[0] - 1) for b, o, _, at in rows]
    np.testing.assert_allclose(found.scores("svar", first=depth - 1, last=depth - 1), last, atol=1e-5)


def test_vade(pair):
    found, rows = pair
    expected = []
    for batch, out, start, at in rows:
        window = [c for c in range(at[-1] - 3, at[-1] + 1) if c >= start]
        layers = range(len(out.attentions))
        expected.append(-np.mean([image_mass(batch, out, layer, c - 1) for layer in layers for c in window]))
    np.testing.assert_allclose(found.scores("vade"), expected, atol=1e-5)
    share = found.scores("vade", per_token=True) * found.numbers.of_item("image_tokens")
    np.testing.assert_allclose(share, expected, atol=1e-5)


def test_pas(pair):
    found, rows = pair
    weights = [out.attentions[0][0, :, at[0]].double().numpy().mean(0) for _, out, _, at in rows]
    before = [w[start : at[0]].sum() for w, (_, _, start, at) in zip(weights, rows, strict=True)]
    np.testing.assert_allclose(found.scores("pas"), before, atol=1e-5)
    itself = [w[start : at[0] + 1].sum() for w, (_, _, start, at) in zip(weights, rows, strict=True)]
    np.testing.assert_allclose(found.scores("pas", itself=True), itself, atol=1e-5)


def test_nll_and_entropy(pair):
    found, rows = pair
    costs, spread = [], []
    for batch, out, _, at in rows:
        logits = out.logits[0].double().numpy()
        p = np.exp(logits - logits.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        costs.append([-np.log(p[c - 1, int(batch.inputs["input_ids"][0, c])]) for c in at])
        spread.append(-(p[at[0] - 1] * np.log(p[at[0] - 1])).sum())
    np.testing.assert_allclose(found.scores("nll"), [cost[0] for cost in costs], atol=1e-4)
    np.testing.assert_allclose(found.scores("nll", tokens="sum"), [sum(c) for c in costs], atol=1e-4)
    np.testing.assert_allclose(found.scores("nll", tokens="mean"), [np.mean(c) for c in costs], atol=1e-4)
    np.testing.assert_allclose(found.scores("entropy"), spread, atol=1e-4)


def test_overthinking(pair):
    found, _ = pair
    favourites, doubt = found.numbers.array("lens_token@gen"), found.numbers.array("lens_entropy@gen")
    depth = favourites.shape[1]
    expected = [
        len(set(a.tolist())) / depth * sum(map(float, b)) / depth
        for a, b in zip(favourites, doubt, strict=True)
    ]
    np.testing.assert_allclose(found.scores("overthinking"), expected, rtol=1e-6)


def test_what_is_near_the_image_is_less_suspicious(pair):
    """Numbers themselves are tested where they are made: tests/features/test_grounding.py."""
    found, _ = pair
    parts = found.numbers.array("glsim:repo@gen").astype(float)
    np.testing.assert_allclose(found.scores("glsim"), -(0.6 * parts[:, 0] + 0.4 * parts[:, 1]))
    np.testing.assert_allclose(found.scores("glsim", weight=0.0, nearest="share"), -parts[:, 2].astype(float))
    for name, array in (("internal_confidence", "internal_confidence:repo@own"),
                        ("contextual_lens", "contextual_lens:mid@own")):  # fmt: skip
        np.testing.assert_array_equal(found.scores(name), -found.numbers.array(array).astype(float))


@pytest.mark.parametrize(
    ("depth", "layers"), [(32, (5, 18)), (28, (4, 16)), (36, (6, 20)), (4, (1, 2)), (1, (0, 0))]
)
def test_middle_layers_scale_with_the_depth(depth, layers):
    # 5 * 28 / 32 = 4.375, 18 * 28 / 32 = 15.75; 5 * 36 / 32 = 5.625, 18 * 36 / 32 = 20.25
    assert middle(depth) == layers


@pytest.mark.parametrize("name", TRAINING_FREE)
def test_needs_of_detectors_are_those_of_their_methods(name):
    needs = [str(need) for need in parse(TRAINING_FREE[name].needs)]
    if name != "position_only":
        assert set(needs) <= {str(need) for need in parse(METHODS[name])}


@pytest.mark.parametrize("name", TRAINING_FREE)
def test_every_detector_scores_the_meadow(name):
    scores = clover("clover").scores(name)
    assert scores.dtype == np.float64 and np.isfinite(scores).all() and np.ptp(scores) > 0
    np.testing.assert_array_equal(scores, clover("clover").scores(name))


@pytest.mark.parametrize(
    ("name", "least"),
    [("internal_confidence", 0.85), ("contextual_lens", 0.85), ("nll", 0.8), ("svar", 0.55)],
)
def test_hallucinations_of_the_meadow_score_higher(name, least):
    found = clover("clover")
    asserted = found.select(found.table["status"].isin(["concrete", "hallucinated"]))
    wrong = asserted.table["status"].eq("hallucinated").to_numpy(bool)
    group = np.zeros(len(asserted), dtype=int)
    assert auroc(asserted.scores(name), wrong, group, 1)[0] > least
    shuffled = np.random.default_rng(0).permutation(wrong)
    assert 0.4 < auroc(asserted.scores(name), shuffled, group, 1)[0] < 0.6


def test_names_are_those_of_the_paper_and_known():
    assert set(SEVEN) < set(TRAINING_FREE) and len(SEVEN) == 7
    given = clover("clover")
    for wrong, said in (
        (partial(score, given, "svaar"), "no such detector without training"),
        (partial(score, given, "svar", layers=3), "no such option of 'svar'"),
        (partial(score, given, "svar", first=9), "no such layers"),
        (partial(score, given, "nll", tokens="last"), "first, sum or mean"),
        (partial(score, given, "glsim", nearest="all"), "no such option of GLSim"),
        (partial(score, given, "glsim", global_layers="paper"), "lack 'glsim:paper@gen'"),
    ):
        with pytest.raises(InputError, match=said):
            wrong()


def test_a_score_that_is_no_number_names_the_item(monkeypatch):
    given = clover("clover")
    nothing = np.full(len(given), np.nan)
    broken = TRAINING_FREE["svar"].__class__(lambda mentions: nothing, "", "", ())
    monkeypatch.setitem(TRAINING_FREE, "svar", broken)
    with pytest.raises(InputError, match="gives no number for a mention"):
        score(given, "svar")

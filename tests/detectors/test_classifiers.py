import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from sheeplib.detectors import classifiers, mlp
from sheeplib.detectors.classifiers import GRID, Best, Forest, Logistic, fit, grid_search, named
from sheeplib.detectors.token_labels import token_labels
from sheeplib.detectors.token_scores import codes
from sheeplib.errors import InputError
from small_detection import planted

QUICK = mlp.Settings(sizes=(16,), epochs=12, batch=64, rate=3e-3)


def data(seed=0, strength=2.0):
    corpus, features = planted(seed, strength=strength)
    gold = codes(token_labels(corpus, features.tokens)["label"])
    return features.matrix, gold, features.tokens["item"].to_numpy()


@pytest.mark.parametrize("settings", [QUICK, Forest(20), Logistic()])
def test_a_planted_signal_is_found_and_shuffled_labels_are_not(settings):
    matrix, gold, answers = data()
    other, other_gold, _ = data(1)
    found = fit(matrix, gold, answers, 6, np.random.default_rng(1), settings)
    probs = found.probabilities(other)
    assert probs.shape == (len(other), 6) and probs.sum(axis=1) == pytest.approx(1)
    assert (probs.argmax(axis=1) == other_gold).mean() > 0.75
    # labels at random, of both corpora: what was learned says nothing of the others
    mixed, others = (np.random.default_rng(2).permutation(labels) for labels in (gold, other_gold))
    probs = fit(matrix, mixed, answers, 6, np.random.default_rng(1), settings).probabilities(other)
    sure, wrong = 1 - probs[:, 5], others != 5
    assert np.mean(sure[wrong][:, None] > sure[~wrong]) == pytest.approx(0.5, abs=0.06)


@pytest.mark.parametrize("settings", [QUICK, Forest(5), Logistic()])
def test_the_same_seed_gives_the_same_numbers(settings):
    matrix, gold, answers = data()
    one, again, other = (
        fit(matrix, gold, answers, 6, np.random.default_rng(seed), settings).probabilities(matrix[:50])
        for seed in (3, 3, 4)
    )
    assert one.tobytes() == again.tobytes() and one.tobytes() != other.tobytes()


def test_the_network_applied_is_the_network_trained():
    import torch

    rng = np.random.default_rng(5)
    layers = [(rng.normal(size=(4, 3)).astype("f"), rng.normal(size=4).astype("f")),
              (rng.normal(size=(2, 4)).astype("f"), rng.normal(size=2).astype("f"))]  # fmt: skip
    twin = torch.nn.Sequential(
        torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Dropout(0.1), torch.nn.Linear(4, 2)
    )
    for layer, (weights, biases) in zip((twin[0], twin[3]), layers, strict=True):
        layer.weight.data, layer.bias.data = torch.tensor(weights), torch.tensor(biases)
    matrix = rng.normal(size=(7, 3)).astype("f")
    expected = twin.eval()(torch.tensor(matrix)).softmax(1).detach().numpy()
    assert mlp.Network(layers).probabilities(matrix) == pytest.approx(expected, abs=1e-6)


def test_training_leaves_torch_as_it_was():
    import torch

    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    threads = torch.get_num_threads()
    matrix, gold, answers = data()
    fit(matrix, gold, answers, 6, np.random.default_rng(1), mlp.Settings(sizes=(4,), epochs=1, batch=512))
    assert torch.equal(torch.rand(3), expected) and torch.get_num_threads() == threads


def test_classes_are_drawn_equally_often():
    classes = np.array([0] * 900 + [2] * 90 + [5] * 10)
    drawn = mlp._balanced(classes, np.random.default_rng(1))
    assert len(drawn) == 1000
    assert np.bincount(classes[drawn], minlength=6) / 1000 == pytest.approx(
        [1 / 3, 0, 1 / 3, 0, 0, 1 / 3], abs=0.06
    )
    assert np.bincount(drawn[classes[drawn] == 0]).max() < 10  # and the rows of a class, too


def test_whole_answers_are_kept_apart():
    answers = np.repeat(np.arange(40), 25)
    apart = classifiers._kept_apart(answers, np.random.default_rng(1))
    assert apart.sum() == 4 * 25 and all(len(set(apart[answers == n])) == 1 for n in range(40))


def test_a_far_value_and_a_constant_feature_do_no_harm():
    matrix, gold, answers = data()
    matrix = np.column_stack([matrix, np.ones(len(matrix))])
    found = fit(matrix, gold, answers, 6, np.random.default_rng(1), Logistic())
    far = matrix[:1].copy()
    far[0, 0] = 1e30
    assert np.abs(found.scaled(far)).max() == classifiers.FAR
    assert np.isfinite(found.probabilities(far)).all()


def test_a_label_that_is_never_seen_has_no_probability_of_its_own():
    matrix, gold, answers = data()
    some = np.isin(gold, [0, 5])
    probs = fit(
        matrix[some], gold[some], answers[some], 6, np.random.default_rng(1), Logistic()
    ).probabilities(matrix)
    assert (probs[:, 1:5] == 0).all()
    fine = gold == 5
    probs = fit(
        matrix[fine], gold[fine], answers[fine], 6, np.random.default_rng(1), Logistic()
    ).probabilities(matrix)
    assert (probs.argmax(axis=1) == 5).all()


def test_the_grid_is_ranked_on_the_answers_kept_apart():
    matrix, gold, answers = data()
    ranked, fitted = grid_search(matrix, gold, answers, 6, 1, ["logistic-0.1", "logistic-10"])
    assert set(ranked["name"]) == set(fitted) and ranked["validation_f1"].is_monotonic_decreasing
    assert set(GRID) >= {"mlp", "mlp-64", "forest-300", "forest-500", "logistic-1"}
    with pytest.raises(InputError, match="no such classifier .found 'svm'"):
        grid_search(matrix, gold, answers, 6, 1, ["svm"])


def test_classifiers_by_name_and_the_best_of_them():
    assert named("mlp", 3, 64) == mlp.Settings(epochs=3, batch=64)
    assert named("mlp-64", 3, 7) == replace(GRID["mlp-64"], epochs=3)
    assert named("forest-500", 3, 7) == Forest(500, 20, 2)
    with pytest.raises(InputError, match="no such classifier .found 'svm'.*forest-300.*grid"):
        named("svm")
    assert named("grid") == Best(tuple(GRID))
    matrix, gold, answers = data()
    names = ("logistic-0.1", "logistic-10")
    seed = int(np.random.default_rng(1).integers(2**31))
    ranked, fitted = grid_search(matrix, gold, answers, 6, seed, names)
    found = fit(matrix, gold, answers, 6, np.random.default_rng(1), Best(names))
    best = fitted[ranked["name"][0]]
    assert found.validation_f1 == best.validation_f1 == ranked["validation_f1"].max()
    assert (found.probabilities(matrix) == best.probabilities(matrix)).all()


def test_the_paper_s_settings_are_the_default():
    plain = mlp.Settings()
    assert (plain.sizes, plain.dropout, plain.epochs, plain.batch) == ((256, 64), 0.1, 10, 32)
    assert (plain.rate, plain.decay) == (1e-4, 0)
    other = GRID["mlp-64"]
    assert other.rate * other.batch / mlp.BATCH == pytest.approx(3e-4)  # as the grid has it


def test_too_little_or_broken_data_is_refused():
    matrix, gold, answers = data()
    with pytest.raises(InputError, match="1 answers to learn from"):
        fit(matrix[:5], gold[:5], answers[:5], 6, np.random.default_rng(1), QUICK)
    with pytest.raises(InputError, match="a feature is not finite"):
        fit(matrix * np.nan, gold, answers, 6, np.random.default_rng(1), QUICK)


def test_torch_is_not_imported_before_a_network_is_trained():
    code = "import sys, sheeplib.detectors.detection; print('torch' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "False"

"""Small networks: against torch, and the choice of the best epoch."""

import numpy as np
import pytest

from sheeplib.detectors import dense


def rows_and_truth(n=200, seed=0):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, 5)).astype(np.float32)
    return rows, rows[:, 0] + rng.normal(size=n) / 2 > 0


@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.parametrize("sizes", [(), (7,), (7, 6)])
def test_steps_are_those_of_torch(sizes, normalised):
    torch = pytest.importorskip("torch")
    rows, truth = rows_and_truth()
    settings = dense.Settings(sizes, dropout=0, normalised=normalised, decay=0.01)
    ours = dense._Training(5, np.random.default_rng(3), settings)
    layers = []
    for number, (weights, biases, *affine) in enumerate(ours.parameters):
        linear = torch.nn.Linear(*weights.shape)
        linear.weight.data, linear.bias.data = torch.tensor(weights.T.copy()), torch.tensor(biases.copy())
        layers.append(linear)
        if number < len(sizes):
            layers.append(torch.nn.ReLU())
            layers += [torch.nn.BatchNorm1d(len(biases))] if affine else []
    twin = torch.nn.Sequential(*layers)
    optimiser = torch.optim.Adam(twin.parameters(), 1e-3, weight_decay=0.01)
    for start in range(0, 200, 50):
        some, targets = rows[start : start + 50], truth[start : start + 50].astype(np.float32)
        ours.step(some, targets)
        optimiser.zero_grad()
        logits = twin(torch.tensor(some))[:, 0]
        torch.nn.functional.binary_cross_entropy_with_logits(logits, torch.tensor(targets)).backward()
        optimiser.step()
    expected = twin.eval()(torch.tensor(rows))[:, 0].detach().numpy()
    np.testing.assert_allclose(ours.trained().logits(rows), expected, atol=2e-5)


def test_the_epoch_that_does_best_on_rows_kept_apart_is_taken():
    rows, truth = rows_and_truth()
    flipped = truth ^ (np.random.default_rng(1).random(200) < 0.4)  # noise: training soon overdoes it
    apart = np.arange(200) < 60

    def loss(**options):
        settings = dense.Settings((64,), batch=16, rate=3e-3, **options)
        network = dense.train(rows, flipped, apart, np.random.default_rng(5), settings)
        return dense.cross_entropy(network.logits(rows[apart]), flipped[apart])

    each = [loss(epochs=epochs, patience=0) for epochs in range(1, 31)]  # the same path, cut at each epoch
    assert loss(epochs=30, patience=30) == min(each) < each[-1]
    assert loss(epochs=30, patience=1) == each[int(np.argmax(np.diff(each) >= 0))]  # stops at the first loss


def test_dropout_leaves_out_its_share_and_keeps_the_mean():
    settings = dense.Settings((4000,), dropout=0.25)
    network = dense._Training(5, np.random.default_rng(0), settings)
    rows, _ = rows_and_truth(50)
    plain = np.maximum(rows @ network.parameters[0][0] + network.parameters[0][1], 0)
    _, tape = network._forward(rows)
    assert tape[0]["kept"].mean() == pytest.approx(0.75, abs=0.005)  # 64 of 256
    assert tape[1]["inputs"].mean() == pytest.approx(plain.mean(), rel=0.02)


def test_cross_entropy_by_hand():
    # odds 1 and 3: -(log 1/2 + log 3/4) / 2, and certainty that is right costs nothing
    found = dense.cross_entropy(np.log([1.0, 3.0]), np.array([False, True]))
    assert found == pytest.approx(-(np.log(0.5) + np.log(0.75)) / 2)
    assert dense.cross_entropy(np.array([-1e4, 1e4]), np.array([False, True])) == 0

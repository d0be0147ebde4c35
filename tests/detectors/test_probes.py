"""Trained probes: planted signals are found, noise is not, and the same seed gives the same bits."""

import subprocess
import sys

import numpy as np
import pytest

from sheeplib.detectors import dense, probes
from sheeplib.detectors.rankings import auroc
from sheeplib.errors import InputError

RNG = np.random.default_rng(0)
VECTORS = RNG.normal(size=(600, 12)).astype(np.float32)
LABELS = VECTORS[:, 0] * VECTORS[:, 1] > 0  # no line tells them apart
IMAGES = np.repeat([f"image-{n}" for n in range(200)], 3)
LEARN = np.arange(600) < 400


def ranked(probe, labels=LABELS, vectors=VECTORS, seed=0):
    fitted = probes.fit(vectors[LEARN], labels[LEARN], probe, seed, IMAGES[LEARN])
    scores = fitted.score(vectors[~LEARN])
    assert scores.dtype == np.float64 and scores.shape == (200,)
    return auroc(scores, labels[~LEARN], np.zeros(200, int), 1)[0]


def test_networks_find_what_a_line_cannot():
    deep = probes.Probe("v", "", dense.Settings(epochs=200, patience=40))
    assert ranked(deep) > 0.85
    assert ranked(probes.Probe("v", "", probes.Logistic())) < 0.65


def test_every_probe_finds_a_plain_signal_and_nothing_in_shuffled_labels():
    plain = VECTORS[:, 2] + 0.3 * RNG.normal(size=600) > 0
    shuffled = np.random.default_rng(1).permutation(plain)
    for name in probes.PROBES:
        assert ranked(name, plain) > 0.9, name
        assert 0.35 < ranked(name, shuffled) < 0.65, name


def test_scores_do_not_depend_on_the_unit_of_a_feature():
    moved = VECTORS * np.float32(1024) + np.float32(4096)
    one, other = (probes.fit(v, LABELS, "dhcp", 0, IMAGES).score(v) for v in (VECTORS, moved))
    np.testing.assert_allclose(one, other, atol=0.02)


def test_what_lies_far_off_is_taken_to_lie_at_ten_deviations():
    fitted = probes.fit(VECTORS, LABELS, "hidden_mid", 0, IMAGES)
    far, farther = VECTORS[:1].copy(), VECTORS[:1].copy()
    far[0, 3], farther[0, 3] = 1e3, 1e6
    assert fitted.score(far) == fitted.score(farther)


def test_a_constant_feature_does_no_harm():
    vectors = np.column_stack([VECTORS, np.full(600, 7.0)])
    assert np.isfinite(probes.fit(vectors, LABELS, "lookback", 0, IMAGES).score(vectors)).all()


def test_images_and_not_mentions_are_kept_apart():
    apart = probes._apart(IMAGES, np.random.default_rng(0))
    assert apart.sum() == 60  # a tenth of 200 images, three mentions each
    assert all(len(set(apart[image == IMAGES])) == 1 for image in set(IMAGES))


def test_the_same_seed_gives_the_same_bits_in_another_process_with_other_threads():
    code = (
        "import sys, numpy as np; sys.path.insert(0, 'tests/detectors'); from test_probes import *; "
        "print(probes.fit(VECTORS, LABELS, 'hidden_mid', 4, IMAGES).score(VECTORS).tobytes().hex()[:400])"
    )
    import os

    many = {**os.environ, "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=many, check=True)
    here = probes.fit(VECTORS, LABELS, "hidden_mid", 4, IMAGES).score(VECTORS).tobytes().hex()[:400]
    assert done.stdout.strip() == here
    other = probes.fit(VECTORS, LABELS, "hidden_mid", 5, IMAGES).score(VECTORS).tobytes().hex()[:400]
    assert other != here


def test_importing_probes_loads_neither_torch_nor_scikit_learn():
    code = "import sys, sheeplib.detectors.probes; print({'torch', 'sklearn'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"probe": "nonesuch"}, "no such probe"),
        ({"labels": LABELS[:5]}, "differ in length"),
        ({"labels": np.zeros(600, bool)}, "one class alone"),
        ({"labels": np.full(600, 2)}, "not true or false"),
        ({"vectors": np.where(VECTORS > 3, np.nan, VECTORS)}, "not finite"),
    ],
)
def test_what_cannot_be_fitted_is_refused(change, said):
    given = {"vectors": VECTORS, "labels": LABELS, "probe": "dhcp", "seed": 0, "groups": IMAGES} | change
    with pytest.raises(InputError, match=said):
        probes.fit(**given)


def test_vectors_of_another_model_are_refused():
    with pytest.raises(InputError, match="another shape"):
        probes.fit(VECTORS, LABELS, "dhcp", 0, IMAGES).score(VECTORS[:, :5])

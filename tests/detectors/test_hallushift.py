import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from sheeplib import tables
from sheeplib.corpora import Corpus
from sheeplib.detectors.hallushift import IN_KIT, SCALARS, SEQUENCE, hallushift, sequence_features
from sheeplib.errors import InputError

TOP = np.array([0.8, 0.4, 0.6, 0.9])


def store(layers=3):
    """Three tokens of answer i, the last said twice, and one of j, in the order of no corpus."""
    columns = pd.DataFrame(
        {
            "item": ["j", "i", "i", "i"],
            "evaluator": "m",
            "token": [0, 0, 1, 2],
            "start": [0, 0, 1, 5],
            "end": [1, 1, 5, 9],
            "max_prob": [0.9, 0.8, 0.4, 0.6],
            "target_prob": [0.9, 0.2, 0.4, 0.0],
            "token_nll": [-math.log(0.9), -math.log(0.2), -math.log(0.4), 40.0],
            "target_token": [5, 7, 8, 8],
            "layer_cosine": [1.0, 0.0, -1.0, 0.5],
        }
    )
    arrays = {
        "hidden_norms@own": np.arange(4 * (layers + 1)).reshape(4, -1).astype(np.float32),
        "attention_entropy@own": np.arange(4 * layers).reshape(4, -1) / 10,
        "attention_gini:last3@own": np.array([[0.5] * 3, [0.1, 0.2, 0.3], [0, 0, 0], [1, 1, 1]]),
        "visible_keys@own": np.array([4, 4, 5, 8]),
    }
    places = ["item", "evaluator", "token", "start", "end"]
    frame = tables.validate("tokens", columns)
    return SimpleNamespace(
        tokens=lambda names: frame[[*places, *names]], array=arrays.get, path="here",
        shards=SimpleNamespace(key="abc"),
    )  # fmt: skip


def corpus(*names):
    items = pd.DataFrame({"item": list(names), "corpus": "test", "response": "A red dog."[:10]})
    for column in ("split", "language", "prompt", "image", "strategy", "model", "source", "prelabel"):
        items[column] = pd.NA
    return Corpus("test", tables.validate("items", items))


def test_names_and_their_number_are_those_of_the_paper():
    assert len(SCALARS) == len(set(SCALARS)) == 21
    found = hallushift(store(layers=32), corpus("i", "j"), attention_means=True)
    assert found.matrix.shape == (4, 118) and len(found.names) == 118  # 3 * 32 + 1 + 21
    assert found.names[:2] == ("hidden_layer_norm_0", "hidden_layer_norm_1")
    assert (found.names[33], found.names[65], found.names[97]) == (
        "attn_mean_0",
        "attn_entropy_0",
        "max_prob",
    )
    plain = hallushift(store(), corpus("i", "j"))
    assert len(plain.names) == 2 * 3 + 1 + 21 and not any("attn_mean" in name for name in plain.names)


def test_numbers_worked_out_by_hand():
    found = hallushift(store(), corpus("i", "j"))
    assert found.tokens["item"].tolist() == ["i", "i", "i", "j"] and found.key == "abc"

    def column(name):
        return found.columns(name)[:, 0].tolist()

    assert column("max_prob") == pytest.approx([0.8, 0.4, 0.6, 0.9])
    assert column("perplexity") == column("inverse_max_prob") == pytest.approx(-np.log([0.8, 0.4, 0.6, 0.9]))
    assert column("token_nll") == column("target_token_perplexity")
    assert column("layer_consistency") == pytest.approx([0.5, 0, 0.75, 1])  # (1 + cosine) / 2
    assert column("layer_inconsistency") == pytest.approx([0.5, 1, 0.25, 0])
    assert column("attn_gini_mean_last3") == pytest.approx([0.2, 0, 1, 0.5])
    # of .1, .2, .3: mean .2, variance (.01 + 0 + .01) / 3
    assert column("attn_gini_std_last3") == pytest.approx([math.sqrt(0.02 / 3), 0, 0, 0], abs=1e-7)
    # .8, .4, .6 at places -1, 0, 1 from the middle: slope (-.8 + .6) / 2 = -.1
    assert column("hspp_confidence_trend") == pytest.approx([-0.1] * 3 + [0])
    assert column("hspp_mean_confidence") == pytest.approx([0.6] * 3 + [0.9])
    assert column("hspp_low_conf_frac") == pytest.approx([1 / 3] * 3 + [0])
    # tokens 7, 8, 8: two of three distinct; pairs 78, 88: both distinct
    assert column("unique_repetition_ratio") == pytest.approx([1 / 3] * 3 + [0], abs=1e-7)
    assert column("normalized_unique_tokens") == pytest.approx([2 / 3] * 3 + [1])
    assert column("bigram_repetition_ratio") == [0, 0, 0, 0]
    assert column("token_text_len") == [1, 4, 4, 1] and column("token_index") == [0, 1, 2, 0]
    assert column("response_len") == [10] * 4
    assert found.columns("hidden_layer_norm_0")[:, 0].tolist() == [4, 8, 12, 0]
    assert np.isfinite(found.matrix).all()


def test_as_printed_perplexities_are_reciprocals():
    found = hallushift(store(), corpus("i", "j"), reciprocals=True)
    assert found.columns("perplexity")[:, 0] == pytest.approx([1.25, 2.5, 1 / 0.6, 1 / 0.9])
    assert found.columns("target_token_perplexity")[:, 0] == pytest.approx([5, 2.5, 1e12, 1 / 0.9])
    mean = (1.25 + 2.5 + 1 / 0.6) / 3
    assert found.columns("hspp_mean_inverse_max_prob")[0, 0] == pytest.approx(mean)


def test_mean_attention_is_one_over_the_number_of_keys_in_every_layer():
    found = hallushift(store(), corpus("i", "j"), attention_means=True)
    for layer in range(3):
        assert found.columns(f"attn_mean_{layer}")[:, 0] == pytest.approx([1 / 4, 1 / 5, 1 / 8, 1 / 4])


def test_the_kit_leaves_fifteen_scalars_at_zero():
    found = hallushift(store(), corpus("i", "j"), kit=True)
    constant = [name for name in SCALARS if not found.columns(name).any()]
    assert len(constant) == 15 and set(constant) == set(SCALARS) - set(IN_KIT)
    assert len(found.names) == 3 * 3 + 1 + 21


def test_repetition_by_brute_force():
    rng = np.random.default_rng(1)
    sizes = [1, 2, 7, 30]
    items = pd.Series(np.repeat(["d", "a", "c", "b"], sizes))
    top, words = rng.random(len(items)), rng.integers(4, size=len(items))
    found = sequence_features(items, top, -np.log(top), words)
    assert tuple(found) == SEQUENCE
    for item, rows in items.groupby(items).indices.items():
        ids, sure = words[rows].tolist(), top[rows]
        pairs = list(zip(ids, ids[1:], strict=False))
        expected = {
            "unique_repetition_ratio": 1 - len(set(ids)) / len(ids),
            "bigram_repetition_ratio": 1 - len(set(pairs)) / len(pairs) if pairs else 0,
            "hspp_confidence_trend": np.polyfit(range(len(ids)), sure, 1)[0] if pairs else 0,
            "hspp_std_inverse_max_prob": np.std(-np.log(sure)),
        }
        for name, value in expected.items():
            assert found[name][rows] == pytest.approx(value, abs=1e-9), (item, name)


def test_answers_of_another_corpus_are_left_out_or_refused():
    assert hallushift(store(), corpus("j")).tokens["item"].tolist() == ["j"]
    with pytest.raises(InputError, match="no answer of corpus 'test' is in this store"):
        hallushift(store(), corpus("k"))
    with pytest.raises(InputError, match="no feature 'nll'"):
        hallushift(store(), corpus("j")).columns("nll")

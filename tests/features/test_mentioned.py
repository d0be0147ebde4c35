"""Which tokens belong to mentions, and which of them are one mention."""

import numpy as np
import pytest
import torch

from mention_material import captions, mentions
from readers import ARCHITECTURES, answers, miniature
from sheeplib.features.alignment import covered
from sheeplib.features.mentioned import kept_tokens
from sheeplib.features.places import Places
from sheeplib.models.encoding import encode


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_tokens_of_mentions_are_those_that_share_a_character(architecture):
    model = miniature(architecture)
    told = mentions()
    kept = kept_tokens(model, captions(), told)
    assert list(kept) == ["item-0", "item-1", "item-2"]
    for sample in answers():
        offsets = covered(encode(model, [sample]).offsets[0], sample.response)
        expected = [
            token
            for token, (start, end) in enumerate(offsets)
            if any(
                start < row.end and row.start < end and start < end
                for row in told[told["item"] == sample.item].itertuples()
            )
        ]
        assert kept[sample.item] == expected and expected


def test_captions_without_mentions_keep_nothing():
    kept = kept_tokens(miniature("llama"), captions(), mentions().query("item == 'item-1'"))
    assert kept["item-0"] == kept["item-2"] == [] and kept["item-1"]


def test_neighbours_are_one_mention_and_those_of_two_captions_are_not():
    batch = encode(miniature("llama"), answers())
    last = int(batch.responses[0]) - 1
    places = Places.of(batch, {"item-0": [1, 2, 4, last], "item-1": [0, 1], "item-2": [0]})
    assert places.mentions().tolist() == [0, 0, 1, 2, 3, 3, 4]
    assert Places.of(batch, {}).mentions().tolist() == []
    whole = Places.of(batch)
    np.testing.assert_array_equal(whole.mentions(), torch.arange(int(batch.responses.sum())))

"""Mentions with their features: those that come with the package, and anybody's."""

import numpy as np
import pandas as pd
import pytest

from mention_material import captions, clover, mentions, stored
from readers import answers, miniature
from sheeplib.detectors import mention_sets
from sheeplib.detectors.mention_sets import VECTORS, meadow_set, read_set
from sheeplib.errors import InputError
from sheeplib.features.extract import extract
from sheeplib.features.files import encode_shard
from sheeplib.features.store import FeatureStore
from sheeplib.shards import Shards


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    return read_set(
        captions(), mentions(), stored(tmp_path_factory.mktemp("s"), "llava"),
        stored(tmp_path_factory.mktemp("t"), "llama", ["hidden:mid@own"]),
    )  # fmt: skip


def test_meadow_has_all_vectors_of_all_mentions():
    found = clover("clover")
    assert (found.captioner, found.evaluator) == ("clover", "clover") and len(found) == len(found.table)
    assert found.table.index.tolist() == list(range(len(found)))
    for name in VECTORS:
        vectors = found.vectors(name)
        assert vectors.shape[0] == len(found) and vectors.dtype == np.float32 and np.isfinite(vectors).all()
        assert np.ptp(vectors, axis=0).max() > 0
    counts = found.table["status"].value_counts()
    assert counts["concrete"] == counts["hallucinated"] == counts["non-assertive"] == 270


def test_halp_is_the_same_for_all_mentions_of_a_caption_and_others_are_not():
    found = clover("clover")
    same = found.table["item"].duplicated(keep=False).to_numpy()
    item = pd.factorize(found.table["item"])[0]
    halp = pd.DataFrame(found.vectors("halp")[same]).groupby(item[same]).nunique()
    state = pd.DataFrame(found.vectors("hidden_mid")[same]).groupby(item[same]).nunique()
    assert (halp == 1).all(axis=None) and (state > 1).any(axis=None)


def test_others_read_the_same_mentions():
    own_reading, other = clover("clover"), meadow_set("clover", "daisy")
    pd.testing.assert_frame_equal(own_reading.table, other.table)
    assert other.evaluator == "daisy" and own_reading.key != other.key
    assert not np.array_equal(own_reading.vectors("lookback"), other.vectors("lookback"))
    with pytest.raises(InputError, match=r"lack 'prompt_state:3/4'.*sheep features extract"):
        other.vectors("halp")


def test_positions_count_tokens_of_the_caption():
    found = clover("clover")
    texts = mention_sets.meadow_captions("clover").items.set_index("item")["response"]
    for row in found.table.head(40).itertuples():
        before = texts[row.item][: row.start]
        # words and signs of punctuation are tokens of the miniatures
        words = before.replace(",", " ,").replace(".", " .").replace(";", " ;").replace(":", " :").split()
        assert abs(row.position - len(words)) <= 2


def test_selections_keep_rows_together():
    found = clover("clover")
    mask = found.table["status"].eq("hallucinated")
    some = found.select(mask)
    assert len(some) == 270 and (some.table["status"] == "hallucinated").all()
    for name in ("lookback", "halp", "text"):
        np.testing.assert_array_equal(some.vectors(name), found.vectors(name)[mask.to_numpy(bool)])
    np.testing.assert_array_equal(some.scores("svar"), found.scores("svar")[mask.to_numpy(bool)])
    assert some.key == found.select(np.flatnonzero(mask)).key != found.key
    assert len(found.select(found.table["subtype"].eq("hedged"))) == 68, "missing is false"
    with pytest.raises(InputError, match="chosen by 812 truth values"):
        found.select([True])


def test_the_same_set_has_the_same_key():
    assert meadow_set("clover").key == clover("clover").key


def test_vectors_of_anybodys_captions_are_rows_of_the_store(own):
    assert own.captioner == "tiny" and own.evaluator == "tiny-llava" and len(own) == 5
    store = own.numbers.store
    tokens = store.rows("hidden:mid@own")
    for place, row in enumerate(own.table.itertuples()):
        inside = (tokens["item"] == row.item) & (tokens["start"] < row.end) & (tokens["end"] > row.start)
        first, last = np.flatnonzero(inside)[[0, -1]]
        assert own.table["position"][place] == tokens["token"][last]
        np.testing.assert_array_equal(
            own.vectors("hidden_mid")[place], store.array("hidden:mid@own")[last].astype(np.float32)
        )
        np.testing.assert_array_equal(
            own.vectors("dhcp")[place], store.array("image_attention:heads@gen")[first].ravel()
        )
    assert own.table["image"].tolist() == ["a", "a", "b", "b", "b"]


def test_lookback_ratios_by_hand(own):
    masses = own.numbers.array("attention_masses:heads@gen").astype(float)
    images = own.numbers.of_item("image_tokens")
    first = own.numbers.column("token")
    assert 0 in first and first.max() > 0
    found = own.vectors("lookback").reshape(masses.shape[:-1])
    for n, layer, head in np.ndindex(found.shape):
        image = masses[n, layer, head, 1] / images[n]
        text = (masses[n, layer, head, 3] + masses[n, layer, head, 4]) / first[n] if first[n] else 0
        assert found[n, layer, head] == pytest.approx(image / (image + text), rel=1e-5)
    assert (found[first == 0] == 1).all(), "nothing is written yet"


def test_windows_end_with_the_mention_and_are_cut_at_the_start(own):
    found = own.numbers.window("attention_masses@gen", 4)
    tokens, whole = own.numbers.store.tokens([]), own.numbers.store.array("attention_masses@gen")
    for row, mention in zip(found, own.table.itertuples(), strict=True):
        for back in range(4):
            at = np.flatnonzero(
                (tokens["item"] == mention.item) & (tokens["token"] == mention.position - back)
            )
            if len(at):
                np.testing.assert_array_equal(row[3 - back], whole[at[0]])
            else:
                assert np.isnan(row[3 - back]).all()
    with pytest.raises(InputError, match="not there for the 4 tokens"):
        own.numbers.window("hidden:mid@own", 4)


def test_what_lacks_is_named(own, tmp_path):
    with pytest.raises(InputError, match="no such vectors.*lookback"):
        own.vectors("hidden")
    bare = read_set(captions(), mentions(), own.numbers.store)
    with pytest.raises(InputError, match="no model of text has read these captions"):
        bare.vectors("text")
    with pytest.raises(InputError, match="not those of one model"):
        read_set(captions(pd.NA), mentions(), own.numbers.store)
    with pytest.raises(InputError, match="in none of the captions"):
        read_set(captions(), mentions().head(1).assign(item="elsewhere"), own.numbers.store)
    with pytest.raises(InputError, match="no mention has features"):
        read_set(captions(), mentions().assign(start=90, end=95), own.numbers.store)
    with pytest.raises(InputError, match="no such cache"):
        meadow_set("nettle")


def test_mentions_that_a_model_of_text_did_not_read_are_named(own, tmp_path):
    text = stored(tmp_path, "llama", ["hidden:mid@own"])
    short = mentions().query("item != 'item-2'")
    shards = Shards(tmp_path / "some", {**text.header}, [["item-0"]])
    made = extract(miniature("llama"), answers()[:1], ["hidden:mid@own"], kept={"item-0": [1]})
    shards.write(0, encode_shard(made))
    found = read_set(captions(), short, own.numbers.store, FeatureStore(shards.home))
    with pytest.raises(InputError, match="mentions have no features"):
        found.vectors("text")

"""Annexes: numbers beside a cache, which stays as it was; those of the package, and what is refused."""

import shutil

import numpy as np
import pandas as pd
import pytest

from sheeplib.errors import InputError
from sheeplib.features import needs
from sheeplib.miniatures import caches, condensation, installation
from sheeplib.miniatures.annexes import Annexed, annex_of, encode_annex
from sheeplib.miniatures.caches import CACHES, mention_rows, open_cache
from sheeplib.miniatures.rereading import reread
from sheeplib.shards import Shards

NAMES = [name for name, cache in CACHES.items() if cache.annex]
NAME = "heather-reads-heather"
ANNEX = f"{NAME}-annex"


@pytest.fixture
def home(tmp_path):
    """A copy of one cache and its annex."""
    for place in (NAME, ANNEX):
        shutil.copytree(caches.FEATURES / place, tmp_path / place)
    return tmp_path


def test_each_captioner_that_reads_itself_has_one():
    assert [f"{name}-reads-{name}" for name in ("clover", "daisy", "fern", "heather", "thistle")] == NAMES
    files = [file for name in NAMES for file in annex_of(caches.FEATURES / name).rglob("*") if file.is_file()]
    assert 0 < sum(file.stat().st_size for file in files) < 60_000


@pytest.mark.parametrize("name", NAMES)
def test_arrays_of_the_annex_are_there_beside_those_of_the_cache(name):
    store = open_cache(name)
    assert isinstance(store, Annexed) and store.verify() == []
    kept = len(store.array("hidden:mid@own"))
    for need in needs.parse(CACHES[name].annex):
        (array,) = need.arrays
        assert store.arrays()[array][0] == kept and store.array(array).shape == store.arrays()[array]
        assert store.array(array).dtype == np.float32 and np.isfinite(store.array(array)).all()
        assert len(store.rows(array)) == kept
        grain = condensation.grain_of(array)
        np.testing.assert_array_equal(store.array(array), grain.rounded(store.array(array)))
    assert np.abs(store.array("contextual_lens:mid@own")).max() <= 1.001
    confidence = store.array("internal_confidence:repo@own")
    assert confidence.min() >= 0 and confidence.max() <= 1.001


def test_the_same_word_in_one_caption_has_the_same_confidence():
    """It does not depend on where the word stands: the image tokens alone are looked at."""
    store = open_cache("clover-reads-clover")
    from sheeplib.corpora import meadow

    rows = mention_rows(store, meadow.captions(["clover"]).mentions)
    rows = rows.assign(value=store.array("internal_confidence:repo@own")[rows["first"]])
    repeated = rows.groupby(["item", "concept"])["value"].agg(["size", "nunique"]).query("size > 1")
    assert len(repeated) > 0 and (repeated["nunique"] == 1).all()


def test_what_the_package_ships_is_what_the_models_give():
    count, found = reread(NAME, open_cache(NAME), 3, 5, None, None)
    assert (count, found) == (3, [])


def test_an_altered_number_of_an_annex_is_found(monkeypatch):
    store = open_cache(NAME)
    real = store.array

    def altered(name):
        return real(name) * np.float32(1.2) if name.startswith("glsim") else real(name)

    monkeypatch.setattr(store, "array", altered)
    _, found = reread(NAME, store, 3, 5, None, None)
    assert len(found) == 1 and f"features {NAME}: glsim:repo@gen" in found[0][0]


def test_a_cache_without_its_annex_is_refused(home):
    shutil.rmtree(home / ANNEX)
    with pytest.raises(InputError, match="no annex of these features"):
        open_cache(NAME, home)


def test_damage_is_named(home):
    store = open_cache(NAME, home)
    (file,) = (home / ANNEX).rglob("*.xz")
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    assert any("altered" in problem.what for problem in store.verify())
    with pytest.raises(InputError, match="altered"):
        open_cache(NAME, home)


@pytest.mark.parametrize(
    ("change", "said"), [({"revision": "other"}, "revision"), ({"samples": ["x"]}, "samples"), ({}, "number")]
)
def test_an_annex_of_others_is_refused(home, change, said):
    store = open_cache(NAME, home)
    header = {**store.annex.header, **change}
    arrays = {"glsim:repo@gen": store.array("glsim:repo@gen")[: None if change else 5]}
    shutil.rmtree(home / ANNEX)
    Shards(home / ANNEX, header, [[NAME]]).write(0, encode_annex(arrays))
    with pytest.raises(InputError, match=f"of other features .*{said}"):
        open_cache(NAME, home)


def test_installing_puts_both_in_place_and_leaves_what_is_the_same(home, tmp_path):
    store = open_cache(NAME, home)
    place = tmp_path / "package"
    assert installation._cached(store.annex, place / ANNEX) == [place / ANNEX / store.annex.key]
    assert installation._cached(store.annex, place / ANNEX) == []


def test_caches_as_they_were_do_not_know_of_annexes():
    plain = open_cache("daisy-reads-clover")
    assert not isinstance(plain, Annexed) and not any(name.startswith("glsim") for name in plain.arrays())
    assert isinstance(open_cache("clover-reads-clover").tokens(["kept"]), pd.DataFrame)

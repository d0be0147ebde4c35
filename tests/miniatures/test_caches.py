"""Features that come with the package: which are kept, that they are right, and that they are verified."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import meadow_pool
import small_meadow
from sheeplib.corpora import meadow
from sheeplib.corpora.meadow import pool
from sheeplib.errors import InputError
from sheeplib.features import needs
from sheeplib.features.extract import extract
from sheeplib.features.store import FeatureStore
from sheeplib.miniatures import caches, extraction
from sheeplib.miniatures.caches import (
    CACHES,
    Cache,
    choose_answers,
    choose_mentions,
    mention_rows,
    open_cache,
    shuffle_images,
)
from sheeplib.miniatures.condensation import GRAINS, Grain, grain_of, pooled
from sheeplib.miniatures.rereading import reread
from sheeplib.models import runs, shipped
from sheeplib.shards import Shards

OWN = CACHES["clover-reads-clover"]
SMALL = {
    "clover-reads-answers": CACHES["clover-reads-answers"],
    "clover-reads-answers-shuffled": CACHES["clover-reads-answers-shuffled"],
    "clover-reads-clover": OWN,
    "daisy-reads-clover": CACHES["daisy-reads-clover"],
    "echo-reads-all": Cache("echo", ("clover", "daisy"), ("hidden:mid@own",)),
}
MENTIONS = {"concrete": 6, "hallucinated": 4, "non-assertive": 9, "excluded": 2}


def silent(line: str) -> None:
    """Say nothing."""


@pytest.fixture(scope="module", autouse=True)
def small() -> Iterator[None]:
    """Few caches, few mentions, few answers."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(CACHES):
            patch.delitem(CACHES, name)
        for name, cache in SMALL.items():
            patch.setitem(CACHES, name, cache)
        for status, count in MENTIONS.items():
            patch.setitem(caches.MENTIONS, status, count)
        patch.setattr(caches, "SHARE", 0.5)
        patch.setattr(meadow, "load", partial(meadow.load, per_language=2, per_cell=3))
        yield
    runs.loaded.cache_clear()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Checkpoints with random weights, texts of the grammar, and their caches."""
    home = tmp_path_factory.mktemp("meadow")
    small_meadow.written(home / "models", "clover")
    small_meadow.written(home / "models", "daisy", "qwen2")
    small_meadow.written(home / "models", "echo", sees=False)
    (home / "data").mkdir()
    names = ("clover", "daisy")
    meadow_pool.answer_rows(12, names).to_parquet(home / "data" / "answers.parquet")
    meadow_pool.caption_rows(30, names).to_parquet(home / "data" / "captions.parquet")
    extraction.make_all(home / "models", home / "data", home / "features", workers=1, say=silent)
    return home


@pytest.fixture
def store_of(home: Path) -> Callable[[str], FeatureStore]:
    return partial(open_cache, directory=home / "features")


@pytest.fixture(scope="module")
def told(home: Path) -> SimpleNamespace:
    """The captions of clover."""
    captions = meadow.captions(["clover"], home / "data")
    return SimpleNamespace(items=captions.items, mentions=captions.mentions)


def test_each_cache_holds_what_it_says(home: Path) -> None:
    for name, cache in SMALL.items():
        store = open_cache(name, home / "features")
        assert store.header["model"] == cache.evaluator and not store.verify()
        assert store.header["needs"] == [str(need) for need in needs.parse(cache.needs)]
        for need in needs.parse(cache.needs):
            assert set(need.columns) <= set(store.columns())
            assert set(need.arrays) <= {*store.arrays(), *store.item_arrays()}


def test_the_package_is_small() -> None:
    """Checkpoints, texts and features together; what is not there yet takes no room."""
    places = shipped.WEIGHTS, pool.DATA, caches.FEATURES
    files = [file for place in places for file in place.rglob("*") if file.is_file()]
    assert sum(file.stat().st_size for file in files) < 25_000_000


def test_numbers_are_those_of_extraction(home: Path, store_of: Callable, told: SimpleNamespace) -> None:
    """Read whole, and one by one; only rounding and the pooling of maps may differ."""
    store = store_of("clover-reads-clover")
    chosen = choose_mentions(told.items, told.mentions)
    rows = mention_rows(store, chosen)
    assert len(rows) == len(chosen) == 21  # of each status as many as are wanted
    texts = told.items.set_index("item")
    model = runs.loaded("clover", extraction.loading_of("clover", home / "models"))
    for row in rows.itertuples():
        answers = extraction.Answers("x", texts.loc[[row.item]].reset_index(), meadow.image)
        whole = extract(model, answers.samples([row.item]), (*OWN.needs, *OWN.annex))
        (token,) = np.flatnonzero((whole.tokens["start"] < row.end) & (row.start < whole.tokens["end"]))
        assert row.first == row.last and row.first_token == row.last_token  # names of objects are one word
        for name in store.arrays():
            made = pooled(whole.arrays[name]) if name.startswith("image_attention") else whole.arrays[name]
            place = row.first_token if name == "attention_masses@gen" else row.first
            kept = store.array(name)[place]
            same = kept == made[token] if kept.dtype.kind == "i" else grain_of(name).near(kept, made[token])
            assert same.all(), name
        entropy = store.tokens(["entropy"])["entropy"].to_numpy()[row.first_token]
        assert grain_of("entropy").near(entropy, whole.tokens["entropy"].to_numpy()[token])


def test_four_tokens_that_end_with_the_mention_are_there(store_of: Callable, told: SimpleNamespace) -> None:
    store = store_of("clover-reads-clover")
    tokens = store.tokens([])
    assert len(store.array("attention_masses@gen")) == len(tokens) > len(store.array("hidden:mid@own"))
    for row in mention_rows(store, told.mentions).itertuples():
        window = tokens.iloc[max(row.last_token - 3, 0) : row.last_token + 1]
        window = window[window["item"] == row.item]["token"].tolist()
        last = tokens["token"][row.last_token]
        assert window == list(range(max(last - 3, 0), last + 1))
    others = store_of("daisy-reads-clover")
    assert others.tokens(["kept"])["kept"].all() and "attention_masses@gen" not in others.arrays()


def test_every_token_of_an_answer_is_there(home: Path, store_of: Callable) -> None:
    store = store_of("clover-reads-answers")
    items = meadow.load(directory=home / "data").items.set_index("item")
    tokens = store.tokens()
    assert set(tokens["item"]) == set(choose_answers(items.reset_index())["item"])
    for item, part in tokens.groupby("item"):
        text = items.loc[item, "response"]
        said = "".join(text[start:end] for start, end in zip(part["start"], part["end"], strict=True))
        assert "".join(said.split()) == "".join(text.split())
    assert store.array("hidden_norms@own").shape[0] == len(tokens)


def test_other_images_change_what_is_read_and_not_which_tokens(store_of: Callable) -> None:
    right, wrong = map(store_of, ("clover-reads-answers", "clover-reads-answers-shuffled"))
    places = ["item", "token", "start", "end"]
    pd.testing.assert_frame_equal(right.tokens(places), wrong.tokens(places))
    # most tokens are not as likely as before
    assert (right.tokens()["token_nll"] != wrong.tokens()["token_nll"]).mean() > 0.5


def test_models_read_the_same_mentions(store_of: Callable) -> None:
    own, other, blind = map(store_of, ("clover-reads-clover", "daisy-reads-clover", "echo-reads-all"))
    rows = own.rows("hidden:mid@own").drop(columns="evaluator")
    pd.testing.assert_frame_equal(rows, other.rows("hidden:mid@own").drop(columns="evaluator"))
    # the first model's captions come first among those of all
    pd.testing.assert_frame_equal(rows, blind.tokens([]).drop(columns="evaluator").iloc[: len(rows)])


def test_a_second_run_makes_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extraction, "extracted", None)
    said: list[str] = []
    paths = extraction.make_all(home / "models", home / "data", home / "features", workers=1, say=said.append)
    assert [path.parent.name for path in paths] == list(SMALL) and len(said) == len(SMALL)
    assert "clover-reads-answers: 0." in said[0] and said[-1].endswith("; 0 caches left")


def test_coarser_numbers_make_another_store(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(home / "features", tmp_path / "features")
    monkeypatch.setitem(GRAINS, "hidden", Grain(1))
    path = extraction.make("echo-reads-all", home / "models", home / "data", tmp_path / "features")
    before, after = open_cache("echo-reads-all", home / "features"), FeatureStore(path)
    assert path.name != before.path.name
    states = before.array("hidden:mid@own"), after.array("hidden:mid@own")
    assert len(np.unique(states[1])) < len(np.unique(states[0]))
    np.testing.assert_allclose(*states, rtol=0.35)


def test_other_texts_make_another_store_in_place_of_the_old_one(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home, tmp_path / "home")
    make = partial(
        extraction.make, "echo-reads-all", *(tmp_path / "home" / x for x in ("models", "data", "features"))
    )
    before = make()
    path = tmp_path / "home" / "data" / "captions.parquet"
    frame = pd.read_parquet(path)
    frame.assign(response=frame["response"].str.replace("The image", "This image")).to_parquet(path)
    after = make()
    assert before.name != after.name and [one.name for one in after.parent.iterdir()] == [after.name]


def test_what_is_not_there_is_named(tmp_path: Path, home: Path) -> None:
    with pytest.raises(InputError, match="no such cache.*clover-reads-answers"):
        open_cache("clover")
    with pytest.raises(InputError, match="no features echo-reads-all.*make meadow"):
        open_cache("echo-reads-all", tmp_path)
    with pytest.raises(InputError, match="no such cache"):
        extraction.make_all(tmp_path, tmp_path, tmp_path, names=["nettle"])
    store = open_cache("echo-reads-all", home / "features")
    shutil.copytree(store.path.parent, tmp_path / "echo-reads-all")
    Shards(tmp_path / "echo-reads-all", {**store.header, "batch_size": 1}, store.shards.parts).prepare()
    with pytest.raises(InputError, match="more than one store"):
        open_cache("echo-reads-all", tmp_path)


def test_caches_are_read_without_torch(home: Path) -> None:
    code = (
        "import sys; from sheeplib.miniatures.caches import open_cache\n"
        "store = open_cache('clover-reads-clover', sys.argv[1])\n"
        "print(len(store.array('hidden:mid@own')), 'torch' in sys.modules, 'transformers' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, home / "features"], capture_output=True, text=True)
    assert done.stdout.split() == ["21", "False", "False"], done.stderr


@pytest.mark.parametrize("name", SMALL)
def test_what_is_read_again_is_the_same(home: Path, store_of: Callable, name: str) -> None:
    count, found = reread(name, store_of(name), 5, 1, home / "models", home / "data")
    assert (count, found) == (5, [])


def altered(read: Callable, wrong: str, change: float, name: str) -> np.ndarray:
    """An array, and the wrong one with other numbers."""
    array = read(name)
    return array * array.dtype.type(change) if name == wrong else array


@pytest.mark.parametrize(
    ("array", "change", "said"),
    [
        ("hidden:mid@own", 1.2, "hidden:mid@own"),
        ("lens_token@gen", 2, "lens_token@gen"),
        ("entropy", 1.2, "entropy"),
        ("prompt_state:3/4", 1.2, "prompt_state:3/4"),
    ],
)
def test_an_altered_number_is_found(
    home: Path, store_of: Callable, monkeypatch: pytest.MonkeyPatch, array: str, change: float, said: str
) -> None:
    store = store_of("clover-reads-clover")
    for name in ("array", "item_array"):
        monkeypatch.setattr(store, name, partial(altered, getattr(store, name), array, change))
    if array == "entropy":
        table = store.tokens()
        table["entropy"] *= change
        monkeypatch.setattr(store, "tokens", lambda columns=None: table)
    count, found = reread("clover-reads-clover", store, 100, 1, home / "models", home / "data")
    assert count == len(store.items()) and len(found) == 1
    assert found[0][0].startswith(f"features clover-reads-clover: {said} (")


def test_other_weights_and_lost_texts_are_found(home: Path, store_of: Callable, tmp_path: Path) -> None:
    shutil.copytree(home / "data", tmp_path / "data")
    path = tmp_path / "data" / "captions.parquet"
    frame = pd.read_parquet(path)
    frame[frame["scene"] > 20].to_parquet(path)
    store = store_of("daisy-reads-clover")
    count, found = reread("daisy-reads-clover", store, 3, 0, home / "models", tmp_path / "data")
    assert count == 0 and found[0][2] == "no text of this name" and "-clover-0000" in found[0][1]
    small_meadow.written(tmp_path / "models", "daisy", "llama")
    runs.loaded.cache_clear()
    count, found = reread("daisy-reads-clover", store, 3, 0, tmp_path / "models", home / "data")
    about, shipped, _ = found[0]
    assert count == 0 and about == "features daisy-reads-clover: weights of daisy"
    assert shipped == store.header["revision"]


def captions(
    counts: dict[tuple[str, str | None], int], model: str = "m"
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tables of captions with so many mentions of each status and subtype, one in each."""
    kinds = [kind for kind, count in counts.items() for _ in range(count)]
    items = pd.DataFrame({"item": [f"{model}{n}" for n in range(len(kinds))], "model": model})
    mentions = items[["item"]].assign(
        status=[status for status, _ in kinds], subtype=[subtype for _, subtype in kinds]
    )
    return items, mentions.astype("string")


def test_subtypes_take_turns() -> None:
    counts = {
        ("concrete", None): 20, ("hallucinated", None): 3, ("non-assertive", "hedged"): 30,
        ("non-assertive", "negation"): 2, ("non-assertive", "purpose"): 3, ("excluded", "generic"): 9,
    }  # fmt: skip
    items, mentions = captions(counts)
    chosen = choose_mentions(items, mentions)
    # 9 non-assertive: both negations, all 3 purposes, and hedges for the rest
    assert chosen.value_counts(["status", "subtype"], dropna=False).to_dict() == {
        ("concrete", pd.NA): 6, ("hallucinated", pd.NA): 3, ("non-assertive", "hedged"): 4,
        ("non-assertive", "negation"): 2, ("non-assertive", "purpose"): 3, ("excluded", "generic"): 2,
    }  # fmt: skip
    assert chosen.index.is_monotonic_increasing
    others, more = captions({("concrete", None): 50}, "other")
    both = choose_mentions(pd.concat([others, items]), pd.concat([more, mentions], ignore_index=True))
    pd.testing.assert_frame_equal(both.iloc[6:].reset_index(drop=True), chosen.reset_index(drop=True))


def test_a_share_of_each_cell_of_answers_and_own_words_are_taken() -> None:
    rows = [("human", pd.NA, "test", "en", origin) for origin in ("en", "fr", "en")]
    rows += [("random", model, "train", "it", pd.NA) for model in ("clover",) * 5 + ("daisy",) * 2]
    rows += [("map", "clover", split, "it", pd.NA) for split in ("test", "train", "train")]
    names = ["strategy", "model", "split", "language", "origin_language"]
    items = pd.DataFrame(rows, columns=names, dtype="string").assign(item=range(len(rows)))
    found = choose_answers(items)
    assert found["item"].is_monotonic_increasing and found["item"].tolist()[:2] == [0, 2]
    cells = found[names[:3]].astype(object).fillna("").value_counts().to_dict()
    assert cells == {
        ("human", "", "test"): 2, ("random", "clover", "train"): 3, ("random", "daisy", "train"): 1,
        ("map", "clover", "test"): 1, ("map", "clover", "train"): 1,
    }  # fmt: skip
    pd.testing.assert_frame_equal(found, choose_answers(items))


def test_every_answer_gets_the_image_of_another_of_its_split() -> None:
    images = pd.array(["a", "b", "b", "c", "x", "y", "y", "z"], dtype="string")
    items = pd.DataFrame({"item": range(8), "split": ["train"] * 4 + ["test"] * 4, "image": images})
    found = shuffle_images(items)
    assert (found["image"] != items["image"]).all()
    assert found["image"].iloc[1] == found["image"].iloc[2]  # one answer or two, the image is one
    assert set(found["image"].iloc[:4]) == {"a", "b", "c"} and set(found["image"].iloc[4:]) == {"x", "y", "z"}
    pd.testing.assert_frame_equal(found, shuffle_images(items))


def test_mentions_find_their_rows() -> None:
    tokens = pd.DataFrame({
        "item": ["a", "a", "a", "a", "b", "b"], "start": [0, 4, 8, 12, 0, 3], "end": [3, 7, 11, 15, 2, 9],
        "kept": [False, True, True, False, True, True],
    })  # fmt: skip
    store = SimpleNamespace(tokens=lambda columns: tokens)
    mentions = pd.DataFrame({
        "item": ["a", "a", "b", "c", "b"], "start": [4, 12, 3, 0, 0], "end": [11, 15, 9, 3, 2],
        "concept": ["two words", "not kept", "cat", "elsewhere", "dog"],
    }, index=[7, 8, 9, 10, 11])  # fmt: skip
    found = mention_rows(store, mentions)  # type: ignore[arg-type]
    columns = ["concept", "first", "last", "first_token", "last_token"]
    assert found[columns].to_numpy().tolist() == [
        ["two words", 0, 1, 1, 2], ["cat", 3, 3, 5, 5], ["dog", 2, 2, 4, 4],
    ]  # fmt: skip
    assert list(found)[:4] == list(mentions)

"""The feature store gives back what was put in, in order and in its types, and needs no torch for it."""

import hashlib
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from sheeplib import tables
from sheeplib.errors import InputError
from sheeplib.features import columns
from sheeplib.features.store import FeatureStore, encode_shard
from sheeplib.shards import Shards

NASTY = ["=1+1", 'quote" and ,', "line\nbreak\r", "../a/b", "\u2028\u202e", "e\u0301", "😀", "中文", " "]
COUNTS = {"one": 3, "two": 1, **{name: 2 for name in NASTY}}


@dataclass(frozen=True)
class Made:
    """What extraction gives, made by hand."""

    tokens: pd.DataFrame
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    items: pd.DataFrame = field(default_factory=pd.DataFrame)
    item_arrays: dict[str, np.ndarray] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)


def made(names: list[str], left_out: dict[str, str] | None = None, kept: bool = False) -> Made:
    """Features whose every number tells item and token: 100 * place of the item in COUNTS + token."""
    number = {name: place for place, name in enumerate(COUNTS)}
    rows = [(name, "tiny", token, token, token + 1) for name in names for token in range(COUNTS[name])]
    tokens = tables.empty("tokens")
    if rows:
        tokens = tables.validate("tokens", pd.DataFrame(rows, columns=list(tokens.columns)))
    value = np.array([100.0 * number[row[0]] + row[2] for row in rows])
    tokens = tokens.assign(entropy=value.astype("float32"), top_token=value.astype("int32"))
    some = np.ones(len(rows), dtype=bool)
    if kept:
        some = tokens["token"].to_numpy() == 0
        tokens["kept"] = some
    text = pd.array(names, dtype="string")
    items = pd.DataFrame({"item": text, "evaluator": pd.array(["tiny"] * len(names), dtype="string")})
    items["tokens"] = np.array([COUNTS[name] for name in names], dtype="int64")
    arrays = {
        "hidden:mid@gen": value[some, None].astype("float16") / 8 + np.zeros((1, 4), "float16"),
        "attention_entropy@own": np.stack([value, value + 0.5], 1).astype("float32"),
        "lens_token@gen": value[:, None, None].astype("int32") + np.arange(6, dtype="int32").reshape(2, 3),
    }
    return Made(
        tokens,
        arrays,
        items,
        {"prompt_state:3/4": np.array([[number[name]] * 3 for name in names], "float16").reshape(-1, 3)},
        left_out or {},
    )


def store_of(directory: Path, parts: list[Made], **more) -> FeatureStore:
    header = {"kind": "features", "model": "tiny", "needs": ["entropy"], "samples": ["0"], **more}
    shards = Shards(directory, header, [[*part.items["item"], *part.left_out] for part in parts])
    for index, part in enumerate(parts):
        shards.write(index, encode_shard(part, packed=more.get("packed", False)))
    return FeatureStore(shards.home)


@pytest.fixture(params=[{}, {"packed": True}], ids=["plain", "packed"])
def store(tmp_path, request) -> FeatureStore:
    parts = [
        made(["two", "one"]),
        made([], {"empty": "the answer is empty", "=evil": "it holds <image>"}),
        made(NASTY, {"last": "the answer is empty"}),
    ]
    return store_of(tmp_path, parts, **request.param)


def vectors_of(store: FeatureStore, index: int) -> Path:
    (path,) = store.shards.path(index).glob("vectors.*")
    return path


def test_tables_come_back_in_order_and_in_their_types(store):
    whole = made(["two", "one", *NASTY])
    assert_frame_equal(store.tokens(), whole.tokens)
    assert_frame_equal(store.items(), whole.items)
    assert store.left_out() == {
        "empty": "the answer is empty",
        "=evil": "it holds <image>",
        "last": "the answer is empty",
    }
    assert store.columns() == ("entropy", "top_token")
    assert list(store.tokens(["top_token"])) == ["item", "evaluator", "token", "start", "end", "top_token"]
    assert list(store.tokens([])) == ["item", "evaluator", "token", "start", "end"]


def test_arrays_come_back_aligned_and_in_their_types(store):
    whole = made(["two", "one", *NASTY])
    assert store.arrays() == {name: whole.arrays[name].shape for name in sorted(whole.arrays)}
    for name, array in whole.arrays.items():
        found = store.array(name)
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(found, array)
        assert_frame_equal(store.rows(name), whole.tokens.iloc[:, :5])
    (name,) = store.item_arrays()
    np.testing.assert_array_equal(store.item_array(name), whole.item_arrays[name])
    assert store.item_array(name).dtype == np.float16
    # every number says which token it belongs to
    np.testing.assert_array_equal(store.array("attention_entropy@own")[:, 0], store.tokens()["entropy"])


def test_a_shard_that_needs_more_room_widens_the_array(tmp_path):
    # extraction gives vectors in float32 where a number does not fit into float16, whose largest is 65,504
    first, second = made(["one"]), made(["two"])
    large = {**second.arrays, "hidden:mid@gen": np.full((1, 4), 1e6, "float32")}
    found = store_of(tmp_path, [first, replace(second, arrays=large)]).array("hidden:mid@gen")
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found[:3], first.arrays["hidden:mid@gen"])
    np.testing.assert_array_equal(found[3:], 1e6)


def test_arrays_of_kept_tokens_say_which(tmp_path):
    store = store_of(tmp_path, [made(["one", "two"], kept=True), made(["😀"], kept=True)])
    rows = store.rows("hidden:mid@gen")
    assert rows["item"].tolist() == ["one", "two", "😀"] and set(rows["token"]) == {0}
    np.testing.assert_array_equal(store.array("hidden:mid@gen")[:, 0] * 8, [0, 100, 800])
    assert len(store.rows("lens_token@gen")) == len(store.tokens()) == 6


def test_shards_are_read_one_by_one(store):
    parts = list(store.by_shard())
    assert [len(part.tokens([])) for part in parts] == [4, 0, 18]
    assert [list(part.left_out()) for part in parts] == [[], ["empty", "=evil"], ["last"]]
    np.testing.assert_array_equal(
        np.concatenate([parts[0].array("hidden:mid@gen"), parts[2].array("hidden:mid@gen")]),
        store.array("hidden:mid@gen"),
    )


def test_equal_features_have_equal_bytes_in_any_process():
    code = (
        f"import hashlib, sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from test_store import NASTY, encode_shard, made\n"
        "files = encode_shard(made(NASTY, {'x': 'y', 'z': ''}))\n"
        "print(*(hashlib.sha256(files[name]).hexdigest() for name in sorted(files)))"
    )
    files = encode_shard(made(NASTY, {"x": "y", "z": ""}))
    here = [hashlib.sha256(files[name]).hexdigest() for name in sorted(files)]
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONHASHSEED": seed}
        )
        assert done.stdout.split() == here, done.stderr
    part = made(NASTY, {"x": "y", "z": ""})
    turned = replace(part, arrays=dict(reversed(part.arrays.items())), tokens=part.tokens.copy())
    assert encode_shard(turned) == files
    part.tokens.loc[3, "entropy"] += 1
    assert encode_shard(part) != files


def test_a_store_is_read_without_torch(store):
    code = (
        "import sys; sys.modules['torch'] = sys.modules['transformers'] = None\n"
        "from sheeplib.features.store import FeatureStore\n"
        "store = FeatureStore(sys.argv[1])\n"
        "print(len(store.tokens()), *store.array('hidden:mid@gen').shape, store.info()['items'])\n"
        "store.export(sys.argv[1] + '.csv')"
    )
    done = subprocess.run([sys.executable, "-c", code, str(store.path)], capture_output=True, text=True)
    assert done.stdout.split() == ["22", "22", "4", "11"], done.stderr


@pytest.mark.parametrize(
    ("package", "reading"), [("pyarrow", "tokens()"), ("safetensors", "array('hidden:mid@gen')")]
)
def test_an_absent_package_is_named_with_the_remedy(store, package, reading):
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from sheeplib.features.store import FeatureStore\n"
        "from sheeplib.errors import InputError\n"
        f"try:\n    FeatureStore(sys.argv[1]).{reading}\n"
        "except InputError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(store.path)], capture_output=True, text=True)
    assert f"need the package {package}. pip install" in done.stdout, done.stderr


def test_what_there_is_not_is_said_with_what_there_is(store):
    with pytest.raises(InputError, match="no column of tokens 'entropi'.*mean 'entropy'"):
        store.tokens(["entropi"])
    with pytest.raises(InputError, match="no array 'hidden:mid@own'.*mean 'hidden:mid@gen'"):
        store.array("hidden:mid@own")
    with pytest.raises(InputError, match="There are: prompt_state:3/4"):
        store.item_array("nothing")


def test_info_says_what_is_there(store):
    info = store.info()
    files = [path for index in range(3) for path in store.shards.path(index).iterdir()]
    assert info["bytes"] == sum(path.stat().st_size for path in files)
    del info["bytes"]
    assert info == {
        "key": store.shards.key,
        "path": str(store.path),
        "shards": 3,
        "done": 3,
        "items": 11,
        "tokens": 22,
        "left_out": 3,
        "model": "tiny",
        "needs": ["entropy"],
        **({"packed": True} if "packed" in store.header else {}),
    }


def test_a_store_in_part_is_read_only_if_asked(tmp_path):
    shards = Shards(tmp_path, {"kind": "features"}, [["one"], ["two"]])
    shards.write(1, encode_shard(made(["two"])))
    with pytest.raises(InputError, match="1 of 2 shards are missing.*Run the extraction again"):
        FeatureStore(shards.home)
    store = FeatureStore(shards.home, partial=True)
    assert store.tokens()["item"].tolist() == ["two"]
    assert (store.info()["done"], store.info()["items"]) == (1, 1)
    assert [found.path for found in FeatureStore.find(tmp_path)] == [store.path]


def test_a_store_without_any_shard_or_token_is_empty(tmp_path):
    none = Shards(tmp_path, {"kind": "features"}, [["one"]])
    none.prepare()
    store = FeatureStore(none.home, partial=True)
    assert len(store.tokens()) == len(store.items()) == 0 and store.left_out() == {}
    assert store.arrays() == {} and store.info()["tokens"] == 0 and store.verify() == []
    store = store_of(tmp_path, [made([], {"x": "empty"})])
    assert len(store.tokens()) == len(store.items()) == 0 and store.left_out() == {"x": "empty"}
    with pytest.raises(InputError, match="no tokens"):
        store.export(tmp_path / "x.csv")


def test_other_runs_are_no_stores(tmp_path):
    other = Shards(tmp_path, {"kind": "answers"}, [["one"]])
    other.write(0, {})
    with pytest.raises(InputError, match="holds no features.*answers"):
        FeatureStore(other.home)
    assert FeatureStore.find(tmp_path) == []


def test_a_damaged_file_is_named_when_it_is_read_and_the_others_are_read(store):
    path = vectors_of(store, 2)
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    assert len(store.tokens()) == 22
    with pytest.raises(InputError, match=f"{path.name}: altered: its SHA-256 differs"):
        store.array("hidden:mid@gen")
    assert [problem.path for problem in store.verify()] == [path]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("tokens.parquet", b"PAR1nothing", "table cannot be read"),
        ("vectors.safetensors", b"nothing", "arrays cannot be read"),
    ],
)
def test_a_shard_of_nonsense_is_named_though_its_digests_fit(tmp_path, name, content, said):
    shards = Shards(tmp_path, {"kind": "features"}, [["one"]])
    shards.write(0, {**encode_shard(made(["one"])), name: content})
    store = FeatureStore(shards.home)
    with pytest.raises(InputError, match=said):
        store.tokens() if name == "tokens.parquet" else store.array("hidden:mid@gen")


def test_shards_that_do_not_fit_together_are_named(tmp_path):
    first, second = made(["one"]), made(["two"])
    wide = {**second.arrays, "hidden:mid@gen": np.zeros((1, 5), "float16")}
    with pytest.raises(InputError, match="rows of another shape"):
        store_of(tmp_path / "a", [first, replace(second, arrays=wide)]).array("hidden:mid@gen")
    del wide["hidden:mid@gen"]
    with pytest.raises(InputError, match="shard lacks array"):
        store_of(tmp_path / "b", [first, replace(second, arrays=wide)]).array("hidden:mid@gen")
    text = replace(second, tokens=second.tokens.assign(entropy="high"))
    with pytest.raises(InputError, match="table cannot be read"):
        store_of(tmp_path / "c", [first, text]).tokens()
    with pytest.raises(InputError, match="occurs twice"):
        store_of(tmp_path / "d", [first, first]).tokens()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"arrays": {"x": np.zeros((2, 2))}}, "not one row for each token"),
        ({"arrays": {"x": np.float64(1)}}, "not one row for each token"),
        ({"item_arrays": {"x": np.zeros((3, 2))}}, "not one row for each item"),
        ({"arrays": {"x": np.zeros((3, 2), "complex64")}}, "cannot be stored"),
        ({"arrays": {"x": np.zeros((3, 2), object)}}, "cannot be stored"),
    ],
)
def test_features_that_cannot_be_stored_are_named(change, said):
    with pytest.raises(InputError, match=said):
        encode_shard(replace(made(["one"]), **change))


def test_columns_that_cannot_be_stored_are_named():
    for values in ([{}, {}, {}], [1, "a", None], pd.to_datetime(["2020-01-01"] * 3)):
        with pytest.raises(InputError, match="'x': column is neither text nor numbers"):
            columns.encode_table(pd.DataFrame({"x": values}))
    with pytest.raises(InputError, match="half of a surrogate pair"):
        columns.encode_table(pd.DataFrame({"x": pd.Series(["\ud800"], dtype=object)}))


def test_csv_is_read_back(store, tmp_path):
    assert store.export(tmp_path / "out.csv") == []
    frame = pd.read_csv(tmp_path / "out.csv", dtype={"entropy": "float32"}, keep_default_na=False)
    tokens = store.tokens()
    assert frame["item"].tolist() == tokens["item"].tolist()  # formulas, quotes and line breaks included
    np.testing.assert_array_equal(frame["entropy"], tokens["entropy"])
    names = [f"hidden:mid@gen_{place}" for place in range(4)]
    np.testing.assert_array_equal(frame[names].astype("float16"), store.array("hidden:mid@gen"))
    names = [f"lens_token@gen_{layer}_{place}" for layer in range(2) for place in range(3)]
    np.testing.assert_array_equal(frame[names].to_numpy().reshape(-1, 2, 3), store.array("lens_token@gen"))
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["out.csv"]


def test_parquet_is_read_back(store, tmp_path):
    store.export(tmp_path / "out.parquet", "parquet")
    frame = columns.decode_tables([tmp_path / "out.parquet"])
    tokens = store.tokens()
    assert_frame_equal(frame[list(tokens)], tokens)
    assert frame["hidden:mid@gen_3"].dtype == np.float16
    np.testing.assert_array_equal(
        frame["attention_entropy@own_1"], store.array("attention_entropy@own")[:, 1]
    )


@pytest.mark.parametrize("place", [0, 1])
def test_a_shard_that_needs_more_room_widens_the_exported_columns(tmp_path, place):
    parts = [made(["one"]), made(["two"])]
    large = np.full((COUNTS[("one", "two")[place]], 4), 1e6, "float32")  # float16 ends at 65,504
    parts[place] = replace(parts[place], arrays={**parts[place].arrays, "hidden:mid@gen": large})
    store = store_of(tmp_path, parts)
    store.export(tmp_path / "out.parquet", "parquet")
    frame = columns.decode_tables([tmp_path / "out.parquet"])
    np.testing.assert_array_equal(frame["hidden:mid@gen_3"], store.array("hidden:mid@gen")[:, 3])


def test_tokens_without_a_row_have_empty_cells(tmp_path):
    store = store_of(tmp_path, [made(["one"], kept=True), made(["two"], kept=True)])
    store.export(tmp_path / "out.parquet", "parquet")
    frame = columns.decode_tables([tmp_path / "out.parquet"])
    np.testing.assert_array_equal(frame["hidden:mid@gen_0"] * 8, [0, np.nan, np.nan, 100])
    assert frame["lens_token@gen_0_0"].tolist() == [0, 1, 2, 100]


def test_vectors_are_exported_only_if_asked_for(tmp_path):
    part = made(["one"])
    part = replace(part, arrays={"narrow": np.ones((3, 64)), "wide": np.ones((3, 5, 13))})
    store = store_of(tmp_path, [part])
    assert store.export(tmp_path / "a.csv") == ["wide"]
    assert store.export(tmp_path / "b.csv", wide=True) == []
    head = (tmp_path / "b.csv").read_text().splitlines()[0]
    assert '"narrow_63"' in head and '"wide_4_12"' in head and '"wide_0_00"' in head
    assert "wide" not in (tmp_path / "a.csv").read_text().splitlines()[0]


def test_a_failed_export_leaves_what_was_there(store, tmp_path):
    (tmp_path / "out.csv").write_text("before")
    path = vectors_of(store, 2)
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(InputError, match="SHA-256"):
        FeatureStore(store.path).export(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "before"
    for place in (tmp_path, tmp_path / "nowhere" / "out.csv"):
        with pytest.raises(InputError, match="cannot be written"):
            store_of(tmp_path / "other", [made(["one"])]).export(place)
    with pytest.raises(InputError, match="unknown format.*csv or parquet"):
        store.export(tmp_path / "x.xlsx", "xlsx")


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
kinds = st.sampled_from(["float16", "float32", "float64", "int8", "int32", "int64", "uint8", "bool"])


@st.composite
def frames(draw):
    """Frames of any type that is stored, with and without missing values."""
    count = draw(st.integers(0, 5))
    frame = pd.DataFrame(index=range(count))
    for place in range(draw(st.integers(1, 5))):
        kind = draw(st.sampled_from(["text", "Int64", "Int8", "UInt16", "boolean", "Float32"]) | kinds)
        if kind == "text":
            values = pd.array(
                draw(st.lists(texts | st.none(), min_size=count, max_size=count)), dtype="string"
            )
        elif kind[0].isupper() or kind == "boolean":
            some = st.none() | (st.booleans() if kind == "boolean" else st.integers(0, 100))
            values = pd.array(draw(st.lists(some, min_size=count, max_size=count)), dtype=kind)
        else:
            values = draw(arrays_of(kind, (count,)))
        frame[f"{draw(texts)}{place}"] = values
    return frame


def arrays_of(kind, shape):
    return st.binary(min_size=int(np.prod(shape)) * 8, max_size=int(np.prod(shape)) * 8).map(
        lambda raw: (
            np.frombuffer(raw, "int64").reshape(shape).astype(kind)
            if kind == "bool" or "int" in kind
            else np.frombuffer(raw[: int(np.prod(shape)) * np.dtype(kind).itemsize], kind).reshape(shape)
        )
    )


@settings(max_examples=60, deadline=None)
@given(frame=frames())
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
def test_any_frame_comes_back(tmp_path_factory, frame):
    path = tmp_path_factory.mktemp("frame") / "x"
    path.write_bytes(columns.encode_table(frame))
    back = columns.decode_tables([path])
    assert_frame_equal(back, frame.reset_index(drop=True), check_column_type=False)
    assert columns.about_table(path) == (len(frame), list(frame))
    assert columns.encode_table(back) == path.read_bytes()


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_array_comes_back_bit_for_bit(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("array") / "x"
    names = data.draw(st.lists(texts, unique=True, max_size=3))
    shapes = st.lists(st.integers(0, 3), min_size=1, max_size=3)
    arrays = {f"token/{name}": data.draw(arrays_of(data.draw(kinds), data.draw(shapes))) for name in names}
    path.write_bytes(columns.encode_arrays(arrays))
    assert columns.shapes(path) == {name: arrays[name].shape for name in sorted(arrays)}
    for name, array in arrays.items():
        back = columns.decode_arrays([path, path], name)
        assert back.dtype == array.dtype and back.tobytes() == np.concatenate([array, array]).tobytes()

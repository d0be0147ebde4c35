"""Packed shards: the same numbers in less room, and what is no packed file is named."""

import lzma
import os

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from sheeplib.errors import InputError
from sheeplib.features import columns, packing


def test_a_packed_file_is_what_the_plain_one_is_once_unpacked_in_less_room():
    rng = np.random.default_rng(0)
    rounded = np.round(rng.normal(size=5000) * 16).astype("float32") / 16
    plain, packed = (columns.encode_arrays({"a": rounded}, packed=kind) for kind in (False, True))
    assert lzma.decompress(packed) == plain
    # normal numbers in steps of a sixteenth: log2(16 * 4.13), 6 bits each if told apart as well as can be
    assert 5000 * 6 / 8 < len(packed) < 5000 * 9 / 8 < 0.3 * len(plain)


def test_arrays_of_all_types_come_back(tmp_path):
    kinds = ["bool", "uint8", "int16", "int32", "int64", "float16", "float32", "float64"]
    arrays = {kind: np.arange(6).reshape(2, 3).astype(kind) for kind in kinds}
    arrays |= {"none": np.zeros((0, 4), "float16"), "odd": np.zeros(3, "uint8"), "flat": np.ones(7, "int16")}
    paths = [tmp_path / "a.safetensors", tmp_path / "a.safetensors.xz"]
    for path in paths:
        path.write_bytes(columns.encode_arrays(arrays, packed=path.suffix == packing.ENDING))
    assert columns.shapes(paths[0]) == columns.shapes(paths[1])
    for name, array in arrays.items():
        for some in ([paths[1]], paths):  # a packed file beside a plain one, too
            assert columns.common_type(some, name) == array.dtype
            found = columns.decode_arrays(some, name)
            assert found.dtype == array.dtype
            np.testing.assert_array_equal(found, np.concatenate([array] * len(some)))


def test_a_table_of_all_types_comes_back(tmp_path):
    kinds = ["int8", "uint8", "int16", "uint16", "int32", "int64", "uint64", "float16", "float32", "float64"]
    frame = pd.DataFrame({kind: np.arange(4).astype(kind) for kind in kinds})
    frame = frame.assign(
        token=[0, 1, 2, 0], start=[0, 4, 9, 0], truth=[True, False, True, True],
        text=pd.array(["一", None, "", "😀"], dtype="string"), some=pd.array([1, None, 3, 4], dtype="Int64"),
        part=pd.array([0.5, None, -1, 2], dtype="Float32"), nothing=pd.array([pd.NA] * 4, dtype="string"),
    )  # fmt: skip
    for rows in (frame, frame.iloc[:0]):
        content = columns.encode_table(rows, packed=True)
        assert content == columns.encode_table(rows, packed=True)
        (tmp_path / "t.parquet").write_bytes(content)
        (tmp_path / "plain.parquet").write_bytes(columns.encode_table(rows))
        found = columns.decode_tables([tmp_path / "t.parquet"])
        assert_frame_equal(found, columns.decode_tables([tmp_path / "plain.parquet"]))
        if len(rows):
            assert_frame_equal(found, rows)


def test_a_file_that_changed_is_read_again(tmp_path):
    path = tmp_path / "a.safetensors.xz"
    for value in (1, 2):
        path.write_bytes(columns.encode_arrays({"a": np.full(3, value)}, packed=True))
        os.utime(path, ns=(value, value))
        assert columns.decode_arrays([path], "a").tolist() == [value] * 3


@pytest.mark.parametrize("broken", [b"", b"nothing", "cut", packing.press(b"no arrays at all")])
def test_what_is_no_packed_file_is_named(tmp_path, broken):
    path = tmp_path / "a.safetensors.xz"
    content = columns.encode_arrays({"a": np.arange(1000.0)}, packed=True)
    path.write_bytes(content[: len(content) // 2] if broken == "cut" else broken)
    with pytest.raises(InputError, match="arrays cannot be read") as found:
        columns.shapes(path)
    assert found.value.problems[0].path == path
    with pytest.raises(InputError, match="arrays cannot be read"):
        columns.shapes(tmp_path / "nowhere.safetensors.xz")

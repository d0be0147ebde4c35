"""Tables as Parquet and arrays as safetensors: equal content gives equal bytes, and types come back.

Parquet knows no NaN-or-missing and no kinds of pandas, so a column that may miss values is marked as
nullable, and one that may not is not; reading gives pandas' nullable types for the former alone.
Another version of pyarrow may write other bytes for the same content.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

from sheeplib.errors import InputError, Problem
from sheeplib.features import packing
from sheeplib.tables import TEXT

# Higher levels are slower and gain little on numbers; Arrow's own schema would repeat what Parquet says.
WRITING: Mapping[str, Any] = {"compression": "zstd", "compression_level": 3, "store_schema": False}
_KINDS = {"F": "float", "I": "int", "U": "uint"}  # names in safetensors and in numpy
_NULLABLE = {"float": "Float32", "double": "Float64", "bool": "boolean"}  # names in Arrow and in pandas


def encode_table(frame: pd.DataFrame, packed: bool = False) -> bytes:
    """A frame as a Parquet file, without its index.

    Parameters
    ----------
    frame : DataFrame
    packed : bool
        Whether to take the time to make it small; it is read like any other.

    Raises
    ------
    InputError
        If a column is neither text nor numbers nor truth values, or text is not Unicode.
    """
    _, parquet = _arrow()
    stream, table = io.BytesIO(), to_arrow(frame)
    parquet.write_table(table, stream, **{**WRITING, **(_tight(table) if packed else {})})
    return stream.getvalue()


def _tight(table: Any) -> dict[str, Any]:
    """Options of writing that make a table small: bytes of numbers are set apart by their place."""
    kinds = {field.name: str(field.type) for field in table.schema}
    encodings = {
        name: "BYTE_STREAM_SPLIT"
        for name, kind in kinds.items()
        if kind.startswith(("int", "uint", "float", "double", "halffloat"))
        and kind not in ("int8", "uint8", "int16", "uint16")  # which have no such encoding, and no need
    }
    texts = [name for name in kinds if name not in encodings]
    return {
        "compression_level": 19,  # slow to write, as fast as any to read
        "use_dictionary": texts,
        "column_encoding": encodings,
        "write_statistics": False,
    }


def to_arrow(frame: pd.DataFrame) -> Any:
    """A frame as an Arrow table; for errors see `encode_table`."""
    arrow, _ = _arrow()
    columns = {str(name): _encoded(frame[name], arrow) for name in frame.columns}
    fields = [arrow.field(name, column.type, nullable) for name, (column, nullable) in columns.items()]
    return arrow.Table.from_arrays([column for column, _ in columns.values()], schema=arrow.schema(fields))


def decode_tables(paths: Sequence[Path], columns: Sequence[str] | None = None) -> pd.DataFrame:
    """The rows of several Parquet files, one after the other, with the types that were encoded.

    Parameters
    ----------
    paths : sequence of Path
        At least one.
    columns : sequence of str, optional
        Columns to read, in this order; default all.

    Raises
    ------
    InputError
        If a file is not Parquet, a column is neither text nor numbers, or the files do not fit together.
    """
    arrow, parquet = _arrow()
    whole = None
    for path in paths:
        with _reading(path), parquet.ParquetFile(path, memory_map=True) as file:
            rows = file.read(columns=None if columns is None else list(columns))
        _check_kinds(rows.schema, path, arrow.types)
        with _reading(path):
            if whole is None or not len(whole):
                whole = rows
            elif len(rows):  # a table without rows may not know its types
                whole = arrow.concat_tables([whole, rows], promote_options="default")
    assert whole is not None
    names = whole.column_names if columns is None else columns
    return pd.DataFrame({name: _decoded(whole, name) for name in names})


def about_table(path: Path) -> tuple[int, list[str]]:
    """Number of rows and names of the columns of a Parquet file; nothing else is read."""
    _, parquet = _arrow()
    with _reading(path):
        about = parquet.read_metadata(path)
        return about.num_rows, list(about.schema.to_arrow_schema().names)


def encode_arrays(arrays: Mapping[str, np.ndarray], packed: bool = False) -> bytes:
    """Arrays as a safetensors file, each in its own type.

    Parameters
    ----------
    arrays : mapping of str to ndarray
    packed : bool
        Whether to press it; the name of such a file ends in `packing.ENDING`.

    Raises
    ------
    InputError
        If the type of an array is not one of safetensors.
    """
    for name, array in arrays.items():
        if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
            raise InputError(
                Problem("array has a type that cannot be stored", field=name, value=array.dtype.str)
            )
    _safetensors()
    from safetensors.numpy import save

    # No metadata: where there are several, their order differs from process to process.
    content = save({name: np.ascontiguousarray(array) for name, array in sorted(arrays.items())})
    return packing.press(content) if packed else content


def shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """Shape of each array of a safetensors file, by name in order; nothing else is read."""
    with _opened(path) as file:
        return {name: tuple(file.get_slice(name).get_shape()) for name in sorted(file.keys())}


def decode_arrays(paths: Sequence[Path], name: str) -> np.ndarray:
    """The rows of an array over several safetensors files, one after the other.

    The type is one that holds them all, such as float32 where one file has float16 and another float32.

    Parameters
    ----------
    paths : sequence of Path
        At least one; all of them have the array.
    name : str

    Raises
    ------
    InputError
        If the rows of two files have different shapes.
    """
    found = [shapes(path)[name] for path in paths]
    for path, shape in zip(paths, found, strict=True):
        if shape[1:] != found[0][1:]:
            what = f"array '{name}' has rows of another shape than in {paths[0]}"
            raise InputError(Problem(what, "Make it anew", path=path, value=shape))
    whole = np.empty((sum(shape[0] for shape in found), *found[0][1:]), common_type(paths, name))
    place = 0
    for path, shape in zip(paths, found, strict=True):
        with _opened(path) as file:
            whole[place : place + shape[0]] = file.get_tensor(name)
        place += shape[0]
    return whole


def common_type(paths: Sequence[Path], name: str) -> np.dtype:
    """Type that holds an array of several safetensors files; nothing else is read."""
    kinds = set()
    for path in paths:
        with _opened(path) as file:
            kinds.add(file.get_slice(name).get_dtype())
    return np.result_type(*(_KINDS[kind[0]] + kind[1:] if kind != "BOOL" else "bool" for kind in kinds))


def _encoded(column: pd.Series, arrow: ModuleType) -> tuple[Any, bool]:
    """An Arrow array, and whether values may be missing."""
    if column.dtype == object and column.isna().all():
        return arrow.nulls(len(column)), True
    if pd.api.types.is_string_dtype(column.dtype) or column.dtype == object or column.dtype == "category":
        if not all(isinstance(value, str) for value in column.dropna()):
            raise InputError(Problem("column is neither text nor numbers", field=str(column.name)))
        try:
            return arrow.array(column.astype(TEXT).array, arrow.string()), True
        except UnicodeEncodeError:
            what, remedy = "text holds half of a surrogate pair", "Mend the text where it comes from"
            raise InputError(Problem(what, remedy, field=str(column.name))) from None
    kind = getattr(column.dtype, "kind", "")
    if kind not in "fiub":
        raise InputError(Problem("column is neither text nor numbers", field=str(column.name)))
    if isinstance(column.dtype, np.dtype):
        return arrow.array(column.to_numpy(), from_pandas=False), False
    return arrow.array(column.array), True


def _check_kinds(schema: Any, path: Path, types: Any) -> None:
    """Refuse columns of lists, dates and so on."""
    texts = types.is_string, types.is_large_string, types.is_null
    numbers = types.is_integer, types.is_floating, types.is_boolean
    for field in schema:
        kind = field.type.value_type if types.is_dictionary(field.type) else field.type
        if not any(fits(kind) for fits in texts + numbers):
            what, remedy = "column is neither text nor numbers", "Leave it out or make it text"
            raise InputError(Problem(what, remedy, path=path, field=field.name, value=str(field.type)))


def _decoded(table: Any, name: str) -> Any:
    values, field = table.column(name), table.schema.field(name)
    if hasattr(field.type, "index_type"):  # categories of pandas
        values = values.cast(field.type.value_type)
    kind = str(values.type)
    if kind in ("string", "large_string"):
        return TEXT.__from_arrow__(values)
    if kind == "null":
        return pd.array([pd.NA] * len(values), dtype=TEXT)
    if not field.nullable:
        return values.to_numpy()
    nullable = _NULLABLE.get(kind) or kind.replace("i", "I", 1).replace("u", "U", 1)  # uint8: UInt8
    return pd.api.types.pandas_dtype(nullable).__from_arrow__(values)


def _arrow() -> tuple[ModuleType, ModuleType]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise InputError(_absent("pyarrow")) from None
    return pyarrow, pyarrow.parquet


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    arrow, _ = _arrow()
    try:
        yield
    except (arrow.ArrowException, OSError) as error:
        raise InputError(Problem(f"table cannot be read: {error}", "Make it anew", path=path)) from None


def _safetensors() -> ModuleType:
    try:
        import safetensors
    except ImportError:
        raise InputError(_absent("safetensors")) from None
    return safetensors


def _absent(package: str) -> Problem:
    return Problem(f"features need the package {package}", 'pip install "sheeplib[features]"')


def _opened(path: Path) -> Any:
    library = _safetensors()
    if path.suffix == packing.ENDING:
        return packing.Pressed.open(path)
    try:
        return library.safe_open(path, framework="numpy")
    except (library.SafetensorError, OSError) as error:
        raise InputError(Problem(f"arrays cannot be read: {error}", "Make them anew", path=path)) from None

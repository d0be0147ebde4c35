"""The shipped table of abilities: what is written is read back, and what does not fit is refused."""

import pandas as pd
import pytest

from sheeplib.errors import InputError
from sheeplib.miniatures import ability_tables
from sheeplib.miniatures.census_rows import COLUMNS, table

FOUND = {
    part: table(
        [dict(zip(COLUMNS, (model, "accuracy", "en", pd.NA, 0.25, 0.125, 0.5, 4), strict=True))
         for model in ("clover", "chance")]
    )
    for part in ability_tables.PARTS
}  # fmt: skip
WEIGHTS = {"clover": "weights-1", "daisy": "weights-2"}


@pytest.fixture
def path(tmp_path):
    ability_tables.write_abilities(tmp_path / "abilities.parquet", FOUND, WEIGHTS)
    return tmp_path / "abilities.parquet"


def test_what_is_written_is_read_back(path):
    back = ability_tables.read_abilities(path)
    assert list(back) == list(FOUND)
    for part, frame in FOUND.items():
        pd.testing.assert_frame_equal(back[part], frame)
    assert [file.name for file in path.parent.iterdir()] == [path.name], "no draft is left"


def test_other_weights_are_named(path):
    assert ability_tables.complaints(path, WEIGHTS) == []
    (problem,) = ability_tables.complaints(path, WEIGHTS | {"clover": "weights-3"})
    assert "abilities of clover are of other weights" in str(problem)
    assert "no table" in str(ability_tables.complaints(path.parent / "x", WEIGHTS)[0])


@pytest.mark.parametrize(
    "spoil, said",
    [
        (lambda rows: rows.drop(columns=["low", "n"]), "lacks columns low, n"),
        (lambda rows: rows[rows["part"] != "letters"], "holds nothing about letters"),
    ],
)
def test_half_a_table_is_refused(path, spoil, said):
    spoil(pd.read_parquet(path)).to_parquet(path)
    with pytest.raises(InputError, match=said):
        ability_tables.read_abilities(path)


def test_what_is_no_table_is_refused(path, monkeypatch):
    path.write_bytes(b"PAR1")
    with pytest.raises(InputError, match="not a readable Parquet file"):
        ability_tables.read_abilities(path)
    monkeypatch.setattr(ability_tables, "PLACE", path.parent / "none")
    with pytest.raises(InputError, match="no table of what the miniatures can do.*make meadow"):
        ability_tables.read_abilities()
    with pytest.raises(InputError, match="cannot be written"):
        ability_tables.write_abilities(path.parent / "no" / "where", FOUND, WEIGHTS)

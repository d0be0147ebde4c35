"""Tables and files of judges' letters."""

import json

import pandas as pd
import pytest

from sheeplib.corpora import meadow
from sheeplib.errors import InputError
from sheeplib.judge_letters import judges, letters_for, long_letters, read_letters

WIDE = pd.DataFrame({"item": ["a", "b"], "owl": ["A", None], "owlet": ["F", ""]})


def rows(frame):
    return [tuple(None if pd.isna(value) else value for value in row) for row in frame.to_numpy()]


def test_a_column_a_judge_becomes_a_row_a_letter():
    found = long_letters(WIDE)
    assert rows(found) == [("a", "owl", "A"), ("b", "owl", None), ("a", "owlet", "F"), ("b", "owlet", None)]
    assert judges(found) == ["owl", "owlet"]
    assert long_letters(found).equals(found)


def test_a_judge_that_was_not_asked_has_no_row():
    long = pd.DataFrame({"item": ["a"], "judge": ["owl"], "letter": [None], "p_A": [0.5], "how": ["greedy"]})
    assert rows(long_letters(long)) == [("a", "owl", None)]


@pytest.mark.parametrize(
    ("table", "what", "field"),
    [
        (pd.DataFrame({"x": [1], "y": [2]}), "not a table of letters", None),
        (pd.DataFrame({"item": ["a"]}), "not a table of letters", None),
        (pd.DataFrame({"item": ["a", "b"], "owl": ["A", "a"]}), "row 1: not a letter", "letter"),
        (pd.DataFrame({"item": ["a", None], "owl": ["A", "B"]}), "row 1: an item without a name", "item"),
        (pd.DataFrame({"item": ["a", "a"], "owl": ["A", "A"]}), "row 1: two letters", "item, judge"),
        (
            pd.DataFrame({"item": ["a"], "judge": [None], "letter": ["A"]}),
            "row 0: a judge without a name",
            "judge",
        ),
    ],
)
def test_wrong_tables_are_refused_with_their_rows(table, what, field):
    with pytest.raises(InputError) as raised:
        long_letters(table, "letters.csv")
    (problem,) = raised.value.problems
    assert problem.what.startswith(what) and problem.field == field and problem.path == "letters.csv"
    assert problem.remedy


def test_files_of_both_forms_are_read_together(tmp_path):
    WIDE.to_csv(tmp_path / "one.csv", index=False)
    lines = [
        {"item": "a", "judge": "eagle-owl", "letter": None},
        {"item": "ü", "judge": "eagle-owl", "letter": "C"},
    ]
    (tmp_path / "two.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    found = read_letters([tmp_path / "one.csv", tmp_path / "two.jsonl"])
    assert judges(found) == ["owl", "owlet", "eagle-owl"]
    assert rows(found)[-2:] == [("a", "eagle-owl", None), ("ü", "eagle-owl", "C")]
    long_letters(WIDE).to_parquet(tmp_path / "three.parquet")
    assert read_letters(tmp_path / "three.parquet").equals(long_letters(WIDE))
    with pytest.raises(InputError, match="two letters of one judge"):
        read_letters([tmp_path / "one.csv", tmp_path / "three.parquet"])


def test_files_that_are_none_are_refused(tmp_path):
    for name, content in {"a.csv": b"\xff", "b.parquet": b"no", "c.txt": b"item", "d.jsonl": b"[]"}.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError) as raised:
            read_letters(tmp_path / name)
        assert str(raised.value.problems[0].path) == str(tmp_path / name)
    with pytest.raises(InputError, match="no file of letters"):
        read_letters([])
    with pytest.raises(InputError):
        read_letters(tmp_path / "absent.csv")


def test_the_meadow_comes_with_letters(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(meadow, "letters", lambda **options: asked.append(options) or WIDE)
    assert letters_for("meadow", directory=tmp_path).equals(long_letters(WIDE))
    assert asked == [{"directory": tmp_path}]
    monkeypatch.setattr(meadow.pool, "DATA", tmp_path)  # a package without answers and letters
    assert letters_for("meadow").empty and len(asked) == 1


def test_a_corpus_without_letters_gives_none():
    found = letters_for("sheep")
    assert found.empty and list(found) == ["item", "judge", "letter"]

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebooks import write_notebook
from sheeplib import InputError
from sheeplib.parameters import Parameter, check_parameters, parameters, parse_parameters


@pytest.fixture
def notebook(tmp_path):
    return lambda source: write_notebook(tmp_path / "chapter.ipynb", parameters=source)


def test_parameters_are_read_with_type_default_and_meaning(notebook):
    path = notebook(
        "n: int = 2_000  # draws # of the bootstrap\nwhere: str | None = None\nx: list[float] = [1, 2.5]  #"
    )
    assert parameters(path) == [
        Parameter("n", "int", 2000, "draws # of the bootstrap"),
        Parameter("where", "str | None", None, ""),
        Parameter("x", "list[float]", [1, 2.5], ""),
    ]


def test_a_hash_in_a_default_is_no_comment(notebook):
    assert parameters(notebook('colour: str = "#fff"'))[0].help == ""


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("n = 3", "not a typed parameter"),
        ("n: int", "not a typed parameter"),
        ("import os", "not a typed parameter"),
        ("n: int = 1 + 1", "plain value"),
        ("n: int = open('x')", "plain value"),
        ("n: dict = {}", "type 'dict' is none of"),
        ("n: int = 'three'", "not of the declared type"),
        ("n: int = True", "not of the declared type"),
        ("n: int = None", "not of the declared type"),
        ("n: int = = 3", "line 1: invalid syntax"),
    ],
)
def test_a_line_of_another_form_is_refused(notebook, line, what):
    with pytest.raises(InputError, match=what):
        parameters(notebook(line))


def test_a_name_may_stand_once(notebook):
    with pytest.raises(InputError, match="'n' is there twice"):
        parameters(notebook("n: int = 1\nn: int = 2"))


def test_a_notebook_without_parameters_has_none(tmp_path):
    path = tmp_path / "x.ipynb"
    path.write_text(json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    assert parameters(path) == []


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"nbformat": 3, "worksheets": []}'])
def test_other_files_are_refused(tmp_path, content):
    (tmp_path / "x.ipynb").write_text(content)
    with pytest.raises(InputError, match="notebook"):
        parameters(tmp_path / "x.ipynb")


def test_a_missing_notebook_is_named_with_those_that_are_there(notebook):
    with pytest.raises(InputError, match="no such notebook.*Known here: chapter"):
        parameters(notebook("n: int = 1").with_name("chaptre.ipynb"))


def test_values_are_completed_with_defaults(notebook):
    path = notebook("n: int = 1\nx: float = 0.5\nwho: list[str] = []\nwhere: str | None = 'here'")
    checked = check_parameters(path, {"x": 2, "who": ("a", "b"), "where": None})
    assert checked == {"n": 1, "x": 2.0, "who": ["a", "b"], "where": None}
    assert isinstance(checked["x"], float)


def test_a_misspelt_name_is_refused_with_a_near_one(notebook):
    with pytest.raises(
        InputError, match="unknown parameter 'sead'. Did you mean 'seed'. Known: seed: int, n: int"
    ):
        check_parameters(notebook("seed: int = 1\nn: int = 2"), {"sead": 1})


@pytest.mark.parametrize(
    ("kind", "default", "value"),
    [
        ("int", 1, 1.0),
        ("int", 1, True),
        ("int", 1, "1"),
        ("int", 1, None),
        ("float", 1.0, True),
        ("str", "", 1),
        ("bool", True, 1),
        ("list[str]", [], "abc"),
        ("list[int]", [], [1, "2"]),
        ("int | None", None, "none"),
    ],
)
def test_a_wrong_type_is_refused(notebook, kind, default, value):
    path = notebook(f"n: {kind} = {default!r}  # meaning of n")
    with pytest.raises(InputError, match="parameter 'n' must be .*meaning of n"):
        check_parameters(path, {"n": value})


def test_everything_wrong_is_told_at_once(notebook):
    with pytest.raises(InputError) as told:
        check_parameters(notebook("n: int = 1"), {"n": "x", "m": 2, "k": 3})
    assert len(told.value.problems) == 3


def test_texts_are_read_by_the_declared_type(notebook):
    path = notebook(
        "n: int = 1\nx: float = 1.0\ns: str = ''\nb: bool = False\nw: list[int] = []\no: str | None = ''"
    )
    texts = ["n=7", "x=1e-5", "s=007", "b=Yes", "w=1, 2", "o=none"]
    assert parse_parameters(path, texts) == {"n": 7, "x": 1e-5, "s": "007", "b": True, "w": [1, 2], "o": None}


def test_a_list_may_be_written_as_a_notebook_has_it(notebook):
    path = notebook("w: list[int] = []\ns: list[str] = []")
    given = ["w=[1, 2]", """s=["a, b", 'c']"""]
    assert parse_parameters(path, given) == {"w": [1, 2], "s": ["a, b", "c"]}


@pytest.mark.parametrize(
    "text", ["n", "n=1.5", "n=", "b=maybe", "m=1", "w=[1, 'x']", "w=[1,", "w=[open]", "w=[1] + [2]"]
)
def test_unreadable_texts_are_refused(notebook, text):
    with pytest.raises(InputError):
        parse_parameters(notebook("n: int = 1\nb: bool = True\nw: list[int] = []"), [text])


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_any_text_survives_the_way_through_a_notebook(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("n") / "x.ipynb"
    write_notebook(path, parameters=f"s: str = {text!r}")
    assert parameters(path)[0].default == text
    assert parse_parameters(path, [f"s={text}"]) == {"s": text}

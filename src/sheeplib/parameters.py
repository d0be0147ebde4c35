"""The typed parameters that a notebook declares, and whether given values fit them."""

from __future__ import annotations

import ast
import io
import json
import tokenize
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from sheeplib.errors import InputError, Problem

TAG = "parameters"
_BASIC: Mapping[str, type] = {"int": int, "float": float, "str": str, "bool": bool}
KINDS = (*_BASIC, *(f"list[{name}]" for name in _BASIC))
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True)
class Parameter:
    """One line `name: type = default  # meaning` of a notebook's parameters cell.

    Parameters
    ----------
    name : str
    type : str
        As written: `int`, `float`, `str`, `bool`, a list of one of them, or one of these and None.
    default : value
    help : str
        The comment at the end of the line.
    """

    name: str
    type: str
    default: Any
    help: str = ""

    @property
    def kind(self) -> str:
        """The type without `| None`."""
        return " | ".join(part for part in self.type.split(" | ") if part != "None")

    @property
    def optional(self) -> bool:
        """Whether None is a value."""
        return "None" in self.type.split(" | ")


def parameters(path: Path) -> list[Parameter]:
    """Parameters that a notebook declares in its cell tagged `parameters`.

    Parameters
    ----------
    path : Path
        A notebook (.ipynb).

    Returns
    -------
    list of Parameter
        In the order of the cell; empty if no cell has the tag.

    Raises
    ------
    InputError
        If the file is no notebook, more than one cell has the tag, or a line of the cell is not
        of the form `name: type = default  # meaning`.
    """
    tagged = [cell for cell in read_cells(path) if TAG in cell.get("metadata", {}).get("tags", [])]
    if len(tagged) > 1:
        raise InputError(Problem(f"{len(tagged)} cells are tagged '{TAG}'", "Keep one", path=path))
    return _declared(text_of(tagged[0]["source"]), path) if tagged else []


def check_parameters(path: Path, values: Mapping[str, Any]) -> dict[str, Any]:
    """Check values for a notebook's parameters.

    Parameters
    ----------
    path : Path
        The notebook.
    values : mapping of str to value
        Whole numbers are accepted for `float`; truth values are not numbers.

    Returns
    -------
    dict
        A value for every parameter: the given one, or the default.

    Raises
    ------
    InputError
        Naming every unknown parameter, with the known ones and a near miss, and every value of a
        wrong type.
    """
    known = {parameter.name: parameter for parameter in parameters(path)}
    problems = [_unknown(name, known, path) for name in values if name not in known]
    for name in set(values) & set(known):
        if not _fits(values[name], known[name]):
            what = f"parameter '{name}' must be {known[name].type}"
            problems.append(Problem(what, known[name].help, path=path, value=values[name]))
    if problems:
        raise InputError(sorted(problems, key=str))
    return {name: _converted(values.get(name, known[name].default), known[name]) for name in known}


def parse_parameters(path: Path, assignments: Iterable[str]) -> dict[str, Any]:
    """Read `name=value` texts, as given on a command line, by the types that a notebook declares.

    Parameters
    ----------
    path : Path
        The notebook.
    assignments : iterable of str
        Lists are separated by commas, or written as in Python; `none` is None where the type allows it.

    Returns
    -------
    dict
        The given parameters alone, with their types.

    Raises
    ------
    InputError
        If a text has no `=`, a name is unknown, or a value cannot be read as its type.
    """
    known = {parameter.name: parameter for parameter in parameters(path)}
    values: dict[str, Any] = {}
    problems = []
    for text in assignments:
        name, equals, value = text.partition("=")
        if not equals:
            problems.append(Problem("not of the form name=value", value=text))
        elif name not in known:
            problems.append(_unknown(name, known, path))
        else:
            try:
                values[name] = _read(value, known[name])
            except (ValueError, KeyError, SyntaxError):
                what = f"parameter '{name}' must be {known[name].type}"
                problems.append(Problem(what, known[name].help, path=path, value=value))
    if problems:
        raise InputError(problems)
    return values


def read_cells(path: Path) -> list[dict[str, Any]]:
    """Cells of a notebook file.

    Raises
    ------
    InputError
        If the file is missing or is no notebook of format 4.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        known = ", ".join(sorted(other.stem for other in path.parent.glob("*.ipynb"))) or "none"
        raise InputError(Problem("no such notebook", f"Known here: {known}", path=path)) from None
    except (OSError, ValueError) as error:
        raise InputError(Problem(f"not a readable notebook: {error}", path=path)) from None
    if not isinstance(content, dict) or content.get("nbformat") != 4 or "cells" not in content:
        raise InputError(Problem("not a notebook of format 4", "Save it with Jupyter", path=path))
    return content["cells"]


def _declared(source: str, path: Path) -> list[Parameter]:
    form = "Write it as: name: type = default  # meaning"
    try:
        statements = ast.parse(source).body
    except SyntaxError as error:
        raise InputError(
            Problem(f"parameters cell, line {error.lineno}: {error.msg}", form, path=path)
        ) from None
    comments = _comments(source)
    found: list[Parameter] = []
    problems: list[Problem] = []
    for statement in statements:
        where = f"parameters cell, line {statement.lineno}"
        try:
            parameter = _parameter(statement, comments.get(statement.end_lineno or statement.lineno, ""))
        except ValueError as error:
            problems.append(Problem(f"{where}: {error}", form, path=path, value=ast.unparse(statement)))
            continue
        if parameter.name in {other.name for other in found}:
            problems.append(Problem(f"{where}: parameter '{parameter.name}' is there twice", path=path))
        found.append(parameter)
    if problems:
        raise InputError(problems)
    return found


def _parameter(statement: ast.stmt, comment: str) -> Parameter:
    if not (
        isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value
    ):
        raise ValueError("not a typed parameter with a default")
    try:
        default = ast.literal_eval(statement.value)
    except (ValueError, SyntaxError):
        raise ValueError("the default must be a plain value") from None
    parameter = Parameter(statement.target.id, ast.unparse(statement.annotation), default, comment)
    if parameter.kind not in KINDS:
        raise ValueError(
            f"type '{parameter.type}' is none of {', '.join(KINDS)}, each with or without '| None'"
        )
    if not _fits(default, parameter):
        raise ValueError("the default is not of the declared type")
    return parameter


def _comments(source: str) -> dict[int, str]:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {t.start[0]: t.string.lstrip("# ").rstrip() for t in tokens if t.type == tokenize.COMMENT}


def _fits(value: Any, parameter: Parameter) -> bool:
    if value is None:
        return parameter.optional
    if parameter.kind.startswith("list["):
        inner = parameter.kind[5:-1]
        return isinstance(value, list | tuple) and all(_is(item, inner) for item in value)
    return _is(value, parameter.kind)


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):  # True is an int to Python, not to a reader
        return kind == "bool"
    return isinstance(value, int | float if kind == "float" else _BASIC[kind])


def _converted(value: Any, parameter: Parameter) -> Any:
    """Whole numbers become floats where floats are meant, so that 1 and 1.0 are one run."""
    if value is None or not parameter.kind.startswith("list["):
        return float(value) if parameter.kind == "float" and value is not None else value
    return [float(item) if parameter.kind == "list[float]" else item for item in value]


def _read(text: str, parameter: Parameter) -> Any:
    if parameter.optional and text.lower() in {"none", ""}:
        return None
    if parameter.kind.startswith("list["):
        if text.strip().startswith("[") and text.strip().endswith("]"):  # as a notebook writes it
            value = ast.literal_eval(text.strip())
            if not _fits(value, parameter):
                raise ValueError
            return value
        return [_read_one(part.strip(), parameter.kind[5:-1]) for part in text.split(",") if part.strip()]
    return _read_one(text, parameter.kind)


def _read_one(text: str, kind: str) -> Any:
    return _TRUTH[text.lower()] if kind == "bool" else _BASIC[kind](text)


def _unknown(name: str, known: Mapping[str, Parameter], path: Path) -> Problem:
    near = get_close_matches(name, known, n=1)
    hint = f"Did you mean '{near[0]}'? " if near else ""
    listed = ", ".join(f"{other.name}: {other.type}" for other in known.values()) or "none"
    return Problem(f"unknown parameter '{name}'", f"{hint}Known: {listed}", path=path)


def text_of(source: str | list[str]) -> str:
    """Text of a cell, which files keep whole or line by line."""
    return source if isinstance(source, str) else "".join(source)

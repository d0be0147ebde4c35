"""Profiles by name: each binds corpus, data directory, sizes and seeds for all notebooks at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from sheeplib.errors import InputError, Problem

DEFAULT = "meadow"
_KEYS = {"title", "directory_from", "features", "notebooks", "parameters"}


@dataclass(frozen=True)
class Profile:
    """What all notebooks of one run share.

    Parameters
    ----------
    name : str
        Name of the profile; results are kept under it.
    title : str
        The profile in words, for pages and messages.
    parameters : mapping of str to value
        Values for the notebooks' parameters; a notebook takes those that it declares.
    notebooks : tuple of str, optional
        Names of the notebooks that make sense; all of them where it is None.
    own : mapping of str to mapping
        By notebook: parameters of it alone.
    left_out : mapping of str to str
        Notebooks among these that cannot be run now, and why.
    """

    name: str
    title: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    notebooks: tuple[str, ...] | None = None
    own: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)

    def varied(self, values: Mapping[str, Any]) -> Profile:
        """The profile with other values, under a name of its own, so that its results stay."""
        return replace(self, name=f"{self.name}-varied", parameters={**self.parameters, **values})

    def values(self, declared: Iterable[str], notebook: str = "") -> dict[str, Any]:
        """The part of `parameters`, and of its own, that a notebook with these parameter names takes."""
        names, known = set(declared), {**self.parameters, **self.own.get(notebook, {})}
        return {name: value for name, value in known.items() if name in names}


def names() -> list[str]:
    """Names of the profiles that come with the package."""
    return sorted(path.name.removesuffix(".yml") for path in files(__name__).iterdir() if _is_profile(path))


def profile(name: str = DEFAULT, environment: Mapping[str, str] | None = None, **overrides: Any) -> Profile:
    """Look a profile up.

    Parameters
    ----------
    name : str
        One of `names()`.
    environment : mapping, optional
        Variables that say where data lies, such as `SHEEP_DATA`; default `os.environ`.
    **overrides
        Parameters that take precedence over the profile's; None means not given.

    Returns
    -------
    Profile
        With an absolute `directory` among its parameters where the profile reads one. Notebooks that
        read features of the answers are left out while nobody has extracted any.

    Raises
    ------
    InputError
        If the name is unknown, or the profile's data are not where they should be.
    """
    known = names()
    if name not in known:
        near = get_close_matches(name, known, n=1)
        hint = f"Did you mean '{near[0]}'? " if near else ""
        raise InputError(Problem(f"unknown profile '{name}'", f"{hint}Known: {', '.join(known)}"))
    found = _read(name, files(__name__).joinpath(f"{name}.yml").read_text(encoding="utf-8"))
    given = {key: value for key, value in overrides.items() if value is not None}
    variables = found.pop("directory_from")
    parameters = {**found.pop("parameters"), **given}
    if variables:
        parameters["directory"] = str(_directory(name, variables, given, environment))
    reading = found.pop("features")
    own, left_out = _features(reading, parameters) if reading else ({}, {})
    return replace(Profile(**found), parameters=parameters, own=own, left_out=left_out)


def _read(name: str, text: str) -> dict[str, Any]:
    declared = yaml.safe_load(text)
    if unknown := set(declared) - _KEYS:
        raise InputError(
            Problem(f"profile '{name}': unknown keys {sorted(unknown)}", f"Known: {sorted(_KEYS)}")
        )
    notebooks = declared.get("notebooks")
    return {
        "name": name,
        "title": declared["title"],
        "directory_from": declared.get("directory_from", []),
        "features": declared.get("features", {}),
        "parameters": declared["parameters"],
        "notebooks": None if notebooks is None else tuple(notebooks),
    }


def _features(
    reading: Mapping[str, str], parameters: Mapping[str, Any]
) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    """The store that each notebook reads, as its parameter; and those without any, with the reason."""
    from sheeplib.detectors.evaluators import kept_store

    own, left_out = {}, {}
    for notebook, method in reading.items():
        try:
            store = kept_store(parameters["corpus"], method, parameters.get("features"))
            own[notebook] = {"features": str(store.path.resolve())}
        except InputError as error:
            left_out[notebook] = str(error)
    return own, left_out


def _directory(
    name: str, variables: list[str], given: Mapping[str, Any], environment: Mapping[str, str] | None
) -> Path:
    environment = os.environ if environment is None else environment
    stated = {"directory": given.get("directory")} | {key: environment.get(key) for key in variables}
    where, value = next(((key, value) for key, value in stated.items() if value), (None, None))
    ask = f"Say where the data lie, such as: make book PROFILE={name} {variables[0]}=DIR"
    if value is None:
        raise InputError(Problem(f"profile '{name}' needs data that do not come with the package", ask))
    directory = Path(value).expanduser().resolve()
    if not directory.exists():
        raise InputError(
            Problem(f"no such directory or zip ({where} of profile '{name}')", ask, path=directory)
        )
    return directory


def _is_profile(path: Any) -> bool:
    return path.name.endswith(".yml")

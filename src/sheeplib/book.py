"""Build the book from executed notebooks and hand-written pages; warnings are errors.

`python -m sheeplib.book PROFILE` in a checkout, after `sheep run --profile PROFILE`.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

import yaml

from sheeplib import chapters, profiles
from sheeplib.errors import InputError, Problem
from sheeplib.profiles import Profile
from sheeplib.report import pictures

_JUPYTER_BOOK = "from jupyter_book.cli.main import main; main()"  # it cannot be run with -m
# What a page fetches by itself, as opposed to links that a reader may follow.
_FETCHED = re.compile(
    r"""<(?:script|img|iframe|source|audio|video)\b[^>]*?\bsrc\s*=\s*["']?((?:https?:)?//[^"'\s>]+)"""
    r"""|<link\b(?=[^>]*\brel\s*=\s*["']?(?:stylesheet|preload|icon|prefetch|modulepreload))"""
    r"""[^>]*?\bhref\s*=\s*["']?((?:https?:)?//[^"'\s>]+)"""
    r"""|(?:@import\s+|url\()\s*["']?((?:https?:)?//[^"')\s]+)""",
    re.IGNORECASE,
)


def build(profile: Profile, root: Path) -> Path:
    """Build the HTML pages of one profile.

    Pages whose sources have not changed are kept; a change of settings, of the list of chapters
    or of the profile builds everything anew, so that no page of another profile stays.

    Parameters
    ----------
    profile : Profile
        Its notebooks have been executed before.
    root : Path
        The checkout.

    Returns
    -------
    Path
        `_build/html/index.html`.

    Raises
    ------
    InputError
        If the installed Jupyter Book cannot build this book, a page gave a warning, or a page
        would fetch something from elsewhere.
    """
    _check_version()
    pages = _take_executed(profile, root)
    pictures.draw(root / "book" / "pictures")
    contents = root / "_build" / f"toc-{profile.name}.yml"
    contents.write_text(yaml.safe_dump(contents_of(root, pages), sort_keys=False), encoding="utf-8")
    output, trees = root / "_build" / "html", root / "_build" / ".doctrees"
    stamp, key = root / "_build" / "book.sha256", _settings(root, contents)
    if not stamp.exists() or stamp.read_text() != key:
        _remove(output, trees)
    _remove(stamp)  # until it is built: what an interrupted build has read would not be read again
    command = ["build", "book", "--config", "_config.yml", "--toc", str(contents), "--path-output", "."]
    strict = ["-W", "-n", "--keep-going", "--quiet"]
    done = subprocess.run([sys.executable, "-c", _JUPYTER_BOOK, *command, *strict], cwd=root)
    index = output / "index.html"
    if done.returncode or not index.exists():
        _remove(trees)  # a page that gave a warning must be read again, or the next build passes
        raise InputError("the book was not built: see the warnings above, each of which is an error")
    if fetched := sorted(set(_fetched(output.rglob("*.html")))):
        raise InputError(
            [Problem("page would fetch from elsewhere", value=url, path=at) for at, url in fetched]
        )
    stamp.write_text(key)
    return index


def contents_of(root: Path, pages: Iterable[str]) -> dict[str, Any]:
    """The table of contents `book/_toc.yml` without the chapters that a profile does not have.

    Parameters
    ----------
    root : Path
        The checkout.
    pages : iterable of str
        Names of the executed notebooks.
    """
    declared = yaml.safe_load((root / "book" / "_toc.yml").read_text(encoding="utf-8"))
    present = {f"notebooks/{name}" for name in pages}

    def kept(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [e for e in entries if not e["file"].startswith("notebooks/") or e["file"] in present]

    parts = [part | {"chapters": kept(part["chapters"])} for part in declared["parts"]]
    return declared | {"parts": [part for part in parts if part["chapters"]]}


def _take_executed(profile: Profile, root: Path) -> list[str]:
    """Lay the profile's executed notebooks into the book; files that are equal keep their times."""
    source, target = chapters.executed(profile, root), root / "book" / "notebooks"
    names = chapters.notebooks(profile, root)
    if absent := [name for name in names if not (source / f"{name}.ipynb").exists()]:
        todo = f"sheep run --profile {profile.name}"
        raise InputError(Problem(f"notebook '{absent[0]}' has not been executed", f"First: {todo}"))
    target.mkdir(parents=True, exist_ok=True)
    for path in target.iterdir():
        if path.stem not in names or path.suffix != ".ipynb":
            _remove(path)
    for name in names:
        new, old = source / f"{name}.ipynb", target / f"{name}.ipynb"
        if not old.exists() or old.read_bytes() != new.read_bytes():
            shutil.copyfile(new, old)
    return names


def _settings(root: Path, contents: Path) -> str:
    """SHA-256 of what shapes all pages at once."""
    static = sorted(path for path in (root / "book" / "_static").rglob("*") if path.is_file())
    digest = hashlib.sha256(repr(sorted((d.name, d.version) for d in metadata.distributions())).encode())
    for path in [root / "_config.yml", contents, root / "book" / "references.bib", *static]:
        digest.update(f"{path.name}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def _fetched(pages: Iterable[Path]) -> list[tuple[str, str]]:
    """Addresses outside the book that pages fetch by themselves, with the page."""
    return [
        (str(page), next(filter(None, found)))
        for page in pages
        for found in _FETCHED.findall(page.read_text(encoding="utf-8"))
    ]


def _check_version() -> None:
    # Jupyter Book 2 finds no configuration here, writes no page and reports success.
    try:
        version = metadata.version("jupyter-book")
    except metadata.PackageNotFoundError:
        raise InputError(Problem("Jupyter Book is not installed", "make book installs it")) from None
    if not version.startswith("1."):
        what = "this book needs Jupyter Book 1"
        raise InputError(Problem(what, "pip install 'jupyter-book<2'", value=version))


def _remove(*paths: Path) -> None:
    for path in paths:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def main(arguments: list[str]) -> int:
    """Build the book of the profile named in the arguments; returns the exit code."""
    try:
        root = chapters.repository()
        index = build(profiles.profile(arguments[0] if arguments else profiles.DEFAULT), root)
    except InputError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130  # as shells say it
    print(f"The book: {index}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

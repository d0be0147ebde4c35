"""Receipts: what a number, table or figure rests on, gathered by the package and not typed."""

from __future__ import annotations

import html
import os
import platform
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from sheeplib.corpora import Corpus

_LOADED = time.perf_counter()
_ABOUT = ("numpy", "pandas", "scipy", "matplotlib", "seaborn", "torch", "transformers")
_STYLE = (
    "font-size:.8em;line-height:1.5;margin:.4em 0 1.6em;padding:.35em .8em;"
    "border-left:.25em solid rgba(128,128,128,.5);background:rgba(128,128,128,.1)"
)


@dataclass(frozen=True)
class Receipt:
    """Facts about a computation, in the order in which a page shows them.

    Parameters
    ----------
    facts : mapping of str to str
    """

    facts: Mapping[str, str]

    def as_dict(self) -> dict[str, str]:
        """The facts, for a file or a test."""
        return dict(self.facts)

    def __str__(self) -> str:
        return "; ".join(f"{name}: {value}" for name, value in self.facts.items())

    def _repr_html_(self) -> str:
        said = "; ".join(f"<b>{html.escape(k)}</b> {html.escape(v)}" for k, v in self.facts.items())
        return f'<div class="sheep-receipt" role="note" aria-label="Receipt" style="{_STYLE}">{said}</div>'


def receipt(
    corpus: Corpus,
    *,
    n: int | None = None,
    seed: int | None = None,
    resamples: int | None = None,
    evaluator: str | None = None,
    feature_key: str | None = None,
    started: float | None = None,
) -> Receipt:
    """What the table or figure above rests on; a notebook shows it as the last value of a cell.

    Parameters
    ----------
    corpus : Corpus
    n : int, optional
        Items used; default all of the corpus.
    seed, resamples : int, optional
        Of the bootstrap, where there is one.
    evaluator : str, optional
        Model that read the responses.
    feature_key : str, optional
        Content hash of the cached features.
    started : float, optional
        `time.perf_counter()` before the computation; default when the package was imported.

    Returns
    -------
    Receipt
        Time is in seconds of wall time; memory is the most that the process has held so far.
    """
    seconds = time.perf_counter() - (_LOADED if started is None else started)
    facts = {
        "corpus": f"{corpus.name} ({corpus.fingerprint})",
        "items": f"{len(corpus.items) if n is None else n:,}",
        "seed": seed,
        "resamples": None if resamples is None else f"{resamples:,}",
        "evaluator": evaluator,
        "features": feature_key,
        "package": package(),
        "time": f"{seconds:.1f} s",
        "peak memory": _peak_memory(),
        "device": device(),
        "simulated": corpus.simulated,
    }
    return Receipt({name: str(value) for name, value in facts.items() if value not in (None, "")})


def about() -> Receipt:
    """Versions at work here; the first thing to look at when numbers differ from the book's."""
    facts = {"package": package(), "Python": platform.python_version()}
    for name in _ABOUT:
        try:
            facts[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue  # an extra that is not installed
    return Receipt(facts | {"device": device()})


@cache
def package() -> str:
    """Name, version and, in a checkout, commit; `+` marks source that differs from the commit."""
    said = f"sheeplib {metadata.version('sheeplib')}"
    source = Path(__file__).parents[1]
    try:
        inside = _git(source, "ls-files", "--error-unmatch", "errors.py")
        commit = _git(source, "rev-parse", "--short=10", "HEAD")
        changed = _git(source, "status", "--porcelain", ".")
    except (OSError, subprocess.SubprocessError):
        return said  # installed, not in a checkout; or no git
    return f"{said} ({commit}{'+' if changed else ''})" if inside else said


def device() -> str:
    """What computed: the GPU if torch was imported and has one, else the CPU."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        return str(torch.cuda.get_device_name())
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return f"CPU ({platform.machine()}, {cores} core{'s' if cores > 1 else ''})"


def _peak_memory() -> str | None:
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak: Any = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    in_bytes = peak if sys.platform == "darwin" else peak * 1024
    return f"{in_bytes / 2**20:,.0f} MiB"


def _git(directory: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(directory), *arguments], capture_output=True, text=True, check=True, timeout=10
    )
    return done.stdout.strip()

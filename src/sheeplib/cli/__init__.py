"""`sheep`: a thin list of verbs. Exit codes: 0 fine, 1 wrong input, 2 wrong usage."""

from __future__ import annotations

import io
import sys

from sheeplib import __version__
from sheeplib.cli import (  # noqa: F401  (each adds its verbs)
    chair,
    corpora,
    detect,
    detect_euq,
    detect_mentions,
    features,
    judge,
    meadow,
    mentions,
    models,
    notebooks,
    retrain,
    shift,
)
from sheeplib.cli.terminal import app, records, show_frame, show_json
from sheeplib.errors import InputError

__all__ = ["app", "main", "records", "show_frame", "show_json"]


@app.command()
def version() -> None:
    """The version of the package."""
    print(__version__)


def main() -> None:
    """Entry point of `sheep`: wrong input, files among it, ends with its message and exit code 1."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal that lacks a character shows its number
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        app()
    except InputError as error:
        print(error, file=sys.stderr)
        raise SystemExit(1) from None
    except OSError as error:  # a name too long, no permission: wherever it was noticed
        if error.filename is None:
            raise
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        raise SystemExit(1) from None

"""What all tests share: the command line, the real data where it is present, and no network."""

import os
import sys
from pathlib import Path

import pytest

from sheeplib import cli

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("MPLBACKEND", "agg")
ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def shared() -> Path:
    """Directory of real data sets that may not be copied into the repository."""
    directory = Path(os.environ.get("SHEEP_SHARED", ROOT.parent / "shared" / "data"))
    if not directory.is_dir():
        pytest.skip(f"no real data at {directory}: set SHEEP_SHARED")
    return directory


@pytest.fixture
def sheep(monkeypatch, capsys):
    """Exit code, standard output and error of `sheep` with these arguments."""

    def called(*arguments):
        monkeypatch.setattr(sys, "argv", ["sheep", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
            raise SystemExit(0)
        said = capsys.readouterr()
        return ended.value.code or 0, said.out, said.err

    return called

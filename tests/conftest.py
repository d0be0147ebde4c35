"""What all tests share: the real data, where it is present, and no network."""

import os
from pathlib import Path

import pytest

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

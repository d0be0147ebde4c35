"""What tests of the miniatures share: the tokenizer takes some seconds to make."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture(scope="session")
def words() -> Any:
    """The tokenizer of the miniatures."""
    from sheeplib.miniatures import tokenizer

    return tokenizer.build()

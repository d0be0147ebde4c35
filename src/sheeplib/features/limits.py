"""How much of a machine a pass may take, and what is said when it was too much."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sheeplib.errors import InputError, Problem


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Have torch use so many threads in this process inside the block."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def enough_memory() -> Iterator[None]:
    """Say what to do where memory runs out; a process that the system kills cannot say it."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        told = str(error).lower()
        if isinstance(error, RuntimeError) and "out of memory" not in told and "allocate memory" not in told:
            raise
        what = "memory ran out"
        remedy = "Use smaller batches, fewer workers or a smaller dtype; finished shards are kept"
        raise InputError(Problem(what, remedy)) from None

"""How far long work has come, in one line now and then."""

from __future__ import annotations

import time
from collections.abc import Callable


class Progress:
    """Counts what is done and foretells the rest.

    Parameters
    ----------
    total : int
        All there is to do, such as answers.
    done : int
        What was done before; it tells nothing of the speed.
    clock : callable
        Seconds since whenever.
    """

    def __init__(self, total: int, done: int = 0, clock: Callable[[], float] = time.monotonic) -> None:
        self.total, self.done = total, done
        self._before, self._clock, self._start = done, clock, clock()

    def add(self, count: int) -> str:
        """Count what was just done.

        Returns
        -------
        str
            Such as `448 of 2,281 answers, 12.3 a second, 2 min 29 s left`.
        """
        self.done += count
        elapsed = max(self._clock() - self._start, 1e-9)
        speed = (self.done - self._before) / elapsed
        left = "" if speed == 0 else f", {spoken((self.total - self.done) / speed)} left"
        return f"{self.done:,} of {self.total:,} answers, {speed:.3g} a second{left}"


def spoken(seconds: float) -> str:
    """A length of time, to the two units that matter: `8 s`, `2 min 29 s`, `3 h 5 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"

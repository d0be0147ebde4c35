"""One kind of error for wrong input: where it is, what it is, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

SHOWN = 20  # a file with a systematic mistake has thousands of problems; twenty show the pattern


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with an input.

    Parameters
    ----------
    what : str
        The rule that is broken, in words.
    remedy : str
        What the reader can do about it.
    path, line, field, value
        Where it is, as far as that is known; `line` counts from 1.
    """

    what: str
    remedy: str = ""
    path: str | Path | None = None
    line: int | None = None
    field: str | None = None
    value: object = None

    def __str__(self) -> str:
        where = "" if self.path is None else str(self.path)
        where += "" if self.line is None else f":{self.line}"
        said = f"{where}: " if where else ""
        said += "" if self.field is None else f"field '{self.field}': "
        said += self.what
        said += "" if self.value is None else f" (found {_shortened(self.value)})"
        return said + (f". {self.remedy}" if self.remedy else "")


class InputError(Exception):
    """Input that cannot be used. Its text is meant for the person who gave the input.

    Parameters
    ----------
    problems : str, Problem or iterable of Problem
        Everything found wrong; the message shows the first twenty.
    """

    def __init__(self, problems: str | Problem | Iterable[Problem]) -> None:
        if isinstance(problems, str):
            problems = Problem(problems)
        self.problems = [problems] if isinstance(problems, Problem) else list(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems[:SHOWN]]
        hidden = len(self.problems) - SHOWN
        return "\n".join(lines + ([f"... and {hidden} more problems"] if hidden > 0 else []))


def _shortened(value: object, width: int = 60) -> str:
    text = repr(value.tolist() if hasattr(value, "tolist") else value)  # plain 0.5, not np.float64(0.5)
    return text if len(text) <= width else text[: width - 3] + "..."

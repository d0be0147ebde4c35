"""Runs whose shards hold texts that models wrote: done in parallel, told about, read and saved."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from functools import lru_cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sheeplib import drafts, engine
from sheeplib.errors import InputError, Problem
from sheeplib.features.progress import spoken
from sheeplib.jsonl import read_jsonl
from sheeplib.shards import Shards

if TYPE_CHECKING:
    from sheeplib.models.model import Model

Told = Callable[[str], None]
Options = tuple[tuple[str, Any], ...]  # a mapping that can be hashed
Thing = TypeVar("Thing")
LIBRARIES = ("torch", "transformers", "tokenizers", "pillow")  # whose version may change a word
SAME = "Use one environment, kind of machine and set of files for all workers, and run it again"


def silent(line: str) -> None:
    """Tell nobody."""


def about(name: str, options: Options) -> dict[str, Any]:
    """What of model, machine and libraries decides the words, in the process that calls this.

    Parameters
    ----------
    name : str
    options : tuple of (str, value)
        What `sheeplib.models.loading.load` takes beside the name.

    Returns
    -------
    dict
        `model`, `revision`, `dtype`, `device` (its kind), and `versions` of libraries.

    Raises
    ------
    InputError
        If the model cannot be loaded.
    """
    model = loaded(name, options)
    return {
        "model": model.name,
        "revision": model.revision,
        "dtype": model.dtype,
        "device": str(model.device).partition(":")[0],
        "versions": {name: version(name).partition("+")[0] for name in LIBRARIES},
    }


def about_workers(name: str, options: Options, executor: Executor) -> dict[str, Any]:
    """What `about` says where the work will be done."""
    ((_, facts),) = engine.results(partial(about, name), [options], executor)
    return facts


def check_same(header: Mapping[str, Any], here: Mapping[str, Any]) -> None:
    """Refuse to mix words or numbers of other models, machines or files into a run.

    Parameters
    ----------
    header : mapping
        Of the run.
    here : mapping
        The same facts in this process.

    Raises
    ------
    InputError
    """
    problems = [
        Problem("not what it was when the work was prepared", SAME, field=field, value=value)
        for field, value in here.items()
        if value != header[field]
    ]
    if problems:
        raise InputError(problems)


def completed(
    shards: Shards, make: Callable[..., Mapping[str, int]], executor: Executor, told: Told = silent
) -> Shards:
    """Make missing shards, and tell after each what is done and how long the rest will take.

    Parameters
    ----------
    shards : Shards
    make : callable
        Takes the index of a shard and `home`, the directory of the run; makes the shard, in whatever
        process, and gives counts to add up, such as of answers.
    executor : Executor
        From `sheeplib.engine.executor`.
    told : callable
        Takes one line a shard.

    Returns
    -------
    Shards
        Complete.

    Raises
    ------
    InputError
        As `make`. Finished shards are kept.
    """
    missing, began = shards.missing(), time.monotonic()
    if missing:
        shards.prepare()
        engine.check_shared(shards.home, executor)
    totals: Counter[str] = Counter()
    make = partial(make, home=str(shards.home.resolve()))
    for done, (_, counts) in enumerate(engine.results(make, missing, executor), start=1):
        totals.update(counts)
        left = (time.monotonic() - began) / done * (len(missing) - done)
        said = ", ".join(f"{number:,} {name}" for name, number in totals.items())
        place = shards.count - len(missing) + done
        told(f"shard {place} of {shards.count}: {said}; {spoken(left)} left")
    return shards


def records(shards: Shards, file: str) -> Iterator[dict[str, Any]]:
    """All lines of all shards, in order.

    Raises
    ------
    InputError
        If a shard is missing or was altered.
    """
    for index in range(shards.count):
        for _, record in read_jsonl(shards.read(index, file)[file]):
            yield record


def rendered(rows: Sequence[Any]) -> bytes:
    """JSON Lines; equal rows give equal bytes."""
    return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows).encode()


def save(path: str | Path, rows: Sequence[dict[str, Any]]) -> Path:
    """Write JSON Lines, whole or not at all.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        drafts.write_file(path, rendered(rows))
    except OSError as error:
        what = f"cannot be written: {error.strerror or type(error).__name__}"
        raise InputError(Problem(what, "Choose another place", path=path)) from None
    return path


@lru_cache(maxsize=1)
def loaded(name: str, options: Options) -> Model:
    """A model, loaded once a process."""
    from sheeplib.models.loading import load

    return load(name, **dict(options))


def blocks(things: Sequence[Thing], size: int) -> list[list[Thing]]:
    """Cut a sequence into blocks of `size`; the last may be smaller."""
    return [list(things[start : start + size]) for start in range(0, len(things), size)]


def check_sizes(**sizes: int) -> None:
    """Refuse sizes below 1.

    Raises
    ------
    InputError
    """
    problems = [
        Problem("must be 1 or more", field=name, value=size) for name, size in sizes.items() if size < 1
    ]
    if problems:
        raise InputError(problems)


def check_room(model: Model, items: Sequence[str], prompts: Iterable[int], max_tokens: int) -> None:
    """Refuse prompts that leave no room for `max_tokens` in the model's context.

    Raises
    ------
    InputError
        Naming the items.
    """
    context = model.context
    problems = [
        Problem(
            f"item {item}: {tokens} tokens and {max_tokens} to be written exceed the context of {context}",
            "Ask for fewer tokens, or leave it out",
        )
        for item, tokens in zip(items, prompts, strict=True)
        if context is not None and tokens + max_tokens > context
    ]
    if problems:
        raise InputError(problems)


def stamp(path: str) -> tuple[int, int]:
    """Size and time of a file, which tell that it was changed; zeros if there is none."""
    try:
        facts = Path(path).stat()
    except OSError:
        return 0, 0
    return facts.st_size, facts.st_mtime_ns

"""Run the notebooks of a profile, side by side, each after those whose results it reads."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from sheeplib import notebook
from sheeplib.errors import InputError, Problem
from sheeplib.notebook import Outcome
from sheeplib.profiles import Profile

# Notebooks that read the results of others: they wait for them, and run again when those change.
READS: Mapping[str, tuple[str, ...]] = {
    "10_scorecard": (
        *("01_data", "02_agreement", "03_shift", "04_judge", "05_hallushift", "06_euq"),
        *("07_mentions", "08_detectors", "09_retraining", "12_meadow"),
    )
}


def repository(start: Path | None = None) -> Path:
    """The checkout that a directory lies in: the nearest one above it with `notebooks/` and `_config.yml`.

    Raises
    ------
    InputError
        If there is none.
    """
    start = (Path.cwd() if start is None else start).resolve()
    for place in (start, *start.parents):
        if (place / "notebooks").is_dir() and (place / "_config.yml").is_file():
            return place
    raise InputError(
        Problem("not inside a checkout of the companion", "Change into its directory", path=start)
    )


def notebooks(profile: Profile, root: Path) -> list[str]:
    """Names of the notebooks that a profile has questions for, in the order of the chapters.

    Raises
    ------
    InputError
        If the profile names a notebook that is not there.
    """
    present = sorted(path.stem for path in (root / "notebooks").glob("*.ipynb"))
    wanted = present if profile.notebooks is None else profile.notebooks
    if absent := [name for name in wanted if name not in present]:
        known = f"Known: {', '.join(present)}"
        raise InputError(Problem(f"profile '{profile.name}' names no notebook '{absent[0]}'", known))
    return [name for name in present if name in wanted and name not in profile.left_out]


def executed(profile: Profile, root: Path) -> Path:
    """Directory of a profile's executed notebooks."""
    return root / "_build" / "notebooks" / profile.name


def results(profile: Profile, root: Path) -> Path:
    """Directory of a profile's tables of results."""
    return root / "results" / profile.name


def run_all(
    profile: Profile,
    names: Sequence[str] = (),
    *,
    root: Path | None = None,
    jobs: int | None = None,
    timeout_seconds: int | None = None,
    told: Callable[[Outcome], None] = lambda outcome: None,
) -> list[Outcome]:
    """Bring the executed notebooks of a profile up to date.

    Parameters
    ----------
    profile : Profile
        From `sheeplib.profiles.profile`.
    names : sequence of str
        Notebooks to run; default all that the profile has questions for.
    root : Path, optional
        The checkout; default the one around the current directory.
    jobs : int, optional
        Notebooks to run at once, each in a process of its own; default the number of cores.
    timeout_seconds : int, optional
        Longest time for one cell; default no limit.
    told : callable
        Called with each outcome as it comes.

    Returns
    -------
    list of Outcome
        In the order of the names. A notebook whose sources failed is not run, and has failed too.

    Raises
    ------
    InputError
        If a name is unknown, or a parameter of a notebook does not fit; nothing is run then.
    """
    root = repository() if root is None else root.resolve()
    chosen = _chosen(names, profile, root)
    tasks = {name: _task(name, profile, root) for name in chosen}
    for task in tasks.values():
        notebook.check_parameters(task["path"], task["values"])
    limit = {"root": root, "timeout_seconds": timeout_seconds}
    done: dict[str, Outcome] = {}

    def finish(name: str, outcome: Outcome) -> None:
        done[name] = outcome
        told(outcome)

    context = get_context("spawn")  # processes, not threads: running a notebook has global state
    with ProcessPoolExecutor(max(1, jobs or os.cpu_count() or 1), mp_context=context) as pool:
        running: dict[Future[Outcome], str] = {}
        while len(done) < len(chosen):
            for name in chosen:
                if name in done or name in running.values():
                    continue
                sources = [done.get(source) for source in READS.get(name, ()) if source in chosen]
                if any(source and source.state == "failed" for source in sources):
                    failed = next(s.notebook for s in sources if s and s.state == "failed")
                    finish(name, Outcome(name, "failed", 0.0, f"{name}: not run, since {failed} failed"))
                elif all(sources):
                    task = tasks[name] | {"inputs": _inputs(name, profile, root)}
                    outcome = notebook.refresh(**task, root=root)  # what is fresh needs no process
                    if outcome is not None:
                        finish(name, outcome)
                    else:
                        running[pool.submit(attempt, task | limit)] = name
            for future in wait(running, return_when=FIRST_COMPLETED).done if running else ():
                finish(name := running.pop(future), _outcome(future, name))
    return [done[name] for name in chosen]


def attempt(task: Mapping[str, Any]) -> Outcome:
    """Run one notebook in this process; what goes wrong becomes part of the outcome."""
    started = time.perf_counter()
    try:
        return notebook.run(**task)
    except InputError as error:
        return Outcome(task["path"].stem, "failed", time.perf_counter() - started, str(error))


def _outcome(future: Future[Outcome], name: str) -> Outcome:
    try:
        return future.result()
    except BrokenProcessPool:
        return Outcome(name, "failed", 0.0, f"{name}: its process was killed, most likely for lack of memory")


def _chosen(names: Iterable[str], profile: Profile, root: Path) -> list[str]:
    known = notebooks(profile, root)
    wanted = [name.removesuffix(".ipynb") for name in names]
    if unknown := [name for name in wanted if name not in known]:
        if why := profile.left_out.get(unknown[0]):
            raise InputError(Problem(f"'{unknown[0]}' cannot be run with profile '{profile.name}'", why))
        listed = ", ".join(known) or "none"
        what = f"profile '{profile.name}' has no notebook '{unknown[0]}'"
        raise InputError(Problem(what, f"Known: {listed}"))
    return [name for name in known if name in wanted] if wanted else known


def _task(name: str, profile: Profile, root: Path) -> dict[str, Any]:
    path = root / "notebooks" / f"{name}.ipynb"
    values = profile.values((parameter.name for parameter in notebook.parameters(path)), name)
    for key in ("directory", "features"):  # pages show them: not where on this machine the checkout lies
        if values.get(key):
            values[key] = Path(os.path.relpath(values[key], root)).as_posix()
    target = executed(profile, root) / f"{name}.ipynb"
    return {"path": path, "target": target, "values": values, "results": results(profile, root)}


def _inputs(name: str, profile: Profile, root: Path) -> list[Path]:
    files = [results(profile, root) / f"{source}.csv" for source in READS.get(name, ())]
    return [file for file in files if file.exists()]

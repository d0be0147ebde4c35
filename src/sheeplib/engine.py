"""Where work runs: in this process, in several, or on a cluster of machines. The results are the same.

Work is a function of one task, such as one shard of a feature store. Its results are small and its files
are complete or absent, so what is lost with a process is only what that process had begun.
"""

from __future__ import annotations

import copy
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import get_context, parent_process
from queue import SimpleQueue
from typing import Any, TypeVar

from sheeplib import cluster as clusters
from sheeplib.cluster import check_shared
from sheeplib.errors import InputError, Problem

__all__ = ["KINDS", "Serial", "check_shared", "executor", "results"]

Task = TypeVar("Task")
R = TypeVar("R")

KINDS = ("serial", "processes", "dask")
# What decides the bytes of a result: a worker whose versions differ from the driver's is refused.
LIBRARIES = ("sheeplib", "numpy", "pyarrow", "safetensors", "torch", "transformers")
# A model's hooks, the state of random numbers and the number of threads belong to the whole process.
_ALONE = threading.RLock()
_KEPT = "Use fewer workers or smaller batches; what was finished is kept, so run it again to go on"


def executor(
    kind: str = "serial",
    workers: int = 2,
    cluster: str | None = None,
    *,
    resources: Mapping[str, float] | None = None,
) -> AbstractContextManager[Executor]:
    """Give an executor for `results`, and close it at the end of the block, whatever happens.

    Leaving the block with an error, or by Ctrl-C, ends workers that were started here. What they had
    begun is lost. The workers of a cluster that was up before stay up.

    Parameters
    ----------
    kind : str
        `serial` runs tasks in this process, one by one. `processes` starts worker processes on this
        machine. `dask` does so under a scheduler that replaces workers which die, or uses a cluster
        that is up already.
    workers : int
        Number of worker processes, of one thread each; ignored by `serial`, and with `cluster`.
    cluster : str, optional
        Address of a scheduler of dask.distributed, such as `tcp://node7:8786`.
    resources : mapping of str to float, optional
        What one task takes from its worker, such as `{"GPU": 1}`; for `dask` alone.

    Raises
    ------
    InputError
        If there is no such kind, the extra `cluster` is not installed, no scheduler answers at the
        address, or no worker offers the resources.
    """
    if kind not in KINDS:
        raise InputError(Problem("no such engine", f"One of: {', '.join(KINDS)}", field="engine", value=kind))
    if workers < 1:
        raise InputError(Problem("at least one worker is needed", field="workers", value=workers))
    for field, value in {"cluster": cluster, "resources": resources}.items():
        if value and kind != "dask":
            what, remedy = f"the engine '{kind}' has no use for it", "Choose the engine dask"
            raise InputError(Problem(what, remedy, field=field, value=value))
    if kind == "serial":
        return nullcontext(Serial())
    if kind == "processes":
        return _processes(workers)
    needed = dict(resources or {})
    return clusters.reached(cluster, needed) if cluster else clusters.started(workers, needed)


def results(work: Callable[[Task], R], tasks: Sequence[Task], executor: Executor) -> Iterator[tuple[int, R]]:
    """Run `work` on every task and give the results as they finish.

    A failure cancels what has not begun. So does leaving the loop early.

    Parameters
    ----------
    work : callable
        Function of one task. For other processes it must be importable there: a function of a
        module, or a `functools.partial` of one.
    tasks : sequence
        What `work` is called with.
    executor : Executor
        From `executor`, or any other.

    Yields
    ------
    index : int
        Position in `tasks`.
    result
        What `work` returned.

    Raises
    ------
    InputError
        If a worker died, its libraries differ from those here, or the cluster was lost.
    Exception
        Whatever `work` raised, as the same type.
    """
    pending: dict[Future, int] = {}
    finished: SimpleQueue[Future] = SimpleQueue()
    call = partial(_attempt, _versions(), work)
    try:
        for index, task in enumerate(tasks):
            future = executor.submit(call, task)
            pending[future] = index
            future.add_done_callback(finished.put)
            while not finished.empty():  # a serial executor has finished by now
                yield _taken(finished.get(), pending)
        while pending:
            yield _taken(finished.get(), pending)
    except BrokenExecutor:
        what = "a worker process was killed or could not start; most likely memory ran out"
        raise InputError(Problem(what, _KEPT)) from None
    except CancelledError:
        what = "the connection to the cluster was lost"
        raise InputError(Problem(what, "What was finished is kept: run it again to go on")) from None
    finally:
        for future in pending:
            future.cancel()


class Serial(Executor):
    """An executor that runs each call in this thread, before `submit` returns."""

    def submit(self, fn: Callable[..., R], /, *args: Any, **kwargs: Any) -> Future[R]:
        """Call `fn`, and give a future that is done. Ctrl-C is raised at once and not kept in it."""
        future: Future[R] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@contextmanager
def _processes(workers: int) -> Iterator[Executor]:
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_begin)
    try:
        yield pool
    except BaseException:
        for process in list((pool._processes or {}).values()):  # has a public name from Python 3.14 on
            process.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _begin() -> None:
    """In a new worker process: leave Ctrl-C to the driver, and never outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # processes whose threads fight over cores crawl
    threading.Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    if driver := parent_process():
        driver.join()
        os._exit(1)


@dataclass(frozen=True)
class _Refusal:
    """An error that doing the task again cannot mend: it travels as a result, and is not retried."""

    error: InputError


def _attempt(versions: Mapping[str, str], work: Callable[[Task], R], task: Task) -> R | _Refusal:
    """On a worker: do one task, unless its libraries are others than the driver's.

    Threads of one process, as dask starts unless told otherwise, take turns.
    """
    here = _versions()
    if differs := [name for name in versions if name in here and here[name] != versions[name]]:
        told = ", ".join(f"{name} {here[name]} instead of {versions[name]}" for name in differs)
        what = f"the worker on {socket.gethostname()} has {told}"
        return _Refusal(InputError(Problem(what, "Start workers from the same environment as this command")))
    try:
        with _ALONE:
            return work(task)
    except InputError as error:
        return _Refusal(error)
    except Exception as error:
        if _travels(error):
            raise
        raise RuntimeError(f"{type(error).__name__}: {error}") from None


def _travels(error: Exception) -> bool:
    """Whether an exception can be made anew from its arguments; one that cannot would break a pool."""
    try:
        return type(copy.copy(error)) is type(error)
    except Exception:
        return False


def _taken(future: Future, pending: dict[Future, int]) -> tuple[int, Any]:
    index = pending.pop(future)
    try:
        result = future.result()
    except Exception as error:
        if type(error).__name__ != "KilledWorker":  # of distributed, which need not be installed
            raise
        what = "one task ended several workers; most likely memory ran out"
        raise InputError(Problem(what, _KEPT)) from None
    if isinstance(result, _Refusal):
        raise result.error
    return index, result


@cache
def _versions() -> dict[str, str]:
    """Versions of what decides results, without tags of builds: 2.13.0+cpu and 2.13.0+cu126 may meet."""
    found = {"python": f"{sys.version_info.major}.{sys.version_info.minor}"}
    for name in LIBRARIES:
        with suppress(PackageNotFoundError):
            found[name] = version(name).partition("+")[0]
    return found

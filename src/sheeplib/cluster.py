"""Clusters of dask.distributed: reach one or start one here, and make sure that its machines share files."""

from __future__ import annotations

import asyncio
import logging
import re
import socket
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

from sheeplib import drafts
from sheeplib.errors import InputError, Problem

R = TypeVar("R")

RETRIES = 2  # of a task that raised: a full GPU or a slow disk may pass
SECONDS = 10  # to wait for the answer of a scheduler

_ADDRESS = re.compile(r"(tcp|tls)://(?P<host>\[[0-9a-fA-F:.]+\]|[^\s:/\[\]]+):(?P<port>\d{1,5})")

log = logging.getLogger(__name__)


class ClusterExecutor(Executor):
    """Calls that run on the workers of a cluster; one is made anew when its worker dies.

    Parameters
    ----------
    client : distributed.Client
    resources : mapping of str to float
        What one call takes from its worker.
    """

    def __init__(self, client: Any, resources: Mapping[str, float]) -> None:
        self._client = client
        # A call is not pure: the same one made again is to run again, not to be answered from memory.
        self._calls = client.get_executor(retries=RETRIES, pure=False, resources=dict(resources))

    def submit(self, fn: Callable[..., R], /, *args: Any, **kwargs: Any) -> Future[R]:
        """Have `fn` called on some worker."""
        return self._calls.submit(fn, *args, **kwargs)

    def everywhere(self, fn: Callable[..., R], *args: Any) -> list[R]:
        """Call `fn` on each worker there is; if there is none yet, on the first that comes."""
        return list(self._client.run(fn, *args).values()) or [self.submit(fn, *args).result()]


@contextmanager
def started(workers: int, resources: Mapping[str, float]) -> Iterator[ClusterExecutor]:
    """Start a scheduler and workers on this machine, and end them with the block.

    Parameters
    ----------
    workers : int
        Number of worker processes, of one thread each.
    resources : mapping of str to float
        What each worker offers, and one call takes.

    Raises
    ------
    InputError
        If the extra `cluster` is not installed.
    """
    distributed = _distributed()
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch,
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, resources=dict(resources),
            # Any free ports, so that two runs on one machine do not meet, and none for other machines.
            host="127.0.0.1", scheduler_port=0, dashboard_address="127.0.0.1:0",
            scheduler_kwargs={"dashboard": False},
            # No limit of its own, since dask would stop a worker for the size of its model; and nothing on
            # the error stream, since what matters comes back as an error of the task.
            memory_limit=None, local_directory=scratch, death_timeout=60, silence_logs=logging.CRITICAL,
        ) as cluster,
        distributed.Client(cluster, timeout=SECONDS) as client,
    ):  # fmt: skip
        yield ClusterExecutor(client, resources)


@contextmanager
def reached(address: str, resources: Mapping[str, float]) -> Iterator[ClusterExecutor]:
    """Connect to a running scheduler, which stays up after the block.

    Parameters
    ----------
    address : str
        Such as `tcp://node7:8786`.
    resources : mapping of str to float
        What one call takes from its worker.

    Raises
    ------
    InputError
        If the extra `cluster` is not installed, no scheduler answers at the address, the scheduler or
        a worker lacks this package, or workers are there and none offers the resources.
    """
    distributed = _distributed()
    remedy = "Give the address that the scheduler printed when it started, such as tcp://node7:8786"
    parts = _ADDRESS.fullmatch(address)
    if not parts:
        raise InputError(Problem("not the address of a cluster", remedy, field="cluster", value=address))
    try:  # a plain connection first: dask tries for long, and then says little
        socket.create_connection((parts["host"].strip("[]"), int(parts["port"])), timeout=SECONDS).close()
        with ThreadPoolExecutor(1) as thread:  # in a notebook, this thread has an event loop already
            thread.submit(asyncio.run, asyncio.wait_for(_greeted(address), SECONDS)).result()
        client = distributed.Client(address, timeout=SECONDS)
    except Exception as error:  # what else may listen at a wrong address, and say, is anybody's guess
        told = str(error) if address.startswith("tls") else ""
        reason = getattr(error, "strerror", None) or told or "no answer, or not that of a scheduler"
        what = f"no dask scheduler can be reached there: {reason}"
        raise InputError(Problem(what, remedy, field="cluster", value=address)) from None
    with client:
        _check_installed(client)
        _check_resources(client, resources)
        yield ClusterExecutor(client, resources)


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        what = "the engine dask needs the extra 'cluster'"
        raise InputError(Problem(what, "pip install 'sheeplib[cluster]'")) from None
    return distributed


async def _greeted(address: str) -> None:
    """Exchange greetings with a scheduler. A client would wait for them without end."""
    import distributed

    arguments = distributed.Security().get_connection_args("client")
    connection = await distributed.connect(address, timeout=SECONDS, **arguments)
    connection.abort()


def _check_installed(client: Any) -> None:
    """Refuse a scheduler or workers that cannot unpack our calls; dask does not say why they cannot."""
    try:
        client.run_on_scheduler(version, "sheeplib")
        client.run(version, "sheeplib")
    except PackageNotFoundError:
        remedy = "Start the scheduler and all workers from the same environment as this command"
        raise InputError(Problem("sheeplib is not installed everywhere in the cluster", remedy)) from None


def _check_resources(client: Any, resources: Mapping[str, float]) -> None:
    """Refuse what no worker offers: dask would wait for one that does, without a word."""
    offers = [worker["resources"] for worker in client.scheduler_info(n_workers=-1)["workers"].values()]
    if not offers:
        log.warning("The cluster has no worker yet: work begins when the first one comes.")
    for name, amount in resources.items():
        if offers and all(offer.get(name, 0) < amount for offer in offers):
            remedy = f"Start workers with --resources '{name}={amount:g}'"
            raise InputError(Problem(f"no worker of the cluster offers {name} = {amount:g}", remedy))


def check_shared(directory: Path, executor: Executor, patience: float = 5.0) -> None:
    """Make sure that workers read and write the same files in a directory as this process does.

    Parameters
    ----------
    directory : Path
        Where workers are to write; made if it is absent.
    executor : Executor
        From `sheeplib.engine.executor`. All workers of a cluster are asked; elsewhere, one.
    patience : float
        Seconds that a file may take to appear on another machine.

    Raises
    ------
    InputError
        If the directory cannot be written here or by a worker, or is not the same one there.
    """
    directory = directory.resolve()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        probe = drafts.draft_of(directory / "probe")  # so that it is swept if this process is killed
        try:
            drafts.write_file(probe, str(probe).encode())
            problems = _unseen(probe, executor, patience)
        finally:
            for path in directory.glob(f"*{probe.name}*"):
                path.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(Problem(f"cannot be written: {error.strerror}", path=directory)) from None
    if problems:
        raise InputError(problems)


def _unseen(probe: Path, executor: Executor, patience: float) -> list[Problem]:
    """What is wrong with the answers of the workers to a file that this process wrote."""
    if isinstance(executor, ClusterExecutor):
        answers = executor.everywhere(_answer, str(probe), patience)
    else:
        answers = [executor.submit(_answer, str(probe), patience).result()]
    problems = []
    for host, name, trouble in answers:
        if not trouble and not _appears(probe.with_name(name), str(probe), patience):
            trouble = "is not where it says that it wrote"
        if trouble:
            what = f"seen from the worker on {host}, {trouble}"
            problems.append(Problem(what, "Choose a directory that all machines share", path=probe.parent))
    return problems


def _answer(probe: str, patience: float) -> tuple[str, str, str]:
    """On a worker: look for the driver's file, and leave one beside it. Host, name of that file, trouble."""
    host, path = socket.gethostname(), drafts.draft_of(Path(probe))
    if not _appears(Path(probe), probe, patience):
        return host, path.name, "it does not hold what was written here"
    try:
        path.write_text(probe, encoding="utf-8")
    except OSError as error:
        return host, path.name, f"it cannot be written: {error.strerror}"
    return host, path.name, ""


def _appears(path: Path, content: str, patience: float) -> bool:
    """Whether a file holds this text, or does soon: file systems of a network take their time."""
    until = time.monotonic() + patience
    while True:
        with suppress(OSError, UnicodeDecodeError):
            if path.read_text(encoding="utf-8") == content:
                return True
        if time.monotonic() >= until:
            return False
        time.sleep(0.05)

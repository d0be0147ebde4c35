"""The same work on every engine, and what becomes of it when workers die, refuse or disagree."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import partial
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from sheeplib import cluster, engine
from sheeplib.errors import InputError, Problem
from sheeplib.shards import Shards

TASKS = [3, 1, 4, 1, 5, 9, 2, 6]
watches_processes = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc of Linux")


@pytest.fixture(scope="module")
def pools():
    """One executor of each kind, shared by the tests that leave it whole."""
    pytest.importorskip("distributed")
    dask_of_gpus = engine.executor("dask", resources={"GPU": 1})  # its workers offer what tasks take
    with engine.executor("processes") as processes, dask_of_gpus as dask:
        yield {"serial": engine.Serial(), "processes": processes, "dask": dask}


@pytest.fixture(params=engine.KINDS)
def pool(request, pools):
    return pools[request.param]


@pytest.fixture(params=engine.KINDS[1:])
def parallel(request):
    """A kind of engine with processes of its own, which a test may kill."""
    if request.param == "dask":
        pytest.importorskip("distributed")
    return request.param


# Work for other processes: they import it from here.


def squared(task: int) -> tuple[int, str]:
    return task * task, "é😀"


def written(directory: Path, task: int) -> str:
    """A file, draft first, as shards are written; each process takes a while for it."""
    draft = directory / f"draft-{task}-{os.getpid()}"
    draft.write_bytes(bytes([task]) * 1000)
    time.sleep(0.02)
    draft.replace(directory / f"{task}.bin")
    return f"{task}.bin"


def deadly(directory: Path, task: int) -> str:
    """The same; but the first process that is halfway through task 5 is killed, as for lack of memory."""
    if task == 5 and not (directory / "killed").exists():
        (directory / "killed").touch()
        (directory / f"draft-5-{os.getpid()}").write_bytes(bytes([5]) * 10)
        os.kill(os.getpid(), signal.SIGKILL)
    return written(directory, task)


def always_deadly(task: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def refusing(directory: Path, task: int) -> int:
    with (directory / "calls").open("a") as calls:
        calls.write(f"{task}\n")
    if task == 1:
        raise InputError([Problem("no such layer", "One of 1 to 4", path=Path("x"), line=7, value=9)] * 2)
    return task


class Unportable(Exception):
    """Cannot be made anew from its `args`, like some errors of the libraries that work calls."""

    def __init__(self, *, code: int) -> None:
        super().__init__(f"code {code}")


def raising(task: int) -> None:
    raise Unportable(code=task) if task else ZeroDivisionError("by zero")


def waiting(directory: Path, task: int) -> None:
    (directory / f"worker-{os.getpid()}").touch()
    time.sleep(100)


def process_of(task: int) -> int:
    return os.getpid()


def all_of(work, tasks, pool) -> list:
    """Results in the order of tasks, each index once."""
    found = list(engine.results(work, tasks, pool))
    assert sorted(index for index, _ in found) == list(range(len(tasks)))
    return [result for _, result in sorted(found, key=lambda pair: pair[0])]


def alive(process: int) -> bool:
    try:  # a zombie is dead: it waits only for whoever inherited it
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def eventually(condition, seconds: float = 60.0) -> bool:
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


# Results.


def test_every_engine_gives_the_same(pool):
    assert all_of(squared, TASKS, pool) == [(task * task, "é😀") for task in TASKS]
    assert list(engine.results(squared, [], pool)) == []


def test_serial_runs_here_and_only_what_is_asked_for(tmp_path):
    running = engine.results(partial(written, tmp_path), [7, 8], engine.Serial())
    assert next(running) == (0, "7.bin")
    assert [path.name for path in tmp_path.iterdir()] == ["7.bin"]  # the second has not begun
    assert all_of(process_of, [0, 0], engine.Serial()) == [os.getpid()] * 2


def test_parallel_engines_run_elsewhere(pools):
    for kind in engine.KINDS[1:]:
        assert os.getpid() not in all_of(process_of, TASKS, pools[kind])


def test_any_executor_will_do():
    with ThreadPoolExecutor(2) as threads:
        assert all_of(squared, TASKS, threads) == [(task * task, "é😀") for task in TASKS]


def test_leaving_the_loop_cancels_what_has_not_begun():
    submitted, gate, calls = [], threading.Event(), []

    class Pool(ThreadPoolExecutor):
        def submit(self, fn, /, *args):
            submitted.append(super().submit(fn, *args))
            return submitted[-1]

    def work(task: int) -> None:
        calls.append(task)
        if len(calls) == 1:
            eventually(lambda: len(submitted) == len(TASKS))
        else:
            gate.wait(60)

    with Pool(1) as threads:
        running = engine.results(work, TASKS, threads)
        next(running)
        running.close()
        gate.set()
    assert len(submitted) == len(TASKS)
    assert calls in (TASKS[:1], TASKS[:2])  # the second may have begun


def test_threads_of_one_process_take_turns():
    inside, most = [], []

    def work(task: int) -> None:
        inside.append(task)
        most.append(len(inside))
        time.sleep(0.01)
        inside.remove(task)

    with ThreadPoolExecutor(4) as threads:
        all_of(work, TASKS, threads)
    assert set(most) == {1}


# Failures.


def test_a_refusal_arrives_whole_and_is_not_tried_again(pool, tmp_path):
    with pytest.raises(InputError) as caught:
        all_of(partial(refusing, tmp_path), [1], pool)
    expected = Problem("no such layer", "One of 1 to 4", path=Path("x"), line=7, value=9)
    assert caught.value.problems == [expected] * 2
    assert str(caught.value).splitlines() == ["x:7: no such layer (found 9). One of 1 to 4"] * 2
    assert (tmp_path / "calls").read_text() == "1\n"


def test_a_refusal_stops_what_has_not_begun(tmp_path):
    with pytest.raises(InputError):
        all_of(partial(refusing, tmp_path), [0, 1, 2, 3], engine.Serial())
    assert (tmp_path / "calls").read_text() == "0\n1\n"


def test_other_errors_keep_their_type_where_they_can(pool):
    with pytest.raises(ZeroDivisionError, match="by zero"):
        all_of(raising, [0], pool)
    with pytest.raises((RuntimeError, Unportable), match="code 3"):  # dask has means to make it anew
        all_of(raising, [3], pool)
    assert all_of(squared, [2], pool) == [(4, "é😀")]  # and the pool is whole


def test_a_killed_process_is_reported_and_finished_work_kept(tmp_path):
    told = pytest.raises(InputError, match="memory ran out.*finished is kept")
    with told, engine.executor("processes", workers=1) as pool:
        all_of(partial(deadly, tmp_path), TASKS, pool)
    kept = {path.name for path in tmp_path.glob("*.bin")}
    assert kept == {"3.bin", "1.bin", "4.bin"}  # one worker takes tasks in order, and 5 killed it
    with engine.executor("processes", workers=1) as pool:
        assert all_of(partial(deadly, tmp_path), TASKS, pool) == [f"{task}.bin" for task in TASKS]


def test_a_killed_worker_of_dask_is_replaced_and_nothing_is_lost(tmp_path):
    pytest.importorskip("distributed")
    once, never = tmp_path / "once", tmp_path / "never"
    once.mkdir()
    never.mkdir()
    with engine.executor("dask", workers=2) as pool:
        found = all_of(partial(deadly, once), TASKS, pool)
    assert (once / "killed").exists()
    assert found == all_of(partial(written, never), TASKS, engine.Serial())
    complete = {path.name: path.read_bytes() for path in never.iterdir()}
    assert {path.name: path.read_bytes() for path in once.glob("*.bin")} == complete
    assert sorted(complete) == sorted(f"{task}.bin" for task in set(TASKS))


def test_a_task_that_kills_every_worker_is_given_up():
    dask = pytest.importorskip("dask")
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),  # 3, unless told otherwise
        engine.executor("dask", workers=1) as pool,
        pytest.raises(InputError, match="ended several workers.*memory ran out"),
    ):
        all_of(always_deadly, [0], pool)


def test_workers_with_other_libraries_are_refused(monkeypatch, pool):
    there = dict(engine._versions())
    assert there["sheeplib"] and there["python"] == f"{sys.version_info[0]}.{sys.version_info[1]}"
    monkeypatch.setattr(engine, "_versions", lambda: there | {"numpy": "1.0", "absent-there": "2"})
    if isinstance(pool, engine.Serial):  # driver and worker are one
        assert all_of(squared, [2], pool) == [(4, "é😀")]
        return
    with pytest.raises(InputError) as caught:
        all_of(squared, [2], pool)
    assert f"numpy {there['numpy']} instead of 1.0" in str(caught.value)
    assert socket.gethostname() in str(caught.value)
    assert "absent-there" not in str(caught.value)


# Extraction.


class Doomed(Executor):
    """A pool in which the first process to extract shard 3 dies when its draft is to become the shard."""

    def __init__(self, pool: Executor, killed: Path) -> None:
        self.pool, self.killed = pool, killed

    def submit(self, fn, /, *args):
        return self.pool.submit(doomed, self.killed, fn, *args)


def doomed(killed: Path, fn, *args):
    def die(*_: object) -> None:
        killed.touch(exist_ok=False)
        os.kill(os.getpid(), signal.SIGKILL)

    if args == (2,) and not killed.exists():
        os.rename = die
    return fn(*args)


def test_extraction_over_two_dask_workers_survives_a_killed_one(tmp_path):
    """The shards, whose worker died among them, are those of one process, byte for byte."""
    pytest.importorskip("distributed")
    pytest.importorskip("torch")
    from sheeplib.features.work import Work, run

    answers = tmp_path / "answers.jsonl"
    texts = [f"There are {n} sheep 🐑 by the lake, and {n + 1} on the hill." for n in range(8)]
    rows = [{"item": f"i{n}", "prompt": "What is there?", "response": text} for n, text in enumerate(texts)]
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    needs = ("hallushift", "hidden:mid@gen")
    works = {
        name: Work("tiny-llama", needs, items=str(answers), shard_size=2, root=str(tmp_path / name))
        for name in ("serial", "dask")
    }
    alone = run(works["serial"])
    with engine.executor("dask", workers=2) as pool:
        shared = run(works["dask"], Doomed(pool, tmp_path / "killed"))
    assert (tmp_path / "killed").exists()
    found = [
        {str(path.relative_to(store.path)): path.read_bytes() for path in store.path.rglob("*.*")}
        for store in (alone, shared)
    ]
    assert found[0] == found[1]
    assert len(found[0]) == 1 + 4 * 4  # run.json, and four files a shard
    assert shared.verify() == []


def test_a_lost_cluster_is_told():
    class Lost(Executor):
        def submit(self, fn, /, *args):
            future = Future()
            future.cancel()  # what dask does with all that it no longer can follow
            future.set_running_or_notify_cancel()
            return future

    with pytest.raises(InputError, match="connection to the cluster was lost.*run it again"):
        all_of(squared, TASKS, Lost())


@pytest.mark.parametrize("bare", ["run_on_scheduler", "run"])
def test_a_cluster_without_this_package_is_refused(bare):
    class Client:
        def __getattr__(self, name):
            return self.lacks if name == bare else lambda fn, *args: fn(*args)

        def lacks(self, fn, *args):
            raise PackageNotFoundError(*args)

    with pytest.raises(InputError, match="sheeplib is not installed everywhere.*same environment"):
        cluster._check_installed(Client())


# Beginning and end.


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"kind": "ray"}, "One of: serial, processes, dask"),
        ({"kind": "processes", "workers": 0}, "at least one"),
        ({"kind": "processes", "cluster": "tcp://127.0.0.1:1"}, "Choose the engine dask"),
        ({"kind": "serial", "resources": {"GPU": 1}}, "Choose the engine dask"),
    ],
)
def test_wrong_choices_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        engine.executor(**arguments)


def test_dask_needs_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match="sheeplib\\[cluster\\]"), engine.executor("dask"):
        pass


@pytest.fixture
def silent_port():
    """A port where connections are taken and nothing is ever said."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server.getsockname()[1]


@pytest.mark.parametrize(
    "address",
    ["node7", "http://node7:8786", "tcp://node7", "tcp://:8786", "tcp://a b:1", "tcp://127.0.0.1:99999"],
)
def test_what_is_no_address_is_refused(address):
    pytest.importorskip("distributed")
    told = pytest.raises(InputError, match="field 'cluster'.*such as tcp://node7:8786")
    with told, engine.executor("dask", cluster=address):
        pass


def test_an_address_where_no_scheduler_answers_is_refused(silent_port, monkeypatch):
    pytest.importorskip("distributed")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        closed = unused.getsockname()[1]
    monkeypatch.setattr("sheeplib.cluster.SECONDS", 0.5)
    for port, reason in [(closed, "Connection refused"), (silent_port, "no answer")]:
        told = pytest.raises(InputError, match=f"no dask scheduler.*{reason}")
        with told, engine.executor("dask", cluster=f"tcp://127.0.0.1:{port}"):
            pass


def test_a_running_cluster_is_used_and_left_up():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, resources={"GPU": 1}, dashboard_address="127.0.0.1:0"
    ) as running:
        address = running.scheduler_address
        for _ in range(2):
            with engine.executor("dask", cluster=address, resources={"GPU": 1}) as pool:
                assert all_of(squared, TASKS, pool) == [(task * task, "é😀") for task in TASKS]
        told = pytest.raises(InputError, match="Start workers with --resources 'GPU=2'")
        with told, engine.executor("dask", cluster=address, resources={"GPU": 2}):
            pass


@watches_processes
def test_workers_end_with_the_block(parallel):
    with engine.executor(parallel, workers=1) as pool:
        (worker,) = set(all_of(process_of, TASKS, pool))
        assert alive(worker)
    assert eventually(lambda: not alive(worker))


@watches_processes
def test_workers_end_at_once_with_an_error(parallel, tmp_path):
    started = time.monotonic()
    with pytest.raises(KeyError), engine.executor(parallel, workers=1) as pool:
        pool.submit(waiting, tmp_path, 0)
        assert eventually(lambda: any(tmp_path.iterdir()))
        raise KeyError("disk full")
    (worker,) = (int(path.name.removeprefix("worker-")) for path in tmp_path.iterdir())
    assert eventually(lambda: not alive(worker))
    assert time.monotonic() - started < 100  # and not the time that its task takes


DRIVER = """
import os, sys, time
from sheeplib import engine

def work(task):
    open(os.path.join(sys.argv[2], str(os.getpid())), "w").close()
    time.sleep(100)

if __name__ == "__main__":
    with engine.executor(sys.argv[1], workers=1) as pool:
        list(engine.results(work, [0], pool))
"""


def _interruptible():
    """What a shell starts in the background ignores Ctrl-C, and so would all that it starts in turn."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@watches_processes
def test_no_worker_outlives_a_driver_that_is_stopped_or_killed(parallel, tmp_path):
    (tmp_path / "driver.py").write_text(DRIVER)
    drivers = {}
    for ending in (signal.SIGINT, signal.SIGKILL):
        seen = tmp_path / ending.name
        seen.mkdir()
        command = [sys.executable, tmp_path / "driver.py", parallel, seen]
        drivers[ending] = subprocess.Popen(
            command, start_new_session=True, stderr=subprocess.PIPE, preexec_fn=_interruptible
        )
    try:
        for ending, driver in drivers.items():
            assert eventually(lambda: any((tmp_path / ending.name).iterdir())), driver.poll()  # noqa: B023
            (worker,) = (int(path.name) for path in (tmp_path / ending.name).iterdir())
            # Ctrl-C in a terminal goes to the driver and its workers; kill -9 to the driver alone.
            (os.killpg if ending == signal.SIGINT else os.kill)(driver.pid, ending)
            told = driver.communicate(timeout=60)[1].decode()
            assert driver.returncode == -ending
            assert eventually(lambda: not alive(worker))  # noqa: B023
            assert told.count("Traceback") == (ending == signal.SIGINT), told  # the driver's, no worker's
    finally:
        for driver in drivers.values():
            driver.kill()
            driver.communicate()


# Shared files.


class Elsewhere(Executor):
    """Workers of a machine where the same path leads to another directory, or is read-only."""

    def __init__(self, change) -> None:
        self.change = change

    def submit(self, fn, /, *args):
        return engine.Serial().submit(fn, *self.change(*args))


def test_a_shared_directory_passes_and_stays_clean(pool, tmp_path):
    engine.check_shared(tmp_path / "new" / "store", pool)
    assert list((tmp_path / "new" / "store").iterdir()) == []


def test_what_a_killed_driver_left_of_its_question_is_no_part_of_a_run_and_swept(tmp_path):
    shards = Shards(tmp_path, {}, [["a"]])
    shards.prepare()
    code = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from sheeplib import cluster\n"
        "def killed(*anything):\n"
        "    cluster._answer(str(anything[0]), 0)\n"
        "    os.kill(os.getpid(), 9)\n"
        "cluster._unseen = killed\n"
        "cluster.check_shared(Path(sys.argv[1]), None)"
    )
    subprocess.run([sys.executable, "-c", code, shards.home], check=False)
    assert len(list(shards.home.iterdir())) == 3  # run.json, question and answer
    assert shards.verify() == []
    shards.write(0, {})
    assert len(list(shards.home.iterdir())) == 2


def test_all_workers_are_asked_for_what_they_offer():
    """Some versions of dask tell of five workers unless asked for all."""
    workers = {place: {"resources": {"GPU": float(place == 6)}} for place in range(7)}

    class Client:
        def scheduler_info(self, n_workers: int = 5) -> dict:
            return {"workers": dict(list(workers.items())[: n_workers if n_workers >= 0 else None])}

    cluster._check_resources(Client(), {"GPU": 1})
    with pytest.raises(InputError, match="no worker of the cluster offers GPU = 2"):
        cluster._check_resources(Client(), {"GPU": 2})


def test_another_directory_of_the_same_name_is_refused(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    there.mkdir()
    pool = Elsewhere(lambda probe, patience: (str(there / Path(probe).name), patience))
    with pytest.raises(InputError, match="does not hold what was written here.*all machines share"):
        engine.check_shared(here, pool, patience=0)
    assert list(here.iterdir()) == list(there.iterdir()) == []


def test_a_worker_whose_files_do_not_come_back_is_refused(tmp_path):
    """Its machine sees a copy: the driver's file is there, but what it writes stays there."""
    here, there = tmp_path / "here", tmp_path / "there"
    there.mkdir()

    def copied(probe: str, patience: float) -> tuple[str, float]:
        copy = there / Path(probe).name
        copy.write_text(str(copy))
        return str(copy), patience

    with pytest.raises(InputError, match="is not where it says that it wrote"):
        engine.check_shared(here, Elsewhere(copied), patience=0)


def test_a_place_that_is_no_directory_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        engine.check_shared(tmp_path / "file" / "store", engine.Serial())

"""Shards: whole or not at all, the same bytes from whoever, and everything that is off is named."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sheeplib import drafts
from sheeplib.errors import InputError
from sheeplib.shards import HEADER, RUN, Shards

NASTY = ["../../etc/passwd", "a/b", "nul\x00", "\u2028", "\ud800", "e\u0301", "é", "😀", "中文", "", " ", "."]
PARTS = [["one", "two"], NASTY, ["three"]]
FILES = {"tokens.parquet": b"rows", "vectors.safetensors": b"numbers" * 100}
FACTS = {"model": "tiny", "needs": ("entropy", "hidden:mid@gen"), "threads": 1, "revision": None}


@pytest.fixture
def shards(tmp_path) -> Shards:
    return Shards(tmp_path, FACTS, PARTS)


@pytest.fixture
def full(shards) -> Shards:
    for index in range(shards.count):
        shards.write(index, FILES)
    return shards


def tree(directory: Path) -> dict[str, bytes]:
    found = directory.rglob("*")
    return {str(path.relative_to(directory)): path.read_bytes() for path in found if path.is_file()}


def complaints(shards: Shards) -> list[str]:
    return [f"{problem.path.relative_to(shards.directory)}: {problem.what}" for problem in shards.verify()]


def edit(path: Path, **changes) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_shard_that_is_there_is_complete_and_read_back(shards):
    assert shards.missing() == [0, 1, 2] and not shards.complete and shards.verify() == []
    path = shards.write(1, FILES)
    assert path == shards.path(1) and path.name == "shard-0002-of-0003"
    assert shards.missing() == [0, 2]
    read = shards.read(1)
    assert {name: file.read_bytes() for name, file in read.items()} == FILES
    assert list(shards.read(1, "tokens.parquet")) == ["tokens.parquet"]
    shards.write(0, FILES), shards.write(2, {})
    assert shards.complete and shards.verify() == [] and shards.read(2) == {}
    assert sorted(os.listdir(shards.home)) == [RUN, *sorted(shards.path(i).name for i in range(3))]


def test_names_come_from_the_place_and_never_from_the_items(full):
    allowed = set("0123456789abcdefghijklmnopqrstuvwxyz-_./")
    assert set("".join(tree(full.home))) <= allowed
    assert json.loads((full.path(1) / HEADER).read_bytes())["items"] == NASTY


def test_the_key_depends_on_all_that_determines_the_bytes_and_on_nothing_else(tmp_path, shards):
    turned = dict(reversed(FACTS.items()))
    assert Shards(tmp_path / "elsewhere", turned, tuple(map(tuple, PARTS))).key == shards.key
    others = [
        Shards(tmp_path, FACTS | {"threads": 2}, PARTS),
        Shards(tmp_path, FACTS | {"threads": "1"}, PARTS),
        Shards(tmp_path, FACTS, PARTS[::-1]),
        Shards(tmp_path, FACTS, [PARTS[0] + PARTS[1], PARTS[2]]),
        Shards(tmp_path, {}, PARTS),
    ]
    assert len({other.key for other in others} | {shards.key}) == 6


def test_the_key_is_what_the_format_says(tmp_path):
    # printf '{"format":1,"header":{"a":[1,null]},"parts":[["\\u00e9"]]}' | sha256sum
    assert Shards(tmp_path, {"a": (1, None)}, [["é"]]).key == "1f256a86448225d5"


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, b"bytes", {(1, 2): 3}])
def test_a_header_that_is_no_json_is_refused(tmp_path, value):
    with pytest.raises(InputError, match="no JSON"):
        Shards(tmp_path, {"value": value}, PARTS)


@pytest.mark.parametrize("name", [HEADER, "../x", "a/b", "", ".hidden", "Tokens", "a\n"])
def test_a_file_needs_a_plain_name(shards, name):
    with pytest.raises(InputError, match="no name for a file"):
        shards.write(0, {name: b""})
    assert shards.missing() == [0, 1, 2]


def test_no_shard_beyond_the_last(shards):
    for index in (-1, 3):
        with pytest.raises(IndexError):
            shards.path(index)


def test_the_same_work_gives_the_same_bytes(tmp_path, full):
    again = Shards(tmp_path / "again", dict(reversed(FACTS.items())), PARTS)
    for index in reversed(range(again.count)):
        again.write(index, dict(reversed(FILES.items())))
    assert tree(again.home) == tree(full.home)


def test_a_run_is_found_and_opened(tmp_path, full):
    for path in (full.home, str(full.home), full.home / ".." / full.key):
        opened = Shards.open(path)
        assert (opened.key, opened.header, opened.parts) == (full.key, full.header, full.parts)
        assert opened.complete and opened.verify() == []
    (tmp_path / "notes").mkdir()
    other = Shards(tmp_path, {}, [["x"]])
    other.write(0, {})
    assert [run.key for run in Shards.find(tmp_path)] == sorted([full.key, other.key])
    assert Shards.find(tmp_path / "nowhere") == []
    with pytest.raises(InputError, match="no run is kept"):
        Shards.open(tmp_path / "notes")


def test_a_missing_shard_says_so(shards):
    with pytest.raises(InputError, match="shard is missing.*Run again"):
        shards.read(0)


# Each mischief, and what is said about it.
def cut(run: Shards) -> None:
    file = run.path(1) / "vectors.safetensors"
    file.write_bytes(file.read_bytes()[:-1])


def flip(run: Shards) -> None:
    file = run.path(1) / "vectors.safetensors"
    content = bytearray(file.read_bytes())
    content[17] ^= 1
    file.write_bytes(content)


def lose(run: Shards) -> None:
    (run.path(1) / "tokens.parquet").unlink()


def add(run: Shards) -> None:
    (run.path(1) / "more.txt").write_bytes(b"")


def link_file(run: Shards) -> None:
    file = run.path(1) / "tokens.parquet"
    outside = run.directory / "outside"
    file.rename(outside)
    file.symlink_to(outside)


def link_shard(run: Shards) -> None:
    run.path(1).rename(run.directory / "outside")
    run.path(1).symlink_to(run.directory / "outside")


def pipe(run: Shards) -> None:
    (run.path(1) / "tokens.parquet").unlink()
    os.mkfifo(run.path(1) / "tokens.parquet")


def not_json(run: Shards) -> None:
    (run.path(1) / HEADER).write_bytes(b'{"key": ')


def not_text(run: Shards) -> None:
    (run.path(1) / HEADER).write_bytes(b"\xff\xfe")


def deep(run: Shards) -> None:
    (run.path(1) / HEADER).write_bytes(b"[" * 100_000)


def no_object(run: Shards) -> None:
    (run.path(1) / HEADER).write_bytes(b"[]")


def no_number(run: Shards) -> None:
    (run.path(1) / HEADER).write_bytes(b'{"key": NaN}')


def no_header(run: Shards) -> None:
    (run.path(1) / HEADER).unlink()


def field_lost(run: Shards) -> None:
    header = json.loads((run.path(1) / HEADER).read_bytes())
    del header["items"]
    (run.path(1) / HEADER).write_text(json.dumps(header))


def foreign(run: Shards) -> None:
    other = Shards(run.directory, {**FACTS, "threads": 2}, PARTS)
    other.write(1, FILES)
    shutil.rmtree(run.path(1))
    other.path(1).rename(run.path(1))


def misplaced(run: Shards) -> None:
    shutil.rmtree(run.path(1))
    shutil.copytree(run.path(2), run.path(1))


NOTE = {"sha256": "", "size": 0}
MISCHIEF = {
    cut: "699 bytes instead of 700: cut short or altered",
    flip: "altered: its SHA-256 differs",
    lose: "missing, or no plain file",
    add: "no file of this shard",
    link_file: "missing, or no plain file",
    link_shard: "no directory, or a link to one",
    pipe: "missing, or no plain file",
    not_json: "cut short or altered: no JSON",
    not_text: "cut short or altered: no JSON",
    deep: "cut short or altered: no JSON",
    no_object: "altered: no JSON object",
    no_number: "cut short or altered: no JSON",
    no_header: "missing, or no plain file",
    field_lost: "field is missing",
    foreign: "shard of another run",
    misplaced: "shard in the wrong place",
    lambda run: edit(run.path(1) / HEADER, items=["x"]): "shard of other items",
    lambda run: edit(run.path(1) / HEADER, shards=4): "shard of a run cut into another number of shards",
    lambda run: edit(run.path(1) / HEADER, header={}): "header was altered",
    lambda run: edit(run.path(1) / HEADER, format=0): "shard of another version of the package",
    lambda run: edit(run.path(1) / HEADER, format=True): "shard of another version of the package",
    lambda run: edit(run.path(1) / HEADER, extra=1): "unknown field",
    lambda run: edit(run.path(1) / HEADER, files=[]): "list of files was altered",
    lambda run: edit(
        run.path(1) / HEADER, files={"../x": {"sha256": "", "size": 0}}
    ): "list of files was altered",
    lambda run: edit(
        run.path(1) / HEADER, files={"x": {"sha256": "", "size": 0}}
    ): "missing, or no plain file",
}


@pytest.mark.parametrize(
    ("mischief", "said"), MISCHIEF.items(), ids=lambda value: getattr(value, "__name__", "")
)
def test_what_is_off_is_named_with_the_remedy_and_the_rest_can_be_read(full, mischief, said):
    mischief(full)
    assert any("shard-0002-of-0003" in line and said in line for line in complaints(full))
    assert all("shard-0002-of-0003" in line for line in complaints(full))
    with pytest.raises(InputError) as error:
        full.read(1)
    assert said in str(error.value) and str(full.path(1)) in str(error.value)
    assert "elete it" in str(error.value)  # the remedy
    assert full.read(0) and full.read(2)
    with pytest.raises(InputError):
        full.write(1, FILES)  # a damaged shard is not taken for a finished one
    if full.path(1).is_symlink():
        full.path(1).unlink()
    else:
        shutil.rmtree(full.path(1))  # the remedy works
    full.write(1, FILES)
    assert full.verify() == []


def test_only_the_named_files_are_read_to_the_last_byte(full):
    flip(full)
    assert full.read(1, "tokens.parquet")
    with pytest.raises(InputError, match="SHA-256"):
        full.read(1, "vectors.safetensors")
    with pytest.raises(InputError, match="missing"):
        full.read(0, "unheard.of")


def test_strangers_in_the_run_are_named(full):
    shutil.copytree(full.path(0), full.home / "shard-0001-of-0007")
    (full.home / "notes.txt").write_text("mine")
    assert complaints(full) == [
        f"{full.key}/notes.txt: no part of the run",
        f"{full.key}/shard-0001-of-0007: shard of another number of shards",
    ]


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b'{"format": 1, "header": {}, "key": "0", "parts": [[1]]}', None]
)
def test_an_altered_run_is_named_by_everyone(full, content):
    run = full.home / RUN
    if content is None:
        edit(run, header=FACTS | {"threads": 2})
    else:
        run.write_bytes(content)
    assert complaints(full) == [f"{full.key}/{RUN}: missing, or not what was written"]
    shutil.rmtree(full.path(0))
    for act in (
        lambda: full.write(0, FILES),
        lambda: Shards.open(full.home),
        lambda: Shards.find(full.directory),
    ):
        with pytest.raises(InputError, match=RUN):
            act()
    run.unlink()
    full.write(0, FILES)  # made anew
    assert full.verify() == [] and Shards.open(full.home).complete


def test_a_renamed_run_is_told_its_name(tmp_path, full):
    full.home.rename(tmp_path / "mine")
    with pytest.raises(InputError, match=f"Rename it to {full.key}"):
        Shards.open(tmp_path / "mine")


def test_a_file_in_the_way_is_named(shards):
    shards.home.write_bytes(b"")
    with pytest.raises(InputError, match="cannot be written"):
        shards.write(0, FILES)
    assert shards.home.read_bytes() == b""


def test_many_writers_of_the_same_shards_are_harmless(tmp_path, full):
    again = Shards(tmp_path / "again", FACTS, PARTS)
    with ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(lambda index: again.write(index % 3, FILES), range(60)))
    assert set(paths) == {again.path(index) for index in range(3)}
    assert tree(again.home) == tree(full.home)


def test_a_writer_that_comes_second_leaves_what_is_there(full):
    full.write(0, {"tokens.parquet": b"something else"})
    assert full.read(0)["tokens.parquet"].read_bytes() == b"rows"


def test_a_writer_overtaken_at_the_last_moment_leaves_what_is_there(shards, monkeypatch):
    rename = os.rename

    def overtaken(draft, target):
        monkeypatch.setattr(os, "rename", rename)
        shards.write(0, FILES)
        rename(draft, target)

    monkeypatch.setattr(os, "rename", overtaken)
    assert shards.write(0, FILES | {"more.txt": b""}) == shards.path(0)
    assert set(shards.read(0)) == set(FILES)
    assert sorted(os.listdir(shards.home)) == [RUN, "shard-0001-of-0003"]


KILLED = """
import os, signal, sys
from sheeplib.shards import Shards
from pathlib import Path
shards = Shards(Path(sys.argv[1]), {}, [["a"], ["b"]])
shards.write(0, {"x": b"1"})
os.rename = lambda *names: (print("ready", flush=True), signal.pause())
shards.write(1, {"x": b"2"})
"""


def test_what_a_killed_writer_left_is_swept_and_what_a_live_one_writes_is_not(tmp_path):
    shards = Shards(tmp_path, {}, [["a"], ["b"]])
    writer = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE)
    assert writer.stdout.read(5) == b"ready"
    (draft,) = [name for name in os.listdir(shards.home) if drafts.is_draft(name)]
    assert shards.missing() == [1] and shards.verify() == []
    drafts.sweep(shards.home)
    assert (shards.home / draft / "x").read_bytes() == b"2"
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    writer.stdout.close()
    assert (shards.home / draft).is_dir() and shards.missing() == [1]
    shards.write(1, {"x": b"2"})
    assert not (shards.home / draft).exists() and shards.verify() == []


def test_drafts_of_other_machines_are_swept_when_they_are_old(tmp_path):
    fresh, old, mine = (tmp_path / f".x.{origin}-1-0123abcd.draft" for origin in ("0" * 8, "1" * 8, "mine"))
    for path in (fresh, old, mine):
        path.mkdir()
    age = time.time() - drafts.OLD - 60
    os.utime(old, (age, age)), os.utime(mine, (age, age))
    drafts.sweep(tmp_path)
    assert sorted(os.listdir(tmp_path)) == sorted([fresh.name, mine.name])


def test_a_failed_write_leaves_nothing(tmp_path, monkeypatch):
    (tmp_path / "run.json").write_bytes(b"before")
    full = OSError(28, "No space left on device")

    def fail(number):
        raise full

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        drafts.write_file(tmp_path / "run.json", b"after")
    with pytest.raises(OSError, match="No space"):
        drafts.write_directory(tmp_path / "shard", {"a": b"1"})
    assert tree(tmp_path) == {"run.json": b"before"} and os.listdir(tmp_path) == ["run.json"]
    with pytest.raises(InputError, match="No space left on device.*finished shards are kept"):
        Shards(tmp_path, {}, [["a"]]).write(0, {})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    header=st.dictionaries(st.text(), json_values, max_size=4),
    parts=st.lists(st.lists(st.text(st.characters()), max_size=3), min_size=1, max_size=3),
    content=st.binary(max_size=50),
)
def test_anything_that_is_json_comes_back_from_the_disk(tmp_path_factory, header, parts, content):
    shards = Shards(tmp_path_factory.mktemp("run"), header, parts)
    shards.write(0, {"x": content})
    opened = Shards.open(shards.home)
    assert opened.header == header and [list(part) for part in opened.parts] == parts
    assert opened.read(0)["x"].read_bytes() == content

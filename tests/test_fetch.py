"""Corpora fetched once, verified always, from a server on this machine."""

import hashlib
import os
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from file_server import FileServer
from sheeplib import archives, downloads
from sheeplib.errors import InputError
from sheeplib.fetch import SOURCES, cache_directory, fetch
from test_archives import content_of, tarred, zipped

DATA = {"distrib/x.en.jsonl": b'{"a": 1}\n' * 400, "distrib/x.zh.jsonl": "\u7f8a\n".encode()}
IMAGES = {f"images/{number}.jpg": os.urandom(5000) for number in range(3)}
ZIP, TAR = "shroom-visions-data.zip", "shroom-visions-images.tar.gz"
FOLDER = "shroom-visions-data"


@pytest.fixture
def server(tmp_path, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "SHEEP_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(downloads, "TIMEOUT", 5)
    made = tmp_path / "made"
    made.mkdir()
    with FileServer() as server:
        server.files[ZIP] = zipped(DATA.items(), made / ZIP).read_bytes()
        server.files[TAR] = tarred(IMAGES.items(), made / TAR).read_bytes()
        monkeypatch.setenv("SHEEP_MIRROR", server.base)
        yield server


@pytest.fixture
def here(tmp_path):
    return tmp_path / "cache"


def quick(*arguments, **options):
    return fetch(*arguments, sleep=lambda _: None, **options)


def names(directory):
    """What lies in a directory, but for the lock."""
    return sorted(path.name for path in directory.iterdir() if not path.name.endswith(".lock"))


def test_parts_are_downloaded_unpacked_and_noted(server, here):
    found = fetch("sheep", ("data", "images"), here)
    assert found == {"data": here / FOLDER, "images": here / "shroom-visions-images"}
    assert content_of(found["data"]) == DATA
    assert content_of(found["images"]) == IMAGES
    digest = hashlib.sha256(server.files[ZIP]).hexdigest()
    assert (here / f"{ZIP}.sha256").read_text() == f"{digest}  {ZIP}\n"
    assert names(here) == sorted(
        [ZIP, f"{ZIP}.sha256", FOLDER, TAR, f"{TAR}.sha256", "shroom-visions-images"]
    )


def test_the_second_time_nothing_is_asked_for(server, here):
    first = fetch("sheep", directory=here)
    times = {path: path.stat().st_mtime_ns for path in here.rglob("*")}
    server.requests.clear()
    assert fetch("sheep", directory=here) == first
    assert server.requests == []
    assert {path: path.stat().st_mtime_ns for path in here.rglob("*")} == times


def test_a_mirror_may_be_given(server, here, monkeypatch):
    monkeypatch.setenv("SHEEP_MIRROR", "http://127.0.0.1:9/not-asked")
    found = fetch("sheep", "data", here, base=f"{server.base}/some/where/")
    assert content_of(found["data"]) == DATA
    assert [name for name, *_ in server.requests] == [ZIP]


def test_official_addresses_are_used_without_a_mirror(here, monkeypatch):
    asked = []

    def answered(address, path, accept, sleep):
        asked.append(address)
        raise InputError("offline")

    monkeypatch.delenv("SHEEP_MIRROR", raising=False)
    monkeypatch.setattr("sheeplib.fetch.download", answered)
    for part in SOURCES["sheep"]:
        with pytest.raises(InputError, match="offline"):
            fetch("sheep", [part], here)
    assert asked == list(SOURCES["sheep"].values())
    assert all(address.startswith("https://") for address in asked)


@pytest.mark.parametrize(
    ("corpus", "parts", "what"),
    [
        ("meadow", ("data",), "nothing to fetch for corpus 'meadow'. Known: sheep"),
        ("../x", (), "nothing to fetch for corpus '../x'. Known: sheep"),
        ("sheep", (), "no part of corpus 'sheep' to fetch. Known: data, images"),
        ("sheep", ("data", "x", "y"), "no part 'x'. Known: data, images\n.*no part 'y'"),
    ],
)
def test_unknown_names_are_refused_before_anything_is_done(server, here, corpus, parts, what):
    with pytest.raises(InputError, match=what):
        fetch(corpus, parts, here)
    assert server.requests == []
    assert not here.exists()


def test_a_mirror_that_is_no_address(server, here):
    with pytest.raises(InputError, match="not an address of http or https"):
        fetch("sheep", directory=here, base="file:///srv")
    assert not here.exists()


def test_a_broken_transfer_is_resumed(server, here):
    server.cuts = [100]
    assert content_of(quick("sheep", directory=here)["data"]) == DATA
    assert server.requests == [(ZIP, None, 100), (ZIP, "bytes=100-", len(server.files[ZIP]) - 100)]


def test_an_archive_that_was_changed_is_refused_and_kept(server, here):
    fetch("sheep", directory=here)
    changed = server.files[ZIP][:-1] + b"x"
    (here / ZIP).write_bytes(changed)
    server.requests.clear()
    with pytest.raises(InputError, match="not the file fetched first") as caught:
        fetch("sheep", directory=here)
    problem = caught.value.problems[0]
    assert problem.path == here / ZIP and "Remove it to fetch it again" in problem.remedy
    assert (here / ZIP).read_bytes() == changed and content_of(here / FOLDER) == DATA
    assert server.requests == []
    (here / ZIP).unlink()
    (here / FOLDER).rename(here / "old")
    assert content_of(fetch("sheep", directory=here)["data"]) == DATA


@pytest.mark.parametrize("note", [b"", b"\xff\xfe\n", b"0" * 64 + b"  x\n"])
def test_a_note_that_does_not_fit_is_an_error(server, here, note):
    fetch("sheep", directory=here)
    (here / f"{ZIP}.sha256").write_bytes(note)
    with pytest.raises(InputError, match="not the file fetched first"):
        fetch("sheep", directory=here)


def test_a_corpus_published_anew_is_not_taken_for_the_old(server, here, tmp_path):
    fetch("sheep", directory=here)
    (here / ZIP).unlink()
    (here / FOLDER).rename(tmp_path / "old")
    server.files[ZIP] = zipped([("new", b"1")], tmp_path / "new.zip").read_bytes()
    with pytest.raises(InputError, match="gave what is not the file fetched first"):
        fetch("sheep", directory=here)
    assert names(here) == [f"{ZIP}.sha256"]
    (here / f"{ZIP}.sha256").unlink()
    assert content_of(fetch("sheep", directory=here)["data"]) == {"new": b"1"}


def test_an_archive_put_there_by_hand_is_used(server, here):
    here.mkdir()
    (here / ZIP).write_bytes(server.files[ZIP])
    assert content_of(fetch("sheep", directory=here)["data"]) == DATA
    assert server.requests == []
    assert names(here) == sorted([ZIP, f"{ZIP}.sha256", FOLDER])


def test_an_archive_may_be_removed_once_it_is_unpacked(server, here):
    fetch("sheep", directory=here)
    (here / ZIP).unlink()
    server.requests.clear()
    assert content_of(fetch("sheep", directory=here)["data"]) == DATA
    assert server.requests == []


def test_a_folder_that_was_removed_is_unpacked_again(server, here, tmp_path):
    fetch("sheep", directory=here)
    (here / FOLDER).rename(tmp_path / "away")
    server.requests.clear()
    assert content_of(fetch("sheep", directory=here)["data"]) == DATA
    assert server.requests == []


def test_offline_says_what_to_do(here):
    with socket.socket() as taken:  # bound and not listening: connections are refused
        taken.bind(("127.0.0.1", 0))
        base = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(InputError) as caught:
            quick("sheep", directory=here, base=base)
    assert f"{base}/{ZIP}" in str(caught.value) and "pass that as --directory" in str(caught.value)
    assert names(here) == []


def test_a_login_page_is_not_kept(server, here):
    server.files[ZIP] = b"<html>Please log in</html>"
    with pytest.raises(InputError, match="login page"):
        fetch("sheep", directory=here)
    assert names(here) == []


def test_a_missing_file(server, here):
    del server.files[ZIP]
    with pytest.raises(InputError, match="answered 404"):
        fetch("sheep", directory=here)
    assert names(here) == []


def test_a_damaged_archive_is_neither_unpacked_nor_noted(server, here):
    server.files[ZIP] = server.files[ZIP][:-30]
    with pytest.raises(InputError, match="damaged.*Remove it and fetch it again"):
        fetch("sheep", directory=here)
    assert names(here) == [ZIP]


def test_an_interrupted_unpacking_goes_on_from_the_archive(server, here, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(archives._Writer, "file", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fetch("sheep", directory=here)
    assert names(here) == [ZIP]
    monkeypatch.undo()
    server.requests.clear()
    left = here / f".{FOLDER}.abc{archives.DRAFT}"  # as of a process that was killed
    left.mkdir()
    (left / "half").write_bytes(b"1")
    assert content_of(fetch("sheep", directory=here, base=server.base)["data"]) == DATA
    assert server.requests == [] and not left.exists()


def test_several_at_once_download_once(server, here):
    found, together = [], threading.Barrier(4)

    def one():
        together.wait()
        found.append(fetch("sheep", directory=here))

    threads = [threading.Thread(target=one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [{"data": here / FOLDER}] * 4
    assert content_of(here / FOLDER) == DATA
    assert len(server.requests) == 1


def test_a_second_process_waits_for_the_first(server, here):
    code = "import sys; from sheeplib.fetch import fetch; fetch('sheep', directory=sys.argv[1])"
    runs = [
        subprocess.Popen([sys.executable, "-c", code, str(here)], stderr=subprocess.PIPE) for _ in range(2)
    ]
    assert [(run.communicate(timeout=60)[1], run.returncode) for run in runs] == [(b"", 0), (b"", 0)]
    assert content_of(here / FOLDER) == DATA
    assert len(server.requests) == 1


def test_a_finished_cache_needs_no_writing(server, here, monkeypatch):
    fetch("sheep", directory=here)

    def locked(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("sheeplib.fetch._locked", locked)  # permissions do not stop the superuser
    assert fetch("sheep", directory=here) == {"data": here / FOLDER}
    with pytest.raises(InputError, match="Permission denied"):
        fetch("sheep", ("images",), here)


def test_a_directory_that_is_a_file(server, here):
    here.write_bytes(b"")
    with pytest.raises(InputError, match="cannot be read or written") as caught:
        fetch("sheep", directory=here)
    assert caught.value.problems[0].path == str(here)
    assert stat.S_ISREG(here.stat().st_mode)


def test_a_full_disk_is_not_taken_for_a_bad_network(server, here, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(downloads, "_receive", full)
    with pytest.raises(InputError, match="No space left on device. Free space"):
        fetch("sheep", directory=here, sleep=lambda _: pytest.fail("tried again"))


def test_the_cache_is_where_the_environment_says(server, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_directory() == tmp_path / "home" / ".cache" / "sheeplib"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_directory() == tmp_path / "home" / ".cache" / "sheeplib"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_directory() == tmp_path / "xdg" / "sheeplib"
    monkeypatch.setenv("SHEEP_CACHE", "~/sheep")
    assert cache_directory() == tmp_path / "home" / "sheep"
    assert fetch("sheep") == {"data": tmp_path / "home" / "sheep" / "sheep" / FOLDER}


def test_no_home(monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("SHEEP_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(InputError, match="Set SHEEP_CACHE"):
        cache_directory()

"""Downloads over networks and servers that fail in many ways."""

import io
import os
import socket
import sys

import pytest

from file_server import FileServer
from sheeplib import downloads
from sheeplib.downloads import PAUSES, check_address, download
from sheeplib.errors import InputError, Problem

FILE = os.urandom(300_000)
NEW = os.urandom(300_000)
PART = 100_000  # bytes that come before a connection breaks


@pytest.fixture
def server(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with FileServer() as server:
        server.files["f"] = FILE
        yield server


@pytest.fixture
def get(server, tmp_path):
    """Download `f`, and give the pauses that were made."""

    def run(**options):
        pauses = []
        download(f"{server.base}/f", tmp_path / "f", sleep=pauses.append, **options)
        return pauses

    return run


def ranges(server):
    return [asked for _, asked, _ in server.requests]


def sizes(server):
    return [sent for _, _, sent in server.requests]


def only(tmp_path, content=FILE):
    """The file is there with this content, and nothing else is."""
    assert [path.name for path in tmp_path.iterdir()] == ["f"]
    assert (tmp_path / "f").read_bytes() == content


def begin(server, get, tmp_path, cut=PART):
    """A download that is given up for good in the middle, as by a process that dies."""

    def die(_):
        raise KeyboardInterrupt

    server.cuts = [cut]
    with pytest.raises(KeyboardInterrupt):
        download(f"{server.base}/f", tmp_path / "f", sleep=die)
    assert not (tmp_path / "f").exists()
    assert (tmp_path / "f.part").stat().st_size == cut
    server.requests.clear()


def test_a_file_comes_whole(server, get, tmp_path):
    assert get() == []
    only(tmp_path)
    assert server.requests == [("f", None, len(FILE))]


@pytest.mark.parametrize("content", [b"", b"x"])
def test_small_files(server, get, tmp_path, content):
    server.files["f"] = content
    get()
    only(tmp_path, content)


def test_a_file_that_was_there_is_replaced(server, get, tmp_path):
    (tmp_path / "f").write_bytes(b"old")
    get()
    only(tmp_path)


def test_a_broken_transfer_is_resumed_and_only_the_rest_is_sent(server, get, tmp_path):
    server.cuts = [PART, 1]
    assert get() == list(PAUSES[:2])
    only(tmp_path)
    assert ranges(server) == [None, f"bytes={PART}-", f"bytes={PART + 1}-"]
    assert sizes(server) == [PART, 1, len(FILE) - PART - 1]


def test_another_process_resumes(server, get, tmp_path):
    begin(server, get, tmp_path)
    assert get() == []
    only(tmp_path)
    assert server.requests == [("f", f"bytes={PART}-", len(FILE) - PART)]


def test_a_date_will_do_where_the_tag_is_weak(server, get, tmp_path):
    server.tags["f"], server.dates["f"] = 'W/"1"', "Tue, 14 Oct 2025 10:00:00 GMT"
    begin(server, get, tmp_path)
    get()
    only(tmp_path)
    assert sizes(server) == [len(FILE) - PART]


@pytest.mark.parametrize("tag", ["", 'W/"1"', '"\u00e9"'])
def test_nothing_is_resumed_where_versions_cannot_be_told_apart(server, get, tmp_path, tag):
    server.tags["f"] = tag
    begin(server, get, tmp_path)
    server.files["f"] = NEW
    get()
    only(tmp_path, NEW)
    assert server.requests == [("f", None, len(NEW))]


def test_a_server_that_ignores_ranges(server, get, tmp_path):
    server.ranges = False
    server.cuts = [PART]
    assert get() == [PAUSES[0]]
    only(tmp_path)
    assert ranges(server) == [None, f"bytes={PART}-"]
    assert sizes(server) == [PART, len(FILE)]


def test_a_changed_file_is_not_mixed_with_the_old(server, get, tmp_path):
    begin(server, get, tmp_path)
    server.files["f"] = NEW
    assert get() == []
    only(tmp_path, NEW)
    assert server.requests == [("f", f"bytes={PART}-", len(NEW))]


@pytest.mark.parametrize("new", [NEW, NEW[:-1], FILE + b"more"], ids=["content", "shorter", "longer"])
def test_nor_where_the_server_does_not_heed_if_range(server, get, tmp_path, new):
    begin(server, get, tmp_path)
    server.if_range = False
    server.files["f"] = new
    assert get() == [PAUSES[0]]
    only(tmp_path, new)
    assert ranges(server) == [f"bytes={PART}-", None]


def test_a_changed_size_is_seen_though_the_tag_is_the_same(server, get, tmp_path):
    server.tags["f"] = '"always"'
    begin(server, get, tmp_path)
    server.files["f"] = NEW + b"more"
    get()
    only(tmp_path, NEW + b"more")


def test_a_file_that_is_shorter_now_than_the_draft(server, get, tmp_path):
    """416: the part that is asked for does not exist."""
    server.tags["f"] = '"always"'
    begin(server, get, tmp_path)
    server.files["f"] = NEW[: PART // 2]
    assert get() == [PAUSES[0]]
    only(tmp_path, NEW[: PART // 2])
    assert ranges(server) == [f"bytes={PART}-", None]


def test_another_part_than_was_asked_for(server, get, tmp_path):
    begin(server, get, tmp_path)
    server.shift = 10
    get()
    only(tmp_path)
    assert ranges(server) == [f"bytes={PART}-", None]


def test_a_draft_that_is_complete_needs_no_request(server, get, tmp_path):
    begin(server, get, tmp_path)
    (tmp_path / "f.part").write_bytes(FILE)
    get()
    only(tmp_path)
    assert server.requests == []


def test_a_draft_from_another_address_is_not_continued(server, get, tmp_path):
    server.tags = {"f": '"1"', "g": '"1"'}
    begin(server, get, tmp_path)
    server.files["g"] = NEW
    download(f"{server.base}/g", tmp_path / "f")
    only(tmp_path, NEW)


@pytest.mark.parametrize("note", [b"", b"\xff", b"a\nb", b"a\nb\nc\nd", None])
def test_a_draft_of_unknown_origin_is_not_continued(server, get, tmp_path, note):
    begin(server, get, tmp_path)
    (tmp_path / "f.part").write_bytes(b"something else")
    (tmp_path / "f.part.txt").unlink() if note is None else (tmp_path / "f.part.txt").write_bytes(note)
    get()
    only(tmp_path)


def test_without_a_length_the_end_is_the_end(server, get, tmp_path):
    server.lengths = False
    get()
    only(tmp_path)


def test_chunks_that_end_too_early_are_not_the_end(server, get, tmp_path):
    server.chunked = True
    server.cuts = [PART]
    assert get() == [PAUSES[0]]
    only(tmp_path)
    start = PART - len(f"{len(FILE):x}\r\n")  # the chunk's head came before the content
    assert ranges(server) == [None, f"bytes={start}-"]


@pytest.mark.parametrize("length", ["x", "-1", "\u00b2", "9" * 5000])
def test_a_length_that_is_none(length):
    headers = downloads.Message()
    headers["Content-Length"] = length
    assert downloads._promised("http://a/b", headers) == ("http://a/b", "", "")


def test_answers_that_pass_are_waited_for(server, get, tmp_path):
    server.answers = [503, 429, 500]
    assert get() == list(PAUSES)
    only(tmp_path)


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_answers_that_do_not_pass_are_not(server, get, tmp_path, status):
    server.answers = [status]
    with pytest.raises(
        InputError, match=f"{server.base}/f cannot be downloaded: the server answered {status}"
    ):
        get()
    assert len(server.requests) == 1
    assert list(tmp_path.iterdir()) == []


def test_it_gives_up_after_four_tries_and_keeps_what_came(server, get, tmp_path):
    server.cuts = [10, 10, 10, 10]
    with pytest.raises(InputError, match="ended after 40 of 300,000 bytes") as caught:
        get()
    assert "--directory" in str(caught.value)
    assert (tmp_path / "f.part").read_bytes() == FILE[:40]
    get()
    only(tmp_path)


def test_offline(tmp_path):
    with socket.socket() as taken:  # bound and not listening: connections are refused
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/f"
        pauses = []
        with pytest.raises(InputError) as caught:
            download(address, tmp_path / "f", sleep=pauses.append)
    assert pauses == list(PAUSES)
    said = str(caught.value)
    assert address in said and "refused" in said
    assert "download it by hand into a directory and pass that as --directory" in said
    assert list(tmp_path.iterdir()) == []


def test_a_silent_server_is_not_waited_for_longer_than_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(downloads, "TIMEOUT", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/f"
        with pytest.raises(InputError, match="timed out"):
            download(address, tmp_path / "f", sleep=lambda _: None)


def test_a_server_that_speaks_another_language(tmp_path, server):
    server.RequestHandlerClass.do_GET, kept = (
        lambda handler: handler.wfile.write(b"SSH-2.0\r\n"),
        server.RequestHandlerClass.do_GET,
    )
    try:
        with pytest.raises(InputError, match="cannot be downloaded"):
            download(f"{server.base}/f", tmp_path / "f", sleep=lambda _: None)
    finally:
        server.RequestHandlerClass.do_GET = kept


def test_redirects_are_followed_and_keep_the_range(server, tmp_path):
    server.places["here"] = "/f"
    server.cuts = [PART]
    download(f"{server.base}/here", tmp_path / "f", sleep=lambda _: None)
    only(tmp_path)
    assert [r for r in server.requests if r[0] == "f"] == [
        ("f", None, PART),
        ("f", f"bytes={PART}-", 200_000),
    ]


@pytest.mark.parametrize(
    "place", ["file:///etc/hostname", "ftp://127.0.0.1/f", "data:,x", "javascript:x", "/f", "http://[x"]
)
def test_redirects_elsewhere_or_in_a_circle_are_not(server, get, tmp_path, place):
    server.places["f"] = place
    with pytest.raises(InputError, match="not safe|cannot be downloaded"):
        get()
    assert list(tmp_path.iterdir()) == []


def test_https_does_not_lead_back_to_http():
    from urllib.error import HTTPError
    from urllib.request import Request

    to = downloads._Redirects().redirect_request
    with pytest.raises(HTTPError) as caught:
        to(Request("https://a/f"), None, 302, "", downloads.Message(), "http://a/f")
    caught.value.close()
    assert (
        to(Request("https://a/f"), None, 302, "", downloads.Message(), "https://b/f").full_url
        == "https://b/f"
    )
    assert (
        to(Request("http://a/f"), None, 302, "", downloads.Message(), "https://b/f").full_url == "https://b/f"
    )


@pytest.mark.parametrize(
    "address",
    ["file:///etc/hostname", "ftp://a/f", "a/f", "", "http:///f", "http://", "http://[x/f", "http://a:x/f",
     "http://a b/f", "http://a/\u00e9", "http://a/f\r\nX: y", "HTTPS//a"],
)  # fmt: skip
def test_addresses_that_are_refused(tmp_path, address):
    with pytest.raises(InputError, match="not an address of http or https"):
        download(address, tmp_path / "f")
    assert list(tmp_path.iterdir()) == []


def test_passwords_are_refused_and_not_repeated():
    with pytest.raises(InputError) as caught:
        check_address("https://me:secret@a/f")
    assert "secret" not in str(caught.value)
    check_address("https://a:8443/~me@home/f")


def test_what_is_not_accepted_is_removed_and_the_old_file_kept(server, get, tmp_path):
    (tmp_path / "f").write_bytes(b"old")

    def refuse(draft):
        assert draft.read_bytes() == FILE
        raise InputError(Problem("not this one"))

    with pytest.raises(InputError, match="not this one"):
        get(accept=refuse)
    only(tmp_path, b"old")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_shown_on_a_terminal_only(server, get, tmp_path, monkeypatch):
    for stream, shown in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        get()
        assert ("f.part" in stream.getvalue()) == shown

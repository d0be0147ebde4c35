"""Lines, encodings and the many ways in which a record is none."""

import pytest

from sheeplib.errors import InputError, Problem
from sheeplib.jsonl import jsonl_files, read_jsonl, scan_jsonl


@pytest.fixture
def written(tmp_path):
    def write(content):
        path = tmp_path / "file.jsonl"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_only_a_line_feed_ends_a_line(written):
    path = written('\ufeff{"a": "x\u2028y\u2029z\u0085\x7f"}\r\n\n  \t\r\n{"b": "é😀𠀀"}')
    assert list(read_jsonl(path)) == [(1, {"a": "x\u2028y\u2029z\u0085\x7f"}), (4, {"b": "é😀𠀀"})]


def test_an_empty_file_has_no_records(written):
    assert list(read_jsonl(written(b""))) == []
    assert list(read_jsonl(written(b"\xef\xbb\xbf\n"))) == []


def test_blank_lines_can_be_wrong(written):
    path = written(b'{"a": 1}\n\n{"a": 2}\n \n')
    found = [(line, getattr(record, "what", record)) for line, record in scan_jsonl(path, blank="error")]
    assert found == [(1, {"a": 1}), (2, "empty line"), (3, {"a": 2}), (4, "empty line")]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b'{"a": \xff}', "byte 7 of the line is not UTF-8"),
        ('{"a": 1}'.encode("utf-16"), "not UTF-8"),
        (b'{"a": 1', "invalid JSON at character 8"),
        (b"{'a': 1}", "invalid JSON at character 2"),
        (b'{"a": 1} {"b": 2}', "invalid JSON at character 10: Extra data"),
        (b'{"a": "\t"}', "invalid JSON at character 8"),
        (b'{"a": 1}\r{"b": 2}', "invalid JSON"),
        (b'{"a": NaN}', "NaN is not JSON"),
        (b'{"a": [-Infinity]}', "-Infinity is not JSON"),
        (b'{"a": ' + b"9" * 5000 + b"}", "too many digits"),
        (b'{"a": {"b": 1, "c": 2, "b": 1}}', "key 'b' is given twice"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
        (b'{"a": ' + b"[" * 100_000, "nested too deeply"),
        (rb'{"a": "\ud83d"}', "half of a surrogate pair"),
        (rb'{"\udc00": 1}', "half of a surrogate pair"),
        (b"[1]", "a JSON list, not an object"),
        (b'"text"', "a JSON string, not an object"),
        (b"1.5", "a JSON number, not an object"),
        (b"true", "a JSON boolean, not an object"),
        (b"null", "a JSON null, not an object"),
    ],
)
def test_what_is_wrong_is_said_with_its_line_and_a_remedy(written, line, what):
    path = written(b'{"fine": 1}\n' + line + b'\n{"fine": 2}')
    with pytest.raises(InputError, match=what) as caught:
        list(read_jsonl(path))
    problem = caught.value.problems[0]
    assert (problem.path, problem.line) == (path, 2) and problem.remedy
    numbered = dict(scan_jsonl(path))
    assert isinstance(numbered[2], Problem) and numbered[1] == {"fine": 1} and numbered[3] == {"fine": 2}


def test_both_halves_of_a_surrogate_pair_are_a_character(written):
    assert list(read_jsonl(written(rb'{"a": "\ud83d\ude00\\ud83d"}'))) == [(1, {"a": "😀\\ud83d"})]


def test_constants_can_be_taken(written):
    record = dict(read_jsonl(written(b'{"a": Infinity, "b": -Infinity}'), constants=True))[1]
    assert record == {"a": float("inf"), "b": float("-inf")}


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        list(read_jsonl(tmp_path / "none.jsonl"))
    with pytest.raises(InputError, match="directory"):
        list(read_jsonl(tmp_path))


def test_files_of_a_directory(tmp_path):
    for name in ("b.jsonl", "a.jsonl", ".hidden.jsonl", "notes.txt"):
        (tmp_path / name).touch()
    (tmp_path / "folder.jsonl").mkdir()
    assert [file.name for file in jsonl_files(tmp_path)] == ["a.jsonl", "b.jsonl"]
    assert jsonl_files(tmp_path / "notes.txt") == [tmp_path / "notes.txt"]
    assert jsonl_files(tmp_path / "folder.jsonl") == []
    with pytest.raises(InputError, match="no such file or directory"):
        jsonl_files(tmp_path / "none")

"""Archives that are honest, damaged or hostile: a complete folder, or none."""

import gzip
import io
import stat
import tarfile
import warnings
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sheeplib import archives
from sheeplib.archives import looks_right, stem_of, unpack
from sheeplib.errors import InputError

FILES = {"distrib/en.jsonl": b'{"a": 1}\n' * 500, "images/\u7f8a 1.jpg": bytes(range(256)) * 40, "empty": b""}


def zipped(members, path):
    """A zip of (name or ZipInfo, content) pairs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zipfile warns of names that are there twice
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in members:
                archive.writestr(name, content)
    return path


def zip_member(name, mode=0, raw=None):
    """A ZipInfo; `raw` replaces the name after ZipInfo has repaired it."""
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    if raw is not None:
        info.filename = raw
    return info


def tar_member(name, kind=tarfile.REGTYPE, link="", size=0):
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, link, size
    return info


def tarred(members, path):
    """A tar.gz of (name or TarInfo, content) pairs."""
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        for name, content in members:
            info = tar_member(name) if isinstance(name, str) else name
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


MAKERS = {"a.zip": zipped, "a.tar.gz": tarred, "a.tgz": tarred}
BOTH = pytest.mark.parametrize("name", ["a.zip", "a.tar.gz"])


def content_of(folder):
    return {
        file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()
    }


def refused(archive, what):
    """The archive is refused with these words, and beside it nothing was left, not even a draft."""
    before = sorted(archive.parent.iterdir())
    with pytest.raises(InputError, match=what) as caught:
        unpack(archive, archive.parent / "folder")
    assert sorted(archive.parent.iterdir()) == before
    assert caught.value.problems[0].path == archive
    assert caught.value.problems[0].remedy


@pytest.mark.parametrize("name", MAKERS)
def test_files_and_folders_come_out_as_they_went_in(tmp_path, name):
    archive = MAKERS[name](FILES.items(), tmp_path / name)
    folder = unpack(archive, tmp_path / "folder")
    assert content_of(folder) == FILES
    assert sorted(path.name for path in tmp_path.iterdir()) == [name, "folder"]


def test_explicit_folders_and_a_leading_dot_are_fine(tmp_path):
    folders = [(tar_member(name, tarfile.DIRTYPE), b"") for name in ("./", "./a/", "./a/", "./b")]
    archive = tarred([*folders, ("./a//x", b"1"), ("./b/y", b"2")], tmp_path / "a.tar.gz")
    assert content_of(unpack(archive, tmp_path / "tar")) == {"a/x": b"1", "b/y": b"2"}
    archive = zipped([(zip_member("a/", stat.S_IFDIR | 0o755), b""), ("./a/x", b"1")], tmp_path / "a.zip")
    assert content_of(unpack(archive, tmp_path / "zip")) == {"a/x": b"1"}


def test_modes_are_not_kept(tmp_path):
    info = tar_member("run")
    info.mode = 0o6777
    zipped_info = zip_member("run", stat.S_IFREG | 0o6777)
    (tmp_path / "plain").write_bytes(b"")
    plain = stat.S_IMODE((tmp_path / "plain").stat().st_mode)
    (tmp_path / "folder").mkdir()
    for archive in (
        tarred([(info, b"x")], tmp_path / "a.tgz"),
        zipped([(zipped_info, b"x")], tmp_path / "a.zip"),
    ):
        folder = unpack(archive, tmp_path / archive.suffix[1:])
        assert stat.S_IMODE((folder / "run").stat().st_mode) == plain
        assert folder.stat().st_mode == (tmp_path / "folder").stat().st_mode  # others may read a shared cache


@BOTH
def test_a_folder_that_exists_is_complete(tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "mine").write_bytes(b"1")
    unpack(MAKERS[name](FILES.items(), tmp_path / name), tmp_path / "folder")
    assert content_of(tmp_path / "folder") == {"mine": b"1"}


BAD_NAMES = {
    "../out": "leads out of the folder",
    "a/../../out": "leads out of the folder",
    "a/..": "leads out of the folder",
    "a/.. /out": "leads out of the folder",
    ".../out": "leads out of the folder",
    "/etc/out": "absolute path",
    "//host/share/out": "absolute path",
    "..\\out": "backslash",
    "a\\b": "backslash",
    "C:/out": "drive letter",
    "a/c:out": "drive letter",
    "a\x1b[2J": "control character",
}


@pytest.mark.parametrize("bad", BAD_NAMES, ids=ascii)
def test_no_member_of_a_zip_leads_elsewhere(tmp_path, bad):
    refused(zipped([("good", b"1"), (zip_member("x", raw=bad), b"2")], tmp_path / "a.zip"), BAD_NAMES[bad])


@pytest.mark.parametrize("bad", BAD_NAMES, ids=ascii)
def test_no_member_of_a_tar_leads_elsewhere(tmp_path, bad):
    refused(tarred([("good", b"1"), (tar_member(bad), b"2")], tmp_path / "a.tar.gz"), BAD_NAMES[bad])


def test_a_file_needs_a_name(tmp_path):
    refused(tarred([(".", b"1")], tmp_path / "a.tar.gz"), "without a name")


def test_a_name_cut_by_a_null_is_not_repaired(tmp_path):
    archive = zipped([("good.txt!evil", b"1")], tmp_path / "a.zip")
    archive.write_bytes(archive.read_bytes().replace(b"good.txt!evil", b"good.txt\0evil"))
    refused(archive, "control character")


def test_names_that_are_not_utf8_are_refused(tmp_path):
    path = tmp_path / "a.tar.gz"
    with tarfile.open(path, "w:gz", format=tarfile.GNU_FORMAT, encoding="latin-1") as archive:
        archive.addfile(tar_member("caf\u00e9"))
    refused(path, "half a character")


@pytest.mark.parametrize(
    ("kind", "link"),
    [
        (tarfile.SYMTYPE, "/etc/passwd"),
        (tarfile.SYMTYPE, "good"),
        (tarfile.LNKTYPE, "good"),
        (tarfile.CHRTYPE, ""),
        (tarfile.BLKTYPE, ""),
        (tarfile.FIFOTYPE, ""),
    ],
)
def test_links_and_devices_of_a_tar_are_refused(tmp_path, kind, link):
    members = [("good", b"1"), (tar_member("special", kind, link), b"")]
    refused(tarred(members, tmp_path / "a.tar.gz"), "neither file nor folder")


def test_a_file_written_through_a_link_never_gets_there(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    members = [(tar_member("way", tarfile.SYMTYPE, str(tmp_path / "out")), b""), ("way/x", b"1")]
    refused(tarred(members, tmp_path / "in" / "a.tar.gz"), "neither file nor folder")
    assert content_of(tmp_path / "out") == {}


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK])
def test_links_and_devices_of_a_zip_are_refused(tmp_path, kind):
    refused(
        zipped([("good", b"1"), (zip_member("x", kind | 0o777), b"good")], tmp_path / "a.zip"), "neither file"
    )


@BOTH
@pytest.mark.parametrize(
    ("names", "what"),
    [
        (("a", "b", "a"), "two members of the same name"),
        (("d/a", "./d//a"), "two members of the same name"),
        (("a", "a/b"), "whose names are one"),
        (("a/b", "a"), "whose names are one"),
        (("a", "a/b/c"), "whose names are one"),
    ],
)
def test_no_name_comes_twice(tmp_path, name, names, what):
    refused(MAKERS[name]([(member, b"1") for member in names], tmp_path / name), what)


@BOTH
def test_the_limits_hold_to_the_byte_and_the_member(tmp_path, name, monkeypatch):
    # Three files of 10 bytes: 30 bytes and 3 members are allowed, 29 or 2 are not. The end of a tar,
    # 1024 zeros by its format and more for padding, is read and counted after its files.
    end = 0 if name == "a.zip" else tarfile.RECORDSIZE
    archive = MAKERS[name]([(letter, b"0123456789") for letter in "abc"], tmp_path / name)
    monkeypatch.setattr(archives, "MAX_MEMBERS", 2)
    refused(archive, "more than 2 members")
    monkeypatch.setattr(archives, "MAX_MEMBERS", 3)
    monkeypatch.setattr(archives, "MAX_BYTES", 29)
    refused(archive, "more than 29 bytes")
    monkeypatch.setattr(archives, "MAX_BYTES", 30 + end)
    assert len(content_of(unpack(archive, tmp_path / "folder"))) == 3


def test_a_bomb_is_refused_before_it_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(archives._Writer, "file", lambda *_: pytest.fail("wrote something"))
    monkeypatch.setattr(archives, "MAX_BYTES", 2**20)
    for name, maker in (("a.zip", zipped), ("a.tar.gz", tarred)):
        refused(maker([("bomb", bytes(2**20 + 1))], tmp_path / name), "more than 1,048,576 bytes")


def test_a_bomb_after_the_end_of_a_tar_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MAX_BYTES", 2**20)
    path = tmp_path / "a.tar.gz"
    path.write_bytes(gzip.compress(bytes(2**21)))
    tarred([("a", b"1")], tmp_path / "b.tar.gz")
    path.write_bytes((tmp_path / "b.tar.gz").read_bytes() + path.read_bytes())
    refused(path, "more than 1,048,576 bytes")


def test_a_header_that_would_fill_the_memory_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MAX_READ", 2**20)
    path = tmp_path / "a.tar.gz"
    with tarfile.open(path, "w:gz", format=tarfile.GNU_FORMAT) as archive:
        archive.addfile(tar_member("x" * (2**20 + 1)))  # a long name, which tarfile reads whole
    refused(path, "damaged")


def test_a_zip_that_claims_less_than_it_holds_is_refused(tmp_path):
    archive = zipped([("a", b"x" * 1000)], tmp_path / "a.zip")
    claimed = (1000).to_bytes(4, "little")
    assert archive.read_bytes().count(claimed) == 2  # in the local and in the central header
    archive.write_bytes(archive.read_bytes().replace(claimed, (10).to_bytes(4, "little")))
    refused(archive, "damaged")


def directory_changed(archive, field, size, change):
    """Add to a number in the central directory's first record, at this place in it."""
    content = bytearray(archive.read_bytes())
    at = content.index(b"PK\1\2") + field
    number = int.from_bytes(content[at : at + size], "little") + change
    content[at : at + size] = number.to_bytes(size, "little")
    archive.write_bytes(content)


def test_a_member_that_another_swallows_is_missed(tmp_path):
    """A comment's length (at 32) that covers the next record (46 bytes and its name): zipfile goes on."""
    archive = zipped([("a", b"1"), ("b", b"2")], tmp_path / "a.zip")
    directory_changed(archive, 32, 2, 46 + len("b"))
    with zipfile.ZipFile(archive) as opened:
        assert opened.namelist() == ["a"]
    refused(archive, "damaged")


def test_a_member_before_the_beginning(tmp_path):
    """Where the directory begins (at 16 of the end record) is said one byte late: all members shift by -1."""
    archive = zipped([("a", b"1")], tmp_path / "a.zip")
    content = bytearray(archive.read_bytes())
    content[content.index(b"PK\5\6") + 16] += 1
    archive.write_bytes(content)
    refused(archive, "damaged")


def test_an_encrypted_zip_is_refused(tmp_path):
    archive = zipped([("a", b"x")], tmp_path / "a.zip")
    directory_changed(archive, 8, 2, 1)  # the lowest bit of the flags
    refused(archive, "an encrypted member")


@BOTH
@pytest.mark.parametrize("share", [0, 0.3, 0.6, 0.99])
def test_a_truncated_archive_gives_no_folder(tmp_path, name, share):
    archive = MAKERS[name](FILES.items(), tmp_path / name)
    content = archive.read_bytes()
    archive.write_bytes(content[: int(len(content) * share)])
    refused(archive, "damaged")


@BOTH
def test_something_else_under_the_name_of_an_archive(tmp_path, name):
    (tmp_path / name).write_bytes(b"<html>Please log in</html>")
    assert not looks_right(tmp_path / name, name)
    refused(tmp_path / name, "damaged")
    MAKERS[name](FILES.items(), tmp_path / name)
    assert looks_right(tmp_path / name, name)


def test_a_damaged_header_does_not_pass_for_the_end_of_a_tar(tmp_path):
    """Tarfile stops at it silently, whatever follows; checksums of gzip are right here."""
    for last in (b"", b"12345"):
        path = tarred([("a", b"1" * 600), ("b", last)], tmp_path / "a.tar.gz")
        plain = bytearray(gzip.decompress(path.read_bytes()))
        at = 512 + 1024  # header and two blocks of the first member
        assert plain[at : at + 2] == b"b\0"
        plain[at] ^= 1  # the header's own checksum is wrong now
        path.write_bytes(gzip.compress(bytes(plain)))
        refused(path, "damaged")


@BOTH
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
@given(places=st.lists(st.integers(0, 10**6), min_size=1, max_size=3), change=st.integers(1, 255))
def test_damage_gives_the_right_content_or_an_error_that_is_ours(tmp_path_factory, name, places, change):
    place = tmp_path_factory.mktemp("damage")
    archive = MAKERS[name](FILES.items(), place / name)
    content = bytearray(archive.read_bytes())
    for at in places:
        content[at % len(content)] ^= change
    archive.write_bytes(content)
    try:
        found = content_of(unpack(archive, place / "folder"))
    except InputError:
        assert [path.name for path in place.iterdir()] == [name]
    else:  # names of a zip have no checksum, contents have
        assert sorted(found.values()) == sorted(FILES.values())


@BOTH
def test_an_interruption_leaves_no_half_folder(tmp_path, name, monkeypatch):
    archive = MAKERS[name](FILES.items(), tmp_path / name)
    written = archives._Writer.file

    def interrupted(writer, member, *rest):
        if writer.files:
            raise KeyboardInterrupt
        written(writer, member, *rest)
        assert (writer.folder / member).is_file()

    monkeypatch.setattr(archives._Writer, "file", interrupted)
    with pytest.raises(KeyboardInterrupt):
        unpack(archive, tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == [name]
    monkeypatch.undo()
    assert content_of(unpack(archive, tmp_path / "folder")) == FILES


def test_the_quicker_of_two_wins(tmp_path, monkeypatch):
    archive = zipped(FILES.items(), tmp_path / "a.zip")
    unzip = archives._unzip

    def overtaken(*arguments):
        monkeypatch.undo()
        unpack(archive, tmp_path / "folder")
        unzip(*arguments)

    monkeypatch.setattr(archives, "_unzip", overtaken)
    assert content_of(unpack(archive, tmp_path / "folder")) == FILES
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.zip", "folder"]


def test_names_of_archives():
    assert [stem_of(name) for name in ("a-b.zip", "a.b.tar.gz", "a.tgz")] == ["a-b", "a.b", "a"]
    for name in ("a.rar", "zip", ".zip", "a.tar", "a.gz"):
        with pytest.raises(InputError, match=r"Known: \.zip, \.tar\.gz, \.tgz"):
            stem_of(name)

"""Checkpoints are found, counted, pinned, and refused when they are not whole; torch is not asked."""

import json
import struct

import pytest

from sheeplib.errors import InputError
from sheeplib.models import entry, snapshots
from sheeplib.models.snapshots import count, find

COMMIT = "0123456789abcdef0123456789abcdef01234567"
GEMMA = entry("gemma3-4b")


def safetensors(shapes, data=b""):
    """A file with float32 tensors of these shapes, by hand: length of the header, header, numbers."""
    header, start = {"__metadata__": {"format": "pt"}}, 0
    for name, shape in shapes.items():
        size = 4
        for side in shape:
            size *= side
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [start, start + size]}
        start += size
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + (data or bytes(start))


@pytest.fixture
def checkpoint(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(safetensors({"a": [2, 3], "b": [4], "c": []}))
    return tmp_path


def test_weights_are_counted_without_reading_them(checkpoint):
    assert count(checkpoint, GEMMA) == pytest.approx(11e-9)  # 2 x 3 + 4 + 1


def test_weights_of_several_files_are_counted(checkpoint):
    (checkpoint / "model.safetensors").unlink()
    (checkpoint / "model-1.safetensors").write_bytes(safetensors({"a": [2, 3]}))
    (checkpoint / "model-2.safetensors").write_bytes(safetensors({"b": [4]}))
    (checkpoint / "other.safetensors").write_bytes(safetensors({"b": [400]}))  # not in the index
    index = {"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}
    (checkpoint / snapshots.INDEX).write_text(json.dumps(index))
    assert count(checkpoint, GEMMA) == pytest.approx(10e-9)
    (checkpoint / "model-2.safetensors").unlink()
    with pytest.raises(InputError, match="1 of 2 files of weights are missing, such as model-2.safetensors"):
        count(checkpoint, GEMMA)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"weight_map": []}', '{"weight_map": {"a": 3}}', '{"weight_map": {"a": "../x"}}'],
)
def test_an_index_may_name_files_beside_it_alone(checkpoint, text):
    (checkpoint / snapshots.INDEX).write_text(text)
    with pytest.raises(InputError, match="not an index of files beside it"):
        count(checkpoint, GEMMA)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"abc",
        safetensors({"a": [2, 3]})[:-1],
        safetensors({"a": [2, 3]}) + b"0",
        safetensors({"a": [2, 3]})[:20],
        struct.pack("<Q", 2**63) + b"{}",
        struct.pack("<Q", 2) + b"[]",
        struct.pack("<Q", 8) + b'{"a": 1}',
        struct.pack("<Q", 9) + b'{"a": {}}',
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 4\n",  # a pointer, not the file
    ],
)
def test_files_that_are_cut_short_or_something_else_are_named(checkpoint, content):
    (checkpoint / "model.safetensors").write_bytes(content)
    with pytest.raises(
        InputError, match="model.safetensors: (not a safetensors file|cut short).*Fetch it again"
    ):
        count(checkpoint, GEMMA)


def test_pickled_weights_are_refused(checkpoint):
    (checkpoint / "model.safetensors").rename(checkpoint / "pytorch_model.bin")
    with pytest.raises(InputError, match="weights are pickled .pytorch_model.bin., and unpickling runs"):
        find(GEMMA, directory=checkpoint)


def test_gguf_is_refused_with_the_memory_it_would_really_need(checkpoint):
    (checkpoint / "model.safetensors").rename(checkpoint / "gemma.Q4_K_M.gguf")
    with pytest.raises(InputError, match="gemma3-4b needs 10.3 GB as bfloat16 and 20.6 GB as float32"):
        find(GEMMA, directory=checkpoint)  # 4.3 billion x 2 or 4 bytes x 1.2


def test_what_is_no_checkpoint_is_said(tmp_path):
    with pytest.raises(InputError, match="no such directory"):
        find(GEMMA, directory=tmp_path / "nowhere")
    with pytest.raises(InputError, match="no config.json"):
        find(GEMMA, directory=tmp_path)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(InputError, match="no weights"):
        find(GEMMA, directory=tmp_path)


def test_a_directory_is_pinned_by_what_loading_reads(checkpoint):
    first = find(GEMMA, directory=checkpoint)
    assert first.revision.startswith("files-") and len(first.revision) == 18
    (checkpoint / "README.md").write_text("Read me")
    (checkpoint / "pytorch_model.bin").write_text("never read")
    assert find(GEMMA, directory=checkpoint) == first
    changed = [("model.safetensors", safetensors({"a": [2, 3], "b": [4], "c": []}, b"1" * 44))]
    changed += [("chat_template.jinja", b"{{ x }}"), ("config.json", b"{ }"), ("modeling.py", b"")]
    seen = {first.revision}
    for name, content in changed:
        (checkpoint / name).write_bytes(content)
        seen.add(find(GEMMA, directory=checkpoint).revision)
    assert len(seen) == 5
    with pytest.raises(InputError, match="a directory has no revisions"):
        find(GEMMA, directory=checkpoint, revision="main")


def test_both_ends_of_large_files_count(checkpoint, monkeypatch):
    monkeypatch.setattr(snapshots, "_SAMPLE", 40)
    seen = set()
    for place in (None, 0, 399):  # neither first nor last number, first, last
        numbers = bytearray(400)
        if place is not None:
            numbers[place] = 1
        (checkpoint / "tokenizer.json").write_bytes(numbers)
        seen.add(find(GEMMA, directory=checkpoint).revision)
    assert len(seen) == 3


@pytest.fixture
def hub(monkeypatch, tmp_path):
    """The hub's cache in a directory of its own, which is given."""
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


def kept(checkpoint, hub, commit=COMMIT):
    place = hub / "models--google--gemma-3-4b-it"
    (place / "refs").mkdir(parents=True, exist_ok=True)
    (place / "refs" / "main").write_text(commit)
    (place / "snapshots" / commit).mkdir(parents=True, exist_ok=True)
    for file in ("config.json", "model.safetensors"):
        (place / "snapshots" / commit / file).write_bytes((checkpoint / file).read_bytes())
    return place / "snapshots" / commit


def test_the_cache_of_the_hub_is_searched_and_the_commit_recorded(checkpoint, hub):
    path = kept(checkpoint, hub)
    assert find(GEMMA) == snapshots.Snapshot(path, COMMIT, pytest.approx(11e-9))
    assert find(GEMMA, directory=path).revision == COMMIT
    newer = COMMIT[::-1]
    kept(checkpoint, hub, newer)
    assert find(GEMMA).revision == newer
    assert find(GEMMA, revision=COMMIT).path == path


def test_what_is_here_is_used_even_online_and_nothing_is_asked(checkpoint, hub, monkeypatch):
    import huggingface_hub

    kept(checkpoint, hub)
    asked = []
    real = huggingface_hub.snapshot_download
    monkeypatch.setattr(
        huggingface_hub,
        "snapshot_download",
        lambda *a, **k: asked.append(k["local_files_only"]) or real(*a, **k),
    )
    assert find(GEMMA, online=True).revision == COMMIT
    assert asked == [True]


def test_what_lacks_here_is_fetched_online(checkpoint, hub, monkeypatch):
    """A cache may hold the tokenizer alone, since somebody counted tokens once."""
    import huggingface_hub

    path = kept(checkpoint, hub)
    for file in ("config.json", "model.safetensors"):
        (path / file).unlink()
    (path / "tokenizer.json").write_text("{}")
    with pytest.raises(InputError, match="no config.json.*Fetch gemma3-4b with `hf download.*--weights"):
        find(GEMMA)
    real = huggingface_hub.snapshot_download

    def download(name, **options):
        return real(name, **options) if options.get("local_files_only") else str(kept(checkpoint, hub))

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    assert find(GEMMA, online=True).parameters == pytest.approx(11e-9)


def test_what_is_known_of_a_checkpoint_is_said_where_its_weights_lack(checkpoint):
    (checkpoint / "model.safetensors").unlink()
    with pytest.raises(InputError, match="hf download facebook/nllb.*Note: .*main holds pickles alone"):
        find(entry("nllb-200-3.3b"), directory=checkpoint)


def test_what_is_not_here_is_said_with_the_command_that_fetches_it(hub):
    with pytest.raises(InputError) as error:
        find(GEMMA, revision="v1")
    said = str(error.value)
    assert str(hub) in said and "weights are not on this machine in revision v1. Fetch gemma3-4b" in said
    assert 'hf download google/gemma-3-4b-it --revision v1 --include "*.safetensors"' in said
    assert "*.bin" not in said and "*.py" not in said
    assert '"*.py"' in snapshots.command(entry("minicpm-v-4.5"))
    with pytest.raises(InputError, match="address on the hub is not known.*Give the directory"):
        find(entry("llava-onevision-2-8b"))


def test_only_safetensors_and_texts_are_fetched(hub, monkeypatch):
    import huggingface_hub
    from huggingface_hub.errors import LocalEntryNotFoundError

    fetched = []

    def download(name, **options):
        if options.get("local_files_only"):
            raise LocalEntryNotFoundError("not here")
        fetched.append((name, options))
        raise ConnectionError("no network\nat all")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    with pytest.raises(
        InputError, match="could not be fetched: ConnectionError: no network. Unset HF_HUB_OFF"
    ):
        find(GEMMA, online=True)
    ((name, options),) = fetched
    assert name == "google/gemma-3-4b-it" and options["revision"] is None
    assert set(options["allow_patterns"]) == {"*.safetensors", "*.json", "*.txt", "*.model", "*.jinja"}


def test_a_snapshot_that_was_fetched_in_part_is_not_whole(checkpoint, hub):
    path = kept(checkpoint, hub)
    (path / "model.safetensors").unlink()
    with pytest.raises(InputError, match="no weights"):
        find(GEMMA)


def test_a_revision_that_cannot_be_one_is_refused(hub):
    with pytest.raises(InputError, match="weights are not on this machine in revision no such"):
        find(GEMMA, revision="no such")

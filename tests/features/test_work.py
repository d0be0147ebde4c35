"""Extraction in shards: killed, resumed or spread over processes, the files are the same to the byte."""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("torch")

from sheeplib import engine
from sheeplib.errors import InputError
from sheeplib.features import limits, provenance
from sheeplib.features.store import FeatureStore
from sheeplib.features.work import Work, extract_shard, features_directory, run
from sheeplib.models import runs

NEEDS = ("gen_logits", "attention_entropy@own", "hidden:mid@gen")
WRITTEN = (("per_language", 1), ("per_cell", 0))  # four answers, each in four languages
MEADOW = Work("tiny-llama", NEEDS, corpus="meadow", options=WRITTEN, shard_size=2)
SEEING = replace(MEADOW, model="tiny-llava", shard_size=4)

PROGRAM = """
import os, pathlib, signal, sys, torch
from sheeplib.features.work import Work, run

def hang(*anything, **more):
    print("hangs", flush=True)
    signal.pause()

def hang_in(file, content, write=pathlib.Path.write_bytes):
    if file.name == "vectors.safetensors":
        write(file, content[: len(content) // 2])
        hang()
    return write(file, content)

def progress(line):
    print(line, flush=True)
    if line.startswith("shard 2 "):
        if sys.argv[2] == "in a pass":
            torch.nn.functional.scaled_dot_product_attention = hang
        elif sys.argv[2] == "in a file":
            pathlib.Path.write_bytes = hang_in
        else:
            os.rename = hang

run(Work(**eval(sys.argv[1], {"__builtins__": {}})), progress=progress)
"""


def tree(store: FeatureStore | Path) -> dict[str, str]:
    home = store.path if isinstance(store, FeatureStore) else store
    files = {str(path.relative_to(home)): path for path in home.rglob("*") if path.is_file()}
    return {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}


def lines_of(captions: Work) -> list[str]:
    return Path(captions.items).read_text().splitlines()


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> dict[str, FeatureStore]:
    """Uninterrupted runs."""
    root = str(tmp_path_factory.mktemp("whole"))
    return {work.model: run(replace(work, root=root)) for work in (MEADOW, SEEING)}


@pytest.fixture
def captions(tmp_path) -> Work:
    """Three answers in a file, in shards of one."""
    rows = [{"item": name, "prompt": "What?", "response": f"A {name} 😀."} for name in ("cat", "dog", "猫")]
    path = tmp_path / "captions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return Work("tiny-llama", ("nll",), items=str(path), shard_size=1, root=str(tmp_path / "store"))


def test_a_store_has_features_of_all_answers_in_order(whole):
    for work in (MEADOW, SEEING):
        store = whole[work.model]
        from sheeplib import corpora

        items = corpora.load("meadow", **dict(work.options)).items
        assert store.items()["item"].tolist() == items["item"].tolist() and store.left_out() == {}
        tokens = store.tokens()
        assert tokens["item"].drop_duplicates().tolist() == items["item"].tolist()
        assert tokens.groupby("item", sort=False).size().tolist() == store.items()["tokens"].tolist()
        assert store.array("hidden:mid@gen").shape == (len(tokens), 64)
        assert (store.items()["image_tokens"] > 0).all() == (work is SEEING)
        assert store.verify() == []


def test_features_are_those_of_a_pass_without_shards(whole):
    from sheeplib import corpora
    from sheeplib.features.answers import from_corpus
    from sheeplib.features.extract import extract

    corpus = corpora.load("meadow", **dict(SEEING.options))
    samples = from_corpus(corpus).samples(corpus.items["item"])
    features = extract(runs.loaded("tiny-llava", ()), samples, NEEDS)
    store = whole["tiny-llava"]
    np.testing.assert_array_equal(store.tokens()["token_nll"], features.tokens["token_nll"])
    for name, array in features.arrays.items():
        np.testing.assert_array_equal(store.array(name), array)


@pytest.mark.parametrize(
    ("work", "moment"), [(MEADOW, "in a file"), (MEADOW, "before renaming"), (SEEING, "in a pass")]
)
def test_a_killed_extraction_goes_on_to_the_same_bytes(tmp_path, whole, work, moment):
    work, expected = replace(work, root=str(tmp_path)), whole[work.model]
    fields = repr({name: getattr(work, name) for name in work.__dataclass_fields__})
    killed = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, fields, moment], stdout=subprocess.PIPE, text=True
    )
    lines = [killed.stdout.readline() for _ in range(3)]
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    killed.stdout.close()
    size, count = work.shard_size, expected.shards.count
    said = rf"shard 2 of {count}: {2 * size} of 16 answers, [\d.e+]+ a second, .+ left\n"
    assert re.fullmatch(said, lines[1]) and lines[2] == "hangs\n"
    (there,) = FeatureStore.find(tmp_path)
    assert there.shards.missing() == list(range(2, count)) and there.verify() == []
    drafts = [path for path in there.path.iterdir() if path.name.startswith(".")]
    assert len(drafts) == (moment != "in a pass")
    before = {path: path.stat().st_mtime_ns for path in there.path.rglob("shard-*/*.parquet")}
    told = []
    store = run(work, progress=told.append)
    assert len(told) == count - 2
    assert tree(store) == tree(expected) and not any(path.exists() for path in drafts)
    done = {path: path.stat().st_mtime_ns for path in before}
    assert done == before  # finished shards were not made again


def test_processes_give_the_same_bytes(tmp_path, whole):
    with engine.executor("processes", workers=2) as executor:
        store = run(replace(SEEING, root=str(tmp_path)), executor)
    assert tree(store) == tree(whole["tiny-llava"])


def test_a_killed_worker_is_explained_and_finished_shards_are_kept(tmp_path, whole):
    work = replace(MEADOW, root=str(tmp_path))

    def kill(line: str) -> None:
        for process in list(executor._processes.values()):
            os.kill(process.pid, signal.SIGKILL)

    with (
        pytest.raises(InputError, match=r"worker process was killed.*memory.*kept, so run it again"),
        engine.executor("processes", workers=1) as executor,
    ):
        run(work, executor, kill)
    (store,) = FeatureStore.find(tmp_path)
    assert 0 < len(store.shards.missing()) < store.shards.count
    assert tree(run(work)) == tree(whole["tiny-llama"])


def test_ctrl_c_keeps_finished_shards(tmp_path, whole):
    work = replace(MEADOW, root=str(tmp_path))

    def stop(line: str) -> None:
        if line.startswith("shard 3 "):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(work, progress=stop)
    (store,) = FeatureStore.find(tmp_path)
    assert store.shards.missing() == [3, 4, 5, 6, 7]
    assert tree(run(work)) == tree(whole["tiny-llama"])


def test_one_shard_can_be_made_alone(tmp_path, whole):
    work = replace(MEADOW, root=str(tmp_path))
    path = Path(extract_shard(work, 5))
    assert path.name == "shard-0006-of-0008" and work.shards().missing() == [0, 1, 2, 3, 4, 6, 7]
    assert tree(path) == tree(whole["tiny-llama"].shards.path(5))
    assert extract_shard(work, 5) == str(path)


def test_a_damaged_shard_is_named_and_made_anew_once_it_is_deleted(tmp_path, captions):
    store = run(captions)
    path = store.shards.path(1)
    (path / "tokens.parquet").write_bytes(b"")
    with pytest.raises(InputError, match="shard-0002-of-0003/tokens.parquet: 0 bytes instead of"):
        run(captions).tokens()
    shutil.rmtree(path)
    assert run(captions).verify() == [] and run(captions).tokens()["item"].nunique() == 3


def test_a_key_tells_apart_whatever_decides_the_numbers(tmp_path, captions):
    other = tmp_path / "other.jsonl"
    other.write_text(Path(captions.items).read_text().replace("cat", "cow"))
    works = [
        captions,
        replace(captions, needs=("nll", "hidden")),
        replace(captions, loading=(("seed", 1),)),
        replace(captions, loading=(("dtype", "bfloat16"),)),
        replace(captions, model="tiny-qwen3"),
        replace(captions, batch_tokens=512),
        replace(captions, batch_size=2),
        replace(captions, threads=2),
        replace(captions, shard_size=2),
        replace(captions, kept=(("cat", (0,)),)),
        replace(captions, kept=(("cat", (1,)),)),
        replace(captions, kept=()),
        replace(captions, items=str(other)),
    ]
    assert len({work.shards().key for work in works}) == len(works)


def test_a_key_is_the_same_for_the_same_numbers(tmp_path, captions, monkeypatch):
    key = captions.shards().key
    again = tmp_path / "deep" / "captions.jsonl"
    again.parent.mkdir()
    again.write_text(Path(captions.items).read_text().replace("}", ', "prelabel": "A"}'))
    monkeypatch.chdir(tmp_path)
    works = [
        replace(captions, needs=("gen_logits@gen",)),  # what the method nll needs
        replace(captions, needs=("nll", "entropy")),
        replace(captions, items=str(again), root="elsewhere"),
        replace(captions, items="deep/captions.jsonl"),
    ]
    assert {work.shards().key for work in works} == {key}
    kept = [(("cat", tokens), ("dog", (0,))) for tokens in ((0, 2), (2, 0, 2), tuple(np.array([0, 2])))]
    assert len({replace(captions, kept=chosen).shards().key for chosen in kept}) == 1


def test_other_code_has_another_key(captions, monkeypatch):
    key = captions.shards().key
    monkeypatch.setattr(provenance, "code", lambda: "0" * 16)
    assert captions.shards().key != key


def test_the_header_says_how_features_were_made(captions):
    header = run(captions).info()
    assert re.fullmatch("[0-9a-f]{16}", header["code"])
    facts = {
        name: header[name] for name in ("model", "revision", "dtype", "device", "threads", "needs", "done")
    }
    assert facts == {
        "model": "tiny-llama",
        "revision": "seed-0",
        "dtype": "float32",
        "device": "cpu",
        "threads": 1,
        "needs": ["gen_logits@gen"],
        "done": 3,
    }
    assert header["corpus"]["name"] == "captions" and set(header["versions"]) >= {"torch", "transformers"}
    assert header["items"] == 3 and header["left_out"] == 0


def test_kept_tokens_alone_have_wide_rows(captions):
    work = replace(captions, needs=("hidden:mid@own", "hidden_norms"), kept=(("cat", (0, 2)), ("猫", (1,))))
    store = run(work)
    rows = store.rows("hidden:mid@own")
    assert list(zip(rows["item"], rows["token"], strict=True)) == [("cat", 0), ("cat", 2), ("猫", 1)]
    assert store.array("hidden:mid@own").shape[0] == 3
    assert store.array("hidden_norms@own").shape[0] == len(store.tokens())
    with pytest.raises(InputError, match="not among the answers.*found 'cow'"):
        replace(captions, kept=(("cow", (0,)),)).shards()


def test_answers_that_cannot_be_read_are_left_out_with_the_reason(tmp_path):
    path = tmp_path / "x.jsonl"
    rows = [
        {"item": "=1", "response": " "},
        {"item": "b", "response": "A cat."},
        {"item": "c", "response": "\n"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    store = run(Work("tiny-llama", ("nll",), items=str(path), shard_size=1, root=str(tmp_path / "store")))
    assert set(store.left_out()) == {"=1", "c"} and "empty" in store.left_out()["=1"]
    assert store.items()["item"].tolist() == ["b"] and store.tokens()["item"].unique().tolist() == ["b"]


def test_answers_or_code_that_changed_meanwhile_are_not_mixed_in(captions, monkeypatch):
    shards = captions.shards()
    shards.prepare()
    extract_shard(captions, 0, str(shards.home))
    path = Path(captions.items)
    path.write_text(path.read_text().replace("A dog", "A cow"))
    with pytest.raises(InputError, match="answers or images of shard 2 are others"):
        extract_shard(captions, 1, str(shards.home))
    assert extract_shard(captions, 2, str(shards.home))  # its answer is what it was
    path.write_text(path.read_text().replace("A cow", "A dog"))
    monkeypatch.setattr(provenance, "code", lambda: "0" * 16)
    with pytest.raises(InputError, match="'code': not what it was"):
        extract_shard(captions, 1, str(shards.home))
    assert shards.missing() == [1]


def test_a_shard_made_alone_is_of_the_images_that_are_there(tmp_path, captions):
    path = tmp_path / "one.png"
    Path(captions.items).write_text('{"item": "a", "response": "A cat.", "image": "one.png"}\n')
    work, homes = replace(captions, model="tiny-llava", images=str(tmp_path)), set()
    for colour in ("red", "blue"):
        Image.new("RGB", (8, 8), colour).save(path)
        homes.add(Path(extract_shard(work, 0)).parent)
    assert len(homes) == 2


def test_missing_images_are_all_named_before_a_model_is_loaded(tmp_path, captions, monkeypatch):
    rows = [json.loads(line) | {"image": f"{place}.png"} for place, line in enumerate(lines_of(captions))]
    Path(captions.items).write_text("".join(json.dumps(row) + "\n" for row in rows))
    Image.new("RGB", (8, 8)).save(tmp_path / "1.png")
    monkeypatch.setattr(runs, "loaded", lambda *_: pytest.fail("a model was loaded"))
    work = replace(captions, model="tiny-llava", images=str(tmp_path))
    with pytest.raises(InputError) as error:
        run(work)
    assert [problem.value for problem in error.value.problems] == ["0.png", "2.png"]
    with pytest.raises(InputError, match="comes without images"):
        run(replace(work, images=""))


def test_a_broken_image_is_named_before_anything_is_read(tmp_path, captions):
    rows = [json.loads(line) | {"image": f"{place}.jpg"} for place, line in enumerate(lines_of(captions))]
    Path(captions.items).write_text("".join(json.dumps(row) + "\n" for row in rows))
    for place in range(3):
        Image.effect_noise((64, 64), 90).save(tmp_path / f"{place}.jpg")
    (tmp_path / "2.jpg").write_bytes((tmp_path / "1.jpg").read_bytes()[:1500])
    with pytest.raises(InputError, match="2.jpg: image cannot be decoded"):
        run(replace(captions, model="tiny-llava", images=str(tmp_path)))
    assert FeatureStore.find(tmp_path / "store") == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"needs": ("nil",)}, "unknown need 'nil'"),
        ({"needs": ()}, "needs"),
        ({"model": "tiny-lama"}, "tiny-llama"),
        ({"items": ""}, "of a corpus or of a file"),
        ({"corpus": "meadow"}, "of a corpus or of a file"),
        ({"shard_size": 0}, "'shard_size': must be 1 or more"),
        ({"threads": 0}, "'threads': must be 1 or more"),
        ({"batch_size": 0}, "'batch_size': must be 1 or more"),
        ({"needs": ("dhcp",)}, "takes a model that sees"),
    ],
)
def test_work_that_cannot_be_done_is_explained(captions, changes, said):
    with pytest.raises(InputError, match=said):
        run(replace(captions, **changes))
    assert FeatureStore.find(captions.root) == []


def test_threads_are_as_before(captions):
    import torch

    before = torch.get_num_threads()
    with limits.threads(before + 1):
        assert torch.get_num_threads() == before + 1
    assert torch.get_num_threads() == before


@pytest.mark.parametrize(
    "error",
    [MemoryError(), RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried ...")],
)
def test_too_little_memory_is_told_with_the_remedy(error):
    with pytest.raises(InputError, match="memory ran out. Use smaller batches"), limits.enough_memory():
        raise error
    with pytest.raises(RuntimeError, match="shapes"), limits.enough_memory():
        raise RuntimeError("shapes do not fit")


def test_stores_live_in_the_cache_unless_told_otherwise(monkeypatch, tmp_path):
    monkeypatch.delenv("SHEEP_FEATURES", raising=False)
    monkeypatch.setenv("SHEEP_CACHE", str(tmp_path))
    assert features_directory() == tmp_path / "features"
    monkeypatch.setenv("SHEEP_FEATURES", str(tmp_path / "mine"))
    assert features_directory() == tmp_path / "mine"


def test_describing_work_needs_no_torch():
    code = (
        "import sys; sys.modules['torch'] = sys.modules['transformers'] = None\n"
        "from sheeplib.features.work import Work\n"
        "print(Work('tiny-llama', ('nll',)).model)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "tiny-llama", done.stderr

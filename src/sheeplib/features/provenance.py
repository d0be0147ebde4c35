"""What decides features beside the answers: model, kind of machine, libraries and our own code."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import sheeplib
from sheeplib.models import runs

LIBRARIES = ("torch", "transformers", "tokenizers")  # whose version may change a number


def of(model: str, loading: runs.Options) -> dict[str, Any]:
    """What decides features in the process that calls this, which loads the model.

    Parameters
    ----------
    model : str
        Name in the registry.
    loading : tuple of (str, value)
        What `sheeplib.models.loading.load` takes beside the name.

    Returns
    -------
    dict
        `model`, `revision`, `dtype`, `device` (its kind), `attention` (implementation), `versions` of
        libraries, and `code`, a digest of the source of models and features.

    Raises
    ------
    InputError
        If the model cannot be loaded.
    """
    loaded = runs.loaded(model, loading)
    libraries = (*LIBRARIES, "pillow") if loaded.sees else LIBRARIES
    return {
        "model": loaded.name,
        "revision": loaded.revision,
        "dtype": loaded.dtype,
        "device": str(loaded.device).partition(":")[0],
        "attention": str(loaded.network.config._attn_implementation),
        "versions": {name: version(name).partition("+")[0] for name in libraries},
        "code": code(),
    }


@lru_cache
def code() -> str:
    """Digest of this package's source that turns answers into numbers: 16 hexadecimal digits."""
    digest, home = hashlib.sha256(), Path(sheeplib.__file__).parent
    for path in sorted([*home.glob("models/**/*.py"), *home.glob("features/**/*.py")]):
        content = path.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{path.relative_to(home).as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:16]

"""Models by name: found on this machine, read from safetensors alone, and checked before they are used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sheeplib.errors import InputError, Problem
from sheeplib.models import abilities, shipped, smollm2, snapshots
from sheeplib.models.machine import NEEDED, machine
from sheeplib.models.model import Architecture, Model
from sheeplib.models.registry import ARCHITECTURES, BYTES, Entry, entry, footprint

RISK = (
    "loading it runs Python code that comes with the weights, with your rights: it can read, change and "
    "send whatever you can"
)


def load(
    name: str,
    *,
    need: Iterable[str] = frozenset(),
    device: str = "auto",
    dtype: str = "auto",
    directory: str | Path | None = None,
    revision: str | None = None,
    trust_remote_code: bool = False,
    seed: int = 0,
    online: bool = False,
    force: bool = False,
) -> Model:
    """Load a model.

    Parameters
    ----------
    name : str
        One of `MODELS`, or of the entry point group `sheeplib.models`.
    need : iterable of str
        What will be asked of it, of `attentions`, `hidden_states`, `offsets`, `images` and `chat`.
        Each is tried out. `attentions` makes the text decoder slower; extraction does not need it.
    device : str
        `cpu`, `cuda`, `cuda:1`; by default the GPU where there is one.
    dtype : str
        `float32`, `bfloat16` or `float16`; by default bfloat16 on a GPU and float32 on a CPU.
    directory : path, optional
        Where its files are. By default the cache of the Hugging Face hub is searched, and nothing is
        asked of the network; models of the meadow come with the package.
    revision : str, optional
        Commit, branch or tag of the hub; by default that of the registry, else the branch `main`.
    trust_remote_code : bool
        Let a model that has no class in transformers run the code that comes with its weights, with
        your rights. Only for such models; read that code first.
    seed : int
        Of random weights.
    online : bool
        Fetch from the hub what is not here.
    force : bool
        Load it although it does not seem to fit into memory.

    Returns
    -------
    Model
        In evaluation mode, without gradients; `revision` says exactly which weights.

    Raises
    ------
    InputError
        If the model is unknown, not here, not whole, too large, or cannot do what is needed; with what
        to do about it.
    """
    known, need = entry(name), abilities.wanted(need)
    _check_source(known, directory, revision)
    if known.remote_code and not trust_remote_code:
        remedy = "If you trust them, read their code, then pass --trust-remote-code (trust_remote_code=True)"
        raise InputError(Problem(f"{name} is not part of transformers: {RISK}", remedy))
    if lacking := [package for package in NEEDED if find_spec(package) is None]:
        raise InputError(
            Problem(f"{lacking[0]} is missing, which models need", "pip install 'sheeplib[models]'")
        )
    device = _device(device)
    dtype = _dtype(dtype, device)
    if known.origin in ("hub", "meadow"):
        place = None if directory is None else Path(directory)
        if known.origin == "hub":
            snapshot = snapshots.find(known, directory=place, revision=revision, online=online)
        else:
            snapshot = shipped.find(known, directory=place)
        _check_memory(known, snapshot.parameters, dtype, device, force)
        with _undisturbed():
            model = _from_snapshot(known, snapshot, dtype)
    else:
        _check_memory(known, known.parameters, dtype, device, force)
        with _undisturbed():
            model = _own(known, seed)
    _placed(model, dtype, device)
    abilities.demand(model, need)
    return model


def _check_source(known: Entry, directory: str | Path | None, revision: str | None) -> None:
    """Refuse to look for weights where those of a model cannot be."""
    if known.origin == "meadow" and revision is not None:
        what = f"{known.name} has no revisions: its weights come with the package"
        raise InputError(Problem(what, "Give no revision, or the directory of other weights"))
    if known.origin in ("package", "random") and (directory, revision) != (None, None):
        what = f"the weights of {known.name} do not come from the hub"
        raise InputError(Problem(what, "Give neither directory nor revision"))


def _own(known: Entry, seed: int) -> Model:
    """A model whose weights are no checkpoint."""
    if known.origin == "random":
        from sheeplib.models import tiny

        return replace(tiny.build(known.architecture, seed), name=known.name, licence=known.licence)
    network, tokenizer, revision = smollm2.load()
    kind = ARCHITECTURES[known.architecture]
    return Model(known.name, network, tokenizer, None, kind, revision, "chat", known.licence)


def _from_snapshot(known: Entry, snapshot: snapshots.Snapshot, dtype: str) -> Model:
    kind, path = ARCHITECTURES[known.architecture], snapshot.path
    with _explained(path, f"configuration and weights of {known.name}"):
        network = _network(known, kind, path, dtype)
    with _explained(path, f"tokenizer of {known.name}"):
        processor, tokenizer = _readers(known, kind, path)
    template = any(getattr(reader, "chat_template", None) for reader in (processor, tokenizer))
    own = "" if known.prompt == "chat" else known.prompt
    model = Model(
        name=known.name,
        network=network,
        tokenizer=tokenizer,
        processor=processor,
        architecture=kind,
        revision=snapshot.revision,
        prompt="chat" if template else own,
        licence=known.licence,
    )
    with _explained(path, f"decoder and output layer of {known.name}"):
        _ = model.layers, model.head
    return model


def _network(known: Entry, kind: Architecture, path: Path, dtype: str) -> Any:
    """The network, if the files are of its class and hold all of its weights."""
    import torch
    import transformers

    here = {"local_files_only": True, "trust_remote_code": known.remote_code}
    config = transformers.AutoConfig.from_pretrained(path, **here)
    chosen = getattr(transformers, _auto_class(config, kind, path) if known.remote_code else kind.model_class)
    expected = getattr(chosen, "config_class", None)
    if expected is not None and not isinstance(config, expected):
        what = (
            f"these are files of a model of type {config.model_type}; {known.name} is {expected.model_type}"
        )
        raise InputError(Problem(what, "Give the directory or the name of the other", path=path))
    network, report = chosen.from_pretrained(
        path,
        config=config,
        dtype=getattr(torch, dtype),
        use_safetensors=True,
        output_loading_info=True,
        **here,
    )
    if missing := sorted(report["missing_keys"]):
        what = f"{len(missing)} weights are not in the files, such as {missing[0]}; they would be random"
        raise InputError(Problem(what, "Fetch the files again, or install another transformers", path=path))
    return network


def _auto_class(config: Any, kind: Architecture, path: Path) -> str:
    """Which class of transformers leads to the class that comes with the weights."""
    leads = getattr(config, "auto_map", None) or {}
    for name, target in leads.items():
        if str(target).split(".")[-1] == kind.model_class:
            return name
    what = f"the code beside these weights offers no {kind.model_class}"
    raise InputError(Problem(what, "Give another revision", path=path, value=sorted(leads)))


def _readers(known: Entry, kind: Architecture, path: Path) -> tuple[Any, Any]:
    """Processor (or None) and tokenizer."""
    import transformers

    from sheeplib.models.processors import without_video

    here = {"local_files_only": True, "trust_remote_code": known.remote_code}
    if not kind.sees:
        return None, transformers.AutoTokenizer.from_pretrained(path, **here)
    chosen = getattr(transformers, kind.processor_class)
    processor = (without_video(chosen) if kind.has_video else chosen).from_pretrained(path, **here)
    if not known.remote_code:
        # The same pixels with and without torchvision, whose resizing differs by up to .015.
        newer = hasattr(transformers, "CLIPImageProcessorPil")
        chosen_by = {"backend": "pil"} if newer else {"use_fast": False}
        processor.image_processor = transformers.AutoImageProcessor.from_pretrained(path, **here, **chosen_by)
    return processor, processor.tokenizer


def _placed(model: Model, dtype: str, device: str) -> None:
    """Put a network where it will work, ready to be read: no dropout, no gradients, padding on the left."""
    import torch

    network, tokenizer = model.network, model.tokenizer
    network.eval().requires_grad_(False)
    for weights in network.parameters():  # not buffers: rotary frequencies stay exact, as when read so
        weights.data = weights.data.to(getattr(torch, dtype))
    try:
        network.to(device)
    except torch.OutOfMemoryError:
        raise InputError(
            Problem(f"{model.name} does not fit on {device}", "End what else runs there")
        ) from None
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    tokenizer.padding_side = "left"
    generation = getattr(network, "generation_config", None)  # classes that come with weights may lack it
    if generation is not None and generation.pad_token_id is None:
        generation.pad_token_id = tokenizer.pad_token_id


def _device(device: str) -> str:
    import torch

    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        asked = torch.device(device)
    except (RuntimeError, TypeError):
        raise InputError(Problem("unknown device", "Give auto, cpu or cuda", value=device)) from None
    here = {"cpu": 1, "cuda": torch.cuda.device_count(), "mps": int(torch.backends.mps.is_available())}
    if asked.type not in here:
        raise InputError(Problem("unknown device", "Give auto, cpu or cuda", value=device))
    if (asked.index or 0) >= here[asked.type]:
        raise InputError(Problem("no such device here", "Give auto or cpu", value=device))
    return device


def _dtype(dtype: str, device: str) -> str:
    if dtype == "auto":
        return "bfloat16" if device.startswith("cuda") else "float32"
    if dtype not in BYTES:
        raise InputError(Problem("unknown dtype", f"Give auto, {', '.join(BYTES)}", value=dtype))
    return dtype


def _check_memory(known: Entry, parameters: float, dtype: str, device: str, force: bool) -> None:
    """Refuse what clearly cannot fit, before half of it has been read."""
    import torch

    needed = footprint(parameters, dtype)
    on_gpu = device.startswith("cuda")
    has = torch.cuda.mem_get_info(device)[0] / 1e9 if on_gpu else machine().memory
    if force or has is None or needed <= has:
        return
    where = f"{device} has {has:.3g} GB free" if on_gpu else f"this machine has {has:.3g} GB"
    half = footprint(parameters, "bfloat16")
    remedy = f"With dtype bfloat16 it needs {half:.3g} GB. " if BYTES[dtype] > 2 and half <= has else ""
    remedy += "Take a smaller model or another device, or in Python pass force=True"
    raise InputError(Problem(f"{known.name} needs {needed:.3g} GB as {dtype}, and {where}", remedy))


@contextmanager
def _undisturbed() -> Iterator[None]:
    """No request to the hub, not even for a file that is here; no bars of others in our output."""
    from huggingface_hub import constants
    from transformers.utils import logging

    offline, bars = constants.HF_HUB_OFFLINE, logging.is_progress_bar_enabled()
    constants.HF_HUB_OFFLINE = True
    logging.disable_progress_bar()
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = offline
        if bars:
            logging.enable_progress_bar()


@contextmanager
def _explained(path: Path, what: str) -> Iterator[None]:
    """Say whose files cannot be read, whatever the libraries that read them raise."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # these are files by others, read by the code of others
        import transformers

        first = f"{type(error).__name__}: {error}".splitlines()[0]
        remedy = (
            f"Fetch all of its files again; transformers here is {transformers.__version__}, and the model "
            "may need another"
        )
        raise InputError(Problem(f"{what} cannot be read: {first}", remedy, path=path)) from None

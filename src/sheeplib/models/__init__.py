"""Models by name, real and miniature. Torch is imported when one is loaded."""

from sheeplib.models.loading import load
from sheeplib.models.machine import listing
from sheeplib.models.model import Model
from sheeplib.models.registry import MODELS, Entry, entry
from sheeplib.models.samples import Sample

__all__ = ["MODELS", "Entry", "Model", "Sample", "entry", "listing", "load"]

"""Scorers of the shared tasks SHROOM-visions 2026 and mu-SHROOM 2025, and the format check."""

from sheeplib.scoring.formats import check_format
from sheeplib.scoring.marked import Marked, marked_from_tables, read_predictions, read_references
from sheeplib.scoring.measures import Span
from sheeplib.scoring.mushroom import SoftMarked, read_mushroom, score_mushroom
from sheeplib.scoring.summary import classify, summarise
from sheeplib.scoring.visions import Mode, mark_all, mark_none, score, score_files

__all__ = [
    "Marked",
    "Mode",
    "SoftMarked",
    "Span",
    "check_format",
    "classify",
    "mark_all",
    "mark_none",
    "marked_from_tables",
    "read_mushroom",
    "read_predictions",
    "read_references",
    "score",
    "score_files",
    "score_mushroom",
    "summarise",
]

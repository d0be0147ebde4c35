"""What a page shows: figures and tables with captions, samples in colour, results, receipts."""

from sheeplib.report import figures, portraits, readings, scorecard, style
from sheeplib.report.display import interval, number, show_figure, show_table, wide
from sheeplib.report.gallery import view_mentions
from sheeplib.report.receipts import Receipt, about, receipt
from sheeplib.report.remarks import Remark, describe, emerging, reasons
from sheeplib.report.results import read_results, results_directory, save_results
from sheeplib.report.samples import Sample, view, view_item

__all__ = [
    "Receipt", "Remark", "Sample", "about", "describe", "emerging", "figures", "interval", "number",
    "portraits", "read_results", "readings", "reasons", "receipt", "results_directory", "save_results",
    "scorecard", "show_figure", "show_table", "style", "view", "view_item", "view_mentions", "wide",
]  # fmt: skip

"""The tables that the two papers print, one tidy CSV file a table, read by paper and number.

One row is one printed number. Grouping columns have the same names in every file and are missing
where a table does not split that way, so that paper against rerun is a join. The files keep the
printed digits (`0.250` stays `0.250`) in the order of print, row after row. How they read what the
papers leave open:

- SHEEP: rows that compare strategies carry `strategy`; rows that compare models or languages say
  on which data in `subset`.
- SHEEP, Table 3: what reads "minicpm0123456" is minicpm.
- SHEEP, Table 8: its header comes out of the page scrambled. The order used, longest span, first
  span, longest span given a hallucination, first span given a hallucination, is that of Table 10,
  and the only one for which the rows of both tables agree within their intervals.
- SHEEP, Table 12a: the columns follow the header (precision, recall), not the caption (recall,
  precision); the text finds "very low precision".
- NAME-Bench, Tables 11 and 16 print ranges over detectors: their ends are rows `..._min` and
  `..._max`. `low` and `high` are kept for intervals.
- NAME-Bench, Table 12 pools the four newer models: their names joined by `+`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable

import pandas as pd

from sheeplib.errors import InputError, Problem

# By paper and table: what it shows, and what the text at hand lacks of it (empty: nothing).
ABOUT: Mapping[tuple[str, int], tuple[str, str]] = {
    ("sheep", 2): ("COMETKiwi of translated human-written samples, before and after post-editing", ""),
    ("sheep", 3): ("F1 of n-gram classifiers that tell where a text comes from, 3-way and 6-way", ""),
    ("sheep", 4): ("Gemma3 27B as judge of random and human-written items: accuracy and F1", ""),
    ("sheep", 5): ("Correlation of judges' F1 between sources of data (10 judges, 4 languages)", ""),
    ("sheep", 6): ("HalluShift++ in six classes: by strategy (a), F1 by generating model (b)", ""),
    ("sheep", 7): ("HalluShift++: change in F1 after recalibrating P(none) on data of one origin", ""),
    ("sheep", 8): ("Label agreement by the first or the longest span: strategy, model, language", ""),
    ("sheep", 9): ("Agreement on presence, label and span by strategy", ""),
    ("sheep", 10): ("Agreement on presence, label and span by model and language", ""),
    ("sheep", 11): ("Gemma3 27B as judge: accuracy, precision, recall and F1 by language and origin", ""),
    ("sheep", 12): ("HalluShift++ as binary detector: by strategy (a), F1 by generating model (b)", ""),
    ("sheep", 13): ("EUQ as binary token detector: by strategy, and by model within the subsets", ""),
    ("namebench", 1): ("Natural shares of non-assertive mentions and of hallucinations, 2,000 images", ""),
    ("namebench", 2): ("Mentions by model and status; shares are of the model's non-assertive total", ""),
    ("namebench", 3): ("CHAIR and THRONE (majority): hallucinations and non-assertive mentions flagged", ""),
    ("namebench", 4): (
        "Non-assertive mentions flagged, detectors built without non-assertive training data",
        "the training-free detectors (bottom half) and trained probes after HALP",
    ),
    ("namebench", 5): (
        "Non-assertive mentions flagged as non-assertive training data grow",
        "the hallucinations flagged (bottom half) and trained detectors after DHCP",
    ),
    ("namebench", 6): ("Non-assertive mentions flagged, subtype seen or unseen; mean of five probes", ""),
    ("namebench", 7): (
        "Non-assertive mentions flagged by whether the image shows the object, and AUC",
        "the text-only language model probe",
    ),
    ("namebench", 10): (
        "As Table 5, every model reading the captions of LLaVA-1.5",
        "the hallucinations flagged (bottom half) and trained detectors after DHCP",
    ),
    ("namebench", 11): ("Text filter before a detector: what it catches, wrongly removes and improves", ""),
    ("namebench", 12): ("THRONE by judge and vote: recall, split votes, non-assertive mentions flagged", ""),
    ("namebench", 13): (
        "AUC of concrete against hallucinated mentions, all and matched for position",
        "training-free detectors after Internal Confidence and the trained probes (bottom half)",
    ),
    ("namebench", 14): (
        "Non-assertive mentions flagged by subtype as non-assertive training data grow",
        "Qwen2.5-VL-7B after depictive, Qwen2.5-VL-3B, InternVL3-8B, LLaVA-OneVision-2-8B",
    ),
    ("namebench", 15): (
        "Flags when hedges count as non-assertive, or as claims",
        "trained detectors after the last hidden state, and parts with non-assertive training data",
    ),
    ("namebench", 16): ("Flags on all retained non-assertive mentions, on other ones, on compounds", ""),
    ("namebench", 17): (
        "Concepts of the non-assertive mentions: how many, and the five most frequent",
        "Qwen2.5-VL-7B after depictive, Qwen2.5-VL-3B, InternVL3-8B, LLaVA-OneVision-2-8B",
    ),
}
WORDS: Mapping[tuple[str, int], str] = {  # tables that print no results
    ("sheep", 1): "it defines the labels: see sheeplib.tables.Label",
    ("namebench", 8): "it describes the detectors",
    ("namebench", 9): "it maps labels of mentions to the four subtypes",
}
_TYPES = {"table": "int64", "value": "float64", "half_width": "float64", "low": "float64", "high": "float64"}


def published(paper: str, table: int) -> pd.DataFrame:
    """One printed table, one printed number a row, in the order of print.

    Parameters
    ----------
    paper : str
        `"sheep"` or `"namebench"`.
    table : int
        Number of the table in the paper.

    Returns
    -------
    DataFrame
        Columns `paper`, `table` (int64), `quantity`, grouping columns, then `value`, `half_width`
        (of a 95% interval given as plus or minus), `low` and `high` (float64; missing where not
        printed), and in some tables `unit` (`"percent"`, or missing for plain numbers). All other
        columns are text (dtype "string"). `attrs` holds `caption` (str), `complete` (bool) and
        `missing` (str: what the text at hand lacks of the table, empty if complete).

    Raises
    ------
    InputError
        If there is no such table, or it prints no numbers; the message lists those that do.

    Notes
    -----
    Source: SHEEP, Tables 2 to 13; NAME-Bench, Tables 1 to 7 and 10 to 17.
    """
    if (paper, table) not in ABOUT:
        raise InputError(_unknown(paper, table))
    caption, missing = ABOUT[paper, table]
    with _file(paper, int(table)).open(encoding="utf-8") as lines:
        text = pd.read_csv(lines, dtype="string", keep_default_na=False, na_values=[""])
    frame = text.astype(_TYPES)
    frame.attrs = {"caption": caption, "complete": not missing, "missing": missing}
    return frame


def tables() -> pd.DataFrame:
    """List of the printed tables.

    Returns
    -------
    DataFrame
        Columns `paper`, `table`, `about`, `complete`, `missing` (what the text at hand lacks of the
        table, empty if complete) and `rows` (printed numbers that are there).
    """
    listed = [
        (*key, about, not missing, missing, _file(*key).read_text(encoding="utf-8").count("\n") - 1)
        for key, (about, missing) in ABOUT.items()
    ]
    frame = pd.DataFrame(listed, columns=["paper", "table", "about", "complete", "missing", "rows"])
    return frame.astype({name: "string" for name in ("paper", "about", "missing")})


def _file(paper: str, table: int) -> Traversable:
    return files(__name__) / f"{paper}_table_{table:02d}.csv"


def _unknown(paper: str, table: int) -> Problem:
    known = "; ".join(
        f"'{name}': {', '.join(str(number) for other, number in ABOUT if other == name)}"
        for name in dict.fromkeys(name for name, _ in ABOUT)
    )
    words = WORDS.get((paper, table))
    what = f"prints no numbers: {words}" if words else "is not known"
    return Problem(f"table {table!r} of paper {paper!r} {what}", f"Tables with numbers are {known}")

"""Records of SHEEP: which fields they must have, and what is wrong with one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sheeplib.corpora.annotations import parse
from sheeplib.corpora.sheep_files import Source
from sheeplib.errors import InputError, Problem
from sheeplib.tables import Label, unknown_label

TEXTS = ("id", "split", "language", "prompt", "image_name", "response")
LANGUAGES = ("en", "fr", "it", "zh")
STRATEGIES: Mapping[str, str] = {
    "random": "random",
    "map": "map",
    "human": "human",
    "human-written": "human",
    "human_written": "human",
}


def record_problems(record: dict[str, Any], source: Source, line: int) -> list[Problem]:
    """Everything that is wrong with a record; empty if it can be used."""
    return [
        Problem(found.what, found.remedy, source.name, line, found.field, found.value)
        for found in _problems(record, source)
    ]


def labels_of(record: dict[str, Any]) -> list[tuple[int, int, float, str]]:
    """Start, end, probability and letter of a valid record's labels."""
    return [
        (label["start"], label["end"], float(label["prob"]), str(Label.parse(label["label"])))
        for label in record.get("labels") or []
    ]


def _problems(record: dict[str, Any], source: Source) -> Iterator[Problem]:
    for name in TEXTS:
        value = record.get(name)
        if name not in record:
            yield Problem("field is missing", f"Records need {', '.join(TEXTS)}", field=name)
        elif not isinstance(value, str):
            yield Problem("must be a text", "Write it in quotes", field=name, value=value)
        elif not value.strip():
            yield Problem("is empty", "Fill it in or remove the record", field=name)
    for name, said, known in (("language", source.language, LANGUAGES), ("split", source.split, None)):
        value = record.get(name)
        if not isinstance(value, str) or not value.strip():
            continue
        if known and value not in known:
            yield Problem(f"unknown {name}", f"Use one of {', '.join(known)}", field=name, value=value)
        elif said not in (None, value):
            remedy = f"The file's name says {said}; move the record to the file of its {name}"
            yield Problem(f"is not the {name} of the file", remedy, field=name, value=value)
    response = record.get("response")
    if isinstance(response, str):
        yield from _label_problems(record.get("labels", []), len(response))
        yield from _annotator_problems(record.get("raw_annots"), len(response))
    yield from _about_problems(record)


def _label_problems(labels: Any, length: int) -> Iterator[Problem]:
    if not isinstance(labels, list):
        remedy = "An item without marks has []; leave the field out where labels are withheld"
        yield Problem("must be a list of labels, or absent", remedy, field="labels", value=labels)
        return
    for place, label in enumerate(labels):
        at = f"labels[{place}]"
        if not isinstance(label, dict):
            yield Problem("must be an object", "A label has start, end, prob, label", field=at, value=label)
            continue
        start, end, prob, name = (label.get(key) for key in ("start", "end", "prob", "label"))
        if absent := [key for key in ("start", "end", "prob", "label") if key not in label]:
            yield Problem(f"lacks {', '.join(absent)}", "A label has start, end, prob, label", field=at)
            continue
        if type(start) is not int or type(end) is not int:
            remedy = "Write 3, not 3.0 or a text"
            yield Problem("start and end must be whole numbers", remedy, field=at, value=(start, end))
        elif not 0 <= start < end:
            yield Problem(
                "covers nothing", "Offsets are half-open: 0 <= start < end", field=at, value=(start, end)
            )
        elif end > length:
            what = f"ends past the text of {length} characters"
            yield Problem(what, "Count Unicode code points, not bytes", field=at, value=(start, end))
        if isinstance(prob, bool) or not isinstance(prob, int | float):
            remedy = "Write the share of annotators, such as 0.6667"
            yield Problem("prob must be a number", remedy, field=f"{at}.prob", value=prob)
        elif not 0 < prob <= 1:  # nor is NaN
            remedy = "It is the share of annotators who marked the span"
            yield Problem("prob must be above 0 and at most 1", remedy, field=f"{at}.prob", value=prob)
        try:
            known = isinstance(name, str) and Label.parse(name) is not Label.NONE
        except InputError:
            known = False
        if not known:
            yield unknown_label(name, field=f"{at}.label")


def _annotator_problems(annotations: Any, length: int) -> Iterator[Problem]:
    if annotations is None:
        return
    if not isinstance(annotations, dict):
        remedy = 'Write {"annotator": "3:14|A"}'
        yield Problem("must be an object: annotator to text", remedy, field="raw_annots", value=annotations)
        return
    for annotator, text in annotations.items():
        at = f"raw_annots.{annotator}"
        if not isinstance(text, str):
            remedy = "Write | for an annotator who marked nothing"
            yield Problem("must be a text such as 3:14|A", remedy, field=at, value=text)
            continue
        try:
            parse(text, length)
        except InputError as error:
            found = error.problems[0]
            yield Problem(found.what, found.remedy, field=at, value=found.value)


def _about_problems(record: dict[str, Any]) -> Iterator[Problem]:
    about, comments = record.get("metadata"), record.get("comments")
    for name, value in (("metadata", about), ("comments", comments)):
        if not isinstance(value, dict | None):
            yield Problem("must be an object or absent", "Leave it out if unknown", field=name, value=value)
    about = about if isinstance(about, dict) else {}
    comments = comments if isinstance(comments, dict) else {}
    texts = {
        f"metadata.{name}": about.get(name) for name in ("strategy", "model", "orig_dataset", "prelabel")
    }
    texts |= {f"comments.{annotator}": comment for annotator, comment in comments.items()}
    for name, value in texts.items():
        if not isinstance(value, str | None):
            yield Problem("must be a text or null", "Write it in quotes", field=name, value=value)
    strategy, prelabel = about.get("strategy"), about.get("prelabel")
    if isinstance(strategy, str) and strategy and strategy.lower() not in STRATEGIES:
        known = ", ".join(sorted(set(STRATEGIES.values())))
        yield Problem("unknown strategy", f"Use one of {known}", field="metadata.strategy", value=strategy)
    if isinstance(prelabel, str) and prelabel and prelabel not in list(Label):
        remedy = "F stands for none"
        yield Problem("must be a letter, A to F", remedy, field="metadata.prelabel", value=prelabel)

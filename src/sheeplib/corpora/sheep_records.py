"""Records of SHEEP: which fields they must have, and what is wrong with one."""

from __future__ import annotations

import math
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
            yield Problem("must be a text", field=name, value=value)
        elif not value.strip():
            yield Problem("is empty", "Fill it in or remove the record", field=name)
    language = record.get("language")
    if isinstance(language, str) and language.strip():
        if language not in LANGUAGES:
            yield Problem(
                "unknown language", f"Use one of {', '.join(LANGUAGES)}", field="language", value=language
            )
        elif source.language not in (None, language):
            remedy = f"The file's name says {source.language}; move the record to the file of its language"
            yield Problem("is not the language of the file", remedy, field="language", value=language)
    response = record.get("response")
    if isinstance(response, str):
        yield from _label_problems(record.get("labels", []), len(response))
        yield from _annotator_problems(record.get("raw_annots"), len(response))
    yield from _about_problems(record)


def _label_problems(labels: Any, length: int) -> Iterator[Problem]:
    if not isinstance(labels, list):
        yield Problem("must be a list of labels, or absent", field="labels", value=labels)
        return
    for place, label in enumerate(labels):
        at = f"labels[{place}]"
        if not isinstance(label, dict):
            yield Problem("must be an object with start, end, prob, label", field=at, value=label)
            continue
        start, end, prob, name = (label.get(key) for key in ("start", "end", "prob", "label"))
        if absent := [key for key in ("start", "end", "prob", "label") if key not in label]:
            yield Problem(f"lacks {', '.join(absent)}", "A label has start, end, prob, label", field=at)
            continue
        if type(start) is not int or type(end) is not int:
            yield Problem("start and end must be whole numbers", field=at, value=(start, end))
        elif not 0 <= start < end:
            yield Problem(
                "covers nothing", "Offsets are half-open: 0 <= start < end", field=at, value=(start, end)
            )
        elif end > length:
            what = f"ends past the text of {length} characters"
            yield Problem(what, "Count Unicode code points, not bytes", field=at, value=(start, end))
        if isinstance(prob, bool) or not isinstance(prob, int | float):
            yield Problem("prob must be a number", field=f"{at}.prob", value=prob)
        elif not (math.isfinite(prob) and 0 < prob <= 1):
            yield Problem("prob must be above 0 and at most 1", field=f"{at}.prob", value=prob)
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
        yield Problem("must be an object: annotator to text", field="raw_annots", value=annotations)
        return
    for annotator, text in annotations.items():
        at = f"raw_annots.{annotator}"
        if not isinstance(text, str):
            yield Problem("must be a text such as 3:14|A", field=at, value=text)
            continue
        try:
            parse(text, length)
        except InputError as error:
            found = error.problems[0]
            yield Problem(found.what, found.remedy, field=at, value=found.value)


def _about_problems(record: dict[str, Any]) -> Iterator[Problem]:
    for name in ("metadata", "comments"):
        if not isinstance(record.get(name), dict | None):
            yield Problem("must be an object or absent", field=name, value=record[name])
            return
    about = record.get("metadata") or {}
    for name in ("strategy", "model", "orig_dataset", "prelabel"):
        if not isinstance(about.get(name), str | None):
            yield Problem("must be a text", field=f"metadata.{name}", value=about[name])
            return
    if (strategy := about.get("strategy")) and strategy.lower() not in STRATEGIES:
        known = ", ".join(sorted(set(STRATEGIES.values())))
        yield Problem("unknown strategy", f"Use one of {known}", field="metadata.strategy", value=strategy)
    if (prelabel := about.get("prelabel")) and prelabel not in list(Label):
        yield Problem("must be a letter, A to F", field="metadata.prelabel", value=prelabel)
    for annotator, comment in (record.get("comments") or {}).items():
        if not isinstance(comment, str | None):
            yield Problem("must be a text or null", field=f"comments.{annotator}", value=comment)

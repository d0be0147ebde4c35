"""Translation of the texts of a file, in shards that can be resumed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from sheeplib.errors import InputError, Problem
from sheeplib.jsonl import scan_jsonl
from sheeplib.models import runs
from sheeplib.models.translation import check_pair, translator_for
from sheeplib.shards import Shards

KIND = "translations"  # what the header of a run says it holds
FILE = "translations.jsonl"
NAMES = ("item", "id")  # fields that may name a record
NOTE = "translated"  # field of a translated record that says where it comes from


@dataclass(frozen=True)
class TranslationWork:
    """All that determines a run of translations; plain values, so that it can be sent to other processes.

    Parameters
    ----------
    directory : str
        Where runs live.
    file : str
        JSON Lines whose records have `item` (or `id`), and texts.
    fields : tuple of str
        Which fields to translate; a record may lack some.
    source, target : str
        Languages.
    model : str
        Name in the registry; by default the one that SHEEP used for this pair.
    beams, max_tokens, batch_size, split
        As for `translate`.
    block : int
        Records of a shard.
    loading : tuple of (str, value)
        What `sheeplib.models.loading.load` takes beside the name.
    """

    directory: str
    file: str
    fields: tuple[str, ...]
    source: str
    target: str
    model: str = ""
    beams: int = 4
    max_tokens: int = 512
    batch_size: int = 8
    split: str = "long"
    block: int = 64
    loading: runs.Options = ()

    @property
    def translator(self) -> str:
        """Name of the model."""
        return self.model or translator_for(self.source, self.target)

    def shards(self, about: Mapping[str, Any] | None = None) -> Shards:
        """The shards of this run.

        Parameters
        ----------
        about : mapping, optional
            What `runs.about` says in the process that is to do the work; by default here.

        Raises
        ------
        InputError
            Naming file, line, field and remedy of what is wrong with the records; or if languages or sizes
            cannot be used.
        """
        records = read(self)
        about = runs.about(self.translator, self.loading) if about is None else about
        settings = ("source", "target", "beams", "max_tokens", "batch_size", "split")
        header = {
            "kind": KIND,
            "fields": list(self.fields),
            **{name: getattr(self, name) for name in settings},
            **about,
            **_given(self),
        }
        parts = [[_name(record) for record in block] for block in runs.blocks(records, self.block)]
        return Shards(Path(self.directory), header, parts)


def read(work: TranslationWork) -> list[dict[str, Any]]:
    """The records of a run, read once a process unless the file changed.

    Raises
    ------
    InputError
        Naming file, line, field and remedy of everything wrong.
    """
    check_pair(work.source, work.target)
    runs.check_sizes(batch_size=work.batch_size, block=work.block)
    if not work.fields:
        raise InputError(Problem("no fields to translate", "Name one, such as prompt", field="fields"))
    return _read(work, runs.stamp(work.file))


def translate_shard(work: TranslationWork, index: int, home: str | None = None) -> dict[str, int]:
    """Make one shard, in whatever process.

    Parameters
    ----------
    work : TranslationWork
    index : int
        Of the shard, from 0.
    home : str, optional
        Directory of the run, once it is prepared; by default it is made out anew.

    Returns
    -------
    dict of str to int
        Number of `texts`, and of those that are `doubtful`.

    Raises
    ------
    InputError
        As `translate`; if the shard cannot be written; or if model, libraries or texts are not those of the
        run.
    """
    from sheeplib.models.translation import translate

    shards = work.shards() if home is None else Shards.open(home)
    runs.check_same(shards.header, {**runs.about(work.translator, work.loading), **_given(work)})
    records = runs.blocks(read(work), work.block)[index]
    places = [(record, field) for record in records for field in work.fields if record.get(field)]
    translations = translate(
        runs.loaded(work.translator, work.loading), [record[field] for record, field in places],
        work.source, work.target,
        beams=work.beams, max_tokens=work.max_tokens, batch_size=work.batch_size, split=work.split,
    )  # fmt: skip
    lines = [
        {"item": _name(record), "field": field, **vars(translation)}
        for (record, field), translation in zip(places, translations, strict=True)
    ]
    shards.write(index, {FILE: runs.rendered(lines)})
    return {"texts": len(lines), "doubtful": sum(bool(line["doubt"]) for line in lines)}


def run(work: TranslationWork, executor: Executor, told: runs.Told = runs.silent) -> Shards:
    """Make all shards that are missing.

    Parameters
    ----------
    work : TranslationWork
    executor : Executor
        From `sheeplib.engine.executor`.
    told : callable
        Takes one line of progress a shard.

    Returns
    -------
    Shards
        Complete.

    Raises
    ------
    InputError
        As `translate_shard`. Finished shards are kept.
    """
    read(work)  # what is wrong with the texts is known before any model is loaded
    about = runs.about_workers(work.translator, work.loading, executor)
    return runs.completed(work.shards(about), partial(translate_shard, work), executor, told)


def collect(work: TranslationWork, shards: Shards, path: str | Path) -> list[dict[str, Any]]:
    """Write the records of a file with their texts translated.

    Parameters
    ----------
    work : TranslationWork
    shards : Shards
        From `run`.
    path : str or Path
        JSON Lines: the records as they were, but with translated fields, `language` the target's, and a
        field `translated`: languages, model, the `original` texts, and `doubts` by field. What was there
        is replaced when all is written.

    Returns
    -------
    list of dict
        The lines of the texts that a person should look at: `item, field, text, doubt` and more.

    Raises
    ------
    InputError
        If a shard is missing or was altered, the texts were changed, or the file cannot be written.
    """
    runs.check_same(shards.header, _given(work))
    lines = list(runs.records(shards, FILE))
    made: dict[str, dict[str, dict[str, Any]]] = {}
    for line in lines:
        made.setdefault(line["item"], {})[line["field"]] = line
    runs.save(path, [_translated(work, record, made.get(_name(record), {})) for record in read(work)])
    return [line for line in lines if line["doubt"]]


def _given(work: TranslationWork) -> dict[str, Any]:
    texts = [[_name(record), *(record.get(field) for field in work.fields)] for record in read(work)]
    digest = hashlib.sha256(runs.rendered(texts)).hexdigest()
    return {"texts": {"name": Path(work.file).stem, "sha256": digest}}


def _translated(
    work: TranslationWork, record: Mapping[str, Any], made: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    note = {
        "from": work.source,
        "to": work.target,
        "model": work.translator,
        "original": {field: record[field] for field in made},
        "doubts": {field: line["doubt"] for field, line in made.items() if line["doubt"]},
    }
    texts = {field: line["text"] for field, line in made.items()}
    return {**record, **texts, "language": work.target, NOTE: note}


@lru_cache(maxsize=1)
def _read(work: TranslationWork, stamp: tuple[int, int]) -> list[dict[str, Any]]:
    problems: list[Problem] = []
    records: list[dict[str, Any]] = []
    lines: dict[str, int] = {}
    for line, record in scan_jsonl(work.file):
        found = [record] if isinstance(record, Problem) else _problems(work, record, line, lines)
        problems += found
        records += [record] if isinstance(record, dict) and not found else []
    if not problems and not any(record.get(field) for record in records for field in work.fields):
        remedy = f"Name fields that records have, not {', '.join(work.fields)}"
        problems = [Problem("no texts to translate", remedy, work.file)]
    if problems:
        raise InputError(problems)
    return records


def _problems(
    work: TranslationWork, record: Mapping[str, Any], line: int, lines: dict[str, int]
) -> list[Problem]:
    where: dict[str, Any] = {"path": work.file, "line": line}
    item, problems = _name(record), []
    if not isinstance(item, str) or not item:
        problems.append(Problem("a record needs a name", "Give a text as item or id", **where))
    elif item in lines:
        remedy = f"First in line {lines[item]}; keep one of them"
        problems.append(Problem("item is there twice", remedy, field="item", value=item, **where))
    else:
        lines[item] = line
    if record.get("language") not in (None, "", work.source):
        remedy = f"Translate each language by itself; this run is from {work.source}"
        what, value = "text in another language", record["language"]
        problems.append(Problem(what, remedy, field="language", value=value, **where))
    if NOTE in record:
        remedy = "Translate from the original, or remove this field"
        problems.append(Problem("already a translation", remedy, field=NOTE, **where))
    return problems + [
        Problem("not a text", "Leave it out, or name other fields", field=field, value=record[field], **where)
        for field in work.fields
        if not isinstance(record.get(field), str | None)
    ]


def _name(record: Mapping[str, Any]) -> Any:
    return next((record[name] for name in NAMES if name in record), None)

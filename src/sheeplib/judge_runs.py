"""A judge's letters for a table of answers, in shards that can be resumed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import pandas as pd

from sheeplib import corpora, drafts, engine
from sheeplib.errors import InputError, Problem
from sheeplib.features import answers
from sheeplib.miniatures.verdict_rows import judged_text
from sheeplib.models import runs
from sheeplib.models.judge_prompt import judge_prompt
from sheeplib.models.registry import ARCHITECTURES, entry
from sheeplib.models.samples import Sample
from sheeplib.shards import Shards
from sheeplib.tables import TEXT, Label

KIND = "verdicts"  # what the header of a run says it holds
FILE = "verdicts.jsonl"
ENDINGS = (".jsonl", ".parquet")
CHANCES = tuple(f"p_{label}" for label in Label)
_NO_CHANCES: tuple[Any, ...] = (None,) * len(CHANCES)


@dataclass(frozen=True)
class JudgeWork:
    """All that determines a run of verdicts; plain values, so that it can be sent to other processes.

    Parameters
    ----------
    directory : str
        Where runs live.
    judge : str
        Name in the registry.
    corpus : str
        Name of a corpus whose answers are judged; or empty.
    options : tuple of (str, value)
        What the corpus takes.
    items : str
        File of answers, in place of a corpus; see `sheeplib.features.answers.read`.
    images : str
        Directory of images; or empty.
    strategies, splits : tuple of str
        Of a corpus, judge these items only; all if empty.
    how, max_tokens, batch_size
        As for `sheeplib.models.judging.ask`.
    block : int
        Answers of a shard.
    loading : tuple of (str, value)
        What `sheeplib.models.loading.load` takes beside the name.
    """

    directory: str
    judge: str
    corpus: str = ""
    options: runs.Options = ()
    items: str = ""
    images: str = ""
    strategies: tuple[str, ...] = ()
    splits: tuple[str, ...] = ()
    how: str = "letter"
    max_tokens: int = 4
    batch_size: int = 8
    block: int = 64
    loading: runs.Options = ()

    def shards(self, facts: Mapping[str, Any] | None = None) -> Shards:
        """The shards of this run, block by block.

        Parameters
        ----------
        facts : mapping, optional
            What `about` says in the process that is to do the work; by default here.

        Raises
        ------
        InputError
            If answers, images, judge or sizes cannot be used.
        """
        given = _answers(self)
        parts = _parts(self, given)
        fingerprint = hashlib.sha256("".join(given.digests(parts, {})).encode()).hexdigest()[:16]
        header = {
            "kind": KIND,
            **{name: getattr(self, name) for name in ("how", "max_tokens", "batch_size")},
            **(about(self) if facts is None else facts),
            "items": {"name": given.name, "fingerprint": fingerprint},
        }
        return Shards(Path(self.directory), header, parts)


def about(work: JudgeWork) -> dict[str, Any]:
    """What of judge, machine and libraries decides the letters, and the prompt of the first item in full.

    Raises
    ------
    InputError
        If the model cannot be loaded, or has no prompt.
    """
    from sheeplib.models.encoding import render

    given = _answers(work)
    facts = runs.about(work.judge, work.loading)
    (first,) = given.samples(list(given.items["item"])[:1])
    text = render(runs.loaded(work.judge, work.loading), _asked(work.judge, first))
    return {**facts, "prompt": {"item": first.item, "text": text}}


def judge_shard(work: JudgeWork, index: int, home: str | None = None) -> dict[str, int]:
    """Make one shard, in whatever process.

    Parameters
    ----------
    work : JudgeWork
    index : int
        Of the shard, from 0.
    home : str, optional
        Directory of the run, once it is prepared; by default it is made out anew.

    Returns
    -------
    dict of str to int
        Number of `answers`, and of those `without letter`.

    Raises
    ------
    InputError
        As `sheeplib.models.judging.ask`; if the shard cannot be written; or if judge or libraries are not
        those of the run.
    """
    from sheeplib.models.encoding import render
    from sheeplib.models.judging import ask

    shards = work.shards() if home is None else Shards.open(home)
    runs.check_same(shards.header, about(work))
    model = runs.loaded(work.judge, work.loading)
    asked = [_asked(work.judge, sample) for sample in _answers(work).samples(shards.parts[index])]
    verdicts = ask(
        model, asked, work.how, batch_size=work.batch_size, max_tokens=work.max_tokens,
        spaced=not _of_the_meadow(work.judge),
    )  # fmt: skip
    lines: list[dict[str, Any]] = []
    for sample, said in zip(asked, verdicts, strict=True):
        prompt = hashlib.sha256(render(model, sample).encode()).hexdigest()[:16]
        chances = dict(zip(CHANCES, said.probabilities or _NO_CHANCES, strict=True))
        line: dict[str, Any] = {
            "item": sample.item,
            "judge": work.judge,
            "how": work.how,
            "letter": said.letter,
        }
        lines.append(line | {"answer": said.answer, **chances, "mass": said.mass, "prompt": prompt})
    shards.write(index, {FILE: runs.rendered(lines)})
    return {"answers": len(lines), "without letter": sum(line["letter"] is None for line in lines)}


def run(work: JudgeWork, executor: Executor, told: runs.Told = runs.silent) -> Shards:
    """Make all shards that are missing.

    Parameters
    ----------
    work : JudgeWork
    executor : Executor
        From `sheeplib.engine.executor`.
    told : callable
        Takes the first prompt as the judge reads it, then one line of progress a shard.

    Returns
    -------
    Shards
        Complete.

    Raises
    ------
    InputError
        As `judge_shard`. Finished shards are kept.
    """
    _read.cache_clear()  # images may have changed since
    given = _answers(work)
    given.check(given.items["item"])
    ((_, facts),) = engine.results(about, [work], executor)
    told(f"The prompt of item {facts['prompt']['item']}:\n{facts['prompt']['text']}")
    shards = work.shards(facts)
    if shards.missing():  # a run whose last answer cannot be judged would be hours of work in vain
        list(engine.results(check_items, [work], executor))
    return runs.completed(shards, partial(judge_shard, work), executor, told)


def check_items(work: JudgeWork) -> None:
    """Make sure that the judge can be asked about all items.

    Raises
    ------
    InputError
        Naming each that it cannot be asked about.
    """
    from sheeplib.models.generation import check

    given, model = _answers(work), runs.loaded(work.judge, work.loading)
    parts = _parts(work, given)
    check(model, (_asked(work.judge, sample) for part in parts for sample in given.samples(part)))


def collect(shards: Shards, path: str | Path) -> Path:
    """Write all verdicts of a run as one table.

    Parameters
    ----------
    shards : Shards
    path : str or Path
        JSON Lines or Parquet, told by the ending: `item`, `judge`, `how`, `letter` (missing if none was
        found), `answer`, `p_A` to `p_F` and `mass` as in `sheeplib.models.judging.Verdict`, and `prompt`:
        first digits of the SHA-256 of all that the judge read but the image. `judge_letters.read_letters`
        reads it. What was there is replaced when all is written.

    Returns
    -------
    Path

    Raises
    ------
    InputError
        If a shard is missing or was altered, these are no verdicts, or the file cannot be written.
    """
    path = Path(path)
    check_output(path)
    if shards.header.get("kind") != KIND:
        raise InputError(Problem("not a run of verdicts", "Give one of sheep judge", path=shards.home))
    rows = list(runs.records(shards, FILE))
    if path.suffix.lower() == ".jsonl":
        return runs.save(path, rows)
    frame = pd.DataFrame(rows).astype(
        dict.fromkeys(("item", "judge", "how", "letter", "answer", "prompt"), TEXT)
    )
    frame = frame.astype(dict.fromkeys((*CHANCES, "mass"), "float64"))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with drafts.replacing(path) as draft:
            frame.to_parquet(draft, index=False)
    except ImportError:
        raise InputError(Problem("Parquet needs pyarrow", "pip install pyarrow", path)) from None
    except OSError as error:
        what = f"cannot be written: {error.strerror or type(error).__name__}"
        raise InputError(Problem(what, "Choose another place", path=path)) from None
    return path


def check_output(path: Path) -> None:
    """Refuse a file that cannot be written, before any work.

    Raises
    ------
    InputError
    """
    if path.suffix.lower() not in ENDINGS:
        raise InputError(
            Problem("not a table by its name", f"Known endings: {', '.join(ENDINGS)}", path=path)
        )
    if path.is_dir():
        raise InputError(Problem("a directory, not a file", "Name a file to write", path=path))


def _of_the_meadow(judge: str) -> bool:
    return entry(judge).origin == "meadow"


def _asked(judge: str, sample: Sample) -> Sample:
    """The sample whose question is all that the judge reads: the meadow's judges know one form alone."""
    form = judged_text if _of_the_meadow(judge) else judge_prompt
    return replace(sample, question=form(sample.question, sample.response), response="")


def _parts(work: JudgeWork, given: answers.Answers) -> list[list[str]]:
    return runs.blocks(list(given.items["item"]), work.block)


def _answers(work: JudgeWork) -> answers.Answers:
    """The answers of a run, read once a process unless the file changed."""
    if bool(work.items) == bool(work.corpus):
        raise InputError(Problem("judge the answers of a file or of a corpus", "Give one of the two"))
    runs.check_sizes(batch_size=work.batch_size, block=work.block, max_tokens=work.max_tokens)
    return _read(work, runs.stamp(work.items))


@lru_cache(maxsize=1)
def _read(work: JudgeWork, stamp: tuple[int, int]) -> answers.Answers:
    images = Path(work.images) if work.images else None
    sees = ARCHITECTURES[entry(work.judge).architecture].sees
    if work.items:
        if work.strategies or work.splits:
            what = "a file of answers is judged whole"
            raise InputError(Problem(what, "Leave out strategies and splits, or give a corpus"))
        return answers.read(Path(work.items), images, sees)
    corpus = corpora.load(work.corpus, **dict(work.options))
    chosen = _chosen(corpus.items, {"strategy": work.strategies, "split": work.splits})
    return answers.from_corpus(corpus.select(chosen), images, sees)


def _chosen(items: pd.DataFrame, wanted: Mapping[str, Sequence[str]]) -> pd.Series:
    rows = pd.Series(True, index=items.index)
    for column, values in wanted.items():
        rows &= items[column].isin(list(values)).fillna(False).astype(bool) if values else True
    if not rows.any():
        said = ", ".join(f"{column} {' or '.join(values)}" for column, values in wanted.items() if values)
        raise InputError(Problem(f"no item has {said}", "Choose others, or leave them out"))
    return rows

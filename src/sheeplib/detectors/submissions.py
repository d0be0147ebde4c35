"""What a detector says of tokens as marked spans, and as files that the shared task takes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sheeplib import composition, drafts, tables
from sheeplib.agreement import Measure
from sheeplib.corpora import Corpus
from sheeplib.corpora.annotations import Mark, write
from sheeplib.detectors.token_labels import LETTERS, NONE, item_places
from sheeplib.detectors.token_scores import codes, measured
from sheeplib.errors import InputError, Problem
from sheeplib.features import alignment
from sheeplib.scoring import marked_from_tables, score
from sheeplib.scoring.rules import LANGUAGES, NAMES, language_of


def predicted_labels(
    corpus: Corpus, tokens: pd.DataFrame, letters: Iterable[str], probs: np.ndarray
) -> pd.DataFrame:
    """Spans that labelled tokens make: as few as possible.

    Parameters
    ----------
    corpus : Corpus
    tokens : DataFrame
        Table `tokens`: those that the detector read.
    letters : iterable of str, one for each token
        A to F; F is not marked.
    probs : ndarray of float, shape (tokens,)
        Probability that the token is wrong, or of its label: what the shared task's Cor ranks by.
        Tokens of probability 0 are not marked.

    Returns
    -------
    DataFrame
        Table `labels`: runs of one label and probability. White space between two tokens of one label
        is inside, with the smaller of their probabilities; tokens that share a character mark it once.

    Raises
    ------
    InputError
        If a token belongs to no item or leaves its response, a letter is none, the numbers of tokens,
        letters and probabilities differ, or a probability is not within 0 and 1.
    """
    probs = np.asarray(probs, dtype=float)
    kinds = codes(pd.Series(list(letters), dtype=tables.TEXT, name="letters"))
    if not len(tokens) == len(kinds) == len(probs):
        found = (len(tokens), len(kinds), len(probs))
        raise InputError(Problem("tokens, letters and probabilities differ in number", value=found))
    if (bad := ~((probs >= 0) & (probs <= 1))).any():
        raise InputError(Problem("not a probability", "Give 0 to 1", field="probs", value=probs[bad][0]))
    places, edges = item_places(corpus, tokens), tokens[["start", "end"]].to_numpy(int)
    names = np.array(LETTERS, dtype=object)[kinds]
    responses, items = corpus.items["response"].tolist(), corpus.items["item"].tolist()
    rows = []
    for place, own in pd.Series(places).groupby(places).indices.items():
        if (kinds[own] != NONE).any():
            made = alignment.runs(edges[own], responses[place], probs[own], names[own].tolist())
            rows += [(items[place], run.start, run.end, run.prob, run.label) for run in made]
    frame = pd.DataFrame(rows, columns=["item", "start", "end", "prob", "label"])
    return tables.validate("labels", frame) if rows else tables.empty("labels")


def scored(
    corpus: Corpus,
    predictions: Mapping[str, pd.DataFrame],
    by: str | Sequence[str] = (),
    *,
    resamples: int = 2000,
    seed: int = 2026,
    cluster: str | None = None,
) -> pd.DataFrame:
    """Score predicted spans as the shared task does, several systems side by side.

    Parameters
    ----------
    corpus : Corpus
        The items that were predicted; an item without predicted spans counts as one without mistakes.
    predictions : mapping of str to DataFrame
        Table `labels` of each system.
    by, resamples, seed, cluster
        As for `token_scores.token_scores`.

    Returns
    -------
    DataFrame
        Table `results`: means over items of `cor`, `cor_lbl` and `iou`, by `detector`.
    """
    corpus = composition.labelled(corpus)
    references = marked_from_tables(corpus.items, corpus.labels)
    parts = []
    for name, labels in predictions.items():
        own = labels[labels["item"].isin(corpus.items["item"])]
        found = score(references, marked_from_tables(corpus.items, own)).set_index("item")
        found = found.loc[corpus.items["item"]]
        known = {quantity: _mean(found[quantity].to_numpy(float)) for quantity in ("cor", "cor_lbl", "iou")}
        rows = measured(
            corpus, known, by, resamples=resamples, seed=seed, cluster=cluster, stream=("shared task",)
        )
        parts.append(rows.assign(detector=name))
    return pd.concat(parts, ignore_index=True).astype({"detector": tables.TEXT})


def _mean(values: np.ndarray) -> Measure:
    there = ~np.isnan(values)  # an empty response has no Cor
    units = np.column_stack([np.where(there, values, 0), there])

    def value(sums: np.ndarray) -> np.ndarray:
        n = sums[..., 1]
        return np.divide(sums[..., 0], n, out=np.full(n.shape, np.nan), where=n > 0)

    return Measure(units, there, value, "no item has a score")


def official_ids(items: pd.DataFrame) -> dict[str, str]:
    """Identifiers as the shared task wants them, `<split>-<language>-<item>`, by item.

    An identifier of that form stays; of another, dashes become underscores and split and language go
    before it: `meadow-en-human-0001` of the test split is `test-en-meadow_en_human_0001`.

    Raises
    ------
    InputError
        If an item has no split, no language that the shared task knows, or two would be called alike.
    """
    known: dict[str, str] = {}
    problems = []
    for item, split, language in items[["item", "split", "language"]].itertuples(index=False):
        name = item if language_of(item) else f"{split}-{language}-{item.replace('-', '_')}"
        if language_of(name) is None or pd.isna(split):
            what = f"item {item}: no split and language of the shared task"
            remedy = f"Choose items of a split, in {', '.join(LANGUAGES)}"
            problems.append(Problem(what, remedy, field="split, language", value=f"{split}, {language}"))
        known[item] = name
    if not problems and len(set(known.values())) < len(known):
        problems.append(Problem("two items would have one identifier", "Rename one of them", field="item"))
    if problems:
        raise InputError(problems)
    return known


def write_submission(corpus: Corpus, labels: pd.DataFrame, directory: str | Path) -> list[Path]:
    """Write predicted spans as a submission to SHROOM-visions: a file for each language.

    Parameters
    ----------
    corpus : Corpus
        The items to be predicted, all of one split; those without spans are written, too.
    labels : DataFrame
        Table `labels`: predicted spans, from `predicted_labels`.
    directory : str or Path
        Files there of the same names, `<split>.<language>.jsonl`, are replaced.

    Returns
    -------
    list of Path
        The files; `sheep check` passes them, and `sheep score` scores them.

    Raises
    ------
    InputError
        If there are no items, or items of two splits, a label is none, a span is of no item or leaves
        its response, or identifiers cannot be made.
    """
    _split(corpus)
    tables.check_offsets(corpus.items, labels)
    if (unknown := ~labels["label"].isin(list(NAMES))).any():
        wrong = labels["label"][unknown].iloc[0]
        value = None if pd.isna(wrong) else wrong
        raise InputError(Problem("a span has no label", "Use letters A to E", field="label", value=value))
    return _write(corpus, _spans(labels), "{split}.{language}.jsonl", directory, {})


def write_references(corpus: Corpus, directory: str | Path) -> list[Path]:
    """Write the annotators' labels in the shared task's schema, to score submissions against.

    Parameters
    ----------
    corpus : Corpus
        Items of one split; those without known labels must have been left out.
    directory : str or Path
        Files there of the same names, `<split>.<language>.labeled.jsonl`, are replaced.

    Returns
    -------
    list of Path

    Raises
    ------
    InputError
        As for `write_submission`.
    """
    more: dict[str, dict[str, Any]] = {}
    for item, response in corpus.items[["item", "response"]].itertuples(index=False):
        more[item] = {"response": response} | ({} if "ratings" in corpus.lacks else {"raw_annots": {}})
    marks = corpus.spans.sort_values("order").groupby(["item", "annotator"])
    marked = {key: part[["start", "end", "label"]] for key, part in marks}
    if "ratings" not in corpus.lacks:
        for item, annotator in corpus.ratings[["item", "annotator"]].itertuples(index=False):
            spans = marked.get((item, annotator))
            own = [] if spans is None else [Mark(*row) for row in spans.itertuples(index=False)]
            more[item]["raw_annots"][annotator] = write(own)
    return _write(corpus, _spans(corpus.labels), "{split}.{language}.labeled.jsonl", directory, more)


def _spans(labels: pd.DataFrame) -> dict[str, list[dict[str, Any]]]:
    spans: dict[str, list[dict[str, Any]]] = {}
    columns = (labels[name].tolist() for name in ("item", "start", "end", "prob", "label"))
    for item, start, end, prob, label in zip(*columns, strict=True):
        span = {"start": start, "end": end, "prob": float(prob), "label": NAMES[label]}
        spans.setdefault(item, []).append(span)
    return spans


def _split(corpus: Corpus) -> str:
    """The split of all items."""
    splits = corpus.items["split"].dropna().unique()
    if len(splits) != 1:
        what = f"items of {len(splits)} splits" if len(corpus.items) else "no items to write"
        raise InputError(Problem(what, "Choose the items of one split", field="split"))
    return str(splits[0])


def _write(
    corpus: Corpus,
    spans: Mapping[str, list[dict[str, Any]]],
    name: str,
    directory: str | Path,
    more: Mapping[str, dict[str, Any]],
) -> list[Path]:
    items, home, split = corpus.items, Path(directory), _split(corpus)
    names = official_ids(items)
    lines: dict[str, list[str]] = {}
    for item in items["item"]:
        record = {"id": names[item], "labels": spans.get(item, [])} | more.get(item, {})
        lines.setdefault(language_of(names[item]) or "", []).append(json.dumps(record, ensure_ascii=False))
    home.mkdir(parents=True, exist_ok=True)
    paths = []
    for language, records in sorted(lines.items()):
        paths.append(home / name.format(split=split, language=language))
        drafts.write_file(paths[-1], ("\n".join(records) + "\n").encode())
    return paths

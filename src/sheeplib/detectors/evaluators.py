"""Where the features of a corpus are: those that come with the package, or a store of your own."""

from __future__ import annotations

from pathlib import Path

from sheeplib.corpora import Corpus
from sheeplib.errors import InputError, Problem
from sheeplib.features import needs
from sheeplib.features.store import FeatureStore
from sheeplib.features.work import features_directory
from sheeplib.miniatures import caches
from sheeplib.shards import RUN

SHIPPED = {"meadow": "clover-reads-answers"}
SHUFFLED = {"meadow": "clover-reads-answers-shuffled"}  # the same answers, each beside another's image


def features_of(corpus: Corpus, method: str, features: str | Path | None = None) -> FeatureStore:
    """Find what an evaluator gave for the answers of a corpus.

    Parameters
    ----------
    corpus : Corpus
    method : str
        What the features must serve, such as `hallushift`; see `sheeplib.features.quantities.METHODS`.
    features : str or Path, optional
        Directory of a store, or of several. By default the features that come with the package, else
        those that `sheep features extract` keeps.

    Returns
    -------
    FeatureStore

    Raises
    ------
    InputError
        If there is none, or more than one.
    """
    if features is None and corpus.name in SHIPPED:
        return caches.open_cache(SHIPPED[corpus.name])
    return kept_store(corpus.name, method, features)


def kept_store(corpus: str, method: str, features: str | Path | None = None) -> FeatureStore:
    """Find a store that `sheep features extract` keeps.

    Parameters
    ----------
    corpus : str
        Name of the corpus whose answers were read.
    method, features
        As for `features_of`.

    Returns
    -------
    FeatureStore

    Raises
    ------
    InputError
        If there is none, or more than one, or it is not whole.
    """
    home = features_directory() if features is None else Path(features)
    if (home / RUN).is_file():
        return FeatureStore(home)
    wanted = {str(need) for need in needs.parse(method)}
    found = [
        store.path
        for store in (FeatureStore.find(home) if home.is_dir() else [])
        if wanted <= set(store.header.get("needs", []))
        and dict(store.header.get("corpus") or {}).get("name") == corpus
    ]
    if len(found) == 1:
        return FeatureStore(found[0])
    command = (
        f"`sheep features extract --evaluator smollm2 --corpus {corpus} --directory DIR --needs {method}`"
    )
    what = f"{len(found)} stores have features of corpus '{corpus}' for {method}"
    remedy = f"Name one of {', '.join(path.name for path in found)}" if found else f"Run {command}"
    raise InputError(Problem(what, remedy, path=home))


def shuffled_images(corpus: Corpus) -> FeatureStore | None:
    """Features of the same answers read beside the wrong images; none where nobody made them."""
    name = SHUFFLED.get(corpus.name, "")
    return caches.open_cache(name) if name in caches.CACHES and (caches.FEATURES / name).is_dir() else None

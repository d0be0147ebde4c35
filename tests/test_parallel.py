"""Written answers and their versions in other languages."""

import numpy as np
import pandas as pd
import pytest

from corpora_of import corpus_of
from sheeplib import load
from sheeplib.errors import InputError
from sheeplib.parallel import NO_MODEL, translation_quality, written_pairs
from sheeplib.report.scorecard import scorecard


@pytest.fixture(scope="module")
def meadow():
    return load("meadow", per_language=2, per_cell=0)


def test_each_written_answer_stands_beside_its_three_versions(meadow):
    pairs = written_pairs(meadow)
    sizes = pairs.groupby(["source_language", "target_language"]).size()
    assert len(pairs) == 8 * 3 and len(sizes) == 12 and set(sizes) == {2}
    texts = meadow.items.set_index(["parallel", "language"])["response"]
    for row in pairs.itertuples():
        assert row.source == texts[row.parallel, row.source_language]
        assert row.translation == texts[row.parallel, row.target_language]
    assert written_pairs(corpus_of({"i": [[]]})).empty


def test_scores_are_means_with_intervals_of_the_printed_pairs(meadow):
    def lengths(sources, translations):
        return [len(one) / 1000 + len(other) for one, other in zip(sources, translations, strict=True)]

    found = translation_quality(meadow, lengths, resamples=200)
    pairs = written_pairs(meadow)
    after = found[found["stage"] == "after"]
    assert len(found) == 24 and after["value"].notna().all() and (after["n"] == 2).all()
    for row in after.itertuples():
        part = pairs[
            (pairs["source_language"] == row.source_language)
            & (pairs["target_language"] == row.target_language)
        ]
        scores = lengths(part["source"], part["translation"])
        assert row.value == pytest.approx(np.mean(scores))
        assert (row.low, row.high) == pytest.approx((min(scores), max(scores)))
    before = found[found["stage"] == "before"]
    assert before["value"].isna().all() and before["reason"].str.contains("does not keep").all()
    card = scorecard(found, [("sheep", 2)])
    assert (card["verdict"] != "not computable").sum() == 12


def test_without_model_or_versions_there_is_a_reason(meadow):
    found = translation_quality(meadow)
    assert found["value"].isna().all() and (found.loc[found["stage"] == "after", "reason"] == NO_MODEL).all()
    bare = translation_quality(corpus_of({"i": [[]]}), lambda *_: pytest.fail("nothing to estimate"))
    assert bare.loc[bare["stage"] == "after", "reason"].str.contains("does not say which items").all()


@pytest.mark.parametrize("scores", [[0.5], [np.nan] * 24])
def test_scores_that_do_not_fit_are_refused(meadow, scores):
    with pytest.raises(InputError, match="one finite score"):
        translation_quality(meadow, lambda *_: scores)
    assert pd.notna(scores).all() or len(scores) == 24

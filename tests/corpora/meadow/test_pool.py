"""Answers and captions of the models as files: whole and right, or refused with row and column."""

import re

import numpy as np
import pandas as pd
import pytest

from meadow_pool import MODELS, answer_rows, caption_rows, write_pool
from sheeplib.corpora.meadow import pool
from sheeplib.errors import InputError
from sheeplib.tables import TEXT


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    return write_pool(tmp_path_factory.mktemp("pool"), per_cell=8, scenes=2)


@pytest.fixture
def spoilt(tmp_path):
    """Write the answers with something changed, and give the message that reading them gives."""

    def message(change, name="answers"):
        rows = answer_rows(2, MODELS[:2]) if name == "answers" else caption_rows(2, MODELS[:2])
        change(rows).to_parquet(tmp_path / f"{name}.parquet")
        with pytest.raises(InputError) as caught:
            getattr(pool, name)(tmp_path)
        return str(caught.value)

    return message


def test_answers_come_with_their_types_and_letters(directory):
    found = pool.answers(directory)
    assert list(found) == [
        "model", "language", "scene", "question", "source", "prompt", "seed", "response", "finish",
        "judge", "judge-small",
    ]  # fmt: skip
    assert len(found) == 5 * 4 * 8 and found.index.tolist() == list(range(160))
    assert {str(found[name].dtype) for name in ("scene", "question", "seed")} == {"int64"}
    for name in ("model", "prompt", "response", "judge", "judge-small"):
        assert found[name].dtype == TEXT and found[name].dtype.na_value is pd.NA
    assert found["judge"].notna().all() and found["judge-small"].isna().any()
    written = pd.read_parquet(directory / "answers.parquet")
    assert found["response"].tolist() == written["response"].tolist()


def test_captions_come_with_their_types(directory):
    found = pool.captions(str(directory))
    assert list(found) == ["model", "scene", "response", "finish"] and len(found) == 10
    assert found["scene"].dtype == "int64" and found["response"].dtype == TEXT


def test_letters_come_with_their_types_and_no_judge_that_preselects(tmp_path):
    rows = pd.DataFrame({"item": ["a", "b", "c"], "owl": ["A", "F", None], "owlet": list("BCD")})
    rows.to_parquet(tmp_path / "letters.parquet")
    found = pool.letters(tmp_path)
    assert list(found) == ["item", "owl", "owlet"] and set(found.dtypes) == {TEXT}
    assert found["owl"].isna().tolist() == [False, False, True] and pool.judges(found) == ["owl", "owlet"]
    for change, message in (
        (rows.drop(columns="item"), "lacks columns item"),
        (rows[["item"]], "lacks columns of letters"),
        (rows.assign(judge="A"), "holds a column judge"),
        (rows.assign(owl="G"), "'owl'.*row 0.*'G'"),
        (rows.assign(item="a"), "row 1: the same item"),
    ):
        change.to_parquet(tmp_path / "letters.parquet")
        with pytest.raises(InputError, match=message):
            pool.letters(tmp_path)


def test_a_package_without_data_has_none_and_a_directory_without_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(pool, "DATA", tmp_path)
    assert pool.answers() is None and pool.captions() is None and pool.letters() is None
    for read in (pool.answers, pool.captions, pool.letters):
        with pytest.raises(InputError, match=r"parquet: no such file\. Give the directory"):
            read(tmp_path)
    write_pool(tmp_path, per_cell=1, scenes=1)
    assert len(pool.answers()) == 20 and len(pool.captions()) == 5


def test_compact_columns_are_read_like_any_others(tmp_path, directory):
    """Files are small where texts that come again are categories and numbers short."""
    rows = pd.read_parquet(directory / "answers.parquet")
    small = rows.astype(dict.fromkeys(("model", "language", "source", "judge", "judge-small"), "category"))
    small = small.astype({"seed": "int8", "question": "int16", "scene": "uint32"})
    small.to_parquet(tmp_path / "answers.parquet")
    pd.testing.assert_frame_equal(pool.answers(tmp_path), pool.answers(directory))


def test_the_order_of_columns_does_not_matter(tmp_path, directory):
    rows = pd.read_parquet(directory / "answers.parquet")
    rows[rows.columns[::-1]].to_parquet(tmp_path / "answers.parquet")
    pd.testing.assert_frame_equal(pool.answers(tmp_path), pool.answers(directory))


def test_nasty_texts_survive(tmp_path):
    rows = answer_rows(1, MODELS[:1]).iloc[:4]
    texts = ["", "e\u0301 🐑\u200d\n\n* **羊**\u2028", "x" * 100_000, "\x00\ufeff\\u0041"]
    rows.assign(response=texts).to_parquet(tmp_path / "answers.parquet")
    assert pool.answers(tmp_path)["response"].tolist() == texts


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows.drop(columns=["judge", "seed"]), "lacks columns seed, judge"),
        (lambda rows: rows.iloc[:0], "no rows"),
        (lambda rows: rows.assign(scene=rows["scene"] + 0.5), "'scene': not whole numbers.*'float64'"),
        (lambda rows: rows.assign(scene="7"), "'scene': not whole numbers"),
        (lambda rows: rows.assign(seed=True), "'seed': not whole numbers"),
        (lambda rows: rows.assign(seed=pd.array([*range(15), pd.NA], "Int64")), "'seed': row 15"),
        (lambda rows: rows.assign(scene=1_000_000), "'scene': row 0: not a value.*16 rows in all.*1000000"),
        (lambda rows: rows.assign(question=range(-1, 15)), "'question': row 0.*1 rows in all.*-1"),
        (lambda rows: rows.assign(language="de"), "'language': row 0.*'de'"),
        (lambda rows: rows.assign(finish="stop"), "'finish': row 0.*'stop'"),
        (lambda rows: rows.assign(model=[*["a"] * 15, None]), "'model': row 15.*1 rows"),
        (lambda rows: rows.assign(response=[b"x"] * 16), "'response': row 0"),
        (lambda rows: rows.assign(judge=[*"ABCDEFABCDEFABC", "G"]), "'judge': row 15.*'G'"),
        (lambda rows: rows.assign(judge=""), "'judge': row 0"),
        (lambda rows: rows.assign(jury=range(16)), "'jury': row 0"),
        (lambda rows: pd.concat([rows, rows.iloc[[3]]]), "row 16: the same model, language, scene, question"),
    ],
)
def test_a_broken_file_of_answers_is_refused(spoilt, change, message):
    said = spoilt(change)
    assert re.search(message, said), said
    assert "answers.parquet" in said and "make the data again" in said


def test_a_broken_file_of_captions_is_refused(spoilt):
    assert "lacks columns finish" in spoilt(lambda rows: rows.drop(columns="finish"), "captions")
    assert "the same model, scene" in spoilt(lambda rows: rows.assign(scene=1), "captions")
    assert "'response': row 0" in spoilt(lambda rows: rows.assign(response=np.nan), "captions")


def test_everything_wrong_is_told_at_once(spoilt):
    said = spoilt(lambda rows: rows.assign(language="de", judge="x", seed=-1))
    assert [field in said for field in ("'language'", "'judge'", "'seed'")] == [True] * 3


@pytest.mark.parametrize("content", [b"", b"PAR1", b"model,language\n"])
def test_what_is_no_parquet_file_is_refused(tmp_path, content):
    (tmp_path / "answers.parquet").write_bytes(content)
    with pytest.raises(InputError, match="not a readable Parquet file"):
        pool.answers(tmp_path)


def test_a_file_that_breaks_off_is_refused(tmp_path, directory):
    whole = (directory / "captions.parquet").read_bytes()
    (tmp_path / "captions.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="not a readable Parquet file"):
        pool.captions(tmp_path)


def test_models_by_name(directory):
    everything = pool.answers(directory)
    assert pool.of_models(everything, None) is everything
    some = pool.of_models(everything, ["fir", "ash"])
    assert set(some["model"]) == {"ash", "fir"} and some.index.tolist() == list(range(64))
    assert pool.of_models(everything, "elm").equals(pool.of_models(everything, ["elm"]))
    assert pool.of_models(everything, []).empty
    with pytest.raises(InputError, match="no such model.*'oak'.*Known: ash, birch, cedar, elm, fir"):
        pool.of_models(everything, ["ash", "oak"])

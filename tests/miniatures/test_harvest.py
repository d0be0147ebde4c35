"""The harvest: which questions, resumable, the same bytes each time, and letters that are the judges'."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from miniature_checkpoints import write_checkpoints
from sheeplib.corpora import meadow
from sheeplib.corpora.meadow import pool
from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.scenes import scene
from sheeplib.corpora.meadow.writers import write_samples
from sheeplib.errors import InputError
from sheeplib.miniatures import asking, harvest
from sheeplib.miniatures.asking import judge_letters, picture, sample, write_captions
from sheeplib.miniatures.harvest_plans import HarvestPlan, draw_questions, draw_scenes
from sheeplib.miniatures.verdict_rows import judged_text
from sheeplib.models import load, runs

PLAN = HarvestPlan(
    questions=3, seeds=(0, 1), captions=5, written=1, max_tokens=6, batch_size=4,
    generators=("fern", "clover"), judges=("owlet", "owl"),
)  # fmt: skip


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory, words: Any) -> Path:
    return write_checkpoints(
        tmp_path_factory.mktemp("trained") / "models", words, fern=1, clover=2, owlet=3, owl=4
    )


@pytest.fixture(scope="module")
def reaped(checkpoints: Path) -> Path:
    harvest.harvest(checkpoints, checkpoints.parent / "data", plan=PLAN, workers=1, say=lambda _: None)
    return checkpoints.parent / "data"


@pytest.fixture(scope="module", autouse=True)
def small_parts() -> Iterator[None]:
    """Two parts for five captions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(harvest, "PART", 3)
        yield
    runs.loaded.cache_clear()


def test_questions_are_those_of_the_plan() -> None:
    asked = draw_questions(80, 2026)
    assert asked == draw_questions(80, 2026) != draw_questions(80, 2027)
    assert [one.number for one in asked] == list(range(80))
    assert Counter(one.question.source for one in asked) == {"haloquest-like": 40, "visage-like": 40}
    scenes = {one.scene for one in asked}
    assert len(scenes) == 80 and all(0 <= seed < 1_000_000 for seed in scenes)
    written = {one.seed for one in write_samples(meadow.SEED, meadow.PER_LANGUAGE)}
    assert not scenes & written
    told = draw_scenes(300, 80, 2026)
    assert len(set(told)) == 300 and list(told) == sorted(told) and max(told) < 1_000_000
    assert not set(told) & (scenes | written)


def test_questions_about_unusual_things_prefer_scenes_that_show_some() -> None:
    # about 3 of 4 scenes show something unusual: each of about 4 groups does with probability .1 to .25;
    # of the others one in five is kept, so .75 becomes .75 / (.75 + .25 / 5) = .94 among these questions
    asked = [one for one in draw_questions(400, 1) if one.question.source == "visage-like"]
    plain = [not any(group.unusual for group in scene(one.scene).groups) for one in asked]
    everywhere = np.mean([not any(group.unusual for group in scene(seed).groups) for seed in range(400)])
    assert np.mean(plain) < 0.6 * everywhere


def test_wrong_plans_are_refused_field_by_field() -> None:
    with pytest.raises(InputError) as caught:
        HarvestPlan(questions=0, captions=0, seeds=(1, 1), generators=("a",), judges=())
    assert [problem.field for problem in caught.value.problems] == [
        "questions",
        "captions",
        "seeds",
        "judges",
    ]


def test_everything_asked_is_in_the_files_once(reaped: Path) -> None:
    answers, captions = pool.answers(reaped), pool.captions(reaped)  # these check schema and keys
    assert answers is not None and captions is not None
    asked = draw_questions(PLAN.questions, PLAN.draw)
    wanted = {
        (model, language, one.number, seed, one.scene, one.prompt(language), one.question.source)
        for model in PLAN.generators for language in LANGUAGES for one in asked for seed in PLAN.seeds
    }  # fmt: skip
    columns = ["model", "language", "question", "seed", "scene", "prompt", "source"]
    assert set(answers[columns].itertuples(index=False, name=None)) == wanted and len(answers) == len(wanted)
    assert list(answers.columns[-3:]) == ["judge", "owlet", "owl"]
    assert answers["judge"].equals(answers["owl"].rename("judge"))
    assert not answers["owl"].equals(answers["owlet"].rename("owl"))
    keys = ["model", "language", "question", "seed"]
    assert answers[keys].apply(tuple, axis=1).is_monotonic_increasing
    told = draw_scenes(PLAN.captions, PLAN.questions, PLAN.draw)
    pairs = [(model, seed) for model in sorted(PLAN.generators) for seed in told]
    assert list(captions[["model", "scene"]].itertuples(index=False, name=None)) == pairs


def test_answers_and_letters_are_those_of_the_models(reaped: Path, checkpoints: Path) -> None:
    answers, captions = pool.answers(reaped), pool.captions(reaped)
    assert answers is not None and captions is not None
    clover = load("clover", directory=checkpoints / "clover")
    alone = captions[captions["model"] == "clover"].iloc[2]
    (said,) = write_captions(clover, [alone["scene"]], max_tokens=PLAN.max_tokens)
    assert (said.text, said.finish) == (alone["response"], alone["finish"])
    owl = load("owl", directory=checkpoints / "owl")
    for row in answers.iloc[[0, 17, 40]].itertuples():
        assert row.owl == _letter(owl, row.scene, judged_text(row.prompt, row.response))


def test_written_items_have_the_letter_of_each_judge(reaped: Path, checkpoints: Path) -> None:
    letters, items = pool.letters(reaped), meadow.load(per_cell=0).items.set_index("item")
    assert letters is not None and list(letters.columns) == ["item", "owlet", "owl"]
    assert letters["item"].tolist() == [f"meadow-{code}-human-0001" for code in LANGUAGES]
    owl = load("owl", directory=checkpoints / "owl")
    for row in letters.itertuples():
        about = items.loc[row.item]
        seed = int(about["image"].removeprefix("meadow-"))
        assert row.owl == _letter(owl, seed, judged_text(about["prompt"], about["response"]))


def _letter(model: Any, seed: int, question: str) -> str:
    """The likeliest of six letters, without batch, padding or any code of ours."""
    prompt = f"<s><image>{question}<answer>"
    inputs = model.processor(text=prompt, images=picture(seed), add_special_tokens=False, return_tensors="pt")
    with torch.inference_mode():
        last = model.network(**inputs).logits[0, -1]
    ids = [model.tokenizer.vocab[letter] for letter in "ABCDEF"]
    return "ABCDEF"[int(last[ids].argmax())]


def test_letters_do_not_depend_on_the_batch(checkpoints: Path) -> None:
    owl = load("owl", directory=checkpoints / "owl")
    scenes = [one.scene for one in draw_questions(3, 5) for _ in LANGUAGES]
    samples = [
        sample(str(one.number), one.scene, judged_text(one.prompt(language), "A dog." * (1 + one.number)))
        for one in draw_questions(3, 5) for language in LANGUAGES
    ]  # fmt: skip
    letters = judge_letters(owl, samples, batch_size=5)
    assert letters == judge_letters(owl, samples, batch_size=1) and set(letters) <= set("ABCDEF")
    assert letters == [
        _letter(owl, number, one.question) for number, one in zip(scenes, samples, strict=True)
    ]


def test_a_model_without_letters_cannot_judge(checkpoints: Path) -> None:
    mute = SimpleNamespace(unk_token_id=3, convert_tokens_to_ids=lambda letters: [3, *range(7, 12)])
    fern = replace(load("fern", directory=checkpoints / "fern"), tokenizer=mute)
    with pytest.raises(InputError, match="no token for A, so"):
        judge_letters(fern, [sample("one", 1, "Who?")])


def test_the_same_models_give_the_same_bytes_elsewhere(
    reaped: Path, checkpoints: Path, tmp_path: Path
) -> None:
    again = harvest.harvest(
        checkpoints, tmp_path / "data", plan=PLAN, workers=1, say=lambda _: None, work=tmp_path / "work"
    )
    for path in again:
        assert path.read_bytes() == (reaped / path.name).read_bytes()


def test_what_is_finished_is_not_made_again(
    reaped: Path, checkpoints: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    before = {path.name: path.read_bytes() for path in reaped.iterdir()}
    monkeypatch.setattr(harvest, "_make", lambda task: made.append(f"{task[0].model} {task[0].kind}") or 0)
    harvest.harvest(checkpoints, reaped, plan=PLAN, workers=1, say=lambda _: None)
    assert made == [] and before == {path.name: path.read_bytes() for path in reaped.iterdir()}
    with pytest.raises(InputError, match="shard is missing"):  # another temperature: all answers anew
        harvest.harvest(
            checkpoints, reaped, plan=replace(PLAN, temperature=0.5), workers=1, say=lambda _: None
        )
    # two seeds are two parts; captions and letters for written items stay
    assert Counter(made) == {"fern answers": 2, "clover answers": 2, "owlet verdicts": 4, "owl verdicts": 4}


def test_other_pictures_are_answered_anew(
    reaped: Path, checkpoints: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    monkeypatch.setattr(harvest, "_make", lambda task: made.append(task[0].kind) or 0)
    monkeypatch.setattr(harvest, "picture", lambda seed: picture(seed).rotate(180))
    with pytest.raises(InputError, match="shard is missing"):
        harvest.harvest(checkpoints, reaped, plan=PLAN, workers=1, say=lambda _: None)
    # 2 generators with 2 parts of answers and of captions each, judged by 2; 4 written items are 2 parts
    assert Counter(made) == {"answers": 4, "captions": 4, "verdicts": 8, "letters": 4}


def test_a_model_that_is_not_there_is_named_and_nothing_is_written(checkpoints: Path, tmp_path: Path) -> None:
    plan = replace(PLAN, generators=("fern", "daisy"))
    with pytest.raises(InputError, match="daisy"):
        harvest.harvest(checkpoints, tmp_path / "data", plan=plan, workers=1, work=tmp_path / "work")
    assert not (tmp_path / "data").exists()


def test_pictures_are_drawn_once() -> None:
    assert picture(77) is asking.picture(77) and picture(77).size == (96, 96)


def test_captions_take_one_picture_for_each_scene(checkpoints: Path) -> None:
    with pytest.raises(InputError, match="1 pictures for 2 scenes"):
        write_captions(load("fern", directory=checkpoints / "fern"), [1, 2], shown=[3])


def test_tables_are_written_without_traces_of_pandas(reaped: Path) -> None:
    from pyarrow import parquet

    for path in reaped.iterdir():
        assert parquet.read_schema(path).metadata is None
        about = parquet.ParquetFile(path).metadata
        assert about.row_group(0).column(0).compression == "ZSTD"
    assert isinstance(pd.read_parquet(reaped / "captions.parquet"), pd.DataFrame)

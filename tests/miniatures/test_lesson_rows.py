"""Lessons and verdicts as networks take them."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np

from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.lessons import FIRST_LESSON, Diet, draw_drill, draw_lesson
from sheeplib.corpora.meadow.reading import read
from sheeplib.corpora.meadow.scenes import scene
from sheeplib.corpora.meadow.verdicts import wrong_parts
from sheeplib.miniatures import lessons
from sheeplib.miniatures.verdict_rows import judged_text, verdict_rows
from sheeplib.tables import Label


def test_targets_are_the_responses(words: Any) -> None:
    cue = words.convert_tokens_to_ids("<answer>")
    rows = islice(lessons.lesson_rows(np.random.default_rng(1), words, Diet(drills=0), 50), 40)
    for number, ids, targets in rows:
        assert 0 <= number < 50
        start = ids.index(cue)
        assert targets[:start] == [lessons.NOTHING] * start
        if len(ids) < lessons.LONGEST:
            assert targets[start:] == [*ids[start + 1 :], lessons.NOTHING]
            assert ids[-1] == words.eos_token_id


def test_batches_hold_each_row_once(words: Any) -> None:
    rng = np.random.default_rng(2)
    rows = [(number, [5] * (1 + number % 7), [6] * (1 + number % 7)) for number in range(256)]
    made = list(lessons.batches(rng, iter(rows), 8, words.pad_token_id))
    assert sorted(np.concatenate([batch.scenes for batch in made]).tolist()) == list(range(256))
    for batch in made:
        lengths = (batch.ids != words.pad_token_id).sum(1)
        assert (lengths == (batch.targets != lessons.NOTHING).sum(1)).all()
        assert (lengths == 1 + batch.scenes % 7).all()


def test_the_same_seed_gives_the_same_lessons(words: Any) -> None:
    one, two = (
        list(islice(lessons.lesson_rows(np.random.default_rng(3), words, Diet(), 9), 20)) for _ in "ab"
    )
    assert one == two


def test_drills_tell_what_is_there() -> None:
    about = scene(FIRST_LESSON + 1)
    drills = [draw_drill(np.random.default_rng(seed), about, LANGUAGES["en"]) for seed in range(20)]
    said = {word for drill in drills for _, word in drill}
    answers = [word for drill in drills if drill[0][1] in ("Yes", "No") for _, word in drill]
    assert answers.count("Yes") * 5 == answers.count("No") * len(about.groups)
    assert {about.setting, about.groups[0].colour} <= said
    assert (f"“{about.sign.word}”" in said) if about.sign else not any("“" in word for word in said)


def test_what_a_drill_says_stands_after_its_noun(words: Any) -> None:
    for number, ids, targets in islice(lessons.drill_rows(np.random.default_rng(6), words, 30), 30):
        assert 0 <= number < 30 and len(ids) == len(targets)
        assert all(
            target in (lessons.NOTHING, after) for target, after in zip(targets, ids[1:], strict=False)
        )
        assert targets[0] != lessons.NOTHING or ids[1] != targets[1]
        assert targets[-1] == lessons.NOTHING and any(target != lessons.NOTHING for target in targets)


def test_honest_answers_are_true_and_others_are_not() -> None:
    rng = np.random.default_rng(4)
    honest, tempted = Diet(0, 0, captions=0), Diet(1, 1, captions=0)
    wrong = {"honest": 0, "tempted": 0}
    for number in range(60):
        for name, diet in (("honest", honest), ("tempted", tempted)):
            lesson = draw_lesson(rng, FIRST_LESSON + number, diet)
            reading = read(lesson.response, LANGUAGES[lesson.language])
            wrong[name] += bool(wrong_parts(reading, scene(lesson.seed)))
    assert wrong["honest"] == 0
    assert wrong["tempted"] == 60


def test_verdicts_name_the_mistake_of_each_sentence(words: Any) -> None:
    cue, letters = words.convert_tokens_to_ids("<answer>"), set()
    for number, ids, targets in islice(verdict_rows(np.random.default_rng(5), words, 200), 90):
        if ids[-1] != cue:  # a drill
            continue
        said = [words.decode([target]) for target in targets if target != lessons.NOTHING]
        assert said
        *sentences, whole = said
        letters.add(whole)
        # the letter of the whole is the one letter of its sentences that is not F; a mistake in a
        # sentence that ends in no full stop, such as a list entry, has only the whole
        assert {letter for letter in sentences if letter != "F"} <= {whole}
        question, response = words.decode(ids[:-1]).split("\n", 1)
        assert judged_text(question, response) == words.decode(ids[:-1])
        languages = [one for one in LANGUAGES.values() if not read(response, one).unread]
        found = [wrong_parts(read(response, one), scene(FIRST_LESSON + number)) for one in languages]
        assert any({part.label for part in parts} == {whole} - {str(Label.NONE)} for parts in found)
    assert letters == set("ABCDF")

"""Lessons and verdicts as networks take them."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np

from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.lessons import FIRST_LESSON, Diet, checklist, draw_lesson
from sheeplib.corpora.meadow.reading import read
from sheeplib.corpora.meadow.scenes import scene
from sheeplib.corpora.meadow.verdicts import wrong_parts
from sheeplib.miniatures import lessons
from sheeplib.miniatures.verdict_rows import judged_text, verdict_rows
from sheeplib.tables import Label


def test_targets_are_the_responses(words: Any) -> None:
    cue = words.convert_tokens_to_ids("<answer>")
    rows = islice(lessons.lesson_rows(np.random.default_rng(1), words, Diet(checklists=0), 50), 40)
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


def test_a_checklist_tells_what_is_there() -> None:
    about = scene(FIRST_LESSON + 4)
    turns = dict(checklist(np.random.default_rng(0), about, LANGUAGES["en"]))
    assert sum(said == "No" for said in turns.values()) == 6
    assert sum(said.startswith("Yes, ") for said in turns.values()) == len(about.groups)


def test_honest_answers_are_true_and_others_are_not() -> None:
    rng = np.random.default_rng(4)
    honest, tempted = Diet(0, 0, 0, 0), Diet(1, 1, 0, 0)
    wrong = {"honest": 0, "tempted": 0}
    for number in range(60):
        for name, diet in (("honest", honest), ("tempted", tempted)):
            lesson = draw_lesson(rng, FIRST_LESSON + number, diet)
            ((_, response),) = lesson.turns
            wrong[name] += bool(wrong_parts(read(response, LANGUAGES[lesson.language]), scene(lesson.seed)))
    assert wrong["honest"] == 0
    assert wrong["tempted"] == 60


def test_verdicts_name_the_mistake_of_each_sentence(words: Any) -> None:
    cue, letters = words.convert_tokens_to_ids("<answer>"), set()
    for number, ids, targets in islice(verdict_rows(np.random.default_rng(5), words, 200), 80):
        said = [words.decode([target]) for target in targets if target != lessons.NOTHING]
        assert ids[-1] == cue and said
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

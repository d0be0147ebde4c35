"""What models can do, measured on texts whose rates are known because the grammar wrote them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from miniature_checkpoints import write_checkpoints
from sheeplib.corpora.meadow.claims import Claim, about
from sheeplib.corpora.meadow.grammar import capitalised, say, text_of
from sheeplib.corpora.meadow.kinds import KINDS, SETTINGS
from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.lessons import FIRST_LESSON, Diet, draw_sample
from sheeplib.corpora.meadow.questions import likely_absent
from sheeplib.corpora.meadow.scenes import Group, Scene, scene
from sheeplib.corpora.meadow.writers import write
from sheeplib.errors import InputError
from sheeplib.miniatures import census, exams, inventions
from sheeplib.miniatures.census import (
    abilities_table,
    accuracies,
    answer_exam,
    caption,
    caption_rates,
    cooccurrence,
    shuffled_control,
)
from sheeplib.miniatures.exams import HELD_OUT, RIGHT, UNREAD, WRONG, Item, chances, draw_exam, mark, truth
from sheeplib.models import load

EXAM = draw_exam(per_type=8, seed=3)


def said(language: str, *claims: Claim) -> str:
    """Sentences that state claims, in the first way there is."""
    code = LANGUAGES[language]
    return code.joiner.join(text_of(capitalised(say(code, claim, 0))) for claim in claims)


def true_claim(item: Item) -> Claim:
    """What a truthful answer says."""
    here = scene(item.scene)
    group = here.group(item.kind or "")
    if item.type == "sign":
        assert here.sign is not None
        return Claim("sign", word=here.sign.word)
    if group is None:
        return Claim("absent", item.kind)
    return about({"presence": "there", "colour": "colour", "count": "count"}[item.type], group)


def false_claim(item: Item) -> Claim:
    """The same with another colour, number or word, or with the opposite."""
    claim = true_claim(item)
    if item.type == "presence":
        return Claim("there", item.kind) if claim.form == "absent" else Claim("absent", item.kind)
    other = {
        "colour": "red" if claim.colour != "red" else "blue",
        "count": claim.count % 5 + 1,
        "word": "STOP" if claim.word != "STOP" else "SHOP",
    }
    field = exams.TYPES[item.type]
    return replace(claim, **{field: other[field]})  # type: ignore[arg-type]


def test_exams_ask_the_same_in_all_languages_about_scenes_not_seen() -> None:
    assert draw_exam(8, 3) == EXAM != draw_exam(8, 4)
    assert len(EXAM) == 4 * 4 * 8 and len({item.item for item in EXAM}) == len(EXAM)
    assert {item.scene for item in EXAM} <= set(range(1_020_000, 1_021_000))
    by_language = [
        [(item.type, item.scene, item.kind) for item in EXAM if item.language == code] for code in LANGUAGES
    ]
    assert all(asked == by_language[0] for asked in by_language)
    for name in exams.TYPES:
        asked = [item for item in EXAM if item.type == name and item.language == "en"]
        assert len({item.scene for item in asked}) == 8
        here = [truth(name, item.kind, scene(item.scene)) for item in asked]
        assert None not in here
        if name == "presence":
            assert here == [True, False] * 4


def test_questions_do_not_give_the_answer_away() -> None:
    numbers = ("two", "three", "four", "five")
    prompts = [
        item.prompt for item in draw_exam(50, 1, languages=("en",)) if item.type in ("presence", "count")
    ]
    assert not [prompt for prompt in prompts if any(number in prompt for number in numbers)]


def test_an_exam_needs_enough_scenes() -> None:
    # 10 scenes give 10 questions about presence, and fewer with signs
    with pytest.raises(InputError, match="10 scenes give no more than . questions of type sign"):
        draw_exam(per_type=10, scenes=range(10))


@pytest.mark.parametrize("language", LANGUAGES)
def test_true_and_false_answers_are_told_apart_in_each_language(language: str) -> None:
    for item in (item for item in EXAM if item.language == language):
        assert mark(item, said(language, true_claim(item))) == RIGHT, item
        assert mark(item, said(language, false_claim(item))) == WRONG, item
        assert mark(item, "Wug.") == UNREAD and mark(item, "") == UNREAD


def test_truthful_lessons_are_right_in_what_they_answer() -> None:
    """Whatever the layout: of answers by the writers' program, none to these questions is wrong."""
    rng, honest = np.random.default_rng(5), Diet(prior=0.0, credulity=0.0, captions=0.0)
    marks = []
    for number in range(800):
        language = list(LANGUAGES.values())[number % 4]
        sample = draw_sample(rng, FIRST_LESSON + number, language, honest)
        name = sample.question.type
        if name in exams.TYPES and sample.question.premise:
            item = Item("", language.code, name, sample.seed, sample.question.kind, "")
            marks.append(mark(item, write(sample, language).text))
    assert len(marks) > 100 and set(marks) == {RIGHT}


@pytest.fixture(scope="module")
def lounge() -> Item:
    """A question whether something is there that is there once, and of what colour it is."""
    for seed in HELD_OUT:
        for group in scene(seed).groups:
            if group.kind == "chair" and group.count == 3 and group.colour == "brown":
                return Item("en/x/0", "en", "presence", seed, "chair", "")
    raise AssertionError


def test_the_first_sentence_about_what_is_asked_counts(lounge: Item) -> None:
    colour, count = replace(lounge, type="colour"), replace(lounge, type="count")
    # three brown chairs are there
    assert mark(lounge, "I can see two pink chairs.") == RIGHT  # there, if wrong in all else
    assert mark(colour, "I can see two pink chairs.") == WRONG == mark(count, "I can see two pink chairs.")
    assert mark(colour, "I can see two brown chairs.") == RIGHT == mark(count, "I can see three pink chairs.")
    # what does not say it is no answer, and what comes first counts
    assert mark(colour, "I can see three chairs.") == UNREAD
    assert (
        mark(colour, "There are three chairs. " + said("en", Claim("colour", "chair", 3, "brown"))) == RIGHT
    )
    both = said("en", Claim("absent", "chair"), Claim("there", "chair", 3))
    assert mark(lounge, both) == WRONG == mark(colour, both)
    # a hedge or a picture of one commits to nothing, and another kind is none
    assert mark(lounge, said("en", Claim("hedged", "chair"))) == UNREAD
    assert mark(lounge, said("en", Claim("picture", "chair"))) == UNREAD
    assert mark(lounge, said("en", Claim("absent", "boat"))) == UNREAD
    # who says no and then shows it has not answered
    assert mark(lounge, "Yes, I can see three chairs.") == RIGHT
    # a yes answers, whatever else is named; so does a no
    assert mark(lounge, "Yes, I can see three dogs.") == RIGHT
    assert mark(lounge, "No, I can see three dogs.") == WRONG
    assert mark(lounge, "I can see three dogs.") == UNREAD
    assert mark(colour, "Yes, I can see three dogs.") == UNREAD  # to what was not asked
    assert mark(lounge, "No, I can see three chairs.") == WRONG


def test_accuracy_counts_what_cannot_be_read_as_wrong() -> None:
    # of 8 questions of a type and language: the first 5 right, then 2 wrong, then 1 that nobody can read
    def answered(item: Item) -> str:
        place = int(item.item.rsplit("/", 1)[1])
        return (
            said(item.language, true_claim(item) if place < 5 else false_claim(item)) if place < 7 else "Wug!"
        )

    frame = pd.DataFrame(
        [("ash", item.item, answered(item)) for item in EXAM], columns=["model", "item", "response"]
    )
    table = accuracies(EXAM, frame.sample(frac=1, random_state=1))
    mine = table[table["model"] == "ash"]
    assert set(mine.loc[mine["quantity"] == "accuracy", "value"]) == {5 / 8}
    assert set(mine.loc[mine["quantity"] == "unread", "value"]) == {1 / 8}
    assert (mine["n"] == 8).all() and len(mine) == 2 * 4 * 4
    assert ((mine["low"] <= mine["value"]) & (mine["value"] <= mine["high"])).all()
    wide = abilities_table(table)
    assert wide.shape == (16, 4) and set(wide["ash"]) == {5 / 8}
    assert wide.loc[("presence", "en"), "chance: constant"] == 0.5
    with pytest.raises(InputError, match="ash has not answered every question"):
        accuracies(EXAM, frame.iloc[1:])


def test_chance_by_brute_force() -> None:
    exam = [item for item in EXAM if item.language == "it"]
    found = chances(exam)
    for place, item in enumerate(exam):
        here = truth(item.type, item.kind, scene(item.scene))
        alike = several = 0
        for seed in HELD_OUT:
            other = truth(item.type, item.kind, scene(seed))
            if seed != item.scene and other is not None:
                alike, several = alike + (other == here), several + 1
        assert found["another scene"][place] == pytest.approx(alike / several)
    for name in exams.TYPES:
        here = [truth(name, item.kind, scene(item.scene)) for item in exam if item.type == name]
        hits = [hit for hit, item in zip(found["constant"], exam, strict=True) if item.type == name]
        assert sum(hits) == max(here.count(answer) for answer in here)


def test_the_usual_answer_is_what_is_usual() -> None:
    # bananas are yellow in 88 % of scenes; a single thing is commoner (46 %) than any other number
    usual = exams._usual_answers()
    assert usual["colour", "banana"] == "yellow" and usual["count", "person"] == 1
    assert ("colour", "person") not in usual


# A scene by hand: a park with two red dogs and a brown bench.
PARK = Scene(
    "park", (Group("dog", "red", 2, "left", "foreground"), Group("bench", "brown", 1, "right", "foreground"))
)
# What is absent there has so much weight in parks: all but dogs (7) and benches (6).
ABSENT = sum(SETTINGS["park"].values()) - 7 - 6


@pytest.fixture
def in_the_park(monkeypatch: pytest.MonkeyPatch) -> None:
    """All scenes are the park."""
    monkeypatch.setattr("sheeplib.corpora.meadow.mentions.named_scene", lambda name: PARK)
    monkeypatch.setattr(inventions, "scene", lambda seed: PARK)


def captions(*texts: str, model: str = "ash") -> pd.DataFrame:
    return pd.DataFrame({"model": model, "scene": range(len(texts)), "response": texts})


RED = Claim("colour", "dog", 2, "red")
DOGS, BENCH, KITE = Claim("there", "dog", 2), Claim("there", "bench"), Claim("there", "kite")


def values(table: pd.DataFrame, model: str = "ash") -> dict[str, float]:
    mine = table[table["model"] == model]
    return dict(zip(mine["quantity"], mine["value"], strict=True))


def test_rates_of_captions_by_hand(in_the_park: None) -> None:
    table = caption_rates(
        captions(
            said("en", DOGS, BENCH, KITE),  # 2 concrete, 1 hallucinated
            said("en", DOGS, RED, Claim("hedged", "cat")),  # 2 concrete of one kind
            said("en", Claim("picture", "cat"), Claim("absent", "car"), Claim("purpose", "kite")),
            said("en", Claim("generic", "dog")) + " wug",  # excluded; 4 characters are not read
        )
    )
    rates = values(table)
    assert rates["hallucination rate"] == pytest.approx(1 / 5)
    assert rates["object recall"] == pytest.approx(3 / 8)  # dog, bench; dog; none; none of 2 kinds each
    assert rates["mentions a caption"] == pytest.approx(10 / 4)
    assert rates["non-assertive share"] == pytest.approx(4 / 9)
    for name in ("hedged", "depictive", "purpose", "negation"):
        assert rates[f"{name} share"] == pytest.approx(1 / 9)
    assert rates["excluded share"] == pytest.approx(1 / 10)
    assert rates["captions read whole"] == pytest.approx(3 / 4)
    counts = table.set_index("quantity")["n"]
    assert counts["hallucination rate"] == 5 and counts["object recall"] == 8 and counts["hedged share"] == 9
    assert rates["characters read"] == pytest.approx(1 - 3 / counts["characters read"])  # "wug"


def test_a_model_that_names_nothing_has_no_rate_and_no_interval(in_the_park: None) -> None:
    table = caption_rates(captions("Wug.", "Wug wug.")).set_index("quantity")
    assert np.isnan(table.loc["hallucination rate", ["value", "low", "high"]].astype(float)).all()
    assert table.loc["object recall", "value"] == 0 and table.loc["captions read whole", "value"] == 0


def test_intervals_are_over_images(in_the_park: None) -> None:
    # one caption in four invents, the others do not: the mean of 400 has a standard error of .0217
    texts = [said("en", KITE), *[said("en", DOGS)] * 3] * 100
    row = caption_rates(captions(*texts)).set_index("quantity").loc["hallucination rate"]
    assert row["value"] == 0.25
    assert 0.25 - row["low"] == pytest.approx(1.96 * 0.0217, rel=0.2)
    assert row["high"] - 0.25 == pytest.approx(1.96 * 0.0217, rel=0.2)


def test_inventions_that_are_usual_weigh_more(in_the_park: None) -> None:
    # persons weigh 6 in a park and cars .5; there are 24 kinds, 2 of them present
    usual, rare = said("en", Claim("there", "person")), said("en", Claim("there", "car"))
    never = said("en", Claim("there", "tv"))
    found = values(cooccurrence(captions(usual, rare, never, said("en", DOGS))))
    assert found["weight of inventions"] == pytest.approx((6 + 0.5 + 0) / 3 / ABSENT)
    assert found["weight at random"] == pytest.approx(1 / 22)
    assert found["weight over random"] == pytest.approx((6.5 / 3 / ABSENT) * 22)
    # elsewhere: what of each other setting's weight, without its dogs and benches, is for the three kinds
    shares = []
    for setting in ("street", "kitchen", "lounge", "harbour", "beach"):
        left = {kind: n for kind, n in SETTINGS[setting].items() if kind not in ("dog", "bench")}
        shares.append(sum(left.get(kind, 0) for kind in ("person", "car", "tv")) / sum(left.values()))
    elsewhere = sum(shares) / 5 / 3
    assert found["weight elsewhere"] == pytest.approx(elsewhere)
    assert found["weight over elsewhere"] == pytest.approx((6.5 / 3 / ABSENT) / elsewhere)


def test_what_is_common_everywhere_is_no_sign_that_the_setting_is_seen() -> None:
    def invented(model: str) -> pd.DataFrame:
        texts = []
        for seed in range(300):
            rng = np.random.default_rng(seed)
            absent = [kind for kind in KINDS if kind not in scene(seed).kinds]
            likely = np.array([sum(weights.get(kind, 0) for weights in SETTINGS.values()) for kind in absent])
            blind = absent[int(rng.choice(len(absent), p=likely / likely.sum()))]
            kind = likely_absent(rng, scene(seed)) if model == "prior" else blind
            texts.append(said("en", Claim("there", kind)))
        return captions(*texts, model=model)

    table = cooccurrence(pd.concat([invented("prior"), invented("blind")], ignore_index=True))
    low = table.pivot(index="model", columns="quantity", values="low")
    assert low.loc["prior", "weight over elsewhere"] > 1.2
    blind = table[(table["model"] == "blind") & (table["quantity"] == "weight over elsewhere")].iloc[0]
    assert blind["low"] < 1.15 < low.loc["prior", "weight over elsewhere"]


def test_random_inventions_weigh_as_much_as_chance_and_usual_ones_more() -> None:
    rng = np.random.default_rng(4)

    def invented(usual: bool) -> pd.DataFrame:
        texts = []
        for seed in range(600):
            absent = [kind for kind in KINDS if kind not in scene(seed).kinds]
            kind = likely_absent(rng, scene(seed)) if usual else absent[int(rng.integers(len(absent)))]
            texts.append(said("en", Claim("there", kind)))
        return captions(*texts, model="prior" if usual else "dice")

    table = cooccurrence(pd.concat([invented(True), invented(False)], ignore_index=True))
    ratio = table[table["quantity"] == "weight over random"].set_index("model")
    assert ratio.loc["dice", "low"] < 1 < ratio.loc["dice", "high"]
    assert ratio.loc["prior", "low"] > 2 and (ratio["n"] == 600).all()


def test_a_wrong_picture_raises_the_rate_of_those_who_look() -> None:
    def told(seeds: Sequence[int], shown: Sequence[int], model: str) -> pd.DataFrame:
        texts = [said("en", *(about("there", group) for group in scene(seed).groups)) for seed in shown]
        return pd.DataFrame({"model": model, "scene": seeds, "response": texts})

    seeds, others = list(range(100)), [*range(1, 100), 0]
    right = pd.concat([told(seeds, seeds, "looks"), told(seeds, seeds, "blind")])
    wrong = pd.concat([told(seeds, others, "looks"), told(seeds, seeds, "blind")])
    table = shuffled_control(right, wrong)
    # by brute force: how many of the other scene's kinds are not in this one
    absent = sum(kind not in scene(one).kinds for one, other in zip(seeds, others, strict=True)
                 for kind in scene(other).kinds)  # fmt: skip
    rate = absent / sum(len(scene(seed).kinds) for seed in seeds)
    looks = values(table, "looks")
    assert looks == pytest.approx(
        {"hallucination rate": 0, "hallucination rate, shuffled": rate, "rise": rate}
    )
    rise = table[table["quantity"] == "rise"].set_index("model")
    assert rise.loc["looks", "low"] > 0.5 and (rise.loc["blind", ["value", "low", "high"]] == 0).all()
    with pytest.raises(InputError, match="not of the same scenes"):
        shuffled_control(right, wrong.iloc[1:])


def test_captions_of_scenes_that_have_no_name_are_refused() -> None:
    with pytest.raises(InputError, match="no such image"):
        caption_rates(pd.DataFrame({"model": "ash", "scene": [1_020_000], "response": ["A dog."]}))


def test_abilities_side_by_side(in_the_park: None) -> None:
    both = pd.concat([captions(said("en", KITE)), captions(said("en", DOGS), model="elm")])
    rates = caption_rates(both)
    wide = abilities_table(rates, cooccurrence(both))
    assert list(wide.columns) == ["ash", "elm"]
    assert wide.loc[("hallucination rate", "en")].tolist() == [1.0, 0.0]
    assert wide.loc[("weight at random", "en"), "ash"] == pytest.approx(1 / 22)
    assert np.isnan(wide.loc[("weight at random", "en"), "elm"])  # invented nothing


def test_models_are_asked(words: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(census, "MAX_TOKENS", 8)
    fern = load("fern", directory=write_checkpoints(tmp_path, words, fern=1) / "fern")
    exam = draw_exam(per_type=1, seed=1)
    answers = answer_exam(fern, exam)
    assert list(answers["item"]) == [item.item for item in exam]
    assert answers.equals(answer_exam(fern, exam, batch_size=3))
    assert set(accuracies(exam, answers)["model"]) == {"fern", "chance"}
    right, wrong = caption(fern, [5, 6, 7]), caption(fern, [5, 6, 7], shuffled=True)
    assert list(right["scene"]) == list(wrong["scene"]) == [5, 6, 7]
    assert not right["response"].equals(wrong["response"])
    same = caption(fern, [6])  # draws belong to scene and seed: the picture of 6 with the draws of 5 differs
    assert same["response"].iloc[0] == right["response"].iloc[1]

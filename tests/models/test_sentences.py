"""Where sentences end, by hand, and which translations are called doubtful."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sheeplib.corpora import load
from sheeplib.errors import InputError
from sheeplib.models.sentences import LANGUAGES, count, expected_length, spans, suspicious


def parts(text, language=""):
    return [text[start:end] for start, end in spans(text, language)]


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("en", ["Does this kettle have a lid?", "Tell me more."]),
        ("en", ["It is 3.5 m wide, i.e. very wide.", "It costs $1.20."]),
        ("en", ["Dr. Smith and Mr. J. K. Jones wave.", "They smile."]),
        ("en", ["No. 5 is red, and so is Fig. 2.", "No.", "The image shows a cat."]),
        ("en", ["The sign says “STOP!” in red.", "Then a bus comes."]),
        ("en", ['"What is it?" she asks.', "Nobody knows."]),
        ("en", ["Well... maybe it is.", "Well...", "It is not…", "It may be."]),
        ("en", ["What?!", "No way!!", "(It is a joke.)", "**Bold end.**", "_Next._"]),
        ("en", ["is it red? ", "please elaborate"]),
        ("en", ["Great!", "😀 Look at www.example.com now. 👍"]),
        ("en", ["It stands at 10 a.m. in the U.S. capital.", "It leaves at noon."]),
        ("en", ["Cats, dogs, etc. are here.", "Birds are not."]),
        ("en", ["Built in 1992.", "Sold in 2001."]),
        ("fr", ["M. Dupont et Mme. Durand arrivent.", "Est-ce une fête\xa0?", "Oui\u202f!"]),
        ("fr", ["Elle dit : « Viens ! » et part.", "Il répond : « Non. »", "Puis rien."]),
        ("it", ["Il sig. Rossi, cfr. p. 3, saluta.", "C’è il sig.ra Bianchi?", "Sì."]),
        ("zh", ["这只水壶有盖子吗？", "多说一点。"]),
        ("zh", ["牌子上写着“停！”两个字。", "旁边有3.5米高的树……", "真好！！"]),
        ("zh", ["这是猫．", "那是狗｡", "不是吗?", "是的"]),
    ],
)
def test_sentences_by_hand(language, sentences):
    joint = "" if language == "zh" else " "
    text = joint.join(sentence.strip() for sentence in sentences)
    assert parts(text, language) == [sentence.strip() for sentence in sentences]


def test_points_of_a_list_are_sentences_and_their_numbers_are_not():
    text = (
        "Here is why:\n\n1.  **Shape:** round, e.g. no corners\n2. Colour. It is red.\n- one\n- two\n\n---\n"
    )
    expected = [
        "Here is why:",
        "1.  **Shape:** round, e.g. no corners",
        "2. Colour.",
        "It is red.",
        "- one",
        "- two",
    ]
    assert parts(text, "en") == expected
    assert parts("主要内容如下：\n1. 环境中有木地板。\n2. 有一把椅子。", "zh") == [
        "主要内容如下：", "1. 环境中有木地板。", "2. 有一把椅子。",
    ]  # fmt: skip


def test_a_sentence_may_run_over_lines():
    assert parts("The cat sits on\nthe mat, near\r\na dog.\nIt sleeps.") == [
        "The cat sits on\nthe mat, near\r\na dog.", "It sleeps.",
    ]  # fmt: skip
    assert count("The cat\n\nthe dog") == 2  # an empty line ends whatever was before


def test_nothing_is_no_sentence():
    for text in ("", "  \n\t", "...", "😀!", "---\n***", "。！"):
        assert spans(text) == []


def test_a_small_letter_behind_a_space_less_mark_is_one_sentence():
    assert count("a.b!c") == 1 and count("Yes!No") == 2 and count("说：yes.no。") == 1


@given(st.text(st.characters(codec="utf-8"), max_size=80), st.sampled_from([*LANGUAGES, ""]))
def test_sentences_leave_out_nothing_but_white_space_and_signs(text, language):
    edge = 0
    for start, end in spans(text, language):
        assert edge <= start < end <= len(text)
        assert not any(letter.isalnum() for letter in text[edge:start])
        assert text[start:end] == text[start:end].strip()
        edge = end
    assert not any(letter.isalnum() for letter in text[edge:])


@given(
    st.lists(st.sampled_from(["Is it red?", "It is big.", "Look!", "A dog runs."]), min_size=1, max_size=9)
)
def test_counts_add_up(sentences):
    assert count(" ".join(sentences), "en") == count("\n".join(sentences), "en") == len(sentences)


def test_long_texts_take_time_in_proportion():
    assert count("Is it? " * 20_000) == 20_000
    assert count("." * 200_000 + "a" * 200_000) == 1


TWO = "Does this kettle have a lid? Say more about it."


@pytest.mark.parametrize(
    ("source_text", "translation", "source", "target", "reason"),
    [
        (TWO, "Cette bouilloire a-t-elle un couvercle ? Dis-en plus.", "en", "fr", ""),
        (TWO, "Cette bouilloire a-t-elle un couvercle ?", "en", "fr", "1 of 2 sentences"),
        (TWO, "Questo bollitore ha un coperchio?", "en", "it", "1 of 2 sentences"),
        (TWO, "这只水壶有盖子吗？", "en", "zh", "1 of 2 sentences"),
        (TWO, "这只水壶有盖子吗？请再多说一点。", "en", "zh", ""),
        (TWO, "这只水壶有没有一个盖子呢，请再多说一点。", "en", "zh", ""),  # joined, not lost
        ("这只水壶有盖子吗？请再多说一点。", "Does this kettle have a lid?", "zh", "en", "1 of 2 sentences"),
        ("A. One dog. Two cats. Three birds sit there.", "Un chien.", "en", "fr", "1 of 3 sentences"),
        (TWO, "", "en", "fr", "nothing translated"),
        (TWO, " … !", "en", "fr", "nothing translated"),
        ("…", "", "en", "fr", ""),  # there was nothing to translate
        (TWO, TWO, "en", "fr", "still in the language of the source"),
        (TWO, TWO.upper(), "en", "it", "still in the language of the source"),
        (TWO, "Does this kettle have a lid, please?", "en", "zh", "still in the language of the source"),
        ("这只水壶有盖子吗？请再多说一点。", "这水壶有盖子吗？说一点。", "zh", "fr",
         "still in the language of the source"),
        ("Coca-Cola 2010", "Coca-Cola 2010", "en", "fr", ""),  # a name
        ("What is written?", "Le chat est là. " * 6, "en", "fr", "repeats itself"),
        ("写的是什么？", "红" * 12, "zh", "zh", "repeats itself"),
        ("写的是什么？", "牌子上写着停车" * 4, "zh", "zh", "repeats itself"),
        ("Ho ho ho " * 5, "Ho ho ho " * 5 + "!", "en", "it", "still in the language of the source"),
        ("How many apples lie in the basket?", "Combien ?", "en", "fr",
         "0.25 times as long as expected"),  # 9 / (34 * 1.05)
        (
            "How many apples are there?",
            "Il y a beaucoup de pommes dans le panier, car c’est l’automne au jardin.",
            "en", "fr", "2.6 times as long as expected",  # 72 / (26 * 1.05)
        ),
        ("Red?", "Est-ce que c’est rouge ?", "en", "fr", ""),  # too short for lengths to say anything
    ],
)  # fmt: skip
def test_doubts_by_hand(source_text, translation, source, target, reason):
    assert suspicious(source_text, translation, source, target) == reason


def test_lengths_by_hand():
    # 20 characters of English are 21 of French; 20 of French are 20 / 1.05 * .35 = 6.67 of Chinese
    assert expected_length("x" * 20 + " \n", "en", "fr") == pytest.approx(21)
    assert expected_length("x" * 20, "fr", "zh") == pytest.approx(6.667, abs=1e-3)


def test_languages_without_rules_are_refused():
    with pytest.raises(InputError, match="no rules for this language.*'de'"):
        suspicious("a", "b", "en", "de")


@pytest.mark.parametrize(("source", "target"), list(itertools.permutations(LANGUAGES, 2)))
def test_first_sentences_of_the_meadow_are_caught_and_whole_answers_are_not(source, target):
    items = load("meadow", per_language=20, per_cell=0).items
    texts = items.pivot(index="parallel", columns="language", values="response")
    for text, whole in zip(texts[source], texts[target], strict=True):
        assert suspicious(text, whole, source, target) == ""
        first = parts(whole, target)[0]
        assert suspicious(text, first, source, target) == f"1 of {count(text, source)} sentences"


def test_sheeps_questions_lost_their_second_sentence_in_french_and_italian(shared):
    """All questions from VISaGE have two sentences in English and Chinese; NLLB kept the first."""
    items = load("sheep", directory=shared / "sheep").items
    visage = items[items["source"] == "visage"]
    counts = {
        language: rows["prompt"].map(lambda text, of=language: count(text, of)).value_counts().to_dict()
        for language, rows in visage.groupby("language")
    }
    assert counts == {"en": {2: 307}, "fr": {1: 262, 2: 12}, "it": {1: 264, 2: 7}, "zh": {2: 317}}


@pytest.mark.parametrize("target", ["fr", "it"])
def test_real_losses_are_caught_and_real_translations_are_not(shared, target):
    items = load("sheep", directory=shared / "sheep").items.drop_duplicates(["image", "language", "prompt"])
    asked = items.groupby(["image", "language"])["prompt"].agg(list).unstack()[["en", target]].dropna()
    single = asked[asked.map(len).eq(1).all(axis=1)].map(lambda prompts: prompts[0])
    lost = single["en"].map(count) > single[target].map(lambda text: count(text, target))
    doubts = single.apply(lambda row: suspicious(row["en"], row[target], "en", target), axis=1)
    assert lost.sum() > 90 and (~lost).sum() > 30
    assert (doubts[lost] == "1 of 2 sentences").all()
    assert (doubts[~lost] == "").all()

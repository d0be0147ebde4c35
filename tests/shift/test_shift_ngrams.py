import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline, make_union

from sheeplib import InputError
from sheeplib.shift import Method, characters, words
from sheeplib.shift.classifier import fitted, held_out
from sheeplib.shift.ngrams import count, features
from texts_of import written


def test_ngrams_of_characters_keep_case_and_blanks():
    assert characters("aB\n\n c", (1, 1)) == ["a", "B", "\n", "\n", " ", "c"]
    assert characters("abc", (2, 3)) == ["ab", "bc", "abc"]
    assert characters("ab", (3, 4)) == [] and characters("", (1, 2)) == []
    assert characters("好👍🏽", (1, 1)) == ["好", "👍", "🏽"]  # code points, as everywhere


def test_punctuation_marks_are_words():
    assert words("It's **two**.", (1, 1)) == ["It", "'", "s", "*", "*", "two", "*", "*", "."]
    assert words("no cat", (1, 2)) == ["no", "cat", "no cat"]
    assert words("Ça, où?", (2, 2)) == ["Ça ,", ", où", "où ?"]
    assert words("", (1, 2)) == [] and words(" \n", (1, 1)) == []


def test_chinese_has_no_words_and_a_level_without_ngrams_is_left_out():
    levels = count(["一只狗。", "a dog"], ["zh", "en"], Method(words=(1, 1)))
    assert [level.name for level in levels] == ["character", "word"]
    assert levels[1].ngrams.tolist() == ["a", "dog"]
    assert levels[1].counts.toarray().tolist() == [[0, 0], [1, 1]]
    assert [level.name for level in count(["一只狗。"], ["zh"], Method())] == ["character"]
    assert [level.name for level in count(["一只 狗"], ["zh"], Method(unsegmented=(), words=(1, 1)))][1:] == [
        "word"
    ]
    assert count(["", ""], ["en", "en"], Method()) == []


def twin(method):
    """The same classifier, from scikit-learn's own parts."""
    token = r"\w+|[^\w\s]"
    parts = [
        TfidfVectorizer(analyzer="char", ngram_range=method.characters, lowercase=False, min_df=2),
        TfidfVectorizer(token_pattern=token, ngram_range=method.words, lowercase=False, min_df=2),
    ]
    return make_pipeline(make_union(*parts), LogisticRegression(C=method.C, tol=1e-8, max_iter=2000))


@pytest.mark.parametrize("origins", [2, 4])
def test_counting_once_gives_what_scikit_learn_gives_fold_by_fold(origins):
    rng = np.random.default_rng(3)
    texts = [f"{text}, Ünïque{n % 7} *{n % 3}*" for n, text in enumerate(written(rng, 60))]
    truth, part, method = rng.integers(origins, size=60), np.arange(60) % 3, Method(C=3.0)
    levels = count(texts, ["en"] * 60, method)
    expected = np.empty(60, dtype=int)
    for number in range(3):
        test = part == number
        model = twin(method).fit([t for t, out in zip(texts, test, strict=True) if not out], truth[~test])
        seen = [t for t, out in zip(texts, test, strict=True) if out]
        expected[test] = model.predict(seen)
        matrix, _ = features(levels, ~test, 2)
        ours = fitted(matrix[~test], truth[~test], method).predict_proba(matrix[test])
        np.testing.assert_allclose(ours, model.predict_proba(seen), atol=2e-3)
    assert (held_out(levels, truth, part, method) == expected).all()


def test_texts_to_test_on_decide_nothing_about_the_features():
    """An n-gram that the known texts do not have changes no other feature of a text."""
    method = Method(min_texts=1)
    texts = ["red dog", "blue dog", "dog red", "dog zebra"]
    known = np.array([True, True, True, False])
    matrix, kept = features(count(texts, ["en"] * 4, method), known, 1)
    short, _ = features(count([*texts[:3], "dog"], ["en"] * 4, method), known, 1)
    names = [level.ngrams[k] for level, k in zip(count(texts, ["en"] * 4, method), kept, strict=True)]
    assert "zebra" not in names[1] and "z" not in names[0]
    assert matrix.shape == short.shape
    assert (matrix[:3] != short[:3]).nnz == 0


def test_nothing_to_learn_from_is_refused():
    for texts in (["", "", ""], ["ab", "cd", "ef"]):
        levels = count(texts, ["en"] * 3, Method())
        with pytest.raises(InputError, match="no n-gram occurs in 2 of the texts"):
            held_out(levels, np.array([0, 1, 0]), np.array([0, 1, 1]), Method())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"C": 0}, "'C': out of range .found 0"),
        ({"C": float("nan")}, "'C': out of range"),
        ({"folds": 1}, "'folds': out of range"),
        ({"min_texts": 0}, "'min_texts': out of range"),
        ({"characters": (3, 1)}, "'characters': out of range .found .3, 1.*such as .1, 3."),
        ({"words": (0, 2)}, "'words': out of range"),
        ({"words": (1, 2, 3)}, "'words': out of range"),
        ({"words": None, "characters": None}, "no n-grams at all"),
    ],
)
def test_choices_that_make_no_sense_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        Method(**options)
    assert Method(characters=[1, 2]) == Method(characters=(1, 2))

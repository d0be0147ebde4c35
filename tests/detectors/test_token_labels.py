import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sheeplib import load, tables
from sheeplib.corpora import Corpus
from sheeplib.detectors.token_labels import item_places, token_labels
from sheeplib.errors import InputError
from sheeplib.features import alignment


def corpus(responses: dict[str, str], labels: list[tuple], **about) -> Corpus:
    items = pd.DataFrame({"item": list(responses), "corpus": "test", "response": list(responses.values())})
    for column in ("split", "language", "prompt", "image", "strategy", "model", "source", "prelabel"):
        items[column] = pd.NA
    marks = pd.DataFrame(labels, columns=["item", "start", "end", "prob", "label"])
    marks = tables.validate("labels", marks) if len(marks) else tables.empty("labels")
    return Corpus("test", tables.validate("items", items), labels=marks, **about)


def tokens(offsets: dict[str, list[tuple[int, int]]]) -> pd.DataFrame:
    rows = [(item, "m", n, *edge) for item, edges in offsets.items() for n, edge in enumerate(edges)]
    frame = pd.DataFrame(rows, columns=["item", "evaluator", "token", "start", "end"])
    return tables.validate("tokens", frame)


def test_a_worked_example():
    # "A red cat": tokens "A", " red", " cat"; "red c" is marked B by 1/4, "cat" is marked A by 1/2.
    # "cat" shares 1 character with B (1 * 1/4) and 3 with A (3 * 1/2): A; (3 * 1/2) / 3 characters = .5.
    texts = corpus({"i": "A red cat"}, [("i", 2, 7, 0.25, "B"), ("i", 6, 9, 0.5, "A")])
    cut = tokens({"i": [(0, 1), (1, 5), (5, 9)]})
    found = token_labels(texts, cut)
    assert found["label"].tolist() == ["F", "B", "A"]
    assert found["marked"].tolist() == [False, True, True]
    assert found["share"].tolist() == [1, 0.25, 0.5]
    assert token_labels(texts, cut, "first")["label"].tolist() == ["F", "B", "B"]
    # Shares add up to .25 on "red" and to .75 on "c".
    strict = token_labels(texts, cut, minimum="majority")
    assert strict["label"].tolist() == ["F", "F", "A"]
    assert strict["share"].tolist() == [1, 0.75, 0.5]


def test_white_space_in_front_of_a_token_is_not_marked():
    texts = corpus({"i": "a b"}, [("i", 0, 2, 1.0, "C")])  # "a " is marked, "b" is not
    assert token_labels(texts, tokens({"i": [(0, 1), (1, 3)]}))["label"].tolist() == ["C", "F"]


def test_pieces_of_one_character_are_all_marked():
    texts = corpus({"i": "a🐑 羊"}, [("i", 1, 2, 1.0, "A"), ("i", 3, 4, 1 / 3, "D")])
    cut = tokens({"i": [(0, 1), (1, 2), (1, 2), (1, 2), (2, 3), (3, 4), (3, 4)]})
    assert token_labels(texts, cut)["label"].tolist() == ["F", "A", "A", "A", "F", "D", "D"]


def test_thirds_make_a_majority_and_labels_are_added_up():
    third = 1 / 3
    texts = corpus({"i": "abc"}, [("i", 0, 2, third, "A"), ("i", 1, 3, 1 / 6, "B")])
    strict = token_labels(texts, tokens({"i": [(0, 1), (1, 2), (2, 3)]}), minimum="majority")
    assert strict["label"].tolist() == ["F", "A", "F"]  # 1/3 + 1/6 = .5 on "b" alone


def test_spans_of_share_0_mark_nothing():
    texts = corpus({"i": "abc"}, [("i", 0, 3, 0.0, "A")])
    assert token_labels(texts, tokens({"i": [(0, 3)]}))["label"].tolist() == ["F"]


def test_answers_without_labels_are_missing_not_fine():
    texts = corpus({"i": "ab", "j": "cd"}, [("i", 0, 1, 1.0, "A")])
    texts.items["labelled"] = [True, False]
    found = token_labels(texts, tokens({"i": [(0, 1), (1, 2)], "j": [(0, 2)]}))
    assert found["label"].fillna("-").tolist() == ["A", "F", "-"]
    assert found["marked"].isna().tolist() == found["share"].isna().tolist() == [False, False, True]
    none = corpus({"i": "ab"}, [], lacks={"labels": "withheld"})
    assert token_labels(none, tokens({"i": [(0, 1)]})).isna().all(axis=None)


def test_without_kinds_a_mark_has_no_letter():
    texts = corpus({"i": "ab"}, [("i", 0, 1, 1.0, pd.NA)], lacks={"kinds": "no kinds"})
    found = token_labels(texts, tokens({"i": [(0, 1), (1, 2)]}))
    assert found["marked"].tolist() == [True, False]
    assert found["label"].fillna("-").tolist() == ["-", "F"]


def test_no_tokens_and_empty_responses():
    texts = corpus({"i": "", "j": "x"}, [("j", 0, 1, 1.0, "E")])
    assert len(token_labels(texts, tables.empty("tokens"))) == 0
    assert token_labels(texts, tokens({"i": [(0, 0)], "j": [(0, 1)]}))["label"].tolist() == ["F", "E"]


SPAN = st.tuples(
    st.integers(0, 7), st.integers(1, 4), st.sampled_from([0.25, 0.5, 1.0]), st.sampled_from("ABC")
)
TEXT = st.text(alphabet="a 🐑羊\n\u0301", min_size=12, max_size=12)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(
            TEXT,
            st.lists(SPAN, max_size=5),
            st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), max_size=6),
        ),
        max_size=4,
    ),
    st.sampled_from(["heaviest", "first"]),
)
def test_one_join_gives_what_each_answer_gives_by_itself(answers, choice):
    texts = {f"i{n}": text for n, (text, _, _) in enumerate(answers)}
    marks = [(f"i{n}", a, a + b, p, la) for n, (_, spans, _) in enumerate(answers) for a, b, p, la in spans]
    cuts = {f"i{n}": [(a, a + b) for a, b in edges] for n, (_, _, edges) in enumerate(answers)}
    if not texts:
        return
    found = token_labels(corpus(texts, marks), tokens(cuts), choice)["label"].tolist()
    one_by_one = []
    how = "largest" if choice == "heaviest" else "first"
    for n, (text, spans, _) in enumerate(answers):
        for cut in cuts[f"i{n}"]:  # with the spans that it meets alone: of equals, the first of them counts
            ranges = [(a, a + b) for a, b, *_ in spans]
            met = [
                s
                for s, shared in zip(spans, alignment.overlaps([cut], text, ranges)[0], strict=True)
                if shared > 0
            ]
            ranges, labels, probs = [(a, a + b) for a, b, *_ in met], [s[3] for s in met], [s[2] for s in met]
            one_by_one += alignment.token_labels([cut], text, ranges, labels, probs, how)[0].tolist()
    assert found == one_by_one


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"choice": "longest"}, "unknown choice .found 'longest'.*heaviest or first"),
        ({"minimum": "most"}, "unknown choice"),
        ({"tokens": {"x": [(0, 1)]}}, "1 items are not among those of corpus 'test' .found 'x'"),
        ({"tokens": {"i": [(0, 4)]}}, "item i: a token leaves the response"),
    ],
)
def test_what_makes_no_sense_is_refused(change, message):
    options = {"tokens": {"i": [(0, 1)]}} | change
    cut = tokens(options.pop("tokens"))
    with pytest.raises(InputError, match=message):
        token_labels(corpus({"i": "abc"}, []), cut, **options)


def test_on_real_answers_words_are_labelled_as_their_characters(shared):
    real = load("sheep", directory=shared / "sheep")
    items = real.items.iloc[::37]
    words = {row.item: [(n, n + 1) for n in range(len(row.response))] for row in items.itertuples()}
    found = token_labels(real, cut := tokens(words))
    marked = found["marked"].astype(bool).to_numpy()
    seen = set()
    for row in real.labels[real.labels["prob"] > 0].itertuples():
        seen |= {(row.item, n) for n in range(row.start, row.end)}
    texts = items.set_index("item")["response"]
    expected = [
        (item, start) in seen and not texts[item][start].isspace()
        for item, start in zip(cut["item"], cut["start"], strict=True)
    ]
    assert marked.tolist() == expected
    assert item_places(real, cut).max() < len(real.items)

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sheeplib import InputError, Label, tables


def spans(**changes):
    row = {"item": "a", "annotator": "r", "order": 0, "start": 0, "end": 3, "label": "A"} | changes
    return pd.DataFrame([row])


ITEMS = pd.DataFrame({"item": ["a", "b"], "response": ["née 😀", "e\u0301\u2028x"]}, dtype="string")


def test_labels_stand_in_the_order_of_the_paper():
    assert "".join(Label) == "ABCDEF"
    names = ["invention", "mischaracterization", "OCR", "miscounting", "other", "none"]
    assert [label.official_name for label in Label] == names
    assert (
        [Label.parse(name) for name in names] == [Label.parse(letter) for letter in "ABCDEF"] == list(Label)
    )


@pytest.mark.parametrize("text", ["ocr", "G", "", "Invention", "a"])
def test_unknown_labels_are_refused_with_the_known_ones(text):
    with pytest.raises(InputError, match=r"unknown label .*A \(invention\).*E \(other\)"):
        Label.parse(text)


@pytest.mark.parametrize("table", tables.SCHEMAS)
def test_empty_tables_are_valid_and_every_column_says_what_it_is(table):
    assert len(tables.validate(table, tables.empty(table))) == 0
    assert all(column.description for column in tables.SCHEMAS[table].columns.values())


def test_types_are_coerced_and_further_columns_kept_behind():
    frame = tables.validate("spans", spans(extra=1.5, start="1")[["extra", *spans(start="1").columns]])
    assert list(frame.columns) == ["item", "annotator", "order", "start", "end", "label", "extra"]
    assert frame["start"].tolist() == [1] and str(frame["start"].dtype) == "int64"


def test_missing_is_missing_and_no_category():
    frame = tables.validate("spans", spans(label=None))
    assert frame["label"].isna().all() and frame["label"][0] is pd.NA


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"label": "Q"},
            r"f\.csv: field 'label': table 'spans', row 0: must be one of A, B, C, D, E \(found 'Q'\)",
        ),
        ({"start": -1}, r"field 'start': .*must not be negative \(found -1\)"),
        ({"end": "three"}, r"field 'end': .*wrong type of value \(found 'three'\)\. Expected int64"),
        ({"annotator": None}, r"field 'annotator': .*row 0: value is missing\. Fill it in"),
    ],
)
def test_messages_name_file_row_field_value_and_remedy(changes, message):
    with pytest.raises(InputError, match=message):
        tables.validate("spans", spans(**changes), path="f.csv")


@pytest.mark.parametrize("start", [0.5, pd.Series([0.5], dtype=object), pd.Series([0.5], dtype="Float64")])
def test_fractions_are_refused_and_not_cut(start):
    with pytest.raises(InputError, match=r"field 'start': .*row 0: not a whole number \(found 0\.5\)"):
        tables.validate("spans", spans().assign(start=start))
    assert tables.validate("spans", spans().assign(end=3.0))["end"].tolist() == [3]


@pytest.mark.parametrize("prob", [-0.1, 1.1])
def test_shares_of_annotators_are_from_0_to_1(prob):
    row = {"item": "a", "start": 0, "end": 1, "prob": prob, "label": "A"}
    with pytest.raises(InputError, match="field 'prob': .*must be from 0 to 1"):
        tables.validate("labels", pd.DataFrame([row]))


def test_a_wrong_type_is_reported_once():
    with pytest.raises(InputError) as caught:
        tables.validate("spans", spans(end="three"))
    assert len(caught.value.problems) == 1


def test_duplicates_are_reported_once_a_row():
    with pytest.raises(InputError, match="item, annotator, order.*row 1: .*occurs twice") as caught:
        tables.validate("spans", pd.concat([spans(), spans(start=1)]))
    assert len(caught.value.problems) == 1


def test_absent_columns_are_named_with_their_meaning():
    with pytest.raises(InputError, match="'spans' lacks columns.*'label': A to E"):
        tables.validate("spans", spans().drop(columns="label"))


def test_offsets_count_code_points():
    # "née 😀" has 5 code points (6 UTF-16 units), "e◌́ + line separator + x" has 4.
    fine = pd.DataFrame({"item": ["a", "b"], "start": [4, 2], "end": [5, 4]})
    tables.check_offsets(ITEMS, fine)
    with pytest.raises(InputError, match="item a: span ends past the text.*code points"):
        tables.check_offsets(ITEMS, fine.assign(end=[6, 4]))


@pytest.mark.parametrize(
    ("item", "start", "end", "message"),
    [("a", 3, 3, "covers nothing"), ("a", 4, 2, "covers nothing"), ("c", 0, 1, "not in the items")],
)
def test_spans_that_mark_nothing_are_refused(item, start, end, message):
    with pytest.raises(InputError, match=message) as caught:
        tables.check_offsets(ITEMS, pd.DataFrame({"item": [item], "start": [start], "end": [end]}))
    assert len(caught.value.problems) == 1


def test_a_long_list_of_problems_is_cut_and_counted():
    many = pd.concat([spans(order=n, label="Q") for n in range(30)])
    with pytest.raises(InputError, match=r"and 10 more problems") as caught:
        tables.validate("spans", many)
    assert len(caught.value.problems) == 30


@given(st.text(max_size=200))
def test_any_value_can_be_shown_in_a_message(value):
    text = str(InputError(tables.unknown_label(value, path="p", line=3)))
    assert text.startswith("p:3: unknown label") and "\n" not in text

from dataclasses import replace

import pandas as pd

from corpora_of import corpus_of
from sheeplib.report.remarks import describe, emerging, reasons

CORPUS = corpus_of({"a": [[(0, 3, "A")], []]})


def test_a_corpus_says_what_is_simulated_and_what_it_lacks():
    said = str(
        describe(
            replace(CORPUS, simulated="Writers are programs.", lacks={"model": "nobody knows"}, notes=("x.",))
        )
    )
    assert "1 items, 2 annotations, 1 spans" in said
    assert "Writers are programs." in said and "real" not in said
    assert "No model: nobody knows." in said and "Note: x." in said
    assert "Items and annotations are real." in str(describe(CORPUS))


def test_texts_are_escaped():
    shown = describe(replace(CORPUS, lacks={"model": "<script>alert(1)</script>"}))._repr_html_()
    assert "<script>" not in shown and "&lt;script&gt;" in shown


def test_each_reason_stands_once_with_its_quantities():
    table = pd.DataFrame(
        {
            "quantity": ["a", "b", "a", "c"],
            "value": [None, None, None, 1.0],
            "reason": ["why", "why", "other", None],
        }
    )
    assert reasons(table).points == ("a, b: why.", "a: other.")
    assert reasons(table[table["value"].notna()]).points == ()
    assert reasons(table.assign(reason=pd.NA)).points == ("a, b: no reason is given.",)


def compared(*rows):
    columns = ["quantity", "strategy", "against", "value", "low", "high", "reason"]
    return pd.DataFrame([(f"{name}_difference", *rest) for name, *rest in rows], columns=columns)


def test_differences_that_emerge_are_said_with_the_higher_group_first():
    table = compared(
        ("span_iou", "human", "map", 0.2, 0.1, 0.3, pd.NA),
        ("span_iou", "human", "random", -0.25, -0.35, -0.15, pd.NA),
        ("span_iou", "map", "random", 0.01, -0.02, 0.04, pd.NA),
        ("presence_alpha", "human", "map", 0.1, 0.0, 0.2, pd.NA),  # an end at zero does not leave it out
        ("presence_alpha", "human", "random", 0.1, -0.1, 0.2, pd.NA),
        ("presence_alpha", "map", "random", None, None, None, "no ratings"),
    )
    told = emerging(table, "strategy", replace(CORPUS, simulated="Annotators are programs."))
    counts, simulated = told.paragraphs
    assert counts.startswith("Of 5 differences between groups by strategy, 2 have a 95 % interval")
    assert simulated == "Annotators are programs."
    assert told.points == (
        "Span, labels ignored (IoU): human is above map by 0.200 [0.100, 0.300]; random is above human by "
        "0.250 [0.150, 0.350]; no clear difference between map and random.",
        "Presence (alpha, free margins): no clear difference between human and map, nor between human and "
        "random; map and random cannot be compared: no ratings.",
    )
    # rows that were put together from several tables share their index
    again = emerging(pd.concat([table.iloc[:3], table.iloc[3:].reset_index(drop=True)]), "strategy", CORPUS)
    assert again.points == told.points and len(again.paragraphs) == 1


def test_where_nothing_can_be_compared_that_is_said():
    told = emerging(compared(("span_iou", "a", "b", None, None, None, "no ratings")), "strategy", CORPUS)
    assert told.paragraphs == ("No difference between groups by strategy can be computed.",)
    assert told.points == ("Span, labels ignored (IoU): a and b cannot be compared: no ratings.",)

from dataclasses import replace

import pandas as pd

from corpora_of import corpus_of
from sheeplib.report.remarks import describe, reasons

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

import re
import time

import pandas as pd
import pytest

from sheeplib import Corpus, tables
from sheeplib.report import Receipt, about, receipt


@pytest.fixture
def corpus():
    rows = {"item": ["x", "y"], "corpus": "<toy>", "response": ["a", "b"]}
    missing = {name: pd.NA for name in tables.SCHEMAS["items"].columns if name not in rows}
    return Corpus(
        "<toy>", tables.validate("items", pd.DataFrame(rows | missing)), simulated="all & everything"
    )


def test_a_receipt_tells_what_was_used(corpus):
    facts = receipt(corpus, n=1234, seed=0, resamples=2000, evaluator="m", feature_key="k").as_dict()
    assert facts["corpus"] == f"<toy> ({corpus.fingerprint})"
    assert (facts["items"], facts["seed"], facts["resamples"]) == ("1,234", "0", "2,000")
    assert (facts["evaluator"], facts["features"], facts["simulated"]) == ("m", "k", "all & everything")
    assert re.fullmatch(r"sheeplib [\d.]+( \([0-9a-f]{7,}\+?\))?", facts["package"])
    assert re.fullmatch(r"[\d,]+ MiB", facts["peak memory"])
    assert facts["device"]


def test_what_was_not_used_is_not_told(corpus):
    facts = receipt(corpus).as_dict()
    assert facts["items"] == "2"
    assert not {"seed", "resamples", "evaluator", "features"} & set(facts)


def test_time_counts_from_the_given_start(corpus):
    assert receipt(corpus, started=time.perf_counter() - 5).as_dict()["time"] in {"5.0 s", "5.1 s"}


def test_names_from_data_are_escaped(corpus):
    page = receipt(corpus)._repr_html_()
    assert "<b>corpus</b> &lt;toy&gt; (" in page and "all &amp; everything" in page and "<toy>" not in page


def test_about_names_python_and_libraries():
    facts = about().as_dict()
    assert facts["pandas"] == pd.__version__
    assert {"package", "Python", "numpy", "device"} <= set(facts)


def test_a_receipt_reads_as_one_line():
    assert str(Receipt({"a": "1", "b": "2"})) == "a: 1; b: 2"

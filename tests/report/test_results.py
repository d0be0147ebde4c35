import pandas as pd
import pytest

from sheeplib import InputError
from sheeplib.report import read_results, results_directory, save_results

ROWS = pd.DataFrame(
    {
        "quantity": ["alpha", "iou"],
        "language": ["en", "NA"],
        "value": [0.1 + 0.2, None],
        "low": [0.1, None],
        "high": [1 / 3, None],
        "n": [3, None],
        "corpus": "toy",
        "seed": 1,
        "reason": ["", "one kind, 只有一种"],
    }
)


def test_results_come_back_to_the_last_digit(tmp_path):
    save_results(ROWS, "02_x", tmp_path)
    back = read_results(tmp_path)
    assert back["value"][0] == 0.1 + 0.2 and back["high"][0] == 1 / 3 and pd.isna(back["value"][1])
    assert list(back["notebook"]) == ["02_x", "02_x"]
    assert list(back["language"]) == ["en", "NA"]
    assert back["reason"][1] == "one kind, 只有一种"
    assert str(back["n"].dtype) == "Int64" and pd.isna(back["n"][1])


def test_notebooks_with_other_groups_stand_side_by_side(tmp_path):
    save_results(ROWS, "02_x", tmp_path)
    save_results(ROWS.drop(columns="language").assign(model="7"), "03_y", tmp_path)
    back = read_results(tmp_path)
    assert len(back) == 4 and list(back["model"][2:]) == ["7", "7"] and back["language"][2:].isna().all()


def test_results_of_another_corpus_are_refused(tmp_path):
    save_results(ROWS, "02_x", tmp_path)
    save_results(ROWS.assign(corpus=None), "03_y", tmp_path)
    assert len(read_results(tmp_path, corpus="toy")) == 4
    with pytest.raises(InputError, match=r"02_x\.csv: results on toy, not on meadow\. Run notebook '02_x'"):
        read_results(tmp_path, corpus="meadow")


def test_equal_results_give_equal_bytes_and_no_draft_stays(tmp_path):
    save_results(ROWS, "a", tmp_path / "1")
    save_results(ROWS, "a", tmp_path / "2")
    assert (tmp_path / "1" / "a.csv").read_bytes() == (tmp_path / "2" / "a.csv").read_bytes()
    assert [path.name for path in (tmp_path / "1").iterdir()] == ["a.csv"]


def test_invalid_results_leave_what_was_there(tmp_path):
    save_results(ROWS, "a", tmp_path)
    before = (tmp_path / "a.csv").read_bytes()
    with pytest.raises(InputError, match="lacks columns"):
        save_results(ROWS.drop(columns="value"), "a", tmp_path)
    assert (tmp_path / "a.csv").read_bytes() == before


def test_a_run_says_where_results_go_and_trying_by_hand_goes_elsewhere(monkeypatch, tmp_path):
    monkeypatch.setenv("SHEEP_RESULTS", str(tmp_path))
    assert results_directory() == tmp_path
    monkeypatch.delenv("SHEEP_RESULTS")
    assert results_directory().as_posix() == "results/own"


def test_no_results_are_told(tmp_path):
    with pytest.raises(InputError, match="no tables of results"):
        read_results(tmp_path)

"""What the chapter on differences claims: its cells are run, and their numbers checked by hand."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sheeplib.report
from sheeplib.published import published

CHAPTER = Path(__file__).parents[1] / "notebooks" / "13_differences.ipynb"


@pytest.fixture(scope="module")
def found():
    """Names that the chapter's cells define, after all of them have run."""
    cells = json.loads(CHAPTER.read_text(encoding="utf-8"))["cells"]
    names: dict = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sheeplib.report, "show_table", lambda *arguments, **options: None)
        for cell in cells:
            if cell["cell_type"] == "code":
                source = re.sub(r"^( *)%.*$", r"\1pass", "".join(cell["source"]), flags=re.MULTILINE)
                exec(compile(source, cell["id"], "exec"), names)
    return names


def test_the_printed_alpha_fits_two_labels_only(found):
    # Guessing: disagreement (k - 1) / k; printed 1 - k (k - 1) / k = 2 - k.
    alphas = found["alphas"].set_index("labels")
    for k in found["kinds"]:
        assert alphas.loc[k, "disagreement"] == pytest.approx((k - 1) / k)
        assert alphas.loc[k, "as printed"] == pytest.approx(2 - k, abs=1e-12)
        assert alphas.loc[k, "with k / (k - 1)"] == pytest.approx(0, abs=1e-12)


def test_one_order_of_table_8_fits_and_is_ours(found):
    orders = found["orders"]
    assert len(orders) == 24 and orders["numbers that fit"].iloc[0] == found["theirs"].size == 36
    assert orders["numbers that fit"].iloc[1] < 36
    assert orders["order of columns"].iloc[0] == "longest, first, longest_given, first_given"
    first = published("sheep", 8)["quantity"].head(4).str.removeprefix("label_alpha_")
    assert ", ".join(first) == orders["order of columns"].iloc[0]


def test_fifteen_features_are_constant(found):
    assert (found["absent"], len(found["features"]), found["chance"]) == (15, 21, 0.5)


def test_the_mean_of_attention_is_one_over_the_length(found):
    means = found["means"]
    assert len(means) == 9 and means["largest weight"].max() > 0.5
    assert means["mean weight"].to_numpy() == pytest.approx(means["1 / keys"].to_numpy(), rel=1e-12)


def test_the_codes_gini_is_one_over_n_less_g(found):
    # All alike: G = 0, the code 1/n. One has all: G = 1 - 1/n, the code |2/n - 1|.
    for row in found["ginis"].itertuples():
        n, uneven = row.keys, row.weights == "one has all"
        assert pytest.approx(1 - 1 / n if uneven else 0) == row.G
        assert row[4] == pytest.approx(abs(2 / n - 1) if uneven else 1 / n)
    two = found["ginis"].query("keys == 2").set_index("weights")
    assert two["G"].idxmax() == "one has all" and two["in the code"].idxmax() == "all alike"


def test_the_extractors_gini_is_the_codes(found):
    torch = pytest.importorskip("torch")
    from sheeplib.features.reductions import gini

    weights = np.random.default_rng(1).dirichlet(np.ones(7), size=5).astype("float32")
    ours = gini(torch.from_numpy(weights)[None], torch.ones(1, 5, 7))[0]
    assert ours.numpy() == pytest.approx([found["as_in_the_code"](row) for row in weights], abs=1e-6)
    assert ours.numpy() == pytest.approx([abs(1 / 7 - found["gini"](row)) for row in weights], abs=1e-6)


def test_only_the_code_sees_a_change_that_changes_no_probability(found):
    before, after = found["centring"].to_dict(orient="records")
    assert before["P(first word)"] == pytest.approx(after["P(first word)"])
    # logits 2, 0.5, 2
    assert before["P(first word)"] == pytest.approx(np.exp(2) / np.exp([2, 0.5, 2]).sum())
    assert before["CF, theory"] == pytest.approx(after["CF, theory"], abs=1e-12)
    assert 0 < before["CF, theory"] < 1
    assert abs(before["CF, code"] - after["CF, code"]) > 0.01
    assert found["one_sided"].cf == pytest.approx(0, abs=1e-12)
    by_sets = found["by_sets"] / found["by_sets"].sum()
    assert by_sets == pytest.approx(found["softmax"], rel=1e-12)


def test_spans_of_probability_zero_raise_the_score_unless_scored_strictly(found):
    scores = found["rewarded"].set_index(["submission", "scorer"])["Cor+Lbl"]
    assert scores["honest", "compat"] == scores["honest", "strict"] == pytest.approx(1 / 6)
    assert scores["with spans of 0", "compat"] == pytest.approx(5 / 6)
    assert scores["with spans of 0", "strict"] == pytest.approx(1 / 6)


def test_a_judge_of_the_minority_is_perfect_by_its_own_gold(found):
    assert found["majority"] == ["A", "B", "F", "F"]
    scores = found["effective"].set_index(["judge", "gold"])
    assert (scores["accuracy"] == 1).all()
    for gold in ("effective", "majority"):
        assert scores.loc[("with the majority", gold), "F1"] == 1
    assert scores.loc[("with the minority", "effective"), "F1"] == 1
    assert scores.loc[("with the minority", "majority"), "F1"] == 0


def test_tables_12_and_13_rest_on_different_tokens(found):
    shares = found["shares"].pivot(index="strategy", columns="table", values="marked")
    ratio = shares[13] / shares[12]
    assert len(ratio) == 3 and ratio.between(1.18, 1.27).all()
    euq = found["shares"].query("table == 13")
    assert (euq["f1"] < euq["all"]).all() and (euq["lift"] > 1.2).all()
    assert euq.set_index("strategy").loc[["random", "map"], "flagged"].to_numpy() == pytest.approx(
        0.129, abs=5e-4
    )
    hallushift = found["shares"].query("table == 12")
    assert (hallushift["f1"] > hallushift["all"]).all()


@pytest.mark.parametrize("change", ["kinds = [2, 10]", "zeros = 1", "keys = [3]"])
def test_what_readers_are_told_to_expect(found, change):
    cells = json.loads(CHAPTER.read_text(encoding="utf-8"))["cells"]
    code = {cell["id"].removeprefix("differences-"): "".join(cell["source"]) for cell in cells}
    names = dict(found, show_table=lambda *arguments, **options: None)
    exec(change, names)
    for cell in {"kinds": ("05",), "zeros": ("22", "23"), "keys": ("15", "16")}[change.split()[0]]:
        exec(code[cell], names)
    if "kinds" in change:
        last = pd.DataFrame(names["alphas"]).iloc[-1]
        assert last["as printed"] == pytest.approx(-8) and last["with k / (k - 1)"] == pytest.approx(0)
    elif "zeros" in change:
        assert names["rewarded"]["Cor+Lbl"].max() == pytest.approx(7 / 12)
    else:
        assert names["ginis"]["in the code"].tolist() == pytest.approx([1 / 3, 1 / 3])

from dataclasses import replace
from itertools import combinations, permutations

import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora_of import corpus_of, random_corpus
from sheeplib import InputError
from sheeplib.agreement import QUANTITIES, agreement, free_marginal_alpha, measures, nominal_alpha

counts_tables = st.lists(
    st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=2, max_size=12
).map(np.array)  # fmt: skip


def value(measure):
    return float(measure.value(measure.units.sum(axis=0)))


def coincidence_matrix(counts):
    """Krippendorff's own way: every ordered pair of ratings of a unit adds 1 / (m - 1)."""
    o = np.zeros((counts.shape[1], counts.shape[1]))
    for unit in counts:
        ratings = np.repeat(np.arange(len(unit)), unit)
        for one, other in permutations(ratings, 2):
            o[one, other] += 1 / (len(ratings) - 1)
    return o


def test_published_example_of_krippendorff():
    # Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section C: four observers,
    # twelve units, missing values; nominal alpha is .743. The Wikipedia article's example has .691.
    four = """1 2 3 3 2 1 4 1 2 . . .
              1 2 3 3 2 2 4 1 2 5 . 3
              . 3 3 3 2 3 4 2 2 5 1 .
              1 2 3 3 2 4 4 1 2 5 1 ."""
    three = """. . . . . 3 4 1 2 1 1 3 3 . 3
               1 . 2 1 3 3 4 3 . . . . . . .
               . . 2 1 3 4 4 . 2 1 1 3 3 . 4"""
    for text, expected in ((four, 0.743), (three, 0.691)):
        table = np.array([line.split() for line in text.splitlines()])
        counts = np.stack([(table == v).sum(axis=0) for v in "12345"], axis=1)
        assert value(nominal_alpha(counts)) == pytest.approx(expected, abs=5e-4)


@given(counts_tables)
@settings(max_examples=200, deadline=None)
def test_nominal_alpha_equals_the_library(counts):
    pairable = counts[counts.sum(axis=1) >= 2]
    found = value(nominal_alpha(counts))
    if (pairable.sum(axis=0) > 0).sum() < 2:
        assert np.isnan(found)
    else:
        expected = krippendorff.alpha(value_counts=pairable, level_of_measurement="nominal")
        assert found == pytest.approx(expected, abs=1e-12)


@given(counts_tables)
@settings(max_examples=200, deadline=None)
def test_alphas_equal_the_coincidence_matrix(counts):
    o = coincidence_matrix(counts)
    n, n_v, k = o.sum(), o.sum(axis=0), len(o)
    off = n - np.trace(o)
    free, nominal = value(free_marginal_alpha(counts)), value(nominal_alpha(counts))
    if n == 0:
        assert np.isnan(free)
    else:
        assert free == pytest.approx(1 - off / n * k / (k - 1), abs=1e-12)
    expected = n**2 - (n_v**2).sum()
    if expected > 1e-9:
        assert nominal == pytest.approx(1 - (n - 1) * off / expected, abs=1e-12)


@given(st.integers(2, 5), st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_free_marginal_alpha_is_brennan_prediger_for_equally_many_ratings(n_raters, seed):
    # Randolph's kappa_free is Brennan and Prediger's coefficient for many raters.
    irrcac = pytest.importorskip("irrCAC.raw", reason="irrCAC cannot be resolved beside a current pandas")
    ratings = np.random.default_rng(seed).integers(3, size=(15, n_raters))
    ratings[0], ratings[1, 0], ratings[2, 0] = 0, 1, 2  # all three values occur
    counts = np.stack([(ratings == v).sum(axis=1) for v in range(3)], axis=1)
    expected = irrcac.CAC(pd.DataFrame(ratings), categories=[0, 1, 2]).bp()["est"]["coefficient_value"]
    assert value(free_marginal_alpha(counts)) == pytest.approx(float(expected), abs=1e-5)  # it rounds


def test_the_papers_formula_holds_for_two_values_and_only_for_two():
    rng = np.random.default_rng(0)
    for k, same in ((2, True), (3, False)):
        counts = np.stack([np.bincount(row, minlength=k) for row in rng.integers(k, size=(20, 3))])
        o = coincidence_matrix(counts)
        printed = 1 - k / o.sum() * (o.sum() - np.trace(o))
        assert bool(value(free_marginal_alpha(counts)) == pytest.approx(printed)) is same


def test_presence_of_three_annotators_follows_the_share_of_split_items():
    # 1 - 4/3 of the share of split items (3 ratings, two values): 1 of 4 split gives 2/3.
    items = {"a": [[], [], []], "b": [[(0, 1, "A")]] * 3, "c": [[(0, 1, "A")], [], []], "d": [[], [], []]}
    assert value(measures(corpus_of(items))["presence_alpha"]) == pytest.approx(1 - 4 / 3 / 4)


def test_four_annotators_count_by_their_pairs():
    # 3-1 disagrees in 3 of 6 pairs and 2-2 in 4 of 6; each item weighs 4 ratings.
    marked = [(0, 1, "A")]
    items = {"a": [marked, marked, marked, []], "b": [marked, marked, [], []]}
    assert value(measures(corpus_of(items))["presence_alpha"]) == pytest.approx(1 - 2 * (1 / 2 + 2 / 3) / 2)


def test_given_keeps_items_that_all_annotators_marked():
    a, b = [(0, 1, "A")], [(0, 1, "B")]
    items = {"same": [a, a, a], "other": [b, b, a], "partly": [a, b, []], "none": [[], [], []]}
    found = measures(corpus_of(items))
    assert found["label_alpha_first_given"].counted.tolist() == [True, True, False, False]
    # o over v != v' is 2 pairs * 2 orders / 2 = 2; n = 6, n_A = 4, n_B = 2, so 1 - 5 * 2 / (36 - 20).
    assert value(found["label_alpha_first_given"]) == pytest.approx(1 - 5 * 2 / 16)


def plain_alpha(units, k=None):
    """Alpha from the values that annotators gave, None where missing; free-marginal if k is given."""
    o = coincidence_matrix(np.array([[unit.count(value) for value in "ABCDEF01"] for unit in units]))
    n, off, chance = o.sum(), o.sum() - np.trace(o), o.sum() ** 2 - (o.sum(axis=0) ** 2).sum()
    if k:
        return 1 - off / n * k / (k - 1) if n else np.nan
    return 1 - (n - 1) * off / chance if chance > 1e-9 else np.nan


def plain_iou(units, match, empty):
    """Mean over pairs of annotators of overlaps of sets of characters, or of characters with labels."""
    found = []
    for one, other in (pair for unit in units for pair in combinations(unit, 2)):
        a, b = ({(c, label) for start, end, label in m for c in range(start, end)} for m in (one, other))
        places = [{c for c, _ in marked} for marked in (a, b)]
        shared = {c for c, label in a & b if label} if match else places[0] & places[1]
        union = places[0] | places[1]
        found += [len(shared) / len(union)] if union else {"one": [1], "zero": [0], "exclude": []}[empty]
    return np.mean(found) if found else np.nan


def marks_of(corpus):
    """What each annotator of each item marked, in the order as written: start, end, label or None."""
    found = {item: {} for item in corpus.items["item"]}
    for row in corpus.ratings.itertuples():
        found[row.item][row.annotator] = []
    for row in corpus.spans.sort_values("order").itertuples():
        label = None if pd.isna(row.label) else row.label
        found[row.item][row.annotator].append((row.start, row.end, label))
    return [list(annotators.values()) for annotators in found.values()]


@given(st.integers(0, 10_000), st.booleans(), st.sampled_from(["exclude", "one", "zero"]))
@settings(max_examples=60, deadline=None)
def test_measures_equal_their_definitions_one_by_one(seed, count_none, empty_pairs):
    rng = np.random.default_rng(seed)
    corpus = random_corpus(rng, int(rng.integers(1, 8)), raters=(1, 2, 3, 4))
    labels = corpus.spans["label"].mask(rng.random(len(corpus.spans)) < 0.2)  # some are missing
    corpus = replace(corpus, spans=corpus.spans.assign(label=labels))
    units = marks_of(corpus)
    votes = [["1" if marks else "0" for marks in unit] for unit in units]
    expected = {
        "presence_alpha": plain_alpha(votes, 2),
        "presence_observed": (1 + plain_alpha(votes, 2)) / 2,  # alpha is 1 - 2 (1 - observed)
        "presence_prevalence": np.mean([vote == "1" for unit in votes for vote in unit]),
        "span_iou": plain_iou(units, False, empty_pairs),
        "span_iou_matched": plain_iou(units, True, empty_pairs),
    }
    none = "F" if count_none else None
    for policy, key in {"first": lambda _: 0, "longest": lambda mark: (mark[0] - mark[1], mark[0])}.items():
        named = [[min(marks, key=key)[2] if marks else none for marks in unit] for unit in units]
        whole = [labels for labels, unit in zip(named, units, strict=True) if all(unit)]
        expected[f"label_alpha_{policy}"] = plain_alpha(named)
        expected[f"label_alpha_{policy}_given"] = plain_alpha(whole) if whole else np.nan
    found = {name: value(m) for name, m in measures(corpus, count_none, empty_pairs).items()}
    assert found == pytest.approx(expected, nan_ok=True) and set(found) == set(QUANTITIES)


def test_choices_reach_the_measures_and_known_measures_are_used():
    corpus = random_corpus(np.random.default_rng(9), 12)
    choices = {"count_none": False, "empty_pairs": "zero"}
    expected = measures(corpus, **choices)
    table = agreement(corpus, resamples=5, **choices)
    assert table.set_index("quantity")["value"].to_dict() == pytest.approx(
        {name: value(measure) for name, measure in expected.items()}
    )
    pd.testing.assert_frame_equal(agreement(corpus, resamples=5, known=expected), table)


def test_rows_stand_by_quantity_then_group_and_say_how_they_came_about():
    table = agreement(random_corpus(np.random.default_rng(1), 30), "language", resamples=6, seed=4)
    assert list(zip(table["quantity"], table["language"], strict=True)) == [
        (quantity, language) for quantity in QUANTITIES for language in ("en", "zh")
    ]
    assert set(table["resamples"]) == {6} and set(table["seed"]) == {4} and set(table["corpus"]) == {"test"}


def test_resamples_without_a_value_are_told():
    # Only item b has two values: it is missing from (2/3)^3 = 30 % of resamples of three items.
    a, b = [(0, 1, "A")], [(0, 1, "B")]
    corpus = corpus_of({"a": [a, a], "b": [a, b], "c": [a, a]})
    row = agreement(corpus, resamples=2000).set_index("quantity").loc["label_alpha_first"]
    share = float(row["reason"].split()[2].removesuffix("%"))
    assert "of the resamples, which the interval leaves out" in row["reason"]
    assert share == pytest.approx(29.6, abs=4) and row["low"] <= row["value"]


def test_undefined_is_missing_with_a_reason():
    same = agreement(corpus_of({"a": [[(0, 1, "A")], [(0, 1, "A")]]}), resamples=5).set_index("quantity")
    assert np.isnan(same.loc["label_alpha_first", "value"])
    assert "0/0" in same.loc["label_alpha_first", "reason"]
    assert same.loc["presence_alpha", ["value", "low", "high"]].tolist() == [1, 1, 1]
    empty = agreement(corpus_of({"a": [[], []], "b": [[]]}), resamples=5).set_index("quantity")
    assert "marked anything" in empty.loc["span_iou", "reason"]
    alone = agreement(corpus_of({"a": [[]]}), resamples=5).set_index("quantity")
    assert "two ratings" in alone.loc["presence_alpha", "reason"]


def test_an_annotator_who_skipped_an_item_changes_nothing():
    # Missing is no value: an item rated by one person adds nothing to any measure of agreement.
    corpus = random_corpus(np.random.default_rng(2), 10)
    rated = {item: [[(0, 3, "A")]] for item in ("lone1", "lone2")}
    lone = corpus_of(rated, length=40, language=["en", "en"])
    joined = replace(
        corpus,
        items=pd.concat([corpus.items, lone.items], ignore_index=True),
        ratings=pd.concat([corpus.ratings, lone.ratings], ignore_index=True),
        spans=pd.concat([corpus.spans, lone.spans], ignore_index=True),
    )
    quantities = [name for name in QUANTITIES if name != "presence_prevalence"]
    before, after = (agreement(c, resamples=2).set_index("quantity") for c in (corpus, joined))
    assert after.loc[quantities, "value"].to_numpy() == pytest.approx(
        before.loc[quantities, "value"].to_numpy()
    )
    assert (after.loc[quantities, "n"] == before.loc[quantities, "n"]).all()


def test_renaming_annotators_changes_nothing():
    corpus = random_corpus(np.random.default_rng(5), 12)
    names = {"r0": "z", "r1": "m", "r2": "a"}
    other = replace(
        corpus,
        ratings=corpus.ratings.assign(annotator=corpus.ratings["annotator"].map(names)),
        spans=corpus.spans.assign(annotator=corpus.spans["annotator"].map(names)),
    )
    pd.testing.assert_frame_equal(agreement(corpus, resamples=20), agreement(other, resamples=20))


def test_intervals_equal_resampling_the_data_itself():
    corpus = random_corpus(np.random.default_rng(7), 15, raters=(2, 3))
    fast = agreement(corpus, resamples=30, seed=3).set_index("quantity")
    from sheeplib import resample

    # items stand in the order of what they add to the sums, so that the order of rows changes nothing
    added = np.hstack([measure.units for measure in measures(corpus).values()])
    order = np.lexsort(added.T[::-1])
    drawn = np.concatenate(list(resample.weights(15, 30, resample.generator(3, "agreement"))))
    values = []
    for row in drawn.astype(int):
        items, ratings, spans = [], [], []
        for copy, place in enumerate(np.repeat(order, row)):
            item = corpus.items["item"][place]
            items.append(corpus.items.iloc[[place]].assign(item=f"{copy}"))
            ratings.append(corpus.ratings[corpus.ratings["item"] == item].assign(item=f"{copy}"))
            spans.append(corpus.spans[corpus.spans["item"] == item].assign(item=f"{copy}"))
        tables = [
            pd.concat(parts, ignore_index=True).astype({"item": "string"})
            for parts in (items, ratings, spans)
        ]
        values.append({name: value(m) for name, m in measures(type(corpus)("t", *tables)).items()})
    slow = pd.DataFrame(values)
    for name in QUANTITIES:
        assert fast.loc[name, "mean"] == pytest.approx(slow[name].mean(), abs=1e-12)
        assert fast.loc[name, "low"] == pytest.approx(slow[name].quantile(0.025), abs=1e-12)


def test_groups_are_computed_apart_and_do_not_depend_on_each_other():
    corpus = random_corpus(np.random.default_rng(1), 30)
    together = agreement(corpus, by=["language"], resamples=50)
    english = agreement(corpus.select(corpus.items["language"] == "en"), by=["language"], resamples=50)
    picked = together[together["language"] == "en"].reset_index(drop=True)
    pd.testing.assert_frame_equal(picked, english)
    pairs = [agreement(corpus, by=by, resamples=20) for by in (["language", "image"], ["image", "language"])]
    one, other = (p.sort_values(["quantity", "language", "image"], ignore_index=True) for p in pairs)
    assert len(one) == 6 * len(QUANTITIES)
    pd.testing.assert_frame_equal(one, other[list(one.columns)])


def test_the_order_of_rows_changes_nothing():
    corpus = random_corpus(np.random.default_rng(6), 30, raters=(2, 3, 4))
    mixed = replace(
        corpus,
        **{
            name: getattr(corpus, name).sample(frac=1, random_state=1)
            for name in ("items", "ratings", "spans")
        },
    )
    for cluster in (None, "image"):
        one, other = (agreement(c, ["language"], resamples=50, cluster=cluster) for c in (corpus, mixed))
        pd.testing.assert_frame_equal(one, other, rtol=1e-12)


def test_a_column_may_be_named_alone_or_twice():
    corpus = random_corpus(np.random.default_rng(1), 20)
    expected = agreement(corpus, ["language"], resamples=5)
    for by in ("language", ("language",), ["language", "language"]):
        pd.testing.assert_frame_equal(agreement(corpus, by, resamples=5), expected)


@pytest.mark.parametrize("kind", ["string", "object", "category"])
def test_items_without_a_value_are_in_no_group_and_in_no_cluster_but_their_own(kind):
    marked = [(0, 1, "A")]
    corpus = corpus_of(
        {name: [marked, [] if name in "ad" else marked] for name in "abcdef"},
        language=["en", pd.NA, "zh", "en", pd.NA, "zh"],
        image=["x", "x", pd.NA, "x", pd.NA, pd.NA],
    )
    items = corpus.items.astype({"language": kind, "image": kind})
    if kind == "category":
        items["language"] = items["language"].cat.add_categories("fr")  # which no item has
    found = agreement(replace(corpus, items=items), ["language"], resamples=40, cluster="image")
    presence = found[found["quantity"] == "presence_alpha"].set_index("language")
    # a and d are split, c and f agreed; b and e are of no language
    assert presence["n"].to_dict() == {"en": 2, "zh": 2}
    assert presence["value"].to_dict() == {"en": -1.0, "zh": 1.0}
    two = agreement(replace(corpus, items=items), ["language", "image"], resamples=5)
    assert two[["language", "image"]].drop_duplicates().astype(str).to_numpy().tolist() == [["en", "x"]]
    # The same as clusters of one that were given a name.
    named = corpus.items.assign(image=pd.array(["x", "x", "1", "x", "2", "3"], dtype="string"))
    one, other = (
        agreement(replace(corpus, items=table), resamples=40, cluster="image") for table in (items, named)
    )
    pd.testing.assert_frame_equal(one, other)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"resamples": 0}, "no resamples"),
        ({"seed": -1}, "not a seed"),
        ({"empty_pairs": "two"}, "field 'empty_pairs': unknown choice .found 'two'.. Use one of exclude"),
        ({"by": ["corpus"]}, "a column 'corpus' of their own"),
        ({"by": ["image", "model"]}, "no item has a value in each of the columns .found 'image, model'"),
        ({"corpus": "meadow"}, "not a corpus: str. .*sheeplib.load"),
    ],
)
def test_options_that_make_no_sense_are_refused(change, message):
    corpus = corpus_of({"a": [[], []], "b": [[], []]}, image=["x", pd.NA], model=[pd.NA, "y"])
    with pytest.raises(InputError, match=message):
        agreement(**({"corpus": corpus, "resamples": 5} | change))


def test_same_seed_same_numbers_other_seed_other_interval():
    corpus = random_corpus(np.random.default_rng(1), 30)
    one, again, other = (agreement(corpus, resamples=50, seed=seed) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(one, again)
    assert (one["value"] == other["value"]).all() and (one["low"] != other["low"]).any()


def test_clusters_widen_intervals_where_answers_repeat():
    # Each item stands twenty times; drawing copies apart pretends to twenty times the evidence.
    rng = np.random.default_rng(3)
    kinds = [[[(0, 1, "A")] if rng.random() < 0.3 else [] for _ in range(3)] for _ in range(15)]
    items = {f"{copy}-{n}": kind for copy in range(20) for n, kind in enumerate(kinds)}
    corpus = corpus_of(items, image=[str(n) for _ in range(20) for n in range(15)])
    plain, clustered = (
        agreement(corpus, resamples=400, cluster=cluster)
        .set_index("quantity")
        .loc["presence_alpha", "half_width"]
        for cluster in (None, "image")
    )
    assert clustered / plain == pytest.approx(np.sqrt(20), rel=0.3)


def test_what_a_corpus_lacks_is_said():
    corpus = random_corpus(np.random.default_rng(1), 5)
    without = agreement(replace(corpus, lacks={"kinds": "spans have no kind here"}), resamples=5)
    rows = without.set_index("quantity")
    assert rows.loc["label_alpha_first", "reason"] == "spans have no kind here"
    assert not np.isnan(rows.loc["span_iou", "value"])
    lacks = {"kinds": "spans have no kind here", "ratings": "annotators are withheld"}
    nobody = agreement(replace(corpus, lacks=lacks), resamples=5)
    assert nobody["value"].isna().all() and (nobody["reason"] == "annotators are withheld").all()


def test_unknown_and_empty_columns_are_refused():
    corpus = random_corpus(np.random.default_rng(1), 5)
    with pytest.raises(InputError, match="no column 'langauge'.*language"):
        agreement(corpus, by=["langauge"])
    lacking = replace(corpus, lacks={"model": "the release hides it"})
    with pytest.raises(InputError, match="the release hides it"):
        agreement(lacking, by=["model"])


def test_pairs_of_annotators_on_real_data(shared):
    """mu-SHROOM: presence equals Randolph's kappa where every item has equally many annotators."""
    from sheeplib import load

    corpus = load("mushroom", directory=shared / "mushroom")
    found = agreement(corpus, by=["language"], resamples=10)
    presence = found[found["quantity"] == "presence_alpha"].set_index("language")["value"]
    assert len(presence) == 14
    marked = set(zip(corpus.spans["item"], corpus.spans["annotator"], strict=True))
    constant = 0
    for language, items in corpus.items.groupby("language"):
        ratings = corpus.ratings[corpus.ratings["item"].isin(items["item"])]
        votes = [
            [(item, annotator) in marked for annotator in group]
            for item, group in ratings.groupby("item")["annotator"]
        ]
        if len({len(vote) for vote in votes}) > 1:
            continue
        constant += 1
        agreeing = np.mean([np.mean([a == b for a, b in combinations(vote, 2)]) for vote in votes])
        assert presence[language] == pytest.approx((agreeing - 0.5) / 0.5, abs=1e-12)
    assert constant >= 5


def test_a_corpus_without_items_has_no_value_and_a_reason():
    corpus = random_corpus(np.random.default_rng(1), 5)
    nothing = agreement(corpus.select(pd.Series(False, index=corpus.items.index)), resamples=5)
    assert nothing["value"].isna().all() and nothing["reason"].notna().all()

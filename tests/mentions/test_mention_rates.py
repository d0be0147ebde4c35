"""Shares of mentions, and what CHAIR and THRONE flag: by hand, and with planted signals."""

import numpy as np
import pandas as pd
import pytest

from sheeplib import published, tables
from sheeplib.corpora import Corpus
from sheeplib.corpora.coco import Objects
from sheeplib.mentions import flags, rates, throne
from sheeplib.mentions.bench import Bench
from sheeplib.mentions.synonyms import Synonyms
from sheeplib.report import scorecard

QUICK = {"resamples": 40, "seed": 5}
WORDS = Synonyms({"dog": ("dog",), "bus": ("bus",), "orange": ("orange",)})
# item, surface, concept, status, subtype, present
SAID = [
    ("a1", "dog", "dog", "concrete", None, True),
    ("a1", "bus", "bus", "hallucinated", None, False),
    ("a2", "dog", "dog", "non-assertive", "hedged", False),
    ("a2", "dog", "dog", "non-assertive", "purpose", True),
    ("a2", "orange", "orange", "non-assertive", "hedged", False),
    ("b1", "buses", "bus", "hallucinated", None, False),
    ("b1", "dog", "dog", "non-assertive", "hedged", False),
    ("b1", "dog", "dog", "excluded", "compound", False),
]
SHOWN = {"1": frozenset({"dog"}), "2": frozenset(), "3": frozenset()}


def made():
    """Captions that are their mentions with blanks between; a2's hedged and purposed dogs differ in truth."""
    texts: dict[str, str] = {}
    rows = []
    for item, surface, *rest in SAID:
        start = len(texts.get(item, ""))
        texts[item] = texts.get(item, "") + surface + " "
        rows.append((item, start, start, start + len(surface), *rest, surface))
    columns = [*tables.SCHEMAS["mentions"].columns, "surface"]
    mentions = tables.validate("mentions", pd.DataFrame(rows, columns=columns))
    images = {"a1": "1", "a2": "2", "b1": "3"}
    items = pd.DataFrame({"item": list(texts), "response": list(texts.values())})
    items["model"] = items["item"].str[0]
    items["image"] = items["item"].map(images)
    blank = dict.fromkeys(("split", "language", "prompt", "strategy", "source", "prelabel"), pd.NA)
    corpus = Corpus("test", tables.validate("items", items.assign(corpus="test", **blank)))
    return Bench(corpus, mentions, Objects(("dog", "bus", "orange"), SHOWN), WORDS, "by hand")


def value(results, **groups):
    rows = results
    for name, wanted in groups.items():
        known = rows[name].isna() if wanted is None else (rows[name] == wanted).fillna(False)
        rows = rows[known.astype(bool)]
    assert len(rows) == 1, rows
    return rows["value"].iloc[0]


def test_natural_rates_by_hand():
    found = rates.natural_rates(made(), **QUICK)
    pd.testing.assert_frame_equal(found, rates.natural_rates(made(), **QUICK))
    # a: 3 of 5 mentions assert nothing; of its 2 assertions 1 is hallucinated.
    assert value(found, model="a", quantity="non_assertive_share") == 60
    assert value(found, model="a", quantity="hallucination_rate") == 50
    # b: 1 of 2 without the excluded one, 1 of 3 with it.
    assert value(found, model="b", quantity="non_assertive_share") == 50
    wider = rates.natural_rates(made(), count_excluded=True, **QUICK)
    assert value(wider, model="b", quantity="non_assertive_share") == pytest.approx(100 / 3)
    assert found["n"].tolist() == [5, 2, 2, 1]
    assert found["low"].notna().tolist() == [True, False, False, False], "one mention has no interval"


def test_counts_by_hand():
    found = rates.counts(made(), **QUICK)
    assert value(found, model="a", quantity="mentions", subtype="hedged") == 2
    assert value(found, model="a", quantity="mentions", subtype="all") == 3
    assert value(found, model="a", quantity="share", subtype="hedged") == pytest.approx(200 / 3)
    assert value(found, model="b", quantity="mentions", status="hallucinated") == 1
    assert value(found, model="b", quantity="mentions", subtype="compound") == 1
    shares = found[found["quantity"] == "share"].groupby("model")["value"].sum()
    assert shares.tolist() == pytest.approx([100, 100])


def test_chair_flags_what_is_absent_and_compat_misses_one_bus():
    bench = made()
    assert flags.chair_flags(bench, "fixed").tolist() == [False, True, True, True, True, True, True, True]
    # the text "bus" is not found in compat, "buses" is
    assert flags.chair_flags(bench).tolist() == [False, False, True, True, True, True, True, True]
    found = flags.chair_rates(bench, **QUICK)
    assert value(found, model="a", quantity="hallucination_recall", subtype=None) == 0
    assert value(found, model="b", quantity="hallucination_recall", subtype=None) == 100
    assert value(found, model="a", quantity="non_assertive_fpr", subtype="all") == 100
    assert np.isnan(value(found, model="b", quantity="non_assertive_fpr", subtype="negation"))
    reasons = found[found["value"].isna()]["reason"]
    assert reasons.notna().all() and len(reasons) > 0


def votes(rows):
    return pd.DataFrame(rows, columns=["item", "concept", "yes", "votes"])


def test_throne_counts_a_split_hallucination_as_missed_and_leaves_a_split_mention_out():
    said = votes(
        [("a1", "dog", 3, 3), ("a1", "bus", 2, 3), ("a2", "dog", 1, 3), ("a2", "orange", 3, 3),
         ("b1", "bus", 3, 3), ("b1", "dog", 0, 3)]
    )  # fmt: skip
    both = {
        vote: flags.throne_rates(made(), said, vote, "test", pooled=True, **QUICK)
        for vote in ("majority", "unanimous")
    }
    pooled = {"model": "all", "judge": "test"}
    # Majority: both buses are voted present and absent from the image. Of 4 non-assertive mentions,
    # the orange is flagged; the dogs are voted absent.
    assert value(both["majority"], quantity="hallucination_recall", **pooled) == 100
    assert value(both["majority"], quantity="non_assertive_fpr", subtype="all", **pooled) == 25
    assert value(both["majority"], quantity="disqualified", status="non-assertive", **pooled) == 0
    # Unanimous: a1's bus (2 of 3) is split, so missed; a2's two dogs (1 of 3) are split, so left out: of
    # the orange and b1's dog one is flagged.
    assert value(both["unanimous"], quantity="hallucination_recall", **pooled) == 50
    assert value(both["unanimous"], quantity="non_assertive_fpr", subtype="all", **pooled) == 50
    assert value(both["unanimous"], quantity="disqualified", status="non-assertive", **pooled) == 50
    assert value(both["unanimous"], quantity="disqualified", status="concrete", **pooled) == 0


def test_throne_leaves_out_captions_that_were_not_asked_about():
    said = votes([("b1", "bus", 1, 1), ("b1", "dog", 0, 1)])
    found = flags.throne_rates(made(), said, "majority", "test", **QUICK)
    assert set(found["model"]) == {"b"} and value(found, quantity="hallucination_recall") == 100


def test_a_reader_that_says_yes_to_all_flags_what_chair_flags():
    bench = made()
    said = throne.votes_of(bench.mentions, pd.Series(True, index=bench.mentions.index))
    by_throne = flags.throne_rates(bench, said, "majority", "yes", **QUICK)
    by_chair = flags.chair_rates(bench, "fixed", **QUICK)
    present = bench.mentions[
        "present"
    ]  # CHAIR goes by the objects, THRONE by the truth: here a2's second dog
    assert present[3] and not flags.chair_flags(bench, "fixed")[0]
    for subtype in ("hedged", "negation"):
        one, other = (
            value(part, quantity="non_assertive_fpr", model="a", subtype=subtype)
            for part in (by_throne, by_chair)
        )
        assert one == other or (np.isnan(one) and np.isnan(other))


def test_concepts_leave_out_orange():
    found = rates.concepts(made(), **QUICK)
    assert value(found, model="a", subtype="hedged", quantity="mentions") == 1
    assert value(found, model="a", subtype="hedged", quantity="concepts") == 1
    assert value(found, model="a", subtype="hedged", quantity="concept_share") == 100
    assert "orange" not in set(found["concept"].dropna())


def test_a_gap_that_is_planted_is_found_and_one_that_is_not_is_not():
    def many(seed, share):
        rng = np.random.default_rng(seed)
        rows, items = [], []
        for model, p in (("a", share), ("b", 0.2)):
            for image in range(300):
                item = f"{model}{image}"
                items.append((item, model, str(image), "dog"))
                weak = rng.random() < p
                rows.append((item, 0, 0, 3, "dog", "non-assertive" if weak else "concrete",
                             "hedged" if weak else None, True, "dog"))  # fmt: skip
        frame = pd.DataFrame(items, columns=["item", "model", "image", "response"]).assign(corpus="test")
        blank = dict.fromkeys(("split", "language", "prompt", "strategy", "source", "prelabel"), pd.NA)
        columns = [*tables.SCHEMAS["mentions"].columns, "surface"]
        mentions = tables.validate("mentions", pd.DataFrame(rows, columns=columns))
        corpus = Corpus("test", tables.validate("items", frame.assign(**blank)))
        return Bench(corpus, mentions, Objects(("dog",), {}), WORDS, "drawn")

    planted, level = many(1, 0.5), many(2, 0.2)
    found, low, high = rates.gap(planted, rates.non_assertive(planted), "a", "b", **QUICK)
    assert 20 < low < found < high < 45
    again = rates.gap(planted, rates.non_assertive(planted), "a", "b", **QUICK)
    other = rates.gap(planted, rates.non_assertive(planted), "a", "b", resamples=40, seed=6)
    assert again == (found, low, high) and other[0] == found and other[1:] != (low, high)
    _, low, high = rates.gap(level, rates.non_assertive(level), "a", "b", **QUICK)
    assert low < 0 < high


def test_results_stand_in_the_columns_of_the_printed_tables():
    bench = made()
    said = votes([("b1", "bus", 1, 1), ("b1", "dog", 0, 1)])
    computed = {
        1: rates.natural_rates(bench, **QUICK),
        2: rates.counts(bench, **QUICK),
        3: flags.chair_rates(bench, **QUICK),
        12: flags.throne_rates(bench, said, "majority", "j", **QUICK),
        17: rates.concepts(bench, **QUICK),
    }
    for table, results in computed.items():
        printed = published.published("namebench", table)
        for quantity, rows in printed.groupby("quantity"):
            ours = results[results["quantity"] == quantity]
            assert len(ours), (table, quantity)
            wanted = {frozenset(scorecard.groups(row)) for _, row in rows.iterrows()}
            found = {frozenset(scorecard.groups(row)) for _, row in ours.iterrows()}
            assert wanted <= found, (table, quantity, wanted, found)

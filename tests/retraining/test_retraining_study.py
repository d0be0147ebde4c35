"""The whole study on planted mentions: what must be found, tables, and the same bytes on every engine."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import small_mentions
from sheeplib import engine
from sheeplib.detectors.probes import TRAINED
from sheeplib.errors import InputError
from sheeplib.mentions.statuses import SUBTYPES
from sheeplib.published import published
from sheeplib.report.retraining_claims import by_captioner, claims
from sheeplib.retraining import filters, showcase, studies, sweep, tabulated

SMALL = studies.Design(detectors=("lookback", "position"), seeds=(0, 1), untrained=("svar", "pas"))


def made(design=SMALL, text_filter=filters.known, **options):
    materials = [small_mentions.material("ada", ("bob",), 72), small_mentions.material("eve", images=72)]
    return studies.study(materials, design, text_filter, resamples=40, seed=5, **options)


@pytest.fixture(scope="module")
def study():
    return made()


def value(rates, **keys):
    return rates.where(**keys).mean("captioner", "evaluator", "detector").one()[0]


def test_examples_cure_what_they_show_and_nothing_else(study):
    plain = study.rates.where(**tabulated.PLAIN, detector="lookback")
    fpr = {"quantity": "non_assertive_fpr", "subtype": "all"}
    assert value(plain, budget="0", **fpr) > 80  # they look no more than hallucinations do
    assert value(plain, budget="max", **fpr) < 25
    assert value(plain, budget="0", quantity="hallucination_tpr") > 80
    both = tabulated.seen_and_unseen(study)
    seen, unseen = (
        both.where(without=side).mean("captioner", "evaluator", "subtype").one()[0]
        for side in ("seen", "unseen")
    )
    assert unseen > seen + 20  # marks of other subtypes say nothing of this one
    position = study.rates.where(detector="position", budget="0", **tabulated.PLAIN, **fpr)
    assert (position.values == 100).all()  # concrete mentions come first in each caption, non-assertive last


def test_budgets_are_nested():
    captured = small_mentions.planted()
    one = sweep.plan(
        captured,
        studies.natural(captured.table),
        [sweep.Condition(b) for b in ("0", "10", "30", "max")],
        (0,),
    )
    fits = [set(fit.rows) for fit, _, _ in one.fits(0)]
    assert all(small < large for small, large in zip(fits, fits[1:], strict=False))
    drawn, status = one.split(0), one.statuses("non-assertive")
    for fit, count, _ in one.fits(0):
        assert drawn.fit[fit.rows].all() and len(set(fit.rows)) == len(fit.rows)
        assert (status[fit.rows] == "non-assertive").sum() == count
        assert not fit.truth[status[fit.rows] == "non-assertive"].any()  # examples are negatives


def test_hedges_as_claims_become_what_the_image_says():
    captured = small_mentions.planted()
    one = sweep.plan(
        captured, studies.natural(captured.table), [sweep.Condition("max", hedges="claim")], (0,)
    )
    status, table = one.statuses("claim"), one.mentions.table
    hedged = (table["subtype"] == "hedged").fillna(False).to_numpy(bool)
    assert set(status[hedged & table["present"].to_numpy(bool)]) == {"concrete"}
    assert set(status[hedged & ~table["present"].to_numpy(bool)]) == {"hallucinated"}
    ((fit, _, _),) = one.fits(0)
    assert (status[fit.rows][fit.truth] == "hallucinated").all()
    unknown = table["present"].astype(object).where(~hedged, None).astype("boolean")
    one.mentions.table["present"] = unknown
    assert set(one.statuses("claim")[hedged]) == {""}  # neither, and in no fit


@pytest.fixture(scope="module")
def little():
    """Two small sets of mentions, and the study of them in this process."""
    design = studies.Design(("dhcp", "position"), ("0", "natural"), (0, 1), claims=False, untrained=("svar",))
    materials = [small_mentions.material(name, images=45) for name in ("ada", "eve")]

    def made_on(executor=None):
        found = studies.study(materials, design, filters.known, resamples=20, seed=5, executor=executor)
        return found, tabulated.all_tables(found, "small", 5).to_csv()

    return made_on, *made_on()


@pytest.mark.parametrize("kind", engine.KINDS[1:])
def test_every_engine_gives_the_same_bytes(little, kind):
    if kind == "dask":
        pytest.importorskip("distributed")
    made_on, here, table = little
    with engine.executor(kind, 2) as workforce:
        there, again = made_on(workforce)
    assert table == again
    for one, other in ((here.rates, there.rates), (here.filter, there.filter)):
        assert one.draws.tobytes() == other.draws.tobytes()
    for one, other in zip(here.own, there.own, strict=True):
        assert all(one.by_probe[key].tobytes() == other.by_probe[key].tobytes() for key in one.by_probe)


def test_tables_have_the_columns_of_the_paper(study):
    results = tabulated.all_tables(study, "small", 5)
    for table in (5, 6, 10, 11, 14, 15):
        part = results[results["table"] == table].dropna(axis=1, how="all")
        keys = set(published("namebench", table).dropna(axis=1, how="all")) - {"value", "unit", "half_width"}
        assert keys - {"text_filter", "detector_group"} <= set(part) | {"low", "high"}, table
    assert not results.duplicated(
        ["table", "quantity", "detector", "model", "subtype", "budget", "training", "text_filter",
         "detector_group", "hedges_as"]
    ).any()  # fmt: skip
    readers = results[results["table"] == 10]
    assert set(readers["model"]) == {"ada", "bob"} and "position" not in set(readers["detector"])
    own = results[(results["table"] == 5) & (results["model"] == "ada") & (results["detector"] == "lookback")]
    same = readers[(readers["model"] == "ada") & (readers["detector"] == "lookback")]
    assert list(own["value"]) == list(same["value"])  # the host reads its own captions
    held = results[results["quantity"] == "held_out_mentions"]
    assert held["value"].sum() == 2 * 48  # 24 held-out images of each captioner, two mentions each


def test_a_filter_that_knows_takes_out_all_and_no_hallucination(study):
    results = tabulated.table_11(study, "small", 5)
    assert (results.loc[results["quantity"] == "filter_recall", "value"] == 100).all()
    assert (results.loc[results["quantity"] == "hallucinations_removed", "value"] == 0).all()
    ends = results[results["detector_group"].notna()]
    assert (ends.loc[ends["text_filter"] == "with", "value"] == 0).all()
    assert (ends.loc[ends["text_filter"] == "without", "value"] > 10).any()


def test_claims_on_planted_mentions_hold(study):
    found = {claim.said: claim for claim in claims(study)}
    verdicts = [claim.verdict for claim in found.values()]
    assert verdicts[:4] == ["held"] * 4 and verdicts[5] == "held"
    assert verdicts[7:] == ["held", "held", "held"]  # the filter knows the truth
    each = by_captioner(study)
    assert list(each.columns) == ["claim", "ada", "eve"] and each.iloc[6, 1:].isna().all()


def test_a_filter_by_the_rules_that_told_the_statuses_shows_nothing(study):
    found = claims(study, by_rules=True)
    assert [claim.verdict for claim in found[7:]] == ["undecided"] * 3
    assert all("agree with themselves" in claim.reason for claim in found[7:])
    assert [claim.verdict for claim in found[:7]] == [claim.verdict for claim in claims(study)[:7]]
    assert (by_captioner(study, by_rules=True).iloc[7:, 1:] == "undecided").all(axis=None)


def test_claims_without_numbers_are_undecided():
    bare = studies.Design(detectors=("dhcp",), budgets=("0",), seeds=(0,), untrained=())
    found = claims(made(bare, None))
    assert found[0].verdict == "held"
    assert {claim.reason for claim in found[2:]} == {"not part of this study"}
    assert {claim.verdict for claim in found[2:]} == {"undecided"}


def test_six_typical_mentions(study):
    six = showcase.six(study, small_mentions.material("ada", images=72), "lookback")
    assert list(six["kind"]) == list(showcase.KINDS)
    assert all(row.sentence[row.start : row.end] == "dog" for row in six.itertuples())
    by_kind = six.set_index("kind")
    assert by_kind.loc["concrete", "before"] < 90 < by_kind.loc["hallucinated", "before"]
    assert all(by_kind.loc[name, "before"] >= by_kind.loc[name, "after"] for name in SUBTYPES)
    with pytest.raises(InputError, match="no scores of halp"):
        showcase.six(study, small_mentions.material("ada", images=72), "halp")


def test_a_rank_of_ninety_is_where_flags_begin(study):
    scores = study.own[0]
    condition = sweep.Condition("0")
    given, drawn = scores.of("lookback", 0, condition), scores.plan.split(0)
    concrete = drawn.calibration & (scores.plan.statuses("non-assertive") == "concrete")
    from sheeplib.detectors.budgets import budget

    flags = budget(given[concrete], 0.1).flags(given)
    assert ((showcase._ranks(given, concrete) >= 90) == flags).all()


def test_sentences_are_found_with_their_mentions():
    text = "Ein Hund. Élan 🐕 dog! No"
    start = text.index("dog")
    assert showcase._sentence(text, start, start + 3) == ("Élan 🐕 dog!", 7, 10)
    assert showcase._sentence(text, len(text) - 2, len(text)) == ("No", 0, 2)


def test_bad_studies_are_refused():
    with pytest.raises(InputError, match="no captioner"):
        studies.study([])
    with pytest.raises(InputError, match="nothing to train"):
        made(studies.Design(seeds=()))
    with pytest.raises(InputError, match="no such probe"):
        made(studies.Design(detectors=("nonesuch",), seeds=(0,)))
    with pytest.raises(InputError, match="truth values"):
        filters.filtered_by(lambda captions, mentions: np.zeros(3), *small_mentions.mentions_of("ada"))


def test_a_study_of_the_meadow_finds_what_the_paper_finds():
    (one,) = studies.meadow_materials(["clover"])
    design = studies.Design(("hidden_last",), ("0", "max"), (0,), claims=False, untrained=())
    found = studies.study([one], design, resamples=20)
    fpr = found.rates.where(quantity="non_assertive_fpr", subtype="all")
    assert fpr.where(budget="0").values[0] > 40 > 20 > fpr.where(budget="max").values[0]
    assert set(TRAINED) <= set(studies.Design().detectors)


def test_the_place_of_a_word_is_the_same_for_all_who_read_the_same_captions():
    own = pd.DataFrame(
        {
            "detector": ["position", "position", "dhcp"],
            "model": ["ada", "bob", "ada"],
            "value": [1.0, 2.0, 3.0],
        }
    )
    found = tabulated.position_of_readers(own, pd.DataFrame({"model": ["ada", "bob", "bob"]}), "ada")
    assert found[["model", "value"]].values.tolist() == [["ada", 1.0], ["bob", 1.0]]
    assert tabulated.position_of_readers(own, own.iloc[:0], "ada")["value"].tolist() == [1.0]


def test_a_captioner_that_only_hedges_has_no_other_rate_and_no_probe_is_refused():
    given = small_mentions.material(images=60)
    kept = given.mentions["subtype"].isna() | given.mentions["subtype"].eq("hedged").fillna(False)
    own = given.own.table["subtype"].isna() | given.own.table["subtype"].eq("hedged").fillna(False)
    hedging = replace(given, mentions=given.mentions[kept], own=given.own.select(own.to_numpy(bool)))
    design = studies.Design(
        detectors=("position",), budgets=("0", "30"), seeds=(0,), unseen=False, untrained=()
    )
    found = studies.study([hedging], design, resamples=5)
    assert set(tabulated.table_15(found, "x", 1)["quantity"]) == {"hallucination_tpr"}
    claimed = found.rates.where(hedges="claim", quantity="non_assertive_fpr", subtype="all")
    assert np.isnan(claimed.draws).all()  # of none there is no share
    with pytest.raises(InputError, match="no probe to train"):
        studies.study([hedging], replace(design, detectors=()))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"budgets": ("0", "30", "030")}, "field 'budgets': given twice .found '030'"),
        ({"budgets": ("0", "much")}, "no such budget"),
        ({"seeds": (0, 1, 0)}, "field 'seeds': given twice .found '?0"),
        ({"detectors": ("position", "position")}, "field 'detectors': given twice"),
        ({"untrained": ("svar", "zz")}, "no such detector without training .found 'zz'"),
    ],
)
def test_a_wrong_design_is_refused_before_anything_is_read_or_trained(change, message):
    design = replace(studies.Design(detectors=("position",), seeds=(0,)), **change)
    with pytest.raises(InputError, match=message):
        studies.study([object()], design)


def test_flags_of_a_filter_belong_to_their_mention_where_two_share_a_place():
    given = small_mentions.material(images=60)
    double = given.mentions.iloc[[0]].assign(mention=99, concept="another")  # has no features
    more = replace(given, mentions=pd.concat([double, given.mentions], ignore_index=True))
    design = replace(SMALL, budgets=("0", "natural"), unseen=False, claims=False)
    once, twice = (studies.study([one], design, by_subtype, resamples=5).filter for one in (given, more))
    behind = {"filtered": "with", "quantity": "hallucination_tpr", "detector": "svar"}
    assert np.array_equal(once.where(**behind).draws, twice.where(**behind).draws)


def by_subtype(captions, mentions):
    return mentions["subtype"].notna().to_numpy(bool)

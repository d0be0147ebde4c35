"""Detectors on trial: rates and AUCs against plain counting, planted signals, excluded mentions, files."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mention_material import captions, clover, mentions, stored
from sheeplib import tables
from sheeplib.detectors.mention_sets import MentionSet, meadow_captions
from sheeplib.detectors.positions import match
from sheeplib.detectors.rankings import auroc
from sheeplib.errors import InputError
from sheeplib.mention_study.excluded import table_16
from sheeplib.mention_study.files import corpus_of, read_captions, read_material, read_mentions
from sheeplib.mention_study.judging import BASELINE, DETECTORS, Judged, judge, rescored, untied
from sheeplib.mention_study.numbers import joined, numbers
from sheeplib.mention_study.trials import difference, trial
from sheeplib.mentions.statuses import SUBTYPES
from sheeplib.retraining.draws import split
from sheeplib.retraining.natural import Natural, natural
from sheeplib.retraining.studies import Material
from sheeplib.retraining.sweep import Condition, plan, sweep

NATURE = Natural(80, 20, {"hedged": 5, "depictive": 3, "purpose": 2, "negation": 0})


def made_up(count=600, seed=0, captioner="m", excluded=30):
    """Mentions of all kinds on some images, at random."""
    rng = np.random.default_rng(seed)
    status = rng.choice(["concrete", "hallucinated", "non-assertive"], count, p=[0.4, 0.3, 0.3])
    status[:excluded] = "excluded"
    subtype = np.where(status == "non-assertive", rng.choice(SUBTYPES[:3], count), "")
    subtype[:excluded] = rng.choice(["generic", "compound"], excluded, p=[0.8, 0.2])
    table = pd.DataFrame({
        "item": [f"i{n}" for n in range(count)], "mention": 0, "start": 0, "end": 1, "concept": "dog",
        "status": status, "subtype": pd.array(np.where(subtype == "", None, subtype), dtype="string"),
        "present": pd.array(np.where(status == "hallucinated", False, rng.random(count) < 0.5), "boolean"),
        "image": rng.choice([f"image-{n}" for n in range(90)], count), "position": rng.integers(0, 9, count),
    }).astype({"item": "string", "status": "string", "concept": "string", "image": "string"})  # fmt: skip
    return MentionSet(captioner, captioner, "key", table, None)


def judged(scores, table=None, seeds=(0, 1), calibration="half", **options):
    """What detectors say of made-up mentions, on real splits."""
    given = table or made_up(**options)
    images = given.table["image"].to_numpy(str)
    splits = {seed: split(images, seed, calibration) for seed in seeds}
    found = {(name, seed): values for name, values in scores.items() for seed in seeds}
    return Judged(given, NATURE, splits, found, 0.1)


def counted(one, name, seed):
    """Flags at the threshold, one mention after the other."""
    scores, drawn = one.scores[name, seed], one.splits[seed]
    known = sorted(scores[(one.status == "concrete") & drawn.calibration])
    for least in known:
        if sum(score > least for score in known) <= 0.1 * len(known):
            break
    return scores > least


def share(flags, members):
    return 100 * flags[members].mean()


def value(found, **keys):
    some = found.where(**keys)
    for name in {"subtype", "subset", "presence"} - set(keys):
        rows = some.table[name].isna().to_numpy(bool)
        some = type(some)(some.table[rows].reset_index(drop=True), some.draws[rows])
    assert len(some) == 1
    return some.draws[0, 0]


def test_rates_are_those_of_plain_counting():
    rng = np.random.default_rng(1)
    given = made_up()
    one = judged({"d": np.round(rng.normal(size=600), 1)}, given)  # tenths: scores are tied
    found = trial([one], resamples=3)
    status, subtype = one.status, one.subtype
    present = given.table["present"].to_numpy(bool)
    rates = {"whole": [], "tpr": [], "fine": [], "absent": [], "present": [], **{s: [] for s in SUBTYPES[:3]}}
    for seed, drawn in one.splits.items():
        flags, held, unclaimed = counted(one, "d", seed), drawn.held_out, status == "non-assertive"
        for name in SUBTYPES[:3]:
            rates[name].append(share(flags, held & unclaimed & (subtype == name)))
        rates["tpr"].append(share(flags, held & (status == "hallucinated")))
        rates["fine"].append(share(flags, held & (status == "concrete") & ~drawn.calibration))
        for said, there in (("absent", False), ("present", True)):
            at = held & unclaimed & (present == there)
            sizes = {name: (unclaimed & (subtype == name)).sum() for name in SUBTYPES[:3]}
            weight = np.array([NATURE.shares[s] / sizes[s] for s in subtype[at]])
            rates[said].append(100 * (weight * flags[at]).sum() / weight.sum())
    for name in SUBTYPES[:3]:
        expected = np.mean(rates[name])
        assert value(found, quantity="non_assertive_fpr", subtype=name) == pytest.approx(expected, rel=1e-5)
    # shares 5, 3 and 2 of 10; negation is never written, so that its rate, which is undefined, counts nothing
    whole = sum(w * np.mean(rates[s]) for s, w in (("hedged", 0.5), ("depictive", 0.3), ("purpose", 0.2)))
    assert value(found, quantity="non_assertive_fpr", subtype="all") == pytest.approx(whole, rel=1e-5)
    assert value(found, quantity="hallucination_tpr") == pytest.approx(np.mean(rates["tpr"]), rel=1e-5)
    assert value(found, quantity="concrete_fpr") == pytest.approx(np.mean(rates["fine"]), rel=1e-5)
    for said in ("absent", "present"):
        rate = value(found, quantity="non_assertive_fpr", subtype="all", presence=said)
        assert rate == pytest.approx(np.mean(rates[said]), rel=1e-5)
    negation = found.where(quantity="non_assertive_fpr", subtype="negation").results("x", 1)
    assert negation["value"].isna().all() and negation["reason"].notna().all()


def test_aucs_are_those_of_plain_ranking():
    rng = np.random.default_rng(2)
    given = made_up()
    scores = np.round(rng.normal(size=600), 1)
    one = judged({"d": scores}, given)
    found = trial([one], resamples=3)
    wrong, asserted = one.status == "hallucinated", np.isin(one.status, ["concrete", "hallucinated"])
    plain, apart = [], []
    for drawn in one.splits.values():
        at = drawn.held_out & asserted
        plain.append(auroc(scores[at], wrong[at], np.zeros(at.sum(), int), 1)[0])
        at = drawn.held_out & (one.status == "non-assertive") & (one.subtype == "hedged")
        absent = ~given.table["present"].to_numpy(bool)
        apart.append(auroc(scores[at], absent[at], np.zeros(at.sum(), int), 1)[0])
    assert value(found, quantity="auc", subset="all") == pytest.approx(np.mean(plain))
    assert value(found, quantity="auc", subtype="hedged") == pytest.approx(np.mean(apart))
    rows = found.where(quantity="auc", subset="position_matched").table
    pairs = [
        match(given.table["position"][d.held_out & asserted], wrong[d.held_out & asserted]).n
        for d in one.splits.values()
    ]
    assert rows["n"].tolist() == [round(2 * np.mean(pairs))]


def test_planted_signals_are_found_and_shuffled_ones_are_not():
    given = made_up(3000, excluded=0)
    status = given.table["status"].to_numpy(str)
    rng = np.random.default_rng(3)
    noise = rng.normal(size=3000)
    scores = {
        "claims": noise + 3.0 * (status == "hallucinated"),
        "mentions": noise + 3.0 * (status != "concrete"),
        "nothing": rng.permutation(noise + 3.0 * (status == "hallucinated")),
        "place": given.table["position"].to_numpy(float) + 0.01 * noise,
    }
    results = trial([judged(scores, given)], resamples=200).results("x", 0)

    def interval(detector, quantity, **keys):
        rows = results[(results["detector"] == detector) & (results["quantity"] == quantity)]
        for name in ("subtype", "subset", "presence"):
            rows = rows[rows[name].eq(keys[name]) if name in keys else rows[name].isna()]
        return rows.iloc[0][["low", "high"]].tolist()

    low, high = interval("claims", "non_assertive_fpr", subtype="all")
    assert low < 10 < high and interval("claims", "hallucination_tpr")[0] > 70
    assert interval("mentions", "non_assertive_fpr", subtype="all")[0] > 70
    low, high = interval("nothing", "auc", subset="all")
    assert low < 0.5 < high
    assert interval("claims", "auc", subset="position_matched")[0] > 0.9
    low, high = interval("claims", "concrete_fpr")
    assert low < 10 < high


def test_the_threshold_may_come_from_the_concrete_mentions_that_are_tested():
    rng = np.random.default_rng(4)
    found = trial([judged({"d": rng.normal(size=600)}, calibration="held-out")], resamples=2)
    assert 5 < value(found, quantity="concrete_fpr") <= 10, "so many are flagged by construction"


def test_mentions_that_are_left_out_change_nothing_about_where_the_threshold_comes_from():
    rng = np.random.default_rng(4)
    one = judged({"d": rng.normal(size=600)}, calibration="held-out")
    kept = one.status != "excluded"
    assert not kept.all()
    splits = {
        seed: replace(drawn, calibration=drawn.calibration & kept) for seed, drawn in one.splits.items()
    }
    found = trial([replace(one, splits=splits)], resamples=2)
    assert value(found, quantity="concrete_fpr") == value(trial([one], resamples=2), quantity="concrete_fpr")


def test_the_same_seed_gives_the_same_numbers_and_another_other_intervals():
    one = judged({"d": np.random.default_rng(5).normal(size=600)})
    first, second, third = (trial([one], 50, seed).results("x", seed) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(first, second)
    np.testing.assert_array_equal(first["value"], third["value"])
    assert not first["low"].equals(third["low"])


def test_means_over_captioners_pass_over_what_is_undefined():
    given = [made_up(seed=seed, captioner=name) for seed, name in enumerate("ab")]
    rng = np.random.default_rng(6)
    found = trial([judged({"d": rng.normal(size=600)}, one) for one in given], resamples=2)
    mean = found.over_models()
    each = [value(found, quantity="hallucination_tpr", model=name) for name in "ab"]
    assert value(mean, quantity="hallucination_tpr") == pytest.approx(np.mean(each))
    assert mean.table["model"].isna().all() and len(mean) * 2 == len(found)
    assert np.isnan(value(mean, quantity="non_assertive_fpr", subtype="negation"))
    both = joined([found, mean]).results("x", 0)
    assert not both.duplicated(["quantity", "model", "detector", "subtype", "subset", "presence"]).any()
    assert len(numbers([], [])) == 0
    with pytest.raises(InputError, match="no such number"):
        found.where(model="c").mean()
    with pytest.raises(InputError, match="no captioner to judge"):
        trial([])
    assert difference(np.array([3.0, 2, 4]), np.array([1.0, 1, 1]))[0] == 2


def test_excluded_mentions_are_counted_over_splits_and_captioners():
    rng = np.random.default_rng(7)
    names = ("lookback", "svar", "position_only")
    given = [made_up(seed=seed, captioner=name) for seed, name in enumerate("ab")]
    some = [judged({name: rng.normal(size=600) for name in names}, one) for one in given]
    results = table_16(some, trial(some, resamples=5), "x", 5, 1)
    flagged, there, held = 0, 0, 0
    for one in some:
        members = (one.status == "excluded") & (one.subtype == "generic")
        for seed, drawn in one.splits.items():
            at = members & drawn.held_out
            flagged, there = flagged + counted(one, "svar", seed)[at].sum(), there + at.sum()
            held += at.sum() / len(one.splits)
    whole = results[results["model"].isna() & results["subtype"].eq("other")]
    place = whole[whole["detector"].eq("position_only")]  # the baseline stands beside the formula
    assert list(place["quantity"]) == ["flag_rate"] and place["value"].notna().all()
    whole = whole[whole["detector"].ne("position_only").fillna(True)].set_index("quantity")
    assert whole.loc["flag_rate", "value"] == pytest.approx(100 * flagged / there)
    assert whole.loc["held_out_mentions", "value"] == pytest.approx(held)
    ends = whole.loc[["flag_rate_min", "flag_rate_max"], "value"]
    assert ends.nunique() == 1, "of one probe, lowest and highest are the same"
    assert set(results["paper"]) == {"namebench"} and set(results["table"]) == {16}
    few = table_16(some[:1], trial(some[:1], resamples=5), "x", 5, 1)
    compounds = few[few["subtype"].eq("compound") & few["quantity"].eq("flag_rate")]
    n = int(((some[0].status == "excluded") & (some[0].subtype == "compound")).sum())
    if n < 5:
        assert compounds["value"].isna().all() and "fewer than 5" in compounds["reason"].iloc[0]
    else:
        assert (compounds["n"] == n).all()


def clover_material():
    told = meadow_captions("clover")
    return Material(told.items, told.mentions, clover("clover"))


def test_probes_learn_what_chapter_nine_has_them_learn_at_budget_zero():
    """The same scores, but for rounding: excluded mentions are scored in the same product of matrices."""
    material = clover_material()
    one = judge(material, ["lookback", "svar", BASELINE], seeds=[1])
    drawn = plan(material.own, natural(material.mentions), [Condition("0")], [1])
    (scores,) = sweep([(drawn, ["lookback"])])
    kept = one.mentions.table["status"].ne("excluded").to_numpy(bool)
    expected = scores.of("lookback", 1, Condition("0"))
    np.testing.assert_allclose(one.scores["lookback", 1][kept], expected, rtol=1e-4, atol=1e-5)
    assert np.isfinite(one.scores["lookback", 1]).all() and len(kept) == 812
    np.testing.assert_array_equal(one.scores["svar", 1], material.own.scores("svar"))
    found, same = one.splits[1], drawn.split(1)
    np.testing.assert_array_equal(found.fit[kept], same.fit)
    np.testing.assert_array_equal(found.calibration[kept], same.calibration)
    images = one.images
    assert not set(images[found.fit]) & set(images[found.held_out])
    assert (found.fit != found.held_out).all() and not (found.calibration & found.fit).any()
    assert one.shares().sum() == pytest.approx(1.0)


def test_other_detectors_may_be_tried_on_the_same_splits():
    one = judge(clover_material(), ["internal_confidence"], seeds=[0])
    cut = rescored(one, {"cut": lambda given: untied(given.scores("internal_confidence"), 3)})
    assert cut.detectors == ("cut",) and cut.splits is one.splits
    before, after = one.scores["internal_confidence", 0], cut.scores["cut", 0]
    assert len(np.unique(before)) < len(np.unique(after)) == len(after)
    higher = before[:, None] > before
    assert (after[:, None] > after)[higher].all(), "the order of what differs stays"
    assert untied(np.zeros(50), 1).tolist() != untied(np.zeros(50), 2).tolist() != list(range(50))


def test_unknown_detectors_are_named_before_anything_runs():
    with pytest.raises(InputError, match="no such detector.*svar"):
        judge(clover_material(), ["svaar"])
    assert BASELINE in DETECTORS


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    """A captioner's own files, as the command line leaves them."""
    home = tmp_path_factory.mktemp("own")
    rows = captions()[["item", "image", "prompt", "response"]].to_dict(orient="records")
    (home / "captions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    told = mentions().drop(columns="mention").astype({"subtype": object}).to_dict(orient="records")
    for record in told:
        record["subtype"], record["surface"] = None, "thing"
    (home / "mentions.json").write_text(json.dumps(told), "utf-8")
    stored(home / "features", "llava")
    return home


def test_own_files_are_read(directory):
    found = read_material(directory, "mine")
    assert found.own.captioner == "mine" and found.own.evaluator == "tiny-llava"
    pd.testing.assert_frame_equal(found.mentions, mentions())
    assert found.own.scores("svar").shape == (5,)
    assert read_material(directory).own.captioner == directory.name
    corpus = corpus_of([found])
    assert corpus.name == "own" and len(corpus.items) == 3 and corpus_of([found], "drawn").name == "meadow"


def test_mentions_may_name_images(tmp_path):
    path = tmp_path / "captions.jsonl"
    lines = [{"image_id": 7, "caption": "A dog."}, {"image_id": 8, "caption": "A 😀 cat."}]
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    told = read_captions(path, "m")
    assert told["item"].tolist() == ["7", "8"] and told["response"].tolist() == ["A dog.", "A 😀 cat."]
    assert set(told["model"]) == {"m"}
    listed = tmp_path / "mentions.jsonl"
    rows = [
        {"image_id": 8, "start": 4, "end": 7, "concept": "cat", "status": "concrete", "present": True},
        {"image_id": 7, "start": 2, "end": 5, "concept": "dog", "status": "hallucinated", "present": False},
    ]
    listed.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    found = read_mentions(listed, told)
    assert found[["item", "mention", "start"]].to_numpy().tolist() == [["7", 0, 2], ["8", 0, 4]]
    assert list(found) == list(tables.SCHEMAS["mentions"].columns)
    twice = told.assign(image="7")
    with pytest.raises(InputError, match="an image has several captions"):
        read_mentions(listed, twice)


WHOLE = '[{"item": "item-0", "start": 1, "end": 2, "concept": "a", "status": "concrete"}]'


@pytest.mark.parametrize(
    "line",
    [
        '{"item": "a", "response": 3}',
        '{"image_id": true, "caption": "A dog."}',
        '{"item": "a", "image": null, "response": "A dog."}',
        '{"item": "a", "image": [1], "response": "A dog."}',
    ],
)
def test_wrong_captions_are_named_with_their_line(tmp_path, line):
    path = tmp_path / "captions.jsonl"
    path.write_text('{"item": "b", "image": 1, "response": "A cat."}\n' + line, "utf-8")
    with pytest.raises(InputError, match="captions.jsonl:2: field"):
        read_captions(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[{"item": "item-0", "start": 1}]', "'end': mention 1: lacks a field"),
        ('[{"start": 1, "end": 2, "concept": "a", "status": "concrete"}]', "mentions lack a field"),
        ("[1]", "not a list of mentions"),
        ("[{]", "invalid JSON"),
        (
            '[{"item": "x", "start": 1, "end": 2, "concept": "a", "status": "concrete"}]',
            "none of the captions",
        ),
        ('[{"item": "item-0", "start": 1, "end": 2, "concept": "a", "status": "true"}]', "no such status"),
        (WHOLE.replace("1,", "true,"), "not a stretch"),
        (WHOLE.replace("1,", "[1],"), "not a stretch"),
        (WHOLE.replace("2,", "1,"), "not a stretch"),
        (WHOLE.replace("2,", "1000000,"), "beyond the end"),
        (WHOLE.replace('"a"', "3"), "not a class"),
        (WHOLE.replace("}]", ', "subtype": "foo"}]'), "no such subtype"),
        (WHOLE.replace("concrete", "non-assertive"), "no such subtype"),
        (WHOLE.replace("}]", ', "present": 1}]'), "not a truth"),
        (f"[{WHOLE[1:-1]}, {WHOLE[1:-1]}]", "mention given twice"),
        ("[" * 200_000, "invalid JSON"),
    ],
)
def test_wrong_mentions_are_named(tmp_path, text, said):
    path = tmp_path / "mentions.json"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=said):
        read_mentions(path, captions())


def test_what_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_mentions(tmp_path / "no.json", captions())
    (tmp_path / "captions.jsonl").write_text('{"text": "A dog."}\n', "utf-8")
    with pytest.raises(InputError, match="these are no captions"):
        read_captions(tmp_path / "captions.jsonl")
    rows = captions()[["item", "response"]].to_dict(orient="records")
    (tmp_path / "captions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (tmp_path / "mentions.json").write_text("[]", "utf-8")
    with pytest.raises(InputError):
        read_material(tmp_path)

"""EUQ as a detector: planted signals, chance, what thresholds may see, tables and submissions."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from corpora_of import corpus_of
from sheeplib.corpora.aggregate import aggregate_labels
from sheeplib.detectors import euq_flags
from sheeplib.detectors.submissions import write_references, write_submission
from sheeplib.errors import InputError
from sheeplib.report import scorecard
from sheeplib.scoring import check_format, score_files

LENGTH, TOKENS = 100, 20  # 20 tokens of 5 characters


def corpus(n_items=60, seed=0, **columns):
    """Answers with a marked tenth each, but for every fourth, of which nothing is marked."""
    rng = np.random.default_rng(seed)
    marks = {}
    for number in range(n_items):
        start = 10 * int(rng.integers(10))
        letter = "B" if number % 3 else "A"
        marks[f"i{number:03}"] = [[] if number % 4 == 0 else [(start, start + 10, letter)]]
    given = {
        "language": ["en", "zh"] * (n_items // 2),
        "image": [f"picture {number // 2}" for number in range(n_items)],
        "split": ["test"] * n_items,
    } | columns
    made = corpus_of(marks, LENGTH, **given)
    return replace(made, labels=aggregate_labels(made.items, made.ratings, made.spans))


def tokens(data, signal=0.0, seed=1):
    """Noise for evidence; where a token is marked, as much more conflict as `signal` says."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"item": np.repeat(data.items["item"].to_numpy(), TOKENS), "evaluator": "tiny"},
    ).astype("string")
    frame["token"] = np.tile(np.arange(TOKENS), len(data.items))
    frame["start"], frame["end"] = 5 * frame["token"], 5 * frame["token"] + 5
    spans = data.labels.set_index("item")[["start", "end"]]
    found = frame[["item"]].join(spans, on="item")
    marked = ((frame["start"] < found["end"]) & (found["start"] < frame["end"])).fillna(False).to_numpy(bool)
    noise = rng.normal(size=(5, len(frame)))
    return frame.assign(
        conflict=1 / (1 + np.exp(-noise[0] - signal * marked)),
        ignorance=np.exp(noise[1]),
        canonical_log_agreement=-np.exp(noise[2] + signal * marked),
        canonical_log_ignorance=noise[3],
        entropy=np.abs(noise[4]),
    )


def f1(judged):
    hits = (judged["gold"] & judged["predicted"]).sum()
    return 2 * hits / (judged["gold"].sum() + judged["predicted"].sum())


def test_a_planted_signal_is_found_and_noise_does_no_better_than_flagging_everything():
    data = corpus()
    reading = euq_flags.read(data, tokens(data, signal=8))
    for name in ("repo cf", "repo either", "canonical cf", "canonical either"):
        assert f1(euq_flags.detect(reading, name)[0]) > 0.9
    share = reading.tokens["marked"].mean()
    assert share == pytest.approx(0.075)  # three of four answers, two of twenty tokens
    everything = f1(euq_flags.detect(reading, "everything")[0])
    assert everything == pytest.approx(2 * share / (1 + share))
    for name in ("repo ig", "canonical ig", "entropy"):
        assert f1(euq_flags.detect(reading, name)[0]) < everything + 0.05


def test_shuffled_marks_are_chance():
    data = corpus(200)
    frame = tokens(data, signal=8)
    scores = [name for name in frame if name not in ("item", "evaluator", "token", "start", "end")]
    order = np.random.default_rng(3).permutation(len(frame))
    frame[scores] = frame[scores].iloc[order].to_numpy()
    judged, _ = euq_flags.detect(euq_flags.read(data, frame), "repo cf")
    assert f1(judged) == pytest.approx(2 * 0.075 / 1.075, abs=0.03)
    found = euq_flags.results(euq_flags.read(data, frame), {"repo cf": judged}, resamples=50)
    auroc = found[found["quantity"].eq("auroc")].iloc[0]
    assert auroc["low"] < 0.5 < auroc["high"]


def test_folds_share_no_image_and_report_every_token_once():
    data = corpus()
    reading = euq_flags.read(data, tokens(data), folds=4)
    assert "Each of 4 folds" in reading.said and len(reading.parts) == 4
    image = reading.tokens["item"].map(data.items.set_index("item")["image"])
    for known, new in reading.parts:
        assert not set(image[known]) & set(image[new])
    assert (np.sum([new for _, new in reading.parts], axis=0) == 1).all()
    judged, found = euq_flags.detect(reading, "repo either")
    assert len(judged) == len(reading.tokens) and len(found) == 4
    assert all(len(threshold.values) == 2 for threshold in found)


def test_with_a_split_thresholds_know_the_training_answers_alone():
    data = corpus(split=["train"] * 40 + ["test"] * 20)
    frame = tokens(data, signal=2)
    reading = euq_flags.read(data, frame)
    assert "training split (40 items, 800 tokens)" in reading.said
    judged, found = euq_flags.detect(reading, "repo cf")
    assert set(judged["item"]) == set(data.items["item"].iloc[40:]) and len(found) == 1
    # Other labels in the test split: the same threshold and flags, another score.
    empty = replace(data, labels=data.labels[data.labels["item"] < "i040"].reset_index(drop=True))
    again, same = euq_flags.detect(euq_flags.read(empty, frame), "repo cf")
    assert same == found and (again["predicted"] == judged["predicted"]).all() and not again["gold"].any()
    everywhere = euq_flags.read(data, frame, calibrate="folds")
    assert len(everywhere.parts) == 5
    with pytest.raises(InputError, match="not of both splits"):
        euq_flags.read(corpus(), tokens(corpus()), calibrate="split")


def test_the_same_seed_gives_the_same_and_another_does_not():
    data = corpus()
    frame = tokens(data, signal=1)
    flags = [
        euq_flags.detect(euq_flags.read(data, frame, seed=seed), name, seed=seed)[0]["predicted"].tolist()
        for name in ("repo either", "random")
        for seed in (1, 1, 2)
    ]
    assert flags[0] == flags[1] and flags[3] == flags[4] != flags[5]
    shuffled = frame.sample(frac=1, random_state=0)
    judged, _ = euq_flags.detect(euq_flags.read(data, shuffled, seed=1), "repo either", seed=1)
    judged = judged.sort_values(["item", "token"])
    assert judged["predicted"].tolist() == flags[0]


def test_random_flags_are_as_many_as_are_marked_elsewhere():
    data = corpus(200)
    reading = euq_flags.read(data, tokens(data))
    judged, found = euq_flags.detect(reading, "random")
    assert not found and judged["predicted"].mean() == pytest.approx(0.075, abs=0.002)
    assert (judged["predicted"] & judged["gold"]).mean() == pytest.approx(0.075**2, abs=0.004)


def test_table_13_has_the_groups_of_the_paper():
    names = ["gemma3", "internvl", "llava", "minicpm", "qwenvl"]
    data = corpus(
        60,
        strategy=["random", "map", "human"] * 20,
        model=[pd.NA if n % 3 == 2 else names[n % 5] for n in range(60)],
        split=["train" if n % 2 and n % 3 < 2 else "test" for n in range(60)],
    )
    reading = euq_flags.read(data, tokens(data, signal=3))
    judged, _ = euq_flags.detect(reading, "repo either")
    found = euq_flags.table_13(reading, judged, resamples=20)
    card = scorecard.scorecard(found, [("sheep", 13)])
    assert len(card) == 72 and (card["verdict"] != scorecard.NOT_COMPUTABLE).sum() >= 60
    own = judged[judged["item"].isin(data.items.loc[data.items["strategy"] == "map", "item"])]
    row = found[found["quantity"].eq("f1") & found["strategy"].eq("map").fillna(False)].iloc[0]
    assert row["value"] == pytest.approx(f1(own)) and row["low"] <= row["value"] <= row["high"]


def test_results_by_detector_and_language():
    data = corpus()
    reading = euq_flags.read(data, tokens(data, signal=3))
    judged = {name: euq_flags.detect(reading, name)[0] for name in ("repo cf", "everything")}
    found = euq_flags.results(reading, judged, resamples=20)
    whole = found[found["language"].isna() & found["quantity"].eq("f1")].set_index("detector")["value"]
    assert whole["repo cf"] == pytest.approx(f1(judged["repo cf"]))
    assert set(found["language"].dropna()) == {"en", "zh"}
    assert found[found["quantity"].eq("auroc")]["detector"].tolist() == ["repo cf"]


def test_spans_are_a_submission_that_passes_the_check_and_is_scored(tmp_path):
    data = corpus()
    reading = euq_flags.read(data, tokens(data, signal=9))
    judged, _ = euq_flags.detect(reading, "repo cf")
    spans = euq_flags.spans(reading, judged)
    assert set(spans["label"]) == {"B"} and spans["prob"].nunique() == 1
    # Neighbours are one span: as many spans as runs of flagged tokens.
    flags = judged["predicted"].to_numpy().reshape(-1, TOKENS)
    assert len(spans) == (np.diff(np.pad(flags.astype(int), ((0, 0), (1, 0)))) == 1).sum()
    write_submission(reading.corpus, spans, tmp_path / "predicted")
    write_references(reading.corpus, tmp_path / "gold")
    assert not check_format(tmp_path / "predicted", tmp_path / "gold")
    scores = score_files(tmp_path / "gold", tmp_path / "predicted")
    assert scores["en"]["cor"] > 0.9


def test_what_cannot_be_read_is_refused():
    data = corpus()
    frame = tokens(data)
    with pytest.raises(InputError, match="no labels: kept back"):
        euq_flags.read(replace(data, lacks={"labels": "kept back"}), frame)
    with pytest.raises(InputError, match="no token belongs to a labelled item"):
        euq_flags.read(data, frame.assign(item="x" + frame["item"]))
    with pytest.raises(InputError, match="no evidence"):
        euq_flags.read(data, frame[["item", "evaluator", "token", "start", "end", "entropy"]])
    reading = euq_flags.read(data, frame.drop(columns=["canonical_log_agreement", "entropy"]))
    assert list(reading.detectors) == ["repo cf", "repo ig", "repo either", "position"]
    with pytest.raises(InputError, match="There are repo cf, .*position, everything, random"):
        euq_flags.detect(reading, "canonical cf")
    with pytest.raises(InputError, match="Use one of auto, split, folds"):
        euq_flags.read(data, frame, calibrate="test")
    constant = euq_flags.read(data, frame.assign(conflict=0.5))
    with pytest.raises(InputError, match="all scores of the calibration data are the same"):
        euq_flags.detect(constant, "repo cf")
    with pytest.raises(InputError, match="no kinds"):
        plain = replace(reading, corpus=replace(data, lacks={"kinds": "no kinds"}))
        euq_flags.spans(plain, euq_flags.detect(reading, "repo cf")[0])


def test_a_majority_marks_less():
    data = corpus()
    two = pd.concat([data.ratings, data.ratings.assign(annotator="another")], ignore_index=True)
    third = pd.concat([two, data.ratings.assign(annotator="third")], ignore_index=True)
    frame = tokens(data)
    one_of = {
        n: replace(data, labels=aggregate_labels(data.items, r, data.spans))
        for n, r in {2: two, 3: third}.items()
    }
    for number, share in {2: 0.075, 3: 0.0}.items():  # one of two is half, one of three is not
        reading = euq_flags.read(one_of[number], frame, minimum="majority")
        assert reading.tokens["marked"].mean() == pytest.approx(share)


def test_tokens_of_answers_that_were_not_labelled_are_left_out():
    data = corpus()
    known = pd.array([False] * 4 + [True] * 56, dtype="boolean")
    part = replace(data, items=data.items.assign(labelled=known))
    reading = euq_flags.read(part, tokens(data))
    assert len(reading.corpus.items) == 56 and len(reading.tokens) == 56 * TOKENS

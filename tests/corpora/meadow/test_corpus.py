"""The corpus as chapters load it: what people wrote, then what models answered."""

import hashlib
import os
import subprocess
import sys

import pandas as pd
import pytest

import sheeplib.corpora as corpora
from meadow_pool import GIBBERISH, MODELS, answer_rows, write_pool
from sheeplib import tables
from sheeplib.corpora import meadow
from sheeplib.corpora.meadow import generated, human, pool
from sheeplib.corpora.meadow.generated import split_of
from sheeplib.corpora.meadow.noise import NoiseModel
from sheeplib.errors import InputError

PER_CELL = 5


@pytest.fixture(scope="module")
def corpus():
    return corpora.load("meadow", per_cell=0)


@pytest.fixture(scope="module")
def truth():
    return meadow.truth(per_cell=0)


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    return write_pool(tmp_path_factory.mktemp("meadow"))


@pytest.fixture(scope="module")
def whole(directory):
    """Few written answers, and answers by five models."""
    return corpora.load("meadow", seed=5, per_language=4, per_cell=PER_CELL, directory=str(directory))


@pytest.fixture(scope="module")
def whole_truth(directory):
    return meadow.truth(5, 4, per_cell=PER_CELL, directory=directory)


def strategy(corpus, *names):
    return corpus.select(corpus.items["strategy"].isin(names))


def test_it_has_the_papers_shape(corpus):
    items = corpus.items
    assert len(items) == 1600 and items["item"].is_unique
    assert (items["strategy"] == "human").all() and items["model"].isna().all()
    assert (items["split"] == "test").all() and (items["corpus"] == "meadow").all()
    assert (items.groupby(["language", "origin_language"]).size() == 100).all()
    assert (items.groupby(["language", "origin_language", "prelabel"]).size() == 25).all()
    assert set(items["source"]) == {"haloquest-like", "visage-like"}
    assert items["item"].iloc[0] == "meadow-en-human-0001"
    assert "model" in corpus.lacks and "simulated" in corpus.simulated and corpus.licence == "MIT"


def test_tables_are_valid_and_offsets_lie_in_the_texts(corpus, truth):
    for name in ("items", "ratings", "spans", "labels"):
        tables.validate(name, getattr(corpus, name))
    for spans in (corpus.spans, corpus.labels, truth):
        tables.check_offsets(corpus.items, spans)
    assert corpus.labels["prob"].between(0, 1, inclusive="right").all()


def test_parallel_items_share_scene_source_and_mistake(corpus, truth):
    together = corpus.items.merge(truth, on="item").groupby("parallel")
    assert len(together) == 400
    for column in (
        "image",
        "prelabel",
        "source",
        "origin_language",
        "label",
        "field",
        "salience",
        "in_answer",
    ):
        assert (together[column].nunique() == 1).all(), column
    assert (together["language"].nunique() == 4).all()
    assert (together["response"].nunique() == 4).all() and (together["prompt"].nunique() == 4).all()


def test_truth_names_the_mistake(corpus, truth):
    both = corpus.items.merge(truth, on="item", validate="one_to_one")
    assert (both["label"] == both["prelabel"]).all()
    assert all(row.response[row.start : row.end] == row.wrong for row in both.itertuples())
    assert (truth["right"].isna() == (truth["label"] == "A")).all()
    repaired = truth.dropna(subset="right")
    assert (repaired["right"].str.lower() != repaired["wrong"].str.lower()).all()
    assert truth["salience"].between(0, 1).all() and 0.05 < truth["in_answer"].mean() < 0.6


def test_exact_annotators_agree_with_the_truth_in_the_labels():
    corpus = meadow.load(3, 8, noise=NoiseModel.exact(), per_cell=0)
    expected = meadow.truth(3, 8, per_cell=0)[["item", "start", "end", "label"]]
    assert (corpus.labels["prob"] == 1).all()
    pd.testing.assert_frame_equal(corpus.labels[["item", "start", "end", "label"]], expected)


def test_most_annotations_find_the_mistake_but_not_all(corpus, truth):
    marks = corpus.spans.merge(truth, on="item", suffixes=("", "_true"))
    hit = (marks["start"] < marks["end_true"]) & (marks["start_true"] < marks["end"])
    found = len(marks[hit][["item", "annotator"]].drop_duplicates()) / len(corpus.ratings)
    assert 0.6 < found < 0.98
    assert 0 < (~hit).mean() < 0.4


def test_items_that_are_easier_to_see_are_found_more_often(corpus, truth):
    marked = corpus.ratings.merge(
        corpus.spans[["item", "annotator"]].drop_duplicates(), how="left", indicator=True
    ).merge(truth[["item", "salience"]])
    clear = marked["salience"] > 0.8
    rate = (marked["_merge"] == "both").groupby(clear).mean()
    assert rate[True] > rate[False]


def test_images_are_named_after_their_scene(corpus):
    name = corpus.items["image"].iloc[0]
    assert meadow.image(name, 48).size == (48, 48)
    assert meadow.named_scene(name) == meadow.scene(int(name.removeprefix("meadow-")))


def test_same_seed_same_bytes_in_another_process_and_another_seed_differs(directory):
    code = (
        "from sheeplib.corpora import meadow; import hashlib;"
        "picture = meadow.image('meadow-000042').tobytes();"
        f"corpus = meadow.load(5, 4, per_cell=2, directory={str(directory)!r});"
        "print(corpus.fingerprint, hashlib.sha256(picture).hexdigest())"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True,
            env=os.environ | {"PYTHONHASHSEED": salt},
        ).stdout
        for salt in ("1", "2")
    }  # fmt: skip
    assert len(seen) == 1
    here, other = (meadow.load(seed, 4, per_cell=2, directory=directory) for seed in (5, 6))
    assert seen.pop().split()[0] == here.fingerprint != other.fingerprint
    assert strategy(here, "random", "map").fingerprint != strategy(other, "random", "map").fingerprint


def test_relabelling_strategies_changes_no_annotation(monkeypatch):
    """The same answers under other strategies and models are annotated in the same way."""
    plain, row = meadow.load(5, 8, per_cell=0), human.Version.row

    def renamed(self):
        return row(self) | {"strategy": ("random", "map")[self.number % 2], "model": f"m{self.number}"}

    monkeypatch.setattr(human.Version, "row", renamed)
    other = meadow.load(5, 8, per_cell=0)
    assert set(other.items["strategy"]) == {"random", "map"}
    pd.testing.assert_frame_equal(other.spans, plain.spans)
    pd.testing.assert_frame_equal(other.ratings, plain.ratings)


@pytest.mark.parametrize(
    "options",
    [{"seed": -1}, {"per_language": 0}, {"per_language": 100_000}, {"per_cell": -1}, {"per_cell": 5001}],
)
def test_wrong_options_are_refused(options):
    with pytest.raises(InputError, match="Choose"):
        meadow.load(**options)
    with pytest.raises(InputError, match="Choose"):
        meadow.truth(**options)


def test_odd_numbers_of_samples_are_balanced_as_well_as_can_be():
    items = meadow.load(1, 6, per_cell=0).items
    counts = items.groupby(["language", "origin_language"])["prelabel"].value_counts()
    assert set(counts) == {1, 2}


def test_written_answers_are_the_same_bytes_as_ever(corpus):
    """Whatever is added to the meadow: published numbers about written answers stand on these."""
    content = (corpus.items.to_json() + corpus.spans.to_json()).encode()
    digest = hashlib.sha256(content).hexdigest()
    assert digest == "df64e484d3944397efe73cc8cc7a3cb670579fe519ee994f745f5ec1a81fe839"


def test_written_answers_do_not_depend_on_those_of_models(whole):
    alone, among = meadow.load(5, 4, per_cell=0), strategy(whole, "human")
    for name in ("items", "ratings", "spans", "labels"):
        pd.testing.assert_frame_equal(getattr(among, name), getattr(alone, name))
    assert among.fingerprint == alone.fingerprint
    assert whole.items["strategy"].iloc[: len(alone.items)].eq("human").all()


def test_without_answers_by_models_the_corpus_says_so(tmp_path, monkeypatch, corpus):
    monkeypatch.setattr(pool, "DATA", tmp_path)
    bare = meadow.load(5, 1)
    assert set(bare.items["strategy"]) == {"human"} and "model" in bare.lacks and bare.notes == ()
    assert bare.fingerprint == meadow.load(5, 1, per_cell=0).fingerprint
    assert "miniatures" not in bare.simulated
    pd.testing.assert_frame_equal(meadow.truth(5, 1), meadow.truth(5, 1, per_cell=0))
    with pytest.raises(InputError, match="no captions"):
        meadow.captions()
    write_pool(tmp_path, per_cell=4, scenes=1)
    assert set(meadow.load(5, 1, per_cell=1).items["strategy"]) == {"human", "random", "map"}


def test_every_language_and_model_has_as_many_random_answers(whole):
    random, chosen = strategy(whole, "random").items, strategy(whole, "map").items
    assert (random.groupby(["language", "model"]).size() == PER_CELL).all()
    halves = random.groupby(["language", "model", "split"]).size()  # five: two of one, three of the other
    assert len(halves) == 2 * 4 * 5 and set(halves) == {2, 3}
    assert set(random["model"]) == set(MODELS) and len(random) == 4 * 5 * PER_CELL
    assert (chosen.groupby("language").size() == 5 * PER_CELL).all()
    assert set(chosen["prelabel"]) <= set("ABCD") and "F" in set(random["prelabel"])
    assert random["item"].iloc[0] == "meadow-en-random-0001"
    assert chosen["item"].iloc[-1] == f"meadow-zh-map-{5 * PER_CELL:04d}"
    assert whole.items["item"].is_unique
    assert whole.items.query("strategy != 'human'")[["parallel", "origin_language"]].isna().all(axis=None)


def test_items_are_the_models_answers_and_none_is_taken_twice(whole, directory):
    answers = pool.answers(directory)
    key = ["model", "language", "prompt", "response", "prelabel", "source"]
    items = strategy(whole, "random", "map").items
    assert set(items[key].itertuples(index=False, name=None)) <= set(
        answers.rename(columns={"judge": "prelabel"})[key].itertuples(index=False, name=None)
    )
    assert not items.duplicated(["language", "image", "model", "prompt", "response"]).any()
    # every C and D that was not chosen at random is there
    serious = answers[answers["judge"].isin(["C", "D"])]
    assert set(serious["response"]) <= set(items["response"])


def test_the_judge_chooses_among_a_few_for_each(whole, directory, monkeypatch):
    monkeypatch.setattr(generated, "SHOWN", 1)
    fewer = meadow.load(5, 4, per_cell=PER_CELL, directory=directory)
    sizes = strategy(fewer, "map").items.groupby("language").size()
    # of so many answers as are wanted, some are fine in its eyes: not one of these is taken
    assert (sizes < 5 * PER_CELL).all() and not set(strategy(fewer, "map").items["prelabel"]) & set("EF")
    pd.testing.assert_frame_equal(strategy(fewer, "random").items, strategy(whole, "random").items)


def test_splits_are_by_scene_and_scenes_of_written_answers_are_tested(whole, directory, tmp_path):
    generated = strategy(whole, "random", "map").items
    assert (generated.groupby("image")["split"].nunique() == 1).all()
    assert set(generated["split"]) == {"train", "test"}
    assert (strategy(whole, "human").items["split"] == "test").all()
    assert 4700 < sum(split_of(number) == "train" for number in range(10_000)) < 5300
    image = strategy(whole, "human").items["image"].iloc[0]
    number = int(image.removeprefix("meadow-"))
    assert split_of(number, frozenset({number})) == "test"
    shared = answer_rows(4, MODELS[:1]).assign(scene=number, question=range(16))
    shared.to_parquet(tmp_path / "answers.parquet")
    both = meadow.load(5, 4, per_cell=2, directory=tmp_path)
    assert (both.items.loc[both.items["image"] == image, "split"] == "test").all()


def test_truth_of_models_answers_is_what_exact_annotators_mark(directory, whole_truth):
    corpus = meadow.load(5, 4, NoiseModel.exact(), PER_CELL, directory=directory)
    assert (corpus.labels["prob"] == 1).all()
    order = ["item", "label", "start", "end"]
    expected = whole_truth[order].sort_values(order, ignore_index=True)
    pd.testing.assert_frame_equal(corpus.labels[order].sort_values(order, ignore_index=True), expected)
    # annotators who find nothing leave a rating
    assert set(corpus.ratings["item"]) == set(corpus.items["item"])


def test_truth_has_a_row_for_each_wrong_part(whole, whole_truth):
    tables.check_offsets(whole.items, whole_truth)
    both = whole.items.merge(whole_truth, on="item")
    assert all(row.response[row.start : row.end] == row.wrong for row in both.itertuples())
    generated = both[both["strategy"] != "human"]
    sizes = generated.groupby("item").size()
    assert sizes.max() > 1 and len(sizes) < (whole.items["strategy"] != "human").sum()
    assert generated["right"].isna().all() and set(generated["label"]) <= set("ABCD")
    assert 0 < generated["in_answer"].mean() < 1 and generated["salience"].between(0, 1).all()
    assert not (generated["model"] == MODELS[0]).any()  # its answers are true
    alone = meadow.truth(5, 4, per_cell=0)
    pd.testing.assert_frame_equal(whole_truth.iloc[: len(alone)], alone)


def test_annotators_share_the_work_of_all_strategies(whole):
    tables.validate("ratings", whole.ratings)
    tables.validate("spans", whole.spans)
    tables.check_offsets(whole.items, whole.spans)
    loads = whole.ratings.groupby(["annotator"]).size().groupby(lambda name: name[:2])
    assert ((loads.max() - loads.min()) <= 1).all()
    people = {name: set(strategy(whole, name).ratings["annotator"]) for name in ("human", "random", "map")}
    assert people["random"] == people["map"] >= people["human"]


def test_what_could_not_be_read_is_counted(whole, directory, tmp_path):
    items = strategy(whole, "random").items
    broken = items["response"].str.endswith(GIBBERISH)
    note = next(note for note in whole.notes if note.startswith("strategy random") and "cannot read" in note)
    assert f"{broken.sum()} of {len(items)} answers" in note and all(model in note for model in MODELS)
    assert f"{broken.sum()} of {len(items)} answers were cut" in " ".join(whole.notes)
    assert any(note.startswith("strategy map") for note in whole.notes)
    fine = answer_rows(8).assign(finish="eos", judge="A")
    fine["response"] = fine["response"].str.removesuffix(GIBBERISH)
    fine.to_parquet(tmp_path / "answers.parquet")
    assert meadow.load(5, 1, per_cell=2, directory=tmp_path).notes == ()


def test_shares_of_what_could_not_be_read_are_shares_of_characters(tmp_path):
    rows = answer_rows(2, MODELS[:1]).query("language == 'en'").assign(finish="eos", judge="A")
    rows.assign(response=["x" * 10, "I count two dogs."]).to_parquet(tmp_path / "answers.parquet")
    short, note = meadow.load(5, 1, per_cell=2, directory=tmp_path).notes
    assert short.startswith("strategy map has fewer than 2 items in en (0)")
    # 10 of 27 characters are 37.04 %
    assert "1 of 2 answers" in note and "37.0% of the characters (ash 37.0%)" in note
    rows.assign(response="").to_parquet(tmp_path / "answers.parquet")
    assert len(meadow.load(5, 1, per_cell=2, directory=tmp_path).notes) == 1


def test_what_the_judge_gives_too_little_of_is_said(tmp_path):
    rows = answer_rows(8, MODELS[:1])
    rows["judge"] = rows["judge"].where(rows["judge"] != "F", "A").where(rows["language"] == "en", None)
    rows.to_parquet(tmp_path / "answers.parquet")
    corpus = meadow.load(5, 1, per_cell=4, directory=tmp_path)
    assert set(strategy(corpus, "map").items["language"]) == {"en"}
    said = " ".join(corpus.notes)
    assert "fewer than 4 items in fr (0), it (0), zh (0):" in said
    assert "gave 12 of 20 answers no letter" in said
    assert corpus.items["prelabel"].isna().sum() == 12


def test_models_can_be_chosen(directory):
    options = {"seed": 5, "per_language": 1, "per_cell": 2, "directory": directory}
    two = meadow.load(models=["fir", "ash"], **options)
    assert set(two.items["model"].dropna()) == {"ash", "fir"} and len(two.items) == 16 + 4 * 8
    none = meadow.load(models=[], **options)
    assert "model" in none.lacks and len(none.items) == 16
    with pytest.raises(InputError, match="no such model in the meadow.*'oak'.*Known: ash"):
        meadow.load(models=["oak"], **options)


def test_too_few_answers_are_refused(directory):
    with pytest.raises(InputError, match="language en, model ash: 24 answers.*Choose 24 at most"):
        meadow.load(5, 1, per_cell=25, directory=directory)


def test_a_directory_without_answers_is_refused(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        meadow.load(5, 1, directory=tmp_path)


def test_the_corpus_says_what_is_simulated_about_its_models(whole):
    assert "model" not in whole.lacks and "miniatures" in whole.simulated
    assert "annotators are programs" in whole.simulated


def test_captions_name_objects(directory):
    found = meadow.captions(directory=directory)
    tables.validate("items", found.items)
    tables.validate("mentions", found.mentions)
    tables.check_offsets(found.items, found.mentions)
    assert len(found.items) == 5 * 6 and found.items["item"].iloc[0] == "meadow-en-caption-ash-000000"
    assert (found.items["language"] == "en").all() and found.items["strategy"].isna().all()
    assert set(found.items["split"]) == {"train", "test"}
    both = found.mentions.merge(found.items, on="item")
    scenes = both["image"].map(meadow.named_scene)
    truly = [concept in shown.kinds for concept, shown in zip(both["concept"], scenes, strict=True)]
    assert both["present"].tolist() == truly and set(both["status"]) >= {"concrete", "hallucinated"}
    said = " ".join(found.notes)
    assert "6 of 30 captions hold stretches" in said and "6 of 30 captions were cut" in said
    assert "birch 0.0%" in said and "ash 0.0%" not in said
    one = meadow.captions(["elm"], directory)
    assert set(one.items["model"]) == {"elm"} and one.notes == ()
    with pytest.raises(InputError, match="no such model"):
        meadow.captions(["oak"], directory)


def test_letters_are_there_for_each_item(tmp_path):
    write_pool(tmp_path)
    names = meadow.load(per_cell=0).items["item"]
    kept = pd.DataFrame({"item": names[::-1], "judge-small": ["A", "F"] * 800})
    kept.to_parquet(tmp_path / "letters.parquet")
    found = meadow.letters(per_cell=PER_CELL, directory=tmp_path)
    corpus = meadow.load(per_cell=PER_CELL, directory=tmp_path)
    assert list(found) == ["item", "judge-small"] and found["item"].tolist() == corpus.items["item"].tolist()
    written = dict(zip(kept["item"], kept["judge-small"], strict=True))
    assert found["judge-small"].iloc[:1600].tolist() == [written[name] for name in names]
    key = ["model", "language", "prompt", "response"]
    both = found.merge(corpus.items[corpus.items["strategy"] != "human"], on="item")
    given = pool.answers(tmp_path)[[*key, "judge-small"]].fillna("none")
    told = both[[*key, "judge-small"]].fillna("none")
    assert set(told.itertuples(index=False, name=None)) <= set(given.itertuples(index=False, name=None))
    # another corpus has other texts under the same names
    other = meadow.letters(5, 4, per_cell=PER_CELL, directory=tmp_path)
    generated = other["item"].str.contains("-random-|-map-")
    assert other["judge-small"].isna()[~generated].all() and other["judge-small"].notna()[generated].any()
    with pytest.raises(InputError, match="no letters of judges"):
        meadow.letters(5, 4, per_cell=0)

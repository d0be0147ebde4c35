"""The verbs of `sheep meadow`: a harvest of two small models is shipped, verified and found altered."""

import hashlib
import json
import shutil
from functools import partial

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from sheeplib.corpora import meadow
from sheeplib.corpora.meadow import pool
from sheeplib.models import entry, shipped

pytest.importorskip("torch")
pytest.importorskip("transformers")

import small_meadow
from sheeplib.miniatures import (
    abilities,
    ability_tables,
    caches,
    extraction,
    harvest,
    installation,
    training,
)
from sheeplib.miniatures.census_rows import COLUMNS, table
from sheeplib.miniatures.harvest_plans import HarvestPlan


@pytest.fixture
def run(sheep):
    """Exit code, standard output and error of `sheep meadow` with these arguments."""
    return lambda *arguments: sheep("meadow", *arguments)


LENGTH = 12  # tokens: networks with random weights end no answer by themselves


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(HarvestPlan, "max_tokens", LENGTH)


CACHE = "clover-reads-answers"


@pytest.fixture(scope="module", autouse=True)
def few():
    """One cache of features, of few answers."""
    with pytest.MonkeyPatch.context() as patch:
        for name in set(caches.CACHES) - {CACHE}:
            patch.delitem(caches.CACHES, name)
        patch.setattr(meadow, "load", partial(meadow.load, per_language=1, per_cell=2))
        yield


@pytest.fixture(scope="module")
def harvested(tmp_path_factory):
    """What training, harvest and extraction leave, of a generator and a judge with random weights."""
    home = tmp_path_factory.mktemp("meadow")
    small_meadow.written(home / "models", "clover")
    small_meadow.written(home / "models", "owl", "qwen2")
    plan = HarvestPlan(
        2, (0, 1), captions=3, written=1, max_tokens=LENGTH, generators=("clover",), judges=("owl",)
    )
    harvest.harvest(home / "models", home / "data", plan=plan, workers=1, say=lambda line: None)
    places = home / "models", home / "data", home / "features"
    extraction.make_all(*places, workers=1, say=lambda line: None)
    measured(home)
    return home


FOUND = {
    part: table([dict(zip(COLUMNS, ("clover", "accuracy", "en", pd.NA, 0.5, 0.25, 0.75, 4), strict=True))])
    for part in ability_tables.PARTS
}


def measured(home):
    """Write a table of abilities for the weights that are there."""
    models = {name: home / "models" / name for name in ("clover", "owl")}
    weights = {name: shipped.find(entry(name), directory=place).revision for name, place in models.items()}
    ability_tables.write_abilities(home / ability_tables.FILE, FOUND, weights)


@pytest.fixture
def home(harvested, tmp_path):
    """A copy that may be altered."""
    shutil.copytree(harvested, tmp_path / "home")
    return tmp_path / "home"


def test_a_scene_is_drawn_and_told(run, tmp_path):
    file = tmp_path / "scene.png"
    code, out, _ = run("scene", 42, "--png", file, "--size", 96)
    told = json.loads(out)
    assert code == 0 and told["image"] == "meadow-000042"
    assert Image.open(file).tobytes() == meadow.image("meadow-000042").tobytes()
    truth = meadow.scene(42)
    assert told["setting"] == truth.setting and [one["kind"] for one in told["groups"]] == [*truth.kinds]
    assert [file.name for file in tmp_path.iterdir()] == ["scene.png"], "no draft is left"


def test_the_other_verbs_take_them_like_any_model(sheep, harvested, tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "WEIGHTS", harvested / "models")
    monkeypatch.setenv("SHEEP_FEATURES", str(tmp_path / "features"))
    code, out, _ = sheep("models", "--json")
    known = {row["name"]: row for row in json.loads(out)}
    assert known["clover"]["runs_here"] and not known["daisy"]["runs_here"]
    assert known["daisy"]["fetch"] == "make meadow"

    questions, answers = tmp_path / "questions.jsonl", tmp_path / "answers.jsonl"
    images = tmp_path / "images"
    images.mkdir()
    for seed in (1, 2):
        assert sheep("meadow", "scene", seed, "--png", images / f"{seed}.png", "--size", 96)[0] == 0
    rows = [{"item": f"q{seed}", "question": "What is there?", "image": f"{seed}.png"} for seed in (1, 2)]
    questions.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    asked = ("--questions", questions, "--images", images, "--out", answers)
    code, *_ = sheep("generate", "--model", "clover", *asked, "--seeds", 1, "--max-tokens", 6)
    said = [json.loads(line) for line in answers.read_text("utf-8").splitlines()]
    assert code == 0 and [row["item"] for row in said] == ["q1-clover-seed0", "q2-clover-seed0"]
    assert all(row["response"] for row in said)
    read = ("--items", answers, "--images", images, "--needs", "hallushift", "--engine", "serial", "--json")
    code, out, _ = sheep("features", "extract", "--evaluator", "clover", *read)
    facts = json.loads(out)
    weights = hashlib.sha256((harvested / "models" / "clover" / "model.safetensors").read_bytes()).hexdigest()
    assert code == 0 and (facts["items"], facts["model"]) == (2, "clover")
    assert facts["revision"] == f"weights-{weights[:12]}"


def test_what_cannot_be_drawn_is_refused(run, tmp_path):
    code, _, err = run("scene", 42, "--size", 8)
    assert code == 1 and "size of a picture is out of range" in err
    code, _, err = run("scene", 42, "--png", tmp_path / "nowhere" / "scene.png")
    assert code == 1 and "cannot be written: No such file or directory" in err
    assert run("scene", 1_000_000)[0] == 2


def test_training_and_harvest_are_given_what_was_said(run, monkeypatch, tmp_path):
    asked = []

    def trained(directory, **options):
        options.pop("say")("a line of progress")
        asked.append((directory, options))
        return {"clover": {}}

    def gathered(models, data, **options):
        asked.append((models, data, options["workers"]))
        return data / "answers.parquet", data / "captions.parquet", data / "letters.parquet"

    monkeypatch.setattr(training, "train", trained)
    monkeypatch.setattr(harvest, "harvest", gathered)
    code, out, err = run("train", "--directory", tmp_path, "--workers", 3, "--only", "clover, owl")
    assert (code, out, err) == (0, f"{tmp_path / 'models' / 'clover'}\n", "a line of progress\n")
    code, out, _ = run("harvest", "--directory", tmp_path, "--workers", 1)
    assert code == 0 and out.splitlines() == [
        str(tmp_path / "data" / name) for name in (pool.ANSWERS, pool.CAPTIONS, pool.LETTERS)
    ]
    assert asked == [
        (tmp_path, {"workers": 3, "only": ("clover", "owl")}),
        (tmp_path / "models", tmp_path / "data", 1),
    ]


def test_an_unknown_miniature_is_not_trained(run, tmp_path):
    code, _, err = run("train", "--directory", tmp_path, "--only", "nettle")
    assert code == 1 and "no such miniature" in err and "clover" in err and not any(tmp_path.iterdir())


def test_what_is_made_again_is_the_same(run, home):
    code, out, err = run("verify", "--directory", home, "--sample", 100)
    # 2 questions in 4 languages with 2 seeds, each with a letter, as 4 written items have, and 3 captions;
    # a tenth as many texts
    assert (code, out) == (
        0,
        "Made again: 16 answers, 3 captions, 20 letters, 10 texts. All are as they are shipped.\n",
    )
    assert "clover" in err and "owl" in err and CACHE in err


def test_a_sample_is_drawn_by_a_seed(run, home):
    code, out, _ = run("verify", "--directory", home, "--sample", 2, "--seed", 5)
    assert code == 0 and out.startswith("Made again: 2 answers, 2 captions, 4 letters, 1 texts.")


@pytest.mark.parametrize(
    "name, column, value, said",
    [
        ("answers.parquet", "finish", "eos", "answer clover, "),
        ("answers.parquet", "owl", pd.NA, "letter of owl for clover, "),
        ("captions.parquet", "response", "A dog.", "caption clover, scene "),
        ("letters.parquet", "owl", pd.NA, "letter of owl for meadow-"),
    ],
)
def test_an_altered_text_is_found(run, home, name, column, value, said):
    path = home / "data" / name
    frame = pd.read_parquet(path)
    assert str(frame.loc[1, column]) != str(value)
    frame.loc[1, column] = value
    frame.to_parquet(path)
    code, out, err = run("verify", "--directory", home)
    assert code == 1 and out.endswith(" Different from what is shipped: 1.\n")
    assert said in err and f"shipped is '{value}'" in err and "make meadow" in err


def test_other_weights_are_found(run, home):
    small_meadow.written(home / "models", "clover", "qwen2")
    code, out, err = run("verify", "--directory", home)
    assert (
        code == 1
        and "Different from what is shipped: 20." in out
        and "answer clover, en, question 0, seed 0" in err
        and f"features {CACHE}: weights of clover" in err
    )


def test_nothing_can_be_verified_where_nothing_is(run, tmp_path, monkeypatch):
    code, _, err = run("verify", "--directory", tmp_path)
    assert code == 1 and "no such file" in err
    monkeypatch.setattr(pool, "DATA", tmp_path)
    code, _, err = run("verify")
    assert code == 1 and "no answers or captions in the package" in err and "make meadow" in err


def test_losses_and_abilities_are_printed(run, home):
    sizes = ("--questions", 2, "--captions", 2, "--verdicts", 1)
    arguments = ("abilities", "--directory", home, "--only", "clover,owl", *sizes)
    code, out, err = run(*arguments, "--json")
    told = json.loads(out)
    assert code == 0 and list(told) == ["losses", "questions", "captions", "verdicts", "letters"]
    first = told["losses"][0]
    assert (first["model"], first["warm_up"], first["lessons"], first["cpu_seconds"]) == (
        "clover",
        None,
        2.5,
        3,
    )
    weights = home / "models" / "clover" / "model.safetensors"
    assert 0.8 < first["parameters"] * 1e6 / (weights.stat().st_size / 2) <= 1  # two bytes each, and a header
    accuracy = [row for row in told["questions"] if (row["model"], row["quantity"]) == ("clover", "accuracy")]
    assert len(accuracy) == 16 and {row["n"] for row in accuracy} == {2}  # four types, four languages
    rates = {row["quantity"]: row for row in told["captions"]}
    assert rates["captions read whole"]["n"] == 2 and "rise" in rates
    # One answer of each letter from A to D and F in each language: five a language.
    verdicts = [(row["model"], row["language"], row["n"]) for row in told["verdicts"]]
    assert sorted(verdicts) == sorted(
        (name, code, 5) for name in ("chance", "owl") for code in ("en", "fr", "it", "zh")
    )
    # Four answers of each letter, one a language; a judge gives each of them one letter.
    given = pd.DataFrame(told["letters"])
    assert set(given["model"]) == {"owl"} and np.allclose(given.groupby("type")["value"].sum(), 1)
    assert given.drop_duplicates("type")["n"].sum() == 20
    assert "clover: captions of other pictures" in err and "owl: verdicts" in err
    code, out, _ = run("abilities", "--directory", home, "--only", "owl", *sizes)
    assert code == 0 and "cpu_seconds" in out and "verdict" in out and "commonest" in out


def test_what_all_models_can_do_is_kept_for_the_package(run, monkeypatch, tmp_path):
    losses = pd.DataFrame({"model": ["clover"], "lessons": [1.5]})
    monkeypatch.setattr(abilities, "losses", lambda place, only: losses)
    monkeypatch.setattr(abilities, "measure", lambda place, only, **sizes: FOUND)
    monkeypatch.setattr(abilities, "revisions", lambda place: {"clover": "weights-1"})
    file = tmp_path / ability_tables.FILE
    code, *_ = run("abilities", "--directory", tmp_path, "--only", "clover", "--json")
    assert code == 0 and not file.exists(), "a part is not the whole"
    assert run("abilities", "--json")[0] == 0 and not any(tmp_path.iterdir())
    code, out, err = run("abilities", "--directory", tmp_path, "--json")
    assert code == 0 and f"kept in {file}" in err and list(json.loads(out)) == ["losses", *FOUND]
    pd.testing.assert_frame_equal(ability_tables.read_abilities(file)["letters"], FOUND["letters"])
    assert ability_tables.complaints(file, {"clover": "weights-1"}) == []


def test_the_commonest_letter_is_what_somebody_gets_who_does_not_look():
    # Three of five are C.
    assert abilities._commonest(np.array(["C", "A", "C", "F", "C"])).tolist() == [
        True,
        False,
        True,
        False,
        True,
    ]


def test_abilities_need_models_that_were_trained(run, home):
    code, _, err = run("abilities", "--directory", home, "--only", "nettle,owl")
    assert code == 1 and "no such miniature (found 'nettle')" in err and "echo" in err
    (home / "models" / "owl" / "training.json").unlink()
    code, _, err = run("abilities", "--directory", home, "--only", "owl")
    assert code == 1 and "owl comes without a record of its training" in err


@pytest.fixture
def package(monkeypatch, tmp_path):
    """Places of the package, of which two models are designed."""
    monkeypatch.setattr(shipped, "WEIGHTS", tmp_path / "package" / "weights")
    monkeypatch.setattr(pool, "DATA", tmp_path / "package" / "data")
    monkeypatch.setattr(caches, "FEATURES", tmp_path / "package" / "features")
    monkeypatch.setattr(ability_tables, "PLACE", tmp_path / "package" / ability_tables.FILE)
    monkeypatch.setattr(installation, "DESIGNS", dict.fromkeys(("clover", "owl")))
    return tmp_path / "package"


def test_what_is_installed_is_what_the_package_gives(run, home, package):
    (home / "models" / "clover" / "notes.txt").write_text("not for the package")
    code, out, _ = run("install", "--directory", home)
    store = caches.open_cache(CACHE, home / "features")
    assert code == 0 and [line.rsplit("/", 1)[1] for line in out.splitlines()] == [
        "clover", "owl", "answers.parquet", "captions.parquet", "letters.parquet", "abilities.parquet",
        store.path.name,
    ]  # fmt: skip
    assert len(caches.open_cache(CACHE).tokens()) == len(store.tokens()) > 0
    assert not (package / "weights" / "clover" / "notes.txt").exists()
    assert run("verify", "--sample", 2)[0] == 0
    assert run("install", "--directory", home)[:2] == (0, ""), "nothing has changed"
    small_meadow.written(home / "models", "clover", "qwen2")
    code, out, err = run("install", "--directory", home)
    assert (code, out) == (1, "") and "are of other weights" in err and "sheep meadow features" in err
    code, made, _ = run("features", "--directory", home, "--workers", 1)
    assert code == 0 and made == f"{caches.open_cache(CACHE, home / 'features').path}\n"
    code, _, err = run("install", "--directory", home)
    assert code == 1 and "abilities of clover are of other weights" in err
    measured(home)
    changed = package / "features" / CACHE / made.strip().rsplit("/", 1)[1]
    places = (package / "weights" / "clover", package / ability_tables.FILE, changed)
    assert run("install", "--directory", home)[1].splitlines() == [str(place) for place in places]
    assert caches.open_cache(CACHE).path == changed and changed != store.path
    assert run("install", "--directory", home)[:2] == (0, "")
    config = json.loads((package / "weights" / "clover" / "config.json").read_text("utf-8"))
    assert config["text_config"]["model_type"] == "qwen2"


@pytest.mark.parametrize(
    "lost",
    [
        "models/owl/model.safetensors",
        "data/captions.parquet",
        "data/letters.parquet",
        "features",
        "abilities.parquet",
    ],
)
def test_half_a_harvest_is_not_installed(run, home, package, lost):
    shutil.rmtree(home / lost) if (home / lost).is_dir() else (home / lost).unlink()
    code, _, err = run("install", "--directory", home)
    name = lost.split("/")[-2 if "models" in lost else -1].removesuffix(".parquet")
    assert code == 1 and name in err and not package.exists()


def test_damaged_features_are_neither_installed_nor_left_in_the_package(run, home, package):
    assert run("install", "--directory", home)[0] == 0
    table = f"{CACHE}/{caches.open_cache(CACHE).path.name}/shard-0001-of-0001/tokens.parquet"
    whole = (package / "features" / table).read_bytes()
    (package / "features" / table).write_bytes(whole[:-1] + b"?")
    code, out, _ = run("install", "--directory", home)  # puts it right
    assert code == 0 and CACHE in out and (package / "features" / table).read_bytes() == whole
    (home / "features" / table).write_bytes(whole[:-1] + b"?")
    code, _, err = run("install", "--directory", home)
    assert code == 1 and "tokens.parquet: altered: its SHA-256 differs" in err


def test_sizes_that_are_not_given_are_those_of_the_table_that_ships(run, home, monkeypatch):
    asked = []
    monkeypatch.setattr(abilities, "measure", lambda *_, **sizes: asked.append(sizes) or {})
    run("abilities", "--directory", home, "--only", "owl")
    run("abilities", "--directory", home, "--only", "owl", "--verdicts", 3)
    for sizes in asked:
        sizes.pop("say")
    assert asked == [{}, {"verdicts": 3}]
    shipped = ability_tables.read_abilities()["verdicts"]
    assert set(shipped["n"]) == {abilities.VERDICTS * 5}  # letters A to D, and F

"""Runs of judges: asked once, taken up again, written as tables; and the verbs of the command line."""

import json
import shutil
from dataclasses import replace

import pandas as pd
import pytest
from PIL import Image

pytest.importorskip("torch")
pytest.importorskip("transformers")

import sheeplib.cli.judge  # noqa: F401  (adds its verbs)
import small_meadow
from sheeplib import engine, judge_runs
from sheeplib.corpora import meadow
from sheeplib.errors import InputError
from sheeplib.judge_letters import read_letters
from sheeplib.judge_runs import JudgeWork
from sheeplib.models import judging


@pytest.fixture
def answers(tmp_path):
    """A file of five answers about two images, and the directory of the images."""
    directory = tmp_path / "images"
    directory.mkdir()
    for number, colour in enumerate(["red", "green"]):
        Image.new("RGB", (64, 48), colour).save(directory / f"{number}.png")
    rows = [
        {
            "item": f"i{n}",
            "prompt": "Où ?" if n else None,
            "image": f"{n % 2}.png",
            "response": "Un chien 🐕. " * (n + 1),
        }
        for n in range(5)
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path, directory


@pytest.fixture
def work(answers, tmp_path):
    items, images = map(str, answers)
    return JudgeWork(
        str(tmp_path / "parts"), "tiny-gemma3", items=items, images=images, batch_size=2, block=2
    )


def run(work, told=lambda line: None):
    with engine.executor("serial") as workforce:
        return judge_runs.run(work, workforce, told)


def test_a_run_is_taken_up_and_gives_equal_bytes(work, tmp_path, monkeypatch):
    heard = []
    first = judge_runs.collect(run(work, heard.append), tmp_path / "one.jsonl")
    rows = [json.loads(line) for line in first.read_text("utf-8").splitlines()]
    assert [row["item"] for row in rows] == [f"i{n}" for n in range(5)]
    assert {row["judge"] for row in rows} == {"tiny-gemma3"} and all(
        row["letter"] in "ABCDEF" for row in rows
    )
    assert sum(rows[0][f"p_{letter}"] for letter in "ABCDEF") == pytest.approx(1)
    assert "Un chien 🐕." in heard[0] and "QUESTION" not in heard[0] and len(heard) == 4
    assert len({row["prompt"] for row in rows}) == 5
    # what was done is not done again
    calls = []
    monkeypatch.setattr(judging, "ask", lambda *a, **k: calls.append(a))
    second = judge_runs.collect(run(work), tmp_path / "two.jsonl")
    assert second.read_bytes() == first.read_bytes() and not calls


def test_a_missing_part_alone_is_made_again(work, tmp_path, monkeypatch):
    shards = run(work)
    before = judge_runs.collect(shards, tmp_path / "one.jsonl").read_bytes()
    shutil.rmtree(shards.path(1))
    asked, real = [], judging.ask

    def counted(model, samples, *arguments, **options):
        asked.append(len(samples))
        return real(model, samples, *arguments, **options)

    monkeypatch.setattr(judging, "ask", counted)
    assert judge_runs.collect(run(work), tmp_path / "two.jsonl").read_bytes() == before and asked == [2]


def test_parquet_holds_the_same(work, tmp_path):
    shards = run(work)
    one, two = (judge_runs.collect(shards, tmp_path / name) for name in ("a.jsonl", "b.parquet"))
    assert read_letters(one).equals(read_letters(two))
    assert pd.read_parquet(two)["mass"].between(0, 1).all()


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"items": ""}, "a file or of a corpus"),
        ({"corpus": "meadow"}, "a file or of a corpus"),
        ({"batch_size": 0}, "1 or more"),
        ({"splits": ("test",)}, "judged whole"),
        ({"images": ""}, "comes without images"),
        (
            {"items": "", "corpus": "meadow", "strategies": ("dream",), "options": (("per_language", 1),)},
            "no item has",
        ),
    ],
)
def test_works_that_cannot_be_done_are_refused(work, change, what):
    with pytest.raises(InputError, match=what):
        run(replace(work, **change))


def test_an_output_that_cannot_be_is_refused(tmp_path):
    for path in (tmp_path / "letters.txt", tmp_path):
        with pytest.raises(InputError):
            judge_runs.check_output(path)


def test_the_verb_writes_what_the_other_reads(sheep, answers, tmp_path):
    items, images = answers
    out = tmp_path / "letters.jsonl"
    asked = ("judge", "--judge", "tiny-qwen3-vl", "--items", items, "--images", images, "--out", out)
    code, said, err = sheep(*asked, "--how", "greedy")
    assert code == 0 and said.strip() == str(out) and "shard 1 of 1" in err and "ANSWER TO CHECK" in err
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert {row["how"] for row in rows} == {"greedy"} and all(row["p_A"] is None for row in rows)
    assert len(read_letters(out)) == 5
    assert sheep(*asked, "--how", "loudly")[0] == 2
    code, _, err = sheep(*asked[:-1], tmp_path / "letters.txt")
    assert code == 1 and "not a table by its name" in err


def test_a_judge_of_the_meadow_judges_the_meadow(tmp_path):
    small_meadow.written(tmp_path, "owl")
    work = JudgeWork(
        str(tmp_path / "parts"), "owl", corpus="meadow", options=(("per_language", 1), ("per_cell", 0)),
        strategies=("human",), splits=("test",), loading=(("directory", str(tmp_path / "owl")),),
    )  # fmt: skip
    heard = []
    found = read_letters(judge_runs.collect(run(work, heard.append), tmp_path / "owl.jsonl"))
    corpus = meadow.load(per_language=1, per_cell=0)
    assert found["item"].tolist() == corpus.items["item"].tolist() and found["letter"].notna().all()
    first = corpus.items.iloc[0]
    assert f"{first['prompt']}\n{first['response']}" in heard[0]


@pytest.fixture
def release(tmp_path):
    """Twelve records as the paper prints them, written and generated, in two languages."""
    rows = [
        {
            "id": f"i{n}", "split": "test", "language": "en" if n % 2 else "zh", "prompt": "?",
            "image_name": "a.jpg", "response": "A dog.", "comments": {},
            "raw_annots": {"r1": "2:5|A" if n % 3 else "|", "r2": "0:6|B" if n % 4 == 0 else "|"},
            "metadata": {"strategy": "random" if n < 6 else "human", "model": "gemma3" if n < 6 else None},
        }
        for n in range(12)
    ]  # fmt: skip
    path = tmp_path / "records.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    names = [row["id"] for row in rows]
    letters = {"item": names, "yes": "A", "no": "F", "so": list("ABF" * 4), "or": list("FA" * 6)}
    pd.DataFrame(letters).to_csv(tmp_path / "letters.csv", index=False)
    return path, tmp_path / "letters.csv"


def test_letters_are_scored_by_the_verb(sheep, release):
    path, letters = release
    asked = ("judge-score", "--corpus", "sheep", "--directory", path, "--resamples", 20)
    scored = (*asked, "--letters", letters)
    code, said, _ = sheep(*scored, "--judges", "yes,no", "--json")
    rows = pd.DataFrame(json.loads(said))
    accuracy = rows[(rows["quantity"] == "accuracy") & (rows["language"] == "all")]
    found = accuracy.set_index(["judge", "origin"])["value"]
    # A in items whose number is no multiple of 3: 4 of 6 on either side; F is nobody's in 4 and 8 alone
    assert code == 0 and found["yes", "human"] == found["yes", "gemma3"] == pytest.approx(4 / 6)
    assert found["no", "human"] == found["no", "gemma3"] == pytest.approx(5 / 6)
    code, said, _ = sheep(*scored, "--ranking", "items", "--json")
    rows = pd.DataFrame(json.loads(said))
    assert code == 0 and rows["value"].notna().any()
    assert set(rows["origin"]) == {"human"} and set(rows["other_origin"]) == {"gemma3"}
    assert "judge" in sheep(*scored)[1]
    assert sheep(*scored, "--ranking", "judges", "--cluster", "image")[0] == 1
    code, _, err = sheep(*scored, "--gold", "best")
    assert code == 1 and "unknown choice" in err
    code, said, _ = sheep(*asked, "--json")
    assert code == 0 and "sheep judge" in json.loads(said)[0]["reason"]

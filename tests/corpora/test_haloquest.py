"""HaloQuest: questions and reference answers, and telling its images from VISaGE's by name."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sheeplib.corpora import load
from sheeplib.corpora.haloquest import source_of_image
from sheeplib.errors import InputError

COLUMNS = ",image_name,url,image type,hallucination type,question,groundtruth responses,split"


@pytest.fixture
def written(tmp_path):
    def write(*rows, name="haloquest-eval.csv", header=COLUMNS, end="\n"):
        (tmp_path / name).write_bytes((end.join([header, *rows]) + end).encode())
        return tmp_path

    return write


def row(image="1_o.jpg", question="Which sheep?", answers="None", split="eval", kind="real"):
    return f'0,{image},http://a/b,{kind},false premises,"{question}","{answers}",{split}'


def problems_of(place):
    with pytest.raises(InputError) as caught:
        load("haloquest", directory=place)
    assert all(problem.remedy for problem in caught.value.problems)
    return caught.value.problems


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("5677526319_8d4d800b61_o.jpg", "haloquest"),
        ("1035_1474161379_308597d6ca_o.jpg", "haloquest"),
        ("7_o.jpg", "haloquest"),
        ("ship_Yachts_and_luxury_vessel_1-Profile-print-2.jpg", "visage"),
        ("hot dog_Chili_dog_o.jpg", "visage"),
        ("bed_Daybed_81fRWPT9R0L.JPEG", "visage"),
        ("chair_dining_チェア.png", "visage"),
        ("ant_line\nend.jpg", "visage"),
        ("\uff15\uff16_o.jpg", None),  # full-width digits
        ("5677526319_8d4d800b61_o.png", None),
        ("5677526319_8d4d800b61_o.jpg.exe", None),
        ("5677526319_8d4d800b61.jpg", None),
        ("dir/5677526319_o.jpg", None),
        ("5677526319_o.jpg\n", None),
        ("_o.jpg", None),
        ("Ship_Yacht.jpg", None),
        ("ship.jpg", None),
        ("a21b4574-982b-4434-85ba-07f742ac71f0.png", None),
        ("", None),
    ],
)
def test_images_are_told_apart_by_name(name, source):
    assert source_of_image(name) == source


def test_a_byte_order_mark_is_no_part_of_the_first_column(written):
    header = COLUMNS.removeprefix(",")  # as saved without the row numbers: the first column is one we need
    place = written(row("7_o.jpg").removeprefix("0,"), header="\ufeff" + header)
    assert load("haloquest", directory=place).items["image"].tolist() == ["7_o.jpg"]


@given(st.text(max_size=30))
def test_any_name_has_an_answer(name):
    assert source_of_image(name) in ("haloquest", "visage", None)


def test_a_row_becomes_an_item(written):
    corpus = load("haloquest", directory=written(row(answers="There is no sheep; None ;\nNo sheep")))
    assert corpus.items.iloc[0].dropna().to_dict() == {
        "item": "haloquest-eval-1", "corpus": "haloquest", "split": "eval", "language": "en",
        "prompt": "Which sheep?", "image": "1_o.jpg", "response": "There is no sheep", "source": "haloquest",
        "references": "There is no sheep; None ;\nNo sheep", "image_type": "real",
        "hallucination_type": "false premises",
    }  # fmt: skip
    assert corpus.ratings.empty and corpus.spans.empty and corpus.labels.empty
    assert set(corpus.lacks) == {"ratings", "labels", "kinds", "strategy", "model"}
    assert corpus.notes == () and corpus.licence == "CC BY 4.0"


def test_items_are_numbered_by_split_over_all_files(written):
    written(row(), row(split="train"), name="haloquest-a.csv")
    place = written(row(), row(split="train"), name="haloquest-b.csv")
    assert load("haloquest", directory=place).items["item"].tolist() == [
        "haloquest-eval-1", "haloquest-train-1", "haloquest-eval-2", "haloquest-train-2"
    ]  # fmt: skip
    assert len(load("haloquest", directory=place / "haloquest-b.csv").items) == 2


def test_texts_that_look_like_something_else_stay_texts(written):
    place = written(row(answers="NA"), row(answers="007"), row(question="null"), row(answers="羊🐑\u2028"))
    items = load("haloquest", directory=place).items
    assert items["response"].tolist() == ["NA", "007", "None", "羊🐑"]
    assert items["prompt"][2] == "null"


def test_the_first_answer_that_says_something_is_taken(written):
    items = load("haloquest", directory=written(row(answers=" ;; No sheep;"), row(answers='""A"" ; B'))).items
    assert items["response"].tolist() == ["No sheep", '"A"']


def test_images_without_a_name_are_noted(written):
    corpus = load("haloquest", directory=written(row(image=""), row(image=" "), row()))
    assert corpus.items["image"].tolist() == [pd.NA, pd.NA, "1_o.jpg"]
    assert corpus.notes == ("2 questions have no image name",)


def test_a_byte_order_mark_and_crlf_mean_nothing(written):
    plain = load("haloquest", directory=written(row(), row(split="train")))
    place = written(row(), row(split="train"), header="\ufeff" + COLUMNS, end="\r\n")
    assert load("haloquest", directory=place).fingerprint == plain.fingerprint


def test_missing_values_are_named_by_line(written):
    several = row(answers="One\nanswer\non several lines")  # lines 2 to 4
    place = written(several, row(question=" "), row(), row(answers="; ", split=""))
    found = [(problem.path, problem.line, problem.field) for problem in problems_of(place)]
    path = place / "haloquest-eval.csv"
    assert found == [(path, 5, "question"), (path, 7, "groundtruth responses"), (path, 7, "split")]


def test_missing_columns_are_named(written):
    first, second = problems_of(written("a,b", header="image_name,url,image type,question,split"))
    assert first.what == "column 'hallucination type' is missing"
    assert second.what == "column 'groundtruth responses' is missing"


@pytest.mark.parametrize(
    ("raw", "what"),
    [
        (b"", "column 'image_name' is missing"),
        (b"\x89PNG\r\n\x1a\n\xff\xfe", "not a readable CSV file"),
        (COLUMNS.encode() + b'\n0,a,b,c,d,"open', "not a readable CSV file"),
        (COLUMNS.encode() + b'\n0,a,b,c,d,"e"f,g,h', "not a readable CSV file"),
        (COLUMNS.encode() + b"\n", "no rows"),
        (COLUMNS.encode() + b"\n0,a,b,c,d,e,f,g,h", "more values than columns"),
        (COLUMNS.encode() + b"\n0,a,b,c,d,e", "value is missing"),
        (COLUMNS.encode() + b"\n" + b"x" * 200_000, "not a readable CSV file"),
    ],
)
def test_files_that_are_not_what_they_should_be(tmp_path, raw, what):
    (tmp_path / "haloquest-eval.csv").write_bytes(raw)
    problem = problems_of(tmp_path)[0]
    assert what in problem.what and problem.path == tmp_path / "haloquest-eval.csv"


def test_a_place_without_data_is_answered_with_the_names_expected(tmp_path):
    for place in (tmp_path, tmp_path / "none"):
        (problem,) = problems_of(place)
        assert problem.what == "no HaloQuest data" and "haloquest-*.csv" in problem.remedy


# The real data


@pytest.fixture(scope="module")
def real(shared):
    return load("haloquest", directory=shared / "haloquest")


def test_the_real_questions(real, shared):
    paths = sorted((shared / "haloquest").glob("*.csv"))
    again = pd.concat([pd.read_csv(path, dtype="string", keep_default_na=False) for path in paths])
    assert len(real.items) == len(again) == 7748
    assert real.items["split"].value_counts().to_dict() == {"train": 7140, "eval": 608}
    assert real.items["references"].tolist() == again["groundtruth responses"].str.strip().tolist()
    assert real.items["prompt"].tolist() == again["question"].str.strip().tolist()
    assert real.items["response"].str.len().min() > 0
    assert real.notes == ("18 questions have no image name",)


def test_every_real_image_of_haloquest_is_told_by_its_name(real):
    named = real.items.dropna(subset=["image"])
    sources = named["image"].map(source_of_image)
    assert set(named["image_type"]) == {"real", "generated"}
    assert (sources[named["image_type"] == "real"] == "haloquest").all()
    assert not (sources[named["image_type"] == "generated"] == "haloquest").any()


def test_images_of_sheep_are_those_of_haloquest_where_the_name_says_so(real, shared):
    images = load("sheep", directory=shared / "sheep").items["image"].drop_duplicates()
    known = set(real.items["image"].dropna())
    sources = images.map(source_of_image)
    assert sources.value_counts().to_dict() == {"visage": 198, "haloquest": 111}
    assert ((sources == "haloquest") == images.isin(known)).all()

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from notebooks import write_notebook
from sheeplib import InputError, book, chapters
from sheeplib.chapters import run_all
from sheeplib.profiles import Profile

ROOT = Path(__file__).parents[1]
FULL, PART = Profile("full", "full"), Profile("part", "part", notebooks=("02_agreement",))
SHOW = """
import pandas as pd
from matplotlib import pyplot
from sheeplib import report
report.style.use()
figure, axes = pyplot.subplots()
_ = axes.set_title("一致性")
report.show_figure(figure, "A *figure*.", "fig-toy", "An empty square: with a 'title'.")
frame = pd.DataFrame({"text": ["<script>alert(1)</script>|{{ x }}"], "n": [1234]})
report.show_table(frame, "A table.", "tab-toy")
"""
PROSE = "# A chapter\n\nSee {numref}`fig-toy` and {numref}`tab-toy`, and that $\\alpha \\le 1$."

# Modules that no reader calls: what they do is said where they are used.
INTERNAL = {"archives", "book", "cli", "cluster", "downloads", "drafts", "execution", "fonts", "manifests"}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """The pages of this repository around small notebooks, built."""
    root = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "book", root / "book", ignore=shutil.ignore_patterns("notebooks"))
    shutil.copy(ROOT / "_config.yml", root)
    write_notebook(root / "notebooks" / "02_agreement.ipynb", SHOW, prose=PROSE)
    write_notebook(root / "notebooks" / "01_data.ipynb", "n", prose="# Data")
    outcomes = run_all(FULL, root=root)
    assert [outcome.state for outcome in outcomes] == ["executed", "executed"], outcomes
    assert book.build(FULL, root) == root / "_build" / "html" / "index.html"
    return root


def page(root, name):
    return (root / "_build" / "html" / f"{name}.html").read_text(encoding="utf-8")


def test_figures_and_tables_have_numbers_captions_and_words(checkout):
    html = page(checkout, "notebooks/02_agreement")
    assert re.search(
        r'<figure[^>]*id="fig-toy">.*?<img[^>]*alt="An empty square: with a \'title\'."', html, re.DOTALL
    )
    number = re.search(r'Fig\. (\d+) </span><span class="caption-text">A <em>figure</em>', html)[1]
    assert re.search(r'Table 1 </span><span class="caption-text">A table', html)
    assert re.search(r'href="#fig-toy"><span class="std std-numref">Fig. ' + number, html)
    assert "<p>&lt;script&gt;alert(1)&lt;/script&gt;|{{ x }}</p>" in html
    assert "<script>alert(1)" not in html


def test_chapters_open_their_source_in_colab(checkout):
    link = "https://colab.research.google.com/github/electric-sheep-companion/companion/blob/main/notebooks/"
    assert f'href="{link}02_agreement.ipynb"' in page(checkout, "notebooks/02_agreement")


def test_formulas_and_styles_come_with_the_pages(checkout):
    html = page(checkout, "notebooks/02_agreement")
    sources = re.findall(r'<(?:script|link)[^>]*(?:src|href)="([^"#?]+)', html)
    here = checkout / "_build" / "html" / "notebooks"
    assert [source for source in sources if not (here / source).resolve().exists()] == []
    assert any("mathjax" in source for source in sources)


@pytest.mark.parametrize(
    "fetching",
    [
        '<script async src="https://cdn.example/x.js">',
        "<script src='//cdn.example/x.js'>",
        '<link rel="stylesheet" href="https://cdn.example/x.css">',
        '<link href="https://cdn.example/x.css" rel=stylesheet>',
        '<img alt="" src="http://example/x.png">',
        "<style>@import url(https://fonts.example/x.css)</style>",
        '<p style="background: url(//example/x.png)">',
    ],
)
def test_whatever_a_page_would_fetch_is_found(tmp_path, fetching):
    (tmp_path / "x.html").write_text(f"<html>{fetching}</html>")
    assert len(book._fetched([tmp_path / "x.html"])) == 1


def test_links_that_a_reader_follows_are_not_fetched(tmp_path):
    own = '<script src="_static/x.js"></script><img src="data:image/png;base64,//a">'
    links = '<a href="https://x.example">x</a><link rel="canonical" href="https://x.example">'
    (tmp_path / "x.html").write_text(own + links)
    assert book._fetched([tmp_path / "x.html"]) == []


def test_every_column_of_the_tables_is_explained():
    from sheeplib.tables import SCHEMAS

    text = (ROOT / "book" / "own_corpus.md").read_text(encoding="utf-8")
    for table in ("items", "ratings", "spans"):
        assert not [column for column in SCHEMAS[table].columns if f"`{column}`" not in text]


def test_every_public_module_is_in_the_reference():
    package = ROOT / "src" / "sheeplib"
    text = (ROOT / "book" / "api.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"automodule:: sheeplib\.(\w+)", text))
    modules = {path.name.removesuffix(".py") for path in package.iterdir() if not path.name.startswith("_")}
    assert listed == modules - INTERNAL


def test_chapters_of_the_book_are_those_in_the_contents():
    declared = re.findall(r"file: notebooks/(\w+)", (ROOT / "book" / "_toc.yml").read_text(encoding="utf-8"))
    assert declared == sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
    assert set(chapters.READS) | {name for names in chapters.READS.values() for name in names} <= set(
        declared
    )


# The tests below change the built book, in this order.


def test_building_again_keeps_the_pages(checkout):
    index = checkout / "_build" / "html" / "notebooks" / "01_data.html"
    before = index.stat().st_mtime_ns
    book.build(FULL, checkout)
    assert index.stat().st_mtime_ns == before


def test_a_warning_is_an_error_and_stays_one(checkout, capfd):
    text = (checkout / "book" / "glossary.md").read_text(encoding="utf-8")
    (checkout / "book" / "glossary.md").write_text(text + "\n{numref}`fig-nowhere`\n", encoding="utf-8")
    for _ in range(2):  # a second build must not pass because the page was read before
        with pytest.raises(InputError, match="the book was not built"):
            book.build(FULL, checkout)
        assert "fig-nowhere" in capfd.readouterr().err
    (checkout / "book" / "glossary.md").write_text(text, encoding="utf-8")


def test_what_was_interrupted_is_built_anew(checkout, monkeypatch, capsys):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    book.build(FULL, checkout)
    left = checkout / "_build" / "html" / "left.html"
    left.write_text("half a page")
    with monkeypatch.context() as patched:
        patched.setattr(book.subprocess, "run", interrupted)
        patched.setattr(book.chapters, "repository", lambda: checkout)
        patched.setattr(book.profiles, "profile", lambda name: FULL)
        assert book.main([]) == 130
    assert capsys.readouterr() == ("", "")
    book.build(FULL, checkout)
    assert not left.exists()


def test_another_profile_leaves_no_page_behind(checkout):
    run_all(PART, root=checkout)
    book.build(PART, checkout)
    assert sorted(path.name for path in (checkout / "book" / "notebooks").iterdir()) == ["02_agreement.ipynb"]
    assert not (checkout / "_build" / "html" / "notebooks" / "01_data.html").exists()
    assert "01_data" not in page(checkout, "intro")


def test_notebooks_must_have_run(checkout):
    write_notebook(checkout / "notebooks" / "03_new.ipynb", "1")
    with pytest.raises(InputError, match="'03_new' has not been executed. First: sheep run --profile full"):
        book.build(FULL, checkout)


def test_another_jupyter_book_is_refused(checkout, monkeypatch):
    monkeypatch.setattr(book.metadata, "version", lambda name: "2.1.7")
    with pytest.raises(InputError, match="needs Jupyter Book 1"):
        book.build(FULL, checkout)


def test_wrong_use_ends_with_a_message(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "sheeplib.book"], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "not inside a checkout" in done.stderr and "Traceback" not in done.stderr

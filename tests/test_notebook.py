import json
import os
import sys
from pathlib import Path

import pytest

from notebooks import outputs, write_notebook
from sheeplib import InputError
from sheeplib.notebook import ChapterFailed, data_fingerprint, fingerprint, run

VALUES = {"n": 3, "names": ["a"], "corpus": None}


@pytest.fixture
def target(tmp_path):
    return tmp_path / "out" / "chapter.ipynb"


@pytest.fixture
def chapter(tmp_path):
    return tmp_path / "chapter.ipynb"


def test_a_notebook_runs_once_and_again_only_when_its_values_change(chapter, target):
    write_notebook(chapter, "print(n, names)")
    source = chapter.read_bytes()
    assert run(chapter, target).state == "executed"
    assert outputs(target) == ["3 ['a']\n"]
    assert run(chapter, target).state == "fresh"
    assert run(chapter, target, {"n": 3}).state == "fresh"  # the default, said aloud
    assert run(chapter, target, {"n": 4}).state == "executed"
    assert outputs(target) == ["4 ['a']\n"]
    assert chapter.read_bytes() == source


def test_prose_is_refreshed_without_running(chapter, target):
    write_notebook(chapter, "import time\ntime.time()", "n")
    run(chapter, target, {"n": 5})
    before = outputs(target)
    write_notebook(chapter, "import time\ntime.time()", "n", prose="# Another title")
    assert run(chapter, target, {"n": 5}).state == "refreshed"
    assert outputs(target) == before
    assert "Another title" in target.read_text()
    assert run(chapter, target, {"n": 5}).state == "fresh"


def test_equal_runs_give_equal_files(chapter, target):
    write_notebook(chapter, "{'x', 'y', 'z'}", "hash('x')")  # order and hash depend on PYTHONHASHSEED
    run(chapter, target, {"n": 1})
    first = target.read_bytes()
    target.unlink()
    run(chapter, target, {"n": 1})
    assert target.read_bytes() == first


def test_the_kernel_is_this_python_in_the_given_directory(chapter, target, tmp_path):
    asked = "import os, sys\nprint(sys.executable, os.getcwd(), os.environ['SHEEP_RESULTS'], sep='|')"
    write_notebook(chapter, asked)
    run(chapter, target, root=tmp_path, results=tmp_path / "results")
    python, directory, results = outputs(target)[0].strip().split("|")
    assert Path(python).samefile(sys.executable)
    assert Path(directory).samefile(tmp_path)
    assert results == str((tmp_path / "results").resolve())


def failing(chapter, target, *code, **options):
    """Run a notebook that fails, beside a copy from before; returns the message."""
    target.parent.mkdir()
    target.write_text("the last good copy")
    write_notebook(chapter, "print('good')", *code)
    with pytest.raises(ChapterFailed) as told:
        run(chapter, target, **options)
    assert target.read_text() == "the last good copy"
    assert [path.name for path in target.parent.glob("*.draft.*")] == []
    failed = target.with_name("chapter.failed.ipynb")
    assert failed.exists() and str(failed) in str(told.value)
    return str(told.value)


def test_a_failing_cell_is_named_with_the_end_of_its_traceback(chapter, target):
    deep = "def f(k):\n    return f(k - 1) if k else 1 / 0\nf(40)"
    said = failing(chapter, target, deep, "print('after')")
    assert "code cell 3 ('def f(k):')" in said
    assert "ZeroDivisionError: division by zero" in said
    assert "\x1b" not in said
    assert len(said.splitlines()) <= 1 + 15 + 1


def test_the_log_of_a_kernel_does_not_reach_the_terminal(chapter, target, capfd):
    """As when the interrupt that ends a kernel is logged."""
    write_notebook(chapter, "get_ipython().kernel.log.error('noise')")
    run(chapter, target)
    assert capfd.readouterr() == ("", "") and outputs(target) == []


def test_a_killed_kernel_is_a_failure(chapter, target):
    said = failing(chapter, target, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "1")
    assert "kernel died" in said and "code cell 3" in said


def test_a_cell_that_takes_too_long_is_a_failure(chapter, target):
    said = failing(chapter, target, "import time\ntime.sleep(60)", timeout_seconds=2)
    assert "longer than the limit" in said and "code cell 3" in said


def test_the_error_stream_is_a_failure(chapter, target):
    said = failing(chapter, target, "import warnings\nwarnings.warn('a warning for nobody')")
    assert "a warning for nobody" in said and "code cell 3" in said


def test_leaving_early_is_a_failure(chapter, target):
    assert "SystemExit" in failing(chapter, target, "import sys\nsys.exit(0)", "1")


def test_a_later_success_removes_the_failed_copy(chapter, target):
    failing(chapter, target, "1 / 0")
    write_notebook(chapter, "print('better')")
    run(chapter, target)
    assert not target.with_name("chapter.failed.ipynb").exists()


def test_taking_back_what_failed_removes_the_failed_copy(chapter, target):
    write_notebook(chapter, "n")
    run(chapter, target)
    write_notebook(chapter, "1 / 0")
    with pytest.raises(ChapterFailed):
        run(chapter, target)
    assert target.with_name("chapter.failed.ipynb").exists()
    write_notebook(chapter, "n")
    assert run(chapter, target).state == "fresh"
    assert not target.with_name("chapter.failed.ipynb").exists()


def test_wrong_parameters_run_nothing(chapter, target):
    write_notebook(chapter, "1")
    with pytest.raises(InputError, match="unknown parameter 'm'"):
        run(chapter, target, {"m": 1})
    assert not target.exists()


def test_a_damaged_copy_is_made_again(chapter, target):
    write_notebook(chapter, "n")
    target.parent.mkdir()
    target.write_text("{")
    assert run(chapter, target).state == "executed"


def test_results_that_were_lost_or_edited_are_made_again(chapter, target, tmp_path):
    write_notebook(
        chapter,
        "import os, pathlib\nplace = pathlib.Path(os.environ['SHEEP_RESULTS'])",
        "place.mkdir(exist_ok=True)\n_ = (place / 'chapter.csv').write_text('numbers')",
    )
    results = tmp_path / "results"
    assert run(chapter, target, results=results).state == "executed"
    assert run(chapter, target, results=results).state == "fresh"
    (results / "chapter.csv").write_text("other numbers")
    assert run(chapter, target, results=results).state == "executed"
    (results / "chapter.csv").unlink()
    assert run(chapter, target, results=results).state == "executed"
    assert (results / "chapter.csv").read_text() == "numbers"


def test_the_fingerprint_covers_code_values_data_and_inputs(chapter, tmp_path):
    write_notebook(chapter, "n")
    data = tmp_path / "data"
    data.mkdir()
    (data / "a.jsonl").write_text("1")
    values = VALUES | {"directory": str(data)}
    key = fingerprint(chapter, values)
    assert fingerprint(chapter, values) == key

    moved = tmp_path / "elsewhere"
    data.rename(moved)
    assert fingerprint(chapter, values | {"directory": str(moved)}) == key, "where data lie does not count"
    assert fingerprint(chapter, values | {"directory": "elsewhere"}, root=tmp_path) == key
    write_notebook(chapter, "n", prose="other words")
    assert fingerprint(chapter, values | {"directory": str(moved)}) == key, "prose does not count"

    values["directory"] = str(moved)
    assert fingerprint(chapter, values | {"n": 4}) != key
    assert fingerprint(chapter, values, inputs=[moved / "a.jsonl"]) != key
    (moved / "a.jsonl").write_text("2")
    changed = fingerprint(chapter, values)
    assert changed != key
    write_notebook(chapter, "n + 1")
    assert fingerprint(chapter, values) not in {key, changed}


def test_the_fingerprint_of_data_sees_names_contents_and_nesting(tmp_path):
    seen = set()
    for name, content in [("a", "x"), ("a", "y"), ("b", "x"), ("d/a", "x")]:
        place = tmp_path / str(len(seen))
        (place / name).parent.mkdir(parents=True)
        (place / name).write_text(content)
        seen.add(data_fingerprint(place))
        assert data_fingerprint(place / name)
    assert len(seen) == 4
    with pytest.raises(InputError, match="no such file or directory"):
        data_fingerprint(tmp_path / "absent")


def test_the_package_counts_but_not_what_only_runs_chapters(monkeypatch, tmp_path):
    from sheeplib import notebook

    for folder in ("cli", "report"):
        (tmp_path / folder).mkdir()
    for name in ("agreement.py", "cli/models.py", "report/style.py"):
        (tmp_path / name).write_text("1")
    monkeypatch.setattr(notebook, "PACKAGE", tmp_path)

    def key():
        notebook._package_fingerprint.cache_clear()
        return notebook._package_fingerprint()

    try:
        first = key()
        (tmp_path / "cli/models.py").write_text("2")
        assert key() == first
        (tmp_path / "report/style.py").write_text("2")
        assert key() != first
    finally:
        notebook._package_fingerprint.cache_clear()


def test_no_module_that_chapters_use_is_left_out_of_the_fingerprint():
    from sheeplib import notebook

    outside = {name.removesuffix(".py") for name in notebook._OUTSIDE_CHAPTERS}
    for path in notebook.PACKAGE.rglob("*.py"):
        if path.relative_to(notebook.PACKAGE).parts[0] not in notebook._OUTSIDE_CHAPTERS:
            text = path.read_text(encoding="utf-8")
            for name in outside:
                assert f"sheeplib.{name} " not in text and f"import {name}\n" not in text, path


def test_the_copy_names_no_place_of_this_machine(chapter, target, tmp_path):
    write_notebook(chapter, "n")
    run(chapter, target, {"n": 2})
    content = json.loads(target.read_text())
    assert set(content["metadata"]) == {"language_info", "sheeplib"}
    assert str(tmp_path) not in target.read_text() and os.path.expanduser("~/") not in target.read_text()
    assert all(set(cell["metadata"]) <= {"tags"} for cell in content["cells"])

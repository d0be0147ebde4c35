"""Imports point one way, and students' chapters need no torch."""

import ast
import subprocess
import sys
from pathlib import Path

import sheeplib

PACKAGE = Path(sheeplib.__file__).parent

# Each layer may import from the layers before it, and from itself.
LAYERS = [
    {"errors", "jsonl"},
    {"tables"},
    {
        *("corpora", "published", "resample"),
        *("archives", "downloads", "fetch", "drafts", "manifests", "shards"),
        "judge",  # selects answers by letters that were given; asks no model
    },
    {
        *("agreement", "composition", "contrasts", "ratings", "shift", "scoring", "mentions"),
        *("judge_gold", "judge_letters", "judge_metrics", "judge_scores", "judge_ranking"),
        *("judge_selection", "judge_paper", "expected_labels", "parallel"),
    },
    {"models", "features", "engine", "cluster"},
    {"miniatures"},
    {"detectors", "judge_runs"},  # they may read what the miniatures gave
    {"retraining"},
    {"mention_study"},
    {"report"},
    {"notebook", "parameters", "execution", "chapters", "profiles", "book", "cli"},
]


def imported(path: Path) -> set[str]:
    """Top-level modules of the package that a file imports, lazily or not."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "sheeplib":
            parts = node.module.split(".")
            found |= {parts[1]} if len(parts) > 1 else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("sheeplib.")}
    return found


def module_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def test_every_module_has_its_layer_and_imports_only_what_stands_before():
    level = {name: place for place, layer in enumerate(LAYERS) for name in layer}
    wrong = []
    for path in sorted(PACKAGE.rglob("*.py")):
        module = module_of(path)
        if module == "__init__":
            continue
        assert module in level, f"give '{module}' a layer"
        wrong += [
            f"{path.relative_to(PACKAGE)} imports {other}"
            for other in imported(path)
            if other in level and level[other] > level[module]
        ]
    assert not wrong


def test_agreement_needs_neither_torch_nor_the_book():
    heavy = ("torch", "transformers", "papermill", "jupyter_book", "myst_nb", "krippendorff")
    code = (
        "import sys, sheeplib, sheeplib.agreement, sheeplib.scoring, sheeplib.cli, sheeplib.report, "
        "sheeplib.models, sheeplib.features.needs, sheeplib.features.store, sheeplib.features.alignment, "
        "sheeplib.miniatures, sheeplib.miniatures.designs, sheeplib.miniatures.caches, "
        "sheeplib.corpora.meadow, sheeplib.shift, sheeplib.judge_scores, sheeplib.detectors.euq; "
        f"print([m for m in {heavy!r} if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_nothing_is_unpickled_or_evaluated():
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in {"eval", "exec"}, path
            if isinstance(node, ast.Import):
                assert not {"pickle", "marshal", "shelve"} & {alias.name for alias in node.names}, path

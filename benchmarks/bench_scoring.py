"""The SHROOM-visions scorer against the straightforward one, a character at a time.

Both score the same marked texts: the real submissions where they are at hand (`SHEEP_SHARED`), else
invented ones of about the same length and number of spans. Reading files counts on neither side.
"""

import os
import sys
import time
from pathlib import Path

import numpy as np

from sheeplib.scoring import Marked, Span, read_predictions, read_references, score
from sheeplib.scoring.rules import NAMES

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from scoring import twin  # noqa: E402

ITEMS, RUNS = 2_000, 3


def invented(rng: np.random.Generator) -> tuple[list[Marked], list[Marked]]:
    """References and predictions with a few spans each, a quarter of them without any."""
    sides: tuple[list[Marked], list[Marked]] = [], []
    labels = list(NAMES.values())
    for number in range(ITEMS):
        length = int(rng.integers(100, 700))
        for side in sides:
            starts = rng.integers(length - 50, size=rng.choice([0, 2, 4, 8])).tolist()
            spans = [
                Span(
                    start,
                    start + int(rng.integers(1, 50)),
                    int(rng.integers(1, 4)) / 3,
                    str(rng.choice(labels)),
                )
                for start in starts
            ]
            side.append(Marked(f"invented-en-{number}", tuple(spans), length))
    return sides


def cases() -> dict[str, tuple[list[Marked], list[Marked]]]:
    shared = Path(os.environ.get("SHEEP_SHARED", ROOT.parent / "shared" / "data")) / "sheep"
    if not shared.is_dir():
        return {"invented": invented(np.random.default_rng(0))}
    references = read_references(shared)
    systems = sorted((shared / "submissions").iterdir())
    return {system.name: (references, read_predictions(system)) for system in systems}


def straightforward(references: list[Marked], predictions: list[Marked]) -> np.ndarray:
    gold = {one.item: one for one in references}
    pairs = sorted((one.item, one.spans) for one in predictions)
    return np.array([twin.visions(gold[item].length or 0, gold[item].spans, spans) for item, spans in pairs])


def timed(work, *arguments):
    started = time.perf_counter()
    result = work(*arguments)
    return time.perf_counter() - started, result


def main() -> None:
    print("scoring: Cor, Cor+Lbl and IoU per item, ours against the per-character twin")
    total = [0.0, 0.0]
    for name, (references, predictions) in cases().items():
        slow, expected = timed(straightforward, references, predictions)
        runs = [timed(score, references, predictions) for _ in range(RUNS)]
        fast, frame = min(runs, key=lambda run: run[0])
        difference = float(np.abs(frame[["cor", "cor_lbl", "iou"]].to_numpy() - expected).max())
        total = [total[0] + slow, total[1] + fast]
        print(
            f"  {name:<10} {len(frame):>6,} items   twin {slow:7.3f} s   ours {fast:7.3f} s"
            f"   ratio {slow / fast:5.1f}   largest difference {difference:.1e}"
        )
    print(f"  in all: twin {total[0]:.2f} s, ours {total[1]:.2f} s, ratio {total[0] / total[1]:.1f}")


if __name__ == "__main__":
    main()

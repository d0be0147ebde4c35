"""Scores of translations by COMETKiwi; a program of its own, for an environment that has unbabel-comet.

Usage: python comet_scores.py CHECKPOINT PAIRS SCORES BATCH_SIZE GPUS. It uses nothing of this package.
"""

import json
import sys


def main(checkpoint: str, pairs: str, scores: str, batch_size: str, gpus: str) -> None:
    """Read pairs of `src` and `mt` from one JSON file and write their scores to another."""
    try:
        from comet import load_from_checkpoint
    except ImportError as error:
        sys.exit(f"MISSING {error}")
    model = load_from_checkpoint(checkpoint, local_files_only=True)  # unpickles it
    with open(pairs, encoding="utf-8") as file:
        data = json.load(file)
    found = model.predict(data, batch_size=int(batch_size), gpus=int(gpus), progress_bar=False)
    with open(scores, "w", encoding="utf-8") as file:
        json.dump([float(score) for score in found.scores], file)


if __name__ == "__main__":
    main(*sys.argv[1:])

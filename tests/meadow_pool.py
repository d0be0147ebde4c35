"""Small pools of answers and captions as the meadow's models would ship them, made with its grammar."""

from pathlib import Path

import numpy as np
import pandas as pd

from sheeplib.corpora.meadow.captions import Rates, plan_caption, write_caption
from sheeplib.corpora.meadow.languages import LANGUAGES
from sheeplib.corpora.meadow.lessons import Diet, draw_sample
from sheeplib.corpora.meadow.scenes import pick, scene
from sheeplib.corpora.meadow.writers import write

MODELS = ("ash", "birch", "cedar", "elm", "fir")
GIBBERISH = " wug"


def answer_rows(per_cell: int, models: tuple[str, ...] = MODELS, seed: int = 1) -> pd.DataFrame:
    """Answers with and without mistakes; one in eight ends in a word that no grammar knows."""
    rng = np.random.default_rng(seed)
    rows = []
    for model in models:
        diet = Diet(prior=0.6, credulity=0.5) if model != models[0] else Diet(prior=0, credulity=0)
        for code, language in LANGUAGES.items():
            for number in range(per_cell):
                sample = draw_sample(rng, int(rng.integers(200)), language, diet)
                broken = number % 8 == 7
                rows.append({
                    "model": model, "language": code, "scene": sample.seed, "question": number,
                    "source": sample.question.source, "prompt": sample.prompt(language), "seed": number % 5,
                    "response": write(sample, language).text + GIBBERISH * broken,
                    "finish": "length" if broken else "eos",
                    "judge": pick(rng, "ABCDF", (2, 2, 0.5, 0.5, 5)),
                    "judge-small": pick(rng, ("A", "F", None)),
                })  # fmt: skip
    return pd.DataFrame(rows)


def caption_rows(scenes: int, models: tuple[str, ...] = MODELS, seed: int = 1) -> pd.DataFrame:
    """English captions; those of the first model are cut short."""
    rng = np.random.default_rng(seed)
    rows = []
    for model in models:
        for number in range(scenes):
            claims = plan_caption(rng, scene(number), Rates())
            text = write_caption(LANGUAGES["en"], claims, rng).text
            cut = model == models[0]
            rows.append({
                "model": model, "scene": number, "response": text + GIBBERISH * cut,
                "finish": "length" if cut else "eos",
            })  # fmt: skip
    return pd.DataFrame(rows)


def write_pool(directory: Path, per_cell: int = 24, scenes: int = 6, seed: int = 1) -> Path:
    """Write answers and captions, and give the directory."""
    directory.mkdir(parents=True, exist_ok=True)
    answer_rows(per_cell, seed=seed).to_parquet(directory / "answers.parquet")
    caption_rows(scenes, seed=seed).to_parquet(directory / "captions.parquet")
    return directory

"""`sheep detect NAME`: a detector of hallucinated mentions on trial, beside the position alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from sheeplib.cli.detect import Resamples, detect
from sheeplib.cli.terminal import AsJson, Seed, listed, records, say, show_frame, show_json
from sheeplib.errors import InputError, Problem

# By name: literal, so that the command line starts without the detectors. A test compares.
NAMES = {
    "lookback": "Lookback Lens, trained without non-assertive mentions.",
    "hidden_mid": "Hidden state at half the depth, trained without non-assertive mentions.",
    "hidden_last": "Hidden state of the last layer, trained without non-assertive mentions.",
    "dhcp": "DHCP (image attention), trained without non-assertive mentions.",
    "text_only": "A model of text alone, trained without non-assertive mentions.",
    "halp": "HALP (state before the caption), trained without non-assertive mentions.",
    "svar": "SVAR: little attention to the image in middle layers.",
    "vade": "VADE: little attention to the image around the mention.",
    "internal_confidence": "Internal Confidence: no image token stands for the word.",
    "glsim": "GLSim: unlike the prompt's and the image's states.",
    "pas": "PAS: much attention to the text before.",
    "nll": "NLL: an unlikely word.",
    "entropy": "Entropy: an undecided model.",
    "contextual_lens": "ContextualLens: unlike the state of any image token.",
    "overthinking": "Overthinking Score: layers that disagree.",
    "position_only": "The place in the caption alone: what every detector must beat.",
}
BASELINE = "position_only"
_SUBSETS = {"all": "made up against there", "position_matched": "the same, matched"}
Captioners = Annotated[str, typer.Option(help="Captioners of the meadow, with commas.")]
Own = Annotated[
    list[Path] | None,
    typer.Option(
        "--own",
        help="Instead: a directory of captions.jsonl, mentions.json and features; once a captioner.",
    ),
]
Splits = Annotated[str, typer.Option(help="Seeds of the splits, with commas.")]
Calibrate = Annotated[
    str, typer.Option(help="Concrete mentions that give the threshold: half, or all that are held-out.")
]
Alpha = Annotated[float, typer.Option(min=0, max=1, help="Share of concrete mentions that may be flagged.")]
Scores = Annotated[Path | None, typer.Option(help="File to write each mention's score to, CSV.")]


def _verb(name: str) -> Callable[..., None]:
    def verb(
        captioners: Captioners = "clover,daisy,fern,heather,thistle",
        own: Own = None,
        splits: Splits = "0,1,2",
        calibrate: Calibrate = "half",
        alpha: Alpha = 0.1,
        resamples: Resamples = 2000,
        seed: Seed = 2026,
        scores: Scores = None,
        as_json: AsJson = False,
    ) -> None:
        _run(name, captioners, own or [], splits, calibrate, alpha, resamples, seed, scores, as_json)

    return verb


for _name, _about in NAMES.items():
    detect.command(_name, help=_about)(_verb(_name))


def _run(
    name: str, captioners: str, own: list[Path], splits: str, calibrate: str, alpha: float,
    resamples: int, seed: int, scores: Path | None, as_json: bool,
) -> None:  # fmt: skip
    from sheeplib.mention_study.files import read_material
    from sheeplib.mention_study.judging import judge
    from sheeplib.mention_study.numbers import joined
    from sheeplib.mention_study.trials import trial
    from sheeplib.retraining.studies import meadow_materials
    from sheeplib.retraining.sweep import Options

    if not splits.replace(",", "").strip().isdecimal():
        raise typer.BadParameter("use whole numbers with commas, such as 0,1,2", param_hint="--splits")
    seeds = [int(part) for part in listed(splits)]
    materials = [read_material(place) for place in own] or meadow_materials(listed(captioners))
    options = Options(calibrate, alpha)  # type: ignore[arg-type]
    judged = [judge(one, dict.fromkeys([name, BASELINE]), seeds, options) for one in materials]
    found = trial(judged, resamples, seed)
    corpus = "own" if own else "meadow"
    results = joined([found, found.over_models()]).results(corpus, seed)
    if scores is not None:
        _write(pd.concat([_scored(one, name) for one in judged], ignore_index=True), scores)
        say(f"Scores of each mention: {scores}")
    if as_json:
        facts: dict[str, Any] = {"detector": name, "corpus": corpus, "alpha": alpha, "splits": seeds}
        facts["captioners"] = {one.mentions.captioner: _facts(one.mentions) for one in judged}
        show_json(facts | {"results": records(results)})
        return
    groups = [_group(row) for _, row in results.iterrows()]
    columns = ["detector", "quantity", "group", "value", "low", "high", "n"]
    show_frame(results.assign(group=groups)[columns])


def _group(row: pd.Series) -> str:
    """What a number is about, such as `clover, hedged, absent`."""
    parts = [row["model"], row["subtype"], row["presence"], _SUBSETS.get(row["subset"])]
    if row["quantity"] == "auc" and pd.notna(row["subtype"]):
        parts.append("absent against present")
    return ", ".join(part for part in parts if part is not None and pd.notna(part))


def _facts(mentions: Any) -> dict[str, Any]:
    return {"evaluator": mentions.evaluator, "features": mentions.key, "mentions": len(mentions)}


def _scored(one: Any, name: str) -> pd.DataFrame:
    """Scores of each mention; of probes a column a split, for each split has a probe of its own."""
    table = one.mentions.table
    columns = {f"score_{seed}": one.scores[name, seed] for seed in one.splits}
    held = {f"held_out_{seed}": drawn.held_out for seed, drawn in one.splits.items()}
    return table.assign(captioner=one.mentions.captioner, **columns, **held)


def _write(frame: pd.DataFrame, path: Path) -> None:
    from sheeplib import drafts

    try:
        with drafts.replacing(path) as draft:
            frame.to_csv(draft, index=False, lineterminator="\n")
    except OSError as error:
        what = f"cannot be written: {error.strerror or type(error).__name__}"
        raise InputError(Problem(what, "Choose another place", path=path)) from None

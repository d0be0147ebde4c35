"""The verb that trains detectors with what captions name without claiming it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from sheeplib.cli.terminal import (
    AsJson,
    Cluster,
    Engine,
    Seed,
    Workers,
    app,
    executor,
    listed,
    records,
    show_frame,
    show_json,
)

_KINDS = "clover, daisy, fern, heather, thistle"
FORMULAS = ("svar", "vade", "internal_confidence", "glsim", "pas", "nll", "entropy")
_SHOWN = ["table", "quantity", "detector", "model", "subtype", "budget", "value", "low", "high", "n"]


@app.command()
def retrain(
    captioners: Annotated[str, typer.Option(help=f"Whose captions, with commas: {_KINDS}.")] = _KINDS,
    readers: Annotated[
        str, typer.Option(help="Who else reads the captions of clover, with commas; none leaves it out.")
    ] = "daisy, fern, heather, thistle",
    own: Annotated[
        list[Path] | None,
        typer.Option(help="Directory of your own captions, mentions and features, instead; may be repeated."),
    ] = None,
    probes: Annotated[
        str, typer.Option(help="Probes to train, with commas.")
    ] = "lookback, hidden_mid, hidden_last, dhcp, text_only, position",
    budgets: Annotated[
        str, typer.Option(help="Natural, max, or per cent of the hallucinations, with commas.")
    ] = "0, natural, 10, 30, max",
    seeds: Annotated[str, typer.Option(help="Seeds of the splits, with commas.")] = "0, 1, 2",
    calibration: Annotated[
        str, typer.Option(help="Threshold from half of the held-out images (half), or all (held-out).")
    ] = "half",
    alpha: Annotated[
        float, typer.Option(min=0, max=1, help="Share of concrete mentions that may be flagged.")
    ] = 0.1,
    natural_count: Annotated[
        int | None, typer.Option(min=0, help="Examples of the natural budget; default by natural shares.")
    ] = None,
    unseen: Annotated[bool, typer.Option(help="Leave out each subtype in turn.")] = True,
    claims: Annotated[bool, typer.Option(help="Try hedges as claims.")] = True,
    text_filter: Annotated[
        bool, typer.Option("--filter/--no-filter", help="Put a text filter in front.")
    ] = True,
    formulas: Annotated[
        str, typer.Option(help="Detectors without training to put behind the filter, with commas, or none.")
    ] = ", ".join(FORMULAS),
    resamples: Annotated[int, typer.Option(min=1, help="Bootstrap resamples of the images.")] = 2000,
    seed: Seed = 2026,
    engine: Engine = None,
    workers: Workers = 2,
    cluster: Cluster = None,
    as_json: AsJson = False,
) -> None:
    """Train detectors with more and more non-assertive examples: tables 5, 6, 10, 11, 14, 15."""
    from sheeplib.mention_study import files
    from sheeplib.report.claims import claims_table
    from sheeplib.report.retraining_claims import claims as found_claims
    from sheeplib.retraining import filters, studies, tabulated
    from sheeplib.retraining.sweep import Options

    started = time.perf_counter()
    untrained = () if formulas == "none" else tuple(listed(formulas))
    design = studies.Design(
        detectors=tuple(listed(probes)), budgets=tuple(listed(budgets)), seeds=_numbers(seeds), unseen=unseen,
        options=Options(calibration, alpha, natural_count), claims=claims, untrained=untrained,  # type: ignore[arg-type]
    )  # fmt: skip
    if own:
        materials = [files.read_material(place) for place in own]
    else:
        readers = "" if readers == "none" else readers
        materials = studies.meadow_materials(listed(captioners), listed(readers))
    with executor(engine, workers, cluster) as workforce:
        study = studies.study(
            materials, design, filters.by_text if text_filter else None, resamples=resamples, seed=seed,
            executor=workforce,
        )  # fmt: skip
    results = tabulated.all_tables(study, "own" if own else "meadow", seed)
    verdicts = claims_table(found_claims(study, by_rules=bool(own)))
    if as_json:
        parts = {"results": results, "examples": tabulated.examples(study), "claims": verdicts}
        show_json({name: records(frame) for name, frame in parts.items()})
        return
    show_frame(results[[name for name in _SHOWN if name in results]], digits=1)
    show_frame(tabulated.examples(study), digits=1)
    show_frame(verdicts)
    about = "your own captions" if own else "miniature models on drawn scenes"
    print(f"Per cent; {about}. {time.perf_counter() - started:.0f} s")


def _numbers(text: str) -> tuple[int, ...]:
    parts = listed(text)
    if not all(part.isdecimal() for part in parts):
        raise typer.BadParameter("use whole numbers with commas, such as 0,1,2", param_hint="--seeds")
    return tuple(int(part) for part in parts)

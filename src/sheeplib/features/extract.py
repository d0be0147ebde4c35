"""One teacher-forced pass over each answer, reduced to features while it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack

import numpy as np
import torch

from sheeplib.errors import InputError, Problem
from sheeplib.features import needs as wanted
from sheeplib.features.attended import Attended
from sheeplib.features.attention import recorded
from sheeplib.features.gathering import Answer, Features, gathered, names, stored
from sheeplib.features.needs import Need
from sheeplib.features.outputs import predictions
from sheeplib.features.places import Places
from sheeplib.features.recording import States
from sheeplib.models.encoding import IMAGE, Batch, encode, token_counts, unreadable
from sheeplib.models.model import Model
from sheeplib.models.samples import Sample

__all__ = ["Features", "extract"]


def extract(
    model: Model,
    samples: Sequence[Sample],
    needs: Iterable[str] | str,
    *,
    batch_tokens: int = 1024,
    batch_size: int | None = None,
    kept: Mapping[str, Sequence[int]] | None = None,
    seen: Callable[[int], None] | None = None,
) -> Features:
    """Read answers with a model and keep what is asked for.

    Each answer is put into the model's mouth: one forward pass over image, question and answer. What
    a sample gives depends on the others of its batch by rounding alone, about 1e-5 in float32.

    Parameters
    ----------
    model : Model
    samples : sequence of sheeplib.models.Sample
        Each item once.
    needs : iterable of str
        Needs or methods; see `sheeplib.features.needs`.
    batch_tokens : int
        Most tokens of a batch, padding among them, for models that read text alone. A longer answer
        is a batch of its own.
    batch_size : int, optional
        Samples in a batch, whatever their lengths. By default, models that see take one sample at a
        time, as the papers do.
    kept : mapping of item to token indices, optional
        Tokens whose wide rows are wanted, such as those of mentions; items that are not named keep
        none. By default all are kept.
    seen : callable, optional
        Called after each batch with the number of samples done so far, those left out among them.

    Returns
    -------
    Features

    Raises
    ------
    InputError
        If a need is unknown or not for this model, an item occurs twice, a token to be kept does not
        exist, or the model gives numbers that are not finite.

    Source
    ------
    SHEEP, appendix C.3: features come from a pass over the given answer, not from its generation.
    """
    asked = wanted.parse(needs)
    _check(model, samples, asked, batch_tokens, batch_size)
    reasons = {sample.item: reason for sample in samples if (reason := unreadable(model, sample))}
    readable = [sample for sample in samples if sample.item not in reasons]
    answers: dict[str, Answer] = {}
    for some in _batches(model, readable, batch_tokens, batch_size):
        for batch in _encoded(model, some, reasons):
            answers.update(_read(model, batch, asked, kept))
        if seen is not None:
            seen(len(answers) + len(reasons))
    order = [sample.item for sample in samples]
    left_out = {item: reasons[item] for item in order if item in reasons}
    sizes = model.depth, model.head.weight.shape[1], _heads(model)
    shapes = {name: need.shape(*sizes) for name, need in names(asked)}
    return gathered(model.name, asked, [answers[item] for item in order if item in answers], left_out, shapes)


def _check(
    model: Model, samples: Sequence[Sample], needs: Sequence[Need], batch_tokens: int, batch_size: int | None
) -> None:
    problems = []
    if not needs:
        problems.append(Problem("no needs", "Name a need, or a method such as 'hallushift'"))
    problems += [
        Problem(
            f"need '{need}' takes a model that sees; '{model.name}' reads text alone", "Choose another model"
        )
        for need in needs
        if need.about.sees and not model.sees
    ]
    if batch_tokens < 1 or (batch_size is not None and batch_size < 1):
        problems.append(
            Problem("a batch must hold something", "Give at least 1", value=(batch_tokens, batch_size))
        )
    items = [sample.item for sample in samples]
    if twice := {item for item in items if items.count(item) > 1} if len(set(items)) < len(items) else set():
        problems.append(Problem("items occur twice", "Give each item once", value=sorted(twice)))
    if problems:
        raise InputError(problems)
    for need in needs:
        need.indices(model.depth)


def _heads(model: Model) -> int:
    return model.network.config.get_text_config().num_attention_heads


def _batches(
    model: Model, samples: Sequence[Sample], batch_tokens: int, batch_size: int | None
) -> Iterator[list[Sample]]:
    """Samples of like lengths together, the longest first: what does not fit shows at once."""
    if model.sees and batch_size is None:
        batch_size = 1
    counts = token_counts(model, samples) if batch_size != 1 else np.zeros(len(samples), dtype=np.int64)
    order = np.argsort(-counts, kind="stable")
    start = 0
    while start < len(order):
        size = batch_size or max(1, batch_tokens // int(counts[order[start]]))
        yield [samples[index] for index in order[start : start + size]]
        start += size


def _encoded(model: Model, samples: Sequence[Sample], reasons: dict[str, str]) -> Iterator[Batch]:
    """The samples as one batch; those that only the processor found unreadable go to `reasons`."""
    try:
        yield encode(model, samples)
        return
    except InputError as error:
        if len(samples) == 1:
            reasons[samples[0].item] = error.problems[0].what
            return
    for sample in samples:
        yield from _encoded(model, [sample], reasons)


@torch.inference_mode()
def _read(
    model: Model, batch: Batch, needs: Sequence[Need], kept: Mapping[str, Sequence[int]] | None
) -> dict[str, Answer]:
    """Run the network over a batch."""
    batch = batch.to(model.device)
    places = Places.of(batch, kept)
    states = States(model, needs, batch, places)
    attended = Attended(model, needs, batch, places)
    with ExitStack() as stack:
        stack.enter_context(states.recorded())
        if attended.needs:
            stack.enter_context(recorded(model, places.start, attended.read, attended.wants))
        last = model.body(**batch.inputs, use_cache=False).last_hidden_state
    states.read(model.depth, last)
    rows = places.pick(last, "gen")
    finite = rows.isfinite().all(1) & places.pick(last, "own").isfinite().all(1)
    if not finite.all():
        what = f"item {places.item(batch, ~finite)}: '{model.name}' gives numbers that are not finite"
        raise InputError(Problem(what, "Load the model in bfloat16 or float32", value=model.dtype))
    targets = places.pick(batch.inputs["input_ids"], "own")
    numbers = states.arrays() | attended.arrays() | predictions(model, rows, targets, needs)
    return _answers(batch, places, needs, numbers)


def _answers(
    batch: Batch, places: Places, needs: Sequence[Need], numbers: Mapping[str, torch.Tensor]
) -> dict[str, Answer]:
    """Cut the numbers of a batch into those of its samples."""
    kept = np.split(places.kept.cpu().numpy(), np.cumsum(batch.responses)[:-1])
    cuts = {
        "token": np.cumsum(batch.responses)[:-1],
        "wide": np.cumsum([flags.sum() for flags in kept])[:-1],
        "item": np.arange(1, len(batch.items)),
    }
    parts: list[dict[str, np.ndarray]] = [{} for _ in batch.items]
    for name, need in names(needs):
        values = numbers[name].cpu()
        values = values.float() if values.is_floating_point() else values  # numpy has no bfloat16
        level = "item" if need.about.place == "item" else "wide" if need.large else "token"
        for part, cut in zip(parts, np.split(values.numpy(), cuts[level]), strict=True):
            part[name] = stored(name, need, cut)
    images = (batch.groups == IMAGE).sum(1).tolist()
    return {
        item: Answer(item, int(batch.prompts[i]), images[i], batch.offsets[i], kept[i], parts[i])
        for i, item in enumerate(batch.items)
    }

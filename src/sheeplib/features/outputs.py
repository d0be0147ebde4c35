"""From the states that predict the tokens to numbers about the predictions, a few rows at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import torch

from sheeplib.features import evidence
from sheeplib.features.needs import Need
from sheeplib.features.quantities import CANONICAL, EVIDENCE, PROBABILITIES
from sheeplib.models.model import Model

LOGITS = 24 * 2**20  # bytes of one array of logits; up to three exist at a time


def predictions(
    model: Model, states: torch.Tensor, targets: torch.Tensor, needs: Iterable[Need]
) -> dict[str, torch.Tensor]:
    """The columns of those needs that read logits.

    Parameters
    ----------
    model : Model
    states : Tensor (N, D)
        Last hidden states, after the final norm, at the rows that predict the tokens.
    targets : LongTensor (N,)
        The tokens.
    needs : iterable of Need
        Others are passed over.

    Returns
    -------
    dict of str to Tensor (N,)
        Evidence does not know of soft capping; probabilities do.

    Source
    ------
    SHEEP, appendices C.3 (HalluShift++) and C.4 (EUQ).
    """
    columns = {name for need in needs if need.about.reads == "logits" for name in need.columns}
    found: dict[str, list[torch.Tensor]] = {name: [] for name in sorted(columns)}
    if not columns:
        return {}
    rows = rows_at_once(model)
    for some, tokens in zip(states.split(rows), targets.split(rows), strict=True):
        for name, values in _columns(model, some, tokens, columns):
            found[name].append(values)
    return {name: torch.cat(parts) for name, parts in found.items()}


def _columns(
    model: Model, states: torch.Tensor, targets: torch.Tensor, wanted: set[str]
) -> Iterator[tuple[str, torch.Tensor]]:
    logits = model.head(states).float()
    if wanted & {*EVIDENCE, *CANONICAL}:
        head = evidence.output(model.head)
        precise = logits if states.dtype == torch.float32 else head.logits(states)
        if wanted & set(EVIDENCE):
            yield from zip(EVIDENCE, evidence.repo(precise, states, head), strict=True)
        if wanted & set(CANONICAL):
            yield from zip(CANONICAL, evidence.canonical(precise, states, head), strict=True)
    if wanted & set(PROBABILITIES):
        numbers = probabilities(capped(model, logits), targets)
        yield from zip(PROBABILITIES, (*numbers, targets), strict=True)


def probabilities(logits: torch.Tensor, targets: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """What a prediction says of a token.

    Parameters
    ----------
    logits : Tensor (n, V)
        float32; overwritten.
    targets : LongTensor (n,)

    Returns
    -------
    max_prob, target_prob, token_nll, entropy, top_token : Tensor (n,)
        Largest probability; probability of the target and its negative logarithm; entropy in nats;
        the likeliest token.

    Source
    ------
    SHEEP, appendix C.3. The logarithm is exact; the released code adds 1e-12 inside.
    """
    entropy, total, token = _distribution(logits)
    target = logits.gather(1, targets[:, None])[:, 0] - total
    return torch.exp(-total), torch.exp(target), -target, entropy, token


def _distribution(logits: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Entropy, log of the sum of exponentials, likeliest token; the largest logit becomes 0, in place."""
    top, token = logits.max(1, keepdim=True)
    weights = logits.sub_(top).exp()  # relative to the largest, so that nothing overflows or cancels
    total = weights.sum(1)
    entropy = total.log() - weights.mul_(logits).sum(1) / total
    return entropy, total.log(), token[:, 0]


def lens(model: Model, states: torch.Tensor, normed: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """Read a layer's states as if they were the last.

    Parameters
    ----------
    model : Model
    states : Tensor (n, D)
    normed : bool
        Whether they have been through the final norm, as those of the last layer have.

    Returns
    -------
    entropy : Tensor (n,)
        Nats.
    token : Tensor (n,)
        The likeliest token.

    Source
    ------
    arXiv 2603.07619 (Overthinking Score).
    """
    found = []
    for some in states.split(rows_at_once(model)):
        logits = capped(model, model.head(some if normed else model.decoder.norm(some)).float())
        entropy, _, token = _distribution(logits)
        found.append((entropy, token))
    entropies, tokens = zip(*found, strict=True)
    return torch.cat(entropies), torch.cat(tokens)


def rows_at_once(model: Model) -> int:
    """Rows whose logits fit into `LOGITS` bytes."""
    return max(1, LOGITS // (4 * model.head.weight.shape[0]))


def capped(model: Model, logits: torch.Tensor) -> torch.Tensor:
    """Logits as the whole network gives them: some models of the Gemma family cap them softly."""
    cap = getattr(model.network.config.get_text_config(), "final_logit_softcapping", None)
    return logits if cap is None else logits.div_(cap).tanh_().mul_(cap)

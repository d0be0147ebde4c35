"""Evidential uncertainty (EUQ): conflict and ignorance of a prediction, one token a row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import torch

from sheeplib.errors import InputError, Problem

FEW = -20.0  # log of a sum of exponentials below which log(1 - product) is that sum, to a part in 10^9
PART = 2 * 2**20  # bytes of one array in double precision: small ones stay in the cache of the processor


@dataclass(frozen=True, eq=False)
class Output:
    """What evidence needs of an output layer, computed once.

    Parameters
    ----------
    weight : Tensor (K, J)
        K outputs, J features.
    bias : Tensor (K,) or None
    """

    weight: torch.Tensor
    bias: torch.Tensor | None

    @cached_property
    def row_means(self) -> torch.Tensor:
        """Mean weight (K,) of each output over the features, as EUQ's released code centres."""
        return self.weight.mean(1, dtype=torch.float32)

    @cached_property
    def distances(self) -> torch.Tensor:
        """Absolute weights (K, J) after centring each feature over the outputs, float32."""
        return (self.weight.float() - self.weight.mean(0, dtype=torch.float32)).abs_()

    def logits(self, states: torch.Tensor) -> torch.Tensor:
        """Logits (n, K) in single precision: those of a network in half precision are too coarse."""
        bias = None if self.bias is None else self.bias.float()
        if self.weight.dtype == torch.float32:
            return torch.nn.functional.linear(states, self.weight, bias)
        parts = [states.float() @ part.float().T for part in self.weight.split(8192)]
        return torch.cat(parts, 1) if bias is None else torch.cat(parts, 1).add_(bias)


_OUTPUTS: WeakKeyDictionary[Any, Output] = WeakKeyDictionary()


def output(head: Any) -> Output:
    """The output layer's `Output`, kept as long as the layer lives and its weights stay in place."""
    known = _OUTPUTS.get(head)
    if known is None or known.weight.data_ptr() != head.weight.data_ptr():
        known = _OUTPUTS[head] = Output(head.weight.detach(), getattr(head, "bias", None))
    return known


def repo(logits: torch.Tensor, states: torch.Tensor, head: Output) -> tuple[torch.Tensor, ...]:
    """Evidence as EUQ's released code computes it, in closed form.

    The code centres each output's weights over the features and sums positive and negative parts
    over the vocabulary, so that its J hypotheses are all alike.

    Parameters
    ----------
    logits : Tensor (n, K)
        float32, before any soft capping.
    states : Tensor (n, J)
        What the output layer was given.
    head : Output

    Returns
    -------
    positive, negative : Tensor (n,)
        Mean positive and negative part of the centred logits.
    conflict, ignorance : Tensor (n,)
        float64.

    Source
    ------
    EUQ (arXiv 2602.05535), released code; SHEEP, appendix C.4.
    """
    centred = logits - states.float().sum(1, keepdim=True) * head.row_means
    positive = centred.clamp(min=0).mean(1)
    negative = centred.neg_().clamp_(min=0).mean(1)
    return positive, negative, *alike(positive, negative, head.weight.shape[1])


def alike(positive: torch.Tensor, negative: torch.Tensor, count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Conflict and ignorance where `count` hypotheses have the same evidence for and against them.

    Parameters
    ----------
    positive, negative : Tensor (n,)
        P and N.
    count : int
        Hypotheses.

    Returns
    -------
    conflict, ignorance : Tensor (n,)
        float64; about 1 - exp(-N) and 1 / (exp(P) - 1) for many hypotheses.

    Source
    ------
    EUQ (arXiv 2602.05535), with T. Denoeux, Knowledge-Based Systems 176 (2019).
    """
    weak = torch.exp(-negative.double())
    gain = count * torch.expm1(positive.double())
    doubt = -torch.expm1(count * torch.log1p(-weak))  # 1 - (1 - weak)^count
    agreement = (1 + gain * weak / doubt) / (gain + 1)
    return 1 - agreement, count * weak / (doubt + gain * weak)


def canonical(logits: torch.Tensor, states: torch.Tensor, head: Output) -> tuple[torch.Tensor, ...]:
    """Evidence by the theory: each feature's weights centred over the outputs (least commitment).

    Parameters
    ----------
    logits, states, head
        As for `repo`.

    Returns
    -------
    conflict, log_agreement, log_ignorance : Tensor (n,)
        As from `combined`.

    Raises
    ------
    InputError
        If the layer has a bias: how it is shared among features is not defined here.

    Source
    ------
    EUQ (arXiv 2602.05535), with T. Denoeux, Knowledge-Based Systems 176 (2019).
    """
    if head.bias is not None:
        raise InputError(
            Problem("canonical evidence of an output layer with a bias", "Ask for evidence:repo")
        )
    total = states.float().abs() @ head.distances.T  # sum_j |w_kj phi_j| = e+ + e-
    net = logits - logits.mean(1, keepdim=True)  # sum_j w_kj phi_j = e+ - e-
    rows = max(1, PART // (8 * total.shape[1]))
    parts = [
        combined((s + c).double().clamp_(min=0) / 2, (s - c).double().clamp_(min=0) / 2)
        for s, c in zip(total.split(rows), net.split(rows), strict=True)
    ]
    return tuple(torch.cat(column) for column in zip(*parts, strict=True))


def combined(support: torch.Tensor, against: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Combine evidence for and against each of K hypotheses by Dempster's rule.

    Parameters
    ----------
    support, against : Tensor (n, K)
        e+ and e-: not negative, float64.

    Returns
    -------
    conflict : Tensor (n,)
        CF, from 0 to 1.
    log_agreement : Tensor (n,)
        log(1 - CF), which still tells rows apart where CF rounds to 1.
    log_ignorance : Tensor (n,)
        log of eta eta+ eta- sum_k exp(-e-_k), EUQ's ignorance, which underflows without the logarithm.

    Source
    ------
    T. Denoeux, Knowledge-Based Systems 176 (2019); ignorance as in EUQ (arXiv 2602.05535).
    """
    weak = torch.logsumexp(-against, 1)
    left = weak.clone()  # log(1 - prod_k (1 - exp(-e-_k))) = -log eta-
    close = weak >= FEW
    if close.any():
        product = torch.log1p(-torch.exp(-against[close])).sum(1)  # -inf where any e- is 0
        left[close] = torch.log(-torch.expm1(product))
    gain = support + torch.log1p(-torch.exp(-support))  # log(exp(e+) - 1); -inf for 0
    zero = torch.zeros_like(weak)
    eta = -torch.logaddexp(zero, torch.logsumexp(gain, 1))  # log eta+
    # 1 - CF = eta+ + sum_k eta+ (exp(e+_k) - 1) pl-_k: all terms are positive, nothing cancels
    shared = torch.logsumexp(gain - against - left[:, None], 1)
    agreement = eta + torch.logaddexp(zero, shared)
    return -torch.expm1(agreement), agreement, weak + eta - left - agreement

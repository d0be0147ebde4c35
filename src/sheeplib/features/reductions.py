"""From attention weights to the few numbers that are kept of them. All tensors are float32.

`R` rows (queries) of `S` keys; weights of invisible keys are 0 and each row sums to 1.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F

GROUPS = ("first", "image", "instruction", "response", "self")  # last axis of `attention_masses`
GRID = 12  # side of the map that image attention is pooled to


def masses(weights: torch.Tensor, rows: torch.Tensor, members: torch.Tensor) -> torch.Tensor:
    """Attention to each group of keys: the first token, image, instruction, response so far, and itself.

    A row's own key counts as `self` and in no other group.

    Parameters
    ----------
    weights : Tensor (B, ..., R, S)
        Contiguous; changed meanwhile, and as it was in the end.
    rows : LongTensor (R,)
        Each row's own key.
    members : Tensor (B, S, G)
        1 where a key belongs to a group, else 0.

    Returns
    -------
    Tensor (B, ..., R, G + 1)
        Sums; they add up to 1 where every visible key has a group.

    Source
    ------
    NAME-Bench's SVAR and VADE (image), PAS (response), Lookback Lens (context against new tokens).
    """
    own = rows[:, None].expand(*weights.shape[:-1], 1)
    itself = weights.gather(-1, own)
    weights.scatter_(-1, own, 0.0)  # rather than subtracting: nothing stays exactly nothing
    sums = (weights.flatten(1, -2) @ members).unflatten(1, weights.shape[1:-1])
    weights.scatter_(-1, own, itself)
    return torch.cat([sums, itself], -1)


def entropy(weights: torch.Tensor) -> torch.Tensor:
    """Entropy (nats) of the renormalised weights (..., S).

    0 log 0 is 0, without the 1e-12 that SHEEP's released code adds inside the logarithm; the two
    differ by less than 1e-12 times the number of keys.

    Source
    ------
    SHEEP, appendix C.3, `attn_entropies`.
    """
    total = weights.sum(-1)
    # -sum (w/t) log(w/t) = log t - sum w log w / t, which needs no copy of the weights
    return total.log() + torch.special.entr(weights).sum(-1) / total


def gini(weights: torch.Tensor, visible: torch.Tensor) -> torch.Tensor:
    """|1/n - G|, G the Gini coefficient of the weights (B, R, S) over the n visible keys (B or 1, R, S).

    Source
    ------
    `attention_concentration_features` of HalluShift++ as SHEEP uses it: |2 sum(cumsum v) / (n sum v) - 1|
    for v in ascending order.
    """
    ordered = weights.sort(-1).values  # invisible keys weigh 0 and come first, where they count nothing
    ranks = torch.arange(weights.shape[-1], 0, -1, dtype=weights.dtype, device=weights.device)
    return (2 * (ordered @ ranks) / (visible.sum(-1) * weights.sum(-1)) - 1).abs()


def image_peak(weights: torch.Tensor, image: torch.Tensor) -> torch.Tensor:
    """Mean over image tokens of the largest head's attention: weights (B, H, R, S), image (B, S) of 0 and 1.

    Image tokens out of a sliding window count, with 0.

    Source
    ------
    arXiv 2603.07619, attention features of the Overthinking detector.
    """
    return (weights.amax(1) @ image[..., None])[..., 0] / image.sum(-1, keepdim=True)


def text_mean(weights: torch.Tensor, rows: torch.Tensor, text: torch.Tensor) -> torch.Tensor:
    """Mean attention to text tokens up to the row itself: weights (B, R, S), text (B, S) of 0 and 1.

    Text tokens out of a sliding window count, with 0.

    Source
    ------
    arXiv 2603.07619, attention features of the Overthinking detector.
    """
    return (weights @ text[..., None])[..., 0] / text.cumsum(1)[:, rows]


def pooled(weights: torch.Tensor, shape: tuple[int, int] | None, side: int = GRID) -> torch.Tensor:
    """Means of image attention in `side` x `side` cells.

    Parameters
    ----------
    weights : Tensor (n, ..., N)
        Attention to the N image tokens, in reading order.
    shape : (int, int) or None
        Rows and columns of image tokens. None if they form no one grid (tiles, line breaks): the
        sequence itself is pooled into side * side stretches.

    Returns
    -------
    Tensor (n, ..., side * side)

    Source
    ------
    DHCP (arXiv 2411.18659), made independent of the image's size by area pooling.
    """
    flat = weights.reshape(-1, 1, weights.shape[-1])
    if shape is None:
        cells = F.adaptive_avg_pool1d(flat, side * side)
    else:
        cells = F.adaptive_avg_pool2d(flat.unflatten(-1, shape), side).flatten(-2)
    return cells.view(*weights.shape[:-1], side * side)

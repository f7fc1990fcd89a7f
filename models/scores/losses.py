"""What a point loses in a cluster next to its best one, and costs that seem to stand for "not allowed"."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

HUGE = 1e8  # A cost this many times the usual one seems to stand for "not allowed".


def losses_of(scores: NDArray[np.float64], allowed: NDArray[np.bool_] | None) -> NDArray[np.float64]:
    """c_ij of scores (n, k), infinite where the pair is not allowed."""
    if allowed is None:
        return scores.max(axis=1, keepdims=True) - scores
    best = np.where(allowed, scores, -np.inf).max(axis=1, keepdims=True)
    return np.where(allowed, best - scores, np.inf)


def warn_of_huge(scores: NDArray[np.float64], allowed: NDArray[np.bool_] | None) -> None:
    """Say how many pairs cost more than `HUGE` times as much as usual ones, by scores (n, k), and what to write."""
    lost = losses_of(scores, allowed)
    most = float(lost[np.isfinite(lost)].max(initial=0.0))
    if most <= HUGE * float(np.median(lost)) and np.median(lost) > 0:
        return
    used = np.sort(np.abs(scores), axis=None)[scores.size // 4]
    positive = lost[np.isfinite(lost) & (lost > 4.0 * np.finfo(np.float64).eps * used)]
    limit = HUGE * float(np.median(positive)) if positive.size else np.inf
    many = int(np.count_nonzero(positive > limit))
    if many:
        warnings.warn(
            f"scores of {many} pairs lie more than {HUGE:g} times as far below the best of their points as usual ones: "
            f"if they stand for pairs that are not allowed, write -inf or use polytope.allow(mask)",
            stacklevel=4,
        )

"""Pairs that no optimal assignment uses are taken out of a program, so that its numbers are of the size that matters.

Let a known assignment lose U = sum_j w_j sum_i xi_ij c_ij, with c_ij = max_l gamma_lj - gamma_ij over the clusters l
that point j is allowed in. No c_ij is negative, so an assignment of whole points that uses a pair with w_j c_ij > U
loses more than the known one: it is not optimal, and the pair can be barred. A cost of 1e10 that stands for "never"
goes this way, and with it the tolerances that are relative to the largest cost.

Divided points may use a share of such a pair, where rows leave no other way as cheap. There the argument is checked
afterwards: prices that are optimal for the smaller program are so for the whole one exactly when no barred pair is
better at them than the pairs that are left. One that is comes back (`needed`). Pairs that the known assignment uses
always stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..polytope.shares import Split
from ..scores.losses import losses_of
from ..scores.scores import DenseScores
from .assignment import AssignmentModel


def losses(model: AssignmentModel) -> NDArray[np.float64]:
    """w_j c_ij (n, k), infinite where the pair is not allowed."""
    lost = losses_of(model.score_source.dense(), model.polytope.allowed)
    return lost if model.polytope.weights is None else _weighted(lost, model.polytope.weights)


def reduced(
    model: AssignmentModel,
    labels: NDArray[np.int64],
    splits: Sequence[Split] = (),
    needed: NDArray[np.bool_] | None = None,
) -> AssignmentModel | None:
    """The program without the pairs that cannot be optimal, given a known assignment; None where there is none."""
    lost, used = losses(model), np.zeros(model.score_source.shape, dtype=bool)
    used[np.arange(labels.size), labels] = True
    taken = lost[used]
    for point in {point for point, _, _ in splits}:
        taken[point] = 0.0
    total = float(taken.sum())
    for point, cluster, share in splits:
        used[point, cluster] = True
        total += share * float(lost[point, cluster])
    kept = used | (lost <= total * (1.0 + labels.size * np.finfo(np.float64).eps))
    if needed is not None:
        kept |= needed
    allowed = np.isfinite(lost)
    return None if kept[allowed].all() else restricted_to(model, kept & allowed)


def restricted_to(model: AssignmentModel, kept: NDArray[np.bool_]) -> AssignmentModel:
    """The program with the pairs of a mask (n, k) alone, which are allowed; scores as in `reduced`."""
    gamma = model.score_source.dense()
    best = np.where(kept, gamma, -np.inf).max(axis=1, keepdims=True)
    polytope = model.polytope.allow(kept)
    return replace(
        model, polytope=polytope, scores=DenseScores(np.where(kept, gamma - best, 0.0)), kind=None, sites=None
    )


def _weighted(lost: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Losses of whole points; nothing for one of no weight, infinite where the pair is not allowed."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isfinite(lost), lost * weights[:, None], np.inf)

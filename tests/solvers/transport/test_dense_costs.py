"""Costs of arcs from all members of small clusters."""

from __future__ import annotations

import numpy as np
import pytest

from partitope.models.scores.scores import DenseScores
from partitope.solvers.transport.flow.dense_costs import come, dense_arcs, leave
from partitope.solvers.transport.flow.pieces import NONE, movable, shift, whole_points
from partitope.solvers.transport.passes.rows import kernel_data


@pytest.mark.parametrize("n, k, tied", [(12, 3, False), (60, 4, True), (200, 5, False), (90, 40, True)])
@pytest.mark.parametrize("weighted", [False, True])
def test_arcs_know_their_cost(n, k, tied, weighted):
    rng = np.random.default_rng(n)
    scores = rng.normal(size=(n, k))
    scores = np.round(scores, 1) if tied else scores
    data = kernel_data(DenseScores(scores))
    weights = rng.random(n) if weighted else None
    pieces = movable(whole_points(rng.integers(0, k, n), weights), k, split=True)
    arcs = dense_arcs(data, pieces, np.zeros(k))
    for _ in range(6 * n):
        x = int(rng.integers(n))
        i = int(pieces.labels[x])
        j = (i + 1 + int(rng.integers(k - 1))) % k
        part = 0.5 if weighted and pieces.counts[0] < k - 1 else 1.0  # there is no room for more parts
        gone, new = shift(pieces, x, i, j, part * pieces.amounts[x], 0.0)
        if gone:
            leave(data, pieces, arcs, i, x)
        if new:
            come(data, arcs, j, x)
        for v in {i, j}:
            _check_row(scores, pieces, arcs, v)


def _check_row(scores, pieces, arcs, i):
    """Compare the arcs of cluster i with all members."""
    k = scores.shape[1]
    parts = np.flatnonzero(pieces.part_labels[: pieces.counts[0]] == i)
    homes = np.flatnonzero((pieces.labels == i) & (pieces.amounts > 0))
    inside = np.union1d(homes, pieces.part_points[parts])
    for j in range(k):
        best, cost = arcs.best_piece[i * k + j], arcs.costs[i * k + j]
        least = (scores[inside, i] - scores[inside, j]).min(initial=np.inf) if i != j else np.inf
        assert cost == least
        assert (best == NONE) == (least == np.inf)
        if best != NONE:
            assert best in inside
            assert scores[best, i] - scores[best, j] == cost

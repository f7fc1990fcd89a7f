"""Costs of arcs from all members of small clusters."""

from __future__ import annotations

import numpy as np
import pytest

from partitope.models import AssignmentModel, PartitionPolytope
from partitope.models.scores.scores import DenseScores
from partitope.solvers import solve
from partitope.solvers.transport import engine, first_prices
from partitope.solvers.transport.members import arcs_of_members, come, leave
from partitope.solvers.transport.pieces import NONE, movable, shift, whole_points
from partitope.solvers.transport.rows import is_matrix, kernel_data, with_scores


@pytest.mark.parametrize("n, k, tied", [(12, 3, False), (60, 4, True), (200, 5, False), (90, 40, True)])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("linear", [False, True])
def test_arcs_know_their_cost_and_bound_what_comes_next(n, k, tied, weighted, linear):
    rng = np.random.default_rng(n)
    scores = rng.normal(size=(n, k))
    scores = np.round(scores, 1) if tied else scores
    data, out = kernel_data(DenseScores(scores)), np.empty(k)
    if linear:
        X, sites = np.round(rng.normal(size=(n, 3)), 1 if tied else 9), rng.normal(size=(k, 3))
        data = kernel_data(AssignmentModel.lsa(X, sites, PartitionPolytope(n, n_clusters=k)).score_source)
        assert not is_matrix(data)
        scores = with_scores(data)[0]
    weights = rng.random(n) if weighted else None
    pieces = movable(whole_points(rng.integers(0, k, n), np.zeros(n), weights), k, split=True)
    arcs = arcs_of_members(data, pieces, np.zeros(k))
    unknown = 0
    for _ in range(6 * n):
        x = int(rng.integers(n))
        i = int(pieces.labels[x])
        j = (i + 1 + int(rng.integers(k - 1))) % k
        part = 0.5 if weighted and pieces.counts[0] < k - 1 else 1.0  # there is no room for more parts
        gone, new = shift(pieces, x, i, j, part * pieces.amounts[x], 0.0)
        if gone:
            leave(data, pieces, arcs, i, x, out)
        if new:
            come(data, arcs, j, x, out)
        for v in {i, j}:
            unknown += _check_row(scores, pieces, arcs, v)
    assert unknown  # arcs whose next piece is not known occur


def _check_row(scores, pieces, arcs, i):
    """Compare the arcs of cluster i with all members; returns on how many of them the next piece is not known."""
    k, unknown = scores.shape[1], 0
    parts = np.flatnonzero(pieces.part_labels[: pieces.counts[0]] == i)
    homes = np.flatnonzero((pieces.labels == i) & (pieces.amounts > 0))
    inside = np.union1d(homes, pieces.part_points[parts])
    for j in range(k):
        a = i * k + j
        differences = np.full(2, np.inf)
        if i != j:
            differences = np.sort(np.append(scores[inside, i] - scores[inside, j], differences))
        assert arcs.costs[a] == differences[0]
        assert arcs.thresholds[a] <= differences[1]
        best, following = arcs.best_piece[a], arcs.next_piece[a]
        assert (best == NONE) == (differences[0] == np.inf)
        if best != NONE:
            assert best in inside
            assert scores[best, i] - scores[best, j] == arcs.costs[a]
        if following != NONE:
            assert following in inside
            assert following != best
            assert scores[following, i] - scores[following, j] == arcs.thresholds[a] == differences[1]
        unknown += best != NONE and following == NONE and arcs.thresholds[a] < np.inf
    return unknown


@pytest.mark.parametrize("weighted", [False, True])
def test_scores_that_are_too_many_to_keep_are_computed_again(weighted, monkeypatch):
    rng = np.random.default_rng(8)
    n, k = 1200, 120
    X = np.exp(1.5 * rng.normal(size=(n, 2)))
    weights = rng.integers(1, 3, n).astype(float) if weighted else None
    total = n if weights is None else weights.sum()
    polytope = PartitionPolytope(n, int(0.8 * total / k), int(1.2 * total / k) + 1, n_clusters=k, weights=weights)
    model = AssignmentModel.lsa(X, X[rng.choice(n, k, replace=False)], polytope)
    kept = solve(model)
    monkeypatch.setattr(engine, "MOST_SCORES", 0)
    monkeypatch.setattr(first_prices, "MOST_SCORES", 0)
    monkeypatch.setattr(engine, "with_scores", lambda _: pytest.fail("all scores are kept"))
    again = solve(model)
    assert again.verify().verified
    assert again.objective == kept.objective
    np.testing.assert_array_equal(again.prices, kept.prices)

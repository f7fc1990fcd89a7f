"""Tiles of scores: bit for bit those of one point at a time, for every shape of data."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers.transport.passes.rows import kernel_data, score_row
from partitope.solvers.transport.passes.tiles import TILE, largest_two, score_tile, workspace


def _data(seed, n, k, d, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = (10.0 + rng.normal(size=(n, d))).astype(dtype)
    sites = rng.normal(size=(k, d)) + 10.0
    return kernel_data(AssignmentModel.lsa(X, sites, PartitionPolytope(n, n_clusters=k)).score_source)


def _dense(seed, n, k):
    scores = np.round(np.random.default_rng(seed).normal(size=(n, k)), 1)  # ties
    return kernel_data(AssignmentModel(PartitionPolytope(n, n_clusters=k), scores).score_source)


def _row_by_row(data, n, k):
    scores = np.empty((n, k))
    for j in range(n):
        score_row(data, j, scores[j])
    return scores


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 3 * TILE),
    k=st.integers(1, 9),
    d=st.integers(0, 9),
    narrow=st.booleans(),
)
def test_tiles_are_the_rows_bit_for_bit(seed, n, k, d, narrow):
    data = _data(seed, n, k, d, np.float32 if narrow else np.float64) if d else _dense(seed, n, k)
    expected = _row_by_row(data, n, k)
    points, scores, *_ = workspace(data, k)
    for start in range(0, n, TILE):
        stop = min(start + TILE, n)
        score_tile(data, start, stop, (points, scores), np.arange(k))
        np.testing.assert_array_equal(scores[:, : stop - start].T, expected[start:stop])
        np.testing.assert_array_equal(
            scores[:, stop - start :].T, np.tile(expected[stop - 1], (TILE - stop + start, 1))
        )


def test_tied_scores_go_to_the_first_cluster_with_no_margin():
    _, scores, best, second, arg = workspace(_data(0, 1, 3, 2), 3)
    scores[:] = 2.0
    largest_two(scores, np.array([0.5, 0.25, 0.25]), best, second, arg)
    assert (arg == 1).all()
    assert (best == 1.75).all()
    assert (second == 1.75).all()

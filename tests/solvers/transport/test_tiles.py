"""Tiles of scores: bit for bit those of one point at a time, for every shape of data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers.transport.rows import assign, assign_serial, evaluate, exchange_gaps, kernel_data, score_row
from partitope.solvers.transport.tiles import TILE, largest_two, score_tile, workspace


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
        score_tile(data, start, stop, points, scores)
        np.testing.assert_array_equal(scores[:, : stop - start].T, expected[start:stop])
        np.testing.assert_array_equal(
            scores[:, stop - start :].T, np.tile(expected[stop - 1], (TILE - stop + start, 1))
        )


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 9_000), k=st.integers(1, 9))
def test_passes_equal_numpy_on_ties(seed, n, k):
    rng = np.random.default_rng(seed)
    data, prices, given_labels = _dense(seed, n, k), np.round(rng.normal(size=k), 1), rng.integers(0, k, n)
    reduced = data[0] - prices
    for function in (assign, assign_serial):
        labels, margins = np.empty(n, np.int64), np.empty(n)
        function(data, prices, labels, margins)
        np.testing.assert_array_equal(labels, reduced.argmax(axis=1))
        ordered = np.sort(reduced, axis=1)
        np.testing.assert_array_equal(margins, ordered[:, -1] - ordered[:, -2] if k > 1 else np.full(n, np.inf))
    best, own = np.empty(n), np.empty(n)
    evaluate(data, prices, given_labels, best, own)
    np.testing.assert_array_equal(best, reduced.max(axis=1))
    np.testing.assert_array_equal(own, data[0][np.arange(n), given_labels])


def test_tied_scores_go_to_the_first_cluster_with_no_margin():
    _, scores, best, second, arg = workspace(_data(0, 1, 3, 2), 3)
    scores[:] = 2.0
    largest_two(scores, np.array([0.5, 0.25, 0.25]), best, second, arg)
    assert (arg == 1).all()
    assert (best == 1.75).all()
    assert (second == 1.75).all()


@pytest.mark.parametrize("n", [1, 2, 700])
def test_exchange_gaps_are_minima_over_members_with_weight(n):
    rng = np.random.default_rng(n)
    data, labels, amounts = _dense(1, n, 4), rng.integers(0, 4, n), (rng.random(n) < 0.7).astype(float)
    gaps = exchange_gaps(data, np.arange(n), labels, amounts, 4)
    for i in range(4):
        members = data[0][(labels == i) & (amounts > 0)]
        for j in range(4):
            expected = (members[:, i] - members[:, j]).min(initial=np.inf)
            assert gaps[i, j] == expected

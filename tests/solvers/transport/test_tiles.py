"""Tiles of scores: bit for bit those of one point at a time, for every shape of data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers.transport.passes import candidates, rows
from partitope.solvers.transport.passes.rows import (
    assign,
    assign_serial,
    evaluate,
    exchange_gaps,
    kernel_data,
    score_row,
)
from partitope.solvers.transport.passes.tile_bounds import all_clusters, near_clusters
from partitope.solvers.transport.passes.tiles import TILE, largest_two, score_tile, workspace

from . import numpy_twins


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
    (points, scores, *_), room = workspace(data, k), all_clusters(data, k)
    for start in range(0, n, TILE):
        stop = min(start + TILE, n)
        assert score_tile(data, np.zeros(k), np.zeros(k), start, stop, (points, scores), *room, False) == k
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
    largest_two(scores, np.array([0.5, 0.25, 0.25]), np.arange(3), best, second, arg)
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


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    d=st.integers(1, 3),
    quadratic=st.booleans(),
    size=st.sampled_from([0.0, 1e-3, 0.1, 3.0]),
    unit=st.sampled_from([1e-6, 1.0, 1e6]),
)
def test_bounds_leave_out_no_cluster_that_matters(seed, d, quadratic, size, unit):
    rng, k = np.random.default_rng(seed), 40
    columns = rng.normal(size=(d + (d * (d + 1) // 2 if quadratic else 0), k)) * unit
    X = rng.normal(size=d) * 2 + size * rng.uniform(size=(TILE, d))
    data = (X, columns, rng.normal(size=k) * unit, rng.normal(size=d))
    prices, reach = rng.normal(size=k) * unit, np.where(rng.random(k) < 0.5, -np.inf, rng.random(k) * unit)
    (points, scores, *_), (near, room) = workspace(data, k), all_clusters(data, k)
    assert score_tile(data, prices, reach, 0, TILE, (points, scores), near, room, False) == k
    reduced = scores - prices[:, None]
    kept = set(near[: near_clusters(data, prices, reach, points, near, room)].tolist())
    order = np.argsort(-reduced, axis=0, kind="stable")
    assert set(order[:2].ravel().tolist()) <= kept
    inside = (reduced.max(axis=0) - reduced < reach[:, None]).any(axis=1)
    assert set(np.flatnonzero(inside).tolist()) <= kept
    if size == 0.0:
        assert len(kept) <= 2 + inside.sum()


@pytest.mark.full
@pytest.mark.parametrize("quadratic", [False, True])
def test_passes_with_bounds_are_those_in_numpy_bit_for_bit(quadratic):
    rng, n, k = np.random.default_rng(4), 3000, 50
    x = np.sort(rng.uniform(size=n))
    X = np.stack([x, np.sin(9 * x)], axis=1)  # neighbours in the data are neighbours in the plane
    sites, prices = X[rng.choice(n, k)], 1e-3 * rng.normal(size=k)
    columns, offsets = 2 * sites.T, -(sites**2).sum(axis=1)
    if quadratic:
        columns = np.concatenate([columns, -1.0 + 0.2 * rng.normal(size=(3, k))])
    data = (X, columns, offsets, np.zeros(2))
    labels, margins, best, own = np.empty(n, np.int64), np.empty(n), np.empty(n), np.empty(n)
    others, other_margins, other_best, other_own = labels.copy(), margins.copy(), best.copy(), own.copy()
    rows.assign_some(data, prices, 0, n, labels, margins)
    numpy_twins.assign_some(data, prices, 0, n, others, other_margins)
    np.testing.assert_array_equal(labels, others)
    np.testing.assert_array_equal(margins, other_margins)
    given_labels = rng.integers(0, k, n)
    rows.evaluate_some(data, prices, 0, n, given_labels, best, own)
    numpy_twins.evaluate_some(data, prices, 0, n, given_labels, other_best, other_own)
    np.testing.assert_array_equal(best, other_best)
    np.testing.assert_array_equal(own, other_own)
    cutoff = np.full(k, 0.01)
    found = []
    for pass_ in (candidates.assign_block, numpy_twins.assign_block):
        room = [np.empty(n * k, np.int64), np.empty(n * k, np.int64), np.empty(n * k)]
        count = pass_(data, prices, cutoff, 0, n, labels, margins, *room)
        found.append([part[:count] for part in room])
    for mine, other in zip(*found):
        np.testing.assert_array_equal(mine, other)

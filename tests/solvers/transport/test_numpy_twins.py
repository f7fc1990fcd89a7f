"""Kernels give the same bits as their twins in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from partitope.models.scores.scores import DenseScores
from partitope.solvers.geometric.statistics import add_parts
from partitope.solvers.transport.flow import dense_costs, dense_search, pieces
from partitope.solvers.transport.passes import candidates, rows

from . import numpy_twins


def _program(seed, n, k, d, narrow=False, ties=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X = np.round(X) if ties else X
    frozen = rows.kernel_rows(X.astype(np.float32 if narrow else np.float64))
    data = (frozen, rng.normal(size=(d, k)) if d else np.empty((0, 0)), rng.normal(size=k), rng.normal(size=d))
    if d == 0:
        data = (rows.kernel_rows(np.round(rng.normal(size=(n, k)), 1)), np.empty((0, 0)), np.zeros(k), np.empty(0))
    return rng, data, np.round(rng.normal(size=k), 1)


def _both(kernel, *arguments):
    """Arguments and answer after the kernel and after its twin."""
    ends = []
    for function in (kernel.compiled, getattr(numpy_twins, kernel.__name__)):
        copies = [entry.copy() if isinstance(entry, np.ndarray) else entry for entry in arguments]
        ends.append((function(*copies), copies))
    return ends


def _same(ends):
    (one, first), (other, second) = ends
    np.testing.assert_array_equal(one, other)
    for a, b in zip(first, second):
        if isinstance(a, np.ndarray):
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("seed, n, k, d, narrow", [(0, 1, 1, 1, False), (1, 300, 5, 3, True), (2, 4500, 4, 2, False),
                                                   (3, 700, 7, 0, False), (4, 260, 2, 9, False)])  # fmt: skip
def test_row_passes_in_numpy_are_the_kernels_bit_for_bit(seed, n, k, d, narrow):
    rng, data, prices = _program(seed, n, k, d, narrow, ties=seed == 4)
    labels, margins = rng.integers(0, k, n), np.empty(n)
    _same(_both(rows.assign_some, data, prices, 0, n, labels, margins))
    _same(_both(rows.evaluate_some, data, prices, n // 3, n, labels, np.zeros(n), np.zeros(n)))
    amounts = (rng.random(n) < 0.9).astype(float)
    _same(_both(rows.lower_gaps, data, rng.permutation(n), labels, amounts, 0, n, np.full((k, k), np.inf)))
    _same(_both(rows.score_row, data, n - 1, np.zeros(k)))
    for cutoff, room in ((np.full(k, 0.5), n * k), (rng.random(k), 3), (np.full(k, np.inf), n * k)):
        rows_allow = np.zeros(room, np.int64)
        _same(_both(candidates.assign_block, data, prices, cutoff, 0, min(n, rows.BLOCK), labels,
                    rows_allow, rows_allow, np.zeros(room)))  # fmt: skip


@pytest.mark.parametrize("k", [1, 7, 30, 200, 300])
@pytest.mark.parametrize("weighted", [True, False])
def test_searches_in_numpy_are_the_kernels_bit_for_bit(k, weighted):
    rng = np.random.default_rng(k)
    for _ in range(30):
        distance, costs, prices = (np.round(rng.random(k + 1), 1) for _ in range(3))
        distance[rng.random(k + 1) < 0.3] = np.inf
        queue = np.where(rng.random(k + 1) < 0.4, np.inf, distance)
        parent = rng.integers(-1, k + 1, k + 1)
        _same(_both(dense_search.relax, costs[:k], prices, 0.2, 0.3, 0.5 if weighted else 0.3, k - 1,
                    distance[:k], queue[:k], parent[:k]))  # fmt: skip
        hops, least = rng.integers(0, min(k, 4), k + 1), np.empty(dense_search.RESIDUES)
        _same(_both(dense_search.nearest, queue, parent, hops, weighted, least))


@pytest.mark.parametrize("n, k", [(1, 1), (40, 3), (90, 50)])
def test_costs_of_members_in_numpy_are_the_kernels_bit_for_bit(n, k):
    rng = np.random.default_rng(n)
    scores, labels = np.round(rng.normal(size=(n, k)), 1), rng.integers(0, k, n)
    data = rows.kernel_data(DenseScores(scores))
    weights = rng.random(n) * (rng.random(n) < 0.8)

    def ends(change):
        for form in (lambda kernel: kernel.compiled, lambda kernel: getattr(numpy_twins, kernel.__name__)):
            split = pieces.movable(pieces.whole_points(labels.copy(), weights), k, split=True)
            for unwritten in (split.next_home, split.last_home, *split[3:7]):
                unwritten[:] = 0
            arcs = dense_costs.dense_arcs(data, split, np.zeros(k))
            arcs.costs[:], arcs.best_piece[:] = np.inf, pieces.NONE
            form(dense_costs.list_members)(data, split._replace(first_home=np.full(k, pieces.NONE)), arcs)
            change(form, split, arcs)
            yield None, [arcs.costs, arcs.best_piece, *split]

    def moves(form, split, arcs):
        for moved, point in enumerate(rng.permutation(np.flatnonzero(weights))):
            i, j = split.labels[point], (point + 1) % k
            share = 0.5 if moved < k else 1.0
            gone, new = pieces.shift(split, point, i, j, share * split.amounts[point], 0.0)
            if gone:
                form(dense_costs.leave)(data, split, arcs, i, point)
            if new:
                form(dense_costs.come)(data, arcs, j, point)

    state = rng.bit_generator.state
    found = []
    for end in ends(moves):
        rng.bit_generator.state = state
        found.append(end)
    _same(found)


@pytest.mark.parametrize("seed, n, k, d, narrow", [(0, 1, 1, 1, False), (1, 301, 5, 3, True), (2, 64, 4, 2, False)])
@pytest.mark.parametrize("weighted", [True, False])
def test_passes_over_rows_in_numpy_are_the_kernels_bit_for_bit(seed, n, k, d, narrow, weighted):
    rng, data, _ = _program(seed, n, k, d, narrow)
    X, origin = data[0], rng.normal(size=d)
    weights = rng.random(n) if weighted else np.empty(0)
    sites, labels = rng.normal(size=(k, d)), rng.integers(0, k, n)
    for parts in ((0, 16), (3, 9)):
        sums = np.zeros((16, k, d)), np.zeros((16, k)), np.zeros(16)
        _same(_both(add_parts, X, origin, labels, weights, sites, *parts, *sums))

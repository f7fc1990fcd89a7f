"""Compiled or not, kernels give the same bits; what is small runs without compilation; long compilation is said."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from partitope.base import jit
from partitope.base.threads import share
from partitope.classifiers.naive_bayes.kernels import average_models
from partitope.models.scores.scores import DenseScores
from partitope.solvers import GeometricPartitioner
from partitope.solvers.geometric import spread_rows
from partitope.solvers.geometric.statistics import add_parts
from partitope.solvers.transport import candidates, flow, gaps, heaps, members, pieces, rows
from partitope.solvers.transport.single import single_matrix


@pytest.fixture(params=[True, False], ids=["uncompiled", "compiled"])
def way(request, monkeypatch):
    """All kernels uncompiled, or all compiled."""
    monkeypatch.setattr(jit._Kernel, "_pays", lambda kernel, arguments: not request.param)
    if request.param:
        monkeypatch.setattr(
            jit._Kernel, "__call__", lambda kernel, *arguments: jit._plain(jit.uncompiled(kernel)(*arguments))
        )
    return request.param


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
    """Arguments and answer after the compiled and after the uncompiled kernel."""
    ends = []
    for function in (getattr(kernel, "compiled", kernel), jit.uncompiled(kernel)):
        copies = [entry.copy() if isinstance(entry, np.ndarray) else entry for entry in arguments]
        ends.append((jit._plain(function(*copies)), copies))
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
    _same(_both(candidates.smallest_keys, data, prices, 4))
    _same(_both(rows.score_row, data, n - 1, np.zeros(k)))
    for cutoff, room in ((np.full((k, k), 0.5), n * k), (rng.random((k, k)), 3), (np.full((k, k), np.inf), n * k)):
        np.fill_diagonal(cutoff, -np.inf)
        room_for = np.zeros(room, np.int64)
        _same(_both(candidates.assign_block, data, prices, cutoff, 0, min(n, rows.BLOCK), labels, margins,
                    room_for, room_for, np.zeros(room)))  # fmt: skip


@pytest.mark.parametrize("k", [1, 7, 30, 200, 300])
@pytest.mark.parametrize("weighted", [True, False])
def test_searches_in_numpy_are_the_kernels_bit_for_bit(k, weighted):
    rng = np.random.default_rng(k)
    for _ in range(30):
        distance, costs, prices = (np.round(rng.random(k + 1), 1) for _ in range(3))
        distance[rng.random(k + 1) < 0.3] = np.inf
        queue = np.where(rng.random(k + 1) < 0.4, np.inf, distance)
        parent = rng.integers(-1, k + 1, k + 1)
        _same(_both(flow.relax, costs[:k], prices, 0.2, 0.3, 0.5 if weighted else 0.3, k - 1,
                    distance[:k], queue[:k], parent[:k]))  # fmt: skip
        hops, least = rng.integers(0, min(k, 4), k + 1), np.empty(flow.RESIDUES)
        _same(_both(flow.nearest, queue, parent, hops, weighted, least))


@pytest.mark.parametrize("n, k", [(1, 1), (40, 3), (90, 50)])
def test_costs_of_members_in_numpy_are_the_kernels_bit_for_bit(n, k):
    rng = np.random.default_rng(n)
    scores, labels = np.round(rng.normal(size=(n, k)), 1), rng.integers(0, k, n)
    data, out = rows.kernel_data(DenseScores(scores)), np.empty(k)
    weights = rng.random(n) * (rng.random(n) < 0.8)

    def ends(change):
        for form in (lambda kernel: getattr(kernel, "compiled", kernel), jit.uncompiled):
            split = pieces.movable(pieces.whole_points(labels.copy(), np.zeros(n), weights), k, split=True)
            for unwritten in (split.next_home, split.last_home, *split[3:7]):
                unwritten[:] = 0
            arcs = members.arcs_of_members(data, split, np.zeros(k))
            form(members.list_members)(data, split._replace(first_home=np.full(k, pieces.NONE)), arcs, np.empty(k))
            change(form, split, arcs)
            yield None, [arcs.costs, arcs.best_piece, arcs.thresholds, arcs.next_piece, *split]

    def moves(form, split, arcs):
        for moved, point in enumerate(rng.permutation(np.flatnonzero(weights))):
            i, j = split.labels[point], (point + 1) % k
            share = 0.5 if moved < k else 1.0
            gone, new = pieces.shift(split, point, i, j, share * split.amounts[point], 0.0)
            if gone:
                form(members.leave)(data, split, arcs, i, point, out)
            if new:
                form(members.come)(data, arcs, j, point, out)

    state = rng.bit_generator.state
    found = []
    for end in ends(moves):
        rng.bit_generator.state = state
        found.append(end)
    _same(found)


def test_gaps_in_numpy_are_the_kernels_bit_for_bit():
    _, data, _ = _program(7, 5000, 6, 3)
    labels = np.random.default_rng(1).integers(5, size=5000)  # the last cluster is empty
    scale = unit = 2.0**-6
    matrix, largest = single_matrix(data[1], data[2], scale, unit), np.array([1.0, 1.0])
    slopes, found = np.ascontiguousarray(data[1].T), np.full((6, 6), np.inf)
    _same(_both(gaps.lower_some, data, slopes, matrix, scale, unit, largest, labels, 0, 5000, found))


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
    _same(_both(spread_rows.lengths, X, X[0].astype(float)))
    for scales in (np.empty(0), spread_rows.lengths(X, origin)):
        _same(_both(spread_rows.approach, X, origin, scales, sites[0], np.full(n, 2.0)))
        _same(_both(spread_rows.totals_left, X, origin, scales, sites, rng.random(n), rng.random(n)))


@pytest.mark.parametrize("room", [8, 200])  # of some heaps of 8 the larger half is dropped
def test_heaps_filled_an_arc_at_a_time_are_the_kernels_bit_for_bit(room):
    rng, k = np.random.default_rng(room), 4
    prices, cutoff, pairs = rng.normal(size=k), rng.uniform(1.0, 2.0, (k, k)), rng.integers(0, k * k, 300)
    found = candidates.Candidates(rng.permutation(300), pairs, np.round(rng.random(300), 1), cutoff, 8.0)
    none = candidates.Candidates(found.points[:0], pairs[:0], found.keys[:0], cutoff, 8.0)
    empty, filled = heaps.heaps_of(prices, none, room), heaps.heaps_of(prices, found, room)

    def fill(function):
        copy = type(empty)(*(entry.copy() for entry in empty))
        function(found.points, pairs, pairs, found.keys, copy)
        kept = [(copy.keys[a, :m], copy.items[a, :m]) for a, m in enumerate(copy.counts)]
        return copy, np.concatenate(kept, axis=1)

    one, first = fill(heaps.put_candidates.compiled)
    other, second = fill(jit.uncompiled(heaps.put_candidates))
    np.testing.assert_array_equal(first, second)
    for name in ("counts", "thresholds", "costs", "best_piece"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        np.testing.assert_array_equal(getattr(one, name), getattr(filled, name))


@pytest.mark.parametrize("seed", range(3))
def test_averages_of_models_uncompiled_are_the_kernels_bit_for_bit(seed):
    rng, n, d, J = np.random.default_rng(seed), 60, 4, 2 + seed
    y, tables = rng.integers(0, J, n), np.log(rng.dirichlet(np.ones(3), (d, J)).transpose(0, 2, 1).copy())
    codes, orders = (y + rng.integers(0, 2, (d, n))) % 3, np.array([rng.permutation(d) for _ in range(5)])
    prior, null = np.linspace(1.0, 4.0, d + 1), 1.0 + n * np.log(J)
    (one, _), (other, _) = _both(average_models, codes, tables, y, np.full(J, -np.log(J)), orders, prior, null)
    np.testing.assert_array_equal(one[0], other[0])
    assert one[1:] == other[1:]


ENDS: dict[tuple[str, bool], tuple] = {}


@pytest.mark.parametrize("objective, weighted", [("lsa", False), ("csa", False), ("lsa", True)])
def test_fits_are_the_same_bit_for_bit(way, objective, weighted):
    rng = np.random.default_rng(5)
    X = np.vstack([rng.normal(size=(150, 3)), rng.normal(size=(50, 3)) + 4.0])
    weights = rng.integers(1, 9, 200) / 3.0 if weighted else None
    total = 200 if weights is None else weights.sum()
    model = GeometricPartitioner(4, lower=0.2 * total, upper=0.3 * total, objective=objective, random_state=0)
    found = model.fit(X, sample_weight=weights).partition_
    end = (found.labels.tobytes(), found.objective, found.power_diagram.prices.tobytes(), found.splits)
    assert ENDS.setdefault((objective, weighted), end) == end  # the first of the two ways leaves its end here


CODE = """
import numba, logging, numpy as np
from numba.core import event
compiled = []
class Listener(event.Listener):
    def on_start(self, event): compiled.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event): pass
event.register("numba:compile", Listener())
from partitope.solvers import GeometricPartitioner
X = np.random.default_rng(0).normal(size=(1000, 2))
GeometricPartitioner(5, lower=180, upper=220, objective="lsa", n_init=10, random_state=0).fit(X)
print(len(compiled))
"""


def test_a_first_small_fit_compiles_next_to_nothing(tmp_path):
    run = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True,
                         env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)})  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) <= 12  # kernels and what Numba compiles for them; all of them are some 100
    assert run.stderr == ""


def test_kernels_compile_once_their_calls_took_as_long():
    calls = []

    def plain(x):
        calls.append("uncompiled")
        return x + 1.0

    @jit.njit(in_numpy=plain, seconds_to_compile=1.0, seconds_uncompiled=lambda x: 0.4)
    def kernel(x):
        return x + 1.0

    assert [kernel(1.0) for _ in range(4)] == [2.0] * 4
    assert calls == ["uncompiled"] * 2
    assert type(kernel(np.float64(1.0))) is float


COUNTED = """
import sys
from partitope.base import jit
def kernel(x):
    return x + 1.0
kernel.__code__ = compile("def kernel(x):\\n    return x + 1.0", sys.argv[1], "exec").co_consts[0]
made = jit.njit(cache=True, seconds_to_compile=1.0, seconds_uncompiled=lambda x: 0.4)(kernel)
made(1.0)
print(len(made.compiled.overloads))
"""


def test_measurements_compile_at_the_first_call(monkeypatch):
    monkeypatch.setattr(jit._Kernel, "waits", True)

    @jit.njit(seconds_to_compile=1.0, seconds_uncompiled=lambda x: 0.0)
    def twice(x):
        return 2 * x

    assert twice(3) == 6
    assert not twice.compiled.overloads
    jit.compile_at_once()
    assert twice(3) == 6
    assert twice.compiled.overloads


def test_seconds_are_counted_over_processes(tmp_path):
    source = tmp_path / "kernel.py"
    source.write_text("def kernel(x):\n    return x + 1.0\n")
    runs = [
        subprocess.run(
            [sys.executable, "-c", COUNTED, str(source)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        )
        for _ in range(4)
    ]
    assert [int(run.stdout) for run in runs] == [0, 0, 1, 1]  # the last one finds it on disk


def test_kernels_in_kernels_are_uncompiled_too():
    @jit.njit(seconds_to_compile=1.0, seconds_uncompiled=lambda x: 0.1)
    def inner(x):
        return 2.0 * x

    namespace = {"inner": inner}
    exec("def outer(x):\n    return inner(x) + 1.0", namespace)
    outer = jit.njit(seconds_to_compile=1.0, seconds_uncompiled=lambda x: 0.6)(namespace["outer"])
    assert outer(3.0) == 7.0
    assert not inner.compiled.overloads
    assert outer(3.0) == 7.0  # compiled, with the inner one
    assert outer.compiled.overloads
    assert inner.compiled.inner.overloads  # as its caller takes it in


def test_a_constant_and_a_variable_share_one_form_of_an_inner_kernel():
    inner = jit.njit()(lambda x, step: x + step)
    namespace = {"inner": inner}
    exec(
        "def outer(x):\n    step = 1\n    for _ in range(3):\n        step = inner(inner(x, 1), step)\n    return step",
        namespace,
    )
    assert jit.njit()(namespace["outer"])(2) == 10
    assert len(inner.inner.overloads) == 1


def test_long_compilation_is_said_once(monkeypatch, caplog):
    monkeypatch.setattr(jit, "LONG", 0.0)
    listener = jit._Compilation()
    event = type("Event", (), {"data": {"dispatcher": rows.score_row}})()
    with caplog.at_level("WARNING", logger="partitope"):
        for _ in range(3):
            listener.on_start(event)
        for _ in range(3):
            listener.on_end(event)
    assert [record.getMessage() for record in caplog.records] == [
        "compiling kernels, once on this machine: this takes some seconds ..."
    ]


@pytest.mark.parametrize("size", [0, 1, 2, 7, 100])
def test_ranges_make_up_the_whole(size):
    done = np.zeros(size, int)

    def work(start, stop):
        done[start:stop] += 1

    share(work, size)
    assert (done == 1).all()


def test_errors_on_threads_reach_the_caller():
    def work(start, stop):
        if stop == 4:
            raise ValueError("in the last range")

    with pytest.raises(ValueError, match="last range"):
        share(work, 4)

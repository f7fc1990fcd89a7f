"""CAC against definitions: costs recomputed from scratch, a literal Algorithm 1, brute-force local optima."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partitope.base.status import Status
from partitope.solvers import GeometricPartitioner
from partitope.solvers.cac import kernels as kernels
from partitope.solvers.cac.partitioner import CAC
from partitope.solvers.cac.swaps import affine_costs, swap_cost, sweep_swaps, vacate
from partitope.stats import class_separation


def _phi(X, y, labels, alpha, mode, w=None):
    found = class_separation(X, labels, y, sample_weight=w)
    return found["scatter"].sum() - alpha * _total(found, mode)


def _total(found, mode):
    return (found["separation"] * (found["weight"] if mode == "size" else 1.0)).sum()


def _instance(rng, n=40, d=3, classes=2, k=3):
    X = rng.normal(size=(n, d)) + 3.0 * rng.normal(size=(k, d))[rng.integers(k, size=n)]
    y = rng.integers(classes, size=n)
    y[:classes] = np.arange(classes)
    return X, y


def _state(X, y, w, labels, k, classes):
    state = kernels.empty_state(k, classes, X.shape[1])
    kernels.recompute(X, y, w, labels, state, np.zeros(k))
    return state


def _rule(k, alpha, mode, mixed=False):
    return kernels.Rule(float(alpha), mode == "size", mixed, np.zeros(k), np.full(k, np.inf), 0.0)


def _close(cost, before, after):
    return abs(cost - (after - before)) <= 1e-9 * max(abs(before), abs(after), abs(cost))


def _check_random_moves(rounds, per_round, seed):
    rng = np.random.default_rng(seed)
    checked = 0
    for trial in range(rounds):
        classes, mode = 2 + trial % 4, ("size", "unit")[trial % 2]
        k, n, alpha = 2 + trial % 3, int(rng.integers(20, 60)), float(10 ** rng.uniform(-2, 1))
        X, y = _instance(rng, n, int(rng.integers(1, 6)), classes, k)
        w = np.ones(n) if trial % 3 else rng.uniform(0.1, 3.0, size=n)
        labels = rng.integers(k, size=n)
        state, rule = _state(X, y, w, labels, k, classes), _rule(k, alpha, mode)
        for _ in range(per_round):
            i, q = int(rng.integers(n)), int(rng.integers(k))
            p = labels[i]
            if p == q or np.count_nonzero(labels == p) < 2:
                continue
            before = _phi(X, y, labels, alpha, mode, w)
            cost = kernels.remove_cost(X, i, state, rule, p, y[i], w[i])[0]
            cost += kernels.add_cost(X, i, state, rule, q, y[i], w[i])[0]
            labels[i] = q
            assert _close(cost, before, _phi(X, y, labels, alpha, mode, w))
            kernels.shift(X, i, state, p, y[i], w[i], -1)
            kernels.shift(X, i, state, q, y[i], w[i], 1)
            checked += 1
    return checked


@pytest.mark.full
def test_move_costs_are_exact():
    assert _check_random_moves(48, 40, 0) > 1000


def test_swap_costs_are_exact():
    rng = np.random.default_rng(2)
    for trial in range(150):
        classes, mode = 2 + trial % 4, ("size", "unit")[trial % 2]
        X, y = _instance(rng, 24, 3, classes, 3)
        w = np.ones(24) if trial % 3 else rng.uniform(0.1, 3.0, size=24)
        labels, alpha = rng.integers(3, size=24), float(rng.uniform(0, 3))
        state, rule = _state(X, y, w, labels, 3, classes), _rule(3, alpha, mode)
        keys = np.empty(24)
        for _ in range(5):
            i, j = rng.integers(24, size=2)
            p, q = labels[i], labels[j]
            if p == q:
                continue
            changed = labels.copy()
            changed[i], changed[j] = q, p
            before, after = (_phi(X, y, z, alpha, mode, w) for z in (labels, changed))
            descent, mine, yours = kernels.Descent(X, y, w, labels, state, rule), np.empty(9), np.empty(9)
            vacate(descent, i, p, mine)
            vacate(descent, j, q, yours)
            cost, size, fewest = swap_cost(descent, i, j, mine, yours)
            if w.max() == w.min() and fewest > 1:
                first, second = (np.flatnonzero((labels == labels[c]) & (y == y[c])) for c in (i, j))
                bend = affine_costs(descent, first, second, keys, np.empty((2, 9)))
                product = (X[i] - X[first[0]]) @ (X[j] - X[second[0]])
                assert abs(keys[i] + keys[j] + bend * product - cost) < 1e-12 * size
            assert _close(cost, before, after)
            if alpha > 0:
                assert fewest == min(len(np.unique(y[changed == c])) for c in (p, q))


def _literal(X, y, labels, alpha, mode, k, mixed):
    """Algorithm 1 as printed: every cost is phi recomputed from the points."""
    labels, trace = labels.copy(), [_phi(X, y, labels, alpha, mode)]
    while True:
        moved = False
        for i in range(len(X)):
            p = labels[i]
            rest = y[(labels == p) & (np.arange(len(X)) != i)]
            if len(np.unique(rest)) < (2 if mixed else 1):
                continue
            values = []
            for q in range(k):
                labels[i] = q
                values.append(_phi(X, y, labels, alpha, mode))
            labels[i] = p
            q = int(np.argmin(values))
            if values[q] - values[p] < -1e-11 * (1.0 + abs(values[p])):
                labels[i], moved = q, True
        if not moved:
            return labels, np.array(trace)
        trace.append(_phi(X, y, labels, alpha, mode))


def _compare_with_literal(count, seed):
    rng = np.random.default_rng(seed)
    for trial in range(count):
        mode, k = ("size", "unit")[trial % 2], 2 + trial % 2
        X, y = _instance(rng, int(rng.integers(8, 22)), 2, 2 + trial % 3, k)
        alpha = (0.05, 0.3, 1.0, 5.0)[trial % 4]
        start = rng.integers(k, size=len(X))
        model = CAC(k, alpha=alpha, separation_weight=mode, init=start).fit(X, y)
        labels, trace = _literal(X, y, start, alpha, mode, k, True)
        assert np.array_equal(model.labels_, labels)
        assert np.allclose(model.partition_.history["objective"], trace, rtol=1e-9, atol=1e-9)


def test_same_labels_and_trace_as_the_literal_algorithm():
    _compare_with_literal(20, 3)


def _allowed(y, labels, clusters, alpha):
    return alpha == 0 or all(len(np.unique(y[labels == p])) > 1 for p in clusters)


def _assert_local_optimum(X, y, model, lower, upper, *, swaps, w=None):
    """No single move, nor exchange, that the rules allow lowers phi: by brute force."""
    labels, k, alpha, mode = model.labels_, model.n_clusters, model.alpha, model.separation_weight
    w = np.ones(len(X)) if w is None else w
    best = _phi(X, y, labels, alpha, mode, w)
    slack = 1e-9 * (1 + abs(best) + class_separation(X, labels, y, sample_weight=w)["scatter"].sum())

    def better(changed, leaves):
        size = np.bincount(changed, w, k)
        fits = np.all(size >= lower - 1e-9) and np.all(size <= upper + 1e-9)
        emptied = len(np.unique(changed)) < len(np.unique(labels))
        return (
            fits
            and not emptied
            and _allowed(y, changed, leaves, alpha)
            and (_phi(X, y, changed, alpha, mode, w) < best - slack)
        )

    for i in range(len(X)):
        for q in range(k):
            changed = labels.copy()
            changed[i] = q
            assert q == labels[i] or not better(changed, [labels[i]]), f"point {i} to {q}"
        for j in range(i if swaps else 0):
            if labels[i] != labels[j]:
                changed = labels.copy()
                changed[i], changed[j] = labels[j], labels[i]
                assert not better(changed, [labels[i], labels[j]]), f"exchange {i} and {j}"


def _check_bounds(count, seed, n=18):
    rng = np.random.default_rng(seed)
    for trial in range(count):
        k = 2 + trial % 2
        X, y = _instance(rng, n, 2, 2 + trial % 3, k)
        tight = n // k
        lower, upper = ((tight, tight), (tight - 2, tight + 3), (2, n))[trial % 3]
        options = {"alpha": (0.0, 0.1, 0.5, 2.0)[trial % 4], "separation_weight": ("size", "unit")[trial % 2]}
        init = ("k-means", "random")[trial // 2 % 2]
        model = CAC(k, lower=lower, upper=upper, init=init, n_init=1, random_state=trial, **options)
        model.fit(X, y)
        sizes = np.bincount(model.labels_, minlength=k)
        assert sizes.min() >= lower
        assert sizes.max() <= upper
        assert model.partition_.status is Status.CONVERGED
        _assert_local_optimum(X, y, model, np.full(k, lower), np.full(k, upper), swaps=True)


@pytest.mark.full
def test_bounds_hold_at_a_move_and_swap_optimum():
    _check_bounds(24, 7, n=12)


def test_tight_bounds_still_move():
    X, y = _instance(np.random.default_rng(9), 60, 3, 2, 3)
    start = np.arange(60) % 3
    model = CAC(3, alpha=0.2, lower=20, upper=20, init=start).fit(X, y)
    assert model.partition_.history["swaps"].sum() > 10
    assert model.partition_.history["moves"].sum() == 0
    assert model.partition_.objective < model.partition_.history["objective"][0] * 0.9


def test_bounds_that_do_not_bind_cost_nothing_of_the_objective():
    """The run starts where that without bounds ended, so that bounds which hold there leave it as it is."""
    for seed in range(6):
        X, y = _instance(np.random.default_rng(seed), 150, 3, 2 + seed % 3, 4)
        free = CAC(4, alpha=0.3, random_state=seed).fit(X, y)
        sizes = np.bincount(free.labels_, minlength=4)
        model = CAC(4, alpha=0.3, lower=int(sizes.min()), upper=int(sizes.max()), random_state=seed).fit(X, y)
        assert model.partition_.objective <= free.partition_.objective + 1e-9 * abs(free.partition_.objective)


def test_a_sweep_finds_exchanges_and_counts_true_gains():
    X, y = _instance(np.random.default_rng(30), 400, 3, 3, 4)
    labels, w, rule = np.arange(400) % 4, np.ones(400), _rule(4, 0.3, "size", True)
    rule = rule._replace(lower=np.full(4, 100.0), upper=np.full(4, 100.0))
    state, settled = _state(X, y, w, labels, 4, 3), np.zeros((4, 4), dtype=np.int64)
    before = _phi(X, y, labels, 0.3, "size")
    assert sweep_swaps(kernels.Descent(X, y, w, labels, state, rule), None, settled, False) > 100
    assert np.array_equal(np.bincount(labels), np.full(4, 100))
    assert _phi(X, y, labels, 0.3, "size") < before
    fresh = _state(X, y, w, labels, 4, 3)
    assert np.allclose(state.mean, fresh.mean)
    assert np.allclose(state.between, fresh.between)


def _check_weighted_bounds(count, seed, n):
    rng = np.random.default_rng(seed)
    for trial in range(count):
        k = 2 + trial // 4 % 2
        X, y = _instance(rng, n, 2, 2 + trial % 2, k)
        w = (rng.uniform(0.5, 1.5, n), rng.exponential(size=n), rng.integers(1, 4, n).astype(float))[trial % 3]
        lower, upper = 0.6 * w.sum() / k, 1.2 * w.sum() / k
        alpha = (0.3, 0.0, 1.0, 0.1)[trial % 4]
        model = CAC(k, alpha=alpha, lower=lower, upper=upper, random_state=trial).fit(X, y, sample_weight=w)
        sizes = np.bincount(model.labels_, w, k)
        assert np.all((sizes >= lower - 1e-9) & (sizes <= upper + 1e-9))
        assert np.allclose(sizes, model.partition_.sizes)
        assert model.partition_.status is Status.CONVERGED
        _assert_local_optimum(X, y, model, np.full(k, lower), np.full(k, upper), swaps=True, w=w)


@pytest.mark.full
def test_weighted_bounds_hold_at_a_local_optimum():
    _check_weighted_bounds(12, 10, 16)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    alpha=st.sampled_from([0.0, 0.02, 0.5, 3.0, 100.0]),
    mode=st.sampled_from(["size", "unit"]),
    classes=st.integers(1, 5),
    grid=st.booleans(),
)
def test_phi_never_rises_and_the_trace_is_true(seed, alpha, mode, classes, grid):
    rng = np.random.default_rng(seed)
    X, y = _instance(rng, 50, 3, classes, 3)
    X = np.round(X) if grid else X  # ties and repeated points
    model = CAC(3, alpha=alpha, separation_weight=mode, shuffle=True, n_init=1, random_state=0).fit(X, y)
    history = model.partition_.history
    phi = history["objective"]
    assert np.all(np.diff(phi) <= 1e-9 * (1 + np.abs(phi[:-1]) + history["D"][:-1]))
    diagnosis = class_separation(X, model.labels_, y)
    assert np.isclose(history["D"][-1], diagnosis["scatter"].sum())
    assert np.isclose(history["S"][-1], _total(diagnosis, mode))
    assert np.isclose(phi[-1], history["D"][-1] - alpha * history["S"][-1])
    assert len(phi) == model.partition_.n_iter + 1
    assert history["moves"][0] == 0


def test_points_of_weight_zero_change_nothing():
    rng = np.random.default_rng(12)
    X, y = _instance(rng, 40, 2, 2, 2)
    w = rng.uniform(0.5, 2.0, size=40)
    start = rng.integers(2, size=40)
    plain = CAC(2, alpha=0.4, init=start).fit(X, y, sample_weight=w)
    more = np.vstack([X, 100 + X[:5]])
    weights = np.concatenate([w, np.zeros(5)])
    padded = CAC(2, alpha=0.4, init=np.concatenate([start, np.zeros(5, dtype=int)]))
    padded.fit(more, np.concatenate([y, y[:5]]), sample_weight=weights)
    assert np.array_equal(plain.labels_, padded.labels_[:40])
    assert np.isclose(plain.partition_.objective, padded.partition_.objective)


def test_kernel_sums_agree_with_their_twin():
    rng = np.random.default_rng(14)
    X, y = _instance(rng, 80, 4, 4, 3)
    w, labels = rng.uniform(size=80), rng.integers(3, size=80)
    state, within = kernels.empty_state(3, 4, 4), np.zeros(3)
    kernels.recompute(X, y, w, labels, state, within)
    twin = class_separation(X, labels, y, sample_weight=w)
    assert np.allclose(within, twin["scatter"])
    assert np.allclose(state.between, twin["between"])
    assert np.allclose(state.class_weight.sum(axis=1), twin["weight"])
    separation = [kernels.worth(state.weight[p], state.between[p], state.pairs[p], True, False) for p in range(3)]
    assert np.allclose(separation, twin["separation"])


def test_predict_is_the_nearest_mean():
    X, y = _instance(np.random.default_rng(16), 80, 3, 2, 3)
    model = CAC(3, alpha=0.2, random_state=0).fit(X, y)
    means = np.array([X[model.labels_ == p].mean(axis=0) for p in range(3)])
    assert np.allclose(model.means_, means)
    new = np.random.default_rng(17).normal(size=(50, 3)) * 3
    assert np.array_equal(model.predict(new), ((new[:, None] - means) ** 2).sum(axis=2).argmin(axis=1))


def test_an_empty_cluster_attracts_no_point():
    X = np.array([[0.0], [0.0], [0.0], [0.0]])
    model = CAC(3, init=np.array([1, 1, 1, 1])).fit(X, [0, 1, 0, 1])
    assert np.array_equal(np.unique(model.predict(np.linspace(-5, 5, 11)[:, None])), np.unique(model.labels_))


def test_starts_from_labels_partition_or_strategy():
    X, y = _instance(np.random.default_rng(18), 60, 3, 2, 3)
    strategy = GeometricPartitioner(3, objective="lsa", lower=15, random_state=0)
    fitted = strategy.fit(X)
    first = CAC(3, alpha=0.1, init=fitted.labels_, lower=15).fit(X, y)
    for init in (fitted.partition_, GeometricPartitioner(3, objective="lsa", lower=15, random_state=0)):
        assert np.array_equal(CAC(3, alpha=0.1, init=init, lower=15).fit(X, y).labels_, first.labels_)


def test_rounds_are_recorded():
    X, y = _instance(np.random.default_rng(19), 60, 3, 2, 3)
    model = CAC(3, alpha=0.5, record_rounds=True, random_state=0).fit(X, y)
    assert len(model.rounds_) == model.partition_.n_iter + 1
    assert np.array_equal(model.rounds_[-1][0], model.labels_)
    for (labels, diagram), phi in zip(model.rounds_, model.partition_.history["objective"]):
        assert np.isclose(_phi(X, y, labels, 0.5, "size"), phi)
        assert np.allclose(diagram.sites[0], X[labels == 0].mean(axis=0))

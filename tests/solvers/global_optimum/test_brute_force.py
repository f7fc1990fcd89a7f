"""Every proof of a global bound against all clusterings, in whole numbers: the optimum lies in the interval, always.

The oracle shares nothing with the package. Coordinates become fractions, so that the within-cluster sum of squares is
an exact fraction; a sum of norms is enclosed by square roots of whole numbers taken to sixty digits.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from math import isqrt, lcm

import numpy as np
import pytest

from partitope.base.deadline import Deadline
from partitope.base.status import Status
from partitope.models import AssignmentModel, InfeasibleBoundsError, LeastSquaresSDP, Links, PartitionPolytope
from partitope.models.objectives.interval import centred, objective_interval
from partitope.solvers import solve, solve_global
from partitope.solvers.global_optimum.bound_by_parts import divide_and_conquer_bound
from partitope.solvers.global_optimum.directions import whole_bounds
from partitope.solvers.global_optimum.low_dimension.centre_boxes import centre_search
from partitope.solvers.global_optimum.low_dimension.columns import column_bound
from partitope.solvers.global_optimum.low_dimension.cones import direction_search
from partitope.solvers.global_optimum.norm_search import NormSearch
from partitope.solvers.global_optimum.sum_boxes import box_search

from ..relaxed_bound import relaxed_bound

FAMILIES = (
    "gaussian", "outlier", "two outliers", "offset", "offset and outlier", "duplicates", "collinear", "equal", "grid",
    "optimum zero", "mixed scales", "tenths", "tiny", "huge",
)  # fmt: skip
DIGITS = 10**60


def _points(family, rng, n, k, d):
    X = rng.normal(size=(n, d))
    if "outlier" in family:
        X[-1] *= 10.0 ** rng.integers(5, 13)
        if family == "two outliers":
            X[0] *= 10.0 ** rng.integers(5, 13)
    if "offset" in family:
        X += 10.0 ** rng.integers(0, 10)
    if family == "duplicates":
        X = X[rng.integers(0, max(2, n // 2), n)]
    if family == "collinear":
        X = rng.normal(size=(n, 1)) * rng.normal(size=(1, d)) + rng.normal(size=d)
    if family == "equal":
        X = np.repeat(X[:1], n, axis=0) * 0.1
    if family == "grid":
        X = rng.integers(-2, 3, size=(n, d)).astype(float)
    if family == "optimum zero":
        X = X[np.sort(np.r_[np.arange(k), rng.integers(0, k, n - k)])] + 1e6 * rng.normal(size=d)
    if family == "mixed scales":
        X = X * 10.0 ** rng.integers(-6, 7, size=d)
    if family == "tenths":
        X = 0.1 * rng.integers(0, 4, size=(n, d)) + 0.1
    if family in ("tiny", "huge"):
        X = X * 10.0 ** (rng.integers(40, 70) * (1 if family == "huge" else -2))
    return X


def _instance(seed, most=9):
    """Points (n, d) of a family, feasible random bounds, and all clusterings up to interchangeable names."""
    rng = np.random.default_rng([seed, 4])
    family = FAMILIES[seed % len(FAMILIES)]
    k = int(rng.integers(2, 5))
    n, d = int(rng.integers(max(4, k), min(most, {2: 9, 3: 7, 4: 6}[k]) + 1)), int(rng.integers(1, 5))
    lower, upper = np.zeros(k, int), np.full(k, n)
    if seed % 5:
        while True:
            lower = rng.integers(0, n // k + 1, k)
            upper = np.minimum(lower + rng.integers(0, n, k), n)
            if lower.sum() <= n <= upper.sum():
                break
    return _points(family, rng, n, k, d), PartitionPolytope(n, lower, upper)


class _Oracle:
    """Exact values of all clusterings of a few points."""

    def __init__(self, X, polytope, links=None):
        rows = [[Fraction(v) for v in row] for row in X.tolist()]
        n, k = polytope.n_points, polytope.n_clusters
        shares = [Fraction(1)] * n if polytope.weights is None else [Fraction(v) for v in polytope.weights.tolist()]
        unit = lcm(*(v.denominator for row in rows for v in row))
        part = lcm(*(v.denominator for v in shares))
        whole, w = [[int(v * unit) for v in row] for row in rows], [int(v * part) for v in shares]
        mass, mean = sum(w), [sum(a * v for a, v in zip(w, column)) for column in zip(*whole)]

        @cache
        def values(members):
            """n times the deviation of a cluster's sum, its norm rounded down, and the sum of squares."""
            heavy = sum(w[j] for j in members)
            sums = [sum(w[j] * whole[j][c] for j in members) for c in range(len(mean))]
            squares = sum(w[j] * v * v for j in members for v in whole[j])
            moved = sum((mass * s - heavy * m) ** 2 for s, m in zip(sums, mean))
            inside = Fraction(heavy * squares - sum(s * s for s in sums), heavy) if heavy else 0
            return isqrt(moved * DIGITS * DIGITS), inside

        norms, squares = [], []
        slack = 0 if polytope.weights is None else Fraction(polytope.total) / 10**9
        low, up = [[Fraction(v) * part for v in b.tolist()] for b in (polytope.lower - slack, polytope.upper + slack)]
        for labels in product(range(k), repeat=n):
            sizes = [sum(w[j] for j in range(n) if labels[j] == i) for i in range(k)]
            kept = links is None or links.satisfied(np.array(labels))
            if kept and all(low[i] <= sizes[i] <= up[i] for i in range(k)):
                groups = [values(tuple(j for j in range(n) if labels[j] == i)) for i in range(k)]
                norms.append(sum(g[0] for g in groups))
                squares.append(sum(g[1] for g in groups))
        self.feasible = bool(squares)
        self.least = Fraction(min(squares, default=0)) / (unit**2 * part)
        top = DIGITS * unit * part * mass
        self.most = Fraction(max(norms, default=0), top)  # too small by k roundings of the last digit at most
        self.digit = Fraction(k, top)

    def holds(self, bound, objective):
        if objective == "lsa":
            return Fraction(bound.lower) <= self.least <= Fraction(bound.upper)
        return Fraction(bound.lower) <= self.most + self.digit and self.most <= Fraction(bound.upper)


def _bounds(X, polytope, seed):
    """Every kind of proof for one instance: (name, objective, interval)."""
    for objective in ("lsa", "csa"):
        partition = solve_global(X, polytope, objective, n_init=1)
        assert polytope.contains(partition.labels)
        # relative to the optimum for sums of squares; the largest sum of norms is at least 2 / n of the sum of all
        assert partition.bound.gap <= 1e-10
        assert partition.status is Status.OPTIMAL
        assert partition.objective in (partition.bound.lower, partition.bound.upper)
        assert partition.sense == {"lsa": "min", "csa": "max"}[objective]
        yield "branch and bound", objective, partition.bound
    relaxation, turn = LeastSquaresSDP(X, polytope), seed // len(FAMILIES)
    prices = np.random.default_rng(seed).normal(size=(len(X), len(X)))  # any multipliers of Z >= 0 give a bound
    prices = -np.abs(prices + prices.T) * relaxation.cost * (1.0 - np.eye(len(X)))
    yield "eigenvalues", "lsa", _Interval(max(0.0, relaxation.spectral_bound(prices * (turn % 3))), np.inf)
    labels, Y, slack = next(polytope.enumerate()), *centred(X)
    if turn % 16 == 0:
        yield "sdp dual", "lsa", _Interval(relaxed_bound(relaxation, 3), np.inf)
    if turn % 16 == 1:
        yield "divide and conquer", "lsa", _Interval(divide_and_conquer_bound(X, polytope, labels, part=3), np.inf)
    if turn % 16 == 4 and X.shape[1] <= 3:
        value = objective_interval(X, labels, "lsa")[1]
        yield "columns", "lsa", _Interval(column_bound(X, polytope, value, deadline=Deadline(None)), np.inf)
    bounds = whole_bounds(polytope)
    if turn % 2 and bounds[0].sum() <= len(X) and bounds[1].min() > 0:
        value = objective_interval(X, labels, "lsa")[1]
        least, better = [0.0], list[np.ndarray]()
        centre_search(X, *bounds, value, gap=1e-9, deadline=Deadline(0.2), found=better.append, progress=least.append)
        assert all(polytope.contains(labels) for labels in better)
        yield "boxes of centres", "lsa", _Interval(max(least), np.inf)
    if turn % 16 == 2 and X.shape[1] <= 3:
        yield "direction cones", "csa", _norms(direction_search, Y, polytope, labels, 1e-3, 150, slack)
    if turn % 16 in (0, 3):
        yield "boxes of cluster sums", "csa", _norms(box_search, Y, polytope, labels, 1e-3 * (turn % 16), 50, slack)


def _norms(method, Y, polytope, labels, gap, most, slack):
    search = NormSearch(Y, polytope, labels, np.zeros((0, 2), dtype=np.int64), gap, Deadline(None), most)
    upper = method(search)
    return _Interval(max(0.0, search.value * (1 - 1e-13) - slack), upper + slack)


class _Interval:
    def __init__(self, lower, upper):
        self.lower, self.upper = float(lower), np.nextafter(min(upper, 1.7e308), np.inf)


def _check(seeds, most):
    counted = Counter()
    for seed in seeds:
        X, polytope = _instance(seed, most)
        oracle = _Oracle(X, polytope)
        for proof, objective, bound in _bounds(X, polytope, seed):
            assert oracle.holds(bound, objective), (seed, FAMILIES[seed % len(FAMILIES)], proof, objective)
            counted[proof] += 1
    return counted


@pytest.mark.full
@pytest.mark.parametrize("family", range(len(FAMILIES)), ids=FAMILIES)
def test_no_bound_excludes_the_optimum(family):
    counted = _check(range(family, 4 * len(FAMILIES), len(FAMILIES)), most=6)
    assert counted["branch and bound"] == 8
    assert counted["eigenvalues"] == 4
    assert counted["sdp dual"] == counted["divide and conquer"] == 1


def _check_weights_and_links(seed):
    """A search with weights, links or both, whose tree starts from a poor clustering; whether there is one."""
    X, polytope = _instance(seed, most=6)
    rng, (n, k) = np.random.default_rng([seed, 6]), (polytope.n_points, polytope.n_clusters)
    kind, links = seed % 4, None
    if kind:
        weights = rng.integers(1, 6, n).astype(float) if kind == 1 else rng.random(n) * 10.0 ** rng.integers(-3, 4)
        share = polytope.lower / n * 0.7, np.minimum(polytope.upper / n * 1.3 + 0.1, 1.0)
        polytope = PartitionPolytope(n, share[0] * weights.sum(), share[1] * weights.sum(), weights)
    if kind != 1:
        hidden, drawn = rng.integers(0, k, n), [tuple(rng.choice(n, 2, replace=False).tolist()) for _ in range(3)]
        links = Links(
            n, [p for p in drawn if hidden[p[0]] == hidden[p[1]]], [p for p in drawn if hidden[p[0]] != hidden[p[1]]]
        )
    oracle = _Oracle(X, polytope, links)
    if not oracle.feasible:
        with pytest.raises(InfeasibleBoundsError):
            solve_global(X, polytope, links=links, n_init=1)
        return False
    for objective, gap in (("lsa", 1e-6), ("csa", 1e-2)):
        partition = solve_global(
            X, polytope, objective, links=links, gap=gap, n_init=1, time_limit=30.0 if objective == "lsa" else 1.0
        )
        assert polytope.contains(partition.labels)
        assert links is None or links.satisfied(partition.labels)
        # a bound on sums of norms that does not look at links may stay above all clusterings that keep them
        assert oracle.holds(partition.bound, objective), (seed, objective)
        if objective == "lsa":
            assert partition.status is Status.OPTIMAL
    return True


@pytest.mark.parametrize("seed", [0, 1, 2, *(pytest.param(seed, marks=pytest.mark.full) for seed in range(3, 8))])
def test_weights_and_links(seed):
    _check_weights_and_links(seed)


@pytest.mark.parametrize("seed", [11, *(pytest.param(seed, marks=pytest.mark.full) for seed in (32, 67))])
def test_weights_over_eighteen_orders(seed):
    """Sizes may miss their bounds by a billionth of all weights: light points go anywhere, and bounds know it."""
    rng = np.random.default_rng([seed, 8])
    n, k, d = (int(rng.integers(a, b)) for a, b in ((3, 7), (2, 4), (1, 4)))
    X, weights = _points(FAMILIES[seed % len(FAMILIES)], rng, n, k, d), 10.0 ** rng.uniform(-9, 9, n)
    hidden = np.bincount(rng.integers(0, k, n), weights, k)
    lower, upper = hidden * rng.choice([0.0, 0.5, 1.0], k), hidden * rng.choice([1.0, 1.5], k)
    polytope = PartitionPolytope(n, lower, upper, weights)
    oracle = _Oracle(X, polytope)
    for objective in ("lsa", "csa"):
        partition = solve_global(X, polytope, objective, n_init=1, time_limit=0.5)
        assert oracle.holds(partition.bound, objective)
    first = next(polytope.enumerate())
    assert Fraction(divide_and_conquer_bound(X, polytope, first, part=2)) <= oracle.least


@pytest.mark.parametrize("seed", range(8))
def test_linked_assignments(seed):
    """The bound of an assignment under links, for the scores of the model as rational numbers."""
    X, polytope = _instance(14 * seed + (1, 3, 8, 10)[seed % 4], most=6)
    n, k = polytope.n_points, polytope.n_clusters
    model = AssignmentModel.lsa(X, X[:k], polytope.together([(0, 1)]).apart([(1, 2)]))
    rows, origin = [[Fraction(v) for v in row] for row in X.tolist()], model.score_source.origin.tolist()
    shifted = [[v - Fraction(c) for v, c in zip(row, origin)] for row in rows]
    gains = [[2 * sum(a * v for a, v in zip(s, x)) - sum(a * a for a in s) for s in shifted[:k]] for x in shifted]
    best = None
    for labels in product(range(k), repeat=n):
        if polytope.contains(labels) and labels[0] == labels[1] != labels[2]:
            value = sum(gains[j][i] for j, i in enumerate(labels))
            best = value if best is None else max(best, value)
    if best is None:
        pytest.skip("links and bounds clash")
    bound = solve(model).bound
    assert Fraction(bound.lower) <= best <= Fraction(bound.upper)

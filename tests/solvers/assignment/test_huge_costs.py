"""Costs that stand for "never" hide nothing: no answer is called verified or optimal that is worse than the best."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from partitope.base.errors import InvalidInputError
from partitope.base.status import Status
from partitope.models import AssignmentModel, InfeasibleBoundsError, Links, PartitionPolytope, check_assignment
from partitope.models.polytope.links import ContradictoryLinksError
from partitope.solvers import solve

pytestmark = pytest.mark.filterwarnings("ignore:scores of")
BACKENDS = ["transport", "highs", "scipy", "cvxpy", "pyomo", "networkx"]
UNITS = [1.0, 2.0**-30, 2.0**30]


def _instance(seed):
    """Costs (n, k), a quarter of them huge, and a polytope of sizes."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(3, 7)), int(rng.integers(2, 4))
    cost, huge = rng.uniform(1.0, 10.0, (n, k)), rng.random((n, k)) < 0.25
    cost[huge] = 10.0 ** (rng.uniform(7, 30, huge.sum()) if seed % 2 else rng.uniform(7, 30))
    low, up = int(rng.integers(0, n // k + 1)), int(rng.integers(-(-n // k), n + 1))
    return rng, cost, PartitionPolytope(n, low, up, n_clusters=k)


def _best(cost, allows):
    n, k = cost.shape
    values = [cost[range(n), y].sum() for y in itertools.product(range(k), repeat=n) if allows(np.array(y))]
    return min(values, default=np.inf)


@pytest.mark.parametrize("backend", BACKENDS)
def test_one_dimension(backend):
    for seed in range(15 if backend == "transport" else 5):
        rng, cost, polytope = _instance(seed)
        best = _best(cost, polytope.contains)
        moved = rng.integers(-50, 50, (len(cost), 1))
        for scores in (*(-unit * cost for unit in UNITS[: 1 + seed % 3]), moved - cost):
            solution = solve(AssignmentModel(polytope, scores), backend)
            assert cost[range(len(cost)), solution.labels].sum() <= best * (1 + 1e-9)
            assert solution.verify().verified


@pytest.mark.parametrize("backend", ["transport", "highs", "scipy"])
def test_two_dimensions(backend):
    for seed in range(10):
        rng, cost, polytope = _instance(seed)
        n, k = cost.shape
        area = rng.integers(1, 5, n).astype(float)
        high = max(0.7 * area.sum(), area.max())
        both = PartitionPolytope(n, [[polytope.lower[0], 0]] * k, [[polytope.upper[0], high]] * k,
                                 np.column_stack([np.ones(n), area]))  # fmt: skip
        values = []
        for unit in UNITS[: 1 + seed % 3]:
            try:
                solution = solve(AssignmentModel(both, -unit * cost), backend)
            except InfeasibleBoundsError:
                continue
            claimed = solution.verify().verified
            assert claimed == (solution.status is Status.OPTIMAL)
            values += [solution.objective / unit] * claimed
        assert np.ptp(values or [0.0]) <= 1e-9 * np.abs(values).max(initial=0.0)


def test_links():
    for seed in range(15):
        rng, cost, polytope = _instance(seed)
        n = len(cost)
        pair = tuple(rng.choice(n, 2, replace=False).tolist())
        links = Links(n, **{("must", "cannot")[seed % 2]: [pair]})
        best = _best(cost, lambda y, p=polytope, s=links: p.contains(y) and s.satisfied(y))
        if best == np.inf:
            continue
        for unit in UNITS[: 1 + seed % 3]:
            solution = solve(AssignmentModel(polytope.with_links(links), -unit * cost))
            assert cost[range(n), solution.labels].sum() <= best * (1 + 1e-9)
            assert solution.status is Status.OPTIMAL
            assert solution.bound.lower <= -unit * best * (1 - 1e-12)
            assert solution.bound.upper >= -unit * best * (1 + 1e-12)


def test_whole_weighted_points():
    for seed in range(10):
        rng, cost, _ = _instance(seed)
        n, k = cost.shape
        w = rng.integers(1, 5, n).astype(float)
        polytope = PartitionPolytope(n, max(w.sum() / k - 3, 0), w.sum() / k + 3, w, n_clusters=k)
        best = _best(cost * w[:, None], polytope.contains)
        if best == np.inf:
            continue
        solution = solve(AssignmentModel(polytope.whole(), -cost))
        assert solution.status is Status.OPTIMAL
        assert (w * cost[range(n), solution.labels]).sum() <= best * (1 + 1e-9)
        assert solution.bound.upper >= -best * (1 + 1e-9)


def test_a_huge_pair_hides_no_worse_labels():
    cost = np.array([[5.0, 1e10], [1e10, 5.0], [2.0, 1.0]])
    model = AssignmentModel(PartitionPolytope(3, 1, 2, n_clusters=2), -cost)
    certificate = check_assignment(model, [0, 1, 0], [0.0, 0.0])
    assert not certificate.verified
    assert certificate.verdict == "not proved optimal: at most 1 better"


def test_heavy_tailed_weights_are_verified_only_when_as_good_as_ours():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        w = rng.lognormal(0.0, 3.0, 200)
        share = w.sum() / 4
        model = AssignmentModel(
            PartitionPolytope(200, 0.8 * share, 1.2 * share, w, n_clusters=4), rng.normal(size=(200, 4))
        )
        ours, theirs = solve(model), solve(model, "highs")
        lost = (w * (model.scores.matrix.max(axis=1))).sum() - ours.objective
        assert ours.verify().verified
        assert not theirs.verify().verified or ours.objective - theirs.objective <= 2e-9 * lost


def test_minus_infinity_bars_a_pair():
    scores = np.array([[5.0, -np.inf], [-np.inf, 5.0], [2.0, 1.0]])
    polytope = PartitionPolytope(3, 1, 2, n_clusters=2)
    model = AssignmentModel(polytope.allow(np.ones((3, 2)) == [[1, 1], [1, 1], [0, 1]]), scores)
    assert model.polytope.allowed.tolist() == [[True, False], [False, True], [False, True]]
    for backend in ("transport", "highs"):
        assert solve(model, backend).labels.tolist() == [0, 1, 1]
    assert model.value([1, 1, 1]) == -np.inf
    with pytest.raises(InfeasibleBoundsError, match="point 1 is allowed in no cluster"):
        AssignmentModel(polytope, [[0, 0], [-np.inf, -np.inf], [0, 0]])
    for bad, word in ((np.inf, "inf"), (np.nan, "NaN")):
        with pytest.raises(InvalidInputError, match=rf"scores\[0, 1\] is {word}: .*-inf.*allow\(mask\)"):
            AssignmentModel(polytope, [[0, bad], [0, 0], [0, 0]])


@pytest.mark.filterwarnings("default:scores of")
def test_costs_that_stand_for_never_are_warned_of_once():
    cost = np.ones((6, 3)) * np.arange(1, 4)
    cost[0, 0] = cost[1, 1] = 1e12
    with pytest.warns(UserWarning, match="scores of 2 pairs .*write -inf or use polytope.allow") as caught:
        solve(AssignmentModel(PartitionPolytope(6, n_clusters=3), -cost))
    assert len(caught) == 1


def test_whole_points_that_do_not_fit_are_no_clash_of_links():
    model = AssignmentModel(PartitionPolytope(3, 3, 3, [2.0, 2.0, 2.0], n_clusters=2), np.zeros((3, 2)))
    for attempt in (
        lambda: solve(replace(model, polytope=model.polytope.whole())),
        lambda: solve(replace(model, polytope=model.polytope.together([(0, 1)]))),
    ):
        with pytest.raises(InfeasibleBoundsError, match="whole") as caught:
            attempt()
        assert not isinstance(caught.value, ContradictoryLinksError)


@pytest.mark.parametrize(("n", "k"), [(960, 5), (10, 3), (30, 3), (7, 7)])
def test_sums_of_narrow_floats_meet(n, k):
    rng = np.random.default_rng(0)
    w, bound = np.full(n, 1 / n, np.float32), np.full(k, 1 / k, np.float32)
    model = AssignmentModel(PartitionPolytope(n, bound, bound, w), rng.random((n, k)))
    assert solve(model).verify().verified
    with pytest.raises(InfeasibleBoundsError, match=r"sum\(lower\)=1.00000001 exceeds sum\(weights\)=1:"):
        PartitionPolytope(4, [0.5, 0.50000001], 1, [0.25] * 4).check()


@pytest.mark.parametrize("seed", [1, 4, 28])
def test_a_huge_cost_leaves_the_prices_of_groups_apart_within_their_bounds(seed):
    rng = np.random.default_rng(seed)
    weights, scores = rng.lognormal(size=7).round(2), rng.normal(size=(7, 2)).round(2)
    scores[rng.integers(7), rng.integers(2)] = -1e9
    even = weights.sum() / 2
    polytope = PartitionPolytope(7, 0.6 * even, 1.4 * even, weights, n_clusters=2).optional(2, 2)
    model = AssignmentModel(polytope.apart([0, 0, None, None, 1, None, 1]), scores)
    solution = solve(model, "highs")
    best = max(model.value(y) for y in model.polytope.enumerate())
    assert solution.objective == pytest.approx(best, rel=1e-12)
    assert solution.bound.lower <= best * (1 + 1e-12)
    assert solution.bound.upper >= best
    assert (solution.further_prices["apart"] >= 0).all()  # a row without a lower bound
    assert solution.verify().verified

"""Custom constraints reach every solver, export and proof, without a line in the package."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from examples.diameter import Diameter
from examples.kinds_per_cluster import KindsPerCluster
from examples.none_or_several import NoneOrSeveral
from partitope.base.errors import CapabilityError
from partitope.base.status import Status
from partitope.cluster import BalancedKMeans
from partitope.models import (
    AssignmentModel,
    Constraint,
    Formulation,
    InfeasibleBoundsError,
    PartitionPolytope,
)
from partitope.models.programs.instances import read_instance
from partitope.solvers import GeometricPartitioner, read_back, solve


def few_kinds(rng, n):
    kinds = rng.integers(4, size=n)
    return KindsPerCluster(kinds, 2), lambda y: all(len(set(kinds[y == i])) <= 2 for i in set(y))


def none_or_two(rng, n):
    group = rng.random(n) < 0.6
    least = int(rng.integers(2, 4))
    return NoneOrSeveral(group, least), lambda y: all(group[y == i].sum() in {0, *range(least, n)} for i in set(y))


def near(rng, n):
    X = rng.random((n, 2))
    far = np.linalg.norm(X[:, None] - X, axis=2) > 0.7
    return Diameter(X, 0.7), lambda y: not (far & (y[:, None] == y)).any()


def limited(rng, n):
    groups = rng.integers(2, size=n)
    least, most = int(rng.integers(0, 3)), int(rng.integers(2, 4))
    stated = PartitionPolytope(n, n_clusters=2).limit(groups, least, most).constraints[0]
    counts = {0, *range(least, most + 1)}
    return stated, lambda y: all(((y == i) & (groups == g)).sum() in counts for i in set(y) for g in (0, 1))


MAKERS = few_kinds, none_or_two, near, limited


def drawn(make, seed):
    """A small model with a constraint, and whether labels keep everything, by code of this file alone."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(5, 8)), int(rng.integers(2, 4))
    constraint, keeps = make(rng, n)
    weights = None if seed % 2 else rng.integers(1, 4, n).astype(float)
    total = n if weights is None else weights.sum()
    lower, upper = np.floor(0.5 * total / k), np.ceil(1.5 * total / k)
    polytope = PartitionPolytope(n, lower, upper, weights, n_clusters=k)
    w = np.ones(n) if weights is None else weights
    ways = seed % 4 == 2, seed % 3 == 1
    if ways[0]:
        polytope = polytope.together([0, 0] + [None] * (n - 2))
    if ways[1]:
        polytope = polytope.optional(most=k)

    def is_within(y):
        sizes = np.bincount(y, w, k)
        fits = (sizes >= lower) & (sizes <= upper)
        return keeps(y) and (not ways[0] or y[0] == y[1]) and (fits | (ways[1] & (sizes == 0))).all()

    return AssignmentModel(polytope.subject_to(constraint), rng.normal(size=(n, k))), is_within


def check(make, seed):
    """Solve a small model in two ways, and hold the answer against all labels."""
    model, is_within = drawn(make, seed)
    polytope = model.polytope
    n, k = polytope.n_points, polytope.n_clusters
    everything = np.array(list(itertools.product(range(k), repeat=n)))
    inside = np.array([is_within(y) for y in everything])
    sample = np.random.default_rng(seed).permutation(len(everything))[:60]
    assert [polytope.contains(y) for y in everything[sample]] == inside[sample].tolist()
    assert [not polytope.violations(y) for y in everything[sample]] == inside[sample].tolist()
    if not inside.any():
        with pytest.raises(InfeasibleBoundsError):
            solve(model)
        return
    gamma = model.score_source.dense() * polytope.point_weights[:, None]
    best = gamma[np.arange(n), everything[inside]].sum(axis=1).max()
    solution = solve(model)
    assert is_within(solution.labels)
    assert solution.objective == pytest.approx(best, abs=1e-9)
    assert solution.bound.lower <= best + 1e-9
    assert solution.bound.upper >= best - 1e-9
    assert solution.verify().gap >= -1e-12
    explicit = model.to_highs()
    explicit.run()
    again = read_back(model, explicit)
    assert again.objective == pytest.approx(best, abs=1e-6)
    assert again.better <= 1e-6


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("seed", range(12))
def test_small_programs_against_all_labels(make, seed):
    check(make, seed)


@pytest.mark.full
@pytest.mark.parametrize("make", MAKERS)
def test_two_hundred_small_programs_against_all_labels(make):
    for seed in range(12, 60):
        check(make, seed)


@pytest.mark.parametrize("make", MAKERS)
def test_every_export_states_the_constraint(make, tmp_path):
    from pyomo.environ import SolverFactory

    seed = next(seed for seed in range(30, 60) if _is_feasible(make, seed))
    model, _ = drawn(make, seed)
    best = solve(model).objective
    explicit = model.to_pyomo()
    SolverFactory("appsi_highs").solve(explicit)
    problem = model.to_cvxpy()
    problem.solve(solver="HIGHS")
    for solved in (explicit, problem):
        found = read_back(model, solved)
        assert found.objective == pytest.approx(best, abs=1e-6)
        assert found.status is Status.OPTIMAL
    for suffix in (".lp", ".mps"):
        assert _value_of_file(model.write(tmp_path / f"program{suffix}")) == pytest.approx(-best, abs=1e-6)


def _is_feasible(make, seed):
    try:
        solve(drawn(make, seed)[0])
    except InfeasibleBoundsError:
        return False
    return True


def _value_of_file(path):
    import highspy

    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.readModel(str(path))
    highs.run()
    return highs.getInfo().objective_function_value


def test_fits_keep_constraints():
    rng = np.random.default_rng(1)
    X, teachers = rng.normal(size=(60, 2)), np.arange(60) < 20
    polytope = PartitionPolytope(60, 8, 16, n_clusters=5)
    kinds = rng.integers(5, size=60)
    for constraint in (NoneOrSeveral(teachers, 3), KindsPerCluster(kinds, 4), Diameter(X, 3.5)):
        stated = polytope.subject_to(constraint)
        for model in (GeometricPartitioner(5, n_init=2, random_state=0), BalancedKMeans(5, n_init=2, random_state=0)):
            labels = model.fit(X, polytope=stated).labels_
            assert stated.contains(labels), constraint.name


def test_the_reason_of_an_infeasible_set_names_the_constraint():
    X = np.arange(6.0)[:, None]
    stated = PartitionPolytope(6, 1, 5, n_clusters=2).subject_to(Diameter(X, 1.0), KindsPerCluster([0] * 6, 1))
    with pytest.raises(InfeasibleBoundsError, match=r"^no assignment .* keeps constraint 'diameter': widen or drop"):
        solve(AssignmentModel(stated, np.zeros((6, 2))))
    seen = PartitionPolytope(6, 1, 5, n_clusters=2).subject_to(NoneOrSeveral([True] + [False] * 5, 2))
    with pytest.raises(InfeasibleBoundsError, match="the group has 1 points, less than 2"):
        solve(AssignmentModel(seen, np.zeros((6, 2))))


@pytest.mark.parametrize("seed", range(8))
def test_only_some_clusters_may_stay_closed(seed):
    rng = np.random.default_rng(seed)
    n, k = 6, 4
    gamma, cost = rng.normal(size=(n, k)), rng.random(k)
    polytope = PartitionPolytope(n, 2 if seed % 2 else 1, 5, n_clusters=k).optional(0, 1, cost, clusters=[1, 3])
    best = -np.inf
    for y in itertools.product(range(k), repeat=n):
        sizes = np.bincount(y, minlength=k)
        used = sizes > 0
        if used[[0, 2]].all() and used[[1, 3]].sum() <= 1 and (sizes[used] >= polytope.lower[used]).all():
            best = max(best, gamma[np.arange(n), y].sum() - cost[used].sum() if sizes.max() <= 5 else -np.inf)
    solution = solve(AssignmentModel(polytope, gamma))
    assert solution.objective == pytest.approx(best, abs=1e-9)
    assert polytope.contains(solution.labels)


class Fuller(Constraint):
    """Cluster 0 has at least 20 points more than cluster 1."""

    def violation(self, labels, polytope):
        more = np.count_nonzero(labels == 0) - np.count_nonzero(labels == 1)
        return "" if more >= 20 else f"cluster 0 has {more} points more than cluster 1, 20 asked for"

    def rows(self, polytope):
        return Formulation(np.tile([1.0, -1.0, 0.0, 0.0], polytope.n_points)[None, :], lower=20)


def test_bounds_know_a_constraint_over_the_shares_and_say_what_they_leave_out(tmp_path):
    rng = np.random.default_rng(0)
    polytope, gamma, kinds = PartitionPolytope(200, 30, 90, n_clusters=4), rng.normal(size=(200, 4)), np.arange(200) % 7
    model = AssignmentModel(polytope.subject_to(Fuller()).limit(kinds, most=10), gamma)
    found = solve(model)
    assert found.named_prices["fuller"][0] < 0
    assert found.bound.gap <= 1e-9
    assert found.verify().gap <= 1e-9
    assert solve(read_instance(model.write(tmp_path / "held.json"))).objective == pytest.approx(found.objective)
    several = AssignmentModel(polytope.limit(kinds, least=3), gamma)
    assert solve(read_instance(several.write(tmp_path / "limit.json"))).objective == solve(several).objective
    larger = PartitionPolytope(600, n_clusters=4).subject_to(KindsPerCluster(np.arange(600) % 3, 2))
    other = AssignmentModel(larger, rng.normal(size=(600, 4)))
    assert "which leaves out constraint 'kinds'" in solve(other, gap=1e3).bound.proof
    with pytest.raises(CapabilityError, match=r"cannot hold constraint .* or model\.program as \.json"):
        other.write(tmp_path / "refused.json")

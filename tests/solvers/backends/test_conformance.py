"""One suite for every backend of the table, judged by a checker that shares no code with any of them."""

from __future__ import annotations

import importlib.metadata
import re
import sys
from dataclasses import replace

import numpy as np
import pytest

from partitope.base.status import Status
from partitope.models import (
    AssignmentModel,
    CapabilityError,
    InfeasibleBoundsError,
    InvalidInputError,
    NotOptimalError,
)
from partitope.models import PartitionPolytope as Polytope
from partitope.solvers import BACKENDS, solve
from partitope.solvers.backend import Backend
from partitope.testing.instances import DATA, SHAPES, brute_force, judge, random_model, unnamed

NAMES = BACKENDS.available()
every_backend = pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.backend(n)) for n in NAMES])


def _capabilities(name):
    return BACKENDS[name].capabilities


def _passes(solution, name, magnitude_scale=1.0):
    """The answer is feasible, and optimal as closely as the backend declares."""
    assert solution.status is Status.OPTIMAL
    assert solution.backend == name
    assert solution.has_point
    assert unnamed(solution) == []
    accuracy = _capabilities(name).accuracy
    verdict = judge(solution)
    assert verdict.feasible <= 1e-9
    assert verdict.dual_feasible <= 1e-12
    assert verdict.worst <= accuracy * magnitude_scale, verdict
    certificate = solution.verify(tolerance=accuracy)
    assert certificate.verified, certificate
    assert abs(solution.objective - certificate.primal_objective) <= 1e-12 * certificate.magnitude
    assert abs(solution.dual_objective - certificate.dual_objective) <= 1e-12 * certificate.magnitude
    assert 0 <= solution.build_seconds <= solution.seconds
    return certificate


def _close(solution, value, name):
    magnitude = max(abs(value), solution.verify().magnitude)
    assert abs(solution.objective - value) <= _capabilities(name).accuracy * magnitude


@every_backend
@pytest.mark.parametrize("kind", ["csa", "lsa"])
@pytest.mark.parametrize("shape", SHAPES)
def test_optimum_equals_brute_force(name, kind, shape):
    for seed in range(3):
        model = random_model(seed, 6, 3, data=DATA[seed], shape=shape, kind=kind)
        solution = solve(model, name)
        _passes(solution, name)
        _close(solution, brute_force(model), name)
        assert model.polytope.contains(solution.labels)


@every_backend
def test_all_exact_backends_have_one_optimum(name):
    for seed in range(4):
        model = random_model(seed, 80, 4, 3, data=("normal", "integers", "duplicates", "offset")[seed])
        solution = solve(model, name)
        _passes(solution, name)
        _close(solution, solve(model, "transport").objective, name)


@every_backend
@pytest.mark.parametrize(
    "lower, upper", [([5, 5], [9, 9]), ([0, 0], [3, 3]), ([4, 0], [2, 6])], ids=["too much", "too little", "crossed"]
)
def test_infeasible_bounds_never_reach_the_solver(name, lower, upper, monkeypatch):
    def forbidden(*arguments, **options):
        raise AssertionError("the backend was called")

    monkeypatch.setattr(BACKENDS[name], "solve", forbidden)
    polytope = Polytope(8, lower, upper)
    with pytest.raises(InfeasibleBoundsError) as caught:
        solve(AssignmentModel(polytope, np.zeros((8, 2))), name)
    with pytest.raises(InfeasibleBoundsError) as expected:
        polytope.check()
    assert str(caught.value) == str(expected.value)


@every_backend
@pytest.mark.parametrize("shape", SHAPES)
def test_all_scores_tied(name, shape):
    _passes(solve(random_model(1, 12, 3, data="constant", shape=shape), name), name)
    model = AssignmentModel(Polytope(9, 3, 3, n_clusters=3), np.zeros((9, 3)))
    solution = solve(model, name)
    _passes(solution, name)
    assert solution.objective == 0


@every_backend
def test_degenerate(name):
    duplicates = random_model(2, 40, 4, data="duplicates", shape="equal")
    _passes(solve(duplicates, name), name)
    one = AssignmentModel(Polytope(5, 5, 5, n_clusters=1), np.arange(5.0)[:, None])
    assert solve(one, name).objective == pytest.approx(10)
    single = AssignmentModel(Polytope(1, 0, 1, n_clusters=3), [[1.0, 3.0, 2.0]])
    assert solve(single, name).labels.tolist() == [1]
    rng = np.random.default_rng(0)
    twins = AssignmentModel.lsa(rng.normal(size=(20, 2)), np.ones((4, 2)), Polytope(20, 4, 7, n_clusters=4))
    _passes(solve(twins, name), name)
    never = AssignmentModel(Polytope(6, [0, 1, 0], [0, 6, 6]), rng.normal(size=(6, 3)))
    solution = solve(never, name)
    _passes(solution, name)
    assert 0 not in solution.labels


@every_backend
def test_unit_bounds_are_the_square_assignment(name):
    from scipy.optimize import linear_sum_assignment

    rng = np.random.default_rng(4)
    for scores in (rng.normal(size=(12, 12)), rng.integers(0, 4, (12, 12)).astype(float)):
        solution = solve(AssignmentModel(Polytope(12, 1, 1, n_clusters=12), scores), name)
        _passes(solution, name)
        rows, columns = linear_sum_assignment(scores, maximize=True)
        _close(solution, scores[rows, columns].sum(), name)


@every_backend
@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_of_measurement_do_not_matter(name, scale):
    rng = np.random.default_rng(5)
    X, sites = rng.normal(size=(60, 2)), rng.normal(size=(4, 2))
    polytope = Polytope(60, 12, 18, n_clusters=4)
    plain = AssignmentModel.lsa(X, sites, polytope)
    scaled = AssignmentModel.lsa(scale * X, scale * sites, polytope)
    solution = solve(scaled, name)
    _passes(solution, name)
    _close(solution, scale**2 * solve(plain, name).objective, name)


@every_backend
def test_scores_of_very_different_size(name):
    rng = np.random.default_rng(6)
    scores = rng.normal(size=(30, 3)) + 1e6 * rng.normal(size=(30, 1))  # a constant a point decides nothing
    model = AssignmentModel(Polytope(30, 8, 12, n_clusters=3), scores)
    _passes(solve(model, name), name, magnitude_scale=10.0)


@every_backend
def test_shifted_and_permuted_data_have_the_same_value(name):
    rng = np.random.default_rng(8)
    X, sites = rng.normal(size=(50, 3)), rng.normal(size=(4, 3))
    lower, upper = np.array([5, 10, 10, 12]), np.array([9, 14, 12, 20])
    value = solve(AssignmentModel.lsa(X, sites, Polytope(50, lower, upper)), name).objective
    rows, columns = rng.permutation(50), rng.permutation(4)
    moved = AssignmentModel.lsa(X[rows] + 30, sites[columns] + 30, Polytope(50, lower[columns], upper[columns]))
    _close(solve(moved, name), value, name)


@every_backend
def test_duals_have_the_documented_sign(name):
    # 10 points prefer cluster 0 by 1..10; its upper bound 4 is worth between the 4th and the 5th preference
    scores = np.zeros((10, 3))
    scores[:, 0] = np.arange(1, 11)
    scores[:, 2] = -5.0
    model = AssignmentModel(Polytope(10, [0, 0, 1], [4, 10, 10]), scores)
    mu = solve(model, name).prices
    slop = 100 * _capabilities(name).accuracy
    assert 6 - slop <= mu[0] <= 7 + slop
    assert mu[1] == 0
    assert mu[2] == pytest.approx(-5, abs=slop)


@every_backend
def test_weights(name):
    rng = np.random.default_rng(9)
    for weights in (rng.uniform(0.5, 3.0, 25), np.r_[np.zeros(3), rng.uniform(0.01, 100, 22)]):
        centre = weights.sum() / 3
        polytope = Polytope(25, [0.9 * centre] * 3, [1.1 * centre] * 3, weights)
        model = AssignmentModel(polytope, rng.normal(size=(25, 3)))
        if not _capabilities(name).weights:
            with pytest.raises(CapabilityError, match=f"backend '{name}' does not support weights"):
                solve(model, name)
            return
        solution = solve(model, name)
        _passes(solution, name)
        assert len({point for point, _, _ in solution.splits}) <= 2
        _close(solution, solve(model, "transport").objective, name)


@every_backend
def test_whole_points_on_demand(name):
    rng = np.random.default_rng(13)
    weights = rng.integers(1, 6, 9).astype(float)
    third = weights.sum() / 3
    model = AssignmentModel(Polytope(9, [third - 2] * 3, [third + 2] * 3, weights), rng.normal(size=(9, 3)))
    plain = random_model(1, 20, 3)
    assert solve(plain, name, integer=True).objective == solve(plain, name).objective  # every vertex is whole
    if not (_capabilities(name).mip and _capabilities(name).weights):
        with pytest.raises(CapabilityError, match=r"does not support (mip|weights)"):
            solve(model, name, integer=True)
        return
    solution = solve(model, name, integer=True)
    assert solution.status is Status.OPTIMAL
    assert solution.splits == ()
    assert model.polytope.contains(solution.labels)
    assert solution.objective == pytest.approx(brute_force(model))
    assert solution.prices is None
    assert solution.objective <= solve(model, name).objective + 1e-12
    tight = AssignmentModel(Polytope(2, [1.5, 1.5], [1.5, 1.5], [1.0, 2.0]), np.zeros((2, 2)))
    impossible = solve(tight, name, integer=True)
    assert impossible.status is Status.INFEASIBLE
    assert not impossible.has_point


@every_backend
def test_warm_start(name):
    model = random_model(10, 80, 4)
    cold = solve(model, "transport")
    if not _capabilities(name).warm_start:
        with pytest.raises(CapabilityError, match="does not support warm_start"):
            solve(model, name, cold.prices)
        return
    rng = np.random.default_rng(1)
    for prices in (cold.prices, cold.prices + 0.01 * rng.normal(size=4), 10 * rng.normal(size=4), np.zeros(4)):
        solution = solve(model, name, prices)
        _passes(solution, name)
        _close(solution, cold.objective, name)
    assert solve(model, name, cold.prices).iterations <= solve(model, name).iterations
    for bad in ([0.0], [np.nan] * 4):
        with pytest.raises(InvalidInputError, match="warm_start must be 4 finite prices"):
            solve(model, name, bad)


@every_backend
def test_time_limit(name):
    model = random_model(11, 600, 8)
    if not _capabilities(name).time_limit:
        with pytest.raises(CapabilityError, match="does not support time_limit"):
            solve(model, name, time_limit=10.0)
        return
    solution = solve(model, name, time_limit=1e-9)
    assert unnamed(solution) == []
    assert solution.status in (Status.TIME_LIMIT, Status.OPTIMAL)
    if solution.status is Status.TIME_LIMIT and not solution.has_point:
        assert np.isnan(solution.objective)
    elif solution.status is Status.TIME_LIMIT:
        assert model.polytope.contains(solution.labels)
    else:
        _passes(solution, name)
    if solution.prices is not None:  # weak duality holds however early it stopped
        optimum = solve(model, "transport")
        assert solution.dual_objective >= optimum.objective - 1e-9 * optimum.verify().magnitude
    _passes(solve(model, name, time_limit=300.0), name)


@every_backend
def test_unknown_options_are_refused(name):
    with pytest.raises(TypeError, match="no_such_option"):
        solve(random_model(0, 5, 2), name, no_such_option=1)


@every_backend
def test_nothing_of_the_callers_is_changed(name):
    rng = np.random.default_rng(12)
    scores = rng.normal(size=(20, 3))
    before, lower, upper = scores.copy(), np.array([5.0, 5, 5]), np.array([9.0, 9, 9])
    solve(AssignmentModel(Polytope(20, lower, upper), scores), name)
    np.testing.assert_array_equal(scores, before)
    assert lower.tolist() == [5, 5, 5]
    assert upper.tolist() == [9, 9, 9]


@every_backend
def test_declared_in_the_table(name):
    cls = BACKENDS[name]
    assert issubclass(cls, Backend)
    assert cls.name == name
    assert cls.capabilities.exact == (cls.capabilities.accuracy <= 1e-9)
    assert cls.capabilities.duals


def test_an_unknown_backend_is_named():
    with pytest.raises(InvalidInputError, match="backend='gurobi' is not known: choose one of transport, highs"):
        solve(random_model(0, 5, 2), "gurobi")


@every_backend
def test_a_native_status_that_is_not_known_is_kept_word_for_word(name, monkeypatch):
    module = sys.modules[BACKENDS[name].__module__]
    model = random_model(3, 20, 3)
    if not hasattr(module, "STATUSES"):
        return  # ours, and routines without statuses: they return or raise
    options = {"method": "linprog"} if name == "scipy" else {}
    known = solve(model, name, **options)
    monkeypatch.setattr(module, "STATUSES", {})
    strange = solve(model, name, **options)
    assert strange.status is Status.UNKNOWN
    assert unnamed(strange) == []
    assert (strange.raw_status, strange.solver_version) == (known.raw_status, known.solver_version)
    package, number = strange.solver_version.split(", ")[-1].split(" ")
    assert number == importlib.metadata.version(package)
    if not strange.has_point:
        with pytest.raises(NotOptimalError, match=re.escape(strange.raw_status)):
            strange.require_labels()


def test_the_checker_finds_answers_without_their_origin():
    solution = solve(random_model(0, 10, 2))
    assert unnamed(solution) == []
    assert unnamed(replace(solution, raw_status=" ")) == ["raw_status"]
    assert unnamed(replace(solution, raw_status="", solver_version="")) == ["raw_status", "solver_version"]

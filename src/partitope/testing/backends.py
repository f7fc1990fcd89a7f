"""Tests for every backend, built in or custom, judged by a checker that shares no code with any of them.

What they demand is read from the backend's declaration `Capabilities`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ..base.errors import CapabilityError, InfeasibleBoundsError, InvalidInputError
from ..base.status import Status
from ..models import AssignmentModel
from ..models import PartitionPolytope as Polytope
from ..models.certificates.certificate import Certificate
from ..solvers import BACKENDS, solve
from ..solvers.assignment.by_backend import chosen_backend
from ..solvers.backend import Backend, Capabilities
from ..solvers.solution import AssignmentSolution
from .checker import brute_force, judge, unnamed
from .instances import DATA, SHAPES, random_model


def backend_suite(*backends: str | type[Backend]) -> type[BackendSuite]:
    """A class of tests for backends; bind it to a name that starts with ``Test`` in a test file."""
    names = []
    for backend in backends:
        if not isinstance(backend, str):
            BACKENDS.register(backend.name, backend)
            backend = backend.name
        names.append(pytest.param(backend, id=backend))
    suite = type("BackendSuite", (BackendSuite,), {"__doc__": BackendSuite.__doc__})
    return pytest.mark.parametrize("backend", names)(suite)


class BackendSuite:
    """Optimal values, prices and certificates on random and degenerate models, and refusal of what is not declared."""

    kind = "backend"

    @pytest.mark.parametrize("kind", ["csa", "lsa"])
    @pytest.mark.parametrize("shape", SHAPES)
    def test_optimum_equals_brute_force(self, backend: str, kind: str, shape: str) -> None:
        """The optimum of tiny models is that of going through all clusterings."""
        for seed in range(3):
            model = random_model(seed, 6, 3, data=DATA[seed], shape=shape, kind=kind)
            solution = solve(model, backend)
            _passes(solution, backend)
            _close(solution, brute_force(model), backend)
            assert model.polytope.contains(solution.require_labels())

    def test_all_exact_backends_have_one_optimum(self, backend: str) -> None:
        """On larger models, the objective is that of our engine."""
        for seed in range(4):
            model = random_model(seed, 80, 4, 3, data=("normal", "integers", "duplicates", "offset")[seed])
            solution = solve(model, backend)
            _passes(solution, backend)
            _close(solution, solve(model, "transport").objective, backend)

    @pytest.mark.parametrize(
        "lower, upper",
        [([5, 5], [9, 9]), ([0, 0], [3, 3]), ([4, 0], [2, 6])],
        ids=["too much", "too little", "crossed"],
    )
    def test_infeasible_bounds_never_reach_the_solver(
        self, backend: str, lower: list[int], upper: list[int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Bounds that no assignment satisfies are refused before the backend is called."""

        def forbidden(*arguments: object, **options: object) -> None:
            raise AssertionError("the backend was called")

        monkeypatch.setattr(BACKENDS[backend], "solve", forbidden)
        polytope = Polytope(8, lower, upper)
        with pytest.raises(InfeasibleBoundsError) as caught:
            solve(AssignmentModel(polytope, np.zeros((8, 2))), backend)
        with pytest.raises(InfeasibleBoundsError) as expected:
            polytope.check()
        assert str(caught.value) == str(expected.value)

    @pytest.mark.parametrize("shape", SHAPES)
    def test_all_scores_tied(self, backend: str, shape: str) -> None:
        """Ties are broken into some optimal assignment."""
        _passes(solve(random_model(1, 12, 3, data="constant", shape=shape), backend), backend)
        model = AssignmentModel(Polytope(9, 3, 3, n_clusters=3), np.zeros((9, 3)))
        solution = solve(model, backend)
        _passes(solution, backend)
        assert solution.objective == 0

    def test_degenerate(self, backend: str) -> None:
        """Duplicates, one cluster, one point, equal sites, clusters that must stay empty."""
        duplicates = random_model(2, 40, 4, data="duplicates", shape="equal")
        _passes(solve(duplicates, backend), backend)
        one = AssignmentModel(Polytope(5, 5, 5, n_clusters=1), np.arange(5.0)[:, None])
        assert solve(one, backend).objective == pytest.approx(10)
        single = AssignmentModel(Polytope(1, 0, 1, n_clusters=3), np.array([[1.0, 3.0, 2.0]]))
        assert solve(single, backend).require_labels().tolist() == [1]
        rng = np.random.default_rng(0)
        twins = AssignmentModel.lsa(rng.normal(size=(20, 2)), np.ones((4, 2)), Polytope(20, 4, 7, n_clusters=4))
        _passes(solve(twins, backend), backend)
        never = AssignmentModel(Polytope(6, [0, 1, 0], [0, 6, 6]), rng.normal(size=(6, 3)))
        solution = solve(never, backend)
        _passes(solution, backend)
        assert 0 not in solution.require_labels()

    def test_unit_bounds_are_the_square_assignment(self, backend: str) -> None:
        """With sizes of one, the value is that of the square assignment problem."""
        from scipy.optimize import linear_sum_assignment

        rng = np.random.default_rng(4)
        for scores in (rng.normal(size=(12, 12)), rng.integers(0, 4, (12, 12)).astype(float)):
            solution = solve(AssignmentModel(Polytope(12, 1, 1, n_clusters=12), scores), backend)
            _passes(solution, backend)
            rows, columns = linear_sum_assignment(scores, maximize=True)
            _close(solution, scores[rows, columns].sum(), backend)

    @pytest.mark.parametrize("scale", [1e-6, 1e6])
    def test_units_of_measurement_do_not_matter(self, backend: str, scale: float) -> None:
        """Points in other units have the same optimum in those units."""
        rng = np.random.default_rng(5)
        X, sites = rng.normal(size=(60, 2)), rng.normal(size=(4, 2))
        polytope = Polytope(60, 12, 18, n_clusters=4)
        plain = AssignmentModel.lsa(X, sites, polytope)
        scaled = AssignmentModel.lsa(scale * X, scale * sites, polytope)
        solution = solve(scaled, backend)
        _passes(solution, backend)
        _close(solution, scale**2 * solve(plain, backend).objective, backend)

    def test_scores_of_very_different_size(self, backend: str) -> None:
        """A constant a point, however large, decides nothing."""
        rng = np.random.default_rng(6)
        scores = rng.normal(size=(30, 3)) + 1e6 * rng.normal(size=(30, 1))  # a constant a point decides nothing
        model = AssignmentModel(Polytope(30, 8, 12, n_clusters=3), scores)
        _passes(solve(model, backend), backend, magnitude_scale=10.0)

    def test_shifted_and_permuted_data_have_the_same_value(self, backend: str) -> None:
        """Shifts of the points and the order of points and clusters do not matter."""
        rng = np.random.default_rng(8)
        X, sites = rng.normal(size=(50, 3)), rng.normal(size=(4, 3))
        lower, upper = np.array([5, 10, 10, 12]), np.array([9, 14, 12, 20])
        value = solve(AssignmentModel.lsa(X, sites, Polytope(50, lower, upper)), backend).objective
        rows, columns = rng.permutation(50), rng.permutation(4)
        moved = AssignmentModel.lsa(X[rows] + 30, sites[columns] + 30, Polytope(50, lower[columns], upper[columns]))
        _close(solve(moved, backend), value, backend)

    def test_duals_have_the_documented_sign(self, backend: str) -> None:
        """A price is positive only at the upper bound and negative only at the lower."""
        # 10 points prefer cluster 0 by 1..10; its upper bound 4 is worth between the 4th and the 5th preference
        scores = np.zeros((10, 3))
        scores[:, 0] = np.arange(1, 11)
        scores[:, 2] = -5.0
        model = AssignmentModel(Polytope(10, [0, 0, 1], [4, 10, 10]), scores)
        mu = BACKENDS[backend]().solve(model).prices  # itself: `solve` puts prices that prove nothing right
        assert mu is not None
        slop = 100 * _capabilities(backend).accuracy
        assert 6 - slop <= mu[0] <= 7 + slop
        assert mu[1] == 0
        assert mu[2] == pytest.approx(-5, abs=slop)

    def test_weights(self, backend: str) -> None:
        """Weighted points are solved with at most k - 1 split points, or refused."""
        rng = np.random.default_rng(9)
        for weights in (rng.uniform(0.5, 3.0, 25), np.r_[np.zeros(3), rng.uniform(0.01, 100, 22)]):
            centre = weights.sum() / 3
            polytope = Polytope(25, [0.9 * centre] * 3, [1.1 * centre] * 3, weights)
            model = AssignmentModel(polytope, rng.normal(size=(25, 3)))
            if not _capabilities(backend).weights:
                with pytest.raises(CapabilityError, match=f"backend '{backend}' does not support weights"):
                    solve(model, backend)
                return
            solution = solve(model, backend)
            _passes(solution, backend)
            assert len({point for point, _, _ in solution.splits}) <= 2
            _close(solution, solve(model, "transport").objective, backend)

    def test_whole_points_on_demand(self, backend: str) -> None:
        """Whole weighted points are solved as a mixed-integer program, or refused."""
        rng = np.random.default_rng(13)
        weights = rng.integers(1, 6, 9).astype(float)
        third = weights.sum() / 3
        divided = AssignmentModel(Polytope(9, [third - 2] * 3, [third + 2] * 3, weights), rng.normal(size=(9, 3)))
        model, plain = replace(divided, polytope=divided.polytope.whole()), random_model(1, 20, 3)
        whole = replace(plain, polytope=plain.polytope.whole())
        assert solve(whole, backend).objective == solve(plain, backend).objective  # every vertex is whole
        declared = _capabilities(chosen_backend(backend, model.polytope))
        if backend != "transport" and not (declared.mip and declared.weights):
            with pytest.raises(CapabilityError, match=r"does not support (mip|weights)"):
                solve(model, backend)
            return
        solution = solve(model, backend)
        assert solution.status is Status.OPTIMAL
        assert solution.splits == ()
        assert model.polytope.contains(solution.require_labels())
        assert solution.objective == pytest.approx(brute_force(model))
        assert solution.objective <= solve(divided).objective + 1e-12
        tight = Polytope(2, [1.5, 1.5], [1.5, 1.5], np.array([1.0, 2.0])).whole()
        with pytest.raises(InfeasibleBoundsError, match="whole"):
            solve(AssignmentModel(tight, np.zeros((2, 2))), backend)

    def test_warm_start(self, backend: str) -> None:
        """Prices to start from change no result, or are refused."""
        model = random_model(10, 80, 4)
        cold = solve(model, "transport")
        if not _capabilities(backend).warm_start:
            with pytest.raises(CapabilityError, match="does not support warm_start"):
                solve(model, backend, cold.prices)
            return
        assert cold.prices is not None
        rng = np.random.default_rng(1)
        for prices in (cold.prices, cold.prices + 0.01 * rng.normal(size=4), 10 * rng.normal(size=4), np.zeros(4)):
            solution = solve(model, backend, prices)
            _passes(solution, backend)
            _close(solution, cold.objective, backend)
        assert solve(model, backend, cold.prices).iterations <= solve(model, backend).iterations
        for bad in ([0.0], [np.nan] * 4):
            with pytest.raises(InvalidInputError, match=r"warm_start .*, expected 4 finite numbers"):
                solve(model, backend, bad)

    def test_time_limit(self, backend: str) -> None:
        """A time limit leaves an honest status and a valid bound, or is refused."""
        model = random_model(11, 600, 8)
        if not _capabilities(backend).time_limit:
            with pytest.raises(CapabilityError, match="does not support time_limit"):
                solve(model, backend, time_limit=10.0)
            return
        solution = solve(model, backend, time_limit=1e-9)
        assert unnamed(solution) == []
        assert solution.status in (Status.TIME_LIMIT, Status.OPTIMAL)
        if solution.status is Status.TIME_LIMIT and not solution.has_point:
            assert np.isnan(solution.objective)
        elif solution.status is Status.TIME_LIMIT:
            assert model.polytope.contains(solution.require_labels())
        else:
            _passes(solution, backend)
        if solution.prices is not None:  # weak duality holds however early it stopped
            optimum = solve(model, "transport")
            assert solution.dual_objective >= optimum.objective - 1e-9 * optimum.verify().magnitude
        _passes(solve(model, backend, time_limit=300.0), backend)

    def test_unknown_options_are_refused(self, backend: str) -> None:
        """An option that the backend does not have is a TypeError."""
        with pytest.raises(TypeError, match="no_such_option"):
            solve(random_model(0, 5, 2), backend, no_such_option=1)

    def test_nothing_of_the_callers_is_changed(self, backend: str) -> None:
        """Scores and bounds stay as they were."""
        rng = np.random.default_rng(12)
        scores = rng.normal(size=(20, 3))
        before, lower, upper = scores.copy(), np.array([5.0, 5, 5]), np.array([9.0, 9, 9])
        solve(AssignmentModel(Polytope(20, lower, upper), scores), backend)
        np.testing.assert_array_equal(scores, before)
        assert lower.tolist() == [5, 5, 5]
        assert upper.tolist() == [9, 9, 9]

    def test_declared_in_the_table(self, backend: str) -> None:
        """The class says what the table says, and promises what exact backends promise."""
        cls = BACKENDS[backend]
        assert issubclass(cls, Backend)
        assert cls.name == backend
        assert cls.capabilities.exact == (cls.capabilities.accuracy <= 1e-9)
        assert cls.capabilities.duals


def _capabilities(backend: str) -> Capabilities:
    declared: Capabilities = BACKENDS[backend].capabilities
    return declared


def _passes(solution: AssignmentSolution, backend: str, magnitude_scale: float = 1.0) -> Certificate:
    """The answer is feasible, and optimal as closely as the backend declares."""
    assert solution.status is Status.OPTIMAL
    assert solution.backend == backend
    assert solution.has_point
    assert unnamed(solution) == []
    accuracy = _capabilities(backend).accuracy
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


def _close(solution: AssignmentSolution, value: float, backend: str) -> None:
    """The objective is a value, as closely as the backend declares."""
    magnitude = max(abs(value), solution.verify().magnitude)
    assert abs(solution.objective - value) <= _capabilities(backend).accuracy * magnitude

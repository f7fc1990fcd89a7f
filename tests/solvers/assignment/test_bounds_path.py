"""The walk along the bounds against solves of its own at many places, and prices against finite differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from partitope.base.errors import CapabilityError, InvalidInputError, NotOptimalError
from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import bounds_path, sensitivity, solve


def _instance(seed, n_max=80):
    rng = np.random.default_rng([seed, 9])
    k = int(rng.integers(1, 7))
    n = int(rng.integers(k, n_max))
    X = rng.normal(size=(n, 2)) + 2.0 * rng.normal(size=(k, 2))[rng.integers(0, k, n)]
    sites = X[rng.choice(n, k, replace=False)]
    if seed % 3 == 0:
        X, sites = np.round(2 * X) / 2, np.round(2 * sites) / 2
    return X, sites, ("lsa", "csa")[seed % 2], ("lower", "upper", "width")[seed % 3 if seed % 3 else seed // 3 % 3]


def _model(X, sites, objective="lsa", **bounds):
    return getattr(AssignmentModel, objective)(X, sites, PartitionPolytope(len(X), **bounds, n_clusters=len(sites)))


def _sampled(X, sites, objective, vary, t):
    """The optimum at one place, solved afresh as a linear program with bounds that need not be integers."""
    n, k = len(X), len(sites)
    low, up = {"lower": (t, n), "upper": (0, t), "width": (max(0, n / k - t), min(n, n / k + t))}[vary]
    model = getattr(AssignmentModel, objective)(X, sites, PartitionPolytope(n, low, up, np.ones(n), k))
    solution = solve(model)
    assert solution.verify().verified
    if objective == "csa":
        return solution.objective
    return model.cost(solution.require_labels()) + model.value(solution.require_labels()) - solution.objective


@pytest.mark.parametrize("seed", range(12))
def test_path_equals_sampled_solves(seed):
    X, sites, objective, vary = _instance(seed)
    path = bounds_path(_model(X, sites, objective), vary)
    n, k = len(X), len(sites)
    assert path.parameter[0] == pytest.approx({"lower": 0, "upper": n / k, "width": 0}[vary], abs=1e-9)
    assert path.parameter[-1] == pytest.approx({"lower": n / k, "upper": n, "width": max(n / k, n - n / k)}[vary])
    scale = np.abs(path.value).max() + 1e-12
    inside = 1e-9 * n  # the very end is feasible up to rounding only
    if k == 1:  # nothing can vary but l
        assert np.ptp(path.value) == 0
    for t in np.linspace(path.parameter[0] + inside, path.parameter[-1] - inside, 25 if k > 1 else 0):
        assert _sampled(X, sites, objective, vary, float(t)) == pytest.approx(
            float(path(t)), rel=1e-9, abs=1e-9 * scale
        )


@pytest.mark.parametrize("seed", range(6))
def test_path_is_convex_as_a_cost_and_every_breakpoint_is_one(seed):
    X, sites, objective, vary = _instance(seed)
    path = bounds_path(_model(X, sites, objective), vary)
    bends = np.diff(path.slopes) * (1 if objective == "lsa" else -1)
    assert (bends >= 0).all()
    if path.slopes.size > 1:
        assert (np.abs(np.diff(path.slopes)) > 0).all()
    table = path.table()
    assert list(table.columns) == ["start", "end", "value", "slope"]
    assert len(table) == path.slopes.size
    assert np.isnan(path(path.parameter[-1] + 1.0))


def test_free_until_is_the_size_of_the_smallest_free_cluster():
    rng = np.random.default_rng(3)
    X, sites = rng.normal(size=(200, 2)), rng.normal(size=(4, 2))
    free = np.bincount(((X[:, None] - sites) ** 2).sum(axis=2).argmin(axis=1), minlength=4)
    assert bounds_path(_model(X, sites), "lower").free_until == free.min()
    assert bounds_path(_model(X, sites), "upper").free_until == free.max()
    assert bounds_path(_model(X, sites), "width").free_until == np.abs(free - 50.0).max()


@pytest.mark.parametrize("named", [False, True])
def test_the_picture_is_of_the_path(named):
    from matplotlib.figure import Figure

    X = np.arange(8.0)[:, None]
    polytope = PartitionPolytope(8, n_clusters=2)
    if named:
        polytope = polytope.add_rows("road", np.tile(X, 2), upper=40.0)
    model = AssignmentModel.lsa(X, [[0.0], [7.0]], polytope)
    path = bounds_path(model, "road", [-20.0, 0.0]) if named else bounds_path(model, "lower")
    (line, *_) = path.plot(Figure().subplots()).get_lines()
    np.testing.assert_array_equal(line.get_ydata(), path.value)


def test_the_other_bound_stays_where_it_is():
    rng = np.random.default_rng(4)
    X, sites = rng.normal(size=(60, 2)), rng.normal(size=(3, 2))
    path = bounds_path(_model(X, sites, upper=24), "lower")
    model = AssignmentModel.lsa(X, sites, PartitionPolytope(60, 12, 24, n_clusters=3))
    assert float(path(12)) == pytest.approx(model.cost(solve(model).labels))
    stated = AssignmentModel.of_costs(model.polytope, ((X[:, None] - sites) ** 2).sum(axis=2))  # the same program
    table = sensitivity(solve(stated)).table
    assert table.derivative.to_numpy() == pytest.approx(sensitivity(solve(model)).table.derivative.to_numpy(), abs=1e-9)
    assert (table.derivative[(table.bound == "lower") & (table.side == "raise")] >= 0).all()  # costs, not scores
    wide = replace(stated, polytope=PartitionPolytope(60, 0, 24, n_clusters=3))
    assert bounds_path(wide, "lower").value == pytest.approx(path.value)
    assert bounds_path(wide, "size", [0.0]).value == pytest.approx(path.value[:1])


@pytest.mark.parametrize(
    ("bounds", "moving", "rest", "message"),
    [
        ({}, "both", {}, "moving='both' is not known: choose one of 'lower', 'upper', 'width', 'size'"),
        ({"upper": 3}, "lower", {}, "upper=3 is below n_points/n_clusters=5"),
        ({"lower": 9}, "upper", {}, "lower=9 exceeds n_points/n_clusters=5"),
        ({"upper": [9, 8]}, "lower", {}, "upper bounds differ among clusters"),
        ({}, "size", {}, "slack is missing"),
        ({}, "lower", {"slack": [1.0]}, "takes no slack"),
        ({"weights": np.arange(1.0, 11.0)}, "lower", {}, "takes bounds on numbers of points alone"),
    ],
)
def test_bad_input_is_one_line(bounds, moving, rest, message):
    model = _model(np.arange(20.0).reshape(10, 2), [[0.0, 0.0], [5.0, 5.0]], **bounds)
    with pytest.raises((InvalidInputError, CapabilityError), match=message) as caught:
        bounds_path(model, moving, **rest)
    assert "\n" not in str(caught.value)


def test_sensitivity_needs_a_certified_solution():
    X = np.arange(8.0).reshape(4, 2)
    model = AssignmentModel.lsa(X, X[:2], PartitionPolytope(4, 2, 2, n_clusters=2))
    wrong = replace(solve(model), labels=np.array([1, 1, 0, 0]))
    with pytest.raises(NotOptimalError, match="not certified"):
        sensitivity(wrong)

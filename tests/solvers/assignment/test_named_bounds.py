"""Intervals of optimal prices, and optima along bounds of one name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from partitope.base.errors import CapabilityError, InvalidInputError
from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import bounds_path, sensitivity, solve
from partitope.solvers.assignment.sensitivity import _from_intervals
from partitope.solvers.assignment.sensitivity_intervals import price_intervals

N, K = 60, 3


def instance(seed: int) -> AssignmentModel:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 2))
    table = np.column_stack([np.ones(N), rng.gamma(2.0, size=N)])
    even = table.sum(axis=0) / K
    group = rng.permutation(N) < 0.4 * N
    polytope = PartitionPolytope(
        N, np.tile(0.95 * even, (K, 1)), np.tile(1.05 * even, (K, 1)), table, names=["people", "area"]
    )
    return AssignmentModel.lsa(X, X[:K], polytope.share(group, 0.35, 0.45, name="group"))


@pytest.mark.parametrize("seed", range(5))
def test_ends_of_price_intervals_are_the_derivatives_of_the_walk(seed):
    X = np.random.default_rng(seed).normal(size=(N, 2))
    sites = np.random.default_rng(9).normal(size=(K, 2))
    X = np.round(X) if seed % 2 else X  # ties: prices are then not unique
    solution = solve(AssignmentModel.lsa(X, sites, PartitionPolytope(N, 18, 22, n_clusters=K)))
    walk = sensitivity(solution).table
    ends = pd.DataFrame(_from_intervals(solution, ("lower", "upper"), ["size"]))
    both = walk.merge(ends, left_on=["cluster", "bound", "side"], right_on=["index", "bound", "side"])
    assert len(both) == len(walk)
    np.testing.assert_allclose(both.derivative_x, -both.derivative_y, atol=1e-7)  # of a cost, and of scores
    np.testing.assert_array_equal(both.feasible_x.astype(bool), both.feasible_y)


@pytest.mark.parametrize("seed", range(3))
def test_derivatives_of_named_bounds_are_those_of_the_optimum(seed):
    model = instance(seed)
    solution = solve(model)
    table = sensitivity(solution, names=["area"]).table
    assert set(table.name) == {"area"}
    step = 1e-6
    for row in table.itertuples():
        rows = model.polytope.further[0]
        side = getattr(rows, row.bound).copy()
        side[row.index] += step if row.side == "raise" else -step

        moved = model.polytope.with_constraint(replace(rows, **{row.bound: side}))
        change = (solution.objective - solve(replace(model, polytope=moved)).objective) / step  # of the sum of squares
        assert row.feasible
        assert change == pytest.approx(row.derivative, abs=1e-5)


def test_prices_that_are_not_unique_come_as_intervals():
    model = AssignmentModel(PartitionPolytope(2, 1, 1, [1.0, 1.0], n_clusters=2), [[3.0, 0.0], [0.0, 2.0]])
    low, high = price_intervals(solve(model))["size"]
    assert np.isinf(low).all()
    assert np.isinf(high).all()
    open_ = AssignmentModel(PartitionPolytope(2, [0, 0], [1, 2], [1.0, 1.0]), [[3.0, 0.0], [2.0, 0.0]])
    low, high = price_intervals(solve(open_))["size"]
    assert (low[0], high[0]) == pytest.approx((2.0, 3.0))


def test_unknown_names_are_refused():
    model = instance(0)
    with pytest.raises(InvalidInputError, match="names hold 'areas', the polytope has people, area, group"):
        sensitivity(solve(model), names=["areas"])
    with pytest.raises(InvalidInputError, match="moving='areas' is not known"):
        bounds_path(model, "areas", [0.0])
    with pytest.raises(InvalidInputError, match="must be finite"):
        bounds_path(model, "area", [np.inf])


@pytest.mark.parametrize(("name", "grid"), [("people", [0, 2, 5, 10]), ("area", np.linspace(0, 20, 6))])
def test_path_of_named_bounds_is_convex_with_the_slopes_of_the_prices(name, grid):
    path = bounds_path(instance(1), name, grid)
    assert all(solution.verify().verified for solution in path.solutions)
    chord = np.diff(path.value) / np.diff(path.slack)
    room = 1e-7 * np.abs(path.value).max()
    assert (np.diff(chord) >= -room).all()
    assert (path.slopes[:-1] <= chord + room).all()
    assert (path.slopes[1:] >= chord - room).all()
    assert path.table().price.iloc[-1] == 0.0


@pytest.mark.parametrize(("name", "vary"), [("people", "lower"), ("area", "upper"), ("area", "width")])
def test_exact_path_has_every_breakpoint(name, vary):
    model = instance(2)
    path = bounds_path(model, name, [-30.0, *np.linspace(-3.0, 1.0, 9), 8.0], vary=vary, exact=True)
    assert path.exact
    assert -30.0 < path.slack[0] < path.slack[-1] == 8.0  # -30 admits nothing
    assert all(solution.verify().verified for solution in path.solutions)
    pieces = np.diff(path.value) / np.diff(path.slack)
    assert len(pieces) > 4
    assert (np.diff(pieces) > 0).all()  # convex, and every breakpoint is one
    real = replace(model, polytope=replace(model.polytope, weights=np.ones(N)))
    between = np.sort(np.concatenate([path.slack, (path.slack[1:] + path.slack[:-1]) / 2]))
    grid = bounds_path(real, name, between, vary=vary)
    np.testing.assert_allclose(np.interp(between, path.slack, path.value), grid.value, rtol=1e-9)


@pytest.mark.parametrize("vary", ["lower", "width"])
def test_exact_path_of_a_share_where_sizes_are_fixed(vary):
    model = instance(2)
    with pytest.raises(CapabilityError, match="'group' stand in the coefficients"):
        bounds_path(model, "group", [0.0, 0.1], exact=True)
    sizes = np.array([15.0, 20.0, 25.0])
    group = model.score_source.X @ [1.0, 0.5] > 0.3
    polytope = replace(model.polytope, lower=sizes, upper=sizes, weights=np.ones(N), constraints=())
    model = replace(model, polytope=polytope.share(group, 0.3, 0.6, name="group"))
    path = bounds_path(model, "group", [-0.1, 0.3], vary=vary, exact=True)
    assert len(path.slack) > 4
    between = (path.slack[1:] + path.slack[:-1]) / 2
    grid = bounds_path(model, "group", between, vary=vary)
    np.testing.assert_allclose(np.interp(between, path.slack, path.value), grid.value, rtol=1e-9)
    pieces = np.diff(path.value) / np.diff(path.slack)
    np.testing.assert_allclose(pieces, grid.slopes, rtol=1e-6, atol=1e-6)


def test_path_of_a_share_ends_where_no_assignment_exists():
    model = instance(2)
    path = bounds_path(model, "group", [-0.06, 0.0, 0.1, 1.0])
    assert not path.table().feasible[0]
    assert np.isnan(path.value[0])
    assert (np.diff(path.value[1:]) <= 1e-9 * path.value[1]).all()
    bare = model.polytope

    without = bare.without(*bare.row_names[2:])
    free = solve(replace(model, polytope=without))
    assert path.solutions[-1].objective == pytest.approx(free.objective, rel=1e-9)


def test_bounds_that_ask_for_nothing_have_no_price():
    weights = np.array([1.0, 2.0, 1.0, 0.0])
    polytope = PartitionPolytope(4, 0, [9.0, 0.0], weights).share([1, 1, 0, 0], upper=[1.0, 0.5], name="group")
    polytope = polytope.fix([0, 1, 2, 3], [0, 0, 0, 1])
    table = sensitivity(solve(AssignmentModel(polytope, np.eye(4)[:, :2]))).table
    reduced = table[(table["bound"] == "upper") & (table["side"] == "reduce")].set_index(["name", "index"])
    assert bool(reduced.loc[("size", 0), "feasible"])  # 9 is beyond the weight of all points
    assert bool(reduced.loc[("group[1]", 1), "feasible"])  # nothing of weight lies in cluster 1
    assert (table["derivative"] == 0.0).all()

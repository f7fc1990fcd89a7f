"""Models that were taken to Pyomo, cvxpy and HiGHS, given rows there, and brought back with prices and proof."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from partitope.base.errors import InvalidInputError
from partitope.base.status import Status
from partitope.models import AssignmentModel, PartitionPolytope
from partitope.models.objectives.proof import Proof
from partitope.models.programs.instances import read_instance
from partitope.solvers import read_back, solve
from partitope.solvers.assignment.external import partition_of

N, K = 14, 3
RNG = np.random.default_rng(5)
X, W, COSTS = RNG.normal(size=(N, 2)), RNG.uniform(1, 3, N), RNG.uniform(1, 9, (N, K))
EVEN = W.sum() / K
PLAIN, PAIR = PartitionPolytope(N, 3, 7, n_clusters=K), ["a", "a", "b", "b"] + [None] * (N - 4)
LOADS = PartitionPolytope(N, [0.8 * EVEN] * K, [1.1 * EVEN] * K, W)
TWO = PartitionPolytope(N, np.tile([3, 0.85 * EVEN], (K, 1)), np.tile([7, 1.1 * EVEN], (K, 1)),
                        np.column_stack([np.ones(N), W]), names=["people", "net load"])  # fmt: skip
SOME = np.where(RNG.random((N, K)) < 0.1, np.nan, COSTS)
ROWS = [("first", RNG.normal(size=(N, K)), None, 1.0), ("second", RNG.normal(size=(N, K)), -1.0, None),
        ("third", RNG.normal(size=(N, K)), 0.5, 0.5)]  # fmt: skip


def lsa(polytope):
    return AssignmentModel.lsa(X, X[:K], polytope)


MODELS = {
    "plain": lsa(PLAIN),
    "csa": AssignmentModel.csa(X, X[:K], PLAIN),
    "weights": lsa(LOADS),
    "two sizes": lsa(TWO),
    "share": lsa(LOADS.share(np.arange(N) % 2 == 0, 0.3, 0.7, name="women")),
    "fixed": lsa(LOADS.fix([0, 1], [0, 2])),
    "own rows": lsa(LOADS.add_rows("own", RNG.normal(size=(2, N, K)), -4, 4)),
    "costs": AssignmentModel.of_costs(LOADS, COSTS),
    "costs and pairs not allowed": AssignmentModel.of_costs(TWO, SOME),
    "whole": lsa(LOADS.whole()),
    "whole two sizes": lsa(TWO.whole()),
    "together": lsa(PLAIN.together(PAIR)),
    "apart": lsa(PLAIN.apart(PAIR, name="rivals")),
    "optional": lsa(PartitionPolytope(N, [4.0] * K, [13.0] * K, np.append(W[:-1], 0.0)).optional(most=2, cost=3.0)),
    "whole costs": AssignmentModel.of_costs(LOADS.together(PAIR), COSTS),
}


def extended(model, rows):
    polytope = model.polytope
    for name, a, low, up in rows:
        polytope = polytope.add_rows(name, a, low, up)
    return replace(model, polytope=polytope)


def by_pyomo(model, rows):
    import pyomo.environ as pyo

    program = model.to_pyomo()
    if not model.polytope.whole_points:
        program.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    for name, a, low, up in rows:
        left = sum(float(a[j, i]) * share for (j, i), share in program.assign.items())
        said = left == low if low == up else left <= up if low is None else left >= low
        program.add_component(name, pyo.Constraint(expr=said))
    pyo.SolverFactory("appsi_highs").solve(program)
    return program


def by_cvxpy(model, rows, solver=None):
    import cvxpy as cp

    problem, more = model.to_cvxpy(), []
    assign = next(v for v in problem.variables() if v.name() == "assign")
    for name, a, low, up in rows:
        left = cp.sum(cp.multiply(a, assign))
        more.append(left == low if low == up else left <= up if low is None else left >= low)
        more[-1].set_label(name)
    problem = cp.Problem(problem.objective, problem.constraints + more)
    problem.solve(solver=solver)
    return problem


def by_highs(model, rows):
    highs = model.to_highs()
    for name, a, low, up in rows:
        sides = -np.inf if low is None else low, np.inf if up is None else up
        highs.addRow(*sides, a.size, np.arange(a.size, dtype=np.int32), a.ravel())
        highs.passRowName(highs.getNumRow() - 1, name)
    highs.run()
    return highs


@pytest.mark.parametrize("name", MODELS)
def test_answers_come_back_with_prices_and_proof(name):
    model = MODELS[name]
    whole = model.polytope.whole_points
    rows = ROWS[: 1 if model.polytope.may_close else 2 if whole else 3]
    best = solve(extended(model, rows))
    tools = {"pyomo": by_pyomo, "highs": by_highs, "cvxpy": lambda *given: by_cvxpy(*given, "HIGHS")}
    if not whole:
        tools["cvxpy's own choice"] = by_cvxpy  # an interior-point method
    for tool, run in tools.items():
        found = read_back(model, run(model, rows))
        assert found.status is Status.OPTIMAL, tool
        assert found.verify().verified, tool
        assert found.objective == pytest.approx(best.objective, rel=1e-9), tool
        assert list(found.named_prices) == [*model.polytope.row_names, *(row[0] for row in rows)], tool
        assert (found.bound is None) == (not whole), tool
        for which, price in best.named_prices.items():
            np.testing.assert_allclose(found.named_prices[which], price, atol=1e-9, err_msg=f"{tool} {which}")


def test_what_is_not_linear_in_the_shares_is_named_and_proves_nothing():
    import cvxpy as cp
    import pyomo.environ as pyo

    model = MODELS["weights"]
    problem = model.to_cvxpy()
    squares = cp.sum_squares(problem.variables()[0][:, 0]) <= 30.0
    squares.set_label("even")
    problem = cp.Problem(problem.objective, [*problem.constraints, squares])
    problem.solve()
    program = model.to_pyomo()
    program.room = pyo.Var(bounds=(0, 1))
    program.soft = pyo.Constraint(expr=program.assign[0, 0] + program.room >= 1)
    pyo.SolverFactory("appsi_highs").solve(program)
    priced = model.to_pyomo()
    priced.total_score.deactivate()
    priced.other = pyo.Objective(expr=priced.assign[0, 1] - priced.assign[1, 2])
    pyo.SolverFactory("appsi_highs").solve(priced)
    for solved, named in ((problem, "row 'even'"), (program, "row 'soft'"), (priced, "objective that is not")):
        with pytest.warns(UserWarning, match=named):
            found = read_back(model, solved)
        assert found.prices is None
        assert found.status is Status.UNKNOWN
        assert named in found.raw_status
        assert found.bound.lower - 1e-6 <= solve(model).objective <= found.bound.upper + 1e-6


def test_bounds_of_single_shares_come_back_as_masks_and_rows():
    import pyomo.environ as pyo

    model = MODELS["weights"]
    program = model.to_pyomo()
    program.assign[0, 1].fix(1)
    program.assign[1, 2].setub(0.0)
    program.assign[2, 0].setlb(0.25)
    pyo.SolverFactory("appsi_highs").solve(program)
    found = read_back(model, program)
    assert found.verify().verified
    assert found.labels[0] == 1
    assert not found.model.polytope.allowed[1, 2]
    assert "bounds on shares" in found.named_prices


def test_arrays_come_back_and_other_things_are_refused():
    model, best = MODELS["plain"], solve(MODELS["plain"])
    for solved in (best.labels, np.eye(K)[best.labels]):
        found = read_back(model, solved)
        np.testing.assert_array_equal(found.labels, best.labels)
        assert found.verify().verified
    with pytest.raises(InvalidInputError, match="solve it, to an optimum, first"):
        read_back(model, model.to_pyomo())
    with pytest.raises(InvalidInputError, match="solve it, to an optimum, first"):
        read_back(model, model.to_highs())
    with pytest.raises(InvalidInputError, match=r"has 42 shares assign\[point, cluster\], the model 28"):
        read_back(AssignmentModel(PartitionPolytope(N, 2, 12, n_clusters=2), COSTS[:, :2]), model.to_cvxpy())


@pytest.mark.parametrize("row", [0, N, N + K])
def test_a_row_of_the_user_is_not_taken_for_one_that_was_deleted(row):
    highs = MODELS["plain"].to_highs()
    highs.deleteRows(1, np.array([row], dtype=np.int32))
    highs.addRow(-10.0, 0.5, 1, np.zeros(1, dtype=np.int32), np.ones(1))
    highs.run()
    with pytest.raises(InvalidInputError, match="which was deleted"):
        read_back(MODELS["plain"], highs)


@pytest.mark.parametrize("name", ["whole", "together", "optional", "whole costs"])
def test_worse_whole_assignments_are_told_by_how_much(name):
    model = MODELS[name]
    best = solve(model)
    polytope = model.polytope
    worse = solve(AssignmentModel(polytope, RNG.normal(size=(N, K)))).labels
    found = read_back(model, worse)
    assert found.better == pytest.approx(best.objective - model.value(worse))
    assert found.verify().verdict == f"not optimal, better by {found.better:.6g}"
    assert not found.verify().verified
    assert read_back(model, best.labels).status is Status.OPTIMAL
    broken = np.zeros(N, dtype=int)
    with pytest.raises(InvalidInputError, match="this is not a solution of the model"):
        read_back(model, broken)


@pytest.mark.parametrize("name", MODELS)
def test_instances_are_read_unchanged(name, tmp_path):
    model = MODELS[name]
    back = read_instance(model.write(tmp_path / "m.json"))
    assert repr(back.polytope) == repr(model.polytope)
    assert back.minimised == model.minimised
    labels = solve(model).labels
    assert back.value(labels) == model.value(labels)


@pytest.mark.parametrize("name", ["weights", "two sizes", "share", "costs", "whole two sizes"])
def test_partitions_of_what_came_back_have_cells_and_their_own_sense(name):
    model = MODELS[name]
    found = read_back(model, by_highs(model, ROWS[:1]))
    partition = partition_of(found)
    assert partition.proof is Proof.STEP
    if name == "costs":
        assert (partition.cells, partition.sense) == (None, "min")
        assert partition.objective == pytest.approx(-found.objective)
        return
    attributes = {"two sizes": W, "whole two sizes": W, "share": (np.arange(N) % 2 == 0).astype(float)}.get(name)
    predicted = partition.predict(X, attributes)  # the user's row moves single points
    assert np.mean(predicted == partition.labels) > 0.5
    plain = partition_of(solve(model))
    inside = np.ones(N, dtype=bool)
    inside[[point for point, _, _ in plain.splits]] = False
    if not model.polytope.is_discrete:
        np.testing.assert_array_equal(plain.predict(X, attributes)[inside], plain.labels[inside])

"""One record for linear programs, one for affine scores, one for exchange gaps: they agree with independent codes."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import Bounds, LinearConstraint, milp

from partitope.base.deadline import Deadline
from partitope.base.status import Status
from partitope.models import (
    AssignmentModel,
    Block,
    LinearScores,
    PartitionPolytope,
    PowerDiagram,
    Program,
)
from partitope.models.diagram.exchange_gaps import ExchangeGaps
from partitope.models.formats.arrays import names_of
from partitope.models.programs.program import TOLERANCES
from partitope.models.scores.scores import AffineScores
from partitope.solvers import solve
from partitope.solvers.linear_program import solve_linear
from partitope.solvers.transport.passes.rows import exchange_gaps, kernel_data

CAP = np.array([7.0, 5.0, 3.0])


def _knapsack(**change: object) -> Program:
    fields = {
        "cost": np.array([4.0, 3.0, 1.0]),
        "matrix": sp.csc_array(np.array([[3.0, 2.0, 1.0]])),
        "row_lower": np.array([-np.inf]),
        "row_upper": np.array([8.5]),
        "lower": np.zeros(3),
        "upper": CAP,
        "maximise": True,
        "columns": (Block.grid("a", 3),),
    }
    return Program(**(fields | change))  # type: ignore[arg-type]


@pytest.mark.parametrize("integral", [None, np.ones(3, dtype=bool), np.array([False, True, False])])
def test_a_program_is_solved_as_scipy_solves_it(integral):
    program = _knapsack(integral=integral)
    answer = solve_linear(program, deadline=Deadline(60.0))
    rows = LinearConstraint(program.matrix.toarray(), program.row_lower, program.row_upper)
    whole = None if integral is None else integral.astype(int)
    expected = milp(-program.cost, constraints=rows, bounds=Bounds(program.lower, program.upper), integrality=whole)
    assert answer.status == "kOptimal"
    assert answer.columns is not None
    assert answer.value == pytest.approx(-expected.fun)
    assert program.cost @ answer.columns == pytest.approx(answer.value)
    assert list(program.to_highs().getLp().col_names_) == ["a_0", "a_1", "a_2"]


@pytest.mark.parametrize("seed", range(6))
def test_units_of_rows_columns_and_costs_change_nothing_and_no_bound_is_too_high(seed):
    rng = np.random.default_rng(seed)
    r, c = 4, 12
    whole = rng.random(c) < 0.7 if seed % 2 else None
    dense, cost, upper = rng.random((r, c)) * (rng.random((r, c)) < 0.7), rng.random(c), rng.integers(1, 4, c) * 1.0
    least = dense @ upper * rng.uniform(0.2, 0.6, r)
    free = np.ones(c) if whole is None else np.where(whole, 1.0, 10.0 ** rng.integers(-8, 9, c))
    rows, unit = 10.0 ** rng.integers(-12, 13, r), 10.0 ** rng.integers(-12, 13)
    plain = milp(cost, constraints=LinearConstraint(dense, least), bounds=Bounds(0, upper),
                 integrality=None if whole is None else whole.astype(int), options={"mip_rel_gap": 0.0})  # fmt: skip
    program = Program(
        unit * cost / free, sp.csc_array(rows[:, None] * dense / free), rows * least, np.full(r, np.inf), np.zeros(c),
        upper * free, whole,
    )  # fmt: skip
    for value in (None, unit * plain.fun):
        answer = solve_linear(program, TOLERANCES, value=value)
        assert answer.value / unit == pytest.approx(plain.fun, rel=1e-6)
        assert answer.bound / unit == pytest.approx(plain.fun, rel=1e-6)
        assert answer.bound / unit <= plain.fun * (1 + 1e-12)


def test_a_program_without_a_solution_has_no_columns():
    answer = solve_linear(_knapsack(row_lower=np.array([100.0]), row_upper=np.array([200.0])))
    assert answer.status == "kInfeasible"
    assert answer.outcome is Status.INFEASIBLE
    assert answer.columns is None


def test_infeasible_is_said_only_with_a_proof():
    most = 3.0 * 7.0 + 2.0 * 5.0 + 3.0
    for beyond, proved in ((0.0, False), (1e-9, False), (1e-3, True)):  # the second is within tolerances
        answer = solve_linear(_knapsack(row_lower=np.array([most + beyond]), row_upper=np.array([40.0])))
        assert (answer.outcome is Status.INFEASIBLE) == proved


@pytest.mark.parametrize("weighted", [False, True])
def test_both_ways_to_write_the_rows_have_the_optimum_of_the_model(weighted):
    rng = np.random.default_rng(weighted)
    weights = rng.random(20) + 0.1 if weighted else None
    total = 20.0 if weights is None else weights.sum()
    polytope = PartitionPolytope(20, np.full(3, 0.2 * total), np.full(3, 0.45 * total), weights)
    model = AssignmentModel.lsa(rng.normal(size=(20, 2)), rng.normal(size=(3, 2)), polytope)
    program = model.explicit
    values = [solve_linear(written).value for written in (program.program, program.bounded, program.two_sided)]
    assert values == pytest.approx([solve(model).objective] * 3)
    written = program.program
    assert len(names_of(written.rows)) == written.matrix.shape[0] == 20 + 6


@pytest.mark.parametrize("kind", ["csa", "lsa"])
def test_affine_scores_are_those_of_models_and_diagrams(kind):
    rng = np.random.default_rng(5)
    X, sites, origin = rng.normal(size=(30, 3)), rng.normal(size=(4, 3)), rng.normal(size=3)
    scores = AffineScores.of(kind, sites if kind == "csa" else sites - origin, origin)
    diagram = PowerDiagram(sites, rng.normal(size=4), kind, origin)
    np.testing.assert_array_equal(scores.less(diagram.prices)(X), diagram.decision_function(X))
    np.testing.assert_allclose(scores.on(X).dense(), scores(X), rtol=1e-12, atol=1e-12)
    if kind == "lsa":
        squares = ((X[:, None] - sites) ** 2).sum(axis=2)
        np.testing.assert_allclose(((X - origin) ** 2).sum(axis=1)[:, None] - squares, scores(X), atol=1e-12)


def test_both_codes_for_exchange_gaps_and_the_definition_agree():
    rng = np.random.default_rng(7)
    scores = LinearScores(rng.normal(size=(50, 3)), rng.normal(size=(5, 3)), rng.normal(size=5), rng.normal(size=3))
    labels, weights = rng.integers(0, 4, 50), rng.integers(0, 2, 50).astype(float)  # cluster 4 is empty
    gaps = ExchangeGaps.of(scores, labels, weights)
    compiled = exchange_gaps(kernel_data(scores), labels, weights, 5)
    np.testing.assert_allclose(gaps.lengths, compiled, rtol=1e-12, atol=1e-12)
    gamma = scores.dense()
    for i in range(5):
        members = np.flatnonzero((labels == i) & (weights > 0))
        for l in range(5):
            expected = min((gamma[j, i] - gamma[j, l] for j in members), default=np.inf)
            assert gaps.lengths[i, l] == expected
            point = gaps.points[i, l]
            assert (point == -1) == (members.size == 0)
            if point >= 0:
                assert gamma[point, i] - gamma[point, l] == expected

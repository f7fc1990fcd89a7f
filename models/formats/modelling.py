"""The assignment program written out for other modelling tools, unsolved and with readable names.

    assign[j, i]      xi_ij, the share of point j in cluster i, 0 <= xi_ij <= 1
    point[j]          sum_i xi_ij = 1                 (1)
    size_lower[i]     sum_j w_j xi_ij >= l_i          (2), left half
    size_upper[i]     sum_j w_j xi_ij <= u_i          (2), right half
    rowsT_lower[q]    b_q <= sum_ij a_qij xi_ij       further rows of place T = 1, 2, ..., where there is a lower bound
    rowsT_upper[q]    sum_ij a_qij xi_ij <= B_q       and where there is an upper one

What people call further rows may be no name elsewhere: Pyomo has it as ``doc``. Pyomo and networkx take one name
each; cvxpy names blocks, whose entries are addressed by position. HiGHS, MPS and LP files have ``assign_J_I`` and the
like: `programs/linear_program.py` and `solver_files`. Everything is built in bulk: no expression is added up term
by term.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..programs.linear_program import ExplicitProgram


def pyomo_model(program: ExplicitProgram) -> Any:
    """A `pyomo.environ.ConcreteModel` with ``assign``, ``point``, ``size_lower``, ``size_upper`` and
    ``total_score``."""
    import pyomo.environ as pyo
    from pyomo.core.expr import LinearExpression

    n, k = program.shape
    model = pyo.ConcreteModel(name="assignment")
    model.points, model.clusters = pyo.RangeSet(0, n - 1), pyo.RangeSet(0, k - 1)
    domain = pyo.Binary if program.whole else pyo.Reals
    model.assign = pyo.Var(model.points, model.clusters, bounds=(0.0, 1.0), domain=domain)
    columns = list(model.assign.values())
    for part, _ in program.variables:
        kind = pyo.NonNegativeReals if not part.integral else pyo.Binary if part.upper == 1 else pyo.NonNegativeIntegers
        variables = pyo.Var(pyo.RangeSet(0, part.length - 1), bounds=(0.0, part.upper), domain=kind)
        model.add_component(part.name, variables)
        columns += variables.values()
    # a pair that is not allowed keeps its variable: shares are read back as a full table
    if program.allowed is not None:
        for column in np.flatnonzero(~program.allowed.ravel()).tolist():
            columns[column].setub(0.0)

    def total(coefficients: list[float], variables: list[Any]) -> Any:
        return LinearExpression(constant=0, linear_coefs=coefficients, linear_vars=variables)

    matrix, lefts = None, []
    for block in program.row_blocks:
        # rows are addressed by what they speak of, a point or a cluster
        index: list[Any] = block.index.tolist() if block.index.ndim == 1 else list(map(tuple, block.index.tolist()))
        rows = pyo.Constraint(pyo.Set(initialize=index, dimen=block.index.ndim), doc=block.doc or None)
        model.add_component(block.name, rows)
        if block.matrix is not matrix:  # both bounds on sizes share their terms
            matrix = block.matrix
            value, column, starts = (part.tolist() for part in (matrix.data, matrix.indices, matrix.indptr))
            ends = pairwise(starts)
            lefts = [total(value[a:b], [columns[c] for c in column[a:b]]) for a, b in ends]
        for number, left, bound in zip(index, lefts, block.bounds.tolist()):
            rows.add(
                number,
                left == bound
                if block.sense == "=="
                else (bound, left, None)
                if block.sense == ">="
                else (None, left, bound),
            )
    sense = pyo.maximize if program.maximise else pyo.minimize
    model.add_component(program.objective, pyo.Objective(expr=total(program.costs.tolist(), columns), sense=sense))
    return model


def cvxpy_problem(program: ExplicitProgram) -> Any:
    """A `cvxpy.Problem`; its variable is ``assign`` (n, k), its first constraints are point, size_lower, size_upper."""
    import cvxpy as cp

    most = 1.0 if program.allowed is None else program.allowed.astype(float)
    assign = cp.Variable(program.shape, name="assign", bounds=[0.0, most], boolean=program.whole)
    columns = cp.vec(assign, order="C")
    for part, _ in program.variables:
        kinds = {"boolean": part.integral and part.upper == 1, "integer": part.integral and part.upper != 1}
        bounds = None if kinds["boolean"] else [0.0, part.upper]
        columns = cp.hstack([columns, cp.Variable(part.length, name=part.name, bounds=bounds, **kinds)])
    constraints = []
    for block in program.row_blocks:
        left = block.matrix @ columns
        if block.sense == "==":
            constraints.append(left == block.bounds)
        else:
            constraints.append(left >= block.bounds if block.sense == ">=" else left <= block.bounds)
        constraints[-1].set_label(block.name)
    value = program.costs @ columns
    return cp.Problem(cp.Maximize(value) if program.maximise else cp.Minimize(value), constraints)


def networkx_graph(program: ExplicitProgram) -> Any:
    """A `networkx.DiGraph` whose minimum-cost flow is the optimum; for points of equal weight."""
    import networkx as nx

    n, k = program.shape
    lower, upper = program.lower.astype(int).tolist(), program.upper.astype(int).tolist()
    cost = (-program.cost if program.maximise else program.cost).tolist()
    graph = nx.DiGraph(name="assignment")
    graph.add_nodes_from((("point", j), {"demand": -1}) for j in range(n))
    graph.add_nodes_from((("cluster", i), {"demand": lower[i]}) for i in range(k))
    graph.add_node("sink", demand=n - sum(lower))
    allowed = np.ones((n, k), dtype=bool) if program.allowed is None else program.allowed
    graph.add_edges_from(
        (("point", j), ("cluster", i), {"weight": cost[j][i], "capacity": 1, "name": f"assign[{j}, {i}]"})
        for j, i in zip(*(where.tolist() for where in allowed.nonzero()))
    )
    graph.add_edges_from(
        (("cluster", i), "sink", {"weight": 0, "capacity": upper[i] - lower[i], "name": f"size_upper[{i}]"})
        for i in range(k)
    )
    return graph

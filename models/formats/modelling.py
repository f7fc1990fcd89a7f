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
    model.assign = pyo.Var(model.points, model.clusters, bounds=(0.0, 1.0))
    columns = list(model.assign.values())
    weights, ones = program.weights.tolist(), [1.0] * k

    def total(coefficients: list[float], variables: list[Any]) -> Any:
        return LinearExpression(constant=0, linear_coefs=coefficients, linear_vars=variables)

    sizes = [total(weights, columns[i::k]) for i in range(k)]
    model.point = pyo.Constraint(model.points, rule=lambda _, j: total(ones, columns[j * k : j * k + k]) == 1.0)
    model.size_lower = pyo.Constraint(model.clusters, rule=lambda _, i: sizes[i] >= float(program.lower[i]))
    model.size_upper = pyo.Constraint(model.clusters, rule=lambda _, i: sizes[i] <= float(program.upper[i]))
    if program.allowed is not None:
        for column in np.flatnonzero(~program.allowed.ravel()).tolist():
            columns[column].setub(0.0)
    for side in program.further_sides():
        block = pyo.Constraint(pyo.Set(initialize=side.index.tolist()), doc=side.place[0])
        model.add_component(side.name, block)
        for number, row, bound in zip(side.index.tolist(), side.matrix, side.bounds.tolist()):
            left = total(row.data.tolist(), [columns[c] for c in row.indices])
            block.add(number, left >= bound if side.lower else left <= bound)
    sense = pyo.maximize if program.maximise else pyo.minimize
    model.total_score = pyo.Objective(expr=total(program.cost.ravel().tolist(), columns), sense=sense)
    return model


def cvxpy_problem(program: ExplicitProgram) -> Any:
    """A `cvxpy.Problem`; its variable is ``assign`` (n, k), its constraints are point, size_lower, size_upper."""
    import cvxpy as cp

    assign = cp.Variable(program.shape, name="assign", bounds=[0.0, 1.0])
    sizes = program.weights @ assign
    constraints = [cp.sum(assign, axis=1) == 1.0, sizes >= program.lower, sizes <= program.upper]
    names = ["point", "size_lower", "size_upper"]
    if program.allowed is not None:
        constraints.append(assign <= program.allowed.astype(float))
        names.append("allowed")
    for side in program.further_sides():
        left = side.matrix @ cp.vec(assign, order="C")
        constraints.append(left >= side.bounds if side.lower else left <= side.bounds)
        names.append(side.name)
    for constraint, name in zip(constraints, names):
        if hasattr(constraint, "set_label"):
            constraint.set_label(name)
    value = cp.vdot(program.cost, assign)
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

"""The assignment program written out for other modelling tools, unsolved and with readable names.

    assign[j, i]      xi_ij, the share of point j in cluster i, 0 <= xi_ij <= 1
    point[j]          sum_i xi_ij = 1                 (1)
    size_lower[i]     sum_j w_j xi_ij >= l_i          (2), left half
    size_upper[i]     sum_j w_j xi_ij <= u_i          (2), right half

Pyomo and networkx take one name each; cvxpy names blocks, whose entries are addressed by position; HiGHS, MPS and
LP files carry the names as texts without the blank. Everything is built in bulk: no expression is added up term
by term.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ..assignment import AssignmentModel


class Numbers(NamedTuple):
    """Coefficients of an explicit program: objective (n, k), weights (n,), bounds (k,), and its sense."""

    objective: NDArray[np.float64]
    weights: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    maximise: bool

    @property
    def shape(self) -> tuple[int, int]:
        """(n, k)."""
        return self.objective.shape[0], self.objective.shape[1]


def numbers_of(model: AssignmentModel) -> Numbers:
    """The coefficients of a model as they stand: maximise the total score."""
    weights = model.point_weights
    objective = model.score_source.dense() * weights[:, None]
    upper = np.minimum(model.polytope.upper, model.polytope.total)
    return Numbers(objective, weights, model.polytope.lower, upper, True)


def pyomo_model(numbers: Numbers) -> Any:
    """A `pyomo.environ.ConcreteModel` with ``assign``, ``point``, ``size_lower``, ``size_upper`` and ``total_score``.

    Notes
    -----
    Pyomo holds one Python object a variable and a constraint: about 10 microseconds each.
    """
    import pyomo.environ as pyo
    from pyomo.core.expr import LinearExpression

    n, k = numbers.shape
    model = pyo.ConcreteModel(name="assignment")
    model.points, model.clusters = pyo.RangeSet(0, n - 1), pyo.RangeSet(0, k - 1)
    model.assign = pyo.Var(model.points, model.clusters, bounds=(0.0, 1.0))
    columns = list(model.assign.values())
    weights, ones = numbers.weights.tolist(), [1.0] * k

    def total(coefficients: list[float], variables: list[Any]) -> Any:
        return LinearExpression(constant=0, linear_coefs=coefficients, linear_vars=variables)

    sizes = [total(weights, columns[i::k]) for i in range(k)]
    model.point = pyo.Constraint(model.points, rule=lambda _, j: total(ones, columns[j * k : j * k + k]) == 1.0)
    model.size_lower = pyo.Constraint(model.clusters, rule=lambda _, i: sizes[i] >= float(numbers.lower[i]))
    model.size_upper = pyo.Constraint(model.clusters, rule=lambda _, i: sizes[i] <= float(numbers.upper[i]))
    sense = pyo.maximize if numbers.maximise else pyo.minimize
    model.total_score = pyo.Objective(expr=total(numbers.objective.ravel().tolist(), columns), sense=sense)
    return model


def cvxpy_problem(numbers: Numbers) -> Any:
    """A `cvxpy.Problem`; its variable is ``assign`` (n, k), its constraints are point, size_lower, size_upper."""
    import cvxpy as cp

    assign = cp.Variable(numbers.shape, name="assign", bounds=[0.0, 1.0])
    sizes = numbers.weights @ assign
    constraints = [cp.sum(assign, axis=1) == 1.0, sizes >= numbers.lower, sizes <= numbers.upper]
    for constraint, name in zip(constraints, ("point", "size_lower", "size_upper")):
        if hasattr(constraint, "set_label"):
            constraint.set_label(name)
    value = cp.vdot(numbers.objective, assign)
    return cp.Problem(cp.Maximize(value) if numbers.maximise else cp.Minimize(value), constraints)


def highs_model(numbers: Numbers, names: bool = True) -> Any:
    """A `highspy.Highs` that holds the program; names cost about a microsecond a variable."""
    import highspy

    n, k = numbers.shape
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = n * k, n + 2 * k
    lp.sense_ = highspy.ObjSense.kMaximize if numbers.maximise else highspy.ObjSense.kMinimize
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = numbers.objective.ravel(), np.zeros(n * k), np.ones(n * k)
    free = np.full(k, np.inf)
    lp.row_lower_ = np.concatenate([np.ones(n), numbers.lower, -free])
    lp.row_upper_ = np.concatenate([np.ones(n), free, numbers.upper])
    index = np.empty((n, k, 3), np.int32)
    index[:, :, 0] = np.arange(n)[:, None]
    index[:, :, 1] = np.arange(n, n + k)
    index[:, :, 2] = np.arange(n + k, n + 2 * k)
    value = np.ones((n, k, 3))
    value[:, :, 1:] = numbers.weights[:, None, None]
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = np.arange(0, 3 * n * k + 1, 3, dtype=np.int32)
    lp.a_matrix_.index_, lp.a_matrix_.value_ = index.ravel(), value.ravel()
    lp.model_name_ = "assignment"
    if names:
        lp.col_names_ = [f"assign[{j},{i}]" for j in range(n) for i in range(k)]
        lp.row_names_ = row_names(n, k)
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.passModel(lp)
    return highs


def row_names(n: int, k: int) -> list[str]:
    """Names of the rows of `highs_model`, in order."""
    sizes = [f"size_{side}[{i}]" for side in ("lower", "upper") for i in range(k)]
    return [f"point[{j}]" for j in range(n)] + sizes


def networkx_graph(numbers: Numbers) -> Any:
    """A `networkx.DiGraph` whose minimum-cost flow is the optimum; for points of equal weight.

    Notes
    -----
    Nodes ``("point", j)`` with demand -1, ``("cluster", i)`` with demand l_i, ``"sink"`` with the rest; arcs
    point -> cluster of capacity 1, cluster -> sink of capacity u_i - l_i. ``weight`` is a cost: scores are negated.
    """
    import networkx as nx

    n, k = numbers.shape
    lower, upper = numbers.lower.astype(int).tolist(), numbers.upper.astype(int).tolist()
    cost = (-numbers.objective if numbers.maximise else numbers.objective).tolist()
    graph = nx.DiGraph(name="assignment")
    graph.add_nodes_from((("point", j), {"demand": -1}) for j in range(n))
    graph.add_nodes_from((("cluster", i), {"demand": lower[i]}) for i in range(k))
    graph.add_node("sink", demand=n - sum(lower))
    graph.add_edges_from(
        (("point", j), ("cluster", i), {"weight": cost[j][i], "capacity": 1, "name": f"assign[{j}, {i}]"})
        for j in range(n)
        for i in range(k)
    )
    graph.add_edges_from(
        (("cluster", i), "sink", {"weight": 0, "capacity": upper[i] - lower[i], "name": f"size_upper[{i}]"})
        for i in range(k)
    )
    return graph

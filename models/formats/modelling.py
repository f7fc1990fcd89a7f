"""Programs written out for other modelling tools, unsolved and with readable names.

The blocks of a `Program` are its names in all of them. Those of the assignment program are

    assign[j, i]      xi_ij, the share of point j in cluster i
    point[j]          sum_i xi_ij = 1                 (1)
    size_lower[i]     sum_j w_j xi_ij >= l_i          (2), left half
    size_upper[i]     sum_j w_j xi_ij <= u_i          (2), right half
    rowsT_lower[q]    b_q <= sum_ij a_qij xi_ij       side constraints number T = 1, 2, ..., with a lower bound
    rowsT_upper[q]    sum_ij a_qij xi_ij <= B_q       and where there is an upper one

Names of side constraints may be invalid elsewhere: Pyomo has them as ``doc``. cvxpy names blocks, whose entries are
addressed by position. HiGHS, MPS and LP files have ``assign_J_I`` and the like. Everything is built in bulk: no
expression is added up term by term.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...base.errors import CapabilityError
from .arrays import INSTEAD, ProgramArrays, names_of, placed

if TYPE_CHECKING:
    import cvxpy as cp
    import networkx as nx
    import pyomo.environ as pyo
    import scipy.sparse as sp


def pyomo_model(program: ProgramArrays) -> pyo.ConcreteModel:
    """A `pyomo.environ.ConcreteModel`; columns with one value are fixed variables, so that tables stay whole."""
    import pyomo.environ as pyo
    from pyomo.core.expr import LinearExpression

    if program.semidefinite:
        raise CapabilityError("Pyomo takes no semidefinite matrices: use to_cvxpy()")
    model = pyo.ConcreteModel(name=program.name or "program")
    whole = np.zeros(program.cost.size) if program.integral is None else program.integral.astype(np.float64)
    ends = np.column_stack([whole, program.lower, program.upper])
    columns: list[pyo.Var] = []
    for block, at in placed(program.columns):
        # most columns of a block have the same bounds, the others are set one by one
        usual = ends[at][np.argmax(ends[at, 2] - ends[at, 1])]
        domain, bounds = _domain(*usual.tolist())
        variables = pyo.Var(pyo.Set(initialize=block.keys, dimen=block.index.ndim), domain=domain, bounds=bounds)
        model.add_component(block.name, variables)
        columns += variables.values()
        for c in np.flatnonzero((ends[at] != usual).any(axis=1)) + at.start:
            columns[c].domain, (least, most) = _domain(*ends[c].tolist())
            columns[c].setlb(least)
            columns[c].setub(most)
            if least == most and least is not None:
                columns[c].fix(least)
    matrix: sp.csr_array = program.matrix.tocsr()
    value, column, starts = (part.tolist() for part in (matrix.data, matrix.indices, matrix.indptr))
    sides = program.row_lower.tolist(), program.row_upper.tolist()
    low, up = ([value if np.isfinite(value) else None for value in side] for side in sides)

    def total(coefficients: list[float], variables: list[pyo.Var]) -> pyo.Expression:
        return LinearExpression(constant=0, linear_coefs=coefficients, linear_vars=variables)

    for block, at in placed(program.rows):
        # rows are addressed by what they speak of, a point or a cluster
        rows = pyo.Constraint(pyo.Set(initialize=block.keys, dimen=block.index.ndim), doc=block.doc or None)
        model.add_component(block.name, rows)
        for r, key in enumerate(block.keys, at.start):
            part = slice(starts[r], starts[r + 1])
            left = total(value[part], [columns[c] for c in column[part]])
            if r in program.quadratic:
                square = program.quadratic[r].tocoo()
                terms = zip(square.row.tolist(), square.col.tolist(), square.data.tolist())
                left = left + sum(coefficient * columns[a] * columns[b] for a, b, coefficient in terms)
            rows.add(key, left == low[r] if low[r] == up[r] else (low[r], left, up[r]))
    sense = pyo.maximize if program.maximise else pyo.minimize
    model.add_component(program.objective, pyo.Objective(expr=total(program.cost.tolist(), columns), sense=sense))
    return model


def _domain(whole: float, low: float, up: float) -> tuple[Any, tuple[float | None, float | None]]:
    """Pyomo's set of values, whose sign its transformations look at, and the bounds."""
    import pyomo.environ as pyo

    bounds = low if np.isfinite(low) else None, up if np.isfinite(up) else None
    if whole:
        return pyo.Binary if (low, up) == (0.0, 1.0) else pyo.Integers, bounds
    return pyo.NonNegativeReals if low >= 0.0 else pyo.NonPositiveReals if up <= 0.0 else pyo.Reals, bounds


def cvxpy_problem(program: ProgramArrays) -> cp.Problem:
    """A `cvxpy.Problem` with a variable per block of columns, and a constraint per block and sense of rows."""
    import cvxpy as cp

    variables = []
    for block, at in placed(program.columns):
        low, up = (side[at].reshape(block.shape) for side in (program.lower, program.upper))
        bounds = [low, up] if np.isfinite(np.append(low, up)).any() else None
        whole = np.zeros(block.shape, dtype=bool)
        if program.integral is not None:
            whole = program.integral[at].reshape(block.shape)
        binary = bool(whole.all() and low.min() >= 0.0 and up.max() <= 1.0)
        kind = {} if binary or not whole.any() else {"integer": np.nonzero(whole)}
        variables.append(cp.Variable(block.shape, name=block.name, bounds=bounds, boolean=binary, **kind))
    parts = [cp.vec(variable, order="C") for variable in variables]
    columns = parts[0] if len(parts) == 1 else cp.hstack(parts)
    matrix: sp.csr_array = program.matrix.tocsr()
    constraints = []
    for block, at in placed(program.rows):
        low, up = program.row_lower[at], program.row_upper[at]
        squares = np.isin(np.arange(at.start, at.stop), list(program.quadratic))
        equal = (low == up) & ~squares
        kinds = {"": equal, "_lower": np.isfinite(low) & ~equal, "_upper": np.isfinite(up) & ~equal}
        used = {suffix: np.flatnonzero(rows) for suffix, rows in kinds.items() if rows.any()}
        for suffix, rows in used.items():
            left = matrix[at][rows] @ columns
            if squares.any():
                left = left + cp.hstack([_square(program, at.start + r, columns, suffix) for r in rows.tolist()])
            constraints.append(
                left == low[rows] if not suffix else left >= low[rows] if suffix == "_lower" else left <= up[rows]
            )
            constraints[-1].set_label(block.name + suffix * (len(used) > 1))
    for square in program.semidefinite:
        constraints.append(cp.reshape(columns[square.ravel()], square.shape, order="C") >> 0)
    value = program.cost @ columns
    return cp.Problem(cp.Maximize(value) if program.maximise else cp.Minimize(value), constraints)


def _square(program: ProgramArrays, row: int, columns: cp.Expression, suffix: str) -> cp.Expression:
    """x'Qx of a row with a matrix that is convex for this side; CapabilityError where it is not."""
    import cvxpy as cp

    if row not in program.quadratic:
        return 0.0
    square = program.quadratic[row].tocsr()
    used = np.unique(np.concatenate(square.nonzero()))
    dense = square[used][:, used].toarray()
    values = np.linalg.eigvalsh(dense) * (-1.0 if suffix == "_lower" else 1.0)
    if values.min(initial=0.0) < -1e-12 * np.abs(values).max(initial=0.0):
        raise CapabilityError(
            f"cvxpy takes no quadratic rows that are not convex, such as {names_of(program.rows)[row]}: {INSTEAD}"
        )
    return cp.quad_form(columns[used], cp.psd_wrap(dense) if suffix == "_upper" else -cp.psd_wrap(-dense))


def networkx_graph(
    costs: NDArray, lower: NDArray[np.float64], upper: NDArray[np.float64], allowed: NDArray[np.bool_] | None
) -> nx.DiGraph:
    """A `networkx.DiGraph` whose minimum-cost flow is the optimum for costs (n, k); for points of equal weight."""
    import networkx as nx

    (n, k), cost, low, up = costs.shape, costs.tolist(), lower.astype(int).tolist(), upper.astype(int).tolist()
    graph = nx.DiGraph(name="assignment")
    graph.add_nodes_from((("point", j), {"demand": -1}) for j in range(n))
    graph.add_nodes_from((("cluster", i), {"demand": low[i]}) for i in range(k))
    graph.add_node("sink", demand=n - sum(low))
    allowed = np.ones((n, k), dtype=bool) if allowed is None else allowed
    graph.add_edges_from(
        (("point", j), ("cluster", i), {"weight": cost[j][i], "capacity": 1, "name": f"assign[{j}, {i}]"})
        for j, i in zip(*(where.tolist() for where in allowed.nonzero()))
    )
    graph.add_edges_from(
        (("cluster", i), "sink", {"weight": 0, "capacity": up[i] - low[i], "name": f"size_upper[{i}]"})
        for i in range(k)
    )
    return graph

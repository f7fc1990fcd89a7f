"""What a solved program of Pyomo, cvxpy or HiGHS says: shares, duals, and what its user added to it.

Every row keeps the sign of prices: nu is the change of the total score for one unit more of the right-hand side, so
that nu > 0 only at an upper and nu < 0 only at a lower bound. Tools state duals like this:

    Pyomo   suffix ``dual``   change of their objective for one unit more of the right-hand side
    HiGHS   row_dual          the same
    cvxpy   dual_value        not negative for <= and for >=; of ``expr == 0`` as of ``expr <= 0``

Custom rows come back with the name of the constraint (Pyomo), its label (cvxpy) or the row's (HiGHS).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...base.errors import InvalidInputError
from ...models.polytope.rows import sparse_rows
from ...models.programs.assignment import AssignmentModel
from ...models.programs.linear_program import ExplicitProgram

if TYPE_CHECKING:
    import cvxpy as cp
    import highspy
    import pyomo.environ as pyo
    import scipy.sparse as sp


@dataclass(eq=False)
class Answer:
    """An answer, and the model that it answers: the exported one with the rows and bounds of its user."""

    model: AssignmentModel
    shares: NDArray[np.float64]  # (n, k): xi
    tool: str
    prices: dict[str, NDArray[np.float64]] | None = None  # Prices of sizes and side constraints, by name, or None.
    open: list[str] = field(default_factory=list)  # Rows and other requirements that are not linear in xi.
    said: str = ""

    def add(self, name: str, matrix: sp.csr_array, lower: Any, upper: Any, duals: Any) -> None:
        """Custom rows, lower <= matrix xi <= upper, with their prices (q,) if known."""
        polytope = self.model.polytope
        while name in polytope.row_names:
            name += "_"
        rows = sparse_rows(name, matrix, lower, upper, self.shares.shape)
        self.model = replace(self.model, polytope=polytope.with_constraint(rows))
        if self.prices is not None:
            self.prices[name] = np.zeros(len(rows)) if duals is None else np.asarray(duals, dtype=np.float64)

    def narrow(self, low: NDArray[np.float64], up: NDArray[np.float64]) -> None:
        """Bounds (n k,) on the shares, NaN where there is none: barred pairs, fixed points, and rows for others."""
        k, polytope = self.shares.shape[1], self.model.polytope
        barred, forced = up <= 0.0, low >= 1.0
        new = barred if polytope.allowed is None else barred & polytope.allowed.ravel()
        if new.any():
            polytope = polytope.allow(~barred.reshape(-1, k))
        if forced.any():
            polytope = polytope.fix(*np.divmod(np.flatnonzero(forced), k))
        self.model = replace(self.model, polytope=polytope)
        between = np.flatnonzero(~barred & ~forced & ((low > 0.0) | (up < 1.0)))
        if between.size:
            matrix = _matrix([([c], [1.0]) for c in between.tolist()], low.size)
            self.add("bounds on shares", matrix, low[between], up[between], None)

    def demand_whole(self, kinds: NDArray[np.bool_]) -> None:
        """Which shares (n k,) have to be whole numbers."""
        if kinds.all():
            self.model = replace(self.model, polytope=self.model.polytope.whole())
        elif kinds.any():
            self.open.append("whole numbers for some shares")

    def compare(self, program: ExplicitProgram, stated: float, opened: NDArray[np.float64] | float = 0.0) -> None:
        """Notice an objective that is not the model's, by its value."""
        costs = program.costs[program.cost.size :][: program.shape[1]]  # those of further columns are zero
        terms = np.append(program.cost * self.shares, costs * opened if program.open_costs is not None else 0.0)
        if not abs(terms.sum() - stated) <= 1e-6 * max(float(np.abs(terms).sum()), 1e-300):
            self.open.append("an objective that is not the model's")


def read_answer(model: AssignmentModel, solved: object) -> Answer | None:
    """The answer in a solved program of Pyomo, cvxpy or HiGHS; None for any other object."""
    readers = {"pyomo": _of_pyomo, "cvxpy": _of_cvxpy, "highspy": _of_highs}
    kinds = {part.__module__.partition(".")[0] for part in type(solved).__mro__}
    for tool, reader in readers.items():
        if tool in kinds:
            return reader(model, solved)
    return None


def _of_pyomo(model: AssignmentModel, solved: pyo.ConcreteModel) -> Answer:
    import pyomo.environ as pyo
    from pyomo.repn import generate_standard_repn

    program, assign = model.explicit, solved.component("assign")
    sizes = {rows[0].name: rows[0].size for rows in program.row_blocks}
    columns = [] if assign is None else list(assign.values())
    answer = _begun(model, columns, lambda: [v.value for v in columns], f"pyomo: {solved.name}")
    low, up = (np.array(side, dtype=np.float64) for side in ([v.lb for v in columns], [v.ub for v in columns]))
    # a variable that was fixed has no column in the solver: its value is a bound
    fixed = [c for c, v in enumerate(columns) if v.fixed]
    low[fixed] = up[fixed] = answer.shares.ravel()[fixed]
    answer.narrow(low, up)
    answer.demand_whole(np.array([not v.is_continuous() for v in columns]))
    objectives = list(solved.component_data_objects(pyo.Objective, active=True))
    duals: Any = next((s for s in solved.component_objects(pyo.Suffix, active=True) if s.local_name == "dual"), {})
    # our prices are those of a maximisation
    sign = -1.0 if not objectives or objectives[0].is_minimizing() else 1.0

    def of_rows(rows: Iterable[pyo.Constraint]) -> NDArray[np.float64]:
        return sign * np.array([duals.get(row, 0.0) for row in rows])

    def of_block(block: str) -> NDArray[np.float64]:
        rows = solved.component(block)
        return np.zeros(sizes[block]) if rows is None else of_rows(rows.values())

    if len(duals):
        answer.prices = _named(program, of_block)
    # rows that are not ours become rows of the model, so that they have prices and are checked
    place = {id(v): c for c, v in enumerate(columns)}
    for part in solved.component_objects(active=True):
        if part.name in sizes or not part.ctype.__name__.endswith(("Constraint", "Disjunction")):
            continue
        rows = [row for row in part.values() if row.active]
        linear = [generate_standard_repn(row.body, quadratic=False) for row in rows if part.ctype is pyo.Constraint]
        if not linear or not all(r.is_linear() and all(id(v) in place for v in r.linear_vars) for r in linear):
            answer.open.append(f"row {part.name!r}")
            continue
        matrix = _matrix([([place[id(v)] for v in r.linear_vars], r.linear_coefs) for r in linear], len(columns))
        least = [-np.inf if row.lb is None else row.lb - r.constant for row, r in zip(rows, linear)]
        most = [np.inf if row.ub is None else row.ub - r.constant for row, r in zip(rows, linear)]
        answer.add(part.name, matrix, least, most, of_rows(rows))
    opened = 0.0 if program.open_costs is None else np.array([v.value for v in solved.component("open").values()])
    expression = objectives[0].expr if len(objectives) == 1 else None
    if getattr(expression, "linear_coefs", None) != tuple(program.costs.tolist()):  # evaluating it takes long
        answer.compare(program, float("nan") if expression is None else pyo.value(expression), opened)
    return answer


def _of_cvxpy(model: AssignmentModel, solved: cp.Problem) -> Answer:
    from cvxpy.constraints import Equality, Inequality, Zero

    program, (n, k) = model.explicit, model.score_source.shape
    variables = {v.name(): v for v in solved.variables()}
    assign: cp.Variable = variables.get("assign")
    columns = range(0 if assign is None else assign.size)
    answer = _begun(model, columns, lambda: [np.nan] if assign.value is None else assign.value.ravel(),
                    f"cvxpy: {solved.status}")  # fmt: skip
    answer.demand_whole(np.array([bool(assign.attributes["boolean"])]))
    sizes = {rows[0].name: rows[0].size for rows in program.row_blocks}
    # labels tell our rows from others, in whatever order they stand
    ours = {row.label: row for row in solved.constraints if row.label in sizes}

    def of_block(block: str) -> NDArray[np.float64]:
        row = ours.get(block)
        return np.zeros(sizes[block]) if row is None else _cvxpy_duals(row, block.endswith("_lower"))

    if all(row.dual_value is not None for row in solved.constraints):
        answer.prices = _named(program, of_block)
    order = np.arange(n * k).reshape(k, n).T.ravel()  # cvxpy stores columns one after the other
    for number, row in enumerate(solved.constraints):
        if row.label in ours:
            continue
        name = row.label or f"constraint {number}"
        if not isinstance(row, (Equality, Inequality, Zero)) or not row.expr.is_affine() or row.variables() != [assign]:
            answer.open.append(f"row {name!r}")
            continue
        # an affine expression is its gradient and its value at any point
        gradient = row.expr.grad[assign]
        side = gradient.T @ assign.value.ravel(order="F") - np.ravel(row.expr.value, order="F")
        matrix, least = gradient.T.tocsr()[:, order], isinstance(row, Inequality) and row.args[0].is_constant()
        equal = not isinstance(row, Inequality)
        low, up = (side if equal else -np.inf), side
        if least:
            matrix, low, up = -matrix, -side, np.inf
        answer.add(name, matrix, low, up, None if answer.prices is None else _cvxpy_duals(row, least))
    opened = 0.0 if program.open_costs is None else variables["open"].value
    answer.compare(program, float(solved.objective.value), opened)
    return answer


def _cvxpy_duals(row: cp.Constraint, least: bool) -> NDArray[np.float64]:
    """Prices of the rows of a constraint, which are lower bounds or not."""
    return (-1.0 if least else 1.0) * np.ravel(np.asarray(row.dual_value, dtype=np.float64), order="F")


def _of_highs(model: AssignmentModel, solved: highspy.Highs) -> Answer:
    import highspy

    program, size = model.explicit, model.score_source.shape[0] * model.score_source.shape[1]
    lp, solution, info, status = solved.getLp(), solved.getSolution(), solved.getInfo(), solved.getModelStatus().name
    last = solved.getColName(size - 1)[1] if lp.num_col_ >= size else ""
    columns = range(size if lp.num_col_ >= program.costs.size and last in ("", _last(model)) else 0)
    values = np.array(solution.col_value if solution.value_valid else [np.nan])
    answer = _begun(model, columns, lambda: values[:size], f"highs: {status}")
    answer.narrow(np.array(lp.col_lower_)[:size], np.array(lp.col_upper_)[:size])
    kinds = lp.integrality_[:size] if len(lp.integrality_) else []
    answer.demand_whole(np.array([kind == highspy.HighsVarType.kInteger for kind in kinds] or [False]))
    sign = 1.0 if lp.sense_ == highspy.ObjSense.kMaximize else -1.0
    duals, start, stops = sign * np.array(solution.row_dual), 0, {}
    for block, *_ in program.row_blocks:
        stops[block.name] = slice(start, start := start + block.size)
        for r, name in zip(range(start - block.size, start), block.names):
            there = solved.getRowName(r)[1] if r < lp.num_row_ else "no row"
            if there not in ("", name):
                raise InvalidInputError(
                    f"solved has {there!r} in place of its model's row {name!r}, which was deleted: export it anew, "
                    f"and keep its rows"
                )
    if solution.dual_valid:
        answer.prices = _named(program, lambda block: duals[stops[block]])
    for r in range(start, lp.num_row_):
        name = solved.getRowName(r)[1] or f"row {r}"
        where, values_of = solved.getRowEntries(r)[1:]
        if where.size and where.max() >= size:
            answer.open.append(f"row {name!r}")
            continue
        low, up = solved.getRow(r)[1:3]
        answer.add(name, _matrix([(where, values_of)], size), low, up, duals[[r]] if solution.dual_valid else None)
    value = float(info.objective_function_value) * (1.0 if (sign > 0) == program.maximise else -1.0)
    answer.compare(program, value, 0.0 if program.open_costs is None else values[size : size + program.shape[1]])
    return answer


def _last(model: AssignmentModel) -> str:
    n, k = model.score_source.shape
    return f"assign_{n - 1}_{k - 1}"


def _begun(model: AssignmentModel, columns: Sequence[object], values: Callable[[], object], said: str) -> Answer:
    """The answer with its shares (n, k), refused when there are none."""
    shape, tool = model.score_source.shape, said.partition(":")[0]
    if len(columns) != shape[0] * shape[1]:
        raise InvalidInputError(
            f"solved has {len(columns)} shares assign[point, cluster], the model {shape[0] * shape[1]}: pass what "
            f"its own to_{tool}() gave"
        )
    found = np.array(values(), dtype=np.float64)
    if not np.isfinite(found).all():
        raise InvalidInputError(f"solved has no values of its shares ({said}): solve it, to an optimum, first")
    return Answer(model, np.clip(found, 0.0, 1.0).reshape(shape), tool, said=said)


def _named(program: ExplicitProgram, of_block: Callable[[str], NDArray[np.float64]]) -> dict[str, NDArray[np.float64]]:
    """Prices by name of the exported rows; those of sizes under an empty one."""
    return dict(zip(["", *(rows.name for rows in program.further)], program.row_duals(of_block)))


def _matrix(rows: Iterable[tuple[Any, Any]], width: int) -> sp.csr_array:
    """Sparse rows from their columns and coefficients."""
    import scipy.sparse as sp

    rows = list(rows)
    lengths = [len(where) for where, _ in rows]
    where = np.concatenate([np.asarray(part, dtype=np.int64) for part, _ in rows])
    values = np.concatenate([np.asarray(part, dtype=np.float64) for _, part in rows])
    matrix = sp.csr_array((values, where, np.append(0, np.cumsum(lengths))), shape=(len(rows), width))
    matrix.sum_duplicates()
    return matrix

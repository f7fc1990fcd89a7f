"""What the bounds of one name cost: the optimum of the assignment program while they are loosened or tightened.

With slack t the bounds of the name become  lower - t  and  upper + t;  of shares the bounds alpha - t and beta + t,
kept between 0 and 1. All others stay. The optimum is found and certified at every t of a grid, and the prices give its
slope, where it has one:

    dV/dt = sum of |nu_q| over the rows of the name whose bounds move;  of shares, |nu_q| times the size of the cluster

For bounds on sums, and for shares in clusters of fixed sizes, V is concave and piecewise linear in t (as a maximum; a
least-squares cost is convex), so that these slopes are those of supporting lines. Between two points of the path their
lines meet at t'. Where V(t') lies on them, t' is a breakpoint and the only one between the two; otherwise the same is
done on both sides of it (Eisner and Severance 1976). Every breakpoint is found by at most two solves. With sizes that
vary, t stands in the coefficients of a share, and V is piecewise a quotient of polynomials in t.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_floats, one_of
from ...base.errors import CapabilityError, InfeasibleBoundsError, InvalidInputError, NotOptimalError
from ...models.polytope.group_shares import shares_as_sums
from ...models.polytope.polytope import PartitionPolytope
from ...models.polytope.rows import AttributeRows
from ...models.polytope.shares import Shares
from ...models.programs.assignment import AssignmentModel
from ...models.programs.linear_program import TOLERANCES, ExplicitProgram
from ...output.style import axes_of
from ..linear_program import solve_linear
from ..solution import AssignmentSolution
from .solve import solve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BREAKPOINTS = 2000
SAME = 1e-11  # of what the choice of clusters can change: values that differ by less are one
ROOM = 1e-9  # of the total weight, from the least slack on: HiGHS keeps rows up to a tolerance


@dataclass(frozen=True, eq=False)
class NamedBoundsPath:
    """The optimum as a function of the slack of the bounds of one name.

    Attributes
    ----------
    name : str
        Whose bounds move.
    slack : (m,) ndarray
        t, increasing.
    value : (m,) ndarray
        Sum of squares of a least-squares model, a minimum, otherwise the sum of scores, a maximum; nan where no
        assignment exists.
    slopes : (m,) ndarray
        A slope of ``value`` in t from the prices, between those on the two sides; nan where no assignment exists.
    solutions : tuple of AssignmentSolution or None
        The certified optima; None where no assignment exists.
    exact : bool
        Whether the slacks are the ends and all breakpoints between them, so that ``value`` is linear between two.
    """

    name: str
    slack: NDArray[np.float64]
    value: NDArray[np.float64]
    slopes: NDArray[np.float64]
    solutions: tuple[AssignmentSolution | None, ...]
    exact: bool = False

    def __call__(self, slack: ArrayLike) -> NDArray[np.float64]:
        """The optimum at any slack between the ends of an exact path; nan outside."""
        if not self.exact:
            raise CapabilityError("the path is known on its grid alone: ask for it with exact=True")
        return np.interp(as_floats(slack, "slack"), self.slack, self.value, left=np.nan, right=np.nan)

    def pieces(self) -> pd.DataFrame:
        """The linear pieces of an exact path: start, end, value at the start, slope."""
        ends = self(self.slack)
        slope = np.diff(ends) / np.diff(self.slack)
        return pd.DataFrame({"start": self.slack[:-1], "end": self.slack[1:], "value": ends[:-1], "slope": slope})

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the optimum against the slack: a line where the path is exact, dots where it is known on its grid."""
        axes = axes_of(ax)
        axes.plot(self.slack, self.value, color="black", lw=1.4, ls="-" if self.exact else ":", marker="o", ms=3.2)
        axes.set(xlabel=f"slack of the bounds on {self.name}", ylabel="optimum, fixed sites")
        return axes

    @property
    def price(self) -> NDArray[np.float64]:
        """What the bounds cost (m,): by how much the value is worse than at the loosest slack."""
        return np.abs(self.value - self.value[-1])

    def table(self) -> pd.DataFrame:
        """A row for every slack: slack, value, slope, price, feasible."""
        return pd.DataFrame(
            {
                "slack": self.slack,
                "value": self.value,
                "slope": self.slopes,
                "price": self.price,
                "feasible": [solution is not None for solution in self.solutions],
            }
        )


def path_of_name(
    model: AssignmentModel, name: str, slack: ArrayLike, vary: Literal["lower", "upper", "width"], *, exact: bool
) -> NamedBoundsPath:
    """`bounds_path` with a name of the polytope; slack (m,)."""
    one_of(vary, "vary", ("lower", "upper", "width"))
    grid = np.unique(as_floats(slack, "slack").ravel())
    if not grid.size or not np.isfinite(grid).all():
        raise InvalidInputError(f"slack={slack!r} must be finite numbers, at least one")
    found: list[AssignmentSolution | None] = []
    if exact:
        grid, found = _breakpoints(model, name, grid, vary)
    else:
        warm: AssignmentSolution | None = None
        for t in grid[::-1]:
            try:
                warm = _optimum(model, name, float(t), vary, warm)
                found.insert(0, warm)
            except InfeasibleBoundsError:
                found.insert(0, None)
    values = np.array([np.nan if solution is None else _value(solution) for solution in found])
    slopes = np.array([np.nan if solution is None else _slope(solution, name, vary) for solution in found])
    return NamedBoundsPath(name, grid, values, slopes, tuple(found), exact)


def _optimum(
    model: AssignmentModel, name: str, t: float, vary: str, near: AssignmentSolution | None
) -> AssignmentSolution:
    """The optimum at slack t, from the prices of one that is near."""
    looser = loosened(model.polytope, name, t, vary)
    warm: Any = None if near is None else near.prices if looser.is_plain else near.named_prices
    return solve(replace(model, polytope=looser), warm_start=warm)


def _breakpoints(
    model: AssignmentModel, name: str, grid: NDArray[np.float64], vary: str
) -> tuple[NDArray[np.float64], list[AssignmentSolution | None]]:
    """Ends and breakpoints, and the optimum at each."""
    model = _with_linear_bounds(model, name)
    last = _optimum(model, name, float(grid[-1]), vary, None)
    known = {float(grid[-1]): last}
    start = float(grid[0])
    try:
        known[start] = _optimum(model, name, start, vary, last)
    except InfeasibleBoundsError:
        start = _least_slack(model, name, vary)
        known[start] = _optimum(model, name, start, vary, last)
    sign = -1.0 if model.kind == "lsa" else 1.0
    todo = [(start, float(grid[-1]))] if start < grid[-1] else []
    while todo:
        a, b = todo.pop()
        (low, rise), (high, fall) = ((known[t].objective, sign * _slope(known[t], name, vary)) for t in (a, b))
        room = SAME * known[b].verify().magnitude
        if low + rise * (b - a) - high <= room or high - fall * (b - a) - low <= room:
            continue  # one of the lines is the function
        t = (high - low + rise * a - fall * b) / (rise - fall)
        if not a < t < b:
            continue
        if len(known) >= MOST_BREAKPOINTS:
            raise NotOptimalError(
                f"the path has more than {MOST_BREAKPOINTS} breakpoints between {grid[0]:g} and {grid[-1]:g}: ask for "
                f"less of it, or for a grid"
            )
        known[t] = _optimum(model, name, t, vary, known[b])
        if low + rise * (t - a) - known[t].objective > room:
            todo += [(a, t), (t, b)]
    at = _bends(np.array(sorted(known)), known, 10.0 * SAME * last.verify().magnitude)
    return at, [known[t] for t in at.tolist()]


def _with_linear_bounds(model: AssignmentModel, name: str) -> AssignmentModel:
    """The model with bounds that may be any numbers, and a share of this name as bounds on a sum."""
    polytope = model.polytope
    share = next((rows for rows in polytope.further if rows.name == name and getattr(rows, "relative", False)), None)
    if isinstance(share, AttributeRows):
        if not np.array_equal(polytope.lower, polytope.upper) or not polytope.lower.all():
            raise CapabilityError(
                f"exact=True takes bounds on sums, and those of the share {name!r} stand in the coefficients, with "
                f"sizes that vary: fix the sizes, or leave it out, the path is then exact at every slack of the grid"
            )
        sums = shares_as_sums(share, polytope.lower)
        polytope = replace(polytope, further=tuple(sums if rows is share else rows for rows in polytope.further))
    if polytope.weights is None:  # without weights bounds have to be whole
        polytope = replace(polytope, weights=np.ones(polytope.n_points))
    return replace(model, polytope=polytope)


def _bends(at: NDArray[np.float64], known: dict[float, AssignmentSolution], room: float) -> NDArray[np.float64]:
    """The ends and the slacks between them at which the optimum is off the line of their neighbours."""
    while at.size > 2:
        value = np.array([known[t].objective for t in at.tolist()])
        part = (at[1:-1] - at[:-2]) / (at[2:] - at[:-2])
        off = value[1:-1] - (1.0 - part) * value[:-2] - part * value[2:]
        if off.min() > room:
            break
        at = np.delete(at, 1 + int(off.argmin()))
    return at


def _least_slack(model: AssignmentModel, name: str, vary: str) -> float:
    """The least slack at which there is an assignment: the program with the slack as one more column."""
    program = ExplicitProgram.of(model).linear_program
    n, polytope = model.polytope.n_points, model.polytope
    sizes = [polytope.n_clusters, *(len(rows) for rows in polytope.further)]
    first = n + sum(sizes[: polytope.row_names.index(name)])
    moving = np.arange(first, first + sizes[polytope.row_names.index(name)])
    sides = [("lower", 1.0)] * (vary != "upper") + [("upper", -1.0)] * (vary != "lower")
    lower, upper = program.row_lower.copy(), program.row_upper.copy()
    blocks, low, up = [program.matrix], [lower], [upper]
    column = [np.zeros(len(lower))]
    for side, factor in sides:  # lower <= a x + t and a x - t <= upper, in place of lower <= a x <= upper
        blocks.append(program.matrix[moving])
        column.append(np.full(moving.size, factor))
        low.append(lower[moving] if side == "lower" else np.full(moving.size, -np.inf))
        up.append(upper[moving] if side == "upper" else np.full(moving.size, np.inf))
    for side, _ in sides:
        (lower if side == "lower" else upper)[moving] = -np.inf if side == "lower" else np.inf
    matrix = sp.hstack([sp.vstack(blocks), sp.csc_array(np.concatenate(column)[:, None])]).tocsc()
    least = replace(
        program,
        cost=np.append(np.zeros(program.cost.size), 1.0),
        matrix=matrix,
        row_lower=np.concatenate(low),
        row_upper=np.concatenate(up),
        lower=np.append(program.lower, -np.inf),
        upper=np.append(program.upper, np.inf),
        maximise=False,
        column_names=(),
        row_names=(),
    )
    found = solve_linear(least, TOLERANCES).require_optimum("the least slack")[-1]
    return float(found + ROOM * polytope.total)


def loosened(polytope: PartitionPolytope, name: str, t: float, vary: str) -> PartitionPolytope:
    """The polytope whose bounds of one name are loosened by t; InvalidInputError when lower ones exceed upper ones."""
    below, above = (t if vary != "upper" else 0.0), (t if vary != "lower" else 0.0)
    if name == polytope.row_names[0]:
        return replace(polytope, lower=np.maximum(polytope.lower - below, 0.0), upper=polytope.upper + above)
    further: list[Any] = []
    for rows in polytope.further:
        if rows.name != name:
            further.append(rows)
        elif isinstance(rows, AttributeRows) and rows.relative:
            coefficients = rows.coefficients.copy()
            change = np.where(np.isfinite(rows.lower), -below, above)
            coefficients[:, 1] = -np.clip(-coefficients[:, 1] + change, 0.0, 1.0)
            further.append(replace(rows, coefficients=coefficients))
        else:
            further.append(replace(rows, lower=rows.lower - below, upper=rows.upper + above))
    return replace(polytope, further=tuple(further))


def _value(solution: AssignmentSolution) -> float:
    model = solution.model
    if model.kind != "lsa":
        return solution.objective
    labels = solution.require_labels()
    return model.cost(labels) + model.value(labels) - solution.objective


def _slope(solution: AssignmentSolution, name: str, vary: str) -> float:
    """A slope of the value in t, of the module's head."""
    polytope, nu = solution.model.polytope, solution.named_prices[name]
    moving, amounts = {"lower": nu < 0, "upper": nu > 0, "width": nu != 0}[vary], np.abs(nu)
    for rows in polytope.further:
        if rows.name == name and isinstance(rows, AttributeRows) and rows.relative:
            bounds = -rows.coefficients[:, 1]
            moving = moving & (bounds > 0) & (bounds < 1)
            amounts = amounts * sizes_of(solution)[rows.clusters]
    total = float(amounts[moving].sum())
    return 0.0 - total if solution.model.kind == "lsa" else total


def sizes_of(solution: AssignmentSolution) -> NDArray[np.float64]:
    """Sizes (k,) of the clusters, counting shares of divided points."""
    polytope = solution.model.polytope
    return Shares.of(solution.require_labels(), solution.splits, polytope.n_clusters).sizes(
        polytope.weights, polytope.n_clusters
    )

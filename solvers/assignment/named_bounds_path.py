"""What the bounds of one name cost: the optimum of the assignment program while they are loosened or tightened.

With slack t the bounds of the name become  lower - t  and  upper + t;  of shares the bounds alpha - t and beta + t,
kept between 0 and 1. All others stay. The optimum is found and certified at every t of a grid, and the prices give its
slope, where it has one:

    dV/dt = sum of |nu_q| over the rows of the name whose bounds move;  of shares, |nu_q| times the size of the cluster

For bounds on sums, and for shares in clusters of fixed sizes, V is concave and piecewise linear in t (as a maximum; a
least-squares cost is convex), so that these slopes are those of supporting lines. The lines of two slacks meet at a t'
between them. If V(t') is on the lines, t' is the only breakpoint there; otherwise both sides of t' are searched in
the same way (Eisner and Severance, J. ACM 23, 1976), with two solves per breakpoint at most. With sizes that vary, t
appears in the coefficients of a share, and V is piecewise a quotient of polynomials in t.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_floats, one_of
from ...base.errors import CapabilityError, InfeasibleBoundsError, InvalidInputError
from ...base.one_line import OneLine
from ...models.polytope.polytope import PartitionPolytope
from ...models.polytope.shares import Shares
from ...models.programs.assignment import AssignmentModel
from ...output.style import axes_of
from ..solution import AssignmentSolution
from .solve import solve

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class NamedBoundsPath(OneLine):
    """The optimum as a function of the slack of the bounds of one name.

    Attributes
    ----------
    name : str
        Whose bounds move.
    slack : (m,) ndarray
        t, increasing: the grid, or of an exact path its ends and all breakpoints.
    value : (m,) ndarray
        The cost of a model that has one (the sum of squares of LSA), a minimum, otherwise the sum of scores, a maximum;
        nan where no assignment exists.
    slopes : (m,) ndarray
        A slope of ``value`` in t from the prices, between those on the two sides; nan where no assignment exists.
    solutions : tuple of AssignmentSolution or None
        The certified optima; None where no assignment exists.
    exact : bool
        Whether the value is linear between neighbouring slacks.
    """

    name: str
    slack: NDArray[np.float64]
    value: NDArray[np.float64]
    slopes: NDArray[np.float64]
    solutions: tuple[AssignmentSolution | None, ...]
    exact: bool = False

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the optimum against the slack: dots where it was solved, a line between them where the path is exact."""
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
    model: AssignmentModel, name: str, slack: ArrayLike, vary: Literal["lower", "upper", "width"], exact: bool
) -> NamedBoundsPath:
    """`bounds_path` with a name of the polytope; slack (m,)."""
    one_of(vary, "vary", ("lower", "upper", "width"))
    grid = np.unique(as_floats(slack, "slack").ravel())
    if not grid.size or not np.isfinite(grid).all():
        raise InvalidInputError(f"slack={slack!r} must be finite numbers, at least one")
    model = _with_linear_bounds(model, name) if exact else model
    solved: dict[float, AssignmentSolution | None] = {}
    warm: Any = None
    for t in grid[::-1].tolist():  # from the loosest on, so that prices of one optimum are near those of the next
        solved[t] = optimum = _optimum(model, name, t, vary, warm)
        warm = optimum or warm
    if exact:
        _add_breakpoints(model, name, vary, solved)
    at = np.array(sorted(solved))
    found = [solved[t] for t in at.tolist()]
    values = np.array([np.nan if solution is None else value_of(solution) for solution in found])
    slopes = np.array([np.nan if solution is None else _slope(solution, name, vary) for solution in found])
    return NamedBoundsPath(name, at, values, slopes, tuple(found), exact)


def _optimum(
    model: AssignmentModel, name: str, t: float, vary: str, near: AssignmentSolution | None
) -> AssignmentSolution | None:
    """The optimum at slack t, from the prices of one that is near; None where no assignment exists."""
    looser = loosened(model.polytope, name, t, vary)
    warm: Any = None if near is None else near.prices if looser.is_plain else near.named_prices
    try:
        return solve(replace(model, polytope=looser), warm_start=warm)
    except InfeasibleBoundsError:
        return None


def _with_linear_bounds(model: AssignmentModel, name: str) -> AssignmentModel:
    """The model with bounds that may be any numbers; CapabilityError where its optimum is not linear in the slack."""
    polytope = model.polytope
    share = any(rows.name == name and rows.relative for rows in polytope.further)
    if share and not np.array_equal(polytope.lower, polytope.upper):
        raise CapabilityError(
            f"exact=True takes bounds on sums, and those of the share {name!r} stand in the coefficients, with sizes "
            f"that vary: fix the sizes, or leave exact out, and the optimum is exact at every slack that you name"
        )
    if polytope.whole_points or polytope.is_discrete:
        raise CapabilityError(f"exact=True takes a linear program, and points stay whole: leave exact out for {name!r}")
    if polytope.weights is None:  # without weights bounds have to be whole
        polytope = replace(polytope, weights=np.ones(polytope.n_points))
    return replace(model, polytope=polytope)


def _add_breakpoints(
    model: AssignmentModel, name: str, vary: str, solved: dict[float, AssignmentSolution | None]
) -> None:
    """Replace the slacks between the least that admits an assignment and the largest by all breakpoints, in place."""
    sign = -1.0 if model.has_cost else 1.0
    known = {t: solution for t, solution in sorted(solved.items()) if solution is not None}
    if not known:
        return
    room = 1e-11 * max(solution.verify().magnitude for solution in known.values())
    todo = list(zip(list(known)[:-1], list(known)[1:]))
    while todo:
        a, b = todo.pop()
        (low, rise), (high, fall) = ((known[t].objective, sign * _slope(known[t], name, vary)) for t in (a, b))
        if low + rise * (b - a) - high <= room or high - fall * (b - a) - low <= room:
            continue  # one of the lines is the function
        t = (high - low + rise * a - fall * b) / (rise - fall)
        optimum = _optimum(model, name, t, vary, known[b]) if a < t < b else None
        if optimum is not None:
            known[t] = optimum
            if low + rise * (t - a) - optimum.objective > room:
                todo += [(a, t), (t, b)]
    solved.clear()
    solved.update(known)
    at = sorted(known)
    while len(at) > 2:  # a slack on the line of its neighbours, up to rounding, is not a breakpoint
        x, value = np.array(at), np.array([known[t].objective for t in at])
        part = (x[1:-1] - x[:-2]) / (x[2:] - x[:-2])
        off = value[1:-1] - (1.0 - part) * value[:-2] - part * value[2:]
        if off.min() > 10.0 * room:
            break
        del solved[at.pop(1 + int(off.argmin()))]


def loosened(polytope: PartitionPolytope, name: str, t: float, vary: str) -> PartitionPolytope:
    """The polytope whose bounds of one name are loosened by t; InvalidInputError when lower ones exceed upper ones."""
    below, above = (t if vary != "upper" else 0.0), (t if vary != "lower" else 0.0)
    if name == polytope.row_names[0]:
        return replace(polytope, lower=np.maximum(polytope.lower - below, 0.0), upper=polytope.upper + above)
    for rows in polytope.further:
        if rows.name != name:
            continue
        if rows.relative:
            coefficients = rows.coefficients.copy()
            change = np.where(np.isfinite(rows.lower), -below, above)
            coefficients[:, 1] = -np.clip(-coefficients[:, 1] + change, 0.0, 1.0)
            return polytope.with_constraint(rows.between(rows.lower, rows.upper, coefficients=coefficients))
        return polytope.with_constraint(rows.between(rows.lower - below, rows.upper + above))
    return polytope


def value_of(solution: AssignmentSolution) -> float:
    """The cost of a model that has one, otherwise the sum of scores."""
    return solution.cost if solution.model.has_cost else solution.objective


def _slope(solution: AssignmentSolution, name: str, vary: str) -> float:
    """A slope of the value in t, of the module's head."""
    polytope, nu = solution.model.polytope, solution.named_prices[name]
    moving, amounts = {"lower": nu < 0, "upper": nu > 0, "width": nu != 0}[vary], np.abs(nu)
    for rows in polytope.further:
        if rows.name == name and rows.relative:
            bounds = -rows.coefficients[:, 1]
            moving = moving & (bounds > 0) & (bounds < 1)
            amounts = amounts * sizes_of(solution)[rows.clusters]
    total = float(amounts[moving].sum())
    return 0.0 - total if solution.model.has_cost else total


def sizes_of(solution: AssignmentSolution) -> NDArray[np.float64]:
    """Sizes (k,) of the clusters, counting shares of divided points."""
    polytope = solution.model.polytope
    return Shares.of(solution.require_labels(), solution.splits, polytope.n_clusters).sizes(
        polytope.weights, polytope.n_clusters
    )

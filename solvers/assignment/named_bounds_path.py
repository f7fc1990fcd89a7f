"""What the bounds of one name cost: the optimum of the assignment program while they are loosened or tightened.

With slack t the bounds of the name become  lower - t  and  upper + t;  of shares the bounds alpha - t and beta + t,
kept between 0 and 1. All others stay. The optimum is found and certified at every t of a grid, and the prices give its
slope, where it has one:

    dV/dt = sum of |nu_q| over the rows of the name whose bounds move;  of shares, |nu_q| times the size of the cluster

For bounds on sums, and for shares in clusters of fixed sizes, V is concave and piecewise linear in t (as a maximum; a
least-squares cost is convex), so that these slopes are those of supporting lines. With sizes that vary, t appears in
the coefficients of a share, and V is piecewise a quotient of polynomials in t.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_floats
from ...base.errors import InfeasibleBoundsError, InvalidInputError
from ...base.one_line import OneLine
from ...models.polytope.polytope import PartitionPolytope
from ...models.polytope.rows import AttributeRows
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
        The slacks t, increasing.
    value : (m,) ndarray
        The cost of a model that has one (the sum of squares of LSA), a minimum, otherwise the sum of scores, a maximum;
        nan where no assignment exists.
    slopes : (m,) ndarray
        A slope of ``value`` in t from the prices, between those on the two sides; nan where no assignment exists.
    solutions : tuple of AssignmentSolution or None
        The certified optima; None where no assignment exists.
    """

    name: str
    slack: NDArray[np.float64]
    value: NDArray[np.float64]
    slopes: NDArray[np.float64]
    solutions: tuple[AssignmentSolution | None, ...]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the optimum against the slack: dots where it was solved."""
        axes = axes_of(ax)
        axes.plot(self.slack, self.value, color="black", lw=1.4, ls=":", marker="o", ms=3.2)
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


def path_of_name(model: AssignmentModel, name: str, slack: ArrayLike) -> NamedBoundsPath:
    """`bounds_path` with a name of the polytope; slack (m,)."""
    grid = np.unique(as_floats(slack, "slack").ravel())
    if not grid.size or not np.isfinite(grid).all():
        raise InvalidInputError(f"slack={slack!r} must be finite numbers, at least one")
    found: list[AssignmentSolution | None] = []
    near: AssignmentSolution | None = None
    for t in grid[::-1].tolist():  # from the loosest on, so that prices of one optimum are near those of the next
        looser = loosened(model.polytope, name, t)
        warm: Any = None if near is None else near.prices if looser.is_plain else near.named_prices
        try:
            near = solve(replace(model, polytope=looser), warm_start=warm)
            found.insert(0, near)
        except InfeasibleBoundsError:
            found.insert(0, None)
    values = np.array([np.nan if solution is None else value_of(solution) for solution in found])
    slopes = np.array([np.nan if solution is None else _slope(solution, name) for solution in found])
    return NamedBoundsPath(name, grid, values, slopes, tuple(found))


def loosened(polytope: PartitionPolytope, name: str, t: float) -> PartitionPolytope:
    """The polytope whose bounds of one name are loosened by t; InvalidInputError when lower ones exceed upper ones."""
    if name == polytope.row_names[0]:
        return replace(polytope, lower=np.maximum(polytope.lower - t, 0.0), upper=polytope.upper + t)
    rows = next(rows for rows in polytope.further if rows.name == name)
    if isinstance(rows, AttributeRows) and rows.relative:
        coefficients = rows.coefficients.copy()
        change = np.where(np.isfinite(rows.lower), -t, t)
        coefficients[:, 1] = -np.clip(-coefficients[:, 1] + change, 0.0, 1.0)
        return polytope.with_constraint(replace(rows, coefficients=coefficients))
    return polytope.with_constraint(replace(rows, lower=rows.lower - t, upper=rows.upper + t))


def value_of(solution: AssignmentSolution) -> float:
    """The cost of a model that has one, otherwise the sum of scores."""
    return solution.cost if solution.model.has_cost else solution.objective


def _slope(solution: AssignmentSolution, name: str) -> float:
    """A slope of the value in t, of the module's head."""
    polytope, nu = solution.model.polytope, solution.named_prices[name]
    amounts = np.abs(nu)
    for rows in polytope.further:
        if rows.name == name and isinstance(rows, AttributeRows) and rows.relative:
            bounds = -rows.coefficients[:, 1]
            amounts = np.where((bounds > 0) & (bounds < 1), amounts * sizes_of(solution)[rows.clusters], 0.0)
    total = float(amounts.sum())
    return 0.0 - total if solution.model.has_cost else total


def sizes_of(solution: AssignmentSolution) -> NDArray[np.float64]:
    """Sizes (k,) of the clusters, counting shares of divided points."""
    polytope = solution.model.polytope
    return Shares.of(solution.require_labels(), solution.splits, polytope.n_clusters).sizes(
        polytope.weights, polytope.n_clusters
    )

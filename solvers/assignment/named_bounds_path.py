"""What the bounds of one name cost: the optimum of the assignment program while they are loosened or tightened.

With slack t the bounds of the name become  lower - t  and  upper + t;  of shares the bounds alpha - t and beta + t,
kept between 0 and 1. All others stay. The optimum is found and certified at every t of a grid, and the prices give its
slope, where it has one:

    dV/dt = sum of |nu_q| over the rows of the name whose bounds move;  of shares, |nu_q| times the size of the cluster

For bounds on sums, and for shares in clusters of fixed sizes, V is concave and piecewise linear in t (as a maximum; a
least-squares cost is convex), so that these slopes are those of supporting lines. With sizes that vary, t stands in the
coefficients of a share, and V is piecewise a quotient of polynomials in t.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_floats, one_of
from ...base.errors import InfeasibleBoundsError, InvalidInputError
from ...models.polytope.polytope import PartitionPolytope
from ...models.polytope.rows import AttributeRows
from ...models.polytope.shares import Shares
from ...models.programs.assignment import AssignmentModel
from ...output.style import axes_of
from ..solution import AssignmentSolution
from .solve import solve

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
        """Draw the optimum against the slack, dots where it is known."""
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


def path_of_name(
    model: AssignmentModel, name: str, slack: ArrayLike, vary: Literal["lower", "upper", "width"]
) -> NamedBoundsPath:
    """`bounds_path` with a name of the polytope; slack (m,)."""
    one_of(vary, "vary", ("lower", "upper", "width"))
    grid = np.unique(as_floats(slack, "slack").ravel())
    if not grid.size or not np.isfinite(grid).all():
        raise InvalidInputError(f"slack={slack!r} must be finite numbers, at least one")
    found: list[AssignmentSolution | None] = []
    warm: Any = None
    for t in grid[::-1].tolist():  # from the loosest on, so that prices of one optimum are near those of the next
        looser = loosened(model.polytope, name, t, vary)
        try:
            optimum = solve(replace(model, polytope=looser), warm_start=warm)
        except InfeasibleBoundsError:
            found.insert(0, None)
            continue
        found.insert(0, optimum)
        warm = optimum.prices if looser.is_plain else optimum.named_prices
    values = np.array([np.nan if solution is None else _value(solution) for solution in found])
    slopes = np.array([np.nan if solution is None else _slope(solution, name, vary) for solution in found])
    return NamedBoundsPath(name, grid, values, slopes, tuple(found))


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
    return solution.cost if solution.model.has_cost else solution.objective


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
    return 0.0 - total if solution.model.has_cost else total


def sizes_of(solution: AssignmentSolution) -> NDArray[np.float64]:
    """Sizes (k,) of the clusters, counting shares of divided points."""
    polytope = solution.model.polytope
    return Shares.of(solution.require_labels(), solution.splits, polytope.n_clusters).sizes(
        polytope.weights, polytope.n_clusters
    )

"""What the bounds of one name cost: the optimum of the assignment program while they are loosened or tightened.

With slack t the bounds of the name become  lower - t  and  upper + t;  of shares the bounds alpha - t and beta + t,
kept between 0 and 1. All others stay. The optimum is found and certified at every t of a grid. For bounds on sums it is
concave and piecewise linear in t (as a maximum; a least-squares cost is convex), and the prices give its slope:

    dV/dt = sum of |nu_q| over the rows of the name whose bounds move
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ...base.checks import one_of
from ...base.errors import InfeasibleBoundsError, InvalidInputError
from ...models.assignment import AssignmentModel
from ...models.polytope import PartitionPolytope
from ...models.rows import AttributeRows
from ..solution import AssignmentSolution
from .solve import solve


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
        A slope of ``value`` in t from the prices; of shares nan, because t then stands in the coefficients.
    solutions : tuple of AssignmentSolution or None
        The certified optima; None where no assignment exists.
    """

    name: str
    slack: NDArray[np.float64]
    value: NDArray[np.float64]
    slopes: NDArray[np.float64]
    solutions: tuple[AssignmentSolution | None, ...]

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


def named_bounds_path(
    model: AssignmentModel,
    name: str,
    slack: ArrayLike,
    *,
    vary: Literal["lower", "upper", "width"] = "width",
) -> NamedBoundsPath:
    """The optimum for fixed scores while the bounds of one name are loosened by ``slack``.

    Parameters
    ----------
    model : AssignmentModel
        The program.
    name : str
        A name of its polytope: a size dimension, a share, or rows of one's own.
    slack : (m,) array_like
        Amounts t in the unit of the bounds, of shares between -1 and 1; negative ones tighten.
    vary : {"lower", "upper", "width"}
        Whether lower bounds move, upper ones, or both.

    Returns
    -------
    NamedBoundsPath

    Raises
    ------
    InvalidInputError
        When the name is not known, or a slack is not finite.

    Notes
    -----
    Exact and certified at every slack of the grid, from the loosest to the tightest, each from the prices of the one
    before; between them the optimum is not computed.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.models import AssignmentModel, PartitionPolytope
    >>> from partitope.solvers import named_bounds_path
    >>> X = np.arange(8.0)[:, None]
    >>> polytope = PartitionPolytope(8, n_clusters=2).share(np.arange(8) % 4 == 0, 0.25, 0.25, name="share")
    >>> path = named_bounds_path(AssignmentModel.lsa(X, [[1.0], [5.0]], polytope), "share", [0.0, 0.1])
    >>> bool(path.value[0] >= path.value[1])
    True
    """
    one_of(vary, "vary", ("lower", "upper", "width"))
    polytope, grid = model.polytope, np.unique(np.asarray(slack, dtype=np.float64).ravel())
    if name not in polytope.row_names:
        raise InvalidInputError(f"name={name!r} is not known, the polytope has {', '.join(polytope.row_names)}")
    if not grid.size or not np.isfinite(grid).all():
        raise InvalidInputError(f"slack={slack!r} must be finite numbers, at least one")
    found: list[AssignmentSolution | None] = []
    warm: Mapping[str, NDArray[np.float64]] | None = None
    for t in grid[::-1]:
        looser = loosened(polytope, name, float(t), vary)
        warm = None if warm is None or looser.is_plain else _fitting(warm, looser)
        try:
            solution = solve(replace(model, polytope=looser), warm_start=warm)
        except InfeasibleBoundsError:
            found.append(None)
            continue
        warm = solution.named_prices
        found.append(solution)
    found.reverse()
    values = np.array([np.nan if solution is None else _value(solution) for solution in found])
    return NamedBoundsPath(name, grid, values, _slopes(found, name, vary), tuple(found))


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


def _fitting(warm: Mapping[str, NDArray[np.float64]], polytope: PartitionPolytope) -> dict[str, NDArray[np.float64]]:
    return {name: warm[name] for name in polytope.row_names}


def _value(solution: AssignmentSolution) -> float:
    model = solution.model
    if model.kind != "lsa":
        return solution.objective
    labels = solution.require_labels()
    return model.cost(labels) + model.value(labels) - solution.objective


def _slopes(found: list[AssignmentSolution | None], name: str, vary: str) -> NDArray[np.float64]:
    slopes = np.full(len(found), np.nan)
    for place, solution in enumerate(found):
        if solution is None or any(
            isinstance(rows, AttributeRows) and rows.relative
            for rows in solution.model.polytope.further
            if rows.name == name
        ):
            continue
        nu = solution.named_prices[name]
        moving = {"lower": nu < 0, "upper": nu > 0, "width": nu != 0}[vary]
        slopes[place] = float(np.abs(nu[moving]).sum()) * (-1.0 if solution.model.kind == "lsa" else 1.0)
    return slopes

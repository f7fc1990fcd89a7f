"""The price of balance: the optimum of the assignment program as an exact function of its size bounds.

For fixed sites the optimum V is concave and piecewise linear in the bounds (as a maximum; the least-squares cost is
convex). `bounds_path` walks along a line of bounds and returns every breakpoint. It is exact: parametric linear
programming on k + 1 nodes (`_parametric_flow`), no sampling.

    vary="lower"   l_i = t for all i,              t from 0 up
    vary="upper"   u_i = t for all i,              t from n down to n / k
    vary="width"   n/k - t <= size <= n/k + t,     t from its largest useful value down to 0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_floats, as_number, finite_rows, one_of
from ...base.errors import InvalidInputError, NotOptimalError
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ..solution import AssignmentSolution
from .parametric_flow import STALLED, STEPS_SPENT, walk
from .solve import solve

Vary = Literal["lower", "upper", "width"]
SAME_SLOPE = 1e-9  # relative; neighbouring pieces with closer slopes are one piece


@dataclass(frozen=True, eq=False)
class BoundsPath:
    """A piecewise linear function of a bound.

    Attributes
    ----------
    vary : {"lower", "upper", "width"}
        What the parameter means.
    parameter : (m,) ndarray
        Breakpoints, increasing; the first and the last are the ends of the path.
    value : (m,) ndarray
        The optimum there: sum of scores (CSA, a maximum) or sum of squares (LSA, a minimum).
    sizes : (k,) ndarray
        Cluster sizes at the tightest end.
    objective : {"csa", "lsa"}
        Kind of value.
    """

    vary: Vary
    parameter: NDArray[np.float64]
    value: NDArray[np.float64]
    sizes: NDArray[np.float64]
    objective: Literal["csa", "lsa"]

    @property
    def slopes(self) -> NDArray[np.float64]:
        """Slopes (m - 1,) of ``value`` between the breakpoints.

        For "lower" and "upper" each is the sum of the prices of the common bound that moves, in the signs of
        `Certificate`; for least squares, whose value is a constant minus the sum of scores, minus that sum.
        """
        return np.diff(self.value) / np.diff(self.parameter)

    @property
    def free_until(self) -> float:
        """The parameter at which the unbounded solution first becomes infeasible."""
        steep = np.abs(self.slopes) > SAME_SLOPE * (np.abs(self.slopes).max(initial=0.0) or 1.0)
        if not steep.any():
            return float(self.parameter[-1] if self.vary == "lower" else self.parameter[0])
        where = np.flatnonzero(steep)
        return float(self.parameter[where[0]] if self.vary == "lower" else self.parameter[where[-1] + 1])

    def __call__(self, parameter: ArrayLike) -> NDArray[np.float64]:
        """The optimum at any parameter inside the path; nan outside."""
        t = as_floats(parameter, "parameter")
        return np.interp(t, self.parameter, self.value, left=np.nan, right=np.nan)

    def table(self) -> pd.DataFrame:
        """Pieces as rows: start, end, value at start, slope."""
        return pd.DataFrame(
            {
                "start": self.parameter[:-1],
                "end": self.parameter[1:],
                "value": self.value[:-1],
                "slope": self.slopes,
            }
        )


def bounds_path(
    X: ArrayLike,
    sites: ArrayLike,
    *,
    objective: Literal["csa", "lsa"] = "lsa",
    vary: Vary = "lower",
    lower: float = 0.0,
    upper: float | None = None,
    stop: float | None = None,
) -> BoundsPath:
    """The optimum for fixed sites as a function of a common bound, with all breakpoints.

    Parameters
    ----------
    X : (n, d) array_like
        Points.
    sites : (k, d) array_like
        Sites, fixed along the path.
    objective : {"lsa", "csa"}
        Scores of the assignment program.
    vary : {"lower", "upper", "width"}
        Which bound moves; see the module.
    lower, upper : float, optional
        The common bound that does not move.
    stop : float, optional
        Tightest value of the parameter; by default as tight as is feasible.

    Returns
    -------
    BoundsPath

    Raises
    ------
    InvalidInputError
        When an argument is unknown or no number, or the fixed bound leaves nothing to vary.
    NotOptimalError
        When the walk stalls on rounding, which is reported rather than hidden.

    Notes
    -----
    Exact up to rounding. One solve, then a step for every breakpoint: shortest paths on k + 1 nodes and
    O(k log n). O(n k) memory. Between integers the bounds are those of the linear program, whose vertices may
    split points.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.solvers import bounds_path
    >>> path = bounds_path(np.array([[0.0], [1.0], [2.0], [10.0]]), [[1.0], [10.0]])
    >>> path.parameter, path.value
    (array([0., 1., 2.]), array([ 2.,  2., 65.]))
    """
    points, centres = check_points(X, sites)
    n, k = len(points), len(centres)
    if stop is not None and not np.isfinite(as_number(stop)):
        raise InvalidInputError(f"stop={stop!r} must be a finite number: leave it out for the tightest bounds")
    one_of(vary, "vary", ("lower", "upper", "width"))
    one_of(objective, "objective", ("csa", "lsa"))
    for name, bound in (("lower", lower), ("upper", n if upper is None else upper)):
        if np.isnan(as_number(bound)):
            raise InvalidInputError(f"{name}={bound!r} is not usable: pass a number, one bound for all clusters")
    top = float(n) if upper is None else float(upper)
    start, tightest, rates = _line(vary, n, k, float(lower), top)
    tightest = tightest if stop is None else (min(tightest, stop) if vary == "lower" else max(tightest, stop))
    low, up = _bounds_at(vary, start, n, k, float(lower), top)
    polytope = PartitionPolytope(n, max(0.0, low), min(float(n), up), n_clusters=k)
    make = AssignmentModel.csa if objective == "csa" else AssignmentModel.lsa
    model = make(points, centres, polytope)
    solution = solve(model)
    # the walk starts from bounds that may lie outside [0, n], so that their rates are right from the start
    state = WalkState.of(solution, np.full(k, low), np.full(k, up))
    times, gains = state.walk(rates[0], rates[1], abs(tightest - start))
    value = solution.objective + gains if objective == "csa" else model.cost(solution.require_labels()) - gains
    parameter = start + times if vary == "lower" else start - times
    order = slice(None) if vary == "lower" else slice(None, None, -1)
    parameter, value = merged(parameter[order], value[order])
    return BoundsPath(vary, parameter, value, state.sizes, objective)


def check_points(X: ArrayLike, sites: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points (n, d) and sites (k, d) as finite float64 arrays that fit each other."""
    points = finite_rows(X)
    centres = finite_rows(sites, "sites", n_columns=points.shape[1])
    for name, array in (("X", points), ("sites", centres)):
        if not array.size:
            raise InvalidInputError(f"{name} has shape {array.shape}: pass a table with rows and columns")
    return points, centres


def _line(vary: Vary, n: int, k: int, lower: float, upper: float) -> tuple[float, float, tuple[float, float]]:
    """Start and tightest parameter, and the rates of lower and upper bounds while tightening."""
    even = n / k
    if vary == "lower":
        if upper < even:
            raise InvalidInputError(f"upper={upper:g} is below n_points/n_clusters={even:g}: raise it")
        return 0.0, min(even, upper), (1.0, 0.0)
    if vary == "upper":
        if lower > even:
            raise InvalidInputError(f"lower={lower:g} exceeds n_points/n_clusters={even:g}: lower it")
        return float(n), max(even, lower), (0.0, -1.0)
    return max(even, n - even), 0.0, (1.0, -1.0)


def _bounds_at(vary: Vary, t: float, n: int, k: int, lower: float, upper: float) -> tuple[float, float]:
    if vary == "lower":
        return t, upper
    if vary == "upper":
        return lower, t
    return n / k - t, n / k + t


@dataclass(eq=False)
class WalkState:
    """A primal optimal assignment as shares, ready to walk."""

    scores: NDArray[np.float64]
    share: NDArray[np.float64]
    sizes: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]

    @classmethod
    def of(cls, solution: AssignmentSolution, lower: NDArray[np.float64], upper: NDArray[np.float64]) -> WalkState:
        """The state of an unsplit solution whose moving bounds (k,) start at ``lower`` and ``upper``."""
        labels = solution.require_labels()
        k = solution.model.polytope.n_clusters
        share = np.zeros((labels.size, k))
        share[np.arange(labels.size), labels] = 1.0
        sizes = np.bincount(labels, minlength=k).astype(np.float64)
        scores = np.ascontiguousarray(solution.model.score_source.dense())
        return cls(scores, share, sizes, lower.astype(float), upper.astype(float))

    def walk(
        self, rate_lower: ArrayLike, rate_upper: ArrayLike, end: float, max_steps: int | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Breakpoints and gains of the maximum while the bounds move at these rates (k,) for ``end`` units."""
        k = self.sizes.size
        rates = [np.array(np.broadcast_to(np.asarray(r, dtype=np.float64), (k,))) for r in (rate_lower, rate_upper)]
        most = max_steps or 100 * (len(self.share) + k)
        times, gains, outcome = walk(
            self.scores, self.share, self.sizes, self.lower, self.upper, rates[0], rates[1], end, most
        )
        if outcome == STALLED or (outcome == STEPS_SPENT and max_steps is None):
            raise NotOptimalError(f"the walk along the bounds stalled at {times[-1]:g} after {times.size} steps")
        return times, gains


def merged(
    parameter: NDArray[np.float64], value: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Drop ends of pieces at which the slope does not change."""
    keep = np.append(np.diff(parameter) > 1e-12 * max(1.0, abs(parameter[-1])), True)
    keep[0] = True
    parameter, value = parameter[keep], value[keep]
    if parameter.size < 3:
        return parameter, value
    slopes = np.diff(value) / np.diff(parameter)
    scale = np.abs(slopes).max() or 1.0
    bends = np.abs(np.diff(slopes)) > SAME_SLOPE * scale
    keep = np.concatenate([[True], bends, [True]])
    return parameter[keep], value[keep]

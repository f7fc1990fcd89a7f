"""The price of balance: the optimum of the assignment program as an exact function of its size bounds.

For fixed sites the optimum V is concave and piecewise linear in the bounds (as a maximum; the least-squares cost is
convex). `bounds_path` walks along a line of bounds and returns every breakpoint. It is exact: parametric linear
programming on k + 1 nodes (`parametric_flow`), no sampling.

    "lower"   l_i = t for all i,              t from 0 up
    "upper"   u_i = t for all i,              t from n down to n / k
    "width"   n/k - t <= size <= n/k + t,     t from its largest useful value down to 0
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, overload

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_floats, instance_of, one_of
from ...base.errors import CapabilityError, InvalidInputError, NotOptimalError
from ...base.one_line import OneLine
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ...output.style import axes_of
from ..solution import AssignmentSolution
from .named_bounds_path import NamedBoundsPath, path_of_name
from .parametric_flow import STALLED, STEPS_SPENT, Marks, Moving, walk
from .solve import solve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Vary = Literal["lower", "upper", "width"]
SIDES = ("lower", "upper", "width")
SAME_SLOPE = 1e-9  # Neighbouring pieces whose slopes differ by a smaller fraction are one piece.


@dataclass(frozen=True, eq=False, repr=False)
class BoundsPath(OneLine):
    """A piecewise linear function of a bound.

    Attributes
    ----------
    vary : {"lower", "upper", "width"}
        What the parameter means.
    parameter : (m,) ndarray
        Breakpoints, increasing; the first and the last are the ends of the path.
    value : (m,) ndarray
        The optimum there: the cost of a model that has one (the sum of squares of LSA), otherwise the sum of scores.
    sizes : (k,) ndarray
        Cluster sizes at the tightest end.
    is_cost : bool
        Whether the value is a cost, a minimum.
    """

    vary: Vary
    parameter: NDArray[np.float64]
    value: NDArray[np.float64]
    sizes: NDArray[np.float64]
    is_cost: bool

    @property
    def slopes(self) -> NDArray[np.float64]:
        """Slopes (m - 1,) of ``value`` between the breakpoints.

        For "lower" and "upper" each is the sum of the prices of the common bound that moves, in the signs of
        `Certificate`; of a cost, which is a constant minus the sum of scores, minus that sum.
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

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the optimum against the bound, with its breakpoints and where the bound begins to cost."""
        axes = axes_of(ax)
        axes.plot(self.parameter, self.value, color="black", lw=1.4, label="exact, fixed sites")
        if len(self.parameter) <= 120:  # a line shows more
            axes.plot(self.parameter, self.value, "o", color="black", ms=3.2)
        axes.axvline(self.free_until, color="0.5", lw=0.9, ls=":", label="free until")
        bound = {"lower": "lower bound l", "upper": "upper bound u", "width": "distance of the bounds from n/k"}
        axes.set(xlabel=bound[self.vary], ylabel="cost" if self.is_cost else "sum of scores")
        return axes


@overload
def bounds_path(model: AssignmentModel, moving: Vary) -> BoundsPath: ...


@overload
def bounds_path(
    model: AssignmentModel, moving: str, slack: ArrayLike, *, vary: Vary = "width", exact: bool = False
) -> NamedBoundsPath: ...


def bounds_path(
    model: AssignmentModel, moving: str, slack: ArrayLike | None = None, *, vary: Vary = "width", exact: bool = False
) -> BoundsPath | NamedBoundsPath:
    """The optimum for fixed scores as a function of bounds that move: of all sizes, or of one name of the polytope.

    Parameters
    ----------
    model : AssignmentModel
        The program.
    moving : str
        "lower", "upper" or "width": the common bound of all sizes, from where it costs nothing to as tight as is
        feasible, see the module; the other bound of the model stays. Otherwise a name of the polytope, a size
        dimension, a share, or custom rows, whose bounds are loosened by ``slack``.
    slack : (m,) array_like, optional
        With a name: amounts t in the unit of the bounds, of shares between -1 and 1; negative ones tighten.
    vary : {"width", "lower", "upper"}
        With a name: whether both bounds move, lower ones, or upper ones.
    exact : bool
        With a name: whether to find all breakpoints between the slacks, with bounds that need not be whole; those of a
        share where sizes are fixed.

    Returns
    -------
    BoundsPath or NamedBoundsPath
        The latter with a name.

    Raises
    ------
    InvalidInputError
        If the model is not an `AssignmentModel`, a name is not known, a slack is missing or not finite, or the bound of
        sizes that stays differs between clusters or leaves nothing to vary.
    CapabilityError
        If the bound of all sizes moves and the polytope has weights, masks or side constraints; if the breakpoints of a
        share are asked for and sizes vary, or those of a program whose points stay whole.
    NotOptimalError
        When the walk stalls on rounding.

    Notes
    -----
    The path of all sizes is exact up to rounding. One solve, then a step for every breakpoint: shortest paths on k + 1
    nodes and O(k log n). O(n k) memory. Between integers the bounds are those of the linear program, whose vertices may
    split points. The path of a name is exact and certified at every slack of the grid, from the loosest to the
    tightest, each from the prices of the one before; its breakpoints take at most two solves each.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.models import AssignmentModel, PartitionPolytope
    >>> from partitope.solvers import bounds_path
    >>> polytope = PartitionPolytope(4, n_clusters=2)
    >>> path = bounds_path(AssignmentModel.lsa([[0.0], [1.0], [2.0], [10.0]], [[1.0], [10.0]], polytope), "lower")
    >>> path.parameter, path.value
    (array([0., 1., 2.]), array([ 2.,  2., 65.]))
    >>> polytope = PartitionPolytope(8, n_clusters=2).share(np.arange(8) % 4 == 0, 0.25, 0.25, name="share")
    >>> model = AssignmentModel.lsa(np.arange(8.0)[:, None], [[1.0], [5.0]], polytope)
    >>> path = bounds_path(model, "share", [0.0, 0.1])
    >>> bool(path.value[0] >= path.value[1])
    True
    """
    instance_of(model, "model", AssignmentModel)
    instance_of(moving, "moving", str, f"pass one of {', '.join((*SIDES, *model.polytope.row_names))}")
    if moving in model.polytope.row_names or moving not in SIDES:
        one_of(moving, "moving", (*SIDES, *model.polytope.row_names))
        if slack is None:
            raise InvalidInputError(f"slack is missing: say by how much the bounds of {moving!r} are loosened")
        return path_of_name(model, moving, slack, vary, exact)
    if slack is not None or exact:
        raise InvalidInputError(f"moving={moving!r} takes no slack and no exact: all of its breakpoints are found")
    return _path_of_sizes(model, moving)  # type: ignore[arg-type]


def _path_of_sizes(model: AssignmentModel, vary: Vary) -> BoundsPath:
    polytope = model.polytope
    n, k = polytope.n_points, polytope.n_clusters
    if not polytope.is_plain or polytope.weights is not None:
        raise CapabilityError(
            f"moving={vary!r} takes bounds on numbers of points alone, and the polytope has weights, masks or further "
            f"rows: name the rows whose bounds move"
        )
    for side, bounds in (("lower", polytope.lower), ("upper", polytope.upper)):
        if side != vary and vary != "width" and np.ptp(bounds) > 0:
            raise InvalidInputError(f"{side} bounds differ among clusters, from {bounds.min():g} to {bounds.max():g}")
    least, most = float(polytope.lower[0]), min(float(polytope.upper[0]), float(n))
    start, tightest, rates = _line(vary, n, k, least, most)
    low, up = _bounds_at(vary, start, n, k, least, most)
    moved = PartitionPolytope(n, max(0.0, low), min(float(n), up), n_clusters=k)
    solution = solve(replace(model, polytope=moved))
    # the walk starts from bounds that may be outside [0, n], so that their rates are right from the start
    state = WalkState.of(solution, np.full(k, low), np.full(k, up))
    times, gains = state.walk(rates[0], rates[1], abs(tightest - start))
    value = solution.cost - gains if model.has_cost else solution.objective + gains
    parameter = start + times if vary == "lower" else start - times
    order = slice(None) if vary == "lower" else slice(None, None, -1)
    parameter, value = merged(parameter[order], value[order])
    return BoundsPath(vary, parameter, value, state.sizes, model.has_cost)


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


def no_marks() -> Marks:
    """Nothing is noted on the way."""
    none, words = np.zeros(1, np.int64), np.zeros(1, np.uint64)
    return Marks(np.inf, none, none, none[:, None], words[:, None], np.zeros(1), np.zeros((1, 1)), words, none)


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
        self,
        rate_lower: ArrayLike,
        rate_upper: ArrayLike,
        end: float,
        max_steps: int | None = None,
        marks: Marks | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Breakpoints and gains of the maximum while the bounds move at these rates (k,) for ``end`` units."""
        marks = marks or no_marks()
        k = self.sizes.size
        rates = [np.array(np.broadcast_to(np.asarray(r, dtype=np.float64), (k,))) for r in (rate_lower, rate_upper)]
        moving = Moving(self.sizes, self.lower, self.upper, *rates, *np.zeros((2, k), dtype=bool))
        most = max_steps or 100 * (len(self.share) + k) + len(marks.gains)
        times, gains, outcome = walk(self.scores, self.share, moving, end, most, marks)
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

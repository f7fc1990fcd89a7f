"""Prices as derivatives: how the optimum of the assignment program answers when one bound moves.

Here V is the largest sum of scores, and prices have the signs of `Certificate`: mu_i >= 0 is the derivative of V with
respect to an upper bound that is reached, mu_i <= 0 that with respect to a lower bound. A cost is a constant minus V.
This holds where V has a derivative. In general the optimum has two one-sided derivatives for every bound; `sensitivity`
takes the first step of the parametric walk (`parametric_flow`) in each of the 4 k directions, which gives all of them
with the ranges in which they hold. With weights, masks or side constraints they are the ends of the intervals of all
optimal prices (`price_intervals`), which hold at one point only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from ...base.checks import as_entries, instance_of, one_of
from ...base.errors import InvalidInputError, NotOptimalError
from ...base.one_line import OneLine
from ..solution import AssignmentSolution
from .bounds_path import WalkState, merged
from .named_bounds_path import sizes_of
from .sensitivity_intervals import price_intervals


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(OneLine):
    """One-sided derivatives of the optimum with respect to every bound, and how far they hold.

    Attributes
    ----------
    table : DataFrame
        One row for every cluster, bound and side: columns cluster, bound ("lower", "upper"), side ("raise", "reduce"),
        derivative (change of the optimum, a cost where the model has one and V otherwise, per unit in the direction of
        the side, so that "raise" and "reduce" have opposite signs), range (units for which the derivative holds;
        infinite for an upper bound that has no effect however far it is raised), feasible (whether the bound can move
        that way; a bound of 0 cannot be reduced). With weights, masks or side constraints the columns are name, index
        (the cluster, or the number of a custom row), bound, side, derivative, feasible, and lowest and highest,
        that enclose every optimal price of the row. The bound of a share is part of a coefficient: derivatives are
        then the price times the size of the cluster, per unit of the share (1 is all of the cluster), where all optimal
        assignments have these sizes.
    """

    table: pd.DataFrame


def sensitivity(
    solution: AssignmentSolution,
    bounds: Sequence[Literal["lower", "upper"]] = ("lower", "upper"),
    names: Sequence[str] | None = None,
) -> Sensitivity:
    """Prices as derivatives: how the optimum changes when one bound moves, on either side.

    Parameters
    ----------
    solution : AssignmentSolution
        An optimal assignment.
    bounds : sequence of {"lower", "upper"}
        Which bounds to move.
    names : sequence of str, optional
        Names of the polytope whose bounds to move; all when not given.

    Returns
    -------
    Sensitivity
        Derivatives of the least cost of a model that has costs, otherwise of V, the largest sum of scores.

    Raises
    ------
    InvalidInputError
        When ``solution`` is not an `AssignmentSolution`, a bound is neither "lower" nor "upper", or the polytope has no
        such name.
    NotOptimalError
        When the solution is not certified optimal.

    Notes
    -----
    Exact. V is concave: raising a bound changes V by at most its price, reducing it by at most minus its price. So
    the price reported by a solver is between the derivatives from the two sides, and equals them where they agree.
    O(n k) for each of the 4 k directions; with weights, masks or side constraints two small linear programs a bound.
    """
    instance_of(solution, "solution", AssignmentSolution)
    polytope, moving = solution.model.polytope, as_entries(bounds, "bounds")[0]
    for bound in moving:
        one_of(bound, "bounds", ("lower", "upper"))
    known = polytope.row_names
    asked = known if names is None else as_entries(names, "names")[0]
    unknown = [name for name in asked if name not in known]
    if unknown:
        raise InvalidInputError(f"names hold {unknown[0]!r}, the polytope has {', '.join(known)}")
    if polytope.weights is not None or not polytope.is_plain:
        rows = _from_intervals(solution, moving, asked)
    elif not solution.verify().verified:
        raise NotOptimalError("the solution is not certified optimal: solve it again before asking for prices")
    else:
        sides = (("raise", 1.0), ("reduce", -1.0))
        clusters = range(polytope.n_clusters)
        rows = [_one_side(solution, i, bound, *side) for i in clusters for bound in moving for side in sides]
    table = pd.DataFrame(rows)
    if solution.model.has_cost and rows:
        table["derivative"] = 0.0 - table["derivative"]
    return Sensitivity(table)


def _one_side(solution: AssignmentSolution, i: int, bound: str, side: str, sign: float) -> dict[str, object]:
    polytope = solution.model.polytope
    low, up = polytope.lower.copy(), np.minimum(polytope.upper, polytope.n_points)
    rate = np.zeros(polytope.n_clusters)
    rate[i] = sign
    zero = np.zeros_like(rate)
    if bound == "lower":
        end = float(up[i] - low[i]) if sign > 0 else float(low[i])
    else:
        end = float(polytope.n_points - up[i]) if sign > 0 else float(up[i] - low[i])
    row: dict[str, object] = {"cluster": i, "bound": bound, "side": side, "derivative": 0.0, "range": 0.0}
    # the maximum is concave in an upper bound: where raising that has no effect, as at n, it has none further on
    unlimited = bound == "upper" and sign > 0
    idle = row | {"range": np.inf if unlimited else end, "feasible": True}
    if end <= 0:
        return idle if unlimited else row | {"feasible": False}
    opens = low[i] == up[i] and (bound == "upper") == (sign > 0)
    if opens:  # the size is fixed and may now move one way: move it, and keep that only where it gains
        rates = (rate, rate)
    else:
        rates = (rate, zero) if bound == "lower" else (zero, rate)
    times, gains = WalkState.of(solution, low, up).walk(*rates, end, max_steps=64)
    times, gains = merged(times, gains)
    if opens and (times.size < 2 or gains[1] <= 0):
        return idle
    if times.size < 2 or times[-1] <= 0:
        return row | {"feasible": False}
    derivative = float(gains[1] / times[1])
    if derivative == 0.0 and unlimited:
        return idle
    return row | {"derivative": derivative, "range": float(times[1]), "feasible": True}


def _from_intervals(
    solution: AssignmentSolution, bounds: Sequence[str], names: Sequence[str]
) -> list[dict[str, object]]:
    """Rows of the table for finite bounds."""
    polytope, found = solution.model.polytope, price_intervals(solution)
    sides = {rows.name: (rows.index, rows.lower, rows.upper) for rows in polytope.all_rows}
    shares = {rows.name for rows in polytope.further if rows.relative}
    sizes = sizes_of(solution)
    table: list[dict[str, object]] = []
    for name in names:
        index, lower, upper = sides[name]
        unit = sizes[index] if name in shares else np.ones(index.size)
        for q, (low, high) in enumerate(zip(*found[name])):
            for bound, limit in (("lower", lower[q]), ("upper", upper[q])):
                if bound not in bounds or not np.isfinite(limit):
                    continue
                for side in ("raise", "reduce"):
                    inwards = (bound == "lower") == (side == "raise")
                    end = (low, high) if bound == "lower" else (-high, -low)  # of minus the price of this bound
                    rate = min(float(end[0]), 0.0) if inwards else max(-float(end[1]), 0.0)
                    rate = rate if unit[q] else 0.0  # the share of a cluster of size zero asks for nothing
                    feasible = not inwards or (bool(np.isfinite(rate)) and bool(lower[q] < upper[q]))
                    table.append({
                        "name": name, "index": int(index[q]), "bound": bound, "side": side,
                        "derivative": (rate * unit[q] + 0.0) if feasible else 0.0, "feasible": feasible,
                        "lowest": float(low), "highest": float(high),
                    })  # fmt: skip
    return table

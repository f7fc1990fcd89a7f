"""Prices as derivatives: how the optimum of the assignment program answers when one bound moves.

Here V is the largest sum of scores, and prices have the signs of `models.certificate`: mu_i >= 0 is the derivative of V
with respect to an upper bound that is reached, mu_i <= 0 that with respect to a lower bound. This holds where V has a
derivative. In general the optimum has two one-sided derivatives for every bound; `sensitivity`
takes the first step of the parametric walk (`_parametric_flow`) in each of the 4 k directions, which gives all of
them with the ranges in which they hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from ...base.errors import InvalidInputError, NotOptimalError
from ..solution import AssignmentSolution
from .bounds_path import WalkState, merged


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """One-sided derivatives of the optimum with respect to every bound, and how far they hold.

    Attributes
    ----------
    table : DataFrame
        One row for every cluster, bound and side: columns cluster, bound ("lower", "upper"), side ("raise",
        "reduce"), derivative (change of V per unit in the direction of the side, so that "raise" and "reduce" have
        opposite signs), range (units for which the derivative holds; infinite for an upper bound that has no effect
        however far it is raised), feasible (whether the bound can move that way; a lower bound of 0 cannot be
        reduced).
    """

    table: pd.DataFrame


def sensitivity(
    solution: AssignmentSolution, bounds: Sequence[Literal["lower", "upper"]] = ("lower", "upper")
) -> Sensitivity:
    """Prices as derivatives: how the optimum changes when one bound moves, on either side.

    Parameters
    ----------
    solution : AssignmentSolution
        An optimal, unsplit assignment.
    bounds : sequence of {"lower", "upper"}
        Which bounds to move.

    Returns
    -------
    Sensitivity
        Derivatives of V, the largest sum of scores; the least-squares cost changes by the opposite amount.

    Raises
    ------
    InvalidInputError
        When points have weights.
    CapabilityError
        When the polytope has masks or further rows.
    NotOptimalError
        When the solution is not certified optimal.

    Notes
    -----
    Exact. V is concave: raising a bound changes V by at most its price, reducing it by at most minus its price. So
    the price reported by a solver lies between the derivatives from the two sides, and equals them where they agree.
    O(n k) for each of the 4 k directions.
    """
    polytope = solution.model.polytope
    if polytope.weights is not None:
        raise InvalidInputError("weights were given: sensitivity is for points of equal weight")
    polytope.require_plain("sensitivity")
    if not solution.verify().verified:
        raise NotOptimalError("the solution is not certified optimal: solve it again before asking for prices")
    rows = []
    k = polytope.n_clusters
    for i in range(k):
        for bound in bounds:
            for side, sign in (("raise", 1.0), ("reduce", -1.0)):
                rows.append(_one_side(solution, i, bound, side, sign))
    return Sensitivity(pd.DataFrame(rows))


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

"""Norm maximisation as a mixed-integer program: what `programs/norm_maximization.py` states, given to HiGHS."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.checks import check_weight, instance_of
from ...base.deadline import Deadline
from ...base.errors import NotOptimalError
from ...models.objectives.bound import Bound
from ...models.objectives.interval import ROUNDOFF, reach
from ...models.objectives.objectives import sum_of_norms
from ...models.programs.linear_program import TOLERANCES
from ...models.programs.norm_maximization import NormMaximizationMIP
from ..linear_program import solve_linear


def solve_norm_mip(
    program: NormMaximizationMIP, *, gap: float = 1e-6, time_limit: float | None = None
) -> tuple[NDArray[np.int64] | None, float, float]:
    """Labels (n,) or None, optimum T found and the solver's bound on T, by HiGHS.

    Parameters
    ----------
    program : NormMaximizationMIP
        Points, size bounds and direction net.
    gap : float
        Relative gap at which to stop.
    time_limit : float, optional
        Seconds.

    Raises
    ------
    InvalidInputError
        When it is no such program, or the gap or the time limit is not usable.
    NotOptimalError
        When the solver returns neither a point nor a bound.
    """
    instance_of(program, "program", NormMaximizationMIP)
    check_weight("gap", gap)
    deadline = Deadline(time_limit)
    answer = solve_linear(program.linear_program, TOLERANCES | {"mip_rel_gap": gap}, deadline)
    if answer.columns is None and not np.isfinite(answer.bound):
        raise NotOptimalError(f"the mixed-integer solver returned nothing: HiGHS ends with {answer.status}")
    top = answer.bound * program.unit
    if answer.columns is None:
        return None, -np.inf, top
    return program.labels(answer.columns), answer.value * program.unit, top


def norm_mip_bound(program: NormMaximizationMIP, *, gap: float = 1e-6, time_limit: float | None = None) -> Bound:
    """Interval around max sum_i |s_i|, points as given; ``lower`` is the value of a clustering found, recomputed.

    Parameters
    ----------
    program, gap, time_limit
        As in `solve_norm_mip`.

    Raises
    ------
    InvalidInputError
        As in `solve_norm_mip`.

    Notes
    -----
    Where the solver found no bound in time, ``upper`` is the sum of the norms of all points.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.models import NormMaximizationMIP, PartitionPolytope
    >>> from partitope.solvers import norm_mip_bound
    >>> X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> round(norm_mip_bound(NormMaximizationMIP(X, PartitionPolytope(4, 2, 2, n_clusters=2), 2)).lower, 9)
    6.0
    """
    try:
        labels, _, top = solve_norm_mip(program, gap=gap, time_limit=time_limit)
    except NotOptimalError:
        labels, top = None, np.inf
    X, value = program.weighted, 0.0
    if labels is not None and program.polytope.contains(labels):
        value = max(0.0, sum_of_norms(X, labels) - (X.size + 8) * ROUNDOFF * reach(X))
    return Bound(value, max(program.safe(top), value), f"direction net, m={len(program.net.vectors)}")

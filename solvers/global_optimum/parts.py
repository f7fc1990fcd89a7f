"""Divide and conquer: a bound for many points from parts that mirror the whole.

The optimum is at least the sum of the optima of the parts of a partition of the points, each without lower bounds:
restricted to a part, the optimal clustering costs at least the part's optimum, and centres of its own only lower the
sum. Parts that mirror the whole lose little.

Every cluster of a good clustering is cut into boxes of as many points as there are parts, and every part gets one point
of each box. So the points of two parts match one by one, the multipliers of one part's relaxation are nearly right for
the next, and most parts need one eigenvalue decomposition and a few steps. What is lost falls with the size of the
parts: after a first pass over small ones, others over larger ones use the time that is left. 2000 points in five groups
that overlap are within .5 % after the first pass and within .04 % after one over halves.

A pass ends when the sum is enough: every part is asked for no more than its share of what is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...models.objectives.interval import ROUNDOFF, objective_interval
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.least_squares_sdp import LeastSquaresSDP
from .sdp import Iterates

PART, MOST = 160, 1000  # points in a part of divide and conquer, at first and at most
LEAST_GAP = 1e-9  # that is asked of a part or a tree, whose bounds rounding keeps from closing
SHARE = 0.6  # of the time left, for larger parts as far as the first ones let one expect
FIRST, LATER = 60, 15  # rounds for the first part of a kind, and for those that start from its multipliers
STEPS = 10  # steps a round
MANY, LONG, PATIENCE = 400, 50, 3  # rounds and their steps in the last pass, and rounds that gain a fiftieth of the gap


def bound_by_parts(
    X: NDArray[np.float64],
    polytope: PartitionPolytope,
    labels: NDArray[np.int64],
    *,
    target: float,
    deadline: Deadline,
    progress: Callable[[float, float], None] | None = None,
) -> float:
    """`divide_and_conquer_bound`, again and again with parts as large as the time left allows."""
    known, part, enough, patient, largest = 0.0, PART, None, False, min(MOST, len(X) // 2)

    def report(bound: float, seconds: float) -> None:
        if progress is not None:
            progress(float(max(known, bound)), seconds)

    while True:
        started = deadline.elapsed
        found = divide_and_conquer_bound(
            X, polytope, labels, part=part, target=enough, patient=patient, time_limit=deadline, progress=report
        )
        known, took = max(known, found), deadline.elapsed - started
        if not deadline.left or known >= target or patient:
            return known
        larger = min(int(part * sqrt(SHARE * deadline.left / took)), largest)
        if larger < 1.5 * part:  # all the time that is left, and twice the points where that is not less than before
            larger, patient = min(2 * part, largest) if deadline.left > took else part, True
        part, enough, patient = larger, target, patient or larger == largest


def divide_and_conquer_bound(
    X: NDArray[np.float64],
    polytope: PartitionPolytope,
    labels: NDArray[np.int64],
    *,
    part: int = PART,
    target: float | None = None,
    patient: bool = False,
    time_limit: float | Deadline | None = None,
    progress: Callable[[float, float], None] | None = None,
) -> float:
    """A lower bound on the within-cluster sum of squares of many points. Shapes: X (n, d), labels (n,)."""
    deadline, total = time_limit if isinstance(time_limit, Deadline) else Deadline(time_limit), 0.0
    n_parts = max(1, round(len(X) / part))
    built = [_Part.of(X, polytope, labels, row) for row in _matched(X, labels, n_parts)]
    parts = [inner for inner in built if inner is not None]
    rest = np.cumsum([inner.value for inner in parts][::-1])[::-1]
    missing = 0.995 * float(rest.max(initial=0.0)) if target is None else target * (1.0 + 1e-9)
    known: dict[bytes, tuple[Iterates, float]] = {}
    for done, inner in enumerate(parts):
        if not deadline.allows():
            break
        waiting = len(parts) - done
        if inner.kind not in known:
            waiting = min(20, waiting)  # the first of a kind takes longer
        left = deadline.share(1.0 / waiting)
        allowed = 1.0 - (missing - total) / float(rest[done]) if rest[done] > 0.0 else 0.0
        model = LeastSquaresSDP(X[inner.members], inner.polytope)
        total += _part_bound(model, inner.value, known, inner.kind, max(allowed, LEAST_GAP), patient, left)
        deadline.missed |= left.missed
        if progress is not None:
            progress(total, deadline.elapsed)
    return max(0.0, total * (1.0 - (n_parts + 1) * ROUNDOFF))


@dataclass(frozen=True, eq=False)
class _Part:
    """Points and bounds of a part, the value there of the clustering of the whole, and the boxes it has points of."""

    members: NDArray[np.int64]
    polytope: PartitionPolytope
    value: float
    kind: bytes

    @classmethod
    def of(
        cls, X: NDArray[np.float64], polytope: PartitionPolytope, labels: NDArray[np.int64], row: NDArray[np.int64]
    ) -> _Part | None:
        """None where there is nothing to bound."""
        members = row[row >= 0]
        weights = None if polytope.weights is None else polytope.weights[members]
        most = len(members) if weights is None else weights.sum()
        if not most > 0:
            return None
        slack = 2.0 * polytope.slack  # `PartitionPolytope.contains` allows half of it
        inner = PartitionPolytope(len(members), 0, np.minimum(polytope.upper + slack, most), weights)
        value = objective_interval(X[members], labels[members], "lsa", weights)[1]
        return cls(members, inner, value, (row >= 0).tobytes())


def _part_bound(
    model: LeastSquaresSDP,
    share: float,
    known: dict[bytes, tuple[Iterates, float]],
    kind: bytes,
    gap: float,
    patient: bool,
    deadline: Deadline,
) -> float:
    """The bound of one part, from the multipliers of the last part with points in the same boxes."""
    best, later, values = 0.0, kind in known, list[float]()
    rounds, steps, window = (LATER, STEPS, 1) if later else (FIRST, STEPS, FIRST)
    if patient:
        rounds, steps, window = MANY, LONG, PATIENCE
    if later:
        state, unit = known[kind]
        state.rho *= (unit / model.unit) ** 2  # multipliers are kept in the unit of the points
        state.seconds = 0.0
        best = model.safe(state.safe_bound(model))
    else:
        state = Iterates.start(model)
    for _ in range(rounds):
        if share - best <= gap * share or not deadline.allows():
            break
        values.append(best)
        state.advance(model, steps, deadline)
        best = max(best, model.safe(state.safe_bound(model)))
        if len(values) >= window and best > 0.0 and best - values[-window] < 0.02 * gap * share:
            break
        state.separate(model, deadline)
    known[kind] = state, model.unit
    return best


def _matched(X: NDArray[np.float64], labels: NDArray[np.int64], n_parts: int) -> NDArray[np.int64]:
    """Points (n_parts, boxes) of every part, -1 where a part has none of a box."""
    columns, offset, rng = [], 0, np.random.default_rng(0)
    for i in np.unique(labels):
        members = rng.permutation(np.flatnonzero(labels == i))
        rest = len(members) % n_parts
        drift = np.zeros((n_parts, X.shape[1]))
        if rest:  # to some parts, others for every cluster
            column = np.full(n_parts, -1)
            column[(offset + np.arange(rest)) % n_parts] = members[:rest]
            offset += rest
            columns.append(column)
        for box in boxes(X, members[rest:], n_parts):
            deviation = X[box] - X[box].mean(axis=0)
            axis = int(deviation.var(axis=0).argmax())
            column = np.empty(n_parts, dtype=np.int64)
            parts, points = np.argsort(drift[:, axis], kind="stable"), np.argsort(-deviation[:, axis], kind="stable")
            column[parts] = box[points]
            drift[parts] += deviation[points]
            columns.append(column)
    return np.column_stack(columns)


def boxes(X: NDArray[np.float64], members: NDArray[np.int64], size: int) -> list[NDArray[np.int64]]:
    """Members in boxes of ``size`` points each, halved across their longest side again and again."""
    count = len(members) // size
    if count <= 1:
        return [members] if count else []
    values = X[members]
    axis = int((values.max(axis=0) - values.min(axis=0)).argmax())
    order, cut = np.argpartition(values[:, axis], count // 2 * size), count // 2 * size
    return boxes(X, members[order[:cut]], size) + boxes(X, members[order[cut:]], size)

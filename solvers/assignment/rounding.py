"""Whole labels: for an assignment that splits points, and where some labels are given.

A vertex of the weighted partition polytope splits at most k - 1 points, with m size dimensions and q side
constraints at most m k + q. Putting each of them into one of its clusters moves every row by less than the
coefficients of the points involved; the bounds can then be broken, and by how much is part of the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import UNLIMITED, Deadline
from ...base.errors import InfeasibleBoundsError, NotOptimalError
from ...models.certificates.certificate import Certificate, Split, check_assignment
from ...models.polytope.broken_bounds import broken_bounds, by_name, excess, values_of
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ..partition import Partition
from ..solution import AssignmentSolution
from .solve import solve
from .whole import GAP, NODES

ROUNDS = 20  # Rounds of repair after rounding.


class WholeAssignment(NamedTuple):
    """An assignment that splits no point."""

    labels: NDArray[np.int64]  # (n,): Cluster of every point.
    sizes: NDArray[np.float64]  # (k,): Sums of weights.
    violation: float  # Largest amount by which a bound is broken; 0 when none is.
    violations: Mapping[str, float]  # Largest broken amount for every name of the polytope, each in its own unit.


def round_within(labels: NDArray[np.int64], splits: Sequence[Split], polytope: PartitionPolytope) -> WholeAssignment:
    """Put every split point into one of the clusters that share it. Shapes: labels (n,)."""
    whole = labels.astype(np.int64)
    points, clusters = (np.array([split[c] for split in splits], dtype=np.int64) for c in (0, 1))
    share = np.array([split[2] for split in splits])
    columns, unit = _columns(polytope, points, clusters), polytope.row_table.largest
    unit = np.where(unit > 0, unit, 1.0)
    large = (np.abs(columns) / unit[:, None]).max(axis=0, initial=0.0)
    entries = {point: np.flatnonzero(points == point) for point in np.unique(points).tolist()}
    order = sorted(entries, key=lambda point: (-large[entries[point]].max(), point))
    for point in order:
        whole[point] = clusters[entries[point][0]]
    values = values_of(polytope, whole) - columns[:, [entries[point][0] for point in order]].sum(axis=1)
    chosen: dict[int, int] = {}
    for _ in range(ROUNDS):
        before = dict(chosen)
        for point in order:
            if point in chosen:
                values -= columns[:, chosen[point]]
            own = entries[point]
            broken = (excess(polytope, values[:, None] + columns[:, own]) / unit[:, None]).sum(axis=0).round(9)
            chosen[point] = int(own[np.lexsort((clusters[own], -share[own], broken))[0]])
            values += columns[:, chosen[point]]
        if chosen == before:
            break
    for point, entry in chosen.items():
        whole[point] = clusters[entry]
    named = by_name(polytope, broken_bounds(polytope, whole))
    return WholeAssignment(whole, polytope.sizes(whole), max(named.values()), named)


def with_whole_points(partition: Partition, solution: AssignmentSolution, deadline: Deadline = UNLIMITED) -> Partition:
    """The partition of a divided solution with every point in one cluster: within the bounds and certified where such
    an assignment is found, else by `round_within`, with the amounts by which that breaks bounds."""
    model, prices = solution.model, solution.prices
    statement = replace(model, polytope=model.polytope.whole())
    gap, warm = GAP * abs(partition.objective), None if prices is None else solution.named_prices
    try:
        found = solve(statement, warm_start=warm, gap=gap, nodes=NODES, time_limit=deadline.left)
    except (InfeasibleBoundsError, NotOptimalError):
        pass
    else:
        labels = found.require_labels()
        return replace(
            partition, labels=labels, sizes=model.polytope.sizes(labels), splits=(), certificate=found.verify(),
            prices=found.named_prices, proved_for="",
        )  # fmt: skip
    return put_whole(partition, solution)


def put_whole(partition: Partition, solution: AssignmentSolution) -> Partition:
    """The partition of a divided solution by `round_within`, with the amounts by which that breaks bounds."""
    model, prices = solution.model, solution.prices
    whole = round_within(partition.labels, partition.splits, model.polytope)
    certificate = None
    if prices is not None:
        certificate = check_assignment(model, whole.labels, prices, further_prices=solution.further_prices)
    return replace(
        partition, labels=whole.labels, sizes=whole.sizes, splits=(), violation=whole.violation,
        violations=whole.violations, certificate=certificate, proved_for="",
    )  # fmt: skip


def _columns(
    polytope: PartitionPolytope, points: NDArray[np.int64], clusters: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Coefficients of the pairs (p,) in the sizes and side constraints."""
    return np.concatenate([rows.columns(points, clusters, polytope.n_clusters) for rows in polytope.all_rows])


def assign_with_given(
    scores: NDArray[np.float64], given: NDArray[np.int64], polytope: PartitionPolytope
) -> tuple[NDArray[np.int64], Certificate | None]:
    """Labels (n,) that keep the given ones (n,), -1 for none, and maximise the other points' scores (n, k) in
    bounds."""
    polytope.require_plain("the assignment with given labels")
    labels = given.copy()
    free = np.flatnonzero(given < 0)
    taken = np.bincount(given[given >= 0], minlength=polytope.n_clusters)
    wrong = (taken > polytope.upper) | ((taken < polytope.lower) & (free.size == 0))
    if wrong.any():
        i = int(wrong.argmax())
        raise InfeasibleBoundsError(
            f"{taken[i]} rows carry the label of cluster {i}, whose bounds are "
            f"[{polytope.lower[i]:g}, {polytope.upper[i]:g}]: change the bounds or the labels"
        )
    if polytope.is_free or free.size == 0:
        labels[free] = scores[free].argmax(axis=1)
        return labels, None
    rest = PartitionPolytope(len(free), np.maximum(polytope.lower - taken, 0.0), polytope.upper - taken)
    rest.check()
    solution = solve(AssignmentModel(rest, scores[free]))
    labels[free] = solution.require_labels()
    return labels, solution.verify().sealed(labels, ())  # proves the points without a label, belongs to all

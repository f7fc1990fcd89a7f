"""What no groups can reach: intervals around the best value of a criterion.

(a) The variance between groups is at least 0, the value of the even share xi_gj = m_g / n.
(b) Where masks or shares forbid that, f(xi) = sum_g |s_g|^2 / m_g is convex, and at every xi and vertex v

        f(xi) + min_v grad f(xi)'(v - xi)  <=  the least value over the polytope            (Frank and Wolfe 1956)

    with the assignment program as the oracle, whose dual value counts.
(c) With m rows in every group, P = I - 11'/n, and Q = P D P on the complement of 1,

        sum of distances within groups  <=  (m / 2) (1'D1 / n  +  sum of the k - 1 largest eigenvalues of Q)

(d) Where all groups within the bounds are few, the best partition into them is a set partitioning problem.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...models.objectives.bound import Bound
from ...models.polytope.mask import Mask
from ...models.polytope.polytope import PartitionPolytope
from ...models.polytope.rows import AttributeRows
from ...models.programs.assignment import AssignmentModel
from ...models.scores.scores import DenseScores
from ..assignment.solve import solve
from ..connected.enumeration import CLUSTERS, best_partition
from ..graphs.cluster_bounds import ClusterBounds
from .search import value_of

STEPS = 40  # Steps of the Frank-Wolfe method.


def bound_of(
    table: NDArray[np.float64],
    polytope: PartitionPolytope,
    far: bool,
    labels: NDArray[np.int64],
    value: float,
    deadline: Deadline,
) -> tuple[NDArray[np.int64], float, Bound | None]:
    """Labels (n,), their value and an interval around the best: (d) where it can be listed, which may better them."""
    listed = _listed(table, polytope, far, deadline)
    if listed is not None:
        labels, rounding = listed
        value = value_of(table, polytope, far, labels)
        ends = (value, value + rounding) if far else (max(0.0, value - rounding), value)
        return labels, value, Bound(*ends, "enumeration of all groups")
    if not far:
        least, proof = 0.0, "the even share"
        if not polytope.relaxed.is_plain:
            least, proof = _frank_wolfe(table, polytope.relaxed, deadline), "the even share, or Frank and Wolfe's bound"
        return labels, value, Bound(min(least, value), value, proof)
    n, k = len(table), polytope.n_clusters
    if polytope.weights is not None or not (polytope.lower == polytope.upper).all() or np.ptp(polytope.lower) > 0:
        return labels, value, None
    centred = table - table.mean(axis=0)
    # the direction of 1 comes last: it is not in the complement
    last = 1.0 + np.abs(table).sum()
    values = np.linalg.eigvalsh(centred - centred.mean(axis=1)[:, None] - last / n)[::-1]
    most = n / k / 2 * (table.sum() / n + values[: k - 1].sum()) + 1e-13 * n * last
    return labels, value, Bound(value, max(value, float(most)), "eigenvalues of the distances")


def _listed(
    table: NDArray[np.float64], polytope: PartitionPolytope, far: bool, deadline: Deadline
) -> tuple[NDArray[np.int64], float] | None:
    """The best groups by (d), and by how much rounding may err; None where it is not done."""
    n, k = len(table), polytope.n_clusters
    low, up = int(polytope.lower.min()), int(polytope.upper.max())
    known = all(isinstance(constraint, Mask | AttributeRows) for constraint in polytope.constraints)
    if n > 62 or not known or polytope.weights is not None or low < 1:
        return None
    if sum(comb(n, m) for m in range(low, up + 1)) > CLUSTERS:
        return None
    groups = [np.array(list(combinations(range(n), m)), dtype=np.int64) for m in range(low, up + 1)]
    held = np.zeros((sum(map(len, groups)), n), dtype=bool)
    costs, start = np.empty(len(held)), 0
    total = max(float((table**2).sum()), 1e-300)
    for members in groups:
        rows = slice(start, start + len(members))
        held[np.arange(rows.start, rows.stop)[:, None], members] = True
        chosen = held[rows].astype(np.float64)
        if far:
            costs[rows] = -np.einsum("qi,qi->q", chosen @ table, chosen) / 2
        else:
            costs[rows] = ((chosen @ table) ** 2).sum(axis=1) / members.shape[1] / total
        start = rows.stop
    best = best_partition(held, costs, k, deadline, ClusterBounds.of(polytope).fits(held))
    return None if best is None else (best[0].astype(np.int64), best[1])


def _frank_wolfe(table: NDArray[np.float64], relaxed: PartitionPolytope, deadline: Deadline) -> float:
    """A lower bound on the share of the variance between groups by (b); 0 where the first step is not solved."""
    n, k, w = len(table), relaxed.n_clusters, relaxed.point_weights
    total = max(float(w @ (table**2).sum(axis=1)), 1e-300)
    shares, best = np.zeros((n, k)), 0.0
    for step in range(STEPS):
        sums, sizes = shares.T @ (w[:, None] * table), np.maximum(shares.T @ w, 1e-12)
        value = float(((sums**2).sum(axis=1) / sizes).sum())
        slopes = 2.0 * table @ (sums / sizes[:, None]).T - ((sums**2).sum(axis=1) / sizes**2)
        if step and (not deadline.allows() or value <= 1e-9 * total or value - best <= 1e-3 * value):
            break
        solution = solve(AssignmentModel(relaxed, DenseScores(-slopes)), time_limit=deadline.left)
        vertex = np.zeros((n, k))
        vertex[np.arange(n), solution.require_labels()] = 1.0
        for point in {point for point, _, _ in solution.splits}:
            vertex[point] = 0.0
        for point, cluster, share in solution.splits:
            vertex[point, cluster] = share
        if step:
            best = max(best, value - float((w[:, None] * shares * slopes).sum()) - solution.dual_objective)
        towards = vertex - shares
        turn = towards.T @ (w[:, None] * table)
        curve = float(((turn**2).sum(axis=1) / sizes).sum())
        slope = float((w[:, None] * towards * slopes).sum())
        shares = vertex if not step else shares + min(1.0, max(0.0, -slope / max(2.0 * curve, 1e-300))) * towards
    return max(0.0, best / total * (1.0 - 1e-9) - 1e-12)

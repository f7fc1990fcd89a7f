"""Bounds on sums of squares and on cuts of any clusters within the bounds on sizes, whether connected or not.

Sums of squares have the semidefinite relaxation of `programs/least_squares_sdp.py`. For cuts let A (n, n) be the
weights of the edges, L = diag(A 1) - A, W the diagonal matrix of the weights w of the points, and c at least the
largest eigenvalue of W^-1/2 L W^-1/2. Then K = c W^-1 - W^-1 L W^-1 is the matrix of the inner products of some points
Y, and for any k clusters S that are not empty

    (1)  within-cluster sum of squares of Y  =  tr W K - c k + sum_S cut(S) / w(S)
    (2)  weight between clusters  =  1/2 sum_S cut(S)  >=  1/2 min_i l_i sum_S cut(S) / w(S)

with cut(S) the weight that leaves S: the relaxation of (1) bounds cuts, and is the better the tighter sizes are.

References: Donath and Hoffman, IBM J. Res. Dev. 17 (1973); Dhillon, Guan and Kulis, IEEE TPAMI 29 (2007), for (1).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.least_squares_sdp import LeastSquaresSDP
from ..global_optimum.bound_by_parts import is_one_part, relaxed_bound
from .enumeration import graph_of
from .objectives import Squares


def unconnected_bound(program: Squares, value: float, deadline: Deadline) -> float:
    """What no clustering within the bounds on sizes is better than; ``value`` is the best one known."""
    polytope, counted = program.polytope, program.polytope.point_weights > 0.0
    less = 1.0 - 1e-12  # sums are off by far less
    sizes = PartitionPolytope(
        int(counted.sum()), polytope.lower, polytope.upper, polytope.point_weights[counted],
        n_clusters=polytope.n_clusters,
    )  # fmt: skip
    model, half = LeastSquaresSDP(program.X[counted], sizes), 0.5 * float(polytope.lower.min()) * less
    if not program.cuts:
        within = float(program.within.sum())
        return (within + relaxed_bound(model, value - within, deadline)) * less
    # a cluster may be empty in these weights, or eigenvectors of as many points take too long
    if not half > 0.0 or not is_one_part(model, deadline):
        return 0.0
    Y, offset, lost = _points_of_cuts(program, counted)
    found = relaxed_bound(LeastSquaresSDP(Y, sizes), value / half + offset, deadline)
    bound = max(0.0, half * (found - offset - lost))
    whole = bool((graph_of(polytope).weights % 1.0 == 0.0).all())
    return float(np.ceil(bound)) if whole else bound


def _points_of_cuts(program: Squares, counted: NDArray[np.bool_]) -> tuple[NDArray[np.float64], float, float]:
    """Points Y (m, m), tr W K - c k of (1), and at most what both are off by."""
    graph, k, w = graph_of(program.polytope), program.polytope.n_clusters, program.polytope.point_weights[counted]
    A = np.zeros((counted.size, counted.size))
    A[tuple(graph.edges.T)] = A[tuple(graph.edges.T[::-1])] = graph.weights
    A = A[np.ix_(counted, counted)]  # cuts are not larger without the edges of points without weight
    L, roots = np.diag(A.sum(axis=1)) - A, np.sqrt(w)
    values, vectors = np.linalg.eigh(L / np.outer(roots, roots))
    c = float(values[-1])
    Y = vectors * np.sqrt(np.maximum(c - values, 0.0)) / roots[:, None]
    exact = c * np.eye(w.size) - L / np.outer(roots, roots)
    off = float(np.linalg.norm(roots[:, None] * (Y @ Y.T) * roots - exact))
    trace = float(np.trace(exact))
    return Y, trace - c * k, (k + w.size) * off + 1e-12 * (trace + c * k)

"""What masks, further size dimensions, shares and rows of one's own leave to a move of CAC.

With the sums S_p of the attributes of the points in cluster p, and c_q, b_q, B_q of the rows q of that cluster
(`polytope/rows.py`), point j may leave p when b_q <= c_q . (S_p - A_j) <= B_q for all of them, and enter a cluster
that its mask allows when the same holds there with S + A_j. Rows of one's own are kept by their left-hand sides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.jit import njit
from ...models.certificates.charges import activities
from ...models.polytope.polytope import PartitionPolytope
from ...models.polytope.rows import AttributeRows
from ...models.polytope.shares import Shares

SLACK = 5e-10  # of what a left-hand side can reach: half of what `PartitionPolytope.contains` allows


class Room(NamedTuple):
    """Rows and masks, and where the clustering at hand stands; the kernels update ``sums`` and ``activity``."""

    allowed: NDArray[np.bool_]  # (n, k): Mask; of no rows where all pairs are allowed
    attributes: NDArray[np.float64]  # (n, r): A
    sums: NDArray[np.float64]  # (k, r): S
    starts: NDArray[np.int64]  # (k + 1,): Cluster p has the rows starts[p] to starts[p + 1] - 1
    coefficients: NDArray[np.float64]  # (q, r): c, b and B, bounds widened by rounding
    lower: NDArray[np.float64]  # (q, r): c, b and B, bounds widened by rounding
    upper: NDArray[np.float64]  # (q, r): c, b and B, bounds widened by rounding
    pair_starts: NDArray[np.int64]  # (n k + 1,)
    pair_rows: NDArray[np.int64]  # (n k + 1,)
    pair_values: NDArray[np.float64]  # (n k + 1,)
    activity: NDArray[np.float64]  # (s,): Left-hand sides of rows of one's own, and their bounds
    least: NDArray[np.float64]  # (s,): Left-hand sides of rows of one's own, and their bounds
    most: NDArray[np.float64]  # (s,): Left-hand sides of rows of one's own, and their bounds
    change: NDArray[np.float64]  # (s,): Zeros between two calls


def room_of(polytope: PartitionPolytope) -> Room | None:
    """The room of a polytope, before `count_up`; None where sizes in one dimension are all that is bounded."""
    if polytope.is_plain:
        return None
    import scipy.sparse as sp

    n, k, r = polytope.n_points, polytope.n_clusters, polytope.attributes.shape[1]
    own = [rows for rows in polytope.further if isinstance(rows, AttributeRows)]
    clusters = np.concatenate([np.empty(0, np.int64), *(rows.clusters for rows in own)])
    coefficients, start = np.zeros((clusters.size, r)), 0
    ends = np.cumsum([0, *(len(rows) for rows in own)])
    for rows, first in zip(own, ends):
        width = rows.attributes.shape[1]
        coefficients[first : first + len(rows), start : start + width] = rows.coefficients
        start += width
    order = np.argsort(clusters, kind="stable")
    others = [rows for rows in polytope.further if not isinstance(rows, AttributeRows)]
    matrix = sp.vstack([rows.coefficients for rows in others]).tocsc() if others else sp.csc_array((0, n * k))
    (lower, upper), (least, most) = _sides(own), _sides(others)
    return Room(
        np.empty((0, k), dtype=bool) if polytope.allowed is None else np.array(polytope.allowed),
        np.ascontiguousarray(polytope.attributes),
        np.zeros((k, r)),
        np.searchsorted(clusters[order], np.arange(k + 1)),
        np.ascontiguousarray(coefficients[order]),
        lower[order],
        upper[order],
        matrix.indptr.astype(np.int64) if others else np.zeros(1, np.int64),
        matrix.indices.astype(np.int64),
        matrix.data.astype(np.float64),
        np.zeros(matrix.shape[0]),
        least,
        most,
        np.zeros(matrix.shape[0]),
    )


def _sides(listed: list) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bounds of the rows, widened by rounding."""
    slack = SLACK * np.concatenate([np.empty(0), *(rows.extent() for rows in listed)])
    lower, upper = (
        np.concatenate([np.empty(0), *(getattr(rows, side) for rows in listed)]) for side in ("lower", "upper")
    )
    return lower - slack, upper + slack


def count_up(room: Room, polytope: PartitionPolytope, labels: NDArray[np.int64]) -> None:
    """Fill ``sums`` and ``activity`` from the labels (n,) alone."""
    for column, values in enumerate(room.attributes.T):
        room.sums[:, column] = np.bincount(labels, values, polytope.n_clusters)
    if room.activity.size:
        found = activities(polytope, Shares.of(labels, (), polytope.n_clusters))
        own = [found[rows.name] for rows in polytope.further if not isinstance(rows, AttributeRows)]
        room.activity[:] = np.concatenate(own)


@njit(cache=True, borrowing=True)
def add_pair(room, point, cluster, sign, totals):
    """Add the coefficients of a point in a cluster in rows of one's own to ``totals`` (s,), or take them off."""
    pair = point * room.sums.shape[0] + cluster
    for entry in range(room.pair_starts[pair], room.pair_starts[pair + 1]):
        totals[room.pair_rows[entry]] += sign * room.pair_values[entry]


@njit(cache=True, borrowing=True)
def cluster_fits(room, p, leaving, entering):
    """Whether the rows of cluster ``p`` hold when a point leaves and another enters; -1 stands for none."""
    for q in range(room.starts[p], room.starts[p + 1]):
        value = 0.0
        for r in range(room.attributes.shape[1]):
            total = room.sums[p, r]
            if leaving >= 0:
                total -= room.attributes[leaving, r]
            if entering >= 0:
                total += room.attributes[entering, r]
            value += room.coefficients[q, r] * total
        if value < room.lower[q] or value > room.upper[q]:
            return False
    return True


@njit(cache=True, borrowing=True)
def room_for(room, i, j, p, q):
    """Whether point i may go from cluster ``p`` to ``q``, and j the other way; no point comes back when j is -1."""
    if room.allowed.shape[0] > 0 and (not room.allowed[i, q] or (j >= 0 and not room.allowed[j, p])):
        return False
    if not (cluster_fits(room, p, i, j) and cluster_fits(room, q, j, i)):
        return False
    if room.activity.size == 0:
        return True
    change = room.change
    add_pair(room, i, p, -1.0, change)
    add_pair(room, i, q, 1.0, change)
    if j >= 0:
        add_pair(room, j, q, -1.0, change)
        add_pair(room, j, p, 1.0, change)
    fits = True
    for row in range(change.size):
        value = room.activity[row] + change[row]
        if change[row] != 0.0 and (value < room.least[row] or value > room.most[row]):
            fits = False
        change[row] = 0.0
    return fits


@njit(cache=True, borrowing=True)
def note_move(room, i, p, q):
    """Note that point i went from cluster ``p`` to ``q``."""
    for r in range(room.attributes.shape[1]):
        room.sums[p, r] -= room.attributes[i, r]
        room.sums[q, r] += room.attributes[i, r]
    if room.activity.size > 0:
        add_pair(room, i, p, -1.0, room.activity)
        add_pair(room, i, q, 1.0, room.activity)

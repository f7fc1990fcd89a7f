"""Room that masks, other size dimensions, shares and custom rows leave for a move of CAC.

With the sums S_p of the attributes of the points in cluster p, and c_q, b_q, B_q of the rows q of that cluster
(`polytope/rows.py`), point j may leave p when b_q <= c_q . (S_p - A_j) <= B_q for all of them, and enter a cluster
that its mask allows when the same holds there with S + A_j. Custom rows are kept by their left-hand sides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.jit import njit
from ...models.polytope.polytope import PartitionPolytope
from ...models.polytope.rows import AttributeRows, activities
from ...models.polytope.shares import Shares


class RowSlack(NamedTuple):
    """Rows and masks, and their values for the current clustering; the kernels update ``sums`` and ``activity``."""

    allowed: NDArray[np.bool_]  # (n, k): Allowed pairs; without rows where all pairs are allowed.
    attributes: NDArray[np.float64]  # (n, r): A
    sums: NDArray[np.float64]  # (k, r): S
    starts: NDArray[np.int64]  # (k + 1,): Cluster p has the rows starts[p] to starts[p + 1] - 1.
    coefficients: NDArray[np.float64]  # (q, r): c
    lower: NDArray[np.float64]  # (q, r): Bounds b, lowered by the rounding error.
    upper: NDArray[np.float64]  # (q, r): B, raised by the rounding error.
    pair_starts: NDArray[np.int64]  # (n k + 1,): Where the entries of each pair of point and cluster begin.
    pair_rows: NDArray[np.int64]  # (e,): Side constraints in which the pair has an entry.
    pair_values: NDArray[np.float64]  # (e,): Coefficient of the pair in that constraint.
    activity: NDArray[np.float64]  # (s,): Left-hand sides of the side constraints.
    least: NDArray[np.float64]  # (s,): Lower bounds of the side constraints.
    most: NDArray[np.float64]  # (s,): Upper bounds of the side constraints.
    change: NDArray[np.float64]  # (s,): Zeros between two calls.


def row_slack_of(polytope: PartitionPolytope) -> RowSlack | None:
    """The slack of the rows of a polytope, before `count_up`; None where only sizes in one dimension are bounded."""
    if polytope.is_plain:
        return None
    import scipy.sparse as sp

    n, k, r = polytope.n_points, polytope.n_clusters, polytope.attributes.shape[1]
    # one table has the attributes of all rows as columns: a row has zeros for those of others
    own = [rows for rows in polytope.further if isinstance(rows, AttributeRows)]
    clusters = np.concatenate([np.empty(0, np.int64), *(rows.clusters for rows in own)])
    coefficients, start = np.zeros((clusters.size, r)), 0
    ends = np.cumsum([0, *(len(rows) for rows in own)])
    for rows, first in zip(own, ends):
        width = rows.attributes.shape[1]
        coefficients[first : first + len(rows), start : start + width] = rows.coefficients
        start += width
    # rows cluster by cluster: a move looks at those of two clusters only
    order = np.argsort(clusters, kind="stable")
    # custom rows pair by pair: a move changes the columns of two pairs
    others = [rows for rows in polytope.further if not isinstance(rows, AttributeRows)]
    matrix = sp.vstack([rows.coefficients for rows in others]).tocsc() if others else sp.csc_array((0, n * k))
    (lower, upper), (least, most) = _sides(own), _sides(others)
    return RowSlack(
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
    # half of what `PartitionPolytope.contains` allows
    slack = 5e-10 * np.concatenate([np.empty(0), *(rows.extent() for rows in listed)])
    lower, upper = (
        np.concatenate([np.empty(0), *(getattr(rows, side) for rows in listed)]) for side in ("lower", "upper")
    )
    return lower - slack, upper + slack


def count_up(row_slack: RowSlack, polytope: PartitionPolytope, labels: NDArray[np.int64]) -> None:
    """Fill ``sums`` and ``activity`` from the labels (n,) alone."""
    for column, values in enumerate(row_slack.attributes.T):
        row_slack.sums[:, column] = np.bincount(labels, values, polytope.n_clusters)
    if row_slack.activity.size:
        found = activities(polytope, Shares.of(labels, (), polytope.n_clusters))
        own = [found[rows.name] for rows in polytope.further if not isinstance(rows, AttributeRows)]
        row_slack.activity[:] = np.concatenate(own)


@njit(cache=True, borrowing=True)
def add_pair(row_slack, point, cluster, sign, totals):
    """Add the coefficients of a point in a cluster in custom rows to ``totals`` (s,), or take them off."""
    pair = point * row_slack.sums.shape[0] + cluster
    for entry in range(row_slack.pair_starts[pair], row_slack.pair_starts[pair + 1]):
        totals[row_slack.pair_rows[entry]] += sign * row_slack.pair_values[entry]


@njit(cache=True, borrowing=True)
def cluster_fits(row_slack, p, leaving, entering):
    """Whether the rows of cluster ``p`` hold when a point leaves and another enters; -1 stands for none."""
    for q in range(row_slack.starts[p], row_slack.starts[p + 1]):
        value = 0.0
        for r in range(row_slack.attributes.shape[1]):
            total = row_slack.sums[p, r]
            if leaving >= 0:
                total -= row_slack.attributes[leaving, r]
            if entering >= 0:
                total += row_slack.attributes[entering, r]
            value += row_slack.coefficients[q, r] * total
        if value < row_slack.lower[q] or value > row_slack.upper[q]:
            return False
    return True


@njit(cache=True, borrowing=True)
def rows_allow(row_slack, i, j, p, q):
    """Whether point i may go from cluster ``p`` to ``q``, and j the other way; no point comes back when j is -1."""
    if row_slack.allowed.shape[0] > 0 and (not row_slack.allowed[i, q] or (j >= 0 and not row_slack.allowed[j, p])):
        return False
    if not (cluster_fits(row_slack, p, i, j) and cluster_fits(row_slack, q, j, i)):
        return False
    if row_slack.activity.size == 0:
        return True
    change = row_slack.change
    add_pair(row_slack, i, p, -1.0, change)
    add_pair(row_slack, i, q, 1.0, change)
    if j >= 0:
        add_pair(row_slack, j, q, -1.0, change)
        add_pair(row_slack, j, p, 1.0, change)
    fits = True
    for row in range(change.size):
        value = row_slack.activity[row] + change[row]
        if change[row] != 0.0 and (value < row_slack.least[row] or value > row_slack.most[row]):
            fits = False
        change[row] = 0.0
    return fits


@njit(cache=True, borrowing=True)
def note_move(row_slack, i, p, q):
    """Note that point i went from cluster ``p`` to ``q``."""
    for r in range(row_slack.attributes.shape[1]):
        row_slack.sums[p, r] -= row_slack.attributes[i, r]
        row_slack.sums[q, r] += row_slack.attributes[i, r]
    if row_slack.activity.size > 0:
        add_pair(row_slack, i, p, -1.0, row_slack.activity)
        add_pair(row_slack, i, q, 1.0, row_slack.activity)

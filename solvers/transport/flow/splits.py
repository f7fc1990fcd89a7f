"""From pieces of weighted points to labels and shares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....models.polytope.shares import Split
from .pieces import Pieces, listed


def split_points(pieces: Pieces, labels: NDArray[np.int64]) -> tuple[NDArray[np.int64], tuple[Split, ...]]:
    """Labels and the shares of the points that lie in more than one cluster.

    Parameters
    ----------
    pieces : Pieces
        Of a finished flow: at most k - 1 points are split.
    labels : (n,) ndarray
        Cluster of every point; of a split one, of any of its pieces.

    Returns
    -------
    labels : (n,) ndarray
        Of a split point, the cluster of its largest share.
    shares : tuple of (point, cluster, share)
        Sorted; shares of a point are positive and sum to one.
    """
    points, clusters, amounts = listed(pieces)
    split = np.unique(pieces.part_points[: pieces.counts[0]])
    if split.size == 0:
        return labels, ()
    keep = np.concatenate([split, np.arange(labels.size, points.size)])
    keep = keep[np.lexsort([clusters[keep], points[keep]])]
    points, clusters, amounts = points[keep], clusters[keep], amounts[keep]
    starts = np.searchsorted(points, split)
    total = np.repeat(np.add.reduceat(amounts, starts), np.diff(np.append(starts, points.size)))
    shares = amounts / total
    labels = labels.copy()
    ascending = np.lexsort([-clusters, shares])
    labels[points[ascending]] = clusters[ascending]  # the last one written stays: the largest share
    return labels, tuple(zip(points.tolist(), clusters.tolist(), shares.tolist()))

"""Labels and splits as one list of shares, with everything that keeps it from being an assignment.

A share (point, cluster, s) says that s of the point is in the cluster. Shares are not negative, add up to one at
every point that has any, name every pair once, and the point's label is a cluster that holds most of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_array

Split = tuple[int, int, float]
"""(point, cluster, share): a share of a point that a vertex of the weighted polytope splits."""


@dataclass(frozen=True, eq=False)
class Shares:
    """An assignment."""

    labels: NDArray[np.int64]  # (n,): Cluster of every point.
    points: NDArray[np.int64]  # (s,): The point of every share, in increasing order.
    clusters: NDArray[np.int64]  # (s,): The cluster of every share.
    share: NDArray[np.float64]  # (s,): The shares.
    violation: float  # Largest amount by which a rule of the module's head is broken.

    @classmethod
    def of(cls, labels: NDArray[np.int64], splits: Sequence[Split], n_clusters: int) -> Shares:
        """Check and sort the splits of labels (n,) that name existing clusters."""
        table, readable = _table(splits)
        places = table[:, :2]
        known = (places == np.floor(places)) & (places >= 0) & (places < np.array([labels.size, n_clusters]))
        good = known.all(axis=1) & np.isfinite(table[:, 2])
        readable = readable and bool(good.all())
        table = table[good]
        table = table[np.lexsort((table[:, 1], table[:, 0]))]
        points, clusters, share = table[:, 0].astype(np.int64), table[:, 1].astype(np.int64), table[:, 2]
        violation = _violation(labels, points, clusters, share) if readable else np.inf
        return cls(labels, points, clusters, share, violation)

    @cached_property
    def used(self) -> NDArray[np.int64]:
        """Clusters that are not empty."""
        return np.unique(np.concatenate([np.unique(self.labels), self.clusters]))

    def sizes(self, weights: NDArray[np.float64] | None, k: int) -> NDArray[np.float64]:
        """Sums of weights (k,), each rounded a few times however many points there are."""
        if weights is None:
            sizes = np.bincount(self.labels, minlength=k).astype(np.float64)
        else:
            upper = _leading(weights)
            sizes = np.bincount(self.labels, upper, k).astype(np.float64)
            sizes += np.bincount(self.labels, weights - upper, k)
        if self.points.size:
            w = np.ones(self.labels.size) if weights is None else weights
            whole = np.unique(self.points)
            np.subtract.at(sizes, self.labels[whole], w[whole])
            np.add.at(sizes, self.clusters, self.share * w[self.points])
        return sizes

    def size_errors(self, weights: NDArray[np.float64] | None, k: int) -> NDArray[np.float64]:
        """Bounds (k,) on what rounding does to `sizes`: nothing where no weight has more digits than their sum."""
        if weights is None:
            return np.zeros(k)
        unit = 4.0 * float(np.finfo(np.float64).eps)
        rest = np.bincount(self.labels, weights != _leading(weights), k) > 0
        errors = np.where(rest, unit * self.sizes(weights, k), 0.0)
        np.add.at(errors, self.clusters, unit * self.share * weights[self.points])
        return errors

    def block(self, start: int, stop: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """The shares of the points start..stop, points counted from start."""
        a, b = np.searchsorted(self.points, [start, stop])
        return self.points[a:b] - start, self.clusters[a:b], self.share[a:b]


def _leading(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The leading digits (n,) of weights: sums of them are not rounded."""
    unit = max(float(np.exp2(np.ceil(np.log2(weights.sum())) - 52.0)), 2.0**-1074)
    return np.asarray(np.round(weights / unit) * unit)


def digest_of(labels: ArrayLike, splits: Sequence[Split], numbers: Sequence[object]) -> str:
    """A fingerprint of an assignment and of the numbers stated about it; equal only for equal input."""
    lazy = hasattr(labels, "dask")
    y: Any = labels if lazy else as_array(labels, "labels")
    seal = blake2b(digest_size=16)
    if lazy:
        seal.update(y.name.encode())
    elif y.dtype.kind not in "biu":
        seal.update(repr(y.tolist()).encode())
    else:
        small = y.size == 0 or (y.min() >= 0 and y.max() < 256)
        seal.update(np.ascontiguousarray(y, dtype="u1" if small else "<i8").data)
    table, readable = _table(splits)
    entries = sorted(table.tolist()) if readable else repr(splits)
    seal.update(repr((y.shape, entries, tuple(numbers))).encode())
    return seal.hexdigest()


def _table(splits: Sequence[Split]) -> tuple[NDArray[np.float64], bool]:
    """Splits as rows of numbers (s, 3), and whether all of them could be read."""
    try:
        table = np.array([tuple(split) for split in splits], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return np.empty((0, 3)), False
    if not len(table):
        return np.empty((0, 3)), True
    return (table, True) if table.ndim == 2 and table.shape[1] == 3 else (np.empty((0, 3)), False)


def _violation(
    labels: NDArray[np.int64], points: NDArray[np.int64], clusters: NDArray[np.int64], share: NDArray[np.float64]
) -> float:
    if not points.size:
        return 0.0
    first = np.flatnonzero(np.diff(points, prepend=-1))
    twice = (np.diff(points) == 0) & (np.diff(clusters) == 0)
    if twice.any() or share.min() < 0:
        return float("inf")
    total = float(np.abs(np.add.reduceat(share, first) - 1.0).max())
    largest = np.maximum.reduceat(share, first)
    own = np.add.reduceat(np.where(clusters == labels[points], share, 0.0), first)
    return max(total, float((largest - own).max()))

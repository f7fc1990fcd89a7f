"""Pictures of a partition polytope: all clusterings by their cluster sums, projected to a plane.

A clustering C has the cluster sums v(C) = (s_1, ..., s_k) in R^(k d); the partition polytope of the points is the
convex hull of all v(C). The sums add up to a constant, so with two clusters of points in the plane, or three
clusters of points on a line, the whole polytope is flat and the picture loses nothing. Otherwise it is a projection

    v -> (b_1 . v, b_2 . v)      by default onto the two directions in which the clusterings vary most
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_array, as_floats, finite_rows, instance_of
from ...base.errors import InvalidInputError
from ...output.style import BLUE, RED, axes_of
from ..diagram.picture import principal_plane
from ..polytope.cluster_sums import MOST_CLUSTERINGS
from ..polytope.polytope import PartitionPolytope

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def cluster_sums(X: ArrayLike, labels: ArrayLike, n_clusters: int) -> NDArray[np.float64]:
    """Cluster sums (m, k, d) of m clusterings (m, n), or (k, d) of one (n,), for points X (n, d)."""
    points, y = finite_rows(X), as_array(labels, "labels")
    if not y.ndim or y.shape[-1] != len(points):
        raise InvalidInputError(f"walk has shape {y.shape}, expected (t, {len(points)}): pass one label per point")
    sums = np.stack([(y == i).astype(np.float64) @ points for i in range(n_clusters)], axis=-2)
    return sums


def projection_plane(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Directions (2, k d) in which cluster sums (m, k, d) vary most, signs fixed."""
    k, d = sums.shape[1:]
    if (k, d) in ((2, 2), (3, 1)):
        return np.eye(2, k * d)
    return principal_plane(sums.reshape(len(sums), -1)).basis


def plot_polytope(
    X: ArrayLike,
    polytope: PartitionPolytope,
    ax: Axes | None = None,
    *,
    directions: ArrayLike | None = None,
    walk: ArrayLike | None = None,
    clusterings: bool = True,
) -> Axes:
    """Draw the polytope of all clusterings of points X (n, d), and a ``walk`` (t, n) along labels of some of them.

    At most 50 000 clusterings, shown as dots unless ``clusterings=False``; ``directions`` (2, k d) projects their
    cluster sums, by `projection_plane` where None. InvalidInputError where there are more or all fall onto one line.
    """
    instance_of(polytope, "polytope", PartitionPolytope)
    points, k = finite_rows(X, n_rows=polytope.n_points), polytope.n_clusters
    polytope.check()
    if polytope.weights is not None or polytope.count() > MOST_CLUSTERINGS:
        raise InvalidInputError(f"only up to {MOST_CLUSTERINGS} clusterings of points of equal weight can be drawn")
    sums = cluster_sums(points, np.array(list(polytope.enumerate())), k)
    plane = projection_plane(sums) if directions is None else as_floats(directions, "directions")
    if plane.shape != (2, k * points.shape[1]):
        raise InvalidInputError(f"directions has shape {plane.shape}, expected (2, {k * points.shape[1]})")
    axes = axes_of(ax)
    flat = np.unique((sums.reshape(len(sums), -1) @ plane.T).round(12), axis=0)
    _draw_hull(axes, flat, clusterings)
    if walk is not None:
        steps = cluster_sums(points, walk, k)
        path = steps.reshape(len(steps), -1) @ plane.T
        axes.plot(path[:, 0], path[:, 1], color=RED, linewidth=2.2, zorder=4)
        for (x, y), marker, size in ((path[0], "s", 70), (path[-1], "*", 230)):
            axes.scatter(x, y, s=size, marker=marker, c=RED, edgecolors="black", linewidths=0.9, zorder=5)
    axes.set(**dict(zip(("xlabel", "ylabel"), _axis_names(plane, k))))
    return axes


def _axis_names(plane: NDArray[np.float64], k: int) -> list[str]:
    """What each axis of the plane (2, k d) measures: a coordinate of a cluster's sum, or a direction among all sums."""
    names = []
    for number, direction in enumerate(plane, start=1):
        (place, *others), d = np.flatnonzero(direction).tolist() or [0, 0], len(direction) // k
        alone = not others and direction[place] == 1.0
        coordinate = f", coordinate {place % d + 1}" if d > 1 else ""
        names.append(f"sum of cluster {place // d}{coordinate}" if alone else f"direction {number} of the cluster sums")
    return names


def _draw_hull(axes: Axes, flat: NDArray[np.float64], clusterings: bool) -> None:
    from scipy.spatial import ConvexHull

    long, short = np.linalg.svd(flat - flat.mean(axis=0), compute_uv=False) if len(flat) > 2 else (1.0, 0.0)
    if short <= 1e-9 * long:
        raise InvalidInputError("all clusterings fall onto one line: choose other directions")
    corners = flat[ConvexHull(flat).vertices]
    axes.fill(corners[:, 0], corners[:, 1], facecolor="#E8EEF4", edgecolor="0.2", linewidth=1.4, zorder=1)
    if clusterings:
        axes.scatter(flat[:, 0], flat[:, 1], s=9, c="0.45", linewidths=0, zorder=2)
    axes.scatter(corners[:, 0], corners[:, 1], s=34, c=BLUE, edgecolors="0.1", linewidths=0.6, zorder=3)

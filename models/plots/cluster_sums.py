"""The picture of a cluster-sum polytope: all clusterings, its vertices by name, its edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...base.errors import InvalidInputError
from ...output.style import BLUE, RED, axes_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..polytope.cluster_sums import ClusterSumPolytope


def plot_cluster_sums(sums: ClusterSumPolytope, ax: Any = None, names: bool = True) -> Axes:
    """Draw the polytope."""
    import matplotlib.pyplot as plt

    k, d = sums.sums.shape[1:]
    flat = sums.sums.reshape(len(sums.sums), -1)
    if k * d <= 3:
        points, labels = flat, [f"$s_{{{i}}}$" for i in range(k * d)]
    else:
        centred = flat - flat.mean(axis=0)
        shown = 3 if sums.dimension == 3 else 2
        axes = np.linalg.svd(centred, full_matrices=False)[2][:shown]
        points, labels = centred @ axes.T, [f"direction {i + 1}" for i in range(shown)]
    if points.shape[1] == 1:
        points, labels = np.column_stack([points, np.zeros(len(points))]), [labels[0], ""]
    space = points.shape[1] == 3
    if ax is None:
        ax = plt.figure(figsize=(6, 5)).add_subplot(projection="3d" if space else None)
    ax = axes_of(ax)
    if space != hasattr(ax, "set_zlabel"):
        d = points.shape[1]
        raise InvalidInputError(f"ax has not the {d} dimensions of the picture: leave it out for new axes")
    corners = points[[members[0] for members in sums.vertex_clusterings]]
    ax.scatter(*points.T, s=14, c="0.65", label="clusterings", zorder=2)
    for a, b in sums.edges:
        ax.plot(*corners[[a, b]].T, color=BLUE, lw=1.2, zorder=1)
    ax.scatter(*corners.T, s=34, c=RED, edgecolors="black", linewidths=0.5, label="vertices", zorder=3)
    if names and len(corners) <= 40 // (3 if space else 1):  # a third of that in space
        _write_names(sums, ax, corners)
    ax.set(xlabel=labels[0], ylabel=labels[1])
    if space:
        ax.set_zlabel(labels[2])
    ax.set_title(
        f"{len(points)} clusterings, {len(corners)} vertices, {len(sums.edges)} edges, diameter {sums.diameter}",
        fontsize=10,
    )
    ax.margins(0.12)
    ax.legend(fontsize=8, loc="best")
    return ax


def _write_names(sums: ClusterSumPolytope, ax: Any, corners: NDArray[np.float64]) -> None:
    k = sums.polytope.n_clusters
    middle = corners.mean(axis=0)
    for corner, members in zip(corners, sums.vertex_clusterings):
        labels = sums.clusterings[members[0]]
        text = "|".join("".join(str(p + 1) for p in np.flatnonzero(labels == i)) or "-" for i in range(k))
        if len(corner) == 3:
            ax.text(*corner, f" {text}", fontsize=7)
            continue
        away = corner - middle
        away = away / (np.linalg.norm(away) or 1.0)
        side = "left" if away[0] > 0.3 else "right" if away[0] < -0.3 else "center"
        ax.annotate(text, corner, 7 * away, textcoords="offset points", fontsize=7, ha=side, va="center")
